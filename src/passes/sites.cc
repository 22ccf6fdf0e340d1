#include "passes/sites.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace pw::passes {

using namespace ir;

namespace {

/// Loads under the roots that were not seen before.
void collect_loads(const Module& module, std::span<const ExprId> roots, std::unordered_set<ExprId>& seen,
                   std::vector<ExprId>& out) {
  std::vector<ExprId> pending(roots.begin(), roots.end());
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const Expr& node = module[id];
    if (std::holds_alternative<Const>(node) || std::holds_alternative<Read>(node)) continue;
    if (!seen.insert(id).second) continue;
    if (std::holds_alternative<Load>(node)) out.push_back(id);
    for (const ExprId operand : operands_of(node)) pending.push_back(operand);
  }
}

class Collector {
 public:
  explicit Collector(const Module& module) : m_(module) {}

  void visit(StmtId stmt) {
    bind(stmt);
    const BlockList blocks = blocks_of(m_[stmt]);
    if (std::holds_alternative<Reduce>(m_[stmt])) {
      path.push_back({blocks[0], m_[blocks[0]].statements.size(), StmtId(), stmt});
      add(stmt, false);
      path.pop_back();
    } else {
      // A While's condition runs as often as the body, but before it: no place in the body will do.
      add(stmt, std::holds_alternative<While>(m_[stmt]));
    }
    for (const BlockId block : blocks) {
      path.push_back({block, 0, StmtId(), stmt});
      const std::vector<StmtId>& statements = m_[block].statements;
      for (std::size_t i = 0; i < statements.size(); ++i) {
        path.back().position = i;
        path.back().before = statements[i];
        visit(statements[i]);
      }
      path.pop_back();
    }
  }

  Sites out;
  std::vector<Place> path;

 private:
  void bind(StmtId stmt) {
    const auto bound = [&](LocalId local) { out.bound.emplace(local, path.back()); };
    if (const auto* let = std::get_if<Let>(&m_[stmt])) bound(let->local);
    if (const auto* declare = std::get_if<Declare>(&m_[stmt])) bound(declare->variable);
    if (const auto* reduce = std::get_if<Reduce>(&m_[stmt])) bound(reduce->target);
    const auto* call = std::get_if<Call>(&m_[stmt]);
    if (call == nullptr) return;
    for (const LocalId result : call->results) bound(result);
    for (const Argument& argument : call->arguments) {
      if (const auto* passed = std::get_if<BufferId>(&argument))
        out.all.push_back({*passed, stmt, path, true});
    }
  }

  void add(StmtId stmt, bool blocked) {
    const ExprList roots = exprs_of(m_[stmt]);
    for (const BufferId buffer : loaded_buffers(m_, {roots.begin(), roots.end()}))
      out.all.push_back({buffer, stmt, path, blocked});
  }

  const Module& m_;
};

void collect_loads(const Module& module, BlockId block, std::unordered_set<ExprId>& seen,
                   std::vector<ExprId>& out) {
  for (const StmtId stmt : module[block].statements) {
    const ExprList roots = exprs_of(module[stmt]);
    collect_loads(module, std::span(roots.begin(), roots.end()), seen, out);
    for (const BlockId inner : blocks_of(module[stmt])) collect_loads(module, inner, seen, out);
  }
}

}  // namespace

std::span<const Site> Sites::of(BufferId buffer) const {
  const auto by_buffer = [](const Site& site, BufferId wanted) { return site.buffer < wanted; };
  const auto first = std::lower_bound(all.begin(), all.end(), buffer, by_buffer);
  auto last = first;
  while (last != all.end() && last->buffer == buffer) ++last;
  return {first, last};
}

Sites sites_in(const Module& module, StmtId stmt) {
  Collector collector(module);
  collector.path = {{BlockId(), 0, stmt, StmtId()}};
  collector.visit(stmt);
  std::vector<Site>& all = collector.out.all;
  std::stable_sort(all.begin(), all.end(), [](const Site& a, const Site& b) { return a.buffer < b.buffer; });
  return std::move(collector.out);
}

/// Operands have smaller ids than what they are operands of, so one sweep downwards counts paths.
void count_loads(const Module& module, const Site& site, std::vector<Occurrence>& out) {
  std::map<ExprId, std::size_t, std::greater<>> pending;
  for (const ExprId expr : exprs_of(module[site.stmt])) ++pending[expr];
  while (!pending.empty()) {
    const auto [id, count] = *pending.begin();
    pending.erase(pending.begin());
    const auto* load = std::get_if<Load>(&module[id]);
    if (load != nullptr && load->buffer == site.buffer) out.push_back({id, count, site.stmt, site.path});
    for (const ExprId operand : operands_of(module[id])) {
      std::size_t& sum = pending[operand];
      sum = std::min<std::size_t>(sum + count, 1000);
    }
  }
}

std::vector<BufferId> loaded_buffers(const Module& module, std::span<const ExprId> roots) {
  std::unordered_set<ExprId> seen;
  std::vector<ExprId> loads;
  collect_loads(module, roots, seen, loads);
  std::vector<BufferId> out;
  for (const ExprId load : loads) out.push_back(std::get<Load>(module[load]).buffer);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<ExprId> loads_in(const Module& module, BlockId block) {
  std::unordered_set<ExprId> seen;
  std::vector<ExprId> out;
  collect_loads(module, block, seen, out);
  return out;
}

}  // namespace pw::passes
