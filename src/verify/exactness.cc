#include "verify/exactness.h"

#include <unordered_set>

namespace pw::verify {

namespace {

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

bool is_exact(ir::Op op, ir::DType type) {
  const ir::Rounding rounding = ir::row(op).rounding;
  if (ir::is_complex(type)) return rounding == ir::Rounding::Exact;
  return !ir::is_float(type) || rounding != ir::Rounding::Library;
}

std::optional<std::string> why_inexact(const ir::Module& module) {
  Search search(module);
  for (const ir::Function& function : module.functions) {
    if (auto why = search.block(function.body)) return why;
  }
  return std::nullopt;
}

}  // namespace pw::verify
