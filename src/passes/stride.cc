#include "passes/stride.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace pw::passes {

namespace {

/// Whether an extent is the axis plus what does not change with it.
bool moves_by_one(const ir::Module& module, ir::ExtentId extent, ir::LocalId axis) {
  int alone = 0;
  for (const ir::ExtentTerm& term : module.extents[extent].terms) {
    const auto holds = [&](ir::AtomId atom) {
      const auto& node = module.extents[atom].node;
      if (const auto* local = std::get_if<ir::LocalId>(&node)) return *local == axis;
      const auto& apply = std::get<ir::ExtentApply>(node);
      return module.extents.mentions(apply.left, axis) || module.extents.mentions(apply.right, axis);
    };
    if (std::none_of(term.factors.begin(), term.factors.end(), holds)) continue;
    const bool is_axis = term.coefficient == 1 && term.factors.size() == 1 &&
                         std::holds_alternative<ir::LocalId>(module.extents[term.factors[0]].node);
    if (!is_axis) return false;
    ++alone;
  }
  return alone == 1;
}

}  // namespace

Stride stride_of(const ir::Module& module, const ir::Load& load, ir::LocalId axis) {
  Stride stride = Stride::None;
  for (std::size_t d = 0; d < load.index.size(); ++d) {
    const bool last = d + 1 == load.index.size();
    const ir::Expr& index = module[load.index[d]];
    if (std::holds_alternative<ir::Const>(index)) continue;
    if (const auto* read = std::get_if<ir::Read>(&index)) {
      if (module[read->local].kind == ir::LocalKind::Variable) return Stride::Many;
      if (read->local == axis) stride = last && stride == Stride::None ? Stride::One : Stride::Many;
    } else if (const auto* whole = std::get_if<ir::Index>(&index)) {
      if (!module.extents.mentions(whole->extent, axis)) continue;
      const bool one = last && stride == Stride::None && moves_by_one(module, whole->extent, axis);
      stride = one ? Stride::One : Stride::Many;
    } else {
      return Stride::Many;  // a gather
    }
  }
  return stride;
}

Strides strides_of(const ir::Module& module, ir::ExprId root, ir::LocalId axis) {
  Strides out;
  std::unordered_set<ir::ExprId> seen;
  std::vector<ir::ExprId> open = {root};
  while (!open.empty()) {
    const ir::ExprId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    if (const auto* load = std::get_if<ir::Load>(&module[id])) {
      const Stride stride = stride_of(module, *load, axis);
      (stride == Stride::None ? out.none : stride == Stride::One ? out.one : out.many) += 1;
    }
    for (const ir::ExprId operand : ir::operands_of(module[id])) open.push_back(operand);
  }
  return out;
}

}  // namespace pw::passes
