#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

namespace {

ir::ExtentId parameter(RoutineBody& body, std::string_view name, ir::LocalKind kind) {
  ir::Local local;
  local.name = std::string(name);
  local.kind = kind;
  local.span = body.stager.here();
  if (kind == ir::LocalKind::Symbol) local.range.lower = body.stager.size(0);
  const ir::LocalId id = body.stager.module.add(std::move(local));
  body.function.parameters.emplace_back(id);
  return body.stager.extents().local(id);
}

/// A one-dimensional array, row behind row.
Array seen_in_rows(Stager& stager, Array array, const std::vector<ir::ExtentId>& shape) {
  ir::ExtentTable& table = stager.extents();
  const Indices axes = formal_axes(stager, shape.size());
  ir::ExtentId at = stager.size(0);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    at = table.add(table.multiply(at, stager.clamped(shape[k])), axes[k]);
  }
  array.shape = shape;
  array.map = {at};
  return array;
}

}  // namespace

ir::ExtentId RoutineBody::size(std::string_view name) {
  return parameter(*this, name, ir::LocalKind::Symbol);
}

ir::ExtentId RoutineBody::integer(std::string_view name) {
  return parameter(*this, name, ir::LocalKind::Argument);
}

Array RoutineBody::array(std::string_view name, ir::DType type, ir::ExtentId length) {
  ir::Buffer buffer;
  buffer.name = std::string(name);
  buffer.type = type;
  buffer.extents = {length};
  buffer.kind = ir::BufferKind::Parameter;
  buffer.span = stager.here();
  Array out;
  out.buffer = stager.module.add(std::move(buffer));
  out.shape = {length};
  out.map = formal_axes(stager, 1);
  function.parameters.emplace_back(out.buffer);
  return out;
}

Array RoutineBody::array(std::string_view name, ir::DType type, const std::vector<ir::ExtentId>& shape) {
  return seen_in_rows(stager, array(name, type, product(stager, shape)), shape);
}

std::vector<ir::ExtentId> call_routine(Stager& stager, ir::FunctionId callee,
                                       std::span<const RoutineArgument> arguments,
                                       std::span<const std::string_view> results) {
  ir::Call call{callee, {}, {}};
  for (const RoutineArgument& each : arguments) {
    if (const auto* extent = std::get_if<ir::ExtentId>(&each)) {
      call.arguments.emplace_back(stager.index(*extent));
    } else {
      call.arguments.emplace_back(std::get<Array>(each).buffer);
    }
  }
  std::vector<ir::ExtentId> out;
  for (const std::string_view name : results) {
    ir::Local local;
    local.name = std::string(name);
    local.span = stager.here();
    local.range.lower = stager.size(0);
    call.results.push_back(stager.module.add(std::move(local)));
    out.push_back(stager.extents().local(call.results.back()));
  }
  stager.emit(std::move(call));
  return out;
}

std::string routine_name(std::string_view name, ir::DType type) {
  if (type == ir::DType::F64) return std::string(name);
  return std::string(name) + "_" + std::string(ir::row(type).text);
}

ir::ExtentId product(Stager& stager, const std::vector<ir::ExtentId>& sizes) {
  ir::ExtentId out = stager.size(1);
  for (const ir::ExtentId size : sizes) out = stager.extents().multiply(out, stager.clamped(size));
  return out;
}

Array allocate_in_a_row(Stager& stager, const std::vector<ir::ExtentId>& shape, ir::DType type) {
  return seen_in_rows(stager, stager.allocate({product(stager, shape)}, type), shape);
}

Array define_in_a_row(Stager& stager, const std::vector<ir::ExtentId>& shape, ir::DType type,
                      const std::function<ir::ExprId(const Indices&)>& element) {
  Array out = allocate_in_a_row(stager, shape, type);
  stager.map_over(shape, [&](const Indices& at) { stager.store(out, at, element(at)); });
  return out;
}

Array in_a_row(Stager& stager, const Array& array, ir::DType type) {
  return define_in_a_row(stager, array.shape, type,
                         [&](const Indices& at) { return stager.cast(stager.load(array, at), type); });
}

ir::ExtentId fixed(Stager& stager, ir::ExprId expr, std::string_view name, std::int64_t least) {
  const ir::LocalId local = stager.let(expr, name);
  stager.module[local].range.lower = stager.size(least);
  return stager.extents().local(local);
}

void if_else(Stager& stager, ir::ExprId condition, const std::function<void()>& then,
             const std::function<void()>& otherwise) {
  const ir::BlockId first = stager.block(then);
  const ir::BlockId second = stager.block(otherwise);
  stager.emit(ir::If{condition, first, second});
}

}  // namespace pw::numpy::functions
