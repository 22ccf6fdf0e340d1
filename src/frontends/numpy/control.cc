// What branches under run-time conditions and loops share: the names that they assign.
//
// Before a construct is staged, the names that it assigns become variables (numbers) or buffers that
// assignments copy into (arrays), as far as their value matters behind an assignment on another path. Their
// dtypes are found by staging again until nothing changes.
#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

Stager::Saved Stager::save() const {
  const Frame* frame = frames_.back();
  return {scope_->names,
          frame->variables,
          frame->watched,
          frame->probes,
          frame->unset,
          frame->checked_bound,
          engine.all().size(),
          frame->result,
          frame->result_variable,
          frame->returned,
          module[blocks_.back()].statements.size(),
          frame->block.valid() ? module[frame->block].statements.size() : 0,
          module.traps.size(),
          traps_emitted_,
          sharing_.noted(blocks_.back()),
          frame->block.valid() ? sharing_.noted(frame->block) : 0,
          checked_,
          variable_buffers_,
          mask_counts_,
          present_,
          assumed_equal_,
          assumed_positive_,
          lists_->mark()};
}

void Stager::restore(const Saved& saved) {
  Frame* frame = frames_.back();
  scope_->names = saved.names;
  frame->variables = saved.variables;
  frame->watched = saved.watched;
  frame->probes = saved.probes;
  frame->unset = saved.unset;
  frame->checked_bound = saved.checked_bound;
  frame->result = saved.result;
  frame->result_variable = saved.result_variable;
  frame->returned = saved.returned;
  engine.truncate(saved.diagnostics);
  if (frame->block.valid()) {
    module[frame->block].statements.resize(saved.call_statements);
    sharing_.forget(frame->block, saved.call_events);
  }
  module[blocks_.back()].statements.resize(saved.statements);
  sharing_.forget(blocks_.back(), saved.events);
  module.traps.resize(std::max(saved.traps, lasting_traps_));
  traps_emitted_ = saved.traps_emitted;
  checked_ = saved.checked;
  variable_buffers_ = saved.variable_buffers;
  mask_counts_ = saved.mask_counts;
  present_ = saved.present;
  assumed_equal_ = saved.assumed_equal;
  assumed_positive_ = saved.assumed_positive;
  lists_->restore(saved.lists);
}

/// Behind what runs on some path only, and after which nothing else of the function runs on that path.
void Stager::forget_names_since(const Saved& saved) {
  scope_->names = saved.names;
  frames_.back()->unset = saved.unset;
  checked_ = saved.checked;
}

Result<Done> Stager::stage_joined(const Construct& construct, const std::function<Result<Done>()>& body) {
  Frame* frame = frames_.back();
  Joining joining;
  const Saved saved = save();
  const auto outer_requests = frame->requests;
  const auto outer_flag_requests = frame->flag_requests;
  const auto outer_unset_reads = frame->unset_reads;
  const auto outer_given = frame->given;
  bool recalled = recall(construct, joining);
  bool tells = false;
  std::set<std::string> told, untold;
  for (int attempt = 0; attempt < 12 + 3 * static_cast<int>(told.size()); ++attempt) {
    restore(saved);
    frame->given = outer_given;
    Result<Done> done = make_joined(construct, joining);
    frame->requests = outer_requests;
    frame->flag_requests = outer_flag_requests;
    frame->unset_reads = outer_unset_reads;
    if (done) {
      for (const std::string& name : joining.own) frame->given.erase(name);
      ++control_depth_;
      const bool outer_skips = std::exchange(frame->skips_failures, frame->skips_failures || tells);
      done = body();
      frame->skips_failures = outer_skips;
      --control_depth_;
      if (done && !tells) request_changed(construct, joining);
    } else if (!recalled) {
      return done;
    }
    // What a round reads of an earlier one, the statements behind the read tell.
    const auto is_read_early = [&](const std::string& name) {
      return !joining.forms.contains(name) && frame->unset_reads.contains(name) && !untold.contains(name);
    };
    const bool has_told = std::exchange(tells, false);
    if (has_told) {
      auto requests = std::exchange(frame->requests, outer_requests);
      for (const std::string& name : joining.probed) {
        if (!is_read_early(name)) continue;
        (requests.contains(name) ? told : untold).insert(name);
        if (requests.contains(name)) frame->requests[name] = requests.at(name);
      }
    }
    if (wants_more(joining)) {
      untold.clear();
      for (const std::string& name : joining.watched) {
        const auto form = joining.forms.find(name);
        const bool array = form != joining.forms.end() && form->second.kind == Form::Kind::Array;
        if (array) rebound_.emplace(construct.span.begin, name);
      }
      continue;
    }
    if (has_told) continue;  // to what failed
    tells = !done && std::any_of(joining.probed.begin(), joining.probed.end(), is_read_early);
    if (tells) continue;
    if (done && !told.empty() && !frame->skips_failures && is_too_wide(saved, joining))
      return engine.report(Rule::NumpyUnknownName, construct.span, *told.begin());
    if (recalled && (!done || is_too_wide(saved, joining))) {
      // What was found out elsewhere does not hold here.
      settled(construct).reset();
      joining = {};
      recalled = false;
      continue;
    }
    if (done && wants_rebirth(construct, saved, joining)) continue;
    frame->watched = saved.watched;
    if (!done) return done;
    if (!frame->skips_failures) settled(construct) = std::make_shared<Joining>(joining);
    return finish_joined(construct, saved, joining);
  }
  return engine.report(Rule::NumpyJoinStatic, construct.span, "a name", "a dtype that never settles");
}

