// Evaluating Python expressions.
#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/indexing.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/sparse.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::ExprId;

/// Modules whose attributes are rows of the library.
bool is_known_module(const std::string& name) {
  static const std::set<std::string> kModules = {
      "numpy",         "numpy.linalg", "numpy.fft",    "numpy.random", "math",  "scipy",
      "scipy.special", "scipy.linalg", "scipy.sparse", "numpy.lib",    "cmath", "numpy.lib.stride_tricks"};
  return kModules.contains(name);
}

bool is_class_name(const std::string& name) {
  static const std::set<std::string_view> kClasses = {"int",    "float", "bool",         "complex", "tuple",
                                                      "list",   "str",   "slice",        "dict",    "set",
                                                      "object", "range", "StopIteration"};
  return kClasses.contains(name) || is_builtin_exception(name);
}

}  // namespace

/// Those that take any text, and that neither the process nor a generator treats in a way of its own.
bool is_builtin_exception(std::string_view name) {
  static const std::set<std::string_view> kExceptions = {
      "ArithmeticError",  "AssertionError",      "AttributeError",     "BufferError",    "EOFError",
      "Exception",        "IndexError",          "FloatingPointError", "KeyError",       "LookupError",
      "NameError",        "NotImplementedError", "OverflowError",      "ReferenceError", "RuntimeError",
      "SystemError",      "TypeError",           "UnboundLocalError",  "ValueError",     "RecursionError",
      "ZeroDivisionError"};
  return kExceptions.contains(name);
}

/// Whether evaluating `expr` later may give another value: it reads memory or a variable.
bool Stager::is_volatile(ir::ExprId expr) {
  const ir::Expr& node = module[expr];
  if (std::holds_alternative<ir::Load>(node)) return true;
  if (const auto* read = std::get_if<ir::Read>(&node))
    return module[read->local].kind == ir::LocalKind::Variable;
  const auto known = volatile_.find(expr);
  if (known != volatile_.end()) return known->second;
  bool found = false;
  for (const ir::ExprId operand : ir::operands_of(node)) found = found || is_volatile(operand);
  volatile_[expr] = found;
  return found;
}

ir::ExprId Stager::bound(ir::ExprId expr, std::string_view name) {
  const ir::Expr& node = module[expr];
  const bool leaf = std::holds_alternative<ir::Const>(node) || std::holds_alternative<ir::Read>(node) ||
                    std::holds_alternative<ir::Index>(node);
  return leaf ? expr : module.add(ir::Read{let(expr, name)}, span_);
}

namespace {

/// Whether a list or dict is reached from a value.
bool reaches(const Value& value, const void* container) {
  const auto any = [&](const std::vector<Value>& items) {
    return std::any_of(items.begin(), items.end(),
                       [&](const Value& each) { return reaches(each, container); });
  };
  if (const auto* tuple = value.as<Tuple>()) return any(tuple->items);
  if (const auto* list = value.as<List>()) return list->items.get() == container || any(*list->items);
  const auto* dict = value.as<Dict>();
  if (dict == nullptr) return false;
  return dict->items.get() == container ||
         std::any_of(dict->items->begin(), dict->items->end(),
                     [&](const auto& each) { return reaches(each.second, container); });
}

}  // namespace

Result<Value> Stager::held(const void* container, const Value& item, base::Span span) {
  if (reaches(item, container))
    return engine.report(Rule::NumpyConstruct, span, "a list or dict that holds itself");
  return lasting(snapshot(item, {}));
}

