// Differences, slopes and integrals along axes: ediff1d, gradient, trapezoid, interp.
// Source: https://numpy.org/doc/stable/reference/routines.math.html, numpy.interp.html
#include "base/check.h"
#include "frontends/numpy/functions/formula.h"
#include "frontends/numpy/functions/sorting.h"

namespace pw::numpy::functions {

/// Differences of the flattened array, between what is put before and behind them, in the array's dtype.
Result<Value> edge_differences(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array raw, stager.to_array(required(arguments, 0, "ary"), std::nullopt, arguments.span));
  PW_TRY(const Array flat, flattened(stager, at_least_rank(stager, raw, 1), arguments.span));
  const ir::DType type = stager.type_of(flat);
  const ir::ExtentId shorter = stager.extents().add(flat.shape[0], stager.size(-1));
  const std::vector<Value> both = {value(window(stager, flat, 0, stager.size(1), shorter)),
                                   value(window(stager, flat, 0, stager.size(0), shorter))};
  PW_TRY(const Value middle, stager.ufunc(ir::Op::Sub, both, arguments.span));
  std::vector<Value> parts = {middle};
  for (const auto& [position, keyword] :
       {std::pair<std::size_t, std::string_view>{1, "to_end"}, {2, "to_begin"}}) {
    const Value* extra = given(arguments, position, keyword);
    if (extra == nullptr) continue;
    PW_TRY(const Array edge, stager.to_array(*extra, std::nullopt, arguments.span));
    if (ir::promote(stager.type_of(edge), type) != type) {
      return unsupported(stager, arguments, "with edges of a wider dtype", "cast them to the array's dtype");
    }
    PW_TRY(const Array ends, flattened(stager, at_least_rank(stager, edge, 1), arguments.span));
    parts.insert(position == 1 ? parts.end() : parts.begin(), value(stager.copy(ends, type)));
  }
  return call_row(stager, arguments.span, "numpy.concatenate", {value(Tuple{std::move(parts)})});
}

namespace {

/// Slices of the array whose differences are taken along an axis, and of their result.
struct Along {
  Stager& stager;
  base::Span span;
  std::size_t axis;
  Array f;
  Array out;

