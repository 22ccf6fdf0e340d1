#include "frontends/numpy/functions/matrix.h"

#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

ir::DType floating(ir::DType type) {
  return ir::is_float(type) || ir::is_complex(type) ? type : ir::DType::F64;
}

ir::ExprId conjugate(Stager& stager, ir::ExprId x) {
  return ir::is_complex(stager.module.type(x)) ? stager.apply(ir::Op::Conj, {x}) : x;
}

ir::ExprId real_part(Stager& stager, ir::ExprId x) {
  return ir::is_complex(stager.module.type(x)) ? stager.apply(ir::Op::Real, {x}) : x;
}

std::vector<ir::ExtentId> batch_shape(const Array& array) {
  return {array.shape.begin(), array.shape.end() - 2};
}

ir::ExprId nonzero(Stager& stager, ir::ExtentId extent) {
  return stager.apply(ir::Op::Ne, {stager.index(extent), stager.integer(0)});
}

Result<Array> square_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                              std::string_view name) {
  PW_TRY(Array array, stager.to_array(required(arguments, position, name), std::nullopt, arguments.span));
  const std::size_t rank = array.shape.size();
  if (rank < 2) return bad_call(stager, arguments, "with an array that is no matrix");
  PW_CHECK_OK(stager.require_equal(array.shape[rank - 1], array.shape[rank - 2], arguments.span));
  array.shape[rank - 1] = array.shape[rank - 2];
  return array;
}

Failure raises(Stager& stager, std::string_view message) {
  return [&stager, message](ir::ExprId failed) {
    stager.trap_if(failed, ir::TrapKind::LinAlgError, message, true);
  };
}

Failure gives(Stager& stager, std::vector<std::int64_t> results) {
  return [&stager, results = std::move(results)](ir::ExprId failed) {
    const ir::BlockId leave = stager.block([&] {
      ir::Return all;
      for (const std::int64_t each : results) all.values.push_back(stager.integer(each));
      stager.emit(std::move(all));
    });
    stager.emit(ir::If{failed, leave, stager.block([] {})});
  };
}

bool wants_routine(const Stager& stager, ir::ExtentId n) {
  constexpr std::int64_t kSmall = 16;
  const std::optional<std::int64_t> known = stager.module.extents.as_constant(n);
  return !known || *known > kSmall;
}

void factor_positive(Stager& stager, const Matrix& a, const Matrix& l, ir::ExtentId n,
                     const Failure& failure) {
  const ir::DType type = stager.type_of(l.array);
  const ir::DType part = ir::real_of(type);
  ir::ExtentTable& table = stager.extents();
  stager.range_over("j", stager.size(0), n, [&](ir::ExtentId j) {
    const std::vector<ir::ExtentId> known = {j};
    // sum over k < j of L[i, k] * conj(L[j, k])
    const auto dot = [&](ir::ExtentId i) {
      return stager.fold(known, ir::ReduceOp::Sum, type, ir::ReduceOrder::Any, [&](const Indices& k) {
        return stager.apply(ir::Op::Mul, {l.get(i, k[0]), conjugate(stager, l.get(j, k[0]))});
      });
    };
    const ir::ExprId left = stager.apply(ir::Op::Sub, {a.get(j, j), dot(j)});
    const ir::ExprId square = kept(stager, real_part(stager, left));
    failure(stager.apply(ir::Op::Le, {square, stager.real(0.0, part)}));  // NaN goes on, as in NumPy
    const ir::ExprId root = kept(stager, stager.cast(stager.apply(ir::Op::Sqrt, {square}), type));
    l.set(j, j, root);
    const ir::ExtentId next = table.add(j, stager.size(1));
    const ir::ExtentId below[] = {table.subtract(n, next)};
    stager.map_over(below, [&](const Indices& at) {
      const ir::ExtentId i = table.add(next, at[0]);
      const ir::ExprId rest = stager.apply(ir::Op::Sub, {a.get(i, j), dot(i)});
      l.set(i, j, stager.apply(ir::Op::Div, {rest, root}));
    });
  });
}

namespace {

ir::FunctionId cholesky_routine(Stager& stager, ir::DType type) {
  return stager.routine(routine_name("cholesky", type), [&](ir::Function& function) {
    RoutineBody body{stager, function};
    function.routine = ir::Routine::Cholesky;
    function.results = {ir::DType::I64};
    const ir::ExtentId outer = body.size("outer");
    const ir::ExtentId n = body.size("n");
    const Array a = body.array("a", type, {outer, n, n});
    stager.for_over(batch_shape(a), [&](const Indices& batch) {
      const Matrix matrix{stager, a, batch};
      factor_positive(stager, matrix, matrix, n, gives(stager, {1}));
    });
    stager.emit(ir::Return{{stager.integer(0)}});
  });
}

}  // namespace