Value Stager::lasting(const Value& value, std::string_view name) {
  if (const auto* array = value.as<Array>(); array != nullptr && variable_buffers_.contains(array->buffer)) {
    Array apart = copy(*array, type_of(*array), name);
    apart.fresh = false;
    note_shared(array->buffer, apart.buffer);
    return numpy::value(std::move(apart));
  }
  if (const auto* tuple = value.as<Tuple>()) {
    Tuple out;
    for (const Value& item : tuple->items) out.items.push_back(lasting(item));
    return numpy::value(std::move(out));
  }
  if (const auto* either = value.as<OrNone>())
    return numpy::value(OrNone{either->present, std::make_shared<const Value>(lasting(*either->value))});
  if (const auto* list = value.as<List>()) {
    for (Value& item : *list->items) item = lasting(item);
  }
  if (const auto* dict = value.as<Dict>()) {
    for (auto& [key, item] : *dict->items) item = lasting(item);
  }
  return value;
}

/// The value with every scalar that reads memory bound to a local, so that later stores do not change it. The
/// items of a list or dict, which others may hold too, are replaced in it.
Value Stager::snapshot(const Value& value, std::string_view name) {
  if (const auto* scalar = value.as<Scalar>(); scalar != nullptr && is_volatile(scalar->expr)) {
    const ir::LocalId local = let(scalar->expr, name);
    return numpy::value(Scalar{module.add(ir::Read{local}, span_), scalar->weak, scalar->zero_dim});
  }
  if (const auto* tuple = value.as<Tuple>()) {
    Tuple out;
    for (const Value& item : tuple->items) out.items.push_back(snapshot(item, {}));
    return numpy::value(std::move(out));
  }
  if (const auto* either = value.as<OrNone>()) {
    const ir::ExprId present =
        is_volatile(either->present) ? module.add(ir::Read{let(either->present)}, span_) : either->present;
    return numpy::value(OrNone{present, std::make_shared<const Value>(snapshot(*either->value, name))});
  }
  if (const auto* one = value.as<OneOf>(); one != nullptr && is_volatile(one->position)) {
    return numpy::value(OneOf{module.add(ir::Read{let(one->position, name)}, span_), one->texts});
  }
  const auto parts = [&](const std::vector<Value>& each) {
    auto out = std::make_shared<std::vector<Value>>();
    for (const Value& part : each) out->push_back(snapshot(part, {}));
    return out;
  };
  if (const auto* slice = value.as<Slice>()) return numpy::value(Slice{parts(*slice->parts)});
  if (const auto* range = value.as<Range>()) return numpy::value(Range{parts(*range->parts)});
  if (const auto* list = value.as<List>()) {
    for (Value& item : *list->items) item = snapshot(item, {});
  }
  if (const auto* dict = value.as<Dict>()) {
    for (auto& [key, item] : *dict->items) item = snapshot(item, {});
  }
  return value;
}

Result<Value> flat_position(Stager& stager, const Array& array, const Value& index, base::Span span) {
  const std::optional<Scalar> number = stager.as_scalar(index);
  if (!ir::is_integer(stager.type_of(*number)))
    return stager.engine.report(Rule::NumpyConstruct, span, ".flat at something that is no integer");
  PW_TRY(const ir::ExtentId given, stager.to_extent(index, span));
  ir::ExtentTable& table = stager.extents();
  ir::ExtentId left = stager.checked_index(given, stager.count(array.shape));
  std::vector<Value> at(array.shape.size());
  for (std::size_t k = at.size(); k-- > 0;) {
    at[k] = stager.from_extent(k == 0 ? left : table.apply(ir::ExtentOp::Mod, left, array.shape[k]));
    left = table.apply(ir::ExtentOp::FloorDiv, left, array.shape[k]);
  }
  return value(Tuple{std::move(at)});
}

