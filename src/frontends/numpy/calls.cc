// Calls: library rows, dtypes and classes as functions, and functions of the kernel's file, which run in
// place.
#include "frontends/numpy/effects.h"
#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::ExprId;

std::string_view name_of(const Value& callee) {
  if (const auto* function = callee.as<LibraryFunction>()) return function->row->name;
  if (const auto* object = callee.as<ClassObject>()) return object->name;
  return {};
}

/// Whether a call with None as an operand raises TypeError; of other library functions staging does not know.
bool refuses_none(const Value& callee) {
  static const std::set<std::string_view> kRefusing = {
      "len",   "range",   "abs",   "min",  "max",    "sum",      "any",       "all", "int",
      "float", "complex", "tuple", "list", "sorted", "reversed", "enumerate", "zip", "divmod"};
  const std::string_view name = name_of(callee);
  return kRefusing.contains(name) || (name.starts_with("math.") && name != "math.perm");
}

/// Whether a call takes None like any other value.
bool takes_none(const Value& callee) {
  static const std::set<std::string_view> kTaking = {"isinstance", "bool", "list.append", "callable"};
  return callee.is<UserFunction>() || kTaking.contains(name_of(callee));
}

/// Whether a call uses up an iterator that it is given before it returns.
bool uses_up(const Value& callee) {
  static const std::set<std::string_view> kConsumers = {"list",        "tuple",     "sum",    "min",
                                                        "max",         "any",       "all",    "len",
                                                        "list.extend", "math.prod", "sorted", "str.join"};
  return kConsumers.contains(name_of(callee));
}

/// Whether a call gives an iterator or a view of a dict, which reads what it runs over when it is run.
bool gives_iterator(const Value& callee) {
  static const std::set<std::string_view> kIterators = {"enumerate",  "zip",       "reversed",
                                                        "dict.items", "dict.keys", "dict.values"};
  return kIterators.contains(name_of(callee));
}

}  // namespace

/// An argument that may be None as the callee takes it.
Result<Value> Stager::present_argument(const Value& callee, const Value& given, base::Span span) {
  if (takes_none(callee)) return given;
  return require_present(given, span,
                         refuses_none(callee) ? ir::TrapKind::TypeError : ir::TrapKind::Assumption);
}

/// `at_once`: an iterator that the call gives is used up before anything else runs.
Result<Value> Stager::evaluate_call(const python::Call& node, base::Span span, bool at_once) {
  PW_TRY(const Value callee, evaluate(node.func));
  if (gives_iterator(callee) && !at_once) {
    return engine.report(Rule::NumpyConstruct, span,
                         "an iterator that is kept for later (without list() around it)");
  }
  Arguments arguments;
  arguments.span = span;
  // any(f(i) for i in ...) does not evaluate what stands behind the item that decides.
  const bool stops_early = (name_of(callee) == "any" || name_of(callee) == "all") && node.args.size() == 1 &&
                           tree_.get_if<python::GeneratorExp>(node.args[0]) != nullptr;
  const Existing existing{module.locals.size(), module.buffers.size()};
  const std::size_t traps_before = traps_emitted_;
  const std::size_t statements_before = module[blocks_.back()].statements.size();
  const std::size_t changes_before = stops_early ? lists_->mark().changes : 0;
  PW_TRY(arguments.positional, evaluate_items(node.args, true, uses_up(callee) || gives_iterator(callee)));
  if (stops_early &&
      (traps_emitted_ != traps_before || lists_->mark().changes != changes_before ||
       changes_existing(module, std::span(module[blocks_.back()].statements).subspan(statements_before),
                        existing))) {
    return engine.report(Rule::NumpyConstruct, span,
                         "any() or all() of a generator whose later items may raise or change something");
  }
  for (Value& each : arguments.positional) {
    PW_TRY(each, present_argument(callee, each, span));
  }
  for (const python::Keyword& keyword : node.keywords) {
    if (contains_call(tree_, keyword.value)) {
      for (Value& each : arguments.positional) each = snapshot(each, {});
      for (auto& [name, each] : arguments.keywords) each = snapshot(each, {});
    }
    PW_TRY(Value bound, evaluate_optional(keyword.value));
    if (!takes_none(callee)) {
      PW_TRY(bound, require_present(bound, span, ir::TrapKind::Assumption));
    }
    if (keyword.arg) {
      arguments.keywords.emplace_back(*keyword.arg, std::move(bound));
      continue;
    }
    const auto* dict = bound.as<Dict>();
    if (dict == nullptr) return engine.report(Rule::NumpyConstruct, span, "** of something that is no dict");
    for (const auto& [key, item] : *dict->items) {
      const auto* name = key.as<std::string>();
      if (name == nullptr)
        return engine.report(Rule::NumpyConstruct, span, "** with a key that is no string");
      arguments.keywords.emplace_back(*name, item);
    }
  }
  at(span);
  return call(callee, std::move(arguments));
}

