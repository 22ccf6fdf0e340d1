// np.histogram with bins of equal width.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.histogram.html: a value lies in bin i if
// edge[i] <= value < edge[i+1], the last bin has both its edges.
#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

struct Ends {
  ir::ExprId first;
  ir::ExprId last;
};

/// range=, or the least and greatest value (0 and 1 of no values); half a unit more on each side of one
/// point.
Result<Ends> outer_edges(Stager& stager, const Arguments& arguments, const Array& values, ir::DType type) {
  Ends ends;
  if (const Value* range = given(arguments, 2, "range")) {
    // NumPy makes the edges in the dtype of the range, not of the values.
    if (type != ir::DType::F64) {
      return unsupported(stager, arguments, "of float32 with a range", "cast the values to float64 first");
    }
    const std::vector<Value>* pair = sequence_items(*range);
    if (pair == nullptr || pair->size() != 2)
      return bad_call(stager, arguments, "with range other than a pair");
    const std::optional<Scalar> first = stager.as_scalar((*pair)[0]);
    const std::optional<Scalar> last = stager.as_scalar((*pair)[1]);
    if (!first || !last) return bad_call(stager, arguments, "with range other than two numbers");
    ends = {kept(stager, stager.cast(first->expr, type)), kept(stager, stager.cast(last->expr, type))};
    stager.trap_if(stager.apply(ir::Op::Gt, {ends.first, ends.last}), ir::TrapKind::ValueError,
                   "max must be larger than min in range parameter");
  } else {
    stager.trap_if(stager.apply(ir::Op::Le, {stager.index(values.shape[0]), stager.integer(0)}),
                   ir::TrapKind::Assumption, "a histogram of no values without a range");
    const auto extreme = [&](ir::ReduceOp op) {
      return stager.fold(values.shape, op, type, ir::ReduceOrder::Any,
                         [&](const Indices& at) { return stager.cast(stager.load(values, at), type); });
    };
    ends.first = extreme(ir::ReduceOp::Min);
    ends.last = extreme(ir::ReduceOp::Max);
  }
  const ir::ExprId finite = stager.apply(ir::Op::And, {stager.apply(ir::Op::IsFinite, {ends.first}),
                                                       stager.apply(ir::Op::IsFinite, {ends.last})});
  stager.trap_if(stager.apply(ir::Op::Not, {finite}), ir::TrapKind::ValueError, "range is not finite");
  const ir::ExprId point = kept(stager, stager.apply(ir::Op::Eq, {ends.first, ends.last}));
  const ir::ExprId half = stager.real(0.5, type);
  const auto moved = [&](ir::Op op, ir::ExprId edge) {
    return kept(stager, stager.apply(ir::Op::Select, {point, stager.apply(op, {edge, half}), edge}));
  };
  return Ends{moved(ir::Op::Sub, ends.first), moved(ir::Op::Add, ends.last)};
}

struct Bins {
  Ends ends;
  ir::ExprId width;  // of all bins together
  ir::ExtentId count;
  Array edges;
  ir::DType type;
};

/// Runs `body` with the bin of a value, if it lies in one.
void in_its_bin(Stager& stager, const Bins& bins, ir::ExprId value,
                const std::function<void(ir::ExtentId bin)>& body) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId last_bin = table.add(bins.count, stager.size(-1));
  const auto within = [&](ir::ExprId expr) {
    const ir::LocalId local = stager.let(expr, "bin");
    stager.module[local].range = {stager.size(0), last_bin};
    return table.local(local);
  };
  const ir::ExprId x = kept(stager, stager.cast(value, bins.type));
  const ir::ExprId inside = stager.apply(ir::Op::And, {stager.apply(ir::Op::Ge, {x, bins.ends.first}),
                                                       stager.apply(ir::Op::Le, {x, bins.ends.last})});
  const ir::BlockId found = stager.block([&] {
    const ir::ExprId share =
        stager.apply(ir::Op::Div, {stager.apply(ir::Op::Sub, {x, bins.ends.first}), bins.width});
    const ir::ExprId scaled =
        stager.apply(ir::Op::Mul, {share, stager.cast(stager.index(bins.count), bins.type)});
    const ir::ExprId position = stager.cast(scaled, ir::DType::I64);
    const ir::ExtentId guess = within(stager.apply(ir::Op::Minimum, {position, stager.index(last_bin)}));
    // Rounding may have put a value beside its bin.
    const ir::ExprId below = stager.apply(ir::Op::Lt, {x, stager.load(bins.edges, {guess})});
    const ir::ExtentId low = within(stager.apply(
        ir::Op::Select, {below, stager.index(table.add(guess, stager.size(-1))), stager.index(guess)}));
    const ir::ExtentId next = table.add(low, stager.size(1));
    const ir::ExprId above =
        stager.apply(ir::Op::And, {stager.apply(ir::Op::Ge, {x, stager.load(bins.edges, {next})}),
                                   stager.apply(ir::Op::Ne, {stager.index(low), stager.index(last_bin)})});
    body(within(stager.apply(ir::Op::Select, {above, stager.index(next), stager.index(low)})));
  });
  stager.emit(ir::If{inside, found, stager.block([] {})});
}

