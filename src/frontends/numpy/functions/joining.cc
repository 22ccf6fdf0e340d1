// Arrays joined, split, rolled, repeated, padded: index maps that need copies.
// Source: https://numpy.org/doc/stable/reference/routines.array-manipulation.html
#include <algorithm>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

/// The arrays of a tuple or list, of one common dtype to be.
Result<std::vector<Array>> array_list(Stager& stager, const Arguments& arguments, const Value& list) {
  const std::vector<Value>* items = sequence_items(list);
  if (items == nullptr || items->empty())
    return bad_call(stager, arguments, "without a tuple or list of arrays");
  std::vector<Array> out;
  for (const Value& each : *items) {
    PW_TRY(Array array, stager.to_array(each, std::nullopt, arguments.span));
    out.push_back(std::move(array));
  }
  return out;
}

/// NumPy promotes what it joins as arrays; Python scalars count as arrays of their own dtype.
ir::DType common_type(Stager& stager, std::span<const Array> arrays) {
  ir::DType type = stager.type_of(arrays[0]);
  for (const Array& each : arrays) type = ir::promote(type, stager.type_of(each));
  return type;
}

void copy_into(Stager& stager, const Array& out, const Array& from, std::size_t axis, ir::ExtentId offset) {
  stager.map_over(from.shape, [&](const Indices& at) {
    Indices to = at;
    to[axis] = stager.extents().add(to[axis], offset);
    stager.store(out, to, stager.load(from, at));
  });
}

Result<Array> joined(Stager& stager, std::span<const Array> arrays, std::size_t axis,
                     std::optional<ir::DType> type, base::Span span) {
  std::vector<ir::ExtentId> shape = arrays[0].shape;
  ir::ExtentId total = stager.size(0);
  for (const Array& each : arrays) {
    if (each.shape.size() != shape.size()) {
      return stager.engine.report(Rule::NumpyRankMismatch, span, each.shape.size(), shape.size());
    }
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (k != axis) PW_CHECK_OK(stager.require_equal(shape[k], each.shape[k], span));
    }
    total = stager.extents().add(total, stager.clamped(each.shape[axis]));
  }
  shape[axis] = total;
  const Array out = stager.allocate(std::move(shape), type.value_or(common_type(stager, arrays)));
  ir::ExtentId offset = stager.size(0);
  for (const Array& each : arrays) {
    copy_into(stager, out, each, axis, offset);
    offset = stager.extents().add(offset, stager.clamped(each.shape[axis]));
  }
  return out;
}

/// One run of an axis of a result, and where the run begins in the source.
struct Segment {
  ir::ExtentId to;
  ir::ExtentId from;
  ir::ExtentId length;
};

/// Copies every combination of segments, one list an axis.
void copy_segments(Stager& stager, const Array& out, const Array& array,
                   const std::vector<std::vector<Segment>>& segments) {
  std::vector<std::size_t> choice(segments.size(), 0);
  while (true) {
    std::vector<ir::ExtentId> shape;
    for (std::size_t k = 0; k < choice.size(); ++k) shape.push_back(segments[k][choice[k]].length);
    stager.map_over(shape, [&](const Indices& at) {
      Indices to = at;
      Indices from = at;
      for (std::size_t k = 0; k < at.size(); ++k) {
        to[k] = stager.extents().add(at[k], segments[k][choice[k]].to);
        from[k] = stager.extents().add(at[k], segments[k][choice[k]].from);
      }
      stager.store(out, to, stager.load(array, from));
    });
    std::size_t k = 0;
    while (k < choice.size() && ++choice[k] == segments[k].size()) choice[k++] = 0;
    if (k == choice.size()) return;
  }
}

/// `shift` modulo a size: how many elements come around to the front. The size is bound so that its positive
/// remainder is a local of known range.
Result<ir::ExtentId> shift_within(Stager& stager, const Value& shift, ir::ExtentId extent, base::Span span) {
  PW_TRY(const ir::ExtentId amount, stager.to_extent(shift, span));
  ir::ExtentTable& table = stager.extents();
  const auto fits = [&](ir::ExtentId e) {
    return stager.proves_nonnegative(e) &&
           stager.proves_nonnegative(table.subtract(table.add(extent, stager.size(-1)), e));
  };
  if (fits(amount)) return amount;
  if (const ir::ExtentId other = table.add(extent, amount); fits(other)) return other;
  const ir::ExprId size = stager.index(table.apply(ir::ExtentOp::Max, extent, stager.size(1)));
  const ir::LocalId local = stager.let(stager.apply(ir::Op::Mod, {stager.index(amount), size}));
  stager.module[local].range = {stager.size(0), table.add(extent, stager.size(-1))};
  return table.local(local);
}

}  // namespace

