// np.pad: copies with edges of constants, of the array's own elements, of their statistics, or of ramps.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.pad.html
#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

template <typename T>
struct Pair {
  T before;
  T after;
};
using Widths = Pair<ir::ExtentId>;

/// One value for all edges, (before, after), or a pair an axis: `convert` makes each.
template <typename T>
Result<std::vector<Pair<T>>> pairs_of(Stager& stager, const Arguments& arguments, const Value& given_pairs,
                                      std::size_t rank,
                                      const std::function<Result<T>(const Value&)>& convert) {
  const auto pair = [&](const Value& v) -> Result<Pair<T>> {
    const std::vector<Value>* items = sequence_items(v);
    if (items != nullptr && items->size() != 1 && items->size() != 2) {
      return bad_call(stager, arguments, "with other than one value or a pair for an axis");
    }
    PW_TRY(const T before, convert(items == nullptr ? v : items->front()));
    PW_TRY(const T after, convert(items == nullptr ? v : items->back()));
    return Pair<T>{before, after};
  };
  const std::vector<Value>* items = sequence_items(given_pairs);
  const bool nested = items != nullptr && !items->empty() && sequence_items(items->front()) != nullptr;
  std::vector<Pair<T>> out;
  for (std::size_t k = 0; k < rank; ++k) {
    if (nested && items->size() != 1 && items->size() != rank) {
      return stager.engine.report(Rule::NumpyShapeMismatch, arguments.span, items->size(), rank);
    }
    PW_TRY(const Pair<T> each, pair(!nested ? given_pairs : (*items)[items->size() == 1 ? 0 : k]));
    out.push_back(each);
  }
  return out;
}

Result<std::vector<Widths>> widths_of(Stager& stager, const Arguments& arguments, const Value& given_widths,
                                      std::size_t rank) {
  PW_TRY(const std::vector<Widths> out,
         pairs_of<ir::ExtentId>(stager, arguments, given_widths, rank,
                                [&](const Value& v) { return stager.to_extent(v, arguments.span); }));
  for (const Widths& each : out) {
    require_size(stager, each.before, "index can't contain negative values");
    require_size(stager, each.after, "index can't contain negative values");
  }
  return out;
}

/// Numbers at the edges, in a dtype.
Result<std::vector<Pair<ir::ExprId>>> numbers_of(Stager& stager, const Arguments& arguments,
                                                 std::string_view keyword, std::size_t rank, ir::DType type) {
  const Value* found = given(arguments, 99, keyword);
  const Value numbers = found == nullptr ? value(std::int64_t{0}) : *found;
  return pairs_of<ir::ExprId>(stager, arguments, numbers, rank, [&](const Value& v) -> Result<ir::ExprId> {
    const std::optional<Scalar> scalar = v.is<Array>() ? std::nullopt : stager.as_scalar(v);
    if (!scalar) return bad_call(stager, arguments, "with edge values that are no numbers");
    return kept(stager, stager.cast(scalar->expr, type));
  });
}

/// One axis of a padded array, whose middle is there; the axes before it are whole already.
struct PaddedAxis {
  Array out;
  std::size_t axis;
  Widths width;
  ir::ExtentId extent;                // of the middle
  std::vector<ir::ExtentId> offsets;  // of the region at hand, an axis each
  std::vector<ir::ExtentId> extents;
};

/// Fills one edge of an axis; `element` gets where it stores, and the distance from the middle.
void fill_edge(Stager& stager, const PaddedAxis& which, bool left,
               const std::function<ir::ExprId(const Indices& to, ir::ExtentId away)>& element) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId width = left ? which.width.before : which.width.after;
  if (table.as_constant(width) == 0) return;
  std::vector<ir::ExtentId> shape = which.extents;
  shape[which.axis] = width;
  stager.map_over(shape, [&](const Indices& at) {
    Indices to;
    for (std::size_t k = 0; k < at.size(); ++k) to.push_back(table.add(at[k], which.offsets[k]));
    const ir::ExtentId away = at[which.axis];
    // Position i of the left edge lies i+1 before the middle; of the right edge i behind its end.
    to[which.axis] = left ? table.subtract(table.add(which.width.before, stager.size(-1)), away)
                          : table.add(table.add(which.width.before, which.extent), away);
    stager.store(which.out, to, element(to, away));
  });
}

