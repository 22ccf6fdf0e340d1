// Where a statement loads which buffers, its nested blocks included.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "passes/moves.h"

namespace pw::passes {

/// A statement that loads the buffer itself, or is passed it.
struct Site {
  ir::BufferId buffer;
  ir::StmtId stmt;
  std::vector<Place> path;  // level 0 is the statement asked about
  bool blocked = false;     // no expression can take the load's place
};

struct Sites {
  std::vector<Site> all;  // by buffer, then in order
  std::unordered_map<ir::LocalId, Place> bound;

  std::span<const Site> of(ir::BufferId buffer) const;
};
Sites sites_in(const ir::Module& module, ir::StmtId stmt);

/// Loads of a buffer with one index in one statement.
struct Occurrence {
  ir::ExprId load;
  std::size_t count = 0;  // in the expressions' trees
  ir::StmtId stmt;
  std::vector<Place> path;
};
void count_loads(const ir::Module& module, const Site& site, std::vector<Occurrence>& out);

/// Each buffer once, ascending.
std::vector<ir::BufferId> loaded_buffers(const ir::Module& module, std::span<const ir::ExprId> roots);
/// Every load of a block and the blocks inside, once.
std::vector<ir::ExprId> loads_in(const ir::Module& module, ir::BlockId block);

}  // namespace pw::passes