/// Along an axis, or all flattened where axis is None.
Result<Value> concatenate(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<Array> arrays, array_list(stager, arguments, required(arguments, 0, "arrays")));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 9));
  const Value* axis_given = arguments.find(1, "axis");
  std::size_t axis = 0;
  if (axis_given != nullptr && axis_given->is<None>()) {
    for (Array& each : arrays) {
      PW_TRY(each, flattened(stager, at_least_rank(stager, each, 1), arguments.span));
    }
  } else {
    PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 1, "axis", 0));
    PW_TRY(axis, normal_axis(stager, raw, arrays[0].shape.size(), arguments.span));
  }
  PW_TRY(Array out, joined(stager, arrays, axis, type, arguments.span));
  return deliver(stager, arguments, 2, value(std::move(out)));
}

/// Along a new axis.
Result<Value> stack(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<Array> arrays, array_list(stager, arguments, required(arguments, 0, "arrays")));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 9));
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 1, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, arrays[0].shape.size() + 1, arguments.span));
  for (Array& each : arrays) {
    if (axis > each.shape.size()) {
      return stager.engine.report(Rule::NumpyRankMismatch, arguments.span, each.shape.size(),
                                  arrays[0].shape.size());
    }
    each = stager.insert_axis(each, axis);
  }
  PW_TRY(Array out, joined(stager, arrays, axis, type, arguments.span));
  return deliver(stager, arguments, 2, value(std::move(out)));
}

/// hstack: along the second axis, vectors along the first. vstack: rows.
Result<Value> side_by_side(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<Array> arrays, array_list(stager, arguments, required(arguments, 0, "tup")));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 9));
  const bool rows = arguments.name == "numpy.vstack";
  for (Array& each : arrays) each = at_least_rank(stager, std::move(each), rows ? 2 : 1);
  const std::size_t axis = rows || arrays[0].shape.size() == 1 ? 0 : 1;
  PW_TRY(Array out, joined(stager, arrays, axis, type, arguments.span));
  return value(std::move(out));
}

Result<Value> column_stack(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<Array> arrays, array_list(stager, arguments, required(arguments, 0, "tup")));
  for (Array& each : arrays) {
    while (each.shape.size() < 2) each = stager.insert_axis(each, each.shape.size());
  }
  PW_TRY(Array out, joined(stager, arrays, 1, std::nullopt, arguments.span));
  return value(std::move(out));
}

Result<Value> append(Stager& stager, const Arguments& arguments) {
  std::vector<Array> arrays;
  const Value* axis_given = given(arguments, 2, "axis");
  for (const Value* each : {&required(arguments, 0, "arr"), &required(arguments, 1, "values")}) {
    PW_TRY(Array array, stager.to_array(*each, std::nullopt, arguments.span));
    array = at_least_rank(stager, std::move(array), 1);
    if (axis_given == nullptr) {
      PW_TRY(array, flattened(stager, array, arguments.span));
    }
    arrays.push_back(std::move(array));
  }
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 2, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, arrays[0].shape.size(), arguments.span));
  PW_TRY(Array out, joined(stager, arrays, axis, std::nullopt, arguments.span));
  return value(std::move(out));
}

