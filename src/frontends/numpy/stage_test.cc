// What staging gives and what it refuses: small functions run by ir::eval, and one refusal a diagnostic.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/numpy/stage_testing.h"

namespace pw::numpy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(Stage, RightSideComesBeforeTheStore) {
  EXPECT_THAT(x_after("x[1:] += x[:-1]"), ElementsAre(1.0, -1.0, 1.0, 3.5));
  EXPECT_THAT(x_after("x[:] = x[::-1]"), ElementsAre(0.5, 3.0, -2.0, 1.0));
  EXPECT_THAT(x_after("x[1:] = x[:-1]"), ElementsAre(1.0, 1.0, -2.0, 3.0));
  EXPECT_THAT(x_after("x[:] = -x[0]"), ElementsAre(-1.0, -1.0, -1.0, -1.0));
  EXPECT_THAT(x_after("x.fill(2.0 * x[0])"), ElementsAre(2.0, 2.0, 2.0, 2.0));
  EXPECT_THAT(x_after("x[k] = 3.0 * x[0]"), ElementsAre(3.0, -2.0, 3.0, 3.0));
  EXPECT_THAT(x_after("np.add.at(x, k, x[0])"), ElementsAre(2.0, -2.0, 4.0, 1.5));
  EXPECT_THAT(result("k[:] = np.array([2, 0, 1])\nk[k] = 1\nreturn k"), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(result("k[:] = np.array([1, 0, 0])\nnp.add.at(k, k, 1)\nreturn k"), ElementsAre(3.0, 1.0, 0.0));
}

TEST(Stage, KnowsWhatIsACopyAndWhatIsAView) {
  EXPECT_THAT(x_after("v = +x\nv[0] = 9.0"), ElementsAre(1.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("v = x[1:].ravel()\nv[0] = 9.0"), ElementsAre(1.0, 9.0, 3.0, 0.5));
  EXPECT_THAT(x_after("v = x[2, ...]\nv += 1.0"), ElementsAre(1.0, -2.0, 4.0, 0.5));
  EXPECT_THAT(run("v = a[:, 1].ravel()\nv[0] = 9.0").rules, Contains("numpy-detached-view"));
  EXPECT_THAT(run("w = x + 1j * x\nr = w.imag\nw[0] = 1.0\nx[0] = r[0]").rules,
              Contains("numpy-detached-view"));
  EXPECT_THAT(run("w = x + 1j * x\nr = np.real(w)\nr[0] = 1.0\nx[1] = abs(w[0])").rules,
              Contains("numpy-detached-view"));
}

TEST(Stage, RefusesRecursionThatEndsAtRunTime) {
  const std::string helper = "def h(v):\n    if v < 1:\n        return v\n    return h(v / 2) + 1\n";
  EXPECT_THAT(run_source(helper + "def f(x, k, s, a):\n    return h(x[0])\n").rules,
              Contains("numpy-too-deep"));
}

TEST(Stage, RefusesNamesBoundInALoopsCondition) {
  EXPECT_THAT(run("i = 0\nwhile (v := x[i]) < 2.0:\n    i += 1\nx[0] = v").rules,
              Contains("numpy-construct"));
}

TEST(Stage, RefusesDecoratedKernels) {
  const std::string source = "def twice(g):\n    return g\n@twice\ndef f(x, k, s, a):\n    return s\n";
  EXPECT_THAT(run_source(source).rules, Contains("numpy-construct"));
}

TEST(Stage, RefusesModulesThatAreChanged) {
  const std::string kernel = "def f(x, k, s, a):\n    x[0] = np.sqrt(x[2])\n";
  EXPECT_THAT(run_source("def g(v):\n    return v\nnp.sqrt = g\n" + kernel).rules,
              Contains("numpy-construct"));
  EXPECT_THAT(run_source("if True:\n    del np.sqrt\n" + kernel).rules, Contains("numpy-construct"));
}

TEST(Stage, NamesSwapTheirArrays) {
  const std::string swaps = "y = x * 1.0\nz = -x\nfor i in range({}):\n    y, z = z, y\nx[:] = y + 2.0 * z";
  EXPECT_THAT(x_after(fmt::format(fmt::runtime(swaps), "k[0] + 1")), ElementsAre(1.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after(fmt::format(fmt::runtime(swaps), "k[0]")), ElementsAre(-1.0, 2.0, -3.0, -0.5));
}

TEST(Stage, IndicesAreCheckedWhereNothingIsSelected) {
  EXPECT_EQ(run("y = x[2:2]\nz = y[k]\nreturn s").trap, ir::TrapKind::IndexError);
  EXPECT_EQ(run("y = a[:, 1:1]\nz = y[k + 9]\nreturn s").trap, ir::TrapKind::IndexError);
  EXPECT_EQ(run("y = a[:, 1:1]\ny[k + 9] = 1.0\nreturn s").trap, ir::TrapKind::IndexError);
  EXPECT_EQ(run("x[k + 9] = x[:k[0]]").trap, ir::TrapKind::Assumption);
}

TEST(Stage, NumbersStoredIntoIntegersMustFit) {
  EXPECT_EQ(run("k[0] = s * np.nan").trap, ir::TrapKind::ValueError);
  EXPECT_EQ(run("k[:] = x[0] * np.nan").trap, ir::TrapKind::ValueError);
  EXPECT_EQ(run("k[0] = x[0] * 1e30").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.int16)\nq.fill(x[0] * 40000.0)").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.int8)\nq[0] = k[0] + 200").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.uint8)\nq[1] = s * -4.0").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.uint8)\nq[:] = len(x) + 300").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.uint64)\nq[1] = len(x) - 5").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.uint64) + (len(x) - 5)").trap, ir::TrapKind::OverflowError);
  EXPECT_EQ(run("q = np.zeros(3, np.uint64)\nk[0] = q[0] - k.astype(np.uint64)[0]").trap,
            ir::TrapKind::OverflowError);
  EXPECT_THAT(result("q = np.zeros(3, np.uint8)\nq[1] = k[0] + 300\nreturn q.astype(float)"),
              ElementsAre(0.0, 46.0, 0.0));
  EXPECT_THAT(result("q = np.zeros(3, np.int8)\nq[k] = x[0] * 300.0\nreturn q.astype(float)"),
              ElementsAre(44.0, 0.0, 44.0));
  EXPECT_THAT(result("q = np.zeros(3, np.int8)\nt = np.where(s > 0, k[0] + 300, k[1])\nq[0] = t\nreturn "
                     "q.astype(float)"),
              ElementsAre(46.0, 0.0, 0.0));
  EXPECT_THAT(result("k[0] = x[3] * 5.0\nreturn k"), ElementsAre(2.0, -1.0, 0.0));
}