/// Whether a number that was of another type before the branch, where nothing reads it any more, made a
/// variable wider than what both sides bind.
bool Stager::wants_rebirth(const Construct& construct, const Saved& saved, Joining& joining) {
  const Frame* frame = frames_.back();
  bool more = false;
  for (const std::string& name : joining.own) {
    if (construct.is_loop || !saved.names.contains(name)) continue;
    const Variable& variable = frame->variables.at(name);
    const auto given = frame->given.find(name);
    const bool numbers = variable.is_plain() && !variable.array && given != frame->given.end() &&
                         given->second.kind == Form::Kind::Number && given->second.is_plain();
    if (!numbers || given->second.number == variable.number) continue;
    if (liveness_.lives_at_top(*frame->body, *construct.body, name)) continue;
    more = joining.reborn.insert(name).second || more;
    joining.forms.erase(name);
  }
  return more;
}

/// What the last staging of the construct found out, if there was one. It is staged again whenever a
/// construct around it is: found out anew at each of its own attempts, nested constructs would take
/// exponential time.
std::shared_ptr<Stager::Joining>& Stager::settled(const Construct& construct) {
  std::vector<std::uint32_t> place = {static_cast<std::uint32_t>(construct.span.begin),
                                      static_cast<std::uint32_t>(construct.span.end), construct.is_loop};
  for (const Frame* frame : frames_) place.push_back(static_cast<std::uint32_t>(frame->call));
  return settled_[place];
}

bool Stager::recall(const Construct& construct, Joining& joining) {
  const std::shared_ptr<Joining> known = settled(construct);
  if (known == nullptr) return false;
  const std::function<bool(const Form&)> lasts = [&](const Form& form) {
    return form.kind != Form::Kind::Known && std::all_of(form.items.begin(), form.items.end(), lasts);
  };
  for (const auto& [name, form] : known->forms) {
    if (!lasts(form)) return false;
    const auto bound = scope_->names.find(name);
    if (bound == scope_->names.end() || known->reborn.contains(name)) continue;
    const std::optional<Form> joined = join(form, form_of(bound->second));
    if (!joined || !is_same(*joined, form)) return false;
  }
  joining.forms = known->forms;
  joining.flagged = known->flagged;
  joining.reborn = known->reborn;
  joining.carried = known->carried;
  return true;
}

/// Whether a recalled form holds more than was given to the name this time.
bool Stager::is_too_wide(const Saved& saved, const Joining& joining) {
  const std::function<bool(const Form&, const Form&)> is_wider = [&](const Form& a, const Form& b) {
    if (a.kind != b.kind || a.or_none != b.or_none || !(a.number == b.number) ||
        a.texts.size() != b.texts.size())
      return true;
    for (std::size_t k = 0; k < a.items.size(); ++k) {
      if (is_wider(a.items[k], b.items[k])) return true;
    }
    return false;
  };
  for (const auto& [name, form] : joining.forms) {
    if (!joining.own.contains(name)) continue;
    std::optional<Form> held;
    if (const auto before = saved.names.find(name); before != saved.names.end())
      held = form_of(before->second);
    const auto given = frames_.back()->given.find(name);
    if (given != frames_.back()->given.end()) held = held ? join(*held, given->second) : given->second;
    if (!held || is_wider(form, *held)) return true;
  }
  return false;
}