/// The weights of each bin's values. NumPy adds them up in float64, block by block of the values, and the
/// blocks' sums in the weights' dtype.
Result<Array> weighed(Stager& stager, const Arguments& arguments, const Value& given, const Array& shaped,
                      const Array& values, const Bins& bins) {
  PW_TRY(const Array raw, stager.to_array(given, std::nullopt, arguments.span));
  const ir::DType type = stager.type_of(raw);
  if (ir::is_complex(type) || type == ir::DType::Bool) {
    return unsupported(stager, arguments, "with weights of this dtype", "cast them to float first");
  }
  if (raw.shape.size() != shaped.shape.size()) {
    return stager.engine.report(Rule::NumpyRankMismatch, arguments.span, raw.shape.size(),
                                shaped.shape.size());
  }
  for (std::size_t k = 0; k < raw.shape.size(); ++k) {
    PW_CHECK_OK(stager.require_equal(raw.shape[k], shaped.shape[k], arguments.span));
  }
  PW_TRY(const Array weights, flattened(stager, at_least_rank(stager, raw, 1), arguments.span));
  constexpr std::int64_t kBlock = 65536;
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId total = values.shape[0];
  const ir::ExtentId block = stager.size(kBlock);
  const Array sums = stager.zeros({bins.count}, type);
  const ir::ExtentId blocks =
      table.apply(ir::ExtentOp::FloorDiv, table.add(total, stager.size(kBlock - 1)), block);
  stager.for_over(std::vector{blocks}, [&](const Indices& outer) {
    const ir::ExtentId first = table.scale(outer[0], kBlock);
    const ir::ExtentId length = table.apply(ir::ExtentOp::Min, block, table.subtract(total, first));
    const Array part = stager.zeros({bins.count}, ir::DType::F64);
    stager.for_over(std::vector{length}, [&](const Indices& inner) {
      const Indices at = {table.add(first, inner[0])};
      in_its_bin(stager, bins, stager.load(values, at), [&](ir::ExtentId bin) {
        const ir::ExprId weight = stager.cast(stager.load(weights, at), ir::DType::F64);
        stager.store(part, {bin}, stager.apply(ir::Op::Add, {stager.load(part, {bin}), weight}));
      });
    });
    stager.map_over(sums.shape, [&](const Indices& at) {
      const ir::ExprId more = stager.cast(stager.load(part, at), type);
      stager.store(sums, at, stager.apply(ir::Op::Add, {stager.load(sums, at), more}));
    });
  });
  return sums;
}

}  // namespace

/// a flattened; counts are int64. Returns (counts, edges).
Result<Value> histogram(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array raw, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_TRY(const Array values, flattened(stager, at_least_rank(stager, raw, 1), arguments.span));
  const ir::DType own = stager.type_of(values);
  if (ir::is_complex(own))
    return stager.engine.report(Rule::NumpyOpType, arguments.span, "histogram", "complex");
  const ir::DType type = ir::is_float(own) ? own : ir::DType::F64;
  const Value* bins_given = given(arguments, 1, "bins");
  const Value ten = value(std::int64_t{10});
  const Value& bins_value = bins_given == nullptr ? ten : *bins_given;
  if (bins_value.is<Array>() || sequence_items(bins_value) != nullptr) {
    return unsupported(stager, arguments, "with edges of one's own",
                       "give the number of bins and their range");
  }
  PW_TRY(const ir::ExtentId bins, stager.to_extent(bins_value, arguments.span));
  stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(bins), stager.integer(1)}), ir::TrapKind::ValueError,
                 "`bins` must be positive, when an integer");
  PW_TRY(const Ends ends, outer_edges(stager, arguments, values, type));
  Arguments line;
  line.name = "numpy.linspace";
  line.span = arguments.span;
  ir::ExtentTable& table = stager.extents();
  line.positional = {stager.strong(ends.first), stager.strong(ends.last),
                     stager.from_extent(table.add(bins, stager.size(1)))};
  line.keywords = {{"dtype", value(DTypeObject{type})}};
  PW_TRY(const Value edges_value, linspace(stager, line));
  const Array edges = *edges_value.as<Array>();
  const Bins where{ends, kept(stager, stager.apply(ir::Op::Sub, {ends.last, ends.first})), bins, edges, type};
  if (const Value* weights = given(arguments, 4, "weights")) {
    PW_TRY(const Array sums, weighed(stager, arguments, *weights, raw, values, where));
    return value(Tuple{{value(sums), edges_value}});
  }
  const Array counts = stager.zeros({bins}, ir::DType::I64);
  stager.for_over(values.shape, [&](const Indices& at) {
    in_its_bin(stager, where, stager.load(values, at), [&](ir::ExtentId bin) {
      stager.store(counts, {bin}, stager.apply(ir::Op::Add, {stager.load(counts, {bin}), stager.integer(1)}));
    });
  });
  return value(Tuple{{value(counts), edges_value}});
}

}  // namespace pw::numpy::functions
