// for and while.
#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/walking.h"

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;

/// Whether a loop was not unrolled for an exit that only running takes.
bool leaves_at_run_time(Rule rule) {
  return rule == Rule::NumpyBreakUnrolled || rule == Rule::NumpyReturnInLoop;
}

/// Whether what a loop runs over is made round by round, by a generator in it.
bool makes_generator(const python::Tree& tree, ExprId id) {
  if (tree.get_if<python::GeneratorExp>(id) != nullptr) return true;
  const auto* call = tree.get_if<python::Call>(id);
  const auto* name = call == nullptr ? nullptr : tree.get_if<python::Name>(call->func);
  return name != nullptr && (name->id == "zip" || name->id == "enumerate") &&
         std::any_of(call->args.begin(), call->args.end(),
                     [&](ExprId argument) { return makes_generator(tree, argument); });
}

/// Whether a loop over items that could not be unrolled may run over arrays of them.
bool wants_table(const Stager& stager, const Value& sequence) {
  const Rule rule = stager.engine.all().back().rule;
  return leaves_at_run_time(rule) || (sequence.is<Slice>() && rule == Rule::NumpyStaticNeeded);
}

}  // namespace

Result<Stager::Flow> Stager::execute_for(const python::For& node, base::Span span) {
  if (makes_generator(tree_, node.iter))
    return engine.report(Rule::NumpyConstruct, tree_.span(node.iter), "a loop over a generator");
  PW_TRY(const Value iterated, columns_of(*this, node.iter));
  Walk walk(*this, iterated);
  PW_CHECK_OK(walk.keep_views(*this, node.iter));
  PW_TRY(const Value sequence, walkable(*this, iterated, tree_.span(node.iter)));
  at(span);
  const bool constant = !sequence.is<List>() && is_constant_range(sequence);
  const Lists::Wishes wishes = lists_->wishes();
  if (may_be_staged(sequence) && !(sequence.is<Slice>() && constant)) {
    const Saved saved = save();
    unrollable_ += constant ? 1 : 0;
    const Result<Flow> staged = stage_for(node, sequence, span);
    unrollable_ -= constant ? 1 : 0;
    if (!staged && !constant && wants_peeling(node, sequence, saved.diagnostics)) {
      const diagnostics::Diagnostic refusal = engine.all().back();
      restore(saved);
      ++peeled_;
      const Result<Flow> peeled = peel_for(node, sequence, span);
      --peeled_;
      if (peeled) return peeled;
      restore(saved);
      (void)engine.again(refusal);
    }
    if (!staged && !constant && !sequence.is<Slice>()) ask_for(sequence, saved.diagnostics);
    if (const auto* columns = sequence.as<Slice>(); columns != nullptr && !staged) {
      for (const Value& column : *columns->parts) ask_for(column, saved.diagnostics);
    }
    if (staged || !constant || !wants_static(saved.diagnostics)) return staged;
    const diagnostics::Diagnostic refusal = engine.all().back();
    restore(saved);
    const Result<Flow> unrolled = unroll_for(node, {sequence, iterated});
    if (unrolled) lists_->forget_wishes(wishes);
    if (unrolled || !leaves_at_run_time(engine.all().back().rule)) return unrolled;
    const bool needs_index = refusal.rule == Rule::NumpyStaticNeeded || refusal.rule == Rule::NumpyListInLoop;
    const diagnostics::Diagnostic exit = engine.all().back();
    restore(saved);
    if (refusal.rule == Rule::NumpyStaticNeeded) {
      const Result<Flow> by_tables = stage_for(node, sequence, span);
      if (by_tables) return by_tables;
      restore(saved);
    }
    return engine.again(needs_index ? exit : refusal);
  }
  const Saved saved = save();
  const Result<Flow> unrolled = unroll_for(node, {sequence, iterated});
  if (unrolled || !wants_table(*this, sequence)) return unrolled;
  const diagnostics::Diagnostic refusal = engine.all().back();
  restore(saved);
  const Result<std::optional<Value>> table = as_table(*this, sequence, tree_.span(node.iter));
  if (table && *table) {
    const auto* numbers = (*table)->as<List>();
    const Result<Flow> staged = numbers != nullptr ? stage_for(node, numbers->items->front(), span, true)
                                                   : stage_for(node, **table, span);
    if (staged) return staged;
  }
  restore(saved);
  return engine.again(refusal);
}

