// What the reductions share, those that leave NaN out (nan_functions.cc) among them.
#pragma once

#include <vector>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

/// What a reduction is over: an array, or a scalar as an array of no axes.
struct Reduced {
  Value operand;
  Array array;  // where the operand is one
  std::vector<std::size_t> axes;
  bool keepdims = false;
};
/// Reads the operand, axis= and keepdims= of a call.
Result<Reduced> reduced(Stager& stager, const Arguments& arguments, std::size_t keepdims_position);

using Element = std::function<ir::ExprId(ir::ExprId)>;
/// Folds an array over its axes; of a scalar, the element itself.
Result<Value> folded(Stager& stager, const Reduced& what, ir::ReduceOp op, ir::DType type,
                     const Element& element);
/// The number of elements that one result folds.
ir::ExtentId fold_count(Stager& stager, const Reduced& what);
/// Sums of integers narrower than 64 bits are of 64 bits.
ir::DType sum_type(ir::DType type);
/// Means of integers are float64.
ir::DType mean_type(ir::DType type);
Result<Value> mean_of(Stager& stager, const Reduced& what, ir::DType type, base::Span span);
/// Of a number bound to a local, so that it is computed once.
Value bound(Stager& stager, const Value& result);
/// The square of the modulus.
ir::ExprId abs_square(Stager& stager, ir::ExprId v);

}  // namespace pw::numpy::functions
