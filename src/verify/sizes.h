// The sizes that a port is run at, besides the manifest's presets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontends/manifest/manifest.h"

namespace pw::verify {

struct Size {
  std::string name;                             // "11x13": the values in the order of `parameters:`
  std::map<std::string, std::int64_t> symbols;  // what differs from the preset
};

struct GeneratedSizes {
  std::vector<Size> sizes;
  std::vector<std::string> dropped;  // "1x1 (constraint N > 1)"
};

/// Integer symbols of the preset that stand in an extent of some array, in the order of `parameters:`. A
/// symbol that does not (a stride, a number of steps) is a knob and keeps its value.
std::vector<std::string> extent_symbols(const manifest::Manifest& manifest, const manifest::Preset& preset);

/// All distinct small primes; all ones; one more than a tile, each a different number. Numbers are made
/// smaller where all arrays together would have more elements than at the preset and than 2^15. A size that a
/// declared constraint excludes is dropped. A sparse matrix gets a quarter of its elements. Symbols that the
/// port is specialised to keep their values.
GeneratedSizes generated_sizes(const manifest::Manifest& manifest, const manifest::Preset& preset,
                               const manifest::PortRow& row, const base::Sources& sources,
                               const std::map<std::string, std::int64_t>& specialised = {});

}  // namespace pw::verify
