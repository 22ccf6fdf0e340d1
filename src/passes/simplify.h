// Exact simplification: constants folded where the result is the same bit for bit, branches with a constant
// condition taken, and what nothing reads removed (temporaries, lets, variables).
//
// Not done, because IEEE says no: x + 0.0 (x = -0.0), x * 0.0, x - x, reassociation of any kind.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

base::Result<ir::Module> simplify(ir::Module module, const Options& options, diagnostics::Engine& engine);

/// The same without proofs about sizes and indices: for after a pass that made nothing new to prove.
base::Result<ir::Module> tidy(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
