// Subscripts: basic indexing composes views, index arrays gather and scatter, single elements load and store.
// Source: https://numpy.org/doc/stable/user/basics.indexing.html
#include "frontends/numpy/indexing.h"

#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

std::vector<Value> index_items(const Value& index) {
  if (const auto* tuple = index.as<Tuple>()) return tuple->items;
  return {index};
}

}  // namespace

Result<std::optional<std::size_t>> key_position(Stager& stager,
                                                const std::vector<std::pair<Value, Value>>& items,
                                                const Value& key, base::Span span) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    PW_TRY(const Value same, stager.compare(python::CompareOperator::Eq, items[k].first, key, span));
    const auto* known = same.as<bool>();
    if (known == nullptr) return stager.static_needed(span, "a key", key);
    if (*known) return k;
  }
  return std::nullopt;
}

ir::ExtentId Stager::floor_divide(ir::ExtentId a, ir::ExtentId b) {
  const ir::Extent divisor = extents()[b];
  if (divisor.terms.size() != 1) return extents().apply(ir::ExtentOp::FloorDiv, a, b);
  const ir::ExtentTerm& d = divisor.terms[0];
  ir::ExtentId quotient = size(0);
  ir::ExtentId rest = size(0);
  const ir::Extent dividend = extents()[a];
  for (const ir::ExtentTerm& term : dividend.terms) {
    const auto product = [&](std::int64_t coefficient, const std::vector<ir::AtomId>& factors) {
      ir::ExtentId out = size(coefficient);
      for (const ir::AtomId factor : factors) out = extents().multiply(out, extents().of(factor));
      return out;
    };
    std::vector<ir::AtomId> left;
    if (term.coefficient % d.coefficient == 0 &&
        std::includes(term.factors.begin(), term.factors.end(), d.factors.begin(), d.factors.end())) {
      std::set_difference(term.factors.begin(), term.factors.end(), d.factors.begin(), d.factors.end(),
                          std::back_inserter(left));
      quotient = extents().add(quotient, product(term.coefficient / d.coefficient, left));
    } else {
      rest = extents().add(rest, product(term.coefficient, term.factors));
    }
  }
  const bool small =
      proves_nonnegative(rest) && proves_nonnegative(extents().subtract(extents().add(b, size(-1)), rest));
  if (small) return quotient;
  // -1 is what one less than a multiple leaves: (b*q - 1) // b == q - 1.
  if (extents().as_constant(rest) == -1 && !extents().as_constant(b))
    return extents().add(quotient, size(-1));
  return extents().add(quotient, extents().apply(ir::ExtentOp::FloorDiv, rest, b));
}

bool Stager::is_checked(ir::ExtentId index, ir::ExtentId extent) {
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [&](ir::BlockId block) { return checked_.contains({block, index, extent}); });
}

ir::ExtentId Stager::element_index(ir::ExtentId index, ir::ExtentId extent) {
  const ir::ExtentId last = extents().add(extent, size(-1));
  const bool low = proves_nonnegative(index);
  if (low && proves_nonnegative(extents().subtract(last, index))) return index;
  const ir::ExprId high = apply(ir::Op::Ge, {this->index(index), this->index(extent)});
  if (low) {
    if (is_checked(index, extent)) return index;
    trap_if(high, ir::TrapKind::IndexError, "index out of bounds");
    checked_.insert({blocks_.back(), index, extent});
    return index;
  }
  const ir::ExtentId wrapped = extents().add(index, extent);
  if (proves_nonnegative(extents().scale(extents().add(index, size(1)), -1))) {
    if (!proves_nonnegative(wrapped) && !is_checked(wrapped, extent)) {
      trap_if(apply(ir::Op::Lt, {this->index(wrapped), integer(0)}), ir::TrapKind::IndexError,
              "index out of bounds");
      checked_.insert({blocks_.back(), wrapped, extent});
    }
    return wrapped;
  }
  // The check comes before the local whose range it makes true, and does not read it.
  const ir::ExprId below = apply(ir::Op::Lt, {this->index(index), this->index(extents().scale(extent, -1))});
  trap_if(apply(ir::Op::Or, {below, high}), ir::TrapKind::IndexError, "index out of bounds");
  return extents().local(wrap(this->index(index), extent));
}

