// Stores into arrays: whole, through basic indices, masks and index arrays.
// Source: https://numpy.org/doc/stable/user/basics.indexing.html#assigning-values-to-indexed-arrays
#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/indexing.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// A run-time float as an int64, toward zero: NaN and infinities raise, as in Python's int(); `beyond` is
/// what a Python int too long for int64 leads to.
ir::ExprId Stager::whole(ir::ExprId expr, ir::TrapKind beyond) {
  const ir::ExprId x = bound(expr);
  const ir::DType type = module.type(x);
  trap_if(apply(ir::Op::IsNan, {x}), ir::TrapKind::ValueError, "int() of NaN");
  constexpr double kLimit = 9223372036854775808.0;
  const ir::ExprId low = apply(ir::Op::Lt, {x, real(-kLimit, type)});
  const ir::ExprId high = apply(ir::Op::Ge, {x, real(kLimit, type)});
  trap_if(apply(ir::Op::IsInf, {x}), ir::TrapKind::OverflowError, "int() of an infinity");
  trap_if(apply(ir::Op::Or, {low, high}), beyond, "int() beyond 64 bits");
  return cast(x, ir::DType::I64);
}

/// A number that becomes an element. Python's numbers must fit; so must NumPy's where the element is a signed
/// integer and NumPy converts by way of a Python int. Into an unsigned one, and by a cast, they wrap.
Result<Done> Stager::check_stored(const Value& stored, ir::DType target, Conversion how, base::Span span) {
  if (stored.is<Array>()) return Done{};
  const std::optional<Scalar> scalar = as_scalar(stored);
  if (!scalar) return Done{};
  const ir::DType own = type_of(*scalar);
  if (scalar->weak && ir::is_complex(own) && !ir::is_complex(target) && target != ir::DType::Bool) {
    return engine.report(Rule::NumpyInplaceCast, span, ir::row(own).numpy, ir::row(target).numpy);
  }
  const bool signed_target = ir::kind(target) == ir::DTypeKind::Int;
  if (!ir::is_integer(target) || own == ir::DType::Bool) return Done{};
  const bool casts = scalar->zero_dim || how == Conversion::ByCast || !signed_target;
  if (!scalar->weak && casts) return Done{};
  if (scalar->weak && own == ir::DType::I64) return check_weak_range(stored, target, span);
  ir::ExprId exact = scalar->expr;
  if (ir::is_complex(own)) exact = apply(ir::Op::Real, {exact});
  if (ir::is_float(module.type(exact))) {
    exact = whole(exact, ir::TrapKind::OverflowError);
  } else {
    const std::size_t bytes = ir::row(own).bytes;
    const bool own_signed = ir::kind(own) == ir::DTypeKind::Int;
    if (own_signed ? bytes <= ir::row(target).bytes : bytes < ir::row(target).bytes) return Done{};
  }
  trap_if(misfits(exact, target), ir::TrapKind::OverflowError, "a number beyond the array's dtype");
  return Done{};
}

/// Whether an integer is another one after a cast to the integer dtype.
ir::ExprId Stager::misfits(ir::ExprId number, ir::DType target) {
  const ir::DType own = module.type(number);
  const ir::ExprId changed = apply(ir::Op::Ne, {cast(cast(number, target), own), number});
  if ((ir::kind(own) == ir::DTypeKind::UInt) == (ir::kind(target) == ir::DTypeKind::UInt)) return changed;
  // Two's complement goes there and back between equal widths: one side of it is negative then.
  const ir::ExprId is_signed = ir::kind(own) == ir::DTypeKind::UInt ? cast(number, target) : number;
  return apply(ir::Op::Or, {changed, apply(ir::Op::Lt, {cast(is_signed, ir::DType::I64), integer(0)})});
}

