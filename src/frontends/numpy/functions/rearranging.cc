// Arrays turned, put together from blocks, resized, and with parts taken out or put in.
// Source: https://numpy.org/doc/stable/reference/routines.array-manipulation.html
#include <algorithm>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

Result<Value> concatenated(Stager& stager, base::Span span, std::vector<Value> parts, std::size_t axis) {
  return call_row(stager, span, "numpy.concatenate", {value(Tuple{std::move(parts)})},
                  {{"axis", value(static_cast<std::int64_t>(axis))}});
}

Array with_three_axes(Stager& stager, Array array) {
  if (array.shape.empty()) array = stager.insert_axis(array, 0);
  if (array.shape.size() == 1) array = stager.insert_axis(array, 0);
  while (array.shape.size() < 3) array = stager.insert_axis(array, array.shape.size());
  return array;
}

/// The array, or all its elements in a row where no axis is given, and the axis.
struct Line {
  Array array;
  std::size_t axis = 0;
  ir::ExtentId length;
};

Result<Line> line_of(Stager& stager, const Arguments& arguments, std::size_t axis_position) {
  Line out;
  PW_TRY(out.array, stager.to_array(required(arguments, 0, "arr"), std::nullopt, arguments.span));
  out.array = at_least_rank(stager, std::move(out.array), 1);
  PW_TRY(const auto axis, one_axis(stager, arguments, axis_position, out.array.shape.size(), std::nullopt));
  if (!axis) {
    PW_TRY(out.array, flattened(stager, out.array, arguments.span));
  }
  out.axis = axis.value_or(0);
  out.length = stager.clamped(out.array.shape[out.axis]);
  return out;
}

}  // namespace

/// Views with one axis in front of a vector's and one behind it, as NumPy places them.
Result<Value> at_least_3d(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "ary"), std::nullopt, arguments.span));
  return value(with_three_axes(stager, std::move(array)));
}

/// By k right angles, from the first of two axes to the second.
Result<Value> rotate(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "m"), std::nullopt, arguments.span));
  PW_TRY(const std::int64_t turns, int_argument(stager, arguments, 1, "k", 1));
  std::size_t axes[] = {0, 1};
  const std::size_t rank = array.shape.size();
  if (rank < 2) return bad_call(stager, arguments, "with a vector");
  if (const Value* wanted = given(arguments, 2, "axes")) {
    const std::vector<Value>* items = sequence_items(*wanted);
    if (items == nullptr || items->size() != 2)
      return bad_call(stager, arguments, "with axes other than a pair");
    for (std::size_t k = 0; k < 2; ++k) {
      PW_TRY(const std::int64_t raw, stager.to_static_int((*items)[k], arguments.span));
      PW_TRY(axes[k], normal_axis(stager, raw, rank, arguments.span));
    }
    if (axes[0] == axes[1]) return bad_call(stager, arguments, "with one axis twice");
  }
  const std::int64_t quarter = ((turns % 4) + 4) % 4;
  Indices at = formal_axes(stager, rank);
  std::vector<ir::ExtentId> shape = array.shape;
  const auto from_end = [&](std::size_t axis) {
    return stager.extents().subtract(stager.extents().add(array.shape[axis], stager.size(-1)), at[axis]);
  };
  if (quarter == 2) {
    at[axes[0]] = from_end(axes[0]);
    at[axes[1]] = from_end(axes[1]);
  } else if (quarter != 0) {
    // out[i, j] = m[j, last - i] after one turn, m[last - j, i] after three.
    std::swap(shape[axes[0]], shape[axes[1]]);
    std::swap(at[axes[0]], at[axes[1]]);
    const std::size_t reversed = quarter == 1 ? axes[1] : axes[0];
    at[reversed] = from_end(reversed);
  }
  return value(reindexed(stager, array, std::move(shape), at));
}

