// C[i, j] = fold over k of f(a[i, k], b[k, j]): the results of a row grow together, k outside of j, so that
// memory is walked as it lies, and those of a few rows at once, so that b[k, j] is loaded once for all of
// them. Each fold keeps its order, so the result is the same bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "backends/c/function.h"
#include "passes/stride.h"

namespace pw::backends::c {

namespace {

/// Results that grow together on the stack: half of a page of doubles, a first-level cache's good guest.
constexpr int kRowBlock = 256;
/// Rows that grow at once: as many as hide the latency of an addition, and fit the cache beside the operands.
constexpr int kRowsAtOnce = 4;

bool any_inside(const ir::Module& module, ir::ExprId root, const std::function<bool(const ir::Expr&)>& test) {
  std::unordered_set<ir::ExprId> seen;
  std::vector<ir::ExprId> open = {root};
  while (!open.empty()) {
    const ir::ExprId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    if (test(module[id])) return true;
    for (const ir::ExprId operand : ir::operands_of(module[id])) open.push_back(operand);
  }
  return false;
}

bool loads_from(const ir::Module& module, ir::ExprId root, ir::BufferId buffer) {
  return any_inside(module, root, [&](const ir::Expr& expr) {
    const auto* load = std::get_if<ir::Load>(&expr);
    return load && load->buffer == buffer;
  });
}

/// Reductions bind i64 positions too, which extents may mention.
bool reads_any(const ir::Module& module, ir::ExprId root, const std::set<ir::LocalId>& locals) {
  return any_inside(module, root, [&](const ir::Expr& expr) {
    if (const auto* read = std::get_if<ir::Read>(&expr)) return locals.contains(read->local);
    const auto* index = std::get_if<ir::Index>(&expr);
    return index && std::any_of(locals.begin(), locals.end(), [&](ir::LocalId each) {
             return module.extents.mentions(index->extent, each);
           });
  });
}

bool is_foldable(ir::ReduceOp op) {
  return op == ir::ReduceOp::Sum || op == ir::ReduceOp::Product || op == ir::ReduceOp::Max ||
         op == ir::ReduceOp::Min;
}

}  // namespace

/// The last axis of the map walks memory as it lies, the last of the fold does not.
bool FunctionPrinter::grows_by_rows(const ir::Map& stmt, const ir::Reduce& reduce) const {
  const ir::Axis& column = stmt.axes.back();
  if (!is_foldable(reduce.op) || reduce.axes.empty()) return false;
  for (const ir::Axis& axis : reduce.axes) {
    if (module_.extents.mentions(axis.extent, column.index)) return false;
  }
  std::vector<ir::ExprId> values = {reduce.value};
  for (const ir::StmtId id : module_[reduce.body].statements) {
    const auto* let = std::get_if<ir::Let>(&module_[id]);
    if (!let) return false;
    values.push_back(let->value);
  }
  passes::Strides along;
  passes::Strides across;
  for (const ir::ExprId value : values) {
    const passes::Strides a = passes::strides_of(module_, value, column.index);
    const passes::Strides b = passes::strides_of(module_, value, reduce.axes.back().index);
    along.one += a.one;
    along.many += a.many;
    across.many += b.many;
  }
  return along.one > 0 && along.many == 0 && across.many > 0;
}

/// The folds at the beginning of a map's body, if it pays to let rows of them grow together; else none.
std::vector<ir::Reduce> FunctionPrinter::row_folds(const ir::Map& stmt) {
  std::vector<ir::Reduce> folds;
  if (stmt.axes.empty() || in_vector_) return folds;
  const auto width = module_.extents.as_constant(stmt.axes.back().extent);
  if (width && *width < 8) return folds;
  std::set<ir::LocalId> made;
  for (const ir::StmtId id : module_[stmt.body].statements) {
    const auto* whole = std::get_if<ir::Reduce>(&module_[id]);
    if (!whole) break;
    ir::Reduce reduce = *whole;
    reduce.axes = long_axes(whole->axes);
    if (!grows_by_rows(stmt, reduce)) break;
    // A fold that may need the result of the one before it comes after the rows.
    if (!made.empty() &&
        (!module_[reduce.body].statements.empty() || reads_any(module_, reduce.value, made))) {
      break;
    }
    made.insert(reduce.target);
    folds.push_back(std::move(reduce));
  }
  return folds;
}

/// The rows of the map that grow at once, if some load of the folds is the same for all of them.
std::optional<FunctionPrinter::RowGroup> FunctionPrinter::row_group(const ir::Map& stmt,
                                                                    const std::vector<ir::Reduce>& folds) {
  if (folds.empty() || stmt.axes.size() < 2) return std::nullopt;
  const ir::Axis& row = stmt.axes[stmt.axes.size() - 2];
  const ir::Axis& column = stmt.axes.back();
  const auto count = module_.extents.as_constant(row.extent);
  if (count && *count < kRowsAtOnce) return std::nullopt;
  bool shared = false;
  for (const ir::Reduce& each : folds) {
    for (const ir::Axis& axis : each.axes) {
      if (module_.extents.mentions(axis.extent, row.index)) return std::nullopt;
    }
    std::vector<ir::ExprId> values = {each.value};
    for (const ir::StmtId id : module_[each.body].statements) {
      for (const ir::ExprId value : ir::exprs_of(module_[id])) values.push_back(value);
    }
    for (const ir::ExprId value : values) {
      shared = shared || any_inside(module_, value, [&](const ir::Expr& expr) {
                 const auto* load = std::get_if<ir::Load>(&expr);
                 return load && passes::stride_of(module_, *load, row.index) == passes::Stride::None &&
                        passes::stride_of(module_, *load, column.index) == passes::Stride::One;
               });
    }
  }
  if (!shared) return std::nullopt;
  const std::string& i = port_.names.of(row.index);
  return RowGroup{row, port_.names.fresh(id_, i + "0"), port_.names.fresh(id_, i + "1"),
                  port_.names.fresh(id_, i + "_at")};
}

void FunctionPrinter::open_outer_axis(const ir::Axis& axis, const std::optional<RowGroup>& group) {
  if (!group || group->axis.index != axis.index) {
    open_axis(axis);
    return;
  }
  open_loop(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0} += {2})", group->first,
                        within(expr_.print(axis.extent), Level::Shift), kRowsAtOnce));
}