/// Makes variables and buffers of the names that the construct assigns, as far as is known.
Result<Done> Stager::make_joined(const Construct& construct, Joining& joining) {
  Frame* frame = frames_.back();
  for (auto* names : {&joining.own, &joining.probed, &joining.dropped, &joining.watched, &joining.uncarried})
    names->clear();
  for (const auto& [name, how] : construct.assigned) {
    if (frame->variables.contains(name)) continue;
    const bool outside = liveness_.lives_behind(*frame->body, *construct.body, name);
    if (joining.reborn.contains(name)) scope_->names.erase(name);
    const auto bound = scope_->names.find(name);
    const bool unbound = bound == scope_->names.end();
    const bool carries = may_carry(construct, name);
    if (unbound && carries && !outside && !joining.carried.contains(name)) joining.uncarried.insert(name);
    const bool matters = outside || (unbound ? joining.carried.contains(name) : carries);
    if (!matters) {
      joining.dropped.insert(name);
      continue;
    }
    if (unbound) {
      PW_CHECK_OK(make_unbound(name, joining, construct.span));
      continue;
    }
    const auto wanted = joining.forms.find(name);
    if (wanted != joining.forms.end() && !wanted->second.is_plain()) {
      if (!in_scope(wanted->second)) return engine.report(Rule::NumpyJoinShape, construct.span, name);
      const Value before = bound->second;
      Variable variable = declare(name, wanted->second, true);
      PW_CHECK_OK(store_form(name, variable, before, construct.span));
      frame->variables[name] = variable;
      scope_->names[name] = read(frame->variables[name]);
      joining.own.insert(name);
    } else if (const auto number = number_type(bound->second)) {
      NumberType type = *number;
      if (wanted != joining.forms.end()) type = wanted->second.number;
      const std::optional<Scalar> scalar = as_scalar(bound->second);
      if (!fits(bound->second, type)) {
        return engine.report(Rule::NumpyJoinPrecision, construct.span, describe(bound->second, module),
                             ir::row(type.type).numpy);
      }
      make_variable(name, type, cast(scalar->expr, type.type));
      if (type != *number) widened_.insert(frame->variables.at(name).local);
      joining.own.insert(name);
    } else if (const auto* array = bound->second.as<Array>();
               array != nullptr && rebound_.contains({construct.span.begin, name})) {
      make_array_variable(name, *array, true);
      joining.own.insert(name);
    } else if (array == nullptr || how.plain) {
      joining.watched.insert(name);
      frame->watched[name] = bound->second;
    }
  }
  // A round may begin with what another one left.
  for (const auto& [name, how] : construct.assigned) {
    const auto known = frame->variables.find(name);
    if (construct.is_loop && known != frame->variables.end()) forget_present(known->second);
  }
  return Done{};
}

/// Whether a round of a loop may read what an earlier one, or what stands before the loop, left in a name.
bool Stager::may_carry(const Construct& construct, const std::string& name) {
  if (!construct.is_loop || construct.targets.contains(name)) return false;
  if (construct.test.valid() && reads_name(tree_, construct.test, name)) return true;
  return liveness_.lives_at_top(*frames_.back()->body, *construct.body, name);
}

/// A name that is not bound before the construct.
Result<Done> Stager::make_unbound(const std::string& name, Joining& joining, base::Span span) {
  Frame* frame = frames_.back();
  const auto outer = frame->unset.find(name);  // of a construct around this one
  const bool has_outer = outer != frame->unset.end() && outer->second.valid();
  const bool flagged = has_outer || joining.flagged.contains(name);
  ir::LocalId flag = has_outer ? outer->second : ir::LocalId{};
  if (flagged && !has_outer)
    flag = declare_variable(name + "_bound", ir::DType::Bool, constant(ir::const_bool(false)));
  frame->unset[name] = flag;
  if (const auto known = joining.forms.find(name); known != joining.forms.end()) {
    const Form& form = known->second;
    if (!in_scope(form)) return engine.report(Rule::NumpyJoinShape, span, name);
    if (form.kind == Form::Kind::Number && form.is_plain()) {
      // Behind the construct the variable may be read into another before anyone asks whether it is bound.
      make_variable(name, form.number, flagged ? constant(ir::Const{form.number.type, 0, 0}) : ir::ExprId{});
    } else if (form.is_plain()) {
      make_array_variable(name, *form.array, false);
    } else {
      frame->variables[name] = declare(name, form, true);
      scope_->names[name] = read(frame->variables[name]);
    }
    joining.own.insert(name);
  } else {
    frame->probes.insert(name);
    joining.probed.insert(name);
  }
  return Done{};
}

