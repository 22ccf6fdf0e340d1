#include "frontends/manifest/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pw::manifest {

using diagnostics::Rule;

namespace {

const std::vector<std::string_view> kPrecisions = {"fp64", "fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"};

base::Result<FuzzInterval> read_interval(Reader& reader, const Yaml& node, std::string_view where) {
  if (node.kind != YamlKind::List || node.items.size() != 2)
    return reader.wrong_type(node, where, "a [low, high] pair");
  FuzzInterval out{};
  PW_TRY(out.low, reader.integer(node.items[0], where));
  PW_TRY(out.high, reader.integer(node.items[1], where));
  if (out.low > out.high)
    return reader.engine.report(Rule::ManifestInterval, node.span, where, out.low, out.high);
  return out;
}

base::Result<FuzzSet> read_set(Reader& reader, const Yaml& node, std::string_view where) {
  PW_TRY(Value list, reader.value(node, where, true));
  auto* values = std::get_if<std::vector<std::int64_t>>(&list.data);
  if (values == nullptr || values->empty())
    return reader.wrong_type(node, where, "a list of at least one integer");
  return FuzzSet{std::move(*values)};
}

base::Result<std::variant<std::int64_t, FuzzInterval, FuzzSet>> read_leaf(Reader& reader, const Yaml& node,
                                                                          std::string_view where) {
  using Leaf = std::variant<std::int64_t, FuzzInterval, FuzzSet>;
  if (node.kind == YamlKind::Map) {
    PW_CHECK_OK(reader.map_of(node, where, {"set"}));
    PW_TRY(const Yaml* set, reader.required(node, "set", where));
    PW_TRY(FuzzSet out, read_set(reader, *set, fmt::format("{}.set", where)));
    return Leaf(std::move(out));
  }
  if (node.kind == YamlKind::Int) return Leaf(node.integer);
  PW_TRY(const FuzzInterval out, read_interval(reader, node, where));
  return Leaf(out);
}

base::Result<Expression> read_expression(Reader& reader, const Yaml& node, std::string_view where) {
  PW_TRY(const Name text, reader.name(node, where));
  return parse_constraint({text.text, text.span}, reader.engine);
}

base::Result<FuzzSymbol> read_fuzzed(Reader& reader, Name name, const Yaml& node, std::string_view where) {
  FuzzSymbol out{std::move(name), std::int64_t{0}};
  if (const Yaml* derive = node.find("derive")) {
    PW_CHECK_OK(reader.map_of(node, where, {"derive"}));
    PW_TRY(Expression expression, read_expression(reader, *derive, fmt::format("{}.derive", where)));
    out.draw = FuzzDerived{std::move(expression)};
    return out;
  }
  if (const Yaml* construct = node.find("construct")) {
    FuzzConstructed constructed;
    PW_TRY(constructed.expression, read_expression(reader, *construct, fmt::format("{}.construct", where)));
    for (const YamlMember& member : node.members) {
      PW_TRY(Name helper, reader.key(member, where));
      if (helper.text == "construct") continue;
      PW_TRY(auto leaf, read_leaf(reader, member.value, fmt::format("{}.{}", where, helper.text)));
      constructed.helpers.emplace_back(std::move(helper), std::move(leaf));
    }
    out.draw = std::move(constructed);
    return out;
  }
  PW_TRY(auto leaf, read_leaf(reader, node, where));
  std::visit([&](auto& value) { out.draw = std::move(value); }, leaf);
  return out;
}

base::Result<ValueDomain> read_domain(Reader& reader, const Yaml& node, std::string_view where) {
  ValueDomain out;
  out.span = node.span;
  if (node.kind == YamlKind::List) {
    if (node.items.size() != 2) return reader.wrong_type(node, where, "a [low, high] pair");
    out.kind = ValueDomain::Kind::Interval;
    PW_TRY(out.low, reader.number(node.items[0], where));
    PW_TRY(out.high, reader.number(node.items[1], where));
    if (!(out.low < out.high))
      return reader.engine.report(Rule::ManifestInterval, node.span, where, out.low, out.high);
    return out;
  }
  static const std::vector<std::string_view> kWords = {"any", "positive", "nonneg", "negative", "nonpos"};
  PW_TRY(const Name word, reader.one_of(node, where, kWords));
  out.kind =
      static_cast<ValueDomain::Kind>(std::find(kWords.begin(), kWords.end(), word.text) - kWords.begin());
  return out;
}

base::Result<Array> read_array(Reader& reader, Name name, const Yaml& node) {
  static const std::vector<std::string_view> kDists = {
      "uniform", "normal",           "lognormal",     "exponential", "gamma",   "beta",
      "laplace", "well_conditioned", "near_singular", "stable",      "unstable"};
  const std::string where = "init.arrays." + name.text;
  Array out;
  out.name = std::move(name);
  if (node.kind == YamlKind::String) {
    PW_TRY(out.shape, reader.shape(node, where));
    return out;
  }
  if (node.kind != YamlKind::Map) return reader.wrong_type(node, where, "a shape or a map");
  PW_CHECK_OK(reader.map_of(node, where, {"shape", "dtype", "dist", "domain"}));
  PW_TRY(const Yaml* shape, reader.required(node, "shape", where));
  PW_TRY(out.shape, reader.shape(*shape, where + ".shape"));
  if (const Yaml* dtype = node.find("dtype")) {
    PW_TRY(out.dtype, reader.element_type(*dtype, where + ".dtype"));
  }
  if (const Yaml* dist = node.find("dist")) {
    PW_TRY(out.dist, reader.one_of(*dist, where + ".dist", kDists));
  }
  if (const Yaml* domain = node.find("domain")) {
    PW_TRY(out.domain, read_domain(reader, *domain, where + ".domain"));
  }
  return out;
}

base::Result<Knob> read_knob(Reader& reader, Name name, const Yaml& node) {
  const std::string where = "config." + name.text;
  Knob out;
  out.name = std::move(name);
  PW_CHECK_OK(reader.map_of(node, where, {"domain", "value", "selects"}));
  const Yaml* value = node.find("value");
  const Yaml* domain = node.find("domain");
  if ((value == nullptr) == (domain == nullptr)) {
    return reader.engine.report(Rule::ManifestKnobForm, out.name.span, where,
                                value == nullptr ? "neither" : "both");
  }
  if (value != nullptr) {
    PW_TRY(out.value, reader.value(*value, where + ".value"));
  } else {
    PW_CHECK_OK(reader.expect(*domain, YamlKind::List, where + ".domain"));
    for (const Yaml& item : domain->items) {
      PW_TRY(Value one, reader.value(item, fmt::format("an entry of {}.domain", where)));
      out.domain.push_back(std::move(one));
    }
    if (out.domain.empty())
      return reader.wrong_type(*domain, where + ".domain", "a list of at least one value");
  }
  if (const Yaml* selects = node.find("selects")) {
    PW_TRY(out.selects, reader.one_of(*selects, where + ".selects",
                                      {"branch", "tile", "iteration", "tolerance", "seed", "physical"}));
  }
  return out;
}

base::Result<SparseVariant> read_sparse_variant(Reader& reader, Name format, const Yaml& node,
                                                std::string_view where) {
  SparseVariant out{std::move(format), {}};
  PW_CHECK_OK(reader.map_of(node, where, {"buffers"}));
  PW_TRY(const Yaml* buffers, reader.required(node, "buffers", where));
  const std::string place = fmt::format("{}.buffers", where);
  PW_CHECK_OK(reader.expect(*buffers, YamlKind::List, place));
  for (const Yaml& item : buffers->items) {
    PW_CHECK_OK(reader.map_of(item, place, {"role", "name", "shape", "dtype"}));
    SparseBuffer buffer;
    PW_TRY(const Yaml* name, reader.required(item, "name", place));
    PW_TRY(buffer.name, reader.name(*name, place));
    PW_TRY(const Yaml* role, reader.required(item, "role", place));
    PW_TRY(buffer.role, reader.name(*role, place));
    PW_TRY(const Yaml* dtype, reader.required(item, "dtype", place));
    PW_TRY(buffer.dtype, reader.element_type(*dtype, place));
    PW_TRY(const Yaml* shape, reader.required(item, "shape", place));
    PW_CHECK_OK(reader.expect(*shape, YamlKind::List, place + ".shape"));
    buffer.shape.span = shape->span;
    for (const Yaml& extent : shape->items) {
      if (extent.kind != YamlKind::Int && extent.kind != YamlKind::String) {
        return reader.wrong_type(extent, place + ".shape", "a list of extents");
      }
      PW_TRY(std::vector<Expression> extents, parse_shape({extent.text, extent.span}, reader.engine));
      buffer.shape.text += (buffer.shape.text.empty() ? "" : ", ") + extent.text;
      for (Expression& expression : extents) buffer.shape.extents.push_back(std::move(expression));
    }
    out.buffers.push_back(std::move(buffer));
  }
  return out;
}

/// A name that one of the two declares and the other does not.
std::optional<std::string> differing_name(const std::vector<Setting>& a, const std::vector<Setting>& b) {
  std::set<std::string> only;
  for (const Setting& setting : a) only.insert(setting.name.text);
  for (const Setting& setting : b) {
    if (only.erase(setting.name.text) == 0) return setting.name.text;
  }
  return only.empty() ? std::nullopt : std::optional(*only.begin());
}

}  // namespace

