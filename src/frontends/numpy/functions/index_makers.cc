// Index expressions and arrays of indices, and what reads and stores through them: ogrid, r_, tril_indices,
// unravel_index, take_along_axis, fill_diagonal.
// Source: https://numpy.org/doc/stable/reference/routines.indexing.html
#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

Value whole_slice() { return value(Slice{std::make_shared<std::vector<Value>>(3, value(None{}))}); }

std::vector<Value> items_of(const Value& index) {
  const auto* tuple = index.as<Tuple>();
  return tuple == nullptr ? std::vector{index} : tuple->items;
}

/// An item of np.r_[...] as an array: a slice is a range.
Result<Array> joined_item(Stager& stager, const Arguments& arguments, const Value& item) {
  if (item.is<std::string>())
    return unsupported(stager, arguments, "with a text of axes", "use np.concatenate");
  const auto* slice = item.as<Slice>();
  if (slice == nullptr) {
    PW_TRY(Array array, stager.to_array(item, std::nullopt, arguments.span));
    return at_least_rank(stager, std::move(array), 1);
  }
  const std::vector<Value>& parts = *slice->parts;
  if (parts[1].is<None>()) return bad_call(stager, arguments, "with a slice without an end");
  if (parts[2].is<std::complex<double>>()) {
    return unsupported(stager, arguments, "with a number of points", "use np.linspace");
  }
  const Value start = parts[0].is<None>() ? value(std::int64_t{0}) : parts[0];
  PW_TRY(const Value range, call_row(stager, arguments.span, "numpy.arange", {start, parts[1], parts[2]}));
  return *range.as<Array>();
}

Result<Value> join(Stager& stager, const Arguments& arguments, std::vector<Value> arrays, std::int64_t axis) {
  return call_row(stager, arguments.span, "numpy.concatenate", {value(Tuple{std::move(arrays)})},
                  {{"axis", value(axis)}});
}

}  // namespace

/// np.s_[...] is the index itself; np.index_exp[...] always a tuple.
Result<Value> index_expression(Stager&, const Arguments& arguments) {
  const Value& index = required(arguments, 0, "index");
  if (arguments.name == "numpy.s_" || index.is<Tuple>()) return index;
  return value(Tuple{{index}});
}

/// np.r_[...]: its items, slices as ranges, behind one another along the first axis.
Result<Value> join_rows(Stager& stager, const Arguments& arguments) {
  std::vector<Value> arrays;
  for (const Value& item : items_of(required(arguments, 0, "items"))) {
    PW_TRY(Array each, joined_item(stager, arguments, item));
    arrays.push_back(value(std::move(each)));
  }
  return join(stager, arguments, std::move(arrays), 0);
}

/// np.c_[...]: vectors as columns, side by side along the last axis.
Result<Value> join_columns(Stager& stager, const Arguments& arguments) {
  std::vector<Value> arrays;
  for (const Value& item : items_of(required(arguments, 0, "items"))) {
    PW_TRY(Array each, joined_item(stager, arguments, item));
    if (each.shape.size() == 1) each = stager.insert_axis(each, 1);
    arrays.push_back(value(std::move(each)));
  }
  return join(stager, arguments, std::move(arrays), -1);
}

/// The indices of the main diagonal of an array of `ndim` axes of size n.
Result<Value> diagonal_indices(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::int64_t rank, int_argument(stager, arguments, 1, "ndim", 2));
  if (rank < 0 || rank > 32) return bad_call(stager, arguments, "with this ndim");
  PW_TRY(const Value range, call_row(stager, arguments.span, "numpy.arange", {required(arguments, 0, "n")}));
  return value(Tuple{std::vector<Value>(static_cast<std::size_t>(rank), range)});
}

