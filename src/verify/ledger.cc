#include "verify/ledger.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <variant>

#include "base/hash.h"

namespace pw::verify {

namespace {

constexpr int kBusyMilliseconds = 20000;

/// The layout of the tables, as `pragma user_version` has it. 0 had no cases.threaded.
constexpr int kLayout = 1;

constexpr const char* kSchema = R"(
create table if not exists runs(
  id integer primary key, time text not null default (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  name text not null, backend text not null, dtype text not null, layout text not null,
  verdict text not null, detail text not null, reason text not null, span text not null,
  cpu_seconds real not null, toolchain text not null,
  reference_path text not null, reference_sha256 text not null,
  manifest_path text not null, manifest_sha256 text not null, port_sha256 text not null,
  portwright_version text not null, reference_version text not null, sandbox text not null);
create index if not exists runs_by_name on runs(name);
create table if not exists cases(
  run integer not null references runs(id), place integer not null,
  size text not null, seed integer not null, state text not null, note text not null,
  worst_error real not null, compared integer not null,
  reference_cpu_seconds real not null, port_cpu_seconds real not null,
  threaded integer not null default 0, primary key (run, place)) without rowid;
)";

using Value = std::variant<std::int64_t, double, std::string>;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

class Database {
 public:
  bool open(const std::string& path, int flags) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) return false;
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    return true;
  }
  bool execute(const char* sql) {
    return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  /// Runs an insertion; false on failure.
  bool insert(const char* sql, std::initializer_list<Value> values) {
    const Statement statement = prepare(sql, values);
    return statement && sqlite3_step(statement.get()) == SQLITE_DONE;
  }
  Statement prepare(const char* sql, std::initializer_list<Value> values) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql, -1, &raw, nullptr) != SQLITE_OK) return nullptr;
    Statement statement(raw);
    int place = 0;
    for (const Value& value : values) bind(raw, ++place, value);
    return statement;
  }
  /// The first column of the first row; nullopt: it cannot be read.
  std::optional<std::int64_t> number(const char* sql) {
    const Statement statement = prepare(sql, {});
    if (!statement || sqlite3_step(statement.get()) != SQLITE_ROW) return std::nullopt;
    return sqlite3_column_int64(statement.get(), 0);
  }
  std::int64_t last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }
  std::string message() const { return handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory"; }

 private:
  static void bind(sqlite3_stmt* statement, int place, const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, place, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      sqlite3_bind_double(statement, place, *real);
    } else {
      const std::string& text = std::get<std::string>(value);
      sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }
  std::unique_ptr<sqlite3, Close> handle_;
};

std::string text(sqlite3_stmt* statement, int column) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return bytes ? std::string(bytes) : std::string();
}

/// Why a ledger cannot be used, or empty: damaged, or of a later layout.
std::string unusable(Database& database) {
  const std::optional<std::int64_t> layout = database.number("pragma user_version");
  if (!layout) return database.message();
  if (*layout <= kLayout) return {};
  return fmt::format("it was written by a later portwright (layout {}, ours is {})", *layout, kLayout);
}

/// Within a transaction: makes the tables, or brings older ones up to the layout.
bool prepare_tables(Database& database) {
  const bool is_old = database.number("pragma user_version") == 0 &&
                      database.number("select count(*) from sqlite_master where name = 'cases'") == 1;
  return (!is_old || database.execute("alter table cases add column threaded integer not null default 0")) &&
         database.execute(kSchema) &&
         database.execute(fmt::format("pragma user_version = {}", kLayout).c_str());
}

/// `when`: empty is now.
bool insert_run(Database& database, const std::string& when, const Evidence& e, const PortVerdict& v) {
  return database.insert(
      "insert into runs(time, name, backend, dtype, layout, verdict, detail, reason, span, cpu_seconds, "
      "toolchain, reference_path, reference_sha256, manifest_path, manifest_sha256, port_sha256, "
      "portwright_version, reference_version, sandbox) "
      "values (iif(?1 = '', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?1),?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      {when, v.name, v.backend, v.dtype, v.layout, std::string(to_text(v.verdict)), v.detail, v.reason,
       v.span, v.cpu_seconds, v.toolchain, e.reference_path, e.reference_sha256, e.manifest_path,
       e.manifest_sha256, e.port_sha256, e.portwright_version, e.reference_version, e.sandbox});
}

