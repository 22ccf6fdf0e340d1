// QR by reflections, and singular values by rotations.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.linalg.qr.html; the signs are those of
// LAPACK's dgeqrf: https://netlib.org/lapack/explore-html/d0/da1/group__geqrf.html, dlarfg
#include <limits>

#include "base/check.h"
#include "frontends/numpy/functions/matrix.h"
#include "frontends/numpy/functions/sorting.h"

namespace pw::numpy::functions {

namespace {

constexpr ir::DType kType = ir::DType::F64;

ir::ExprId binary(Stager& stager, ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); }

/// A real matrix; NumPy factors float32 ones in float64.
struct RealMatrix {
  Array array;       // in float64, a copy
  ir::DType result;  // what is given back
};

Result<RealMatrix> real_matrix(Stager& stager, const Arguments& arguments, std::string_view name) {
  PW_TRY(const Array raw, stager.to_array(required(arguments, 0, name), std::nullopt, arguments.span));
  if (raw.shape.size() < 2) return bad_call(stager, arguments, "of an array that is no matrix");
  if (raw.shape.size() > 2)
    return unsupported(stager, arguments, "of a stack of matrices", "take one after the other");
  const ir::DType own = stager.type_of(raw);
  if (ir::is_complex(own))
    return unsupported(stager, arguments, "of complex numbers", "write it for real matrices");
  const ir::DType result = own == ir::DType::F32 ? own : kType;
  RealMatrix out{stager.copy(raw, kType), result};
  for (ir::ExtentId& extent : out.array.shape) extent = stager.clamped(extent);
  require_squares(stager, out.array, "a matrix");
  return out;
}

/// I - tau v v^T with v = (1, what stands below the diagonal of a column): row `k` is the 1's.
/// Applies it to a column of `m`.
void reflect_column(Stager& stager, const Matrix& a, ir::ExtentId k, ir::ExprId tau, const Matrix& m,
                    ir::ExtentId rows, ir::ExtentId column) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId next = table.add(k, stager.size(1));
  const std::vector<ir::ExtentId> below = {table.subtract(rows, next)};
  const ir::ExprId rest =
      stager.fold(below, ir::ReduceOp::Sum, kType, ir::ReduceOrder::Any, [&](const Indices& to) {
        const ir::ExtentId i = table.add(next, to[0]);
        return binary(stager, ir::Op::Mul, a.get(i, k), m.get(i, column));
      });
  const ir::ExprId product = binary(stager, ir::Op::Add, m.get(k, column), rest);
  const ir::ExprId scale = kept(stager, binary(stager, ir::Op::Mul, tau, product));
  m.set(k, column, binary(stager, ir::Op::Sub, m.get(k, column), scale));
  stager.map_over(below, [&](const Indices& to) {
    const ir::ExtentId i = table.add(next, to[0]);
    m.set(i, column,
          binary(stager, ir::Op::Sub, m.get(i, column), binary(stager, ir::Op::Mul, scale, a.get(i, k))));
  });
}

/// dlarfg: makes column k a reflection, v below the diagonal and what it leaves of the column on it; gives
/// tau.
ir::ExprId make_reflection(Stager& stager, const Matrix& a, ir::ExtentId rows, ir::ExtentId k) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId next = table.add(k, stager.size(1));
  const std::vector<ir::ExtentId> below = {table.subtract(rows, next)};
  const ir::ExprId squares =
      stager.fold(below, ir::ReduceOp::Sum, kType, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId x = a.get(table.add(next, at[0]), k);
        return binary(stager, ir::Op::Mul, x, x);
      });
  const ir::ExprId alpha = kept(stager, a.get(k, k));
  const ir::ExprId tail = stager.apply(ir::Op::Sqrt, {squares});
  const ir::ExprId length = stager.apply(ir::Op::Hypot, {alpha, tail});
  const ir::ExprId beta =
      kept(stager, stager.apply(ir::Op::Neg, {stager.apply(ir::Op::CopySign, {length, alpha})}));
  const ir::LocalId tau = stager.declare_variable("tau", kType, stager.real(0.0, kType));
  const ir::BlockId turns = stager.block([&] {
    const ir::ExprId gap = kept(stager, binary(stager, ir::Op::Sub, alpha, beta));
    stager.emit(ir::Assign{tau, binary(stager, ir::Op::Div, binary(stager, ir::Op::Sub, beta, alpha), beta)});
    stager.map_over(below, [&](const Indices& at) {
      const ir::ExtentId i = table.add(next, at[0]);
      a.set(i, k, binary(stager, ir::Op::Div, a.get(i, k), gap));
    });
    a.set(k, k, beta);
  });
  // What has nothing below its diagonal stays as it is.
  stager.emit(
      ir::If{stager.apply(ir::Op::Ne, {squares, stager.real(0.0, kType)}), turns, stager.block([] {})});
  return kept(stager, stager.module.add(ir::Read{tau}, stager.here()));
}

}  // namespace

