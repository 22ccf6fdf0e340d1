// Running statements: assignment, calls for effect, definitions, imports, raise; control flow is in
// control.cc.
#include <algorithm>

#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/indexing.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/sparse.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;

struct Restored {
  std::string& place;
  std::string before;
  explicit Restored(std::string& of) : place(of), before(of) {}
  ~Restored() { place = before; }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
};

/// The lists that the statements of a block make, while they are staged.
struct ListsMade {
  Stager::Lists& lists;
  explicit ListsMade(Stager::Lists& of) : lists(of) { lists.enter(); }
  ~ListsMade() { lists.leave(); }
  ListsMade(const ListsMade&) = delete;
  ListsMade& operator=(const ListsMade&) = delete;
};

/// `whole.real[index] = stored` or `whole.imag[index] = stored`.
Result<Done> store_part(Stager& stager, const Array& whole, std::string_view part, const Value& index,
                        const Value& stored, base::Span span) {
  const ir::DType type = stager.type_of(whole);
  if (!ir::is_complex(type) && part == "real")
    return stager.store_subscript(value(whole), index, stored, span);
  PW_TRY(const ir::DType given, stager.result_type(std::vector{stored}, span));
  if (!ir::is_complex(type) || ir::is_complex(given))
    return stager.engine.report(Rule::NumpyConstruct, span, "this store to a part of an array");
  PW_TRY(const Value old, stager.subscript(value(whole), index, span));
  const auto updated_of = [&](std::span<const ir::ExprId> at) {
    const ir::ExprId other = stager.apply(part == "real" ? ir::Op::Imag : ir::Op::Real, {at[0]});
    const ir::ExprId own = stager.apply(ir::Op::Real, {at[1]});
    return part == "real" ? stager.apply(ir::Op::Complex, {own, other})
                          : stager.apply(ir::Op::Complex, {other, own});
  };
  PW_TRY(const Value updated, stager.elementwise(std::vector{old, stored}, type, type, span, updated_of));
  return stager.store_subscript(value(whole), index, updated, span);
}

/// `array.flat[index] = stored`: of one number, since several are repeated or cut to fit.
Result<Done> store_flat(Stager& stager, const Array& array, const Value& index, const Value& stored,
                        base::Span span) {
  const bool is_number = stager.as_scalar(stored).has_value() && !stored.is<Array>();
  const std::optional<Scalar> at = index.is<Array>() ? std::nullopt : stager.as_scalar(index);
  if (!is_number || !(at || index.is<EllipsisObject>()))
    return stager.engine.report(Rule::NumpyConstruct, span, "this store through .flat");
  if (!at) return stager.store_subscript(value(array), index, stored, span);
  PW_TRY(const Value where, flat_position(stager, array, index, span));
  return stager.store_subscript(value(array), where, stored, span);
}

}  // namespace

Result<Stager::Flow> Stager::execute(const std::vector<StmtId>& body) { return execute(std::span(body)); }

Result<Stager::Flow> Stager::execute(std::span<const StmtId> body) {
  const Restored outer(subject_);
  const ListsMade made(*lists_);
  std::size_t first = 0;
  for (;;) {
    Result<Flow> flow = execute_from(body, first);
    PW_TRY(const std::optional<std::size_t> again, lists_->again(flow.has_value()));
    if (!again) return flow;
    first = *again;
  }
}

Result<Stager::Flow> Stager::execute_from(std::span<const StmtId> body, std::size_t first) {
  for (std::size_t k = first; k < body.size(); ++k) {
    const base::Span span = tree_.span(body[k]);
    at(span);
    subject_ = subject_of(tree_, body[k], frames_.back()->function);
    const std::size_t diagnostics = engine.all().size();
    const auto* branch = tree_.get_if<python::If>(body[k]);
    const auto* attempt = tree_.get_if<python::Try>(body[k]);
    bool took_rest = false;
    if (branch == nullptr && attempt == nullptr) lists_->remember(body[k], k);
    const Result<Flow> flow = branch != nullptr ? execute_if(*branch, span, body.subspan(k + 1), took_rest)
                              : attempt != nullptr
                                  ? execute_try(*attempt, span, body.subspan(k + 1), took_rest)
                                  : execute(body[k]);
    if (!flow && frames_.back()->skips_failures) {
      engine.truncate(diagnostics);
      // What it would have bound is not what these names held before.
      for (const auto& [name, how] : assigned_names(tree_, {body[k]})) scope_->names.erase(name);
      continue;
    }
    if (!flow || took_rest || *flow == Flow::Left) return flow;
    const bool looped =
        tree_.get_if<python::For>(body[k]) != nullptr || tree_.get_if<python::While>(body[k]) != nullptr;
    if (looped && frames_.back()->returned.valid() && contains_return(tree_, {body[k]})) {
      return execute_unless_returned(body.subspan(k + 1), span);
    }
  }
  return Flow::Next;
}

