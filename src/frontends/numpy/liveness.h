// Which names are live: whether some path reads what a name holds before it is bound anew.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/numpy/names.h"
#include "frontends/python/ast.h"

namespace pw::numpy {

/// Answers about function bodies, each analysed once: a backward analysis over statements, loops to a
/// fixpoint. What a nested function reads is live everywhere, and what a try, with or match reads is live
/// throughout it.
class Liveness {
 public:
  using Block = std::vector<python::StmtId>;

  explicit Liveness(const python::Tree& tree) : tree_(tree) {}
  /// Behind the statement that a block belongs to (the body of an if or try, the else of a loop), or for the
  /// body of a loop where its rounds end, which is before its else. `function` is the body of the function
  /// that it stands in.
  bool lives_behind(const Block& function, const Block& block, const std::string& name);
  /// The names that a block binds.
  const std::map<std::string, AssignedName>& assigned_in(const Block& block);
  /// At the top of each round of the loop of that body, its target being bound; or at the top of a side of
  /// the branch that it belongs to.
  bool lives_at_top(const Block& function, const Block& body, const std::string& name);

 private:
  struct Fact {
    bool behind = false;
    bool at_top = false;
  };
  /// Of each block, the names that it, its other branch or its loop's target binds.
  using Function = std::unordered_map<const Block*, std::map<std::string, Fact>>;
  /// Live at both places where nothing is known.
  Fact fact_of(const Block& function, const Block& block, const std::string& name);
  friend class LivenessOfFunction;

  const python::Tree& tree_;
  std::map<const Block*, Function> functions_;
  std::unordered_map<const Block*, std::map<std::string, AssignedName>> assigned_;
};

}  // namespace pw::numpy
