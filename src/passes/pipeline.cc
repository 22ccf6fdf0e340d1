#include "passes/pipeline.h"

#include <utility>

#include "passes/contractions.h"
#include "passes/forward.h"
#include "passes/fuse.h"
#include "passes/merge.h"
#include "passes/pack.h"
#include "passes/parallel.h"
#include "passes/simplify.h"

namespace pw::passes {

namespace {

constexpr NamedPass kPasses[] = {
    {"simplify", simplify}, {"fuse", fuse},         {"forward", forward},
    {"merge", merge},       {"fuse", fuse},         {"forward", forward},
    {"tidy", tidy},         {"parallel", parallel}, {"contractions", contractions},
    {"pack", pack},
};

}  // namespace

std::span<const NamedPass> passes() { return kPasses; }

base::Result<ir::Module> optimise(ir::Module module, const Options& options, diagnostics::Engine& engine) {
  for (const NamedPass& pass : kPasses) {
    PW_TRY(module, pass.function(std::move(module), options, engine));
  }
  return module;
}

}  // namespace pw::passes
