// Element types, and NumPy's promotion between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pw::ir {

enum class DType : std::uint8_t {
#define DTYPE(name, text, numpy, bytes, kind) name,
#include "ir/dtype.def"
};

enum class DTypeKind : std::uint8_t { Bool, Int, UInt, Float, Complex };

struct DTypeRow {
  std::string_view text;   // "f64"
  std::string_view numpy;  // "float64"
  std::size_t bytes;
  DTypeKind kind;
};

inline constexpr std::size_t kDTypeCount = 13;

const DTypeRow& row(DType type);
std::optional<DType> dtype_from_text(std::string_view text);
std::optional<DType> dtype_from_numpy(std::string_view name);

inline DTypeKind kind(DType type) { return row(type).kind; }
inline bool is_integer(DType type) { return kind(type) == DTypeKind::Int || kind(type) == DTypeKind::UInt; }
inline bool is_float(DType type) { return kind(type) == DTypeKind::Float; }
inline bool is_complex(DType type) { return kind(type) == DTypeKind::Complex; }

/// Common dtype of two arrays or NumPy scalars. Source: numpy.promote_types,
/// https://numpy.org/doc/stable/reference/generated/numpy.promote_types.html
DType promote(DType a, DType b);
/// The float dtype of a complex one's parts; itself otherwise.
DType real_of(DType type);
/// The complex dtype of a float one; itself if complex.
DType complex_of(DType type);
/// What true division, sqrt, exp and kin compute in: integers and bool become float64, or a narrower float as
/// NumPy's loops have it for 8- and 16-bit integers (float16, float32), of which float16 does not exist here:
/// nullopt.
std::optional<DType> float_of(DType type);

}  // namespace pw::ir
