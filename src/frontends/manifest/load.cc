#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "frontends/manifest/check.h"
#include "frontends/manifest/manifest.h"
#include "frontends/manifest/reader.h"
#include "frontends/manifest/sections.h"
#include "frontends/manifest/yaml.h"

namespace pw::manifest {

using diagnostics::Rule;

namespace {

const std::vector<std::string_view> kTopKeys = {
    "name",        "short_name",     "relative_path",  "module_name",
    "func_name",   "kind",           "parameters",     "dimensions",
    "config",      "constraints",    "input_args",     "array_args",
    "output_args", "init",           "taxonomy",       "tags",
    "languages",   "precisions",     "fuzz",           "loop_level_reasoning",
    "variants",    "sparse_layouts", "configurations", "distributions",
    "mpi",         "baseline",       "notes",          "level",
    "timeout_s",   "min_precision",  "_note",          "_note_concurrency"};

/// Sections in reading order: configurations need sparse_layouts.
struct SectionRow {
  std::string_view key;
  base::Result<base::Done> (*read)(Reader&, const Yaml&, Manifest&);
};
constexpr SectionRow kSections[] = {{"config", read_config},
                                    {"init", read_init},
                                    {"taxonomy", read_taxonomy},
                                    {"sparse_layouts", read_sparse_layouts},
                                    {"configurations", read_configurations},
                                    {"distributions", read_distributions},
                                    {"variants", read_variants},
                                    {"fuzz", read_fuzz},
                                    {"mpi", read_mpi},
                                    {"baseline", read_baseline}};

bool declares_knobs(std::string_view path) {
  const bool preset = path.substr(0, 11) == "parameters." || path.substr(0, 11) == "dimensions.";
  return (preset && path.find('.', 11) == std::string_view::npos) || path == "config" ||
         path == "init.scalars" || path == "init.arrays" || path == "init.constants" ||
         (path.substr(0, 7) == "config[");
}

/// PyYAML silently takes the last of equal keys. For what declares a name that is an error, elsewhere a
/// warning.
base::Result<base::Done> check_duplicates(const Yaml& node, const std::string& path,
                                          diagnostics::Engine& engine) {
  for (const YamlDuplicate& twice : node.duplicates) {
    const std::string_view name = engine.sources().text(twice.second);
    const std::string_view where = path.empty() ? "the manifest" : std::string_view(path);
    if (!declares_knobs(path)) {
      (void)engine.report(Rule::ManifestDuplicateKey, twice.second, name, where);
      continue;
    }
    const base::LineColumn first = engine.sources()[twice.first.file].line_column(twice.first.begin);
    return engine.report(Rule::ManifestDeclaredTwice, twice.second, name, where, first.line, where);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    PW_CHECK_OK(check_duplicates(node.items[i], fmt::format("{}[{}]", path, i), engine));
  }
  for (const YamlMember& member : node.members) {
    const std::string inner = path.empty() ? member.key.text : fmt::format("{}.{}", path, member.key.text);
    PW_CHECK_OK(check_duplicates(member.value, inner, engine));
  }
  return base::Done{};
}

base::Result<base::Done> read_identity(Reader& reader, const Yaml& root, Manifest& out) {
  out.short_name = out.module_name = out.id;
  for (const auto& [key, target] :
       {std::pair("short_name", &out.short_name), std::pair("module_name", &out.module_name),
        std::pair("kind", &out.kind)}) {
    if (const Yaml* node = root.find(key)) {
      PW_TRY(Name name, reader.name(*node, key));
      *target = std::move(name.text);
    }
  }
  out.name = out.short_name;
  if (const Yaml* node = root.find("name")) {
    PW_TRY(Name name, reader.name(*node, "name"));
    out.name = std::move(name.text);
  }
  if (const Yaml* node = root.find("func_name")) {
    PW_TRY(out.func_name, reader.name(*node, "func_name"));
  }
  if (const Yaml* node = root.find("level"); node != nullptr && node->kind != YamlKind::Null) {
    PW_TRY(out.level, reader.integer(*node, "level"));
  }
  return base::Done{};
}

base::Result<base::Done> read_arguments(Reader& reader, const Yaml& root, Manifest& out) {
  if (const Yaml* node = root.find("input_args"); node != nullptr && node->kind != YamlKind::Null) {
    PW_TRY(out.input_args, reader.names(*node, "input_args"));
  }
  if (const Yaml* node = root.find("array_args"); node != nullptr && node->kind != YamlKind::Null) {
    PW_TRY(out.array_args, reader.names(*node, "array_args"));
  }
  PW_TRY(const Yaml* outputs, reader.required(root, "output_args", "the manifest"));
  PW_TRY(out.output_args, reader.names(*outputs, "output_args"));
  if (out.output_args.empty()) return reader.engine.report(Rule::ManifestNoOutput, outputs->span);
  if (const Yaml* node = root.find("precisions")) {
    PW_CHECK_OK(reader.expect(*node, YamlKind::List, "precisions"));
    for (const Yaml& item : node->items) {
      PW_TRY(Name one,
             reader.one_of(item, "precisions", {"fp64", "fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"}));
      out.precisions.push_back(std::move(one));
    }
  }
  return base::Done{};
}

base::Result<base::Done> read_root(Reader& reader, const Yaml& root, Manifest& out) {
  PW_CHECK_OK(reader.map_of(root, "the manifest", kTopKeys));
  PW_CHECK_OK(read_identity(reader, root, out));
  const Yaml* parameters = root.find("parameters");
  const Yaml* dimensions = root.find("dimensions");
  if (parameters != nullptr && dimensions != nullptr) {
    const base::LineColumn first = reader.engine.sources()[out.file].line_column(parameters->span.begin);
    return reader.engine.report(Rule::ManifestDeclaredTwice, dimensions->span, "the set of sizes",
                                "parameters", first.line, "dimensions");
  }
  if (dimensions != nullptr) {
    PW_CHECK_OK(read_parameters(reader, *dimensions, "dimensions", out));
  } else {
    PW_TRY(parameters, reader.required(root, "parameters", "the manifest"));
    PW_CHECK_OK(read_parameters(reader, *parameters, "parameters", out));
  }
  PW_CHECK_OK(read_arguments(reader, root, out));
  for (const SectionRow& section : kSections) {
    if (const Yaml* node = root.find(section.key)) PW_CHECK_OK(section.read(reader, *node, out));
  }
  if (const Yaml* node = root.find("min_precision"); node != nullptr && node->kind != YamlKind::Null) {
    PW_TRY(out.taxonomy.min_precision,
           reader.one_of(*node, "min_precision", {"fp64", "fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"}));
  }
  if (const Yaml* node = root.find("constraints"); node != nullptr && node->kind != YamlKind::Null) {
    PW_TRY(out.constraints, reader.constraints(*node, "constraints"));
  }
  return base::Done{};
}

base::Result<base::Done> find_module(Manifest& manifest, const std::filesystem::path& folder,
                                     diagnostics::Engine& engine) {
  const std::filesystem::path usual = folder / (manifest.module_name + "_numpy.py");
  const std::filesystem::path plain = folder / (manifest.module_name + ".py");
  std::error_code ignored;
  for (const std::filesystem::path& path : {usual, plain}) {
    if (!std::filesystem::is_regular_file(path, ignored)) continue;
    manifest.module_path = path.string();
    return base::Done{};
  }
  return engine.report(Rule::ManifestModule, base::Span{manifest.file, 0, 0}, usual.string(), plain.string());
}

}  // namespace

base::Result<Manifest> load(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine) {
  PW_TRY(const Yaml root, parse_yaml(file, sources, engine));
  PW_CHECK_OK(check_duplicates(root, "", engine));
  Manifest out;
  out.file = file;
  out.id = std::filesystem::path(sources[file].path).stem().string();
  Reader reader(engine);
  PW_CHECK_OK(read_root(reader, root, out));
  PW_CHECK_OK(check_manifest(out, engine));
  return out;
}

base::Result<Manifest> load(const std::string& path, base::Sources& sources, diagnostics::Engine& engine) {
  const std::optional<base::FileId> file = sources.load(path);
  if (!file) return engine.report(Rule::FileUnreadable, base::Span{}, path);
  PW_TRY(Manifest out, load(*file, sources, engine));
  PW_CHECK_OK(find_module(out, std::filesystem::path(path).parent_path(), engine));
  return out;
}

}  // namespace pw::manifest
