// Boolean masks as indices: arrays of as many elements as the mask is true for, a number known at run time.
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

/// The extents of an array behind those that a mask stands for.
std::vector<ir::ExtentId> behind(const Array& mask, const Array& array) {
  return {array.shape.begin() + static_cast<std::ptrdiff_t>(mask.shape.size()), array.shape.end()};
}

std::vector<ir::ExtentId> joined(std::vector<ir::ExtentId> first, const std::vector<ir::ExtentId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

/// How many elements of a mask are true.
ir::ExtentId Stager::count_true(const Array& mask) {
  const std::pair<ir::BufferId, ir::BlockId> key(mask.buffer, blocks_.back());
  if (const auto known = mask_counts_.find(key); known != mask_counts_.end()) {
    const MaskCount& same = known->second;
    if (same.map == mask.map && same.shape == mask.shape) return same.count;
  }
  const ir::ExprId sum =
      fold(mask.shape, ir::ReduceOp::Sum, ir::DType::I64, ir::ReduceOrder::Any,
           [&](const Indices& indices) { return cast(load(mask, indices), ir::DType::I64); });
  const ir::LocalId local = let(sum, "count");
  module[local].range = {size(0), count(mask.shape)};
  const ir::ExtentId counted = extents().local(local);
  mask_counts_[key] = {mask.shape, mask.map, counted};
  return counted;
}

/// Runs `body` at each true element, in C order, with its indices and its number among them.
void Stager::for_true(const Array& mask, ir::ExtentId counted,
                      const std::function<void(const Indices&, ir::ExtentId)>& body) {
  const ir::LocalId next = declare_variable("next", ir::DType::I64, integer(0));
  for_over(mask.shape, [&](const Indices& indices) {
    const ir::ExprId holds = load(mask, indices);
    const ir::BlockId selected = block([&] {
      const ir::LocalId at = let(module.add(ir::Read{next}, span_), "at");
      module[at].range = {size(0), extents().add(counted, size(-1))};
      body(indices, extents().local(at));
      emit(ir::Assign{next, apply(ir::Op::Add, {module.add(ir::Read{at}, span_), integer(1)})});
    });
    emit(ir::If{holds, selected, block([] {})});
  });
}

std::vector<Array> Stager::nonzero(const Array& mask) {
  const ir::ExtentId counted = count_true(mask);
  std::vector<Array> out;
  for (std::size_t k = 0; k < mask.shape.size(); ++k) out.push_back(allocate({counted}, ir::DType::I64));
  for_true(mask, counted, [&](const Indices& indices, ir::ExtentId at) {
    for (std::size_t k = 0; k < out.size(); ++k) store(out[k], {at}, index(indices[k]));
  });
  return out;
}

/// A mask has the extents of the dimensions that it stands for.
Result<Done> Stager::require_mask(const Array& mask, std::span<const ir::ExtentId> shape, base::Span span) {
  if (mask.shape.size() > shape.size()) {
    return engine.report(Rule::NumpyIndexCount, span, mask.shape.size(), shape.size());
  }
  for (std::size_t k = 0; k < mask.shape.size(); ++k) {
    if (mask.shape[k] == shape[k]) continue;
    const ir::ExprId length = index(clamped(mask.shape[k]));
    const ir::ExprId other = apply(ir::Op::Ne, {length, index(clamped(shape[k]))});
    const ir::ExprId empty = apply(ir::Op::Eq, {length, integer(0)});
    // NumPy takes some empty masks of another length.
    trap_if(apply(ir::Op::And, {other, empty}), ir::TrapKind::Assumption, "an empty mask of another length");
    trap_if(other, ir::TrapKind::IndexError, "boolean index did not match indexed array");
  }
  return Done{};
}

/// `array[mask]`, the mask over the leading dimensions.
Result<Value> Stager::select(const Array& array, const Array& mask, base::Span span) {
  PW_CHECK_OK(require_mask(mask, array.shape, span));
  const ir::ExtentId counted = count_true(mask);
  const std::vector<ir::ExtentId> rest = behind(mask, array);
  const std::vector<ir::ExtentId> shape = joined({counted}, rest);
  const Array out = allocate(shape, type_of(array));
  for_true(mask, counted, [&](const Indices& indices, ir::ExtentId at) {
    map_over(rest, [&](const Indices& inner) {
      store(out, joined({at}, inner), load(array, joined(indices, inner)));
    });
  });
  return value(out);
}

/// `array[mask] = stored`, the mask over the leading dimensions.
Result<Done> Stager::store_masked(const Array& array, const Array& mask, const Value& stored,
                                  base::Span span) {
  PW_CHECK_OK(require_mask(mask, array.shape, span));
  PW_CHECK_OK(check_stored(stored, type_of(array), Conversion::ByCast, span));
  PW_CHECK_OK(require_storable(array.buffer, span));
  const Array tested = mask.buffer == array.buffer ? copy(mask, type_of(mask)) : mask;
  const bool sequence = stored.is<Array>() || stored.is<Tuple>() || stored.is<List>() || stored.is<Grown>();
  if (sequence) return store_selected(array, tested, stored, span);
  const std::optional<Scalar> scalar = as_scalar(stored);
  if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(stored, module));
  const ir::LocalId filled = let(cast(scalar->expr, type_of(array)));
  map_over(array.shape, [&](const Indices& indices) {
    const Indices outer(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(mask.shape.size()));
    const ir::ExprId condition = load(tested, outer);
    const ir::BlockId then_body = block([&] { store(array, indices, module.add(ir::Read{filled}, span_)); });
    emit(ir::If{condition, then_body, block([] {})});
  });
  note_store(array.buffer, span);
  return Done{};
}

/// The same of an array, whose elements go to the true ones in order.
Result<Done> Stager::store_selected(const Array& array, const Array& mask, const Value& stored,
                                    base::Span span) {
  const ir::ExtentId counted = count_true(mask);
  const std::vector<ir::ExtentId> rest = behind(mask, array);
  const std::vector<ir::ExtentId> shape = joined({counted}, rest);
  const auto* given = stored.as<Array>();
  if (given != nullptr && given->shape.size() == shape.size() && given->shape[0] != counted &&
      extents().as_constant(given->shape[0]) != 1) {
    const ir::ExprId length = index(clamped(given->shape[0]));
    const ir::ExprId other = apply(ir::Op::Ne, {length, index(counted)});
    const ir::ExprId many = apply(ir::Op::Ne, {length, integer(1)});
    trap_if(apply(ir::Op::And, {other, many}), ir::TrapKind::ValueError,
            "as many values as the mask is true for are needed");
  }
  PW_TRY(const Value source, scattered(stored, array, shape, span));
  const ir::DType type = type_of(array);
  for_true(mask, counted, [&](const Indices& indices, ir::ExtentId at) {
    map_over(rest, [&](const Indices& inner) {
      const ir::ExprId value = element(source, joined({at}, inner), shape.size(), type);
      store(array, joined(indices, inner), value);
    });
  });
  note_store(array.buffer, span);
  return Done{};
}

}  // namespace pw::numpy