/// The modes that copy elements of the middle.
void copy_edges(Stager& stager, const PaddedAxis& which, std::string_view mode) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId last = table.add(which.extent, stager.size(-1));
  // Beyond this many, NumPy reflects or wraps again and again; from nothing it cannot take an edge.
  const ir::ExtentId most = mode == "reflect" ? last
                            : mode == "edge"  ? table.scale(which.extent, 1 << 20)
                                              : which.extent;
  for (const ir::ExtentId each : {which.width.before, which.width.after}) {
    if (stager.proves_nonnegative(table.subtract(most, each))) continue;
    stager.trap_if(stager.apply(ir::Op::Gt, {stager.index(each), stager.index(most)}),
                   ir::TrapKind::Assumption, "a pad wider than the array");
  }
  const auto edge = [&](bool left, const std::function<ir::ExtentId(ir::ExtentId)>& from) {
    fill_edge(stager, which, left, [&](const Indices& to, ir::ExtentId away) {
      Indices at = to;
      at[which.axis] = table.add(from(away), which.width.before);
      return stager.load(which.out, at);
    });
  };
  const ir::ExtentId one = stager.size(1);
  if (mode == "edge") {
    edge(true, [&](ir::ExtentId) { return stager.size(0); });
    edge(false, [&](ir::ExtentId) { return last; });
  } else if (mode == "reflect") {
    edge(true, [&](ir::ExtentId i) { return table.add(i, one); });
    edge(false, [&](ir::ExtentId i) { return table.subtract(table.subtract(last, one), i); });
  } else if (mode == "symmetric") {
    edge(true, [&](ir::ExtentId i) { return i; });
    edge(false, [&](ir::ExtentId i) { return table.subtract(last, i); });
  } else {
    edge(true, [&](ir::ExtentId i) { return table.subtract(last, i); });
    edge(false, [&](ir::ExtentId i) { return i; });
  }
}

/// What stands at each edge of an axis, one value a line along it: an array whose axis has size one.
Array line_values(Stager& stager, const PaddedAxis& which, ir::DType type,
                  const std::function<ir::ExprId(const std::function<Indices(ir::ExtentId)>& at)>& element) {
  std::vector<ir::ExtentId> shape = which.extents;
  shape[which.axis] = stager.size(1);
  return stager.define(shape, type, [&](const Indices& line) {
    return element([&](ir::ExtentId along) {
      Indices at;
      for (std::size_t k = 0; k < line.size(); ++k)
        at.push_back(stager.extents().add(line[k], which.offsets[k]));
      at[which.axis] = stager.extents().add(which.width.before, along);
      return at;
    });
  });
}

/// The index of a line in what line_values made.
Indices line_of(Stager& stager, const PaddedAxis& which, const Indices& to) {
  Indices at;
  for (std::size_t k = 0; k < to.size(); ++k)
    at.push_back(stager.extents().subtract(to[k], which.offsets[k]));
  at[which.axis] = stager.size(0);
  return at;
}

/// The greatest, least or mean of `length` elements of a line from `first` on, in the array's dtype.
ir::ExprId statistic(Stager& stager, std::string_view mode, ir::DType type, ir::ExtentId length,
                     const ElementBody& element) {
  const std::vector<ir::ExtentId> terms = {length};
  if (mode != "mean") {
    const ir::ReduceOp op = mode == "maximum" ? ir::ReduceOp::Max : ir::ReduceOp::Min;
    return stager.fold(terms, op, type, ir::ReduceOrder::Any, element);
  }
  const bool whole = !ir::is_float(type) && !ir::is_complex(type);
  const ir::DType part = whole ? ir::DType::F64 : type;
  // A float32 sum loses digits that NumPy's keeps.
  const ir::DType sum_type = part == ir::DType::F32 ? ir::DType::F64 : part;
  const ir::ExprId sum = stager.fold(terms, ir::ReduceOp::Sum, sum_type, ir::ReduceOrder::Any,
                                     [&](const Indices& at) { return stager.cast(element(at), sum_type); });
  const ir::ExprId mean =
      stager.apply(ir::Op::Div, {stager.cast(sum, part), stager.cast(stager.index(length), part)});
  return whole ? stager.cast(stager.apply(ir::Op::Rint, {mean}), type) : mean;
}