  ir::ExtentId length() const { return f.shape[axis]; }
  ir::ExtentId inner() const { return stager.extents().add(length(), stager.size(-2)); }
  Term term(Value v) const { return {&stager, span, std::move(v)}; }
  Term number(double v) const { return term(value(v)); }
  /// f[from:from + length - 2]
  Term run(std::int64_t from) const {
    return term(value(window(stager, f, axis, stager.size(from), inner())));
  }
  /// One place along the axis, counted from the end where it is negative.
  Array place(const Array& array, std::int64_t at) const {
    const ir::ExtentId k = at < 0 ? stager.extents().add(length(), stager.size(at)) : stager.size(at);
    return stager.drop_axis(window(stager, array, axis, k, stager.size(1)), axis);
  }
  Term at(std::int64_t k) const { return term(value(place(f, k))); }
  Result<Done> set_inner(const Term& to) const {
    if (!to.result) return tl::unexpected(to.result.error());
    return stager.assign(window(stager, out, axis, stager.size(1), inner()), *to.result, span);
  }
  Result<Done> set(std::int64_t k, const Term& to) const {
    if (!to.result) return tl::unexpected(to.result.error());
    return stager.assign(place(out, k), *to.result, span);
  }
};

/// Points at equal distances h.
Result<Done> even_slopes(const Along& x, const Value& spacing, std::int64_t edge_order) {
  const Term h = x.term(spacing);
  const auto n = [&](double v) { return x.number(v); };
  PW_CHECK_OK(x.set_inner((x.run(2) - x.run(0)) / (n(2.0) * h)));
  if (edge_order == 1) {
    PW_CHECK_OK(x.set(0, (x.at(1) - x.at(0)) / h));
    return x.set(-1, (x.at(-1) - x.at(-2)) / h);
  }
  PW_CHECK_OK(x.set(0, n(-1.5) / h * x.at(0) + n(2.0) / h * x.at(1) + n(-0.5) / h * x.at(2)));
  return x.set(-1, n(0.5) / h * x.at(-3) + n(-2.0) / h * x.at(-2) + n(1.5) / h * x.at(-1));
}

/// Points at the given gaps, one fewer than points.
Result<Done> uneven_slopes(const Along& x, const Array& gaps, std::int64_t edge_order) {
  Stager& stager = x.stager;
  const auto shaped = [&](Array part) {
    while (part.shape.size() < x.f.shape.size() - x.axis) part = stager.insert_axis(part, part.shape.size());
    return x.term(value(std::move(part)));
  };
  const Term before = shaped(window(stager, gaps, 0, stager.size(0), x.inner()));
  const Term behind = shaped(window(stager, gaps, 0, stager.size(1), x.inner()));
  const Term both = before + behind;
  const Term a = -behind / (before * both);
  const Term b = (behind - before) / (before * behind);
  const Term c = before / (behind * both);
  PW_CHECK_OK(x.set_inner(a * x.run(0) + b * x.run(1) + c * x.run(2)));
  const auto gap = [&](std::int64_t k) {
    const ir::ExtentId at = k < 0 ? stager.extents().add(gaps.shape[0], stager.size(k)) : stager.size(k);
    return x.term(stager.strong(kept(stager, stager.load(gaps, {at}))));
  };
  if (edge_order == 1) {
    PW_CHECK_OK(x.set(0, (x.at(1) - x.at(0)) / gap(0)));
    return x.set(-1, (x.at(-1) - x.at(-2)) / gap(-1));
  }
  const Term p = gap(0);
  const Term q = gap(1);
  const Term two = x.number(2.0);
  PW_CHECK_OK(x.set(0, -(two * p + q) / (p * (p + q)) * x.at(0) + (p + q) / (p * q) * x.at(1) +
                           -p / (q * (p + q)) * x.at(2)));
  const Term r = gap(-2);
  const Term s = gap(-1);
  return x.set(-1, s / (r * (r + s)) * x.at(-3) + -(s + r) / (r * s) * x.at(-2) +
                       (two * s + r) / (s * (r + s)) * x.at(-1));
}

/// Slopes along one axis, `spacing` being a distance or the coordinates of the points.
Result<Array> slopes(Stager& stager, const Arguments& arguments, const Array& f, std::size_t axis,
                     const Value& spacing, std::int64_t edge_order) {
  const ir::ExtentId n = f.shape[axis];
  if (!stager.proves_nonnegative(stager.extents().add(n, stager.size(-edge_order - 1)))) {
    stager.trap_if(stager.apply(ir::Op::Le, {stager.index(n), stager.integer(edge_order)}),
                   ir::TrapKind::ValueError, "Shape of array too small to calculate a numerical gradient");
  }
  const Along x{stager, arguments.span, axis, f, stager.allocate(f.shape, stager.type_of(f))};
  const auto* coordinates = spacing.as<Array>();
  if (coordinates == nullptr || coordinates->shape.empty()) {
    PW_CHECK_OK(even_slopes(x, spacing, edge_order));
    return x.out;
  }
  if (coordinates->shape.size() != 1)
    return bad_call(stager, arguments, "with coordinates that are no vector");
  PW_CHECK_OK(stager.require_equal(n, coordinates->shape[0], arguments.span));
  const ir::DType own = stager.type_of(*coordinates);
  const Array points = ir::is_integer(own) ? stager.copy(*coordinates, ir::DType::F64) : *coordinates;
  PW_TRY(const Value differences, call_row(stager, arguments.span, "numpy.diff", {value(points)}));
  const Array gaps = *differences.as<Array>();
  // Equal gaps are one distance, whose formula rounds otherwise.
  const ir::ExprId first = kept(stager, stager.load(gaps, {stager.size(0)}));
  const ir::ExprId even = stager.fold(
      gaps.shape, ir::ReduceOp::All, ir::DType::Bool, ir::ReduceOrder::Any,
      [&](const Indices& at) { return stager.apply(ir::Op::Eq, {stager.load(gaps, at), first}); });
  PW_TRY(const ir::BlockId same,
         stager.try_block([&] { return even_slopes(x, stager.strong(first), edge_order); }));
  PW_TRY(const ir::BlockId other, stager.try_block([&] { return uneven_slopes(x, gaps, edge_order); }));
  stager.emit(ir::If{even, same, other});
  return x.out;
}

}  // namespace

