#include "passes/fuse.h"

#include <algorithm>
#include <map>
#include <optional>

#include "passes/dependence.h"
#include "passes/rewrite.h"

namespace pw::passes {

using namespace ir;

namespace {

/// Larger trees get a name of their own, so that the emitted text stays readable.
constexpr std::size_t kLargestInline = 48;

/// One statement of the block in work, with what was moved before it.
struct Slot {
  std::vector<StmtId> statements;
  Effects effects;
};

/// `block` goes on with the statement at `position`; level 0 is a slot (its block id is invalid).
struct Place {
  BlockId block;
  std::size_t position = 0;
  StmtId opener;  // the statement that holds the block
};

/// Loads of the temporary with one index in one statement.
struct Occurrence {
  ExprId load;
  std::size_t count = 0;  // in the expressions' trees
  StmtId stmt;
  std::vector<Place> path;
};

struct Producer {
  std::size_t slot = 0;
  BufferId buffer;
  StmtId map;
  std::vector<StmtId> before;  // the Map's body without its store
  ExprId value;
  std::vector<LocalId> axis;  // by dimension of the buffer
};

bool is_copy(const Module& module, ExprId id) {
  return std::visit(Overload{
                        [](const Const&) { return true; },
                        [](const Read&) { return true; },
                        [](const Index&) { return true; },
                        [&](const Load& load) {
                          return std::none_of(load.index.begin(), load.index.end(),
                                              [&](ExprId i) { return has_load(module, i); });
                        },
                        [](const Apply&) { return false; },
                        [&](const Cast& cast) { return is_copy(module, cast.argument); },
                    },
                    module[id]);
}

bool is_leaf(const Module& module, ExprId id) {
  return std::holds_alternative<Const>(module[id]) || std::holds_alternative<Read>(module[id]);
}

class Fuser {
 public:
  Fuser(Module& module, const Options& options) : m_(module), options_(options), effects_of_(module) {}

  void run(BlockId block);

 private:
  void index_slots();
  bool fuse_slot(std::size_t p);
  std::optional<Producer> producer_at(std::size_t p);
  bool fuse_copy(const Producer& producer);
  bool fuse_single(const Producer& producer);
  void find(StmtId stmt, BufferId buffer, std::vector<Place>& path, std::vector<Occurrence>& out,
            bool& blocked);
  void count_loads(StmtId stmt, BufferId buffer, const std::vector<Place>& path,
                   std::vector<Occurrence>& out);
  bool find_in_slot(std::size_t c, BufferId buffer, std::vector<Occurrence>& out);
  bool undisturbed(const Producer& producer, std::size_t from, std::size_t to);
  bool disturbs_itself(std::size_t c, const Effects& moved);
  std::size_t level_needed(const Load& load, const std::vector<Place>& path);
  bool single_execution(const Load& load, const std::vector<Place>& path, std::size_t level);
  bool in_bounds(BufferId buffer, const Load& load);
  bool allowed_in_place(const Producer& producer, Rewriter& moved, std::size_t c,
                        const std::vector<Place>& path, std::size_t level);
  void insert(std::size_t c, const std::vector<Place>& path, std::size_t level,
              const std::vector<StmtId>& moved);
  void drop(const Producer& producer);
  void refresh(std::size_t c);
  ExprId typed(ExprId value, DType type);

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
  std::vector<Slot> slots_;
  std::map<BufferId, std::size_t> allocs_;
  std::map<BufferId, std::vector<std::size_t>> readers_;
  std::map<BufferId, std::vector<std::size_t>> writers_;
  std::map<LocalId, std::vector<std::size_t>> assigners_;
};

// ---- the block in work

void Fuser::run(BlockId block) {
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId stmt : statements) {
    const std::vector<BlockId> inner = blocks_of(m_[stmt]);
    for (const BlockId each : inner) run(each);
  }
  slots_.clear();
  for (const StmtId stmt : statements) slots_.push_back({{stmt}, {}});
  index_slots();
  if (allocs_.empty()) return;
  for (std::size_t p = 0; p < slots_.size(); ++p) fuse_slot(p);
  std::vector<StmtId> out;
  for (const Slot& slot : slots_) out.insert(out.end(), slot.statements.begin(), slot.statements.end());
  m_[block].statements = std::move(out);
}

void Fuser::index_slots() {
  allocs_.clear();
  readers_.clear();
  writers_.clear();
  assigners_.clear();
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    if (const auto* alloc = std::get_if<Alloc>(&m_[slots_[p].statements[0]])) allocs_[alloc->buffer] = p;
  }
  if (allocs_.empty()) return;
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    Slot& slot = slots_[p];
    slot.effects = effects_of_(slot.statements[0]);
    const bool alloc = std::holds_alternative<Alloc>(m_[slot.statements[0]]);
    for (const BufferId buffer : slot.effects.reads) readers_[buffer].push_back(p);
    for (const LocalId local : slot.effects.assigns) assigners_[local].push_back(p);
    if (alloc) continue;
    for (const BufferId buffer : slot.effects.writes) writers_[buffer].push_back(p);
  }
}

