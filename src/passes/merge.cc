#include "passes/merge.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "passes/dependence.h"
#include "passes/rewrite.h"

namespace pw::passes {

using namespace ir;

namespace {

constexpr std::size_t kWindow = 12;         // statements to look back over
constexpr std::size_t kLargestBody = 24;    // statements
constexpr std::size_t kMostPairs = 256;     // of accesses to compare
constexpr std::size_t kLargestInline = 48;  // nodes of a let's value that is put where it is read

struct Slot {
  StmtId stmt;
  Effects effects;
  std::optional<std::vector<Access>> accesses;  // of a Map, once they were asked for
};

class Merger {
 public:
  Merger(Module& module, const Options& options) : m_(module), options_(options), effects_of_(module) {}

  void run(BlockId block);

 private:
  bool mergeable(const Slot& slot);
  bool merge_back(Slot& later);
  bool compatible(Slot& earlier, Slot& later);
  const std::vector<Access>& accesses_of(Slot& slot);
  bool hoist_allocs(std::size_t to, std::vector<std::size_t> allocs);
  void contract(const std::vector<BufferId>& allocs);
  bool to_lets(const Slot& slot, BufferId buffer);
  void inline_lets(BlockId body, const std::vector<LocalId>& invented);

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
  std::vector<Slot> slots_;
};

void Merger::run(BlockId block) {
  const std::vector<StmtId> statements = m_[block].statements;
  std::vector<BufferId> allocs;
  for (const StmtId stmt : statements) {
    const std::vector<BlockId> inner = blocks_of(m_[stmt]);
    for (const BlockId each : inner) run(each);
    if (const auto* alloc = std::get_if<Alloc>(&m_[stmt])) allocs.push_back(alloc->buffer);
  }
  const auto is_map = [&](StmtId stmt) { return std::holds_alternative<Map>(m_[stmt]); };
  if (std::none_of(statements.begin(), statements.end(), is_map)) return;
  slots_.clear();
  for (const StmtId stmt : statements) {
    Slot slot{stmt, effects_of_(stmt), std::nullopt};
    if (!merge_back(slot)) slots_.push_back(std::move(slot));
  }
  if (!allocs.empty()) contract(allocs);
  std::vector<StmtId> out;
  for (const Slot& slot : slots_) {
    if (slot.stmt.valid()) out.push_back(slot.stmt);
  }
  m_[block].statements = std::move(out);
}

// ---- merging

bool Merger::mergeable(const Slot& slot) {
  const auto* map = std::get_if<Map>(&m_[slot.stmt]);
  if (map == nullptr || slot.effects.leaves || slot.effects.calls) return false;
  const std::vector<StmtId>& body = m_[map->body].statements;
  const auto loops = [&](StmtId stmt) { return !blocks_of(m_[stmt]).empty() && effects_of_(stmt).loops; };
  return body.size() <= kLargestBody && std::none_of(body.begin(), body.end(), loops);
}

bool Merger::merge_back(Slot& later) {
  if (!mergeable(later)) return false;
  const Map second = std::get<Map>(m_[later.stmt]);
  std::vector<std::size_t> allocs;  // of what `later` writes, to be moved before the first Map
  const std::size_t stop = slots_.size() > kWindow ? slots_.size() - kWindow : 0;
  for (std::size_t at = slots_.size(); at-- > stop;) {
    Slot& earlier = slots_[at];
    const auto* first = std::get_if<Map>(&m_[earlier.stmt]);
    const auto equal = [](const Axis& a, const Axis& b) { return a.extent == b.extent; };
    const bool alike = first != nullptr && first->axes.size() == second.axes.size() &&
                       std::equal(first->axes.begin(), first->axes.end(), second.axes.begin(), equal);
    if (alike && mergeable(earlier) && compatible(earlier, later) && hoist_allocs(at, allocs)) {
      Slot& target = slots_[at + allocs.size()];
      const Map into = std::get<Map>(m_[target.stmt]);
      Rewriter rewriter(m_);
      for (std::size_t d = 0; d < second.axes.size(); ++d) {
        rewriter.replace(second.axes[d].index, m_.add(Read{into.axes[d].index}, m_.span(target.stmt)));
      }
      rewriter.rewrite(second.body);
      std::vector<StmtId>& body = m_[into.body].statements;
      const std::vector<StmtId> more = m_[second.body].statements;
      body.insert(body.end(), more.begin(), more.end());
      target.effects = effects_of_(target.stmt);
      target.accesses.reset();
      options_.say(m_.span(later.stmt), "merged", "runs in one loop with an earlier statement");
      return true;
    }
    if (std::holds_alternative<Alloc>(m_[earlier.stmt])) {
      if (!independent(earlier.effects, later.effects)) allocs.push_back(at);
    } else if (!independent(earlier.effects, later.effects)) {
      return false;
    }
  }
  return false;
}

/// Moves the slots `allocs` (given from the last to the first) before slot `to`, or nothing at all.
bool Merger::hoist_allocs(std::size_t to, std::vector<std::size_t> allocs) {
  std::reverse(allocs.begin(), allocs.end());
  for (const std::size_t alloc : allocs) {
    for (std::size_t between = to; between < alloc; ++between) {
      if (std::find(allocs.begin(), allocs.end(), between) != allocs.end()) continue;
      Effects fixed = slots_[between].effects;
      fixed.leaves = false;
      if (!independent(fixed, slots_[alloc].effects)) return false;
    }
  }
  for (std::size_t i = 0; i < allocs.size(); ++i) {
    const auto first = slots_.begin() + static_cast<std::ptrdiff_t>(to + i);
    const auto last = slots_.begin() + static_cast<std::ptrdiff_t>(allocs[i]);
    std::rotate(first, last, last + 1);
  }
  return true;
}

const std::vector<Access>& Merger::accesses_of(Slot& slot) {
  if (!slot.accesses) {
    slot.accesses.emplace();
    std::vector<BufferId> own;
    collect_accesses(m_, std::get<Map>(m_[slot.stmt]).body, *slot.accesses, own);
  }
  return *slot.accesses;
}

bool Merger::compatible(Slot& earlier, Slot& later) {
  const Effects& a = earlier.effects;
  const Effects& b = later.effects;
  const bool conflict =
      intersects(a.writes, b.reads) || intersects(a.writes, b.writes) || intersects(a.reads, b.writes);
  if (!conflict && !intersects(a.reads, b.reads)) return false;
  const auto outside = [](const Effects& effects) {
    return std::any_of(effects.assigns.begin(), effects.assigns.end(),
                       [&](LocalId local) { return !contains(effects.defines, local); });
  };
  if (outside(a) || outside(b)) return false;
  const Map first = std::get<Map>(m_[earlier.stmt]);
  const Map second = std::get<Map>(m_[later.stmt]);
  if (m_[first.body].statements.size() + m_[second.body].statements.size() > kLargestBody) return false;
  if (!conflict) return true;
  const std::vector<Access>& from_first = accesses_of(earlier);
  const std::vector<Access>& from_second = accesses_of(later);
  if (from_first.size() * from_second.size() > kMostPairs) return false;
  Rewriter rewriter(m_);
  for (std::size_t d = 0; d < second.axes.size(); ++d) {
    rewriter.replace(second.axes[d].index, m_.add(Read{first.axes[d].index}, m_.span(earlier.stmt)));
  }
  const auto varying = [&](LocalId local) {
    const auto is_axis = [&](const Axis& axis) { return axis.index == local; };
    return contains(b.defines, local) || std::any_of(first.axes.begin(), first.axes.end(), is_axis);
  };
  for (const Access& y : from_second) {
    ExprList index = y.index;
    for (ExprId& i : index) i = rewriter(i);
    for (const Access& x : from_first) {
      if (x.buffer != y.buffer || (!x.writes && !y.writes)) continue;
      if (!same_index(m_, x.index, index) && !never_equal(m_, x.index, index, varying)) return false;
    }
  }
  return true;
}

// ---- contraction

void Merger::contract(const std::vector<BufferId>& allocs) {
  std::unordered_map<BufferId, std::vector<std::size_t>> touching;
  std::unordered_map<BufferId, std::size_t> made;
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    if (const auto* alloc = std::get_if<Alloc>(&m_[slots_[p].stmt])) {
      made[alloc->buffer] = p;
      continue;
    }
    std::vector<BufferId> all = slots_[p].effects.reads;
    all.insert(all.end(), slots_[p].effects.writes.begin(), slots_[p].effects.writes.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const BufferId buffer : all) touching[buffer].push_back(p);
  }
  for (const BufferId buffer : allocs) {
    const std::vector<std::size_t>& where = touching[buffer];
    if (where.size() != 1 || !to_lets(slots_[where[0]], buffer)) continue;
    slots_[made.at(buffer)].stmt = StmtId();
  }
}

/// The buffer's elements become lets of the Map's body, one a store, if each iteration keeps to one element
/// and stores to it before it loads it.
bool Merger::to_lets(const Slot& slot, BufferId buffer) {
  const auto* map = std::get_if<Map>(&m_[slot.stmt]);
  if (map == nullptr || slot.effects.calls) return false;
  const BlockId body = map->body;
  std::vector<Access> accesses;
  std::vector<BufferId> own;
  collect_accesses(m_, body, accesses, own);
  std::erase_if(accesses, [&](const Access& access) { return access.buffer != buffer; });
  // They come as they run, a statement's loads before its store.
  if (accesses.empty() || !accesses.front().writes) return false;
  for (const Access& access : accesses) {
    if (!same_index(m_, access.index, accesses[0].index)) return false;
  }
  const std::vector<StmtId> statements = m_[body].statements;
  const auto is_store = [&](StmtId stmt) {
    const auto* store = std::get_if<Store>(&m_[stmt]);
    return store != nullptr && store->buffer == buffer;
  };
  const auto stores = std::count_if(statements.begin(), statements.end(), is_store);
  const auto all = std::count_if(accesses.begin(), accesses.end(), [](const Access& a) { return a.writes; });
  if (stores != all) return false;
  std::vector<LocalId> made;
  ExprId value;  // of the element, where the walk stands
  const bool invented = m_[buffer].invented;
  std::optional<Rewriter> loads;
  for (const StmtId stmt : statements) {
    if (loads) loads->rewrite(stmt);
    const auto* store = std::get_if<Store>(&m_[stmt]);
    if (store == nullptr || store->buffer != buffer) continue;
    const DType type = m_[buffer].type;
    const LocalId local = m_.add(Local{m_[buffer].name, type, LocalKind::Bound, {}, {}, m_[buffer].span});
    const Store old = *store;
    m_[stmt] = Let{local, old.value};
    if (invented) made.push_back(local);
    value = m_.add(Read{local}, m_.span(stmt));
    loads.emplace(m_);
    loads->on_load(
        [buffer, value](ExprId, const Load& load) { return load.buffer == buffer ? value : ExprId(); });
  }
  inline_lets(body, made);
  return true;
}

/// Puts the value of a let of ours where it is read, if that is one place, in the same block, and nothing
/// that the value reads changes on the way.
void Merger::inline_lets(BlockId body, const std::vector<LocalId>& invented) {
  for (const LocalId local : invented) {
    std::vector<StmtId>& statements = m_[body].statements;
    const auto is_let = [&](StmtId stmt) {
      const auto* let = std::get_if<Let>(&m_[stmt]);
      return let != nullptr && let->local == local;
    };
    const auto at = std::find_if(statements.begin(), statements.end(), is_let);
    if (at == statements.end()) continue;
    const ExprId value = std::get<Let>(m_[*at]).value;
    const Effects needs = effects_of_(*at);
    const bool leaf = std::holds_alternative<Const>(m_[value]);
    if (tree_size(m_, value) > kLargestInline) continue;
    std::size_t uses = 0;
    StmtId user;
    bool direct = true;
    bool disturbed = false;
    for (auto next = at + 1; next != statements.end(); ++next) {
      const Effects effects = effects_of_(*next);
      if (contains(effects.uses, local)) {
        ++uses;
        user = *next;
        direct = direct && blocks_of(m_[*next]).empty() && !disturbed && tree_uses(m_, *next, local) == 1;
      }
      disturbed |= intersects(effects.writes, needs.reads) || intersects(effects.assigns, needs.uses);
    }
    if (uses == 0 || (!leaf && (uses != 1 || !direct))) continue;
    Rewriter rewriter(m_);
    rewriter.replace(local, value);
    if (leaf) {
      for (auto next = at + 1; next != statements.end(); ++next) rewriter.rewrite(*next);
    } else {
      for_each_expr(m_[user], [&](ExprId& expr) { expr = rewriter(expr); });
    }
    if (!rewriter.failed())
      m_[body].statements.erase(std::find_if(statements.begin(), statements.end(), is_let));
  }
}

}  // namespace

base::Result<Module> merge(Module module, const Options& options, diagnostics::Engine&) {
  complete_ranges(module);
  Merger merger(module, options);
  for (std::size_t f = 0; f < module.functions.size(); ++f) merger.run(module.functions[f].body);
  return module;
}

}  // namespace pw::passes
