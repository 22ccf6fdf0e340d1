// The file that a kernel stands in: its top level, and the lists, dicts and arrays of it that outlast a call.
#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;

}  // namespace

/// Wherever the file may make NumPy's or Python's warnings raise: when that runs is not looked into.
Result<Done> Stager::check_error_states() {
  for (const ExprId id : calls_of(tree_, tree_.module.body, {"seterr", "simplefilter", "filterwarnings"})) {
    const auto* call = tree_.get_if<python::Call>(id);
    const auto* attribute = tree_.get_if<python::Attribute>(call->func);
    if ((attribute != nullptr ? attribute->attr : tree_.get_if<python::Name>(call->func)->id) == "seterr") {
      PW_CHECK_OK(require_quiet(id));
      continue;
    }
    const auto* action = call->args.empty() ? nullptr : tree_.get_if<python::Constant>(call->args[0]);
    const auto* text = action == nullptr ? nullptr : std::get_if<python::StrValue>(&action->value);
    if (text == nullptr || text->text == "error") {
      return engine.report(Rule::NumpyConstruct, tree_.span(id), "a filter that makes warnings raise");
    }
  }
  return Done{};
}

namespace {

/// `if __name__ == "__main__":` holds in no import.
bool is_main_guard(const python::Tree& tree, StmtId id) {
  const auto* branch = tree.get_if<python::If>(id);
  const auto* test = branch == nullptr ? nullptr : tree.get_if<python::Compare>(branch->test);
  const auto* name = test == nullptr ? nullptr : tree.get_if<python::Name>(test->left);
  return name != nullptr && name->id == "__name__" && test->ops.front() == python::CompareOperator::Eq &&
         branch->orelse.empty();
}

}  // namespace

/// Runs the file's top level. What cannot be staged there matters only if the kernel asks for it, or for what
/// it may have changed.
Result<Done> Stager::run_top_level() {
  PW_CHECK_OK(check_error_states());
  for (const StmtId id : tree_.module.body) {
    if (is_main_guard(tree_, id)) continue;
    if (tree_.get_if<python::Expr>(id) != nullptr && mentioned_state(id).empty()) continue;
    // It may change what a library's name means, for whoever reads it.
    if (const ExprId target = assigned_attribute(tree_, id); target.valid()) {
      return engine.report(Rule::NumpyConstruct, tree_.span(target), "an assignment to an attribute");
    }
    const std::size_t diagnostics = engine.all().size();
    const std::size_t statements = module[blocks_.back()].statements.size();
    if (execute(std::span(&id, 1))) continue;
    engine.truncate(diagnostics);
    module[blocks_.back()].statements.resize(statements);
    for (const auto& [name, how] : assigned_names(tree_, {id})) unavailable_.insert(name);
    if (const auto* def = tree_.get_if<python::ClassDef>(id)) {
      unavailable_.insert(def->name);
    } else if (tree_.get_if<python::FunctionDef>(id) == nullptr) {
      forget_state(mentioned_state(id));
    }
  }
  for (const auto& [name, bound] : globals_->names) reach(bound, false, outlasting_);
  return Done{};
}

/// What of the file's lists, dicts and arrays a statement may change, through the functions that it names
/// too.
State Stager::mentioned_state(StmtId id) {
  State state;
  for (const std::string& name : mentioned_names(tree_, id)) {
    const auto bound = globals_->names.find(name);
    if (bound != globals_->names.end()) reach(bound->second, true, state);
  }
  return state;
}

/// Takes away every name of the file through which some of the state can be read.
void Stager::forget_state(const State& state) {
  std::erase_if(globals_->names, [&](const auto& entry) {
    State own;
    reach(entry.second, false, own);
    const bool shares = own.shares_with(state);
    if (shares) unavailable_.insert(entry.first);
    return shares;
  });
}

void Stager::reach(const Value& bound, bool through_bodies, State& out) {
  const auto each_of = [&](const std::vector<Value>& items) {
    for (const Value& item : items) reach(item, through_bodies, out);
  };
  if (const auto* array = bound.as<Array>()) {
    out.buffers.insert(array->buffer);
  } else if (const auto* tuple = bound.as<Tuple>()) {
    each_of(tuple->items);
  } else if (const auto* list = bound.as<List>()) {
    if (out.containers.insert(list->items.get()).second) each_of(*list->items);
  } else if (const auto* dict = bound.as<Dict>()) {
    if (!out.containers.insert(dict->items.get()).second) return;
    for (const auto& [key, item] : *dict->items) reach(item, through_bodies, out);
  } else if (const auto* function = bound.as<UserFunction>()) {
    reach_from(*function, through_bodies, out);
  }
}

/// What a function has in its defaults and in the functions around it, and (`through_bodies`) names of the
/// file.
void Stager::reach_from(const UserFunction& function, bool through_bodies, State& out) {
  if (!out.functions.insert(function.defaults.get()).second) return;
  for (const Value& item : *function.defaults) reach(item, through_bodies, out);
  for (std::shared_ptr<Scope> scope = function.closure; scope != nullptr && scope != globals_;
       scope = scope->parent) {
    for (const auto& [name, item] : scope->names) reach(item, through_bodies, out);
  }
  if (!through_bodies) return;
  const std::set<std::string> names = function.definition.valid()
                                          ? mentioned_names(tree_, function.definition)
                                          : mentioned_names(tree_, function.lambda);
  for (const std::string& name : names) {
    const auto global = globals_->names.find(name);
    if (global != globals_->names.end()) reach(global->second, true, out);
  }
}

Value Stager::new_list(std::vector<Value> items) { return lists_->made(std::move(items)); }

}  // namespace pw::numpy
