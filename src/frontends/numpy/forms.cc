// What a name holds that differs by the path taken: numbers in variables, arrays in buffers, tuples item by
// item, None as a flag beside, one of several strings as its position.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

/// Whether an extent is the least of another and something else, or 0 where that is below.
bool is_cut_to(const ir::ExtentTable& table, ir::ExtentId extent, ir::ExtentId whole) {
  const std::vector<ir::ExtentTerm>& terms = table[extent].terms;
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1) return false;
  const auto* applied = std::get_if<ir::ExtentApply>(&table[terms[0].factors[0]].node);
  if (applied == nullptr) return false;
  const auto is_or_holds = [&](ir::ExtentId part) { return part == whole || is_cut_to(table, part, whole); };
  if (applied->op == ir::ExtentOp::Min) return is_or_holds(applied->left) || is_or_holds(applied->right);
  if (applied->op != ir::ExtentOp::Max) return false;
  return (table.as_constant(applied->left) == 0 && is_cut_to(table, applied->right, whole)) ||
         (table.as_constant(applied->right) == 0 && is_cut_to(table, applied->left, whole));
}

}  // namespace

Stager::Form Stager::form_of(const Value& value) {
  Form form;
  if (value.is<None>()) return form;
  if (const auto* either = value.as<OrNone>()) {
    form = form_of(*either->value);
    form.or_none = true;
  } else if (const auto* one = value.as<OneOf>()) {
    form.kind = Form::Kind::Text;
    form.texts = one->texts;
  } else if (const auto* text = value.as<std::string>()) {
    form.kind = Form::Kind::Text;
    form.texts = {*text};
  } else if (const auto* array = value.as<Array>()) {
    form.kind = Form::Kind::Array;
    form.array = *array;
  } else if (const auto* tuple = value.as<Tuple>()) {
    form.kind = Form::Kind::Tuple;
    for (const Value& item : tuple->items) form.items.push_back(form_of(item));
  } else if (const auto number = number_type(value)) {
    form.kind = Form::Kind::Number;
    form.number = *number;
  } else {
    form.kind = Form::Kind::Known;
    form.known = value;
  }
  return form;
}

Stager::Form Stager::form_of(const Variable& variable) {
  Form form;
  form.or_none = variable.present.valid();
  if (variable.array) {
    form.kind = Form::Kind::Array;
    form.array = variable.array;
  } else if (variable.items) {
    form.kind = Form::Kind::Tuple;
    for (const Variable& item : *variable.items) form.items.push_back(form_of(item));
  } else if (!variable.texts.empty()) {
    form.kind = Form::Kind::Text;
    form.texts = variable.texts;
  } else if (variable.known) {
    form.kind = variable.known->is<None>() ? Form::Kind::None : Form::Kind::Known;
    form.known = *variable.known;
  } else {
    form.kind = Form::Kind::Number;
    form.number = variable.number;
  }
  return form;
}

/// Whether one buffer may hold either array: their sizes are the same, or a check tells whether they are,
/// where one was cut to the other (x[:n]), or one is a symbol and the other a number.
bool Stager::may_agree(const Array& a, const Array& b) const {
  const auto is_symbol = [&](ir::ExtentId extent) {
    const auto local = module.extents.as_local(extent);
    return local && module[*local].kind == ir::LocalKind::Symbol;
  };
  const auto may_be = [&](ir::ExtentId one, ir::ExtentId other) {
    return is_cut_to(module.extents, one, other) || (is_symbol(one) && module.extents.as_constant(other));
  };
  const auto agree = [&](ir::ExtentId one, ir::ExtentId other) {
    return one == other || may_be(one, other) || may_be(other, one);
  };
  return type_of(a) == type_of(b) &&
         std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(), agree);
}

