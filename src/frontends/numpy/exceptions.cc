// raise, and classes of exceptions that the file makes.
#include "frontends/numpy/frame.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

using python::ExprId;

bool Stager::is_exception(const std::string& name) const {
  return exception_bases_.contains(name) || is_builtin_exception(name) || name == "LinAlgError";
}

/// class NotConverged(Exception): pass
Result<Done> Stager::define_exception(const python::ClassDef& node, base::Span span) {
  const auto refuse = [&] {
    return engine.report(Rule::NumpyConstruct, span,
                         "a class that is more than another name for an exception");
  };
  if (node.bases.size() != 1 || !node.keywords.empty() || !node.decorator_list.empty()) return refuse();
  for (const python::StmtId id : node.body) {
    const auto* text = tree_.get_if<python::Expr>(id);
    const bool is_text = text != nullptr && tree_.get_if<python::Constant>(text->value) != nullptr;
    if (!is_text && tree_.get_if<python::Pass>(id) == nullptr) return refuse();
  }
  PW_TRY(const Value base, evaluate(node.bases[0]));
  const auto* object = base.as<ClassObject>();
  // Exceptions are told apart by their names.
  if (object == nullptr || !is_exception(object->name) || is_exception(node.name)) return refuse();
  exception_bases_[node.name] = object->name;
  mark_bound(node.name);
  scope_->names[node.name] = value(ClassObject{node.name});
  return Done{};
}

namespace {

/// Whether an expression makes text: f"{n}", "n = " + str(n), "n = %d" % n, "n = {}".format(n).
bool makes_text(const python::Tree& tree, ExprId id) {
  return python::visit(
      tree[id], [](const python::JoinedStr&) { return true; },
      [](const python::Constant& n) { return std::holds_alternative<python::StrValue>(n.value); },
      [&](const python::BinOp& n) { return makes_text(tree, n.left) || makes_text(tree, n.right); },
      [&](const python::Call& n) {
        const auto* attribute = tree.get_if<python::Attribute>(n.func);
        return attribute != nullptr && attribute->attr == "format" && makes_text(tree, attribute->value);
      },
      [](const auto&) { return false; });
}

/// What `raise` is given. Text is for people: its values are not staged.
Result<Value> evaluate_raised(Stager& stager, ExprId id) {
  const python::Tree& tree = stager.tree();
  const auto* call = tree.get_if<python::Call>(id);
  const bool has_text = call != nullptr && call->args.size() == 1 && call->keywords.empty() &&
                        tree.get_if<python::Constant>(call->args[0]) == nullptr &&
                        makes_text(tree, call->args[0]);
  if (!has_text) return stager.evaluate(id);
  PW_TRY(const Value callee, stager.evaluate(call->func));
  const auto* object = callee.as<ClassObject>();
  return object != nullptr ? value(ClassObject{object->name + ":..."}) : stager.evaluate(id);
}

}  // namespace

Result<Stager::Flow> Stager::execute_raise(const python::Raise& node, base::Span span) {
  if (!node.exc.valid()) return engine.report(Rule::NumpyConstruct, span, "a bare raise");
  PW_TRY(const Value raised, evaluate_raised(*this, node.exc));
  at(span);
  const auto* object = raised.as<ClassObject>();
  if (object == nullptr)
    return engine.report(Rule::NumpyConstruct, span, "raising " + describe(raised, module));
  const std::size_t colon = object->name.find(':');
  const std::string kind = object->name.substr(0, colon);
  const std::string message = colon == std::string::npos ? "" : object->name.substr(colon + 1);
  if (!is_exception(kind)) return engine.report(Rule::NumpyConstruct, span, "raising " + kind);
  const ir::TrapKind row = ir::trap_kind(kind);
  const bool named = row != ir::TrapKind::Raised;
  const ir::TrapId trap = module.add(ir::TrapRow{row, named ? message : kind + ": " + message, span_, kind});
  emit(ir::Trap{trap, {}});
  ++traps_emitted_;
  return Flow::Left;
}

}  // namespace pw::numpy