namespace {

Result<Value> triangle_places(Stager& stager, base::Span span, bool upper, const Value& rows,
                              const Value& columns, const Value& k) {
  // np.triu_indices is what np.tri below its diagonal leaves.
  PW_TRY(const Value diagonal,
         upper ? stager.binary(python::Operator::Sub, k, value(std::int64_t{1}), span) : Result<Value>(k));
  PW_TRY(const Value lower, call_row(stager, span, "numpy.tri", {rows, columns, diagonal},
                                     {{"dtype", value(DTypeObject{ir::DType::Bool})}}));
  PW_TRY(const Value mask,
         upper ? call_row(stager, span, "numpy.logical_not", {lower}) : Result<Value>(lower));
  Tuple out;
  for (Array& each : stager.nonzero(*mask.as<Array>())) out.items.push_back(value(std::move(each)));
  return value(std::move(out));
}

}  // namespace

/// Rows and columns of the elements on and below the k-th diagonal of an (n, m) array, or on and above it.
Result<Value> triangle_indices(Stager& stager, const Arguments& arguments) {
  const Value& n = required(arguments, 0, "n");
  const Value* k = given(arguments, 1, "k");
  const Value* m = given(arguments, 2, "m");
  return triangle_places(stager, arguments.span, arguments.name == "numpy.triu_indices", n,
                         m == nullptr ? n : *m, k == nullptr ? value(std::int64_t{0}) : *k);
}

Result<Value> triangle_indices_from(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array array, stager.to_array(required(arguments, 0, "arr"), std::nullopt, arguments.span));
  if (array.shape.size() != 2) return bad_call(stager, arguments, "of an array that is no matrix");
  const Value* k = given(arguments, 1, "k");
  return triangle_places(stager, arguments.span, arguments.name == "numpy.triu_indices_from",
                         stager.from_extent(array.shape[0]), stager.from_extent(array.shape[1]),
                         k == nullptr ? value(std::int64_t{0}) : *k);
}

namespace {

ir::ExprId outside(Stager& stager, ir::ExprId index, ir::ExtentId extent) {
  return stager.apply(ir::Op::Or, {stager.apply(ir::Op::Lt, {index, stager.integer(0)}),
                                   stager.apply(ir::Op::Ge, {index, stager.index(extent)})});
}

/// Raises ValueError where a number or an element of an array is no index.
Result<Done> require_within(Stager& stager, const Value& indices, ir::ExtentId extent, base::Span span) {
  PW_TRY(const Array array, stager.to_array(indices, ir::DType::I64, span));
  const ir::ExprId any =
      stager.fold(array.shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any,
                  [&](const Indices& at) { return outside(stager, stager.load(array, at), extent); });
  stager.trap_if(any, ir::TrapKind::ValueError, "an index out of bounds for its dimension");
  return Done{};
}

Result<Value> integer_operand(Stager& stager, const Arguments& arguments, const Value& operand) {
  PW_TRY(const Value numbers, array_like(stager, operand, arguments.span));
  const ir::DType type = type_of(stager, numbers);
  if (!ir::is_integer(type)) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, ir::row(type).numpy);
  }
  return strengthened(stager, {numbers})[0];
}

}  // namespace

/// Flat positions as an index an axis, in C order.
Result<Value> unravel_index(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value flat, integer_operand(stager, arguments, required(arguments, 0, "indices")));
  PW_TRY(const std::vector<ir::ExtentId> shape,
         stager.to_shape(required(arguments, 1, "shape"), arguments.span));
  PW_CHECK_OK(require_within(stager, flat, stager.count(shape), arguments.span));
  Tuple out;
  ir::ExtentId behind = stager.size(1);
  const ir::DType type = ir::DType::I64;
  for (std::size_t k = shape.size(); k-- > 0;) {
    const ir::ExtentId step = behind;
    const ir::ExtentId extent = stager.clamped(shape[k]);
    PW_TRY(Value each, elementwise_of(stager, std::span(&flat, 1), std::span(&type, 1), type, arguments.span,
                                      [&](std::span<const ir::ExprId> v) {
                                        const ir::ExprId steps =
                                            stager.apply(ir::Op::FloorDiv, {v[0], stager.index(step)});
                                        if (k == 0) return steps;
                                        return stager.apply(ir::Op::Mod, {steps, stager.index(extent)});
                                      }));
    out.items.insert(out.items.begin(), std::move(each));
    behind = stager.extents().multiply(behind, extent);
  }
  return value(std::move(out));
}