/// An axis moved in front of another.
Result<Value> rollaxis(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  const auto rank = static_cast<std::int64_t>(array.shape.size());
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, 1, "axis", 0));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, array.shape.size(), arguments.span));
  PW_TRY(std::int64_t start, int_argument(stager, arguments, 2, "start", 0));
  if (start < -rank || start > rank) return bad_call(stager, arguments, "with this start");
  if (start < 0) start += rank;
  if (static_cast<std::int64_t>(axis) < start) --start;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    if (k != axis) order.push_back(k);
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(start), axis);
  return value(stager.transpose(array, order));
}

/// Along the third axis.
Result<Value> depth_stack(Stager& stager, const Arguments& arguments) {
  const std::vector<Value>* items = sequence_items(required(arguments, 0, "tup"));
  if (items == nullptr || items->empty())
    return bad_call(stager, arguments, "without a tuple or list of arrays");
  std::vector<Value> parts;
  for (const Value& each : *items) {
    PW_TRY(Array array, stager.to_array(each, std::nullopt, arguments.span));
    parts.push_back(value(with_three_axes(stager, std::move(array))));
  }
  return concatenated(stager, arguments.span, std::move(parts), 2);
}

namespace {

/// How deep lists are nested in lists, and the most axes that a leaf has; 0 where the depths differ.
struct Nesting {
  std::size_t depth = 0;
  std::size_t rank = 0;
  bool even = true;
};

Result<Nesting> nesting_of(Stager& stager, const Arguments& arguments, const Value& part) {
  if (part.is<Tuple>()) return bad_call(stager, arguments, "with a tuple: only lists are blocks");
  const auto* list = part.as<List>();
  if (list == nullptr) {
    PW_TRY(const Array array, stager.to_array(part, std::nullopt, arguments.span));
    return Nesting{0, array.shape.size(), true};
  }
  Nesting out;
  for (std::size_t k = 0; k < list->items->size(); ++k) {
    PW_TRY(const Nesting inner, nesting_of(stager, arguments, (*list->items)[k]));
    out.even = out.even && inner.even && (k == 0 || inner.depth + 1 == out.depth);
    out.depth = inner.depth + 1;
    out.rank = std::max(out.rank, inner.rank);
  }
  out.even = out.even && !list->items->empty();
  return out;
}

Result<Value> blocks_joined(Stager& stager, base::Span span, const Value& part, std::size_t rank,
                            std::size_t depth) {
  const auto* list = part.as<List>();
  if (list == nullptr) {
    PW_TRY(Array array, stager.to_array(part, std::nullopt, span));
    return value(at_least_rank(stager, std::move(array), rank));
  }
  std::vector<Value> parts;
  for (const Value& each : *list->items) {
    PW_TRY(Value inner, blocks_joined(stager, span, each, rank, depth - 1));
    parts.push_back(std::move(inner));
  }
  return concatenated(stager, span, std::move(parts), rank - depth);
}

}  // namespace

/// Nested lists of arrays: the innermost lists are joined along the last axis.
Result<Value> block(Stager& stager, const Arguments& arguments) {
  const Value& parts = required(arguments, 0, "arrays");
  PW_TRY(const Nesting nesting, nesting_of(stager, arguments, parts));
  if (!nesting.even) return bad_call(stager, arguments, "with lists of different depths, or an empty one");
  const std::size_t rank = std::max(nesting.rank, nesting.depth);
  PW_TRY(const Value out, blocks_joined(stager, arguments.span, parts, rank, nesting.depth));
  const auto* array = out.as<Array>();
  return nesting.depth == 0 ? value(stager.copy(*array, stager.type_of(*array))) : out;
}

