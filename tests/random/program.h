// What generate.py sends, and what came of running it: shared by the parts of random_programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagnostics/engine.h"
#include "frontends/numpy/kernel.h"
#include "ir/module.h"

namespace pw::random_test {

/// A dense row-major array, or a scalar of empty shape. bool is one byte, complex real then imaginary part.
struct Data {
  ir::DType type = ir::DType::F64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

struct Argument {
  std::string name;
  enum class Kind : std::uint8_t { Array, Scalar, Symbol } kind = Kind::Symbol;
  ir::DType type = ir::DType::I64;
  bool weak = false;                 // Scalar: a Python number
  bool trailing = false;             // Symbol: no parameter of the def line
  std::vector<std::string> extents;  // Array: one expression over symbols a dimension
};

/// One call: what goes in, and what NumPy made of it.
struct Case {
  std::map<std::string, Data> values;  // of every argument and symbol
  std::string error;                   // the exception's name; empty: returned
  std::vector<Data> results;
  std::map<std::string, Data> after;  // the arrays among the arguments
};

struct Program {
  std::string id;
  std::string source;
  std::vector<Argument> arguments;
  std::vector<Case> cases;
};

/// A program as staging and the passes left it. Not movable: the engine points at the sources.
struct Staged {
  base::Sources sources;
  diagnostics::Engine engine{sources};
  std::optional<numpy::StagedKernel> kernel;
  std::optional<ir::Module> optimised;
  std::optional<std::string> inexact;  // why results may differ in the last bits
  bool reassociates = false;           // it has a float sum or product in any order
  std::set<std::string> features;      // ops, folds and statements of the staged module
};

/// One argument of the port in ABI order, with its bytes.
struct Slot {
  numpy::AbiArgument::Role role = numpy::AbiArgument::Role::Scalar;
  std::string name;
  Data data;
};

struct Outcome {
  enum class End : std::uint8_t { Returned, Trapped, Broken } end = End::Broken;
  ir::TrapKind trap = ir::TrapKind::Assumption;
  std::string exception;  // its name
  std::string text;
  std::vector<Data> results;
  std::map<std::string, Data> after;
};

std::size_t byte_count(ir::DType type, const std::vector<std::int64_t>& shape);
/// The arguments in ABI order: inputs copied, outputs of 0xFF bytes; a text says why they cannot be made.
std::optional<std::vector<Slot>> make_slots(const numpy::StagedKernel& kernel, const Case& call,
                                            std::string& why);
/// What the slots hold after a run of this status.
Outcome outcome_of(const std::vector<Slot>& slots, const ir::Module& module, int status);

/// Stages, verifies, optimises. What fails is in the engine.
void stage(const Program& program, Staged& out);
/// Runs the module by ir::eval.
Outcome run_eval(const ir::Module& module, std::vector<Slot> slots);
/// Names of what the module uses: "op add", "reduce max", "stmt While".
std::set<std::string> features_of(const ir::Module& module);
bool reassociates(const ir::Module& module);
/// The same module with everything that may run in any order run backwards: each Map as nested loops from the
/// last point to the first, each loop that a pass proved parallel from its end.
ir::Module reversed(const ir::Module& module);

/// The C ports of many programs, in one translation unit and one child process.
struct NativeRun {
  const Program* program = nullptr;
  Staged* staged = nullptr;              // its engine takes what the backend reports
  std::vector<std::vector<Slot>> calls;  // one a case; a case without slots is empty and skipped
};
/// Outcomes by program and case. `flags`: of the C compiler. Fails (nullopt, text in `why`) where a port does
/// not compile.
std::optional<std::vector<std::vector<Outcome>>> run_native(const std::vector<NativeRun>& runs,
                                                            const std::string& flags, std::string& why);

}  // namespace pw::random_test
