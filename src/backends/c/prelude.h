// The helper functions of prelude.def, and which of them a port uses.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/dtype.h"

namespace pw::backends::c {

/// "double", "int64_t", "float complex", ...
std::string_view c_type(ir::DType type);
/// "f" where math.h's functions for the dtype (a complex one's: for its parts) end in f, else "".
std::string_view math_suffix(ir::DType type);

class Prelude {
 public:
  /// The function's name, "mod_i64"; from now on it is part of the port. The row must exist for the dtype's
  /// kind.
  std::string use(std::string_view key, ir::DType type);
  /// A helper that has no dtype.
  std::string use(std::string_view key);

  /// The text of all helpers used, in the order of prelude.def.
  std::string text() const;

 private:
  void add(std::size_t row, ir::DType type);
  std::set<std::pair<std::size_t, ir::DType>> used_;
};

/// All names that any helper may take: not free for the kernel's own.
const std::set<std::string>& helper_names();

}  // namespace pw::backends::c