/// Whether what the body asked of the construct's names makes another attempt worthwhile.
bool Stager::wants_more(Joining& joining) {
  const Frame* frame = frames_.back();
  const auto mine = [&](const std::string& name) {
    return joining.own.contains(name) || joining.probed.contains(name) || joining.watched.contains(name);
  };
  bool more = false;
  for (const auto& [name, form] : frame->requests) {
    if (!mine(name)) continue;
    const auto [known, inserted] = joining.forms.emplace(name, form);
    const std::optional<Form> joined = join(known->second, form);
    more = more || inserted || (joined && !is_same(*joined, known->second));
    if (joined) known->second = *joined;
  }
  for (const std::string& name : frame->flag_requests) {
    if (mine(name)) more = joining.flagged.insert(name).second || more;
  }
  for (const std::string& name : frame->unset_reads) {
    if (joining.uncarried.contains(name)) more = joining.carried.insert(name).second || more;
  }
  for (const auto& [name, flag] : frame->unset) {
    if (mine(name) && !flag.valid()) more = joining.flagged.insert(name).second || more;
  }
  return more;
}

/// Asks for a variable of the form, and of what else was asked of the name.
void Stager::request(const std::string& name, const Form& form) {
  const auto [known, inserted] = frames_.back()->requests.emplace(name, form);
  if (inserted) return;
  if (auto joined = join(known->second, form)) known->second = *std::move(joined);
}

/// Asks for a variable of a name that a construct binds to another value than it had before.
Result<Done> Stager::request_variable(const std::string& name, const Value& before, const Value& bound,
                                      base::Span span) {
  if (same_static(before, bound)) return Done{};
  const auto joined = join(form_of(before), form_of(bound));
  if (joined) request(name, *joined);
  // Of other kinds the construct's end decides.
  if (!joined && before.is<Array>()) return engine.report(Rule::NumpyJoinShape, span, name);
  return Done{};
}

/// Asks for variables of the names that the construct leaves with another value than it found.
void Stager::request_changed(const Construct& construct, const Joining& joining) {
  Frame* frame = frames_.back();
  for (const std::string& name : joining.watched) {
    const auto now = scope_->names.find(name);
    if (now == scope_->names.end() || same_static(frame->watched.at(name), now->second)) continue;
    if (const auto joined = join(form_of(frame->watched.at(name)), form_of(now->second)))
      request(name, *joined);
  }
  if (!construct.is_loop) return;
  for (const auto& left : frame->names_left) {
    for (const auto& [name, then] : left) {
      const auto now = scope_->names.find(name);
      const bool probed = joining.probed.contains(name) && now != scope_->names.end();
      if (!probed || same_static(then, now->second)) continue;
      if (const auto joined = join(form_of(then), form_of(now->second))) request(name, *joined);
    }
  }
}

Result<Done> Stager::finish_joined(const Construct& construct, const Saved& saved, const Joining& joining) {
  Frame* frame = frames_.back();
  for (const std::string& name : joining.watched) {
    const auto now = scope_->names.find(name);
    if (now == scope_->names.end() || !same_static(saved.names.at(name), now->second)) {
      if (saved.names.at(name).is<Array>()) return engine.report(Rule::NumpyJoinShape, construct.span, name);
      return engine.report(Rule::NumpyJoinStatic, construct.span, name,
                           describe(saved.names.at(name), module));
    }
  }
  PW_CHECK_OK(check_left(construct, joining));
  for (const std::string& name : joining.own) {
    const Variable variable = frame->variables.at(name);
    frame->variables.erase(name);
    frame->given.erase(name);
    end_variable(variable);
    scope_->names[name] = read(variable);
    if (saved.probes.contains(name)) request(name, form_of(variable));
  }
  for (const auto& [name, flag] : frame->unset) {
    const auto outer = saved.unset.find(name);
    const bool lacks_flag = outer != saved.unset.end() && !outer->second.valid();
    if (flag.valid() && lacks_flag) frame->flag_requests.insert(name);  // this one ends with the construct
  }
  for (const std::string& name : joining.probed) {
    if (!saved.probes.contains(name)) frame->probes.erase(name);
    const auto now = scope_->names.find(name);
    if (now != scope_->names.end() && !is_known(now->second)) {
      return engine.report(Rule::NumpyJoinStatic, construct.span, name, "nothing (bind it before)");
    }
  }
  for (const std::string& name : joining.dropped) scope_->names.erase(name);
  return Done{};
}