/// An index an axis as flat positions.
Result<Value> ravel_multi_index(Stager& stager, const Arguments& arguments) {
  const std::vector<Value>* items = sequence_items(required(arguments, 0, "multi_index"));
  PW_TRY(const std::vector<ir::ExtentId> shape,
         stager.to_shape(required(arguments, 1, "dims"), arguments.span));
  if (items == nullptr || items->size() != shape.size() || items->empty()) {
    return bad_call(stager, arguments, "without a tuple of an index array for each dimension");
  }
  std::vector<Value> indices;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    PW_TRY(const Value each, integer_operand(stager, arguments, (*items)[k]));
    PW_CHECK_OK(require_within(stager, each, shape[k], arguments.span));
    indices.push_back(each);
  }
  const std::vector<ir::DType> types(indices.size(), ir::DType::I64);
  return elementwise_of(
      stager, indices, types, ir::DType::I64, arguments.span, [&](std::span<const ir::ExprId> v) {
        ir::ExprId flat = v[0];
        for (std::size_t k = 1; k < v.size(); ++k) {
          flat = stager.apply(ir::Op::Add, {stager.apply(ir::Op::Mul, {flat, stager.index(shape[k])}), v[k]});
        }
        return flat;
      });
}

namespace {

/// The tuple that indexes `array` as take_along_axis does: the places along each other axis, and `indices`.
Result<Value> along_index(Stager& stager, const Arguments& arguments, const Array& array,
                          const Array& indices, std::size_t axis) {
  const std::size_t rank = array.shape.size();
  if (indices.shape.size() != rank) {
    return stager.engine.report(Rule::NumpyRankMismatch, arguments.span, indices.shape.size(), rank);
  }
  if (!ir::is_integer(stager.type_of(indices))) {
    return bad_call(stager, arguments, "with indices that are no integers");
  }
  Tuple out;
  for (std::size_t k = 0; k < rank; ++k) {
    if (k == axis) {
      out.items.push_back(value(indices));
      continue;
    }
    Array places = stager.define({stager.clamped(array.shape[k])}, ir::DType::I64,
                                 [&](const Indices& at) { return stager.index(at[0]); });
    while (places.shape.size() < rank - k) places = stager.insert_axis(places, places.shape.size());
    out.items.push_back(value(std::move(places)));
  }
  return value(std::move(out));
}

struct AlongCall {
  Array array;
  Value index;
};

Result<AlongCall> along_call(Stager& stager, const Arguments& arguments, std::size_t axis_position) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "arr"), std::nullopt, arguments.span));
  PW_TRY(const Array indices,
         stager.to_array(required(arguments, 1, "indices"), std::nullopt, arguments.span));
  const Value* axis_given = arguments.find(axis_position, "axis");
  if (axis_given != nullptr && axis_given->is<None>()) {
    return unsupported(stager, arguments, "with axis None", "flatten the array first");
  }
  PW_TRY(const std::int64_t raw, int_argument(stager, arguments, axis_position, "axis", -1));
  PW_TRY(const std::size_t axis, normal_axis(stager, raw, array.shape.size(), arguments.span));
  PW_TRY(Value index, along_index(stager, arguments, array, indices, axis));
  return AlongCall{std::move(array), std::move(index)};
}

}  // namespace

/// out[..., i, ...] = arr[..., indices[..., i, ...], ...]
Result<Value> take_along_axis(Stager& stager, const Arguments& arguments) {
  PW_TRY(const AlongCall call, along_call(stager, arguments, 2));
  return stager.subscript(value(call.array), call.index, arguments.span);
}

