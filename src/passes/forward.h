// Copies of whole buffers and fills that are overwritten.
//
//   - A temporary whose last use is to be copied, whole and element by element, into a buffer that is not
//     touched meanwhile, takes that buffer's place: `C = ...; return C` computes in the output.
//   - A Map that writes all of a buffer is dropped if a later Map writes all of it again before any read.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

base::Result<ir::Module> forward(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
