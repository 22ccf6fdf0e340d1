// Discrete Fourier transforms along axes.
// Source: https://numpy.org/doc/stable/reference/routines.fft.html
#include "frontends/numpy/functions/fourier.h"

#include "base/check.h"
#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

namespace {

Result<std::vector<std::size_t>> transformed_axes(Stager& stager, const Arguments& arguments,
                                                  std::size_t rank) {
  const bool one = arguments.name.ends_with(".fft") || arguments.name.ends_with(".ifft");
  if (one) {
    PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 2, "axis", -1));
    PW_TRY(const std::size_t axis, normal_axis(stager, raw, rank, arguments.span));
    return std::vector{axis};
  }
  const Value* axes = given(arguments, 2, "axes");
  const bool two = arguments.name.ends_with("fft2");
  if (axes == nullptr && two) {
    if (rank < 2) return stager.engine.report(Rule::NumpyAxisRange, arguments.span, -2, rank);
    return std::vector{rank - 2, rank - 1};
  }
  return stager.to_axes(axes, rank, arguments.span);
}

}  // namespace

Array transform(Stager& stager, const Array& array, std::span<const std::size_t> axes, Direction direction,
                ir::DType type) {
  ir::ExtentTable& table = stager.extents();
  const Array work = in_a_row(stager, array, ir::DType::C128);
  for (const std::size_t axis : axes) {
    ir::ExtentId outer = stager.size(1);
    ir::ExtentId inner = stager.size(1);
    for (std::size_t k = 0; k < array.shape.size(); ++k) {
      const ir::ExtentId extent = stager.clamped(array.shape[k]);
      if (k < axis) outer = table.multiply(outer, extent);
      if (k > axis) inner = table.multiply(inner, extent);
    }
    const ir::ExtentId sign = stager.size(static_cast<std::int64_t>(direction));
    const RoutineArgument arguments[] = {outer, stager.clamped(array.shape[axis]), inner, sign, work};
    call_routine(stager, fft_routine(stager), arguments);
  }
  const bool same = type == ir::DType::C128 && array.shape.size() == 1;
  return same ? work : stager.copy(work, type);
}

/// fft, ifft, fft2, ifft2, fftn, ifftn; float32 and complex64 give complex64, all else complex128. An empty
/// axis raises ValueError.
Result<Value> fourier(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  const ir::DType own = stager.type_of(array);
  const bool single = own == ir::DType::F32 || own == ir::DType::C64;
  const ir::DType type = single ? ir::DType::C64 : ir::DType::C128;
  const bool inverse = arguments.name.find(".ifft") != std::string_view::npos;
  PW_TRY(const std::string norm, text_argument(stager, arguments, 3, "norm", "backward"));
  const bool known = norm == "backward" || norm == "ortho" || norm == "forward";
  if (!known) return bad_call(stager, arguments, "with norm other than backward, ortho or forward");
  PW_TRY(const std::vector<std::size_t> axes, transformed_axes(stager, arguments, array.shape.size()));
  ir::ExtentId count = stager.size(1);
  for (const std::size_t axis : axes) {
    const ir::ExtentId extent = array.shape[axis];
    if (!stager.proves_nonnegative(stager.extents().add(extent, stager.size(-1)))) {
      stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(extent), stager.integer(1)}),
                     ir::TrapKind::ValueError, "a transform of no points");
    }
    count = stager.extents().multiply(count, extent);
  }
  array = transform(stager, array, axes, inverse ? Direction::Inverse : Direction::Forward, type);
  const bool scaled = norm == "ortho" || (norm == "backward") == inverse;
  if (!scaled) return value(array);
  const ir::DType part = ir::real_of(type);
  ir::ExprId divisor = stager.cast(stager.index(count), part);
  if (norm == "ortho") divisor = stager.apply(ir::Op::Sqrt, {divisor});
  const ir::ExprId bound = stager.module.add(ir::Read{stager.let(divisor)}, stager.here());
  return unary_of(stager, value(array), type, arguments.span, [&](ir::ExprId v) {
    return stager.apply(ir::Op::Complex,
                        {stager.apply(ir::Op::Div, {stager.apply(ir::Op::Real, {v}), bound}),
                         stager.apply(ir::Op::Div, {stager.apply(ir::Op::Imag, {v}), bound})});
  });
}

}  // namespace pw::numpy::functions
