// Run-time arguments that must be known (an axis): staging runs again with the one value that every preset
// gives, and the port declines any other.
#include <fmt/format.h>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// An argument as the kernel sees it: the run-time value, or what it was specialised to behind a check.
Value Stager::argument_value(const std::string& name, ir::LocalId local, bool weak) {
  const ir::ExprId given = module.add(ir::Read{local}, span_);
  const auto known = specialised_.find(name);
  if (known == specialised_.end()) return value(Scalar{given, weak});
  trap_if(apply(ir::Op::Ne, {given, integer(known->second)}), ir::TrapKind::Assumption,
          fmt::format("{} must be {}, which is what this port was made for", name, known->second));
  module.assumptions.push_back(fmt::format("{} == {} (every preset has it; checked)", name, known->second));
  return weak ? value(known->second) : strong(integer(known->second));
}

/// The same as an extent.
ir::ExtentId Stager::argument_size(const std::string& name, ir::LocalId local) {
  const auto known = specialised_.find(name);
  return known == specialised_.end() ? extents().local(local) : size(known->second);
}

/// Whether a value follows from settled arguments alone; adds those.
bool Stager::collect_settled(ir::ExprId expr, std::set<ir::ExprId>& seen, Demand& out) const {
  if (!seen.insert(expr).second) return true;
  if (std::holds_alternative<ir::Load>(module[expr])) return false;
  if (const auto* read = std::get_if<ir::Read>(&module[expr])) {
    return collect_settled(read->local, seen, out);
  }
  if (const auto* index = std::get_if<ir::Index>(&module[expr])) {
    for (const ir::LocalId local : module.extents.locals(index->extent)) {
      if (!collect_settled(local, seen, out)) return false;
    }
  }
  for (const ir::ExprId operand : ir::operands_of(module[expr])) {
    if (!collect_settled(operand, seen, out)) return false;
  }
  return true;
}

bool Stager::collect_settled(ir::LocalId local, std::set<ir::ExprId>& seen, Demand& out) const {
  const ir::Local& row = module[local];
  if (row.kind == ir::LocalKind::Config) return true;
  if (row.kind == ir::LocalKind::Argument) {
    if (row.type != ir::DType::I64) return false;
    const auto settled = kernel_.settled.find(row.name);
    if (settled != kernel_.settled.end()) out.arguments.insert(*settled);
    return settled != kernel_.settled.end();
  }
  // A name for a value, or a variable: whatever it was given.
  bool given = false;
  for (std::size_t i = 0; i < module.stmt_count(); ++i) {
    const ir::Stmt& stmt = module[ir::StmtId(static_cast<std::uint32_t>(i))];
    ir::ExprId from;
    if (const auto* let = std::get_if<ir::Let>(&stmt); let && let->local == local) from = let->value;
    if (const auto* made = std::get_if<ir::Declare>(&stmt); made && made->variable == local)
      from = made->value;
    if (const auto* set = std::get_if<ir::Assign>(&stmt); set && set->variable == local) from = set->value;
    if (!from.valid()) continue;
    given = true;
    if (!collect_settled(from, seen, out)) return false;
  }
  return given;
}

/// Asks, for the last diagnostic, for the arguments that a value is made of, if it is made of nothing else.
void Stager::note_demand(const Value& value) {
  Demand demand{{}, engine.all().back().span, engine.all().back().rule};
  std::vector<const Value*> parts = {&value};
  if (const auto* range = value.as<Range>()) {
    parts.clear();
    for (const Value& part : *range->parts) parts.push_back(&part);
  }
  std::set<ir::ExprId> seen;
  for (const Value* part : parts) {
    const auto* scalar = part->as<Scalar>();
    if (scalar && !collect_settled(scalar->expr, seen, demand)) return;
  }
  if (!demand.arguments.empty()) demand_ = std::move(demand);
}

tl::unexpected<base::Reported> Stager::static_needed(base::Span span, std::string_view wanted,
                                                     const Value& value) {
  const auto refusal = engine.report(Rule::NumpyStaticNeeded, span, wanted, describe(value, module));
  note_demand(value);
  return refusal;
}

void Stager::ask_for(const Value& value, std::size_t first_diagnostic) {
  if (wants_static(first_diagnostic) && demanded().empty()) note_demand(value);
}

std::map<std::string, std::int64_t> Stager::demanded() const {
  if (engine.all().empty()) return {};
  const diagnostics::Diagnostic& last = engine.all().back();
  if (last.rule != demand_.rule || !(last.span == demand_.span)) return {};
  return demand_.arguments;
}

/// The value of a size made of settled symbols and arguments alone; adds those.
std::optional<std::int64_t> Stager::settled_size(ir::ExtentId extent, Demand& out) const {
  for (const ir::LocalId local : module.extents.locals(extent)) {
    const auto settled = kernel_.settled.find(module[local].name);
    const bool given =
        module[local].kind == ir::LocalKind::Symbol || module[local].kind == ir::LocalKind::Argument;
    if (!given || settled == kernel_.settled.end()) return std::nullopt;
    out.arguments.insert(*settled);
  }
  return module.extents.evaluate(extent,
                                 [&](ir::LocalId local) { return out.arguments.at(module[local].name); });
}

/// Refuses, to be asked again with one of two sizes as the constant 1, where every preset has it so and the
/// other not: broadcasting is meant, not equality.
Result<Done> Stager::demand_one(ir::ExtentId from, ir::ExtentId to, base::Span span) {
  for (const auto& [one, other] : {std::pair(from, to), std::pair(to, from)}) {
    Demand demand{{}, span, Rule::NumpyStaticNeeded};
    Demand unused;
    if (settled_size(one, demand) != 1 || demand.arguments.empty() || settled_size(other, unused) == 1)
      continue;
    demand_ = std::move(demand);
    return engine.report(Rule::NumpyStaticNeeded, span, "a size that is broadcast", "a run-time size");
  }
  return Done{};
}

}  // namespace pw::numpy