base::Result<base::Done> read_parameters(Reader& reader, const Yaml& node, std::string_view where,
                                         Manifest& out) {
  PW_CHECK_OK(reader.expect(node, YamlKind::Map, where));
  for (const YamlMember& member : node.members) {
    PW_TRY(Name name, reader.key(member, where));
    const std::string place = fmt::format("{}.{}", where, name.text);
    if (name.text == "fuzzed") {
      PW_CHECK_OK(reader.expect(member.value, YamlKind::Map, place));
      for (const YamlMember& row : member.value.members) {
        PW_TRY(Name symbol, reader.key(row, place));
        const std::string row_place = fmt::format("{}.{}", place, symbol.text);
        PW_TRY(FuzzSymbol fuzzed, read_fuzzed(reader, std::move(symbol), row.value, row_place));
        out.fuzzed.push_back(std::move(fuzzed));
      }
      continue;
    }
    PW_TRY(std::vector<Setting> symbols, reader.settings(member.value, place, true));
    out.presets.push_back({std::move(name), std::move(symbols)});
  }
  if (out.presets.empty()) return reader.wrong_type(node, where, "a map of at least one preset");
  return base::Done{};
}

base::Result<base::Done> read_config(Reader& reader, const Yaml& node, Manifest& out) {
  out.config.span = node.span;
  if (node.kind == YamlKind::Null) return base::Done{};
  if (node.kind == YamlKind::Map) {
    for (const YamlMember& member : node.members) {
      PW_TRY(Name name, reader.key(member, "config"));
      PW_TRY(Knob knob, read_knob(reader, std::move(name), member.value));
      out.config.knobs.push_back(std::move(knob));
    }
    return base::Done{};
  }
  if (node.kind != YamlKind::List || node.items.empty()) {
    return reader.wrong_type(node, "config", "a map of knobs or a list of configurations");
  }
  for (const Yaml& item : node.items) {
    PW_TRY(std::vector<Setting> row,
           reader.settings(item, fmt::format("config[{}]", out.config.rows.size())));
    const std::optional<std::string> differing =
        out.config.rows.empty() ? std::nullopt : differing_name(out.config.rows.front(), row);
    if (differing) {
      return reader.engine.report(Rule::ManifestConfigRow, item.span, out.config.rows.size(), *differing);
    }
    if (row.empty()) return reader.wrong_type(item, "an entry of config", "a map of at least one value");
    out.config.rows.push_back(std::move(row));
  }
  return base::Done{};
}

