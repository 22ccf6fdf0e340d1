// The text form of a module, which parser.h reads back: print(parse(print(m))) == print(m).
//
//   assume "n = 4"
//   trap IndexError "index out of range"                  ; rows count from 1
//   config eps: f64 = 1e-06
//   table w: i64[2] = {1, 2}
//   func @scale(n: symbol, x: f64[n, 3], a: f64) -> (f64) promoted 0 {
//     alloc t: f64[n]
//     map parallel library (i < n, j < 3) {                ; schedule only if not serial
//       let v: f64 = mul(x[i, j], a)
//       store t[i] = select(lt(v, eps), 0.0, v)
//     }
//     reduce s: f64 = sum any (i.2 < n) {                  ; order: any or sequential
//       yield t[i.2]
//     }
//     var k: i64 = 0
//     for l = range(0, n - 1, 1) {
//       set k = add(k, l)
//     }
//     while lt(k, 3) { ... }   if c { ... } else { ... }   break   continue
//     trap 1 if lt(k, 0)
//     call r: f64 = @other(x, 3, t)                        ; a bare buffer name passes the buffer
//     return s
//   }
//   func @fft(outer: symbol, ..., x: c128[...]) routine fft { ... }   ; a row of routines.def
//
// Expressions: op(...) by ops.def; dtype(...) casts; buffer[...] loads; infix + - * // % and min(), max() are
// index arithmetic (Index) and nothing else. Constants: 3 is i64, 1.5, inf, nan are f64, true is bool, others
// carry their dtype (3:i32, 1.5:f32, 0x7ff8000000000001:f64 as bits, c128{1.0, 2.0}). Where an expression is
// shared and large, or very deep, `$1 = ...` before the statement names it: text only, evaluated with the
// statement. A local's known range follows its type, `in [0, n - 1]`, `_` for an unknown bound, where it is
// not the one that its definition implies (implied_range). `!12:34` ends a line with the place in the
// kernel's source: bytes of its file; the file itself is not kept. Names are made unique within each function
// by a suffix, `x.2`.
#pragma once

#include <string>

#include "ir/module.h"

namespace pw::ir {

struct PrintOptions {
  bool spans = true;
};

/// Every id must be in range (the verifier checks that first).
std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Module& module, FunctionId function, const PrintOptions& options = {});
/// A statement's own line, without the blocks inside it and without making names unique.
std::string print(const Module& module, StmtId stmt);
std::string print(const Module& module, ExprId expr);
std::string print(const Const& constant);

std::string_view to_text(ReduceOp op);
std::string_view to_text(Schedule schedule);

/// What a definition implies about an i64 local: a symbol is not negative; an axis of Map and Reduce is in
/// [0, extent - 1]; the index of a For whose bounds are extents and whose step is a constant lies between
/// them. Otherwise nothing.
Range implied_range(ExtentTable& extents, LocalKind kind);
Range implied_range(ExtentTable& extents, const Axis& axis);
Range implied_range(const Module& module, ExtentTable& extents, const For& loop);

}  // namespace pw::ir
