// The rows of functions.def: values by hand, exceptions, refusals, and the page.
// tests/numpy/compare_functions.py compares every row with NumPy itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>

#include "base/source.h"
#include "frontends/numpy/library.h"
#include "frontends/numpy/stage_case.h"

namespace pw::numpy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using End = CaseOutcome::End;

/// f(x, k, s): x an array (n,) of float64, k an array (m,) of int64, s a Python float.
CaseOutcome run(const std::string& body, const std::vector<double>& x = {3.0, -1.0, 2.0},
                const std::vector<std::int64_t>& k = {0, 2}, double s = 0.5) {
  StageCase what;
  what.source =
      "import numpy as np\nimport math\nimport scipy.linalg as sl\ndef f(x, k, s):\n    " + body + "\n";
  const auto n = static_cast<std::int64_t>(x.size());
  const auto m = static_cast<std::int64_t>(k.size());
  what.symbols = {{"n", n}, {"m", m}};
  what.arguments = {array_argument("x", ir::DType::F64, {"n"}, {n}, x),
                    array_argument("k", ir::DType::I64, {"m"}, {m}, k),
                    {"s", ir::const_float(ir::DType::F64, s), {}, true}};
  return run_case(what);
}

std::vector<double> doubles(const CaseOutcome& outcome) {
  std::vector<double> out;
  if (outcome.end != End::Returned || outcome.results.empty()) {
    ADD_FAILURE() << outcome.text;
    return out;
  }
  const CaseArray& array = outcome.results[0];
  EXPECT_EQ(array.type, ir::DType::F64);
  out.resize(array.bytes.size() / sizeof(double));
  std::ranges::copy(array.bytes, std::as_writable_bytes(std::span(out)).begin());
  return out;
}

std::vector<std::int64_t> integers(const CaseOutcome& outcome) {
  std::vector<std::int64_t> out;
  if (outcome.end != End::Returned || outcome.results.empty()) {
    ADD_FAILURE() << outcome.text;
    return out;
  }
  EXPECT_EQ(outcome.results[0].type, ir::DType::I64);
  out.resize(outcome.results[0].bytes.size() / sizeof(std::int64_t));
  std::ranges::copy(outcome.results[0].bytes, std::as_writable_bytes(std::span(out)).begin());
  return out;
}

ir::DType dtype_of(const std::string& body) {
  const CaseOutcome outcome = run(body);
  if (outcome.end != End::Returned) {
    ADD_FAILURE() << outcome.text;
    return ir::DType::Bool;
  }
  return outcome.results.at(0).type;
}

TEST(Functions, CreationGivesFreshArrays) {
  EXPECT_THAT(doubles(run("return np.zeros(3)")), ElementsAre(0, 0, 0));
  EXPECT_THAT(integers(run("return np.arange(7, 1, -2)")), ElementsAre(7, 5, 3));
  EXPECT_THAT(doubles(run("return np.linspace(0.0, s, 3)")), ElementsAre(0, 0.25, 0.5));
  EXPECT_THAT(doubles(run("y = np.array(x)\n    y[0] = 9\n    return x + 0")), ElementsAre(3, -1, 2));
  EXPECT_THAT(doubles(run("y = np.asarray(x)\n    y[0] = 9\n    return x + 0")), ElementsAre(9, -1, 2));
  EXPECT_EQ(dtype_of("return np.full(3, 2)"), ir::DType::I64);
}

TEST(Functions, ANewArrayOfNegativeSizeRaises) {
  for (const char* const made : {"zeros(k[0] - 1)", "ones((2, k[0] - 1))", "empty(len(x) - 4)",
                                 "full(k[0] - 1, 2.0)", "zeros_like(x, shape=(k[0] - 1,))",
                                 "linspace(0.0, 1.0, k[0] - 1)", "eye(k[0] - 1)", "identity(k[0] - 1)"}) {
    EXPECT_EQ(run(std::string("return len(np.") + made + ")").trap, ir::TrapKind::ValueError) << made;
  }
  EXPECT_THAT(integers(run("return np.array([len(np.zeros(k[0])), len(np.zeros(len(x[2:1])))])")),
              ElementsAre(0, 0));
}

