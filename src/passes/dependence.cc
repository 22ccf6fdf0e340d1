#include "passes/dependence.h"

#include <algorithm>
#include <numeric>

namespace pw::passes {

using namespace ir;

void complete_ranges(Module& module) {
  ExtentTable& extents = module.extents;
  const ExtentId zero = extents.constant(0);
  const ExtentId one = extents.constant(1);
  const auto bound = [&](LocalId local, ExtentId lower, ExtentId upper) {
    Range& range = module[local].range;
    if (!range.lower.valid()) range.lower = lower;
    if (!range.upper.valid()) range.upper = upper;
  };
  for (Local& local : module.locals) {
    if (local.kind == LocalKind::Symbol && !local.range.lower.valid()) local.range.lower = zero;
  }
  for (std::size_t i = 0; i < module.stmt_count(); ++i) {
    const Stmt& stmt = module[StmtId(i)];
    const std::vector<Axis>* axes = nullptr;
    if (const auto* map = std::get_if<Map>(&stmt)) axes = &map->axes;
    if (const auto* reduce = std::get_if<Reduce>(&stmt)) axes = &reduce->axes;
    if (axes != nullptr) {
      for (const Axis& axis : *axes) {
        const bool bounded = module[axis.index].range.upper.valid();
        bound(axis.index, zero, bounded ? ExtentId() : extents.subtract(axis.extent, one));
      }
    }
    if (const auto* loop = std::get_if<For>(&stmt)) {
      const Range& known = module[loop->index].range;
      if (known.lower.valid() && known.upper.valid()) continue;
      const auto lower = module.as_extent(loop->lower);
      const auto upper = module.as_extent(loop->upper);
      const auto step = module.as_extent(loop->step);
      const auto by = step ? extents.as_constant(*step) : std::nullopt;
      if (!by || *by == 0) continue;
      const ExtentId none;
      if (*by > 0) bound(loop->index, lower.value_or(none), upper ? extents.subtract(*upper, one) : none);
      if (*by < 0) bound(loop->index, upper ? extents.add(*upper, one) : none, lower.value_or(none));
    }
  }
}

// ---- Shadows

Shadows::Shadows(Module& module, std::function<bool(LocalId)> varies)
    : module_(module),
      varies_(std::move(varies)),
      first_(module.locals.size()),
      next_(2 * module.locals.size()) {}

LocalId Shadows::fresh() { return LocalId(next_++); }

ExtentId Shadows::rename(ExtentId extent) {
  return module_.extents.substitute(
      extent, [&](LocalId local) { return varies_(local) ? module_.extents.local(of(local)) : ExtentId(); });
}

Range Shadows::range(LocalId local) {
  if (const auto found = constrained_.find(local); found != constrained_.end()) return found->second;
  if (local.index() < first_) return module_[local].range;
  if (local.index() >= 2 * first_) return {};
  const auto [it, missing] = renamed_.try_emplace(local);
  Range& range = it->second;
  if (missing) {
    range = module_[LocalId(local.index() - first_)].range;
    if (range.lower.valid()) range.lower = rename(range.lower);
    if (range.upper.valid()) range.upper = rename(range.upper);
  }
  return range;
}

bool Shadows::proves_nonnegative(ExtentId extent) {
  return ir::proves_nonnegative(module_.extents, extent, [this](LocalId local) { return range(local); });
}

bool never_zero(Module& module, Shadows& shadows, ExtentId difference) {
  ExtentTable& extents = module.extents;
  std::int64_t constant = 0;
  std::int64_t gcd = 0;
  for (const ExtentTerm& term : extents[difference].terms) {
    if (term.factors.empty()) {
      constant = term.coefficient;
    } else {
      gcd = std::gcd(gcd, term.coefficient);
    }
  }
  if (gcd == 0) return constant != 0;
  if (constant % gcd != 0) return true;
  const ExtentId one = extents.constant(1);
  return shadows.proves_nonnegative(extents.subtract(difference, one)) ||
         shadows.proves_nonnegative(extents.subtract(extents.scale(difference, -1), one));
}

namespace {

constexpr std::int64_t kNear = 8;  // elements

/// a[i + 1] and a[i] in a loop of any length: neighbours meet, so that no proof is to be had. False says
/// nothing.
bool meets_neighbour(Module& module, ExtentId left, ExtentId right,
                     const std::function<bool(LocalId)>& varies) {
  ExtentTable& extents = module.extents;
  const auto shift = extents.as_constant(extents.subtract(left, right));
  if (!shift || *shift < -kNear || *shift > kNear) return false;
  const auto shifts = [&](const ExtentTerm& term) {
    const auto* local =
        term.factors.size() == 1 ? std::get_if<LocalId>(&extents[term.factors[0]].node) : nullptr;
    if (local == nullptr || !varies(*local) || *shift % term.coefficient != 0) return false;
    const Range& range = module[*local].range;
    return range.lower.valid() && range.upper.valid() && extents.as_constant(range.lower) &&
           !extents.as_constant(range.upper);
  };
  const auto& terms = extents[left].terms;
  return std::any_of(terms.begin(), terms.end(), shifts);
}

}  // namespace

bool never_equal(Module& module, std::span<const ExprId> a, std::span<const ExprId> b,
                 const std::function<bool(LocalId)>& varies) {
  Shadows shadows(module, varies);
  for (std::size_t d = 0; d < a.size() && d < b.size(); ++d) {
    const auto left = module.as_extent(a[d]);
    const auto right = module.as_extent(b[d]);
    if (!left || !right || meets_neighbour(module, *left, *right, varies)) continue;
    if (never_zero(module, shadows, module.extents.subtract(*left, shadows.rename(*right)))) return true;
  }
  return false;
}

bool same_index(Module& module, std::span<const ExprId> a, std::span<const ExprId> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const auto left = module.as_extent(a[d]);
    const auto right = module.as_extent(b[d]);
    if (!left || !right || *left != *right) return false;
  }
  return true;
}