/// a = Q R: Q (m, min(m, n)) with orthonormal columns and R upper triangular; mode 'complete' has all m
/// columns of Q, mode 'r' R alone.
Result<Value> qr(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::string mode, text_argument(stager, arguments, 1, "mode", "reduced"));
  if (mode != "reduced" && mode != "complete" && mode != "r") {
    return unsupported(stager, arguments, "in mode " + mode, "use reduced, complete or r");
  }
  PW_TRY(const RealMatrix source, real_matrix(stager, arguments, "a"));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId rows = source.array.shape[0];
  const ir::ExtentId columns = source.array.shape[1];
  const bool wide = stager.proves_nonnegative(table.subtract(columns, rows));
  const bool tall = stager.proves_nonnegative(table.subtract(rows, columns));
  const ir::ExtentId count = wide ? rows : tall ? columns : table.apply(ir::ExtentOp::Min, rows, columns);
  const Matrix a{stager, source.array, {}};
  const Array taus = stager.allocate({count}, kType, "taus");
  stager.range_over("k", stager.size(0), count, [&](ir::ExtentId k) {
    const ir::ExprId tau = make_reflection(stager, a, rows, k);
    stager.store(taus, {k}, tau);
    const ir::ExtentId behind = table.add(k, stager.size(1));
    const ir::ExtentId width[] = {table.subtract(columns, behind)};
    stager.map_over(width, [&](const Indices& at) {
      reflect_column(stager, a, k, tau, a, rows, table.add(behind, at[0]));
    });
  });
  const ir::ExtentId q_columns = mode == "complete" ? rows : count;
  const Array r = stager.define({q_columns, columns}, source.result, [&](const Indices& at) {
    const ir::ExprId upper = stager.apply(ir::Op::Ge, {stager.index(at[1]), stager.index(at[0])});
    return stager.cast(stager.apply(ir::Op::Select, {upper, a.get(at[0], at[1]), stager.real(0.0, kType)}),
                       source.result);
  });
  if (mode == "r") return value(r);
  const Array q_array = stager.define({rows, q_columns}, kType, [&](const Indices& at) {
    const ir::ExprId diagonal = stager.apply(ir::Op::Eq, {stager.index(at[0]), stager.index(at[1])});
    return stager.apply(ir::Op::Select, {diagonal, stager.real(1.0, kType), stager.real(0.0, kType)});
  });
  const Matrix q{stager, q_array, {}};
  stager.range_over("back", stager.size(0), count, [&](ir::ExtentId back) {
    const ir::ExtentId k = table.subtract(table.add(count, stager.size(-1)), back);
    const ir::ExprId tau = kept(stager, stager.load(taus, {k}));
    const ir::ExtentId width[] = {table.subtract(q_columns, k)};
    stager.map_over(
        width, [&](const Indices& at) { reflect_column(stager, a, k, tau, q, rows, table.add(k, at[0])); });
  });
  const Array q_result = source.result == kType ? q_array : stager.copy(q_array, source.result);
  return value(Tuple{{value(q_result), value(r)}});
}

namespace {

/// The singular values of a matrix, falling, in float64.
Array falling_singular_values(Stager& stager, const Array& a) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId rows = a.shape[0];
  const ir::ExtentId columns = a.shape[1];
  const ir::ExtentId lines = rows == columns ? rows : table.apply(ir::ExtentOp::Min, rows, columns);
  const ir::ExtentId longest = rows == columns ? rows : table.apply(ir::ExtentOp::Max, rows, columns);
  // As many rows as there are values: the matrix itself, or turned.
  const Array lying = stager.allocate({lines, longest}, kType);
  const auto filled = [&](bool turned) {
    return stager.block([&] {
      stager.map_over(a.shape, [&](const Indices& at) {
        stager.store(lying, turned ? Indices{at[1], at[0]} : at, stager.load(a, at));
      });
    });
  };
  const ir::ExprId is_wide = stager.apply(ir::Op::Le, {stager.index(rows), stager.index(columns)});
  stager.emit(ir::If{is_wide, filled(false), filled(true)});
  const Array nothing = stager.allocate({lines, stager.size(0)}, kType);
  make_rows_orthogonal(stager, Matrix{stager, lying, {}}, lines, longest, Matrix{stager, nothing, {}},
                       stager.size(0), raises(stager, "SVD did not converge"));
  const std::vector<ir::ExtentId> along = {longest};
  const Array values = stager.define({lines}, kType, [&](const Indices& row) {
    const ir::ExprId square =
        stager.fold(along, ir::ReduceOp::Sum, kType, ir::ReduceOrder::Any, [&](const Indices& at) {
          const ir::ExprId x = stager.load(lying, {row[0], at[0]});
          return binary(stager, ir::Op::Mul, x, x);
        });
    return stager.apply(ir::Op::Sqrt, {square});
  });
  sort_vector(stager, values, std::nullopt);
  const ir::ExtentId from_end = table.subtract(table.add(lines, stager.size(-1)), formal_axes(stager, 1)[0]);
  return stager.copy(reindexed(stager, values, {lines}, std::span(&from_end, 1)), kType);
}

}  // namespace

