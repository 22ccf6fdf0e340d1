// Reductions: sums, means, extremes, counts. Running sums, differences and norms are in scans.cc.
// Source: https://numpy.org/doc/stable/reference/routines.statistics.html, routines.math.html
#include "frontends/numpy/functions/reduction.h"

#include <algorithm>

#include "base/check.h"

namespace pw::numpy {

ir::ExprId Stager::fold(std::span<const ir::ExtentId> shape, ir::ReduceOp op, ir::DType type,
                        ir::ReduceOrder order, const ElementBody& element) {
  const std::size_t names = axis_names_;
  Indices inner;
  std::vector<ir::Axis> axes = make_axes(shape, inner);
  ir::Local local;
  local.name = invented_name("acc");
  const bool position = op == ir::ReduceOp::ArgMax || op == ir::ReduceOp::ArgMin;
  local.type = position ? ir::DType::I64 : type;
  local.span = span_;
  const ir::LocalId target = module.add(std::move(local));
  ir::ExprId folded;
  const ir::BlockId body = block([&] { folded = cast(element(inner), type); });
  axis_names_ = names;
  emit(ir::Reduce{target, op, std::move(axes), body, folded, order});
  return module.add(ir::Read{target}, span_);
}

namespace functions {

Result<Reduced> reduced(Stager& stager, const Arguments& arguments, std::size_t keepdims_position) {
  Reduced out;
  PW_TRY(const Value raw, array_like(stager, required(arguments, 0, "a"), arguments.span));
  out.operand = strengthened(stager, {raw})[0];
  if (const auto* array = out.operand.as<Array>()) out.array = *array;
  PW_TRY(out.axes, stager.to_axes(arguments.find(1, "axis"), out.array.shape.size(), arguments.span));
  PW_TRY(out.keepdims, bool_argument(stager, arguments, keepdims_position, "keepdims", false));
  return out;
}

Result<Value> folded(Stager& stager, const Reduced& what, ir::ReduceOp op, ir::DType type,
                     const Element& element) {
  if (!what.operand.is<Array>()) {
    return stager.strong(stager.cast(element(stager.as_scalar(what.operand)->expr), type));
  }
  if (what.axes.empty()) return unary_of(stager, what.operand, type, stager.here(), element);
  return stager.reduce(what.array, what.axes, what.keepdims, op, type,
                       [&](ir::ExprId each, const Indices&) { return element(each); });
}

ir::ExtentId fold_count(Stager& stager, const Reduced& what) {
  std::vector<ir::ExtentId> shape;
  for (const std::size_t axis : what.axes) shape.push_back(what.array.shape[axis]);
  return stager.count(shape);
}

ir::DType sum_type(ir::DType type) {
  if (type == ir::DType::Bool || ir::kind(type) == ir::DTypeKind::Int) return ir::DType::I64;
  return ir::kind(type) == ir::DTypeKind::UInt ? ir::DType::U64 : type;
}

ir::DType mean_type(ir::DType type) {
  return ir::is_float(type) || ir::is_complex(type) ? type : ir::DType::F64;
}

Value bound(Stager& stager, const Value& result) {
  const auto* scalar = result.as<Scalar>();
  if (scalar == nullptr) return result;
  return stager.strong(stager.module.add(ir::Read{stager.let(scalar->expr)}, stager.here()));
}

namespace {

/// result / n, n a number of elements.
Result<Value> divided(Stager& stager, const Value& total, ir::ExtentId n, ir::DType type, base::Span span) {
  return unary_of(stager, total, type, span, [&](ir::ExprId v) {
    return stager.apply(ir::Op::Div, {v, stager.cast(stager.index(n), type)});
  });
}

}  // namespace

Result<Value> mean_of(Stager& stager, const Reduced& what, ir::DType type, base::Span span) {
  PW_TRY(const Value total,
         folded(stager, what, ir::ReduceOp::Sum, type, [&](ir::ExprId v) { return stager.cast(v, type); }));
  return divided(stager, total, fold_count(stager, what), type, span);
}

ir::ExprId abs_square(Stager& stager, ir::ExprId v) {
  if (!ir::is_complex(stager.module.type(v))) return stager.apply(ir::Op::Mul, {v, v});
  const ir::ExprId re = stager.apply(ir::Op::Real, {v});
  const ir::ExprId im = stager.apply(ir::Op::Imag, {v});
  return stager.apply(ir::Op::Add,
                      {stager.apply(ir::Op::Mul, {re, re}), stager.apply(ir::Op::Mul, {im, im})});
}

namespace {

Result<Value> typed_fold(Stager& stager, const Arguments& arguments, ir::ReduceOp op) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 4));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType type = asked.value_or(sum_type(type_of(stager, what.operand)));
  // Bool sums are counts, and their product as bool is "all".
  ir::ReduceOp fold = op;
  if (type == ir::DType::Bool) fold = op == ir::ReduceOp::Sum ? ir::ReduceOp::Any : ir::ReduceOp::All;
  return deliver(stager, arguments, 3,
                 folded(stager, what, fold, type, [&](ir::ExprId v) { return stager.cast(v, type); }));
}

}  // namespace

