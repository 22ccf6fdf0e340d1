// The list of passes between a front end and a backend.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

/// All passes in order. The meaning of the module is kept bit for bit, but for reductions of order "any".
base::Result<ir::Module> optimise(const ir::Module& module, const Options& options,
                                  diagnostics::Engine& engine);

}  // namespace pw::passes
