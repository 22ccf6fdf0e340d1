// What can change while a name stays bound: lists and dicts (their items) and arrays.
#pragma once

#include <algorithm>
#include <set>

#include "ir/module.h"

namespace pw::numpy {

struct State {
  std::set<const void*> containers;
  std::set<ir::BufferId> buffers;
  std::set<const void*> functions;  // seen (their defaults)

  bool empty() const { return containers.empty() && buffers.empty(); }
  bool shares_with(const State& other) const {
    const auto any = [](const auto& a, const auto& b) {
      return std::any_of(a.begin(), a.end(), [&](const auto& each) { return b.contains(each); });
    };
    return any(containers, other.containers) || any(buffers, other.buffers);
  }
};

}  // namespace pw::numpy
