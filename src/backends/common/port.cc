#include "backends/common/port.h"

namespace pw::backends {

std::string port_name(const EmitOptions& options) {
  return options.run_dtype == ir::DType::F32 ? options.name + "_f32" : options.name;
}

base::Result<base::Done> report_refusals(const std::vector<Refusal>& refusals, std::string_view backend,
                                         diagnostics::Engine& engine) {
  base::Result<base::Done> result = base::Done{};
  for (const Refusal& each : refusals) {
    result =
        engine.report(diagnostics::Rule::BackendRefused, each.span, backend, each.construct, each.reason);
  }
  return result;
}

}  // namespace pw::backends
