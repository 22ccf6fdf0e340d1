// Reductions that leave NaN out: nansum, nanmean, nanstd, nanmax, nanargmax, nancumsum and kin.
// Source: https://numpy.org/doc/stable/reference/routines.statistics.html
#include <limits>

#include "base/check.h"
#include "frontends/numpy/functions/reduction.h"

namespace pw::numpy::functions {

namespace {

bool has_nan(ir::DType type) { return ir::is_float(type) || ir::is_complex(type); }

ir::ExprId is_nan(Stager& stager, ir::ExprId v) {
  if (!has_nan(stager.module.type(v))) return stager.constant(ir::const_bool(false));
  return stager.apply(ir::Op::IsNan, {v});
}

/// The element, or `other` where it is NaN.
ir::ExprId without_nan(Stager& stager, ir::ExprId v, double other, ir::DType type) {
  if (!has_nan(stager.module.type(v))) return stager.cast(v, type);
  const ir::ExprId instead = stager.constant(ir::const_float(type, other));
  return stager.apply(ir::Op::Select, {is_nan(stager, v), instead, stager.cast(v, type)});
}

/// Another row with what its `a`, axis, dtype and keepdims were, `a` replaced.
Result<Value> delegated(Stager& stager, const Arguments& arguments, std::string_view name, Value operand) {
  Arguments call = arguments;
  call.name = name;
  if (call.positional.empty()) {
    call.keywords[0].second = std::move(operand);
  } else {
    call.positional[0] = std::move(operand);
  }
  return find_function(name)->body(stager, call);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Result<Value> nan_sum(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 4));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType own = type_of(stager, what.operand);
  const ir::DType type = asked.value_or(sum_type(own));
  return deliver(stager, arguments, 3, folded(stager, what, ir::ReduceOp::Sum, type, [&](ir::ExprId v) {
                   return without_nan(stager, v, 0.0, type);
                 }));
}

/// The sum of what is no NaN over its count.
Result<Value> nan_mean(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 4));
  const ir::DType own = type_of(stager, what.operand);
  const ir::DType type = mean_type(own);
  if (type != own) return deliver(stager, arguments, 3, mean_of(stager, what, type, arguments.span));
  PW_TRY(const Value total, folded(stager, what, ir::ReduceOp::Sum, type,
                                   [&](ir::ExprId v) { return without_nan(stager, v, 0.0, type); }));
  PW_TRY(const Value count, folded(stager, what, ir::ReduceOp::Sum, ir::DType::I64, [&](ir::ExprId v) {
           return stager.cast(stager.apply(ir::Op::Not, {is_nan(stager, v)}), ir::DType::I64);
         }));
  const std::vector<Value> both = {total, count};
  const std::vector<ir::DType> types = {type, type};
  return deliver(stager, arguments, 3, elementwise_of(stager, both, types, type, arguments.span, [&](auto v) {
                   return stager.apply(ir::Op::Div, {v[0], v[1]});
                 }));
}

Result<Value> nan_product(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 4));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType type = asked.value_or(sum_type(type_of(stager, what.operand)));
  return deliver(stager, arguments, 3, folded(stager, what, ir::ReduceOp::Product, type, [&](ir::ExprId v) {
                   return without_nan(stager, v, 1.0, type);
                 }));
}

/// nanmax and nanmin; NaN of nothing but NaN.
Result<Value> nan_extreme(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 3));
  const ir::DType type = type_of(stager, what.operand);
  if (ir::is_complex(type)) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, ir::row(type).numpy);
  }
  const bool greatest = arguments.name.ends_with("max");
  const ir::ReduceOp op = greatest ? ir::ReduceOp::Max : ir::ReduceOp::Min;
  PW_TRY(const Value found, folded(stager, what, op, type, [&](ir::ExprId v) {
           return without_nan(stager, v, greatest ? -kInfinity : kInfinity, type);
         }));
  if (!has_nan(type)) return deliver(stager, arguments, 2, found);
  PW_TRY(const Value none, folded(stager, what, ir::ReduceOp::All, ir::DType::Bool,
                                  [&](ir::ExprId v) { return is_nan(stager, v); }));
  const std::vector<Value> both = {none, found};
  const std::vector<ir::DType> types = {ir::DType::Bool, type};
  const ir::ExprId nan = stager.real(std::numeric_limits<double>::quiet_NaN(), type);
  return deliver(stager, arguments, 2, elementwise_of(stager, both, types, type, arguments.span, [&](auto v) {
                   return stager.apply(ir::Op::Select, {v[0], nan, v[1]});
                 }));
}

