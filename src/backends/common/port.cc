#include "backends/common/port.h"

namespace pw::backends {

std::string port_name(const EmitOptions& options) {
  return options.run_dtype == ir::DType::F32 ? options.name + "_f32" : options.name;
}

std::string_view status_text(int status) {
  switch (status) {
    case -1:
      return "out of memory";
    case -2:
      return "an array is NULL";
    case -3:
      return "two arrays overlap";
    case -4:
      return "a size is out of range";
    case -5:
      return "an integer is out of range";
    default:
      return "";
  }
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
