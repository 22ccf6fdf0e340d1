// Products of several matrices: matrix_power, multi_dot.
// Source: https://numpy.org/doc/stable/reference/routines.linalg.html
#include "base/check.h"
#include "frontends/numpy/functions/matrix.h"

namespace pw::numpy::functions {

/// a @ a @ ... by squaring; of the inverse where n is negative.
Result<Value> matrix_power(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const Array matrix, square_argument(stager, arguments, 0, "a"));
  PW_TRY(std::int64_t n, stager.to_static_int(required(arguments, 1, "n"), span));
  if (n == 0) {
    const ir::DType type = stager.type_of(matrix);
    return value(stager.define(matrix.shape, type, [&](const Indices& at) {
      const std::size_t rank = at.size();
      const ir::ExprId diagonal =
          stager.apply(ir::Op::Eq, {stager.index(at[rank - 1]), stager.index(at[rank - 2])});
      return stager.apply(ir::Op::Select,
                          {diagonal, stager.cast(stager.integer(1), type), zero(stager, type)});
    }));
  }
  Value square = value(matrix);
  if (n < 0) {
    PW_TRY(square, call_row(stager, span, "numpy.linalg.inv", {square}));
    n = -n;
  } else if (n == 1) {
    return square;
  }
  std::optional<Value> out;
  while (true) {
    if (n % 2 == 1) {
      if (out) {
        PW_TRY(out, stager.matmul(*out, square, span));
      } else {
        out = square;
      }
    }
    n /= 2;
    if (n == 0) return *out;
    PW_TRY(square, stager.matmul(square, square, span));
  }
}

/// The product of all; a vector at the end is multiplied first, so that each step gives a vector.
Result<Value> multi_dot(Stager& stager, const Arguments& arguments) {
  const std::vector<Value>* items = sequence_items(required(arguments, 0, "arrays"));
  if (items == nullptr || items->size() < 2) return bad_call(stager, arguments, "with fewer than two arrays");
  for (std::size_t k = 0; k < items->size(); ++k) {
    const auto* array = (*items)[k].as<Array>();
    const bool end = k == 0 || k + 1 == items->size();
    const bool shaped = array != nullptr && (array->shape.size() == 2 || (end && array->shape.size() == 1));
    if (!shaped) return bad_call(stager, arguments, "with an array that is no matrix");
  }
  if (items->back().as<Array>()->shape.size() == 1) {
    Value out = items->back();
    for (std::size_t k = items->size() - 1; k-- > 0;) {
      PW_TRY(out, stager.matmul((*items)[k], out, arguments.span));
    }
    return out;
  }
  Value out = items->front();
  for (std::size_t k = 1; k < items->size(); ++k) {
    PW_TRY(out, stager.matmul(out, (*items)[k], arguments.span));
  }
  return out;
}

}  // namespace pw::numpy::functions
