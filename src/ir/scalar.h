// What each op, cast and fold means, on single values: the definition that eval, constant folding and the
// tests share.
//
// Values are bit patterns as in Const: integers sign- or zero-extended to 64 bits, bool 0 or 1, f32 as its 32
// bits, complex in two halves. Sources: ops.def (each op's doc), NumPy 2's loops
// (https://numpy.org/doc/stable/reference/ufuncs.html); floor division and remainder of floats follow
// CPython's float_divmod, complex division Smith's algorithm (CACM 5, 1962). Functions of the C library are
// the float32 ones for f32. Nothing here fails: integer Pow of a negative exponent, which must have been
// excluded, gives 0.
#pragma once

#include <cstdint>
#include <span>

#include "ir/node.h"

namespace pw::ir {

struct Scalar {
  std::uint64_t bits = 0;
  std::uint64_t imag_bits = 0;
};

inline Scalar scalar_of(const Const& constant) { return {constant.bits, constant.imag_bits}; }
inline Const const_of(DType type, Scalar value) { return {type, value.bits, value.imag_bits}; }

/// Applies an op to as many arguments as its row says.
using ScalarOp = Scalar (*)(const Scalar* arguments);

/// The op on arguments of this dtype (for Select: of its second and third); nullptr where op_result gives
/// none.
ScalarOp scalar_op(Op op, DType type);
/// Cast: a function of one argument. Never nullptr.
ScalarOp scalar_cast(DType from, DType to);
/// One step of Reduce's fold, of two values of `type`; nullptr for ArgMax and ArgMin, and where the dtype
/// does not fit. Max and Min: NaN wins, the first.
ScalarOp scalar_fold(ReduceOp op, DType type);
/// The value of an empty fold; nullptr-like false where there is none.
bool fold_identity(ReduceOp op, DType type, Scalar& out);
/// Whether ArgMax or ArgMin moves to `candidate`: it is a new extreme, or the first NaN.
bool arg_moves(ReduceOp op, DType type, Scalar best, Scalar candidate);

/// Element `index` of an array of `type` at `data`, and its counterpart.
Scalar load_scalar(DType type, const void* data, std::int64_t index);
void store_scalar(DType type, void* data, std::int64_t index, Scalar value);

/// Constant folding: the op on constants that fit it (op_result gives a dtype).
Const fold(Op op, std::span<const Const> arguments);
Const fold_cast(DType to, const Const& argument);

}  // namespace pw::ir
