// Evidence on disk: one row a run of a port, in SQLite (write-ahead log), so that several of us may write at
// once. A ledger says which layout it has (`pragma user_version`); one of a later layout than ours is neither
// read nor written.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "verify/verdict.h"

namespace pw::verify {

/// What was run: all hashes are sha256 in hex of the file's (or the port's files') bytes.
struct Evidence {
  std::string reference_path, reference_sha256;
  std::string manifest_path, manifest_sha256;
  std::string port_sha256;
  std::string portwright_version;
  std::string reference_version;  // "numpy 2.4.6, python 3.11.2"
  std::string sandbox;            // which mechanisms held
};

inline constexpr std::size_t kAllRows = std::numeric_limits<std::int64_t>::max();

struct LedgerRow {
  std::int64_t id = 0;
  std::string when;  // UTC, ISO 8601
  Evidence evidence;
  PortVerdict verdict;
};

/// sha256 of what a run was and came to: everything in the row but when and where it ran and how long it
/// took. A task that was done twice gives equal ones.
std::string row_sha256(const LedgerRow& row);

/// FOLDER/.portwright/ledger.sqlite.
std::string ledger_path(const std::string& folder);

/// Appends one run with its cases in one transaction. Fails with verify-ledger-unwritable, which is a
/// warning: no verdict is lost for it.
base::Result<base::Done> record(const std::string& path, const Evidence& evidence, const PortVerdict& verdict,
                                diagnostics::Engine& engine);

/// The last `count` rows, newest first, of one kernel or (empty) of all. Fails: verify-ledger-unreadable.
base::Result<std::vector<LedgerRow>> read_ledger(const std::string& path, const std::string& name,
                                                 std::size_t count, diagnostics::Engine& engine);

struct Merged {
  std::size_t added = 0;
  std::size_t known = 0;  // a row of equal sha256 was there
};
/// Adds the rows of the ledger `from` that the one at `into` does not have, in one transaction; they keep
/// their time. Fails: verify-ledger-unreadable, verify-ledger-unmerged.
base::Result<Merged> merge_ledger(const std::string& into, const std::string& from,
                                  diagnostics::Engine& engine);

}  // namespace pw::verify
