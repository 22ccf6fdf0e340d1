// Runs a function of a module on arrays in memory: the slow, obvious meaning of the IR.
//
// Statements run one after the other, Map and Reduce in row-major order, expressions once each; ops, casts
// and folds are scalar.h's. Every load and store is checked. Temporaries, and variables without a value,
// start as bytes 0xFF (NaN, -1, true), so that a read before a write shows. The module must have passed the
// verifier.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/module.h"

namespace pw::ir {

/// A dense row-major array; bool is one byte, complex is real then imaginary part. Different arrays must not
/// overlap.
struct ArrayRef {
  void* data = nullptr;
  DType type = DType::F64;
  std::vector<std::int64_t> shape;
};

/// One a parameter of the function, in its order; a symbol is an i64.
using EvalArgument = std::variant<Const, ArrayRef>;

struct EvalOptions {
  std::uint64_t max_steps = 2'000'000'000;            // expression nodes and statements
  std::uint64_t max_bytes = std::uint64_t(1) << 31U;  // of all temporaries together
};

enum class EvalEnd : std::uint8_t {
  Returned,
  Trapped,    // status is the 1-based row of the trap table
  Violation,  // the IR broke its own rules: out of bounds, overflow in an extent, an empty Max, ...
  OutOfSteps,
  OutOfMemory,
  BadArgument,  // dtype, rank, shape or a negative symbol
};

struct EvalResult {
  EvalEnd end = EvalEnd::Returned;
  int status = 0;              // 0 or the trap's row; -1 for the other ends
  std::vector<Const> results;  // scalar returns
  std::string detail;          // what happened, and the statement's text
};

EvalResult eval(const Module& module, FunctionId function, std::span<const EvalArgument> arguments,
                const EvalOptions& options = {});

/// The shape of a parameter, given all scalar parameters by their position (others are ignored). An extent
/// below 0 is 0. Fails (nullopt) where one divides by zero or overflows.
std::optional<std::vector<std::int64_t>> parameter_shape(const Module& module, FunctionId function,
                                                         std::size_t parameter,
                                                         std::span<const EvalArgument> arguments);

}  // namespace pw::ir
