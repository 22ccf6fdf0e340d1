// try: a body that raises nothing that its handlers catch, or one whose exception leaves numbers that may be
// computed on (LinAlgError; a float divided by zero): the statement is evaluated whole, and its handler runs
// instead of what follows it.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::StmtId;

using Bases = std::map<std::string, std::string>;

/// The classes of exceptions that a class is one of, itself first; `own`: of the file's classes.
/// https://docs.python.org/3/library/exceptions.html#exception-hierarchy
std::vector<std::string> lineage(std::string_view exception, const Bases& own) {
  static const Bases kBases = {
      {"LinAlgError", "ValueError"},        {"ZeroDivisionError", "ArithmeticError"},
      {"OverflowError", "ArithmeticError"}, {"FloatingPointError", "ArithmeticError"},
      {"IndexError", "LookupError"},        {"KeyError", "LookupError"},
      {"UnboundLocalError", "NameError"},   {"NotImplementedError", "RuntimeError"},
      {"RecursionError", "RuntimeError"},
  };
  std::vector<std::string> out = {std::string(exception)};
  for (bool more = true; more;) {
    more = false;
    for (const Bases* bases : {&own, &kBases}) {
      const auto found = bases->find(out.back());
      if (found == bases->end()) continue;
      out.push_back(found->second);
      more = true;
    }
  }
  out.insert(out.end(), {"Exception", "BaseException"});
  return out;
}

/// The names of the classes that a handler catches; nullopt where staging does not know them.
std::optional<std::vector<std::string>> caught_classes(Stager& stager, const python::ExceptHandler& handler) {
  if (!handler.type.valid()) return std::vector<std::string>{"BaseException"};
  const std::size_t diagnostics = stager.engine.all().size();
  const Result<Value> type = stager.evaluate(handler.type);
  stager.engine.truncate(diagnostics);
  if (!type) return std::nullopt;
  std::vector<Value> classes = {*type};
  if (const auto* tuple = type->as<Tuple>()) classes = tuple->items;
  std::vector<std::string> names;
  for (const Value& each : classes) {
    const auto* object = each.as<ClassObject>();
    if (object == nullptr) return std::nullopt;
    names.push_back(object->name);
  }
  return names;
}

}  // namespace

/// Whether a handler catches the exceptions of a trap; one whose classes are not known may catch any.
bool Stager::catches(const python::ExceptHandler& handler, std::string_view exception) {
  if (exception == ir::to_text(ir::TrapKind::Assumption)) return false;
  const auto classes = caught_classes(*this, handler);
  if (!classes) return true;
  const std::vector<std::string> kinds = lineage(exception, exception_bases_);
  return std::any_of(classes->begin(), classes->end(), [&](const std::string& each) {
    return std::find(kinds.begin(), kinds.end(), each) != kinds.end();
  });
}

/// The handler that a trap goes to; null: none.
const python::ExceptHandler* Stager::handler_of(const python::Try& node, std::string_view exception) {
  const auto found = std::find_if(node.handlers.begin(), node.handlers.end(),
                                  [&](const auto& each) { return catches(each, exception); });
  return found == node.handlers.end() ? nullptr : &*found;
}

/// Refuses a try around what was staged since: traps that a handler would catch.
Result<Done> Stager::refuse_caught(const python::Try& node, const TrapCount& since, base::Span span) {
  if (node.handlers.empty()) return Done{};
  const std::size_t rows = module.traps.size() - since.rows;
  bool caught = traps_emitted_ - since.emitted > rows;  // a function that was called may raise anything
  for (std::size_t k = since.rows; k < module.traps.size(); ++k)
    caught = caught || handler_of(node, module.traps[k].name()) != nullptr;
  if (!caught) return Done{};
  return engine.report(Rule::NumpyConstruct, span, "try around what may raise");
}

/// Sets the flag of the try around the expression at hand instead of raising; false where there is none.
bool Stager::catch_trap(ir::ExprId condition, ir::TrapKind kind) {
  if (catching_ == nullptr || catching_->map_depth != map_depth_ || catching_->frames != frames_.size())
    return false;
  const python::ExceptHandler* handler = handler_of(*catching_->node, ir::to_text(kind));
  if (handler == nullptr || (catching_->handler != nullptr && catching_->handler != handler)) return false;
  if (!caught_classes(*this, *handler)) return false;
  catching_->handler = handler;
  const ir::ExprId raised = module.add(ir::Read{catching_->raised}, span_);
  emit(ir::Assign{catching_->raised, condition.valid() ? apply(ir::Op::Or, {raised, condition})
                                                       : constant(ir::const_bool(true))});
  return true;
}

