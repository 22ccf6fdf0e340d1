// The ops of ops.def as an enum and a table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/dtype.h"

namespace pw::ir {

enum class Op : std::uint8_t {
#define OP(name, text, arity, rule, rounding, numpy, torch, doc) name,
#include "ir/ops.def"
};

enum class TypeRule : std::uint8_t {
  Same,
  Compare,
  Logical,
  Inexact,
  Float,
  Integer,
  Test,
  Part,
  Modulus,
  Pair,
  Choice,
  Overflow,
};

/// Whether an op gives the same bits everywhere: see ops.def.
enum class Rounding : std::uint8_t { Exact, Real, Library };

struct OpRow {
  std::string_view name;  // enumerator
  std::string_view text;
  std::size_t arity;
  TypeRule rule;
  Rounding rounding;
  std::string_view numpy;
  std::string_view torch;
  std::string_view doc;
};

const OpRow& row(Op op);
std::span<const OpRow> op_rows();
std::optional<Op> op_from_text(std::string_view text);

/// Result dtype, or nullopt where the arguments do not fit the op's type rule.
std::optional<DType> op_result(Op op, std::span<const DType> arguments);

}  // namespace pw::ir