void statistic_edges(Stager& stager, const PaddedAxis& which, std::string_view mode, const Widths& lengths) {
  ir::ExtentTable& table = stager.extents();
  const ir::DType type = stager.type_of(which.out);
  stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(which.extent), stager.integer(1)}),
                 ir::TrapKind::Assumption, "a statistic of no elements");
  for (const bool left : {true, false}) {
    const ir::ExtentId wanted = left ? lengths.before : lengths.after;
    const ir::ExtentId length =
        wanted == which.extent ? wanted : table.apply(ir::ExtentOp::Min, wanted, which.extent);
    const ir::ExtentId first = left ? stager.size(0) : table.subtract(which.extent, length);
    const Array values = line_values(stager, which, type, [&](const auto& at) {
      return statistic(stager, mode, type, length,
                       [&](const Indices& k) { return stager.load(which.out, at(table.add(first, k[0]))); });
    });
    fill_edge(stager, which, left, [&](const Indices& to, ir::ExtentId) {
      return stager.load(values, line_of(stager, which, to));
    });
  }
}

/// From an end value at the outermost place to the edge of the middle, as np.linspace counts.
void ramp_edges(Stager& stager, const PaddedAxis& which, const Pair<ir::ExprId>& ends) {
  ir::ExtentTable& table = stager.extents();
  constexpr ir::DType kType = ir::DType::F64;
  const ir::DType type = stager.type_of(which.out);
  const ir::ExprId zero = stager.real(0.0, kType);
  for (const bool left : {true, false}) {
    const ir::ExprId end = left ? ends.before : ends.after;
    const ir::ExtentId width = left ? which.width.before : which.width.after;
    const ir::ExprId parts = stager.cast(stager.index(width), kType);
    const ir::ExtentId edge = left ? stager.size(0) : table.add(which.extent, stager.size(-1));
    const Array rises = line_values(stager, which, kType, [&](const auto& at) {
      return stager.apply(ir::Op::Sub, {stager.cast(stager.load(which.out, at(edge)), kType), end});
    });
    // Where a step of any line is zero NumPy divides first in all of them.
    const ir::ExprId flat = stager.fold(
        rises.shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any, [&](const Indices& at) {
          return stager.apply(ir::Op::Eq, {stager.apply(ir::Op::Div, {stager.load(rises, at), parts}), zero});
        });
    fill_edge(stager, which, left, [&](const Indices& to, ir::ExtentId away) {
      const ir::ExtentId from_end = table.subtract(table.add(width, stager.size(-1)), away);
      const ir::ExprId place = stager.cast(stager.index(from_end), kType);
      const ir::ExprId rise = stager.load(rises, line_of(stager, which, to));
      const ir::ExprId divided = stager.apply(ir::Op::Mul, {stager.apply(ir::Op::Div, {place, parts}), rise});
      const ir::ExprId stepped = stager.apply(ir::Op::Mul, {place, stager.apply(ir::Op::Div, {rise, parts})});
      const ir::ExprId y =
          stager.apply(ir::Op::Add, {stager.apply(ir::Op::Select, {flat, divided, stepped}), end});
      return stager.cast(ir::is_integer(type) ? stager.apply(ir::Op::Floor, {y}) : y, type);
    });
  }
}

