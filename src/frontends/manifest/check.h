// The checks that need the manifest alone. Those that need the def line are in binding.h.
#pragma once

#include "frontends/manifest/manifest.h"

namespace pw::manifest {

/// Reports everything that is wrong, not only the first: names declared twice, shapes that nothing can
/// evaluate at some preset, constraints that do not hold, outputs that are no arrays.
base::Result<base::Done> check_manifest(const Manifest& manifest, diagnostics::Engine& engine);

/// Every name of parameters, config, constants and scalars: for suggestions.
std::vector<std::string_view> known_symbols(const Manifest& manifest);

}  // namespace pw::manifest
