// Running sums and products, ufunc.accumulate, differences, norms.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.cumsum.html, numpy.linalg.norm.html
#include <cmath>
#include <limits>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

/// out[..., i, ...] = op(out[..., i-1, ...], array[..., i, ...]) along one axis, in order.
Array scan(Stager& stager, const Array& array, std::size_t axis, ir::DType type, ir::Op op) {
  const Array out = stager.allocate(array.shape, type);
  std::vector<ir::ExtentId> outer = array.shape;
  const ir::ExtentId length = outer[axis];
  outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(axis));
  stager.map_over(outer, [&](const Indices& at) {
    // From a neutral element the first value comes out as it is: -0.0 + x and 1 * x are x for every real x.
    const bool real = !ir::is_complex(type);
    const bool neutral = real && (op == ir::Op::Add || op == ir::Op::Mul);
    const ir::ExprId start = ir::is_float(type) && op == ir::Op::Add
                                 ? stager.real(-0.0, type)
                                 : stager.cast(stager.integer(op == ir::Op::Mul ? 1 : 0), type);
    const ir::LocalId running = stager.declare_variable("running", type, start);
    const ir::ExtentId shape[] = {length};
    stager.for_over(shape, [&](const Indices& along) {
      Indices where = at;
      where.insert(where.begin() + static_cast<std::ptrdiff_t>(axis), along[0]);
      const ir::ExprId before = stager.module.add(ir::Read{running}, stager.here());
      const ir::ExprId next = stager.cast(stager.load(array, where), type);
      ir::ExprId joined = stager.apply(op, {before, next});
      if (!neutral) {
        const ir::ExprId first = stager.apply(ir::Op::Eq, {stager.index(along[0]), stager.integer(0)});
        joined = stager.apply(ir::Op::Select, {first, next, joined});
      }
      stager.emit(ir::Assign{running, joined});
      stager.store(out, where, stager.module.add(ir::Read{running}, stager.here()));
    });
  });
  return out;
}

ir::DType scan_type(ir::DType type, ir::Op op) {
  if (op != ir::Op::Add && op != ir::Op::Mul) return type;
  if (type == ir::DType::Bool || ir::kind(type) == ir::DTypeKind::Int) return ir::DType::I64;
  return ir::kind(type) == ir::DTypeKind::UInt ? ir::DType::U64 : type;
}

Result<Value> reduce_with(Stager& stager, const Arguments& arguments, const Array& array, FunctionBody body,
                          std::string_view name) {
  Arguments call;
  call.name = name;
  call.span = arguments.span;
  call.positional.push_back(value(array));
  for (const auto& [position, keyword] :
       {std::pair<std::size_t, std::string_view>{2, "axis"}, {3, "keepdims"}}) {
    if (const Value* found = given(arguments, position, keyword)) call.keywords.emplace_back(keyword, *found);
  }
  return body(stager, call);
}

}  // namespace

/// cumsum and cumprod, over the flattened array where no axis is given.
Result<Value> cumulative(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  const ir::Op op = arguments.name.ends_with("cumprod") ? ir::Op::Mul : ir::Op::Add;
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const Value* axis_given = given(arguments, 1, "axis");
  array = at_least_rank(stager, array, 1);
  if (axis_given == nullptr) {
    PW_TRY(array, flattened(stager, array, arguments.span));
  }
  PW_TRY(const std::int64_t axis_raw, int_argument(stager, arguments, 1, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, axis_raw, array.shape.size(), arguments.span));
  const ir::DType type = asked.value_or(scan_type(stager.type_of(array), op));
  return deliver(stager, arguments, 3, value(scan(stager, array, axis, type, op)));
}

Result<Value> ufunc_accumulate(Stager& stager, const Arguments& arguments) {
  const std::optional<ir::Op> op = ufunc_op(arguments.name.substr(0, arguments.name.rfind('.')));
  const bool known = op == ir::Op::Add || op == ir::Op::Mul || op == ir::Op::Maximum || op == ir::Op::Minimum;
  if (!known) {
    return unsupported(stager, arguments, "of this function",
                       "use add, multiply, maximum, minimum or a loop");
  }
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "array"), std::nullopt, arguments.span));
  PW_TRY(const std::int64_t axis_raw, int_argument(stager, arguments, 1, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, axis_raw, array.shape.size(), arguments.span));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 2));
  const ir::DType type = asked.value_or(scan_type(stager.type_of(array), *op));
  return deliver(stager, arguments, 3, value(scan(stager, array, axis, type, *op)));
}

