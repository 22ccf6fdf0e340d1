// for and while.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/library.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;

/// What a loop over zip(...) or enumerate(...) runs over: columns, walked in step. No loop can run over a
/// slice, so that one stands for them within this file. A column is an array, a range, columns, a tuple of
/// items, or a table of Python numbers: a list of one array.
Value zipped(std::vector<Value> columns) {
  return value(Slice{std::make_shared<std::vector<Value>>(std::move(columns))});
}

/// "enumerate", "zip", or "" where the loop runs over something else.
Result<std::string_view> pairing(Stager& stager, const python::Call* call, const python::Name* callee) {
  if (call == nullptr || callee == nullptr || (callee->id != "enumerate" && callee->id != "zip")) return "";
  const auto starred = [&](ExprId id) { return stager.tree().get_if<python::Starred>(id) != nullptr; };
  if (!call->keywords.empty() || call->args.empty() ||
      std::any_of(call->args.begin(), call->args.end(), starred)) {
    return "";
  }
  PW_TRY(const Value function, stager.evaluate(call->func));
  const auto* library = function.as<LibraryFunction>();
  return library != nullptr ? library->row->name : "";
}

/// The columns of zip(...) and enumerate(...), one in the other too; else the sequence itself.
Result<Value> columns_of(Stager& stager, ExprId id) {
  const python::Tree& tree = stager.tree();
  const auto* call = tree.get_if<python::Call>(id);
  PW_TRY(const std::string_view how,
         pairing(stager, call, call != nullptr ? tree.get_if<python::Name>(call->func) : nullptr));
  const auto* whole = tree.get_if<python::Attribute>(id);
  if (whole != nullptr && whole->attr == "flat") {
    PW_TRY(const Value array, stager.evaluate(whole->value));
    const auto* several = array.as<Array>();
    if (several == nullptr)
      return stager.engine.report(Rule::NumpyConstruct, tree.span(id), ".flat of something that is no array");
    PW_TRY(Array flat, stager.reshape(*several, {stager.count(several->shape)}, tree.span(id)));
    return value(std::move(flat));
  }
  if (how != "enumerate" && how != "zip") return stager.evaluate(id);
  std::vector<Value> columns;
  for (const ExprId argument : call->args) {
    PW_TRY(Value column, columns_of(stager, argument));
    columns.push_back(std::move(column));
  }
  if (how == "enumerate" && columns.size() <= 2) {
    const Value start = columns.size() == 2 ? columns[1] : value(std::int64_t{0});
    const std::vector<Value> counter = {start, value(None{}), value(std::int64_t{1})};  // without an end
    columns = {value(Range{std::make_shared<std::vector<Value>>(counter)}), columns[0]};
  }
  return zipped(std::move(columns));
}

/// Tuples of items where the items are known while staging; what an array holds is read in its round.
Result<Value> walkable(Stager& stager, const Value& sequence, base::Span span) {
  const auto* array = sequence.as<Array>();
  if (sequence.is<Range>() || (array != nullptr && !array->shape.empty())) return sequence;
  if (const auto* columns = sequence.as<Slice>()) {
    std::vector<Value> out;
    for (const Value& column : *columns->parts) {
      PW_TRY(Value each, walkable(stager, column, span));
      out.push_back(std::move(each));
    }
    return zipped(std::move(out));
  }
  PW_TRY(std::vector<Value> items, stager.static_items(sequence, span));
  return stager.lasting(stager.snapshot(value(Tuple{std::move(items)}), {}));
}

/// The number of rounds; none of a count without end.
Result<std::optional<ir::ExtentId>> rounds_of(Stager& stager, const Value& sequence, base::Span span) {
  if (const auto* array = sequence.as<Array>()) return array->shape[0];
  if (const auto* tuple = sequence.as<Tuple>())
    return stager.size(static_cast<std::int64_t>(tuple->items.size()));
  if (const auto* columns = sequence.as<Slice>()) {
    std::optional<ir::ExtentId> least;
    for (const Value& column : *columns->parts) {
      PW_TRY(const std::optional<ir::ExtentId> rounds, rounds_of(stager, column, span));
      if (rounds) least = least ? stager.extents().apply(ir::ExtentOp::Min, *least, *rounds) : *rounds;
    }
    return least;
  }
  if (const auto* table = sequence.as<List>()) return table->items->front().as<Array>()->shape[0];
  const std::vector<Value>& parts = *sequence.as<Range>()->parts;
  if (parts[1].is<None>()) return std::nullopt;
  if (const auto* step = parts[2].as<std::int64_t>(); step != nullptr && *step == 1) {
    PW_TRY(const ir::ExtentId lower, stager.to_extent(parts[0], span));
    PW_TRY(const ir::ExtentId upper, stager.to_extent(parts[1], span));
    return stager.extents().subtract(upper, lower);
  }
  PW_TRY(const std::vector<Value> items, stager.static_items(sequence, span));
  return stager.size(static_cast<std::int64_t>(items.size()));
}

