// A YAML document as PyYAML's safe_load sees it: a tree of values with places.
//
// Method: libyaml's events, YAML 1.1 scalars by yaml_scalar.h. Anchors are copied where they are used.
// Differences from PyYAML, each a diagnostic: recursive anchors, integers beyond 64 bits, tags other than the
// core ones, merge lists whose maps share a key (PyYAML's versions disagree), a few odd texts behind explicit
// tags (!!float inf), documents over 1 MiB, 100 levels or 200,000 nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"

namespace pw::manifest {

enum class YamlKind : std::uint8_t { Null, Bool, Int, Float, String, Timestamp, List, Map };

struct YamlMember;
struct YamlDuplicate {
  base::Span first, second;  // the keys
};

struct Yaml {
  YamlKind kind = YamlKind::Null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  // a scalar's text; of a String its value
  base::Span span;
  std::vector<Yaml> items;
  std::vector<YamlMember> members;        // keys are unique scalars, in the order of Python's dict
  std::vector<YamlDuplicate> duplicates;  // keys that the map itself repeats; the last one won

  /// The value of a string key, or null.
  const Yaml* find(std::string_view key) const;
};

struct YamlMember {
  Yaml key;
  Yaml value;
};

/// "a string", "a map", ...: for messages.
std::string_view describe(YamlKind kind);

/// An empty document is Null. Fails: manifest-yaml-*.
base::Result<Yaml> parse_yaml(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine);

}  // namespace pw::manifest