/// Whether the last refusal would go away behind the loop's first round: an array gets its dtype there.
bool Stager::wants_peeling(const python::For& node, const Value& sequence,
                           std::size_t first_diagnostic) const {
  constexpr int kMostNested = 2;
  return sequence.is<Range>() && node.orelse.empty() && peeled_ < kMostNested &&
         engine.all().size() > first_diagnostic && engine.all().back().rule == Rule::NumpyJoinShape;
}

/// The first round of a loop, then a loop of the others.
Result<Stager::Flow> Stager::peel_for(const python::For& node, const Value& sequence, base::Span span) {
  const std::vector<Value>& parts = *sequence.as<Range>()->parts;
  PW_TRY(const ir::ExtentId lower, to_extent(parts[0], span));
  PW_TRY(const ir::ExtentId upper, to_extent(parts[1], span));
  PW_TRY(const std::int64_t step, to_static_int(parts[2], span));
  if (step == 0) return engine.report(Rule::NumpyStaticNeeded, span, "a step other than 0", "0");
  trap_if(apply(step > 0 ? ir::Op::Ge : ir::Op::Le, {index(lower), index(upper)}), ir::TrapKind::Assumption,
          "a loop of no rounds, which leaves an array of another dtype");
  PW_CHECK_OK(assign_target(node.target, from_extent(lower)));
  loops_.push_back({true, control_depth_, frames_.size()});
  const Result<Flow> flow = execute(node.body);
  const Loop loop = loops_.back();
  loops_.pop_back();
  if (!flow) return flow;
  if (*flow == Flow::Left && !loop.continued) return loop.broke ? Flow::Next : Flow::Left;
  auto rest = std::make_shared<std::vector<Value>>(parts);
  (*rest)[0] = from_extent(extents().add(lower, size(step)));
  return stage_for(node, value(Range{std::move(rest)}), span);
}

/// Whether a loop could be unrolled: constant bounds and at most kMaxUnrolled rounds.
bool Stager::is_constant_range(const Value& sequence) {
  const std::size_t diagnostics = engine.all().size();
  if (!sequence.is<Slice>()) {
    const bool constant = static_items(sequence, span_).has_value();
    engine.truncate(diagnostics);
    return constant;
  }
  const Result<std::optional<ir::ExtentId>> rounds = rounds_of(*this, sequence, span_);
  engine.truncate(diagnostics);
  const auto known = rounds && *rounds ? extents().as_constant(**rounds) : std::nullopt;
  return known && *known <= static_cast<std::int64_t>(kMaxUnrolled);
}

/// Whether the last refusal would go away if the loop's index were known.
bool Stager::wants_static(std::size_t first_diagnostic) const {
  if (engine.all().size() <= first_diagnostic) return false;
  switch (engine.all().back().rule) {
    case Rule::NumpyStaticNeeded:
    case Rule::NumpyListInLoop:
    case Rule::NumpyJoinStatic:
    case Rule::NumpyJoinShape:
    case Rule::NumpySliceStep:
    case Rule::NumpyReturnInLoop:
    case Rule::NumpyShapeMismatch:
    case Rule::NumpyRankMismatch:
      return true;
    default:
      return false;
  }
}

/// `columns`: what is walked, and what it was made of.
Result<Stager::Flow> Stager::unroll_for(const python::For& node, const std::vector<Value>& columns) {
  const base::Span where = tree_.span(node.iter);
  const Value& sequence = columns[0];
  PW_TRY(const std::optional<ir::ExtentId> rounds, rounds_of(*this, sequence, where));
  const auto count = rounds ? extents().as_constant(*rounds) : std::nullopt;
  if (!count) {
    return engine.report(Rule::NumpyStaticNeeded, where, "the length of a sequence of items",
                         describe(sequence, module));
  }
  if (*count > static_cast<std::int64_t>(kMaxUnrolled))
    return engine.report(Rule::NumpyStaticNeeded, where, "at most 256 rounds", "more");
  for (std::int64_t k = 0; k < *count; ++k) {
    at(where);
    PW_TRY(const Value item, item_now(*this, sequence, columns[1], k, where));
    PW_CHECK_OK(assign_target(node.target, snapshot(item, {})));  // the body may store to what it reads
    loops_.push_back({true, control_depth_, frames_.size()});
    const Result<Flow> flow = execute(node.body);
    const Loop loop = loops_.back();
    loops_.pop_back();
    if (!flow) return flow;
    // A break or continue, or else the function itself was left.
    if (*flow == Flow::Left && loop.broke) return Flow::Next;
    if (*flow == Flow::Left && !loop.continued) return Flow::Left;
  }
  return execute(node.orelse);
}

