// Least squares by the singular values: reflections make a tall matrix square, rotations its rows orthogonal.
// Source: Golub and Van Loan, Matrix Computations, algorithms 5.2.1 and 8.6.3; numpy.linalg.lstsq's page for
// which singular values count.
#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/functions/matrix.h"
#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

namespace {

/// Column k of a matrix from row k down as a reflection that leaves `alpha` on the diagonal: x - s * v, where
/// v is the column with `head` in front, and s = (v . x) / half, half being v . v / 2.
struct Reflection {
  ir::ExtentId k;
  ir::ExprId alpha, head, half;
};

Reflection reflection_of(Stager& stager, const Matrix& a, ir::ExtentId rows, ir::ExtentId k) {
  ir::ExtentTable& table = stager.extents();
  const std::vector<ir::ExtentId> below = {table.subtract(rows, k)};
  const ir::ExprId square =
      stager.fold(below, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId x = a.get(table.add(k, at[0]), k);
        return stager.apply(ir::Op::Mul, {x, x});
      });
  const ir::ExprId norm = kept(stager, stager.apply(ir::Op::Sqrt, {square}));
  const ir::ExprId first = kept(stager, a.get(k, k));
  const ir::ExprId falls = stager.apply(ir::Op::Ge, {first, zero(stager, ir::DType::F64)});
  const ir::ExprId minus = stager.apply(ir::Op::Neg, {norm});
  const ir::ExprId alpha = kept(stager, stager.apply(ir::Op::Select, {falls, minus, norm}));
  const ir::ExprId sum = stager.apply(ir::Op::Add, {norm, stager.apply(ir::Op::Abs, {first})});
  return {k, alpha, kept(stager, stager.apply(ir::Op::Sub, {first, alpha})),
          kept(stager, stager.apply(ir::Op::Mul, {norm, sum}))};
}

/// Reflects the columns `from` .. of `m`, the reflection's own column lying in `a`.
void reflect(Stager& stager, const Matrix& a, const Reflection& by, const Matrix& m, ir::ExtentId rows,
             ir::ExtentId from, ir::ExtentId columns) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId next = table.add(by.k, stager.size(1));
  const std::vector<ir::ExtentId> below = {table.subtract(rows, next)};
  const ir::ExtentId width[] = {table.subtract(columns, from)};
  stager.map_over(width, [&](const Indices& at) {
    const ir::ExtentId j = table.add(from, at[0]);
    const ir::ExprId rest =
        stager.fold(below, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any, [&](const Indices& to) {
          const ir::ExtentId i = table.add(next, to[0]);
          return stager.apply(ir::Op::Mul, {a.get(i, by.k), m.get(i, j)});
        });
    const ir::ExprId first = stager.apply(ir::Op::Mul, {by.head, m.get(by.k, j)});
    const ir::ExprId scale =
        kept(stager, stager.apply(ir::Op::Div, {stager.apply(ir::Op::Add, {first, rest}), by.half}));
    const auto subtract = [&](ir::ExtentId i, ir::ExprId factor) {
      const ir::ExprId part = stager.apply(ir::Op::Mul, {scale, factor});
      m.set(i, j, stager.apply(ir::Op::Sub, {m.get(i, j), part}));
    };
    subtract(by.k, by.head);
    stager.map_over(below, [&](const Indices& to) {
      const ir::ExtentId i = table.add(next, to[0]);
      subtract(i, a.get(i, by.k));
    });
  });
}

/// What lines up two rows of a matrix: their squares and their product.
struct Rows {
  ir::ExprId first, second, product;
};

Rows rows_of(Stager& stager, const Matrix& w, ir::ExtentId p, ir::ExtentId q, ir::ExtentId n) {
  const std::vector<ir::ExtentId> along = {n};
  const auto dot = [&](ir::ExtentId i, ir::ExtentId j) {
    return stager.fold(
        along, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any,
        [&](const Indices& at) { return stager.apply(ir::Op::Mul, {w.get(i, at[0]), w.get(j, at[0])}); });
  };
  return {dot(p, p), dot(q, q), dot(p, q)};
}