TEST(Stage, NumbersInAListHaveTheirOwnDtypes) {
  EXPECT_THAT(result("y = np.array([s / 3.0, x[0].astype(np.float32)])\nreturn y"),
              ElementsAre(0.5 / 3.0, 1.0));
  EXPECT_EQ(run("y = np.array([len(x) + 300], np.uint8)").trap, ir::TrapKind::OverflowError);
}

TEST(Stage, PythonIntsCompareByValue) {
  const std::string counts = "q = np.array([0, 7, 255], np.{})\nreturn (q {} len(x) - {}).astype(float)";
  const auto compared = [&](std::string_view type, std::string_view op, int less) {
    return result(fmt::format(fmt::runtime(counts), type, op, less));
  };
  EXPECT_THAT(compared("uint8", "<", -300), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(compared("uint8", ">=", 5), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(compared("uint64", ">=", 5), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(compared("uint64", "==", 5), ElementsAre(0.0, 0.0, 0.0));
  EXPECT_THAT(compared("uint64", "<", -3), ElementsAre(1.0, 0.0, 0.0));
}

TEST(Stage, PythonComplexNumbersDivideAsPython) {
  EXPECT_EQ(run("return (2j / (x[0] - 1.0)).imag").trap, ir::TrapKind::ZeroDivisionError);
  EXPECT_THAT(result("return (2j / x[0]).imag"), ElementsAre(2.0));
}

TEST(Stage, ScalarsWidenInLoops) {
  EXPECT_THAT(x_after("t = 0\nfor i in range(x.shape[0]):\n    t += x[i]\nx[0] = t"),
              ElementsAre(2.5, -2.0, 3.0, 0.5));
  EXPECT_THAT(result("c = 1\nwhile c < 40:\n    c = c * 3\nreturn c"), ElementsAre(81.0));
}

TEST(Stage, NamesJoinBehindBranches) {
  EXPECT_THAT(x_after("y = x[1]\nif y < 0:\n    y = -y\nx[0] = y"), ElementsAre(2.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("if x[0] > 0:\n    y = 1.0\nelse:\n    y = 2.0\nx[0] = y + 1"),
              ElementsAre(2.0, -2.0, 3.0, 0.5));
}

TEST(Stage, NamesThatNoPathBoundTrap) {
  const auto trapped = ir::TrapKind::UnboundLocalError;
  EXPECT_EQ(run("for v in x:\n    if v > 9.0:\n        y = v\nx[0] = y").trap, trapped);
  EXPECT_EQ(run("if x[0] > 9.0:\n    y = x * 2.0\nx[:] = y").trap, trapped);
  EXPECT_EQ(run("if x[0] > 9.0:\n    y = (1, 2)\nx[0] = y[1]").trap, trapped);
  EXPECT_EQ(run("for i in range(k[1] - k[1]):\n    pass\nx[0] = i").trap, trapped);
  EXPECT_THAT(run("if x[0] > 9.0:\n    y = 1.0\ndef g():\n    return y\nx[0] = g()").rules,
              Contains("numpy-unknown-name"));
  EXPECT_EQ(run("for v in x:\n    if v < 1.0:\n        x[1] = y\n    elif v > 9.0:\n        y = v").trap,
            trapped);
  EXPECT_THAT(x_after("for v in x:\n    if v > 2.0:\n        y = v\nx[0] = y"),
              ElementsAre(3.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(
      x_after("if x[0] > 9.0:\n    for i in range(2):\n        pass\nfor i in range(2):\n    x[i] = i"),
      ElementsAre(0.0, 1.0, 3.0, 0.5));
  EXPECT_THAT(x_after("if x[0] > 0:\n    y = x * 2.0\nfor i in range(2):\n    y = y + 1.0\nx[:] = y"),
              ElementsAre(4.0, -2.0, 8.0, 3.0));
}

TEST(Stage, ANameOfAnEarlierRoundIsBound) {
  EXPECT_THAT(
      x_after("for i in range(4):\n    if i == 0:\n        t = x[0]\n    if i > 1:\n        x[i] = t"),
      ElementsAre(1.0, -2.0, 1.0, 1.0));
  EXPECT_EQ(run("for i in range(4):\n    if i > 1:\n        x[i] = t\n    if i == 2:\n        t = x[0]").trap,
            ir::TrapKind::UnboundLocalError);
  EXPECT_THAT(
      x_after("for i in range(4):\n    if i > 2:\n        x[i] = t\n    if i == 2:\n        t = x[0]"),
      ElementsAre(1.0, -2.0, 3.0, 1.0));
  EXPECT_THAT(x_after("for v in x:\n    if v < 1.0:\n        x[0] = y\n    y = v * 2"),
              ElementsAre(6.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(run("if x[0] > 9.0:\n    y = 1.0\nx[:2] = [y * v for v in (1, 2)]").rules,
              Contains("numpy-unknown-name"));
}

TEST(Stage, AMaskIsCountedAgainWhenItChanges) {
  EXPECT_THAT(result("q = x > 1.0\nfor i in range(2):\n    n = len(x[q])\n    q = x > 0.1\n    t = "
                     "x[q]\nreturn n + 10 * len(t)"),
              ElementsAre(33.0));
  EXPECT_THAT(result("q = x > 0\nn = len(x[q])\nm = len(x[:2][q[:2]])\nreturn n + 10 * m"),
              ElementsAre(13.0));
  EXPECT_EQ(run("return len(x[x[1:] > 0])").trap, ir::TrapKind::IndexError);
  EXPECT_EQ(run("return len(x[:1][x[:0] > 0])").trap, ir::TrapKind::Assumption);
  EXPECT_EQ(run("return len(x[:1][x[k[0] + 7:5] > 0])").trap, ir::TrapKind::Assumption);
}

TEST(Stage, AMaskTakesWhatASliceHolds) {
  EXPECT_THAT(x_after("q = x > 9.0\nx[q] = x[k[0] + 1:2]"), x_after("x[0] = x[0]"));
  EXPECT_THAT(x_after("q = x < 9.0\nx[q] = x[::-1] + 0.0"), x_after("x[:] = x[::-1] + 0.0"));
  EXPECT_EQ(run("q = x < 9.0\nx[q] = x[k[0] + 1:2]").trap, ir::TrapKind::ValueError);
}

TEST(Stage, AReturnedArrayMayHaveALengthThatOnlyRunningTells) {
  EXPECT_THAT(result("return x[x > 0.6] * 2.0"), ElementsAre(2.0, 6.0));
  EXPECT_THAT(result("return x[x > 9.0]"), ElementsAre());
  EXPECT_THAT(result("return a[x > 0.6]"), ElementsAre(0, 1, 2, 6, 7, 8));
  EXPECT_THAT(result("return x[:k[0]]"), ElementsAre(1.0, -2.0));
  EXPECT_THAT(result("return x[k[0] + 1:2]"), ElementsAre());
  EXPECT_THAT(result("y = x[x > 0]\nreturn y[y < 2.0]"), ElementsAre(1.0, 0.5));
  EXPECT_THAT(result("if x[0] > 5.0:\n    return x[x > 0]\nreturn x[x < 1.0]"), ElementsAre(-2.0, 0.5));
  EXPECT_THAT(run("if x[0] > 5.0:\n    return x + 0\nreturn x[x < 1.0]").rules,
              Contains("numpy-return-join"));
  const CaseOutcome two = run("return x.sum(), x[x > 0.6], np.nonzero(x < 0)[0]");
  ASSERT_EQ(two.results.size(), 3U) << two.text;
  EXPECT_THAT(values(two.results[1]), ElementsAre(1.0, 3.0));
  EXPECT_THAT(values(two.results[2]), ElementsAre(1.0));
}

TEST(Stage, ABoolIsNoIndex) {
  for (const std::string body : {"c = x[0] > 0\nx[c] = 3.0", "x[x[0] > 0] = 3.0", "x[0] = x[(x > 0)[1]]"}) {
    EXPECT_THAT(run(body).rules, Contains("numpy-mask-index")) << body;
  }
}

TEST(Stage, AHelperMayReturnOneOfItsArrays) {
  const std::string helper = "def h(x, a):\n    if x[0] > 0.5:\n        return x\n    return x[::-1]\n";
  const auto rules = [&](const std::string& use) {
    return run_source(helper + "def f(x, k, s, a):\n    t = h(x, a)\n" + use).rules;
  };
  EXPECT_THAT(rules("    x[1] = 5.0\n    x[0] = t[1]\n"), Contains("numpy-detached-view"));
  EXPECT_THAT(rules("    t[0] = 5.0\n"), Contains("numpy-detached-view"));
}

TEST(Stage, NamesThatEveryPathBindNeedNoCheck) {
  for (const std::string body :
       {"while True:\n    y = x[0]\n    if y > 0:\n        break\nx[0] = y",
        "for i in range(3):\n    y = x[i]\nx[0] = y", "for i in range(3):\n    y = x[i]\nx[0] = i + y",
        "for i in range(2):\n    if x[i] > 0:\n        y = 1.0\n        continue\n    y = 2.0\nx[0] = y",
        "if x[0] > 0:\n    y = 1.0\nelif x[1] > 0:\n    y = 2.0\nelse:\n    raise ValueError('no')\nx[0] = "
        "y"}) {
    const CaseOutcome outcome = run(body);
    EXPECT_EQ(outcome.end, End::Returned) << body << outcome.text;
    EXPECT_THAT(outcome.traps, testing::Not(Contains(ir::TrapKind::UnboundLocalError))) << body;
  }
}

TEST(Stage, ACallThatRunsAgainChecksAgain) {
  const std::string source =
      "def h(x, i):\n    v = x[i]\n    if v > 0:\n        return 1\n    return v\n"
      "def f(x, k, s, a):\n    x[0] = h(x, k[0] + 9)\n";
  EXPECT_EQ(run_source(source).trap, ir::TrapKind::IndexError);
}

TEST(Stage, LoopsHaveAnElse) {
  const std::string find =
      "for i in range(4):\n    if x[i] > {}:\n        break\nelse:\n    i = -1\nx[0] = i";
  EXPECT_THAT(x_after(fmt::format(fmt::runtime(find), 2.0)), ElementsAre(2.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after(fmt::format(fmt::runtime(find), 7.0)), ElementsAre(-1.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("i = 0\nwhile x[i] < 9.0:\n    i += 1\n    if i == 4:\n        break\nelse:\n    x[0] "
                      "= 7.0\nx[1] = i"),
              ElementsAre(1.0, 4.0, 3.0, 0.5));
  EXPECT_THAT(x_after("i = 0\nwhile i < 3:\n    i += 1\nelse:\n    x[0] = i"),
              ElementsAre(3.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("for t in (1, 2):\n    y = t\nelse:\n    y = y + 5\nx[0] = y"),
              ElementsAre(7.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("for t in (1, 2):\n    if t == 2:\n        break\nelse:\n    t = 5\nx[0] = t"),
              ElementsAre(2.0, -2.0, 3.0, 0.5));
  // The break of an inner loop is not the outer one's.
  EXPECT_THAT(x_after("for i in range(3):\n    for j in range(4):\n        if x[j] > 0:\n            "
                      "break\nelse:\n    x[0] = 8.0"),
              ElementsAre(8.0, -2.0, 3.0, 0.5));
}

TEST(Stage, AnArrayMayGetItsDtypeInALoopsFirstRound) {
  const std::string body = "y = k + 1\nfor i in range({}):\n    y = y * 0.5\n    x[i] = i\nx[:3] += y";
  EXPECT_THAT(x_after(fmt::format(fmt::runtime(body), "x.shape[0]")), ElementsAre(0.1875, 1.0, 2.0625, 3.0));
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "k[0]")).end, End::Returned);
  EXPECT_EQ(run(fmt::format(fmt::runtime(body), "k[1], k[1]")).trap, ir::TrapKind::Assumption);
}

TEST(Stage, HelpersReturnFromLoops) {
  const auto after = [](const std::string& helper, const std::string& call) {
    const CaseOutcome outcome = run_source(helper + "def f(x, k, s, a):\n    x[0] = " + call + "\n");
    EXPECT_EQ(outcome.end, End::Returned) << outcome.text;
    return outcome.arguments.empty() ? 0.0 : values(outcome.arguments[0])[0];
  };
  const std::string first =
      "def h(x, least):\n    for i in range(x.shape[0]):\n        if x[i] > least:\n            return i\n   "
      " return -1\n";
  EXPECT_EQ(after(first, "h(x, 2.0)"), 2.0);
  EXPECT_EQ(after(first, "h(x, 9.0)"), -1.0);
  const std::string nested =
      "def h(x, sum):\n    n = 0\n    for i in range(4):\n        for j in range(4):\n            n += 1\n"
      "            if x[i] + x[j] == sum:\n                return n + 0.5\n        n += 100\n    n = -n\n    "
      "return n\n";
  EXPECT_EQ(after(nested, "h(x, 1.0)"), 107.5);
  EXPECT_EQ(after(nested, "h(x, 99.0)"), -416.0);
  const std::string stores =
      "def h(x):\n    while True:\n        x[1] += 1.0\n        if x[1] > 2.0:\n            return\n"
      "def g(x):\n    h(x)\n    return x[1]\n";
  EXPECT_EQ(after(stores, "g(x)"), 3.0);
  const std::string known =
      "def h(x):\n    for t in (3, 4):\n        if t > 3:\n            return t + x[0]\n    return 0.0\n";
  EXPECT_EQ(after(known, "h(x)"), 5.0);
  const std::string twice =
      "def h(x, i):\n    for j in range(4):\n        if x[j] > i:\n            return 1\n    return 0\n";
  EXPECT_EQ(after(twice, "sum([h(x, i) for i in range(4)])"), 3.0);
}

TEST(Stage, AttemptsLeaveNoTrapsBehind) {
  EXPECT_EQ(run("t = 0\nfor i in range(k[0]):\n    t += x[i]\nx[0] = t").traps.size(),
            run("t = 0.0\nfor i in range(k[0]):\n    t += x[i]\nx[0] = t").traps.size());
}

TEST(Stage, SwapsReadBeforeTheyWrite) {
  EXPECT_THAT(x_after("x[0], x[1] = x[1], x[0]"), ElementsAre(-2.0, 1.0, 3.0, 0.5));
  EXPECT_THAT(x_after("t = x[0]\nx[0] = x[2]\nx[2] = t"), ElementsAre(3.0, -2.0, 1.0, 0.5));
}

TEST(Stage, ArraysAreReboundInLoops) {
  EXPECT_THAT(x_after("y = x\nfor i in range(3):\n    y = y * 2.0\nx[:] = y"),
              ElementsAre(8.0, -16.0, 24.0, 4.0));
}

TEST(Stage, HelpersReturnEarly) {
  const std::string source =
      "def clip(v, low):\n    if v < low:\n        return low\n    return v\n"
      "def f(x, k, s, a):\n    for i in range(x.shape[0]):\n        x[i] = clip(x[i], 0.75)\n";
  const CaseOutcome outcome = run_source(source);
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_THAT(values(outcome.arguments[0]), ElementsAre(1.0, 0.75, 3.0, 0.75));
}

TEST(Stage, StaticPythonRunsWhileStaging) {
  EXPECT_THAT(x_after("p = 2\nif isinstance(p, (int, np.integer)):\n    p = (p, p)\n"
                      "q = tuple(v + i for i, v in enumerate(p))\nx[slice(q[0], q[1] + 1)] = 9.0"),
              ElementsAre(1.0, -2.0, 9.0, 9.0));
}

TEST(Stage, LoopsUnrollOnlyWhereTheirIndexMustBeKnown) {
  EXPECT_THAT(x_after("w = (1.0, 2.0, 4.0)\nfor j in range(3):\n    x[j] = w[j]"),
              ElementsAre(1.0, 2.0, 4.0, 0.5));
}

TEST(Stage, BreakContinueAndTheIndexBehindTheLoop) {
  EXPECT_THAT(result("for i in range(10):\n    if i == 2:\n        continue\n    if i * i > 20:\n        "
                     "break\nreturn i"),
              ElementsAre(5.0));
}

TEST(Stage, IndicesWrapAndTrap) {
  EXPECT_THAT(result("return x[k]"), ElementsAre(3.0, 0.5, 1.0));
  EXPECT_THAT(result("j = k[1]\nreturn x[j] + 0.0"), ElementsAre(0.5));
  const CaseOutcome outcome = run("k[0] = 4\nreturn x[k[0]] + 0.0");
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::IndexError);
}

TEST(Stage, OfRepeatedIndicesTheLastWins) {
  EXPECT_THAT(x_after("k[:] = 1\nx[k] = np.arange(3.0)"), ElementsAre(1.0, 2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("k[:] = 1\nx[k] += 1.0"), ElementsAre(1.0, -1.0, 3.0, 0.5));
}

TEST(Stage, ReshapesSplitAndMerge) {
  EXPECT_THAT(result("return np.sum(a.reshape(2, 2, 3), axis=1)"), ElementsAre(3, 5, 7, 15, 17, 19));
  EXPECT_THAT(result("return a.reshape(-1)[4:6] * 1.0"), ElementsAre(4.0, 5.0));
  EXPECT_THAT(result("return a.T.reshape(12)[:4] * 1.0"), ElementsAre(0.0, 3.0, 6.0, 9.0));
}

TEST(Stage, ConditionsShortCircuit) {
  EXPECT_THAT(result("n = 7\nif n < 4 and x[n] > 0:\n    return 1\nreturn 0"), ElementsAre(0.0));
  EXPECT_THAT(result("j = k[0] + 7\nc = 0\nif j < 4 and x[j] > 0:\n    c = 1\nreturn c"), ElementsAre(0.0));
}

TEST(Stage, RaiseIsATrap) {
  const CaseOutcome outcome = run("if x[1] < 0:\n    raise ValueError('negative')\nx[0] = 1");
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::ValueError);
  EXPECT_EQ(outcome.text, "negative");
}

TEST(Stage, PythonDivisionByZeroRaises) {
  EXPECT_EQ(run("return s / (s - 0.5)").trap, ir::TrapKind::ZeroDivisionError);
  EXPECT_THAT(result("return x[:1] / 0.0"), ElementsAre(std::numeric_limits<double>::infinity()));
}

TEST(Stage, FunctionsGoByAllTheirNames) {
  EXPECT_THAT(result("return np.bitwise_not(k)"), ElementsAre(-3.0, 0.0, -1.0));
  EXPECT_THAT(result("return np.bitwise_invert(k)"), ElementsAre(-3.0, 0.0, -1.0));
  EXPECT_THAT(result("return np.bitwise_left_shift(k, 1)"), ElementsAre(4.0, -2.0, 0.0));
  EXPECT_THAT(result("return np.bitwise_right_shift(k, 1)"), ElementsAre(1.0, -1.0, 0.0));
  EXPECT_THAT(result("return np.float_power(k, 2)"), ElementsAre(4.0, 1.0, 0.0));
  EXPECT_THAT(result("return np.positive(k)"), ElementsAre(2.0, -1.0, 0.0));
  EXPECT_THAT(result("return np.rad2deg(np.deg2rad(90.0))"), ElementsAre(testing::DoubleNear(90.0, 1e-12)));
  EXPECT_THAT(result("return np.heaviside(x, 0.5)"), ElementsAre(1.0, 0.0, 1.0, 1.0));
  EXPECT_THAT(result("return np.amax(x)"), ElementsAre(3.0));
  EXPECT_THAT(result("return np.amin(x)"), ElementsAre(-2.0));
}

struct Refusal {
  const char* rule;
  const char* body;
};

class Refuses : public testing::TestWithParam<Refusal> {};

TEST_P(Refuses, WithTheRuleAtThePlace) {
  const CaseOutcome outcome = run(GetParam().body);
  EXPECT_EQ(outcome.end, End::Refused) << GetParam().body << "\n" << outcome.text;
  EXPECT_THAT(outcome.rules, Contains(GetParam().rule)) << GetParam().body << "\n" << outcome.text;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, Refuses,
    testing::Values(
        Refusal{"numpy-shape-mismatch", "return np.zeros(3) + np.zeros(4)"},
        Refusal{"numpy-construct", "g = (x[i] for i in range(3))\nx[0] = 9.0\nx[1] = sum(g)"},
        Refusal{"numpy-construct", "l = []\nl.append(l)"},
        Refusal{"numpy-construct", "x[0] = any(x[i] > 1 for i in range(5))"},
        Refusal{"numpy-return-join", "for i in range(4):\n    if x[i] > 9.0:\n        return i"},
        Refusal{"numpy-detached-view", "for i in range(3):\n    old = x\n    x = x * 0.5\n    old[0] = i"},
        Refusal{"numpy-join-static", "t = (0.0, 1)\nif x[0] > 0:\n    t = (1, 2, 3)\nx[0] = t[0]"},
        Refusal{"numpy-join-static",
                "def m(c):\n    return lambda v: v * c\ng = m(2.0)\nif x[0] > 0:\n    g = "
                "m(3.0)\nx[0] = g(x[1])"},
        Refusal{"numpy-argument", "x[0] = float(x[:1])"},
        Refusal{"numpy-argument", "x[0] = math.sqrt(x[:1])"}, Refusal{"numpy-argument", "x[0] = int(k[:1])"},
        Refusal{"numpy-unsupported", "return np.copy(a.T).ravel('K')"},
        Refusal{"numpy-unsupported", "return a.flatten('A')"}, Refusal{"numpy-rank-mismatch", "x[:] = a"},
        Refusal{"numpy-static-needed", "d = {'a': 1}\nreturn x in d"},
        Refusal{"numpy-rank-mismatch", "x[0] = x[1:2]"}, Refusal{"numpy-rank-mismatch", "x[0] += x[1:2]"},
        Refusal{"numpy-rank-mismatch", "return np.concatenate([x, a])"},
        Refusal{"numpy-integer-needed", "return x[s] + 0.0"},
        Refusal{"numpy-static-needed", "return np.sum(a, axis=k[0])"},
        Refusal{"numpy-axis-range", "return np.sum(a, axis=2)"}, Refusal{"numpy-number-needed", "x[0] = 'a'"},
        Refusal{"numpy-dtype-unknown", "return x.astype('float16')"},
        Refusal{"numpy-int-too-large", "return 2 ** 70"}, Refusal{"numpy-zero-division", "return 1 // 0"},
        Refusal{"numpy-operand-types", "return (1, 2) - (3, 4)"}, Refusal{"numpy-op-type", "return -(x > 0)"},
        Refusal{"numpy-int-range", "return x.astype(np.int8) + 300"},
        Refusal{"numpy-array-truth", "if x > 0:\n    x[0] = 1"},
        Refusal{"numpy-detached-view", "y = a.reshape(-1)\na[0, 0] = 5.0\nx[0] = y[0]"},
        Refusal{"numpy-slice-step", "return x[::0] + 0.0"},
        Refusal{"numpy-index-count", "return x[0, 0] + 0.0"}, Refusal{"numpy-mask-index", "x[:] = x[True]"},
        Refusal{"numpy-return-kind", "return np.zeros(abs(k[0]))"},
        Refusal{"numpy-key-unknown", "d = {'a': 1}\nreturn d['b']"},
        Refusal{"numpy-not-subscriptable", "return len[0]"},
        Refusal{"numpy-list-in-loop", "d = {}\nfor i in range(x.shape[0]):\n    d[0] = x[i]\nx[0] = d[0]"},
        Refusal{"numpy-list-capacity",
                "l = []\nwhile x[0] > 1:\n    l.append(x[0])\n    x[0] = x[0] / 2\nx[0] = l[0]"},
        Refusal{"numpy-list-kinds",
                "l = []\nfor i in range(x.shape[0]):\n    l.append(x[i])\n    l.append(i)\nx[0] = l[0]"},
        Refusal{"numpy-grown-list", "l = []\nfor i in range(x.shape[0]):\n    l.append(x[i])\nreturn l[1:]"},
        Refusal{"numpy-too-deep", "def g(v):\n    return g(v)\nreturn g(1)"},
        Refusal{"numpy-construct", "try:\n    x[0] = x[k[0]]\nexcept IndexError:\n    pass"},
        Refusal{"numpy-foreign-name", "return json.loads('1')"},
        Refusal{"numpy-unknown-name", "return nobody + 1"},
        Refusal{"numpy-unknown-function", "return np.nobody(x)"},
        Refusal{"numpy-not-callable", "return s(1)"},
        Refusal{"numpy-call-arguments", "def g(v):\n    return v\nreturn g(1, 2)"},
        Refusal{"numpy-bool-operand", "y = k[0] or 3\nreturn y"},
        Refusal{"numpy-conditional-kinds", "y = x if k[0] > 0 else x[1:]\nreturn y"},
        Refusal{"numpy-join-static", "y = 'a'\nif k[0] > 0:\n    y = 1\nif y == 'a':\n    x[0] = 1"},
        Refusal{"numpy-join-shape", "y = x\nfor i in range(k[0]):\n    y = y[1:] * 1.0\nx[0] = y[0]"},
        Refusal{"numpy-return-join",
                "def g(v):\n    if v > 0:\n        return v\n    return v, v\nx[0] = g(x[0])"},
        Refusal{"numpy-return-in-loop",
                "def g(v):\n    for t in ((1, 'a'), (2, 'b')):\n        if v[0] > t[0]:\n            return "
                "t[0]\n    "
                "return 0\nx[0] = g(x)"},
        Refusal{"numpy-return-kind", "return 'a'"},
        Refusal{"numpy-break-unrolled",
                "w = (1, 2.5)\nfor j in range(2):\n    x[j] = w[j]\n    if x[j] > 1:\n        break"},
        Refusal{"numpy-join-precision", "x[0] = min(-2, np.zeros(1, np.uint16)[0])"},
        Refusal{"numpy-join-precision", "x[0] = max(len(x), np.zeros(1, np.uint8)[0])"},
        Refusal{"numpy-unpack-count", "p, q = 1, 2, 3"}, Refusal{"numpy-inplace-cast", "k += 0.5"}));

TEST(StageRefuses, WhatTheInterfaceLacks) {
  EXPECT_THAT(run_source("def g():\n    pass\n").rules, Contains("numpy-no-function"));
  StageCase what;
  what.source = "def f(x):\n    x[0] = 1.0\n";
  what.arguments = {array_argument<double>("x", ir::DType::F64, {"unheard"}, {1}, {0.0})};
  EXPECT_THAT(run_case(what).rules, Contains("numpy-extent-unknown"));
}

TEST(StageRefuses, FloatsOfTwoWidthsOnTwoPaths) {
  StageCase what;
  what.source =
      "def f(x):\n    t = 0.1\n    for i in range(x.shape[0]):\n        t = t + x[i]\n    x[0] = t\n";
  what.symbols = {{"n", 2}};
  what.arguments = {array_argument<float>("x", ir::DType::F32, {"n"}, {2}, {1.0F, 2.0F})};
  EXPECT_THAT(run_case(what).rules, Contains("numpy-join-precision"));
}

}  // namespace
}  // namespace pw::numpy