namespace {

/// array.flat[index], which copies.
Result<Value> subscript_flat(Stager& stager, const python::Subscript& node, base::Span span) {
  PW_TRY(const Value whole, stager.evaluate(stager.tree().get_if<python::Attribute>(node.value)->value));
  const auto* array = whole.as<Array>();
  if (array == nullptr)
    return stager.engine.report(Rule::NumpyConstruct, span, ".flat of something that is no array");
  PW_TRY(const Value index, stager.evaluate(node.slice));
  stager.at(span);
  if (!index.is<Array>() && stager.as_scalar(index)) {
    PW_TRY(const Value where, flat_position(stager, *array, index, span));
    return stager.subscript(whole, where, span);
  }
  PW_TRY(const Array flat, stager.reshape(*array, {stager.count(array->shape)}, span));
  PW_TRY(const Value part, stager.subscript(value(flat), index, span));
  const auto* several = part.as<Array>();
  return several == nullptr ? part : value(stager.copy(*several, stager.type_of(*several)));
}

}  // namespace

Result<Value> Stager::evaluate(ExprId id) {
  PW_TRY(const Value found, evaluate_optional(id));
  return require_present(found, tree_.span(id));
}

Result<Value> Stager::evaluate_consumed(ExprId id) {
  consumed_ = id;
  return evaluate(id);
}

Result<Value> Stager::evaluate_optional(ExprId id) {
  const base::Span span = tree_.span(id);
  const bool at_once = std::exchange(consumed_, {}) == id;
  const base::Span outer = span_;
  if (++depth_ > 400) {
    --depth_;
    return engine.report(Rule::NumpyTooDeep, span);
  }
  at(span);
  Result<Value> out = python::visit(
      tree_[id], [&](const python::Constant& n) { return evaluate_constant(n, span); },
      [&](const python::Name& n) { return lookup(n.id, span); },
      [&](const python::BinOp& n) -> Result<Value> {
        PW_TRY(Value left, evaluate(n.left));
        if (contains_call(tree_, n.right)) left = snapshot(left, {});
        PW_TRY(const Value right, evaluate(n.right));
        at(span);
        return binary(n.op, left, right, span);
      },
      [&](const python::UnaryOp& n) -> Result<Value> {
        PW_TRY(Value operand, evaluate_optional(n.operand));
        const bool negates = n.op == python::UnaryOperator::Not && operand.is<OrNone>();
        PW_TRY(operand, negates ? truth(operand, span) : require_present(operand, span));
        at(span);
        return unary(n.op, operand, span);
      },
      [&](const python::BoolOp& n) { return evaluate_bool(n, span, false); },
      [&](const python::Compare& n) { return evaluate_compare(n, span); },
      [&](const python::IfExp& n) { return evaluate_conditional(n, span); },
      [&](const python::Call& n) { return evaluate_call(n, span, at_once); },
      [&](const python::Attribute& n) -> Result<Value> {
        PW_TRY(Value base, evaluate_optional(n.value));
        PW_TRY(base, require_present(base, span, ir::TrapKind::AttributeError));
        at(span);
        return attribute(base, n.attr, span);
      },
      [&](const python::Subscript& n) -> Result<Value> {
        const auto* whole = tree_.get_if<python::Attribute>(n.value);
        if (whole != nullptr && whole->attr == "flat") return subscript_flat(*this, n, span);
        PW_TRY(const Value base, evaluate(n.value));
        PW_TRY(const Value index, evaluate_index(base, n.slice));
        at(span);
        return subscript(base, index, span);
      },
      [&](const python::Tuple& n) -> Result<Value> {
        PW_TRY(std::vector<Value> items, evaluate_items(n.elts, true));
        return value(Tuple{std::move(items)});
      },
      [&](const python::List& n) -> Result<Value> {
        PW_TRY(std::vector<Value> items, evaluate_items(n.elts, true));
        return lists_->born(std::move(items), span);
      },
      [&](const python::Slice& n) -> Result<Value> {
        auto parts = std::make_shared<std::vector<Value>>(3, value(None{}));
        const ExprId ids[] = {n.lower, n.upper, n.step};
        for (std::size_t k = 0; k < 3; ++k) {
          if (!ids[k].valid()) continue;
          PW_TRY(const Value part, evaluate_optional(ids[k]));
          PW_TRY((*parts)[k], require_present(part, tree_.span(ids[k]), ir::TrapKind::Assumption));
        }
        return value(Slice{parts});
      },
      [&](const python::Dict& n) -> Result<Value> {
        auto items = std::make_shared<std::vector<std::pair<Value, Value>>>();
        for (std::size_t k = 0; k < n.keys.size(); ++k) {
          if (!n.keys[k].valid()) return engine.report(Rule::NumpyConstruct, span, "** in a dict display");
          PW_TRY(Value key, evaluate_optional(n.keys[k]));
          PW_TRY(key, require_present(key, span, ir::TrapKind::Assumption));
          PW_TRY(Value item, evaluate_optional(n.values[k]));
          items->emplace_back(std::move(key), std::move(item));
        }
        return value(Dict{items});
      },
      [&](const python::GeneratorExp& n) -> Result<Value> {
        if (!at_once) return engine.report(Rule::NumpyConstruct, span, "a generator that is kept for later");
        return lists_->comprehension(n.elt, n.generators, span, false);
      },
      [&](const python::ListComp& n) -> Result<Value> {
        return lists_->comprehension(n.elt, n.generators, span, true);
      },
      [&](const python::Lambda&) -> Result<Value> {
        UserFunction function{{}, id, capture(), std::make_shared<std::vector<Value>>()};
        PW_CHECK_OK(evaluate_defaults(function));
        return value(std::move(function));
      },
      [&](const python::NamedExpr& n) -> Result<Value> {
        PW_TRY(const Value bound, evaluate_optional(n.value));
        PW_CHECK_OK(assign_target(n.target, bound));
        return evaluate_optional(n.target);
      },
      [&](const python::JoinedStr& n) { return evaluate_text(n); },
      [&](const auto&) -> Result<Value> {
        return engine.report(Rule::NumpyConstruct, span, "this kind of expression");
      });
  --depth_;
  at(outer);
  if (out) return narrowed(*out);
  return out;
}

