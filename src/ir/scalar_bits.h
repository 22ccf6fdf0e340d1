// Between bit patterns and C++ values of every dtype; private to the definitions of scalar.h.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "ir/scalar.h"

namespace pw::ir {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, C64> || std::is_same_v<T, C128>;
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T>
inline constexpr bool kIsBool = std::is_same_v<T, bool>;
template <typename T>
inline constexpr bool kIsInteger = std::is_integral_v<T> && !kIsBool<T>;
template <typename T>
inline constexpr bool kIsSigned = kIsInteger<T> && std::is_signed_v<T>;

template <typename F>
F float_from(std::uint64_t bits) {
  if constexpr (std::is_same_v<F, float>) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if constexpr (std::is_same_v<F, double>) return std::bit_cast<double>(bits);
}
inline std::uint64_t float_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t float_bits(double value) { return std::bit_cast<std::uint64_t>(value); }

template <typename T>
T get(Scalar s) {
  if constexpr (kIsComplex<T>) {
    using F = typename T::value_type;
    return {float_from<F>(s.bits), float_from<F>(s.imag_bits)};
  } else if constexpr (kIsFloat<T>) {
    return float_from<T>(s.bits);
  } else if constexpr (kIsBool<T>) {
    return s.bits != 0;
  } else {
    return static_cast<T>(s.bits);
  }
}

template <typename T>
Scalar put(T value) {
  if constexpr (kIsComplex<T>) {
    return {float_bits(value.real()), float_bits(value.imag())};
  } else if constexpr (kIsFloat<T>) {
    return {float_bits(value), 0};
  } else if constexpr (kIsBool<T>) {
    return {value ? 1U : 0U, 0};
  } else {
    return {static_cast<std::uint64_t>(value), 0};  // sign-extends signed types
  }
}

template <typename F>
decltype(auto) with_type(DType type, F&& use) {
  switch (type) {
    case DType::Bool:
      return use(std::type_identity<bool>());
    case DType::I8:
      return use(std::type_identity<std::int8_t>());
    case DType::I16:
      return use(std::type_identity<std::int16_t>());
    case DType::I32:
      return use(std::type_identity<std::int32_t>());
    case DType::I64:
      return use(std::type_identity<std::int64_t>());
    case DType::U8:
      return use(std::type_identity<std::uint8_t>());
    case DType::U16:
      return use(std::type_identity<std::uint16_t>());
    case DType::U32:
      return use(std::type_identity<std::uint32_t>());
    case DType::U64:
      return use(std::type_identity<std::uint64_t>());
    case DType::F32:
      return use(std::type_identity<float>());
    case DType::F64:
      return use(std::type_identity<double>());
    case DType::C64:
      return use(std::type_identity<C64>());
    case DType::C128:
      return use(std::type_identity<C128>());
  }
  PW_UNREACHABLE("a dtype that is none");
}

template <typename T>
bool is_nan(T value) {
  if constexpr (kIsComplex<T>) return value.real() != value.real() || value.imag() != value.imag();
  if constexpr (kIsFloat<T>) return value != value;
  return false;
}

}  // namespace pw::ir