/// What the round `at` (an int) reads.
Result<Value> item_of(Stager& stager, const Value& sequence, const Value& at, base::Span span) {
  if (const auto* columns = sequence.as<Slice>()) {
    Tuple row;
    for (const Value& column : *columns->parts) {
      PW_TRY(Value item, item_of(stager, column, at, span));
      row.items.push_back(std::move(item));
    }
    return value(std::move(row));
  }
  if (const auto* range = sequence.as<Range>()) {
    PW_TRY(const Value steps, stager.binary(python::Operator::Mult, (*range->parts)[2], at, span));
    return stager.binary(python::Operator::Add, (*range->parts)[0], steps, span);
  }
  if (const auto* tuple = sequence.as<Tuple>())
    return tuple->items.at(static_cast<std::size_t>(*at.as<std::int64_t>()));
  if (const auto* table = sequence.as<List>()) {
    PW_TRY(const Value item, stager.subscript(table->items->front(), at, span));
    return stager.weak(stager.as_scalar(item)->expr);
  }
  return stager.subscript(sequence, at, span);
}

/// The same items in arrays, where a tuple's are numbers of one type, or tuples of such; nullopt: they are
/// not.
Result<std::optional<Value>> as_table(Stager& stager, const Value& sequence, base::Span span) {
  using Table = std::optional<Value>;
  if (sequence.is<Array>() || sequence.is<Range>()) return Table(sequence);
  std::vector<Value> columns;
  if (const auto* zip = sequence.as<Slice>()) columns = *zip->parts;
  const auto* tuple = sequence.as<Tuple>();
  if (tuple != nullptr && tuple->items.empty()) return Table();
  const auto* row = tuple != nullptr ? tuple->items.front().as<Tuple>() : nullptr;
  if (tuple != nullptr && row == nullptr) {
    const std::optional<Scalar> first = stager.as_scalar(tuple->items.front());
    const bool alike =
        first && std::all_of(tuple->items.begin(), tuple->items.end(), [&](const Value& each) {
          const std::optional<Scalar> other = each.is<Array>() ? std::nullopt : stager.as_scalar(each);
          return other && other->weak == first->weak && stager.type_of(*other) == stager.type_of(*first);
        });
    if (!alike) return Table();
    PW_TRY(const Array array, stager.to_array(sequence, std::nullopt, span));
    const Value numbers = value(array);
    return Table(first->weak ? value(List{std::make_shared<std::vector<Value>>(1, numbers)}) : numbers);
  }
  for (std::size_t k = 0; row != nullptr && k < row->items.size(); ++k) {
    Tuple column;
    for (const Value& each : tuple->items) {
      const auto* other = each.as<Tuple>();
      if (other == nullptr || other->items.size() != row->items.size()) return Table();
      column.items.push_back(other->items[k]);
    }
    columns.push_back(value(std::move(column)));
  }
  if (columns.empty()) return Table();
  for (Value& column : columns) {
    PW_TRY(const Table table, as_table(stager, column, span));
    if (!table) return Table();
    column = *table;
  }
  return Table(zipped(std::move(columns)));
}

/// Whether an array is among the columns, and no tuple, whose items only a known round has.
bool may_be_staged(const Value& sequence) {
  const auto* columns = sequence.as<Slice>();
  return sequence.is<Array>() || sequence.is<Range>() ||
         (columns != nullptr && std::all_of(columns->parts->begin(), columns->parts->end(), may_be_staged));
}

/// Whether a loop was not unrolled for an exit that only running takes.
bool leaves_at_run_time(Rule rule) {
  return rule == Rule::NumpyBreakUnrolled || rule == Rule::NumpyReturnInLoop;
}

/// Whether a loop over items that could not be unrolled may run over arrays of them.
bool wants_table(const Stager& stager, const Value& sequence) {
  const Rule rule = stager.engine.all().back().rule;
  return leaves_at_run_time(rule) || (sequence.is<Slice>() && rule == Rule::NumpyStaticNeeded);
}

}  // namespace

Result<Stager::Flow> Stager::execute_for(const python::For& node, base::Span span) {
  PW_TRY(const Value iterated, columns_of(*this, node.iter));
  PW_TRY(const Value sequence, walkable(*this, iterated, tree_.span(node.iter)));
  at(span);
  const bool constant = is_constant_range(sequence);
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
    const Result<Flow> unrolled = unroll_for(node, {sequence});
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
  const Result<Flow> unrolled = unroll_for(node, {sequence});
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

/// `columns`: one sequence, or several that are walked in step.
Result<Stager::Flow> Stager::unroll_for(const python::For& node, const std::vector<Value>& columns) {
  const base::Span where = tree_.span(node.iter);
  const Value sequence = columns.size() == 1 ? columns[0] : zipped(columns);
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
    PW_TRY(const Value item, item_of(*this, sequence, value(k), where));
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
    collect_targets(node.target, targets);
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
  collect_targets(node.target, construct.targets);
  PW_CHECK_OK(stage_joined(construct, stage_body));
  if (name != nullptr && sequence.is<Range>() && !index_rebound && !index_outside)
    scope_->names.erase(name->id);
  at(span);
  emit(ir::For{index_local, index(lower), index(upper), index(step), body, ir::Schedule::Serial});
  return execute_else(broke, node.orelse, span);
}

void Stager::collect_targets(ExprId target, std::map<std::string, AssignedName>& out) const {
  if (const auto* name = tree_.get_if<python::Name>(target)) out[name->id].plain = true;
  if (const auto* tuple = tree_.get_if<python::Tuple>(target)) {
    for (const ExprId item : tuple->elts) collect_targets(item, out);
  }
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
