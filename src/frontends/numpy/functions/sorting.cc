// sort, argsort, lexsort: a merge sort from the bottom up, between two buffers.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.sort.html (the order of NaN, stability);
// Knuth, The Art of Computer Programming 3, 5.2.4.
#include "frontends/numpy/functions/sorting.h"

#include "base/check.h"

namespace pw::numpy::functions {

namespace {

/// Keys, and what is moved along with them.
struct Line {
  Array keys;
  std::optional<Array> places;
};

ir::ExprId read(Stager& stager, ir::LocalId variable) {
  return stager.module.add(ir::Read{variable}, stager.here());
}

/// Merges the neighbouring sorted runs of `width` keys in `from` to runs of twice that in `to`.
void merge_runs(Stager& stager, const Line& from, const Line& to, ir::ExtentId n, ir::ExtentId width) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId pair = table.scale(width, 2);
  const ir::ExtentId runs =
      table.apply(ir::ExtentOp::FloorDiv, table.add(n, table.add(pair, stager.size(-1))), pair);
  const ir::ExtentId shape[] = {runs};
  stager.map_over(shape, [&](const Indices& run) {
    const ir::ExtentId begin = table.multiply(run[0], pair);
    const auto bounded = [&](ir::ExtentId end, std::string_view name) {
      return table.local(stager.let(stager.index(table.apply(ir::ExtentOp::Min, end, n)), name));
    };
    const ir::ExtentId middle = bounded(table.add(begin, width), "middle");
    const ir::ExtentId end = bounded(table.add(begin, pair), "end");
    stager.module[*table.as_local(end)].range = {stager.size(0), n};
    const ir::LocalId left = stager.declare_variable("left", ir::DType::I64, stager.index(begin));
    const ir::LocalId right = stager.declare_variable("right", ir::DType::I64, stager.index(middle));
    stager.range_over("to", begin, end, [&](ir::ExtentId at) {
      const ir::ExprId i = kept(stager, read(stager, left));
      const ir::ExprId j = kept(stager, read(stager, right));
      const ir::ExprId last = stager.index(table.add(n, stager.size(-1)));
      const auto inside = [&](ir::ExprId place) {
        return place_within(stager, stager.apply(ir::Op::Minimum, {place, last}), n, "at");
      };
      const Indices first = {inside(i)};
      const Indices second = {inside(j)};
      const ir::ExprId a = kept(stager, stager.load(from.keys, first));
      const ir::ExprId b = kept(stager, stager.load(from.keys, second));
      const ir::ExprId has_right = stager.apply(ir::Op::Lt, {j, stager.index(end)});
      const ir::ExprId no_left = stager.apply(ir::Op::Ge, {i, stager.index(middle)});
      const ir::ExprId lesser = stager.apply(ir::Op::Or, {no_left, comes_before(stager, b, a)});
      const ir::ExprId takes_right = kept(stager, stager.apply(ir::Op::And, {has_right, lesser}));
      stager.store(to.keys, {at}, stager.apply(ir::Op::Select, {takes_right, b, a}));
      if (from.places) {
        const ir::ExprId p = stager.load(*from.places, first);
        const ir::ExprId q = stager.load(*from.places, second);
        stager.store(*to.places, {at}, stager.apply(ir::Op::Select, {takes_right, q, p}));
      }
      const ir::ExprId step = stager.cast(takes_right, ir::DType::I64);
      stager.emit(ir::Assign{right, stager.apply(ir::Op::Add, {j, step})});
      const ir::ExprId other = stager.apply(ir::Op::Sub, {stager.integer(1), step});
      stager.emit(ir::Assign{left, stager.apply(ir::Op::Add, {i, other})});
    });
  });
}

Array places_of(Stager& stager, ir::ExtentId n) {
  return stager.define({n}, ir::DType::I64, [&](const Indices& at) { return stager.index(at[0]); });
}

/// kind= and stable=, which choose among ways to the same result.
Result<Done> check_kind(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::string kind, text_argument(stager, arguments, 2, "kind", "stable"));
  const bool known = kind == "stable" || kind == "mergesort" || kind == "quicksort" || kind == "heapsort";
  if (!known) return bad_call(stager, arguments, "with this kind");
  return Done{};
}

}  // namespace

