// Places of values: searchsorted, digitize, bincount; sets: unique, isin and what is made of them.
// Source: https://numpy.org/doc/stable/reference/routines.sort.html, routines.set.html
#include "base/check.h"
#include "frontends/numpy/functions/sorting.h"

namespace pw::numpy::functions {

namespace {

/// A number or nested numbers as an array of their own dtype: NumPy gives Python numbers here no weaker one.
Result<Array> keys_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                            std::string_view keyword) {
  PW_TRY(const Array array,
         stager.to_array(required(arguments, position, keyword), std::nullopt, arguments.span));
  PW_CHECK_OK(require_ordered(stager, arguments, array));
  return array;
}

Result<Array> flat_keys(Stager& stager, const Arguments& arguments, std::size_t position,
                        std::string_view keyword) {
  PW_TRY(const Array array, keys_argument(stager, arguments, position, keyword));
  return flattened(stager, at_least_rank(stager, array, 1), arguments.span);
}

/// `element` of each key: a number where the keys are one.
Value for_keys(Stager& stager, const Array& keys, ir::DType type,
               const std::function<ir::ExprId(ir::ExprId)>& element) {
  if (keys.shape.empty()) return stager.strong(kept(stager, element(stager.load(keys, {}))));
  return value(
      stager.define(keys.shape, type, [&](const Indices& at) { return element(stager.load(keys, at)); }));
}

}  // namespace

ir::ExprId bisect(Stager& stager, ir::ExtentId n, ir::ExprId key, bool right, const ElementAt& element) {
  ir::ExtentTable& table = stager.extents();
  const auto read = [&](ir::LocalId variable) {
    return stager.module.add(ir::Read{variable}, stager.here());
  };
  const ir::LocalId low = stager.declare_variable("low", ir::DType::I64, stager.integer(0));
  const ir::LocalId high = stager.declare_variable("high", ir::DType::I64, stager.index(n));
  const ir::ExprId wanted = kept(stager, key);
  const ir::BlockId body = stager.block([&] {
    const ir::ExtentId below = place_within(stager, read(low), n, "below");
    const ir::ExtentId above = place_within(stager, read(high), table.add(n, stager.size(1)), "above");
    const ir::ExtentId half = table.apply(ir::ExtentOp::FloorDiv, table.add(below, above), stager.size(2));
    const ir::ExtentId middle = place_within(stager, stager.index(half), n, "middle");
    const ir::ExprId here = kept(stager, element(middle));
    const ir::ExprId goes_up =
        kept(stager, right ? stager.apply(ir::Op::Not, {comes_before(stager, wanted, here)})
                           : comes_before(stager, here, wanted));
    const ir::ExprId next = stager.index(table.add(middle, stager.size(1)));
    stager.emit(ir::Assign{low, stager.apply(ir::Op::Select, {goes_up, next, stager.index(below)})});
    stager.emit(
        ir::Assign{high, stager.apply(ir::Op::Select, {goes_up, stager.index(above), stager.index(middle)})});
  });
  stager.emit(ir::While{stager.apply(ir::Op::Lt, {read(low), read(high)}), body});
  return kept(stager, read(low));
}

/// How many elements of the sorted vector `a` come before each of `v` (side='right': or equal it); NaN comes
/// last, as np.sort has it.
Result<Value> searchsorted(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array sorted,
         keys_argument(stager, arguments, 0, arguments.name.starts_with("ndarray") ? "self" : "a"));
  if (sorted.shape.size() != 1) return bad_call(stager, arguments, "in an array that is no vector");
  PW_TRY(const Array keys, keys_argument(stager, arguments, 1, "v"));
  PW_TRY(const std::string side, text_argument(stager, arguments, 2, "side", "left"));
  if (side != "left" && side != "right") return bad_call(stager, arguments, "with this side");
  const ir::DType type = ir::promote(stager.type_of(sorted), stager.type_of(keys));
  return for_keys(stager, keys, ir::DType::I64, [&](ir::ExprId key) {
    return bisect(stager, stager.clamped(sorted.shape[0]), stager.cast(key, type), side == "right",
                  [&](ir::ExtentId at) { return stager.cast(stager.load(sorted, {at}), type); });
  });
}

