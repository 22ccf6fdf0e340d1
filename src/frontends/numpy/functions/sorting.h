// Sorting in O(n log n): what sort, argsort, lexsort, unique, median and percentile share.
#pragma once

#include <optional>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

/// NumPy's order of two keys of one dtype: NaN comes after every number.
ir::ExprId comes_before(Stager& stager, ir::ExprId a, ir::ExprId b);

/// Sorts a vector of keys in place, equal ones staying in their order; `places`, of its length, is moved
/// along.
void sort_vector(Stager& stager, const Array& keys, const std::optional<Array>& places);

/// The places of a vector's elements in sorted order; equal ones stay in their order.
Array sorted_places(Stager& stager, const Array& vector);

/// Runs `body` for each vector along an axis, data-parallel, with what makes a place along it an index.
using AlongAxis = std::function<Indices(ir::ExtentId along)>;
void for_vectors(Stager& stager, const Array& array, std::size_t axis,
                 const std::function<void(const AlongAxis& at)>& body);

/// A new array, sorted along an axis.
Array sorted_along(Stager& stager, const Array& array, std::size_t axis);

/// Refuses complex numbers, whose order is that of pairs.
Result<Done> require_ordered(Stager& stager, const Arguments& arguments, const Array& array);

/// How many of n sorted elements come before a key (`right`: or equal it), by bisection (searching.cc).
using ElementAt = std::function<ir::ExprId(ir::ExtentId at)>;
ir::ExprId bisect(Stager& stager, ir::ExtentId n, ir::ExprId key, bool right, const ElementAt& element);

}  // namespace pw::numpy::functions