Result<Value> put_along_axis(Stager& stager, const Arguments& arguments) {
  if (!required(arguments, 0, "arr").is<Array>()) return bad_call(stager, arguments, "on a number");
  PW_TRY(const AlongCall call, along_call(stager, arguments, 3));
  PW_CHECK_OK(stager.store_subscript(value(call.array), call.index, required(arguments, 2, "values"),
                                     arguments.span));
  return value(None{});
}

/// Stores one number on the diagonal: of a matrix, or of an array whose axes have one size.
Result<Value> fill_diagonal(Stager& stager, const Arguments& arguments) {
  const auto* array = required(arguments, 0, "a").as<Array>();
  if (array == nullptr || array->shape.size() < 2)
    return bad_call(stager, arguments, "of an array that is no matrix");
  const Value& stored = required(arguments, 1, "val");
  if (stored.is<Array>() || sequence_items(stored) != nullptr) {
    return unsupported(stager, arguments, "with several values",
                       "store them in a[i, i] with i = np.arange(n)");
  }
  ir::ExtentTable& table = stager.extents();
  ir::ExtentId length = array->shape[0];
  for (const ir::ExtentId extent : array->shape) {
    if (array->shape.size() == 2) {
      if (extent != length) length = table.apply(ir::ExtentOp::Min, length, extent);
    } else if (extent != length) {
      const ir::ExprId other = stager.apply(ir::Op::Ne, {stager.index(extent), stager.index(length)});
      stager.trap_if(other, ir::TrapKind::ValueError, "All dimensions of input must be of equal length");
    }
  }
  const Indices at(array->shape.size(), formal_axes(stager, 1)[0]);
  const Array diagonal = reindexed(stager, *array, {length}, at);
  PW_CHECK_OK(stager.store_subscript(value(diagonal), whole_slice(), stored, arguments.span));
  return value(None{});
}

/// The elements along an axis, or of the flattened array, where a mask is true.
Result<Value> compress(Stager& stager, const Arguments& arguments) {
  const bool method = arguments.name.starts_with("ndarray");
  PW_TRY(Array array, stager.to_array(required(arguments, method ? 0 : 1, method ? "self" : "a"),
                                      std::nullopt, arguments.span));
  PW_TRY(const Array raw,
         stager.to_array(required(arguments, method ? 1 : 0, "condition"), ir::DType::Bool, arguments.span));
  if (raw.shape.size() != 1) return bad_call(stager, arguments, "with a condition that is no vector");
  PW_TRY(const auto axis, one_axis(stager, arguments, 2, array.shape.size(), std::nullopt));
  if (!axis) {
    PW_TRY(array, flattened(stager, at_least_rank(stager, array, 1), arguments.span));
  }
  // A shorter condition chooses among the first; a longer one must not be true behind the end.
  PW_CHECK_OK(stager.require_equal(raw.shape[0], array.shape[axis.value_or(0)], arguments.span));
  const Value places = value(stager.nonzero(raw).front());
  return call_row(stager, arguments.span, "numpy.take", {value(array), places},
                  {{"axis", value(static_cast<std::int64_t>(axis.value_or(0)))}});
}

/// a.flat[ind] = v, v repeated as needed.
Result<Value> put(Stager& stager, const Arguments& arguments) {
  const bool method = arguments.name.starts_with("ndarray");
  const auto* array = required(arguments, 0, method ? "self" : "a").as<Array>();
  if (array == nullptr) return bad_call(stager, arguments, "on a number");
  if (array->shape.size() != 1)
    return unsupported(stager, arguments, "on an array that is no vector", "store by a[i, j] = v");
  const Value& stored = required(arguments, 2, method ? "values" : "v");
  if (stored.is<Array>() || sequence_items(stored) != nullptr) {
    return unsupported(stager, arguments, "of several values", "write a[ind] = v");
  }
  PW_TRY(const Array indices,
         stager.to_array(required(arguments, 1, method ? "indices" : "ind"), ir::DType::I64, arguments.span));
  PW_CHECK_OK(stager.store_subscript(value(*array), value(at_least_rank(stager, indices, 1)), stored,
                                     arguments.span));
  return value(None{});
}

