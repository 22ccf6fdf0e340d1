// Building IR: expressions with the folding that keeps them small, statements into the current block.
#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

std::optional<ir::Const> constant_of(const ir::Module& module, ir::ExprId expr) {
  const auto* node = std::get_if<ir::Const>(&module[expr]);
  return node == nullptr ? std::nullopt : std::optional(*node);
}

std::optional<bool> fold_compare(ir::Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ir::Op::Eq:
      return a == b;
    case ir::Op::Ne:
      return a != b;
    case ir::Op::Lt:
      return a < b;
    case ir::Op::Le:
      return a <= b;
    case ir::Op::Gt:
      return a > b;
    case ir::Op::Ge:
      return a >= b;
    default:
      return std::nullopt;
  }
}

}  // namespace

ir::ExprId Stager::constant(const ir::Const& value) { return module.add(value, span_); }

ir::ExprId Stager::integer(std::int64_t value) { return constant(ir::const_int(ir::DType::I64, value)); }

ir::ExprId Stager::real(double value, ir::DType type) { return constant(ir::const_float(type, value)); }

ir::ExprId Stager::apply(ir::Op op, std::vector<ir::ExprId> arguments) {
  const ir::DType type = module.type(arguments.front());
  if (op == ir::Op::And || op == ir::Op::Or) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (const auto known = constant_of(module, arguments[i])) {
        const bool decides = ir::as_bool(*known) == (op == ir::Op::Or);
        return decides ? arguments[i] : arguments[1 - i];
      }
    }
  }
  if (op == ir::Op::Not) {
    if (const auto known = constant_of(module, arguments[0]))
      return constant(ir::const_bool(!ir::as_bool(*known)));
  }
  if (op == ir::Op::Select) {
    if (const auto known = constant_of(module, arguments[0])) return arguments[ir::as_bool(*known) ? 1 : 2];
    if (arguments[1] == arguments[2]) return arguments[1];
  }
  if (arguments.size() == 2 && type == ir::DType::I64) {
    const auto left = constant_of(module, arguments[0]);
    const auto right = constant_of(module, arguments[1]);
    if (left && right) {
      if (const auto truth = fold_compare(op, ir::as_int(*left), ir::as_int(*right))) {
        return constant(ir::const_bool(*truth));
      }
    }
  }
  return module.add(ir::Apply{op, std::move(arguments)}, span_);
}

ir::ExprId Stager::cast(ir::ExprId expr, ir::DType type) {
  const ir::DType from = module.type(expr);
  if (from == type) return expr;
  if (const auto known = constant_of(module, expr)) {
    if (from == ir::DType::Bool || ir::is_integer(from)) {
      const std::int64_t number = ir::as_int(*known);
      if (ir::is_integer(type) || type == ir::DType::Bool) return constant(ir::const_int(type, number));
      if (from != ir::DType::U64) return constant(ir::const_float(type, static_cast<double>(number)));
    }
    if (ir::is_float(from) && (ir::is_float(type) || ir::is_complex(type))) {
      return constant(ir::const_float(type, ir::as_float(*known)));
    }
    if (ir::is_complex(from) && ir::is_complex(type))
      return constant(ir::const_complex(type, ir::as_complex(*known)));
  }
  return module.add(ir::Cast{type, expr}, span_);
}

ir::ExprId Stager::index(ir::ExtentId extent) { return module.index(extent, span_); }

/// Whether the body of a loop that counts up by one runs at least once.
bool Stager::runs_once(const ir::For& loop) {
  const auto lower = module.as_extent(loop.lower);
  const auto upper = module.as_extent(loop.upper);
  const auto step = module.as_extent(loop.step);
  return lower && upper && step && extents().as_constant(*step) == 1 &&
         proves_nonnegative(extents().add(extents().subtract(*upper, *lower), size(-1)));
}

void Stager::emit(ir::Stmt stmt) {
  const auto* loop = std::get_if<ir::For>(&stmt);
  sharing_.note_flow(blocks_.back(), stmt, loop != nullptr && runs_once(*loop));
  const ir::StmtId id = module.add(std::move(stmt), span_);
  module[blocks_.back()].statements.push_back(id);
}

ir::LocalId Stager::let(ir::ExprId value, std::string_view name) {
  ir::Local local;
  local.name = name.empty() ? invented_name("t") : std::string(name);
  local.type = module.type(value);
  local.kind = ir::LocalKind::Bound;
  local.span = span_;
  const ir::LocalId id = module.add(std::move(local));
  emit(ir::Let{id, value});
  return id;
}

void Stager::trap_if(ir::ExprId condition, ir::TrapKind kind, std::string_view message, bool goes_on) {
  if (condition.valid()) {
    if (const auto known = constant_of(module, condition)) {
      if (!ir::as_bool(*known)) return;
      condition = {};
    }
  }
  if (goes_on && catch_trap(condition, kind)) return;
  const ir::TrapId trap = module.add(ir::TrapRow{kind, std::string(message), span_});
  emit(ir::Trap{trap, condition});
  ++traps_emitted_;
}

ir::BlockId Stager::block(const std::function<void()>& fill) {
  const ir::BlockId id = module.add(ir::Block{});
  blocks_.push_back(id);
  fill();
  blocks_.pop_back();
  return id;
}

ir::FunctionId Stager::routine(const std::string& name, const std::function<void(ir::Function&)>& fill) {
  if (const auto known = routines_.find(name); known != routines_.end()) return known->second;
  const std::size_t names = std::exchange(axis_names_, 0);
  std::string subject = std::exchange(subject_, {});
  ir::Function function;
  function.name = name;
  function.span = span_;
  function.body = block([&] { fill(function); });
  axis_names_ = names;
  subject_ = std::move(subject);
  const ir::FunctionId id = module.add(std::move(function));
  routines_.emplace(name, id);
  return id;
}

Result<ir::BlockId> Stager::try_block(const std::function<Result<Done>()>& fill) {
  const ir::BlockId id = module.add(ir::Block{});
  blocks_.push_back(id);
  const Result<Done> done = fill();
  blocks_.pop_back();
  // Checks in a block are of no use behind it, and every construct to come would copy them.
  checked_.erase(checked_.lower_bound({id, ir::ExtentId(0), ir::ExtentId(0)}), checked_.end());
  if (!done) return tl::unexpected(done.error());
  return id;
}

}  // namespace pw::numpy