TEST(Functions, EigenvectorsOfTwoMatricesSolveForBoth) {
  const std::string real =
      "p = np.array([[2.0, 1.0], [1.0, 3.0]]); q = np.array([[4.0, 0.0], [0.0, 1.0]])\n    ";
  EXPECT_THAT(doubles(run(real + "return np.round(sl.eigh(p, q, eigvals_only=True), 7)")),
              ElementsAre(0.4037088, 3.0962912));
  EXPECT_THAT(doubles(run(real + "return np.round(sl.eigh(p)[0], 7)")), ElementsAre(1.381966, 3.618034));
  const std::string solved =
      "w, v = sl.eigh(p, q, lower=x[0] < 0)\n    "
      "p[1, 0] = np.conj(p[0, 1]); q[1, 0] = np.conj(q[0, 1])\n    "
      "e = np.abs(p @ v - q @ v * w).max(); g = np.abs(v.conj().T @ q @ v - np.eye(2)).max()\n    "
      "return np.array([e < 1e-14, g < 1e-14, w[0] < w[1]]) * 1.0";
  EXPECT_THAT(doubles(run(real + solved)), ElementsAre(1, 1, 1));
  EXPECT_THAT(
      doubles(run("p = np.array([[2.0, 1.0j], [7.0, 3.0]]); q = np.array([[2.0, 0.5j], [9.0, 1.0]])\n    " +
                  solved)),
      ElementsAre(1, 1, 1));
  EXPECT_EQ(run("return sl.eigh(np.eye(2), -np.eye(2))[0]").trap, ir::TrapKind::LinAlgError);
}

TEST(Functions, ElementwiseFollowsNumPysPromotion) {
  EXPECT_EQ(dtype_of("return np.sqrt(2)"), ir::DType::F64);
  EXPECT_EQ(dtype_of("return np.float32(s) * np.ones(2, np.float32)"), ir::DType::F32);
  EXPECT_EQ(dtype_of("return np.sqrt(s) * np.ones(2, np.float32)"), ir::DType::F64);
  EXPECT_EQ(dtype_of("return np.maximum(np.ones(2, np.float32), 0.0)"), ir::DType::F32);
  EXPECT_EQ(dtype_of("return np.true_divide(np.ones(2, np.int16), np.ones(2, np.int16))"), ir::DType::F64);
  EXPECT_THAT(doubles(run("return np.where(x > 0, x, 0.0)")), ElementsAre(3, 0, 2));
  EXPECT_THAT(doubles(run("return np.clip(x, 0, s)")), ElementsAre(0.5, 0, 0.5));
  EXPECT_THAT(doubles(run("return np.round(x / 2)")), ElementsAre(2, -0.0, 1));
}

TEST(Functions, ClipKeepsTheElementWhereItEqualsABound) {
  const std::vector<double> out = doubles(run("return np.clip(x, 0.0, 1.0)", {-0.0}));
  EXPECT_TRUE(std::signbit(out.at(0)));
}

TEST(Functions, ReductionsKeepNumPysDTypes) {
  EXPECT_EQ(dtype_of("return np.sum(x > 0)"), ir::DType::I64);
  EXPECT_EQ(dtype_of("return np.mean(k)"), ir::DType::F64);
  EXPECT_EQ(dtype_of("return np.mean(np.ones(3, np.float32))"), ir::DType::F32);
  EXPECT_EQ(dtype_of("return np.sum(np.ones(3, np.uint8))"), ir::DType::U64);
  EXPECT_THAT(doubles(run("return np.var(x, ddof=1)", {1, 2, 3})), ElementsAre(1));
  EXPECT_THAT(doubles(run("return np.cumsum(x)")), ElementsAre(3, 2, 4));
  EXPECT_THAT(integers(run("return np.argmax(x)", {1, NAN, 7, NAN})), ElementsAre(1));
}

TEST(Functions, EmptyExtremesRaise) {
  const CaseOutcome outcome = run("return np.max(x)", {});
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::ValueError);
  EXPECT_THAT(doubles(run("return np.sum(x)", {})), ElementsAre(0));
}