/// The bin of each value between edges that rise or fall.
Result<Value> digitize(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array keys, keys_argument(stager, arguments, 0, "x"));
  PW_TRY(const Array edges, keys_argument(stager, arguments, 1, "bins"));
  if (edges.shape.size() != 1) return bad_call(stager, arguments, "with bins that are no vector");
  PW_TRY(const bool right, bool_argument(stager, arguments, 2, "right", false));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId n = stager.clamped(edges.shape[0]);
  const std::vector<ir::ExtentId> gaps = {table.add(n, stager.size(-1))};
  const auto any = [&](ir::Op op) {
    return stager.fold(gaps, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any,
                       [&](const Indices& at) {
                         const Indices next = {table.add(at[0], stager.size(1))};
                         return stager.apply(op, {stager.load(edges, next), stager.load(edges, at)});
                       });
  };
  const ir::ExprId falls = any(ir::Op::Lt);
  const ir::ExprId mixed = stager.apply(ir::Op::And, {falls, any(ir::Op::Gt)});
  stager.trap_if(mixed, ir::TrapKind::ValueError, "bins must be monotonically increasing or decreasing");
  if (ir::is_float(stager.type_of(edges))) {
    const std::vector<ir::ExtentId> all = {n};
    const ir::ExprId nan =
        stager.fold(all, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any,
                    [&](const Indices& at) { return stager.apply(ir::Op::IsNan, {stager.load(edges, at)}); });
    stager.trap_if(nan, ir::TrapKind::Assumption, "bins without NaN");
  }
  const ir::DType type = ir::promote(stager.type_of(edges), stager.type_of(keys));
  return for_keys(stager, keys, ir::DType::I64, [&](ir::ExprId key) {
    // Falling edges are searched from their end: the number of those on the other side is the rest.
    const auto found = [&](bool reversed) {
      return bisect(stager, n, stager.cast(key, type), !right, [&](ir::ExtentId at) {
        const ir::ExtentId from_end = table.subtract(table.add(n, stager.size(-1)), at);
        return stager.cast(stager.load(edges, {reversed ? from_end : at}), type);
      });
    };
    const ir::LocalId bin = stager.declare_variable("bin", ir::DType::I64, stager.integer(0));
    const ir::BlockId down = stager.block(
        [&] { stager.emit(ir::Assign{bin, stager.apply(ir::Op::Sub, {stager.index(n), found(true)})}); });
    const ir::BlockId up = stager.block([&] { stager.emit(ir::Assign{bin, found(false)}); });
    stager.emit(ir::If{falls, down, up});
    return stager.module.add(ir::Read{bin}, stager.here());
  });
}

/// How often each number from 0 on stands in a vector, or the sum of its weights in float64.
Result<Value> bincount(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array numbers, keys_argument(stager, arguments, 0, "x"));
  const ir::DType own = stager.type_of(numbers);
  if (numbers.shape.size() != 1) return bad_call(stager, arguments, "of an array that is no vector");
  if (ir::is_float(own) || own == ir::DType::U64) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, "bincount", ir::row(own).numpy);
  }
  const Value* least = given(arguments, 2, "minlength");
  PW_TRY(const ir::ExtentId minimum,
         least == nullptr ? Result<ir::ExtentId>(stager.size(0)) : stager.to_extent(*least, arguments.span));
  require_size(stager, minimum, "'minlength' must not be negative");
  std::optional<Array> weights;
  if (const Value* given_weights = given(arguments, 1, "weights")) {
    PW_TRY(weights, stager.to_array(*given_weights, std::nullopt, arguments.span));
    const bool shaped = weights->shape.size() == 1 && !ir::is_complex(stager.type_of(*weights));
    if (!shaped) return bad_call(stager, arguments, "with weights that are no vector of real numbers");
    PW_CHECK_OK(stager.require_equal(weights->shape[0], numbers.shape[0], arguments.span));
  }
  const auto number = [&](const Indices& at) {
    return stager.cast(stager.load(numbers, at), ir::DType::I64);
  };
  const ir::LocalId bins = stager.declare_variable("bins", ir::DType::I64, stager.index(minimum));
  stager.for_over(numbers.shape, [&](const Indices& at) {
    const ir::ExprId x = kept(stager, number(at));
    stager.trap_if(stager.apply(ir::Op::Lt, {x, stager.integer(0)}), ir::TrapKind::ValueError,
                   "'list' argument must have no negative elements");
    const ir::ExprId before = stager.module.add(ir::Read{bins}, stager.here());
    const ir::ExprId through = stager.apply(ir::Op::Add, {x, stager.integer(1)});
    stager.emit(ir::Assign{bins, stager.apply(ir::Op::Maximum, {before, through})});
  });
  const ir::LocalId length = stager.let(stager.module.add(ir::Read{bins}, stager.here()), "length");
  stager.module[length].range = {minimum, {}};
  const ir::ExtentId count = stager.extents().local(length);
  const ir::DType type = weights ? ir::DType::F64 : ir::DType::I64;
  const Array out = stager.zeros({count}, type);
  stager.for_over(numbers.shape, [&](const Indices& at) {
    const Indices bin = {place_within(stager, number(at), count, "bin")};
    const ir::ExprId more = weights ? stager.cast(stager.load(*weights, at), type) : stager.integer(1);
    stager.store(out, bin, stager.apply(ir::Op::Add, {stager.load(out, bin), more}));
  });
  return value(out);
}