/// a[i+1] - a[i] along an axis, n times; of bools, whether they differ.
Result<Value> difference(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_TRY(const std::int64_t times, int_argument(stager, arguments, 1, "n", 1));
  PW_TRY(const std::int64_t axis_raw, int_argument(stager, arguments, 2, "axis", -1));
  PW_TRY(const std::size_t axis, normal_axis(stager, axis_raw, array.shape.size(), arguments.span));
  if (times < 0) return bad_call(stager, arguments, "with a negative n");
  const ir::Op op = stager.type_of(array) == ir::DType::Bool ? ir::Op::Ne : ir::Op::Sub;
  Value out = value(array);
  for (std::int64_t n = 0; n < times; ++n) {
    const Array each = *out.as<Array>();
    const ir::ExtentId shorter = stager.extents().add(each.shape[axis], stager.size(-1));
    const std::vector<Value> both = {value(window(stager, each, axis, stager.size(1), shorter)),
                                     value(window(stager, each, axis, stager.size(0), shorter))};
    PW_TRY(out, stager.ufunc(op, both, arguments.span));
  }
  return out;
}

/// Norms of vectors (2, 1, inf, -inf, 0, any p) along an axis, of all elements, and Frobenius of matrices.
Result<Value> norm(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "x"), std::nullopt, arguments.span));
  if (!ir::is_float(stager.type_of(array)) && !ir::is_complex(stager.type_of(array))) {
    array = stager.copy(array, ir::DType::F64);
  }
  const ir::DType part = ir::real_of(stager.type_of(array));
  const Value* axis = given(arguments, 2, "axis");
  const Value* order = given(arguments, 1, "ord");
  const std::vector<Value>* axes = axis == nullptr ? nullptr : sequence_items(*axis);
  const std::size_t folded = axis == nullptr ? array.shape.size() : axes == nullptr ? 1 : axes->size();
  double p = 2;
  if (order != nullptr) {
    const auto* text = order->as<std::string>();
    const auto* whole = order->as<std::int64_t>();
    const auto* real = order->as<double>();
    const bool frobenius = text != nullptr && *text == "fro" && folded == 2;
    if (!frobenius && folded != 1) {
      return unsupported(stager, arguments, "of a matrix with this ord", "use ord='fro', or sums of np.abs");
    }
    if (!frobenius && whole == nullptr && real == nullptr)
      return bad_call(stager, arguments, "with this ord");
    if (whole != nullptr) p = static_cast<double>(*whole);
    if (real != nullptr) p = *real;
  }
  const auto each = [&](const std::function<ir::ExprId(ir::ExprId)>& body) -> Result<Array> {
    PW_TRY(const Value made, unary_of(stager, value(array), part, arguments.span, body));
    return stager.to_array(made, std::nullopt, arguments.span);
  };
  const auto modulus = [&](ir::ExprId v) { return stager.apply(ir::Op::Abs, {v}); };
  if (std::isinf(p)) {
    PW_TRY(const Array sizes, each(modulus));
    return reduce_with(stager, arguments, sizes, extreme, p > 0 ? "numpy.max" : "numpy.min");
  }
  if (p == 1) {
    PW_TRY(const Array sizes, each(modulus));
    return reduce_with(stager, arguments, sizes, sum, "numpy.sum");
  }
  if (p == 0) {
    PW_TRY(const Array flags,
           each([&](ir::ExprId v) { return stager.cast(stager.cast(v, ir::DType::Bool), part); }));
    return reduce_with(stager, arguments, flags, sum, "numpy.sum");
  }
  PW_TRY(const Array powers, each([&](ir::ExprId v) {
           if (p != 2) return stager.apply(ir::Op::Pow, {modulus(v), stager.real(p, part)});
           if (!ir::is_complex(stager.module.type(v))) return stager.apply(ir::Op::Mul, {v, v});
           const ir::ExprId re = stager.apply(ir::Op::Real, {v});
           const ir::ExprId im = stager.apply(ir::Op::Imag, {v});
           return stager.apply(ir::Op::Add,
                               {stager.apply(ir::Op::Mul, {re, re}), stager.apply(ir::Op::Mul, {im, im})});
         }));
  PW_TRY(const Value total, reduce_with(stager, arguments, powers, sum, "numpy.sum"));
  return unary_of(stager, total, part, arguments.span, [&](ir::ExprId v) {
    if (p == 2) return stager.apply(ir::Op::Sqrt, {v});
    return stager.apply(ir::Op::Pow, {v, stager.real(1.0 / p, part)});
  });
}

}  // namespace pw::numpy::functions
