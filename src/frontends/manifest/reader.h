// The parts that every section of a manifest is read with. `where` is the path of the node, for messages:
// "init.arrays.x".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "frontends/manifest/manifest.h"
#include "frontends/manifest/yaml.h"

namespace pw::manifest {

class Reader {
 public:
  explicit Reader(diagnostics::Engine& engine) : engine(engine) {}

  base::Result<base::Done> expect(const Yaml& node, YamlKind kind, std::string_view where);
  /// A map whose keys are all among `allowed`.
  base::Result<base::Done> map_of(const Yaml& node, std::string_view where,
                                  const std::vector<std::string_view>& allowed);
  /// The value of a key that must be there.
  base::Result<const Yaml*> required(const Yaml& map, std::string_view key, std::string_view where);

  base::Result<Name> key(const YamlMember& member, std::string_view where);
  base::Result<Name> name(const Yaml& node, std::string_view where);
  base::Result<Name> one_of(const Yaml& node, std::string_view where,
                            const std::vector<std::string_view>& allowed);
  base::Result<std::vector<Name>> names(const Yaml& node, std::string_view where);
  base::Result<std::int64_t> integer(const Yaml& node, std::string_view where);
  base::Result<double> number(const Yaml& node, std::string_view where);
  base::Result<Value> value(const Yaml& node, std::string_view where, bool lists = false);
  base::Result<std::vector<Setting>> settings(const Yaml& node, std::string_view where, bool lists = false);
  base::Result<Shape> shape(const Yaml& node, std::string_view where);
  base::Result<ElementType> element_type(const Yaml& node, std::string_view where);
  base::Result<std::vector<Constraint>> constraints(const Yaml& node, std::string_view where);

  tl::unexpected<base::Reported> wrong_type(const Yaml& node, std::string_view where,
                                            std::string_view wanted);

  diagnostics::Engine& engine;
};

/// "a, b, c": for messages.
std::string join(const std::vector<std::string_view>& words);
/// "did you mean x?" or, without a near one, `otherwise`.
std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates,
                    std::string_view otherwise);

}  // namespace pw::manifest
