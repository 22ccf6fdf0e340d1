// Expressions of the C family as text that knows how tightly it binds, so that no parenthesis is printed in
// vain.
#pragma once

#include <string>
#include <string_view>

namespace pw::backends {

/// C's levels, loosest first. Source: ISO/IEC 9899:2011, 6.5.
enum class Level : int {
  Choice,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Unary,
  Postfix,
  Primary,
};

struct Formula {
  std::string text;
  Level level = Level::Primary;
};

/// `operand` as it must stand where only `least` and tighter may.
std::string within(const Formula& operand, Level least);

/// left op right, left associative: a - b - c, but a - (b - c), as the source has it.
Formula binary(std::string_view op, Level level, const Formula& left, const Formula& right);
Formula unary(std::string_view op, const Formula& operand);
/// (type)operand
Formula cast(std::string_view type, const Formula& operand);
Formula choice(const Formula& condition, const Formula& then, const Formula& otherwise);

/// !formula, by turning the comparison around where that is the same for NaN too.
Formula negated(const Formula& formula);

}  // namespace pw::backends