/// The elements in C order, again and again, in a new shape.
Result<Value> resize(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_TRY(const std::vector<ir::ExtentId> shape,
         stager.to_shape(required(arguments, 1, "new_shape"), arguments.span));
  for (const ir::ExtentId extent : shape)
    require_size(stager, extent, "all elements of `new_shape` must be non-negative");
  const Array flat = flat_copy(stager, at_least_rank(stager, array, 1));
  const ir::ExtentId count = flat.shape[0];
  if (!stager.proves_nonnegative(stager.extents().add(count, stager.size(-1)))) {
    stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(count), stager.integer(1)}),
                   ir::TrapKind::Assumption, "an array without elements to resize");
  }
  ir::ExtentTable& table = stager.extents();
  return value(stager.define(shape, stager.type_of(array), [&](const Indices& at) {
    ir::ExtentId position = stager.size(0);
    for (std::size_t k = 0; k < at.size(); ++k)
      position = table.add(table.multiply(position, shape[k]), at[k]);
    return stager.load(flat, {table.apply(ir::ExtentOp::Mod, position, count)});
  }));
}

namespace {

/// What is left of an axis without some places that are known, all counted from one end.
Result<Value> without_places(Stager& stager, const Arguments& arguments, const Line& line,
                             std::vector<std::int64_t> places) {
  ir::ExtentTable& table = stager.extents();
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const bool from_end = places.front() < 0;
  if (from_end != (places.back() < 0)) {
    return unsupported(stager, arguments, "at places counted from both ends", "count them from the start");
  }
  const std::int64_t needed = from_end ? -places.front() : places.back() + 1;
  if (!stager.proves_nonnegative(table.add(line.length, stager.size(-needed)))) {
    stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(line.length), stager.integer(needed)}),
                   ir::TrapKind::IndexError, "index out of bounds");
  }
  std::vector<Value> parts;
  ir::ExtentId begin = stager.size(0);
  const auto add_until = [&](ir::ExtentId end) {
    const ir::ExtentId length = table.subtract(end, begin);
    if (table.as_constant(length) == 0) return;
    parts.push_back(value(window(stager, line.array, line.axis, begin, length)));
  };
  for (const std::int64_t place : places) {
    const ir::ExtentId at = from_end ? table.add(line.length, stager.size(place)) : stager.size(place);
    add_until(at);
    begin = table.add(at, stager.size(1));
  }
  const ir::ExtentId length = table.subtract(line.length, begin);
  parts.push_back(value(window(stager, line.array, line.axis, begin, length)));
  return concatenated(stager, arguments.span, std::move(parts), line.axis);
}

/// The same of places that are known at run time, or a slice of them: as many as are left.
Result<Value> without_marked(Stager& stager, const Arguments& arguments, const Line& line,
                             const Value& places) {
  const auto* mask = places.as<Array>();
  Array left = stager.define({line.length}, ir::DType::Bool,
                             [&](const Indices&) { return stager.constant(ir::const_bool(true)); });
  if (mask != nullptr && stager.is_mask(*mask)) {
    if (mask->shape.size() != 1) return bad_call(stager, arguments, "with a mask that is no vector");
    PW_CHECK_OK(stager.require_equal(line.length, mask->shape[0], arguments.span));
    left = stager.define({line.length}, ir::DType::Bool, [&](const Indices& at) {
      return stager.apply(ir::Op::Not, {stager.load(*mask, at)});
    });
  } else {
    PW_CHECK_OK(stager.store_subscript(value(left), places, value(false), arguments.span));
  }
  const Value kept_places = value(stager.nonzero(left).front());
  return call_row(stager, arguments.span, "numpy.take", {value(line.array), kept_places},
                  {{"axis", value(static_cast<std::int64_t>(line.axis))}});
}