Result<Done> Stager::assign(const Array& target, const Value& value, base::Span span) {
  PW_CHECK_OK(require_storable(target.buffer, span));
  Value source = value;
  if (const auto* matrix = source.as<DenseMatrix>()) source = numpy::value(matrix->array);
  if (source.is<Tuple>() || source.is<List>() || source.is<Grown>()) {
    PW_TRY(Array array, to_array(source, std::nullopt, span));
    source = numpy::value(std::move(array));
  }
  if (const auto* array = source.as<Array>()) {
    Array from = *array;
    // NumPy lets a value have leading dimensions of size one.
    while (from.shape.size() > target.shape.size() && extents().as_constant(from.shape[0]) == 1) {
      from = drop_axis(from, 0);
    }
    if (from.shape.size() > target.shape.size()) {
      return engine.report(Rule::NumpyRankMismatch, span, from.shape.size(), target.shape.size());
    }
    for (std::size_t k = 0; k < from.shape.size(); ++k) {
      const ir::ExtentId wanted = target.shape[target.shape.size() - from.shape.size() + k];
      PW_CHECK_OK(require_broadcast(from.shape[k], wanted, span));
    }
    if (from.buffer == target.buffer && from.map != target.map) from = copy(from, type_of(from));
    source = numpy::value(std::move(from));
  } else if (!as_scalar(source)) {
    return engine.report(Rule::NumpyNumberNeeded, span, describe(source, module));
  } else {
    source = snapshot(source, {});
  }
  const ir::DType type = type_of(target);
  map_over(target.shape, [&](const Indices& indices) {
    store(target, indices, element(source, indices, target.shape.size(), type));
  });
  note_store(target.buffer, span);
  return Done{};
}

Result<Done> Stager::store_subscript(const Value& base, const Value& index, const Value& stored,
                                     base::Span span) {
  if (const auto* grown = base.as<Grown>()) return lists_->set(*grown, index, stored, span);
  if (const auto* list = base.as<List>()) {
    PW_TRY(std::int64_t at, to_static_int(index, span));
    const auto length = static_cast<std::int64_t>(list->items->size());
    if (at < -length || at >= length) return engine.report(Rule::NumpyIndexCount, span, at, length);
    PW_CHECK_OK(lists_->require_growable(*list, std::vector{stored}, span));
    PW_TRY((*list->items)[static_cast<std::size_t>(at < 0 ? at + length : at)],
           held(list->items.get(), stored, span));
    return Done{};
  }
  if (const auto* dict = base.as<Dict>()) {
    PW_CHECK_OK(lists_->require_changeable(*dict, span));
    if (index.is<OneOf>()) return static_needed(span, "a key", index);
    PW_TRY(Value kept, held(dict->items.get(), stored, span));
    PW_TRY(const std::optional<std::size_t> at, key_position(*this, *dict->items, index, span));
    if (at) {
      (*dict->items)[*at].second = std::move(kept);
    } else {
      dict->items->emplace_back(index, std::move(kept));
    }
    return Done{};
  }
  const auto* array = base.as<Array>();
  if (array == nullptr) return engine.report(Rule::NumpyNotSubscriptable, span, describe(base, module));
  if (const auto* mixed = stored.as<Mixed>()) return store_subscript(base, index, strong(mixed->expr), span);
  if (const auto* mask = index.as<Array>(); mask != nullptr && is_mask(*mask)) {
    return store_masked(*array, *mask, stored, span);
  }
  PW_TRY(const Indexed indexed, index_basic(*array, index, span));
  if (!indexed.gathers.empty()) return store_gathered(indexed, stored, span);
  if (!indexed.view.shape.empty()) {
    PW_CHECK_OK(check_stored(stored, type_of(*array), Conversion::ByPython, span));
    return assign(indexed.view, stored, span);
  }
  PW_CHECK_OK(require_storable(array->buffer, span));
  PW_CHECK_OK(check_stored(stored, type_of(*array), Conversion::ByPython, span));
  // Of one element too: "setting an array element with a sequence".
  if (const auto* many = stored.as<Array>(); many != nullptr && !many->shape.empty()) {
    return engine.report(Rule::NumpyRankMismatch, span, many->shape.size(), 0);
  }
  const std::optional<Scalar> scalar = as_scalar(stored);
  if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(stored, module));
  store(indexed.view, {}, scalar->expr);
  note_store(array->buffer, span);
  return Done{};
}

