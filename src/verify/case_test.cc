#include "verify/case.h"

#include <gtest/gtest.h>

namespace pw::verify {
namespace {

CaseResult of(CaseState state, std::string note = "", std::size_t compared = 1) {
  CaseResult c;
  c.size = "S";
  c.state = state;
  c.note = std::move(note);
  c.compared = compared;
  return c;
}

TEST(Judge, ByTheWorstCase) {
  using enum CaseState;
  const struct {
    std::vector<CaseResult> cases;
    Verdict verdict;
    std::string detail;
  } rows[] = {
      {{of(Agrees), of(Agrees)}, Verdict::Pass, "policy"},
      {{of(Agrees), of(Dropped, "slow")}, Verdict::Pass, "policy"},
      {{of(Agrees), of(Differs, "a[0]")}, Verdict::Fail, "policy"},
      {{of(IllConditioned, "x"), of(Agrees)}, Verdict::Unverified, "ill-conditioned"},
      {{of(Agrees), of(IllConditioned, "x")}, Verdict::Pass, "policy"},
      {{of(Dropped, "x"), of(IllConditioned, "x")}, Verdict::Unverified, "ill-conditioned"},
      {{of(Agrees), of(Declined, "sizes")}, Verdict::Refused, "assumption"},
      {{of(Dropped, "no inputs")}, Verdict::Unverified, "vacuous"},
      {{}, Verdict::Unverified, "vacuous"},
      {{of(Agrees, "", 0)}, Verdict::Fail, "policy"},  // comparing nothing is FAIL
      {{of(Agrees, "both raise ValueError", 0)}, Verdict::Unverified, "vacuous"},
      {{of(Agrees), of(Agrees, "both raise ValueError", 0)}, Verdict::Pass, "policy"},
  };
  for (const auto& row : rows) {
    PortVerdict verdict;
    verdict.cases = row.cases;
    judge(verdict, false);
    EXPECT_EQ(verdict.verdict, row.verdict);
    EXPECT_EQ(verdict.detail, row.detail);
    EXPECT_EQ(verdict.reason.empty(), row.verdict == Verdict::Pass);
  }
}

TEST(Verdict, WordsRoundTrip) {
  for (const Verdict v :
       {Verdict::Fail, Verdict::Refused, Verdict::Unverified, Verdict::Skipped, Verdict::Pass}) {
    EXPECT_EQ(verdict_from_text(to_text(v)), v);
  }
  EXPECT_EQ(verdict_from_text("pass"), std::nullopt);
  EXPECT_EQ(case_state_from_text(to_text(CaseState::IllConditioned)), CaseState::IllConditioned);
}

}  // namespace
}  // namespace pw::verify
