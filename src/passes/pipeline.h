// The list of passes between a front end and a backend.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "passes/options.h"

namespace pw::passes {

using Pass = base::Result<ir::Module> (*)(ir::Module, const Options&, diagnostics::Engine&);

struct NamedPass {
  std::string_view name;
  Pass function;
};

/// The passes in the order in which they run; a name may come twice.
std::span<const NamedPass> passes();

/// All passes in order. The meaning of the module is kept bit for bit, but for reductions of order "any".
base::Result<ir::Module> optimise(ir::Module module, const Options& options, diagnostics::Engine& engine);

}  // namespace pw::passes