/// Turns rows p and q of w, and of c, by the angle that makes those of w orthogonal.
void turn_rows(Stager& stager, const Matrix& w, ir::ExtentId n, const Matrix& c, ir::ExtentId columns,
               ir::ExtentId p, ir::ExtentId q, const Rows& rows) {
  const auto number = [&](double value) { return stager.real(value, ir::DType::F64); };
  const auto binary = [&](ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); };
  const auto hypotenuse = [&](ir::ExprId x) {
    return stager.apply(ir::Op::Sqrt, {binary(ir::Op::Add, number(1), binary(ir::Op::Mul, x, x))});
  };
  const ir::ExprId twice = binary(ir::Op::Mul, number(2), rows.product);
  const ir::ExprId zeta =
      kept(stager, binary(ir::Op::Div, binary(ir::Op::Sub, rows.second, rows.first), twice));
  const ir::ExprId falls = binary(ir::Op::Lt, zeta, number(0));
  const ir::ExprId sign = stager.apply(ir::Op::Select, {falls, number(-1), number(1)});
  const ir::ExprId steep = binary(ir::Op::Add, stager.apply(ir::Op::Abs, {zeta}), hypotenuse(zeta));
  const ir::ExprId tangent = kept(stager, binary(ir::Op::Div, sign, steep));
  const ir::ExprId cosine = kept(stager, binary(ir::Op::Div, number(1), hypotenuse(tangent)));
  const ir::ExprId sine = kept(stager, binary(ir::Op::Mul, cosine, tangent));
  const auto turn = [&](const Matrix& m, ir::ExtentId width) {
    const ir::ExtentId along[] = {width};
    stager.map_over(along, [&](const Indices& at) {
      const ir::ExprId x = kept(stager, m.get(p, at[0]));
      const ir::ExprId y = kept(stager, m.get(q, at[0]));
      m.set(p, at[0], binary(ir::Op::Sub, binary(ir::Op::Mul, cosine, x), binary(ir::Op::Mul, sine, y)));
      m.set(q, at[0], binary(ir::Op::Add, binary(ir::Op::Mul, sine, x), binary(ir::Op::Mul, cosine, y)));
    });
  };
  turn(w, n);
  turn(c, columns);
}

}  // namespace

void make_rows_orthogonal(Stager& stager, const Matrix& w, ir::ExtentId lines, ir::ExtentId n,
                          const Matrix& c, ir::ExtentId columns, const Failure& failure) {
  constexpr double kOrthogonal = 0x1p-50;
  // Squares of lengths over the whole's: a row that short is turned, but asks for no other sweep.
  constexpr double kNoise = 0x1p-100;
  const std::vector<ir::ExtentId> all = {lines, n};
  const ir::ExprId whole =
      stager.fold(all, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId x = w.get(at[0], at[1]);
        return stager.apply(ir::Op::Mul, {x, x});
      });
  const ir::ExprId noise =
      kept(stager, stager.apply(ir::Op::Mul, {stager.real(kNoise, ir::DType::F64), whole}));
  sweep_pairs(stager, lines, failure, [&](ir::ExtentId p, ir::ExtentId q) -> PairTurn {
    const Rows rows = rows_of(stager, w, p, q, n);
    const auto length = [&](ir::ExprId square) { return stager.apply(ir::Op::Sqrt, {square}); };
    const ir::ExprId lengths = stager.apply(ir::Op::Mul, {length(rows.first), length(rows.second)});
    const ir::ExprId scale = stager.apply(ir::Op::Mul, {stager.real(kOrthogonal, ir::DType::F64), lengths});
    const ir::ExprId slant = stager.apply(ir::Op::Abs, {rows.product});
    // Turned against a long row, one of rounding errors alone would never come to rest.
    const ir::ExprId shorter = stager.apply(ir::Op::Minimum, {rows.first, rows.second});
    return {stager.apply(ir::Op::Gt, {slant, scale}),
            [&, p, q, rows] { turn_rows(stager, w, n, c, columns, p, q, rows); },
            stager.apply(ir::Op::Gt, {shorter, noise})};
  });
}

