// What a port leaves to a LAPACK: systems of equations, Cholesky factors, eigenvalues, least squares.
#pragma once

#include <set>
#include <string>

#include "backends/c/function.h"
#include "runtime/recipe.h"

namespace pw::backends::c {

/// LAPACKE over OpenBLAS, or any other library with the C interface of a LAPACK.
const runtime::Library& lapack();

/// Functions that a LAPACK helps: its call can fail for want of memory.
std::set<ir::FunctionId> lapack_functions(const ir::Module& module);

/// Lines at the top of such a function, which do the work and leave it where the sizes are worth a call.
std::string lapack_lines(Port& port, ir::FunctionId id);

}  // namespace pw::backends::c