// ---- injectivity

namespace {

/// One dimension solved for one axis: coefficient * axis + rest, the rest free of unsolved axes.
bool solves(Module& module, ExtentId dimension, LocalId axis) {
  const auto linear = module.extents.linear_in(dimension, axis);
  return linear && module.extents.as_constant(linear->coefficient).value_or(0) != 0;
}

/// c*a + j with 0 <= j < c (a mixed radix) is solved for both; j's own coefficient must be 1.
bool solves_both(Module& module, ExtentId dimension, const Axis& a, const Axis& j) {
  ExtentTable& extents = module.extents;
  const auto in_j = extents.linear_in(dimension, j.index);
  if (!in_j || extents.as_constant(in_j->coefficient) != 1) return false;
  const auto in_a = extents.linear_in(in_j->rest, a.index);
  if (!in_a || !j.extent.valid()) return false;
  const ExtentId slack = extents.subtract(in_a->coefficient, j.extent);
  if (in_a->coefficient == extents.constant(0)) return false;
  // With no j at all there is nothing to tell apart, so a slack of zero is enough.
  return slack == extents.constant(0) || proves_nonnegative(extents, slack, module.ranges());
}

}  // namespace

bool is_injective(Module& module, std::span<const ExprId> index, const std::vector<Axis>& axes) {
  ExtentTable& extents = module.extents;
  std::vector<Axis> open;
  for (const Axis& axis : axes) {
    if (!axis.extent.valid() || extents.as_constant(axis.extent) != 1) open.push_back(axis);
  }
  std::vector<ExtentId> dimensions;
  for (const ExprId each : index) {
    if (const auto extent = module.as_extent(each)) dimensions.push_back(*extent);
  }
  // A pair E // m and E % m tells as much as E.
  const std::vector<ExtentId> plain = dimensions;
  for (const ExtentId one : plain) {
    const Extent& extent = extents[one];
    if (extent.terms.size() != 1 || extent.terms[0].factors.size() != 1) continue;
    const auto* node = std::get_if<ExtentApply>(&extents[extent.terms[0].factors[0]].node);
    if (node == nullptr || node->op != ExtentOp::FloorDiv || extent.terms[0].coefficient != 1) continue;
    const ExtentApply division = *node;
    const ExtentId rest = extents.apply(ExtentOp::Mod, division.left, division.right);
    if (std::find(plain.begin(), plain.end(), rest) != plain.end()) dimensions.push_back(division.left);
  }
  bool progress = true;
  while (!open.empty() && progress) {
    progress = false;
    for (const ExtentId dimension : dimensions) {
      std::vector<Axis> inside;
      for (const Axis& axis : open) {
        if (extents.mentions(dimension, axis.index)) inside.push_back(axis);
      }
      const bool one = inside.size() == 1 && solves(module, dimension, inside[0].index);
      const bool two = inside.size() == 2 && (solves_both(module, dimension, inside[0], inside[1]) ||
                                              solves_both(module, dimension, inside[1], inside[0]));
      if (!one && !two) continue;
      progress = true;
      std::erase_if(open, [&](const Axis& axis) {
        return std::any_of(inside.begin(), inside.end(),
                           [&](const Axis& each) { return each.index == axis.index; });
      });
    }
  }
  return open.empty();
}

}  // namespace pw::passes
