// Loops of a function: maps, reductions, counted loops; and what OpenMP is told about them.
#include <fmt/format.h>

#include <algorithm>

#include "backends/c/function.h"
#include "backends/c/libraries.h"
#include "backends/c/spell.h"
#include "passes/stride.h"

namespace pw::backends::c {

namespace {

/// Iterations under which starting threads costs more than it saves.
/// An outer loop shorter than this is run together with the next one.
constexpr std::int64_t kShortLoop = 16;

/// Extents of the deepest nest of loops in a block.
std::vector<ir::ExtentId> deepest(const ir::Module& module, ir::BlockId block) {
  std::vector<ir::ExtentId> best;
  for (const ir::StmtId id : module[block].statements) {
    const ir::Stmt& stmt = module[id];
    std::vector<ir::ExtentId> here;
    if (const auto* map = std::get_if<ir::Map>(&stmt)) {
      for (const ir::Axis& axis : map->axes) here.push_back(axis.extent);
    } else if (const auto* reduce = std::get_if<ir::Reduce>(&stmt)) {
      for (const ir::Axis& axis : reduce->axes) here.push_back(axis.extent);
    }
    std::vector<ir::ExtentId> inner;
    for (const ir::BlockId each : ir::blocks_of(stmt)) {
      std::vector<ir::ExtentId> more = deepest(module, each);
      if (more.size() > inner.size()) inner = std::move(more);
    }
    here.insert(here.end(), inner.begin(), inner.end());
    if (here.size() > best.size()) best = std::move(here);
  }
  return best;
}

bool folds_position(ir::ReduceOp op) { return op == ir::ReduceOp::ArgMax || op == ir::ReduceOp::ArgMin; }

}  // namespace

std::string fold_start(ir::ReduceOp op, ir::DType type) {
  const bool greatest = op == ir::ReduceOp::Max || op == ir::ReduceOp::ArgMax;
  switch (op) {
    case ir::ReduceOp::Sum:
    case ir::ReduceOp::Product: {
      const int value = op == ir::ReduceOp::Sum ? 0 : 1;
      if (ir::is_float(type) || ir::is_complex(type)) return literal(ir::const_float(type, value)).text;
      return literal(ir::const_int(type, value)).text;
    }
    case ir::ReduceOp::Any:
      return "false";
    case ir::ReduceOp::All:
      return "true";
    case ir::ReduceOp::Max:
    case ir::ReduceOp::Min:
    case ir::ReduceOp::ArgMax:
    case ir::ReduceOp::ArgMin:
      break;
  }
  switch (ir::kind(type)) {
    case ir::DTypeKind::Bool:
      return greatest ? "false" : "true";
    case ir::DTypeKind::Int:
      return fmt::format("INT{}_{}", ir::row(type).bytes * 8, greatest ? "MIN" : "MAX");
    case ir::DTypeKind::UInt:
      return greatest ? "0" : fmt::format("UINT{}_MAX", ir::row(type).bytes * 8);
    default:
      return greatest ? "-INFINITY" : "INFINITY";
  }
}

bool FunctionPrinter::is_parallel(ir::Schedule schedule) const {
  return schedule == ir::Schedule::Parallel && port_.openmp && !in_parallel_;
}

/// Whether the block is straight-line code that no iteration leaves: what a simd loop may hold.
bool FunctionPrinter::is_flat(ir::BlockId body) const {
  const auto& statements = module_[body].statements;
  return std::all_of(statements.begin(), statements.end(), [&](ir::StmtId id) {
    const ir::Stmt& stmt = module_[id];
    if (const auto* branch = std::get_if<ir::If>(&stmt)) {
      return is_flat(branch->then_body) && is_flat(branch->else_body);
    }
    return std::holds_alternative<ir::Let>(stmt) || std::holds_alternative<ir::Store>(stmt) ||
           std::holds_alternative<ir::Declare>(stmt) || std::holds_alternative<ir::Assign>(stmt);
  });
}

void FunctionPrinter::open_loop(const std::string& head) {
  code_.open(head);
  ++scopes_.back().loops;
}

void FunctionPrinter::close_loops(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) code_.close();
  scopes_.back().loops -= static_cast<int>(count);
}

void FunctionPrinter::open_axis(const ir::Axis& axis) {
  const std::string& i = port_.names.of(axis.index);
  open_loop(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", i,
                        within(expr_.print(axis.extent), Level::Shift)));
}

