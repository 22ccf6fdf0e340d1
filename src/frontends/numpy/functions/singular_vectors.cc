// Singular values with their vectors: a library routine, whose loops turn rows until they are orthogonal.
// Source: Golub and Van Loan, Matrix Computations, 8.6.3 (one-sided Jacobi);
// https://numpy.org/doc/stable/reference/generated/numpy.linalg.svd.html
#include "frontends/numpy/functions/matrix.h"
#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

namespace {

constexpr ir::DType kType = ir::DType::F64;

struct Parameters {
  ir::ExtentId outer, rows, columns;
  Array a, u, s, v;
};

/// One matrix of the stack. Rows are turned of what lies: the matrix where it is wide, else its transpose.
void decompose(Stager& stager, const Parameters& p, ir::ExtentId o, ir::ExtentId lines,
               ir::ExtentId longest) {
  const ir::ExprId is_wide = stager.apply(ir::Op::Le, {stager.index(p.rows), stager.index(p.columns)});
  const Array lying = stager.allocate({lines, longest}, kType);
  const ir::ExtentId size[] = {p.rows, p.columns};
  const auto fill = [&](bool wide) {
    stager.map_over(size, [&](const Indices& at) {
      stager.store(lying, wide ? at : Indices{at[1], at[0]}, stager.load(p.a, {o, at[0], at[1]}));
    });
  };
  if_else(stager, is_wide, [&] { fill(true); }, [&] { fill(false); });
  const Array turned = stager.define({lines, lines}, kType, [&](const Indices& at) {
    return stager.cast(stager.apply(ir::Op::Eq, {stager.index(at[0]), stager.index(at[1])}), kType);
  });
  make_rows_orthogonal(stager, Matrix{stager, lying, {}}, lines, longest, Matrix{stager, turned, {}}, lines,
                       gives(stager, {1}));
  const std::vector<ir::ExtentId> along = {longest};
  const Array lengths = stager.define({lines}, kType, [&](const Indices& row) {
    const ir::ExprId square =
        stager.fold(along, ir::ReduceOp::Sum, kType, ir::ReduceOrder::Any, [&](const Indices& at) {
          const ir::ExprId x = stager.load(lying, {row[0], at[0]});
          return stager.apply(ir::Op::Mul, {x, x});
        });
    return stager.apply(ir::Op::Sqrt, {square});
  });
  const std::vector<ir::ExtentId> every = {lines};
  const ir::ExprId whole =
      stager.fold(every, ir::ReduceOp::Sum, kType, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId length = stager.load(lengths, at);
        return stager.apply(ir::Op::Mul, {length, length});
      });
  constexpr double kNoise = 0x1p-50;  // of the whole's length: rows that short were not turned to rest
  const ir::ExprId noise = kept(
      stager, stager.apply(ir::Op::Mul, {stager.real(kNoise, kType), stager.apply(ir::Op::Sqrt, {whole})}));
  const Failure leaves_open = gives(stager, {2});
  const std::vector<ir::ExtentId> all = {lines};
  stager.for_over(all, [&](const Indices& at) {
    const ir::ExtentId k = at[0];
    const ir::ExprId length = kept(stager, stager.load(lengths, {k}));
    leaves_open(stager.apply(ir::Op::Le, {length, noise}));
    const ir::ExtentId place = place_in_order(stager, lengths, lines, k, ir::Op::Gt);
    stager.store(p.s, {o, place}, length);
    const ir::ExtentId wide[] = {longest};
    const ir::ExtentId narrow[] = {lines};
    const auto write = [&](bool is_wide_one) {
      stager.map_over(wide, [&](const Indices& to) {
        const ir::ExprId part = stager.apply(ir::Op::Div, {stager.load(lying, {k, to[0]}), length});
        stager.store(is_wide_one ? p.v : p.u,
                     is_wide_one ? Indices{o, place, to[0]} : Indices{o, to[0], place}, part);
      });
      stager.map_over(narrow, [&](const Indices& to) {
        stager.store(is_wide_one ? p.u : p.v,
                     is_wide_one ? Indices{o, to[0], place} : Indices{o, place, to[0]},
                     stager.load(turned, {k, to[0]}));
      });
    };
    if_else(stager, is_wide, [&] { write(true); }, [&] { write(false); });
  });
}