ir::ExprId comes_before(Stager& stager, ir::ExprId a, ir::ExprId b) {
  if (!ir::is_float(stager.module.type(a))) return stager.apply(ir::Op::Lt, {a, b});
  // Not b <= a, and a is a number: of a NaN b that is true, of a NaN a false.
  const ir::ExprId not_above = stager.apply(ir::Op::Not, {stager.apply(ir::Op::Le, {b, a})});
  return stager.apply(ir::Op::And, {not_above, stager.apply(ir::Op::Eq, {a, a})});
}

void sort_vector(Stager& stager, const Array& keys, const std::optional<Array>& places) {
  const ir::ExtentId n = keys.shape[0];
  const Line here{keys, places};
  Line there{stager.allocate({n}, stager.type_of(keys), "merged"), std::nullopt};
  if (places) there.places = stager.allocate({n}, stager.type_of(*places), "merged_places");
  const ir::LocalId width = stager.declare_variable("width", ir::DType::I64, stager.integer(1));
  const ir::BlockId body = stager.block([&] {
    const ir::LocalId local = stager.let(read(stager, width), "run");
    stager.module[local].range = {stager.size(1), stager.extents().add(n, stager.size(-1))};
    const ir::ExtentId run = stager.extents().local(local);
    // There and back again: a last merge of one run is a copy.
    merge_runs(stager, here, there, n, run);
    merge_runs(stager, there, here, n, stager.extents().scale(run, 2));
    stager.emit(ir::Assign{width, stager.index(stager.extents().scale(run, 4))});
  });
  stager.emit(ir::While{stager.apply(ir::Op::Lt, {read(stager, width), stager.index(n)}), body});
}

Array sorted_places(Stager& stager, const Array& vector) {
  const Array places = places_of(stager, vector.shape[0]);
  sort_vector(stager, stager.copy(vector, stager.type_of(vector)), places);
  return places;
}

void for_vectors(Stager& stager, const Array& array, std::size_t axis,
                 const std::function<void(const AlongAxis& at)>& body) {
  std::vector<ir::ExtentId> outer = array.shape;
  outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(axis));
  stager.map_over(outer, [&](const Indices& around) {
    body([&](ir::ExtentId along) {
      Indices where = around;
      where.insert(where.begin() + static_cast<std::ptrdiff_t>(axis), along);
      return where;
    });
  });
}

namespace {

/// Sorts every vector along an axis: `deliver` gets it, the places of its elements and where it lies.
using Deliver =
    std::function<void(const Array& keys, const std::optional<Array>& places, const AlongAxis& at)>;
void sort_vectors(Stager& stager, const Array& array, std::size_t axis, bool wants_places,
                  const Deliver& deliver) {
  const ir::ExtentId n = array.shape[axis];
  for_vectors(stager, array, axis, [&](const AlongAxis& at) {
    const Array keys = stager.define(
        {n}, stager.type_of(array), [&](const Indices& k) { return stager.load(array, at(k[0])); }, "keys");
    std::optional<Array> places;
    if (wants_places) places = places_of(stager, n);
    sort_vector(stager, keys, places);
    deliver(keys, places, at);
  });
}

void sort_into(Stager& stager, const Array& array, std::size_t axis, const Array& out) {
  sort_vectors(stager, array, axis, false, [&](const Array& keys, const auto&, const AlongAxis& at) {
    stager.map_over(keys.shape, [&](const Indices& k) { stager.store(out, at(k[0]), stager.load(keys, k)); });
  });
}

}  // namespace

Array sorted_along(Stager& stager, const Array& array, std::size_t axis) {
  if (array.shape.size() == 1) {
    const Array out = stager.copy(array, stager.type_of(array));
    sort_vector(stager, out, std::nullopt);
    return out;
  }
  const Array out = stager.allocate(array.shape, stager.type_of(array));
  sort_into(stager, array, axis, out);
  return out;
}

Result<Done> require_ordered(Stager& stager, const Arguments& arguments, const Array& array) {
  if (!ir::is_complex(stager.type_of(array))) return Done{};
  return unsupported(stager, arguments, "of complex numbers", "order their real parts, or their moduli");
}

