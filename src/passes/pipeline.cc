#include "passes/pipeline.h"

#include <iterator>

#include "passes/fuse.h"
#include "passes/parallel.h"
#include "passes/simplify.h"

namespace pw::passes {

namespace {

using Pass = base::Result<ir::Module> (*)(const ir::Module&, const Options&, diagnostics::Engine&);

constexpr Pass kPasses[] = {simplify, fuse, simplify, parallel};

}  // namespace

base::Result<ir::Module> optimise(const ir::Module& module, const Options& options,
                                  diagnostics::Engine& engine) {
  ir::Module out = module;
  for (const Pass pass : kPasses) {
    PW_TRY(out, pass(out, options, engine));
  }
  return out;
}

}  // namespace pw::passes
