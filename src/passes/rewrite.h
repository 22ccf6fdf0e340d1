// What passes share: substitution in expressions and statements, and what a statement reads and writes.
//
// All walks of expressions are memoised by ExprId, because expressions are graphs whose trees can be huge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace pw::passes {

/// Calls `f(ExprId&)` for each valid expression that the statement evaluates itself.
void for_each_expr(ir::Stmt& stmt, const std::function<void(ir::ExprId&)>& f);

/// Replaces reads of locals, loads, or both. One object is one simultaneous substitution (replacements are
/// not rewritten again); results are memoised for the life of the object, so add all replacements first.
class Rewriter {
 public:
  explicit Rewriter(ir::Module& module) : module_(module) {}

  /// `value` has the local's dtype. A local inside an extent needs a value that is an extent, or one in which
  /// the extent is linear: then the polynomial becomes arithmetic on i64.
  void replace(ir::LocalId local, ir::ExprId value);
  /// Asked for every load, with its index already rewritten; an invalid id keeps the load.
  void on_load(std::function<ir::ExprId(ir::ExprId, const ir::Load&)> replacement);

  ir::ExprId operator()(ir::ExprId expr);
  ir::ExtentId operator()(ir::ExtentId extent);
  /// In place, with all nested blocks, the extents of buffers that it makes and the ranges of locals.
  void rewrite(ir::StmtId stmt);
  void rewrite(ir::BlockId block);
  /// A local stood inside an extent where its replacement cannot stand. The module was then left in part
  /// rewritten: check `can_rewrite` first where that may happen.
  bool failed() const { return failed_; }

 private:
  ir::ExprId rebuild(ir::ExprId expr);
  ir::ExprId rebuild_index(ir::ExtentId extent, base::Span span);
  void rewrite_axes(std::vector<ir::Axis>& axes);
  void rewrite_range(ir::LocalId local);

  ir::Module& module_;
  /// Few, as a rule the axes of one Map.
  struct Replacement {
    ir::LocalId local;
    ir::ExprId value;
    std::optional<ir::ExtentId> extent;  // the value, if it is one
  };
  const Replacement* find(ir::LocalId local) const;
  bool stands_in_extents(ir::LocalId local) const;

  std::vector<Replacement> replacements_;
  bool any_extent_ = false;
  std::function<ir::ExprId(ir::ExprId, const ir::Load&)> load_;
  std::unordered_map<ir::ExprId, ir::ExprId> memo_;
  std::unordered_map<ir::ExtentId, ir::ExtentId> extent_memo_;
  bool failed_ = false;
};

/// What executing a statement may touch, nested blocks and callees included. Vectors are sorted, each id
/// once.
struct Effects {
  base::SmallVector<ir::BufferId> reads;
  base::SmallVector<ir::BufferId> writes;
  base::SmallVector<ir::LocalId> uses;     // locals read, in extents too
  base::SmallVector<ir::LocalId> assigns;  // variables assigned
  base::SmallVector<ir::LocalId> defines;  // locals bound or declared at the statement's own level or inside
  bool leaves = false;   // Return, Trap, a call that may trap, or Break and Continue of an outer loop
  bool returns = false;  // leaves otherwise than by a trap
  bool calls = false;
  bool loops = false;  // holds a Map, Reduce, For or While (itself included)
};

/// Effects of statements, with callees summarised once.
class EffectsOf {
 public:
  explicit EffectsOf(const ir::Module& module);
  Effects operator()(ir::StmtId stmt);
  Effects operator()(ir::BlockId block);
  Effects operator()(ir::ExprId expr);

 private:
  struct Summary {
    std::vector<bool> reads;  // by parameter
    std::vector<bool> writes;
    bool traps = false;
    bool known = false;
  };
  void collect(ir::StmtId id, Effects& out, int loops_around);
  void collect(ir::BlockId id, Effects& out, int loops_around);
  void collect(ir::ExprId id, Effects& out);
  void collect(ir::ExtentId id, Effects& out);
  void collect(const ir::Call& call, Effects& out);
  const Summary& summary(ir::FunctionId id);
  void begin();

  const ir::Module& module_;
  std::vector<Summary> summaries_;
  std::vector<std::uint32_t> seen_exprs_;
  std::vector<std::uint32_t> seen_extents_;
  std::uint32_t epoch_ = 0;
};

/// One element touched, by a load or a store.
struct Access {
  ir::BufferId buffer;
  ir::ExprList index;
  bool writes = false;
};
/// All accesses in a block and the blocks inside, each load once a block, and the buffers made there. Calls
/// are not looked into.
void collect_accesses(const ir::Module& module, ir::BlockId block, std::vector<Access>& out,
                      std::vector<ir::BufferId>& own);

template <typename List>
bool contains(const List& sorted, typename List::value_type value);
/// Whether two sorted lists share an element.
template <typename List>
bool intersects(const List& a, const List& b);

/// Whether two statements may change places: neither leaves, and neither touches what the other changes.
bool independent(const Effects& a, const Effects& b);

/// Number of nodes of the expression's tree, saturating at `limit`.
std::size_t tree_size(const ir::Module& module, ir::ExprId expr, std::size_t limit = 1000);
/// How often the trees of the statement's own expressions read the local, saturating at 1000; extents count
/// as one reading each.
std::size_t tree_uses(const ir::Module& module, ir::StmtId stmt, ir::LocalId local);
/// Whether the expression reads (loads or reads a variable), so that its value depends on when it is taken.
bool reads_state(const ir::Module& module, ir::ExprId expr);
/// Whether the expression holds a load.
bool has_load(const ir::Module& module, ir::ExprId expr);
/// Whether the op costs more than a few cycles, so that it is never repeated.
bool is_expensive(ir::Op op);

template <typename List>
bool contains(const List& sorted, typename List::value_type value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

template <typename List>
bool intersects(const List& a, const List& b) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (*x == *y) return true;
    if (*x < *y) {
      ++x;
    } else {
      ++y;
    }
  }
  return false;
}

}  // namespace pw::passes
