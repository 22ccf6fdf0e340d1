#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "report/report.h"

namespace pw::report {

namespace {

using verify::CaseResult;
using verify::CaseState;
using verify::PortVerdict;
using verify::Verdict;

std::string shown_name(const PortVerdict& row) {
  return row.layout.empty() ? row.name : row.name + "__" + row.layout;
}

bool counts(const CaseResult& c) { return c.state == CaseState::Agrees; }

std::string sizes_text(const PortVerdict& row) {
  std::string out;
  std::set<std::string> seen;
  for (const CaseResult& c : row.cases) {
    if (counts(c) && seen.insert(c.size).second) out += (out.empty() ? "" : ", ") + c.size;
  }
  return out;
}

std::string cases_text(const PortVerdict& row) {
  const auto n = std::count_if(row.cases.begin(), row.cases.end(), counts);
  return fmt::format("{} {}", n, n == 1 ? "case" : "cases");
}

/// Where the first port of a kernel and backend stands, and its verdict so far.
using KernelKey = std::pair<std::string, std::string>;
std::map<KernelKey, Verdict> worst_by_kernel(const std::vector<PortVerdict>& rows) {
  std::map<KernelKey, Verdict> out;
  for (const PortVerdict& row : rows) {
    const auto [at, fresh] = out.try_emplace({row.backend, row.name}, row.verdict);
    if (!fresh) at->second = std::min(at->second, row.verdict);
  }
  return out;
}

}  // namespace

Columns columns_of(const std::vector<PortVerdict>& rows) {
  Columns out{0, 0, 0, 0, 0, 0};
  const auto widen = [](std::size_t& width, std::string_view text) { width = std::max(width, text.size()); };
  for (const PortVerdict& row : rows) {
    widen(out.name, shown_name(row));
    widen(out.backend, row.backend);
    widen(out.dtype, row.dtype);
    widen(out.verdict, to_text(row.verdict));
    if (!verify::is_good(row.verdict)) continue;
    widen(out.detail, row.detail);
    widen(out.sizes, sizes_text(row));
  }
  return out;
}

std::string verdict_line(const PortVerdict& row, const Columns& columns) {
  std::string out =
      fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  ", shown_name(row), columns.name, row.backend,
                  columns.backend, row.dtype, columns.dtype, to_text(row.verdict), columns.verdict);
  if (row.reason.empty()) {
    out += fmt::format("{:<{}}", row.detail, columns.detail);
    if (!row.cases.empty()) {
      out +=
          fmt::format("   {:<{}}   {}   {}", sizes_text(row), columns.sizes, cases_text(row), row.toolchain);
    }
    for (const std::string& file : row.files) out += "   " + file;
    return out;
  }
  if (row.verdict == Verdict::Unverified) out += row.detail + "  ";
  return out + (row.span.empty() ? "" : row.span + ": ") + row.reason;
}

std::string verdict_table(const std::vector<PortVerdict>& rows, bool dropped) {
  const Columns columns = columns_of(rows);
  std::string out;
  for (const PortVerdict& row : rows) {
    out += verdict_line(row, columns) + "\n";
    for (const CaseResult& c : row.cases) {
      if (dropped && !counts(c) && row.verdict == Verdict::Pass) {
        out += fmt::format("  {} {}: {}\n", c.size, to_text(c.state), c.note);
      }
    }
  }
  return out;
}

std::string counts_text(const std::vector<PortVerdict>& rows) {
  std::map<std::string, std::array<std::size_t, verify::kVerdictCount>> counts;
  for (const auto& [key, verdict] : worst_by_kernel(rows))
    ++counts[key.first][static_cast<std::size_t>(verdict)];
  std::string out;
  for (const auto& [backend, by_verdict] : counts) {
    out += backend + ":";
    std::size_t total = 0;
    for (std::size_t i = by_verdict.size(); i-- > 0;) {
      total += by_verdict[i];
      if (by_verdict[i] > 0) out += fmt::format("  {} {}", by_verdict[i], to_text(static_cast<Verdict>(i)));
    }
    out += fmt::format("  of {} kernels\n", total);
  }
  return out;
}

std::string reasons_table(const std::vector<PortVerdict>& rows) {
  struct Group {
    std::set<std::string> kernels;
    std::map<std::string, std::pair<std::size_t, std::string>> messages;  // count and a place
  };
  std::map<std::string, Group> groups;
  for (const PortVerdict& row : rows) {
    if (row.verdict != Verdict::Refused && row.verdict != Verdict::Unverified) continue;
    Group& group = groups[row.detail];
    if (!group.kernels.insert(row.name).second) continue;
    auto& [count, place] = group.messages[row.reason];
    if (count++ == 0) place = row.span.empty() ? row.name : row.span;
  }
  std::vector<std::pair<std::string, const Group*>> order;
  for (const auto& [rule, group] : groups) order.emplace_back(rule, &group);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const std::size_t left = a.second->kernels.size(), right = b.second->kernels.size();
    return left != right ? left > right : a.first < b.first;
  });
  constexpr std::size_t kMessages = 4;
  std::string out;
  for (const auto& [rule, group] : order) {
    out += fmt::format("{:5}  {}\n", group->kernels.size(), rule);
    std::vector<std::pair<std::string, std::pair<std::size_t, std::string>>> messages(group->messages.begin(),
                                                                                      group->messages.end());
    std::sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
      return a.second.first != b.second.first ? a.second.first > b.second.first : a.first < b.first;
    });
    for (std::size_t i = 0; i < std::min(kMessages, messages.size()); ++i) {
      out += fmt::format("       {:4}  {}  ({})\n", messages[i].second.first, messages[i].first,
                         messages[i].second.second);
    }
  }
  return out;
}

std::string ledger_text(const std::vector<verify::LedgerRow>& rows) {
  std::vector<PortVerdict> verdicts;
  for (const auto& row : rows) verdicts.push_back(row.verdict);
  const Columns columns = columns_of(verdicts);
  std::string out;
  for (const auto& row : rows) {
    out += fmt::format("{:>5}  {}  {}\n", row.id, row.when, verdict_line(row.verdict, columns));
  }
  return out;
}

}  // namespace pw::report
