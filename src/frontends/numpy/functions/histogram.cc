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

ir::ExprId kept(Stager& stager, ir::ExprId expr) {
  return stager.module.add(ir::Read{stager.let(expr)}, stager.here());
}

/// range=, or the least and greatest value (0 and 1 of no values); half a unit more on each side of one
/// point.
Result<Ends> outer_edges(Stager& stager, const Arguments& arguments, const Array& values, ir::DType type) {
  Ends ends;
  if (const Value* range = given(arguments, 2, "range")) {
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
  if (given(arguments, 4, "weights") != nullptr) {
    // NumPy sums weights block by block in float64; a plain sum has other bits.
    return unsupported(stager, arguments, "with weights", "add the weights up with np.add.at");
  }
  const ir::DType counted = ir::DType::I64;
  const Array counts =
      stager.define({bins}, counted, [&](const Indices&) { return stager.cast(stager.integer(0), counted); });
  const ir::ExprId width = kept(stager, stager.apply(ir::Op::Sub, {ends.last, ends.first}));
  const ir::ExtentId last_bin = table.add(bins, stager.size(-1));
  const auto within = [&](ir::ExprId expr) {
    const ir::LocalId local = stager.let(expr, "bin");
    stager.module[local].range = {stager.size(0), last_bin};
    return table.local(local);
  };
  stager.for_over(values.shape, [&](const Indices& at) {
    const ir::ExprId x = kept(stager, stager.cast(stager.load(values, at), type));
    const ir::ExprId inside = stager.apply(
        ir::Op::And, {stager.apply(ir::Op::Ge, {x, ends.first}), stager.apply(ir::Op::Le, {x, ends.last})});
    const ir::BlockId counting = stager.block([&] {
      const ir::ExprId share = stager.apply(ir::Op::Div, {stager.apply(ir::Op::Sub, {x, ends.first}), width});
      const ir::ExprId scaled = stager.apply(ir::Op::Mul, {share, stager.cast(stager.index(bins), type)});
      const ir::ExprId position = stager.cast(scaled, ir::DType::I64);
      const ir::ExtentId guess = within(stager.apply(ir::Op::Minimum, {position, stager.index(last_bin)}));
      // Rounding may have put a value beside its bin.
      const ir::ExprId below = stager.apply(ir::Op::Lt, {x, stager.load(edges, {guess})});
      const ir::ExprId lowered = stager.apply(
          ir::Op::Select, {below, stager.index(table.add(guess, stager.size(-1))), stager.index(guess)});
      const ir::ExtentId low = within(lowered);
      const ir::ExtentId next = table.add(low, stager.size(1));
      const ir::ExprId above =
          stager.apply(ir::Op::And, {stager.apply(ir::Op::Ge, {x, stager.load(edges, {next})}),
                                     stager.apply(ir::Op::Ne, {stager.index(low), stager.index(last_bin)})});
      const ir::ExtentId bin =
          within(stager.apply(ir::Op::Select, {above, stager.index(next), stager.index(low)}));
      const ir::ExprId one = stager.integer(1);
      stager.store(counts, {bin}, stager.apply(ir::Op::Add, {stager.load(counts, {bin}), one}));
    });
    stager.emit(ir::If{inside, counting, stager.block([] {})});
  });
  return value(Tuple{{value(counts), edges_value}});
}

}  // namespace pw::numpy::functions
