// Python's arithmetic on numbers that are known while staging.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "frontends/numpy/value.h"
#include "frontends/python/ast.h"

namespace pw::numpy {

class Stager;

/// An int or bool as an int; those and a float as a float; all of them as a complex number.
std::optional<std::int64_t> static_int(const Value& value);
std::optional<double> static_float(const Value& value);
std::optional<std::complex<double>> static_complex(const Value& value);

/// No: left to run time. Overflow: beyond int64. ZeroDivision: always raises.
enum class Folded : std::uint8_t { No, Yes, Overflow, ZeroDivision };

/// `out` is set where the answer is Yes.
Folded fold_numbers(python::Operator op, const Value& left, const Value& right, Value& out);

/// Where a run-time int that no double holds would meet one, the port declines: Python divides ints, and
/// compares them with floats, exactly.
void require_exact_double(Stager& stager, ir::ExprId number);

}  // namespace pw::numpy
