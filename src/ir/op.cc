#include "ir/op.h"

#include <algorithm>

namespace pw::ir {

namespace {

constexpr OpRow kRows[] = {
#define OP(name, text, arity, rule, rounding, numpy, torch, doc) \
  {#name, text, arity, TypeRule::rule, Rounding::rounding, numpy, torch, doc},
#include "ir/ops.def"
};

/// Ops that have no meaning for some dtypes beyond what their rule says.
bool excluded(Op op, DType type) {
  switch (op) {
    case Op::Sub:
      return type == DType::Bool;
    case Op::Neg:
    case Op::Sign:
    case Op::Pow:
    case Op::FMod:
    case Op::FloorDiv:
    case Op::Mod:
      return type == DType::Bool || (is_complex(type) && op != Op::Neg && op != Op::Pow);
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::Gcd:
    case Op::Lcm:
      return type == DType::Bool;
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Minimum:
    case Op::Maximum:
    case Op::FMin:
    case Op::FMax:
      return is_complex(type);
    default:
      return false;
  }
}

}  // namespace

const OpRow& row(Op op) { return kRows[static_cast<std::size_t>(op)]; }

std::span<const OpRow> op_rows() { return kRows; }

std::optional<Op> op_from_text(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].text == text) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::optional<DType> op_result(Op op, std::span<const DType> arguments) {
  const OpRow& facts = row(op);
  if (arguments.size() != facts.arity) return std::nullopt;
  const DType last = arguments.back();
  const std::span<const DType> alike = facts.rule == TypeRule::Choice ? arguments.subspan(1) : arguments;
  if (!std::all_of(alike.begin(), alike.end(), [&](DType t) { return t == last; })) return std::nullopt;
  if (excluded(op, last)) return std::nullopt;
  const auto when = [](bool fits, DType result) { return fits ? std::optional(result) : std::nullopt; };
  const bool inexact = is_float(last) || is_complex(last);
  switch (facts.rule) {
    case TypeRule::Same:
      return last;
    case TypeRule::Compare:
      return DType::Bool;
    case TypeRule::Logical:
      return when(last == DType::Bool, DType::Bool);
    case TypeRule::Inexact:
      return when(inexact, last);
    case TypeRule::Float:
      return when(is_float(last), last);
    case TypeRule::Integer:
      return when(is_integer(last) || last == DType::Bool, last);
    case TypeRule::Test:
      return when(inexact, DType::Bool);
    case TypeRule::Part:
      return when(is_complex(last), real_of(last));
    case TypeRule::Modulus:
      return real_of(last);
    case TypeRule::Pair:
      return when(is_float(last), complex_of(last));
    case TypeRule::Choice:
      return when(arguments.front() == DType::Bool, last);
    case TypeRule::Overflow:
      return when(last == DType::I64, DType::Bool);
  }
  return std::nullopt;
}

}  // namespace pw::ir