/// Past the last row its results are made again, and nobody reads them: a loop of a fixed length is unrolled.
void FunctionPrinter::fold_row(const ir::Reduce& reduce, const std::string& column, const std::string& target,
                               const std::optional<RowGroup>& group) {
  for (const ir::Axis& axis : reduce.axes) open_axis(axis);
  open_loop(column);
  if (group) {
    open_loop(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", group->at, kRowsAtOnce));
    code_.line(fmt::format("const int64_t {} = {}({} + {}, {} - 1);", port_.names.of(group->axis.index),
                           port_.prelude.use("min", ir::DType::I64), group->first, group->at, group->last));
  }
  block(reduce.body);
  const std::size_t bound = expr_.bound_count();
  share({{reduce.value}}, module_[reduce.target].name);
  fold(reduce, module_.type(reduce.value), target);
  expr_.unbind(bound);
  close_loops(1 + reduce.axes.size() + (group ? 1 : 0));
}

/// Where the map only stores the result: in the row of the array itself.
void FunctionPrinter::fold_in_place(const ir::Map& stmt, const ir::Reduce& sum, const ir::Store& store) {
  const std::string target = expr_.element(store.buffer, store.index).text;
  const std::string& j = port_.names.of(stmt.axes.back().index);
  const std::string column = fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", j,
                                         within(expr_.print(stmt.axes.back().extent), Level::Shift));
  open_loop(column);
  code_.line(fmt::format("{} = {};", target, fold_start(sum.op, module_.type(sum.value))));
  close_loops(1);
  fold_row(sum, column, target, std::nullopt);
}

