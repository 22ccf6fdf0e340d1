#include "passes/facts.h"

#include <algorithm>

namespace pw::passes {

Facts::Fact Facts::split(ir::ExtentId extent) const {
  const std::vector<ir::ExtentTerm>& terms = table_[extent].terms;
  const bool has_constant = !terms.empty() && terms.back().factors.empty();
  const std::int64_t constant = has_constant ? terms.back().coefficient : 0;
  return {extent, constant == 0 ? extent : table_.add(extent, table_.constant(-constant)), constant};
}

std::vector<Facts::Term> Facts::terms(ir::ExtentId variable) const {
  std::vector<Term> out;
  for (const ir::ExtentTerm& term : table_[variable].terms) out.emplace_back(term.coefficient, term.factors);
  return out;
}

bool Facts::differs_by_constant(const Fact& goal) const {
  const auto same = by_variable_.find(goal.variable);
  return same != by_variable_.end() &&
         std::any_of(same->second.begin(), same->second.end(),
                     [&](std::size_t k) { return facts_[k].constant <= goal.constant; });
}

bool Facts::push(ir::ExtentId fact) {
  const Fact found = split(fact);
  if (differs_by_constant(found)) return false;
  by_variable_[found.variable].push_back(facts_.size());
  for (const Term& term : terms(found.variable)) by_term_[term].push_back(facts_.size());
  facts_.push_back(found);
  return true;
}

void Facts::drop(std::size_t count) {
  while (facts_.size() > count) {
    const Fact last = facts_.back();
    facts_.pop_back();
    by_variable_[last.variable].pop_back();
    for (const Term& term : terms(last.variable)) by_term_[term].pop_back();
  }
}

bool Facts::imply(ir::ExtentId goal, const std::function<ir::Range(ir::LocalId)>& range) const {
  if (const auto value = table_.as_constant(goal)) return *value >= 0;
  const Fact wanted = split(goal);
  if (differs_by_constant(wanted)) return true;
  if (proves_nonnegative(table_, goal, range)) return true;
  std::vector<std::size_t> sharing;
  for (const Term& term : terms(wanted.variable)) {
    if (const auto found = by_term_.find(term); found != by_term_.end())
      sharing.insert(sharing.end(), found->second.begin(), found->second.end());
  }
  std::sort(sharing.begin(), sharing.end(), std::greater<>());
  sharing.erase(std::unique(sharing.begin(), sharing.end()), sharing.end());
  return std::any_of(sharing.begin(), sharing.end(), [&](std::size_t k) {
    const ir::ExtentId rest = table_.subtract(goal, facts_[k].extent);
    return table_[rest].terms.size() < table_[goal].terms.size() && proves_nonnegative(table_, rest, range);
  });
}

}  // namespace pw::passes