/// After something moved into slot c.
void Fuser::refresh(std::size_t c) {
  Slot& slot = slots_[c];
  Effects all;
  for (const StmtId stmt : slot.statements) {
    const Effects each = effects_of_(stmt);
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
      std::sort(to.begin(), to.end());
      to.erase(std::unique(to.begin(), to.end()), to.end());
    };
    append(all.reads, each.reads);
    append(all.writes, each.writes);
    append(all.uses, each.uses);
    append(all.assigns, each.assigns);
    append(all.defines, each.defines);
    all.leaves |= each.leaves;
    all.returns |= each.returns;
    all.calls |= each.calls;
    all.loops |= each.loops;
  }
  slot.effects = std::move(all);
  for (const BufferId buffer : slot.effects.reads) {
    std::vector<std::size_t>& readers = readers_[buffer];
    const auto at = std::lower_bound(readers.begin(), readers.end(), c);
    if (at == readers.end() || *at != c) readers.insert(at, c);
  }
}

void Fuser::drop(const Producer& producer) {
  for (const BufferId buffer : slots_[producer.slot].effects.reads)
    std::erase(readers_[buffer], producer.slot);
  readers_.erase(producer.buffer);
  writers_.erase(producer.buffer);
  slots_[producer.slot] = {};
  slots_[allocs_.at(producer.buffer)] = {};
}

// ---- producers

std::optional<Producer> Fuser::producer_at(std::size_t p) {
  const Slot& slot = slots_[p];
  if (slot.statements.size() != 1) return std::nullopt;
  const auto* map = std::get_if<Map>(&m_[slot.statements[0]]);
  if (map == nullptr || slot.effects.leaves || slot.effects.calls || slot.effects.writes.size() != 1) {
    return std::nullopt;
  }
  Producer out;
  out.slot = p;
  out.buffer = slot.effects.writes[0];
  out.map = slot.statements[0];
  const Buffer& buffer = m_[out.buffer];
  if (buffer.kind != BufferKind::Temporary || !allocs_.contains(out.buffer)) return std::nullopt;
  if (writers_[out.buffer].size() != 1 || contains(slot.effects.reads, out.buffer)) return std::nullopt;
  for (const LocalId assigned : slot.effects.assigns) {
    if (!contains(slot.effects.defines, assigned)) return std::nullopt;
  }
  out.before = m_[map->body].statements;
  if (out.before.empty()) return std::nullopt;
  const auto* store = std::get_if<Store>(&m_[out.before.back()]);
  if (store == nullptr || store->index.size() != map->axes.size()) return std::nullopt;
  out.before.pop_back();
  out.value = store->value;
  for (std::size_t d = 0; d < store->index.size(); ++d) {
    const auto extent = m_.as_extent(store->index[d]);
    const auto local = extent ? m_.extents.as_local(*extent) : std::nullopt;
    if (!local || std::find(out.axis.begin(), out.axis.end(), *local) != out.axis.end()) return std::nullopt;
    const auto axis = std::find_if(map->axes.begin(), map->axes.end(),
                                   [&](const Axis& each) { return each.index == *local; });
    if (axis == map->axes.end() || axis->extent != buffer.extents[d]) return std::nullopt;
    out.axis.push_back(*local);
  }
  for (const StmtId stmt : out.before) {
    if (!effects_of_(stmt).writes.empty()) return std::nullopt;
  }
  return out;
}

