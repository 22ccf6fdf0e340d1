#include "passes/simplify.h"

#include <algorithm>
#include <unordered_map>

#include "ir/scalar.h"
#include "passes/dependence.h"
#include "passes/facts.h"
#include "passes/rewrite.h"

namespace pw::passes {

using namespace ir;

namespace {

/// Rounds of folding and removal; each can only uncover a little more.
constexpr int kMostRounds = 6;

// ---- expressions

class Folder {
 public:
  explicit Folder(Module& module) : m_(module), facts_(module.extents) {}
  ExprId operator()(ExprId id);
  /// Whether comparisons may be decided by proof, or only by sight.
  void set_proves(bool proves) { proves_ = proves; }

  /// Facts hold (extents >= 0) from here until they are dropped: of loops that run, branches taken, checks
  /// passed.
  std::size_t mark() const { return facts_.size(); }
  void learn(ExtentId fact);
  void learn(ExprId condition, bool holds);
  void drop(std::size_t mark);

 private:
  ExprId fold_apply(ExprId id, const Apply& apply);
  ExprId fold_integers(const Apply& apply);
  ExprId fold_floats(const Apply& apply);
  ExprId fold_bools(const Apply& apply, base::Span span);
  ExprId fold_comparison(const Apply& apply, base::Span span);
  const Const* constant(ExprId id) const { return std::get_if<Const>(&m_[id]); }
  bool is_int(ExprId id, std::int64_t value) const {
    const Const* c = constant(id);
    return c != nullptr && is_integer(c->type) && as_int(*c) == value;
  }
  bool is_float_bits(ExprId id, double value) const {
    const Const* c = constant(id);
    return c != nullptr && is_float(c->type) && *c == const_float(c->type, value);
  }

  bool proves(ExtentId goal) const {
    const auto value = m_.extents.as_constant(goal);
    return value ? *value >= 0 : proves_ && facts_.imply(goal, m_.ranges());
  }

