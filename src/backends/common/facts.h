// What a printer of loops must know of a function before its first line.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "ir/module.h"

namespace pw::backends {

struct FunctionFacts {
  bool reached = false;               // called from the entry, or the entry itself
  bool can_fail = false;              // holds a trap or a heap allocation, or calls what does
  std::vector<ir::FunctionId> calls;  // each once, in order of appearance
  std::set<ir::BufferId> stored;      // buffers that the function or what it calls stores to
  std::set<ir::BufferId> passed;      // buffers handed to a call
  std::set<ir::BufferId> heap;        // temporaries that do not fit the stack
  std::vector<ir::BufferId> tables;   // constant tables read, in order of appearance
  std::vector<ir::LocalId> configs;   // named constants read, in order of appearance
};

/// One row a function. Source of "stored": a fixpoint over the call graph, which may be recursive.
/// `replaced`: functions whose body stands for a library that does the same; `helped`: those that have a
/// library's call beside it, which can fail.
std::vector<FunctionFacts> function_facts(const ir::Module& module,
                                          const std::set<ir::FunctionId>& replaced = {},
                                          const std::set<ir::FunctionId>& helped = {});

/// Elements of a buffer whose extents are constants or named constants; nullopt otherwise or if it overflows.
std::optional<std::int64_t> known_size(const ir::Module& module, const ir::Buffer& buffer);

/// Locals made by the statements of a block and of the blocks inside.
std::set<ir::LocalId> locals_made_in(const ir::Module& module, ir::BlockId block);

/// Whether running the block can leave the function: a trap, a return, a failing call, a heap allocation.
bool may_leave(const ir::Module& module, const std::vector<FunctionFacts>& facts, ir::FunctionId function,
               ir::BlockId block);

}  // namespace pw::backends
