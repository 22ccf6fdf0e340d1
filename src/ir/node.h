// The whole grammar of the IR: few shapes, many ops.
//
// Expressions are pure and hash-consed; a Load or a Read of a variable means the value at the moment its
// statement runs. Statements hold the effects. Every id below indexes a table of ir::Module.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/small_vector.h"
#include "base/source.h"
#include "ir/dtype.h"
#include "ir/extent.h"
#include "ir/op.h"

namespace pw::ir {

struct ExprTag;
using ExprId = base::Id<ExprTag>;
struct StmtTag;
using StmtId = base::Id<StmtTag>;
struct Block;
using BlockId = base::Id<Block>;
struct Buffer;
using BufferId = base::Id<Buffer>;
struct Function;
using FunctionId = base::Id<Function>;
struct TrapRow;
using TrapId = base::Id<TrapRow>;

/// A typed constant, kept as bits so that NaN payloads, -0.0 and all 64-bit integers survive. Build with the
/// makers below.
struct Const {
  DType type = DType::F64;
  std::uint64_t bits =
      0;  // value, or the real part; integers sign- or zero-extended to 64 bits; f32 as f32 bits
  std::uint64_t imag_bits = 0;  // imaginary part of complex dtypes, same width rule
  friend bool operator==(const Const&, const Const&) = default;
};
Const const_bool(bool value);
/// Any integer dtype; wraps to its width.
Const const_int(DType type, std::int64_t value);
/// Float dtypes (rounded to it) and complex ones (imaginary part 0).
Const const_float(DType type, double value);
Const const_complex(DType type, std::complex<double> value);
bool as_bool(const Const& constant);
/// Integer and bool dtypes; u64 above the range of int64 comes back as its two's complement.
std::int64_t as_int(const Const& constant);
/// Float dtypes.
double as_float(const Const& constant);
/// Float and complex dtypes.
std::complex<double> as_complex(const Const& constant);

/// Operands: nearly always few.
using ExprList = base::SmallVector<ExprId>;
using BlockList = base::SmallVector<BlockId>;

// ---- expressions: pure scalars
// ----------------------------------------------------------------------------------

/// The value of a local: symbol, scalar argument, loop index, Let, or (as of now) a variable.
struct Read {
  LocalId local;
  friend bool operator==(const Read&, const Read&) = default;
};
/// An i64 polynomial. Only for values that cannot overflow: integer arguments lie in [-2^31, 2^31] (checked
/// on entry by the port's _checked wrapper) and the polynomial's degree and coefficients keep it under 2^62.
struct Index {
  ExtentId extent;
  friend bool operator==(const Index&, const Index&) = default;
};
/// One element; i64 indices, one a dimension, in bounds (whoever builds it has proved or checked that).
struct Load {
  BufferId buffer;
  ExprList index;
  friend bool operator==(const Load&, const Load&) = default;
};
struct Apply {
  Op op;
  ExprList arguments;
  friend bool operator==(const Apply&, const Apply&) = default;
};
/// NumPy's astype: float to integer truncates (out of range: as the x86-64 conversion gives), complex to real
/// drops the imaginary part, anything to bool is "!= 0".
struct Cast {
  DType type;
  ExprId argument;
  friend bool operator==(const Cast&, const Cast&) = default;
};

using Expr = std::variant<Const, Read, Index, Load, Apply, Cast>;

// ---- statements: effects
// ----------------------------------------------------------------------------------------

/// One dimension of an iteration space: index runs over 0 .. extent-1 (none if extent <= 0).
struct Axis {
  LocalId index;
  ExtentId extent;
};

/// How a loop may run; Serial until a pass has proved more.
enum class Schedule : std::uint8_t { Serial, Vector, Parallel };

/// Binds an immutable local.
struct Let {
  LocalId local;
  ExprId value;
};
/// Makes a variable; without a value it is undefined until assigned.
struct Declare {
  LocalId variable;
  ExprId value;  // may be invalid
};
struct Assign {
  LocalId variable;
  ExprId value;
};
/// Makes a temporary buffer, undefined; it lives until the end of the enclosing block. As in Axis, an extent
/// below 0 is an empty one.
struct Alloc {
  BufferId buffer;
};
struct Store {
  BufferId buffer;
  ExprList index;
  ExprId value;
};
/// Data-parallel: the body runs once per point of the axes, in any order or at once. No iteration reads or
/// writes an element that another writes; variables declared inside are private. Row-major order is always
/// right.
struct Map {
  std::vector<Axis> axes;
  BlockId body;
  Schedule schedule = Schedule::Serial;
  bool library = false;  // passes/contractions.h: a product of matrices that a BLAS may do instead
};

enum class ReduceOp : std::uint8_t { Sum, Product, Max, Min, Any, All, ArgMax, ArgMin };
/// Any: may be reassociated (np.sum and kin, @). Sequential: row-major order, as written.
enum class ReduceOrder : std::uint8_t { Any, Sequential };

/// Binds `target` (immutable after) to the fold of `value` over the axes; `body` runs before each value and
/// may bind locals. Empty: Sum 0, Product 1, Any false, All true; Max, Min, ArgMax, ArgMin need at least one
/// point (checked before). Max and Min: NaN wins. ArgMax and ArgMin: i64 row-major position of the first
/// extreme; the first NaN wins.
struct Reduce {
  LocalId target;
  ReduceOp op;
  std::vector<Axis> axes;
  BlockId body;
  ExprId value;
  ReduceOrder order = ReduceOrder::Any;
};
/// Sequential counted loop, Python's range: index = lower, lower + step, ... while below (step > 0) or above
/// (step < 0) upper. The bounds and the step (not 0: checked before) are evaluated once. The index is
/// immutable inside.
struct For {
  LocalId index;
  ExprId lower;
  ExprId upper;
  ExprId step;
  BlockId body;
  Schedule schedule = Schedule::Serial;
};
/// Runs the body while the condition holds; a condition that needs statements becomes `while true { ...; if
/// not c: break }`.
struct While {
  ExprId condition;
  BlockId body;
};
struct If {
  ExprId condition;
  BlockId then_body;
  BlockId else_body;
};
struct Break {};
struct Continue {};
/// Leaves the function with its scalar results (arrays are returned through trailing buffer parameters).
struct Return {
  std::vector<ExprId> values;
};
/// Leaves the port with a row of the trap table, if `condition` is invalid or true.
struct Trap {
  TrapId trap;
  ExprId condition;
};
using Argument = std::variant<ExprId, BufferId>;
/// Calls a function of the module; `results` are new immutable locals.
struct Call {
  FunctionId callee;
  std::vector<Argument> arguments;
  std::vector<LocalId> results;
};

using Stmt = std::variant<Let, Declare, Assign, Alloc, Store, Map, Reduce, For, While, If, Break, Continue,
                          Return, Trap, Call>;

}  // namespace pw::ir