namespace {

/// Of w's rows, which are orthogonal, those whose length counts: x = sum of row * c / length^2 over them;
/// gives their number.
ir::ExprId least_solution(Stager& stager, const Matrix& w, ir::ExtentId lines, ir::ExtentId n,
                          const Matrix& c, ir::ExtentId longest, const Array& x) {
  const std::vector<ir::ExtentId> along = {n};
  const std::vector<ir::ExtentId> rows = {lines};
  constexpr double kEpsilon = 0x1p-52;
  const auto real = [&](double value) { return stager.real(value, ir::DType::F64); };
  const Array squares = stager.define({lines}, ir::DType::F64, [&](const Indices& row) {
    return stager.fold(along, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any,
                       [&](const Indices& at) {
                         const ir::ExprId x = w.get(row[0], at[0]);
                         return stager.apply(ir::Op::Mul, {x, x});
                       });
  });
  const auto length = [&](ir::ExtentId i) { return stager.apply(ir::Op::Sqrt, {stager.load(squares, {i})}); };
  const ir::ExprId greatest = stager.fold(rows, ir::ReduceOp::Max, ir::DType::F64, ir::ReduceOrder::Any,
                                          [&](const Indices& at) { return length(at[0]); });
  const ir::ExprId relative =
      stager.apply(ir::Op::Mul, {real(kEpsilon), stager.cast(stager.index(longest), ir::DType::F64)});
  const ir::ExprId least = kept(stager, stager.apply(ir::Op::Mul, {relative, greatest}));
  const auto counts = [&](ir::ExtentId i) { return stager.apply(ir::Op::Gt, {length(i), least}); };
  const ir::ExprId rank =
      stager.fold(rows, ir::ReduceOp::Sum, ir::DType::I64, ir::ReduceOrder::Any,
                  [&](const Indices& at) { return stager.cast(counts(at[0]), ir::DType::I64); });
  const ir::ExprId counted = kept(stager, rank);
  stager.map_over(x.shape, [&](const Indices& to) {
    const ir::ExprId sum =
        stager.fold(rows, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any, [&](const Indices& at) {
          const ir::ExprId part = stager.apply(ir::Op::Mul, {w.get(at[0], to[0]), c.get(at[0], to[1])});
          const ir::ExprId scaled = stager.apply(ir::Op::Div, {part, stager.load(squares, {at[0]})});
          return stager.apply(ir::Op::Select, {counts(at[0]), scaled, real(0)});
        });
    stager.store(x, to, sum);
  });
  return counted;
}

/// Where there are more rows than unknowns: as many rows as unknowns with the same solution, by reflections.
void reduce_rows(Stager& stager, const Matrix& a, ir::ExtentId rows, ir::ExtentId n, const Matrix& c,
                 ir::ExtentId columns) {
  ir::ExtentTable& table = stager.extents();
  stager.range_over("k", stager.size(0), n, [&](ir::ExtentId k) {
    const ir::ExtentId next = table.add(k, stager.size(1));
    const Reflection by = reflection_of(stager, a, rows, k);
    const ir::BlockId turn = stager.block([&] {
      reflect(stager, a, by, a, rows, next, n);
      reflect(stager, a, by, c, rows, stager.size(0), columns);
    });
    stager.emit(ir::If{stager.apply(ir::Op::Not, {is_zero(stager, by.half)}), turn, stager.block([] {})});
    a.set(k, k, by.alpha);
    const ir::ExtentId below[] = {table.subtract(rows, next)};
    stager.map_over(
        below, [&](const Indices& at) { a.set(table.add(next, at[0]), k, zero(stager, ir::DType::F64)); });
  });
}

ir::FunctionId least_squares_routine(Stager& stager) {
  return stager.routine("least_squares", [&](ir::Function& function) {
    constexpr ir::DType kType = ir::DType::F64;
    ir::ExtentTable& table = stager.extents();
    RoutineBody body{stager, function};
    function.routine = ir::Routine::LeastSquares;
    function.results = {ir::DType::I64, ir::DType::I64};
    const ir::ExtentId rows = body.size("rows");
    const ir::ExtentId n = body.size("n");
    const ir::ExtentId columns = body.size("columns");
    const Array matrix = body.array("a", kType, {rows, n});
    const Array right = body.array("b", kType, {rows, columns});
    const Array x = body.array("x", kType, {n, columns});
    const Matrix a{stager, matrix, {}};
    const Matrix c{stager, right, {}};
    const ir::BlockId tall = stager.block([&] { reduce_rows(stager, a, rows, n, c, columns); });
    const ir::ExprId is_tall = stager.apply(ir::Op::Gt, {stager.index(rows), stager.index(n)});
    stager.emit(ir::If{is_tall, tall, stager.block([] {})});
    const ir::ExtentId lines = table.apply(ir::ExtentOp::Min, rows, n);
    make_rows_orthogonal(stager, a, lines, n, c, columns, gives(stager, {0, 1}));
    const ir::ExprId rank =
        least_solution(stager, a, lines, n, c, table.apply(ir::ExtentOp::Max, rows, n), x);
    stager.emit(ir::Return{{rank, stager.integer(0)}});
  });
}

}  // namespace

