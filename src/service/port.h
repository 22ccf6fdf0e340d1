// From a manifest to a port's text: the pipeline in one place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"
#include "frontends/manifest/binding.h"
#include "frontends/manifest/manifest.h"
#include "frontends/numpy/kernel.h"
#include "frontends/python/ast.h"
#include "passes/options.h"

namespace pw::service {

/// A kernel as its files have it.
struct Kernel {
  std::string path;  // of the manifest, as given
  manifest::Manifest manifest;
  base::FileId python_file;
  python::Tree tree{base::FileId()};
  std::string function;
  manifest::DefLine def;
  std::string reference_sha256, manifest_sha256;
};

/// One port of a kernel, whatever the backend.
struct Variation {
  manifest::PortRow row;
  ir::DType dtype;
};

struct Staged {
  numpy::StagedKernel kernel;  // its module is empty unless it was to be kept
  ir::Module lowered;
  bool exact = false;
};

/// Dtype and shape of what only the kernel's own `initialize` knows; asked for only where it is needed.
using Observe =
    std::function<base::Result<std::vector<numpy::ObservedValue>>(const Kernel&, const Variation&)>;

/// Fails: file-*, manifest-*, python-*, cli-no-entry.
base::Result<Kernel> read_kernel(const std::string& path, base::Sources& sources,
                                 diagnostics::Engine& engine);

/// Every layout and config row at every allowed precision, or at `dtype` only. Fails: verify-no-precision.
base::Result<std::vector<Variation>> variations(const Kernel& kernel, std::optional<ir::DType> dtype,
                                                diagnostics::Engine& engine);

/// `keeps_module`: eval or a printer is to see the module as it was staged. Fails: manifest-*, numpy-*,
/// passes-*.
base::Result<Staged> stage_kernel(const Kernel& kernel, const Variation& variation, const Observe& observe,
                                  const passes::Options& options, bool keeps_module,
                                  const base::Sources& sources, diagnostics::Engine& engine);

/// Fails: backend-refused.
base::Result<backends::Emitted> emit(const Kernel& kernel, const Variation& variation, const Staged& staged,
                                     const backends::Backend& backend, backends::Libraries libraries,
                                     diagnostics::Engine& engine);

/// "spmv__csr".
std::string port_id(const Kernel& kernel, const manifest::PortRow& row);

}  // namespace pw::service