Result<Value> Stager::call(const Value& callee, Arguments arguments) {
  if (const auto* function = callee.as<UserFunction>()) return call_user(*function, arguments);
  if (const auto* function = callee.as<LibraryFunction>()) {
    if (function->self) arguments.positional.insert(arguments.positional.begin(), *function->self);
    arguments.name = function->row->name;
    PW_CHECK_OK(lists_->convert(arguments));
    PW_CHECK_OK(check_arguments(*this, *function->row, arguments));
    return function->row->body(*this, arguments);
  }
  if (const auto* object = callee.as<DTypeObject>()) {
    if (arguments.positional.size() != 1)
      return engine.report(Rule::NumpyCallArguments, arguments.span, ir::row(object->type).numpy,
                           "takes one value");
    const Value& operand = arguments.positional[0];
    if (const auto* array = operand.as<Array>(); array != nullptr && !array->shape.empty()) {
      return value(copy(*array, object->type));
    }
    const std::optional<Scalar> scalar = as_scalar(operand);
    if (!scalar) return engine.report(Rule::NumpyNumberNeeded, arguments.span, describe(operand, module));
    PW_CHECK_OK(check_weak_range(operand, object->type, arguments.span));
    return strong(cast(scalar->expr, object->type));
  }
  if (const auto* object = callee.as<ClassObject>()) {
    if (is_exception(object->name)) {
      if (!arguments.keywords.empty())
        return engine.report(Rule::NumpyCallArguments, arguments.span, object->name, "takes no keywords");
      std::string message;
      if (!arguments.positional.empty()) {
        if (const auto* text = arguments.positional[0].as<std::string>()) message = *text;
      }
      return value(ClassObject{object->name + ":" + message});
    }
    if (const FunctionRow* row = find_function(object->name)) {
      arguments.name = row->name;
      PW_CHECK_OK(check_arguments(*this, *row, arguments));
      return row->body(*this, arguments);
    }
  }
  return engine.report(Rule::NumpyNotCallable, arguments.span, describe(callee, module));
}

/// The scope at hand as the closure of a function.
std::shared_ptr<Scope> Stager::capture() {
  captured_.insert(scope_);
  return scope_;
}

Result<Done> Stager::evaluate_defaults(UserFunction& function) {
  const python::ArgumentsId id = arguments_of(function);
  const python::Arguments& parameters = tree_[id];
  for (const ExprId expr : parameters.defaults) {
    PW_TRY(const Value bound, evaluate(expr));
    function.defaults->push_back(lasting(snapshot(bound, {})));
  }
  for (const ExprId expr : parameters.kw_defaults) {
    if (!expr.valid()) {
      function.defaults->push_back(value(None{}));
      continue;
    }
    PW_TRY(const Value bound, evaluate(expr));
    function.defaults->push_back(lasting(snapshot(bound, {})));
  }
  return Done{};
}

python::ArgumentsId Stager::arguments_of(const UserFunction& function) const {
  if (function.definition.valid()) return tree_.get_if<python::FunctionDef>(function.definition)->args;
  return tree_.get_if<python::Lambda>(function.lambda)->args;
}

