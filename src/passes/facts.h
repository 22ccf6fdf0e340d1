// What is known to be >= 0 at a place of a function: of loops that run, branches taken and checks passed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/extent.h"

namespace pw::passes {

/// A stack of extents >= 0, each known until it is dropped.
class Facts {
 public:
  explicit Facts(ir::ExtentTable& table) : table_(table) {}

  std::size_t size() const { return facts_.size(); }
  /// False, and nothing changes, if a fact says as much already.
  bool push(ir::ExtentId fact);
  /// Keeps the first `count` facts.
  void drop(std::size_t count);
  /// goal >= 0 by itself, or because goal - fact >= 0 for a fact that makes it simpler; false is "not
  /// proved".
  bool imply(ir::ExtentId goal, const std::function<ir::Range(ir::LocalId)>& range) const;

 private:
  struct Fact {
    ir::ExtentId extent;
    ir::ExtentId variable;  // without its constant
    std::int64_t constant = 0;
  };
  using Term = std::pair<std::int64_t, std::vector<ir::AtomId>>;

  Fact split(ir::ExtentId extent) const;
  bool differs_by_constant(const Fact& goal) const;
  std::vector<Term> terms(ir::ExtentId variable) const;

  ir::ExtentTable& table_;
  std::vector<Fact> facts_;
  // Facts by what they have beside a constant, and by each of their terms: numbers of facts, ascending.
  std::unordered_map<ir::ExtentId, std::vector<std::size_t>> by_variable_;
  std::map<Term, std::vector<std::size_t>> by_term_;
};

}  // namespace pw::passes
