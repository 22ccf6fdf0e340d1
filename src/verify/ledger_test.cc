#include "verify/ledger.h"

#include <gtest/gtest.h>

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
