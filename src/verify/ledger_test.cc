#include "verify/ledger.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <thread>

#include "runtime/scratch.h"

namespace pw::verify {
namespace {

PortVerdict verdict(const std::string& name) {
  PortVerdict v;
  v.name = name;
  v.backend = "c";
  v.dtype = "float32";
  v.layout = "csr";
  v.verdict = Verdict::Unverified;
  v.detail = "ill-conditioned";
  v.reason = "it's so";
  v.span = "a.py:1:2";
  v.toolchain = "gcc 12.2";
  v.cpu_seconds = 1.5;
  v.cases = {{"S", 0, CaseState::Agrees, "", 1e-12, 100, 0.5, 0.25, {}},
             {"11x13", 3, CaseState::Dropped, "too slow", 0, 0, 0, 0, {}}};
  return v;
}

class Ledger : public testing::Test {
 protected:
  runtime::ScratchFolder folder;
  base::Sources sources;
  diagnostics::Engine engine{sources};
  std::string path = ledger_path(folder.path());
};

TEST_F(Ledger, GivesBackWhatItTook) {
  const Evidence evidence{"r.py", "aa", "m.yaml", "bb", "cc", "0.1.0", "numpy 2", "seccomp"};
  ASSERT_TRUE(record(path, evidence, verdict("one"), engine));
  ASSERT_TRUE(record(path, evidence, verdict("two"), engine));
  const auto rows = read_ledger(path, "", 10, engine);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].verdict.name, "two");
  const LedgerRow& row = (*rows)[1];
  EXPECT_EQ(row.id, 1);
  EXPECT_EQ(row.verdict.verdict, Verdict::Unverified);
  EXPECT_EQ(row.verdict.reason, "it's so");
  EXPECT_EQ(row.evidence.manifest_sha256, "bb");
  EXPECT_EQ(row.evidence.sandbox, "seccomp");
  ASSERT_EQ(row.verdict.cases.size(), 2u);
  EXPECT_EQ(row.verdict.cases[0].worst_error, 1e-12);
  EXPECT_EQ(row.verdict.cases[0].compared, 100u);
  EXPECT_EQ(row.verdict.cases[1].state, CaseState::Dropped);
  EXPECT_EQ(row.verdict.cases[1].seed, 3u);
}

TEST_F(Ledger, FindsAKernelByName) {
  ASSERT_TRUE(record(path, {}, verdict("one"), engine));
  ASSERT_TRUE(record(path, {}, verdict("two"), engine));
  ASSERT_TRUE(record(path, {}, verdict("one"), engine));
  EXPECT_EQ(read_ledger(path, "one", 10, engine)->size(), 2u);
  EXPECT_EQ(read_ledger(path, "one", 1, engine)->front().id, 3);
}

TEST_F(Ledger, TakesManyWritersAtOnce) {
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&] {
      diagnostics::Engine own(sources);
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(record(path, {}, verdict("k"), own));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(read_ledger(path, "", 100, engine)->size(), 20u);
}

TEST_F(Ledger, MergesWhatIsNotThere) {
  const std::string other = ledger_path(folder.path() + "/other");
  const Evidence evidence{"r.py", "aa", "m.yaml", "bb", "cc", "0.1.0", "numpy 2", "seccomp"};
  ASSERT_TRUE(record(path, evidence, verdict("one"), engine));
  PortVerdict again = verdict("one");
  again.cpu_seconds = 7;
  again.cases[0].port_cpu_seconds = 3;
  ASSERT_TRUE(record(other, evidence, again, engine));  // the same, done twice
  PortVerdict changed = verdict("one");
  changed.cases[0].threaded = true;
  ASSERT_TRUE(record(other, evidence, changed, engine));
  ASSERT_TRUE(record(other, evidence, verdict("two"), engine));
  const auto merged = merge_ledger(path, other, engine);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->added, 2u);
  EXPECT_EQ(merged->known, 1u);
  const auto rows = read_ledger(path, "", kAllRows, engine);
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ(rows->front().verdict.name, "two");
  EXPECT_TRUE((*rows)[1].verdict.cases[0].threaded);
  EXPECT_EQ((*rows)[1].evidence.sandbox, "seccomp");
  EXPECT_EQ(merge_ledger(path, other, engine)->added, 0u);
  EXPECT_EQ(merge_ledger(path, path, engine)->added, 0u);
}

