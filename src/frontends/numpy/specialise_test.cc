// Arguments that staging takes as known, and sizes that are broadcast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "frontends/numpy/stage_case.h"

namespace pw::numpy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using End = CaseOutcome::End;

/// f(x, d, p): x (n, m) float64 = [[0, 1, 2], [3, 4, 5]], d an integer; extents of p as given, zeros but its
/// first.
struct Case {
  StageCase what;
  explicit Case(const std::string& body, std::int64_t d = 1) {
    what.source = "import numpy as np\ndef f(x, d, p):\n" + body;
    what.symbols = {{"n", 2}, {"m", 3}, {"one", 1}};
    what.arguments = {array("x", {"n", "m"}, {2, 3}, {0, 1, 2, 3, 4, 5}),
                      {"d", ir::const_int(ir::DType::I64, d), {}, true},
                      array("p", {"one"}, {1}, {10})};
    what.settled = {{"d", 1}, {"one", 1}};
  }
  static CaseArgument array(const std::string& name, std::vector<std::string> extents,
                            std::vector<std::int64_t> shape, const std::vector<double>& values) {
    CaseArray array = case_array(ir::DType::F64, std::move(shape));
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return {name, std::move(array), std::move(extents), false};
  }
};

std::vector<double> numbers(const CaseArray& array) {
  std::vector<double> out(element_count(array.shape));
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

std::vector<double> result(const Case& c) {
  const CaseOutcome outcome = run_case(c.what);
  EXPECT_EQ(outcome.end, End::Returned) << outcome.text;
  return outcome.results.empty() ? std::vector<double>() : numbers(outcome.results[0]);
}

/// What the port says of itself.
struct Contract {
  std::map<std::string, std::int64_t> specialised;
  std::vector<std::string> assumptions;
};
Contract contract(const StageCase& what) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const base::FileId file = sources.add("case.py", what.source);
  const auto interface = case_interface(what, file, sources, engine);
  const auto tree = python::parse_file(file, sources, engine);
  const auto staged = stage(*tree, *interface, sources, engine);
  EXPECT_TRUE(staged);
  return staged ? Contract{staged->specialised, staged->module.assumptions} : Contract{};
}

constexpr const char* kCumsum = "    return np.cumsum(x, axis=d)\n";

TEST(Specialise, AnAxisThatEveryPresetAgreesOn) {
  EXPECT_THAT(result(Case(kCumsum)), ElementsAre(0, 1, 3, 3, 7, 12));
  const Contract says = contract(Case(kCumsum).what);
  EXPECT_THAT(says.specialised, ElementsAre(Pair("d", 1)));
  EXPECT_THAT(says.assumptions, Contains(HasSubstr("d == 1")));
}

TEST(Specialise, AnotherValueIsDeclined) {
  const CaseOutcome outcome = run_case(Case(kCumsum, 0).what);
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::Assumption);
  EXPECT_THAT(outcome.text, HasSubstr("d must be 1"));
}

TEST(Specialise, WhatTheArgumentWasTurnedInto) {
  EXPECT_THAT(result(Case("    axis = d\n    if axis < 0:\n        axis = axis + x.ndim\n"
                          "    return np.cumsum(x, axis=axis - 1)\n")),
              ElementsAre(0, 1, 2, 3, 5, 7));
  EXPECT_THAT(
      result(Case("    if d == 0:\n        y = x[0]\n    else:\n        y = x[:, 0]\n    return y\n")),
      ElementsAre(0, 3));
  EXPECT_THAT(
      result(
          Case("    ys = [x]\n    for k in range(d):\n        ys.append(ys[k] * 2.0)\n    return ys[1]\n")),
      ElementsAre(0, 2, 4, 6, 8, 10));
}

TEST(Specialise, OnlyWhereItMustBeKnown) {
  EXPECT_THAT(result(Case("    return x * d\n", 3)), ElementsAre(0, 3, 6, 9, 12, 15));
  EXPECT_THAT(
      result(Case("    t = 0.0\n    for k in range(d):\n        t = t + x[1, k]\n    return x * t\n", 2)),
      ElementsAre(0, 7, 14, 21, 28, 35));
  EXPECT_THAT(contract(Case("    return x * d\n").what).specialised, IsEmpty());
}

TEST(Specialise, NotWhereThePresetsDiffer) {
  Case c(kCumsum);
  c.what.settled.clear();
  EXPECT_THAT(run_case(c.what).rules, ElementsAre("numpy-static-needed"));
}

TEST(Specialise, NotToASize) {
  Case c("    return np.cumsum(x, axis=p.shape[0])\n");
  EXPECT_THAT(run_case(c.what).rules, ElementsAre("numpy-static-needed"));
}

TEST(Specialise, AStrongIntegerStaysStrong) {
  Case c("    return np.cumsum(x.astype(np.float32), axis=d) * d\n");
  c.what.arguments[1].weak = false;
  const CaseOutcome outcome = run_case(c.what);
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.results[0].type, ir::DType::F64);
}

TEST(Broadcast, ASizeThatEveryPresetHasAsOne) {
  Case c("    return x + p\n");
  EXPECT_THAT(result(c), ElementsAre(10, 11, 12, 13, 14, 15));
  EXPECT_THAT(contract(c.what).specialised, ElementsAre(Pair("one", 1)));
  c.what.symbols["one"] = 3;
  const CaseOutcome outcome = run_case(c.what);
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::Assumption);
}

TEST(Broadcast, ASliceOfAtMostOne) {
  EXPECT_THAT(result(Case("    return x + x[:, :1]\n")), ElementsAre(0, 1, 2, 6, 7, 8));
  EXPECT_THAT(result(Case("    return x[-1:, :] + x\n")), ElementsAre(3, 5, 7, 6, 8, 10));
  EXPECT_THAT(result(Case("    y = np.zeros((2, 2))\n    y[:, :] = x[:, -1:]\n    return y\n")),
              ElementsAre(2, 2, 5, 5));
  EXPECT_THAT(result(Case("    return np.broadcast_to(x[:, :1], (2, 2)) + 0.0\n")), ElementsAre(0, 0, 3, 3));
  EXPECT_THAT(result(Case("    return x.reshape(1, 2, 3)[:1] @ np.ones((2, 3, 1))\n")),
              ElementsAre(3, 12, 3, 12));
}

TEST(Broadcast, AnEmptySliceIsDeclined) {
  Case c("    return x[:, :1] + p[1:].reshape(1, -1)[:, :1] + np.zeros(2)\n");
  const CaseOutcome outcome = run_case(c.what);
  EXPECT_EQ(outcome.end, End::Trapped) << outcome.text;
  EXPECT_EQ(outcome.trap, ir::TrapKind::Assumption);
}

}  // namespace
}  // namespace pw::numpy
