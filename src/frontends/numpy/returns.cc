// Returns: of the kernel, and of helpers, from wherever they stand.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

using python::StmtId;

Result<Stager::Flow> Stager::execute_return(const python::Return& node, base::Span span) {
  Frame* frame = frames_.back();
  Value returned = value(None{});
  if (node.value.valid()) {
    PW_TRY(returned, evaluate(node.value));
  }
  at(span);
  if (frame->entry) return return_from_entry(returned, span);
  if (in_staged_loop()) return return_from_loop(returned, span);
  const bool in_loop = !loops_.empty() && loops_.back().frame == frames_.size();
  if (in_loop && control_depth_ != loops_.back().control_depth) {
    return engine.report(Rule::NumpyReturnInLoop, span);
  }
  if (control_depth_ == frame->entry_depth) {
    frame->result = snapshot(returned, {});
    return Flow::Left;
  }
  PW_CHECK_OK(join_result(returned, span));
  return Flow::Left;
}

/// Whether a loop of the function at hand that is kept as a loop is around the statement at hand.
bool Stager::in_staged_loop() const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& each) { return !each.unrolled && each.frame == frames_.size(); });
}

/// A helper's return inside a loop: it leaves the loop, and what follows runs only where it did not.
Result<Stager::Flow> Stager::return_from_loop(const Value& returned, base::Span span) {
  Frame* frame = frames_.back();
  PW_CHECK_OK(join_result(returned, span));
  if (!frame->returned.valid()) {
    blocks_.push_back(frame->block);
    frame->returned = declare_variable("returned", ir::DType::Bool, constant(ir::const_bool(false)));
    blocks_.pop_back();
  }
  emit(ir::Assign{frame->returned, constant(ir::const_bool(true))});
  for (const Loop& loop : loops_) {  // whose else does not run either
    if (loop.frame != frames_.size() || !loop.broke_flag.valid()) continue;
    emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});
  }
  emit(ir::Break{});
  return Flow::Left;
}

/// Runs `rest`, which stands behind a loop that may have returned.
Result<Stager::Flow> Stager::execute_unless_returned(std::span<const StmtId> rest, base::Span span) {
  Frame* frame = frames_.back();
  at(span);
  const ir::ExprId returned = module.add(ir::Read{frame->returned}, span_);
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
    return Done{};
  });
  --control_depth_;
  if (!block) return tl::unexpected(block.error());
  forget_names_since(saved);
  at(span);
  emit(ir::If{apply(ir::Op::Not, {returned}), *block, this->block([] {})});
  // Falling off the end of a helper gives None.
  const bool gives = !frame->result_variables.empty() || (frame->result && !frame->result->is<None>());
  if (flow == Flow::Next && gives) return engine.report(Rule::NumpyReturnJoin, span, "the function");
  return Flow::Left;
}

/// A helper's return under a run-time condition: numbers go to variables, arrays to buffers, made where the
/// call stands.
Result<Done> Stager::join_result(const Value& returned, base::Span span) {
  Frame* frame = frames_.back();
  std::vector<Value> items = {returned};
  const auto* tuple = returned.as<Tuple>();
  if (tuple != nullptr) items = tuple->items;
  if (returned.is<None>()) {
    if (frame->result && !frame->result->is<None>())
      return engine.report(Rule::NumpyReturnJoin, span, "the function");
    frame->result = returned;
    return Done{};
  }
  Tuple joined;
  for (std::size_t k = 0; k < items.size(); ++k) {
    PW_TRY(Value item, join_result_item(k, items[k], span));
    joined.items.push_back(std::move(item));
  }
  const bool first = !frame->result.has_value();
  if (!first && (frame->result->is<None>() || frame->result_is_tuple != (tuple != nullptr)))
    return engine.report(Rule::NumpyReturnJoin, span, "the function");
  frame->result_is_tuple = tuple != nullptr;
  if (first) frame->result = tuple != nullptr ? value(joined) : joined.items[0];
  return Done{};
}

Result<Value> Stager::join_result_item(std::size_t position, const Value& item, base::Span span) {
  Frame* frame = frames_.back();
  const auto known = frame->result_variables.find(position);
  // Declared in the block of the call, ahead of the branch that is being staged.
  const auto in_call_block = [&](const std::function<void()>& make) {
    blocks_.push_back(frame->block);
    make();
    blocks_.pop_back();
  };
  if (const auto* array = item.as<Array>()) {
    if (known == frame->result_variables.end()) {
      if (!in_scope(*array)) return engine.report(Rule::NumpyJoinShape, span, "the result");
      Variable variable;
      in_call_block([&] { variable.array = allocate(array->shape, type_of(*array)); });
      frame->result_variables[position] = variable;
    }
    Variable& variable = frame->result_variables[position];
    if (!variable.array || variable.array->shape != array->shape ||
        type_of(*variable.array) != type_of(*array)) {
      return engine.report(Rule::NumpyReturnJoin, span, "the function");
    }
    map_over(array->shape,
             [&](const Indices& indices) { store(*variable.array, indices, load(*array, indices)); });
    note_shared(array->buffer, variable.array->buffer);
    return value(*variable.array);
  }
  const auto number = number_type(item);
  if (!number) {
    if (frame->result && same_static(item, *frame->result)) return item;
    return engine.report(Rule::NumpyReturnJoin, span, "the function");
  }
  NumberType type = *number;
  if (const auto wanted = frame->result_types.find(position); wanted != frame->result_types.end())
    type = wanted->second;
  if (known == frame->result_variables.end()) {
    Variable variable;
    variable.number = type;
    in_call_block([&] { variable.local = declare_variable(frame->function, type.type, {}); });
    frame->result_variables[position] = variable;
    frame->result_requests.emplace(position, type);
  }
  Variable& variable = frame->result_variables[position];
  if (!fits(item, variable.number)) {
    NumberType joined{ir::promote(variable.number.type, number->type), variable.number.weak && number->weak};
    if (joined == variable.number) return engine.report(Rule::NumpyReturnJoin, span, "the function");
    frame->result_requests[position] = joined;
  }
  emit(ir::Assign{variable.local, cast(as_scalar(item)->expr, variable.number.type)});
  return value(Scalar{module.add(ir::Read{variable.local}, span_), variable.number.weak});
}

}  // namespace pw::numpy