base::Result<base::Done> read_init(Reader& reader, const Yaml& node, Manifest& out) {
  Init& init = out.init;
  init.span = node.span;
  PW_CHECK_OK(reader.map_of(
      node, "init",
      {"func_name", "input_args", "output_args", "arrays", "scalars", "dtypes", "constants", "workspace"}));
  if (const Yaml* func = node.find("func_name"); func != nullptr && func->kind != YamlKind::Null) {
    PW_TRY(init.func_name, reader.name(*func, "init.func_name"));
  }
  if (const Yaml* inputs = node.find("input_args")) {
    PW_TRY(init.input_args, reader.names(*inputs, "init.input_args"));
  }
  if (const Yaml* arrays = node.find("arrays"); arrays != nullptr && arrays->kind != YamlKind::Null) {
    PW_CHECK_OK(reader.expect(*arrays, YamlKind::Map, "init.arrays"));
    for (const YamlMember& member : arrays->members) {
      PW_TRY(Name name, reader.key(member, "init.arrays"));
      PW_TRY(Array array, read_array(reader, std::move(name), member.value));
      init.arrays.push_back(std::move(array));
    }
  }
  if (const Yaml* scalars = node.find("scalars"); scalars != nullptr && scalars->kind != YamlKind::Null) {
    PW_TRY(init.scalars, reader.settings(*scalars, "init.scalars"));
  }
  if (const Yaml* constants = node.find("constants");
      constants != nullptr && constants->kind != YamlKind::Null) {
    PW_TRY(init.constants, reader.settings(*constants, "init.constants"));
  }
  if (const Yaml* dtypes = node.find("dtypes")) {
    PW_CHECK_OK(reader.expect(*dtypes, YamlKind::Map, "init.dtypes"));
    for (const YamlMember& member : dtypes->members) {
      PW_TRY(Name name, reader.key(member, "init.dtypes"));
      PW_TRY(ElementType type, reader.element_type(member.value, "init.dtypes." + name.text));
      init.dtypes.emplace_back(std::move(name), std::move(type));
    }
  }
  if (const Yaml* workspace = node.find("workspace")) {
    PW_CHECK_OK(reader.map_of(*workspace, "init.workspace", {"bytes"}));
    PW_TRY(const Yaml* bytes, reader.required(*workspace, "bytes", "init.workspace"));
    PW_TRY(init.workspace_bytes, reader.integer(*bytes, "init.workspace.bytes"));
  }
  if (const Yaml* outputs = node.find("output_args")) {
    PW_TRY(init.output_args, reader.names(*outputs, "init.output_args"));
    init.has_output_args = true;
  } else {
    for (const Array& array : init.arrays) init.output_args.push_back(array.name);
    for (const Setting& scalar : init.scalars) init.output_args.push_back(scalar.name);
  }
  return base::Done{};
}