Result<Stager::Flow> Stager::execute_try(const python::Try& node, base::Span span,
                                         std::span<const StmtId> rest, bool& took_rest) {
  Frame* frame = frames_.back();
  if (!node.finalbody.empty()) {
    bool jumps = contains_jump(tree_, node.body) || contains_jump(tree_, node.orelse);
    for (const python::ExceptHandler& each : node.handlers) jumps = jumps || contains_jump(tree_, each.body);
    if (jumps) return engine.report(Rule::NumpyConstruct, span, "finally behind a jump");
  }
  const bool at_tail = std::exchange(frame->at_tail, false);
  const Saved saved = save();
  const TrapCount before{module.traps.size(), traps_emitted_};
  Result<Flow> flow = execute(node.body);
  frame->at_tail = at_tail;
  if (!flow) return flow;
  const std::size_t diagnostics = engine.all().size();
  if (const Result<Done> quiet = refuse_caught(node, before, span); !quiet) {
    const diagnostics::Diagnostic refusal = engine.all().back();
    restore(saved);
    engine.truncate(diagnostics);
    flow = execute_caught(node, span, rest, took_rest);
    if (!flow) {
      engine.truncate(diagnostics);
      return engine.again(refusal);
    }
  } else if (*flow == Flow::Next) {
    frame->at_tail = false;
    flow = execute(node.orelse);
    frame->at_tail = at_tail;
    if (!flow) return flow;
  }
  if (node.finalbody.empty()) return flow;
  if (*flow == Flow::Left || took_rest)
    return engine.report(Rule::NumpyConstruct, span, "finally behind a jump");
  return execute(node.finalbody);
}

/// The first statement of the body that may raise is evaluated whole; then its handler runs, or the
/// statement's effect and what follows it.
Result<Stager::Flow> Stager::execute_caught(const python::Try& node, base::Span span,
                                            std::span<const StmtId> rest, bool& took_rest) {
  Frame* frame = frames_.back();
  const auto refuse = [&] { return engine.report(Rule::NumpyConstruct, span, "try around what may raise"); };
  std::size_t first = 0;
  for (; first < node.body.size(); ++first) {
    const Saved saved = save();
    const TrapCount before{module.traps.size(), traps_emitted_};
    const bool at_tail = std::exchange(frame->at_tail, false);
    const Result<Flow> flow = execute(std::span(node.body).subspan(first, 1));
    frame->at_tail = at_tail;
    if (!flow) return refuse();
    if (refuse_caught(node, before, span)) {
      if (*flow == Flow::Left) return refuse();
      continue;
    }
    restore(saved);
    break;
  }
  if (first == node.body.size()) return refuse();
  const auto* assign = tree_.get_if<python::Assign>(node.body[first]);
  const auto* returns = tree_.get_if<python::Return>(node.body[first]);
  const auto* augments = tree_.get_if<python::AugAssign>(node.body[first]);
  if (augments != nullptr && tree_.get_if<python::Name>(augments->target) == nullptr) return refuse();
  const python::ExprId raises = assign != nullptr     ? assign->value
                                : returns != nullptr  ? returns->value
                                : augments != nullptr ? augments->value
                                                      : python::ExprId{};
  if (!raises.valid()) return refuse();
  at(span);
  Catching catching{&node,      declare_variable("raised", ir::DType::Bool, constant(ir::const_bool(false))),
                    {},         false,
                    map_depth_, frames_.size()};
  const TrapCount before{module.traps.size(), traps_emitted_};
  const std::size_t changes_before = lists_->mark().changes;
  Catching* const outer = std::exchange(catching_, &catching);
  const Result<Value> bound = [&]() -> Result<Value> {
    if (augments == nullptr) return evaluate_optional(raises);
    PW_TRY(const Value old, evaluate_optional(augments->target));
    if (!old.is<OrNone>() && !as_scalar(old)) return refuse();  // an array or a list would change in place
    PW_TRY(const Value operand, evaluate(raises));
    PW_TRY(const Value present, require_present(old, span));
    return binary(augments->op, present, operand, span);
  }();
  catching_ = outer;
  if (!bound) return tl::unexpected(bound.error());
  PW_CHECK_OK(refuse_caught(node, before, span));
  // What is evaluated behind the raise must neither raise nor change anything.
  if (lists_->mark().changes != changes_before) return refuse();
  for (std::size_t k = before.rows; k < module.traps.size(); ++k) {
    if (module.traps[k].kind != ir::TrapKind::Assumption) return refuse();
  }
  if (catching.handler == nullptr || catching.stores) return refuse();
  const std::vector<StmtId> others(node.body.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                   node.body.end());
  if (catching.handler->name) scope_->names[*catching.handler->name] = value(Unknown{"an exception"});
  std::map<std::string, AssignedName> targets = assigned_names(tree_, others);
  if (assign != nullptr) {
    for (const python::ExprId target : assign->targets) collect_targets(tree_, target, targets);
  }
  if (augments != nullptr) collect_targets(tree_, augments->target, targets);
  const Value raised = weak(module.add(ir::Read{catching.raised}, span_));
  const auto goes_on = [&]() -> Result<Flow> {
    if (returns != nullptr) return return_value(*bound, span);
    const TrapCount behind{module.traps.size(), traps_emitted_};
    if (augments != nullptr) PW_CHECK_OK(assign_target(augments->target, *bound));
    if (assign != nullptr) {
      for (const python::ExprId target : assign->targets) PW_CHECK_OK(assign_target(target, *bound));
    }
    const bool at_tail = std::exchange(frame->at_tail, false);
    const Result<Flow> flow = execute(others);
    frame->at_tail = at_tail;
    if (!flow) return flow;
    PW_CHECK_OK(refuse_caught(node, behind, span));
    return *flow;
  };
  const bool leaves = returns != nullptr || contains_return(tree_, others);
  const Branch branch{&catching.handler->body, &node.orelse, targets, goes_on, leaves};
  return stage_branch(raised, branch, span, rest, took_rest);
}

}  // namespace pw::numpy
