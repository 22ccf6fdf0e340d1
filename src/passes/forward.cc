#include "passes/forward.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "passes/rewrite.h"

namespace pw::passes {

using namespace ir;

namespace {

struct Slot {
  StmtId stmt;
  Effects effects;
};

class Forwarder {
 public:
  Forwarder(Module& module, const Options& options) : m_(module), options_(options), effects_of_(module) {}

  void run(BlockId block);

 private:
  bool covers(const Map& map, const Store& store);
  std::optional<BufferId> filled_by(const Slot& slot);
  std::optional<BufferId> copied_by(const Slot& slot);
  void index_slots(const std::vector<StmtId>& statements);
  std::size_t next(const std::vector<std::size_t>& slots, std::size_t p) const;
  void drop_dead_fill(std::size_t p);
  void take_place(std::size_t q);
  void rename(StmtId stmt, BufferId from, BufferId to);

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
  std::vector<Slot> slots_;
  std::unordered_map<BufferId, std::size_t> allocs_;
  std::unordered_map<BufferId, std::vector<std::size_t>> touching_;  // slots, ascending; gone ones among them
  std::vector<std::size_t> leaving_;                                 // slots that leave
  std::vector<std::size_t> returning_;                               // and those that do so without a trap
};

void Forwarder::run(BlockId block) {
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId stmt : statements) {
    const std::vector<BlockId> inner = blocks_of(m_[stmt]);
    for (const BlockId each : inner) run(each);
  }
  const auto is_map = [&](StmtId stmt) { return std::holds_alternative<Map>(m_[stmt]); };
  if (std::none_of(statements.begin(), statements.end(), is_map)) return;
  slots_.clear();
  index_slots(statements);
  for (std::size_t p = 0; p < slots_.size(); ++p) drop_dead_fill(p);
  for (std::size_t q = slots_.size(); q-- > 0;) take_place(q);
  std::vector<StmtId> out;
  for (const Slot& slot : slots_) {
    if (slot.stmt.valid()) out.push_back(slot.stmt);
  }
  m_[block].statements = std::move(out);
}

void Forwarder::index_slots(const std::vector<StmtId>& statements) {
  allocs_.clear();
  touching_.clear();
  leaving_.clear();
  returning_.clear();
  for (const StmtId stmt : statements) {
    const std::size_t p = slots_.size();
    if (const auto* alloc = std::get_if<Alloc>(&m_[stmt])) allocs_[alloc->buffer] = p;
    slots_.push_back({stmt, effects_of_(stmt)});
    const Effects& effects = slots_.back().effects;
    if (effects.leaves) leaving_.push_back(p);
    if (effects.returns) returning_.push_back(p);
    for (const BufferId buffer : effects.reads) touching_[buffer].push_back(p);
    for (const BufferId buffer : effects.writes) {
      if (!contains(effects.reads, buffer)) touching_[buffer].push_back(p);
    }
  }
}

/// The first of the slots behind p that is still there, or their number.
std::size_t Forwarder::next(const std::vector<std::size_t>& slots, std::size_t p) const {
  for (auto at = std::upper_bound(slots.begin(), slots.end(), p); at != slots.end(); ++at) {
    if (slots_[*at].stmt.valid()) return *at;
  }
  return slots_.size();
}

/// The Map's axes are the store's indices, each once, over the buffer's whole extents.
bool Forwarder::covers(const Map& map, const Store& store) {
  if (store.index.size() != map.axes.size()) return false;
  std::vector<LocalId> used;
  for (std::size_t d = 0; d < store.index.size(); ++d) {
    const auto extent = m_.as_extent(store.index[d]);
    const auto local = extent ? m_.extents.as_local(*extent) : std::nullopt;
    if (!local || std::find(used.begin(), used.end(), *local) != used.end()) return false;
    const auto axis = std::find_if(map.axes.begin(), map.axes.end(),
                                   [&](const Axis& each) { return each.index == *local; });
    if (axis == map.axes.end() || axis->extent != m_[store.buffer].extents[d]) return false;
    used.push_back(*local);
  }
  return true;
}

/// The buffer that the slot writes whole, and does not read, if that is all it does.
std::optional<BufferId> Forwarder::filled_by(const Slot& slot) {
  const auto* map = slot.stmt.valid() ? std::get_if<Map>(&m_[slot.stmt]) : nullptr;
  if (map == nullptr || slot.effects.leaves || slot.effects.calls || slot.effects.writes.size() != 1) {
    return std::nullopt;
  }
  const std::vector<StmtId>& body = m_[map->body].statements;
  const auto* store = body.empty() ? nullptr : std::get_if<Store>(&m_[body.back()]);
  if (store == nullptr || contains(slot.effects.reads, store->buffer) || !covers(*map, *store))
    return std::nullopt;
  for (const LocalId assigned : slot.effects.assigns) {
    if (!contains(slot.effects.defines, assigned)) return std::nullopt;
  }
  return store->buffer;
}

void Forwarder::drop_dead_fill(std::size_t p) {
  const std::optional<BufferId> buffer = filled_by(slots_[p]);
  if (!buffer) return;
  const std::size_t q = next(touching_[*buffer], p);
  // A temporary of this block is gone with whoever leaves it.
  if (q == slots_.size() || (next(leaving_, p) <= q && !allocs_.contains(*buffer))) return;
  if (filled_by(slots_[q]) != buffer) return;
  options_.say(m_.span(slots_[p].stmt), "dropped", m_[*buffer].name + " is overwritten before it is read");
  slots_[p] = {};
}

/// The temporary that the slot copies, whole, into what it fills.
std::optional<BufferId> Forwarder::copied_by(const Slot& slot) {
  if (!filled_by(slot)) return std::nullopt;
  const auto& map = std::get<Map>(m_[slot.stmt]);
  const std::vector<StmtId>& body = m_[map.body].statements;
  const auto& store = std::get<Store>(m_[body.back()]);
  const auto* load = std::get_if<Load>(&m_[store.value]);
  if (body.size() != 1 || load == nullptr || load->index != store.index) return std::nullopt;
  const Buffer& from = m_[load->buffer];
  const Buffer& to = m_[store.buffer];
  const bool alike = from.type == to.type && from.extents == to.extents;
  return alike && allocs_.contains(load->buffer) ? std::optional(load->buffer) : std::nullopt;
}

void Forwarder::take_place(std::size_t q) {
  const std::optional<BufferId> from = copied_by(slots_[q]);
  if (!from) return;
  const BufferId to = *filled_by(slots_[q]);
  const std::size_t made = allocs_.at(*from);
  if (allocs_.contains(to) && allocs_.at(to) > made) return;
  const auto made_here = allocs_.contains(to);
  if (next(touching_[to], made) < q || next(touching_[*from], q) < slots_.size()) return;
  if (!made_here && next(returning_, made) < q) return;
  std::vector<std::size_t>& moved = touching_[*from];
  for (std::size_t p = next(moved, made); p < q; p = next(moved, p)) {
    rename(slots_[p].stmt, *from, to);
    slots_[p].effects = effects_of_(slots_[p].stmt);
  }
  // What touched `to` between is gone.
  std::vector<std::size_t>& all = touching_[to];
  const auto gone = std::upper_bound(all.begin(), all.end(), made);
  const auto at = all.erase(gone, std::lower_bound(gone, all.end(), q));
  const auto first = std::upper_bound(moved.begin(), moved.end(), made);
  all.insert(at, first, std::lower_bound(first, moved.end(), q));
  if (m_[to].invented && !m_[*from].invented) {
    m_[to].name = m_[*from].name;
    m_[to].invented = false;
  }
  options_.say(m_.span(slots_[q].stmt), "forwarded", m_[*from].name + " is computed in " + m_[to].name);
  slots_[q] = {};
  slots_[made] = {};
}

void Forwarder::rename(StmtId id, BufferId from, BufferId to) {
  Rewriter rewriter(m_);
  rewriter.on_load([&](ExprId old, const Load& load) {
    return load.buffer == from ? m_.add(Load{to, load.index}, m_.span(old)) : ExprId();
  });
  const std::function<void(StmtId)> stores = [&](StmtId stmt) {
    if (auto* store = std::get_if<Store>(&m_[stmt]); store != nullptr && store->buffer == from)
      store->buffer = to;
    if (auto* call = std::get_if<Call>(&m_[stmt])) {
      for (Argument& argument : call->arguments) {
        auto* buffer = std::get_if<BufferId>(&argument);
        if (buffer != nullptr && *buffer == from) *buffer = to;
      }
    }
    for (const BlockId block : blocks_of(m_[stmt])) {
      for (const StmtId inner : m_[block].statements) stores(inner);
    }
  };
  rewriter.rewrite(id);
  stores(id);
}

}  // namespace

base::Result<Module> forward(Module module, const Options& options, diagnostics::Engine&) {
  Forwarder forwarder(module, options);
  for (std::size_t f = 0; f < module.functions.size(); ++f) forwarder.run(module.functions[f].body);
  return module;
}

}  // namespace pw::passes