/// What is known while staging must be the same wherever a break or continue leaves the loop.
Result<Done> Stager::check_left(const Construct& construct, const Joining& joining) {
  if (!construct.is_loop) return Done{};
  const Frame* frame = frames_.back();
  const auto same = [&](const Value& a, const Value& b) {
    const auto* here = a.as<Scalar>();
    const auto* there = b.as<Scalar>();
    return here != nullptr && there != nullptr ? here->expr == there->expr : same_static(a, b);
  };
  for (const auto& left : std::exchange(frames_.back()->names_left, {})) {
    for (const auto& [name, how] : construct.assigned) {
      const auto now = scope_->names.find(name);
      const bool joined = frame->variables.contains(name) || joining.dropped.contains(name);
      if (now == scope_->names.end() || joined) continue;
      const auto then = left.find(name);
      if (then == left.end() || same(then->second, now->second)) continue;
      return engine.report(Rule::NumpyJoinStatic, construct.span, name, describe(now->second, module));
    }
  }
  return Done{};
}

void Stager::make_variable(const std::string& name, NumberType type, ir::ExprId initial) {
  Variable variable;
  variable.number = type;
  variable.local = declare_variable(name, type.type, initial);
  const Value read = value(Scalar{module.add(ir::Read{variable.local}, span_), type.weak});
  frames_.back()->variables[name] = variable;
  scope_->names[name] = read;
}

void Stager::make_array_variable(const std::string& name, const Array& initial, bool copies) {
  Variable variable;
  Array array =
      copies ? copy(initial, type_of(initial), name) : allocate(initial.shape, type_of(initial), name);
  module[array.buffer].invented = false;
  if (copies) note_shared(initial.buffer, array.buffer);
  array.fresh = false;
  variable_buffers_.insert(array.buffer);
  variable.array = array;
  frames_.back()->variables[name] = variable;
  scope_->names[name] = value(array);
}

ir::LocalId Stager::declare_variable(std::string_view name, ir::DType type, ir::ExprId initial) {
  ir::Local local;
  local.name = std::string(name);
  local.type = type;
  local.kind = ir::LocalKind::Variable;
  local.span = span_;
  const ir::LocalId id = module.add(std::move(local));
  emit(ir::Declare{id, initial});
  return id;
}

/// Whether all extents of an array are made of locals that do not come from inside the construct about to be
/// staged.
bool Stager::in_scope(const Array& array) {
  return std::all_of(array.shape.begin(), array.shape.end(),
                     [&](ir::ExtentId each) { return in_scope(each); });
}

bool Stager::in_scope(ir::ExtentId extent) {
  for (const ir::LocalId local : extents().locals(extent)) {
    const ir::LocalKind kind = module[local].kind;
    if (kind == ir::LocalKind::Bound || kind == ir::LocalKind::Axis || kind == ir::LocalKind::Variable)
      return false;
  }
  return true;
}

std::optional<Stager::NumberType> Stager::number_type(const Value& value) {
  if (value.is<Array>()) return std::nullopt;
  const std::optional<Scalar> scalar = as_scalar(value);
  if (!scalar) return std::nullopt;
  return NumberType{type_of(*scalar), scalar->weak};
}

/// The type of numbers that all have one; nullopt of none.
std::optional<Stager::NumberType> Stager::shared_number_type(const std::vector<Value>& values) {
  if (values.empty()) return std::nullopt;
  const auto first = number_type(values[0]);
  const bool alike = std::all_of(values.begin(), values.end(),
                                 [&](const Value& each) { return number_type(each) == first; });
  return alike ? first : std::nullopt;
}

