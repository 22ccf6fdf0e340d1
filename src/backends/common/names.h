// Names of the emitted program: the author's where the language lets them stand.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backends/common/facts.h"
#include "ir/module.h"

namespace pw::backends {

/// Names of one port. Indexed by id; unique among what is visible, and apart from functions, named constants,
/// tables and what is reserved. Loops beside one another may use the same index.
class Names {
 public:
  /// `entry` is what the entry is called; no name may be in `reserved`, no function's in `library` either.
  Names(const ir::Module& module, const std::vector<FunctionFacts>& facts, const std::string& entry,
        const std::set<std::string>& reserved, const std::set<std::string>& library);

  const std::string& of(ir::LocalId id) const { return locals_[id.index()]; }
  const std::string& of(ir::BufferId id) const { return buffers_[id.index()]; }
  const std::string& of(ir::FunctionId id) const { return functions_[id.index()]; }
  /// A name of ours within a function: `wanted`, or `wanted` and a number.
  std::string fresh(ir::FunctionId function, std::string_view wanted);
  /// Named constants, each name once though several functions read it, in order of appearance.
  const std::vector<ir::LocalId>& configs() const { return configs_; }
  /// Constant tables, each once, in order of appearance.
  const std::vector<ir::BufferId>& tables() const { return tables_; }

 private:
  void name_configs(const std::vector<FunctionFacts>& facts);
  void name_tables(const std::vector<FunctionFacts>& facts);
  void name_function(ir::FunctionId id);
  /// Names in scope where the walk stands; those of a block go when the block ends.
  struct Visible {
    std::unordered_set<std::string> names;
    std::vector<std::string> order;
    void add(const std::string& name);
    void leave(std::size_t count);
  };
  void name_block(ir::FunctionId function, ir::BlockId block, Visible& visible);

  const ir::Module& module_;
  std::unordered_set<std::string> reserved_;
  std::vector<std::string> locals_;
  std::vector<std::string> buffers_;
  std::vector<std::string> functions_;
  struct Taken {
    std::unordered_set<std::string> names;
    std::unordered_map<std::string, int> next;  // number to try first
  };
  std::vector<Taken> taken_;  // a function each
  std::vector<ir::LocalId> configs_;
  std::vector<ir::BufferId> tables_;
};

/// `name` as an identifier of C: letters, digits and single underscores at the front.
std::string identifier(std::string_view name);

}  // namespace pw::backends