/// An i64 that a check found to be an index, counted from the start.
ir::LocalId Stager::wrap(ir::ExprId index, ir::ExtentId extent) {
  const ir::ExprId negative = apply(ir::Op::Lt, {index, integer(0)});
  const ir::ExprId from_end = apply(ir::Op::Add, {index, this->index(extent)});
  std::string stem = invented_name("index");
  for (const ir::LocalId each : extents().locals(module.as_extent(index).value_or(size(0)))) {
    if (module[each].kind != ir::LocalKind::Symbol) stem = module[each].name;
  }
  const ir::LocalId at = let(apply(ir::Op::Select, {negative, from_end, index}), stem + "_at");
  module[at].range = {size(0), extents().add(extent, size(-1))};
  return at;
}

Result<Stager::SliceExtents> Stager::slice_extents(const Slice& slice, ir::ExtentId extent, base::Span span) {
  const std::vector<Value>& parts = *slice.parts;
  std::int64_t direction = 1;
  ir::ExtentId step = size(1);
  if (!parts[2].is<None>()) {
    PW_TRY(step, to_extent(parts[2], span));
    const auto known = extents().as_constant(step);
    if (known == 0) return engine.report(Rule::NumpySliceStep, span, "zero");
    if (known && *known < 0) direction = -1;
    if (!known && !assume_positive(step)) return engine.report(Rule::NumpySliceStep, span, "of unknown sign");
  }
  // A bound counted from the end where it is negative; `on_unknown` where the sign is not known.
  const auto from_start = [&](ir::ExtentId bound) -> std::pair<ir::ExtentId, bool> {
    if (proves_nonnegative(bound)) return {bound, false};
    if (proves_nonnegative(extents().scale(extents().add(bound, size(1)), -1))) {
      return {extents().add(extent, bound), true};
    }
    const ir::ExprId negative = apply(ir::Op::Lt, {index(bound), integer(0)});
    const ir::LocalId at =
        let(apply(ir::Op::Select, {negative, index(extents().add(extent, bound)), index(bound)}));
    return {extents().local(at), true};
  };
  const auto at_least = [&](ir::ExtentId e, ir::ExtentId floor) {
    if (proves_nonnegative(extents().subtract(e, floor))) return e;
    return extents().apply(ir::ExtentOp::Max, e, floor);
  };
  const auto at_most = [&](ir::ExtentId e, ir::ExtentId ceiling) {
    if (proves_nonnegative(extents().subtract(ceiling, e))) return e;
    return extents().apply(ir::ExtentOp::Min, e, ceiling);
  };
  const ir::ExtentId zero = size(0);
  ir::ExtentId start = direction > 0 ? zero : extents().add(extent, size(-1));
  ir::ExtentId stop = direction > 0 ? extent : size(-1);
  if (!parts[0].is<None>()) {
    PW_TRY(const ir::ExtentId bound, to_extent(parts[0], span));
    const auto [at, counted] = from_start(bound);
    start = counted ? at_least(at, zero) : at;
    if (direction < 0) start = at_most(at, extents().add(extent, size(-1)));
  }
  if (!parts[1].is<None>()) {
    PW_TRY(const ir::ExtentId bound, to_extent(parts[1], span));
    const auto [at, counted] = from_start(bound);
    if (direction > 0) {
      stop = counted && extents().as_constant(bound) ? at : at_most(at, extent);
    } else {
      stop = counted ? at_least(at, size(-1)) : at;
    }
  }
  const ir::ExtentId stride = direction > 0 ? step : extents().scale(step, -1);
  const ir::ExtentId length =
      direction > 0 ? extents().subtract(stop, start) : extents().subtract(start, stop);
  SliceExtents out{start, step, length};
  if (extents().as_constant(stride) != 1) {
    out.length = floor_divide(extents().add(length, extents().add(stride, size(-1))), stride);
  }
  return out;
}