TEST(Functions, ShapesAreViews) {
  EXPECT_THAT(doubles(run("y = np.flip(x)\n    y[0] = 7\n    return x + 0")), ElementsAre(3, -1, 7));
  EXPECT_THAT(doubles(run("y = x.flatten()\n    y[0] = 7\n    return x + 0")), ElementsAre(3, -1, 2));
  EXPECT_THAT(doubles(run("return np.roll(x, 1)")), ElementsAre(2, 3, -1));
  EXPECT_THAT(doubles(run("return np.pad(x, 1, mode='reflect')")), ElementsAre(-1, 3, -1, 2, -1));
}

TEST(Functions, ProductsOfArrays) {
  EXPECT_THAT(doubles(run("return np.dot(x, x)")), ElementsAre(14));
  EXPECT_THAT(doubles(run("return np.einsum('i,j->', x, x)")), ElementsAre(16));
}

TEST(Functions, UfuncAtIsUnbuffered) {
  EXPECT_THAT(doubles(run("np.add.at(x, k, 1.0)\n    return x + 0", {0, 0}, {1, 1, -2})), ElementsAre(1, 2));
  const CaseOutcome outcome = run("np.add.at(x, k, 1.0)", {0, 0}, {2});
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::IndexError);
}

TEST(Functions, SortingKeepsTheOrderOfEqualsAndPutsNaNLast) {
  EXPECT_THAT(integers(run("return np.argsort(k, kind='stable')", {1}, {2, 1, 2, 1, 0})),
              ElementsAre(4, 1, 3, 0, 2));
  const std::vector<double> sorted = doubles(run("return np.sort(x)", {NAN, 3, -INFINITY, NAN, 1}));
  EXPECT_THAT(std::span(sorted).first(3), ElementsAre(-INFINITY, 1, 3));
  EXPECT_TRUE(std::isnan(sorted.at(3)) && std::isnan(sorted.at(4)));
  EXPECT_THAT(doubles(run("x.sort()\n    return x + 0")), ElementsAre(-1, 2, 3));
  // 0 to 40 keys: every last run of a merge.
  EXPECT_THAT(integers(run("bad = 0\n    for n in range(41):\n        y = np.sort((np.arange(n) * 17) % 41)\n"
                           "        for i in range(n - 1):\n            bad += y[i] > y[i + 1]\n"
                           "    return np.array([bad])")),
              ElementsAre(0));
  EXPECT_THAT(integers(run("return np.searchsorted(x, [5.0, 2.0])", {1, 2, 4, NAN})), ElementsAre(3, 1));
  EXPECT_THAT(integers(run("return np.searchsorted(x, 2.0, side='right') + k * 0", {1, 2, 2})),
              ElementsAre(3, 3));
}

TEST(Functions, NaNOnlyHasNoPlaceAndNoGreatest) {
  EXPECT_EQ(run("return np.nanargmax(x)", {NAN, NAN}).trap, ir::TrapKind::ValueError);
  EXPECT_TRUE(std::isnan(doubles(run("return np.nanmax(x)", {NAN, NAN})).at(0)));
  EXPECT_THAT(doubles(run("return np.nanmedian(x)", {NAN, 4, 1})), ElementsAre(2.5));
  EXPECT_TRUE(std::isnan(doubles(run("return np.median(x)", {NAN, 4, 1})).at(0)));
}

TEST(Functions, CommonDivisorsAreOfIntegersOnly) {
  EXPECT_THAT(integers(run("return np.gcd(k, 12)", {1}, {-18, 0})), ElementsAre(6, 12));
  EXPECT_THAT(integers(run("return np.lcm(k, 4)", {1}, {-6, 0})), ElementsAre(12, 0));
  EXPECT_EQ(dtype_of("return np.gcd(np.ones(2, np.uint8), np.ones(2, np.int8))"), ir::DType::I16);
  EXPECT_EQ(run("return np.gcd(x, x)").end, End::Refused);
  EXPECT_EQ(run("return np.gcd(x > 0, x > 0)").end, End::Refused);
  EXPECT_THAT(doubles(run("return np.hypot(x, 4.0)", {3, 1e308, NAN})).at(0), 5);
  EXPECT_EQ(doubles(run("return np.hypot(x, np.inf)", {NAN})).at(0), INFINITY);
  EXPECT_EQ(dtype_of("return np.hypot(np.ones(2, np.int16), 1)"), ir::DType::F32);
}

