// Arrays: views are index maps over a buffer, every other result is a buffer defined by one Map.
#include <algorithm>

#include "base/check.h"
#include "frontends/numpy/grown_lists.h"

namespace pw::numpy {

Array Stager::allocate(std::vector<ir::ExtentId> shape, ir::DType type, std::string_view name) {
  ir::Buffer buffer;
  buffer.name = name.empty() ? invented_name("tmp") : std::string(name);
  buffer.invented = name.empty();
  buffer.type = type;
  buffer.extents = shape;
  buffer.span = span_;
  Array array;
  array.buffer = module.add(std::move(buffer));
  array.fresh = true;
  for (std::size_t k = 0; k < shape.size(); ++k) array.map.push_back(extents().local(axis(k)));
  array.shape = std::move(shape);
  emit(ir::Alloc{array.buffer});
  return array;
}

namespace {

std::vector<ir::ExprId> buffer_index(Stager& stager, const Array& array, const Indices& indices) {
  std::vector<ir::ExprId> out;
  for (const ir::ExtentId position : array.map) {
    const ir::ExtentId at = stager.extents().substitute(position, [&](ir::LocalId local) {
      for (std::size_t k = 0; k < indices.size(); ++k) {
        if (local == stager.axis(k)) return indices[k];
      }
      return ir::ExtentId();
    });
    out.push_back(stager.index(at));
  }
  return out;
}

}  // namespace

ir::ExprId Stager::load(const Array& array, const Indices& indices) {
  note_read(array.buffer);
  return module.add(ir::Load{array.buffer, buffer_index(*this, array, indices)}, span_);
}

void Stager::store(const Array& array, const Indices& indices, ir::ExprId value) {
  emit(ir::Store{array.buffer, buffer_index(*this, array, indices), cast(value, type_of(array))});
}

std::vector<ir::Axis> Stager::make_axes(std::span<const ir::ExtentId> shape, Indices& indices) {
  static constexpr std::string_view kNames[] = {"i", "j", "k", "l", "m", "n"};
  std::vector<ir::Axis> axes;
  for (const ir::ExtentId extent : shape) {
    ir::Local local;
    local.name = std::string(kNames[std::min(axis_names_++, std::size(kNames) - 1)]);
    local.kind = ir::LocalKind::Axis;
    local.range = {size(0), extents().add(extent, size(-1))};
    local.span = span_;
    const ir::LocalId id = module.add(std::move(local));
    indices.push_back(extents().local(id));
    axes.push_back({id, extent});
  }
  return axes;
}

void Stager::map_over(std::span<const ir::ExtentId> shape, const std::function<void(const Indices&)>& body) {
  if (shape.empty()) return body({});
  const std::size_t names = axis_names_;
  Indices indices;
  std::vector<ir::Axis> axes = make_axes(shape, indices);
  const base::Span span = span_;
  ++map_depth_;
  const ir::BlockId inner = block([&] { body(indices); });
  --map_depth_;
  axis_names_ = names;
  span_ = span;
  emit(ir::Map{std::move(axes), inner, ir::Schedule::Serial});
}

Array Stager::define(std::vector<ir::ExtentId> shape, ir::DType type, const ElementBody& element,
                     std::string_view name) {
  const Array array = allocate(std::move(shape), type, name);
  map_over(array.shape, [&](const Indices& indices) { store(array, indices, element(indices)); });
  return array;
}

Array Stager::zeros(std::vector<ir::ExtentId> shape, ir::DType type) {
  return define(std::move(shape), type, [&](const Indices&) { return cast(integer(0), type); });
}

Indices Stager::broadcast_indices(const Array& array, const Indices& indices, std::size_t result_rank) {
  Indices out;
  const std::size_t rank = array.shape.size();
  for (std::size_t k = 0; k < rank; ++k) {
    out.push_back(at_most_one(array.shape[k]) ? size(0) : indices[result_rank - rank + k]);
  }
  return out;
}

ir::ExprId Stager::element(const Value& operand, const Indices& indices, std::size_t result_rank,
                           ir::DType type) {
  if (const auto* array = operand.as<Array>()) {
    return cast(load(*array, broadcast_indices(*array, indices, result_rank)), type);
  }
  const std::optional<Scalar> scalar = as_scalar(operand);
  PW_CHECK(scalar.has_value(), "an element of something that is no number");
  return cast(scalar->expr, type);
}

Result<Value> Stager::elementwise(std::span<const Value> operands, ir::DType operand_type, ir::DType result,
                                  base::Span span,
                                  const std::function<ir::ExprId(std::span<const ir::ExprId>)>& body) {
  std::vector<std::vector<ir::ExtentId>> shapes;
  bool all_weak = true;
  bool any_array = false;
  for (const Value& operand : operands) {
    if (const auto* array = operand.as<Array>()) {
      shapes.push_back(array->shape);
      any_array = true;
      continue;
    }
    const std::optional<Scalar> scalar = as_scalar(operand);
    if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(operand, module));
    all_weak = all_weak && scalar->weak;
  }
  const auto at_indices = [&](const Indices& indices, std::size_t rank) {
    std::vector<ir::ExprId> elements;
    for (const Value& operand : operands) elements.push_back(element(operand, indices, rank, operand_type));
    return cast(body(elements), result);
  };
  if (!any_array) return value(Scalar{at_indices({}, 0), all_weak});
  PW_TRY(std::vector<ir::ExtentId> shape, broadcast(shapes, span));
  const std::size_t rank = shape.size();
  if (rank == 0) return value(Scalar{at_indices({}, 0), false});
  return value(
      define(std::move(shape), result, [&](const Indices& indices) { return at_indices(indices, rank); }));
}