namespace {

/// Where a sorted vector has an element that the one before does not equal; all NaN count as one.
Array first_of_equals(Stager& stager, const Array& keys) {
  ir::ExtentTable& table = stager.extents();
  return stager.define(keys.shape, ir::DType::Bool, [&](const Indices& at) {
    const Indices before = {
        table.apply(ir::ExtentOp::Max, table.add(at[0], stager.size(-1)), stager.size(0))};
    const ir::ExprId first = stager.apply(ir::Op::Eq, {stager.index(at[0]), stager.integer(0)});
    const ir::ExprId a = stager.load(keys, before);
    const ir::ExprId b = stager.load(keys, at);
    return stager.apply(ir::Op::Or, {first, comes_before(stager, a, b)});
  });
}

Array unique_counts(Stager& stager, const Array& mask) {
  ir::ExtentTable& table = stager.extents();
  const Array starts = stager.nonzero(mask).front();
  const ir::ExtentId last = table.add(starts.shape[0], stager.size(-1));
  return stager.define(starts.shape, ir::DType::I64, [&](const Indices& at) {
    const ir::ExprId is_last = stager.apply(ir::Op::Eq, {stager.index(at[0]), stager.index(last)});
    const Indices next = {table.apply(ir::ExtentOp::Min, table.add(at[0], stager.size(1)), last)};
    const ir::ExprId end = stager.apply(
        ir::Op::Select, {is_last, stager.index(stager.clamped(mask.shape[0])), stager.load(starts, next)});
    return stager.apply(ir::Op::Sub, {end, stager.load(starts, at)});
  });
}

Array unique_inverse(Stager& stager, const Array& mask, const Array& places) {
  const Array out = stager.allocate(mask.shape, ir::DType::I64);
  const ir::LocalId running = stager.declare_variable("running", ir::DType::I64, stager.integer(-1));
  stager.for_over(mask.shape, [&](const Indices& at) {
    const ir::ExprId before = stager.module.add(ir::Read{running}, stager.here());
    const ir::ExprId now =
        kept(stager, stager.apply(ir::Op::Add, {before, stager.cast(stager.load(mask, at), ir::DType::I64)}));
    stager.emit(ir::Assign{running, now});
    stager.store(out, {place_within(stager, stager.load(places, at), mask.shape[0], "place")}, now);
  });
  return out;
}

struct Distinct {
  Array keys;  // sorted
  Array mask;  // of the first of each
  std::optional<Array> places;
};

Distinct distinct(Stager& stager, const Array& flat, bool wants_places) {
  Distinct out{stager.copy(flat, stager.type_of(flat), "keys"), {}, {}};
  if (wants_places) {
    out.places =
        stager.define(flat.shape, ir::DType::I64, [&](const Indices& at) { return stager.index(at[0]); });
  }
  sort_vector(stager, out.keys, out.places);
  out.mask = first_of_equals(stager, out.keys);
  return out;
}

Result<Array> unique_of(Stager& stager, const Array& flat, base::Span span) {
  const Distinct found = distinct(stager, flat, false);
  PW_TRY(const Value values, stager.select(found.keys, found.mask, span));
  return *values.as<Array>();
}

/// Which elements of a vector stand in another.
Array members(Stager& stager, const Array& elements, const Array& tests, bool inverted) {
  const ir::DType type = ir::promote(stager.type_of(elements), stager.type_of(tests));
  const Array sorted = stager.copy(tests, type);
  sort_vector(stager, sorted, std::nullopt);
  const ir::ExtentId n = stager.clamped(sorted.shape[0]);
  return stager.define(elements.shape, ir::DType::Bool, [&](const Indices& at) {
    const ir::ExprId key = kept(stager, stager.cast(stager.load(elements, at), type));
    const ir::ExprId place =
        bisect(stager, n, key, false, [&](ir::ExtentId k) { return stager.load(sorted, {k}); });
    const ir::LocalId found =
        stager.declare_variable("found", ir::DType::Bool, stager.constant(ir::const_bool(inverted)));
    const ir::BlockId inside = stager.block([&] {
      const ir::ExprId there = stager.load(sorted, {place_within(stager, place, n, "at")});
      stager.emit(ir::Assign{found, stager.apply(inverted ? ir::Op::Ne : ir::Op::Eq, {there, key})});
    });
    stager.emit(ir::If{stager.apply(ir::Op::Lt, {place, stager.index(n)}), inside, stager.block([] {})});
    return stager.module.add(ir::Read{found}, stager.here());
  });
}

}  // namespace

