// Views with other axes, reversed ones, and what is asked of shapes.
// Source: https://numpy.org/doc/stable/reference/routines.array-manipulation.html
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

Result<Array> array_argument(Stager& stager, const Arguments& arguments, std::string_view keyword = "a") {
  return stager.to_array(required(arguments, 0, keyword), std::nullopt, arguments.span);
}

std::vector<std::size_t> reversed_order(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

/// Each item as an axis of an array of that rank, in the order given.
Result<std::vector<std::size_t>> axis_list(Stager& stager, const Value& axes, std::size_t rank,
                                           base::Span span) {
  std::vector<Value> items = {axes};
  if (const auto* many = sequence_items(axes)) items = *many;
  std::vector<std::size_t> out;
  for (const Value& each : items) {
    PW_TRY(const std::int64_t axis, stager.to_static_int(each, span));
    PW_TRY(const std::size_t normal, normal_axis(stager, axis, rank, span));
    if (std::find(out.begin(), out.end(), normal) != out.end()) {
      return stager.engine.report(Rule::NumpyAxisRange, span, "a repeated axis", rank);
    }
    out.push_back(normal);
  }
  return out;
}

/// The array in the order asked for: F is C order of the transpose.
Result<bool> fortran(Stager& stager, const Arguments& arguments, std::size_t position) {
  PW_TRY(const std::string order, text_argument(stager, arguments, position, "order", "C"));
  if (order == "C" || order == "F") return order == "F";
  // A and K follow memory, where results of operations on transposed arrays are transposed too.
  const auto* array = required(arguments, 0, "a").as<Array>();
  if (array == nullptr || array->shape.size() < 2) return false;
  return unsupported(stager, arguments, "in the order of memory", "give order='C' or order='F'");
}

}  // namespace

Result<Value> reshape(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  const bool method = arguments.name == "ndarray.reshape";
  const Value wanted = method ? packed(arguments, 1, "shape") : required(arguments, 1, "shape");
  PW_TRY(std::vector<ir::ExtentId> shape, stager.to_shape(wanted, arguments.span));
  PW_TRY(const bool columns_first, fortran(stager, arguments, method ? 99 : 2));
  if (!columns_first) {
    PW_TRY(Array out, stager.reshape(array, std::move(shape), arguments.span));
    return value(std::move(out));
  }
  const Array turned = stager.transpose(array, reversed_order(array.shape.size()));
  std::reverse(shape.begin(), shape.end());
  const std::size_t rank = shape.size();
  PW_TRY(const Array out, stager.reshape(turned, std::move(shape), arguments.span));
  return value(stager.transpose(out, reversed_order(rank)));
}

Result<Value> ravel(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, array_argument(stager, arguments));
  PW_TRY(const bool columns_first, fortran(stager, arguments, 1));
  if (columns_first) array = stager.transpose(array, reversed_order(array.shape.size()));
  const Array whole = at_least_rank(stager, std::move(array), 1);
  PW_TRY(Array out, flattened(stager, whole, arguments.span));
  // A view only of elements that lie side by side.
  if (out.buffer == whole.buffer && !stager.is_contiguous(out)) {
    out = stager.copy(out, stager.type_of(out));
    stager.note_shared(whole.buffer, out.buffer);
  }
  return value(std::move(out));
}

Result<Value> flatten(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, array_argument(stager, arguments));
  PW_TRY(const bool columns_first, fortran(stager, arguments, 1));
  if (columns_first) array = stager.transpose(array, reversed_order(array.shape.size()));
  return value(flat_copy(stager, at_least_rank(stager, std::move(array), 1)));
}

/// Axes in the order given, or reversed.
Result<Value> transpose(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  const bool method = arguments.name == "ndarray.transpose";
  const Value* named = given(arguments, 1, "axes");
  const Value axes = method ? packed(arguments, 1, "axes") : named == nullptr ? value(None{}) : *named;
  const std::size_t rank = array.shape.size();
  if (axes.is<None>()) return value(stager.transpose(array, reversed_order(rank)));
  PW_TRY(const std::vector<std::size_t> order, axis_list(stager, axes, rank, arguments.span));
  if (order.size() != rank) return stager.engine.report(Rule::NumpyAxisRange, arguments.span, "list", rank);
  return value(stager.transpose(array, order));
}

Result<Value> matrix_transpose(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments, "x"));
  const std::size_t rank = array.shape.size();
  if (rank < 2) return bad_call(stager, arguments, "with a vector");
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[rank - 1], order[rank - 2]);
  return value(stager.transpose(array, order));
}

Result<Value> swapaxes(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  const std::size_t rank = array.shape.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  PW_TRY(const std::int64_t first, int_argument(stager, arguments, 1, "axis1", 0));
  PW_TRY(const std::int64_t second, int_argument(stager, arguments, 2, "axis2", 0));
  PW_TRY(const std::size_t a, normal_axis(stager, first, rank, arguments.span));
  PW_TRY(const std::size_t b, normal_axis(stager, second, rank, arguments.span));
  std::swap(order[a], order[b]);
  return value(stager.transpose(array, order));
}

Result<Value> moveaxis(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  const std::size_t rank = array.shape.size();
  PW_TRY(const auto from, axis_list(stager, required(arguments, 1, "source"), rank, arguments.span));
  PW_TRY(const auto to, axis_list(stager, required(arguments, 2, "destination"), rank, arguments.span));
  if (from.size() != to.size()) return bad_call(stager, arguments, "with lists of different lengths");
  std::vector<std::size_t> rest;
  for (std::size_t k = 0; k < rank; ++k) {
    if (std::find(from.begin(), from.end(), k) == from.end()) rest.push_back(k);
  }
  std::vector<std::size_t> order(rank);
  std::size_t next = 0;
  for (std::size_t k = 0; k < rank; ++k) {
    const auto moved = std::find(to.begin(), to.end(), k);
    order[k] = moved == to.end() ? rest[next++] : from[static_cast<std::size_t>(moved - to.begin())];
  }
  return value(stager.transpose(array, order));
}