bool Fuser::fuse_slot(std::size_t p) {
  if (slots_[p].statements.empty()) return false;
  const std::optional<Producer> producer = producer_at(p);
  if (!producer) return false;
  const std::vector<std::size_t>& readers = readers_[producer->buffer];
  if (readers.empty()) {
    drop(*producer);
    return true;
  }
  if (readers.front() <= p) return false;
  const base::Span span = m_.span(producer->map);
  const std::string name = m_[producer->buffer].name;
  const bool done = (readers.size() == 1 && fuse_single(*producer)) || fuse_copy(*producer);
  options_.say(
      span, done ? "fused" : "kept",
      name + (done ? " is computed where it is read" : " has several readers, or a store stands between"));
  return done;
}

/// No slot strictly between changes what the producer reads.
bool Fuser::undisturbed(const Producer& producer, std::size_t from, std::size_t to) {
  const Effects& effects = slots_[producer.slot].effects;
  const auto clear = [&](const auto& table, const auto& ids) {
    for (const auto id : ids) {
      const auto found = table.find(id);
      if (found == table.end()) continue;
      const auto at = std::upper_bound(found->second.begin(), found->second.end(), from);
      if (at != found->second.end() && *at < to) return false;
    }
    return true;
  };
  return clear(writers_, effects.reads) && clear(assigners_, effects.uses);
}

bool Fuser::disturbs_itself(std::size_t c, const Effects& moved) {
  return intersects(slots_[c].effects.writes, moved.reads) ||
         intersects(slots_[c].effects.assigns, moved.uses);
}

ExprId Fuser::typed(ExprId value, DType type) {
  return m_.type(value) == type ? value : m_.add(Cast{type, value}, m_.span(value));
}

// ---- readers

/// Operands have smaller ids than what they are operands of, so one sweep downwards counts paths.
void Fuser::count_loads(StmtId stmt, BufferId buffer, const std::vector<Place>& path,
                        std::vector<Occurrence>& out) {
  std::map<ExprId, std::size_t, std::greater<>> pending;
  for (const ExprId expr : exprs_of(m_[stmt])) ++pending[expr];
  while (!pending.empty()) {
    const auto [id, count] = *pending.begin();
    pending.erase(pending.begin());
    const auto* load = std::get_if<Load>(&m_[id]);
    if (load != nullptr && load->buffer == buffer) out.push_back({id, count, stmt, path});
    for (const ExprId operand : operands_of(m_[id])) {
      std::size_t& sum = pending[operand];
      sum = std::min<std::size_t>(sum + count, 1000);
    }
  }
}

void Fuser::find(StmtId stmt, BufferId buffer, std::vector<Place>& path, std::vector<Occurrence>& out,
                 bool& blocked) {
  if (const auto* call = std::get_if<Call>(&m_[stmt])) {
    for (const Argument& argument : call->arguments) {
      const auto* passed = std::get_if<BufferId>(&argument);
      blocked |= passed != nullptr && *passed == buffer;
    }
  }
  const std::vector<BlockId> blocks = blocks_of(m_[stmt]);
  if (std::holds_alternative<Reduce>(m_[stmt])) {
    path.push_back({blocks[0], m_[blocks[0]].statements.size(), stmt});
    count_loads(stmt, buffer, path, out);
    path.pop_back();
  } else if (std::holds_alternative<While>(m_[stmt])) {
    // The condition runs as often as the body, but before it: no place in the body will do.
    const std::size_t before = out.size();
    count_loads(stmt, buffer, path, out);
    blocked |= out.size() != before;
  } else {
    count_loads(stmt, buffer, path, out);
  }
  for (const BlockId block : blocks) {
    path.push_back({block, 0, stmt});
    for (std::size_t i = 0; i < m_[block].statements.size(); ++i) {
      path.back().position = i;
      find(m_[block].statements[i], buffer, path, out, blocked);
    }
    path.pop_back();
  }
}