/// Empty where the loop is known to be too short. `indices` are the loop's, `work`: extents of the loop
/// itself; `trips`: more of them, as text.
std::string FunctionPrinter::parallel_pragma(std::vector<ir::ExtentId> work, const Formula& trips,
                                             std::size_t collapse, std::span<const ir::LocalId> indices,
                                             ir::BlockId body) {
  std::set<ir::LocalId> made = locals_made_in(module_, body);
  made.insert(indices.begin(), indices.end());
  const std::vector<ir::ExtentId> inner = deepest(module_, body);
  work.insert(work.end(), inner.begin(), inner.end());
  std::int64_t known = 1;
  std::vector<ir::ExtentId> open;
  for (const ir::ExtentId extent : work) {
    const std::vector<ir::LocalId> locals = module_.extents.locals(extent);
    if (const auto value = module_.extents.as_constant(extent)) {
      if (__builtin_mul_overflow(known, std::max<std::int64_t>(*value, 0), &known)) known = kParallelFrom;
    } else if (std::none_of(locals.begin(), locals.end(),
                            [&](ir::LocalId each) { return made.contains(each); })) {
      open.push_back(extent);
    }
  }
  std::string text = "#pragma omp parallel for";
  if (collapse > 1) text += fmt::format(" collapse({})", collapse);
  if (open.empty() && trips.text == "1") return known < kParallelFrom ? "" : text;
  std::string size = expr_.product(open).text;
  if (trips.text != "1") {
    size = open.empty() ? trips.text : binary("*", Level::Product, trips, expr_.product(open)).text;
  }
  port_.shares_loops = true;
  const std::string share = known > 1 ? fmt::format(" / {}", known) : "";
  return fmt::format("{} if ({} > PARALLEL_FROM{})", text, size, share);
}

/// The axes that take more than one step; the others' indices print as 0.
std::vector<ir::Axis> FunctionPrinter::long_axes(const std::vector<ir::Axis>& axes) {
  std::vector<ir::Axis> out;
  for (const ir::Axis& axis : axes) {
    if (module_.extents.as_constant(axis.extent) == 1) {
      expr_.set_zero(axis.index);
    } else {
      out.push_back(axis);
    }
  }
  return out;
}

/// By a BLAS where it takes the sizes, else by the loops.
void FunctionPrinter::product(const passes::Contraction& product, const ir::Map& whole) {
  code_.open(fmt::format("if ({})", blas_condition(port_, expr_, product)));
  const std::vector<ir::Axis> batch = long_axes(product.batch);
  for (const ir::Axis& axis : batch) open_axis(axis);
  code_.line(blas_call(port_, expr_, product));
  close_loops(batch.size());
  code_.reopen("else");
  map(whole);
  code_.close();
}

void FunctionPrinter::map(const ir::Map& whole) {
  ir::Map stmt = whole;
  stmt.axes = long_axes(whole.axes);
  if (stmt.axes.empty()) {
    open_loop("");
    block(stmt.body);
    close_loops(1);
    return;
  }
  const std::vector<ir::Reduce> rows = row_folds(stmt);
  const std::optional<RowGroup> group = row_group(stmt, rows);
  std::size_t outer = 0;  // loops that threads share
  std::string pragma;
  if (is_parallel(stmt.schedule)) {
    outer = std::max<std::size_t>(stmt.axes.size() - 1, 1);
    const auto first = module_.extents.as_constant(stmt.axes[0].extent);
    if (rows.empty() && stmt.axes.size() == 2 && first && *first < kShortLoop) outer = 2;
    std::vector<ir::ExtentId> work;
    for (const ir::Axis& axis : stmt.axes) work.push_back(axis.extent);
    std::vector<ir::LocalId> indices;
    for (const ir::Axis& axis : stmt.axes) indices.push_back(axis.index);
    pragma = parallel_pragma(std::move(work), {"1"}, outer, indices, stmt.body);
    if (pragma.empty()) outer = 0;
  }
  const bool leaves = outer > 0 && may_leave(module_, port_.facts, id_, stmt.body);
  if (!rows.empty() && outer == stmt.axes.size()) {
    // One axis: threads share its blocks, unless the body may leave, which is no block's affair alone.
    if (!leaves) code_.at_margin(pragma);
    in_parallel_ = !leaves;
    fold_by_rows(stmt, rows, group, 0, !leaves);
    in_parallel_ = false;
    return;
  }
  if (outer > 0) code_.at_margin(pragma);
  for (std::size_t d = 0; d < outer; ++d) open_outer_axis(stmt.axes[d], group);
  if (outer > 0) {
    in_parallel_ = true;
    if (leaves) {
      uses_status_ = true;
      open_scope(stmt.body, port_.names.fresh(id_, "next"));
    }
  }
  if (rows.empty()) {
    in_order(stmt, outer);
  } else {
    fold_by_rows(stmt, rows, group, outer, false);
  }
  if (outer == 0) return;
  if (leaves) close_scope();
  in_parallel_ = false;
  close_loops(outer);
  if (leaves) leave_if({"status != 0", Level::Equality}, "status", "");
}