/// Central differences inside, one-sided ones of first or second order at the edges; an array an axis.
Result<Value> gradient(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array f, stager.to_array(required(arguments, 0, "f"), std::nullopt, arguments.span));
  const ir::DType own = stager.type_of(f);
  if (own == ir::DType::Bool)
    return stager.engine.report(Rule::NumpyOpType, arguments.span, "gradient", "bool");
  if (ir::is_integer(own)) f = stager.copy(f, ir::DType::F64);
  const Value* axis = given(arguments, 99, "axis");
  PW_TRY(const std::vector<std::size_t> axes, stager.to_axes(axis, f.shape.size(), arguments.span));
  PW_TRY(const std::int64_t edge_order, int_argument(stager, arguments, 99, "edge_order", 1));
  if (edge_order != 1 && edge_order != 2) return bad_call(stager, arguments, "with this edge_order");
  if (axes.empty()) return bad_call(stager, arguments, "with a number");
  std::vector<Value> spacings(axes.size(), value(1.0));
  const std::size_t count = arguments.positional.size() - 1;
  if (count != 0 && count != 1 && count != axes.size()) {
    return bad_call(stager, arguments, "with this number of spacings");
  }
  for (std::size_t k = 0; count != 0 && k < axes.size(); ++k) {
    PW_TRY(spacings[k], array_like(stager, arguments.positional[count == 1 ? 1 : 1 + k], arguments.span));
    if (count == 1 && axes.size() > 1 && spacings[k].is<Array>()) {
      return bad_call(stager, arguments, "with coordinates of one axis for several");
    }
  }
  Tuple out;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    PW_TRY(Array each, slopes(stager, arguments, f, axes[k], spacings[k], edge_order));
    out.items.push_back(value(std::move(each)));
  }
  return axes.size() == 1 ? out.items[0] : value(std::move(out));
}

/// The sum of the trapezoids between neighbours along an axis.
Result<Value> trapezoid(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const Array y, stager.to_array(required(arguments, 0, "y"), std::nullopt, span));
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 3, "axis", -1));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, y.shape.size(), span));
  const Value* width = given(arguments, 2, "dx");
  Value gaps = width == nullptr ? value(1.0) : *width;
  if (const Value* points = given(arguments, 1, "x")) {
    PW_TRY(const Array x, stager.to_array(*points, std::nullopt, span));
    const bool vector = x.shape.size() == 1;
    const std::int64_t along = vector ? 0 : raw;
    PW_TRY(gaps, call_row(stager, span, "numpy.diff", {value(x)}, {{"axis", value(along)}}));
    Array shaped = *gaps.as<Array>();
    while (vector && shaped.shape.size() < y.shape.size() - axis) {
      shaped = stager.insert_axis(shaped, shaped.shape.size());
    }
    gaps = value(std::move(shaped));
  }
  const ir::ExtentId shorter = stager.extents().add(y.shape[axis], stager.size(-1));
  const auto part = [&](std::int64_t from) {
    return Term{&stager, span, value(window(stager, y, axis, stager.size(from), shorter))};
  };
  const Term areas = Term{&stager, span, gaps} * (part(1) + part(0)) / Term{&stager, span, value(2.0)};
  if (!areas.result) return areas.result;
  return call_row(stager, span, "numpy.sum", {*areas.result}, {{"axis", value(raw)}});
}

namespace {

/// The line through the points `at` and `at` + 1 at x, as NumPy evaluates it from either end.
ir::ExprId on_line(Stager& stager, const Array& xp, const Array& fp, ir::ExtentId at, ir::ExprId x) {
  const auto binary = [&](ir::Op op, ir::ExprId a, ir::ExprId b) {
    return kept(stager, stager.apply(op, {a, b}));
  };
  const Indices here = {at};
  const Indices next = {stager.extents().add(at, stager.size(1))};
  const ir::ExprId x0 = kept(stager, stager.load(xp, here));
  const ir::ExprId x1 = kept(stager, stager.load(xp, next));
  const ir::ExprId f0 = kept(stager, stager.load(fp, here));
  const ir::ExprId f1 = kept(stager, stager.load(fp, next));
  const ir::ExprId slope = binary(ir::Op::Div, binary(ir::Op::Sub, f1, f0), binary(ir::Op::Sub, x1, x0));
  const auto from = [&](ir::ExprId start, ir::ExprId height) {
    return binary(ir::Op::Add, binary(ir::Op::Mul, slope, binary(ir::Op::Sub, x, start)), height);
  };
  const auto is_nan = [&](ir::ExprId v) { return stager.apply(ir::Op::IsNan, {v}); };
  const ir::ExprId left = from(x0, f0);
  const ir::ExprId right = from(x1, f1);
  const ir::ExprId flat = stager.apply(ir::Op::And, {is_nan(right), stager.apply(ir::Op::Eq, {f0, f1})});
  const ir::ExprId other = stager.apply(ir::Op::Select, {flat, f0, right});
  const ir::ExprId line = kept(stager, stager.apply(ir::Op::Select, {is_nan(left), other, left}));
  return stager.apply(ir::Op::Select, {stager.apply(ir::Op::Eq, {x, x0}), f0, line});
}

}  // namespace

