#include "verify/exactness.h"

#include <unordered_set>

namespace pw::verify {

namespace {

using ir::Op;

bool is_transcendental(Op op) {
  switch (op) {
    case Op::Pow:
    case Op::Cbrt:
    case Op::Exp:
    case Op::Exp2:
    case Op::Expm1:
    case Op::Log:
    case Op::Log2:
    case Op::Log10:
    case Op::Log1p:
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Asin:
    case Op::Acos:
    case Op::Atan:
    case Op::Atan2:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh:
    case Op::Asinh:
    case Op::Acosh:
    case Op::Atanh:
    case Op::Erf:
      return true;
    default:
      return false;
  }
}

bool is_rounded_when_complex(Op op) {
  return op == Op::Mul || op == Op::Div || op == Op::Abs || op == Op::Sqrt;
}

class Search {
 public:
  explicit Search(const ir::Module& module) : module_(module) {}

  std::optional<std::string> block(ir::BlockId id) {
    if (!id.valid()) return std::nullopt;
    for (const ir::StmtId stmt : module_[id].statements) {
      if (auto why = statement(stmt)) return why;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> statement(ir::StmtId id) {
    const ir::Stmt& stmt = module_[id];
    if (const auto* reduce = std::get_if<ir::Reduce>(&stmt)) {
      if (auto why = fold(*reduce)) return why;
    }
    for (const ir::ExprId expr : ir::exprs_of(stmt)) {
      if (auto why = expression(expr)) return why;
    }
    for (const ir::BlockId nested : ir::blocks_of(stmt)) {
      if (auto why = block(nested)) return why;
    }
    return std::nullopt;
  }

  std::optional<std::string> fold(const ir::Reduce& reduce) {
    const bool sum = reduce.op == ir::ReduceOp::Sum;
    if (!sum && reduce.op != ir::ReduceOp::Product) return std::nullopt;
    const ir::DType type = module_.type(reduce.value);
    if (!ir::is_float(type) && !ir::is_complex(type)) return std::nullopt;
    if (reduce.order == ir::ReduceOrder::Any) return sum ? "sum in any order" : "product in any order";
    return !sum && ir::is_complex(type) ? std::optional<std::string>("complex mul") : std::nullopt;
  }

  /// Without recursion: an expression graph may be as deep as the kernel is long.
  std::optional<std::string> expression(ir::ExprId root) {
    std::vector<ir::ExprId> open = {root};
    while (!open.empty()) {
      const ir::ExprId id = open.back();
      open.pop_back();
      if (!id.valid() || !seen_.insert(id).second) continue;
      const ir::Expr& expr = module_[id];
      if (const auto* apply = std::get_if<ir::Apply>(&expr)) {
        const ir::DType type = module_.type(apply->arguments.front());
        if (!is_exact(apply->op, type)) {
          return std::string(ir::is_complex(type) ? "complex " : "") + std::string(ir::row(apply->op).text);
        }
      }
      for (const ir::ExprId operand : ir::operands_of(expr)) open.push_back(operand);
    }
    return std::nullopt;
  }

  const ir::Module& module_;
  std::unordered_set<ir::ExprId> seen_;
};

}  // namespace

bool is_exact(Op op, ir::DType type) {
  if (ir::is_complex(type)) return !is_transcendental(op) && !is_rounded_when_complex(op);
  return !ir::is_float(type) || !is_transcendental(op);
}

std::optional<std::string> why_inexact(const ir::Module& module) {
  Search search(module);
  for (const ir::Function& function : module.functions) {
    if (auto why = search.block(function.body)) return why;
  }
  return std::nullopt;
}

}  // namespace pw::verify