Result<Stager::Flow> Stager::execute(StmtId id) {
  const base::Span span = tree_.span(id);
  Frame* frame = frames_.back();
  const bool at_tail = std::exchange(frame->at_tail, false);
  const Result<Flow> flow = execute_inner(id, span);
  frame->at_tail = at_tail;
  return flow;
}

Result<Stager::Flow> Stager::execute_inner(StmtId id, base::Span span) {
  const auto next = [](const Result<Done>& done) -> Result<Flow> {
    if (!done) return tl::unexpected(done.error());
    return Flow::Next;
  };
  return python::visit(
      tree_[id], [&](const python::Assign& n) { return next(execute_assign(n)); },
      [&](const python::AugAssign& n) { return next(execute_augmented(n, span)); },
      [&](const python::AnnAssign& n) -> Result<Flow> {
        if (!n.value.valid()) return Flow::Next;
        PW_TRY(const Value bound, evaluate_optional(n.value));
        return next(assign_target(n.target, bound));
      },
      [&](const python::Expr& n) -> Result<Flow> {
        if (tree_.get_if<python::Constant>(n.value) != nullptr) return Flow::Next;
        PW_CHECK_OK(evaluate_optional(n.value));
        return Flow::Next;
      },
      [&](const python::For& n) { return execute_for(n, span); },
      [&](const python::While& n) { return execute_while(n, span); },
      [&](const python::Return& n) { return execute_return(n, span); },
      [&](const python::Break&) { return execute_break(true, span); },
      [&](const python::Continue&) { return execute_break(false, span); },
      [&](const python::Pass&) -> Result<Flow> { return Flow::Next; },
      [&](const python::Raise& n) { return execute_raise(n, span); },
      [&](const python::Assert& n) -> Result<Flow> {
        PW_TRY(const Value holds, evaluate_condition(n.test));
        at(span);
        const std::optional<Scalar> scalar = as_scalar(holds);
        trap_if(apply(ir::Op::Not, {scalar->expr}), ir::TrapKind::AssertionError, "assert");
        return Flow::Next;
      },
      [&](const python::FunctionDef& n) -> Result<Flow> {
        UserFunction function{id, {}, capture(), std::make_shared<std::vector<Value>>()};
        PW_CHECK_OK(evaluate_defaults(function));
        mark_bound(n.name);
        scope_->names[n.name] = value(std::move(function));
        return Flow::Next;
      },
      [&](const python::ClassDef& n) { return next(define_exception(n, span)); },
      [&](const python::Import& n) { return next(execute_import(n)); },
      [&](const python::ImportFrom& n) { return next(execute_import(n, span)); },
      [&](const python::Delete& n) -> Result<Flow> {
        for (const ExprId target : n.targets) {
          const auto* name = tree_.get_if<python::Name>(target);
          if (name == nullptr || control_depth_ > 0)
            return engine.report(Rule::NumpyConstruct, span, "this del");
          scope_->names.erase(name->id);
        }
        return Flow::Next;
      },
      [&](const python::With& n) -> Result<Flow> {
        for (const auto& item : n.items) {
          const auto* call = tree_.get_if<python::Call>(item.context_expr);
          const auto* attribute = call == nullptr ? nullptr : tree_.get_if<python::Attribute>(call->func);
          if (attribute == nullptr || attribute->attr != "errstate") {
            return engine.report(Rule::NumpyConstruct, span, "with");
          }
          PW_CHECK_OK(require_quiet(item.context_expr));
        }
        return execute(n.body);
      },
      [&](const python::Global&) -> Result<Flow> {
        return engine.report(Rule::NumpyConstruct, span, "global");
      },
      [&](const python::Nonlocal&) -> Result<Flow> {
        return engine.report(Rule::NumpyConstruct, span, "nonlocal");
      },
      [&](const auto&) -> Result<Flow> {
        return engine.report(Rule::NumpyConstruct, span, "this statement");
      });
}

