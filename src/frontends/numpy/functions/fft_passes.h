// What a fast Fourier transform is made of: the factors of its length, its roots of unity, its passes. All
// work on real and imaginary parts apart, and always forward (exponent -1): the inverse is the same with the
// two parts exchanged.
#pragma once

#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

/// Real and imaginary parts, or cosines and sines.
struct Planes {
  Array re;
  Array im;
  Planes swapped() const { return {im, re}; }
};
Planes allocate_planes(Stager& stager, ir::ExtentId length, std::string_view re, std::string_view im);

constexpr std::int64_t kMostFactors = 64;
/// A length with a greater prime factor is not transformed by passes.
constexpr std::int64_t kGreatestFactor = 31;

/// The factors of `n` up to kGreatestFactor go into `radices`, fours first: how many, and what is left of n.
struct Factors {
  ir::ExtentId count;
  ir::ExtentId rest;
};
Factors find_factors(Stager& stager, ir::ExtentId n, const Array& radices);

/// exp(-2 pi i k / n) for k = 0 .. n-1, n at least 2.
void find_roots(Stager& stager, ir::ExtentId n, const Planes& roots);

/// `width` transforms of n = the product of `count` radices, side by side: element j of transform c lies at
/// j * width + c. They begin in `a` where count is even, else in `b`, and end in `a`.
struct Passes {
  ir::ExtentId n, count;
  Array radices;
  Planes roots;
  Planes a, b;
  ir::ExtentId room;  // elements of a and b
};
void run_passes(Stager& stager, const Passes& passes, ir::ExtentId width);
/// Fills where the transforms begin.
void fill_start(Stager& stager, const Passes& passes, const std::function<void(const Planes& start)>& fill);

}  // namespace pw::numpy::functions