/// False if a read of the buffer stands where no expression can take its place.
bool Fuser::find_in_slot(std::size_t c, BufferId buffer, std::vector<Occurrence>& out) {
  bool blocked = false;
  for (std::size_t i = 0; i < slots_[c].statements.size(); ++i) {
    std::vector<Place> path = {{BlockId(), i, StmtId()}};
    find(slots_[c].statements[i], buffer, path, out, blocked);
  }
  return !blocked && !out.empty();
}

/// The least level at which all locals of the load's index are known.
std::size_t Fuser::level_needed(const Load& load, const std::vector<Place>& path) {
  std::vector<LocalId> wanted;
  for (const ExprId i : load.index) {
    if (const auto extent = m_.as_extent(i)) {
      const std::vector<LocalId> inside = m_.extents.locals(*extent);
      wanted.insert(wanted.end(), inside.begin(), inside.end());
    } else {
      return path.size() - 1;  // its parts may be defined anywhere above
    }
  }
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t level = path.size() - 1; level > 0; --level) {
    const Place& place = path[level];
    const auto binds = [&](LocalId local) { return contains(wanted, local); };
    const auto binds_axis = [&](const Axis& axis) { return binds(axis.index); };
    const bool bound =
        std::visit(Overload{
                       [&](const Map& s) { return std::any_of(s.axes.begin(), s.axes.end(), binds_axis); },
                       [&](const Reduce& s) { return std::any_of(s.axes.begin(), s.axes.end(), binds_axis); },
                       [&](const For& s) { return binds(s.index); },
                       [](const auto&) { return false; },
                   },
                   m_[place.opener]);
    if (bound) return level;
    for (std::size_t i = 0; i < place.position && i < m_[place.block].statements.size(); ++i) {
      const Effects effects = effects_of_(m_[place.block].statements[i]);
      if (intersects(effects.defines, wanted)) return level;
    }
  }
  return 0;
}

/// Whether, in the block at `level`, no element at the load's index is asked for twice.
bool Fuser::single_execution(const Load& load, const std::vector<Place>& path, std::size_t level) {
  std::vector<Axis> axes;
  for (std::size_t l = 1; l <= level; ++l) {
    const Stmt& opener = m_[path[l].opener];
    if (std::holds_alternative<While>(opener)) return false;
    if (const auto* map = std::get_if<Map>(&opener))
      axes.insert(axes.end(), map->axes.begin(), map->axes.end());
    if (const auto* reduce = std::get_if<Reduce>(&opener)) {
      axes.insert(axes.end(), reduce->axes.begin(), reduce->axes.end());
    }
    if (const auto* loop = std::get_if<For>(&opener)) axes.push_back({loop->index, ExtentId()});
  }
  return is_injective(m_, load.index, axes);
}

bool Fuser::in_bounds(BufferId buffer, const Load& load) {
  for (std::size_t d = 0; d < load.index.size(); ++d) {
    const auto extent = m_.as_extent(load.index[d]);
    if (!extent || !proves_nonnegative(m_.extents, *extent, m_.ranges())) return false;
    const ExtentId last = m_.extents.add(m_[buffer].extents[d], m_.extents.constant(-1));
    if (!proves_nonnegative(m_.extents, m_.extents.subtract(last, *extent), m_.ranges())) return false;
  }
  return true;
}

/// Stores of a Map, with the position in its body of the statement that holds them.
struct PlacedStore {
  Store store;
  std::size_t position = 0;
};

void collect_stores(const Module& module, BlockId block, std::size_t top, bool outermost,
                    std::vector<PlacedStore>& out) {
  for (std::size_t i = 0; i < module[block].statements.size(); ++i) {
    const Stmt& stmt = module[module[block].statements[i]];
    if (outermost) top = i;
    if (const auto* store = std::get_if<Store>(&stmt)) out.push_back({*store, top});
    for (const BlockId inner : blocks_of(stmt)) collect_stores(module, inner, top, false, out);
  }
}

void collect_loads(const Module& module, const std::vector<ExprId>& roots, std::vector<ExprId>& out) {
  std::vector<ExprId> pending = roots;
  std::map<ExprId, bool> seen;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!seen.emplace(id, true).second) continue;
    if (std::holds_alternative<Load>(module[id])) out.push_back(id);
    for (const ExprId operand : operands_of(module[id])) pending.push_back(operand);
  }
}