/// The piecewise linear function through the points (xp, fp), xp rising; `left` and `right` beyond them.
Result<Value> interpolate(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  constexpr ir::DType kType = ir::DType::F64;
  PW_TRY(const Array xp, stager.to_array(required(arguments, 1, "xp"), kType, span));
  PW_TRY(const Array raw, stager.to_array(required(arguments, 2, "fp"), std::nullopt, span));
  if (ir::is_complex(stager.type_of(raw)))
    return unsupported(stager, arguments, "of complex numbers", "interpolate the parts");
  PW_TRY(const Array fp, stager.to_array(value(raw), kType, span));
  if (xp.shape.size() != 1 || fp.shape.size() != 1)
    return bad_call(stager, arguments, "with points that are no vectors");
  PW_CHECK_OK(stager.require_equal(xp.shape[0], fp.shape[0], span));
  const ir::ExtentId n = stager.clamped(xp.shape[0]);
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId last = table.add(n, stager.size(-1));
  if (!stager.proves_nonnegative(last)) {
    stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(n), stager.integer(1)}), ir::TrapKind::ValueError,
                   "array of sample points is empty");
  }
  const auto beyond = [&](std::size_t position, std::string_view keyword,
                          ir::ExtentId end) -> Result<ir::ExprId> {
    const Value* given_value = given(arguments, position, keyword);
    if (given_value == nullptr) return kept(stager, stager.load(fp, {end}));
    const std::optional<Scalar> scalar = stager.as_scalar(*given_value);
    if (!scalar) return bad_call(stager, arguments, "with left or right other than a number");
    return kept(stager, stager.cast(scalar->expr, kType));
  };
  PW_TRY(const ir::ExprId left, beyond(3, "left", stager.size(0)));
  PW_TRY(const ir::ExprId right, beyond(4, "right", last));
  PW_TRY(const Value x, array_like(stager, required(arguments, 0, "x"), span));
  if (ir::is_complex(type_of(stager, x))) return bad_call(stager, arguments, "at complex x");
  return elementwise_of(
      stager, std::span(&x, 1), std::span(&kType, 1), kType, span, [&](std::span<const ir::ExprId> v) {
        const ir::ExprId at = kept(stager, v[0]);
        const ir::ExprId through =
            bisect(stager, n, at, true, [&](ir::ExtentId k) { return stager.load(xp, {k}); });
        const ir::LocalId out = stager.declare_variable("height", kType, left);
        const auto set = [&](ir::ExprId to) { stager.emit(ir::Assign{out, to}); };
        const ir::BlockId inside = stager.block([&] {
          const ir::ExtentId segment =
              place_within(stager, stager.apply(ir::Op::Sub, {through, stager.integer(1)}), last, "segment");
          set(on_line(stager, xp, fp, segment, at));
        });
        const ir::BlockId at_end = stager.block([&] {
          const ir::ExprId on_last = stager.apply(ir::Op::Eq, {at, stager.load(xp, {last})});
          set(stager.apply(ir::Op::Select, {on_last, stager.load(fp, {last}), right}));
          set(stager.apply(ir::Op::Select, {stager.apply(ir::Op::IsNan, {at}), at,
                                            stager.module.add(ir::Read{out}, stager.here())}));
        });
        const ir::BlockId from_first = stager.block([&] {
          stager.emit(ir::If{stager.apply(ir::Op::Lt, {through, stager.index(n)}), inside, at_end});
        });
        stager.emit(
            ir::If{stager.apply(ir::Op::Gt, {through, stager.integer(0)}), from_first, stager.block([] {})});
        return stager.module.add(ir::Read{out}, stager.here());
      });
}

}  // namespace pw::numpy::functions