Result<Value> Stager::reduce(const Array& array, std::span<const std::size_t> axes, bool keepdims,
                             ir::ReduceOp op, ir::DType type,
                             const std::function<ir::ExprId(ir::ExprId element, const Indices&)>& element) {
  const std::size_t rank = array.shape.size();
  std::vector<ir::ExtentId> folded;
  std::vector<ir::ExtentId> out_shape;
  std::vector<bool> is_folded(rank, false);
  for (const std::size_t k : axes) is_folded[k] = true;
  for (std::size_t k = 0; k < rank; ++k) {
    if (is_folded[k]) folded.push_back(array.shape[k]);
    if (is_folded[k] && keepdims) out_shape.push_back(size(1));
    if (!is_folded[k]) out_shape.push_back(array.shape[k]);
  }
  const bool needs_one = op == ir::ReduceOp::Max || op == ir::ReduceOp::Min || op == ir::ReduceOp::ArgMax ||
                         op == ir::ReduceOp::ArgMin;
  if (needs_one) {
    for (const ir::ExtentId extent : folded) {
      if (proves_nonnegative(extents().add(extent, size(-1)))) continue;
      trap_if(apply(ir::Op::Le, {index(extent), integer(0)}), ir::TrapKind::ValueError,
              "reduction of an empty array that has no identity");
    }
  }
  const bool gives_elements = op == ir::ReduceOp::Sum || op == ir::ReduceOp::Product ||
                              op == ir::ReduceOp::Max || op == ir::ReduceOp::Min;
  const bool single = gives_elements && std::all_of(folded.begin(), folded.end(), [&](ir::ExtentId each) {
                        return extents().as_constant(each) == 1;
                      });
  const auto only_at = [&](const Indices& outer) {
    Indices all;
    std::size_t next = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      all.push_back(is_folded[k] ? size(0) : outer[next]);
      if (!is_folded[k] || keepdims) ++next;
    }
    const ir::ExprId only = cast(element(load(array, all), all), type);
    const bool may_be_negative_zero = ir::is_float(type) || ir::is_complex(type);
    if (op != ir::ReduceOp::Sum || !may_be_negative_zero) return only;
    return apply(ir::Op::Add, {cast(integer(0), type), only});  // 0 + -0 is 0
  };
  const auto fold_at = [&](const Indices& outer) {
    if (single) return only_at(outer);
    const std::size_t names = axis_names_;
    Indices inner;
    std::vector<ir::Axis> fold_axes = make_axes(folded, inner);
    Indices all;
    std::size_t next_outer = 0;
    std::size_t next_inner = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      if (is_folded[k]) {
        all.push_back(inner[next_inner++]);
        if (keepdims) ++next_outer;
      } else {
        all.push_back(outer[next_outer++]);
      }
    }
    // NumPy sums float32 pairwise; a plain float32 sum would lose digits that it keeps.
    const ir::DType sum_type = op == ir::ReduceOp::Sum && type == ir::DType::F32 ? ir::DType::F64 : type;
    ir::Local local;
    local.name = invented_name("acc");
    local.type = op == ir::ReduceOp::ArgMax || op == ir::ReduceOp::ArgMin ? ir::DType::I64 : sum_type;
    local.span = span_;
    const ir::LocalId target = module.add(std::move(local));
    ir::ExprId folded_value;
    const ir::BlockId body =
        block([&] { folded_value = cast(cast(element(load(array, all), all), type), sum_type); });
    axis_names_ = names;
    emit(ir::Reduce{target, op, std::move(fold_axes), body, folded_value, ir::ReduceOrder::Any});
    const ir::ExprId result = module.add(ir::Read{target}, span_);
    return sum_type == type ? result : cast(result, type);
  };
  const ir::DType result = op == ir::ReduceOp::ArgMax || op == ir::ReduceOp::ArgMin ? ir::DType::I64 : type;
  if (out_shape.empty()) return strong(fold_at({}));
  return value(define(std::move(out_shape), result, fold_at));
}