/// Applies the basic items; index arrays stand as full slices, and are given back with the axis they index.
Result<Stager::Indexed> Stager::index_basic(const Array& array, const Value& index, base::Span span) {
  std::vector<Value> items = index_items(index);
  std::size_t consumed = 0;
  std::size_t ellipses = 0;
  for (Value& item : items) {
    if (item.is<List>() || item.is<Grown>()) {
      const auto* grown = item.as<Grown>();
      PW_TRY(Array converted,
             grown != nullptr ? lists_->to_indices(*grown, span) : to_array(item, std::nullopt, span));
      item = value(std::move(converted));
    }
    const auto* as_array = item.as<Array>();
    if (item.is<EllipsisObject>()) {
      ++ellipses;
    } else if (as_array != nullptr && is_mask(*as_array)) {
      consumed += std::max<std::size_t>(1, as_array->shape.size());
    } else if (!item.is<None>()) {
      ++consumed;
    }
  }
  const std::size_t rank = array.shape.size();
  if (consumed > rank || ellipses > 1) return engine.report(Rule::NumpyIndexCount, span, items.size(), rank);
  if (ellipses == 0) items.push_back(value(EllipsisObject{}));
  Indexed out;
  std::vector<ir::ExtentId> at;  // of each axis of `array`, over the new axes
  std::vector<ir::ExtentId> shape;
  const Value full = value(Slice{std::make_shared<std::vector<Value>>(3, value(None{}))});
  const auto take = [&](const Value& item) -> Result<Done> {
    const ir::ExtentId extent = array.shape[at.size()];
    if (const auto* slice = item.as<Slice>()) {
      PW_TRY(const SliceExtents bounds, slice_extents(*slice, extent, span));
      const ir::ExtentId formal = extents().local(axis(shape.size()));
      at.push_back(extents().add(bounds.start, extents().multiply(bounds.step, formal)));
      shape.push_back(bounds.length);
      return Done{};
    }
    if (const auto* gather = item.as<Array>(); gather != nullptr && !gather->shape.empty()) {
      out.gathers.push_back({shape.size(), *gather});
      out.advanced.push_back(out.position);
      at.push_back(extents().local(axis(shape.size())));
      shape.push_back(extent);
      return Done{};
    }
    PW_TRY(const ir::ExtentId position, to_extent(item, span));
    at.push_back(element_index(position, extent));
    out.advanced.push_back(out.position);
    return Done{};
  };
  for (const Value& item : items) {
    if (item.is<None>()) {
      shape.push_back(size(1));
    } else if (item.is<EllipsisObject>()) {
      for (std::size_t k = consumed; k < rank; ++k) PW_CHECK_OK(take(full));
    } else if (const auto* mask = item.as<Array>(); mask != nullptr && is_mask(*mask)) {
      const std::span<const ir::ExtentId> left = std::span(array.shape).subspan(at.size());
      PW_CHECK_OK(require_mask(*mask, left, span));
      for (const Array& each : nonzero(*mask)) {
        PW_CHECK_OK(take(value(each)));
        ++out.position;
      }
      continue;
    } else {
      const auto* number = item.as<Scalar>();
      const bool flag = item.is<bool>() || (mask != nullptr && type_of(*mask) == ir::DType::Bool) ||
                        (number != nullptr && type_of(*number) == ir::DType::Bool);
      if (flag) return engine.report(Rule::NumpyMaskIndex, span);
      PW_CHECK_OK(take(item));
    }
    ++out.position;
  }
  out.view = array;
  out.view.fresh = false;
  out.view.shape = std::move(shape);
  for (ir::ExtentId& position : out.view.map) {
    position = extents().substitute(position, [&](ir::LocalId local) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        if (local == axis(k)) return at[k];
      }
      return ir::ExtentId();
    });
  }
  return out;
}

/// The shape of a gather, and how an index of it splits into the index arrays' part and the view's.
Result<Stager::GatherPlan> Stager::plan_gather(const Indexed& indexed, base::Span span) {
  GatherPlan plan;
  std::vector<std::vector<ir::ExtentId>> shapes;
  for (const auto& [k, gather] : indexed.gathers) {
    if (!ir::is_integer(type_of(gather)))
      return engine.report(Rule::NumpyIntegerNeeded, span, describe(value(gather), module));
    shapes.push_back(gather.shape);
  }
  PW_TRY(plan.gathered, broadcast(shapes, span));
  bool adjacent = true;
  for (std::size_t k = 1; k < indexed.advanced.size(); ++k) {
    adjacent = adjacent && indexed.advanced[k] == indexed.advanced[k - 1] + 1;
  }
  plan.place = adjacent ? indexed.gathers[0].first : 0;
  std::vector<ir::ExtentId> kept;
  for (std::size_t k = 0; k < indexed.view.shape.size(); ++k) {
    const bool is_gathered = std::any_of(indexed.gathers.begin(), indexed.gathers.end(),
                                         [&](const auto& each) { return each.first == k; });
    if (!is_gathered) kept.push_back(indexed.view.shape[k]);
  }
  plan.shape = kept;
  plan.shape.insert(plan.shape.begin() + static_cast<std::ptrdiff_t>(plan.place), plan.gathered.begin(),
                    plan.gathered.end());
  return plan;
}