base::Result<base::Done> read_taxonomy(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.map_of(
      node, "taxonomy", {"track", "subtrack", "dwarf", "domain", "scale", "level", "tags", "min_precision"}));
  Taxonomy& taxonomy = out.taxonomy;
  for (const auto& [key, target] :
       {std::pair("track", &taxonomy.track), std::pair("subtrack", &taxonomy.subtrack),
        std::pair("dwarf", &taxonomy.dwarf), std::pair("domain", &taxonomy.domain),
        std::pair("scale", &taxonomy.scale)}) {
    if (const Yaml* word = node.find(key)) {
      PW_TRY(Name name, reader.name(*word, fmt::format("taxonomy.{}", key)));
      *target = std::move(name.text);
    }
  }
  if (const Yaml* tags = node.find("tags")) {
    PW_TRY(const std::vector<Name> names, reader.names(*tags, "taxonomy.tags"));
    for (const Name& name : names) taxonomy.tags.push_back(name.text);
  }
  if (const Yaml* level = node.find("level")) {
    PW_TRY(out.level, reader.integer(*level, "taxonomy.level"));
  }
  if (const Yaml* least = node.find("min_precision")) {
    PW_TRY(taxonomy.min_precision, reader.one_of(*least, "taxonomy.min_precision", kPrecisions));
  }
  return base::Done{};
}

