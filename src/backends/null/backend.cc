#include "backends/null/backend.h"

#include "base/check.h"

namespace pw::backends::null {

namespace {

// 1. What it cannot do. This one has no loops: a kernel must not compute anything.
std::vector<Refusal> can_generate(const ir::Module& module) {
  PW_CHECK(!module.functions.empty(), "a module without an entry");
  const ir::Function& entry = module.functions.back();
  std::vector<Refusal> refusals;
  for (const ir::StmtId id : module[entry.body].statements) {
    if (std::holds_alternative<ir::Return>(module[id])) continue;
    refusals.push_back({"a statement", module.span(id), "the null backend emits nothing"});
    break;
  }
  return refusals;
}

// 2. How it is built and run: data.
runtime::Recipe recipe() {
  runtime::Recipe none;
  none.name = "none";
  none.build = {"true"};
  return none;
}

// 3. The text. Spelling of ops, lowering and printing go into files of their own: see backends/c.
base::Result<Emitted> emit(const ir::Module& module, const EmitOptions& options,
                           diagnostics::Engine& engine) {
  PW_CHECK_OK(report_refusals(can_generate(module), "null", engine));
  Emitted out;
  out.symbol = port_name(options);
  out.checked = out.symbol;
  out.files.push_back({out.symbol + ".txt", "nothing\n"});
  out.recipe = recipe();
  return out;
}

}  // namespace

const Backend kBackend = {"null", "nothing", &can_generate, &emit};

}  // namespace pw::backends::null
