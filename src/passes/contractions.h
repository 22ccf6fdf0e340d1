// Finds products of matrices that a BLAS may do: a Map whose body is a sum, in any order, of products of two
// loads, and the store of that sum.
//
// Such a Map is marked `library`, and nothing else about it changes. A sum that stands beside other things in
// a Map,
//   map (i < n, j < m) { reduce s = sum any (k < l) { yield a[i, k] * b[k, j] }; store c[i, j] = f(s, ...) }
// gets a Map of its own before it, which stores to a new array. Loops of the source are never taken: their
// order is theirs. Not taken: what is known to be small, or stands under a Map or a loop that threads share.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

/// Less work than this, or less than these sizes, is not worth a call.
inline constexpr std::int64_t kLeastProducts = 16384;
inline constexpr std::int64_t kLeastRows = 4;
inline constexpr std::int64_t kLeastDepth = 8;

/// c[i, j] = sum over k of a[i, k] * b[k, j] for i < m, j < n, k < depth, once a point of `batch`, of which
/// the offsets are made.
struct Contraction {
  struct Operand {
    ir::BufferId buffer;
    ir::ExtentId offset;      // of element (0, 0), in elements of the buffer in a row
    ir::ExtentId leading;     // elements from a row to the next
    bool transposed = false;  // rows lie as columns
  };
  ir::DType type = ir::DType::F64;  // f32, f64, c64 or c128, of all three
  std::vector<ir::Axis> batch;
  ir::ExtentId m, n, depth;
  Operand a, b, c;  // c is never transposed
  /// What must hold besides for the strides to be those of matrices: first >= second.
  std::vector<std::pair<ir::ExtentId, ir::ExtentId>> at_least;
};

/// What a Map is, if it is a product of matrices and nothing else.
std::optional<Contraction> contraction_of(ir::Module& module, const ir::Map& map);

/// With options.libraries only.
base::Result<ir::Module> contractions(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