TEST(Functions, MathRaisesAsPythonDoes) {
  const auto trap_of = [](const std::string& body, double s) {
    const CaseOutcome outcome = run(body, {1}, {0}, s);
    EXPECT_EQ(outcome.end, End::Trapped) << outcome.text;
    return outcome.trap;
  };
  EXPECT_EQ(trap_of("return math.sqrt(s)", -1), ir::TrapKind::ValueError);
  EXPECT_EQ(trap_of("return math.log(s)", 0), ir::TrapKind::ValueError);
  EXPECT_EQ(trap_of("return math.exp(s)", 1e4), ir::TrapKind::OverflowError);
  EXPECT_EQ(trap_of("return int(s)", NAN), ir::TrapKind::ValueError);
  EXPECT_EQ(trap_of("return int(s)", INFINITY), ir::TrapKind::OverflowError);
  EXPECT_EQ(trap_of("return int(s)", 1e200), ir::TrapKind::Assumption);
  EXPECT_EQ(trap_of("return s ** 2", 1e200), ir::TrapKind::OverflowError);
  EXPECT_EQ(trap_of("return math.gamma(s)", -2), ir::TrapKind::ValueError);
  EXPECT_EQ(trap_of("return math.gamma(s)", 200), ir::TrapKind::OverflowError);
  EXPECT_EQ(trap_of("return math.lgamma(s)", 0), ir::TrapKind::ValueError);
  EXPECT_EQ(trap_of("return math.remainder(1.0, s)", 0), ir::TrapKind::ValueError);

  EXPECT_THAT(integers(run("return math.floor(s)", {1}, {0}, -0.5)), ElementsAre(-1));
}

TEST(Functions, PythonsMaxKeepsTheFirstAgainstNaN) {
  EXPECT_TRUE(std::isnan(doubles(run("return max(x[0], x[1])", {NAN, 1})).at(0)));
  EXPECT_EQ(doubles(run("return max(x[0], x[1])", {1, NAN})).at(0), 1);
}

TEST(Functions, ACallMustFitItsRow) {
  for (const std::string call : {"np.sum()", "np.sum(x, axes=0)", "np.sum(x, 0, axis=0)",
                                 "np.sum(x, where=x > 0)", "np.zeros(1, 2, 3, 4)"}) {
    const CaseOutcome outcome = run("return " + call);
    EXPECT_EQ(outcome.end, End::Refused) << call;
    EXPECT_THAT(outcome.rules, Contains("numpy-argument")) << call;
  }
  EXPECT_THAT(run("return np.sum(x, axes=0)").text, HasSubstr("with the keyword axes"));
  EXPECT_EQ(run("return np.sum(x, out=None, initial=None)").end, End::Returned);
}

TEST(Functions, WhatIsNotStagedIsRefusedWithItsFix) {
  const CaseOutcome outcome = run("return np.repeat(x, k)");
  EXPECT_EQ(outcome.end, End::Refused);
  EXPECT_THAT(outcome.rules, Contains("numpy-unsupported"));
  EXPECT_THAT(outcome.text, HasSubstr("give one count for all"));
}

TEST(Functions, EveryRowCanBeFound) {
  for (const FunctionRow& row : function_rows()) EXPECT_EQ(find_function(row.name), &row) << row.name;
  EXPECT_TRUE(find_constant("numpy.pi").has_value());
  EXPECT_EQ(find_function("numpy.no_such"), nullptr);
}

TEST(Functions, ThePageListsTheRows) {
  const auto page = base::read_file(PW_SOURCE_DIR "/docs/numpy-functions.md");
  ASSERT_TRUE(page.has_value());
  // Each line with the dtypes that compare_functions.py --page puts behind it.
  std::istringstream listed(*page);
  std::istringstream made(function_page());
  std::string line;
  for (std::string wanted; std::getline(made, wanted);) {
    ASSERT_TRUE(std::getline(listed, line));
    EXPECT_TRUE(line.starts_with(wanted))
        << line << "\nrun: compare_functions.py stage_eval --page > docs/numpy-functions.md";
  }
  EXPECT_FALSE(std::getline(listed, line)) << line;
}

}  // namespace
}  // namespace pw::numpy
