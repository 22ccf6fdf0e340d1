#include "backends/common/formula.h"

namespace pw::backends {

namespace {

std::string parenthesised(const std::string& text) { return "(" + text + ")"; }

/// Mixtures that are legal without parentheses, but that nobody reads right (and that gcc -Wall reports).
bool misread(Level outer, Level inner) {
  if (outer == Level::Or) return inner == Level::And;
  if (outer >= Level::BitOr && outer <= Level::BitAnd) return inner < Level::Unary && inner != outer;
  if (outer == Level::Equality || outer == Level::Relation) return inner <= Level::Relation;
  if (outer == Level::Shift) return inner < Level::Unary;
  return false;
}

}  // namespace

std::string within(const Formula& operand, Level least) {
  return operand.level < least ? parenthesised(operand.text) : operand.text;
}

Formula binary(std::string_view op, Level level, const Formula& left, const Formula& right) {
  const Level above = static_cast<Level>(static_cast<int>(level) + 1);
  std::string text = misread(level, left.level) ? parenthesised(left.text) : within(left, level);
  text.append(" ").append(op).append(" ");
  text += misread(level, right.level) ? parenthesised(right.text) : within(right, above);
  return {std::move(text), level};
}

Formula unary(std::string_view op, const Formula& operand) {
  const std::string inner = within(operand, Level::Unary);
  // -(-x), not --x
  if (!inner.empty() && inner.front() == op.front() && op.front() == '-') {
    return {std::string(op) + parenthesised(inner), Level::Unary};
  }
  return {std::string(op) + inner, Level::Unary};
}

Formula cast(std::string_view type, const Formula& operand) {
  return {"(" + std::string(type) + ")" + within(operand, Level::Unary), Level::Unary};
}

Formula choice(const Formula& condition, const Formula& then, const Formula& otherwise) {
  return {within(condition, Level::Or) + " ? " + within(then, Level::Or) + " : " +
              within(otherwise, Level::Choice),
          Level::Choice};
}

Formula negated(const Formula& formula) {
  const bool simple = formula.level >= Level::Unary;
  if (simple && formula.text.starts_with("!")) return {formula.text.substr(1), Level::Unary};
  return {"!" + (simple ? formula.text : parenthesised(formula.text)), Level::Unary};
}

}  // namespace pw::backends