/// The loops of a map from axis `outer` on, as they stand.
void FunctionPrinter::in_order(const ir::Map& stmt, std::size_t outer) {
  const bool vector = stmt.schedule == ir::Schedule::Vector && is_flat(stmt.body) && !in_vector_;
  for (std::size_t d = outer; d < stmt.axes.size(); ++d) {
    if (vector && d + 1 == stmt.axes.size()) code_.at_margin("#pragma omp simd");
    open_axis(stmt.axes[d]);
  }
  in_vector_ |= vector;
  block(stmt.body);
  if (vector) in_vector_ = false;
  close_loops(stmt.axes.size() - outer);
}

// ---- reductions

/// Lets the compiler keep several partial results: only where the order is free and memory is walked as it
/// lies. Partial products may overflow where the product does not.
std::string FunctionPrinter::fold_pragma(const ir::Reduce& stmt, ir::DType type) {
  if (stmt.order != ir::ReduceOrder::Any || !ir::is_float(type) || stmt.axes.empty() || in_vector_) return "";
  if (!is_flat(stmt.body)) return "";
  const ir::Axis& last = stmt.axes.back();
  const auto length = module_.extents.as_constant(last.extent);
  if (length && *length < 8) return "";
  if (passes::strides_of(module_, stmt.value, last.index).many > 0) return "";
  for (const ir::StmtId id : module_[stmt.body].statements) {
    for (const ir::ExprId each : ir::exprs_of(module_[id])) {
      if (passes::strides_of(module_, each, last.index).many > 0) return "";
    }
  }
  std::string op;
  if (stmt.op == ir::ReduceOp::Sum) op = "+";
  if (stmt.op == ir::ReduceOp::Max || stmt.op == ir::ReduceOp::Min) {
    const bool max = stmt.op == ir::ReduceOp::Max;
    port_.prelude.use(max ? "fold_max" : "fold_min", type);
    op = fmt::format("{}_{}", max ? "max" : "min", ir::row(type).text);
  }
  if (op.empty()) return "";
  return fmt::format("#pragma omp simd reduction({} : {})", op, port_.names.of(stmt.target));
}

void FunctionPrinter::reduce(const ir::Reduce& whole) {
  ir::Reduce stmt = whole;
  stmt.axes = long_axes(whole.axes);
  const ir::DType type = module_.type(stmt.value);
  const std::string& target = port_.names.of(stmt.target);
  const bool position = folds_position(stmt.op);
  const std::string best = position ? port_.names.fresh(id_, "best") : "";
  if (position) {
    code_.line(fmt::format("int64_t {} = 0;", target));
    code_.line(fmt::format("{} {} = {};", c_type(type), best, fold_start(stmt.op, type)));
  } else {
    code_.line(fmt::format("{} {} = {};", c_type(type), target, fold_start(stmt.op, type)));
  }
  const std::string pragma = fold_pragma(stmt, type);
  const bool bare = stmt.axes.empty();  // a block of its own keeps the body's names apart
  if (bare) open_loop("");
  for (std::size_t d = 0; d < stmt.axes.size(); ++d) {
    if (d + 1 == stmt.axes.size() && !pragma.empty()) code_.at_margin(pragma);
    open_axis(stmt.axes[d]);
  }
  block(stmt.body);
  share({{stmt.value}}, module_[stmt.target].name);
  if (position) {
    fold_position(stmt, best, type);
  } else {
    fold(stmt, type, target);
  }
  close_loops(stmt.axes.size() + (bare ? 1 : 0));
}

void FunctionPrinter::fold(const ir::Reduce& stmt, ir::DType type, const std::string& target) {
  const Formula value = expr_.print(stmt.value);
  if (stmt.op == ir::ReduceOp::Any || stmt.op == ir::ReduceOp::All) {
    code_.line(fmt::format("{} {}= {};", target, stmt.op == ir::ReduceOp::Any ? "|" : "&", value.text));
    return;
  }
  ir::Op op = ir::Op::Add;
  if (stmt.op == ir::ReduceOp::Product) op = ir::Op::Mul;
  if (stmt.op == ir::ReduceOp::Max) op = ir::Op::Maximum;
  if (stmt.op == ir::ReduceOp::Min) op = ir::Op::Minimum;
  const Spelling* row = spelling(op, type);
  if (row && row->form == Form::Infix && row->level >= Level::Sum) {
    code_.line(fmt::format("{} {}= {};", target, row->word, value.text));
    return;
  }
  code_.line(fmt::format("{} = {};", target, expr_.apply(op, type, {target}, value).text));
}

