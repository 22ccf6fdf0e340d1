// Checks that a module is one: everything that printer, eval, passes and backends rely on.
//
// Ids (ir-bad-id)
//   every id names a row of its table; an expression's operands have smaller ids than it
//   every statement and block stands in one place only; blocks nest at most 256 deep (ir-too-deep)
// Places (ir-no-span)
//   every function, and every statement and expression reached from one, has a span
// Definitions (ir-definition)
//   a local or buffer is defined once in the module; by Let, Reduce and Call: Bound; by Declare: Variable; by
//   Map, Reduce and For: Axis, i64; as a parameter: Symbol (i64) or Argument, Parameter; by Alloc: Temporary;
//   Config locals and Tables are defined by the module
//   a config's and a table's constants have its dtype, in the form of ir::Const; a table has as many elements
//   as its constant extents say only immutable i64 locals have a range; ranges, extents and Index read
//   immutable i64 locals only function names differ; the last `promoted` parameters are buffers
// Scope (ir-scope)
//   what an expression, extent or range reads is a Config, a Table, or defined before, in this block or one
//   around it; a parameter's extents and ranges read parameters; axes of one statement do not see each other
// Types (ir-type, ir-rank)
//   op_result gives the dtype; conditions are bool; bounds, steps and indices are i64, one index a dimension;
//   values have the dtype of what they define, assign or store into; a Reduce's target has its value's dtype
//   (i64 for argmax, argmin), and the operator fits it: any and all take bool, sum and product do not, max
//   and min no complex
// Control (ir-control)
//   break and continue stand in a For or While, with no Map or Reduce between; return stands in no Map or
//   Reduce, and gives the function's results; a function with results ends in return or trap on every path
// Effects (ir-effect)
//   a variable is assigned under the same Map or Reduce as it is declared; a table is never written; under a
//   Reduce, only buffers made under it are written (by Store or by a callee)
// Calls (ir-call)
//   the callee stands before the caller; arguments and results match in number, kind, dtype and rank; a
//   buffer that the callee writes is passed once
//
// Not checked: that indices are in bounds, that different iterations of a Map do not meet (eval checks the
// first, the dependence pass the second), that variables are assigned before they are read.
#pragma once

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"

namespace pw::ir {

/// Reports every wrong statement once, at its span and with its text.
base::Result<base::Done> verify(const Module& module, diagnostics::Engine& engine);

/// Which parameters of each function it, or what it calls, stores into: one flag a parameter. Callees stand
/// before callers.
std::vector<std::vector<bool>> written_parameters(const Module& module);

}  // namespace pw::ir