/// a: (m, n); b: (m,) or (m, k). The least of the solutions that fit best, singular values below eps * max(m,
/// n) of the greatest being taken for zero. In float64, as NumPy; of the four results the solution, (n,) or
/// (n, k), and the rank.
Result<Value> least_squares(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array given_a, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_TRY(Array given_b, stager.to_array(required(arguments, 1, "b"), std::nullopt, arguments.span));
  const bool vector = given_b.shape.size() == 1;
  if (vector) given_b = stager.insert_axis(given_b, 1);
  if (given_a.shape.size() != 2 || given_b.shape.size() != 2) {
    return bad_call(stager, arguments, "with an array that is no matrix");
  }
  ir::DType type = ir::promote(stager.type_of(given_a), stager.type_of(given_b));
  if (ir::is_complex(type))
    return unsupported(stager, arguments, "of complex numbers", "solve a.T.conj() @ a");
  if (!ir::is_float(type)) type = ir::DType::F64;
  PW_CHECK_OK(stager.require_equal(given_a.shape[0], given_b.shape[0], arguments.span));
  const ir::ExtentId rows = stager.clamped(given_a.shape[0]);
  const ir::ExtentId n = stager.clamped(given_a.shape[1]);
  const ir::ExtentId columns = stager.clamped(given_b.shape[1]);
  const Array a = in_a_row(stager, given_a, ir::DType::F64);
  const Array b = in_a_row(stager, given_b, ir::DType::F64);
  const Array x = allocate_in_a_row(stager, {n, columns}, ir::DType::F64);
  const ir::ExprId empty =
      stager.apply(ir::Op::Or, {stager.apply(ir::Op::Lt, {stager.index(rows), stager.integer(1)}),
                                stager.apply(ir::Op::Lt, {stager.index(n), stager.integer(1)})});
  stager.trap_if(empty, ir::TrapKind::Assumption, "least squares of an empty matrix");
  require_squares(stager, a, "least squares");
  const RoutineArgument parts[] = {rows, n, columns, a, b, x};
  constexpr std::string_view kResults[] = {"rank", "failed"};
  const auto given = call_routine(stager, least_squares_routine(stager), parts, kResults);
  raises(stager, "SVD did not converge in Linear Least Squares")(nonzero(stager, given[1]));
  const Array solution = stager.copy(x, type);
  const Value unknown = value(Unknown{"what lstsq gives beside the solution and the rank"});
  return value(Tuple{{value(vector ? stager.drop_axis(solution, 1) : solution), unknown,
                      stager.strong(stager.cast(stager.index(given[0]), ir::DType::I32)), unknown}});
}

}  // namespace pw::numpy::functions
