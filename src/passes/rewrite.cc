#include "passes/rewrite.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/check.h"

namespace pw::passes {

using namespace ir;

void for_each_expr(Stmt& stmt, const std::function<void(ExprId&)>& f) {
  const auto visit = [&](ExprId& id) {
    if (id.valid()) f(id);
  };
  std::visit(Overload{
                 [&](Let& s) { visit(s.value); },
                 [&](Declare& s) { visit(s.value); },
                 [&](Assign& s) { visit(s.value); },
                 [&](Store& s) {
                   for (ExprId& i : s.index) visit(i);
                   visit(s.value);
                 },
                 [&](Reduce& s) { visit(s.value); },
                 [&](For& s) {
                   visit(s.lower);
                   visit(s.upper);
                   visit(s.step);
                 },
                 [&](While& s) { visit(s.condition); },
                 [&](If& s) { visit(s.condition); },
                 [&](Return& s) {
                   for (ExprId& value : s.values) visit(value);
                 },
                 [&](Trap& s) { visit(s.condition); },
                 [&](Call& s) {
                   for (Argument& argument : s.arguments) {
                     if (auto* expr = std::get_if<ExprId>(&argument)) visit(*expr);
                   }
                 },
                 [](auto&) {},
             },
             stmt);
}

// ---- Rewriter

void Rewriter::replace(LocalId local, ExprId value) {
  std::erase_if(replacements_, [&](const Replacement& each) { return each.local == local; });
  replacements_.push_back({local, value, module_.as_extent(value)});
  any_extent_ |= replacements_.back().extent.has_value();
}

const Rewriter::Replacement* Rewriter::find(LocalId local) const {
  for (const Replacement& each : replacements_) {
    if (each.local == local) return &each;
  }
  return nullptr;
}

/// False: it is replaced by what is no extent.
bool Rewriter::stands_in_extents(LocalId local) const {
  const Replacement* found = find(local);
  return found == nullptr || found->extent.has_value();
}

void Rewriter::on_load(std::function<ExprId(ExprId, const Load&)> replacement) {
  load_ = std::move(replacement);
}

ExtentId Rewriter::operator()(ExtentId extent) {
  if (!any_extent_ || !extent.valid()) return extent;
  const auto [it, fresh] = extent_memo_.try_emplace(extent, extent);
  if (!fresh) return it->second;
  const ExtentId out = module_.extents.substitute(extent, [&](LocalId local) {
    const Replacement* found = find(local);
    return found == nullptr || !found->extent ? ExtentId() : *found->extent;
  });
  extent_memo_[extent] = out;
  return out;
}

ExprId Rewriter::operator()(ExprId expr) {
  const Expr& node = module_[expr];
  if (std::holds_alternative<Const>(node)) return expr;
  if (const auto* read = std::get_if<Read>(&node)) {
    const Replacement* found = find(read->local);
    return found == nullptr ? expr : found->value;
  }
  if (const auto found = memo_.find(expr); found != memo_.end()) return found->second;
  const ExprId out = rebuild(expr);
  memo_.emplace(expr, out);
  return out;
}

ExprId Rewriter::rebuild(ExprId id) {
  const base::Span span = module_.span(id);
  Expr expr = module_[id];  // a copy: the tables grow below
  const auto rebuild_all = [&](ExprList& operands) {
    bool changed = false;
    for (ExprId& operand : operands) {
      const ExprId old = operand;
      operand = (*this)(old);
      changed |= operand != old;
    }
    return changed;
  };
  return std::visit(Overload{
                        [&](Index& index) { return rebuild_index(index.extent, span); },
                        [&](Load& load) {
                          const bool changed = rebuild_all(load.index);
                          if (load_) {
                            if (const ExprId out = load_(id, load); out.valid()) return out;
                          }
                          return changed ? module_.add(std::move(load), span) : id;
                        },
                        [&](Apply& apply) {
                          return rebuild_all(apply.arguments) ? module_.add(std::move(apply), span) : id;
                        },
                        [&](Cast& cast) {
                          const ExprId old = cast.argument;
                          cast.argument = (*this)(old);
                          return cast.argument == old ? id : module_.add(cast, span);
                        },
                        [&](auto&) { return id; },
                    },
                    expr);
}

/// A polynomial some of whose locals become values that are no extents: linear in each, it is rest +
/// coefficient * value on i64.
ExprId Rewriter::rebuild_index(ExtentId extent, base::Span span) {
  for (const LocalId local : module_.extents.locals(extent)) {
    if (stands_in_extents(local)) continue;
    const ExprId value = find(local)->value;
    const auto linear = module_.extents.linear_in(extent, local);
    if (!linear) {
      failed_ = true;
      return module_.index(extent, span);
    }
    ExprId product = value;
    if (module_.extents.as_constant(linear->coefficient) != 1) {
      product = module_.add(Apply{Op::Mul, {rebuild_index(linear->coefficient, span), product}}, span);
    }
    if (module_.extents.as_constant(linear->rest) == 0) return product;
    return module_.add(Apply{Op::Add, {product, rebuild_index(linear->rest, span)}}, span);
  }
  return module_.index((*this)(extent), span);
}

void Rewriter::rewrite_range(LocalId local) {
  for (ExtentId Range::* bound : {&Range::lower, &Range::upper}) {
    const ExtentId old = module_[local].range.*bound;
    if (!old.valid()) continue;
    ExtentId changed = (*this)(old);
    for (const LocalId inside : module_.extents.locals(old)) {
      if (!stands_in_extents(inside)) changed = ExtentId();
    }
    module_[local].range.*bound = changed;
  }
}

void Rewriter::rewrite_axes(std::vector<Axis>& axes) {
  for (Axis& axis : axes) {
    for (const LocalId inside : module_.extents.locals(axis.extent)) {
      if (!stands_in_extents(inside)) failed_ = true;
    }
    axis.extent = (*this)(axis.extent);
    rewrite_range(axis.index);
  }
}

void Rewriter::rewrite(StmtId id) {
  Stmt stmt = module_[id];
  std::visit(Overload{
                 [&](Map& s) { rewrite_axes(s.axes); },
                 [&](Reduce& s) { rewrite_axes(s.axes); },
                 [&](For& s) { rewrite_range(s.index); },
                 [&](Let& s) { rewrite_range(s.local); },
                 [&](Alloc& s) {
                   for (std::size_t d = 0; d < module_[s.buffer].extents.size(); ++d) {
                     const ExtentId changed = (*this)(module_[s.buffer].extents[d]);
                     module_[s.buffer].extents[d] = changed;
                   }
                 },
                 [](auto&) {},
             },
             stmt);
  for_each_expr(stmt, [&](ExprId& expr) { expr = (*this)(expr); });
  const std::vector<BlockId> blocks = blocks_of(stmt);
  module_[id] = std::move(stmt);
  for (const BlockId block : blocks) rewrite(block);
}

void Rewriter::rewrite(BlockId block) {
  const std::vector<StmtId> statements = module_[block].statements;
  for (const StmtId stmt : statements) rewrite(stmt);
}

// ---- Effects

EffectsOf::EffectsOf(const Module& module) : module_(module), summaries_(module.functions.size()) {}

void EffectsOf::begin() {
  ++epoch_;
  seen_exprs_.resize(module_.expr_count(), 0);
}

namespace {

template <typename T>
void tidy(base::SmallVector<T>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.resize(static_cast<std::size_t>(std::unique(ids.begin(), ids.end()) - ids.begin()));
}

void tidy(Effects& effects) {
  tidy(effects.reads);
  tidy(effects.writes);
  tidy(effects.uses);
  tidy(effects.assigns);
  tidy(effects.defines);
}

}  // namespace

Effects EffectsOf::operator()(StmtId stmt) {
  Effects out;
  // Summaries restart the epoch, so callees come first.
  begin();
  collect(stmt, out, 0);
  tidy(out);
  return out;
}

Effects EffectsOf::operator()(BlockId block) {
  Effects out;
  begin();
  collect(block, out, 0);
  tidy(out);
  return out;
}

Effects EffectsOf::operator()(ExprId expr) {
  Effects out;
  begin();
  collect(expr, out);
  tidy(out);
  return out;
}

void EffectsOf::collect(BlockId id, Effects& out, int loops_around) {
  for (const StmtId stmt : module_[id].statements) collect(stmt, out, loops_around);
}

void EffectsOf::collect(ExtentId id, Effects& out) {
  if (!id.valid()) return;
  if (id.index() >= seen_extents_.size()) seen_extents_.resize(id.index() + 64, 0);
  if (seen_extents_[id.index()] == epoch_) return;
  seen_extents_[id.index()] = epoch_;
  if (const auto local = module_.extents.as_local(id)) return out.uses.push_back(*local);
  const std::vector<LocalId> inside = module_.extents.locals(id);
  out.uses.append(inside.begin(), inside.end());
}

void EffectsOf::collect(ExprId id, Effects& out) {
  if (!id.valid() || seen_exprs_[id.index()] == epoch_) return;
  seen_exprs_[id.index()] = epoch_;
  std::visit(Overload{
                 [](const Const&) {},
                 [&](const Read& read) { out.uses.push_back(read.local); },
                 [&](const Index& index) { collect(index.extent, out); },
                 [&](const Load& load) {
                   out.reads.push_back(load.buffer);
                   for (const ExprId i : load.index) collect(i, out);
                 },
                 [&](const Apply& apply) {
                   for (const ExprId argument : apply.arguments) collect(argument, out);
                 },
                 [&](const Cast& cast) { collect(cast.argument, out); },
             },
             module_[id]);
}

void EffectsOf::collect(StmtId id, Effects& out, int loops_around) {
  const Stmt& stmt = module_[id];
  int inside = loops_around;
  const auto axes = [&](const std::vector<Axis>& all) {
    out.loops = true;
    for (const Axis& axis : all) {
      collect(axis.extent, out);
      out.defines.push_back(axis.index);
    }
  };
  std::visit(Overload{
                 [&](const Let& s) { out.defines.push_back(s.local); },
                 [&](const Declare& s) { out.defines.push_back(s.variable); },
                 [&](const Assign& s) { out.assigns.push_back(s.variable); },
                 [&](const Alloc& s) {
                   // Its content is undefined from here on, which is as good as a write.
                   out.writes.push_back(s.buffer);
                   for (const ExtentId extent : module_[s.buffer].extents) collect(extent, out);
                 },
                 [&](const Store& s) { out.writes.push_back(s.buffer); },
                 [&](const Map& s) { axes(s.axes); },
                 [&](const Reduce& s) {
                   axes(s.axes);
                   out.defines.push_back(s.target);
                 },
                 [&](const For& s) {
                   out.loops = true;
                   out.defines.push_back(s.index);
                   ++inside;
                 },
                 [&](const While&) {
                   out.loops = true;
                   ++inside;
                 },
                 [](const If&) {},
                 [&](const Break&) { out.returns |= loops_around == 0; },
                 [&](const Continue&) { out.returns |= loops_around == 0; },
                 [&](const Return&) { out.returns = true; },
                 [&](const Trap&) { out.leaves = true; },
                 [&](const Call& s) { collect(s, out); },
             },
             stmt);
  out.leaves |= out.returns;
  for (const ExprId expr : exprs_of(stmt)) collect(expr, out);
  for (const BlockId block : blocks_of(stmt)) collect(block, out, inside);
}

void EffectsOf::collect(const Call& call, Effects& out) {
  out.calls = true;
  out.defines.append(call.results.begin(), call.results.end());
  const std::uint32_t epoch = epoch_;
  const Summary& callee = summary(call.callee);
  if (epoch_ != epoch) begin();  // what was seen before is collected twice, and tidied
  out.leaves |= callee.traps;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferId>(&call.arguments[i]);
    if (buffer == nullptr) continue;
    // One that the callee leaves alone must be there all the same.
    if (callee.reads[i] || !callee.writes[i]) out.reads.push_back(*buffer);
    if (callee.writes[i]) out.writes.push_back(*buffer);
  }
}

