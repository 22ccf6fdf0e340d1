#include "report/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace pw::report {
namespace {

using verify::CaseResult;
using verify::CaseState;
using verify::PortVerdict;
using verify::Verdict;

CaseResult agreed(const char* size) { return {size, 0, CaseState::Agrees, "", 0, 10, 0, 0, {}}; }

PortVerdict passed() {
  PortVerdict row;
  row.name = "jacobi_2d";
  row.backend = "c";
  row.dtype = "float64";
  row.verdict = Verdict::Pass;
  row.detail = "exact";
  row.cases = {agreed("S"), agreed("S"), agreed("11x13"), agreed("1x1"), agreed("64x65")};
  row.toolchain = "gcc 12.2";
  return row;
}
PortVerdict refused() {
  PortVerdict row;
  row.name = "spmv";
  row.backend = "c";
  row.dtype = "float32";
  row.layout = "csr";
  row.verdict = Verdict::Refused;
  row.detail = "numpy-x";
  row.reason = "numpy-x: no";
  row.span = "a.py:1:2";
  return row;
}

TEST(Report, TheLineOfTheIssue) {
  EXPECT_EQ(verdict_table({passed()}, true),
            "jacobi_2d  c  float64  PASS  exact   S, 11x13, 1x1, 64x65   5 cases   gcc 12.2\n");
}

TEST(Report, RowsAreAligned) {
  EXPECT_EQ(verdict_table({passed(), refused()}, true),
            "jacobi_2d  c  float64  PASS     exact   S, 11x13, 1x1, 64x65   5 cases   gcc 12.2\n"
            "spmv__csr  c  float32  REFUSED  a.py:1:2: numpy-x: no\n");
}

TEST(Report, SaysWhatWasDropped) {
  PortVerdict row = passed();
  row.cases[2].state = CaseState::Dropped;
  row.cases[2].note = "the reference raises ValueError: no";
  EXPECT_EQ(verdict_table({row}, true),
            "jacobi_2d  c  float64  PASS  exact   S, 1x1, 64x65   4 cases   gcc 12.2\n"
            "  11x13 dropped: the reference raises ValueError: no\n");
}

TEST(Report, JsonCountsKernelsByTheirWorstPort) {
  PortVerdict worse = passed();
  worse.dtype = "float32";
  worse.verdict = Verdict::Unverified;
  const auto json = nlohmann::json::parse(to_json({passed(), worse, refused()}));
  EXPECT_EQ(json["counts"]["c"]["UNVERIFIED"], 1);
  EXPECT_EQ(json["counts"]["c"]["REFUSED"], 1);
  EXPECT_FALSE(json["counts"]["c"].contains("PASS"));
  ASSERT_EQ(json["kernels"].size(), 3u);
  for (const char* key :
       {"name", "backend", "dtype", "layout", "verdict", "cases", "seconds", "reason", "span", "emulated"}) {
    EXPECT_TRUE(json["kernels"][2].contains(key)) << key;
  }
  EXPECT_EQ(json["kernels"][2]["span"], "a.py:1:2");
  EXPECT_EQ(counts_text({passed(), worse, refused()}), "c:  1 UNVERIFIED  1 REFUSED  of 2 kernels\n");
}

TEST(Report, RowsSurviveTheirJson) {
  PortVerdict row = passed();
  row.cases[1].worst_error = std::numeric_limits<double>::infinity();
  row.cases[1].note = "caf\xc3\xa9 \"x\"\n";
  row.files = {"a.c", "a.h"};
  row.emission_cpu_seconds = 0.125;
  const std::string line = to_json_line({{row, refused()}, "k.py:1:1: fused\n"});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = answer_from_json(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json_line(*back), line);
  EXPECT_TRUE(std::isinf(back->rows[0].cases[1].worst_error));
  EXPECT_EQ(back->decisions, "k.py:1:1: fused\n");
  EXPECT_FALSE(answer_from_json("no json"));
  EXPECT_FALSE(answer_from_json("[{}]"));
}

TEST(Report, ReasonsAreCountedByKernel) {
  PortVerdict other = refused();
  other.name = "spmm";
  PortVerdict twice = refused();
  twice.dtype = "float64";
  EXPECT_EQ(reasons_table({refused(), twice, other, passed()}),
            "    2  numpy-x\n"
            "          2  numpy-x: no  (a.py:1:2)\n");
}

TEST(Report, ReasonsOfOneCountAreInTheOrderOfTheirNames) {
  PortVerdict first = refused(), second = refused(), third = refused();
  first.name = "b";
  first.detail = "numpy-w";
  second.name = "c";
  second.reason = "numpy-x: never";
  third.name = "d";
  third.detail = "numpy-y";
  EXPECT_EQ(reasons_table({third, second, refused(), first}),
            "    2  numpy-x\n"
            "          1  numpy-x: never  (a.py:1:2)\n"
            "          1  numpy-x: no  (a.py:1:2)\n"
            "    1  numpy-w\n"
            "          1  numpy-x: no  (a.py:1:2)\n"
            "    1  numpy-y\n"
            "          1  numpy-x: no  (a.py:1:2)\n");
}

}  // namespace
}  // namespace pw::report
