// Copies an operand of a fold, before the Map that folds, into the order in which the rows of results walk
// it.
//
// C[i, j] = fold over k of a[i, k] * b[j, k]: results of a row can be made side by side only if b is walked
// along j, which here is a long way from one element to the next. The copy is of b[j, k] at [k, j]; it pays
// where every element is read again for many i. Copied is what
//   - has extents as indices, proved in bounds for every point of the loops that it depends on (they may not
//   run);
//   - is another element at each such point, so that the copy is no larger than the original;
//   - the Map does not store to.
// Either all operands of a fold are walked by one or not at all afterwards, or none is copied. Nothing is
// copied inside a loop that threads share. Values and the order of folds stay as they are.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

base::Result<ir::Module> pack(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
