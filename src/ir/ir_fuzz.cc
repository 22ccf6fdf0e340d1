// libFuzzer entry: any bytes as IR text; what parses prints; what verifies reads back as itself, and runs.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "ir/eval.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

using namespace pw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const auto module = ir::parse(
      sources.add("fuzz.pwir", std::string(reinterpret_cast<const char*>(data), size)), sources, engine);
  if (!module) return 0;
  const std::string printed = ir::print(*module);
  diagnostics::Engine second(sources);
  const auto again = ir::parse(sources.add("again.pwir", printed), sources, second);
  if (!ir::verify(*module, engine)) return 0;
  PW_CHECK(again && ir::print(*again) == printed, "the printed text reads back as another module");
  ir::EvalOptions options;
  options.max_steps = 10000;
  options.max_bytes = 1U << 20U;
  for (std::size_t i = 0; i < module->functions.size(); ++i) {
    if (module->functions[i].parameters.empty()) (void)ir::eval(*module, ir::FunctionId(i), {}, options);
  }
  return 0;
}
