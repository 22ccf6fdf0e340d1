// What a module uses, and the same module with its free order turned round.
#include <string>
#include <unordered_set>

#include "ir/printer.h"
#include "program.h"

namespace pw::random_test {

namespace {

class Walk {
 public:
  explicit Walk(const ir::Module& module) : module_(module) {
    for (const ir::Function& function : module.functions) block(function.body);
  }
  std::set<std::string> found;
  bool reassociates = false;

 private:
  void block(ir::BlockId id) {
    if (!id.valid()) return;
    for (const ir::StmtId stmt : module_[id].statements) statement(module_[stmt]);
  }
  void statement(const ir::Stmt& stmt) {
    static constexpr const char* kNames[] = {"Let",   "Declare",  "Assign", "Alloc", "Store",
                                             "Map",   "Reduce",   "For",    "While", "If",
                                             "Break", "Continue", "Return", "Trap",  "Call"};
    static_assert(std::size(kNames) == std::variant_size_v<ir::Stmt>);
    found.insert(std::string("stmt ") + kNames[stmt.index()]);
    if (const auto* reduce = std::get_if<ir::Reduce>(&stmt)) {
      found.insert("reduce " + std::string(ir::to_text(reduce->op)));
      const ir::DType type = module_.type(reduce->value);
      const bool rounds = reduce->op == ir::ReduceOp::Sum || reduce->op == ir::ReduceOp::Product;
      reassociates = reassociates || (rounds && reduce->order == ir::ReduceOrder::Any &&
                                      (ir::is_float(type) || ir::is_complex(type)));
    }
    for (const ir::ExprId expr : ir::exprs_of(stmt)) expression(expr);
    for (const ir::BlockId nested : ir::blocks_of(stmt)) block(nested);
  }
  void expression(ir::ExprId root) {
    std::vector<ir::ExprId> open = {root};
    while (!open.empty()) {
      const ir::ExprId id = open.back();
      open.pop_back();
      if (!id.valid() || !seen_.insert(id).second) continue;
      if (const auto* apply = std::get_if<ir::Apply>(&module_[id])) {
        found.insert("op " + std::string(ir::row(apply->op).text));
      }
      if (std::holds_alternative<ir::Cast>(module_[id])) found.insert("op cast");
      for (const ir::ExprId operand : ir::operands_of(module_[id])) open.push_back(operand);
    }
  }

  const ir::Module& module_;
  std::unordered_set<ir::ExprId> seen_;
};

ir::Stmt backwards(ir::Module& module, const ir::Map& map, base::Span span) {
  const ir::ExprId minus_one = module.add(ir::const_int(ir::DType::I64, -1), span);
  ir::BlockId body = map.body;
  ir::Stmt out;
  for (const ir::Axis& axis : map.axes) {  // the first axis becomes the innermost loop
    const ir::ExtentId last = module.extents.add(axis.extent, module.extents.constant(-1));
    out = ir::For{axis.index, module.index(last, span), minus_one, minus_one, body, ir::Schedule::Serial};
    if (&axis == &map.axes.back()) break;
    body = module.add(ir::Block{{module.add(out, span)}});
  }
  return out;
}

}  // namespace

std::set<std::string> features_of(const ir::Module& module) { return Walk(module).found; }
bool reassociates(const ir::Module& module) { return Walk(module).reassociates; }

ir::Module reversed(const ir::Module& module) {
  ir::Module out = module;
  const auto count = static_cast<std::uint32_t>(out.stmt_count());
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::StmtId id(i);
    const base::Span span = out.span(id);
    if (const auto* map = std::get_if<ir::Map>(&out[id]); map != nullptr && !map->axes.empty()) {
      const ir::Map copy = *map;
      const ir::Stmt made = backwards(out, copy, span);
      out[id] = made;
      continue;
    }
    const auto* loop = std::get_if<ir::For>(&out[id]);
    if (loop == nullptr || loop->schedule == ir::Schedule::Serial) continue;
    const auto* step = std::get_if<ir::Const>(&out[loop->step]);
    if (step == nullptr || ir::as_int(*step) != 1) continue;
    ir::For made = *loop;
    const ir::ExprId one = out.add(ir::const_int(ir::DType::I64, 1), span);
    const ir::ExprId lower = out.add(ir::Apply{ir::Op::Sub, {made.upper, one}}, span);
    made.upper = out.add(ir::Apply{ir::Op::Sub, {made.lower, one}}, span);
    made.lower = lower;
    made.step = out.add(ir::const_int(ir::DType::I64, -1), span);
    out[id] = made;
  }
  return out;
}

}  // namespace pw::random_test
