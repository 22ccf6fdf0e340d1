// From a manifest's binding to what staging needs to know of each argument.
#include <algorithm>
#include <map>
#include <set>

#include "frontends/numpy/kernel.h"

namespace pw::numpy {

namespace {

using diagnostics::Rule;
using manifest::ArgumentKind;
using manifest::BoundArgument;
using manifest::ScalarForm;

StaticArgument static_argument(const manifest::Value& value, bool named) {
  StaticArgument out;
  out.named = named;
  std::visit([&](const auto& data) { out.value = data; }, value.data);
  return out;
}

/// A scalar that the harness passes as a Python value.
ScalarArgument python_scalar(const manifest::Value& value) {
  if (std::holds_alternative<bool>(value.data)) return {ir::DType::Bool, true};
  if (std::holds_alternative<double>(value.data)) return {ir::DType::F64, true};
  return {ir::DType::I64, true};
}

std::vector<std::optional<manifest::Expression>> shape_of(const manifest::Shape& shape) {
  return {shape.extents.begin(), shape.extents.end()};
}

/// The dtype of an observed value; a Python number's is its widest.
base::Result<ir::DType> observed_type(const ObservedValue& value, base::Span span,
                                      diagnostics::Engine& engine) {
  if (value.dtype == "int") return ir::DType::I64;
  if (value.dtype == "float") return ir::DType::F64;
  if (value.dtype == "complex") return ir::DType::C128;
  if (const auto type = ir::dtype_from_numpy(value.dtype)) return *type;
  return engine.report(Rule::NumpyInputDtype, span, value.name, value.dtype);
}

base::Result<KernelArgument> observed_argument(const BoundArgument& bound,
                                               const std::vector<ObservedValue>& observed,
                                               diagnostics::Engine& engine) {
  KernelArgument out{bound.argument.name, DefaultArgument{}, bound.argument.span};
  const auto seen = std::find_if(observed.begin(), observed.end(),
                                 [&](const ObservedValue& each) { return each.name == out.name; });
  if (seen == observed.end()) return engine.report(Rule::NumpyUnobserved, bound.argument.span, out.name);
  const bool is_python =
      seen->dtype == "int" || seen->dtype == "float" || seen->dtype == "bool" || seen->dtype == "complex";
  PW_TRY(const ir::DType type, observed_type(*seen, bound.argument.span, engine));
  if (!seen->shape) {
    out.kind = ScalarArgument{type, is_python};
    return out;
  }
  ArrayArgument array{type, {}};
  array.extents.resize(seen->shape->size());
  if (bound.array != nullptr && bound.array->shape.extents.size() == seen->shape->size()) {
    array.extents = shape_of(bound.array->shape);
  }
  out.kind = std::move(array);
  return out;
}

/// dtype of an array: what was observed of the inputs, else what the harness makes of the declared one.
base::Result<ir::DType> array_type(const BoundArgument& bound, ir::DType run_dtype,
                                   const std::vector<ObservedValue>& observed, diagnostics::Engine& engine) {
  for (const ObservedValue& each : observed) {
    if (each.name != bound.argument.name || !each.shape) continue;
    return observed_type(each, bound.argument.span, engine);
  }
  if (!bound.dtype) return run_dtype;
  const ir::DType declared = bound.dtype->type;
  // Where the harness itself fills an array, integers have their declared dtype, and all else, bool and
  // complex included, is drawn in the run's precision.
  if (bound.array != nullptr && !bound.from_init && !ir::is_integer(declared)) return run_dtype;
  if (run_dtype == ir::DType::F32 && declared == ir::DType::C128 && bound.from_init) return ir::DType::C64;
  return declared;
}

std::optional<SparseArgument::Role> role_of(std::string_view text) {
  using Role = SparseArgument::Role;
  static constexpr std::pair<std::string_view, Role> kRoles[] = {
      {"indptr", Role::Indptr}, {"indices", Role::Indices}, {"row", Role::Row},
      {"col", Role::Col},       {"offsets", Role::Offsets}, {"data", Role::Data}};
  for (const auto& [name, role] : kRoles) {
    if (name == text) return role;
  }
  return std::nullopt;
}

/// The dimensions of each buffer that its format must have, or none for a format that is not staged.
std::map<SparseArgument::Role, std::size_t> buffer_ranks(std::string_view format) {
  using Role = SparseArgument::Role;
  const std::size_t data = format == "bcsr" || format == "bcoo" ? 3 : format == "dia" ? 2 : 1;
  if (format == "csr" || format == "csc" || format == "bcsr") {
    return {{Role::Indptr, 1}, {Role::Indices, 1}, {Role::Data, data}};
  }
  if (format == "coo" || format == "bcoo") return {{Role::Row, 1}, {Role::Col, 1}, {Role::Data, data}};
  if (format == "dia") return {{Role::Offsets, 1}, {Role::Data, data}};
  return {};
}

/// A handle with its buffers. Extents over symbols that only the buffers know are read off them; where the
/// def line takes such a symbol itself, it is what the initialiser was asked for, and the extent is unknown.
base::Result<SparseArgument> sparse_argument(const BoundArgument& bound, ir::DType run_dtype,
                                             const std::vector<ObservedValue>& observed,
                                             const std::set<std::string>& unknown,
                                             diagnostics::Engine& engine) {
  const auto seen = [&](const std::string& name) {
    return std::find_if(observed.begin(), observed.end(),
                        [&](const ObservedValue& each) { return each.name == name; });
  };
  const std::string& name = bound.argument.name;
  SparseArgument out;
  out.format = bound.format->format.text == "bsr" ? "bcsr" : bound.format->format.text;
  const auto refused = [&] {
    return engine.report(Rule::NumpySparseFormat, bound.format->format.span, name, bound.format->format.text);
  };
  std::map<SparseArgument::Role, std::size_t> ranks = buffer_ranks(out.format);
  if (ranks.size() != bound.format->buffers.size() || bound.sparse->logical_shape.size() != 2)
    return refused();
  const auto handle = seen(name);
  if (handle == observed.end()) return engine.report(Rule::NumpyUnobserved, bound.argument.span, name);
  out.is_matrix = !handle->dtype.ends_with("_array");
  out.shape = bound.sparse->logical_shape;
  for (const manifest::SparseBuffer& buffer : bound.format->buffers) {
    const std::optional<SparseArgument::Role> role = role_of(buffer.role.text);
    if (!role || ranks[*role] != buffer.shape.extents.size()) return refused();
    ranks.erase(*role);
    ArrayArgument array{buffer.dtype.type, {}};
    const auto made = seen(buffer.name.text);
    if (*role == SparseArgument::Role::Data) array.type = run_dtype;
    if (made != observed.end()) {
      if (const auto type = ir::dtype_from_numpy(made->dtype)) array.type = *type;
    }
    for (const manifest::Expression& extent : buffer.shape.extents) {
      const auto symbols = manifest::symbols_of(extent);
      const bool known = std::none_of(symbols.begin(), symbols.end(),
                                      [&](const auto* each) { return unknown.contains(each->symbol); });
      array.extents.push_back(known ? std::optional(extent) : std::nullopt);
    }
    out.buffers.push_back({buffer.name.text, *role, std::move(array)});
  }
  return out;
}

/// Integer parameters with the same value at every preset, and the integers of init.scalars.
std::map<std::string, std::int64_t> settled_values(const manifest::Manifest& manifest) {
  std::map<std::string, std::int64_t> out;
  const auto whole = [](const manifest::Value& value) { return std::get_if<std::int64_t>(&value.data); };
  for (const manifest::Setting& scalar : manifest.init.scalars) {
    if (const auto* number = whole(scalar.value)) out.emplace(scalar.name.text, *number);
  }
  if (manifest.presets.empty()) return out;
  for (const manifest::Setting& first : manifest.presets.front().symbols) {
    const auto* number = whole(first.value);
    const auto same = [&](const manifest::Preset& preset) {
      const manifest::Setting* each = preset.find(first.name.text);
      return each != nullptr && whole(each->value) != nullptr && *whole(each->value) == *number;
    };
    if (number == nullptr || !std::all_of(manifest.presets.begin(), manifest.presets.end(), same)) {
      out.erase(first.name.text);
    } else {
      out[first.name.text] = *number;
    }
  }
  return out;
}

}  // namespace

base::Result<KernelInterface> make_interface(const manifest::Manifest& manifest,
                                             const manifest::Binding& binding, const manifest::PortRow& row,
                                             ir::DType run_dtype, const std::vector<ObservedValue>& observed,
                                             diagnostics::Engine& engine) {
  KernelInterface out;
  out.id = manifest.id + (row.layout.empty() ? "" : "__" + row.layout) +
           (run_dtype == ir::DType::F32 ? "_f32" : "");
  out.run_dtype = run_dtype;
  out.settled = settled_values(manifest);
  for (const manifest::Setting& setting : manifest::config_values(manifest, row, false)) {
    if (const auto number = manifest::as_integer(setting.value))
      out.constants.emplace_back(setting.name.text, *number);
  }
  for (const manifest::Setting& setting : manifest.init.constants) {
    if (const auto number = manifest::as_integer(setting.value))
      out.constants.emplace_back(setting.name.text, *number);
  }
  // Symbols that some array's extent reads are sizes; other parameters are plain Python numbers.
  std::set<std::string> sizes;
  for (const manifest::Array& array : manifest.init.arrays) {
    for (const manifest::Expression& extent : array.shape.extents) {
      for (const manifest::Expression* symbol : manifest::symbols_of(extent)) sizes.insert(symbol->symbol);
    }
  }
  for (const manifest::SparseLayout& layout : manifest.sparse_layouts) {
    for (const manifest::Expression& extent : layout.logical_shape) {
      for (const manifest::Expression* symbol : manifest::symbols_of(extent)) sizes.insert(symbol->symbol);
    }
  }
  std::set<std::string> passed;
  for (const BoundArgument& bound : binding.arguments) passed.insert(bound.argument.name);
  std::set<std::string> unknown;  // symbols that are read off buffers, and also arguments
  for (const BoundArgument& bound : binding.arguments) {
    if (bound.format == nullptr) continue;
    for (const manifest::BufferExtent& each : manifest::stored_extents(manifest, *bound.format)) {
      if (passed.contains(each.symbol)) {
        unknown.insert(each.symbol);
      } else {
        out.read_off.emplace(each.symbol, ReadOff{each.buffer->name.text, each.axis, each.offset});
      }
    }
  }
  for (const BoundArgument& bound : binding.arguments) {
    KernelArgument argument{bound.argument.name, DefaultArgument{}, bound.argument.span};
    if (bound.from_init) out.settled.erase(argument.name);  // the initialiser's value counts
    switch (bound.kind) {
      case ArgumentKind::Array: {
        const auto seen = std::find_if(observed.begin(), observed.end(),
                                       [&](const ObservedValue& each) { return each.name == argument.name; });
        if (seen != observed.end() && !seen->shape) {
          return engine.report(Rule::NumpyInputKind, bound.argument.span, argument.name, seen->dtype);
        }
        const manifest::Shape& shape = bound.array != nullptr ? bound.array->shape : bound.buffer->shape;
        PW_TRY(const ir::DType type, array_type(bound, run_dtype, observed, engine));
        argument.kind = ArrayArgument{type, shape_of(shape)};
        break;
      }
      case ArgumentKind::Parameter: {
        const manifest::Setting* setting = nullptr;
        for (const manifest::Preset& preset : manifest.presets) {
          if (setting == nullptr) setting = preset.find(bound.argument.name);
        }
        if (sizes.contains(bound.argument.name)) {
          argument.kind = SymbolArgument{};
        } else if (setting != nullptr && std::holds_alternative<std::string>(setting->value.data)) {
          argument.kind = static_argument(setting->value, true);
        } else {
          argument.kind =
              setting != nullptr ? python_scalar(setting->value) : ScalarArgument{ir::DType::I64, true};
        }
        break;
      }
      case ArgumentKind::Config: {
        argument.kind = static_argument(*bound.value, true);
        break;
      }
      case ArgumentKind::Constant:
        argument.kind = static_argument(*bound.value, true);
        break;
      case ArgumentKind::ConfigDomain:
      case ArgumentKind::Scalar: {
        if (bound.value && std::holds_alternative<std::string>(bound.value->data)) {
          argument.kind = static_argument(*bound.value, true);
        } else if (bound.form == ScalarForm::Int64) {
          argument.kind = ScalarArgument{ir::DType::I64, false};
        } else if (bound.form == ScalarForm::RunFloat) {
          argument.kind = ScalarArgument{run_dtype, false};
        } else if (bound.form == ScalarForm::Declared && bound.dtype) {
          argument.kind = ScalarArgument{bound.dtype->type, false};
        } else if (bound.form == ScalarForm::FromInit) {
          PW_TRY(argument, observed_argument(bound, observed, engine));
        } else {
          argument.kind = bound.value ? python_scalar(*bound.value) : ScalarArgument{ir::DType::I64, true};
        }
        break;
      }
      case ArgumentKind::InitValue: {
        PW_TRY(argument, observed_argument(bound, observed, engine));
        break;
      }
      case ArgumentKind::SparseHandle: {
        PW_TRY(argument.kind, sparse_argument(bound, run_dtype, observed, unknown, engine));
        break;
      }
      case ArgumentKind::Default:
        break;
    }
    out.arguments.push_back(std::move(argument));
  }
  for (const manifest::Name& name : binding.trailing_symbols) out.trailing_symbols.push_back(name.text);
  return out;
}

std::vector<std::string> top_level_defs(const python::Tree& tree) {
  std::vector<std::string> out;
  for (const python::StmtId id : tree.module.body) {
    if (const auto* def = tree.get_if<python::FunctionDef>(id)) out.push_back(def->name);
  }
  return out;
}

base::Result<manifest::DefLine> def_line(const python::Tree& tree, const std::string& function,
                                         diagnostics::Engine& engine) {
  for (const python::StmtId id : tree.module.body) {
    const auto* def = tree.get_if<python::FunctionDef>(id);
    if (def == nullptr || def->name != function) continue;
    const python::Arguments& parameters = tree[def->args];
    manifest::DefLine out;
    out.span = tree.span(id);
    std::vector<const python::Arg*> positional;
    for (const auto& each : parameters.posonlyargs) positional.push_back(&each);
    for (const auto& each : parameters.args) positional.push_back(&each);
    for (std::size_t k = 0; k < positional.size(); ++k) {
      const bool has_default = k + parameters.defaults.size() >= positional.size();
      out.arguments.push_back({positional[k]->arg, has_default, false, positional[k]->span});
    }
    for (std::size_t k = 0; k < parameters.kwonlyargs.size(); ++k) {
      out.arguments.push_back({parameters.kwonlyargs[k].arg, parameters.kw_defaults[k].valid(), true,
                               parameters.kwonlyargs[k].span});
    }
    for (const python::StmtId inner : def->body) {
      const auto* leave = tree.get_if<python::Return>(inner);
      if (leave == nullptr || !leave->value.valid()) continue;
      out.returned.clear();
      std::vector<python::ExprId> items = {leave->value};
      if (const auto* tuple = tree.get_if<python::Tuple>(leave->value)) items = tuple->elts;
      for (const python::ExprId item : items) {
        const auto* name = tree.get_if<python::Name>(item);
        out.returned.push_back(name == nullptr ? "" : name->id);
      }
    }
    return out;
  }
  return engine.report(Rule::NumpyNoFunction, base::Span{tree.file, 0, 0}, function);
}

}  // namespace pw::numpy