namespace {

/// The axis that a function of the split family splits.
Result<std::size_t> split_axis(Stager& stager, const Arguments& arguments, std::size_t rank) {
  const std::string_view name = arguments.name;
  std::int64_t axis = 0;
  if (name == "numpy.hsplit") {
    axis = rank > 1 ? 1 : 0;
  } else if (name == "numpy.dsplit") {
    axis = 2;
  } else if (name != "numpy.vsplit") {
    PW_TRY(axis, int_argument(stager, arguments, 2, "axis", 0));
  }
  const bool vertical = name == "numpy.vsplit" && rank < 2;
  if (vertical) return bad_call(stager, arguments, "with a vector");
  return normal_axis(stager, axis, rank, arguments.span);
}

/// Parts of equal length; where they may be uneven (array_split) the first ones are longer by one.
Result<std::vector<Value>> equal_parts(Stager& stager, const Arguments& arguments, const Array& array,
                                       std::size_t axis, std::int64_t parts) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId extent = stager.clamped(array.shape[axis]);
  const ir::ExtentId length = table.apply(ir::ExtentOp::FloorDiv, extent, stager.size(parts));
  const bool uneven = arguments.name == "numpy.array_split";
  std::vector<Value> out;
  if (!uneven) PW_CHECK_OK(stager.require_equal(table.scale(length, parts), extent, arguments.span));
  const ir::ExtentId longer =
      uneven ? table.apply(ir::ExtentOp::Mod, extent, stager.size(parts)) : stager.size(0);
  const auto begin = [&](std::int64_t k) {
    return table.add(table.scale(length, k), table.apply(ir::ExtentOp::Min, stager.size(k), longer));
  };
  for (std::int64_t k = 0; k < parts; ++k) {
    out.push_back(value(window(stager, array, axis, begin(k), table.subtract(begin(k + 1), begin(k)))));
  }
  return out;
}

}  // namespace

/// Views: a number of parts, or parts that end at given static positions.
Result<Value> split(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "ary"), std::nullopt, arguments.span));
  PW_TRY(const std::size_t axis, split_axis(stager, arguments, array.shape.size()));
  const Value& where = required(arguments, 1, "indices_or_sections");
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId extent = array.shape[axis];
  std::vector<Value> out;
  if (const std::vector<Value>* ends = sequence_items(where)) {
    ir::ExtentId from = stager.size(0);
    for (std::size_t k = 0; k <= ends->size(); ++k) {
      ir::ExtentId to = extent;
      if (k < ends->size()) {
        PW_TRY(to, stager.to_extent((*ends)[k], arguments.span));
      }
      if (!stager.proves_nonnegative(to)) {
        return unsupported(stager, arguments, "at positions counted from the end",
                           "count them from the start");
      }
      to = stager.proves_nonnegative(table.subtract(extent, to)) ? to
                                                                 : table.apply(ir::ExtentOp::Min, to, extent);
      out.push_back(value(window(stager, array, axis, from, table.subtract(to, from))));
      from = to;
    }
  } else {
    PW_TRY(const std::int64_t parts, stager.to_static_int(where, arguments.span));
    if (parts < 1 || parts > 4096) return bad_call(stager, arguments, "with this number of parts");
    PW_TRY(out, equal_parts(stager, arguments, array, axis, parts));
  }
  return value(List{std::make_shared<std::vector<Value>>(std::move(out))});
}

/// Elements move by `shift`, and around the end, along each axis; without axis along the flattened array.
Result<Value> roll(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  const Value& shift = required(arguments, 1, "shift");
  const Value* axis = given(arguments, 2, "axis");
  if (axis == nullptr) {
    if (array.shape.size() == 1) {
      Arguments same = arguments;
      same.positional = {value(array), shift, value(std::int64_t{0})};
      same.keywords.clear();
      return roll(stager, same);
    }
    Arguments flat = arguments;
    flat.positional = {value(flat_copy(stager, at_least_rank(stager, array, 1))), shift,
                       value(std::int64_t{0})};
    flat.keywords.clear();
    PW_TRY(const Value rolled, roll(stager, flat));
    PW_TRY(Array out, stager.reshape(*rolled.as<Array>(), array.shape, arguments.span));
    return value(std::move(out));
  }
  const std::vector<Value>* many_axes = sequence_items(*axis);
  const std::vector<Value>* many_shifts = sequence_items(shift);
  const std::vector<Value> axes = many_axes == nullptr ? std::vector{*axis} : *many_axes;
  std::vector<Value> shifts = many_shifts == nullptr ? std::vector(axes.size(), shift) : *many_shifts;
  if (shifts.size() != axes.size()) return bad_call(stager, arguments, "with as many shifts as axes needed");
  std::vector<std::vector<Segment>> segments;
  for (const ir::ExtentId extent : array.shape)
    segments.push_back({{stager.size(0), stager.size(0), extent}});
  ir::ExtentTable& table = stager.extents();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    PW_TRY(const std::int64_t raw, stager.to_static_int(axes[k], arguments.span));
    PW_TRY(const std::size_t at, normal_axis(stager, raw, array.shape.size(), arguments.span));
    if (segments[at].size() > 1) return bad_call(stager, arguments, "with a repeated axis");
    const ir::ExtentId extent = array.shape[at];
    PW_TRY(const ir::ExtentId s, shift_within(stager, shifts[k], extent, arguments.span));
    if (table.as_constant(s) == 0) continue;
    const ir::ExtentId rest = table.subtract(extent, s);
    segments[at] = {{stager.size(0), rest, s}, {s, stager.size(0), rest}};
  }
  const Array out = stager.allocate(array.shape, stager.type_of(array));
  copy_segments(stager, out, array, segments);
  return value(out);
}