TEST_F(Ledger, MergesIntoANewOneAndKeepsTheTime) {
  ASSERT_TRUE(record(path, {}, verdict("one"), engine));
  const std::string fresh = ledger_path(folder.path() + "/fresh");
  ASSERT_EQ(merge_ledger(fresh, path, engine)->added, 1u);
  EXPECT_EQ(read_ledger(fresh, "", 1, engine)->front().when, read_ledger(path, "", 1, engine)->front().when);
  EXPECT_FALSE(merge_ledger(path, folder.path() + "/nothing", engine));
}

TEST_F(Ledger, OneOfALaterPortwrightIsLeftAlone) {
  ASSERT_TRUE(record(path, {}, verdict("one"), engine));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "pragma user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_FALSE(record(path, {}, verdict("two"), engine));
  EXPECT_FALSE(read_ledger(path, "", 1, engine));
  EXPECT_FALSE(merge_ledger(path, path, engine));
  const std::string other = ledger_path(folder.path() + "/other");
  ASSERT_TRUE(record(other, {}, verdict("three"), engine));
  EXPECT_FALSE(merge_ledger(path, other, engine));
  ASSERT_EQ(engine.all().size(), 4u);
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::VerifyLedgerUnmerged);
  for (const diagnostics::Diagnostic& each : engine.all())
    EXPECT_NE(each.message.find("a later portwright (layout 99"), std::string::npos) << each.message;
}

TEST_F(Ledger, OneWithoutALayoutIsBroughtUpToOurs) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const char* const before = R"(
create table runs(id integer primary key, time text, name text, backend text, dtype text, layout text, verdict text,
  detail text, reason text, span text, cpu_seconds real, toolchain text, reference_path text, reference_sha256 text,
  manifest_path text, manifest_sha256 text, port_sha256 text, portwright_version text, reference_version text, sandbox text);
create table cases(run integer, place integer, size text, seed integer, state text, note text, worst_error real,
  compared integer, reference_cpu_seconds real, port_cpu_seconds real, primary key (run, place)) without rowid;
insert into runs(name, verdict) values ('old', 'PASS');
insert into cases values (1, 0, 'S', 0, 'agrees', '', 0, 5, 1, 1);)";
  ASSERT_EQ(sqlite3_exec(database, before, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
  ASSERT_EQ(read_ledger(path, "old", 1, engine)->front().verdict.cases.size(), 1u);
  ASSERT_TRUE(record(path, {}, verdict("new"), engine));
  const auto rows = read_ledger(path, "", kAllRows, engine);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(rows->back().verdict.cases.front().compared, 5u);
}

TEST_F(Ledger, AFailureToWriteIsAWarning) {
  base::write_file_whole(folder.path() + "/.portwright", "in the way");
  EXPECT_FALSE(record(path, {}, verdict("one"), engine));
  ASSERT_EQ(engine.all().size(), 1u);
  EXPECT_EQ(engine.all()[0].rule, diagnostics::Rule::VerifyLedgerUnwritable);
  EXPECT_FALSE(engine.has_errors());
}

TEST_F(Ledger, AnAbsentOneIsAnError) {
  EXPECT_FALSE(read_ledger(path, "", 1, engine));
  ASSERT_EQ(engine.all().size(), 1u);
  EXPECT_EQ(engine.all()[0].rule, diagnostics::Rule::VerifyLedgerUnreadable);
}

}  // namespace
}  // namespace pw::verify