/// The first extreme; the first NaN, if there is one.
void FunctionPrinter::fold_position(const ir::Reduce& stmt, const std::string& best, ir::DType type) {
  std::string value = expr_.print(stmt.value).text;
  if (!std::holds_alternative<ir::Read>(module_[stmt.value])) {
    const std::string name = port_.names.fresh(id_, "value");
    code_.line(fmt::format("const {} {} = {};", c_type(type), name, value));
    value = name;
  }
  std::string better = fmt::format("{} {} {}", value, stmt.op == ir::ReduceOp::ArgMax ? ">" : "<", best);
  if (ir::is_float(type)) better += fmt::format(" || ({0} != {0} && {1} == {1})", value, best);
  code_.open(fmt::format("if ({})", better));
  code_.line(fmt::format("{} = {};", best, value));
  code_.line(fmt::format("{} = {};", port_.names.of(stmt.target), expr_.position(stmt.axes).text));
  code_.close();
}

// ---- loops in order

/// The expression itself if nothing in the loop can change it, else a local made before the loop.
std::string FunctionPrinter::evaluated_once(ir::ExprId id, std::string_view name) {
  const ir::Expr& expr = module_[id];
  const auto* read = std::get_if<ir::Read>(&expr);
  const bool fixed = std::holds_alternative<ir::Const>(expr) || std::holds_alternative<ir::Index>(expr) ||
                     (read && module_[read->local].kind != ir::LocalKind::Variable);
  if (fixed) return within(expr_.print(id), Level::Shift);
  const std::string local = port_.names.fresh(id_, name);
  code_.line(fmt::format("const {} {} = {};", c_type(module_.type(id)), local, expr_.print(id).text));
  return local;
}

void FunctionPrinter::counted(const ir::For& stmt) {
  const std::string& i = port_.names.of(stmt.index);
  share({{stmt.lower, stmt.upper, stmt.step}});
  const auto* constant = std::get_if<ir::Const>(&module_[stmt.step]);
  const std::int64_t step = constant ? ir::as_int(*constant) : 0;
  const Formula low = expr_.print(stmt.lower);
  const std::string& lower = low.text;
  const std::string upper = evaluated_once(stmt.upper, i + "_end");
  std::string condition = fmt::format("{} {} {}", i, step < 0 ? ">" : "<", upper);
  if (step < 0 && upper == "-1") condition = fmt::format("{} >= 0", i);
  std::string advance = step == 1 ? "++" + i : step == -1 ? "--" + i : fmt::format("{} += {}", i, step);
  if (step < -1) advance = fmt::format("{} -= {}", i, -step);
  if (step == 0) {
    const std::string by = evaluated_once(stmt.step, i + "_step");
    condition = fmt::format("{0} > 0 ? {1} < {2} : {1} > {2}", by, i, upper);
    advance = fmt::format("{} += {}", i, by);
  }
  expr_.unbind(0);

  std::string pragma;
  if (is_parallel(stmt.schedule) && step != 0) {
    const Formula high = {upper, upper.find(' ') == std::string::npos ? Level::Primary : Level::Sum};
    const bool known = std::holds_alternative<ir::Const>(module_[stmt.lower]) &&
                       std::holds_alternative<ir::Const>(module_[stmt.upper]);
    const Formula trips = step < 0       ? binary("-", Level::Sum, low, high)
                          : lower == "0" ? high
                                         : binary("-", Level::Sum, high, low);
    const ir::LocalId indices[] = {stmt.index};
    pragma = parallel_pragma({}, known ? Formula{"1"} : trips, 1, indices, stmt.body);
  }
  const bool parallel = !pragma.empty();
  const bool leaves = parallel && may_leave(module_, port_.facts, id_, stmt.body);
  const bool vector = stmt.schedule == ir::Schedule::Vector && step != 0 && is_flat(stmt.body) && !in_vector_;
  if (parallel) code_.at_margin(pragma);
  if (vector) code_.at_margin("#pragma omp simd");
  open_loop(fmt::format("for ({} {} = {}; {}; {})", c_type(module_[stmt.index].type), i, lower, condition,
                        advance));
  if (parallel) {
    in_parallel_ = true;
    if (leaves) {
      uses_status_ = true;
      open_scope(stmt.body, port_.names.fresh(id_, "next"));
    }
  }
  in_vector_ |= vector;
  block(stmt.body);
  if (vector) in_vector_ = false;
  if (leaves) close_scope();
  if (parallel) in_parallel_ = false;
  close_loops(1);
  if (leaves) leave_if({"status != 0", Level::Equality}, "status", "");
}

void FunctionPrinter::loop_while(const ir::While& stmt) {
  if (expr_.shared({{stmt.condition}}).empty()) {
    open_loop(fmt::format("while ({})", expr_.print(stmt.condition).text));
  } else {
    open_loop("while (true)");
    share({{stmt.condition}});
    code_.line(fmt::format("if ({}) break;", negated(expr_.print(stmt.condition)).text));
    expr_.unbind(0);
  }
  block(stmt.body);
  close_loops(1);
}

}  // namespace pw::backends::c
