// Reads a module from its text form (printer.h describes it).
//
// Any bytes give a module or a diagnostic (ir-syntax, ir-unknown-name, ir-duplicate-name, ir-operands,
// ir-literal, ir-index-arithmetic, ir-too-deep); nesting is at most 256 deep. What the text says is checked
// for form only: types of statements, scopes and effects are the verifier's.
#pragma once

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"
#include "ir/module.h"

namespace pw::ir {

/// `text`: the file with the IR. Lines that end in a place, !begin:end, get it in `original` (an invalid id:
/// the place is kept, but in no file); others get their own place in the text.
base::Result<Module> parse(base::FileId text, const base::Sources& sources, diagnostics::Engine& engine,
                           base::FileId original = {});

}  // namespace pw::ir