/// What stands in base[...]: None would be a new axis, or a key.
Result<Value> Stager::evaluate_index(const Value& base, ExprId id) {
  PW_TRY(const Value index, evaluate_optional(id));
  const bool raises = !base.is<Array>() && !base.is<Dict>();
  return require_present(index, tree_.span(id), raises ? ir::TrapKind::TypeError : ir::TrapKind::Assumption);
}

/// `consumes`: an iterator among them is used up before anything else runs.
Result<std::vector<Value>> Stager::evaluate_items(const std::vector<ExprId>& ids, bool optional,
                                                  bool consumes) {
  std::vector<Value> items;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (const auto* starred = tree_.get_if<python::Starred>(ids[k])) {
      PW_TRY(const Value sequence, evaluate_consumed(starred->value));
      PW_TRY(const std::vector<Value> more, static_items(sequence, tree_.span(ids[k])));
      items.insert(items.end(), more.begin(), more.end());
      continue;
    }
    bool calls_follow = false;
    for (std::size_t next = k + 1; next < ids.size(); ++next)
      calls_follow = calls_follow || contains_call(tree_, ids[next]);
    if (consumes) consumed_ = ids[k];
    PW_TRY(Value item, optional ? evaluate_optional(ids[k]) : evaluate(ids[k]));
    items.push_back(calls_follow ? snapshot(item, {}) : std::move(item));
  }
  return items;
}

Result<Value> Stager::evaluate_constant(const python::Constant& node, base::Span span) {
  return python::visit(
      node.value, [&](const python::NoneValue&) -> Result<Value> { return value(None{}); },
      [&](bool flag) -> Result<Value> { return value(flag); },
      [&](const python::IntValue& number) -> Result<Value> {
        if (!number.value) return engine.report(Rule::NumpyIntTooLarge, span);
        return value(*number.value);
      },
      [&](double number) -> Result<Value> { return value(number); },
      [&](const python::ImaginaryValue& number) -> Result<Value> {
        return value(std::complex<double>(0.0, number.imaginary));
      },
      [&](const python::StrValue& text) -> Result<Value> { return value(text.text); },
      [&](const python::EllipsisValue&) -> Result<Value> { return value(EllipsisObject{}); },
      [&](const python::BytesValue&) -> Result<Value> {
        return engine.report(Rule::NumpyConstruct, span, "bytes");
      });
}