/// The indices of a gather are checked before its first element, and where it has no elements too.
void Stager::check_gathers(const Indexed& indexed) {
  for (const auto& [k, gather] : indexed.gathers) {
    const ir::ExprId extent = index(indexed.view.shape[k]);
    const ir::ExprId least = index(extents().scale(indexed.view.shape[k], -1));
    map_over(gather.shape, [&](const Indices& indices) {
      const ir::ExprId at = cast(load(gather, indices), ir::DType::I64);
      trap_if(apply(ir::Op::Or, {apply(ir::Op::Lt, {at, least}), apply(ir::Op::Ge, {at, extent})}),
              ir::TrapKind::IndexError, "index out of bounds");
    });
  }
}

/// Where element `indices` of a gather lies in the view; wraps each run-time index.
Indices Stager::gather_indices(const Indexed& indexed, const GatherPlan& plan, const Indices& indices) {
  const auto place = static_cast<std::ptrdiff_t>(plan.place);
  const auto width = static_cast<std::ptrdiff_t>(plan.gathered.size());
  const Indices inner(indices.begin() + place, indices.begin() + place + width);
  Indices kept(indices.begin(), indices.begin() + place);
  kept.insert(kept.end(), indices.begin() + place + width, indices.end());
  Indices at(indexed.view.shape.size());
  for (const auto& [k, gather] : indexed.gathers) {
    const ir::ExprId loaded = load(gather, broadcast_indices(gather, inner, plan.gathered.size()));
    at[k] = extents().local(wrap(cast(loaded, ir::DType::I64), indexed.view.shape[k]));
  }
  std::size_t next = 0;
  for (ir::ExtentId& each : at) {
    if (!each.valid()) each = kept[next++];
  }
  return at;
}

Result<Value> Stager::subscript(const Value& base, const Value& index, base::Span span) {
  const std::vector<Value>* items = nullptr;
  if (const auto* tuple = base.as<Tuple>()) items = &tuple->items;
  if (const auto* list = base.as<List>()) items = list->items.get();
  if (items != nullptr) return subscript_sequence(base, *items, index, span);
  if (const auto* grown = base.as<Grown>()) return lists_->get(*grown, index, span);
  if (const auto* dict = base.as<Dict>()) {
    const std::vector<std::pair<Value, Value>>& pairs = *dict->items;
    const auto* one = index.as<OneOf>();
    if (one == nullptr) {
      PW_TRY(const std::optional<std::size_t> at, key_position(*this, pairs, index, span));
      if (at) return pairs[*at].second;
      return engine.report(Rule::NumpyKeyUnknown, span, describe(index, module));
    }
    // Of several strings: what stands at the one that running tells.
    std::vector<std::optional<std::size_t>> places;
    std::optional<Form> form;
    for (const std::string& text : one->texts) {
      PW_TRY(places.emplace_back(), key_position(*this, pairs, value(text), span));
      if (!places.back()) continue;
      const Value& item = pairs[*places.back()].second;
      form = form ? join(*form, form_of(item)) : form_of(item);
      if (!form || form->kind == Form::Kind::Known || !in_scope(*form)) {
        return engine.report(Rule::NumpyConditionalKinds, span, describe(pairs.front().second, module),
                             describe(item, module));
      }
    }
    if (!form) return engine.report(Rule::NumpyKeyUnknown, span, describe(index, module));
    const ir::ExprId position = bound(one->position);
    Variable chosen = declare(invented_name("chosen"), *form, true);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const ir::ExprId here = apply(ir::Op::Eq, {position, integer(static_cast<std::int64_t>(k))});
      if (!places[k]) {
        emit(ir::Trap{
            module.add(ir::TrapRow{ir::TrapKind::Raised, "KeyError: " + one->texts[k], span_, "KeyError"}),
            here});
        ++traps_emitted_;
        continue;
      }
      PW_TRY(const ir::BlockId block,
             try_block([&] { return store_form("chosen", chosen, pairs[*places[k]].second, span); }));
      emit(ir::If{here, block, this->block([] {})});
    }
    end_variable(chosen);
    return read(chosen);
  }
  const auto* object = base.as<ModuleObject>();
  if (const FunctionRow* row = object == nullptr ? nullptr : find_function(object->name)) {
    return call(value(LibraryFunction{row, nullptr}), Arguments{{index}, {}, span, row->name});
  }
  const auto* array = base.as<Array>();
  if (array == nullptr) return engine.report(Rule::NumpyNotSubscriptable, span, describe(base, module));
  if (const auto* mask = index.as<Array>(); mask != nullptr && is_mask(*mask)) {
    return select(*array, *mask, span);
  }
  PW_TRY(const Indexed indexed, index_basic(*array, index, span));
  if (indexed.gathers.empty()) {
    const std::vector<Value> items = index_items(index);
    const bool view = items.empty() || std::any_of(items.begin(), items.end(), [](const Value& item) {
                        return item.is<EllipsisObject>();
                      });
    if (indexed.view.shape.empty() && !view) return strong(load(indexed.view, {}));
    return value(indexed.view);
  }
  PW_TRY(const GatherPlan plan, plan_gather(indexed, span));
  check_gathers(indexed);
  return value(define(plan.shape, type_of(*array), [&](const Indices& indices) {
    return load(indexed.view, gather_indices(indexed, plan, indices));
  }));
}

