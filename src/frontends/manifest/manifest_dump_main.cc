// manifest_dump yaml: for each path on standard input, the YAML as one line of JSON.
// manifest_dump bind: for each line {"path", "defs": [{"name", "arguments": [{"name", "default",
// "keyword_only"}], "returned"}]}, what every argument of every port is bound to. For tests/manifest, which
// compare both with Python.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "frontends/manifest/binding.h"
#include "frontends/manifest/manifest.h"
#include "frontends/manifest/yaml.h"

namespace pw::manifest {
namespace {

using Json = nlohmann::ordered_json;

/// Floats as hexadecimal text, maps as lists of pairs: JSON has neither NaN nor keys that are no strings.
Json to_json(const Yaml& node) {
  switch (node.kind) {
    case YamlKind::Null:
      return nullptr;
    case YamlKind::Bool:
      return node.boolean;
    case YamlKind::Int:
      return node.integer;
    case YamlKind::Float:
      return {{"float", fmt::format("{:a}", node.real)}};
    case YamlKind::String:
      return node.text;
    case YamlKind::Timestamp:
      return {{"timestamp", node.text}};
    case YamlKind::List: {
      Json out = Json::array();
      for (const Yaml& item : node.items) out.push_back(to_json(item));
      return out;
    }
    case YamlKind::Map: {
      Json pairs = Json::array();
      for (const YamlMember& member : node.members)
        pairs.push_back(Json::array({to_json(member.key), to_json(member.value)}));
      return {{"map", std::move(pairs)}};
    }
  }
  return nullptr;
}

Json diagnostics_of(const diagnostics::Engine& engine) {
  Json out = Json::array();
  for (const auto& each : engine.all()) out.push_back(diagnostics::to_text(each, engine.sources()));
  return out;
}

Json dump_yaml(const std::string& path) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const std::optional<base::FileId> file = sources.load(path);
  if (!file) return {{"path", path}, {"diagnostics", {"unreadable"}}};
  const base::Result<Yaml> yaml = parse_yaml(*file, sources, engine);
  Json out = {{"path", path}, {"diagnostics", diagnostics_of(engine)}};
  if (yaml) out["value"] = to_json(*yaml);
  return out;
}

DefLine def_line(const nlohmann::json& def) {
  DefLine out;
  for (const auto& argument : def.at("arguments")) {
    out.arguments.push_back({argument.at("name"), argument.at("default"), argument.at("keyword_only"), {}});
  }
  out.returned = def.at("returned").get<std::vector<std::string>>();
  return out;
}

Json dump_binding(const Manifest& manifest, const DefLine& def, const PortRow& row) {
  static constexpr std::string_view kKinds[] = {"array",         "parameter",  "config",
                                                "config_domain", "constant",   "scalar",
                                                "sparse_handle", "init_value", "default"};
  static constexpr std::string_view kForms[] = {"python", "int64", "run_float", "declared", "from_init"};
  const Binding binding = bind(manifest, def, row);
  Json arguments = Json::array();
  for (const BoundArgument& bound : binding.arguments) {
    Json one = {{"name", bound.argument.name},
                {"kind", kKinds[static_cast<std::size_t>(bound.kind)]},
                {"form", kForms[static_cast<std::size_t>(bound.form)]},
                {"dtype", bound.dtype ? bound.dtype->declared.text : ""},
                {"output", bound.is_output},
                {"from_init", bound.from_init}};
    if (bound.array != nullptr) one["shape"] = bound.array->shape.text;
    if (bound.format != nullptr) one["format"] = bound.format->format.text;
    arguments.push_back(std::move(one));
  }
  Json trailing = Json::array();
  for (const Name& name : binding.trailing_symbols) trailing.push_back(name.text);
  Json from_buffers = Json::array();
  for (const BufferExtent& extent : binding.buffer_extents) from_buffers.push_back(extent.symbol);
  Json returned = Json::array();
  for (const Array* array : binding.returned_outputs) returned.push_back(array->name.text);
  return {{"layout", row.layout},
          {"arguments", arguments},
          {"trailing", trailing},
          {"from_buffers", from_buffers},
          {"returned", returned}};
}

/// Every extent at every preset of the first port: [[preset, array, [extent, ...]], ...].
Json dump_shapes(const Manifest& manifest, diagnostics::Engine& engine) {
  Json out = Json::array();
  for (const Preset& preset : manifest.presets) {
    const Symbols symbols = shape_symbols(manifest, preset, port_rows(manifest).front());
    for (const Array& array : manifest.init.arrays) {
      Json extents = Json::array();
      for (const Expression& extent : array.shape.extents) {
        const std::size_t mark = engine.all().size();
        if (const base::Result<std::int64_t> value = evaluate(extent, symbols, engine)) {
          extents.push_back(*value);
        } else {
          engine.truncate(mark);
          extents.push_back(nullptr);
        }
      }
      out.push_back(Json::array({preset.name.text, array.name.text, std::move(extents)}));
    }
  }
  return out;
}

Json dump_bind(const std::string& line) {
  const nlohmann::json request = nlohmann::json::parse(line);
  const std::string path = request.at("path");
  base::Sources sources;
  diagnostics::Engine engine(sources);
  Json out = {{"path", path}};
  if (const base::Result<Manifest> manifest = load(path, sources, engine)) {
    std::vector<std::string> defs;
    for (const auto& def : request.at("defs")) defs.push_back(def.at("name"));
    const std::optional<std::string> entry = entry_function(*manifest, defs);
    out["entry"] = entry.value_or("");
    out["precisions"] = allowed_precisions(*manifest).size();
    out["shapes"] = dump_shapes(*manifest, engine);
    for (const auto& def : request.at("defs")) {
      if (def.at("name") != out["entry"]) continue;
      if (!check(*manifest, def_line(def), engine)) break;
      Json ports = Json::array();
      for (const PortRow& row : port_rows(*manifest))
        ports.push_back(dump_binding(*manifest, def_line(def), row));
      out["ports"] = std::move(ports);
    }
  }
  out["diagnostics"] = diagnostics_of(engine);
  return out;
}

}  // namespace
}  // namespace pw::manifest

int main(int argc, char** argv) {
  const std::string mode = argc == 2 ? argv[1] : "";
  if (mode != "yaml" && mode != "bind") {
    std::cerr << "usage: manifest_dump yaml|bind < LINES\n";
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto out = mode == "yaml" ? pw::manifest::dump_yaml(line) : pw::manifest::dump_bind(line);
    std::cout << out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  }
  return 0;
}