/// svd with compute_uv=False, and svdvals: the singular values, falling.
Result<Value> singular_values(Stager& stager, const Arguments& arguments) {
  const bool values_only = arguments.name == "numpy.linalg.svdvals";
  PW_TRY(const bool vectors, bool_argument(stager, arguments, 2, "compute_uv", true));
  if (vectors && !values_only) return singular_vectors(stager, arguments);
  PW_TRY(const RealMatrix source, real_matrix(stager, arguments, values_only ? "x" : "a"));
  const Array out = falling_singular_values(stager, source.array);
  return value(source.result == kType ? out : stager.copy(out, source.result));
}

/// The greatest singular value over the least, or (p=-2) the reverse.
Result<Value> condition_number(Stager& stager, const Arguments& arguments) {
  const Value* order = given(arguments, 1, "p");
  const auto* number = order == nullptr ? nullptr : order->as<std::int64_t>();
  const bool least_first = number != nullptr && *number == -2;
  if (order != nullptr && !least_first && (number == nullptr || *number != 2)) {
    return unsupported(stager, arguments, "in this norm",
                       "write np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)");
  }
  PW_TRY(const RealMatrix source, real_matrix(stager, arguments, "x"));
  const Array s = falling_singular_values(stager, source.array);
  const ir::ExtentId last = stager.extents().add(s.shape[0], stager.size(-1));
  stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(last), stager.integer(0)}), ir::TrapKind::LinAlgError,
                 "cond is not defined on empty arrays");
  const ir::ExprId greatest = stager.cast(stager.load(s, {stager.size(0)}), source.result);
  const ir::ExprId least = stager.cast(stager.load(s, {last}), source.result);
  const ir::ExprId ratio = kept(stager, least_first ? binary(stager, ir::Op::Div, least, greatest)
                                                    : binary(stager, ir::Op::Div, greatest, least));
  // A matrix of zeros is as ill-conditioned as can be.
  const ir::ExprId infinite = stager.real(std::numeric_limits<double>::infinity(), source.result);
  return stager.strong(stager.apply(ir::Op::Select, {stager.apply(ir::Op::IsNan, {ratio}), infinite, ratio}));
}

/// How many singular values exceed tol, by default the greatest times max(m, n) times the precision.
Result<Value> matrix_rank(Stager& stager, const Arguments& arguments) {
  PW_TRY(const RealMatrix source, real_matrix(stager, arguments, "A"));
  const Array s = falling_singular_values(stager, source.array);
  stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(s.shape[0]), stager.integer(1)}),
                 ir::TrapKind::Assumption, "the rank of an empty matrix");
  ir::ExprId least;
  if (const Value* tol = given(arguments, 1, "tol")) {
    const std::optional<Scalar> scalar = tol->is<Array>() ? std::nullopt : stager.as_scalar(*tol);
    if (!scalar) return bad_call(stager, arguments, "with tol other than a number");
    least = kept(stager, stager.cast(scalar->expr, kType));
  } else {
    const double epsilon = source.result == ir::DType::F32
                               ? static_cast<double>(std::numeric_limits<float>::epsilon())
                               : std::numeric_limits<double>::epsilon();
    const ir::ExtentId longest =
        stager.extents().apply(ir::ExtentOp::Max, source.array.shape[0], source.array.shape[1]);
    const ir::ExprId size = stager.cast(stager.index(longest), kType);
    const ir::ExprId relative = binary(stager, ir::Op::Mul, size, stager.real(epsilon, kType));
    least = kept(stager, binary(stager, ir::Op::Mul, stager.load(s, {stager.size(0)}), relative));
  }
  const ir::ExprId count =
      stager.fold(s.shape, ir::ReduceOp::Sum, ir::DType::I64, ir::ReduceOrder::Any, [&](const Indices& at) {
        return stager.cast(stager.apply(ir::Op::Gt, {stager.load(s, at), least}), ir::DType::I64);
      });
  return stager.strong(count);
}

}  // namespace pw::numpy::functions
