#include "service/port.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "frontends/python/parser.h"
#include "passes/pipeline.h"
#include "service/service.h"
#include "verify/exactness.h"

namespace pw::service {

namespace {

/// Whether dtypes or shapes are what the Python initialiser makes of them, whatever the manifest declares.
bool needs_observation(const manifest::Binding& binding) {
  return std::any_of(binding.arguments.begin(), binding.arguments.end(), [](const auto& argument) {
    return argument.kind == manifest::ArgumentKind::InitValue || argument.from_init;
  });
}

}  // namespace

std::string port_id(const Kernel& kernel, const manifest::PortRow& row) {
  return row.layout.empty() ? kernel.manifest.id : kernel.manifest.id + "__" + row.layout;
}

base::Result<Kernel> read_kernel(const std::string& path, base::Sources& sources,
                                 diagnostics::Engine& engine) {
  Kernel kernel;
  kernel.path = path;
  PW_TRY(kernel.manifest, manifest::load(path, sources, engine));
  const auto file = sources.load(kernel.manifest.module_path);
  if (!file) {
    return engine.report(diagnostics::Rule::FileUnreadable, kernel.manifest.init.span,
                         kernel.manifest.module_path);
  }
  kernel.python_file = *file;
  kernel.reference_sha256 = base::sha256_hex(sources[*file].text);
  kernel.manifest_sha256 = base::sha256_hex(sources[kernel.manifest.file].text);
  PW_TRY(kernel.tree, python::parse_file(*file, sources, engine));
  const auto function = manifest::entry_function(kernel.manifest, numpy::top_level_defs(kernel.tree));
  if (!function) {
    return engine.report(diagnostics::Rule::CliNoEntry, base::Span{*file, 0, 0}, kernel.manifest.module_path,
                         kernel.manifest.module_name);
  }
  kernel.function = *function;
  PW_TRY(kernel.def, numpy::def_line(kernel.tree, kernel.function, engine));
  PW_CHECK_OK(manifest::check(kernel.manifest, kernel.def, engine));
  return kernel;
}

base::Result<std::vector<Variation>> variations(const Kernel& kernel, std::optional<ir::DType> dtype,
                                                diagnostics::Engine& engine) {
  std::vector<ir::DType> dtypes = manifest::allowed_precisions(kernel.manifest);
  if (dtype) {
    if (std::find(dtypes.begin(), dtypes.end(), *dtype) == dtypes.end()) {
      std::string allowed;
      for (const ir::DType type : dtypes)
        allowed += (allowed.empty() ? "" : ", ") + std::string(ir::row(type).numpy);
      return engine.report(diagnostics::Rule::VerifyNoPrecision, base::Span{kernel.manifest.file, 0, 0},
                           ir::row(*dtype).numpy, allowed);
    }
    dtypes = {*dtype};
  }
  std::vector<Variation> out;
  for (const manifest::PortRow& row : manifest::port_rows(kernel.manifest)) {
    for (const ir::DType type : dtypes) out.push_back({row, type});
  }
  return out;
}

base::Result<Staged> stage_kernel(const Kernel& kernel, const Variation& variation, const Observe& observe,
                                  const passes::Options& options, bool keeps_module,
                                  const base::Sources& sources, diagnostics::Engine& engine) {
  const manifest::Binding binding = manifest::bind(kernel.manifest, kernel.def, variation.row);
  std::vector<numpy::ObservedValue> observed;
  if (needs_observation(binding)) {
    PW_TRY(observed, observe(kernel, variation));
  }
  PW_TRY(numpy::KernelInterface interface,
         numpy::make_interface(kernel.manifest, binding, variation.row, variation.dtype, observed, engine));
  interface.function = kernel.function;
  Staged staged;
  PW_TRY(staged.kernel, numpy::stage(kernel.tree, interface, sources, engine));
  const std::set<std::string> written(staged.kernel.written.begin(), staged.kernel.written.end());
  PW_CHECK_OK(manifest::check_written(kernel.manifest, binding, written, engine));
  staged.exact = !verify::why_inexact(staged.kernel.module);
  ir::Module module = keeps_module ? staged.kernel.module : std::move(staged.kernel.module);
  PW_TRY(staged.lowered, passes::optimise(std::move(module), options, engine));
  return staged;
}

base::Result<backends::Emitted> emit(const Kernel& kernel, const Variation& variation, const Staged& staged,
                                     const backends::Backend& backend, backends::Libraries libraries,
                                     diagnostics::Engine& engine) {
  backends::EmitOptions options;
  options.libraries = libraries;
  options.name = port_id(kernel, variation.row);
  options.run_dtype = variation.dtype;
  options.source_path = engine.sources()[kernel.python_file].path;
  options.source_path = options.source_path.substr(options.source_path.rfind('/') + 1);
  options.source_sha256 = kernel.reference_sha256;
  options.portwright_version = version();
  return backend.emit(staged.lowered, options, engine);
}

}  // namespace pw::service