void Stager::for_over(std::span<const ir::ExtentId> shape, const std::function<void(const Indices&)>& body) {
  const std::size_t names = axis_names_;
  Indices indices;
  const std::vector<ir::Axis> axes = make_axes(shape, indices);
  const std::function<void(std::size_t)> nest = [&](std::size_t k) {
    if (k == axes.size()) return body(indices);
    const ir::BlockId inner = block([&] { nest(k + 1); });
    emit(ir::For{axes[k].index, integer(0), index(axes[k].extent), integer(1), inner, ir::Schedule::Serial});
  };
  nest(0);
  axis_names_ = names;
}

void Stager::range_over(std::string_view name, ir::ExtentId lower, ir::ExtentId upper,
                        const std::function<void(ir::ExtentId)>& body) {
  ir::Local local;
  local.name = std::string(name);
  local.kind = ir::LocalKind::Axis;
  local.range = {lower, extents().add(upper, size(-1))};
  local.span = here();
  const ir::LocalId id = module.add(std::move(local));
  const ir::BlockId inner = block([&] { body(extents().local(id)); });
  emit(ir::For{id, index(lower), index(upper), integer(1), inner, ir::Schedule::Serial});
}

/// Index arrays that lie in the array to be stored into are read before the first store.
void Stager::copy_indices_of_own(Indexed& indexed) {
  for (auto& [axis, gather] : indexed.gathers) {
    if (gather.buffer == indexed.view.buffer) gather = copy(gather, type_of(gather));
  }
}

/// What is stored element by element into places of the array: of the shape, and read before the first store.
Result<Value> Stager::scattered(const Value& stored, const Array& array,
                                const std::vector<ir::ExtentId>& shape, base::Span span) {
  Value source = snapshot(stored, {});
  if (source.is<Tuple>() || source.is<List>() || source.is<Grown>()) {
    PW_TRY(Array converted, to_array(source, std::nullopt, span));
    source = value(std::move(converted));
  }
  if (const auto* from = source.as<Array>()) {
    if (from->shape.size() > shape.size()) {
      return engine.report(Rule::NumpyRankMismatch, span, from->shape.size(), shape.size());
    }
    for (std::size_t k = 0; k < from->shape.size(); ++k) {
      if (extents().as_constant(from->shape[k]) == 1) continue;
      PW_CHECK_OK(require_equal(from->shape[k], shape[shape.size() - from->shape.size() + k], span));
    }
    if (from->buffer == array.buffer) source = value(copy(*from, type_of(*from)));
  } else if (!as_scalar(source)) {
    return engine.report(Rule::NumpyNumberNeeded, span, describe(source, module));
  }
  return source;
}

/// `a[indices] = value`: in order, so that of repeated indices the last wins.
Result<Done> Stager::store_gathered(Indexed indexed, const Value& stored, base::Span span) {
  PW_CHECK_OK(check_stored(stored, type_of(indexed.view), Conversion::ByCast, span));
  PW_CHECK_OK(require_storable(indexed.view.buffer, span));
  copy_indices_of_own(indexed);
  PW_TRY(const GatherPlan plan, plan_gather(indexed, span));
  PW_TRY(const Value source, scattered(stored, indexed.view, plan.shape, span));
  check_gathers(indexed);  // NumPy compares the shapes first
  const ir::DType type = type_of(indexed.view);
  for_over(plan.shape, [&](const Indices& indices) {
    const Indices at = gather_indices(indexed, plan, indices);
    store(indexed.view, at, element(source, indices, plan.shape.size(), type));
  });
  note_store(indexed.view.buffer, span);
  return Done{};
}

}  // namespace pw::numpy