Result<Value> Stager::lookup(const std::string& name, base::Span span) {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->parent.get()) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) {
      PW_CHECK_OK(check_bound(scope, name, span));
      return found->second;
    }
    for (Frame* frame : frames_) {
      if (frame->scope != scope || frame->body == nullptr) continue;
      if (const auto lost = frame->unjoined.find(name); lost != frame->unjoined.end())
        return engine.report(Rule::NumpyJoinStatic, span, name, lost->second);
      // A name that the function binds anywhere is its own.
      if (scope->parent == nullptr || !liveness_.assigned_in(*frame->body).contains(name)) continue;
      frame->unset_reads.insert(name);
      return engine.report(Rule::NumpyUnknownName, span, name);
    }
  }
  if (const auto late = unavailable_.find(name); late != unavailable_.end()) {
    return engine.report(Rule::NumpyForeignName, span, name);
  }
  if (is_class_name(name)) return value(ClassObject{name});
  if (name == "__name__") return value(std::string("kernel"));
  if (const FunctionRow* row = find_function(name)) return value(LibraryFunction{row, nullptr});
  return engine.report(Rule::NumpyUnknownName, span, name);
}

Result<Value> Stager::attribute(const Value& base, const std::string& name, base::Span span) {
  if (auto limit = type_limit(*this, base, name)) return *std::move(limit);
  if (const auto* object = base.as<ModuleObject>()) return module_attribute(object->name + "." + name, span);
  if (const auto* function = base.as<LibraryFunction>()) {
    const std::string dotted = std::string(function->row->name) + "." + name;
    if (const FunctionRow* row = find_function(dotted)) return value(LibraryFunction{row, nullptr});
    return engine.report(Rule::NumpyUnknownFunction, span, dotted);
  }
  if (const auto* array = base.as<Array>()) {
    if (name == "shape") {
      Tuple shape;
      for (const ir::ExtentId extent : array->shape) shape.items.push_back(from_extent(clamped(extent)));
      return value(std::move(shape));
    }
    if (name == "T") {
      std::vector<std::size_t> order;
      for (std::size_t k = array->shape.size(); k > 0; --k) order.push_back(k - 1);
      return value(transpose(*array, order));
    }
    if (name == "dtype") return value(DTypeObject{type_of(*array)});
    if (name == "ndim") return value(static_cast<std::int64_t>(array->shape.size()));
    if (name == "size") return from_extent(count(array->shape));
    if (name == "real" && !ir::is_complex(type_of(*array))) return base;
    const bool imaginary = name == "imag" && ir::is_complex(type_of(*array));
    if (name == "real" || imaginary) {
      PW_TRY(Value part, ufunc(imaginary ? ir::Op::Imag : ir::Op::Real, std::vector{base}, span));
      return part_of(*array, std::move(part));
    }
    if (const FunctionRow* row = find_function("ndarray." + name)) {
      return value(LibraryFunction{row, std::make_shared<Value>(base)});
    }
    return engine.report(Rule::NumpyUnknownFunction, span, "ndarray." + name);
  }
  if (concerns_sparse(base)) return sparse_attribute(*this, base, name, span);
  if (const std::optional<Scalar> scalar = as_scalar(base)) {
    if (name == "dtype") return value(DTypeObject{type_of(*scalar)});
    if (name == "ndim") return value(std::int64_t{0});
    if (name == "size") return value(std::int64_t{1});
    if (name == "shape") return value(Tuple{});
    if (name == "T") return base;
    if (name == "real" && !ir::is_complex(type_of(*scalar))) return base;
    if (name == "real") return ufunc(ir::Op::Real, std::vector{base}, span);
    if (name == "imag" && ir::is_complex(type_of(*scalar)))
      return ufunc(ir::Op::Imag, std::vector{base}, span);
    if (const FunctionRow* row = find_function("ndarray." + name)) {
      return value(LibraryFunction{row, std::make_shared<Value>(base)});
    }
  }
  if (const auto* object = base.as<DTypeObject>(); object != nullptr) {
    if (name == "type") return base;
    if (name == "itemsize") return value(static_cast<std::int64_t>(ir::row(object->type).bytes));
    if (name == "kind") {
      static constexpr std::string_view kKinds[] = {"b", "i", "u", "f", "c"};
      return value(std::string(kKinds[static_cast<std::size_t>(ir::kind(object->type))]));
    }
    if (name == "name") return value(std::string(ir::row(object->type).numpy));
  }
  const std::string_view kind = base.is<List>()          ? "list."
                                : base.is<Grown>()       ? "list."
                                : base.is<Dict>()        ? "dict."
                                : base.is<Tuple>()       ? "tuple."
                                : base.is<std::string>() ? "str."
                                                         : "";
  if (!kind.empty()) {
    if (const FunctionRow* row = find_function(std::string(kind) + name)) {
      return value(LibraryFunction{row, std::make_shared<Value>(base)});
    }
  }
  if (base.is<Slice>()) {
    const std::size_t part = name == "start" ? 0 : name == "stop" ? 1 : 2;
    return (*base.as<Slice>()->parts)[part];
  }
  return engine.report(Rule::NumpyUnknownFunction, span, describe(base, module) + "." + name);
}