/// nanvar and nanstd: as var and std, of the numbers; NaN where there are not more than ddof of them.
Result<Value> nan_variance(Stager& stager, const Arguments& arguments) {
  PW_TRY(Reduced what, reduced(stager, arguments, 5));
  const bool root = arguments.name == "numpy.nanstd";
  const ir::DType own = type_of(stager, what.operand);
  if (!has_nan(own)) {
    return delegated(stager, arguments, root ? "numpy.std" : "numpy.var", what.operand);
  }
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType type = mean_type(asked.value_or(own));
  const ir::DType part = ir::real_of(type);
  const Value* delta = given(arguments, 4, "ddof");
  PW_TRY(const ir::ExtentId ddof,
         delta == nullptr ? Result<ir::ExtentId>(stager.size(0)) : stager.to_extent(*delta, arguments.span));
  if (!what.operand.is<Array>()) {
    return unsupported(stager, arguments, "of a number", "give an array");
  }
  Reduced kept_axes = what;
  kept_axes.keepdims = true;
  PW_TRY(const Value total, folded(stager, kept_axes, ir::ReduceOp::Sum, type,
                                   [&](ir::ExprId v) { return without_nan(stager, v, 0.0, type); }));
  const auto counts = [&](const Reduced& over) {
    return folded(stager, over, ir::ReduceOp::Sum, ir::DType::I64, [&](ir::ExprId v) {
      return stager.cast(stager.apply(ir::Op::Not, {is_nan(stager, v)}), ir::DType::I64);
    });
  };
  PW_TRY(const Value wide_count, counts(kept_axes));
  const std::vector<Value> both = {total, wide_count};
  const std::vector<ir::DType> types = {type, type};
  PW_TRY(const Value middle_raw, elementwise_of(stager, both, types, type, arguments.span, [&](auto v) {
           return stager.apply(ir::Op::Div, {v[0], v[1]});
         }));
  const Value middle = bound(stager, middle_raw);
  const std::size_t rank = what.array.shape.size();
  PW_TRY(const Value squares,
         stager.reduce(what.array, what.axes, what.keepdims, ir::ReduceOp::Sum, part,
                       [&](ir::ExprId v, const Indices& at) {
                         const ir::ExprId here = stager.element(middle, at, rank, type);
                         const ir::ExprId away = stager.apply(ir::Op::Sub, {stager.cast(v, type), here});
                         return stager.apply(ir::Op::Select, {is_nan(stager, v), stager.real(0.0, part),
                                                              abs_square(stager, away)});
                       }));
  PW_TRY(const Value count, counts(what));
  const std::vector<Value> parts = {squares, count};
  const std::vector<ir::DType> part_types = {part, ir::DType::I64};
  return deliver(stager, arguments, 3,
                 elementwise_of(stager, parts, part_types, part, arguments.span, [&](auto v) {
                   const ir::ExprId left = stager.apply(ir::Op::Sub, {v[1], stager.index(ddof)});
                   const ir::ExprId spread = stager.apply(ir::Op::Div, {v[0], stager.cast(left, part)});
                   const ir::ExprId enough = stager.apply(ir::Op::Gt, {left, stager.integer(0)});
                   const ir::ExprId nan = stager.real(std::numeric_limits<double>::quiet_NaN(), part);
                   const ir::ExprId out = stager.apply(ir::Op::Select, {enough, spread, nan});
                   return root ? stager.apply(ir::Op::Sqrt, {out}) : out;
                 }));
}

/// nanargmax and nanargmin; raises ValueError where there are NaN only.
Result<Value> nan_arg_extreme(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Reduced what, reduced(stager, arguments, 9));
  const bool greatest = arguments.name.ends_with("max");
  const std::string_view plain = greatest ? "numpy.argmax" : "numpy.argmin";
  const ir::DType type = type_of(stager, what.operand);
  if (!ir::is_float(type)) return delegated(stager, arguments, plain, what.operand);
  PW_TRY(const Value none, folded(stager, what, ir::ReduceOp::All, ir::DType::Bool,
                                  [&](ir::ExprId v) { return is_nan(stager, v); }));
  PW_TRY(const Array slices, stager.to_array(none, std::nullopt, arguments.span));
  const ir::ExprId any = stager.fold(slices.shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any,
                                     [&](const Indices& at) { return stager.load(slices, at); });
  stager.trap_if(any, ir::TrapKind::ValueError, "All-NaN slice encountered");
  PW_TRY(const Value numbers, unary_of(stager, what.operand, type, arguments.span, [&](ir::ExprId v) {
           return without_nan(stager, v, greatest ? -kInfinity : kInfinity, type);
         }));
  return delegated(stager, arguments, plain, numbers);
}

/// nancumsum and nancumprod: NaN counts as 0, or as 1.
Result<Value> nan_cumulative(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value operand, array_like(stager, required(arguments, 0, "a"), arguments.span));
  const bool product = arguments.name.ends_with("prod");
  const ir::DType type = type_of(stager, operand);
  PW_TRY(const Value numbers, unary_of(stager, operand, type, arguments.span, [&](ir::ExprId v) {
           return without_nan(stager, v, product ? 1.0 : 0.0, type);
         }));
  return delegated(stager, arguments, product ? "numpy.cumprod" : "numpy.cumsum", numbers);
}

}  // namespace pw::numpy::functions