/// Integers narrower than 64 bits, and bools, are summed in 64 bits.
Result<Value> sum(Stager& stager, const Arguments& arguments) {
  return typed_fold(stager, arguments, ir::ReduceOp::Sum);
}

Result<Value> product(Stager& stager, const Arguments& arguments) {
  return typed_fold(stager, arguments, ir::ReduceOp::Product);
}

/// sum / n; integers and bools in float64.
Result<Value> mean(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 4));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType type = mean_type(asked.value_or(type_of(stager, what.operand)));
  return deliver(stager, arguments, 3, mean_of(stager, what, type, arguments.span));
}

/// Without weights the mean; with weights of a's shape, or a vector along the axis, sum(a*w) / sum(w).
Result<Value> average(Stager& stager, const Arguments& arguments) {
  const Value* weights = given(arguments, 2, "weights");
  if (weights == nullptr) {
    PW_TRY(const Reduced what, reduced(stager, arguments, 4));
    return mean_of(stager, what, mean_type(type_of(stager, what.operand)), arguments.span);
  }
  PW_TRY(const Reduced what, reduced(stager, arguments, 4));
  PW_TRY(Array weight, stager.to_array(*weights, std::nullopt, arguments.span));
  const std::size_t rank = what.array.shape.size();
  if (weight.shape.size() == 1 && rank > 1 && what.axes.size() == 1) {
    for (std::size_t k = 0; k < what.axes[0]; ++k) weight = stager.insert_axis(weight, 0);
    while (weight.shape.size() < rank) weight = stager.insert_axis(weight, weight.shape.size());
  }
  const std::vector<Value> both = {what.operand, value(weight)};
  PW_TRY(const ir::DType found, stager.result_type(both, arguments.span));
  const ir::DType type = mean_type(found);
  PW_TRY(const Value weighted, stager.ufunc(ir::Op::Mul, both, arguments.span, type));
  Reduced numerator = what;
  numerator.operand = weighted;
  numerator.array = *weighted.as<Array>();
  Reduced denominator = numerator;
  const std::vector<ir::DType> types = {type, type};
  PW_TRY(denominator.operand, elementwise_of(stager, both, types, type, arguments.span,
                                             [](std::span<const ir::ExprId> v) { return v[1]; }));
  denominator.array = *denominator.operand.as<Array>();
  const auto plain = [](ir::ExprId v) { return v; };
  PW_TRY(const Value above, folded(stager, numerator, ir::ReduceOp::Sum, type, plain));
  PW_TRY(const Value below, folded(stager, denominator, ir::ReduceOp::Sum, type, plain));
  PW_TRY(const Array sums, stager.to_array(below, std::nullopt, arguments.span));
  const ir::ExprId zeros = stager.fold(
      sums.shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId sum = stager.load(sums, at);
        return stager.apply(ir::Op::Eq, {sum, stager.cast(stager.integer(0), stager.module.type(sum))});
      });
  stager.trap_if(zeros, ir::TrapKind::ZeroDivisionError, "Weights sum to zero, can't be normalized");
  return stager.ufunc(ir::Op::Div, std::vector{above, below}, arguments.span);
}

