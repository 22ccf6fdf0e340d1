// Calls of the file's functions that stay calls in the port.
//
// A function is staged once for each shape of call: what staging must know, and which sizes are equal. It
// runs in place instead where it is small, where it reaches for more than its arguments, or where staging
// knows more at the call: that shows as a refusal, or as checks that a run in place does without.
#include "frontends/numpy/kept_functions.h"

#include <algorithm>
#include <set>

#include "frontends/numpy/frame.h"
#include "ir/verifier.h"

namespace pw::numpy {

namespace {

/// Greater extents of arrays are passed, so that layers of one kind and other widths share a function.
constexpr std::int64_t kLargestKnown = 8;
constexpr std::int64_t kAllKnown = INT64_MAX;
/// Statements up to which a function without loops runs in place, and up to which one without arrays does.
constexpr std::size_t kSmall = 24;
constexpr std::size_t kSmallWithoutArrays = 200;

struct Contents {
  std::size_t statements = 0;
  std::size_t checks = 0;
  bool loops = false;
  bool calls = false;
  bool traps = false;
};

bool is_check(ir::TrapKind kind) {
  return kind == ir::TrapKind::Assumption || kind == ir::TrapKind::IndexError ||
         kind == ir::TrapKind::ValueError || kind == ir::TrapKind::UnboundLocalError;
}

void add_contents(const ir::Module& module, std::span<const ir::StmtId> statements, Contents& out) {
  for (const ir::StmtId id : statements) {
    const ir::Stmt& stmt = module[id];
    ++out.statements;
    out.loops = out.loops || std::holds_alternative<ir::For>(stmt) || std::holds_alternative<ir::While>(stmt);
    out.calls = out.calls || std::holds_alternative<ir::Call>(stmt);
    if (const auto* trap = std::get_if<ir::Trap>(&stmt)) {
      out.traps = true;
      if (is_check(module[trap->trap].kind)) ++out.checks;
    }
    for (const ir::BlockId inner : ir::blocks_of(stmt)) add_contents(module, module[inner].statements, out);
  }
}

/// What a function's statements use, and what they make.
class Uses {
 public:
  explicit Uses(ir::Module& module) : module_(module) {}

  void add(ir::BlockId block) {
    for (const ir::StmtId id : module_[block].statements) {
      const ir::Stmt stmt = module_[id];
      for (const ir::ExprId expr : ir::exprs_of(stmt)) add(expr);
      std::visit(ir::Overload{
                     [&](const ir::Let& s) { made.insert(s.local); },
                     [&](const ir::Declare& s) { made.insert(s.variable); },
                     [&](const ir::Assign& s) { used.insert(s.variable); },
                     [&](const ir::Alloc& s) {
                       made_buffers.insert(s.buffer);
                       for (const ir::ExtentId each : module_[s.buffer].extents) add(each);
                     },
                     [&](const ir::Store& s) { used_buffers.insert(s.buffer); },
                     [&](const ir::Map& s) { add(s.axes); },
                     [&](const ir::Reduce& s) {
                       add(s.axes);
                       made.insert(s.target);
                     },
                     [&](const ir::For& s) { made.insert(s.index); },
                     [&](const ir::Call& s) {
                       for (const ir::Argument& each : s.arguments) {
                         if (const auto* buffer = std::get_if<ir::BufferId>(&each))
                           used_buffers.insert(*buffer);
                       }
                       made.insert(s.results.begin(), s.results.end());
                     },
                     [](const auto&) {},
                 },
                 stmt);
      for (const ir::BlockId inner : ir::blocks_of(stmt)) add(inner);
    }
  }
  void add(ir::ExprId root) {
    if (!seen_.insert(root).second) return;
    const ir::Expr node = module_[root];
    if (const auto* read = std::get_if<ir::Read>(&node)) used.insert(read->local);
    if (const auto* index = std::get_if<ir::Index>(&node)) add(index->extent);
    if (const auto* load = std::get_if<ir::Load>(&node)) used_buffers.insert(load->buffer);
    for (const ir::ExprId operand : ir::operands_of(node)) add(operand);
  }
  void add(ir::ExtentId extent) {
    for (const ir::LocalId local : module_.extents.locals(extent)) used.insert(local);
  }
  bool closed() const {
    return std::all_of(used.begin(), used.end(),
                       [&](ir::LocalId id) {
                         return made.contains(id) || module_[id].kind == ir::LocalKind::Config;
                       }) &&
           std::all_of(used_buffers.begin(), used_buffers.end(), [&](ir::BufferId id) {
             return made_buffers.contains(id) || module_[id].kind == ir::BufferKind::Table;
           });
  }

