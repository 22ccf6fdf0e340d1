// Expressions and extents as C text.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backends/c/prelude.h"
#include "backends/common/formula.h"
#include "backends/common/names.h"
#include "ir/module.h"

namespace pw::backends::c {

/// A constant, a local or an index: printing it again costs nothing.
bool is_leaf(const ir::Expr& expr);

/// The expressions of one function. Marks the helpers it uses in the prelude.
class Expressions {
 public:
  Expressions(const ir::Module& module, const Names& names, Prelude& prelude)
      : module_(module), extents_(module.extents), names_(names), prelude_(prelude) {}

  Formula print(ir::ExprId id);
  Formula print(ir::ExtentId id);
  /// The element as an lvalue: "A[i * M + j]", "*s" for a parameter without dimensions, "s" for a temporary.
  Formula element(ir::BufferId buffer, const std::vector<ir::ExprId>& index);
  /// Row-major position within an iteration space.
  Formula position(std::span<const ir::Axis> axes);
  /// Product of extents; "1" if there are none.
  Formula product(std::span<const ir::ExtentId> extents);

  /// Inner expressions that the roots use more than once and that are worth a local, operands first.
  std::vector<ir::ExprId> shared(std::span<const ir::ExprId> roots) const;
  /// From now on the expression prints as the name; what was bound since `bound_count` was read is forgotten
  /// by unbind.
  void bind(ir::ExprId id, std::string name);
  std::size_t bound_count() const { return order_.size(); }
  void unbind(std::size_t count);

  /// The only value of an axis of one step: prints as 0 from now on.
  void set_zero(ir::LocalId axis);

  /// a op b as C has it for this dtype: wrapping for integers, a helper for complex products.
  Formula apply(ir::Op op, ir::DType type, const Formula& a, const Formula& b);

 private:
  Formula apply(const ir::Apply& node, ir::DType type);
  bool folds_to_negation(const ir::Apply& node) const;
  Formula cast(const ir::Cast& node);
  Formula call(std::string_view function, const std::vector<ir::ExprId>& arguments);
  Formula wrapping(const ir::Apply& node, ir::DType type);
  Formula unsigned_tree(const ir::Apply& node);
  Formula unsigned_operand(ir::ExprId id, bool convert);
  const ir::Apply* wrapping_node(ir::ExprId id) const;
  Formula atom(ir::AtomId id);
  Formula division(const ir::ExtentApply& node);
  Formula flat(std::span<const ir::ExtentId> extents, const std::function<Formula(std::size_t)>& index);

  const ir::Module& module_;
  ir::ExtentTable extents_;
  const Names& names_;
  Prelude& prelude_;
  std::unordered_map<ir::ExprId, std::string> bound_;
  std::vector<ir::ExprId> order_;
  std::unordered_map<ir::ExtentId, Formula> printed_;
  std::unordered_set<ir::LocalId> zero_;
};

}  // namespace pw::backends::c
