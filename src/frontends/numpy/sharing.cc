#include "frontends/numpy/sharing.h"

#include <map>

namespace pw::numpy {

namespace {

Sharing::Pair pair_of(ir::BufferId a, ir::BufferId b) {
  return a < b ? Sharing::Pair{a, b} : Sharing::Pair{b, a};
}

/// What holds at one point of the program.
struct State {
  bool reached = true;
  std::set<Sharing::Pair> shared;
  std::map<ir::BufferId, ir::BufferId> stale;  // and what was stored to instead

  std::vector<ir::BufferId> partners(ir::BufferId of) const {
    std::vector<ir::BufferId> out;
    for (const auto& [first, second] : shared) {
      if (first == of) out.push_back(second);
      if (second == of) out.push_back(first);
    }
    return out;
  }
  /// Returns whether anything was new.
  bool join(const State& other) {
    if (!other.reached) return false;
    const std::size_t before = shared.size() + stale.size();
    const bool first = !reached;
    reached = true;
    shared.insert(other.shared.begin(), other.shared.end());
    stale.insert(other.stale.begin(), other.stale.end());
    return first || before != shared.size() + stale.size();
  }
};

State unreached() { return State{false, {}, {}}; }

class Flow {
 public:
  using Events = std::unordered_map<ir::BlockId, std::vector<Sharing::Event>>;
  Flow(const Events& events, const std::function<bool(ir::BufferId)>& outlives)
      : events_(events), outlives_(outlives) {}

  State state;
  std::optional<Sharing::Missed> missed;

  void run(ir::BlockId block) {
    const auto found = events_.find(block);
    if (found == events_.end()) return;
    for (const Sharing::Event& event : found->second) {
      if (!state.reached || missed) return;
      std::visit([&](const auto& each) { apply(each); }, event);
    }
  }

 private:
  void apply(const Sharing::Read& read) {
    const auto stale = state.stale.find(read.buffer);
    if (stale != state.stale.end()) missed = {stale->second, read.buffer, read.span};
  }
  void apply(const Sharing::Store& store) {
    for (const ir::BufferId other : state.partners(store.buffer)) {
      if (outlives_(other)) missed = {store.buffer, other, store.span};
      state.stale.emplace(other, store.buffer);
    }
  }
  void apply(const Sharing::Rebind& rebind) {
    if (rebind.from == rebind.buffer) return;
    std::erase_if(state.shared, [&](const Sharing::Pair& each) {
      return each.first == rebind.buffer || each.second == rebind.buffer;
    });
    state.stale.erase(rebind.buffer);
    if (!rebind.from.valid()) return;
    for (const ir::BufferId other : state.partners(rebind.from))
      state.shared.insert(pair_of(rebind.buffer, other));
    state.shared.insert(pair_of(rebind.buffer, rebind.from));
  }
  void apply(const Sharing::Share& share) {
    if (share.first == share.second) return;
    for (const ir::BufferId other : state.partners(share.first)) {
      if (other != share.second) state.shared.insert(pair_of(other, share.second));
    }
    state.shared.insert(pair_of(share.first, share.second));
  }
  void apply(const Sharing::Branch& branch) {
    const State before = state;
    run(branch.then);
    State then = std::exchange(state, before);
    run(branch.otherwise);
    then.join(state);
    state = std::move(then);
  }
  void apply(const Sharing::Loop& loop) {
    // What another round of a loop around this one found at the head holds still: without it each nested
    // loop would multiply the rounds.
    State& head = heads_.try_emplace(loop.body, unreached()).first->second;
    head.join(state);
    State left = loop.runs ? unreached() : state;
    bool more = true;
    while (more && !missed) {
      loops_.push_back({unreached(), unreached()});
      state = head;
      run(loop.body);
      const Exits exits = std::move(loops_.back());
      loops_.pop_back();
      state.join(exits.continues);
      more = head.join(state);
      left.join(state);
      left.join(exits.breaks);
    }
    state = std::move(left);
  }
  void apply(Sharing::Jump jump) {
    if (jump != Sharing::Jump::Leave && !loops_.empty()) {
      Exits& exits = loops_.back();
      (jump == Sharing::Jump::Break ? exits.breaks : exits.continues).join(state);
    }
    state = unreached();
  }

  struct Exits {
    State breaks;
    State continues;
  };
  const Events& events_;
  const std::function<bool(ir::BufferId)>& outlives_;
  std::vector<Exits> loops_;
  std::unordered_map<ir::BlockId, State> heads_;
};

}  // namespace

void Sharing::note(ir::BlockId block, Event event) {
  const auto* rebind = std::get_if<Rebind>(&event);
  shares_ = shares_ || std::holds_alternative<Share>(event) || (rebind != nullptr && rebind->from.valid());
  events_[block].push_back(event);
}

void Sharing::note_flow(ir::BlockId block, const ir::Stmt& stmt, bool runs) {
  if (const auto* branch = std::get_if<ir::If>(&stmt))
    note(block, Branch{branch->then_body, branch->else_body});
  if (const auto* loop = std::get_if<ir::For>(&stmt)) note(block, Loop{loop->body, runs});
  if (const auto* loop = std::get_if<ir::While>(&stmt)) note(block, Loop{loop->body});
  if (const auto* map = std::get_if<ir::Map>(&stmt)) note(block, Loop{map->body});
  if (const auto* fold = std::get_if<ir::Reduce>(&stmt)) note(block, Loop{fold->body});
  if (const auto* alloc = std::get_if<ir::Alloc>(&stmt)) note(block, Rebind{alloc->buffer, {}});
  const auto* trap = std::get_if<ir::Trap>(&stmt);
  const bool leaves =
      std::holds_alternative<ir::Return>(stmt) || (trap != nullptr && !trap->condition.valid());
  if (leaves) note(block, Jump::Leave);
  if (std::holds_alternative<ir::Break>(stmt)) note(block, Jump::Break);
  if (std::holds_alternative<ir::Continue>(stmt)) note(block, Jump::Continue);
}

std::size_t Sharing::noted(ir::BlockId block) const {
  const auto found = events_.find(block);
  return found == events_.end() ? 0 : found->second.size();
}

void Sharing::forget(ir::BlockId block, std::size_t count) {
  if (const auto found = events_.find(block); found != events_.end()) found->second.resize(count);
}

Sharing::Outcome Sharing::follow(ir::BlockId block, const std::function<bool(ir::BufferId)>& outlives) const {
  if (!shares_) return {};
  Flow flow(events_, outlives);
  flow.run(block);
  Outcome outcome{flow.missed, flow.state.shared, {}};
  for (const auto& [buffer, stored] : flow.state.stale) outcome.stale.insert(buffer);
  return outcome;
}

}  // namespace pw::numpy
