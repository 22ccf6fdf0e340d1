// Transforms of real numbers, by the complex one, and the order of frequencies.
// Source: https://numpy.org/doc/stable/reference/routines.fft.html
#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

struct Transformed {
  Array array;
  std::size_t axis;
  std::vector<std::pair<std::string, Value>> keywords;  // axis and norm of the complex transform
};

Result<Transformed> transformed(Stager& stager, const Arguments& arguments) {
  Transformed out;
  PW_TRY(out.array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  if (out.array.shape.empty()) return bad_call(stager, arguments, "of a number");
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 2, "axis", -1));
  PW_TRY(out.axis, normal_axis(stager, raw, out.array.shape.size(), arguments.span));
  out.keywords = {{"axis", value(raw)}};
  if (const Value* norm = given(arguments, 3, "norm")) out.keywords.emplace_back("norm", *norm);
  return out;
}

/// n=, or what it is where it is not given; ValueError below 1.
Result<ir::ExtentId> points(Stager& stager, const Arguments& arguments, ir::ExtentId otherwise) {
  const Value* given_points = given(arguments, 1, "n");
  PW_TRY(const ir::ExtentId n, given_points == nullptr ? Result<ir::ExtentId>(otherwise)
                                                       : stager.to_extent(*given_points, arguments.span));
  if (!stager.proves_nonnegative(stager.extents().add(n, stager.size(-1)))) {
    stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(n), stager.integer(1)}), ir::TrapKind::ValueError,
                   "Invalid number of FFT data points");
  }
  return n;
}

/// The element at a place along an axis, or zero behind its end.
ir::ExprId element_or_zero(Stager& stager, const Array& array, std::size_t axis, Indices at,
                           ir::ExtentId place, ir::DType type) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId extent = array.shape[axis];
  const ir::ExtentId last = table.add(extent, stager.size(-1));
  const bool inside = stager.proves_nonnegative(table.subtract(last, place));
  at[axis] = inside ? place : table.apply(ir::ExtentOp::Min, place, last);
  const ir::ExprId here = stager.cast(stager.load(array, at), type);
  if (inside) return here;
  const ir::ExprId there = stager.apply(ir::Op::Lt, {stager.index(place), stager.index(extent)});
  return stager.apply(ir::Op::Select, {there, here, stager.cast(stager.integer(0), type)});
}

ir::DType complex_type(ir::DType type) {
  return type == ir::DType::F32 || type == ir::DType::C64 ? ir::DType::C64 : ir::DType::C128;
}

}  // namespace

/// The first n//2 + 1 of the transform of n real numbers, cut or filled with zeros to n.
Result<Value> real_fourier(Stager& stager, const Arguments& arguments) {
  PW_TRY(Transformed what, transformed(stager, arguments));
  const ir::DType own = stager.type_of(what.array);
  if (ir::is_complex(own)) return bad_call(stager, arguments, "of complex numbers");
  PW_TRY(const ir::ExtentId n, points(stager, arguments, what.array.shape[what.axis]));
  Array source = what.array;
  if (n != source.shape[what.axis]) {
    std::vector<ir::ExtentId> shape = source.shape;
    shape[what.axis] = n;
    source = stager.define(shape, own, [&](const Indices& at) {
      return element_or_zero(stager, what.array, what.axis, at, at[what.axis], own);
    });
  }
  PW_TRY(const Value whole,
         call_row(stager, arguments.span, "numpy.fft.fft", {value(source)}, what.keywords));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId half = table.add(table.apply(ir::ExtentOp::FloorDiv, n, stager.size(2)), stager.size(1));
  const Array part = window(stager, *whole.as<Array>(), what.axis, stager.size(0), half);
  return value(stager.copy(part, stager.type_of(part)));
}