/// What holds values of either form; nullopt where nothing does.
std::optional<Stager::Form> Stager::join(const Form& a, const Form& b) {
  // A list that grows is in nothing that running chooses.
  if (a.kind != b.kind && (a.known.is<Grown>() || b.known.is<Grown>())) return std::nullopt;
  if (a.kind == Form::Kind::None || b.kind == Form::Kind::None) {
    Form out = a.kind == Form::Kind::None ? b : a;
    out.or_none = out.kind != Form::Kind::None;
    return out;
  }
  if (a.kind != b.kind) return std::nullopt;
  Form out = a;
  out.or_none = a.or_none || b.or_none;
  switch (a.kind) {
    case Form::Kind::Number:
      if (!(a.number == b.number)) out.number = join_types(a.number, b.number);
      return out;
    case Form::Kind::Array:
      return may_agree(*a.array, *b.array) ? std::optional(out) : std::nullopt;
    case Form::Kind::Tuple:
      if (a.items.size() != b.items.size()) return std::nullopt;
      for (std::size_t k = 0; k < a.items.size(); ++k) {
        const std::optional<Form> item = join(a.items[k], b.items[k]);
        if (!item) return std::nullopt;
        out.items[k] = *item;
      }
      return out;
    case Form::Kind::Text:
      for (const std::string& text : b.texts) {
        if (std::find(out.texts.begin(), out.texts.end(), text) == out.texts.end()) out.texts.push_back(text);
      }
      return out;
    default:
      return same_static(a.known, b.known) ? std::optional(out) : std::nullopt;
  }
}

/// Of forms that can be joined.
bool Stager::is_same(const Form& a, const Form& b) {
  return a.kind == b.kind && a.or_none == b.or_none && a.number == b.number && a.texts == b.texts &&
         a.items.size() == b.items.size() &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), is_same);
}

bool Stager::in_scope(const Form& form) {
  const auto* grown = form.known.as<Grown>();
  const bool made_inside =
      grown != nullptr && std::find(blocks_.begin(), blocks_.end(), grown->list->block) == blocks_.end();
  return !made_inside && (!form.array || in_scope(*form.array)) &&
         std::all_of(form.items.begin(), form.items.end(), [&](const Form& each) { return in_scope(each); });
}

/// Whether a value means the same wherever it is read.
bool Stager::is_known(const Value& value) {
  if (const auto* tuple = value.as<Tuple>()) {
    return std::all_of(tuple->items.begin(), tuple->items.end(),
                       [&](const Value& each) { return is_known(each); });
  }
  if (const auto* scalar = value.as<Scalar>()) {
    const auto extent = module.as_extent(scalar->expr);
    return std::holds_alternative<ir::Const>(module[scalar->expr]) || (extent && in_scope(*extent));
  }
  return !value.is<Array>() && !value.is<OrNone>() && !value.is<OneOf>() && !value.is<Grown>();
}

/// Declares what holds the form, to be stored to before it is read. `may_lack`: there may be nothing to
/// store, and its parts are copied all the same.
Stager::Variable Stager::declare(const std::string& name, const Form& form, bool may_lack) {
  Variable variable;
  const bool lacks = may_lack || form.or_none;
  if (form.or_none)
    variable.present = declare_variable("has_" + name, ir::DType::Bool, constant(ir::const_bool(false)));
  switch (form.kind) {
    case Form::Kind::None:
      variable.known = value(None{});
      break;
    case Form::Kind::Known:
      variable.known = form.known;
      break;
    case Form::Kind::Number: {
      const ir::DType type = form.number.type;
      variable.number = form.number;
      variable.local = declare_variable(name, type, lacks ? constant(ir::Const{type, 0, 0}) : ir::ExprId{});
      break;
    }
    case Form::Kind::Text:
      variable.texts = form.texts;
      variable.local = declare_variable(name, ir::DType::I64, integer(0));
      break;
    case Form::Kind::Array:
      variable.array = allocate(form.array->shape, type_of(*form.array), name);
      module[variable.array->buffer].invented = false;
      variable.array->fresh = false;
      variable_buffers_.insert(variable.array->buffer);
      break;
    case Form::Kind::Tuple:
      variable.items.emplace();
      for (std::size_t k = 0; k < form.items.size(); ++k)
        variable.items->push_back(declare(fmt::format("{}_{}", name, k), form.items[k], lacks));
      break;
  }
  return variable;
}

