// Branches under run-time conditions, and what loops share with them.
//
// Before a construct is staged, the names that it assigns become variables (numbers) or buffers that
// assignments copy into (arrays), as far as their value matters behind an assignment on another path. Their
// dtypes are found by staging again until nothing changes.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

using python::StmtId;

}  // namespace

Stager::Saved Stager::save() const {
  const Frame* frame = frames_.back();
  return {scope_->names,
          frame->variables,
          frame->probes,
          frame->unset,
          frame->checked_bound,
          engine.all().size(),
          frame->result,
          frame->result_variables,
          frame->returned,
          module[blocks_.back()].statements.size(),
          frame->block.valid() ? module[frame->block].statements.size() : 0,
          module.traps.size(),
          sharing_.noted(blocks_.back()),
          frame->block.valid() ? sharing_.noted(frame->block) : 0,
          checked_,
          variable_buffers_,
          mask_counts_,
          assumed_equal_,
          assumed_positive_};
}

void Stager::restore(const Saved& saved) {
  Frame* frame = frames_.back();
  scope_->names = saved.names;
  frame->variables = saved.variables;
  frame->probes = saved.probes;
  frame->unset = saved.unset;
  frame->checked_bound = saved.checked_bound;
  frame->result = saved.result;
  frame->result_variables = saved.result_variables;
  frame->returned = saved.returned;
  engine.truncate(saved.diagnostics);
  if (frame->block.valid()) {
    module[frame->block].statements.resize(saved.call_statements);
    sharing_.forget(frame->block, saved.call_events);
  }
  module[blocks_.back()].statements.resize(saved.statements);
  sharing_.forget(blocks_.back(), saved.events);
  module.traps.resize(std::max(saved.traps, lasting_traps_));
  checked_ = saved.checked;
  variable_buffers_ = saved.variable_buffers;
  mask_counts_ = saved.mask_counts;
  assumed_equal_ = saved.assumed_equal;
  assumed_positive_ = saved.assumed_positive;
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
  const auto outer_array_requests = frame->array_requests;
  const auto outer_flag_requests = frame->flag_requests;
  const auto outer_unset_reads = frame->unset_reads;
  for (int attempt = 0; attempt < 8; ++attempt) {
    restore(saved);
    PW_CHECK_OK(make_joined(construct, joining));
    frame->requests = outer_requests;
    frame->array_requests = outer_array_requests;
    frame->flag_requests = outer_flag_requests;
    frame->unset_reads = outer_unset_reads;
    ++control_depth_;
    const Result<Done> done = body();
    --control_depth_;
    if (wants_more(joining)) continue;
    if (!done) return done;
    return finish_joined(construct, saved, joining);
  }
  return engine.report(Rule::NumpyJoinStatic, construct.span, "a name", "a dtype that never settles");
}

/// Makes variables and buffers of the names that the construct assigns, as far as is known.
Result<Done> Stager::make_joined(const Construct& construct, Joining& joining) {
  Frame* frame = frames_.back();
  for (auto* names : {&joining.own, &joining.probed, &joining.dropped, &joining.watched, &joining.uncarried})
    names->clear();
  for (const auto& [name, how] : construct.assigned) {
    if (frame->variables.contains(name)) continue;
    const bool outside = name_uses_.is_read_outside(*frame->body, name, construct.span);
    const auto bound = scope_->names.find(name);
    const bool unbound = bound == scope_->names.end();
    const bool carries = may_carry(construct, name);
    if (unbound && carries && !outside && !joining.carried.contains(name)) joining.uncarried.insert(name);
    const bool matters =
        outside || (unbound ? joining.carried.contains(name) : carries || !construct.is_loop);
    if (!matters) {
      joining.dropped.insert(name);
      continue;
    }
    if (unbound) {
      PW_CHECK_OK(make_unbound(name, joining, construct.span));
      continue;
    }
    if (const auto number = number_type(bound->second)) {
      NumberType type = *number;
      if (const auto more = joining.numbers.find(name); more != joining.numbers.end()) type = more->second;
      const std::optional<Scalar> scalar = as_scalar(bound->second);
      if (!fits(bound->second, type)) {
        return engine.report(Rule::NumpyJoinPrecision, construct.span, describe(bound->second, module),
                             ir::row(type.type).numpy);
      }
      make_variable(name, type, cast(scalar->expr, type.type));
      joining.own.insert(name);
    } else if (const auto* array = bound->second.as<Array>(); array != nullptr && how.plain) {
      make_array_variable(name, *array, true);
      joining.own.insert(name);
    } else if (array == nullptr) {
      joining.watched.insert(name);
    }
  }
  return Done{};
}

/// Whether a round of a loop may read what an earlier one, or what stands before the loop, left in a name.
bool Stager::may_carry(const Construct& construct, const std::string& name) {
  if (!construct.is_loop || construct.targets.contains(name)) return false;
  if (construct.test.valid() && reads_name(tree_, construct.test, name)) return true;
  return name_uses_.first_use(*construct.body, name) == FirstUse::Read;
}

