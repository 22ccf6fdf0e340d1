// What every pass is told, and what it tells `--explain`.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"

namespace pw::passes {

/// One decision of a pass about one place of the source: "fused", "kept", "parallel", "vector", "serial".
struct Decision {
  base::Span span;
  std::string decision;
  std::string reason;
};

struct Options {
  bool fuse = true;
  bool parallel = true;
  /// Products of matrices may be left to a library.
  bool libraries = false;
  /// A loop of at most this many steps (where that is known) is not worth a team of threads.
  std::int64_t parallel_minimum = 2048;
  /// Where decisions go, in source order of the pass that took them; null: nowhere.
  std::vector<Decision>* explain = nullptr;

  void say(base::Span span, const char* decision, std::string reason) const {
    if (explain != nullptr) explain->push_back({span, decision, std::move(reason)});
  }
};

}  // namespace pw::passes