std::optional<std::vector<std::int64_t>> static_places(const Value& obj) {
  const std::vector<Value>* items = sequence_items(obj);
  const std::vector<Value> all = items == nullptr ? std::vector{obj} : *items;
  std::vector<std::int64_t> out;
  for (const Value& each : all) {
    const auto* number = each.as<std::int64_t>();
    if (number == nullptr) return std::nullopt;
    out.push_back(*number);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

/// A place along an axis, counted from the start; IndexError outside of 0 .. length + slack - 1.
Result<ir::ExtentId> place_argument(Stager& stager, const Arguments& arguments, const Value& obj,
                                    ir::ExtentId length, std::int64_t slack) {
  PW_TRY(const ir::ExtentId raw, stager.to_extent(obj, arguments.span));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId beyond = table.add(length, stager.size(slack));
  if (stager.proves_nonnegative(raw) &&
      stager.proves_nonnegative(table.add(table.subtract(beyond, raw), stager.size(-1)))) {
    return raw;
  }
  const ir::ExprId low = stager.apply(ir::Op::Lt, {stager.index(raw), stager.index(table.scale(length, -1))});
  const ir::ExprId high = stager.apply(ir::Op::Ge, {stager.index(raw), stager.index(beyond)});
  stager.trap_if(stager.apply(ir::Op::Or, {low, high}), ir::TrapKind::IndexError, "index out of bounds");
  const ir::ExprId negative = stager.apply(ir::Op::Lt, {stager.index(raw), stager.integer(0)});
  const ir::ExprId wrapped =
      stager.apply(ir::Op::Select, {negative, stager.index(table.add(raw, length)), stager.index(raw)});
  return place_within(stager, wrapped, beyond, "place");
}

}  // namespace

/// A copy without some places of an axis, or of the flattened array.
Result<Value> delete_at(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Line line, line_of(stager, arguments, 2));
  const Value& obj = required(arguments, 1, "obj");
  if (const auto places = static_places(obj)) return without_places(stager, arguments, line, *places);
  if (obj.is<Array>() || obj.is<Slice>()) return without_marked(stager, arguments, line, obj);
  if (sequence_items(obj) != nullptr)
    return unsupported(stager, arguments, "at these places", "give an array of integers");
  PW_TRY(const ir::ExtentId at, place_argument(stager, arguments, obj, line.length, 0));
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId behind = table.add(at, stager.size(1));
  return concatenated(
      stager, arguments.span,
      {value(window(stager, line.array, line.axis, stager.size(0), at)),
       value(window(stager, line.array, line.axis, behind, table.subtract(line.length, behind)))},
      line.axis);
}

/// A copy with values put in before one place of an axis, or of the flattened array.
Result<Value> insert_at(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Line line, line_of(stager, arguments, 3));
  const Value& obj = required(arguments, 1, "obj");
  if (obj.is<Array>() || obj.is<Slice>() || sequence_items(obj) != nullptr) {
    return unsupported(stager, arguments, "at several places",
                       "insert at one place at a time, or concatenate");
  }
  PW_TRY(const ir::ExtentId at, place_argument(stager, arguments, obj, line.length, 1));
  const ir::DType type = stager.type_of(line.array);
  PW_TRY(Array values, stager.to_array(required(arguments, 2, "values"), std::nullopt, arguments.span));
  if (stager.type_of(values) != type) values = stager.copy(values, type);
  const std::size_t rank = line.array.shape.size();
  if (values.shape.size() > rank)
    return bad_call(stager, arguments, "with values of more axes than the array");
  values = at_least_rank(stager, std::move(values), rank);
  // The first axis of the values goes along the axis.
  std::vector<std::size_t> order;
  for (std::size_t k = 1; k < rank; ++k) order.push_back(k);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(line.axis), std::size_t{0});
  values = stager.transpose(values, order);
  Tuple shape;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.items.push_back(stager.from_extent(k == line.axis ? values.shape[k] : line.array.shape[k]));
  }
  PW_TRY(const Value middle,
         call_row(stager, arguments.span, "numpy.broadcast_to", {value(values), value(shape)}));
  return concatenated(
      stager, arguments.span,
      {value(window(stager, line.array, line.axis, stager.size(0), at)), middle,
       value(window(stager, line.array, line.axis, at, stager.extents().subtract(line.length, at)))},
      line.axis);
}

}  // namespace pw::numpy::functions
