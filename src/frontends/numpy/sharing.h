// Buffers that stand for one array of NumPy's. A name that differs by path, a reshape that joins dimensions
// and a choice at run time have a copy where NumPy has the array itself, or a view of it: right as long as
// nothing stored to one side is read through the other.
//
// What happens to buffers is noted by block while a kernel is staged; the blocks are walked once it is. A
// flow analysis over pairs of buffers (may-alias; Nielson, Nielson and Hankin, "Principles of Program
// Analysis", 2.1): loops run to a fixed point.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/source.h"
#include "ir/node.h"

namespace pw::numpy {

class Sharing {
 public:
  struct Read {
    ir::BufferId buffer;
    base::Span span;
  };
  struct Store {
    ir::BufferId buffer;
    base::Span span;
  };
  /// The buffer stands for what `from` stands for, and no longer for what it did; invalid: for a new array.
  struct Rebind {
    ir::BufferId buffer;
    ir::BufferId from;
  };
  /// The second holds the first, and what that shares, beside what it held before.
  struct Share {
    ir::BufferId first;
    ir::BufferId second;
  };
  struct Branch {
    ir::BlockId then;
    ir::BlockId otherwise;
  };
  struct Loop {
    ir::BlockId body;
    bool runs = false;  // at least once
  };
  enum class Jump : std::uint8_t { Break, Continue, Leave };
  using Event = std::variant<Read, Store, Rebind, Share, Branch, Loop, Jump>;

  void note(ir::BlockId block, Event event);
  /// What the statement does to the flow of its block; `runs`: a loop whose body runs at least once.
  void note_flow(ir::BlockId block, const ir::Stmt& stmt, bool runs);
  std::size_t noted(ir::BlockId block) const;
  /// Forgets what was noted in a block beyond the first `count`.
  void forget(ir::BlockId block, std::size_t count);

  /// A store whose effect the other side misses.
  struct Missed {
    ir::BufferId stored;
    ir::BufferId other;
    base::Span span;  // of the read, or of the store to what a caller's array shares
  };
  using Pair = std::pair<ir::BufferId, ir::BufferId>;  // the lesser first
  struct Outcome {
    std::optional<Missed> missed;
    std::set<Pair> shared;         // behind the block
    std::set<ir::BufferId> stale;  // behind the block: what was stored through another is missing
  };
  /// `outlives`: whether somebody reads the buffer behind the block without a noted read.
  Outcome follow(ir::BlockId block, const std::function<bool(ir::BufferId)>& outlives) const;

 private:
  std::unordered_map<ir::BlockId, std::vector<Event>> events_;
  bool shares_ = false;  // whether any two buffers were ever noted to share
};

}  // namespace pw::numpy
