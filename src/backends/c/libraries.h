// What a port leaves to libraries: products of matrices to a BLAS, Fourier transforms to FFTW.
#pragma once

#include <string>

#include "backends/c/function.h"
#include "runtime/recipe.h"

namespace pw::backends::c {

/// OpenBLAS, or any other library with the C interface of a BLAS.
const runtime::Library& blas();
/// GPL: linked only where a user asks for it.
const runtime::Library& fftw();

/// The text of a function that is ir::Routine::Fft, by FFTW.
std::string fftw_function(Port& port, ir::FunctionId id);

/// Whether a BLAS takes the sizes, as a condition.
std::string blas_condition(Port& port, Expressions& expr, const passes::Contraction& product);
/// The call that does one product of a batch.
std::string blas_call(Port& port, Expressions& expr, const passes::Contraction& product);

}  // namespace pw::backends::c
