#include "passes/fuse.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "passes/dependence.h"
#include "passes/moves.h"
#include "passes/rewrite.h"
#include "passes/sites.h"

namespace pw::passes {

using namespace ir;

namespace {

/// Larger trees get a name of their own, so that the emitted text stays readable.
constexpr std::size_t kLargestInline = 48;

/// One statement of the block in work.
struct Slot {
  StmtId stmt;               // invalid: gone
  Effects effects;           // its own, as it stood at first: what moves in stores nothing and leaves nowhere
  std::size_t into = 0;      // the slot that it moved into, or itself
  std::size_t written = 0;   // the first slot behind that stores to what this one reads
  std::size_t assigned = 0;  // the same of variables
};

struct Producer {
  std::size_t slot = 0;
  BufferId buffer;
  StmtId map;
  BlockId body;
  bool plain = false;  // nothing but the store
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
  Fuser(Module& module, const Options& options)
      : m_(module), options_(options), effects_of_(module), moves_(module) {}

  void run(BlockId block);

 private:
  void index_slots();
  void find_disturbances();
  bool fuse_slot(std::size_t p);
  std::optional<Producer> producer_at(std::size_t p);
  bool stores_alone(const Slot& slot, BufferId buffer, const std::vector<StmtId>& body);
  bool fuse_copy(const Producer& producer, const std::vector<std::size_t>& readers);
  bool fuse_single(const Producer& producer, std::size_t c);
  std::vector<std::size_t> readers_of(BufferId buffer);
  std::size_t stands_in(std::size_t slot);
  const Sites& sites_of(std::size_t c);
  bool find_in_slot(std::size_t c, BufferId buffer, std::vector<Occurrence>& out);
  bool undisturbed(const Producer& producer, std::size_t to) const;
  std::size_t level_needed(std::size_t c, const Load& load, const std::vector<Place>& path);
  bool single_execution(const Load& load, const std::vector<Place>& path, std::size_t level);
  bool in_bounds(BufferId buffer, const Load& load);
  bool allowed_in_place(const Producer& producer, Rewriter& moved, std::size_t c,
                        const std::vector<Place>& path, std::size_t level);
  void drop(const Producer& producer);
  ExprId typed(ExprId value, DType type);

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
  Moves moves_;
  std::vector<Slot> slots_;
  std::unordered_map<std::size_t, Sites> sites_;
  std::unordered_map<BufferId, std::size_t> allocs_;
  std::unordered_map<BufferId, std::vector<std::size_t>> readers_;  // slots as they stood at first
  std::unordered_map<BufferId, std::vector<std::size_t>> writers_;
  std::unordered_map<LocalId, std::vector<std::size_t>> assigners_;
};

// ---- the block in work

void Fuser::run(BlockId block) {
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId stmt : statements) {
    for (const BlockId each : blocks_of(m_[stmt])) run(each);
  }
  slots_.clear();
  for (const StmtId stmt : statements) slots_.push_back({stmt, {}, slots_.size()});
  index_slots();
  if (allocs_.empty()) return;
  for (std::size_t p = 0; p < slots_.size(); ++p) fuse_slot(p);
  std::vector<StmtId> out;
  for (const Slot& slot : slots_) {
    if (slot.stmt.valid()) moves_.settle(slot.stmt, out);
  }
  m_[block].statements = std::move(out);
}

void Fuser::index_slots() {
  moves_.clear();
  sites_.clear();
  allocs_.clear();
  readers_.clear();
  writers_.clear();
  assigners_.clear();
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    if (const auto* alloc = std::get_if<Alloc>(&m_[slots_[p].stmt])) allocs_[alloc->buffer] = p;
  }
  if (allocs_.empty()) return;
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    Slot& slot = slots_[p];
    slot.effects = effects_of_(slot.stmt);
    for (const BufferId buffer : slot.effects.reads) readers_[buffer].push_back(p);
    for (const LocalId local : slot.effects.assigns) assigners_[local].push_back(p);
    if (std::holds_alternative<Alloc>(m_[slot.stmt])) continue;
    for (const BufferId buffer : slot.effects.writes) writers_[buffer].push_back(p);
  }
  find_disturbances();
}

void Fuser::find_disturbances() {
  const auto first = [&](const auto& table, const auto& ids, std::size_t p) {
    std::size_t least = slots_.size();
    for (const auto id : ids) {
      const auto found = table.find(id);
      if (found == table.end()) continue;
      const auto at = std::upper_bound(found->second.begin(), found->second.end(), p);
      if (at != found->second.end()) least = std::min(least, *at);
    }
    return least;
  };
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    slots_[p].written = first(writers_, slots_[p].effects.reads, p);
    slots_[p].assigned = first(assigners_, slots_[p].effects.uses, p);
  }
}

/// Where what stood in the slot at first stands now.
std::size_t Fuser::stands_in(std::size_t slot) {
  while (slots_[slot].into != slot) {
    slots_[slot].into = slots_[slots_[slot].into].into;
    slot = slots_[slot].into;
  }
  return slot;
}

