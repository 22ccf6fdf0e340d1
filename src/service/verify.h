// A kernel's ports, verified or only emitted: the rows of a report.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "service/environment.h"
#include "service/naming.h"
#include "service/service.h"
#include "verify/verdict.h"

namespace pw::service {

enum class Depth : std::uint8_t {
  Check,   // staged, and no backend refuses it
  Emit,    // and its files written
  Verify,  // and built, run, compared, recorded
};

struct KernelReport {
  std::vector<verify::PortVerdict> rows;  // at least one
  std::string findings;                   // all diagnostics as text with source lines, each once
  std::string warnings;                   // those that are no row's reason
  std::string decisions;                  // of the passes, if asked for
};

/// Never fails: what goes wrong is a row. `ledger`: where runs are recorded; empty: nowhere.
KernelReport report_kernel(const NamedManifest& manifest, const Request& request, Depth depth,
                           const std::string& ledger, Workers& workers);

/// 1 if something is FAIL or REFUSED, else 0.
int exit_code_of(const std::vector<verify::PortVerdict>& rows);

}  // namespace pw::service
