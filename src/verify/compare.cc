#include "verify/compare.h"

#include <fmt/core.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace pw::verify {

namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

template <typename T>
T element(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Long double: |ref| + max|ref| of doubles near the largest must not overflow into a bound that admits all.
template <typename T>
long double modulus(T value) {
  return std::fabs(static_cast<long double>(value));
}
template <typename T>
long double modulus(std::complex<T> value) {
  return std::hypot(static_cast<long double>(value.real()), static_cast<long double>(value.imag()));
}

template <typename T>
bool is_infinite(T value) {
  return std::isinf(value);
}
template <typename T>
bool is_infinite(std::complex<T> value) {
  return std::isinf(value.real()) || std::isinf(value.imag());
}
/// A complex number with an infinite part is infinite, whatever the other part is.
template <typename T>
bool is_nan(T value) {
  return std::isnan(value);
}
template <typename T>
bool is_nan(std::complex<T> value) {
  return !is_infinite(value) && (std::isnan(value.real()) || std::isnan(value.imag()));
}

template <typename T>
bool same_bits(T got, T want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  return got == want && std::signbit(got) == std::signbit(want);
}
template <typename T>
bool same_bits(std::complex<T> got, std::complex<T> want) {
  return same_bits(got.real(), want.real()) && same_bits(got.imag(), want.imag());
}

template <typename T>
bool same_infinity(T got, T want) {
  return got == want;
}
template <typename T>
bool same_infinity(std::complex<T> got, std::complex<T> want) {
  return is_infinite(got) && is_infinite(want);
}

template <typename T>
std::string text(T value) {
  return fmt::format("{}", value);
}
template <typename T>
std::string text(std::complex<T> value) {
  return fmt::format("{}{:+}j", value.real(), value.imag());
}

/// |got - want|, where that is a distance; infinity where NaN or an infinity stands on one side only.
template <typename T>
long double distance(T got, T want) {
  if (is_nan(want) || is_nan(got)) return is_nan(want) && is_nan(got) ? 0.0L : kInfinity;
  if (is_infinite(want) || is_infinite(got)) return same_infinity(got, want) ? 0.0L : kInfinity;
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(static_cast<long double>(got) - static_cast<long double>(want));
  } else {
    return std::hypot(static_cast<long double>(got.real()) - static_cast<long double>(want.real()),
                      static_cast<long double>(got.imag()) - static_cast<long double>(want.imag()));
  }
}

/// The largest finite modulus.
template <typename T>
long double scale_of(std::span<const std::byte> want) {
  long double scale = 0;
  for (std::size_t i = 0; i < want.size() / sizeof(T); ++i) {
    const long double size = modulus(element<T>(want, i));
    if (std::isfinite(size) && size > scale) scale = size;
  }
  return scale;
}

/// What an error is relative to.
template <typename T>
long double unit_of(T want, long double scale) {
  return (std::isfinite(modulus(want)) ? modulus(want) : 0.0L) + scale;
}

bool within(long double apart, long double unit, double rtol) {
  return rtol > 0 && apart <= static_cast<long double>(rtol) * unit;
}

template <typename T>
Comparison compare_floats(std::span<const std::byte> got, std::span<const std::byte> want, double rtol) {
  Comparison out;
  out.compared = want.size() / sizeof(T);
  const long double scale = scale_of<T>(want);
  long double worst_miss = -1;
  for (std::size_t i = 0; i < out.compared; ++i) {
    const T g = element<T>(got, i);
    const T w = element<T>(want, i);
    if (same_bits(g, w)) continue;
    const long double apart = distance(g, w);
    const long double unit = unit_of(w, scale);
    const long double error = apart == 0 ? 0.0L : unit > 0 ? apart / unit : kInfinity;
    out.worst_error = std::max(out.worst_error, static_cast<double>(error));
    if (within(apart, unit, rtol)) continue;
    ++out.missed;
    if (error <= worst_miss) continue;
    worst_miss = error;
    out.worst_index = i;
    out.got = text(g);
    out.want = text(w);
  }
  return out;
}