/// `outer`: axes of the map that are open already. `shared`: threads share the blocks of the only axis.
void FunctionPrinter::fold_by_rows(const ir::Map& stmt, const std::vector<ir::Reduce>& folds,
                                   const std::optional<RowGroup>& group, std::size_t outer, bool shared) {
  const auto& statements = module_[stmt.body].statements;
  const std::size_t open = stmt.axes.size() - 1 - outer;
  for (std::size_t d = outer; d + 1 < stmt.axes.size(); ++d) open_outer_axis(stmt.axes[d], group);
  const auto* store = statements.size() == 2 ? std::get_if<ir::Store>(&module_[statements[1]]) : nullptr;
  const auto* stored = store ? std::get_if<ir::Read>(&module_[store->value]) : nullptr;
  const bool in_place = !group && stored && stored->local == folds[0].target && !shared &&
                        module_[folds[0].body].statements.empty() &&
                        !loads_from(module_, folds[0].value, store->buffer) &&
                        std::all_of(store->index.begin(), store->index.end(),
                                    [&](ir::ExprId id) { return is_leaf(module_[id]); });
  if (in_place) {
    fold_in_place(stmt, folds[0], *store);
    close_loops(open);
    return;
  }
  const std::string& j = port_.names.of(stmt.axes.back().index);
  const std::string end = within(expr_.print(stmt.axes.back().extent), Level::Shift);
  if (group) {
    code_.line(fmt::format("const int64_t {} = {}({} + {}, {});", group->last,
                           port_.prelude.use("min", ir::DType::I64), group->first, kRowsAtOnce,
                           within(expr_.print(group->axis.extent), Level::Shift)));
  }
  const auto known = module_.extents.as_constant(stmt.axes.back().extent);
  const bool one_block = known && *known <= kRowBlock && !shared;
  const std::int64_t width = one_block ? *known : kRowBlock;
  std::string column = fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", j, end);
  std::string place = fmt::format("[{}]", j);
  if (!one_block) {
    const std::string first = port_.names.fresh(id_, j + "0");
    const std::string last = port_.names.fresh(id_, j + "1");
    open_loop(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0} += {2})", first, end, width));
    code_.line(fmt::format("const int64_t {} = {}({} + {}, {});", last,
                           port_.prelude.use("min", ir::DType::I64), first, width, end));
    column = fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", j, first, last);
    place = fmt::format("[{} - {}]", j, first);
  }
  const std::string rows = group ? fmt::format("[{}]", kRowsAtOnce) : "";
  std::vector<std::string> results;
  for (const ir::Reduce& each : folds) {
    const auto type = c_type(module_.type(each.value));
    const std::string row = port_.names.fresh(id_, port_.names.of(each.target) + "_row");
    code_.line(fmt::format("{} {}{}[{}];", type, row, rows, width));
    const std::string slot = group ? fmt::format("{}[{}]{}", row, group->at, place) : row + place;
    if (group) {
      open_loop(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", group->at, kRowsAtOnce));
    }
    open_loop(column);
    code_.line(fmt::format("{} = {};", slot, fold_start(each.op, module_.type(each.value))));
    close_loops(group ? 2 : 1);
    fold_row(each, column, slot, group);
    const std::string result =
        group ? fmt::format("{}[{} - {}]{}", row, port_.names.of(group->axis.index), group->first, place)
              : slot;
    results.push_back(fmt::format("const {} {} = {};", type, port_.names.of(each.target), result));
  }
  if (group) {
    open_loop(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", port_.names.of(group->axis.index),
                          group->first, group->last));
  }
  open_loop(column);
  for (const std::string& result : results) code_.line(result);
  for (std::size_t s = folds.size(); s < statements.size(); ++s) statement(statements[s]);
  close_loops(1 + open + (one_block ? 0 : 1) + (group ? 1 : 0));
}

}  // namespace pw::backends::c
