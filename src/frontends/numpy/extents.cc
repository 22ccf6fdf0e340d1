// Sizes: from Python integers and shapes, and the checks where equality cannot be decided while staging.
#include <algorithm>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

ir::LocalId Stager::axis(std::size_t k) {
  while (axes_.size() <= k) {
    ir::Local local;
    local.name = "axis" + std::to_string(axes_.size());
    local.kind = ir::LocalKind::Axis;
    axes_.push_back(module.add(std::move(local)));
  }
  return axes_[k];
}

bool Stager::proves_nonnegative(ir::ExtentId extent) {
  return ir::proves_nonnegative(module.extents, extent, [this](ir::LocalId local) {
    ir::Range range = module[local].range;
    if (assumed_positive_.contains(local)) range.lower = module.extents.constant(1);
    return range;
  });
}

ir::ExtentId Stager::clamped(ir::ExtentId extent) {
  if (proves_nonnegative(extent)) return extent;
  return extents().apply(ir::ExtentOp::Max, extent, size(0));
}

ir::ExtentId Stager::count(std::span<const ir::ExtentId> shape) {
  ir::ExtentId product = size(1);
  for (const ir::ExtentId extent : shape) product = extents().multiply(product, clamped(extent));
  return product;
}

Result<Done> Stager::require_equal(ir::ExtentId a, ir::ExtentId b, base::Span span) {
  if (a == b) return Done{};
  const auto key = std::minmax(a, b);
  if (assumed_equal_.contains(key)) return Done{};
  const ir::ExtentId left = clamped(a);
  const ir::ExtentId right = clamped(b);
  if (left == right) return Done{};
  if (const auto gap = extents().as_constant(extents().subtract(left, right)); gap && *gap != 0) {
    const auto name = [&](ir::LocalId id) { return module[id].name; };
    return engine.report(Rule::NumpyShapeMismatch, span, extents().text(a, name), extents().text(b, name));
  }
  trap_if(apply(ir::Op::Ne, {index(left), index(right)}), ir::TrapKind::Assumption,
          "sizes that must be equal here");
  if (control_depth_ == 0) assumed_equal_.insert(key);
  return Done{};
}

bool Stager::at_most_one(ir::ExtentId extent) {
  if (const auto known = extents().as_constant(extent)) return *known <= 1;
  // n, and n - 2: what has no upper bound is not proved to have one.
  const std::vector<ir::ExtentTerm>& terms = extents()[extent].terms;
  const bool alone = terms.size() == 1 || (terms.size() == 2 && terms[1].factors.empty());
  if (alone && terms[0].coefficient > 0 && terms[0].factors.size() == 1) {
    const auto* local = std::get_if<ir::LocalId>(&extents()[terms[0].factors[0]].node);
    if (local != nullptr && !module[*local].range.upper.valid()) return false;
  }
  if (extents().as_local(extent)) return false;
  return proves_nonnegative(extents().subtract(size(1), extent));
}

Result<Done> Stager::require_broadcast(ir::ExtentId from, ir::ExtentId to, base::Span span) {
  if (from == to || extents().as_constant(from) == 1) return Done{};
  if (!at_most_one(from) || extents().as_constant(from)) {
    PW_CHECK_OK(demand_one(from, to, span));
    return require_equal(from, to, span);
  }
  const ir::ExprId given = index(clamped(from));
  trap_if(apply(ir::Op::And,
                {apply(ir::Op::Ne, {given, integer(1)}), apply(ir::Op::Ne, {given, index(clamped(to))})}),
          ir::TrapKind::Assumption, "a size that must be 1 here");
  return Done{};
}