void collect_roots(const Module& module, StmtId stmt, std::vector<ExprId>& out) {
  const std::vector<ExprId> own = exprs_of(module[stmt]);
  out.insert(out.end(), own.begin(), own.end());
  for (const BlockId block : blocks_of(module[stmt])) {
    for (const StmtId inner : module[block].statements) collect_roots(module, inner, out);
  }
}

/// The reader stores to what the moved value loads: each load must be of the element that the same iteration
/// stores, later, or of one that no iteration stores.
bool Fuser::allowed_in_place(const Producer& producer, Rewriter& moved, std::size_t c,
                             const std::vector<Place>& path, std::size_t level) {
  const Slot& slot = slots_[c];
  const StmtId reader = slot.statements[path[0].position];
  for (std::size_t i = 0; i < slot.statements.size(); ++i) {
    if (i != path[0].position && !effects_of_(slot.statements[i]).writes.empty()) return false;
  }
  // A statement without a body evaluates all before it stores.
  if (blocks_of(m_[reader]).empty()) return !std::holds_alternative<Call>(m_[reader]);
  const auto* map = std::get_if<Map>(&m_[reader]);
  if (map == nullptr || slot.effects.calls || level == 0) return level == 0;
  std::vector<PlacedStore> stores;
  collect_stores(m_, map->body, 0, true, stores);
  std::vector<ExprId> roots = {producer.value};
  for (const StmtId stmt : producer.before) collect_roots(m_, stmt, roots);
  std::vector<ExprId> loads;
  collect_loads(m_, roots, loads);
  std::vector<LocalId> varying = slot.effects.defines;
  for (const ExprId id : loads) {
    const BufferId loaded = std::get<Load>(m_[id]).buffer;
    if (!contains(slot.effects.writes, loaded)) continue;
    const ExprId rewritten = moved(id);
    const std::vector<ExprId> index = std::get<Load>(m_[rewritten]).index;
    for (const PlacedStore& each : stores) {
      if (each.store.buffer != loaded) continue;
      const bool same =
          level == 1 && each.position >= path[1].position && same_index(m_, index, each.store.index);
      if (!same && !never_equal(m_, index, each.store.index, varying)) return false;
    }
  }
  return true;
}

// ---- moving

void Fuser::insert(std::size_t c, const std::vector<Place>& path, std::size_t level,
                   const std::vector<StmtId>& moved) {
  std::vector<StmtId>& statements = level == 0 ? slots_[c].statements : m_[path[level].block].statements;
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(path[level].position), moved.begin(),
                    moved.end());
}

/// Copies move into every reader, each load under its own index map.
bool Fuser::fuse_copy(const Producer& producer) {
  if (!producer.before.empty() || !is_copy(m_, producer.value)) return false;
  const Effects moved = slots_[producer.slot].effects;
  const std::vector<std::size_t> readers = readers_[producer.buffer];
  if (!undisturbed(producer, producer.slot, readers.back())) return false;
  std::vector<Occurrence> found;
  for (const std::size_t c : readers) {
    if (disturbs_itself(c, moved) || !find_in_slot(c, producer.buffer, found)) return false;
  }
  const DType type = m_[producer.buffer].type;
  std::map<ExprId, ExprId> values;
  for (const Occurrence& each : found) {
    if (values.contains(each.load)) continue;
    const std::vector<ExprId> index = std::get<Load>(m_[each.load]).index;
    Rewriter rewriter(m_);
    for (std::size_t d = 0; d < index.size(); ++d) rewriter.replace(producer.axis[d], index[d]);
    const ExprId value = typed(rewriter(producer.value), type);
    if (rewriter.failed()) return false;
    values[each.load] = value;
  }
  // An index may itself hold a load of the buffer: the value is made again from the rewritten index.
  const auto replacement = [&](ExprId, const Load& load) {
    if (load.buffer != producer.buffer) return ExprId();
    const std::vector<ExprId> index = load.index;
    Rewriter rewriter(m_);
    for (std::size_t d = 0; d < index.size(); ++d) rewriter.replace(producer.axis[d], index[d]);
    return typed(rewriter(producer.value), type);
  };
  Rewriter loads(m_);
  loads.on_load(replacement);
  for (const Occurrence& each : found)
    for_each_expr(m_[each.stmt], [&](ExprId& expr) { expr = loads(expr); });
  drop(producer);
  for (const std::size_t c : readers) refresh(c);
  return true;
}

