// Returns: of the kernel, and of helpers, from wherever they stand.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

using python::StmtId;

Result<Stager::Flow> Stager::execute_return(const python::Return& node, base::Span span) {
  Value returned = value(None{});
  if (node.value.valid()) {
    PW_TRY(returned, evaluate_optional(node.value));
  }
  return return_value(returned, span);
}

Result<Stager::Flow> Stager::return_value(const Value& returned, base::Span span) {
  const Frame* frame = frames_.back();
  at(span);
  if (frame->entry) return return_from_entry(returned, span);
  if (in_staged_loop()) return return_from_loop(returned, span);
  const bool in_loop = !loops_.empty() && loops_.back().frame == frames_.size();
  if (in_loop && control_depth_ != loops_.back().control_depth) {
    return engine.report(Rule::NumpyReturnInLoop, span);
  }
  if (control_depth_ == frame->entry_depth) {
    frames_.back()->result = snapshot(returned, {});
    return Flow::Left;
  }
  PW_CHECK_OK(join_result(returned, span));
  if (frame->returns_by_flag) set_returned();
  return Flow::Left;
}

/// Whether a loop of the function at hand that is kept as a loop is around the statement at hand.
bool Stager::in_staged_loop() const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& each) { return !each.unrolled && each.frame == frames_.size(); });
}

/// A helper's return inside a loop: it leaves the loop, and what follows runs only where it did not.
Result<Stager::Flow> Stager::return_from_loop(const Value& returned, base::Span span) {
  PW_CHECK_OK(join_result(returned, span));
  set_returned();
  for (const Loop& loop : loops_) {  // whose else does not run either
    if (loop.frame != frames_.size() || !loop.broke_flag.valid()) continue;
    emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});
  }
  emit(ir::Break{});
  return Flow::Left;
}

/// Tells what follows on other paths that the function has returned.
void Stager::set_returned() {
  Frame* frame = frames_.back();
  if (!frame->returned.valid()) {
    blocks_.push_back(frame->block);
    frame->returned = declare_variable("returned", ir::DType::Bool, constant(ir::const_bool(false)));
    blocks_.pop_back();
  }
  emit(ir::Assign{frame->returned, constant(ir::const_bool(true))});
}

/// Whether the returns of a branch set a flag, and what follows asks for it: where both sides may go on, each
/// would have the rest of the function in it, which doubles the port's length.
bool Stager::returns_by_flag(const Branch& branch, std::span<const StmtId> rest) const {
  constexpr int kMostCopies = 3;
  const Frame* frame = frames_.back();
  const bool twice =
      !rest.empty() && !always_leaves(tree_, *branch.then) && !always_leaves(tree_, *branch.otherwise);
  return frame->returns_by_flag || (frame->at_tail && frame->copies >= kMostCopies && twice);
}

Result<Stager::Flow> Stager::stage_flagged(const Value& flag, const Branch& branch, base::Span span,
                                           std::span<const StmtId> rest) {
  Frame* frame = frames_.back();
  const bool in_flagged = frame->returns_by_flag;
  const bool one_leaves = always_leaves(tree_, *branch.then) || always_leaves(tree_, *branch.otherwise);
  BranchEnd ends[2];
  const bool at_tail = std::exchange(frame->at_tail, false);
  frame->returns_by_flag = true;
  const Result<Done> done =
      stage_joined_sides(flag, branch, span, one_leaves ? rest : std::span<const StmtId>{}, ends);
  frame->returns_by_flag = in_flagged;
  frame->at_tail = at_tail;
  PW_CHECK_OK(done);
  at(span);
  emit(ir::If{flag.as<Scalar>()->expr, ends[0].block, ends[1].block});
  if (ends[0].flow == Flow::Left && ends[1].flow == Flow::Left) return Flow::Left;
  if (one_leaves || rest.empty()) return Flow::Next;
  return execute_unless_returned(rest, span);
}