/// var and std: the mean, then the sum of squared deviations over max(n - ddof, 0).
/// Source: numpy.var's notes; correction= is the array API's name of ddof=.
Result<Value> variance(Stager& stager, const Arguments& arguments) {
  PW_TRY(Reduced what, reduced(stager, arguments, 5));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType type = mean_type(asked.value_or(type_of(stager, what.operand)));
  const ir::DType part = ir::real_of(type);
  const Value* delta = given(arguments, 4, "ddof");
  if (const Value* correction = given(arguments, 9, "correction")) delta = correction;
  PW_TRY(const ir::ExtentId ddof,
         delta == nullptr ? Result<ir::ExtentId>(stager.size(0)) : stager.to_extent(*delta, arguments.span));
  Reduced centre = what;
  centre.keepdims = true;
  PW_TRY(const Value mean_raw, mean_of(stager, centre, type, arguments.span));
  const Value middle = bound(stager, mean_raw);
  const auto* middle_array = middle.as<Array>();
  const auto deviation = [&](ir::ExprId v, const Indices& at) {
    const std::size_t rank = what.array.shape.size();
    const ir::ExprId mean_here = middle_array != nullptr ? stager.element(middle, at, rank, type)
                                                         : stager.cast(middle.as<Scalar>()->expr, type);
    return abs_square(stager, stager.apply(ir::Op::Sub, {stager.cast(v, type), mean_here}));
  };
  // The mean keeps its folded axes, of extent one, so that it is read at index 0 there.
  Result<Value> total = stager.strong(stager.real(0.0, part));
  if (!what.operand.is<Array>()) {
    total = stager.strong(deviation(stager.as_scalar(what.operand)->expr, {}));
  } else {
    total = stager.reduce(what.array, what.axes, what.keepdims, ir::ReduceOp::Sum, part, deviation);
  }
  if (!total) return total;
  const ir::ExtentId n = fold_count(stager, what);
  const ir::ExtentId left = stager.clamped(stager.extents().subtract(n, ddof));
  const bool root = arguments.name.ends_with(".std");
  Result<Value> out = unary_of(stager, *total, part, arguments.span, [&](ir::ExprId v) {
    const ir::ExprId spread = stager.apply(ir::Op::Div, {v, stager.cast(stager.index(left), part)});
    return root ? stager.apply(ir::Op::Sqrt, {spread}) : spread;
  });
  return deliver(stager, arguments, 3, std::move(out));
}

/// max and min; NaN wins; empty raises ValueError.
Result<Value> extreme(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 3));
  const ir::DType type = type_of(stager, what.operand);
  const bool greatest = arguments.name.ends_with("max");
  if (ir::is_complex(type)) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, ir::row(type).numpy);
  }
  // Of bools the greatest is "any" and the least "all"; but an empty fold still raises, so keep the op there.
  const ir::ReduceOp op = greatest ? ir::ReduceOp::Max : ir::ReduceOp::Min;
  return deliver(stager, arguments, 2, folded(stager, what, op, type, [](ir::ExprId v) { return v; }));
}

/// The first position of the extreme along one axis, or in C order over all.
Result<Value> arg_extreme(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 9));
  const ir::ReduceOp op = arguments.name.ends_with("argmax") ? ir::ReduceOp::ArgMax : ir::ReduceOp::ArgMin;
  if (!what.operand.is<Array>()) return stager.strong(stager.integer(0));
  const ir::DType type = stager.type_of(what.array);
  if (ir::is_complex(type)) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, ir::row(type).numpy);
  }
  const bool all = given(arguments, 1, "axis") == nullptr;
  if (!all && what.axes.size() != 1) return bad_call(stager, arguments, "with several axes");
  return deliver(stager, arguments, 2,
                 stager.reduce(what.array, what.axes, what.keepdims, op, type,
                               [](ir::ExprId v, const Indices&) { return v; }));
}

Result<Value> any_or_all(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 3));
  const ir::ReduceOp op = arguments.name.ends_with("any") ? ir::ReduceOp::Any : ir::ReduceOp::All;
  return deliver(stager, arguments, 2, folded(stager, what, op, ir::DType::Bool, [&](ir::ExprId v) {
                   return stager.cast(v, ir::DType::Bool);
                 }));
}

Result<Value> count_nonzero(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 9));
  return folded(stager, what, ir::ReduceOp::Sum, ir::DType::I64,
                [&](ir::ExprId v) { return stager.cast(stager.cast(v, ir::DType::Bool), ir::DType::I64); });
}

}  // namespace functions

}  // namespace pw::numpy
