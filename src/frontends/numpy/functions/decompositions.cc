// Cholesky, solve, inverse and determinant as loops: Gaussian elimination with partial pivoting, as LAPACK's
// getrf and potrf have them, one matrix after the other of a stack.
// Source: Golub and Van Loan, Matrix Computations, algorithms 3.4.1 and 4.2.1; numpy.linalg's pages for
// shapes and errors.
#include <limits>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/functions/matrix.h"
#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

namespace {

/// A square matrix, or a stack of them, copied to a float or complex dtype.
Result<Array> square_copy(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, square_argument(stager, arguments, 0, "a"));
  return stager.copy(array, floating(stager.type_of(array)));
}

void swap_elements(const Matrix& m, ir::ExtentId row, ir::ExtentId other, ir::ExtentId column) {
  const ir::ExprId first = kept(m.stager, m.get(row, column));
  const ir::ExprId second = kept(m.stager, m.get(other, column));
  m.set(row, column, second);
  m.set(other, column, first);
}

/// The row at or below `k` with the greatest modulus in column k.
ir::ExtentId pivot_row(Stager& stager, const Matrix& a, ir::ExtentId n, ir::ExtentId k) {
  ir::ExtentTable& table = stager.extents();
  const std::vector<ir::ExtentId> below = {table.subtract(n, k)};
  const ir::DType part = ir::real_of(stager.type_of(a.array));
  const ir::ExprId offset =
      stager.fold(below, ir::ReduceOp::ArgMax, part, ir::ReduceOrder::Any, [&](const Indices& at) {
        return stager.cast(stager.apply(ir::Op::Abs, {a.get(table.add(k, at[0]), k)}), part);
      });
  const ir::LocalId row = stager.let(stager.apply(ir::Op::Add, {offset, stager.index(k)}), "pivot");
  stager.module[row].range = {k, table.add(n, stager.size(-1))};
  return table.local(row);
}

/// Eliminates below the diagonal of `a`, doing the same to the rows of `b` where there is one; before each
/// step `at_pivot` sees the pivot and whether rows were swapped.
void eliminate(Stager& stager, const Matrix& a, ir::ExtentId n, const Matrix* b, ir::ExtentId columns,
               const std::function<void(ir::ExprId pivot, ir::ExprId swapped)>& at_pivot) {
  ir::ExtentTable& table = stager.extents();
  stager.range_over("k", stager.size(0), n, [&](ir::ExtentId k) {
    const ir::ExtentId p = pivot_row(stager, a, n, k);
    const ir::ExtentId whole[] = {n};
    stager.map_over(whole, [&](const Indices& at) { swap_elements(a, k, p, at[0]); });
    const ir::ExtentId width[] = {columns};
    if (b != nullptr) stager.map_over(width, [&](const Indices& at) { swap_elements(*b, k, p, at[0]); });
    const ir::ExprId pivot = kept(stager, a.get(k, k));
    at_pivot(pivot, stager.apply(ir::Op::Ne, {stager.index(p), stager.index(k)}));
    const ir::ExtentId next = table.add(k, stager.size(1));
    const ir::ExtentId below[] = {table.subtract(n, next)};
    stager.map_over(below, [&](const Indices& at) {
      const ir::ExtentId i = table.add(at[0], next);
      const ir::ExprId factor = kept(stager, stager.apply(ir::Op::Div, {a.get(i, k), pivot}));
      const auto subtract = [&](const Matrix& m, ir::ExtentId column) {
        const ir::ExprId product = stager.apply(ir::Op::Mul, {factor, m.get(k, column)});
        m.set(i, column, stager.apply(ir::Op::Sub, {m.get(i, column), product}));
      };
      stager.map_over(below, [&](const Indices& to) { subtract(a, table.add(to[0], next)); });
      if (b != nullptr) stager.map_over(width, [&](const Indices& to) { subtract(*b, to[0]); });
    });
  });
}