/// Whether a value can be kept in a variable of the type without changing what is computed from it.
bool Stager::fits(const Value& value, NumberType type) {
  const auto own = number_type(value);
  if (!own) return false;
  if (*own == type) return true;
  if (own->weak && !type.weak && own->type == type.type) return true;
  const ir::Const* constant = nullptr;
  const std::optional<Scalar> scalar = as_scalar(value);
  if (const auto* known = std::get_if<ir::Const>(&module[scalar->expr])) constant = known;
  if (const auto* read = std::get_if<ir::Read>(&module[scalar->expr])) {
    if (module[read->local].kind == ir::LocalKind::Config) constant = &module[read->local].config;
  }
  const bool widens = ir::kind(own->type) < ir::kind(type.type) || (own->type == ir::DType::Bool);
  if (constant == nullptr) return own->weak && widens && ir::row(type.type).bytes >= 8;
  if (!own->weak) return false;
  const std::complex<double> number = ir::is_float(constant->type) || ir::is_complex(constant->type)
                                          ? ir::as_complex(*constant)
                                          : static_cast<double>(ir::as_int(*constant));
  if (ir::is_integer(type.type)) {
    return ir::is_integer(constant->type) &&
           ir::as_int(ir::const_int(type.type, ir::as_int(*constant))) == ir::as_int(*constant);
  }
  if (type.type == ir::DType::Bool) return constant->type == ir::DType::Bool;
  if (number.imag() != 0.0 && !ir::is_complex(type.type)) return false;
  const ir::Const stored = ir::const_complex(type.type, number);
  if (ir::is_integer(constant->type)) {  // which a long double holds
    return static_cast<long double>(ir::as_complex(stored).real()) ==
           static_cast<long double>(ir::as_int(*constant));
  }
  return ir::as_complex(stored) == number || (number != number);
}

/// What two numbers have in common; a Python number takes on the dtype of NumPy's where its kind allows it.
Stager::NumberType Stager::join_types(NumberType a, NumberType b) {
  NumberType joined{ir::promote(a.type, b.type), a.weak && b.weak};
  if (a.weak == b.weak) return joined;
  const NumberType& strong = a.weak ? b : a;
  const NumberType& weak = a.weak ? a : b;
  const auto rank = [](ir::DType t) {
    return ir::kind(t) == ir::DTypeKind::UInt ? ir::DTypeKind::Int : ir::kind(t);
  };
  if (rank(weak.type) <= rank(strong.type)) joined.type = strong.type;
  return joined;
}

std::optional<Stager::NumberType> Stager::join_numbers(const Value& a, const Value& b) {
  const auto left = number_type(a);
  const auto right = number_type(b);
  if (!left || !right) return std::nullopt;
  if (*left == *right) return left;
  const NumberType joined = join_types(*left, *right);
  if (!fits(a, joined) || !fits(b, joined)) return std::nullopt;
  return joined;
}

Result<Done> Stager::assign_variable(const std::string& name, Variable& variable, const Value& bound,
                                     base::Span span) {
  std::map<std::string, Form>& all_given = frames_.back()->given;
  if (const auto [given, inserted] = all_given.emplace(name, form_of(bound)); !inserted) {
    if (auto joined = join(given->second, form_of(bound))) given->second = *std::move(joined);
  }
  const bool both_plain =
      variable.is_plain() && (variable.array ? bound.is<Array>() : number_type(bound).has_value());
  if (!both_plain) {
    std::optional<Form> request;
    PW_CHECK_OK(assign_form(name, variable, bound, span, request));
    if (request) this->request(name, *request);
    return Done{};
  }
  if (variable.array) {
    const auto* array = bound.as<Array>();
    if (!may_agree(*array, *variable.array)) return engine.report(Rule::NumpyJoinShape, span, name);
    return fill_variable(*variable.array, *array, span);
  }
  const auto number = number_type(bound);
  if (!fits(bound, variable.number)) {
    const Value current = value(Scalar{module.add(ir::Read{variable.local}, span_), variable.number.weak});
    // What the variable holds was checked against its own type; here only the types are joined.
    const NumberType joined = join_types(variable.number, *number);
    const bool floats = !variable.number.weak && !number->weak && ir::is_float(variable.number.type) &&
                        ir::is_float(number->type);
    if (floats || joined == variable.number || !fits(bound, joined)) {
      return engine.report(Rule::NumpyJoinPrecision, span, describe(bound, module),
                           describe(current, module));
    }
    Form request;
    request.kind = Form::Kind::Number;
    request.number = joined;
    this->request(name, request);
    return Done{};
  }
  if (*number != variable.number) widened_.insert(variable.local);
  emit(ir::Assign{variable.local, cast(as_scalar(bound)->expr, variable.number.type)});
  return Done{};
}

}  // namespace pw::numpy