bool insert_cases(Database& database, std::int64_t run, const std::vector<CaseResult>& cases) {
  std::int64_t place = 0;
  for (const CaseResult& c : cases) {
    const bool written = database.insert(
        "insert into cases values (?,?,?,?,?,?,?,?,?,?,?)",
        {run, place++, c.size, static_cast<std::int64_t>(c.seed), std::string(to_text(c.state)), c.note,
         c.worst_error, static_cast<std::int64_t>(c.compared), c.reference_cpu_seconds, c.port_cpu_seconds,
         std::int64_t{c.threaded}});
    if (!written) return false;
  }
  return true;
}

LedgerRow row_of(sqlite3_stmt* s) {
  LedgerRow row;
  row.id = sqlite3_column_int64(s, 0);
  row.when = text(s, 1);
  PortVerdict& v = row.verdict;
  v.name = text(s, 2);
  v.backend = text(s, 3);
  v.dtype = text(s, 4);
  v.layout = text(s, 5);
  v.verdict = verdict_from_text(text(s, 6)).value_or(Verdict::Fail);
  v.detail = text(s, 7);
  v.reason = text(s, 8);
  v.span = text(s, 9);
  v.cpu_seconds = sqlite3_column_double(s, 10);
  v.toolchain = text(s, 11);
  Evidence& e = row.evidence;
  std::string* const fields[] = {&e.reference_path,    &e.reference_sha256, &e.manifest_path,
                                 &e.manifest_sha256,   &e.port_sha256,      &e.portwright_version,
                                 &e.reference_version, &e.sandbox};
  int column = 12;
  for (std::string* field : fields) *field = text(s, column++);
  return row;
}

void read_cases(Database& database, bool has_threaded, LedgerRow& row) {
  const Statement s = database.prepare(
      fmt::format("select size, seed, state, note, worst_error, compared, reference_cpu_seconds, "
                  "port_cpu_seconds, {} from cases where run = ? order by place",
                  has_threaded ? "threaded" : "0")
          .c_str(),
      {row.id});
  while (s && sqlite3_step(s.get()) == SQLITE_ROW) {
    CaseResult c;
    c.size = text(s.get(), 0);
    c.seed = static_cast<std::uint64_t>(sqlite3_column_int64(s.get(), 1));
    c.state = case_state_from_text(text(s.get(), 2)).value_or(CaseState::Dropped);
    c.note = text(s.get(), 3);
    c.worst_error = sqlite3_column_double(s.get(), 4);
    c.compared = static_cast<std::size_t>(sqlite3_column_int64(s.get(), 5));
    c.reference_cpu_seconds = sqlite3_column_double(s.get(), 6);
    c.port_cpu_seconds = sqlite3_column_double(s.get(), 7);
    c.threaded = sqlite3_column_int64(s.get(), 8) != 0;
    row.verdict.cases.push_back(std::move(c));
  }
}

std::optional<std::vector<LedgerRow>> read_rows(Database& database, const std::string& name,
                                                std::size_t count) {
  std::vector<LedgerRow> rows;
  const Statement s = database.prepare(
      "select id, time, name, backend, dtype, layout, verdict, detail, reason, span, cpu_seconds, toolchain, "
      "reference_path, reference_sha256, manifest_path, manifest_sha256, port_sha256, portwright_version, "
      "reference_version, sandbox from runs where ?1 = '' or name = ?1 order by id desc limit ?2",
      {name, static_cast<std::int64_t>(count)});
  if (!s) return std::nullopt;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(s.get())) == SQLITE_ROW) rows.push_back(row_of(s.get()));
  if (code != SQLITE_DONE) return std::nullopt;
  const bool has_threaded = database.number("pragma user_version") != 0;
  for (LedgerRow& row : rows) read_cases(database, has_threaded, row);
  return rows;
}