/// R x = c by columns of c, R being the upper triangle of `a`; the solution takes the place of c's first
/// rows.
void substitute_back(Stager& stager, const Matrix& a, const Matrix& c, ir::ExtentId n, ir::ExtentId columns) {
  ir::ExtentTable& table = stager.extents();
  stager.range_over("back", stager.size(0), n, [&](ir::ExtentId back) {
    const ir::ExtentId k = table.subtract(table.add(n, stager.size(-1)), back);
    const ir::ExtentId next = table.add(k, stager.size(1));
    const ir::ExtentId width[] = {columns};
    stager.map_over(width, [&](const Indices& at) {
      const std::vector<ir::ExtentId> known = {back};
      const ir::ExprId sum = stager.fold(
          known, ir::ReduceOp::Sum, stager.type_of(c.array), ir::ReduceOrder::Any, [&](const Indices& j) {
            const ir::ExtentId column = table.add(next, j[0]);
            return stager.apply(ir::Op::Mul, {a.get(k, column), c.get(column, at[0])});
          });
      const ir::ExprId rest = stager.apply(ir::Op::Sub, {c.get(k, at[0]), sum});
      c.set(k, at[0], stager.apply(ir::Op::Div, {rest, a.get(k, k)}));
    });
  });
}

/// Solves for the columns of `b` in place, `a` being left in its upper triangle.
void solve_in_place(Stager& stager, const Array& a_array, const Array& b_array, const Failure& singular) {
  const ir::ExtentId n = a_array.shape.back();
  const ir::ExtentId columns = b_array.shape.back();
  stager.for_over(batch_shape(a_array), [&](const Indices& batch) {
    const Matrix a{stager, a_array, batch};
    const Matrix b{stager, b_array, batch};
    eliminate(stager, a, n, &b, columns,
              [&](ir::ExprId pivot, ir::ExprId) { singular(is_zero(stager, pivot)); });
    substitute_back(stager, a, b, n, columns);
  });
}

ir::FunctionId solve_routine(Stager& stager, ir::DType type) {
  return stager.routine(routine_name("solve", type), [&](ir::Function& function) {
    RoutineBody body{stager, function};
    function.routine = ir::Routine::Solve;
    function.results = {ir::DType::I64};
    const ir::ExtentId outer = body.size("outer");
    const ir::ExtentId n = body.size("n");
    const ir::ExtentId columns = body.size("columns");
    const Array a = body.array("a", type, {outer, n, n});
    const Array b = body.array("b", type, {outer, n, columns});
    solve_in_place(stager, a, b, gives(stager, {1}));
    stager.emit(ir::Return{{stager.integer(0)}});
  });
}

/// The x of a x = b, whose elements `right` gives, for its columns; raises LinAlgError.
Array solved(Stager& stager, const Array& a, const std::vector<ir::ExtentId>& shape, ir::DType type,
             const std::function<ir::ExprId(const Indices&)>& right) {
  const Failure singular = raises(stager, "Singular matrix");
  const ir::ExtentId n = stager.clamped(a.shape.back());
  if (!wants_routine(stager, n)) {
    const Array matrices = stager.copy(a, type);
    const Array x = stager.define(shape, type, right);
    solve_in_place(stager, matrices, x, singular);
    return x;
  }
  const Array matrices = in_a_row(stager, a, type);
  const Array x = define_in_a_row(stager, shape, type, right);
  const RoutineArgument arguments[] = {product(stager, batch_shape(a)), n, stager.clamped(shape.back()),
                                       matrices, x};
  constexpr std::string_view kResults[] = {"singular"};
  singular(nonzero(stager, call_routine(stager, solve_routine(stager, type), arguments, kResults)[0]));
  return stager.copy(x, type);
}

}  // namespace

/// a: (..., n, n); b: (n,), or (..., n, m) with the same leading sizes. Raises LinAlgError where a pivot is
/// zero.
Result<Value> solve(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array a, square_argument(stager, arguments, 0, "a"));
  PW_TRY(Array b, stager.to_array(required(arguments, 1, "b"), std::nullopt, arguments.span));
  const bool vector = b.shape.size() == 1;
  if (vector) b = stager.insert_axis(b, 1);
  if (b.shape.size() != a.shape.size()) {
    return unsupported(stager, arguments, "with stacks of different ranks",
                       "give both the same leading sizes");
  }
  for (std::size_t k = 0; k + 1 < a.shape.size(); ++k) {
    PW_CHECK_OK(stager.require_equal(a.shape[k], b.shape[k], arguments.span));
  }
  const ir::DType type = floating(ir::promote(floating(stager.type_of(a)), stager.type_of(b)));
  const Array x = solved(stager, a, b.shape, type,
                         [&](const Indices& at) { return stager.cast(stager.load(b, at), type); });
  return value(vector ? stager.drop_axis(x, 1) : x);
}

