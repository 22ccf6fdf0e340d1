// Which loops may run at once, and which of those should: sets Schedule::Parallel and Schedule::Vector.
//
// A Map is data-parallel by construction. A For is, if no two of its iterations touch one element of which
// one writes it, and every variable it assigns is private to an iteration (assigned before it is read, and
// dead after the loop; its Declare then moves into the body). Parallel goes to the outermost such loop with
// enough steps, never inside another, and never where the body may leave (Trap, Return, Break), calls, or
// allocates a size that is not constant. Vector goes to innermost ones.
// Nothing is reassociated: a For that folds into a variable stays serial.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

base::Result<ir::Module> parallel(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