/// n real numbers from the first n//2 + 1 of their transform; n is 2 (m - 1) of m values where it is not
/// given. Of the first value, and of the middle one, only the real part counts.
Result<Value> inverse_real_fourier(Stager& stager, const Arguments& arguments) {
  PW_TRY(Transformed what, transformed(stager, arguments));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId m = what.array.shape[what.axis];
  PW_TRY(const ir::ExtentId n, points(stager, arguments, table.scale(table.add(m, stager.size(-1)), 2)));
  const ir::DType type = complex_type(stager.type_of(what.array));
  std::vector<ir::ExtentId> shape = what.array.shape;
  shape[what.axis] = n;
  const Array whole = stager.define(shape, type, [&](const Indices& at) {
    const ir::ExtentId k = at[what.axis];
    const ir::ExtentId mirrored = table.subtract(n, k);
    const ir::ExtentId place = place_within(
        stager, stager.apply(ir::Op::Minimum, {stager.index(k), stager.index(mirrored)}),
        table.add(table.apply(ir::ExtentOp::FloorDiv, n, stager.size(2)), stager.size(1)), "place");
    const ir::ExprId here = kept(stager, element_or_zero(stager, what.array, what.axis, at, place, type));
    const ir::ExprId zero = stager.real(0.0, ir::real_of(type));
    const ir::ExprId real = stager.apply(ir::Op::Real, {here});
    const ir::ExprId own_mirror =
        stager.apply(ir::Op::Or, {stager.apply(ir::Op::Eq, {stager.index(k), stager.integer(0)}),
                                  stager.apply(ir::Op::Eq, {stager.index(k), stager.index(mirrored)})});
    const ir::ExprId behind = stager.apply(ir::Op::Gt, {stager.index(k), stager.index(mirrored)});
    const ir::ExprId turned =
        stager.apply(ir::Op::Select, {behind, stager.apply(ir::Op::Conj, {here}), here});
    return stager.apply(ir::Op::Select, {own_mirror, stager.apply(ir::Op::Complex, {real, zero}), turned});
  });
  PW_TRY(const Value out, call_row(stager, arguments.span, "numpy.fft.ifft", {value(whole)}, what.keywords));
  return unary_of(stager, out, ir::real_of(type), arguments.span,
                  [&](ir::ExprId v) { return stager.apply(ir::Op::Real, {v}); });
}

namespace {

struct Frequencies {
  ir::ExtentId n;
  ir::ExprId scale;  // 1/(n*d), as NumPy multiplies by it
};

Result<Frequencies> frequencies(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExtentId n, stager.to_extent(required(arguments, 0, "n"), arguments.span));
  const Value* spacing = given(arguments, 1, "d");
  const std::optional<Scalar> width = stager.as_scalar(spacing == nullptr ? value(1.0) : *spacing);
  if (!width) return bad_call(stager, arguments, "with d other than a number");
  const ir::ExprId length = stager.cast(stager.index(n), ir::DType::F64);
  const ir::ExprId product = stager.apply(ir::Op::Mul, {length, stager.cast(width->expr, ir::DType::F64)});
  return Frequencies{n, kept(stager, stager.apply(ir::Op::Div, {stager.real(1.0, ir::DType::F64), product}))};
}

}  // namespace

/// [0, 1, ..., (n-1)//2, -(n//2), ..., -1] / (d*n), as NumPy multiplies by 1/(n*d).
Result<Value> fft_frequencies(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Frequencies of, frequencies(stager, arguments));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId half = table.add(
      table.apply(ir::ExtentOp::FloorDiv, table.add(of.n, stager.size(-1)), stager.size(2)), stager.size(1));
  return value(stager.define({of.n}, ir::DType::F64, [&](const Indices& at) {
    const ir::ExprId low = stager.apply(ir::Op::Lt, {stager.index(at[0]), stager.index(half)});
    const ir::ExprId position =
        stager.apply(ir::Op::Select, {low, stager.index(at[0]), stager.index(table.subtract(at[0], of.n))});
    return stager.apply(ir::Op::Mul, {stager.cast(position, ir::DType::F64), of.scale});
  }));
}

/// [0, 1, ..., n//2] / (d*n), as NumPy multiplies by 1/(n*d).
Result<Value> real_frequencies(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Frequencies of, frequencies(stager, arguments));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId count =
      table.add(table.apply(ir::ExtentOp::FloorDiv, of.n, stager.size(2)), stager.size(1));
  return value(stager.define({count}, ir::DType::F64, [&](const Indices& at) {
    return stager.apply(ir::Op::Mul, {stager.cast(stager.index(at[0]), ir::DType::F64), of.scale});
  }));
}

/// fftshift rolls the zero frequency to the middle of each axis, ifftshift back.
Result<Value> shift_frequencies(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "x"), std::nullopt, arguments.span));
  PW_TRY(const std::vector<std::size_t> axes,
         stager.to_axes(arguments.find(1, "axes"), array.shape.size(), arguments.span));
  const bool back = arguments.name == "numpy.fft.ifftshift";
  Tuple shifts;
  Tuple which;
  for (const std::size_t axis : axes) {
    ir::ExtentTable& table = stager.extents();
    const ir::ExtentId half =
        table.apply(ir::ExtentOp::FloorDiv, stager.clamped(array.shape[axis]), stager.size(2));
    shifts.items.push_back(stager.from_extent(back ? table.scale(half, -1) : half));
    which.items.push_back(value(static_cast<std::int64_t>(axis)));
  }
  return call_row(stager, arguments.span, "numpy.roll", {value(array), value(shifts), value(which)});
}

}  // namespace pw::numpy::functions
