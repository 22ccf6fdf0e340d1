// Statements on their way into the statement that reads their result, of one block that a pass has in work.
//
// A chain of n fusions moves the first statement n times. So nothing is rewritten when it moves: each move
// notes what is moved, before which statement, and what its axes become there, and `settle` composes the
// notes and rewrites every statement once.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "passes/rewrite.h"

namespace pw::passes {

/// A place in a block: before a statement of it, or (an invalid statement) at its end.
struct Place {
  ir::BlockId block;
  std::size_t position = 0;  // of the statement; as many as there are: the end
  ir::StmtId before;
  ir::StmtId opener;  // the statement that holds the block
};

class Moves {
 public:
  explicit Moves(ir::Module& module) : m_(module) {}

  void clear();
  /// Moves the body of a Map but its last statement, the store. `axes` says what its axes become at the
  /// place; `let`, of the value that was stored, speaks of the locals there already and may be invalid.
  void add(ir::BlockId body, std::vector<std::pair<ir::LocalId, ir::ExprId>> axes, ir::StmtId let,
           const Place& place);
  bool any_before(ir::StmtId stmt) const { return before_.contains(stmt); }
  /// The place where the move stands now that bound the local, if one did.
  std::optional<Place> place_of(ir::LocalId local);

  /// Puts what was moved into the block, and into blocks inside, in its place.
  void settle(ir::BlockId block);
  /// The statement, settled, with what stands before it.
  void settle(ir::StmtId stmt, std::vector<ir::StmtId>& out);

 private:
  using MoveId = std::size_t;
  using Frame = std::shared_ptr<Rewriter>;  // of axes to what they have become; null: nothing to rewrite
  struct Move {
    std::vector<ir::StmtId> statements;
    ir::StmtId store;
    std::vector<std::pair<ir::LocalId, ir::ExprId>> axes;
    ir::StmtId let;
    Place place;
  };
  /// Work of settling that is still to do: a move or a statement with what stands before it.
  struct Pending {
    std::optional<MoveId> move;
    ir::StmtId stmt;
    Frame frame;
  };

  void push_all(std::vector<MoveId> moves, const Frame& frame, std::vector<Pending>& stack);
  void open(MoveId id, const Frame& around, std::vector<Pending>& stack);
  void run(std::vector<Pending> stack, std::vector<ir::StmtId>& out);
  void settle(ir::BlockId block, const Frame& frame);
  template <typename Key>
  std::vector<MoveId> take(std::unordered_map<Key, std::vector<MoveId>>& from, Key key);

  ir::Module& m_;
  std::vector<Move> moves_;
  std::unordered_map<ir::StmtId, std::vector<MoveId>> before_;
  std::unordered_map<ir::BlockId, std::vector<MoveId>> at_end_;
  std::unordered_map<ir::StmtId, MoveId> moved_by_;  // statements, the stores among them
  std::unordered_map<ir::LocalId, MoveId> bound_by_;
};

}  // namespace pw::passes
