#include "frontends/manifest/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace pw::manifest {

namespace {

template <typename Rows>
auto find_named(const Rows& rows, std::string_view name) -> const typename Rows::value_type* {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name.text == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  if (const auto* boolean = std::get_if<bool>(&value.data)) return *boolean ? 1 : 0;
  return std::nullopt;
}

const Setting* Preset::find(std::string_view symbol) const { return find_named(symbols, symbol); }
const Setting* Variant::find(std::string_view key) const { return find_named(settings, key); }
const SparseVariant* SparseLayout::find(std::string_view format) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const SparseVariant& v) { return v.format.text == format; });
  return found == variants.end() ? nullptr : &*found;
}

const Preset* Manifest::preset(std::string_view preset_name) const {
  return find_named(presets, preset_name);
}
const Array* Manifest::array(std::string_view array_name) const {
  return find_named(init.arrays, array_name);
}
const Setting* Manifest::scalar(std::string_view scalar_name) const {
  return find_named(init.scalars, scalar_name);
}
const Setting* Manifest::constant(std::string_view constant_name) const {
  return find_named(init.constants, constant_name);
}
const Knob* Manifest::knob(std::string_view knob_name) const { return find_named(config.knobs, knob_name); }

const SparseLayout* Manifest::sparse_layout(std::string_view array_name) const {
  const auto found =
      std::find_if(sparse_layouts.begin(), sparse_layouts.end(),
                   [&](const SparseLayout& layout) { return layout.array.text == array_name; });
  return found == sparse_layouts.end() ? nullptr : &*found;
}

bool Manifest::is_parameter(std::string_view symbol) const {
  return std::any_of(presets.begin(), presets.end(),
                     [&](const Preset& each) { return each.find(symbol) != nullptr; });
}

bool Manifest::is_config(std::string_view symbol) const {
  return knob(symbol) != nullptr ||
         (!config.rows.empty() && find_named(config.rows.front(), symbol) != nullptr);
}

bool Manifest::is_returned_by_init(std::string_view symbol) const {
  return init.func_name && std::any_of(init.output_args.begin(), init.output_args.end(),
                                       [&](const Name& each) { return each.text == symbol; });
}

std::optional<std::string> entry_function(const Manifest& manifest,
                                          const std::vector<std::string>& top_level_defs) {
  if (manifest.func_name) return manifest.func_name->text;
  if (top_level_defs.size() == 1) return top_level_defs.front();
  const bool named =
      std::find(top_level_defs.begin(), top_level_defs.end(), manifest.module_name) != top_level_defs.end();
  return named ? std::optional(manifest.module_name) : std::nullopt;
}

std::vector<PortRow> port_rows(const Manifest& manifest) {
  std::vector<const Configuration*> layouts;
  if (!manifest.sparse_layouts.empty()) {
    for (const Configuration& configuration : manifest.configurations) {
      if (!configuration.formats.empty()) layouts.push_back(&configuration);
    }
  }
  if (layouts.empty()) layouts.push_back(nullptr);
  const std::size_t row_count = std::max<std::size_t>(1, manifest.config.rows.size());
  std::vector<PortRow> out;
  for (const Configuration* layout : layouts) {
    for (std::size_t row = 0; row < row_count; ++row) {
      PortRow port;
      port.configuration = layout;
      // One layout is still named: the port is of that layout, and a second may come.
      if (layout != nullptr) port.layout = layout->name.text;
      if (!manifest.config.rows.empty()) {
        port.config_row = row;
        if (row_count > 1) port.layout += fmt::format("{}config{}", port.layout.empty() ? "" : "__", row);
      }
      out.push_back(std::move(port));
    }
  }
  return out;
}

std::vector<Setting> config_values(const Manifest& manifest, const PortRow& row, bool with_domains) {
  if (row.config_row) return manifest.config.rows[*row.config_row];
  std::vector<Setting> out;
  for (const Knob& knob : manifest.config.knobs) {
    if (knob.value) {
      out.push_back({knob.name, *knob.value});
    } else if (with_domains) {
      out.push_back({knob.name, knob.domain.front()});
    }
  }
  return out;
}