Result<Done> Stager::execute_assign(const python::Assign& node) {
  const bool unpacked = node.targets.size() == 1 && tree_.get_if<python::Tuple>(node.targets[0]) != nullptr;
  if (unpacked) consumed_ = node.value;
  PW_TRY(Value bound, evaluate_optional(node.value));
  if (node.targets.size() > 1 || tree_.get_if<python::Name>(node.targets[0]) == nullptr) {
    // What an earlier target, or a call in the target, stores to is read before it.
    const bool unpacks = tree_.get_if<python::Tuple>(node.targets[0]) != nullptr || node.targets.size() > 1;
    if (unpacks || contains_call(tree_, node.targets[0])) bound = snapshot(bound, {});
  }
  const auto* name = node.targets.size() == 1 ? tree_.get_if<python::Name>(node.targets[0]) : nullptr;
  if (name != nullptr && tree_.get_if<python::List>(node.value) != nullptr) {
    PW_TRY(const bool replaced, lists_->replaced(name->id, bound, tree_.span(node.targets[0])));
    if (replaced) return Done{};
    lists_->note_replaced(name->id, bound);
  }
  for (const ExprId target : node.targets) PW_CHECK_OK(assign_target(target, bound));
  return Done{};
}

Result<Done> Stager::assign_target(ExprId target, const Value& bound) {
  const base::Span span = tree_.span(target);
  if (const auto* name = tree_.get_if<python::Name>(target)) return bind_name(name->id, bound, span);
  const auto* node = tree_.get_if<python::Subscript>(target);
  const auto* part = tree_.get_if<python::Attribute>(node != nullptr ? node->value : target);
  if (part != nullptr && (part->attr == "real" || part->attr == "imag" || part->attr == "flat")) {
    PW_TRY(const Value whole, evaluate(part->value));
    if (const auto* array = whole.as<Array>()) {
      Value index = value(EllipsisObject{});
      if (node != nullptr) {
        PW_TRY(index, evaluate_index(whole, node->slice));
      }
      at(span);
      PW_TRY(const Value stored, require_present(bound, span, ir::TrapKind::Assumption));
      return part->attr == "flat" ? store_flat(*this, *array, index, stored, span)
                                  : store_part(*this, *array, part->attr, index, stored, span);
    }
  }
  if (node != nullptr) {
    PW_TRY(const Value base, evaluate(node->value));
    PW_TRY(const Value index, evaluate_index(base, node->slice));
    at(span);
    const auto* array = base.as<Array>();
    if (array == nullptr) return store_subscript(base, index, bound, span);
    // float('nan') is what NumPy makes of None in arrays of floats.
    const auto raised = ir::is_integer(type_of(*array)) ? ir::TrapKind::TypeError : ir::TrapKind::Assumption;
    PW_TRY(const Value stored, require_present(bound, span, raised));
    return store_subscript(base, index, stored, span);
  }
  const std::vector<ExprId>* targets = nullptr;
  if (const auto* tuple = tree_.get_if<python::Tuple>(target)) targets = &tuple->elts;
  if (const auto* list = tree_.get_if<python::List>(target)) targets = &list->elts;
  if (targets == nullptr) return engine.report(Rule::NumpyConstruct, span, "this target");
  PW_TRY(const Value unpacked, require_present(bound, span));
  PW_TRY(std::vector<Value> items, static_items(unpacked, span));
  std::size_t starred = targets->size();
  for (std::size_t k = 0; k < targets->size(); ++k) {
    if (tree_.get_if<python::Starred>((*targets)[k]) != nullptr) starred = k;
  }
  const bool has_star = starred < targets->size();
  if (has_star ? items.size() + 1 < targets->size() : items.size() != targets->size()) {
    return engine.report(Rule::NumpyUnpackCount, span, targets->size(), items.size());
  }
  const std::size_t extra = items.size() + (has_star ? 1 : 0) - targets->size();
  items = apart(items, *targets);
  std::size_t next = 0;
  for (std::size_t k = 0; k < targets->size(); ++k) {
    if (k != starred) {
      PW_CHECK_OK(assign_target((*targets)[k], items[next++]));
      continue;
    }
    auto rest =
        std::make_shared<std::vector<Value>>(items.begin() + static_cast<std::ptrdiff_t>(next),
                                             items.begin() + static_cast<std::ptrdiff_t>(next + extra));
    next += extra;
    PW_CHECK_OK(assign_target(tree_.get_if<python::Starred>((*targets)[k])->value, value(List{rest})));
  }
  return Done{};
}

