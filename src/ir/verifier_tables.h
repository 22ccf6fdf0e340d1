// The verifier's first half: the module's tables by themselves. What it passes can be walked and printed.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"

namespace pw::ir {

base::Result<base::Done> verify_tables(const Module& module, diagnostics::Engine& engine);

/// Whether a place was given: in a file, or (IR text without its source) in none.
inline bool has_place(base::Span span) { return span.file.valid() || span.end != 0; }

}  // namespace pw::ir