namespace {

/// SYMBOL, SYMBOL + c or c + SYMBOL as the symbol and c.
std::optional<std::pair<std::string, std::int64_t>> symbol_plus(const Expression& extent) {
  if (extent.op == ExpressionOp::Symbol) return std::pair(extent.symbol, std::int64_t{0});
  if (extent.op != ExpressionOp::Add) return std::nullopt;
  const Expression& left = extent.operands[0];
  const Expression& right = extent.operands[1];
  if (left.op == ExpressionOp::Symbol && right.op == ExpressionOp::Constant) {
    return std::pair(left.symbol, right.constant);
  }
  if (left.op == ExpressionOp::Constant && right.op == ExpressionOp::Symbol) {
    return std::pair(right.symbol, left.constant);
  }
  return std::nullopt;
}

/// The first extent SYMBOL or SYMBOL + constant of each symbol that is not excluded.
std::vector<BufferExtent> extents_of(const SparseVariant& format,
                                     const std::function<bool(const std::string&)>& is_excluded) {
  std::vector<BufferExtent> out;
  for (const SparseBuffer& buffer : format.buffers) {
    for (std::size_t axis = 0; axis < buffer.shape.extents.size(); ++axis) {
      const auto found = symbol_plus(buffer.shape.extents[axis]);
      if (!found) continue;
      const std::string& symbol = found->first;
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const BufferExtent& e) { return e.symbol == symbol; });
      if (!known && !is_excluded(symbol)) out.push_back({symbol, &buffer, axis, found->second});
    }
  }
  return out;
}

}  // namespace

std::vector<BufferExtent> buffer_extents(const Manifest& manifest, const SparseVariant& format) {
  return extents_of(format, [&](const std::string& symbol) {
    return manifest.is_parameter(symbol) || manifest.is_config(symbol) ||
           manifest.constant(symbol) != nullptr || manifest.scalar(symbol) != nullptr ||
           manifest.is_returned_by_init(symbol);
  });
}

std::vector<BufferExtent> stored_extents(const Manifest& manifest, const SparseVariant& format) {
  std::set<std::string> shapes;
  const auto add = [&](const std::vector<Expression>& extents) {
    for (const Expression& extent : extents) {
      for (const Expression* symbol : symbols_of(extent)) shapes.insert(symbol->symbol);
    }
  };
  for (const Array& array : manifest.init.arrays) add(array.shape.extents);
  for (const SparseLayout& layout : manifest.sparse_layouts) add(layout.logical_shape);
  return extents_of(format, [&](const std::string& symbol) {
    return shapes.contains(symbol) || manifest.is_config(symbol) || manifest.constant(symbol) != nullptr;
  });
}

std::vector<ir::DType> allowed_precisions(const Manifest& manifest) {
  // Significand bits: what the harness orders precisions by.
  static constexpr std::array<std::pair<std::string_view, int>, 6> kBits = {
      {{"fp64", 52}, {"fp32", 23}, {"fp16", 10}, {"bf16", 7}, {"fp8_e4m3", 3}, {"fp8_e5m2", 2}}};
  int least = 0;
  if (manifest.taxonomy.min_precision) {
    for (const auto& [name, bits] : kBits) {
      if (name == manifest.taxonomy.min_precision->text) least = bits;
    }
  }
  std::vector<ir::DType> out;
  for (const auto& [name, type] : {std::pair("fp64", ir::DType::F64), std::pair("fp32", ir::DType::F32)}) {
    const bool listed =
        manifest.precisions.empty() ||
        std::any_of(manifest.precisions.begin(), manifest.precisions.end(),
                    [&, wanted = std::string_view(name)](const Name& n) { return n.text == wanted; });
    const int bits = type == ir::DType::F64 ? 52 : 23;
    if (listed && bits >= least) out.push_back(type);
  }
  return out;
}

Symbols shape_symbols(const Manifest& manifest, const Preset& preset, const PortRow& row) {
  Symbols out;
  const auto add = [&](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) {
      if (const std::optional<std::int64_t> integer = as_integer(setting.value))
        out[setting.name.text] = *integer;
    }
  };
  add(manifest.init.constants);
  add(config_values(manifest, row, true));
  add(preset.symbols);
  return out;
}

}  // namespace pw::manifest