/// The items of an unpacking, with copies of those that lie in the buffer of a name that the unpacking
/// assigns.
std::vector<Value> Stager::apart(std::vector<Value> items, std::span<const ExprId> targets) {
  std::set<ir::BufferId> assigned;
  const std::function<void(const Variable&)> add = [&](const Variable& variable) {
    if (variable.array) assigned.insert(variable.array->buffer);
    if (!variable.items) return;
    for (const Variable& item : *variable.items) add(item);
  };
  for (const ExprId target : targets) {
    const auto* name = tree_.get_if<python::Name>(target);
    if (name == nullptr) continue;
    const auto found = frames_.back()->variables.find(name->id);
    if (found != frames_.back()->variables.end()) add(found->second);
  }
  const std::function<bool(const Value&)> lies_in = [&](const Value& value) {
    if (const auto* array = value.as<Array>()) return assigned.contains(array->buffer);
    if (const auto* either = value.as<OrNone>()) return lies_in(*either->value);
    const auto* tuple = value.as<Tuple>();
    return tuple != nullptr && std::any_of(tuple->items.begin(), tuple->items.end(), lies_in);
  };
  for (std::size_t k = 1; k < items.size(); ++k) {
    if (lies_in(items[k])) items[k] = lasting(items[k]);
  }
  return items;
}

/// SciPy changes a sparse matrix in place, which its caller sees; of an array with one NumPy makes a new
/// matrix.
Result<Done> Stager::refuse_in_place(const Value& old, const Value& operand, base::Span span) {
  if (!concerns_sparse(old) && !concerns_sparse(operand)) return Done{};
  return engine.report(Rule::NumpySparseUse, span, "in-place arithmetic with a sparse matrix",
                       "write C[:] = C + A, with an array C");
}

Result<Done> Stager::execute_augmented(const python::AugAssign& node, base::Span span) {
  if (const auto* name = tree_.get_if<python::Name>(node.target)) {
    PW_TRY(Value old, lookup(name->id, tree_.span(node.target)));
    old = narrowed(old);
    PW_TRY(const Value operand, evaluate(node.value));
    PW_TRY(old, require_present(old, tree_.span(node.target)));
    at(span);
    PW_CHECK_OK(refuse_in_place(old, operand, span));
    PW_TRY(const std::optional<Value> updated, augmented(node.op, old, operand, span));
    return updated ? bind_name(name->id, *updated, span) : Done{};
  }
  const auto* target = tree_.get_if<python::Subscript>(node.target);
  if (target == nullptr) return engine.report(Rule::NumpyConstruct, span, "this target");
  PW_TRY(const Value base, evaluate(target->value));
  PW_TRY(const Value index_value, evaluate_index(base, target->slice));
  const Value index = snapshot(index_value, {});
  PW_TRY(Value old, subscript(base, index, tree_.span(node.target)));
  if (contains_call(tree_, node.value)) old = snapshot(old, {});
  PW_TRY(const Value operand, evaluate(node.value));
  at(span);
  PW_CHECK_OK(refuse_in_place(old, operand, span));
  if (!base.is<Array>()) {
    PW_TRY(const std::optional<Value> updated, augmented(node.op, old, operand, span));
    return updated ? store_subscript(base, index, *updated, span) : Done{};
  }
  PW_TRY(const Value updated, binary(node.op, old, operand, span));
  if (old.is<Array>()) PW_CHECK_OK(check_same_kind(updated, type_of(*base.as<Array>()), span));
  return store_subscript(base, index, updated, span);
}

/// What `old op= operand` gives to be bound again; nothing where it changed `old` in place.
Result<std::optional<Value>> Stager::augmented(python::Operator op, const Value& old, const Value& operand,
                                               base::Span span) {
  if (const auto* grown = old.as<Grown>(); grown != nullptr && op == python::Operator::Add) {
    PW_CHECK_OK(lists_->extend(*grown, operand, span));
    return std::nullopt;
  }
  if (const auto* list = old.as<List>(); list != nullptr && op == python::Operator::Add) {
    PW_CHECK_OK(functions::call_row(*this, span, "list.extend", {old, operand}));
    return std::nullopt;
  }
  PW_TRY(Value updated, binary(op, old, operand, span));
  const auto* array = old.as<Array>();
  if (array == nullptr) return updated;
  PW_CHECK_OK(check_same_kind(updated, type_of(*array), span));
  PW_CHECK_OK(assign(*array, updated, span));
  return std::nullopt;
}

