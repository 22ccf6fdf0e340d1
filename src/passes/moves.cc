#include "passes/moves.h"

namespace pw::passes {

using namespace ir;

void Moves::clear() {
  moves_.clear();
  before_.clear();
  at_end_.clear();
  moved_by_.clear();
  bound_by_.clear();
}

void Moves::add(BlockId body, std::vector<std::pair<LocalId, ExprId>> axes, StmtId let, const Place& place) {
  const MoveId id = moves_.size();
  Move move{m_[body].statements, {}, std::move(axes), let, place};
  move.store = move.statements.back();
  move.statements.pop_back();
  moved_by_[move.store] = id;
  for (const StmtId stmt : move.statements) {
    moved_by_[stmt] = id;
    if (const auto* bound = std::get_if<Let>(&m_[stmt])) bound_by_[bound->local] = id;
    if (const auto* reduce = std::get_if<Reduce>(&m_[stmt])) bound_by_[reduce->target] = id;
    if (const auto* declare = std::get_if<Declare>(&m_[stmt])) bound_by_[declare->variable] = id;
  }
  if (let.valid()) bound_by_[std::get<Let>(m_[let]).local] = id;
  (place.before.valid() ? before_[place.before] : at_end_[place.block]).push_back(id);
  moves_.push_back(std::move(move));
}

std::optional<Place> Moves::place_of(LocalId local) {
  const auto bound = bound_by_.find(local);
  if (bound == bound_by_.end()) return std::nullopt;
  MoveId id = bound->second;
  for (auto on = moved_by_.find(moves_[id].place.before); on != moved_by_.end();
       on = moved_by_.find(moves_[id].place.before)) {
    id = on->second;
  }
  const Place place = moves_[id].place;
  // The way is not walked again: what is bound stands where the last move on it put it.
  bound->second = id;
  return place;
}

template <typename Key>
std::vector<Moves::MoveId> Moves::take(std::unordered_map<Key, std::vector<MoveId>>& from, Key key) {
  const auto found = from.find(key);
  if (found == from.end()) return {};
  std::vector<MoveId> out = std::move(found->second);
  from.erase(found);
  return out;
}

void Moves::push_all(std::vector<MoveId> moves, const Frame& frame, std::vector<Pending>& stack) {
  for (auto it = moves.rbegin(); it != moves.rend(); ++it) stack.push_back({*it, {}, frame});
}

/// The stack gives out the moved statements first, then what stands before the store, then the let.
void Moves::open(MoveId id, const Frame& around, std::vector<Pending>& stack) {
  const Move& move = moves_[id];
  const auto frame = std::make_shared<Rewriter>(m_);
  for (const auto& [axis, index] : move.axes) frame->replace(axis, around ? (*around)(index) : index);
  if (move.let.valid()) stack.push_back({std::nullopt, move.let, around});
  push_all(take(before_, move.store), frame, stack);
  for (auto it = move.statements.rbegin(); it != move.statements.rend(); ++it) {
    stack.push_back({std::nullopt, *it, frame});
  }
}

/// A stack of its own, because chains are as long as the program.
void Moves::run(std::vector<Pending> stack, std::vector<StmtId>& out) {
  while (!stack.empty()) {
    Pending next = std::move(stack.back());
    stack.pop_back();
    if (next.move) {
      open(*next.move, next.frame, stack);
      continue;
    }
    std::vector<MoveId> before = take(before_, next.stmt);
    if (!before.empty()) {
      const Frame frame = next.frame;
      stack.push_back(std::move(next));
      push_all(std::move(before), frame, stack);
      continue;
    }
    if (next.frame) next.frame->rewrite(next.stmt);
    for (const BlockId inner : blocks_of(m_[next.stmt])) settle(inner, next.frame);
    out.push_back(next.stmt);
  }
}

/// The statements of the block itself are rewritten with the one that holds it.
void Moves::settle(BlockId block, const Frame& frame) {
  std::vector<StmtId> out;
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId stmt : statements) {
    std::vector<Pending> stack;
    push_all(take(before_, stmt), frame, stack);
    run(std::move(stack), out);
    for (const BlockId inner : blocks_of(m_[stmt])) settle(inner, frame);
    out.push_back(stmt);
  }
  std::vector<Pending> stack;
  push_all(take(at_end_, block), frame, stack);
  run(std::move(stack), out);
  m_[block].statements = std::move(out);
}

void Moves::settle(BlockId block) { settle(block, nullptr); }

void Moves::settle(StmtId stmt, std::vector<StmtId>& out) { run({{std::nullopt, stmt, nullptr}}, out); }

}  // namespace pw::passes