std::vector<std::size_t> Fuser::readers_of(BufferId buffer) {
  std::vector<std::size_t> out;
  for (const std::size_t reader : readers_[buffer]) {
    const std::size_t now = stands_in(reader);
    if (slots_[now].stmt.valid()) out.push_back(now);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void Fuser::drop(const Producer& producer) {
  slots_[producer.slot].stmt = StmtId();
  slots_[allocs_.at(producer.buffer)].stmt = StmtId();
}

// ---- producers

/// The body ends with the slot's only store.
bool Fuser::stores_alone(const Slot& slot, BufferId buffer, const std::vector<StmtId>& body) {
  const auto local = [&](LocalId assigned) { return contains(slot.effects.defines, assigned); };
  return writers_[buffer].size() == 1 && !contains(slot.effects.reads, buffer) &&
         std::all_of(slot.effects.assigns.begin(), slot.effects.assigns.end(), local) && !body.empty() &&
         std::all_of(body.begin(), body.end() - 1,
                     [&](StmtId stmt) { return effects_of_(stmt).writes.empty(); });
}

std::optional<Producer> Fuser::producer_at(std::size_t p) {
  const Slot& slot = slots_[p];
  const auto* map = std::get_if<Map>(&m_[slot.stmt]);
  if (map == nullptr || slot.effects.leaves || slot.effects.calls || slot.effects.writes.size() != 1 ||
      moves_.any_before(slot.stmt)) {
    return std::nullopt;
  }
  Producer out{p, slot.effects.writes[0], slot.stmt, map->body, false, {}, {}};
  const Buffer& buffer = m_[out.buffer];
  const std::vector<StmtId>& body = m_[map->body].statements;
  if (buffer.kind != BufferKind::Temporary || !allocs_.contains(out.buffer) ||
      !stores_alone(slot, out.buffer, body)) {
    return std::nullopt;
  }
  const auto* store = std::get_if<Store>(&m_[body.back()]);
  if (store == nullptr || store->index.size() != map->axes.size()) return std::nullopt;
  out.plain = body.size() == 1 && !moves_.any_before(body.back());
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
  return out;
}

bool Fuser::fuse_slot(std::size_t p) {
  if (!slots_[p].stmt.valid()) return false;
  const std::optional<Producer> producer = producer_at(p);
  if (!producer) return false;
  const std::vector<std::size_t> readers = readers_of(producer->buffer);
  if (readers.empty()) {
    drop(*producer);
    return true;
  }
  if (readers.front() <= p) return false;
  const base::Span span = m_.span(producer->map);
  const std::string name = m_[producer->buffer].name;
  const bool done =
      (readers.size() == 1 && fuse_single(*producer, readers[0])) || fuse_copy(*producer, readers);
  options_.say(
      span, done ? "fused" : "kept",
      name + (done ? " is computed where it is read" : " has several readers, or a store stands between"));
  return done;
}

/// No slot between the producer and `to` changes what the producer reads.
bool Fuser::undisturbed(const Producer& producer, std::size_t to) const {
  return slots_[producer.slot].written >= to && slots_[producer.slot].assigned >= to;
}

ExprId Fuser::typed(ExprId value, DType type) {
  return m_.type(value) == type ? value : m_.add(Cast{type, value}, m_.span(value));
}

// ---- readers

const Sites& Fuser::sites_of(std::size_t c) {
  const auto [known, missing] = sites_.try_emplace(c);
  if (missing) known->second = sites_in(m_, slots_[c].stmt);
  return known->second;
}

/// False if a read of the buffer stands where no expression can take its place.
bool Fuser::find_in_slot(std::size_t c, BufferId buffer, std::vector<Occurrence>& out) {
  for (const Site& site : sites_of(c).of(buffer)) {
    if (site.blocked) return false;
    count_loads(m_, site, out);
  }
  return !out.empty();
}

/// The least level at which all locals of the load's index are known.
std::size_t Fuser::level_needed(std::size_t c, const Load& load, const std::vector<Place>& path) {
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
  std::vector<std::pair<BlockId, std::size_t>> bound_at;  // the block, and the first position behind
  const std::unordered_map<LocalId, Place>& own = sites_of(c).bound;
  for (const LocalId local : wanted) {
    if (const auto found = own.find(local); found != own.end()) {
      bound_at.emplace_back(found->second.block, found->second.position + 1);
    } else if (const auto moved = moves_.place_of(local)) {
      bound_at.emplace_back(moved->block, moved->position);
    }
  }
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
    const bool before = std::any_of(bound_at.begin(), bound_at.end(), [&](const auto& each) {
      return each.first == place.block && each.second <= place.position;
    });
    if (before) return level;
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

/// The reader stores to what the moved value loads: each load must be of the element that the same iteration
/// stores, later, or of one that no iteration stores.
bool Fuser::allowed_in_place(const Producer& producer, Rewriter& moved, std::size_t c,
                             const std::vector<Place>& path, std::size_t level) {
  const Slot& slot = slots_[c];
  // A statement without a body evaluates all before it stores.
  if (blocks_of(m_[slot.stmt]).empty()) return !std::holds_alternative<Call>(m_[slot.stmt]);
  const auto* map = std::get_if<Map>(&m_[slot.stmt]);
  if (map == nullptr || slot.effects.calls || level == 0) return level == 0;
  std::vector<PlacedStore> stores;
  collect_stores(m_, map->body, 0, true, stores);
  // Whoever moves into what it loads from moves no further, so that this is done once a statement.
  moves_.settle(producer.body);
  const std::vector<ExprId> loads = loads_in(m_, producer.body);
  const auto varying = [&](LocalId local) {
    return contains(slot.effects.defines, local) || moves_.place_of(local).has_value();
  };
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

/// Copies move into every reader, each load under its own index map.
bool Fuser::fuse_copy(const Producer& producer, const std::vector<std::size_t>& readers) {
  if (!producer.plain || !is_copy(m_, producer.value)) return false;
  // A reader must not change what moves into it either.
  if (!undisturbed(producer, readers.back() + 1)) return false;
  std::vector<Occurrence> found;
  for (const std::size_t c : readers) {
    if (!find_in_slot(c, producer.buffer, found)) return false;
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
  for (const std::size_t c : readers) {
    slots_[c].written = std::min(slots_[c].written, slots_[producer.slot].written);
    slots_[c].assigned = std::min(slots_[c].assigned, slots_[producer.slot].assigned);
    for (const BufferId buffer : loaded_buffers(m_, {&producer.value, 1})) readers_[buffer].push_back(c);
  }
  drop(producer);
  return true;
}

bool Fuser::fuse_single(const Producer& producer, std::size_t c) {
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
      if (each.path[common].position < path[common].position) path[common] = each.path[common];
      ++common;
      if (apart) break;
    }
    path.resize(common);
  }
  const bool stateful = std::any_of(load.index.begin(), load.index.end(),
                                    [&](ExprId i) { return reads_state(m_, i) || !m_.as_extent(i); });
  const std::size_t deepest = path.size() - 1;
  std::size_t level = deepest;
  if (stateful && (total != 1 || !producer.plain)) return false;
  if (!single_execution(load, path, level)) {
    level = level_needed(c, load, path);
    if (level >= deepest || !single_execution(load, path, level) || !in_bounds(producer.buffer, load))
      return false;
  }
  const bool runs_anyway = std::any_of(found.begin(), found.end(), [&](const Occurrence& each) {
    return each.path.size() == level + 1 && each.path[level].position == path[level].position;
  });
  if (!runs_anyway && level == deepest && !in_bounds(producer.buffer, load)) return false;

  Slot& reader = slots_[c];
  const Slot& slot = slots_[producer.slot];
  if (!undisturbed(producer, c) || slot.assigned == c) return false;
  std::vector<std::pair<LocalId, ExprId>> axes;
  Rewriter rewriter(m_);
  for (std::size_t d = 0; d < load.index.size(); ++d) {
    axes.emplace_back(producer.axis[d], load.index[d]);
    rewriter.replace(producer.axis[d], load.index[d]);
  }
  const DType type = m_[producer.buffer].type;
  const ExprId value = typed(rewriter(producer.value), type);
  if (rewriter.failed()) return false;
  if (slot.written == c && !allowed_in_place(producer, rewriter, c, path, level)) return false;

  const bool invented = m_[producer.buffer].invented;
  const bool inlined = level == deepest &&
                       ((total == 1 && invented && runs_anyway && tree_size(m_, value) <= kLargestInline) ||
                        (is_leaf(m_, value) && !reads_state(m_, value)) || stateful);
  ExprId in_place_of_load = value;
  StmtId let;
  if (!inlined) {
    const base::Span span = m_.span(producer.map);
    const LocalId local =
        m_.add(Local{m_[producer.buffer].name, type, LocalKind::Bound, {}, {}, m_[producer.buffer].span});
    let = m_.add(Let{local, value}, span);
    in_place_of_load = m_.add(Read{local}, span);
  }
  Rewriter loads(m_);
  loads.on_load(
      [&](ExprId, const Load& each) { return each.buffer == producer.buffer ? in_place_of_load : ExprId(); });
  for (const Occurrence& each : found)
    for_each_expr(m_[each.stmt], [&](ExprId& expr) { expr = loads(expr); });
  if (let.valid() || !producer.plain) moves_.add(producer.body, std::move(axes), let, path[level]);
  reader.written = std::min(reader.written, slot.written == c ? reader.written : slot.written);
  reader.assigned = std::min(reader.assigned, slot.assigned);
  drop(producer);
  slots_[producer.slot].into = c;
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