/// Binds a call's values to the parameters of a function, in a new scope.
Result<std::shared_ptr<Scope>> Stager::bind_parameters(const UserFunction& function,
                                                       const Arguments& arguments) {
  const python::Arguments& parameters = tree_[arguments_of(function)];
  auto scope = std::make_shared<Scope>(Scope{{}, function.closure});
  std::vector<const python::Arg*> positional;
  for (const auto& each : parameters.posonlyargs) positional.push_back(&each);
  for (const auto& each : parameters.args) positional.push_back(&each);
  const std::size_t given = std::min(arguments.positional.size(), positional.size());
  for (std::size_t k = 0; k < given; ++k) {
    scope->names[positional[k]->arg] = snapshot(arguments.positional[k], positional[k]->arg);
  }
  if (arguments.positional.size() > positional.size() && !parameters.vararg) {
    return engine.report(Rule::NumpyCallArguments, arguments.span, "the function", "takes fewer arguments");
  }
  if (parameters.vararg) {
    Tuple rest;
    for (std::size_t k = positional.size(); k < arguments.positional.size(); ++k) {
      rest.items.push_back(snapshot(arguments.positional[k], {}));
    }
    scope->names[parameters.vararg->arg] = value(std::move(rest));
  }
  Dict extra{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  for (const auto& [name, bound] : arguments.keywords) {
    const auto named = [&](const python::Arg& each) { return each.arg == name; };
    const bool known = std::any_of(parameters.args.begin(), parameters.args.end(), named) ||
                       std::any_of(parameters.kwonlyargs.begin(), parameters.kwonlyargs.end(), named);
    if (!known && parameters.kwarg) {
      extra.items->emplace_back(value(name), snapshot(bound, {}));
      continue;
    }
    if (!known || scope->names.contains(name)) {
      return engine.report(Rule::NumpyCallArguments, arguments.span, "the function",
                           "has no free parameter " + name);
    }
    scope->names[name] = snapshot(bound, name);
  }
  if (parameters.kwarg) scope->names[parameters.kwarg->arg] = value(std::move(extra));
  const std::size_t defaults = parameters.defaults.size();
  for (std::size_t k = 0; k < positional.size(); ++k) {
    if (scope->names.contains(positional[k]->arg)) continue;
    if (k + defaults < positional.size()) {
      return engine.report(Rule::NumpyCallArguments, arguments.span, "the function",
                           "needs " + positional[k]->arg);
    }
    scope->names[positional[k]->arg] = (*function.defaults)[k + defaults - positional.size()];
  }
  for (std::size_t k = 0; k < parameters.kwonlyargs.size(); ++k) {
    const std::string& name = parameters.kwonlyargs[k].arg;
    if (scope->names.contains(name)) continue;
    if (!parameters.kw_defaults[k].valid()) {
      return engine.report(Rule::NumpyCallArguments, arguments.span, "the function", "needs " + name);
    }
    scope->names[name] = (*function.defaults)[defaults + k];
  }
  return scope;
}

Result<Value> Stager::call_user(const UserFunction& function, const Arguments& arguments) {
  if (frames_.size() > 60) return engine.report(Rule::NumpyTooDeep, arguments.span);
  PW_TRY(const std::shared_ptr<Scope> scope, bind_parameters(function, arguments));
  if (!function.definition.valid()) {
    const auto outer_scope = scope_;
    scope_ = scope;
    Result<Value> out = evaluate_optional(tree_.get_if<python::Lambda>(function.lambda)->body);
    scope_ = outer_scope;
    return out;
  }
  const auto* def = tree_.get_if<python::FunctionDef>(function.definition);
  if (!def->decorator_list.empty()) {
    return engine.report(Rule::NumpyConstruct, tree_.span(function.definition), "a decorator");
  }
  if (auto kept = call_kept(function, scope, arguments.span)) return *std::move(kept);
  return run_in_place(function, scope, arguments.span);
}

/// Runs a function's statements where the call stands. `ended` gets the names as they are at its end.
Result<Value> Stager::run_in_place(const UserFunction& function, const std::shared_ptr<Scope>& scope,
                                   base::Span span, std::shared_ptr<Scope>* ended) {
  const auto* def = tree_.get_if<python::FunctionDef>(function.definition);
  const auto outer_scope = scope_;
  const base::Span outer_span = span_;
  // Recursion ends while staging, or not at all: under a run-time condition each level doubles what is tried.
  std::size_t active = 0;
  bool run_time = false;
  for (const Frame* frame : frames_) {
    if (frame->body != &def->body) continue;
    run_time = run_time || control_depth_ > frame->entry_depth;
    ++active;
  }
  if (run_time && active >= 4) return engine.report(Rule::NumpyTooDeep, span);
  // What only a later return shows of the result makes the call run again with it.
  std::optional<Form> result_form;
  const Saved saved = save();
  for (int attempt = 0; attempt < 6; ++attempt) {
    Frame frame;
    frame.body = &def->body;
    frame.function = def->name;
    frame.entry_depth = control_depth_;
    frame.call = span.begin;
    frame.block = blocks_.back();
    frame.result_form = result_form;
    frames_.push_back(&frame);
    scope_ = std::make_shared<Scope>(*scope);
    if (ended != nullptr) *ended = scope_;
    frame.scope = scope_.get();
    const Result<Flow> flow = execute(def->body);
    scope_ = outer_scope;
    frames_.pop_back();
    at(outer_span);
    if (!frame.result_request) {
      if (!flow) return tl::unexpected(flow.error());
      if (frame.result_variable) end_variable(*frame.result_variable);
      if (!frame.result) return value(None{});
      return *frame.result;
    }
    result_form = frame.result_request;
    restore(saved);
  }
  return engine.report(Rule::NumpyReturnJoin, span, def->name);
}

}  // namespace pw::numpy
