// Building a port, once for each text: a cache of shared objects keyed by what went into them.
#pragma once

#include <string>
#include <vector>

#include "backends/common/port.h"
#include "base/result.h"
#include "diagnostics/engine.h"

namespace pw::verify {

struct BuiltPort {
  std::string library;    // path of the shared object
  std::string toolchain;  // "gcc 12.2"
  bool cached = false;
  double cpu_seconds = 0;
};

/// $XDG_CACHE_HOME/portwright/build, or ~/.cache/portwright/build.
std::string build_cache_folder();

/// "gcc 12.2" of "gcc" and "12.2.0".
std::string toolchain_text(const std::string& name, const std::string& version);

/// sha256 over the names and texts of the files.
std::string port_sha256(const std::vector<backends::File>& files);

/// Builds the first file in a sandboxed scratch folder and renames the result into the cache. Fails:
/// run-tool-absent, run-build-failed, file-unwritable.
base::Result<BuiltPort> build_port(const backends::Emitted& port, const std::string& cache_folder,
                                   diagnostics::Engine& engine);

}  // namespace pw::verify