  Module& m_;
  bool proves_ = false;
  Facts facts_;
  // What is folded under some facts is not so without them: one memo a fact, and one for none.
  std::vector<std::unordered_map<ExprId, ExprId>> memos_ = std::vector<std::unordered_map<ExprId, ExprId>>(1);
};

ExprId Folder::operator()(ExprId id) {
  if (const auto found = memos_.back().find(id); found != memos_.back().end()) return found->second;
  const Expr node = m_[id];
  ExprId out = id;
  if (const auto* load = std::get_if<Load>(&node)) {
    Load changed = *load;
    for (ExprId& i : changed.index) i = (*this)(i);
    if (!(changed == *load)) out = m_.add(changed, m_.span(id));
  } else if (const auto* cast = std::get_if<Cast>(&node)) {
    const ExprId argument = (*this)(cast->argument);
    if (m_.type(argument) == cast->type) {
      out = argument;
    } else if (const Const* c = constant(argument)) {
      out = m_.add(fold_cast(cast->type, *c), m_.span(id));
    } else if (argument != cast->argument) {
      out = m_.add(Cast{cast->type, argument}, m_.span(id));
    }
  } else if (const auto* apply = std::get_if<Apply>(&node)) {
    Apply changed = *apply;
    for (ExprId& argument : changed.arguments) argument = (*this)(argument);
    out = fold_apply(id, changed);
    if (!out.valid()) out = changed == *apply ? id : m_.add(changed, m_.span(id));
  }
  memos_.back().emplace(id, out);
  return out;
}

void Folder::learn(ExtentId fact) {
  if (facts_.push(fact)) memos_.emplace_back();
}

void Folder::drop(std::size_t mark) {
  facts_.drop(mark);
  memos_.resize(mark + 1);
}

/// What a condition says about i64 polynomials, when it is known to hold, or not to.
void Folder::learn(ExprId condition, bool holds) {
  const auto* found = std::get_if<Apply>(&m_[condition]);
  if (found == nullptr || !proves_) return;
  const Apply apply = *found;
  if (apply.op == Op::Not) return learn(apply.arguments[0], !holds);
  if (apply.op == (holds ? Op::And : Op::Or)) {
    learn(apply.arguments[0], holds);
    learn(apply.arguments[1], holds);
    return;
  }
  if (apply.op < Op::Eq || apply.op > Op::Ge) return;
  const auto left = m_.as_extent(apply.arguments[0]);
  const auto right = m_.as_extent(apply.arguments[1]);
  if (!left || !right) return;
  ExtentTable& extents = m_.extents;
  const auto at_least = [&](ExtentId high, ExtentId low, std::int64_t by) {
    learn(extents.add(extents.subtract(high, low), extents.constant(-by)));
  };
  switch (apply.op) {
    case Op::Eq:
    case Op::Ne:
      if (holds != (apply.op == Op::Eq)) return;
      at_least(*left, *right, 0);
      at_least(*right, *left, 0);
      return;
    case Op::Lt:
      return holds ? at_least(*right, *left, 1) : at_least(*left, *right, 0);
    case Op::Le:
      return holds ? at_least(*right, *left, 0) : at_least(*left, *right, 1);
    case Op::Gt:
      return holds ? at_least(*left, *right, 1) : at_least(*right, *left, 0);
    case Op::Ge:
      return holds ? at_least(*left, *right, 0) : at_least(*right, *left, 1);
    default:
      return;
  }
}

/// Whether folding gives, bit for bit, what every backend computes: no library functions, no complex
/// products.
bool folds_exactly(Op op, DType type) {
  if (is_complex(type))
    return op == Op::Neg || op == Op::Add || op == Op::Sub || op == Op::Eq || op == Op::Ne;
  if (op == Op::Pow) return is_integer(type);
  if (op == Op::Sqrt || op == Op::Floor || op == Op::Ceil || op == Op::Trunc || op == Op::Rint) return true;
  return !(op > Op::Sqrt && op <= Op::Erf);
}

/// An invalid id: nothing to fold.
ExprId Folder::fold_apply(ExprId id, const Apply& apply) {
  const base::Span span = m_.span(id);
  if (apply.op == Op::Select) {
    if (apply.arguments[1] == apply.arguments[2]) return apply.arguments[1];
    if (const Const* c = constant(apply.arguments[0])) return apply.arguments[as_bool(*c) ? 1 : 2];
    return {};
  }
  const DType type = m_.type(apply.arguments[0]);
  std::vector<Const> constants;
  for (const ExprId argument : apply.arguments) {
    if (const Const* c = constant(argument)) constants.push_back(*c);
  }
  if (constants.size() == apply.arguments.size() && folds_exactly(apply.op, type)) {
    return m_.add(ir::fold(apply.op, constants), span);
  }
  if (type == DType::Bool) return fold_bools(apply, span);
  if (const ExprId out = fold_comparison(apply, span); out.valid()) return out;
  if (is_integer(type)) return fold_integers(apply);
  return is_float(type) ? fold_floats(apply) : ExprId();
}

ExprId Folder::fold_bools(const Apply& apply, base::Span span) {
  if (apply.op == Op::Not || apply.op == Op::BitNot) {
    const auto* inner = std::get_if<Apply>(&m_[apply.arguments[0]]);
    return inner != nullptr && (inner->op == Op::Not) ? inner->arguments[0] : ExprId();
  }
  const bool conjunction = apply.op == Op::And || apply.op == Op::BitAnd;
  const bool disjunction = apply.op == Op::Or || apply.op == Op::BitOr;
  if (!conjunction && !disjunction) return {};
  if (apply.arguments[0] == apply.arguments[1]) return apply.arguments[0];
  for (std::size_t i = 0; i < 2; ++i) {
    const Const* c = constant(apply.arguments[i]);
    if (c == nullptr) continue;
    if (as_bool(*c) == conjunction) return apply.arguments[1 - i];
    return m_.add(const_bool(disjunction), span);
  }
  return {};
}

/// Comparisons of i64 polynomials whose difference has a known sign.
ExprId Folder::fold_comparison(const Apply& apply, base::Span span) {
  if (apply.op < Op::Eq || apply.op > Op::Ge) return {};
  const auto left = m_.as_extent(apply.arguments[0]);
  const auto right = m_.as_extent(apply.arguments[1]);
  if (!left || !right) return {};
  ExtentTable& extents = m_.extents;
  const ExtentId gap = extents.subtract(*right, *left);
  const auto at_least = [&](ExtentId e, std::int64_t least) {
    return proves(extents.add(e, extents.constant(-least)));
  };
  const ExtentId back = extents.scale(gap, -1);
  const auto decided = [&](bool value) { return m_.add(const_bool(value), span); };
  switch (apply.op) {
    case Op::Eq:
    case Op::Ne:
      if (extents.as_constant(gap) == 0) return decided(apply.op == Op::Eq);
      if (at_least(gap, 1) || at_least(back, 1)) return decided(apply.op == Op::Ne);
      return {};
    case Op::Lt:
      return at_least(gap, 1) ? decided(true) : at_least(back, 0) ? decided(false) : ExprId();
    case Op::Le:
      return at_least(gap, 0) ? decided(true) : at_least(back, 1) ? decided(false) : ExprId();
    case Op::Gt:
      return at_least(back, 1) ? decided(true) : at_least(gap, 0) ? decided(false) : ExprId();
    case Op::Ge:
      return at_least(back, 0) ? decided(true) : at_least(gap, 1) ? decided(false) : ExprId();
    default:
      return {};
  }
}

ExprId Folder::fold_integers(const Apply& apply) {
  const auto argument = [&](std::size_t i) { return apply.arguments[i]; };
  switch (apply.op) {
    case Op::Add:
    case Op::BitOr:
    case Op::BitXor:
      if (is_int(argument(0), 0)) return argument(1);
      return is_int(argument(1), 0) ? argument(0) : ExprId();
    case Op::Sub:
      return is_int(argument(1), 0) ? argument(0) : ExprId();
    case Op::Mul:
      if (is_int(argument(0), 1) || is_int(argument(1), 0)) return argument(1);
      return is_int(argument(1), 1) || is_int(argument(0), 0) ? argument(0) : ExprId();
    case Op::FloorDiv:
      return is_int(argument(1), 1) ? argument(0) : ExprId();
    case Op::Minimum:
    case Op::Maximum:
      return argument(0) == argument(1) ? argument(0) : ExprId();
    default:
      return {};
  }
}

ExprId Folder::fold_floats(const Apply& apply) {
  const auto argument = [&](std::size_t i) { return apply.arguments[i]; };
  switch (apply.op) {
    case Op::Add:  // x + -0.0 is x for every x
      if (is_float_bits(argument(0), -0.0)) return argument(1);
      return is_float_bits(argument(1), -0.0) ? argument(0) : ExprId();
    case Op::Sub:  // and so is x - 0.0
      return is_float_bits(argument(1), 0.0) ? argument(0) : ExprId();
    case Op::Mul:
      if (is_float_bits(argument(0), 1.0)) return argument(1);
      return is_float_bits(argument(1), 1.0) ? argument(0) : ExprId();
    case Op::Div:
      return is_float_bits(argument(1), 1.0) ? argument(0) : ExprId();
    default:
      return {};
  }
}

// ---- statements

struct Uses {
  std::vector<bool> locals;   // read
  std::vector<bool> buffers;  // loaded or passed
};

class Simplifier {
 public:
  explicit Simplifier(Module& module) : m_(module), fold_(module), effects_of_(module) {}