/// The same in the midst of a branch whose returns set the flag: its names live on.
Result<Stager::Flow> Stager::guard_rest(std::span<const StmtId> rest) {
  if (rest.empty()) return Flow::Next;
  const std::vector<StmtId> statements(rest.begin(), rest.end());
  const std::vector<StmtId> nothing;
  const base::Span first = tree_.span(rest.front());
  const base::Span span{first.file, first.begin, tree_.span(rest.back()).end};
  const ir::ExprId returned = module.add(ir::Read{frames_.back()->returned}, span_);
  const Branch branch{&statements, &nothing};
  BranchEnd ends[2];
  const Value flag = weak(apply(ir::Op::Not, {returned}));
  PW_CHECK_OK(stage_joined_sides(flag, branch, span, {}, ends));
  at(span);
  emit(ir::If{flag.as<Scalar>()->expr, ends[0].block, ends[1].block});
  return Flow::Next;
}

/// Runs `rest`, which stands behind a loop or branch that may have returned.
Result<Stager::Flow> Stager::execute_unless_returned(std::span<const StmtId> rest, base::Span span) {
  Frame* frame = frames_.back();
  at(span);
  const ir::ExprId returned = module.add(ir::Read{frame->returned}, span_);
  if (frame->returns_by_flag && !in_staged_loop()) return guard_rest(rest);
  if (in_staged_loop()) {
    const ir::BlockId leave = block([&] { emit(ir::Break{}); });
    emit(ir::If{returned, leave, block([] {})});
    return execute(rest);
  }
  if (!loops_.empty() && loops_.back().frame == frames_.size()) {
    return engine.report(Rule::NumpyReturnInLoop, span);
  }
  const Saved saved = save();
  Flow flow = Flow::Next;
  ++control_depth_;
  const Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
    PW_TRY(flow, execute(rest));
    if (flow == Flow::Left || !frame->at_tail) return Done{};
    flow = Flow::Left;  // falling off the end of a helper gives None
    return join_result(value(None{}), span);
  });
  --control_depth_;
  if (!block) return tl::unexpected(block.error());
  forget_names_since(saved);
  at(span);
  emit(ir::If{apply(ir::Op::Not, {returned}), *block, this->block([] {})});
  if (flow == Flow::Next && frame->result) return engine.report(Rule::NumpyReturnJoin, span, "the function");
  return Flow::Left;
}

/// A helper's return under a run-time condition: it goes to variables and buffers, made where the call
/// stands.
Result<Done> Stager::join_result(const Value& returned, base::Span span) {
  Frame* frame = frames_.back();
  const auto differs = [&] { return engine.report(Rule::NumpyReturnJoin, span, "the function"); };
  if (frame->result && !frame->result_variable) return differs();
  if (!frame->result_variable) {
    const Form form = frame->result_form ? *frame->result_form : form_of(returned);
    const auto call = std::find(blocks_.begin(), blocks_.end(), frame->block);
    const std::vector<ir::BlockId> inner(call + 1, blocks_.end());
    blocks_.erase(call + 1, blocks_.end());
    const bool outlives = in_scope(form);
    blocks_.insert(blocks_.end(), inner.begin(), inner.end());
    if (!outlives) return engine.report(Rule::NumpyJoinShape, span, "the result");
    blocks_.push_back(frame->block);  // ahead of the branch that is being staged
    frame->result_variable = declare(frame->function, form, false);
    blocks_.pop_back();
    frame->result = read(*frame->result_variable);
  }
  if (!join(form_of(*frame->result_variable), form_of(returned))) return differs();
  std::optional<Form> request;
  PW_CHECK_OK(assign_form(frame->function, *frame->result_variable, returned, span, request));
  if (request && frame->result_request) request = join(*request, *frame->result_request);
  if (request) frame->result_request = *request;
  return Done{};
}

}  // namespace pw::numpy