bool Fuser::fuse_single(const Producer& producer) {
  const std::size_t c = readers_[producer.buffer].front();
  std::vector<Occurrence> found;
  if (!find_in_slot(c, producer.buffer, found)) return false;
  const ExprId load_id = found[0].load;
  std::size_t total = 0;
  for (const Occurrence& each : found) {
    if (each.load != load_id) return false;
    total += each.count;
  }
  const Load load = std::get<Load>(m_[load_id]);
  // The deepest block that holds all loads, at the first of them.
  std::vector<Place> path = found[0].path;
  for (const Occurrence& each : found) {
    std::size_t common = 0;
    while (common < path.size() && common < each.path.size() &&
           path[common].block == each.path[common].block) {
      const bool apart = path[common].position != each.path[common].position;
      path[common].position = std::min(path[common].position, each.path[common].position);
      ++common;
      if (apart) break;
    }
    path.resize(common);
  }
  const bool stateful = std::any_of(load.index.begin(), load.index.end(),
                                    [&](ExprId i) { return reads_state(m_, i) || !m_.as_extent(i); });
  const std::size_t deepest = path.size() - 1;
  std::size_t level = deepest;
  if (stateful && (total != 1 || !producer.before.empty())) return false;
  if (!single_execution(load, path, level)) {
    level = level_needed(load, path);
    if (level >= deepest || !single_execution(load, path, level) || !in_bounds(producer.buffer, load))
      return false;
  }
  const bool runs_anyway = std::any_of(found.begin(), found.end(), [&](const Occurrence& each) {
    return each.path.size() == level + 1 && each.path[level].position == path[level].position;
  });
  if (!runs_anyway && level == deepest && !in_bounds(producer.buffer, load)) return false;

  const Effects moved = slots_[producer.slot].effects;
  if (!undisturbed(producer, producer.slot, c) || intersects(slots_[c].effects.assigns, moved.uses))
    return false;
  Rewriter rewriter(m_);
  for (std::size_t d = 0; d < load.index.size(); ++d) rewriter.replace(producer.axis[d], load.index[d]);
  const DType type = m_[producer.buffer].type;
  const ExprId value = typed(rewriter(producer.value), type);
  if (rewriter.failed()) return false;
  if (intersects(slots_[c].effects.writes, moved.reads) &&
      !allowed_in_place(producer, rewriter, c, path, level)) {
    return false;
  }

  for (const StmtId stmt : producer.before) rewriter.rewrite(stmt);
  std::vector<StmtId> statements = producer.before;
  const bool invented = m_[producer.buffer].invented;
  const bool inlined = level == deepest &&
                       ((total == 1 && invented && runs_anyway && tree_size(m_, value) <= kLargestInline) ||
                        (is_leaf(m_, value) && !reads_state(m_, value)) || stateful);
  ExprId in_place_of_load = value;
  if (!inlined) {
    const base::Span span = m_.span(producer.map);
    const LocalId local =
        m_.add(Local{m_[producer.buffer].name, type, LocalKind::Bound, {}, {}, m_[producer.buffer].span});
    statements.push_back(m_.add(Let{local, value}, span));
    in_place_of_load = m_.add(Read{local}, span);
  }
  Rewriter loads(m_);
  loads.on_load(
      [&](ExprId, const Load& each) { return each.buffer == producer.buffer ? in_place_of_load : ExprId(); });
  for (const Occurrence& each : found)
    for_each_expr(m_[each.stmt], [&](ExprId& expr) { expr = loads(expr); });
  insert(c, path, level, statements);
  drop(producer);
  refresh(c);
  return true;
}

}  // namespace

base::Result<Module> fuse(Module module, const Options& options, diagnostics::Engine&) {
  complete_ranges(module);
  Fuser fuser(module, options);
  for (std::size_t f = 0; f < module.functions.size(); ++f) fuser.run(module.functions[f].body);
  return module;
}

}  // namespace pw::passes