Result<std::vector<ir::ExtentId>> Stager::broadcast(std::span<const std::vector<ir::ExtentId>> shapes,
                                                    base::Span span) {
  std::size_t rank = 0;
  for (const auto& shape : shapes) rank = std::max(rank, shape.size());
  std::vector<ir::ExtentId> out(rank, size(1));
  for (const auto& shape : shapes) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      ir::ExtentId& have = out[rank - shape.size() + i];
      const ir::ExtentId next = shape[i];
      if (extents().as_constant(next) == 1) continue;
      if (extents().as_constant(have) == 1) {
        have = next;
        continue;
      }
      if (!at_most_one(next) && at_most_one(have)) {
        PW_CHECK_OK(require_broadcast(have, next, span));
        have = next;
        continue;
      }
      if (at_most_one(next)) {
        PW_CHECK_OK(require_broadcast(next, have, span));
      } else {
        PW_CHECK_OK(demand_one(have, next, span));
        PW_CHECK_OK(require_equal(have, next, span));
      }
      // A constant says more than a symbol that was just checked to equal it.
      if (extents().as_constant(next)) have = next;
    }
  }
  return out;
}

Result<ir::ExtentId> Stager::to_extent(const Value& value, base::Span span) {
  if (const auto* number = value.as<std::int64_t>()) return size(*number);
  if (const auto* flag = value.as<bool>()) return size(*flag ? 1 : 0);
  const std::optional<Scalar> scalar = as_scalar(value);
  if (!scalar || !(ir::is_integer(type_of(*scalar)) || type_of(*scalar) == ir::DType::Bool)) {
    return engine.report(Rule::NumpyIntegerNeeded, span, describe(value, module));
  }
  const ir::ExprId wide = cast(scalar->expr, ir::DType::I64);
  if (const auto extent = module.as_extent(wide)) return *extent;
  return extents().local(let(wide));
}

Result<std::vector<ir::ExtentId>> Stager::to_shape(const Value& value, base::Span span) {
  std::vector<ir::ExtentId> out;
  const auto append = [&](const std::vector<Value>& items) -> Result<Done> {
    for (const Value& item : items) {
      PW_TRY(const ir::ExtentId extent, to_extent(item, span));
      out.push_back(extent);
    }
    return Done{};
  };
  if (const auto* tuple = value.as<Tuple>()) {
    PW_CHECK_OK(append(tuple->items));
  } else if (const auto* list = value.as<List>()) {
    PW_CHECK_OK(append(*list->items));
  } else {
    PW_CHECK_OK(append({value}));
  }
  return out;
}

Result<std::int64_t> Stager::to_static_int(const Value& value, base::Span span) {
  if (const auto* number = value.as<std::int64_t>()) return *number;
  if (const auto* flag = value.as<bool>()) return *flag ? 1 : 0;
  if (const auto* scalar = value.as<Scalar>()) {
    if (const auto extent = module.as_extent(scalar->expr)) {
      if (const auto known = extents().as_constant(*extent)) return *known;
    }
  }
  return static_needed(span, "an integer", value);
}

Result<bool> Stager::to_static_bool(const Value& value, base::Span span) {
  PW_TRY(const Value flag, truth(value, span));
  if (const auto* known = flag.as<bool>()) return *known;
  return static_needed(span, "a truth value", flag);
}

Result<std::vector<std::size_t>> Stager::to_axes(const Value* value, std::size_t rank, base::Span span) {
  std::vector<std::size_t> out;
  if (value == nullptr || value->is<None>()) {
    for (std::size_t i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  std::vector<Value> items = {*value};
  if (const auto* tuple = value->as<Tuple>()) items = tuple->items;
  if (const auto* list = value->as<List>()) items = *list->items;
  for (const Value& item : items) {
    PW_TRY(std::int64_t axis, to_static_int(item, span));
    const auto signed_rank = static_cast<std::int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank) {
      return engine.report(Rule::NumpyAxisRange, span, axis, rank);
    }
    if (axis < 0) axis += signed_rank;
    out.push_back(static_cast<std::size_t>(axis));
  }
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    return engine.report(Rule::NumpyAxisRange, span, "a repeated axis", rank);
  }
  return out;
}

Value Stager::from_extent(ir::ExtentId extent) {
  if (const auto known = extents().as_constant(extent)) return value(*known);
  return weak(index(extent));
}

}  // namespace pw::numpy
