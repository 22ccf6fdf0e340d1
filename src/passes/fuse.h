// Fusion by pull: the Map that defines a temporary moves into the statement that reads it.
//
// A temporary qualifies if one Map writes all of it, each element once, at its own index, and all reads come
// later in the block of its Alloc. Then
//   - pure copies (loads, casts, constants under any index map) move into every reader;
//   - anything else moves into its only reader, if all loads there have one index map that is injective over
//     the loops around the place it moves to, so that no element is computed twice.
// Nothing moves over a store to what it reads. A reader that is a Map and stores to what the moved value
// loads is allowed only where each such load is of the very element stored by the same iteration, or is
// proved to be stored by none ("right side before the store" stays true).
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

base::Result<ir::Module> fuse(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
