// YAML 1.1 scalars by PyYAML's rules: 1e-10 is a string, 010 is 8, 1:30 is 90, on is true.
//
// Source: the regular expressions of PyYAML's resolver and its SafeConstructor (PyYAML 6.0).
#pragma once

#include <cstdint>
#include <string_view>

#include "frontends/manifest/yaml.h"

namespace pw::manifest {

enum class ScalarTag : std::uint8_t { Null, Bool, Int, Float, String, Timestamp, Merge, Value };

/// The tag of a plain scalar without one.
ScalarTag resolve_plain(std::string_view text);

/// Fills kind, value and text of `out`. False if PyYAML cannot construct it either, if an integer does not
/// fit int64, and for Merge and Value, which are no values.
bool construct_scalar(ScalarTag tag, std::string_view text, Yaml& out);

}  // namespace pw::manifest