  std::set<ir::LocalId> used, made;
  std::set<ir::BufferId> used_buffers, made_buffers;

 private:
  void add(const std::vector<ir::Axis>& axes) {
    for (const ir::Axis& axis : axes) {
      made.insert(axis.index);
      add(axis.extent);
    }
  }

  ir::Module& module_;
  std::set<ir::ExprId> seen_;
};

}  // namespace

/// What the interpreter knows of the place at hand; a function that is kept has none of its caller's.
struct Stager::Place {
  std::vector<ir::BlockId> blocks;
  std::vector<Loop> loops;
  std::set<std::tuple<ir::BlockId, ir::ExtentId, ir::ExtentId>> checked;
  std::set<ir::BufferId> variable_buffers;
  MaskCounts mask_counts;
  std::shared_ptr<Scope> scope;
  base::Span span;
  std::string subject;
  State outlasting;
  Demand demand;
  int control_depth = 0;
  int peeled = 0;
  Catching* catching = nullptr;
};

void Stager::exchange(Place& place) {
  std::swap(place.blocks, blocks_);
  std::swap(place.loops, loops_);
  std::swap(place.checked, checked_);
  std::swap(place.variable_buffers, variable_buffers_);
  std::swap(place.mask_counts, mask_counts_);
  std::swap(place.scope, scope_);
  std::swap(place.span, span_);
  std::swap(place.outlasting, outlasting_);
  std::swap(place.demand, demand_);
  std::swap(place.control_depth, control_depth_);
  std::swap(place.peeled, peeled_);
  std::swap(place.catching, catching_);
  std::swap(place.subject, subject_);
}

/// nullopt: the call runs in place.
std::optional<Result<Value>> Stager::call_kept(const UserFunction& function,
                                               const std::shared_ptr<Scope>& scope, base::Span span) {
  // What runs ahead of the kernel may change the file's own lists, and does so once.
  const bool in_kernel = frames_.size() > 1 && frames_[1]->entry;
  if (!in_kernel || function.closure != globals_) return std::nullopt;
  for (const std::int64_t largest_known : {kLargestKnown, kAllKnown}) {
    CallShape shape(*this, largest_known);
    if (!shape.collect(function, *scope)) return std::nullopt;
    const auto [place, inserted] = kept_.try_emplace(shape.key);
    if (inserted) {
      place->second = std::make_shared<KeptFunction>(shape);
      stage_kept(function, *place->second);
    }
    const std::shared_ptr<KeptFunction> kept = place->second;
    if (kept->state == KeptFunction::State::Open || kept->small) return std::nullopt;
    if (kept->state != KeptFunction::State::Kept) continue;
    if (kept->checks > 0 && !kept->compared) {
      if (auto better = run_with_fewer_checks(function, scope, *kept, span)) return better;
      if (kept->state != KeptFunction::State::Kept) continue;
    }
    return call_kept(*kept, shape, span);
  }
  return std::nullopt;
}

/// Runs the call in place to see how many checks that takes: its result, unless the kept function needs no
/// more.
std::optional<Result<Value>> Stager::run_with_fewer_checks(const UserFunction& function,
                                                           const std::shared_ptr<Scope>& scope,
                                                           KeptFunction& kept, base::Span span) {
  kept.compared = true;
  const Saved saved = save();
  Result<Value> result = run_in_place(function, scope, span);
  if (result) {
    const auto& statements = module[blocks_.back()].statements;
    Contents contents;
    add_contents(module, std::span(statements).subspan(saved.statements), contents);
    if (contents.checks >= kept.checks) {
      restore(saved);
      return std::nullopt;
    }
  }
  kept.state = KeptFunction::State::InPlace;
  return result;
}

/// Stages the function for the shape; leaves `kept` InPlace where that cannot be, or is not worth it.
void Stager::stage_kept(const UserFunction& function, KeptFunction& kept) {
  const std::size_t diagnostics = engine.all().size();
  const std::size_t traps = module.traps.size();
  Place place;
  place.span = tree_.span(function.definition);
  place.blocks = {module.add(ir::Block{})};
  place.scope = std::make_shared<Scope>(Scope{{}, globals_});
  place.outlasting = outlasting_;
  exchange(place);
  auto scope = std::make_shared<Scope>(Scope{kept.shape.make_parameters(), globals_});
  // A change of a list or dict that was passed would have to be made at each call.
  for (const auto& [name, bound] : scope->names) {
    State reached;
    reach(bound, false, reached);
    outlasting_.containers.merge(reached.containers);
  }
  std::shared_ptr<Scope> ended;
  const Result<Value> result = run_in_place(function, scope, place.span, &ended);
  const bool kept_it = result && finish_kept(function, *result, *ended, kept);
  exchange(place);
  kept.state = kept_it ? KeptFunction::State::Kept : KeptFunction::State::InPlace;
  if (kept_it) {
    lasting_traps_ = module.traps.size();
    return;
  }
  engine.truncate(diagnostics);
  module.traps.resize(std::max(traps, lasting_traps_));
}

namespace {

/// Names sizes after what the function calls them, by the shortest name.
void name_sizes(ir::Module& module, const Scope& ended, const std::vector<ir::LocalId>& sizes) {
  std::map<ir::LocalId, std::string> names;
  for (const auto& [name, bound] : ended.names) {
    const auto* scalar = bound.as<Scalar>();
    if (scalar == nullptr || name == "_") continue;
    const std::optional<ir::ExtentId> extent = module.as_extent(scalar->expr);
    const std::optional<ir::LocalId> local = extent ? module.extents.as_local(*extent) : std::nullopt;
    if (!local || std::find(sizes.begin(), sizes.end(), *local) == sizes.end()) continue;
    std::string& best = names[*local];
    if (best.empty() || name.size() < best.size()) best = name;
  }
  for (const auto& [local, name] : names) module[local].name = name;
}

}  // namespace

/// Whether a result can be told to a caller: of arguments, of temporaries that the caller may make, of
/// numbers. A list may be one that the caller has by another name.
bool Stager::collect_result(const Value& result, KeptFunction& kept) {
  const auto all = [&](const std::vector<Value>& items) {
    return std::all_of(items.begin(), items.end(),
                       [&](const Value& each) { return collect_result(each, kept); });
  };
  const auto known = [&](ir::ExtentId extent) {
    const std::vector<ir::LocalId> locals = extents().locals(extent);
    return std::all_of(locals.begin(), locals.end(), [&](ir::LocalId local) {
      return std::find(axes_.begin(), axes_.end(), local) != axes_.end() || is_parameter(kept, local);
    });
  };
  if (const auto* tuple = result.as<Tuple>()) return all(tuple->items);
  if (const auto* either = result.as<OrNone>())
    return collect_result(value(Scalar{either->present, true}), kept) && collect_result(*either->value, kept);
  if (const auto* one = result.as<OneOf>()) return collect_result(value(Scalar{one->position, true}), kept);
  if (const auto* array = result.as<Array>()) {
    const ir::Buffer& buffer = module[array->buffer];
    if (!std::all_of(array->shape.begin(), array->shape.end(), known)) return false;
    if (!std::all_of(array->map.begin(), array->map.end(), known)) return false;
    const auto passed = [&](const auto& each) { return each.parameter == array->buffer; };
    if (std::any_of(kept.shape.arrays.begin(), kept.shape.arrays.end(), passed)) return true;
    if (std::find(kept.made.begin(), kept.made.end(), array->buffer) != kept.made.end()) return true;
    if (!std::all_of(buffer.extents.begin(), buffer.extents.end(), known)) return false;
    auto& statements = module[blocks_.back()].statements;
    const auto made = std::find_if(statements.begin(), statements.end(), [&](ir::StmtId id) {
      const auto* alloc = std::get_if<ir::Alloc>(&module[id]);
      return alloc != nullptr && alloc->buffer == array->buffer;
    });
    if (made == statements.end()) return false;
    statements.erase(made);
    module[array->buffer].kind = ir::BufferKind::Parameter;
    if (module[array->buffer].invented) module[array->buffer].name = "out";
    kept.made.push_back(array->buffer);
    return true;
  }
  if (const auto* scalar = result.as<Scalar>()) {
    if (std::holds_alternative<ir::Const>(module[scalar->expr])) return true;
    if (const auto extent = module.as_extent(scalar->expr); extent && known(*extent)) return true;
    const auto* read = std::get_if<ir::Read>(&module[scalar->expr]);
    if (read != nullptr && is_parameter(kept, read->local)) return true;
    if (std::find(kept.returned.begin(), kept.returned.end(), scalar->expr) == kept.returned.end()) {
      kept.returned.push_back(scalar->expr);
    }
    return true;
  }
  return result.is<None>() || result.is<bool>() || result.is<std::int64_t>() || result.is<double>() ||
         result.is<std::complex<double>>() || result.is<std::string>();
}

bool Stager::is_parameter(const KeptFunction& kept, ir::LocalId local) {
  const auto is = [&](const auto& each) { return each.parameter == local; };
  return std::any_of(kept.shape.sizes.begin(), kept.shape.sizes.end(), is) ||
         std::any_of(kept.shape.numbers.begin(), kept.shape.numbers.end(), is);
}

bool Stager::finish_kept(const UserFunction& function, const Value& result, const Scope& ended,
                         KeptFunction& kept) {
  const ir::BlockId body = blocks_.back();
  if (!collect_result(result, kept)) return false;
  const Result<Sharing::Outcome> sharing = check_sharing(body);  // ahead of the return, which ends the flow
  if (!sharing) return false;
  if (!kept.returned.empty()) emit(ir::Return{kept.returned});
  Contents contents;
  add_contents(module, module[body].statements, contents);
  const bool has_arrays = !kept.shape.arrays.empty() || !kept.made.empty();
  kept.small = has_arrays ? contents.statements <= kSmall && !contents.loops && !contents.calls
                          : contents.statements <= kSmallWithoutArrays;
  if (kept.small) return false;
  ir::Function out;
  out.name = tree_.get_if<python::FunctionDef>(function.definition)->name;
  out.body = body;
  out.span = tree_.span(function.definition);
  Uses uses(module);
  for (const auto& each : kept.shape.arrays) {
    out.parameters.emplace_back(each.parameter);
    uses.made_buffers.insert(each.parameter);
  }
  std::vector<ir::LocalId> sizes;
  for (const auto& each : kept.shape.sizes) sizes.push_back(each.parameter);
  for (const auto& each : kept.shape.numbers) {
    out.parameters.emplace_back(each.parameter);
    uses.made.insert(each.parameter);
  }
  for (const ir::LocalId each : sizes) out.parameters.emplace_back(each);
  uses.made.insert(sizes.begin(), sizes.end());
  for (const ir::BufferId each : kept.made) out.parameters.emplace_back(each);
  uses.made_buffers.insert(kept.made.begin(), kept.made.end());
  uses.add(body);
  if (!uses.closed()) return false;
  const auto told = [&](ir::BufferId id) { return module[id].kind == ir::BufferKind::Parameter; };
  if (std::any_of(sharing->stale.begin(), sharing->stale.end(), told)) return false;
  for (const auto& [first, second] : sharing->shared) {
    if (told(first) && told(second)) kept.shared.emplace_back(first, second);
  }
  out.promoted = kept.made.size();
  for (const ir::ExprId each : kept.returned) out.results.push_back(module.type(each));
  name_sizes(module, ended, sizes);
  kept.checks = contents.checks;
  kept.result = result;
  kept.id = module.add(std::move(out));
  kept.traps = contents.traps || contents.calls;
  kept.written = ir::written_parameters(module).back();
  return true;
}

/// The call itself, and its result in the caller's terms.
Result<Value> Stager::call_kept(const KeptFunction& kept, const CallShape& shape, base::Span span) {
  at(span);
  ir::Call call{kept.id, {}, {}};
  for (std::size_t k = 0; k < shape.arrays.size(); ++k) {
    const ir::BufferId given = shape.arrays[k].given;
    note_read(given);
    if (kept.written[k]) PW_CHECK_OK(require_storable(given, span));
    call.arguments.emplace_back(given);
  }
  for (const auto& each : shape.numbers) call.arguments.emplace_back(each.given);
  for (const auto& each : shape.sizes) call.arguments.emplace_back(index(each.given));
  Told told;
  for (std::size_t k = 0; k < shape.sizes.size(); ++k) {
    told.sizes[kept.shape.sizes[k].parameter] = shape.sizes[k].given;
  }
  for (std::size_t k = 0; k < shape.numbers.size(); ++k) {
    told.numbers[module.add(ir::Read{kept.shape.numbers[k].parameter}, span)] = shape.numbers[k].given;
  }
  for (std::size_t k = 0; k < shape.arrays.size(); ++k) {
    told.buffers[kept.shape.arrays[k].parameter] = shape.arrays[k].given;
  }
  for (const ir::BufferId each : kept.made) {
    std::vector<ir::ExtentId> extents;
    const std::vector<ir::ExtentId> own = module[each].extents;
    for (const ir::ExtentId extent : own) extents.push_back(retold(extent, told));
    told.buffers[each] = allocate(std::move(extents), module[each].type).buffer;
    call.arguments.emplace_back(told.buffers[each]);
  }
  for (const ir::ExprId each : kept.returned) {
    ir::Local local;
    local.name = invented_name(module[kept.id].name);
    local.type = module.type(each);
    local.kind = ir::LocalKind::Bound;
    local.span = span;
    call.results.push_back(module.add(std::move(local)));
    told.numbers[each] = module.add(ir::Read{call.results.back()}, span);
  }
  emit(std::move(call));
  for (std::size_t k = 0; k < shape.arrays.size(); ++k) {
    if (kept.written[k]) note_store(shape.arrays[k].given, span);
  }
  for (const auto& each : shape.arrays) note_read(each.given);  // behind what the function stores to others
  if (kept.traps) ++traps_emitted_;
  for (const auto& [first, second] : kept.shared) {
    sharing_.note(blocks_.back(), Sharing::Share{told.buffers.at(first), told.buffers.at(second)});
  }
  return retold(*kept.result, told);
}

ir::ExtentId Stager::retold(ir::ExtentId extent, const Told& told) {
  return extents().substitute(extent, [&](ir::LocalId local) {
    const auto found = told.sizes.find(local);
    return found == told.sizes.end() ? ir::ExtentId() : found->second;
  });
}

Value Stager::retold(const Value& result, const Told& told) {
  const auto each_of = [&](const std::vector<Value>& items) {
    std::vector<Value> out;
    for (const Value& item : items) out.push_back(retold(item, told));
    return out;
  };
  if (const auto* tuple = result.as<Tuple>()) return value(Tuple{each_of(tuple->items)});
  const auto number_of = [&](ir::ExprId expr) {
    return retold(value(Scalar{expr, true}), told).as<Scalar>()->expr;
  };
  if (const auto* either = result.as<OrNone>()) {
    return value(
        OrNone{number_of(either->present), std::make_shared<const Value>(retold(*either->value, told))});
  }
  if (const auto* one = result.as<OneOf>()) return value(OneOf{number_of(one->position), one->texts});
  if (const auto* array = result.as<Array>()) {
    Array out = *array;
    out.buffer = told.buffers.at(array->buffer);
    for (ir::ExtentId& each : out.shape) each = retold(each, told);
    for (ir::ExtentId& each : out.map) each = retold(each, told);
    return value(std::move(out));
  }
  const auto* scalar = result.as<Scalar>();
  if (scalar == nullptr) return result;
  if (const auto number = told.numbers.find(scalar->expr); number != told.numbers.end()) {
    return value(Scalar{number->second, scalar->weak, scalar->zero_dim});
  }
  const auto extent = module.as_extent(scalar->expr);
  if (!extent) return result;  // a constant
  return value(Scalar{index(retold(*extent, told)), scalar->weak, scalar->zero_dim});
}

namespace {

void collect_reached(const ir::Module& module, ir::BlockId block, std::set<ir::FunctionId>& functions,
                     std::set<ir::TrapId>& traps) {
  for (const ir::StmtId id : module[block].statements) {
    if (const auto* trap = std::get_if<ir::Trap>(&module[id])) traps.insert(trap->trap);
    if (const auto* call = std::get_if<ir::Call>(&module[id]); call != nullptr) {
      if (functions.insert(call->callee).second) {
        collect_reached(module, module[call->callee].body, functions, traps);
      }
    }
    for (const ir::BlockId inner : ir::blocks_of(module[id]))
      collect_reached(module, inner, functions, traps);
  }
}

void renumber(ir::Module& module, ir::BlockId block,
              const std::map<ir::FunctionId, ir::FunctionId>& functions,
              const std::map<ir::TrapId, ir::TrapId>& traps) {
  const std::vector<ir::StmtId> statements = module[block].statements;
  for (const ir::StmtId id : statements) {
    if (auto* trap = std::get_if<ir::Trap>(&module[id])) trap->trap = traps.at(trap->trap);
    if (auto* call = std::get_if<ir::Call>(&module[id])) call->callee = functions.at(call->callee);
    for (const ir::BlockId inner : ir::blocks_of(module[id])) renumber(module, inner, functions, traps);
  }
}

}  // namespace

/// Leaves out functions and traps of attempts that came to nothing, and tells functions of one name apart.
void Stager::drop_unreached() {
  const ir::FunctionId entry(module.functions.size() - 1);
  std::set<ir::FunctionId> functions = {entry};
  std::set<ir::TrapId> traps;
  collect_reached(module, module[entry].body, functions, traps);
  std::map<ir::FunctionId, ir::FunctionId> new_functions;
  std::map<ir::TrapId, ir::TrapId> new_traps;
  std::vector<ir::Function> kept_functions;
  std::vector<ir::TrapRow> kept_traps;
  for (const ir::TrapId id : traps) {
    new_traps[id] = ir::TrapId(kept_traps.size());
    kept_traps.push_back(module[id]);
  }
  std::map<std::string, int> names = {{module[entry].name, 1}};
  for (const ir::FunctionId id : functions) {
    new_functions[id] = ir::FunctionId(kept_functions.size());
    ir::Function function = module[id];
    if (id != entry) {
      const int count = ++names[function.name];
      if (count > 1) function.name += "_" + std::to_string(count);
    }
    kept_functions.push_back(std::move(function));
  }
  for (const ir::Function& each : kept_functions) renumber(module, each.body, new_functions, new_traps);
  module.functions = std::move(kept_functions);
  module.traps = std::move(kept_traps);
}

}  // namespace pw::numpy
