// What of a call's arguments a function is staged for, and what it is passed.
#include <fmt/format.h>

#include <bit>
#include <set>

#include "frontends/numpy/kept_functions.h"

namespace pw::numpy {

namespace {

constexpr std::int64_t kAllKnown = INT64_MAX;

bool is_named_constant(const ir::Module& module, ir::ExprId expr) {
  const auto* read = std::get_if<ir::Read>(&module[expr]);
  return read != nullptr && module[read->local].kind == ir::LocalKind::Config;
}

}  // namespace

bool Stager::CallShape::collect(const UserFunction& function, const Scope& bound) {
  key = fmt::format("f{}", function.definition.value);
  const python::Arguments& parameters = stager_.tree_[stager_.arguments_of(function)];
  std::vector<std::string> order;
  for (const auto& each : parameters.posonlyargs) order.push_back(each.arg);
  for (const auto& each : parameters.args) order.push_back(each.arg);
  if (parameters.vararg) order.push_back(parameters.vararg->arg);
  for (const auto& each : parameters.kwonlyargs) order.push_back(each.arg);
  if (parameters.kwarg) order.push_back(parameters.kwarg->arg);
  for (const std::string& name : order) {
    const auto found = bound.names.find(name);
    if (found == bound.names.end()) return false;
    key += "|";
    if (!collect(found->second, name)) return false;
    bound_.emplace_back(name, found->second);
  }
  return true;
}

bool Stager::CallShape::collect_items(std::string_view what, const std::vector<Value>& items,
                                      const std::string& name) {
  key += fmt::format("{}{}(", what, items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!collect(items[k], fmt::format("{}_{}", name, k))) return false;
    key += ",";
  }
  key += ")";
  return true;
}

bool Stager::CallShape::collect(const Value& value, const std::string& name) {
  if (value.config.valid()) key += fmt::format("c{}", value.config.value);
  if (const auto* scalar = value.as<Scalar>()) return collect(*scalar, name);
  if (const auto* array = value.as<Array>()) return collect(*array, name);
  if (const auto* tuple = value.as<Tuple>()) return collect_items("t", tuple->items, name);
  if (const auto* list = value.as<List>()) return collect_items("l", *list->items, name);
  if (const auto* slice = value.as<Slice>()) return collect_items("s", *slice->parts, name);
  if (const auto* range = value.as<Range>()) return collect_items("r", *range->parts, name);
  if (const auto* dict = value.as<Dict>()) {
    std::vector<Value> flat;
    for (const auto& [word, item] : *dict->items) flat.insert(flat.end(), {word, item});
    return collect_items("d", flat, name);
  }
  if (value.is<None>() || value.is<EllipsisObject>()) {
    key += value.is<None>() ? "N" : "E";
  } else if (const auto* flag = value.as<bool>()) {
    key += *flag ? "T" : "F";
  } else if (const auto* number = value.as<std::int64_t>()) {
    key += fmt::format("i{}", *number);
  } else if (const auto* real = value.as<double>()) {
    key += fmt::format("x{:x}", std::bit_cast<std::uint64_t>(*real));
  } else if (const auto* text = value.as<std::string>()) {
    key += fmt::format("\"{}:{}", text->size(), *text);
  } else if (const auto* type = value.as<DTypeObject>()) {
    key += fmt::format("D{}", ir::row(type->type).text);
  } else if (const auto* object = value.as<ClassObject>()) {
    key += "C" + object->name;
  } else if (const auto* user = value.as<UserFunction>()) {
    // The names around a closure may be bound anew from one call to the next.
    if (user->closure != stager_.globals_ || !user->defaults->empty()) return false;
    key += fmt::format("U{}:{}", user->definition.value, user->lambda.value);
  } else if (const auto* library = value.as<LibraryFunction>()) {
    if (library->self) return false;
    key += fmt::format("L{}", static_cast<const void*>(library->row));
  } else if (const auto* module = value.as<ModuleObject>()) {
    key += "M" + module->name;
  } else {
    return false;
  }
  return true;
}

bool Stager::CallShape::collect(const Scalar& scalar, const std::string& name) {
  const ir::DType type = stager_.type_of(scalar);
  key += fmt::format("n{}{}{}", ir::row(type).text, scalar.weak ? "w" : "", scalar.zero_dim ? "z" : "");
  if (const auto* known = std::get_if<ir::Const>(&stager_.module[scalar.expr])) {
    key += fmt::format("={:x}:{:x}", known->bits, known->imag_bits);
    return true;
  }
  if (is_named_constant(stager_.module, scalar.expr)) {
    key += fmt::format("=c{}", std::get<ir::Read>(stager_.module[scalar.expr]).local.value);
    return true;
  }
  if (const auto extent = stager_.module.as_extent(scalar.expr)) {
    (void)relative(*extent, kAllKnown, name);
    return true;
  }
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k].given != scalar.expr) continue;
    key += fmt::format("#{}", k);
    return true;
  }
  numbers.push_back({scalar.expr, name, {}});
  return true;
}

bool Stager::CallShape::collect(const Array& array, const std::string& name) {
  const ir::Buffer& buffer = stager_.buffer(array);
  if (buffer.kind == ir::BufferKind::Table || stager_.sparse_buffers_.contains(array.buffer)) return false;
  if (buffer.extents != array.shape) return false;
  for (std::size_t d = 0; d < array.map.size(); ++d) {
    if (array.map[d] != stager_.extents().local(stager_.axis(d))) return false;
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].given != array.buffer) continue;
    key += fmt::format("a#{}", k);
    return true;
  }
  arrays.push_back({array.buffer, name, {}});
  key += fmt::format("a{}(", ir::row(buffer.type).text);
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    (void)relative(array.shape[d], largest_known_, fmt::format("{}_dim{}", name, d));
    key += ",";
  }
  key += ")";
  return true;
}

