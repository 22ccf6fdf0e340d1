#include "frontends/manifest/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "frontends/manifest/reader.h"

namespace pw::manifest {

using diagnostics::Rule;

namespace {

class Checker {
 public:
  Checker(const Manifest& manifest, diagnostics::Engine& engine)
      : manifest_(manifest), engine_(engine), rows_(port_rows(manifest)), known_(known_symbols(manifest)) {}

  base::Result<base::Done> run() {
    check_declared_once();
    check_shapes();
    warn_of_unused_types();
    check_constraints();
    check_init_names();
    check_outputs();
    check_sparse();
    if (failure_) return *failure_;
    return base::Done{};
  }

 private:
  template <typename... Arguments>
  void fail(Rule rule, base::Span span, const Arguments&... arguments) {
    failure_ = engine_.report(rule, span, arguments...);
  }

  /// One quantity has one spelling and one home.
  void check_declared_once() {
    struct Home {
      Name name;
      std::string where;
    };
    std::map<std::string, Home> homes;
    const auto declare = [&](const Name& name, const std::string& where) {
      const auto [home, fresh] = homes.emplace(name.text, Home{name, where});
      if (fresh || home->second.where == where) return;
      const base::LineColumn first =
          engine_.sources()[manifest_.file].line_column(home->second.name.span.begin);
      fail(Rule::ManifestDeclaredTwice, name.span, name.text, home->second.where, first.line, where);
    };
    for (const Preset& preset : manifest_.presets) {
      for (const Setting& symbol : preset.symbols) declare(symbol.name, "parameters");
    }
    for (const FuzzSymbol& symbol : manifest_.fuzzed) declare(symbol.name, "parameters");
    for (const Knob& knob : manifest_.config.knobs) declare(knob.name, "config");
    if (!manifest_.config.rows.empty()) {
      for (const Setting& setting : manifest_.config.rows.front()) declare(setting.name, "config");
    }
    for (const Setting& constant : manifest_.init.constants) declare(constant.name, "init.constants");
    for (const Setting& scalar : manifest_.init.scalars) {
      // The corpus repeats integer arrays under scalars as a placeholder; init.func_name's array is what
      // counts.
      if (manifest_.array(scalar.name.text) != nullptr && manifest_.is_returned_by_init(scalar.name.text))
        continue;
      declare(scalar.name, "init.scalars");
    }
    for (const Array& array : manifest_.init.arrays) declare(array.name, "init.arrays");
  }

  void check_shapes() {
    for (const Array& array : manifest_.init.arrays) check_shape(array.name.text, array.shape.extents);
    for (const SparseLayout& layout : manifest_.sparse_layouts) {
      check_shape(layout.array.text, layout.logical_shape);
      for (const SparseVariant& variant : layout.variants) {
        for (const BufferExtent& extent : buffer_extents(manifest_, variant))
          format_symbols_.insert(extent.symbol);
        for (const SparseBuffer& buffer : variant.buffers)
          check_shape(buffer.name.text, buffer.shape.extents);
        format_symbols_.clear();
      }
    }
  }

  void check_shape(const std::string& array, const std::vector<Expression>& extents) {
    bool known_before_run = true;
    std::set<std::string_view> seen;
    for (const Expression& extent : extents) {
      for (const Expression* symbol : symbols_of(extent)) {
        if (!seen.insert(symbol->symbol).second) continue;
        if (!check_symbol(array, *symbol)) known_before_run = false;
      }
    }
    if (!known_before_run) return;
    for (const Preset& preset : manifest_.presets) {
      for (const PortRow& row : rows_) {
        if (!check_values(array, extents, preset, row)) return;
      }
    }
  }