base::Result<base::Done> read_sparse_layouts(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.expect(node, YamlKind::Map, "sparse_layouts"));
  for (const YamlMember& member : node.members) {
    PW_TRY(Name array, reader.key(member, "sparse_layouts"));
    const std::string where = "sparse_layouts." + array.text;
    PW_CHECK_OK(reader.map_of(member.value, where, {"logical_shape", "default_dtype", "variants"}));
    SparseLayout layout;
    layout.array = std::move(array);
    layout.default_dtype = {{"float64", member.key.span}, ir::DType::F64};
    if (const Yaml* dtype = member.value.find("default_dtype")) {
      PW_TRY(layout.default_dtype, reader.element_type(*dtype, where + ".default_dtype"));
    }
    if (const Yaml* shape = member.value.find("logical_shape")) {
      PW_CHECK_OK(reader.expect(*shape, YamlKind::List, where + ".logical_shape"));
      for (const Yaml& item : shape->items) {
        if (item.kind != YamlKind::String && item.kind != YamlKind::Int) {
          return reader.wrong_type(item, where + ".logical_shape", "a list of extents");
        }
        PW_TRY(std::vector<Expression> extents, parse_shape({item.text, item.span}, reader.engine));
        for (Expression& extent : extents) layout.logical_shape.push_back(std::move(extent));
      }
    }
    PW_TRY(const Yaml* variants, reader.required(member.value, "variants", where));
    PW_CHECK_OK(reader.expect(*variants, YamlKind::Map, where + ".variants"));
    for (const YamlMember& variant : variants->members) {
      PW_TRY(Name format, reader.key(variant, where + ".variants"));
      const std::string place = fmt::format("{}.variants.{}", where, format.text);
      PW_TRY(SparseVariant read, read_sparse_variant(reader, std::move(format), variant.value, place));
      layout.variants.push_back(std::move(read));
    }
    out.sparse_layouts.push_back(std::move(layout));
  }
  return base::Done{};
}

base::Result<base::Done> read_configurations(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.expect(node, YamlKind::Map, "configurations"));
  for (const YamlMember& member : node.members) {
    PW_TRY(Name name, reader.key(member, "configurations"));
    const std::string where = "configurations." + name.text;
    Configuration configuration{std::move(name), {}, {}};
    PW_TRY(std::vector<Setting> settings, reader.settings(member.value, where));
    for (Setting& setting : settings) {
      const auto* format = std::get_if<std::string>(&setting.value.data);
      if (format == nullptr) {
        configuration.settings.push_back(std::move(setting));
        continue;
      }
      const SparseLayout* layout = out.sparse_layout(setting.name.text);
      if (layout == nullptr && *format != "dense") {
        std::vector<std::string_view> known;
        for (const SparseLayout& each : out.sparse_layouts) known.push_back(each.array.text);
        return reader.engine.report(Rule::ManifestSparseArray, setting.name.span, where, setting.name.text,
                                    suggest(setting.name.text, known, "declare its buffers there"));
      }
      if (layout != nullptr && *format != "dense" && layout->find(*format) == nullptr) {
        std::vector<std::string_view> known;
        for (const SparseVariant& each : layout->variants) known.push_back(each.format.text);
        return reader.engine.report(Rule::ManifestSparseFormat, setting.value.span, where, setting.name.text,
                                    *format,
                                    suggest(*format, known, fmt::format("use one of {}", join(known))));
      }
      configuration.formats.emplace_back(setting.name, Name{*format, setting.value.span});
    }
    out.configurations.push_back(std::move(configuration));
  }
  return base::Done{};
}