/// A sorted copy along an axis, or of all elements where it is None.
Result<Value> sort(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array raw, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_CHECK_OK(check_kind(stager, arguments));
  PW_CHECK_OK(require_ordered(stager, arguments, raw));
  if (raw.shape.empty()) return bad_call(stager, arguments, "with a number");
  PW_TRY(const auto axis, one_axis(stager, arguments, 1, raw.shape.size(), -1));
  if (axis) return value(sorted_along(stager, raw, *axis));
  PW_TRY(const Array flat, flattened(stager, raw, arguments.span));
  return value(sorted_along(stager, flat, 0));
}

/// The same in place.
Result<Value> sort_in_place(Stager& stager, const Arguments& arguments) {
  const auto* array = required(arguments, 0, "self").as<Array>();
  if (array == nullptr || array->shape.empty()) return bad_call(stager, arguments, "on a number");
  PW_CHECK_OK(check_kind(stager, arguments));
  PW_CHECK_OK(require_ordered(stager, arguments, *array));
  PW_TRY(const auto axis, one_axis(stager, arguments, 1, array->shape.size(), -1));
  if (!axis) return bad_call(stager, arguments, "with axis None");
  PW_CHECK_OK(stager.assign(*array, value(sorted_along(stager, *array, *axis)), arguments.span));
  return value(None{});
}

/// Where the elements of the sorted array lie; of equal ones the first comes first, for every kind: NumPy
/// promises that for kind='stable' only.
Result<Value> argsort(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array raw, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_CHECK_OK(check_kind(stager, arguments));
  PW_CHECK_OK(require_ordered(stager, arguments, raw));
  if (raw.shape.empty()) return bad_call(stager, arguments, "with a number");
  PW_TRY(const auto axis, one_axis(stager, arguments, 1, raw.shape.size(), -1));
  Array array = raw;
  if (!axis) {
    PW_TRY(array, flattened(stager, raw, arguments.span));
  }
  if (array.shape.size() == 1) return value(sorted_places(stager, array));
  const Array out = stager.allocate(array.shape, ir::DType::I64);
  sort_vectors(
      stager, array, axis.value_or(0), true, [&](const Array&, const auto& places, const AlongAxis& at) {
        stager.map_over(places->shape,
                        [&](const Indices& k) { stager.store(out, at(k[0]), stager.load(*places, k)); });
      });
  return value(out);
}

/// Vectors as keys, the last the foremost.
Result<Value> lexsort(Stager& stager, const Arguments& arguments) {
  std::vector<Array> keys;
  const Value& given_keys = required(arguments, 0, "keys");
  if (const auto* items = sequence_items(given_keys)) {
    for (const Value& each : *items) {
      PW_TRY(const Array key, stager.to_array(each, std::nullopt, arguments.span));
      keys.push_back(key);
    }
  } else if (const auto* array = given_keys.as<Array>(); array != nullptr && array->shape.size() == 2) {
    const auto rows = stager.extents().as_constant(array->shape[0]);
    for (std::int64_t k = 0; rows && k < *rows && *rows <= 64; ++k) {
      keys.push_back(stager.drop_axis(window(stager, *array, 0, stager.size(k), stager.size(1)), 0));
    }
  }
  if (keys.empty()) return bad_call(stager, arguments, "without a tuple of vectors");
  for (const Array& key : keys) {
    PW_CHECK_OK(require_ordered(stager, arguments, key));
    if (key.shape.size() != 1)
      return unsupported(stager, arguments, "of keys that are no vectors", "sort row by row");
    PW_CHECK_OK(stager.require_equal(keys[0].shape[0], key.shape[0], arguments.span));
  }
  const ir::ExtentId n = keys[0].shape[0];
  const Array places = places_of(stager, n);
  for (const Array& key : keys) {
    const Array moved = stager.define({n}, stager.type_of(key), [&](const Indices& at) {
      return stager.load(key, {place_within(stager, stager.load(places, at), n, "place")});
    });
    sort_vector(stager, moved, places);
  }
  return value(places);
}

}  // namespace pw::numpy::functions