namespace {

/// Whether a trap can be reached in the block; returns are the callee's own affair.
bool may_trap(const Module& module, BlockId block, const std::function<bool(FunctionId)>& callee_traps) {
  for (const StmtId id : module[block].statements) {
    const Stmt& stmt = module[id];
    if (std::holds_alternative<Trap>(stmt)) return true;
    if (const auto* call = std::get_if<Call>(&stmt); call != nullptr && callee_traps(call->callee))
      return true;
    for (const BlockId inner : blocks_of(stmt)) {
      if (may_trap(module, inner, callee_traps)) return true;
    }
  }
  return false;
}

}  // namespace

const EffectsOf::Summary& EffectsOf::summary(FunctionId id) {
  if (summaries_[id.index()].known) return summaries_[id.index()];
  const Function& function = module_[id];
  // Until it is known (a function that calls itself), everything is assumed.
  Summary made;
  made.reads.assign(function.parameters.size(), true);
  made.writes.assign(function.parameters.size(), true);
  made.traps = true;
  made.known = true;
  summaries_[id.index()] = made;
  const Effects effects = (*this)(function.body);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const auto* buffer = std::get_if<BufferId>(&function.parameters[i]);
    made.reads[i] = buffer != nullptr && contains(effects.reads, *buffer);
    made.writes[i] = buffer != nullptr && contains(effects.writes, *buffer);
  }
  made.traps = may_trap(module_, function.body, [&](FunctionId callee) { return summary(callee).traps; });
  summaries_[id.index()] = made;
  return summaries_[id.index()];
}