Value Stager::read(const Variable& variable) {
  Value held;
  const auto read_of = [&](ir::LocalId local) { return module.add(ir::Read{local}, span_); };
  if (variable.array) {
    held = value(*variable.array);
  } else if (variable.items) {
    Tuple tuple;
    for (const Variable& item : *variable.items) tuple.items.push_back(read(item));
    held = value(std::move(tuple));
  } else if (!variable.texts.empty()) {
    held = value(OneOf{read_of(variable.local), variable.texts});
  } else if (variable.known) {
    held = *variable.known;
  } else {
    held = value(Scalar{read_of(variable.local), variable.number.weak});
  }
  if (!variable.present.valid()) return held;
  return value(OrNone{read_of(variable.present), std::make_shared<const Value>(std::move(held))});
}

Result<Done> Stager::assign_form(const std::string& name, Variable& variable, const Value& bound,
                                 base::Span span, std::optional<Form>& request) {
  const Form own = form_of(variable);
  const std::optional<Form> joined = join(own, form_of(bound));
  if (!joined) return engine.report(Rule::NumpyJoinStatic, span, name, describe(bound, module));
  if (!is_same(*joined, own)) {
    request = joined;
    return Done{};
  }
  // All of it is read before any of it is stored.
  const Value settled = snapshot(bound, {});
  return store_form(name, variable, variable.items ? lasting(settled) : settled, span);
}

/// Stores an array that may_agree with what the variable holds; a check tells whether their sizes agree.
Result<Done> Stager::fill_variable(const Array& held, const Array& array, base::Span span) {
  if (is_same_view(array, held)) return Done{};
  for (std::size_t k = 0; k < array.shape.size(); ++k)
    PW_CHECK_OK(require_equal(array.shape[k], held.shape[k], span));
  note_overwritten(held.buffer);
  Array from = array;
  from.shape = held.shape;
  if (from.buffer == held.buffer) from = copy(from, type_of(from));
  map_over(from.shape, [&](const Indices& indices) { store(held, indices, load(from, indices)); });
  note_shared(array.buffer, held.buffer);
  return Done{};
}

/// Stores a value whose form the variable has.
Result<Done> Stager::store_form(const std::string& name, Variable& variable, const Value& bound,
                                base::Span span) {
  if (variable.present.valid()) {
    forget_present(variable);
    const auto* either = bound.as<OrNone>();
    const ir::ExprId present =
        either != nullptr ? either->present : constant(ir::const_bool(!bound.is<None>()));
    emit(ir::Assign{variable.present, present});
    Variable held = variable;
    held.present = {};
    if (either != nullptr) {
      PW_TRY(const ir::BlockId then, try_block([&] { return store_form(name, held, *either->value, span); }));
      emit(ir::If{present, then, block([] {})});
    } else if (!bound.is<None>()) {
      PW_CHECK_OK(store_form(name, held, bound, span));
      present_.emplace(blocks_.back(), module.add(ir::Read{variable.present}, span_));
    }
    return Done{};
  }
  if (variable.array) {
    return fill_variable(*variable.array, *bound.as<Array>(), span);
  } else if (variable.items) {
    for (std::size_t k = 0; k < variable.items->size(); ++k)
      PW_CHECK_OK(store_form(name, (*variable.items)[k], bound.as<Tuple>()->items[k], span));
  } else if (!variable.texts.empty()) {
    const auto position = [&](const std::string& text) {
      return integer(std::find(variable.texts.begin(), variable.texts.end(), text) - variable.texts.begin());
    };
    ir::ExprId chosen;
    if (const auto* one = bound.as<OneOf>()) {
      chosen = position(one->texts[0]);
      for (std::size_t k = 1; k < one->texts.size(); ++k) {
        const ir::ExprId here = apply(ir::Op::Eq, {one->position, integer(static_cast<std::int64_t>(k))});
        chosen = apply(ir::Op::Select, {here, position(one->texts[k]), chosen});
      }
    } else {
      chosen = position(*bound.as<std::string>());
    }
    emit(ir::Assign{variable.local, chosen});
  } else if (!variable.known) {
    if (!fits(bound, variable.number)) {
      const Value current = value(Scalar{module.add(ir::Read{variable.local}, span_), variable.number.weak});
      return engine.report(Rule::NumpyJoinPrecision, span, describe(bound, module),
                           describe(current, module));
    }
    if (number_type(bound) != variable.number) widened_.insert(variable.local);
    emit(ir::Assign{variable.local, cast(as_scalar(bound)->expr, variable.number.type)});
  }
  return Done{};
}

