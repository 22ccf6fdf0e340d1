// Arithmetic on Values as NumPy does it, written as a formula; the first failure is the result's.
#pragma once

#include <utility>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

struct Term {
  Stager* stager;
  base::Span span;
  Result<Value> result;
};

inline Term joined(python::Operator op, const Term& a, const Term& b) {
  if (!a.result) return a;
  if (!b.result) return b;
  return {a.stager, a.span, a.stager->binary(op, *a.result, *b.result, a.span)};
}
inline Term operator+(const Term& a, const Term& b) { return joined(python::Operator::Add, a, b); }
inline Term operator-(const Term& a, const Term& b) { return joined(python::Operator::Sub, a, b); }
inline Term operator*(const Term& a, const Term& b) { return joined(python::Operator::Mult, a, b); }
inline Term operator/(const Term& a, const Term& b) { return joined(python::Operator::Div, a, b); }
inline Term operator-(const Term& a) {
  if (!a.result) return a;
  return {a.stager, a.span, a.stager->unary(python::UnaryOperator::USub, *a.result, a.span)};
}

}  // namespace pw::numpy::functions