/// Drops the axes given, which must have size one; else all that are known to.
Result<Value> squeeze(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, array_argument(stager, arguments));
  std::vector<std::size_t> dropped;
  if (const Value* axis = given(arguments, 1, "axis")) {
    PW_TRY(dropped, axis_list(stager, *axis, array.shape.size(), arguments.span));
    for (const std::size_t k : dropped) {
      PW_CHECK_OK(stager.require_equal(array.shape[k], stager.size(1), arguments.span));
    }
  } else {
    for (std::size_t k = 0; k < array.shape.size(); ++k) {
      if (stager.extents().as_constant(array.shape[k]) == 1) {
        dropped.push_back(k);
      } else if (!stager.extents().as_constant(array.shape[k])) {
        const ir::ExprId one = stager.apply(ir::Op::Eq, {stager.index(array.shape[k]), stager.integer(1)});
        stager.trap_if(one, ir::TrapKind::Assumption, "squeeze would drop an axis of run-time size one");
      }
    }
  }
  std::sort(dropped.rbegin(), dropped.rend());
  for (const std::size_t k : dropped) array = stager.drop_axis(array, k);
  return value(std::move(array));
}

Result<Value> expand_dims(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, array_argument(stager, arguments));
  const Value& axis = required(arguments, 1, "axis");
  const std::size_t more = sequence_items(axis) == nullptr ? 1 : sequence_items(axis)->size();
  PW_TRY(std::vector<std::size_t> places, axis_list(stager, axis, array.shape.size() + more, arguments.span));
  std::sort(places.begin(), places.end());
  for (const std::size_t k : places) array = stager.insert_axis(array, k);
  return value(std::move(array));
}

/// A view with axes of size one repeated, and new ones in front.
namespace {

Result<Value> broadcast_view(Stager& stager, const Array& array, std::vector<ir::ExtentId> shape,
                             base::Span span) {
  const std::size_t rank = array.shape.size();
  if (shape.size() < rank) return stager.engine.report(Rule::NumpyRankMismatch, span, rank, shape.size());
  const std::size_t offset = shape.size() - rank;
  const Indices formal = formal_axes(stager, shape.size());
  Indices at;
  for (std::size_t k = 0; k < rank; ++k) {
    PW_CHECK_OK(stager.require_broadcast(array.shape[k], shape[offset + k], span));
    at.push_back(stager.at_most_one(array.shape[k]) ? stager.size(0) : formal[offset + k]);
  }
  return value(reindexed(stager, array, std::move(shape), at));
}

}  // namespace

Result<Value> broadcast_to(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments, "array"));
  PW_TRY(std::vector<ir::ExtentId> shape, stager.to_shape(required(arguments, 1, "shape"), arguments.span));
  return broadcast_view(stager, array, std::move(shape), arguments.span);
}

Result<Value> broadcast_arrays(Stager& stager, const Arguments& arguments) {
  std::vector<Array> arrays;
  std::vector<std::vector<ir::ExtentId>> shapes;
  for (const Value& each : arguments.positional) {
    PW_TRY(arrays.emplace_back(), stager.to_array(each, std::nullopt, arguments.span));
    shapes.push_back(arrays.back().shape);
  }
  PW_TRY(const std::vector<ir::ExtentId> shape, stager.broadcast(shapes, arguments.span));
  Tuple out;
  for (const Array& each : arrays) {
    PW_TRY(out.items.emplace_back(), broadcast_view(stager, each, shape, arguments.span));
  }
  return value(std::move(out));
}

Result<Value> at_least(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, array_argument(stager, arguments, "ary"));
  return value(at_least_rank(stager, std::move(array), arguments.name.ends_with("1d") ? 1 : 2));
}

Result<Value> shape_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  Tuple out;
  for (const ir::ExtentId extent : array.shape)
    out.items.push_back(stager.from_extent(stager.clamped(extent)));
  return value(std::move(out));
}

Result<Value> rank_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  return value(static_cast<std::int64_t>(array.shape.size()));
}

Result<Value> size_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments));
  if (given(arguments, 1, "axis") == nullptr) return stager.from_extent(stager.count(array.shape));
  PW_TRY(const std::int64_t axis, int_argument(stager, arguments, 1, "axis", 0));
  PW_TRY(const std::size_t k, normal_axis(stager, axis, array.shape.size(), arguments.span));
  return stager.from_extent(stager.clamped(array.shape[k]));
}

/// A view that runs backwards along the axes.
Result<Value> flip(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, array_argument(stager, arguments, "m"));
  const std::size_t rank = array.shape.size();
  std::vector<std::size_t> axes;
  if (arguments.name == "numpy.flip") {
    PW_TRY(axes, stager.to_axes(arguments.find(1, "axis"), rank, arguments.span));
  } else {
    const std::size_t axis = arguments.name == "numpy.flipud" ? 0 : 1;
    if (rank <= axis) return stager.engine.report(Rule::NumpyAxisRange, arguments.span, axis, rank);
    axes = {axis};
  }
  Indices at = formal_axes(stager, rank);
  for (const std::size_t k : axes) {
    const ir::ExtentId last = stager.extents().add(array.shape[k], stager.size(-1));
    at[k] = stager.extents().subtract(last, at[k]);
  }
  return value(reindexed(stager, array, array.shape, at));
}

}  // namespace pw::numpy::functions