/// A name that is not bound before the construct.
Result<Done> Stager::make_unbound(const std::string& name, Joining& joining, base::Span span) {
  Frame* frame = frames_.back();
  const bool flagged = joining.flagged.contains(name);
  ir::LocalId flag;
  if (flagged) flag = declare_variable(name + "_bound", ir::DType::Bool, constant(ir::const_bool(false)));
  frame->unset[name] = flag;
  if (const auto known = joining.numbers.find(name); known != joining.numbers.end()) {
    // Behind the construct the variable may be read into another before anyone asks whether it is bound.
    make_variable(name, known->second,
                  flagged ? constant(ir::Const{known->second.type, 0, 0}) : ir::ExprId{});
    joining.own.insert(name);
  } else if (const auto array = joining.arrays.find(name); array != joining.arrays.end()) {
    if (!in_scope(array->second)) return engine.report(Rule::NumpyJoinShape, span, name);
    make_array_variable(name, array->second, false);
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
    return joining.own.contains(name) || joining.probed.contains(name);
  };
  bool more = false;
  for (const auto& [name, type] : frame->requests) {
    if (!mine(name)) continue;
    const auto [known, inserted] = joining.numbers.emplace(name, type);
    more = more || inserted || !(known->second == type);
    known->second = type;
  }
  for (const auto& [name, array] : frame->array_requests) {
    if (mine(name)) more = joining.arrays.emplace(name, array).second || more;
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

Result<Done> Stager::finish_joined(const Construct& construct, const Saved& saved, const Joining& joining) {
  Frame* frame = frames_.back();
  for (const std::string& name : joining.watched) {
    const auto now = scope_->names.find(name);
    if (now == scope_->names.end() || !same_static(saved.names.at(name), now->second)) {
      return engine.report(Rule::NumpyJoinStatic, construct.span, name,
                           describe(saved.names.at(name), module));
    }
  }
  PW_CHECK_OK(check_left(construct, joining));
  for (const std::string& name : joining.own) {
    const Variable variable = frame->variables.at(name);
    frame->variables.erase(name);
    if (variable.array) {
      variable_buffers_.erase(variable.array->buffer);
      scope_->names[name] = value(*variable.array);
      if (saved.probes.contains(name)) frame->array_requests.emplace(name, *variable.array);
    } else {
      scope_->names[name] = value(Scalar{module.add(ir::Read{variable.local}, span_), variable.number.weak});
      if (saved.probes.contains(name)) frame->requests.emplace(name, variable.number);
    }
  }
  for (const std::string& name : joining.probed) frame->probes.erase(name);
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
  Frame* frame = frames_.back();
  if (variable.array) {
    const auto* array = bound.as<Array>();
    if (array == nullptr || array->shape.size() != variable.array->shape.size() ||
        type_of(*array) != type_of(*variable.array)) {
      return engine.report(Rule::NumpyJoinShape, span, name);
    }
    if (array->buffer == variable.array->buffer && array->map == variable.array->map) return Done{};
    for (std::size_t k = 0; k < array->shape.size(); ++k) {
      if (array->shape[k] != variable.array->shape[k]) return engine.report(Rule::NumpyJoinShape, span, name);
    }
    note_overwritten(variable.array->buffer);
    Array from = *array;
    if (from.buffer == variable.array->buffer) from = copy(from, type_of(from));
    map_over(from.shape,
             [&](const Indices& indices) { store(*variable.array, indices, load(from, indices)); });
    note_shared(array->buffer, variable.array->buffer);
    return Done{};
  }
  const auto number = number_type(bound);
  if (!number) return engine.report(Rule::NumpyJoinStatic, span, name, describe(bound, module));
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
    frame->requests[name] = joined;
    return Done{};
  }
  emit(ir::Assign{variable.local, cast(as_scalar(bound)->expr, variable.number.type)});
  return Done{};
}

bool Stager::same_static(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (const auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const auto* tuple = a.as<Tuple>()) {
    const auto& other = b.as<Tuple>()->items;
    return std::equal(tuple->items.begin(), tuple->items.end(), other.begin(), other.end(),
                      [&](const Value& x, const Value& y) { return same_static(x, y); });
  }
  if (const auto* array = a.as<Array>())
    return array->buffer == b.as<Array>()->buffer && array->map == b.as<Array>()->map;
  if (const auto* scalar = a.as<Scalar>())
    return scalar->expr == b.as<Scalar>()->expr && !is_volatile(scalar->expr);
  if (const auto* number = a.as<std::int64_t>()) return *number == *b.as<std::int64_t>();
  if (const auto* number = a.as<double>())
    return std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(*b.as<double>());
  if (const auto* flag = a.as<bool>()) return *flag == *b.as<bool>();
  if (const auto* list = a.as<List>()) return list->items == b.as<List>()->items;
  if (const auto* object = a.as<DTypeObject>()) return object->type == b.as<DTypeObject>()->type;
  if (const auto* function = a.as<UserFunction>()) {
    const UserFunction& other = *b.as<UserFunction>();
    return function->definition == other.definition && function->lambda == other.lambda &&
           function->closure == other.closure && function->defaults == other.defaults;
  }
  return a.is<None>() || a.is<EllipsisObject>();
}

Result<Stager::Flow> Stager::execute_if(const python::If& node, base::Span span, std::span<const StmtId> rest,
                                        bool& took_rest) {
  PW_TRY(const Value flag, evaluate_condition(node.test));
  if (const auto* known = flag.as<bool>()) return execute(std::span(*known ? node.body : node.orelse));
  at(span);
  return stage_branch(flag, node.body, node.orelse, span, rest, took_rest);
}

Result<Stager::Flow> Stager::stage_branch(const Value& flag, const std::vector<StmtId>& then,
                                          const std::vector<StmtId>& otherwise, base::Span span,
                                          std::span<const StmtId> rest, bool& took_rest) {
  const ir::ExprId condition = flag.as<Scalar>()->expr;
  const std::size_t diagnostics = engine.all().size();
  Frame* frame = frames_.back();
  const bool returns = contains_return(tree_, then) || contains_return(tree_, otherwise);
  // A helper's early return: what follows runs only on the paths that did not return.
  took_rest = returns && !frame->entry && !in_staged_loop();
  const std::vector<StmtId>* sides[2] = {&then, &otherwise};
  ir::BlockId blocks[2];
  Flow flows[2] = {Flow::Next, Flow::Next};
  const auto branches = [&]() -> Result<Done> {
    const std::map<std::string, Value> names = scope_->names;
    const Unset unset = frame->unset;
    std::map<std::string, Value> after[2];
    Unset unset_after[2];
    for (std::size_t k = 0; k < 2; ++k) {
      scope_->names = names;
      frame->unset = unset;
      Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
        std::vector<StmtId> statements = *sides[k];
        if (took_rest) statements.insert(statements.end(), rest.begin(), rest.end());
        PW_TRY(flows[k], execute(std::span(statements)));
        return Done{};
      });
      if (!block) return tl::unexpected(block.error());
      blocks[k] = *block;
      after[k] = scope_->names;
      unset_after[k] = frame->unset;
    }
    // A side that left says nothing about the names behind the construct.
    if (flows[0] == Flow::Left) {
      scope_->names = after[1];
    } else if (flows[1] == Flow::Left) {
      scope_->names = after[0];
      frame->unset = unset_after[0];
    } else {
      frame->unset = either(unset_after[0], unset_after[1]);
      for (auto& [name, bound] : after[0]) {
        const auto other = after[1].find(name);
        if (other == after[1].end()) {
          scope_->names.emplace(name, bound);
          continue;
        }
        const auto* here = bound.as<Scalar>();
        const auto* there = other->second.as<Scalar>();
        const bool same = here != nullptr && there != nullptr
                              ? here->expr == there->expr && here->weak == there->weak
                              : same_static(bound, other->second);
        // Neither side's value holds behind the branch: stage_joined refuses a name that is missing.
        if (!same) scope_->names.erase(name);
      }
    }
    return Done{};
  };
  std::map<std::string, AssignedName> assigned = assigned_names(tree_, then);
  for (const auto& [name, how] : assigned_names(tree_, otherwise)) assigned[name].plain |= how.plain;
  if (took_rest) {
    const Saved saved = save();
    ++control_depth_;
    const Result<Done> done = branches();
    --control_depth_;
    if (!done) ask_for(flag, diagnostics);
    if (!done) return tl::unexpected(done.error());
    forget_names_since(saved);
  } else {
    const Construct construct{span, &then, false, assigned};
    const Result<Done> done = stage_joined(construct, branches);
    if (!done) ask_for(flag, diagnostics);
    PW_CHECK_OK(done);
  }
  at(span);
  emit(ir::If{condition, blocks[0], blocks[1]});
  if (took_rest) {
    // Falling off the end of a helper gives None.
    for (std::size_t k = 0; k < 2; ++k) {
      if (flows[k] == Flow::Next && (frame->result || !frame->result_variables.empty())) {
        return engine.report(Rule::NumpyReturnJoin, span, "the function");
      }
    }
    return Flow::Left;
  }
  return flows[0] == Flow::Left && flows[1] == Flow::Left ? Flow::Left : Flow::Next;
}

Result<Stager::Flow> Stager::execute_break(bool breaks, base::Span span) {
  if (loops_.empty()) return engine.report(Rule::NumpyConstruct, span, "this break");
  Loop& loop = loops_.back();
  if (!loop.unrolled) {
    if (breaks && loop.broke_flag.valid()) emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});
    (breaks ? loop.breaks : loop.continues).push_back(frames_.back()->unset);
    loop.names_left.push_back(scope_->names);
    emit(breaks ? ir::Stmt(ir::Break{}) : ir::Stmt(ir::Continue{}));
    return Flow::Left;
  }
  if (control_depth_ != loop.control_depth) return engine.report(Rule::NumpyBreakUnrolled, span);
  (breaks ? loop.broke : loop.continued) = true;
  return Flow::Left;
}

}  // namespace pw::numpy