void collect_accesses(const Module& module, BlockId block, std::vector<Access>& out,
                      std::vector<BufferId>& own) {
  std::unordered_set<ExprId> seen;
  const auto loads = [&](ExprId root) {
    std::vector<ExprId> pending = {root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      const Expr& node = module[id];
      const bool is_leaf = std::holds_alternative<Const>(node) || std::holds_alternative<Read>(node);
      if (is_leaf || !seen.insert(id).second) continue;
      if (const auto* load = std::get_if<Load>(&node)) out.push_back({load->buffer, load->index, false});
      for (const ExprId operand : operands_of(node)) pending.push_back(operand);
    }
  };
  for (const StmtId id : module[block].statements) {
    const Stmt& stmt = module[id];
    for (const ExprId expr : exprs_of(stmt)) loads(expr);
    if (const auto* store = std::get_if<Store>(&stmt)) out.push_back({store->buffer, store->index, true});
    if (const auto* alloc = std::get_if<Alloc>(&stmt)) own.push_back(alloc->buffer);
    for (const BlockId inner : blocks_of(stmt)) collect_accesses(module, inner, out, own);
  }
}

bool independent(const Effects& a, const Effects& b) {
  const auto disturbs = [](const Effects& x, const Effects& y) {
    return intersects(x.writes, y.reads) || intersects(x.writes, y.writes) || intersects(x.assigns, y.uses) ||
           intersects(x.assigns, y.assigns) || intersects(x.defines, y.uses) ||
           intersects(x.defines, y.assigns);
  };
  return !a.leaves && !b.leaves && !disturbs(a, b) && !disturbs(b, a);
}