/// In-place arithmetic may narrow a dtype but not change its kind downward: numpy.can_cast(..., 'same_kind').
Result<Done> Stager::check_same_kind(const Value& updated, ir::DType target, base::Span span) {
  const auto* array = updated.as<Array>();
  const std::optional<Scalar> scalar = array == nullptr ? as_scalar(updated) : std::nullopt;
  const ir::DType type = array != nullptr ? type_of(*array) : scalar ? type_of(*scalar) : target;
  const auto rank = [](ir::DType t) {
    return ir::kind(t) == ir::DTypeKind::UInt ? ir::DTypeKind::Int : ir::kind(t);
  };
  const bool to_unsigned = ir::kind(type) == ir::DTypeKind::Int && ir::kind(target) == ir::DTypeKind::UInt;
  if (rank(type) <= rank(target) && !to_unsigned) return Done{};
  return engine.report(Rule::NumpyInplaceCast, span, ir::row(type).numpy, ir::row(target).numpy);
}

Result<Done> Stager::bind_name(const std::string& name, const Value& bound, base::Span span) {
  Frame* frame = frames_.back();
  mark_bound(name);
  const auto found = frame->variables.find(name);
  if (found != frame->variables.end()) return assign_variable(name, found->second, bound, span);
  if (const auto watched = frame->watched.find(name); watched != frame->watched.end()) {
    PW_CHECK_OK(request_variable(name, watched->second, bound, span));
  }
  Value kept = lasting(snapshot(bound, name), name);
  if (const auto* scalar = kept.as<Scalar>()) {
    kept = value(Scalar{this->bound(scalar->expr, name), scalar->weak, scalar->zero_dim});
  }
  if (const auto* array = kept.as<Array>()) {
    Array named = *array;
    ir::Buffer& buffer = module[named.buffer];
    if (buffer.invented && named.fresh) {
      buffer.name = name;
      buffer.invented = false;
    }
    named.fresh = false;
    kept = value(std::move(named));
  }
  if (frame->probes.contains(name)) {
    const bool holds = number_type(kept) || kept.is<Array>() || (!is_known(kept) && !kept.is<Grown>());
    if (holds) request(name, form_of(kept));
  }
  scope_->names[name] = std::move(kept);
  return Done{};
}

/// np.errstate and np.seterr may say what is printed, not that floating-point errors raise.
Result<Done> Stager::require_quiet(ExprId id) {
  const auto* call = tree_.get_if<python::Call>(id);
  const auto is_quiet = [&](ExprId given) {
    const auto* constant = tree_.get_if<python::Constant>(given);
    const auto* text = constant == nullptr ? nullptr : std::get_if<python::StrValue>(&constant->value);
    return text != nullptr && (text->text == "ignore" || text->text == "warn");
  };
  const bool quiet =
      std::all_of(call->args.begin(), call->args.end(), is_quiet) &&
      std::all_of(call->keywords.begin(), call->keywords.end(),
                  [&](const python::Keyword& each) { return each.arg && is_quiet(each.value); });
  if (quiet) return Done{};
  return engine.report(Rule::NumpyConstruct, tree_.span(id),
                       "an error state of NumPy's beyond 'ignore' and 'warn'");
}

Result<Done> Stager::execute_import(const python::Import& node) {
  for (const python::Alias& alias : node.names) {
    const std::string top = alias.name.substr(0, alias.name.find('.'));
    const std::string bound = alias.asname.value_or(top);
    const std::string module_name = alias.asname ? alias.name : top;
    if (top == "numpy" || top == "math" || top == "scipy" || top == "cmath") {
      scope_->names[bound] = value(ModuleObject{module_name});
    } else {
      unavailable_.insert(bound);
    }
  }
  return Done{};
}

Result<Done> Stager::execute_import(const python::ImportFrom& node, base::Span span) {
  const std::string from = node.module.value_or("");
  const std::string top = from.substr(0, from.find('.'));
  for (const python::Alias& alias : node.names) {
    const std::string bound = alias.asname.value_or(alias.name);
    if (alias.name == "np_float" || alias.name == "np_complex") {
      const ir::DType type = kernel_.run_dtype;
      scope_->names[bound] = value(DTypeObject{alias.name == "np_float" ? type : ir::complex_of(type)});
      continue;
    }
    const bool known = top == "numpy" || top == "math" || top == "scipy" || top == "cmath";
    const std::size_t diagnostics = engine.all().size();
    if (known) {
      if (const Result<Value> found = module_attribute(from + "." + alias.name, span)) {
        scope_->names[bound] = *found;
        continue;
      }
      engine.truncate(diagnostics);
    }
    unavailable_.insert(bound);
  }
  return Done{};
}

}  // namespace pw::numpy