bool is_statistic(std::string_view mode) { return mode == "maximum" || mode == "minimum" || mode == "mean"; }
bool copies(std::string_view mode) {
  return mode == "edge" || mode == "reflect" || mode == "symmetric" || mode == "wrap";
}

Result<Done> check_mode(Stager& stager, const Arguments& arguments, const std::string& mode, ir::DType type) {
  const bool known = copies(mode) || is_statistic(mode) || mode == "constant" || mode == "linear_ramp";
  if (!known) {
    return unsupported(stager, arguments, "in mode " + mode,
                       "use constant, edge, reflect, symmetric, wrap, linear_ramp, maximum, mean or minimum");
  }
  const bool ordered = mode == "maximum" || mode == "minimum" || mode == "linear_ramp";
  if (ordered && ir::is_complex(type)) {
    return unsupported(stager, arguments, "of complex numbers in mode " + mode, "pad the parts");
  }
  PW_TRY(const std::string reflects, text_argument(stager, arguments, 99, "reflect_type", "even"));
  if (reflects != "even")
    return unsupported(stager, arguments, "with this reflect_type", "use reflect_type='even'");
  return Done{};
}

}  // namespace

/// All modes but empty; widths of run-time sizes are taken.
Result<Value> pad(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "array"), std::nullopt, arguments.span));
  const std::size_t rank = array.shape.size();
  PW_TRY(const std::vector<Widths> widths,
         widths_of(stager, arguments, required(arguments, 1, "pad_width"), rank));
  PW_TRY(const std::string mode, text_argument(stager, arguments, 2, "mode", "constant"));
  const ir::DType type = stager.type_of(array);
  PW_CHECK_OK(check_mode(stager, arguments, mode, type));
  const bool ramps = mode == "linear_ramp";
  PW_TRY(const auto numbers, numbers_of(stager, arguments, ramps ? "end_values" : "constant_values", rank,
                                        ramps ? ir::DType::F64 : type));
  ir::ExtentTable& table = stager.extents();
  std::vector<ir::ExtentId> shape;
  std::vector<ir::ExtentId> offsets;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(table.add(table.add(array.shape[k], widths[k].before), widths[k].after));
    offsets.push_back(widths[k].before);
  }
  std::vector<Widths> lengths;
  const Value* stat_length = given(arguments, 99, "stat_length");
  if (stat_length != nullptr && is_statistic(mode)) {
    PW_TRY(lengths, widths_of(stager, arguments, *stat_length, rank));
  }
  const Array out = stager.allocate(shape, type);
  const Value* constants = given(arguments, 99, "constant_values");
  const bool one_constant =
      mode == "constant" && (constants == nullptr || sequence_items(*constants) == nullptr);
  if (one_constant) {
    PW_CHECK_OK(
        stager.assign(out, constants == nullptr ? value(std::int64_t{0}) : *constants, arguments.span));
  }
  stager.map_over(array.shape, [&](const Indices& at) {
    Indices to;
    for (std::size_t k = 0; k < rank; ++k) to.push_back(table.add(at[k], offsets[k]));
    stager.store(out, to, stager.load(array, at));
  });
  if (one_constant) return value(out);
  std::vector<ir::ExtentId> extents = array.shape;
  for (std::size_t k = 0; k < rank; ++k) {
    const PaddedAxis which{out, k, widths[k], array.shape[k], offsets, extents};
    if (copies(mode)) {
      copy_edges(stager, which, mode);
    } else if (is_statistic(mode)) {
      const Widths all{array.shape[k], array.shape[k]};
      statistic_edges(stager, which, mode, lengths.empty() ? all : lengths[k]);
    } else if (ramps) {
      ramp_edges(stager, which, numbers[k]);
    } else {
      fill_edge(stager, which, true, [&](const Indices&, ir::ExtentId) { return numbers[k].before; });
      fill_edge(stager, which, false, [&](const Indices&, ir::ExtentId) { return numbers[k].after; });
    }
    offsets[k] = stager.size(0);
    extents[k] = shape[k];
  }
  return value(out);
}

}  // namespace pw::numpy::functions