/// Opens or makes a ledger and begins a transaction; `why`: what stands against it, beside SQLite's own
/// message.
bool open_to_write(Database& database, const std::string& path, std::string& why) {
  if (!database.open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) return false;
  if (why = unusable(database); !why.empty()) return false;
  return database.execute("pragma journal_mode = wal; pragma synchronous = normal;") &&
         database.execute("begin immediate") && prepare_tables(database);
}

}  // namespace

std::string row_sha256(const LedgerRow& row) {
  const PortVerdict& v = row.verdict;
  const Evidence& e = row.evidence;
  base::Sha256 hash;
  const auto add = [&](std::string_view part) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  };
  for (const std::string* part :
       {&v.name, &v.backend, &v.dtype, &v.layout, &v.detail, &v.reason, &v.toolchain, &e.reference_sha256,
        &e.manifest_sha256, &e.port_sha256, &e.portwright_version, &e.reference_version, &e.sandbox}) {
    add(*part);
  }
  add(to_text(v.verdict));
  for (const CaseResult& c : v.cases) {
    add(fmt::format("{} {} {} {} {}", c.seed, to_text(c.state), c.compared, c.worst_error, c.threaded));
    add(c.size);
    add(c.note);
  }
  return hash.hex();
}

std::string ledger_path(const std::string& folder) {
  return (std::filesystem::path(folder.empty() ? "." : folder) / ".portwright" / "ledger.sqlite").string();
}

base::Result<base::Done> record(const std::string& path, const Evidence& evidence, const PortVerdict& verdict,
                                diagnostics::Engine& engine) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  Database database;
  std::string why;
  const bool written =
      !error && open_to_write(database, path, why) && insert_run(database, {}, evidence, verdict) &&
      insert_cases(database, database.last_id(), verdict.cases) && database.execute("commit");
  if (written) return base::Done{};
  return engine.report(diagnostics::Rule::VerifyLedgerUnwritable, {}, path,
                       error          ? error.message()
                       : !why.empty() ? why
                                      : database.message());
}

base::Result<std::vector<LedgerRow>> read_ledger(const std::string& path, const std::string& name,
                                                 std::size_t count, diagnostics::Engine& engine) {
  Database database;
  std::string why;
  std::optional<std::vector<LedgerRow>> rows;
  if (database.open(path, SQLITE_OPEN_READWRITE)) {
    why = unusable(database);
    if (why.empty()) rows = read_rows(database, name, count);
  }
  if (rows) return *std::move(rows);
  return engine.report(diagnostics::Rule::VerifyLedgerUnreadable, {}, path,
                       why.empty() ? database.message() : why);
}

base::Result<Merged> merge_ledger(const std::string& into, const std::string& from,
                                  diagnostics::Engine& engine) {
  auto rows = read_ledger(from, {}, kAllRows, engine);
  if (!rows) return tl::unexpected(rows.error());
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(into).parent_path(), error);
  Merged merged;
  std::set<std::string> known;
  std::string why;
  Database database;
  const auto refuse = [&] {
    return engine.report(diagnostics::Rule::VerifyLedgerUnmerged, {}, into,
                         error          ? error.message()
                         : !why.empty() ? why
                                        : database.message());
  };
  if (error || !open_to_write(database, into, why)) return refuse();
  // Within the transaction: nobody writes between the reading and the adding.
  const auto own = read_rows(database, {}, kAllRows);
  if (!own) return refuse();
  for (const LedgerRow& row : *own) known.insert(row_sha256(row));
  std::reverse(rows->begin(), rows->end());  // the oldest first
  for (const LedgerRow& row : *rows) {
    if (!known.insert(row_sha256(row)).second) {
      ++merged.known;
      continue;
    }
    if (!insert_run(database, row.when, row.evidence, row.verdict) ||
        !insert_cases(database, database.last_id(), row.verdict.cases)) {
      return refuse();
    }
    ++merged.added;
  }
  if (!database.execute("commit")) return refuse();
  return merged;
}

}  // namespace pw::verify
