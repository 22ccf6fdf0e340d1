#include "frontends/manifest/binding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "frontends/manifest/check.h"
#include "frontends/manifest/reader.h"

namespace pw::manifest {

using diagnostics::Rule;

namespace {

std::vector<Argument> positional(const DefLine& def) {
  std::vector<Argument> out;
  std::copy_if(def.arguments.begin(), def.arguments.end(), std::back_inserter(out),
               [](const Argument& argument) { return !argument.keyword_only; });
  return out;
}

bool is_output(const Manifest& manifest, std::string_view name) {
  return std::any_of(manifest.output_args.begin(), manifest.output_args.end(),
                     [&](const Name& each) { return each.text == name; });
}

const SparseVariant* format_in(const SparseLayout& layout, const PortRow& row) {
  if (row.configuration == nullptr) return nullptr;
  for (const auto& [array, format] : row.configuration->formats) {
    if (array.text == layout.array.text) return layout.find(format.text);
  }
  return nullptr;
}

/// A buffer that the def line names itself: of the port's format, else (the kernel is written for one) of
/// any.
const SparseBuffer* find_buffer(const Manifest& manifest, const PortRow& row, std::string_view name) {
  const auto inside = [&](const SparseVariant& variant) -> const SparseBuffer* {
    for (const SparseBuffer& buffer : variant.buffers) {
      if (buffer.name.text == name) return &buffer;
    }
    return nullptr;
  };
  for (const SparseLayout& layout : manifest.sparse_layouts) {
    if (const SparseVariant* format = format_in(layout, row)) {
      if (const SparseBuffer* buffer = inside(*format)) return buffer;
    }
    for (const SparseVariant& variant : layout.variants) {
      if (const SparseBuffer* buffer = inside(variant)) return buffer;
    }
  }
  return nullptr;
}

std::optional<ElementType> declared_type(const Manifest& manifest, std::string_view name) {
  for (const auto& [symbol, type] : manifest.init.dtypes) {
    if (symbol.text == name) return type;
  }
  return std::nullopt;
}

ScalarForm scalar_form(const Manifest& manifest, const Setting& scalar) {
  // With init.func_name the harness passes the YAML's own Python value; without, it makes a NumPy scalar.
  if (manifest.init.func_name) return ScalarForm::Python;
  if (declared_type(manifest, scalar.name.text)) return ScalarForm::Declared;
  return std::holds_alternative<std::int64_t>(scalar.value.data) ? ScalarForm::Int64 : ScalarForm::RunFloat;
}

std::optional<Value> config_value(const Manifest& manifest, const PortRow& row, std::string_view name) {
  for (const Setting& setting : config_values(manifest, row, true)) {
    if (setting.name.text == name) return setting.value;
  }
  return std::nullopt;
}

/// nullopt: nothing binds it. `passed` is false for arguments beyond a declared input_args.
std::optional<BoundArgument> classify(const Manifest& manifest, const Argument& argument, bool passed,
                                      const PortRow& row) {
  const std::string& name = argument.name;
  BoundArgument out;
  out.argument = argument;
  if (!passed) return argument.has_default ? std::optional(out) : std::nullopt;
  out.is_output = is_output(manifest, name);
  out.from_init = manifest.is_returned_by_init(name);
  out.dtype = declared_type(manifest, name);
  if (out.from_init) out.form = ScalarForm::FromInit;
  const SparseLayout* layout = manifest.sparse_layout(name);
  if (layout != nullptr && format_in(*layout, row) != nullptr) {
    out.kind = ArgumentKind::SparseHandle;
    out.sparse = layout;
    out.format = format_in(*layout, row);
  } else if (const Array* array = manifest.array(name)) {
    out.kind = ArgumentKind::Array;
    out.array = array;
    if (array->dtype) out.dtype = array->dtype;
  } else if (const Setting* constant = manifest.constant(name)) {
    out.kind = ArgumentKind::Constant;
    out.value = constant->value;
  } else if (manifest.is_config(name)) {
    const Knob* knob = manifest.knob(name);
    out.kind = knob != nullptr && !knob->value ? ArgumentKind::ConfigDomain : ArgumentKind::Config;
    out.value = config_value(manifest, row, name);
  } else if (manifest.is_parameter(name)) {
    out.kind = ArgumentKind::Parameter;
  } else if (const Setting* scalar = manifest.scalar(name)) {
    out.kind = ArgumentKind::Scalar;
    out.value = scalar->value;
    if (!out.from_init) out.form = scalar_form(manifest, *scalar);
  } else if (const SparseBuffer* buffer = find_buffer(manifest, row, name)) {
    out.kind = ArgumentKind::Array;
    out.buffer = buffer;
    out.dtype = buffer->dtype;
  } else if (out.from_init) {
    out.kind = ArgumentKind::InitValue;
  } else if (!argument.has_default) {
    return std::nullopt;
  }
  return out;
}

/// Every extent of the arrays that cross the ABI.
std::vector<const Expression*> abi_extents(const Binding& binding) {
  std::vector<const Expression*> out;
  const auto add = [&](const Shape& shape) {
    for (const Expression& extent : shape.extents) out.push_back(&extent);
  };
  for (const BoundArgument& bound : binding.arguments) {
    if (bound.array != nullptr) add(bound.array->shape);
    if (bound.buffer != nullptr) add(bound.buffer->shape);
    if (bound.format == nullptr) continue;
    for (const SparseBuffer& buffer : bound.format->buffers) add(buffer.shape);
  }
  for (const Array* array : binding.returned_outputs) add(array->shape);
  return out;
}

void add_trailing_symbols(const Manifest& manifest, const PortRow& row, Binding& binding) {
  std::set<std::string> wanted;
  for (const Expression* extent : abi_extents(binding)) {
    for (const Expression* symbol : symbols_of(*extent)) wanted.insert(symbol->symbol);
  }
  for (const BoundArgument& bound : binding.arguments) wanted.erase(bound.argument.name);
  const auto take = [&](const Name& name) {
    const bool fresh = wanted.erase(name.text) != 0;
    if (fresh) binding.trailing_symbols.push_back(name);
    return fresh;
  };
  for (const Preset& preset : manifest.presets) {
    for (const Setting& symbol : preset.symbols) take(symbol.name);
  }
  for (const Knob& knob : manifest.config.knobs) {
    if (!knob.value) take(knob.name);
  }
  if (manifest.init.func_name) {
    for (const Name& name : manifest.init.output_args) {
      if (!manifest.is_config(name.text) && manifest.constant(name.text) == nullptr) take(name);
    }
  }
  for (const SparseLayout& layout : manifest.sparse_layouts) {
    const SparseVariant* format = format_in(layout, row);
    if (format == nullptr) continue;
    for (const BufferExtent& extent : buffer_extents(manifest, *format)) {
      if (take({extent.symbol, extent.buffer->shape.span})) binding.buffer_extents.push_back(extent);
    }
  }
}

std::vector<std::string_view> bindable_names(const Manifest& manifest) {
  std::vector<std::string_view> out = known_symbols(manifest);
  for (const Array& array : manifest.init.arrays) out.push_back(array.name.text);
  for (const SparseLayout& layout : manifest.sparse_layouts) out.push_back(layout.array.text);
  return out;
}

}  // namespace

base::Result<base::Done> check(const Manifest& manifest, const DefLine& def, diagnostics::Engine& engine) {
  const std::vector<Argument> arguments = positional(def);
  std::optional<tl::unexpected<base::Reported>> failure;
  const std::size_t passed = manifest.input_args ? manifest.input_args->size() : arguments.size();
  for (std::size_t i = 0; manifest.input_args && i < passed; ++i) {
    const Name& declared = (*manifest.input_args)[i];
    if (i < arguments.size() && arguments[i].name == declared.text) continue;
    failure = engine.report(Rule::ManifestInputArgs, declared.span, declared.text,
                            i < arguments.size() ? arguments[i].name : "no argument");
    break;
  }
  const std::vector<std::string_view> known = bindable_names(manifest);
  for (const PortRow& row : port_rows(manifest)) {
    for (std::size_t i = 0; i < arguments.size() && !failure; ++i) {
      if (classify(manifest, arguments[i], i < passed, row)) continue;
      const std::string otherwise = fmt::format(
          "declare {} in the manifest: init.arrays, parameters, config or init.scalars", arguments[i].name);
      failure = engine.report(Rule::ManifestUnboundArgument, arguments[i].span, arguments[i].name,
                              suggest(arguments[i].name, known, otherwise));
    }
  }
  std::vector<std::string_view> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  for (const Name& output : manifest.output_args) {
    if (std::find(names.begin(), names.end(), output.text) != names.end()) continue;
    if (std::find(def.returned.begin(), def.returned.end(), output.text) != def.returned.end() &&
        manifest.array(output.text) != nullptr) {
      continue;
    }
    failure = engine.report(Rule::ManifestOutputMissing, output.span, output.text,
                            suggest(output.text, names, fmt::format("add {} to the def line", output.text)));
  }
  if (failure) return *failure;
  return base::Done{};
}

Binding bind(const Manifest& manifest, const DefLine& def, const PortRow& row) {
  Binding out;
  const std::vector<Argument> arguments = positional(def);
  const std::size_t passed = manifest.input_args ? manifest.input_args->size() : arguments.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::optional<BoundArgument> bound = classify(manifest, arguments[i], i < passed, row);
    PW_CHECK(bound.has_value(), "bind needs a def line that passed check");
    out.arguments.push_back(*std::move(bound));
  }
  for (const Name& output : manifest.output_args) {
    const bool argument = std::any_of(arguments.begin(), arguments.end(),
                                      [&](const Argument& each) { return each.name == output.text; });
    if (!argument && manifest.array(output.text) != nullptr)
      out.returned_outputs.push_back(manifest.array(output.text));
  }
  add_trailing_symbols(manifest, row, out);
  return out;
}

base::Result<base::Done> check_written(const Manifest& manifest, const Binding& binding,
                                       const std::set<std::string>& written, diagnostics::Engine& engine) {
  std::optional<tl::unexpected<base::Reported>> failure;
  for (const Name& output : manifest.output_args) {
    const bool argument =
        std::any_of(binding.arguments.begin(), binding.arguments.end(),
                    [&](const BoundArgument& each) { return each.argument.name == output.text; });
    if (argument && !written.contains(output.text)) {
      failure = engine.report(Rule::ManifestOutputUnwritten, output.span, output.text);
    }
  }
  if (failure) return *failure;
  return base::Done{};
}

}  // namespace pw::manifest
