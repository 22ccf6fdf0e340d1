// The helper functions of prelude.def, and the header that ports include for them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "ir/dtype.h"

namespace pw::backends::c {

/// "double", "int64_t", "float complex", ...
std::string_view c_type(ir::DType type);
/// "f" where math.h's functions for the dtype (a complex one's: for its parts) end in f, else "".
std::string_view math_suffix(ir::DType type);

/// Iterations from which a loop is shared among threads, as PARALLEL_FROM is defined.
inline constexpr std::int64_t kParallelFrom = 16384;

class Prelude {
 public:
  /// The function's name, "mod_i64". The row must exist for the dtype's kind.
  std::string use(std::string_view key, ir::DType type);
  /// A helper that has no dtype.
  std::string use(std::string_view key);
  bool used() const { return used_; }

 private:
  bool used_ = false;
};

/// The header with all helpers for all dtypes, the same beside every port.
std::string support_text();

/// All names that any helper may take: not free for the kernel's own.
const std::set<std::string>& helper_names();

}  // namespace pw::backends::c