Result<Value> inverse(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, square_argument(stager, arguments, 0, "a"));
  const ir::DType type = floating(stager.type_of(a));
  return value(solved(stager, a, a.shape, type, [&](const Indices& at) {
    const ir::ExprId diagonal =
        stager.apply(ir::Op::Eq, {stager.index(at[at.size() - 1]), stager.index(at[at.size() - 2])});
    return stager.apply(ir::Op::Select, {diagonal, stager.cast(stager.integer(1), type), zero(stager, type)});
  }));
}

/// The product of the pivots, negative where the number of swaps is odd; 0 of a singular matrix, never -0.
Result<Value> determinant(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, square_copy(stager, arguments));
  const ir::DType type = stager.type_of(array);
  const std::vector<ir::ExtentId> shape = batch_shape(array);
  const Array out = stager.allocate(shape, type);
  stager.for_over(shape, [&](const Indices& batch) {
    const ir::LocalId det = stager.declare_variable("det", type, stager.cast(stager.integer(1), type));
    const Matrix a{stager, array, batch};
    const auto read = [&] { return stager.module.add(ir::Read{det}, stager.here()); };
    eliminate(stager, a, array.shape.back(), nullptr, stager.size(0),
              [&](ir::ExprId pivot, ir::ExprId swapped) {
                const ir::ExprId turned =
                    stager.apply(ir::Op::Select, {swapped, stager.apply(ir::Op::Neg, {pivot}), pivot});
                stager.emit(ir::Assign{det, stager.apply(ir::Op::Mul, {read(), turned})});
                const ir::BlockId stop = stager.block([&] {
                  stager.emit(ir::Assign{det, zero(stager, type)});
                  stager.emit(ir::Break{});
                });
                stager.emit(ir::If{is_zero(stager, pivot), stop, stager.block([] {})});
              });
    stager.store(out, batch, read());
  });
  if (!shape.empty()) return value(out);
  return stager.strong(kept(stager, stager.load(out, {})));
}

/// (sign, log of the modulus) of the determinant: (0, -inf) of a singular matrix.
Result<Value> sign_and_log_determinant(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, square_copy(stager, arguments));
  const ir::DType type = stager.type_of(array);
  const ir::DType part = ir::real_of(type);
  const std::vector<ir::ExtentId> shape = batch_shape(array);
  const Array signs = stager.allocate(shape, type);
  const Array logs = stager.allocate(shape, part);
  stager.for_over(shape, [&](const Indices& batch) {
    const auto read = [&](ir::LocalId variable) {
      return stager.module.add(ir::Read{variable}, stager.here());
    };
    const ir::LocalId sign = stager.declare_variable("sign", type, stager.cast(stager.integer(1), type));
    const ir::LocalId log = stager.declare_variable("log", part, stager.real(0.0, part));
    const Matrix a{stager, array, batch};
    eliminate(
        stager, a, array.shape.back(), nullptr, stager.size(0), [&](ir::ExprId pivot, ir::ExprId swapped) {
          const ir::ExprId size = kept(stager, stager.apply(ir::Op::Abs, {pivot}));
          const ir::BlockId stop = stager.block([&] {
            stager.emit(ir::Assign{sign, zero(stager, type)});
            stager.emit(ir::Assign{log, stager.real(-std::numeric_limits<double>::infinity(), part)});
            stager.emit(ir::Break{});
          });
          stager.emit(ir::If{is_zero(stager, pivot), stop, stager.block([] {})});
          const ir::ExprId turn = stager.apply(ir::Op::Div, {pivot, stager.cast(size, type)});
          const ir::ExprId turned =
              stager.apply(ir::Op::Select, {swapped, stager.apply(ir::Op::Neg, {turn}), turn});
          stager.emit(ir::Assign{sign, stager.apply(ir::Op::Mul, {read(sign), turned})});
          stager.emit(
              ir::Assign{log, stager.apply(ir::Op::Add, {read(log), stager.apply(ir::Op::Log, {size})})});
        });
    stager.store(signs, batch, read(sign));
    stager.store(logs, batch, read(log));
  });
  if (!shape.empty()) return value(Tuple{{value(signs), value(logs)}});
  return value(Tuple{{stager.strong(kept(stager, stager.load(signs, {}))),
                      stager.strong(kept(stager, stager.load(logs, {})))}});
}

/// The lower triangle L of L @ L^H = a, of which only the lower triangle is read. Raises LinAlgError where a
/// is not positive definite.
Result<Value> cholesky(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, square_argument(stager, arguments, 0, "a"));
  return value(cholesky_factor(stager, a, floating(stager.type_of(a))));
}

}  // namespace pw::numpy::functions