ir::FunctionId singular_routine(Stager& stager) {
  return stager.routine("svd", [&](ir::Function& function) {
    ir::ExtentTable& table = stager.extents();
    RoutineBody body{stager, function};
    function.routine = ir::Routine::Svd;
    function.results = {ir::DType::I64};
    Parameters p;
    p.outer = body.size("outer");
    p.rows = body.size("rows");
    p.columns = body.size("columns");
    const ir::ExtentId u_columns = body.size("u_columns");
    const ir::ExtentId v_rows = body.size("v_rows");
    const ir::ExtentId lines = table.apply(ir::ExtentOp::Min, p.rows, p.columns);
    p.a = body.array("a", kType, {p.outer, p.rows, p.columns});
    p.u = body.array("u", kType, {p.outer, p.rows, u_columns});
    p.s = body.array("s", kType, {p.outer, lines});
    p.v = body.array("v", kType, {p.outer, v_rows, p.columns});
    const auto differs = [&](ir::ExtentId size) {
      return stager.apply(ir::Op::Ne, {stager.index(size), stager.index(lines)});
    };
    gives(stager, {2})(stager.apply(ir::Op::Or, {differs(u_columns), differs(v_rows)}));
    const std::vector<ir::ExtentId> stack = {p.outer};
    stager.for_over(stack, [&](const Indices& at) {
      decompose(stager, p, at[0], lines, table.apply(ir::ExtentOp::Max, p.rows, p.columns));
    });
    stager.emit(ir::Return{{stager.integer(0)}});
  });
}

}  // namespace

/// a: (..., m, n), k = min(m, n). U: (..., m, k), S: (..., k), falling, and Vh: (..., k, n); where
/// full_matrices U has m columns and Vh n rows. Signs are LAPACK's where there is one; without it vectors of
/// singular values that are 0, and those that complete a basis, are declined.
Result<Value> singular_vectors(Stager& stager, const Arguments& arguments) {
  PW_TRY(const bool full, bool_argument(stager, arguments, 1, "full_matrices", true));
  PW_TRY(const Array a, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  const std::size_t rank = a.shape.size();
  if (rank < 2) return bad_call(stager, arguments, "of an array that is no matrix");
  if (ir::is_complex(stager.type_of(a)))
    return unsupported(stager, arguments, "of complex numbers", "write it for real matrices");
  const ir::DType result = stager.type_of(a) == ir::DType::F32 ? ir::DType::F32 : kType;
  const ir::ExtentId rows = stager.clamped(a.shape[rank - 2]);
  const ir::ExtentId columns = stager.clamped(a.shape[rank - 1]);
  const ir::ExtentId lines =
      rows == columns ? rows : stager.extents().apply(ir::ExtentOp::Min, rows, columns);
  const std::vector<ir::ExtentId> batch = batch_shape(a);
  const auto stacked = [&](std::initializer_list<ir::ExtentId> last) {
    std::vector<ir::ExtentId> out = batch;
    out.insert(out.end(), last);
    return out;
  };
  const Array work = in_a_row(stager, a, kType);
  require_squares(stager, work, "a matrix");
  const ir::ExtentId u_columns = full ? rows : lines;
  const ir::ExtentId v_rows = full ? columns : lines;
  const Array u = allocate_in_a_row(stager, stacked({rows, u_columns}), kType);
  const Array s = allocate_in_a_row(stager, stacked({lines}), kType);
  const Array v = allocate_in_a_row(stager, stacked({v_rows, columns}), kType);
  const RoutineArgument parts[] = {product(stager, batch), rows, columns, u_columns, v_rows, work, u, s, v};
  constexpr std::string_view kResults[] = {"outcome"};
  const ir::ExtentId outcome = call_routine(stager, singular_routine(stager), parts, kResults)[0];
  const auto is = [&](std::int64_t number) {
    return stager.apply(ir::Op::Eq, {stager.index(outcome), stager.integer(number)});
  };
  raises(stager, "SVD did not converge")(is(1));
  stager.trap_if(is(2), ir::TrapKind::Assumption, "singular vectors that the matrix leaves open");
  return value(
      Tuple{{value(stager.copy(u, result)), value(stager.copy(s, result)), value(stager.copy(v, result))}});
}

}  // namespace pw::numpy::functions