Array cholesky_factor(Stager& stager, const Array& a, ir::DType type) {
  const Failure indefinite = raises(stager, "Matrix is not positive definite");
  const ir::ExtentId n = stager.clamped(a.shape.back());
  if (!wants_routine(stager, n)) {
    const Array source = stager.copy(a, type);
    const Array out = stager.zeros(a.shape, type);
    stager.for_over(batch_shape(a), [&](const Indices& batch) {
      factor_positive(stager, Matrix{stager, source, batch}, Matrix{stager, out, batch}, n, indefinite);
    });
    return out;
  }
  const Array work = in_a_row(stager, a, type);
  const RoutineArgument arguments[] = {product(stager, batch_shape(a)), n, work};
  constexpr std::string_view kResults[] = {"indefinite"};
  indefinite(nonzero(stager, call_routine(stager, cholesky_routine(stager, type), arguments, kResults)[0]));
  return stager.define(a.shape, type, [&](const Indices& at) {
    const ir::ExprId row = stager.index(at[at.size() - 2]);
    const ir::ExprId lower = stager.apply(ir::Op::Le, {stager.index(at.back()), row});
    return stager.apply(ir::Op::Select, {lower, stager.load(work, at), zero(stager, type)});
  });
}

ir::ExtentId place_in_order(Stager& stager, const Array& values, ir::ExtentId n, ir::ExtentId k,
                            ir::Op ahead) {
  const std::vector<ir::ExtentId> along = {n};
  const ir::ExprId own = kept(stager, stager.load(values, {k}));
  const ir::ExprId before =
      stager.fold(along, ir::ReduceOp::Sum, ir::DType::I64, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId other = stager.load(values, {at[0]});
        const ir::ExprId same = stager.apply(ir::Op::Eq, {other, own});
        const ir::ExprId first = stager.apply(ir::Op::Lt, {stager.index(at[0]), stager.index(k)});
        const ir::ExprId tie = stager.apply(ir::Op::And, {same, first});
        return stager.cast(stager.apply(ir::Op::Or, {stager.apply(ahead, {other, own}), tie}),
                           ir::DType::I64);
      });
  return place_within(stager, before, n, "place");
}

void require_squares(Stager& stager, const Array& a, std::string_view what) {
  constexpr double kLeast = 0x1p-900;
  const auto sum = [&](bool squared) {
    return stager.fold(a.shape, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any,
                       [&](const Indices& at) {
                         const ir::ExprId x = stager.load(a, at);
                         return squared ? stager.apply(ir::Op::Mul, {x, x}) : stager.apply(ir::Op::Abs, {x});
                       });
  };
  const ir::ExprId size = kept(stager, sum(true));
  const ir::ExprId least = stager.real(kLeast, ir::DType::F64);
  const ir::ExprId vanishes =
      stager.apply(ir::Op::And, {stager.apply(ir::Op::Lt, {size, least}),
                                 stager.apply(ir::Op::Gt, {sum(false), stager.real(0, ir::DType::F64)})});
  const ir::ExprId grows = stager.apply(ir::Op::Not, {stager.apply(ir::Op::IsFinite, {size})});
  stager.trap_if(stager.apply(ir::Op::Or, {grows, vanishes}), ir::TrapKind::Assumption,
                 std::string(what) + " of numbers whose squares are infinite or zero");
}

void sweep_pairs(Stager& stager, ir::ExtentId lines, const Failure& failure,
                 const std::function<PairTurn(ir::ExtentId p, ir::ExtentId q)>& pair) {
  constexpr std::int64_t kMostSweeps = 60;
  const auto read = [&](ir::LocalId variable) {
    return stager.module.add(ir::Read{variable}, stager.here());
  };
  const ir::ExprId yes = stager.constant(ir::const_bool(true));
  const ir::LocalId turned = stager.declare_variable("turned", ir::DType::Bool, yes);
  const ir::LocalId sweep = stager.declare_variable("sweep", ir::DType::I64, stager.integer(0));
  const ir::BlockId body = stager.block([&] {
    stager.emit(ir::Assign{turned, stager.constant(ir::const_bool(false))});
    stager.emit(ir::Assign{sweep, stager.apply(ir::Op::Add, {read(sweep), stager.integer(1)})});
    stager.range_over("p", stager.size(0), lines, [&](ir::ExtentId p) {
      stager.range_over("q", stager.extents().add(p, stager.size(1)), lines, [&](ir::ExtentId q) {
        const PairTurn found = pair(p, q);
        const ir::BlockId turn = stager.block([&] {
          const ir::ExprId counts =
              found.counts.valid() ? stager.apply(ir::Op::Or, {read(turned), found.counts}) : yes;
          stager.emit(ir::Assign{turned, counts});
          found.turn();
        });
        stager.emit(ir::If{found.wanted, turn, stager.block([] {})});
      });
    });
  });
  const ir::ExprId more = stager.apply(ir::Op::Lt, {read(sweep), stager.integer(kMostSweeps)});
  stager.emit(ir::While{stager.apply(ir::Op::And, {read(turned), more}), body});
  failure(read(turned));
}

}  // namespace pw::numpy::functions
