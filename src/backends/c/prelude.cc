#include "backends/c/prelude.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>

#include "base/check.h"

namespace pw::backends::c {

namespace {

struct Row {
  std::string_view key;
  std::string_view kinds;
  std::string_view text;
};

constexpr Row kRows[] = {
#define HELPER(key, kinds, text) {#key, kinds, text},
#include "backends/c/prelude.def"
};

char kind_letter(ir::DType type) {
  switch (ir::kind(type)) {
    case ir::DTypeKind::Bool:
      return 'b';
    case ir::DTypeKind::Int:
      return 'i';
    case ir::DTypeKind::UInt:
      return 'u';
    case ir::DTypeKind::Float:
      return 'f';
    case ir::DTypeKind::Complex:
      return 'c';
  }
  return '-';
}

void require(std::string_view key, char kind) {
  for (const Row& row : kRows) {
    if (row.key == key && row.kinds.find(kind) != std::string_view::npos) return;
  }
  PW_UNREACHABLE("prelude.def has no helper for this dtype");
}

std::string word(std::string_view name, ir::DType type) {
  const ir::DType part = ir::real_of(type);
  if (name == "T") return std::string(c_type(type));
  if (name == "t") return std::string(ir::row(type).text);
  if (name == "U") return fmt::format("uint{}_t", ir::row(type).bytes * 8);
  if (name == "W") return std::to_string(ir::row(type).bytes * 8);
  if (name == "f") return std::string(math_suffix(type));
  if (name == "P") return std::string(math_suffix(type));
  if (name == "R") return std::string(c_type(part));
  if (name == "r") return std::string(ir::row(part).text);
  if (name == "MK") return type == ir::DType::C64 ? "CMPLXF" : "CMPLX";
  PW_UNREACHABLE("prelude.def uses an unknown $word");
}

/// Replaces each $word; a word is MK or one letter.
std::string fill(std::string_view text, ir::DType type) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out.push_back(text[i]);
      continue;
    }
    const std::size_t length = text.substr(i + 1, 2) == "MK" ? 2 : 1;
    out += word(text.substr(i + 1, length), type);
    i += length;
  }
  return out;
}

}  // namespace

std::string_view c_type(ir::DType type) {
  constexpr std::string_view kTypes[] = {"bool",    "int8_t",        "int16_t",       "int32_t",  "int64_t",
                                         "uint8_t", "uint16_t",      "uint32_t",      "uint64_t", "float",
                                         "double",  "float complex", "double complex"};
  static_assert(std::size(kTypes) == ir::kDTypeCount);
  return kTypes[static_cast<std::size_t>(type)];
}

std::string_view math_suffix(ir::DType type) { return ir::real_of(type) == ir::DType::F32 ? "f" : ""; }

std::string Prelude::use(std::string_view key, ir::DType type) {
  require(key, kind_letter(type));
  used_ = true;
  return fmt::format("{}_{}", key, ir::row(type).text);
}

std::string Prelude::use(std::string_view key) {
  require(key, '-');
  used_ = true;
  return std::string(key);
}

std::string support_text() {
  std::string out = fmt::format(R"(// What ports made by portwright share: the same file beside each of them.
#ifndef PORTWRIGHT_H
#define PORTWRIGHT_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Iterations from which threads share a loop.
#ifndef PARALLEL_FROM
#define PARALLEL_FROM {}
#endif
)",
                                kParallelFrom);
  for (const Row& row : kRows) {
    if (row.kinds == "-") out += row.text;
    for (std::size_t i = 0; i < ir::kDTypeCount; ++i) {
      const auto type = static_cast<ir::DType>(i);
      if (row.kinds.find(kind_letter(type)) != std::string_view::npos) out += fill(row.text, type);
    }
  }
  return out + "\n#endif\n";
}

const std::set<std::string>& helper_names() {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names;
    for (const Row& row : kRows) {
      if (row.kinds == "-") names.emplace(row.key);
      for (std::size_t i = 0; i < ir::kDTypeCount; ++i) {
        const auto type = static_cast<ir::DType>(i);
        if (row.kinds.find(kind_letter(type)) == std::string_view::npos) continue;
        names.insert(fmt::format("{}_{}", row.key, ir::row(type).text));
      }
    }
    return names;
  }();
  return kNames;
}

}  // namespace pw::backends::c