namespace {

/// Whether an integer follows from other things than the function's arguments: from a loop's index, from an
/// array.
bool is_found_by_running(Stager& stager, const Value& index) {
  const auto* scalar = index.as<Scalar>();
  if (scalar == nullptr || !ir::is_integer(stager.module.type(scalar->expr))) return false;
  const auto extent = stager.module.as_extent(scalar->expr);
  if (!extent) return true;
  const std::vector<ir::LocalId> locals = stager.module.extents.locals(*extent);
  return std::any_of(locals.begin(), locals.end(), [&](ir::LocalId id) {
    const ir::LocalKind kind = stager.module[id].kind;
    return kind == ir::LocalKind::Axis || kind == ir::LocalKind::Bound || kind == ir::LocalKind::Variable;
  });
}

}  // namespace

Result<Value> Stager::subscript_sequence(const Value& base, const std::vector<Value>& items,
                                         const Value& index, base::Span span) {
  if (const auto* slice = index.as<Slice>()) {
    const auto length = static_cast<std::int64_t>(items.size());
    std::int64_t bounds[3] = {0, length, 1};
    if (!(*slice->parts)[2].is<None>()) {
      PW_TRY(bounds[2], to_static_int((*slice->parts)[2], span));
      if (bounds[2] == 0) return engine.report(Rule::NumpySliceStep, span, "zero");
    }
    const bool forward = bounds[2] > 0;
    if (!forward) {
      bounds[0] = length - 1;
      bounds[1] = -1;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      if ((*slice->parts)[k].is<None>()) continue;
      PW_TRY(std::int64_t bound, to_static_int((*slice->parts)[k], span));
      if (bound < 0) bound += length;
      bounds[k] = std::clamp<std::int64_t>(bound, forward ? 0 : -1, forward ? length : length - 1);
    }
    std::vector<Value> out;
    for (std::int64_t i = bounds[0]; forward ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
      out.push_back(items[static_cast<std::size_t>(i)]);
    }
    if (base.is<List>()) return value(List{std::make_shared<std::vector<Value>>(std::move(out))});
    return value(Tuple{std::move(out)});
  }
  const auto numbers = shared_number_type(items);
  if (numbers && unrollable_ == 0 && is_found_by_running(*this, index)) {
    PW_TRY(const Array table, to_array(value(Tuple{items}), std::nullopt, span));
    PW_TRY(const Value element, subscript(value(table), index, span));
    return numbers->weak ? weak(as_scalar(element)->expr) : element;
  }
  PW_TRY(std::int64_t at, to_static_int(index, span));
  const auto length = static_cast<std::int64_t>(items.size());
  if (at < -length || at >= length) return engine.report(Rule::NumpyIndexCount, span, at, length);
  return items[static_cast<std::size_t>(at < 0 ? at + length : at)];
}

}  // namespace pw::numpy