  /// Whether the symbol has an integer value in every preset and port.
  bool check_symbol(const std::string& array, const Expression& node) {
    const std::string& name = node.symbol;
    const auto integer = [&](const Value& value, const std::string& where) {
      if (as_integer(value)) return true;
      fail(Rule::ManifestShapeNotInteger, node.span, array, name, where);
      return false;
    };
    if (manifest_.is_parameter(name)) {
      for (const Preset& preset : manifest_.presets) {
        const std::string where = "preset " + preset.name.text;
        const Setting* setting = preset.find(name);
        if (setting == nullptr) {
          fail(Rule::ManifestShapePreset, node.span, array, name, where);
          return false;
        }
        if (!integer(setting->value, where)) return false;
      }
      return true;
    }
    if (manifest_.is_config(name)) {
      for (const PortRow& row : rows_) {
        for (const Setting& setting : config_values(manifest_, row, true)) {
          if (setting.name.text == name && !integer(setting.value, "config")) return false;
        }
      }
      return true;
    }
    if (const Setting* constant = manifest_.constant(name)) return integer(constant->value, "init.constants");
    if (manifest_.is_returned_by_init(name) || format_symbols_.contains(name))
      return false;  // a run-time extent
    if (manifest_.scalar(name) != nullptr) {
      fail(Rule::ManifestShapeScalar, node.span, array, name, name);
    } else {
      fail(Rule::ManifestShapeSymbol, node.span, array, name,
           suggest(name, known_, fmt::format("declare {} under parameters", name)));
    }
    return false;
  }

  bool check_values(const std::string& array, const std::vector<Expression>& extents, const Preset& preset,
                    const PortRow& row) {
    const Symbols symbols = shape_symbols(manifest_, preset, row);
    for (const Expression& extent : extents) {
      const base::Result<std::int64_t> value =
          evaluate(extent, symbols, engine_, " at preset " + preset.name.text);
      if (!value) {
        failure_ = tl::unexpected(value.error());
        return false;
      }
      if (*value < 0) {
        fail(Rule::ManifestShapeNegative, extent.span, array, to_text(extent), *value, preset.name.text);
        return false;
      }
    }
    return true;
  }

  void warn_of_unused_types() {
    for (const Array& array : manifest_.init.arrays) {
      if (!array.dtype || ir::is_integer(array.dtype->type)) continue;
      if (manifest_.is_returned_by_init(array.name.text)) continue;
      (void)engine_.report(Rule::ManifestElementTypeUnused, array.dtype->declared.span, array.name.text,
                           array.dtype->declared.text);
    }
  }

  void check_constraints() {
    for (const Constraint& constraint : manifest_.constraints) {
      if (!check_constraint_symbols(constraint)) continue;
      for (const Preset& preset : manifest_.presets) {
        if (!check_constraint(constraint, preset)) break;
      }
    }
    if (!manifest_.fuzz) return;
    for (const Constraint& constraint : manifest_.fuzz->constraints) check_constraint_symbols(constraint);
  }

  bool check_constraint_symbols(const Constraint& constraint) {
    const Symbols symbols = shape_symbols(manifest_, manifest_.presets.front(), rows_.front());
    for (const Expression* symbol : symbols_of(constraint.expression)) {
      if (symbols.contains(symbol->symbol)) continue;
      fail(Rule::ManifestConstraintSymbol, symbol->span, constraint.text, symbol->symbol,
           suggest(symbol->symbol, known_, fmt::format("declare {} there", symbol->symbol)));
      return false;
    }
    return true;
  }

  bool check_constraint(const Constraint& constraint, const Preset& preset) {
    for (const PortRow& row : rows_) {
      const base::Result<std::int64_t> value =
          evaluate(constraint.expression, shape_symbols(manifest_, preset, row), engine_,
                   " at preset " + preset.name.text);
      if (!value) {
        failure_ = tl::unexpected(value.error());
        return false;
      }
      if (*value != 0) continue;
      const std::string at = row.config_row ? fmt::format(" with config[{}]", *row.config_row) : "";
      fail(Rule::ManifestConstraint, constraint.expression.span, constraint.text, preset.name.text, at);
      return false;
    }
    return true;
  }

