// The manifest of a kernel as plain data, every part with its place in the file.
//
// Format: the co-located YAML of HPCAgent-Bench (https://github.com/spcl/HPCAgent-Bench), read as PyYAML
// reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"
#include "frontends/manifest/expression.h"
#include "ir/dtype.h"

namespace pw::manifest {

struct Name {
  std::string text;
  base::Span span;
};

/// A list of integers occurs only under `parameters`.
using ValueData = std::variant<std::int64_t, bool, double, std::string, std::vector<std::int64_t>>;

struct Value {
  ValueData data;
  base::Span span;
};

/// The value as an integer (bool as 0 or 1); nullopt for anything else.
std::optional<std::int64_t> as_integer(const Value& value);

/// One row of an ordered mapping: a name and its value.
struct Setting {
  Name name;
  Value value;
};

struct Preset {
  Name name;  // "S", "M", "L", "XL"
  std::vector<Setting> symbols;
  const Setting* find(std::string_view symbol) const;
};

/// How the `fuzzed` preset draws a symbol.
struct FuzzInterval {
  std::int64_t low, high;  // both inclusive
};
struct FuzzSet {
  std::vector<std::int64_t> values;
};
struct FuzzDerived {  // from other symbols, after them
  Expression expression;
};
struct FuzzConstructed {  // from helper symbols that only this row knows
  Expression expression;
  std::vector<std::pair<Name, std::variant<std::int64_t, FuzzInterval, FuzzSet>>> helpers;
};
struct FuzzSymbol {
  Name name;
  std::variant<std::int64_t, FuzzInterval, FuzzSet, FuzzDerived, FuzzConstructed> draw;
};

/// What part of the real line an array's values must lie in.
struct ValueDomain {
  enum class Kind : std::uint8_t { Any, Positive, NonNegative, Negative, NonPositive, Interval };
  Kind kind = Kind::Any;
  double low = 0, high = 0;  // of an Interval
  base::Span span;
};

/// An element type as declared. `type` is what NumPy stores: int4 is stored as int8.
struct ElementType {
  Name declared;
  ir::DType type;
};

struct Shape {
  std::string text;
  base::Span span;
  std::vector<Expression> extents;
};

struct Array {
  Name name;
  Shape shape;
  std::optional<ElementType> dtype;  // absent: a float of the run's precision
  std::optional<Name> dist;          // absent: "uniform"
  std::optional<ValueDomain> domain;
};

/// A config knob of the mapping form: pinned to `value`, or (no value) ranging over `domain`.
struct Knob {
  Name name;
  std::optional<Value> value;
  std::vector<Value> domain;
  std::optional<Name> selects;  // branch, tile, iteration, tolerance, seed, physical
};

struct Config {
  base::Span span;
  std::vector<Knob> knobs;                 // mapping form
  std::vector<std::vector<Setting>> rows;  // list form: complete configurations, all with the same names
};

struct Constraint {
  std::string text;
  Expression expression;
};

struct Init {
  base::Span span;
  std::optional<Name> func_name;  // absent: arrays are drawn from their `dist`
  std::vector<Name> input_args;
  std::vector<Name> output_args;  // default: every array, then every scalar
  bool has_output_args = false;
  std::vector<Array> arrays;
  std::vector<Setting> scalars;
  std::vector<Setting> constants;
  std::vector<std::pair<Name, ElementType>> dtypes;  // of scalars, knobs and symbols
  std::optional<std::int64_t> workspace_bytes;
};

struct SparseBuffer {
  Name name;  // physical name, which replaces the handle in the signature
  Name role;  // indptr, indices, data, ...
  Shape shape;
  ElementType dtype;
};
struct SparseVariant {
  Name format;  // csr, csc, ...
  std::vector<SparseBuffer> buffers;
};
struct SparseLayout {
  Name array;  // the handle in the def line
  std::vector<Expression> logical_shape;
  ElementType default_dtype;
  std::vector<SparseVariant> variants;
  const SparseVariant* find(std::string_view format) const;
};

/// One row of `configurations`: formats of sparse arrays, or (without sparse_layouts) an allowed setting of
/// scalars.
struct Configuration {
  Name name;
  std::vector<std::pair<Name, Name>> formats;
  std::vector<Setting> settings;
};
struct Distribution {
  Name name;
  Name configuration;
  std::string distribution = "uniform";
};
/// A row of `variants`: what `initialize` is told to generate. The harness takes the first unless told
/// otherwise.
struct Variant {
  Name name;
  std::vector<Setting> settings;  // format, distribution, matrix
  const Setting* find(std::string_view key) const;
};

struct Fuzz {
  base::Span span;
  std::vector<Constraint> constraints;
  std::vector<Name> data_distributions;
};

/// How the harness's multi-node track may split the kernel; not used for ports.
struct Mpi {
  base::Span span;
  std::vector<Name> axis;
  std::optional<std::int64_t> work_exponent;
};
/// A native source beside the kernel that the harness times against; not used for ports.
struct Baseline {
  base::Span span;
  Name source, language;
};

struct Taxonomy {
  std::string track, subtrack, dwarf, domain, scale;
  std::vector<std::string> tags;
  std::optional<Name> min_precision;  // fp64, fp32, ...
};

struct Manifest {
  base::FileId file;
  std::string id;                 // the file's stem
  std::string name;               // human title; default: short_name
  std::string short_name;         // default: id
  std::string module_name;        // default: id
  std::string module_path;        // <module_name>_numpy.py beside the manifest, else <module_name>.py
  std::optional<Name> func_name;  // absent: see entry_function
  std::string kind;
  std::optional<std::int64_t> level;
  std::vector<Preset> presets;
  std::vector<FuzzSymbol> fuzzed;
  Config config;
  std::vector<Constraint> constraints;
  Init init;
  std::optional<std::vector<Name>> input_args;
  std::optional<std::vector<Name>> array_args;
  std::vector<Name> output_args;
  std::vector<Name> precisions;  // as declared; default fp64, fp32
  Taxonomy taxonomy;
  std::vector<SparseLayout> sparse_layouts;
  std::vector<Configuration> configurations;
  std::vector<Distribution> distributions;
  std::vector<Variant> variants;
  std::optional<Fuzz> fuzz;
  std::optional<Mpi> mpi;
  std::optional<Baseline> baseline;