/// The flag that a loop's breaks and a helper's returns set, where the loop's else needs one.
ir::LocalId Stager::declare_broke(const std::vector<StmtId>& body, const std::vector<StmtId>& orelse) {
  const bool returns = !frames_.back()->entry && contains_return(tree_, body);
  if (orelse.empty() || !(returns || contains_break(tree_, body))) return {};
  return declare_variable("broke", ir::DType::Bool, constant(ir::const_bool(false)));
}

/// The else of a loop: it runs where no break left the loop.
Result<Stager::Flow> Stager::execute_else(ir::LocalId broke, const std::vector<StmtId>& orelse,
                                          base::Span span) {
  if (!broke.valid()) return execute(orelse);
  if (contains_return(tree_, orelse) && !frames_.back()->entry && !in_staged_loop()) {
    return engine.report(Rule::NumpyReturnInLoop, span);
  }
  const Value broken = value(Scalar{module.add(ir::Read{broke}, span_), false});
  bool took_rest = false;
  const std::vector<StmtId> nothing;
  return stage_branch(broken, {&nothing, &orelse}, span, {}, took_rest);
}

Result<Stager::Flow> Stager::stage_for(const python::For& node, const Value& sequence, base::Span span,
                                       bool weak_items) {
  ir::ExtentId lower = size(0);
  ir::ExtentId upper;
  ir::ExtentId step = size(1);
  if (const auto* range = sequence.as<Range>()) {
    PW_TRY(lower, to_extent((*range->parts)[0], span));
    PW_TRY(upper, to_extent((*range->parts)[1], span));
    PW_TRY(step, to_extent((*range->parts)[2], span));
  } else {
    PW_TRY(const std::optional<ir::ExtentId> rounds, rounds_of(*this, sequence, tree_.span(node.iter)));
    if (!rounds) return engine.report(Rule::NumpyStaticNeeded, span, "a sequence", "a count without end");
    upper = *rounds;
  }
  const bool upward = proves_nonnegative(extents().add(step, size(-1)));
  const bool downward = proves_nonnegative(extents().add(extents().scale(step, -1), size(-1)));
  if (!upward && !downward) {
    trap_if(apply(ir::Op::Eq, {index(step), integer(0)}), ir::TrapKind::ValueError,
            "range() arg 3 must not be zero");
  }
  const bool runs =
      upward
          ? proves_nonnegative(extents().add(extents().add(upper, extents().scale(lower, -1)), size(-1)))
          : downward &&
                proves_nonnegative(extents().add(extents().add(lower, extents().scale(upper, -1)), size(-1)));
  const base::Span own{span.file, span.begin, tree_.span(node.body.back()).end};  // without the else
  const auto* name = tree_.get_if<python::Name>(node.target);
  std::map<std::string, AssignedName> assigned = assigned_names(tree_, node.body);
  const bool index_rebound = name != nullptr && assigned.contains(name->id);
  const bool index_outside =
      name != nullptr && liveness_.lives_behind(*frames_.back()->body, node.body, name->id);
  if (name == nullptr || index_rebound || index_outside || !sequence.is<Range>()) {
    std::map<std::string, AssignedName> targets;
    collect_targets(tree_, node.target, targets);
    for (const auto& [target, how] : targets) assigned[target].plain = true;
  }
  ir::Local local;
  local.name = name != nullptr && sequence.is<Range>() && !index_rebound && !index_outside ? name->id : "i";
  local.kind = ir::LocalKind::Axis;
  local.span = tree_.span(node.target);
  const ir::ExtentId before_upper = extents().add(upper, size(-1));
  if (upward) local.range = {lower, before_upper};
  if (downward) local.range = {extents().add(upper, size(1)), lower};
  const ir::LocalId index_local = module.add(std::move(local));
  ir::BlockId body;
  const ir::LocalId broke = declare_broke(node.body, node.orelse);
  const auto stage_body = [&]() -> Result<Done> {
    const Unset before = frames_.back()->unset;
    Flow end = Flow::Next;
    loops_.push_back({false, control_depth_, frames_.size()});
    loops_.back().broke_flag = broke;
    loops_.back().trips = lists_->trips(lower, upper, step);
    Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
      const Value current = weak(module.add(ir::Read{index_local}, span_));
      Value item = current;
      if (!sequence.is<Range>()) {
        PW_TRY(item, item_of(*this, sequence, current, tree_.span(node.iter)));
        if (weak_items) item = weak(as_scalar(item)->expr);
      }
      if (name != nullptr && sequence.is<Range>() && !index_rebound && !index_outside) {
        frames_.back()->unset.erase(name->id);
        scope_->names[name->id] = item;
      } else {
        PW_CHECK_OK(assign_target(node.target, item));
      }
      PW_TRY(end, execute(node.body));
      return Done{};
    });
    std::vector<Unset> exits = std::move(loops_.back().breaks);
    const std::vector<Unset>& rounds = loops_.back().continues;
    frames_.back()->names_left = std::move(loops_.back().names_left);
    exits.insert(exits.end(), rounds.begin(), rounds.end());
    if (end == Flow::Next) exits.push_back(frames_.back()->unset);
    loops_.pop_back();
    frames_.back()->unset = behind_loop(before, exits, runs);
    if (!block) return tl::unexpected(block.error());
    body = *block;
    return Done{};
  };
  Construct construct{own, &node.body, true, assigned};
  collect_targets(tree_, node.target, construct.targets);
  PW_CHECK_OK(stage_joined(construct, stage_body));
  if (name != nullptr && sequence.is<Range>() && !index_rebound && !index_outside)
    scope_->names.erase(name->id);
  at(span);
  emit(ir::For{index_local, index(lower), index(upper), index(step), body, ir::Schedule::Serial});
  return execute_else(broke, node.orelse, span);
}