template <typename T>
Comparison compare_whole(std::span<const std::byte> got, std::span<const std::byte> want) {
  Comparison out;
  out.compared = want.size() / sizeof(T);
  for (std::size_t i = 0; i < out.compared; ++i) {
    const T g = element<T>(got, i);
    const T w = element<T>(want, i);
    if (g == w) continue;
    if (out.missed++ > 0) continue;
    out.worst_index = i;
    out.got = fmt::format("{}", g);
    out.want = fmt::format("{}", w);
    out.worst_error = std::numeric_limits<double>::infinity();
  }
  return out;
}

template <typename T>
Distances float_distances(std::span<const std::byte> got, std::span<const std::byte> want, double rtol) {
  Distances out;
  const std::size_t count = want.size() / sizeof(T);
  const long double scale = scale_of<T>(want);
  for (std::size_t i = 0; i < count; ++i) {
    const T g = element<T>(got, i);
    const T w = element<T>(want, i);
    const long double apart = same_bits(g, w) ? 0.0L : distance(g, w);
    out.apart.push_back(static_cast<double>(apart));
    out.missed.push_back(!same_bits(g, w) && !within(apart, unit_of(w, scale), rtol));
  }
  return out;
}

template <typename T>
Distances whole_distances(std::span<const std::byte> got, std::span<const std::byte> want, double) {
  Distances out;
  for (std::size_t i = 0; i < want.size() / sizeof(T); ++i) {
    const bool same = element<T>(got, i) == element<T>(want, i);
    out.apart.push_back(same ? 0 : static_cast<double>(kInfinity));
    out.missed.push_back(!same);
  }
  return out;
}

struct Row {
  std::string_view dtype;
  Comparison (*compare)(std::span<const std::byte>, std::span<const std::byte>, double rtol);
  Distances (*distances)(std::span<const std::byte>, std::span<const std::byte>, double rtol);
};
template <typename T>
constexpr Row floats(std::string_view dtype) {
  return {dtype, compare_floats<T>, float_distances<T>};
}
template <typename T>
constexpr Row whole(std::string_view dtype) {
  return {dtype,
          [](std::span<const std::byte> g, std::span<const std::byte> w, double) {
            return compare_whole<T>(g, w);
          },
          whole_distances<T>};
}
constexpr Row kRows[] = {
    floats<double>("float64"),
    floats<float>("float32"),
    floats<std::complex<double>>("complex128"),
    floats<std::complex<float>>("complex64"),
    whole<std::int64_t>("int64"),
    whole<std::int32_t>("int32"),
    whole<std::int16_t>("int16"),
    whole<std::int8_t>("int8"),
    whole<std::uint64_t>("uint64"),
    whole<std::uint32_t>("uint32"),
    whole<std::uint16_t>("uint16"),
};

}  // namespace

Tolerance policy_tolerance(std::string_view array_dtype, std::string_view run_dtype) {
  const bool narrow = run_dtype == "float32" || array_dtype == "float32" || array_dtype == "complex64";
  return {narrow ? 1e-4 : 1e-9};
}

Comparison compare(std::string_view dtype, std::span<const std::byte> got, std::span<const std::byte> want,
                   Tolerance tolerance) {
  PW_CHECK(got.size() == want.size(), "two arrays of different size are compared");
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.compare(got, want, tolerance.rtol);
  }
  return compare_whole<std::uint8_t>(got, want);  // bool, uint8, and the small types of ml_dtypes
}

Distances distances(std::string_view dtype, std::span<const std::byte> got, std::span<const std::byte> want,
                    Tolerance tolerance) {
  PW_CHECK(got.size() == want.size(), "two arrays of different size are compared");
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.distances(got, want, tolerance.rtol);
  }
  return whole_distances<std::uint8_t>(got, want, 0);
}

std::string index_text(std::size_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::size_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(std::max<std::int64_t>(1, shape[d]));
    at[d] = index % extent;
    index /= extent;
  }
  std::string out = "[";
  for (std::size_t d = 0; d < at.size(); ++d) out += fmt::format("{}{}", d > 0 ? ", " : "", at[d]);
  return out + "]";
}

}  // namespace pw::verify