Stager::CallShape::Relative Stager::CallShape::relative(ir::ExtentId extent, std::int64_t largest_known,
                                                        const std::string& name) {
  ir::ExtentTable& table = stager_.extents();
  const std::optional<std::int64_t> known = table.as_constant(extent);
  if (known && *known <= largest_known) {
    key += fmt::format("{}", *known);
    return {-1, *known};
  }
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::optional<std::int64_t> gap = table.as_constant(table.subtract(extent, sizes[k].given));
    if (!gap || (*gap != 0 && known)) continue;
    key += fmt::format("s{}+{}", k, *gap);
    return {static_cast<int>(k), *gap};
  }
  const bool positive = stager_.proves_nonnegative(table.add(extent, table.constant(-1)));
  const int least = positive ? 1 : stager_.proves_nonnegative(extent) ? 0 : -1;
  key += fmt::format("S{}", least);
  sizes.push_back({extent, least, name, {}});
  return {static_cast<int>(sizes.size() - 1), 0};
}

std::map<std::string, Value> Stager::CallShape::make_parameters() {
  ir::Module& module = stager_.module;
  const auto local = [&](const std::string& name, ir::DType type, ir::LocalKind kind) {
    ir::Local made;
    made.name = name;
    made.type = type;
    made.kind = kind;
    made.span = stager_.here();
    return module.add(std::move(made));
  };
  for (Size& each : sizes) {
    each.parameter =
        local(each.name, ir::DType::I64, each.least < 0 ? ir::LocalKind::Argument : ir::LocalKind::Symbol);
    if (each.least >= 0) module[each.parameter].range.lower = stager_.size(each.least);
  }
  for (Number& each : numbers) {
    each.parameter = local(each.name, module.type(each.given), ir::LocalKind::Argument);
    stager_.widened_.insert(each.parameter);  // a caller may pass what several paths gave
  }
  for (Passed& each : arrays) {
    ir::Buffer made;
    made.name = each.name;
    made.type = module[each.given].type;
    made.kind = ir::BufferKind::Parameter;
    made.span = stager_.here();
    const std::vector<ir::ExtentId> extents = module[each.given].extents;
    for (const ir::ExtentId extent : extents) made.extents.push_back(this->made(extent, largest_known_));
    each.parameter = module.add(std::move(made));
  }
  std::map<std::string, Value> names;
  for (const auto& [name, bound] : bound_) names[name] = made(bound);
  return names;
}

ir::ExtentId Stager::CallShape::made(ir::ExtentId extent, std::int64_t largest_known) {
  const std::string before = key;
  const Relative place = relative(extent, largest_known, {});
  key = before;
  ir::ExtentTable& table = stager_.extents();
  const ir::ExtentId offset = table.constant(place.offset);
  return place.size < 0
             ? offset
             : table.add(table.local(sizes[static_cast<std::size_t>(place.size)].parameter), offset);
}

std::vector<Value> Stager::CallShape::made(const std::vector<Value>& items) {
  std::vector<Value> out;
  for (const Value& item : items) out.push_back(made(item));
  return out;
}

Value Stager::CallShape::made(const Value& value) {
  const auto shared = [&](const std::vector<Value>& items) {
    return std::make_shared<std::vector<Value>>(made(items));
  };
  if (const auto* tuple = value.as<Tuple>()) return numpy::value(Tuple{made(tuple->items)});
  if (const auto* list = value.as<List>()) return numpy::value(List{shared(*list->items)});
  if (const auto* slice = value.as<Slice>()) return numpy::value(Slice{shared(*slice->parts)});
  if (const auto* range = value.as<Range>()) return numpy::value(Range{shared(*range->parts)});
  if (const auto* dict = value.as<Dict>()) {
    auto items = std::make_shared<std::vector<std::pair<Value, Value>>>();
    for (const auto& [word, item] : *dict->items) items->emplace_back(made(word), made(item));
    return numpy::value(Dict{items});
  }
  if (const auto* array = value.as<Array>()) {
    Array out;
    for (const Passed& each : arrays) {
      if (each.given == array->buffer) out.buffer = each.parameter;
    }
    out.shape = stager_.buffer(out).extents;
    for (std::size_t d = 0; d < out.shape.size(); ++d) {
      out.map.push_back(stager_.extents().local(stager_.axis(d)));
    }
    return numpy::value(std::move(out));
  }
  const auto* scalar = value.as<Scalar>();
  if (scalar == nullptr || is_named_constant(stager_.module, scalar->expr)) return value;
  if (const auto extent = stager_.module.as_extent(scalar->expr)) {
    return numpy::value(Scalar{stager_.index(made(*extent, kAllKnown)), scalar->weak, scalar->zero_dim});
  }
  for (const Number& each : numbers) {
    if (each.given != scalar->expr) continue;
    const ir::ExprId read = stager_.module.add(ir::Read{each.parameter}, stager_.here());
    return numpy::value(Scalar{read, scalar->weak, scalar->zero_dim});
  }
  return value;  // a constant
}

}  // namespace pw::numpy
