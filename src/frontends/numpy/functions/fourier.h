// The discrete Fourier transform as a library routine, for all of numpy.fft.
#pragma once

#include <span>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

/// Which way: the sign of the exponent.
enum class Direction : std::int8_t { Forward = -1, Inverse = 1 };

/// The transform of an array along some of its axes, one after the other, unscaled, as complex `type`. No
/// axis is empty (checked before).
Array transform(Stager& stager, const Array& array, std::span<const std::size_t> axes, Direction direction,
                ir::DType type);

/// The function of the module that is ir::Routine::Fft.
ir::FunctionId fft_routine(Stager& stager);

}  // namespace pw::numpy::functions
