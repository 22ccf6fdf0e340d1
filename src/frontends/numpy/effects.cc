#include "frontends/numpy/effects.h"

#include <algorithm>
#include <set>

namespace pw::numpy {

namespace {

class Walk {
 public:
  explicit Walk(const ir::Module& module) : module_(module) {}

  void add(std::span<const ir::StmtId> statements) {
    for (const ir::StmtId id : statements) add(module_[id]);
  }

  std::set<ir::LocalId> assigned;
  std::set<ir::BufferId> stored;

 private:
  void add(const ir::Stmt& statement) {
    if (const auto* assign = std::get_if<ir::Assign>(&statement)) assigned.insert(assign->variable);
    if (const auto* store = std::get_if<ir::Store>(&statement)) stored.insert(store->buffer);
    if (const auto* call = std::get_if<ir::Call>(&statement)) add(*call);
    for (const ir::BlockId block : ir::blocks_of(statement)) add(module_[block].statements);
  }

  void add(const ir::Call& call) {
    const ir::Function& callee = module_[call.callee];
    Walk inside(module_);
    inside.add(module_[callee.body].statements);
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const auto* parameter = std::get_if<ir::BufferId>(&callee.parameters[k]);
      if (parameter != nullptr && inside.stored.contains(*parameter))
        stored.insert(std::get<ir::BufferId>(call.arguments[k]));
    }
  }

  const ir::Module& module_;
};

}  // namespace

bool changes_existing(const ir::Module& module, std::span<const ir::StmtId> statements, Existing existing) {
  Walk walk(module);
  walk.add(statements);
  return std::any_of(walk.assigned.begin(), walk.assigned.end(),
                     [&](ir::LocalId local) { return local.index() < existing.locals; }) ||
         std::any_of(walk.stored.begin(), walk.stored.end(),
                     [&](ir::BufferId buffer) { return buffer.index() < existing.buffers; });
}

}  // namespace pw::numpy
