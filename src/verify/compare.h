// Comparing an array of the port with the reference's, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pw::verify {

/// How far apart two right results may be. rtol 0: bit for bit (any NaN equals any NaN; -0.0 differs from
/// 0.0). Else |got - ref| <= rtol * (|ref| + max|ref| of the array's finite elements); NaNs and infinities
/// stand in the same places; complex numbers by modulus; integers and bools are always compared exactly.
struct Tolerance {
  double rtol = 0;
};

struct Comparison {
  std::size_t compared = 0;     // elements
  std::size_t missed = 0;       // elements outside the tolerance
  std::size_t worst_index = 0;  // row-major, of the worst miss; NaN and infinity out of place are worst
  double worst_error = 0;       // largest |got - ref| / (|ref| + max|ref|); infinity for a NaN out of place
  std::string got, want;        // the elements at worst_index, if one missed
  bool agrees() const { return missed == 0; }
};

/// The policy until shadows give bounds: 1e-9, and 1e-4 where the run or the array is of 32-bit floats.
Tolerance policy_tolerance(std::string_view array_dtype, std::string_view run_dtype);

/// `got` and `want`: C-order elements of NumPy dtype `dtype`, of equal byte length.
Comparison compare(std::string_view dtype, std::span<const std::byte> got, std::span<const std::byte> want,
                   Tolerance tolerance);

/// How far apart each two elements are, and which miss the tolerance; of integers and bools infinity where
/// they differ.
struct Distances {
  std::vector<double> apart;
  std::vector<bool> missed;
};
Distances distances(std::string_view dtype, std::span<const std::byte> got, std::span<const std::byte> want,
                    Tolerance tolerance);

/// "[3, 0]": a row-major index as one a dimension.
std::string index_text(std::size_t index, const std::vector<std::int64_t>& shape);

}  // namespace pw::verify