  /// One round; whether something changed.
  bool round(BlockId body, bool proves);

 private:
  void learn_that_runs(const Stmt& loop);
  void fold_block(BlockId block);
  void note(ExprId id);
  void note(ExtentId id);
  void note(BlockId block);
  bool is_dead(const Stmt& stmt);
  bool is_pure(BlockId block);
  void sweep(BlockId block);

  Module& m_;
  Folder fold_;
  EffectsOf effects_of_;
  Uses uses_;
  std::vector<bool> seen_;
  bool changed_ = false;
};

bool Simplifier::round(BlockId body, bool proves) {
  changed_ = false;
  fold_.set_proves(proves);
  fold_block(body);
  uses_ = {std::vector<bool>(m_.locals.size()), std::vector<bool>(m_.buffers.size())};
  seen_.assign(m_.expr_count(), false);
  note(body);
  sweep(body);
  return changed_;
}

/// Inside a loop, its extents are positive.
void Simplifier::learn_that_runs(const Stmt& loop) {
  ExtentTable& extents = m_.extents;
  const ExtentId one = extents.constant(1);
  const std::vector<Axis>* axes = nullptr;
  if (const auto* map = std::get_if<Map>(&loop)) axes = &map->axes;
  if (const auto* reduce = std::get_if<Reduce>(&loop)) axes = &reduce->axes;
  if (axes != nullptr) {
    for (const Axis& axis : *axes) fold_.learn(extents.subtract(axis.extent, one));
  }
  const auto* counted = std::get_if<For>(&loop);
  if (counted == nullptr) return;
  const auto lower = m_.as_extent(counted->lower);
  const auto upper = m_.as_extent(counted->upper);
  const auto step = m_.as_extent(counted->step);
  const std::int64_t by = step ? extents.as_constant(*step).value_or(0) : 0;
  if (!lower || !upper || by == 0) return;
  const ExtentId span = by > 0 ? extents.subtract(*upper, *lower) : extents.subtract(*lower, *upper);
  fold_.learn(extents.subtract(span, one));
}

/// Folds all expressions, and splices in the taken side of branches with a constant condition.
void Simplifier::fold_block(BlockId block) {
  std::vector<StmtId> out;
  const std::size_t outside = fold_.mark();
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId id : statements) {
    Stmt stmt = m_[id];
    const bool reduces = std::holds_alternative<Reduce>(stmt);
    const auto fold_own = [&] {
      for_each_expr(stmt, [&](ExprId& expr) {
        const ExprId folded = fold_(expr);
        changed_ |= folded != expr;
        expr = folded;
      });
      m_[id] = stmt;
    };
    if (!reduces) fold_own();
    const std::vector<BlockId> blocks = blocks_of(stmt);
    const auto* branch = std::get_if<If>(&stmt);
    for (const BlockId inner : blocks) {
      const std::size_t here = fold_.mark();
      learn_that_runs(stmt);
      if (branch != nullptr) fold_.learn(branch->condition, inner == branch->then_body);
      fold_block(inner);
      if (reduces) fold_own();
      fold_.drop(here);
    }
    if (branch != nullptr) {
      if (const auto* c = std::get_if<Const>(&m_[branch->condition])) {
        const Block& taken = m_[as_bool(*c) ? branch->then_body : branch->else_body];
        out.insert(out.end(), taken.statements.begin(), taken.statements.end());
        changed_ = true;
        continue;
      }
    }
    if (const auto* trap = std::get_if<Trap>(&stmt); trap != nullptr && trap->condition.valid()) {
      const auto* c = std::get_if<Const>(&m_[trap->condition]);
      if (c != nullptr && !as_bool(*c)) {
        changed_ = true;
        continue;
      }
      fold_.learn(trap->condition, false);
    }
    out.push_back(id);
  }
  fold_.drop(outside);
  m_[block].statements = std::move(out);
}

void Simplifier::note(ExtentId id) {
  for (const LocalId local : m_.extents.locals(id)) uses_.locals[local.index()] = true;
}

void Simplifier::note(ExprId id) {
  if (seen_[id.index()]) return;
  seen_[id.index()] = true;
  const Expr& node = m_[id];
  if (const auto* read = std::get_if<Read>(&node)) uses_.locals[read->local.index()] = true;
  if (const auto* index = std::get_if<Index>(&node)) note(index->extent);
  if (const auto* load = std::get_if<Load>(&node)) uses_.buffers[load->buffer.index()] = true;
  for (const ExprId operand : operands_of(node)) note(operand);
}

void Simplifier::note(BlockId block) {
  for (const StmtId id : m_[block].statements) {
    const Stmt& stmt = m_[id];
    const auto axes = [&](const std::vector<Axis>& all) {
      for (const Axis& axis : all) note(axis.extent);
    };
    if (const auto* map = std::get_if<Map>(&stmt)) axes(map->axes);
    if (const auto* reduce = std::get_if<Reduce>(&stmt)) axes(reduce->axes);
    if (const auto* alloc = std::get_if<Alloc>(&stmt)) {
      for (const ExtentId extent : m_[alloc->buffer].extents) note(extent);
    }
    if (const auto* call = std::get_if<Call>(&stmt)) {
      for (const Argument& argument : call->arguments) {
        if (const auto* buffer = std::get_if<BufferId>(&argument)) uses_.buffers[buffer->index()] = true;
      }
    }
    for (const ExprId expr : exprs_of(stmt)) note(expr);
    for (const BlockId inner : blocks_of(stmt)) note(inner);
  }
}

bool Simplifier::is_pure(BlockId block) {
  const Effects effects = effects_of_(block);
  return effects.writes.empty() && !effects.leaves && !effects.calls &&
         std::all_of(effects.assigns.begin(), effects.assigns.end(),
                     [&](LocalId local) { return contains(effects.defines, local); });
}

bool Simplifier::is_dead(const Stmt& stmt) {
  const auto unread = [&](LocalId local) { return !uses_.locals[local.index()]; };
  const auto unloaded = [&](BufferId buffer) {
    return m_[buffer].kind == BufferKind::Temporary && !uses_.buffers[buffer.index()];
  };
  const auto empty = [&](BlockId block) { return m_[block].statements.empty(); };
  return std::visit(Overload{
                        [&](const Let& s) { return unread(s.local); },
                        [&](const Declare& s) { return unread(s.variable); },
                        [&](const Assign& s) { return unread(s.variable); },
                        [&](const Alloc& s) { return unloaded(s.buffer); },
                        [&](const Store& s) { return unloaded(s.buffer); },
                        [&](const Map& s) { return empty(s.body); },
                        [&](const Reduce& s) { return unread(s.target) && is_pure(s.body); },
                        [&](const For& s) { return empty(s.body); },
                        [&](const If& s) { return empty(s.then_body) && empty(s.else_body); },
                        [](const auto&) { return false; },
                    },
                    stmt);
}

void Simplifier::sweep(BlockId block) {
  std::vector<StmtId> out;
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId id : statements) {
    for (const BlockId inner : blocks_of(m_[id])) sweep(inner);
    if (is_dead(m_[id])) {
      changed_ = true;
    } else {
      out.push_back(id);
    }
  }
  m_[block].statements = std::move(out);
}

