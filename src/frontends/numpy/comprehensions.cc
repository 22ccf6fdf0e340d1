// Comprehensions and generators: of what is known while staging item by item, else as loops that append.
#include <algorithm>
#include <utility>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/walking.h"

namespace pw::numpy {

using python::ExprId;

Result<std::vector<Value>> Stager::comprehended(ExprId element,
                                                const std::vector<python::Comprehension>& generators,
                                                base::Span span) {
  const auto outer = scope_;
  scope_ = std::make_shared<Scope>(Scope{{}, outer});
  std::vector<Value> items;
  const std::function<Result<Done>(std::size_t)> nest = [&](std::size_t k) -> Result<Done> {
    if (k == generators.size()) {
      PW_TRY(Value item, evaluate_optional(element));
      items.push_back(snapshot(item, {}));
      if (items.size() > 4096)
        return engine.report(Rule::NumpyStaticNeeded, span, "at most 4096 items", "more");
      return Done{};
    }
    PW_TRY(const Value sequence, evaluate_consumed(generators[k].iter));
    PW_TRY(const std::vector<Value> rows, static_items(sequence, tree_.span(generators[k].iter)));
    for (const Value& row : rows) {
      PW_CHECK_OK(bind_comprehension_target(generators[k].target, row));
      bool kept = true;
      for (const ExprId condition : generators[k].ifs) {
        PW_TRY(const Value test, evaluate(condition));
        PW_TRY(const bool holds, to_static_bool(test, tree_.span(condition)));
        kept = kept && holds;
      }
      if (kept) PW_CHECK_OK(nest(k + 1));
    }
    return Done{};
  };
  const Result<Done> done = nest(0);
  scope_ = outer;
  if (!done) return tl::unexpected(done.error());
  return items;
}

Result<Done> Stager::bind_comprehension_target(ExprId target, const Value& bound) {
  if (const auto* name = tree_.get_if<python::Name>(target)) {
    scope_->names[name->id] = bound;
    return Done{};
  }
  const auto* tuple = tree_.get_if<python::Tuple>(target);
  if (tuple == nullptr) return engine.report(Rule::NumpyConstruct, tree_.span(target), "this target");
  PW_TRY(const std::vector<Value> items, static_items(bound, tree_.span(target)));
  if (items.size() != tuple->elts.size()) {
    return engine.report(Rule::NumpyUnpackCount, tree_.span(target), tuple->elts.size(), items.size());
  }
  for (std::size_t k = 0; k < items.size(); ++k)
    PW_CHECK_OK(bind_comprehension_target(tuple->elts[k], items[k]));
  return Done{};
}

/// What the comprehension gives: items known while staging where they can be, else a list that grows.
Result<Value> Stager::Lists::comprehension(ExprId element,
                                           const std::vector<python::Comprehension>& generators,
                                           base::Span span, bool list) {
  std::vector<ExprId> repeated = {element};
  for (const python::Comprehension& each : generators)
    repeated.insert(repeated.end(), each.ifs.begin(), each.ifs.end());
  if (std::any_of(repeated.begin(), repeated.end(),
                  [&](ExprId id) { return contains_walrus(s_.tree_, id); })) {
    return s_.engine.report(Rule::NumpyConstruct, span, "a name bound by := in a comprehension");
  }
  const Saved saved = s_.save();
  Result<std::vector<Value>> items = s_.comprehended(element, generators, span);
  if (items && !list) return value(Tuple{*std::move(items)});
  if (items) return born(*std::move(items), span);
  // Where a loop around could be unrolled, or the port be made for one size, the items are known then.
  const bool may_be_known = s_.unrollable_ > 0 || !s_.demanded().empty();
  if (s_.engine.all().back().rule != Rule::NumpyStaticNeeded || may_be_known)
    return tl::unexpected(items.error());
  const auto locals = static_cast<std::uint32_t>(s_.module.locals.size());
  s_.restore(saved);
  const std::uint32_t outer_locals = exact_before_;
  // What the items are, is seen by making them; then they are made to stay.
  Plan plan;
  PW_CHECK_OK(nest(element, generators, 0, [&](const Value& item) -> Result<Done> {
    const std::optional<Plan> own = plan_of(item);
    const std::optional<Plan> both = own ? joined(plan, *own) : std::nullopt;
    if (!both) return s_.engine.report(Rule::NumpyListKinds, span, describe(item, s_.module));
    plan = *both;
    return Done{};
  }));
  s_.restore(saved);
  for (const ir::ExtentId each : plan.shape) {
    for (const ir::LocalId local : s_.extents().locals(each)) {
      if (local.value >= locals)
        return s_.engine.report(Rule::NumpyListCapacity, span,
                                "a comprehension of arrays of run-time shapes");
    }
  }
  PW_TRY(const Grown grown, make(plan, {}, locals, span));
  exact_before_ = locals;
  const Result<Done> appended =
      nest(element, generators, 0, [&](const Value& item) { return append(grown, item, span); });
  const bool exact = exact_before_ != 0;
  exact_before_ = outer_locals;
  PW_CHECK_OK(appended);
  settle(*grown.list, needed(*grown.list));
  if (exact) grown.list->fixed = needed(*grown.list);
  grown.list->closed = true;
  return value(grown);
}

/// The loop of generator `k` and of those behind it, in a scope of their own.
Result<Done> Stager::Lists::nest(ExprId element, const std::vector<python::Comprehension>& generators,
                                 std::size_t k, const std::function<Result<Done>(const Value& item)>& keep) {
  if (k == generators.size()) {
    PW_TRY(const Value item, s_.evaluate_optional(element));
    return keep(s_.snapshot(item, {}));
  }
  const auto outer = s_.scope_;
  s_.scope_ = std::make_shared<Scope>(Scope{{}, outer});
  const Result<Done> done = walk_generator(element, generators, k, keep);
  s_.scope_ = outer;
  return done;
}

Result<Done> Stager::Lists::walk_generator(ExprId element,
                                           const std::vector<python::Comprehension>& generators,
                                           std::size_t k,
                                           const std::function<Result<Done>(const Value& item)>& keep) {
  const base::Span span = s_.tree_.span(generators[k].iter);
  PW_TRY(const Value iterated, columns_of(s_, generators[k].iter));
  const Walk walk(s_, iterated);
  PW_TRY(const Value sequence, walkable(s_, iterated, span));
  if (const auto* known = sequence.as<Tuple>()) {
    for (const Value& item : known->items) {
      PW_CHECK_OK(s_.bind_comprehension_target(generators[k].target, item));
      PW_CHECK_OK(keep_where(element, generators, k, 0, keep));
    }
    return Done{};
  }
  ir::ExtentId lower = s_.size(0);
  ir::ExtentId upper;
  ir::ExtentId step = s_.size(1);
  if (const auto* range = sequence.as<Range>()) {
    PW_TRY(lower, s_.to_extent((*range->parts)[0], span));
    PW_TRY(upper, s_.to_extent((*range->parts)[1], span));
    PW_TRY(step, s_.to_extent((*range->parts)[2], span));
  } else {
    PW_TRY(const std::optional<ir::ExtentId> rounds, rounds_of(s_, sequence, span));
    if (!rounds) return s_.engine.report(Rule::NumpyStaticNeeded, span, "a sequence", "a count without end");
    upper = *rounds;
  }
  ir::ExtentTable& table = s_.extents();
  const bool upward = s_.proves_nonnegative(table.add(step, s_.size(-1)));
  if (!upward && !s_.proves_nonnegative(table.subtract(s_.size(-1), step)))
    return s_.engine.report(Rule::NumpyStaticNeeded, span, "the sign of a step",
                            describe(sequence, s_.module));
  const auto* name = s_.tree_.get_if<python::Name>(generators[k].target);
  ir::Local local;
  local.name = name != nullptr && sequence.is<Range>() ? name->id : "i";
  local.kind = ir::LocalKind::Axis;
  local.range = upward ? ir::Range{lower, table.add(upper, s_.size(-1))}
                       : ir::Range{table.add(upper, s_.size(1)), lower};
  local.span = s_.tree_.span(generators[k].target);
  const ir::LocalId index = s_.module.add(std::move(local));
  s_.loops_.push_back({false, s_.control_depth_, s_.frames_.size()});
  s_.loops_.back().trips = trips(lower, upper, step);
  if (bounded(s_.loops_.back().trips, exact_before_, true) != s_.loops_.back().trips) exact_before_ = 0;
  ++s_.control_depth_;
  const Result<ir::BlockId> body = s_.try_block([&]() -> Result<Done> {
    Value item = s_.weak(s_.module.add(ir::Read{index}, s_.span_));
    if (!sequence.is<Range>()) {
      PW_TRY(item, item_of(s_, sequence, item, span));
    }
    PW_CHECK_OK(s_.bind_comprehension_target(generators[k].target, item));
    return keep_where(element, generators, k, 0, keep);
  });
  --s_.control_depth_;
  s_.loops_.pop_back();
  if (!body) return tl::unexpected(body.error());
  s_.emit(ir::For{index, s_.index(lower), s_.index(upper), s_.index(step), *body, ir::Schedule::Serial});
  return Done{};
}

/// The generators behind `k` where its conditions from `condition` on hold.
Result<Done> Stager::Lists::keep_where(ExprId element, const std::vector<python::Comprehension>& generators,
                                       std::size_t k, std::size_t condition,
                                       const std::function<Result<Done>(const Value& item)>& keep) {
  const std::vector<ExprId>& conditions = generators[k].ifs;
  if (condition == conditions.size()) return nest(element, generators, k + 1, keep);
  PW_TRY(const Value flag, s_.evaluate_condition(conditions[condition]));
  if (const auto* known = flag.as<bool>())
    return *known ? keep_where(element, generators, k, condition + 1, keep) : Done{};
  const ir::ExprId holds = flag.as<Scalar>()->expr;
  exact_before_ = 0;
  ++s_.control_depth_;
  const Result<ir::BlockId> then = s_.try_block([&]() -> Result<Done> {
    s_.note_condition(holds, true);
    return keep_where(element, generators, k, condition + 1, keep);
  });
  --s_.control_depth_;
  if (!then) return tl::unexpected(then.error());
  s_.emit(ir::If{holds, *then, s_.block([] {})});
  return Done{};
}

}  // namespace pw::numpy