base::Result<base::Done> read_distributions(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.expect(node, YamlKind::Map, "distributions"));
  for (const YamlMember& member : node.members) {
    PW_TRY(Name name, reader.key(member, "distributions"));
    const std::string where = "distributions." + name.text;
    PW_CHECK_OK(reader.map_of(member.value, where, {"configuration", "format", "distribution"}));
    const Yaml* configuration = member.value.find("configuration");
    if (configuration == nullptr) configuration = member.value.find("format");
    if (configuration == nullptr) {
      return reader.engine.report(Rule::ManifestMissingKey, name.span, where, "configuration",
                                  "configuration");
    }
    Distribution distribution;
    distribution.name = std::move(name);
    PW_TRY(distribution.configuration, reader.name(*configuration, where));
    if (const Yaml* drawn = member.value.find("distribution")) {
      PW_TRY(Name word, reader.name(*drawn, where + ".distribution"));
      distribution.distribution = std::move(word.text);
    }
    out.distributions.push_back(std::move(distribution));
  }
  return base::Done{};
}

base::Result<base::Done> read_variants(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.expect(node, YamlKind::Map, "variants"));
  for (const YamlMember& member : node.members) {
    PW_TRY(Name name, reader.key(member, "variants"));
    const std::string where = "variants." + name.text;
    PW_CHECK_OK(reader.map_of(member.value, where, {"format", "distribution", "matrix"}));
    PW_TRY(std::vector<Setting> settings, reader.settings(member.value, where));
    out.variants.push_back({std::move(name), std::move(settings)});
  }
  return base::Done{};
}

base::Result<base::Done> read_fuzz(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.map_of(node, "fuzz", {"constraints", "data_distributions", "data_distribution"}));
  Fuzz fuzz;
  fuzz.span = node.span;
  if (const Yaml* constraints = node.find("constraints")) {
    PW_TRY(fuzz.constraints, reader.constraints(*constraints, "fuzz.constraints"));
  }
  if (const Yaml* many = node.find("data_distributions")) {
    PW_TRY(fuzz.data_distributions, reader.names(*many, "fuzz.data_distributions"));
  } else if (const Yaml* one = node.find("data_distribution")) {
    PW_TRY(Name name, reader.name(*one, "fuzz.data_distribution"));
    fuzz.data_distributions.push_back(std::move(name));
  }
  out.fuzz = std::move(fuzz);
  return base::Done{};
}

base::Result<base::Done> read_mpi(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.map_of(
      node, "mpi", {"decomposition", "arrays", "allowed_schemes", "distributable_axes", "symbol_axes"}));
  Mpi mpi;
  mpi.span = node.span;
  if (const Yaml* decomposition = node.find("decomposition")) {
    PW_CHECK_OK(reader.map_of(*decomposition, "mpi.decomposition",
                              {"axis", "work_exponent", "scheme", "grid_ndim", "block_size", "halo"}));
    if (const Yaml* axis = decomposition->find("axis")) {
      PW_TRY(mpi.axis, reader.names(*axis, "mpi.decomposition.axis"));
    }
    if (const Yaml* exponent = decomposition->find("work_exponent")) {
      PW_TRY(mpi.work_exponent, reader.integer(*exponent, "mpi.decomposition.work_exponent"));
    }
  }
  out.mpi = std::move(mpi);
  return base::Done{};
}

base::Result<base::Done> read_baseline(Reader& reader, const Yaml& node, Manifest& out) {
  PW_CHECK_OK(reader.map_of(node, "baseline", {"kind", "source", "language", "mode", "compilers"}));
  Baseline baseline;
  baseline.span = node.span;
  PW_TRY(const Yaml* source, reader.required(node, "source", "baseline"));
  PW_TRY(baseline.source, reader.name(*source, "baseline.source"));
  PW_TRY(const Yaml* language, reader.required(node, "language", "baseline"));
  PW_TRY(baseline.language, reader.name(*language, "baseline.language"));
  out.baseline = std::move(baseline);
  return base::Done{};
}

}  // namespace pw::manifest