  void check_init_names() {
    for (const Name& name : manifest_.init.input_args) {
      if (manifest_.is_parameter(name.text) || manifest_.is_config(name.text) ||
          manifest_.scalar(name.text) != nullptr || manifest_.constant(name.text) != nullptr) {
        continue;
      }
      fail(Rule::ManifestInitInput, name.span, name.text,
           suggest(name.text, known_,
                   fmt::format("declare {} under parameters, config or init.scalars", name.text)));
    }
    if (manifest_.init.func_name) return;
    std::vector<std::string_view> made;
    for (const Array& array : manifest_.init.arrays) made.push_back(array.name.text);
    for (const Setting& scalar : manifest_.init.scalars) made.push_back(scalar.name.text);
    for (const Name& name : manifest_.init.output_args) {
      if (std::find(made.begin(), made.end(), name.text) != made.end()) continue;
      fail(Rule::ManifestInitOutput, name.span, name.text,
           suggest(name.text, made, "declare it, or name an init.func_name"));
    }
  }

  void check_outputs() {
    std::vector<std::string_view> arrays;
    for (const Array& array : manifest_.init.arrays) arrays.push_back(array.name.text);
    for (const SparseLayout& layout : manifest_.sparse_layouts) arrays.push_back(layout.array.text);
    for (const Name& name : manifest_.output_args) {
      if (std::find(arrays.begin(), arrays.end(), name.text) != arrays.end()) continue;
      const bool known = manifest_.is_parameter(name.text) || manifest_.is_config(name.text) ||
                         manifest_.scalar(name.text) != nullptr || manifest_.constant(name.text) != nullptr;
      // What init.func_name returns may be an array that nothing else declares.
      if (!known && manifest_.is_returned_by_init(name.text)) continue;
      fail(Rule::ManifestOutputNotArray, name.span, name.text,
           suggest(name.text, arrays, fmt::format("declare {} under init.arrays", name.text)));
    }
  }

  void check_sparse() {
    if (!manifest_.sparse_layouts.empty() && manifest_.configurations.empty()) {
      fail(Rule::ManifestMissingKey, manifest_.sparse_layouts.front().array.span,
           "a manifest with sparse_layouts", "configurations", "configurations");
    }
    std::vector<std::string_view> names;
    for (const Configuration& configuration : manifest_.configurations)
      names.push_back(configuration.name.text);
    for (const Distribution& distribution : manifest_.distributions) {
      if (std::find(names.begin(), names.end(), distribution.configuration.text) != names.end()) continue;
      fail(Rule::ManifestUnknownConfiguration, distribution.configuration.span,
           "distributions." + distribution.name.text, distribution.configuration.text,
           suggest(distribution.configuration.text, names, fmt::format("use one of {}", join(names))));
    }
  }

  const Manifest& manifest_;
  diagnostics::Engine& engine_;
  std::vector<PortRow> rows_;
  std::vector<std::string_view> known_;
  std::set<std::string, std::less<>> format_symbols_;  // of the sparse format whose buffers are being checked
  std::optional<tl::unexpected<base::Reported>> failure_;
};

}  // namespace

std::vector<std::string_view> known_symbols(const Manifest& manifest) {
  std::vector<std::string_view> out;
  for (const Preset& preset : manifest.presets) {
    for (const Setting& symbol : preset.symbols) out.push_back(symbol.name.text);
  }
  for (const Knob& knob : manifest.config.knobs) out.push_back(knob.name.text);
  if (!manifest.config.rows.empty()) {
    for (const Setting& setting : manifest.config.rows.front()) out.push_back(setting.name.text);
  }
  for (const Setting& constant : manifest.init.constants) out.push_back(constant.name.text);
  for (const Setting& scalar : manifest.init.scalars) out.push_back(scalar.name.text);
  return out;
}

base::Result<base::Done> check_manifest(const Manifest& manifest, diagnostics::Engine& engine) {
  return Checker(manifest, engine).run();
}

}  // namespace pw::manifest
