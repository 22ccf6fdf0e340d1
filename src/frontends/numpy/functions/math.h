// What the parts of Python's math module share.
#pragma once

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

/// A number that is known while staging, as a float.
std::optional<double> static_real(const Value& v);
/// A Python float at run time, bound to a local unless it is one, or a constant, already.
Result<ir::ExprId> float_argument(Stager& stager, const Arguments& arguments, const Value& v);

}  // namespace pw::numpy::functions
