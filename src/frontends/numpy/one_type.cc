// Whether isinstance may trust the type of a number: where an int and a float, or a Python number and
// NumPy's, meet on two paths, the port computes with one dtype, and Python still has two types.
#include "frontends/numpy/frame.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

/// What a function returns as its result `k`; invalid where there are several returns.
ir::ExprId returned_by(const ir::Module& module, ir::FunctionId function, std::size_t k) {
  const ir::Function& callee = module.functions[function.index()];
  if (!callee.body.valid() || module[callee.body].statements.empty()) return {};
  const auto* last = std::get_if<ir::Return>(&module[module[callee.body].statements.back()]);
  return last == nullptr || k >= last->values.size() ? ir::ExprId() : last->values[k];
}

/// What statements give to a local; nullopt where that is not known.
std::optional<std::vector<ir::ExprId>> given_to(const ir::Module& module, ir::LocalId local) {
  std::vector<ir::ExprId> out;
  for (std::size_t k = 0; k < module.stmt_count(); ++k) {
    const ir::Stmt& stmt = module[ir::StmtId(static_cast<std::uint32_t>(k))];
    const auto* let = std::get_if<ir::Let>(&stmt);
    const auto* made = std::get_if<ir::Declare>(&stmt);
    const auto* set = std::get_if<ir::Assign>(&stmt);
    const auto* call = std::get_if<ir::Call>(&stmt);
    if (let != nullptr && let->local == local) out.push_back(let->value);
    if (made != nullptr && made->variable == local && made->value.valid()) out.push_back(made->value);
    if (set != nullptr && set->variable == local) out.push_back(set->value);
    if (call == nullptr) continue;
    const auto result = std::find(call->results.begin(), call->results.end(), local);
    if (result == call->results.end()) continue;
    out.push_back(
        returned_by(module, call->callee, static_cast<std::size_t>(result - call->results.begin())));
    if (!out.back().valid()) return std::nullopt;
  }
  return out;
}

}  // namespace

bool Stager::is_of_one_type(ir::ExprId number) {
  std::set<ir::LocalId> unsettled = widened_;
  const std::function<void(const Variable&)> add = [&](const Variable& variable) {
    unsettled.insert(variable.local);
    if (!variable.items) return;
    for (const Variable& item : *variable.items) add(item);
  };
  for (const Frame* frame : frames_) {  // what follows in their constructs may widen them yet
    for (const auto& [name, variable] : frame->variables) add(variable);
  }
  std::set<ir::ExprId> seen;
  std::vector<ir::ExprId> next = {number};
  while (!next.empty()) {
    const ir::ExprId expr = next.back();
    next.pop_back();
    if (!seen.insert(expr).second) continue;
    if (widened_choices_.contains(expr)) return false;
    const ir::Expr& node = module[expr];
    if (std::holds_alternative<ir::Load>(node)) continue;
    for (const ir::ExprId operand : ir::operands_of(node)) next.push_back(operand);
    const auto* read = std::get_if<ir::Read>(&node);
    if (read == nullptr) continue;
    if (unsettled.contains(read->local)) return false;
    const auto given = given_to(module, read->local);
    if (!given) return false;
    next.insert(next.end(), given->begin(), given->end());
  }
  return true;
}

}  // namespace pw::numpy