Array Stager::copy(const Array& array, ir::DType type, std::string_view name) {
  return define(
      array.shape, type, [&](const Indices& indices) { return cast(load(array, indices), type); }, name);
}

Result<Array> Stager::to_array(const Value& value, std::optional<ir::DType> type, base::Span span) {
  if (const auto* array = value.as<Array>()) {
    return type && *type != type_of(*array) ? copy(*array, *type) : *array;
  }
  if (const auto* grown = value.as<Grown>()) return lists_->to_array(*grown, type, span);
  const std::vector<Value>* items = nullptr;
  if (const auto* tuple = value.as<Tuple>()) items = &tuple->items;
  if (const auto* list = value.as<List>()) items = list->items.get();
  if (items == nullptr) {
    const std::optional<Scalar> scalar = as_scalar(value);
    if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(value, module));
    const ir::DType scalar_type = type.value_or(type_of(*scalar));
    return define({}, scalar_type, [&](const Indices&) { return cast(scalar->expr, scalar_type); });
  }
  if (items->empty()) return allocate({size(0)}, type.value_or(ir::DType::F64));
  std::vector<Array> rows;
  bool nested = false;
  for (const Value& item : *items) {
    nested = nested || item.is<Array>() || item.is<Tuple>() || item.is<List>();
  }
  if (!nested) {
    std::optional<ir::DType> found = type;
    for (const Value& item : *items) {
      const std::optional<Scalar> scalar = as_scalar(item);
      if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(item, module));
      if (!type) found = found ? ir::promote(*found, type_of(*scalar)) : type_of(*scalar);
      if (type) PW_CHECK_OK(check_stored(item, *type, Conversion::ByPython, span));
    }
    const ir::DType element_type = *found;
    const Array out = allocate({size(static_cast<std::int64_t>(items->size()))}, element_type);
    for (std::size_t i = 0; i < items->size(); ++i) {
      store(out, {size(static_cast<std::int64_t>(i))}, cast(as_scalar((*items)[i])->expr, element_type));
    }
    return out;
  }
  std::optional<ir::DType> joined = type;
  for (const Value& item : *items) {
    PW_TRY(const Array row, to_array(item, type, span));
    if (!type) joined = joined ? ir::promote(*joined, type_of(row)) : type_of(row);
    rows.push_back(row);
  }
  std::vector<ir::ExtentId> shape = {size(static_cast<std::int64_t>(rows.size()))};
  for (const Array& row : rows) {
    if (row.shape.size() != rows[0].shape.size()) {
      return engine.report(Rule::NumpyRankMismatch, span, row.shape.size(), rows[0].shape.size());
    }
    for (std::size_t k = 0; k < row.shape.size(); ++k)
      PW_CHECK_OK(require_equal(rows[0].shape[k], row.shape[k], span));
  }
  shape.insert(shape.end(), rows[0].shape.begin(), rows[0].shape.end());
  const Array out = allocate(std::move(shape), *joined);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    map_over(rows[r].shape, [&](const Indices& indices) {
      Indices to = {size(static_cast<std::int64_t>(r))};
      to.insert(to.end(), indices.begin(), indices.end());
      store(out, to, load(rows[r], indices));
    });
  }
  return out;
}

Array Stager::transpose(const Array& array, std::span<const std::size_t> order) {
  Array out = array;
  out.fresh = false;
  for (std::size_t k = 0; k < order.size(); ++k) out.shape[k] = array.shape[order[k]];
  for (ir::ExtentId& position : out.map) {
    position = extents().substitute(position, [&](ir::LocalId local) {
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (local == axis(order[k])) return extents().local(axis(k));
      }
      return ir::ExtentId();
    });
  }
  return out;
}

Array Stager::drop_axis(const Array& array, std::size_t dropped) {
  Array out = array;
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(dropped));
  for (ir::ExtentId& position : out.map) {
    position = extents().substitute(position, [&](ir::LocalId local) {
      if (local == axis(dropped)) return size(0);
      for (std::size_t k = dropped + 1; k < array.shape.size(); ++k) {
        if (local == axis(k)) return extents().local(axis(k - 1));
      }
      return ir::ExtentId();
    });
  }
  return out;
}

Array Stager::insert_axis(const Array& array, std::size_t position) {
  Array out = array;
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(position), size(1));
  for (ir::ExtentId& at : out.map) {
    at = extents().substitute(at, [&](ir::LocalId local) {
      for (std::size_t k = position; k < array.shape.size(); ++k) {
        if (local == axis(k)) return extents().local(axis(k + 1));
      }
      return ir::ExtentId();
    });
  }
  return out;
}

}  // namespace pw::numpy