/// Ranges may speak of locals that are gone; such a bound says nothing any more.
void forget_removed(Module& module) {
  std::vector<bool> defined(module.locals.size(), false);
  const std::function<void(BlockId)> visit = [&](BlockId block) {
    for (const StmtId id : module[block].statements) {
      const Stmt& stmt = module[id];
      std::visit(Overload{
                     [&](const Let& s) { defined[s.local.index()] = true; },
                     [&](const Declare& s) { defined[s.variable.index()] = true; },
                     [&](const Map& s) {
                       for (const Axis& axis : s.axes) defined[axis.index.index()] = true;
                     },
                     [&](const Reduce& s) {
                       defined[s.target.index()] = true;
                       for (const Axis& axis : s.axes) defined[axis.index.index()] = true;
                     },
                     [&](const For& s) { defined[s.index.index()] = true; },
                     [&](const Call& s) {
                       for (const LocalId result : s.results) defined[result.index()] = true;
                     },
                     [](const auto&) {},
                 },
                 stmt);
      for (const BlockId inner : blocks_of(stmt)) visit(inner);
    }
  };
  for (std::size_t i = 0; i < module.locals.size(); ++i) {
    if (module.locals[i].kind == LocalKind::Config) defined[i] = true;
  }
  for (const Function& function : module.functions) {
    for (const Parameter& parameter : function.parameters) {
      if (const auto* local = std::get_if<LocalId>(&parameter)) defined[local->index()] = true;
    }
    visit(function.body);
  }
  for (Local& local : module.locals) {
    for (ExtentId* bound : {&local.range.lower, &local.range.upper}) {
      if (!bound->valid()) continue;
      for (const LocalId inside : module.extents.locals(*bound)) {
        if (!defined[inside.index()]) *bound = ExtentId();
        if (!bound->valid()) break;
      }
    }
  }
}

base::Result<Module> run(Module module, bool proves) {
  complete_ranges(module);
  Simplifier simplifier(module);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    for (int round = 0;
         round < kMostRounds && simplifier.round(module.functions[f].body, proves && round == 0); ++round) {
    }
  }
  forget_removed(module);
  return module;
}

}  // namespace

base::Result<Module> simplify(Module module, const Options&, diagnostics::Engine&) {
  return run(std::move(module), true);
}

base::Result<Module> tidy(Module module, const Options&, diagnostics::Engine&) {
  return run(std::move(module), false);
}

}  // namespace pw::passes