/// The sorted distinct elements of an array, a number that is known at run time; with the first place of
/// each, the number of its value at every place, and how often it stands there.
Result<Value> unique(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array raw, keys_argument(stager, arguments, 0, "ar"));
  PW_TRY(const Array flat, flattened(stager, at_least_rank(stager, raw, 1), arguments.span));
  PW_TRY(const bool index, bool_argument(stager, arguments, 1, "return_index", false));
  PW_TRY(const bool inverse, bool_argument(stager, arguments, 2, "return_inverse", false));
  PW_TRY(const bool counts, bool_argument(stager, arguments, 3, "return_counts", false));
  const Distinct found = distinct(stager, flat, index || inverse);
  PW_TRY(const Value values, stager.select(found.keys, found.mask, arguments.span));
  if (!index && !inverse && !counts) return values;
  Tuple out{{values}};
  if (index) {
    PW_TRY(Value first, stager.select(*found.places, found.mask, arguments.span));
    out.items.push_back(std::move(first));
  }
  if (inverse) {
    const Array numbers = unique_inverse(stager, found.mask, *found.places);
    PW_TRY(Array shaped, stager.reshape(numbers, raw.shape, arguments.span));
    out.items.push_back(value(std::move(shaped)));
  }
  if (counts) out.items.push_back(value(unique_counts(stager, found.mask)));
  return value(std::move(out));
}

/// Whether each element stands in `test_elements`; NaN stands nowhere.
Result<Value> isin(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array elements, keys_argument(stager, arguments, 0, "element"));
  PW_TRY(const Array tests, flat_keys(stager, arguments, 1, "test_elements"));
  PW_TRY(const bool inverted, bool_argument(stager, arguments, 3, "invert", false));
  if (!elements.shape.empty()) return value(members(stager, elements, tests, inverted));
  const Array one = members(stager, at_least_rank(stager, elements, 1), tests, inverted);
  return stager.strong(stager.load(one, {stager.size(0)}));
}

Result<Value> union1d(Stager& stager, const Arguments& arguments) {
  const Value both = value(Tuple{{required(arguments, 0, "ar1"), required(arguments, 1, "ar2")}});
  PW_TRY(const Value all,
         call_row(stager, arguments.span, "numpy.concatenate", {both}, {{"axis", value(None{})}}));
  PW_CHECK_OK(require_ordered(stager, arguments, *all.as<Array>()));
  PW_TRY(const Array out, unique_of(stager, *all.as<Array>(), arguments.span));
  return value(out);
}

/// The distinct elements of one array that stand in another (intersect1d), or do not (setdiff1d).
Result<Value> set_operation(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array first, flat_keys(stager, arguments, 0, "ar1"));
  PW_TRY(const Array second, flat_keys(stager, arguments, 1, "ar2"));
  const bool common = arguments.name == "numpy.intersect1d";
  const ir::DType type = ir::promote(stager.type_of(first), stager.type_of(second));
  if (common && type != stager.type_of(first)) first = stager.copy(first, type);
  PW_TRY(const Array distinct_ones, unique_of(stager, first, arguments.span));
  const Array chosen = members(stager, distinct_ones, second, !common);
  return stager.select(distinct_ones, chosen, arguments.span);
}

}  // namespace pw::numpy::functions
