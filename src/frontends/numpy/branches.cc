// if under conditions known while staging and at run time; break and continue.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

using python::StmtId;

Result<Stager::Flow> Stager::execute_if(const python::If& node, base::Span span, std::span<const StmtId> rest,
                                        bool& took_rest) {
  PW_TRY(const Value flag, evaluate_condition(node.test));
  if (const auto* known = flag.as<bool>()) {
    std::vector<StmtId> statements = *known ? node.body : node.orelse;
    // A return in it may leave what follows to one of its paths.
    took_rest = contains_return(tree_, statements) && !frames_.back()->entry;
    if (took_rest) statements.insert(statements.end(), rest.begin(), rest.end());
    return execute(std::span(statements));
  }
  at(span);
  return stage_branch(flag, {&node.body, &node.orelse}, span, rest, took_rest);
}

Result<Stager::Flow> Stager::stage_branch(const Value& flag, const Branch& branch, base::Span span,
                                          std::span<const StmtId> rest, bool& took_rest) {
  const std::vector<StmtId>& then = *branch.then;
  const std::vector<StmtId>& otherwise = *branch.otherwise;
  const ir::ExprId condition = flag.as<Scalar>()->expr;
  const std::size_t diagnostics = engine.all().size();
  Frame* frame = frames_.back();
  const bool returns = branch.returns || contains_return(tree_, then) || contains_return(tree_, otherwise);
  // A helper's early return: what follows runs only on the paths that did not return.
  took_rest = returns && !frame->entry && !in_staged_loop();
  const std::vector<StmtId>* sides[2] = {&then, &otherwise};
  ir::BlockId blocks[2];
  Flow flows[2] = {Flow::Next, Flow::Next};
  const auto branches = [&]() -> Result<Done> {
    const std::map<std::string, Value> names = scope_->names;
    const Unset unset = frame->unset;
    std::map<std::string, Value> after[2];
    Unset unset_after[2];
    for (std::size_t k = 0; k < 2; ++k) {
      scope_->names = names;
      frame->unset = unset;
      Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
        note_condition(condition, k == 0);
        if (k == 1 && branch.ahead_of_otherwise) {
          PW_TRY(flows[k], branch.ahead_of_otherwise());
          if (flows[k] == Flow::Left) return Done{};
        }
        std::vector<StmtId> statements = *sides[k];
        if (took_rest) statements.insert(statements.end(), rest.begin(), rest.end());
        PW_TRY(flows[k], execute(std::span(statements)));
        if (!took_rest || flows[k] == Flow::Left || !frame->at_tail) return Done{};
        flows[k] = Flow::Left;  // falling off the end of a helper gives None
        return join_result(value(None{}), span);
      });
      if (!block) return tl::unexpected(block.error());
      blocks[k] = *block;
      after[k] = scope_->names;
      unset_after[k] = frame->unset;
    }
    // A side that left says nothing about the names behind the construct.
    if (flows[0] == Flow::Left) {
      scope_->names = after[1];
    } else if (flows[1] == Flow::Left) {
      scope_->names = after[0];
      frame->unset = unset_after[0];
    } else {
      frame->unset = either(unset_after[0], unset_after[1]);
      for (auto& [name, bound] : after[0]) {
        const auto other = after[1].find(name);
        if (other == after[1].end()) {
          scope_->names.emplace(name, bound);
          continue;
        }
        const auto* here = bound.as<Scalar>();
        const auto* there = other->second.as<Scalar>();
        const bool same = here != nullptr && there != nullptr
                              ? here->expr == there->expr && here->weak == there->weak
                              : same_static(bound, other->second);
        if (same) continue;
        // Neither side's value holds behind the branch: stage_joined refuses a name that is missing.
        scope_->names.erase(name);
        const std::optional<Form> joined = join(form_of(bound), form_of(other->second));
        const bool wanted = frame->probes.contains(name) || frame->watched.contains(name);
        if (joined && wanted) frame->requests.emplace(name, *joined);
      }
    }
    return Done{};
  };
  std::map<std::string, AssignedName> assigned = assigned_names(tree_, then);
  for (const auto& [name, how] : assigned_names(tree_, otherwise)) assigned[name].plain |= how.plain;
  for (const auto& [name, how] : branch.assigned) assigned[name].plain |= how.plain;
  if (took_rest) {
    const Saved saved = save();
    ++control_depth_;
    const Result<Done> done = branches();
    --control_depth_;
    if (!done) ask_for(flag, diagnostics);
    if (!done) return tl::unexpected(done.error());
    forget_names_since(saved);
  } else {
    const Construct construct{span, &then, false, assigned};
    const Result<Done> done = stage_joined(construct, branches);
    if (!done) ask_for(flag, diagnostics);
    PW_CHECK_OK(done);
  }
  at(span);
  emit(ir::If{condition, blocks[0], blocks[1]});
  if (took_rest) {
    if ((flows[0] == Flow::Next || flows[1] == Flow::Next) && frame->result) {
      return engine.report(Rule::NumpyReturnJoin, span, "the function");
    }
    return Flow::Left;
  }
  if (flows[0] == Flow::Left) note_condition(condition, false);
  if (flows[1] == Flow::Left) note_condition(condition, true);
  return flows[0] == Flow::Left && flows[1] == Flow::Left ? Flow::Left : Flow::Next;
}

Result<Stager::Flow> Stager::execute_break(bool breaks, base::Span span) {
  if (loops_.empty()) return engine.report(Rule::NumpyConstruct, span, "this break");
  Loop& loop = loops_.back();
  if (!loop.unrolled) {
    if (breaks && loop.broke_flag.valid()) emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});
    (breaks ? loop.breaks : loop.continues).push_back(frames_.back()->unset);
    loop.names_left.push_back(scope_->names);
    emit(breaks ? ir::Stmt(ir::Break{}) : ir::Stmt(ir::Continue{}));
    return Flow::Left;
  }
  if (control_depth_ != loop.control_depth) return engine.report(Rule::NumpyBreakUnrolled, span);
  (breaks ? loop.broke : loop.continued) = true;
  return Flow::Left;
}

}  // namespace pw::numpy
