#include "verify/sizes.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace pw::verify {

namespace {

constexpr std::int64_t kElements = std::int64_t{1} << 15;
constexpr std::int64_t kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};
constexpr std::int64_t kTiles[] = {64, 32, 16, 8, 4, 2};

/// Every extent that a symbol may stand in.
std::vector<const std::vector<manifest::Expression>*> all_shapes(const manifest::Manifest& manifest) {
  std::vector<const std::vector<manifest::Expression>*> out;
  for (const manifest::Array& array : manifest.init.arrays) out.push_back(&array.shape.extents);
  for (const manifest::SparseLayout& layout : manifest.sparse_layouts) out.push_back(&layout.logical_shape);
  return out;
}

/// Elements of all arrays; nullopt where a shape has no value, is negative, or is beyond all memory.
std::optional<std::int64_t> elements(const manifest::Manifest& manifest, const manifest::Symbols& symbols,
                                     diagnostics::Engine& engine) {
  constexpr double kFar = 1e15;
  double total = 0;
  for (const auto* shape : all_shapes(manifest)) {
    double product = 1;
    for (const manifest::Expression& extent : *shape) {
      const auto value = manifest::evaluate(extent, symbols, engine);
      if (!value || *value < 0) return std::nullopt;
      product *= static_cast<double>(*value);
    }
    total += product;
    if (total > kFar) return std::numeric_limits<std::int64_t>::max();
  }
  return static_cast<std::int64_t>(total);
}

manifest::Symbols with(manifest::Symbols symbols, const Size& size) {
  for (const auto& [name, value] : size.symbols) symbols[name] = value;
  return symbols;
}

std::string failed_constraint(const manifest::Manifest& manifest, const manifest::Symbols& symbols,
                              diagnostics::Engine& engine) {
  const auto failed = [&](const std::vector<manifest::Constraint>& constraints) -> std::string {
    for (const manifest::Constraint& constraint : constraints) {
      const auto value = manifest::evaluate(constraint.expression, symbols, engine);
      if (value && *value == 0) return constraint.text;
    }
    return {};
  };
  std::string text = failed(manifest.constraints);
  if (text.empty() && manifest.fuzz) text = failed(manifest.fuzz->constraints);
  return text;
}

/// Numbers of stored entries that an initialiser is asked for: as many as a quarter of the matrix has
/// elements, which every distribution can place.
void add_entry_counts(const manifest::Manifest& manifest, const manifest::Preset& preset,
                      const manifest::PortRow& row, const manifest::Symbols& symbols, Size& size,
                      diagnostics::Engine& engine) {
  if (row.configuration == nullptr) return;
  for (const auto& [array, format] : row.configuration->formats) {
    const manifest::SparseLayout* layout = manifest.sparse_layout(array.text);
    if (layout == nullptr) continue;
    std::int64_t count = 1;
    for (const manifest::Expression& extent : layout->logical_shape) {
      count *= manifest::evaluate(extent, symbols, engine).value_or(0);
    }
    // The number may stand in the buffers of another layout only.
    for (const manifest::SparseVariant& variant : layout->variants) {
      for (const manifest::BufferExtent& stored : manifest::stored_extents(manifest, variant)) {
        const manifest::Setting* setting = preset.find(stored.symbol);
        if (setting == nullptr || !std::holds_alternative<std::int64_t>(setting->value.data)) continue;
        size.symbols[stored.symbol] = std::max<std::int64_t>(1, (count + 3) / 4);
      }
    }
  }
}

Size named(const std::vector<std::string>& symbols, const std::vector<std::int64_t>& values) {
  Size size;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    size.name += fmt::format("{}{}", i > 0 ? "x" : "", values[i]);
    size.symbols[symbols[i]] = values[i];
  }
  return size;
}

/// The candidates of one kind of size, the largest first.
std::vector<std::vector<std::int64_t>> primes(std::size_t count) {
  std::vector<std::vector<std::int64_t>> out;
  constexpr std::size_t kEleven = 4;
  for (std::size_t first = kEleven + 1; first-- > 0;) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(first + i < std::size(kPrimes) ? kPrimes[first + i]
                                                      : kPrimes[(first + i) % std::size(kPrimes)]);
    }
    out.push_back(values);
  }
  return out;
}
std::vector<std::vector<std::int64_t>> tiles(std::size_t count) {
  std::vector<std::vector<std::int64_t>> out;
  for (const std::int64_t tile : kTiles) {
    std::vector<std::int64_t> values;
    // One symbol: the tile and one more, which is where a tail begins.
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(tile + static_cast<std::int64_t>(count == 1 ? 1 : i));
    out.push_back(values);
  }
  return out;
}

}  // namespace

std::vector<std::string> extent_symbols(const manifest::Manifest& manifest, const manifest::Preset& preset) {
  std::set<std::string> used;
  for (const auto* shape : all_shapes(manifest)) {
    for (const manifest::Expression& extent : *shape) {
      for (const manifest::Expression* symbol : manifest::symbols_of(extent)) used.insert(symbol->symbol);
    }
  }
  std::vector<std::string> out;
  for (const manifest::Setting& setting : preset.symbols) {
    if (std::holds_alternative<std::int64_t>(setting.value.data) && used.count(setting.name.text) > 0) {
      out.push_back(setting.name.text);
    }
  }
  return out;
}

GeneratedSizes generated_sizes(const manifest::Manifest& manifest, const manifest::Preset& preset,
                               const manifest::PortRow& row, const base::Sources& sources,
                               const std::map<std::string, std::int64_t>& specialised) {
  GeneratedSizes out;
  std::vector<std::string> symbols = extent_symbols(manifest, preset);
  std::erase_if(symbols, [&](const std::string& symbol) { return specialised.contains(symbol); });
  if (symbols.empty()) return out;
  diagnostics::Engine trial(sources);  // what does not evaluate here is no size
  const manifest::Symbols base = manifest::shape_symbols(manifest, preset, row);
  // Larger presets do not make generated sizes larger.
  const manifest::Preset* const small = manifest.preset("S");
  const manifest::Symbols limiting = manifest::shape_symbols(manifest, small ? *small : preset, row);
  const std::int64_t limit = std::max(kElements, elements(manifest, limiting, trial).value_or(0));
  const std::vector<std::vector<std::vector<std::int64_t>>> kinds = {
      primes(symbols.size()), {std::vector<std::int64_t>(symbols.size(), 1)}, tiles(symbols.size())};
  for (const auto& candidates : kinds) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Size size = named(symbols, candidates[i]);
      const manifest::Symbols values = with(base, size);
      const auto count = elements(manifest, values, trial);
      if (count && *count > limit) continue;
      const std::string constraint = failed_constraint(manifest, values, trial);
      if (!count) {
        out.dropped.push_back(size.name + " (a shape has no value)");
      } else if (!constraint.empty()) {
        out.dropped.push_back(fmt::format("{} (constraint {})", size.name, constraint));
      } else {
        add_entry_counts(manifest, preset, row, values, size, trial);
        out.sizes.push_back(std::move(size));
      }
      break;
    }
  }
  return out;
}

}  // namespace pw::verify
