#include "ir/dtype.h"

#include <algorithm>
#include <array>

namespace pw::ir {

namespace {

constexpr std::array<DTypeRow, kDTypeCount> kRows = {{
#define DTYPE(name, text, numpy, bytes, kind) {text, numpy, bytes, DTypeKind::kind},
#include "ir/dtype.def"
}};

DType with(DTypeKind wanted, std::size_t bytes) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].kind == wanted && kRows[i].bytes == bytes) return static_cast<DType>(i);
  }
  return DType::F64;
}

/// The narrowest float that NumPy takes an integer to without loss, at least `bytes` wide.
DType float_for(DType integer, std::size_t bytes) {
  const std::size_t needed = row(integer).bytes <= 2 || integer == DType::Bool ? 4 : 8;
  return with(DTypeKind::Float, std::max(needed, bytes));
}

}  // namespace

const DTypeRow& row(DType type) { return kRows[static_cast<std::size_t>(type)]; }

std::optional<DType> dtype_from_text(std::string_view text) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].text == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_numpy(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].numpy == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (kind(a) > kind(b)) std::swap(a, b);
  const std::size_t wider = std::max(row(a).bytes, row(b).bytes);
  if (kind(a) == kind(b)) return with(kind(a), wider);
  switch (kind(b)) {
    case DTypeKind::Bool:
      return b;
    case DTypeKind::Int:
      return b;
    case DTypeKind::UInt:
      if (kind(a) == DTypeKind::Bool) return b;
      if (row(a).bytes > row(b).bytes) return a;
      return row(b).bytes == 8 ? DType::F64 : with(DTypeKind::Int, row(b).bytes * 2);
    case DTypeKind::Float:
      return a == DType::Bool ? b : float_for(a, row(b).bytes);
    case DTypeKind::Complex: {
      if (a == DType::Bool) return b;
      const DType part = is_float(a) ? a : float_for(a, 4);
      return with(DTypeKind::Complex, 2 * std::max(row(part).bytes, row(b).bytes / 2));
    }
  }
  return b;
}

DType real_of(DType type) { return is_complex(type) ? with(DTypeKind::Float, row(type).bytes / 2) : type; }

DType complex_of(DType type) { return is_float(type) ? with(DTypeKind::Complex, row(type).bytes * 2) : type; }

std::optional<DType> float_of(DType type) {
  if (is_float(type) || is_complex(type)) return type;
  if (row(type).bytes == 1) return std::nullopt;  // NumPy: float16
  return row(type).bytes == 2 ? DType::F32 : DType::F64;
}

}  // namespace pw::ir