Result<Value> Stager::module_attribute(const std::string& dotted, base::Span span) {
  if (const auto constant = find_constant(dotted)) return *constant;
  if (const FunctionRow* row = find_function(dotted)) return value(LibraryFunction{row, nullptr});
  if (is_known_module(dotted)) return value(ModuleObject{dotted});
  return engine.report(Rule::NumpyUnknownFunction, span, dotted);
}

/// Items of what is known while staging: tuple, list, range with constant bounds, or the rows of a short
/// array.
Result<std::vector<Value>> Stager::static_items(const Value& sequence, base::Span span) {
  if (const auto* tuple = sequence.as<Tuple>()) return tuple->items;
  if (const auto* list = sequence.as<List>()) return *list->items;
  if (const auto* dict = sequence.as<Dict>()) {
    std::vector<Value> keys;
    for (const auto& [key, item] : *dict->items) keys.push_back(key);
    return keys;
  }
  if (const auto* range = sequence.as<Range>()) {
    std::int64_t bounds[3];
    for (std::size_t k = 0; k < 3; ++k) {
      PW_TRY(bounds[k], to_static_int((*range->parts)[k], span));
    }
    if (bounds[2] == 0) return engine.report(Rule::NumpySliceStep, span, "zero");
    std::vector<Value> items;
    for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
      if (items.size() >= kMaxUnrolled)
        return engine.report(Rule::NumpyStaticNeeded, span, "at most 256 items", "more");
      items.push_back(value(i));
    }
    return items;
  }
  if (const auto* array = sequence.as<Array>(); array != nullptr && !array->shape.empty()) {
    if (const auto length = extents().as_constant(array->shape[0]);
        length && *length <= static_cast<std::int64_t>(kMaxUnrolled)) {
      std::vector<Value> items;
      for (std::int64_t i = 0; i < *length; ++i) {
        PW_TRY(Value item, subscript(sequence, value(i), span));
        items.push_back(std::move(item));
      }
      return items;
    }
  }
  return engine.report(Rule::NumpyStaticNeeded, span, "the length of a sequence of items",
                       describe(sequence, module));
}

}  // namespace pw::numpy
