// Whether a kernel must agree with NumPy bit for bit.
//
// Exact: real + - * / sqrt, rounding, remainders, comparisons, casts, integers, max and min, sequential
// reductions. Not exact: complex * / abs sqrt, pow and the transcendental functions (NumPy's own exp differs
// from libm on 5 % of values), float sums and products that may be reassociated.
#pragma once

#include <optional>
#include <string>

#include "ir/module.h"

namespace pw::verify {

/// Why the module is not exact ("exp", "sum in any order", "complex mul"); nullopt if it is. Looks at
/// statements that the module's functions reach.
std::optional<std::string> why_inexact(const ir::Module& module);

/// The same for one op on operands of `type`.
bool is_exact(ir::Op op, ir::DType type);

}  // namespace pw::verify
