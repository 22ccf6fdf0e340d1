// Verdicts as a person reads them, and as programs do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/ledger.h"
#include "verify/verdict.h"

namespace pw::report {

/// How wide the leading columns of a table are.
struct Columns {
  std::size_t name = 0, backend = 0, dtype = 7, verdict = 4, detail = 0, sizes = 0;
};
Columns columns_of(const std::vector<verify::PortVerdict>& rows);

/// "jacobi_2d  c  float64  PASS  exact   S, 11x13, 1x1, 64x65   5 cases   gcc 12.2"; where there is a reason:
/// "file:line:col: reason" instead of what follows the verdict's detail.
std::string verdict_line(const verify::PortVerdict& row, const Columns& columns = {});

/// Lines of all rows, one below another, and under a row its dropped cases if `dropped` is set.
std::string verdict_table(const std::vector<verify::PortVerdict>& rows, bool dropped);

/// A kernel's verdict is its worst port's. {"counts": {backend: {verdict: n}}, "kernels": [...]}.
std::string to_json(const std::vector<verify::PortVerdict>& rows);

/// What a worker of a corpus run tells of one kernel.
struct Answer {
  std::vector<verify::PortVerdict> rows;
  std::string decisions;  // of the passes, lines of text; empty unless asked for
};
/// On one line, and back; nullopt if the text is none of ours.
std::string to_json_line(const Answer& answer);
std::optional<Answer> answer_from_json(std::string_view text);

/// "c: 250 PASS, 0 FAIL, ...": one line a backend, kernels counted by their worst port.
std::string counts_text(const std::vector<verify::PortVerdict>& rows);

/// Refused and unverified ports by reason, the most frequent first, each with its commonest messages and a
/// place.
std::string reasons_table(const std::vector<verify::PortVerdict>& rows);

std::string ledger_text(const std::vector<verify::LedgerRow>& rows);
std::string ledger_json(const std::vector<verify::LedgerRow>& rows);

}  // namespace pw::report
