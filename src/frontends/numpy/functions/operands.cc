// Operands, optional arguments, out=, and the views that several families make.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

const Value* given(const Arguments& arguments, std::size_t position, std::string_view keyword) {
  const Value* found = arguments.find(position, keyword);
  return found == nullptr || found->is<None>() ? nullptr : found;
}

const Value& required(const Arguments& arguments, std::size_t position, std::string_view keyword) {
  const Value* found = arguments.find(position, keyword);
  PW_CHECK(found != nullptr, "a call that was not checked against its row");
  return *found;
}

Value packed(const Arguments& arguments, std::size_t position, std::string_view keyword) {
  if (arguments.positional.size() <= position) {
    const Value* found = arguments.find(position, keyword);
    return found == nullptr ? value(None{}) : *found;
  }
  if (arguments.positional.size() == position + 1) return arguments.positional[position];
  return value(Tuple{
      {arguments.positional.begin() + static_cast<std::ptrdiff_t>(position), arguments.positional.end()}});
}

Result<Value> array_like(Stager& stager, const Value& operand, base::Span span) {
  if (const auto* array = operand.as<Array>()) {
    if (!array->shape.empty()) return operand;
    return stager.strong(stager.load(*array, {}));
  }
  if (operand.is<Tuple>() || operand.is<List>() || operand.is<Grown>()) {
    PW_TRY(Array array, stager.to_array(operand, std::nullopt, span));
    return value(std::move(array));
  }
  if (!stager.as_scalar(operand)) {
    return stager.engine.report(Rule::NumpyNumberNeeded, span, describe(operand, stager.module));
  }
  return operand;
}

const std::vector<Value>* sequence_items(const Value& value) {
  if (const auto* tuple = value.as<Tuple>()) return &tuple->items;
  if (const auto* list = value.as<List>()) return list->items.get();
  return nullptr;
}

std::vector<Value> strengthened(Stager& stager, std::vector<Value> operands) {
  const bool all_weak = std::all_of(operands.begin(), operands.end(), [&](const Value& operand) {
    if (operand.is<Array>()) return false;
    const std::optional<Scalar> scalar = stager.as_scalar(operand);
    return scalar && scalar->weak;
  });
  if (!all_weak) return operands;
  for (Value& operand : operands) operand = stager.strong(stager.as_scalar(operand)->expr);
  return operands;
}

ir::DType type_of(Stager& stager, const Value& operand) {
  if (const auto* array = operand.as<Array>()) return stager.type_of(*array);
  const std::optional<Scalar> scalar = stager.as_scalar(operand);
  PW_CHECK(scalar.has_value(), "the dtype of something that is no number");
  return stager.type_of(*scalar);
}

Value cast_value(Stager& stager, const Value& operand, ir::DType type) {
  if (const auto* array = operand.as<Array>()) {
    return stager.type_of(*array) == type ? operand : value(stager.copy(*array, type));
  }
  return stager.strong(stager.cast(stager.as_scalar(operand)->expr, type));
}

Result<std::optional<ir::DType>> dtype_argument(Stager& stager, const Arguments& arguments,
                                                std::size_t position, std::string_view keyword) {
  const Value* found = given(arguments, position, keyword);
  if (found == nullptr) return std::optional<ir::DType>();
  PW_TRY(const ir::DType type, stager.to_dtype(*found, arguments.span));
  return std::optional(type);
}

Result<bool> bool_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                           std::string_view keyword, bool otherwise) {
  const Value* found = given(arguments, position, keyword);
  return found == nullptr ? Result<bool>(otherwise) : stager.to_static_bool(*found, arguments.span);
}

Result<std::int64_t> int_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                                  std::string_view keyword, std::int64_t otherwise) {
  const Value* found = given(arguments, position, keyword);
  return found == nullptr ? Result<std::int64_t>(otherwise) : stager.to_static_int(*found, arguments.span);
}

Result<std::string> text_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                                  std::string_view keyword, std::string_view otherwise) {
  const Value* found = given(arguments, position, keyword);
  if (found == nullptr) return std::string(otherwise);
  if (const auto* text = found->as<std::string>()) return *text;
  return stager.engine.report(Rule::NumpyStaticNeeded, arguments.span, fmt::format("the string {}", keyword),
                              describe(*found, stager.module));
}

Result<std::size_t> normal_axis(Stager& stager, std::int64_t axis, std::size_t rank, base::Span span) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return stager.engine.report(Rule::NumpyAxisRange, span, axis, rank);
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<std::optional<std::size_t>> one_axis(Stager& stager, const Arguments& arguments, std::size_t position,
                                            std::size_t rank, std::optional<std::int64_t> otherwise) {
  const Value* axis = arguments.find(position, "axis");
  std::int64_t raw = otherwise.value_or(0);
  if (axis == nullptr && !otherwise) return std::optional<std::size_t>();
  if (axis != nullptr) {
    if (axis->is<None>()) return std::optional<std::size_t>();
    if (sequence_items(*axis) != nullptr) {
      return unsupported(stager, arguments, "over several axes", "give one axis, or reshape the array first");
    }
    PW_TRY(raw, stager.to_static_int(*axis, arguments.span));
  }
  PW_TRY(const std::size_t normal, normal_axis(stager, raw, rank, arguments.span));
  return std::optional(normal);
}

Result<Value> call_row(Stager& stager, base::Span span, std::string_view name, std::vector<Value> positional,
                       std::vector<std::pair<std::string, Value>> keywords) {
  const FunctionRow* row = find_function(name);
  PW_CHECK(row != nullptr, "a function made of one that is none");
  Arguments call;
  call.name = row->name;
  call.span = span;
  call.positional = std::move(positional);
  call.keywords = std::move(keywords);
  PW_CHECK_OK(check_arguments(stager, *row, call));
  return row->body(stager, call);
}