/// Behind its construct a name is bound like any other.
void Stager::end_variable(const Variable& variable) {
  if (variable.array) variable_buffers_.erase(variable.array->buffer);
  if (!variable.items) return;
  for (const Variable& item : *variable.items) end_variable(item);
}

/// What is known of whether a variable is None holds no longer.
void Stager::forget_present(const Variable& variable) {
  if (variable.present.valid()) {
    const ir::ExprId present = module.add(ir::Read{variable.present}, span_);
    std::erase_if(present_, [&](const auto& each) { return each.second == present; });
  }
  if (!variable.items) return;
  for (const Variable& item : *variable.items) forget_present(item);
}

/// What follows in the block at hand from a condition that holds in it, or does not.
void Stager::note_condition(ir::ExprId condition, bool holds) {
  if (const auto* node = std::get_if<ir::Apply>(&module[condition])) {
    const std::vector<ir::ExprId> operands = node->arguments;
    if (node->op == ir::Op::Not) return note_condition(operands[0], !holds);
    if (node->op == (holds ? ir::Op::And : ir::Op::Or)) {
      for (const ir::ExprId each : operands) note_condition(each, holds);
    }
    return;
  }
  if (holds) present_.emplace(blocks_.back(), condition);
}

/// The value itself of what is known not to be None here.
Value Stager::narrowed(const Value& either) {
  const auto* what = either.as<OrNone>();
  const bool known = what != nullptr && std::any_of(blocks_.begin(), blocks_.end(), [&](ir::BlockId block) {
                       return present_.contains({block, what->present});
                     });
  return known ? *what->value : either;
}

/// The value of what may be None: it raises where it is, or the port declines (Assumption) where Python may
/// do something else.
Result<Value> Stager::require_present(const Value& either, base::Span span, ir::TrapKind raised) {
  const auto* what = either.as<OrNone>();
  if (what == nullptr) return either;
  at(span);
  const bool declines = raised == ir::TrapKind::Assumption;
  trap_if(apply(ir::Op::Not, {what->present}), raised,
          declines ? "None, which this port was not made for (test it with `is not None` before)"
                   : "None where a value is needed");
  present_.emplace(blocks_.back(), what->present);
  return *what->value;
}

/// left == right of strings of which only running tells.
Result<Value> Stager::compare_texts(const Value& left, const Value& right) {
  const bool swapped = !left.is<OneOf>();
  const OneOf& one = *(swapped ? right : left).as<OneOf>();
  const Value& other = swapped ? left : right;
  ir::ExprId same = constant(ir::const_bool(false));
  for (std::size_t k = 0; k < one.texts.size(); ++k) {
    const ir::ExprId here = apply(ir::Op::Eq, {one.position, integer(static_cast<std::int64_t>(k))});
    if (const auto* text = other.as<std::string>()) {
      if (*text == one.texts[k]) return weak(here);
    } else if (const auto* another = other.as<OneOf>()) {
      const auto found = std::find(another->texts.begin(), another->texts.end(), one.texts[k]);
      if (found == another->texts.end()) continue;
      const ir::ExprId there =
          apply(ir::Op::Eq, {another->position, integer(found - another->texts.begin())});
      same = apply(ir::Op::Or, {same, apply(ir::Op::And, {here, there})});
    }
  }
  return weak(same);
}

}  // namespace pw::numpy