  const Preset* preset(std::string_view name) const;
  const Array* array(std::string_view name) const;
  const Setting* scalar(std::string_view name) const;
  const Setting* constant(std::string_view name) const;
  const Knob* knob(std::string_view name) const;
  const SparseLayout* sparse_layout(std::string_view name) const;
  /// Whether any preset declares the symbol.
  bool is_parameter(std::string_view name) const;
  /// Whether the config block, in either form, declares the name.
  bool is_config(std::string_view name) const;
  /// Whether `init.func_name` returns the name.
  bool is_returned_by_init(std::string_view name) const;
};

/// Reads and parses a manifest, with all checks that need the manifest alone (see check.h), and finds its
/// Python file. Fails: file-unreadable, manifest-*.
base::Result<Manifest> load(const std::string& path, base::Sources& sources, diagnostics::Engine& engine);
/// The same for a text that is already loaded; does not look for the Python file.
base::Result<Manifest> load(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine);

/// The kernel's function: func_name, else the only top-level def, else the def named as the module; nullopt
/// if none is.
std::optional<std::string> entry_function(const Manifest& manifest,
                                          const std::vector<std::string>& top_level_defs);

/// One port's variation of a kernel: a sparse layout and a row of a config list.
struct PortRow {
  std::string
      layout;  // "" if there is one port; else the configuration's name, "config3", or both joined by "__"
  const Configuration* configuration = nullptr;  // null: no sparse layouts
  std::optional<std::size_t> config_row;  // index into config.rows; absent: the mapping form or no config
};
/// At least one row. Pointers are into the manifest.
std::vector<PortRow> port_rows(const Manifest& manifest);

/// The config values that hold in a port, by name: pinned knobs, or the row of a list. Knobs with a `domain`
/// are run-time arguments; their first value is given where `with_domains` is set.
std::vector<Setting> config_values(const Manifest& manifest, const PortRow& row, bool with_domains);

/// A symbol that only a sparse format has (its number of blocks, say), read off a buffer where its inputs are
/// made: the length of `axis` minus `offset`.
struct BufferExtent {
  std::string symbol;
  const SparseBuffer* buffer = nullptr;
  std::size_t axis = 0;
  std::int64_t offset = 0;
};
/// Every symbol of the format's shapes that the rest of the manifest does not declare and that stands in an
/// extent as SYMBOL or SYMBOL + constant; the first such extent of each.
std::vector<BufferExtent> buffer_extents(const Manifest& manifest, const SparseVariant& format);
/// The same of every symbol that no dense array and no logical shape has: a declared number of entries is
/// what an initialiser is asked for, not what it makes.
std::vector<BufferExtent> stored_extents(const Manifest& manifest, const SparseVariant& format);

/// float64 and float32 as far as `precisions` and `taxonomy.min_precision` allow them.
std::vector<ir::DType> allowed_precisions(const Manifest& manifest);

/// Integer symbols of a preset with the port's config values and init.constants: what shapes are evaluated
/// with.
Symbols shape_symbols(const Manifest& manifest, const Preset& preset, const PortRow& row);

}  // namespace pw::manifest