/// Each element `repeats` times in a row along an axis, or of the flattened array.
Result<Value> repeat(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  array = at_least_rank(stager, std::move(array), 1);
  const Value& repeats = required(arguments, 1, "repeats");
  if (repeats.is<Array>() || sequence_items(repeats) != nullptr) {
    return unsupported(stager, arguments, "with a count an element", "give one count for all");
  }
  PW_TRY(ir::ExtentId times, stager.to_extent(repeats, arguments.span));
  require_size(stager, times, kNegative);
  times = stager.clamped(times);
  if (given(arguments, 2, "axis") == nullptr) {
    PW_TRY(array, flattened(stager, array, arguments.span));
  }
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 2, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, array.shape.size(), arguments.span));
  ir::ExtentTable& table = stager.extents();
  std::vector<ir::ExtentId> shape = array.shape;
  shape[axis] = table.multiply(stager.clamped(shape[axis]), times);
  const Array out = stager.allocate(std::move(shape), stager.type_of(array));
  std::vector<ir::ExtentId> space = array.shape;
  space.insert(space.begin() + static_cast<std::ptrdiff_t>(axis) + 1, times);
  stager.map_over(space, [&](const Indices& at) {
    Indices from = at;
    const ir::ExtentId turn = from[axis + 1];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    Indices to = from;
    to[axis] = table.add(table.multiply(from[axis], times), turn);
    stager.store(out, to, stager.load(array, from));
  });
  return value(out);
}

/// The whole array, `reps` times along each axis.
Result<Value> tile(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "A"), std::nullopt, arguments.span));
  PW_TRY(std::vector<ir::ExtentId> reps, stager.to_shape(required(arguments, 1, "reps"), arguments.span));
  array = at_least_rank(stager, std::move(array), reps.size());
  while (reps.size() < array.shape.size()) reps.insert(reps.begin(), stager.size(1));
  ir::ExtentTable& table = stager.extents();
  const std::size_t rank = reps.size();
  std::vector<ir::ExtentId> shape;
  std::vector<ir::ExtentId> space;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(table.multiply(stager.clamped(reps[k]), stager.clamped(array.shape[k])));
    space.push_back(reps[k]);
  }
  space.insert(space.end(), array.shape.begin(), array.shape.end());
  const Array out = stager.allocate(std::move(shape), stager.type_of(array));
  stager.map_over(space, [&](const Indices& at) {
    const Indices from(at.begin() + static_cast<std::ptrdiff_t>(rank), at.end());
    Indices to;
    for (std::size_t k = 0; k < rank; ++k) {
      to.push_back(table.add(table.multiply(at[k], array.shape[k]), from[k]));
    }
    stager.store(out, to, stager.load(array, from));
  });
  return value(out);
}

/// a[indices] along an axis, or of the flattened array.
Result<Value> take(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  if (given(arguments, 2, "axis") == nullptr) {
    PW_TRY(array, flattened(stager, at_least_rank(stager, std::move(array), 1), arguments.span));
  }
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 2, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, array.shape.size(), arguments.span));
  Tuple index;
  for (std::size_t k = 0; k < axis; ++k) {
    index.items.push_back(value(Slice{std::make_shared<std::vector<Value>>(3, value(None{}))}));
  }
  index.items.push_back(required(arguments, 1, "indices"));
  return stager.subscript(value(array), value(std::move(index)), arguments.span);
}

}  // namespace pw::numpy::functions
