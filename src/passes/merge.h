// Sibling fusion: Maps over equal axes become one, and temporaries that only it touches become lets.
//
// Two Maps merge if they share a buffer, neither holds a loop, everything between can stand after the first,
// and every pair of accesses of which one writes is of one element in one iteration, or proved to be of
// different elements.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

base::Result<ir::Module> merge(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
