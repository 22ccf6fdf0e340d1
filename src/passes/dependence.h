// Whether two accesses can touch the same element: our own test on polynomials, no solver.
//
// Methods, per dimension: equality of canonical forms, GCD of the coefficients, and bounds by elimination
// (Banerjee's inequalities over the ranges of locals, ir::proves_nonnegative).
// Source: Kennedy and Allen, Optimizing Compilers for Modern Architectures, ch. 3.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace pw::passes {

/// Gives every loop index and symbol the range that its loop implies, where the front end gave none.
void complete_ranges(ir::Module& module);

/// A second copy of some locals, for "another iteration": each has the renamed range of its original.
class Shadows {
 public:
  /// Of the locals for which `varies` holds.
  Shadows(ir::Module& module, std::function<bool(ir::LocalId)> varies);

  ir::ExtentId rename(ir::ExtentId extent);
  ir::LocalId of(ir::LocalId original) const { return ir::LocalId(first_ + original.index()); }
  /// Replaces the range of a shadow (or of any local) in what follows.
  void constrain(ir::LocalId local, ir::Range range) { constrained_[local] = range; }
  void relax() { constrained_.clear(); }
  /// A fresh local that stands for no local of the module.
  ir::LocalId fresh();
  ir::Range range(ir::LocalId local);
  bool proves_nonnegative(ir::ExtentId extent);

 private:
  ir::Module& module_;
  std::function<bool(ir::LocalId)> varies_;
  std::size_t first_;  // ids from here on are of shadows, in the order of their originals
  std::size_t next_;
  std::unordered_map<ir::LocalId, ir::Range> constrained_;
  std::unordered_map<ir::LocalId, ir::Range> renamed_;  // of shadows that nothing constrains
};

/// Proves that a + 0 = b has no solution over the integers, by bounds or by GCD; false: not proved.
bool never_zero(ir::Module& module, Shadows& shadows, ir::ExtentId difference);

/// Proves that index tuple `a` differs from index tuple `b` whatever values the locals for which `varies`
/// holds take in `b`, independently of those in `a`. Indices that are no extents prove nothing.
bool never_equal(ir::Module& module, std::span<const ir::ExprId> a, std::span<const ir::ExprId> b,
                 const std::function<bool(ir::LocalId)>& varies);

/// Whether index tuples are the same polynomials (or the same expressions that read no state).
bool same_index(ir::Module& module, std::span<const ir::ExprId> a, std::span<const ir::ExprId> b);

/// Proves that the elements at `index` are different ones for different values of the loop indices `axes`
/// (each with its loop's number of steps), other locals kept: every axis can be solved for, in turn.
bool is_injective(ir::Module& module, std::span<const ir::ExprId> index, const std::vector<ir::Axis>& axes);

}  // namespace pw::passes