Result<Value> deliver(Stager& stager, const Arguments& arguments, std::size_t position,
                      Result<Value> result) {
  const Value* out = given(arguments, position, "out");
  if (out == nullptr || !result) return result;
  Value target = *out;
  if (const auto* items = sequence_items(target); items != nullptr && items->size() == 1)
    target = (*items)[0];
  const auto* array = target.as<Array>();
  if (array == nullptr) return bad_call(stager, arguments, "with out other than an array");
  const auto level = [](ir::DType type) {
    return ir::kind(type) == ir::DTypeKind::UInt ? ir::DTypeKind::Int : ir::kind(type);
  };
  const ir::DType from = type_of(stager, *result);
  const ir::DType to = stager.type_of(*array);
  const bool loses_sign = ir::kind(from) == ir::DTypeKind::Int && ir::kind(to) == ir::DTypeKind::UInt;
  if (level(from) > level(to) || loses_sign) {
    return bad_call(stager, arguments,
                    fmt::format("with out of {} for a result of {}", ir::row(to).numpy, ir::row(from).numpy));
  }
  PW_CHECK_OK(stager.assign(*array, *result, arguments.span));
  return target;
}

tl::unexpected<base::Reported> bad_call(Stager& stager, const Arguments& arguments, std::string_view what) {
  const FunctionRow* row = find_function(arguments.name);
  return stager.engine.report(Rule::NumpyArgument, arguments.span, arguments.name, what,
                              row == nullptr ? "" : row->parameters);
}

tl::unexpected<base::Reported> unsupported(Stager& stager, const Arguments& arguments, std::string_view what,
                                           std::string_view instead) {
  return stager.engine.report(Rule::NumpyUnsupported, arguments.span, arguments.name, what, instead);
}

Indices formal_axes(Stager& stager, std::size_t rank) {
  Indices out;
  for (std::size_t k = 0; k < rank; ++k) out.push_back(stager.extents().local(stager.axis(k)));
  return out;
}

Array reindexed(Stager& stager, const Array& array, std::vector<ir::ExtentId> shape,
                std::span<const ir::ExtentId> at) {
  Array out = array;
  out.fresh = false;
  out.shape = std::move(shape);
  for (ir::ExtentId& position : out.map) {
    position = stager.extents().substitute(position, [&](ir::LocalId local) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        if (local == stager.axis(k)) return at[k];
      }
      return ir::ExtentId();
    });
  }
  return out;
}

Array window(Stager& stager, const Array& array, std::size_t axis, ir::ExtentId offset, ir::ExtentId extent) {
  Indices at = formal_axes(stager, array.shape.size());
  at[axis] = stager.extents().add(at[axis], offset);
  std::vector<ir::ExtentId> shape = array.shape;
  shape[axis] = extent;
  return reindexed(stager, array, std::move(shape), at);
}

Array flat_copy(Stager& stager, const Array& array) {
  if (array.shape.size() == 1) return stager.copy(array, stager.type_of(array));
  const Array out = stager.allocate({stager.count(array.shape)}, stager.type_of(array));
  stager.map_over(array.shape, [&](const Indices& indices) {
    ir::ExtentId at = stager.size(0);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      at = stager.extents().add(stager.extents().multiply(at, array.shape[k]), indices[k]);
    }
    stager.store(out, {at}, stager.load(array, indices));
  });
  return out;
}

Result<Array> flattened(Stager& stager, const Array& array, base::Span span) {
  if (array.shape.size() == 1) return array;
  return stager.reshape(array, {stager.size(-1)}, span);
}

Array at_least_rank(Stager& stager, Array array, std::size_t rank) {
  while (array.shape.size() < rank) array = stager.insert_axis(array, 0);
  return array;
}

Result<Value> elementwise_of(Stager& stager, std::span<const Value> operands,
                             std::span<const ir::DType> types, ir::DType result, base::Span span,
                             const std::function<ir::ExprId(std::span<const ir::ExprId>)>& body) {
  std::vector<std::vector<ir::ExtentId>> shapes;
  for (const Value& operand : operands) {
    if (const auto* array = operand.as<Array>()) shapes.push_back(array->shape);
  }
  PW_TRY(std::vector<ir::ExtentId> shape, stager.broadcast(shapes, span));
  const std::size_t rank = shape.size();
  const auto at_indices = [&](const Indices& indices) {
    std::vector<ir::ExprId> elements;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      elements.push_back(stager.element(operands[k], indices, rank, types[k]));
    }
    return stager.cast(body(elements), result);
  };
  if (rank == 0) return stager.strong(at_indices({}));
  return value(stager.define(std::move(shape), result, at_indices));
}

Result<Value> unary_of(Stager& stager, const Value& operand, ir::DType result, base::Span span,
                       const std::function<ir::ExprId(ir::ExprId)>& body) {
  const ir::DType type = type_of(stager, operand);
  return elementwise_of(stager, std::span(&operand, 1), std::span(&type, 1), result, span,
                        [&](std::span<const ir::ExprId> x) { return body(x[0]); });
}

ir::ExprId kept(Stager& stager, ir::ExprId expr) {
  return stager.module.add(ir::Read{stager.let(expr)}, stager.here());
}

ir::ExtentId place_within(Stager& stager, ir::ExprId value, ir::ExtentId extent, std::string_view name) {
  const ir::LocalId local = stager.let(value, name);
  stager.module[local].range = {stager.size(0), stager.extents().add(extent, stager.size(-1))};
  return stager.extents().local(local);
}

}  // namespace pw::numpy::functions