/// a[mask] = values[mask], of values of a's shape or one number.
Result<Value> put_mask(Stager& stager, const Arguments& arguments) {
  const auto* array = required(arguments, 0, "a").as<Array>();
  if (array == nullptr) return bad_call(stager, arguments, "on a number");
  PW_TRY(const Array mask, stager.to_array(required(arguments, 1, "mask"), ir::DType::Bool, arguments.span));
  PW_TRY(const Value values, array_like(stager, required(arguments, 2, "values"), arguments.span));
  const ir::DType type = stager.type_of(*array);
  const auto* several = values.as<Array>();
  if (several != nullptr && several->shape.size() != array->shape.size())
    return unsupported(stager, arguments, "of values that repeat", "write np.where(mask, values, a)");
  PW_TRY(const ir::DType both, stager.result_type(std::vector{value(*array), values}, arguments.span));
  if (both != type) return bad_call(stager, arguments, "with values of a wider dtype than the array's");
  if (mask.shape.size() != array->shape.size())
    return bad_call(stager, arguments, "with a mask of another size");
  for (std::size_t k = 0; k < mask.shape.size(); ++k) {
    PW_CHECK_OK(stager.require_equal(mask.shape[k], array->shape[k], arguments.span));
    if (several != nullptr)
      PW_CHECK_OK(stager.require_equal(several->shape[k], array->shape[k], arguments.span));
  }
  const std::vector<Value> operands = {value(mask), values, value(*array)};
  const std::vector<ir::DType> types = {ir::DType::Bool, type, type};
  PW_TRY(const Value updated,
         elementwise_of(stager, operands, types, type, arguments.span, [&](std::span<const ir::ExprId> at) {
           return stager.apply(ir::Op::Select, {at[0], at[1], at[2]});
         }));
  PW_CHECK_OK(stager.assign(*array, updated, arguments.span));
  return value(None{});
}

/// The indices of an array of a known shape, row by row.
Result<Value> all_indices(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<ir::ExtentId> shape,
         stager.to_shape(packed(arguments, 0, "shape"), arguments.span));
  std::vector<Value> out = {value(Tuple{})};
  for (const ir::ExtentId extent : shape) {
    const auto size = stager.extents().as_constant(extent);
    if (!size || static_cast<std::size_t>(*size) * out.size() > 4096)
      return unsupported(stager, arguments, "of a size that is not known",
                         "write one loop over range() an axis");
    std::vector<Value> longer;
    for (const Value& each : out) {
      for (std::int64_t k = 0; k < *size; ++k) {
        longer.push_back(each);
        std::get<Tuple>(longer.back().data).items.push_back(value(k));
      }
    }
    out = std::move(longer);
  }
  return value(Tuple{std::move(out)});
}

/// Nested lists of Python numbers, of an array of static size.
Result<Value> to_nested_list(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value source, array_like(stager, required(arguments, 0, "self"), arguments.span));
  const auto* array = source.as<Array>();
  if (array == nullptr) return stager.weak(stager.as_scalar(source)->expr);
  const auto length = stager.extents().as_constant(array->shape[0]);
  if (!length || *length > 256) {
    return unsupported(stager, arguments, "of a size that is not known", "work on the array itself");
  }
  std::vector<Value> out;
  for (std::int64_t k = 0; k < *length; ++k) {
    const Array part = stager.drop_axis(window(stager, *array, 0, stager.size(k), stager.size(1)), 0);
    if (part.shape.empty()) {
      out.push_back(stager.weak(kept(stager, stager.load(part, {}))));
      continue;
    }
    Arguments inner = arguments;
    inner.positional = {value(part)};
    inner.keywords.clear();
    PW_TRY(Value each, to_nested_list(stager, inner));
    out.push_back(std::move(each));
  }
  return value(List{std::make_shared<std::vector<Value>>(std::move(out))});
}

}  // namespace pw::numpy::functions