Result<Stager::Flow> Stager::execute_while(const python::While& node, base::Span span) {
  if (contains_walrus(tree_, node.test)) {
    return engine.report(Rule::NumpyConstruct, tree_.span(node.test), "a name bound in a loop's condition");
  }
  ir::ExprId condition;
  ir::BlockId body;
  bool endless = false;
  const ir::LocalId broke = declare_broke(node.body, node.orelse);
  const base::Span own{span.file, span.begin, tree_.span(node.body.back()).end};  // without the else
  const auto stage_body = [&]() -> Result<Done> {
    const Unset before = frames_.back()->unset;
    loops_.push_back({false, control_depth_, frames_.size()});
    loops_.back().broke_flag = broke;
    Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
      PW_TRY(const Value flag, evaluate_condition(node.test));
      if (const bool* known = flag.as<bool>()) endless = *known;
      at(span);
      condition = as_scalar(flag)->expr;
      if (!module[blocks_.back()].statements.empty()) {
        // The test has statements of its own: they run at the head of each round.
        const ir::BlockId leave = this->block([&] { emit(ir::Break{}); });
        emit(ir::If{apply(ir::Op::Not, {condition}), leave, this->block([] {})});
        condition = constant(ir::const_bool(true));
      }
      PW_CHECK_OK(execute(node.body));
      return Done{};
    });
    const std::vector<Unset> breaks = std::move(loops_.back().breaks);
    frames_.back()->names_left = std::move(loops_.back().names_left);
    loops_.pop_back();
    frames_.back()->unset = behind_loop(before, breaks, endless);
    if (!block) return tl::unexpected(block.error());
    body = *block;
    return Done{};
  };
  Construct construct{own, &node.body, true, assigned_names(tree_, node.body)};
  construct.test = node.test;
  PW_CHECK_OK(stage_joined(construct, stage_body));
  at(span);
  emit(ir::While{condition, body});
  return execute_else(broke, node.orelse, span);
}

}  // namespace pw::numpy