// ---- small questions about expressions

std::size_t tree_size(const Module& module, ExprId expr, std::size_t limit) {
  std::unordered_map<ExprId, std::size_t> memo;
  const std::function<std::size_t(ExprId)> size = [&](ExprId id) -> std::size_t {
    if (const auto found = memo.find(id); found != memo.end()) return found->second;
    std::size_t sum = 1;
    for (const ExprId operand : operands_of(module[id])) sum = std::min(limit, sum + size(operand));
    memo.emplace(id, sum);
    return sum;
  };
  return size(expr);
}

std::size_t tree_uses(const Module& module, StmtId stmt, LocalId local) {
  // Operands have smaller ids than what they are operands of, so one sweep downwards counts paths.
  std::map<ExprId, std::size_t, std::greater<>> pending;
  for (const ExprId expr : exprs_of(module[stmt])) ++pending[expr];
  std::size_t sum = 0;
  while (!pending.empty()) {
    const auto [id, count] = *pending.begin();
    pending.erase(pending.begin());
    const auto* read = std::get_if<Read>(&module[id]);
    const auto* index = std::get_if<Index>(&module[id]);
    if (read != nullptr && read->local == local) sum += count;
    if (index != nullptr && module.extents.mentions(index->extent, local)) sum += count;
    for (const ExprId operand : operands_of(module[id])) {
      std::size_t& paths = pending[operand];
      paths = std::min<std::size_t>(paths + count, 1000);
    }
  }
  return std::min<std::size_t>(sum, 1000);
}

namespace {

bool any_node(const Module& module, ExprId expr, const std::function<bool(const Expr&)>& test) {
  std::vector<ExprId> pending = {expr};
  std::unordered_set<ExprId> seen;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (test(module[id])) return true;
    for (const ExprId operand : operands_of(module[id])) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return false;
}

}  // namespace

bool reads_state(const Module& module, ExprId expr) {
  return any_node(module, expr, [&](const Expr& node) {
    if (std::holds_alternative<Load>(node)) return true;
    const auto* read = std::get_if<Read>(&node);
    return read != nullptr && module[read->local].kind == LocalKind::Variable;
  });
}

bool has_load(const Module& module, ExprId expr) {
  return any_node(module, expr, [](const Expr& node) { return std::holds_alternative<Load>(node); });
}

bool is_expensive(Op op) {
  switch (op) {
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::FMod:
    case Op::Pow:
      return true;
    default:
      return op >= Op::Sqrt && op <= Op::Erf;
  }
}

}  // namespace pw::passes
