// What paths leave behind: returns, breaks, lists of a round, handlers that never run.
#include "frontends/numpy/stage_testing.h"

namespace pw::numpy {
namespace {

TEST(Returns, AnElifReturnsLikeAnIf) {
  const std::string helper = R"(
def g(v):
    if v > 2:
        return v * 2
    elif v > 0:
        return v
    return 0.0
def f(x, k, s, a):
    for i in range(4):
        x[i] = g(x[i])
)";
  const CaseOutcome outcome = run_source(helper);
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(values(outcome.arguments[0]), (std::vector<double>{1, 0, 6, 0.5}));
}

double first_after(const std::string& source) {
  const CaseOutcome outcome = run_source(source);
  EXPECT_EQ(outcome.end, End::Returned) << outcome.text << source;
  return outcome.arguments.empty() ? -99.0 : values(outcome.arguments[0])[0];
}

TEST(Returns, NoneOnOnePath) {
  const auto given = [](const char* body, const char* v) {
    return first_after(std::string("def g(v, s):\n") + body + "def f(x, k, s, a):\n    r = g(" + v +
                       ", s)\n    x[0] = -5 if r is None else 1\n    if r is not None:\n        x[0] = r\n");
  };
  for (const char* body :
       {"    if v < s:\n        return None\n    return v * 2\n",
        "    if v < s:\n        return\n    return v * 2\n",
        "    if v >= s:\n        return v * 2\n    return None\n", "    if v >= s:\n        return v * 2\n",
        "    if v < s:\n        pass\n    else:\n        return v * 2\n",
        "    for i in range(3):\n        if v < s - i:\n            return None\n    return v * 2\n",
        "    for i in range(3):\n        if v >= s + i:\n            return v * 2\n",
        "    if True:\n        if v < s:\n            return None\n    return v * 2\n"}) {
    EXPECT_EQ(given(body, "x[0]"), 2.0) << body;
    EXPECT_EQ(given(body, "x[1]"), -5.0) << body;
  }
}

TEST(Returns, ATupleOrNone) {
  const std::string helper =
      "def g(v, s):\n    if v[0] < s:\n        return None\n    elif v[0] > 2:\n        return None\n"
      "    return v * 2, 3\n";
  EXPECT_EQ(
      first_after(
          helper +
          "def f(x, k, s, a):\n    y = x.copy()\n    for i in range(4):\n        r = g(y * (i + 1), s)\n"
          "        if r is None:\n            continue\n        p, q = r\n"
          "        x[0] += p[0] + q\n"),
      13.0);  // 1, then 2 + 3, then 4 + 3
  const CaseOutcome outcome =
      run_source(helper + "def f(x, k, s, a):\n    p, q = g(x[1:], s)\n    x[0] = q\n");
  EXPECT_EQ(outcome.end, End::Trapped);
  EXPECT_EQ(outcome.trap, ir::TrapKind::TypeError);
}

TEST(Joins, WhatABreakLeavesBehindIsNotForgotten) {
  const auto after = [](std::string text, const char* leave) {
    text.replace(text.find("LEAVE"), 5, leave);
    return x_after(text)[0];
  };
  for (const char* leave : {"break", "continue"}) {
    EXPECT_EQ(
        after("hit = None\nfor i in range(x.shape[0]):\n    if x[i] > s:\n        hit = i\n        LEAVE\n"
              "x[0] = -1 if hit is None else 1 + hit",
              leave),
        leave[0] == 'b' ? 1.0 : 3.0);
    EXPECT_EQ(
        after("hit = 'none'\ni = 0\nwhile i < 4:\n    i += 1\n    if x[i - 1] > 9:\n        hit = 'one'\n"
              "        LEAVE\nx[0] = hit == 'none'",
              leave),
        1.0);
    const char* unbound =
        "for i in range(x.shape[0]):\n    if x[i] > s:\n        hit = 'one'\n        LEAVE\n"
        "    hit = 'two'\nx[0] = hit == 'one'";
    EXPECT_EQ(after(unbound, leave), leave[0] == 'b' ? 1.0 : 0.0);
  }
}

TEST(Joins, NoneOrAValueIsAFlagAndTheValue) {
  EXPECT_EQ(x_after("best = None\nfor i in range(4):\n    if best is None or x[i] < best[0]:\n"
                    "        best = (x[i], i, x * 2)\nv, at, w = best\nx[:] = w + at + v"),
            (std::vector<double>{1, -5, 5, 0}));
  EXPECT_EQ(x_after("t = None\nfor i in range(4):\n    if x[i] > 0.7:\n        t = x[i]\n    elif x[i] < 0:\n"
                    "        t = None\n    x[i] = -9 if t is None else t"),
            (std::vector<double>{1, -9, 3, 3}));
  EXPECT_EQ(x_after("t = None\nif s > 0:\n    t = x[2]\nif t == 3:\n    x[0] = 7\nif t != 3:\n    x[1] = 8"),
            (std::vector<double>{7, -2, 3, 0.5}));
  EXPECT_EQ(run("t = None\nif s > 1:\n    t = x[2]\nx[0] = t + 1").trap, ir::TrapKind::TypeError);
  EXPECT_EQ(run("t = None\nfor i in range(4):\n    if t is not None:\n        x[i] = t\n    if i < 2:\n"
                "        t = x[i]\n    else:\n        t = None\nx[0] = t + 0")
                .trap,
            ir::TrapKind::TypeError);
}

TEST(Joins, WhatIsKnownOfNoneEndsWhereItIsBoundAnew) {
  // The second round reads what the first left.
  EXPECT_EQ(
      run("t = x[0]\nif s > 0:\n    t = x[1]\nfor i in range(2):\n    x[i] = t + 0\n    if s > 0:\n        "
          "t = None")
          .trap,
      ir::TrapKind::TypeError);
  EXPECT_EQ(run("t = None\nif s > 0:\n    t = 2.0\nif t is not None:\n    for i in range(2):\n        x[i] = "
                "t + 0\n"
                "        if s > 0:\n            t = None")
                .trap,
            ir::TrapKind::TypeError);
}

TEST(Joins, TuplesAreJoinedItemByItem) {
  EXPECT_EQ(x_after("t = (x[0], 1)\nfor i in range(3):\n    t = (t[1], t[0] + i)\nx[:] = t[0] + 10 * t[1]"),
            (std::vector<double>{32, 32, 32, 32}));
  EXPECT_EQ(x_after("for i in range(3):\n    t = (x[i], 1.0)\nx[0] = t[0] + t[1]"),
            (std::vector<double>{4, -2, 3, 0.5}));
  EXPECT_EQ(x_after("p = (x * 1, x * 2)\nfor i in range(3):\n    p = (p[1], p[0] + 1)\nx[:] = p[0] - p[1]"),
            (std::vector<double>{0, -3, 2, -0.5}));
  EXPECT_EQ(x_after("t = (x[0], 1.0) if s > 0 else (x[1], 2.0)\nx[0] = t[0] + t[1]"),
            (std::vector<double>{2, -2, 3, 0.5}));
}

TEST(Loops, NumbersOfATupleOrListInAnArray) {
  EXPECT_EQ(
      x_after(
          "for i in range(4):\n    c = 0\n    for t in (1, 2, 3):\n        if x[i] < t:\n            break\n"
          "        c += t\n    x[i] = c"),
      (std::vector<double>{1, 0, 6, 0}));
  const std::string helper =
      "def g(v):\n    for t in (1, 2):\n        if v < t:\n            return t // 2\n    return 7\n";
  EXPECT_EQ(first_after(helper + "def f(x, k, s, a):\n    x[0] = g(x[0]) + 10 * g(x[2]) + 100 * g(x[1])\n"),
            71.0);
}

TEST(Joins, ANumberLeftByABreakIsCarried) {
  EXPECT_EQ(
      x_after("hit = -1\nfor i in range(4):\n    if x[i] > 2:\n        hit = i\n        break\nx[0] = hit"),
      (std::vector<double>{2, -2, 3, 0.5}));
}

TEST(Returns, ASecondAttemptChecksSizesAgain) {
  // The type of the result shows at the second return, and the helper runs again with it.
  const CaseOutcome outcome = run_source(R"(
def g(v, w, c):
    t = v + w
    if c > 0:
        return 1
    return t[0]
def f(x, k, s, a):
    x[0] = g(x, k, s)
)");
  EXPECT_EQ(outcome.end, End::Trapped) << outcome.text;
  EXPECT_EQ(outcome.trap, ir::TrapKind::Assumption);
}

TEST(Lists, OneThatARoundMakesMayBeChangedInIt) {
  EXPECT_EQ(x_after("for i in range(x.shape[0]):\n    w = [0.0, 0.0]\n    w[0] = x[i]\n    w.append(2.0)\n"
                    "    x[i] = w[0] * w[2] + len(w)"),
            (std::vector<double>{5, -1, 9, 4}));
  EXPECT_EQ(x_after("if s > 0:\n    w = [0.0] * 3\n    w[1] = s\n    x[0] = w[1] + w[2]"),
            (std::vector<double>{0.5, -2, 3, 0.5}));
}

TEST(Lists, OneOfNumbersThatOutlivesTheRoundGrows) {
  EXPECT_EQ(x_after("w = [0.0]\nfor i in range(x.shape[0]):\n    w[0] = x[i]\nx[0] = w[0]"),
            (std::vector<double>{0.5, -2, 3, 0.5}));
  EXPECT_EQ(x_after("for i in range(x.shape[0]):\n    w = [0.0]\n    if x[i] > 0:\n        w[0] = 1.0\n    "
                    "x[i] = w[0]"),
            (std::vector<double>{1, 0, 1, 1}));
}

TEST(Lists, OneThatOutlivesTheRoundMayNot) {
  for (const char* body : {
           "a = [[0.0], [1.0]]\nfor i in range(x.shape[0]):\n    w = a[0]\n    w[0] = x[i]\nx[0] = a[0][0]",
           "w = ['a']\nfor i in range(x.shape[0]):\n    w.append('b')\nx[0] = len(w)",
       }) {
    const CaseOutcome outcome = run(body);
    EXPECT_EQ(outcome.end, End::Refused) << body;
    EXPECT_EQ(outcome.rules, std::vector<std::string>{"numpy-list-in-loop"}) << body;
  }
}

TEST(Try, RunsWhereNothingCanRaise) {
  EXPECT_EQ(x_after("try:\n    x[:] = x * 2\nexcept ValueError:\n    x[:] = 0\nelse:\n    x += 1\nfinally:\n "
                    "   x += 1"),
            (std::vector<double>{4, -2, 8, 3}));
}

TEST(Try, IsRefusedAroundWhatMayRaise) {
  for (const char* body :
       {"try:\n    x[0] = x[k[0]]\nexcept IndexError:\n    x[0] = 1",
        "try:\n    if s > 0:\n        raise ValueError('no')\nexcept ValueError:\n    x[0] = 1",
        "try:\n    x[0] = int(k[0]) // int(k[2])\nexcept ZeroDivisionError:\n    x[0] = 1",
        "def g(v):\n    v[1] = 5\n    return 1.0\ntry:\n    y = s / (s - s) + g(x)\nexcept "
        "ZeroDivisionError:\n    x[0] = 1",
        "try:\n    y = s / (s - s)\n    x[1] = x[k[0]]\nexcept (ZeroDivisionError, IndexError):\n    x[0] = "
        "1"}) {
    const CaseOutcome outcome = run(body);
    EXPECT_EQ(outcome.end, End::Refused) << body;
    EXPECT_EQ(outcome.rules, std::vector<std::string>{"numpy-construct"}) << body;
  }
}

TEST(Try, AHandlerRunsInsteadOfWhatFollowsTheRaise) {
  const std::string division =
      "r = 4.0\nfor i in range(4):\n    d = x[i] if x[i] > 0 else x[i] - x[i]\n    try:\n"
      "        r = 6 / float(d)\n        r += 1\n    except ZeroDivisionError:\n        HANDLE\n"
      "    x[i] = r";
  const auto with = [&](const char* handle) {
    std::string text = division;
    text.replace(text.find("HANDLE"), 6, handle);
    return x_after(text);
  };
  EXPECT_EQ(with("pass"), (std::vector<double>{7, 7, 3, 13}));
  EXPECT_EQ(with("r = -1"), (std::vector<double>{7, -1, 3, 13}));
  EXPECT_EQ(with("continue"), (std::vector<double>{7, -2, 3, 13}));
  EXPECT_EQ(with("break"), (std::vector<double>{7, -2, 3, 0.5}));
}

TEST(Try, ClassesCatchWhatIsDerivedFromThem) {
  for (const char* caught : {"np.linalg.LinAlgError", "ValueError", "Exception", "(KeyError, ValueError)"}) {
    EXPECT_EQ(x_after(std::string("try:\n    y = np.linalg.solve(np.zeros((2, 2)), np.ones(2))\nexcept ") +
                      caught + " as why:\n    y = np.zeros(2) - 4\nx[0] = y[1]"),
              (std::vector<double>{-4, -2, 3, 0.5}));
  }
  EXPECT_EQ(run("try:\n    y = np.linalg.inv(np.zeros((2, 2)))\nexcept KeyError:\n    y = np.eye(2)\nx[0] = "
                "y[0, 0]")
                .trap,
            ir::TrapKind::LinAlgError);
  const std::string helper =
      "def g(m):\n    try:\n        return np.linalg.cholesky(m)\n"
      "    except np.linalg.LinAlgError:\n        return None\n";
  EXPECT_EQ(first_after(helper + "def f(x, k, s, a):\n    p = g(np.eye(2) * 4)\n    q = g(-np.eye(2))\n"
                                 "    x[0] = (0 if p is None else p[0, 0]) + (10 if q is None else 20)\n"),
            12.0);
}

TEST(Joins, SwapsOfTuplesAndNoneReadBeforeTheyWrite) {
  EXPECT_EQ(
      x_after(
          "t = (1.0, x * 1)\nu = (2.0, x * 2)\nfor i in range(3):\n    t, u = u, t\nx[:] = t[1] + 10 * u[1]"),
      (std::vector<double>{12, -24, 36, 6}));
  EXPECT_EQ(
      x_after(
          "p = None\nq = None\nif s > 0:\n    p = x * 1\n    q = x * 2\nfor i in range(3):\n    p, q = q, p\n"
          "x[:] = p + 10 * q"),
      (std::vector<double>{12, -24, 36, 6}));
  EXPECT_EQ(x_after("u = x * 1\nt = (x * 2, x * 3)\nfor i in range(2):\n    u, t = t[0], (t[1], u)\n"
                    "x[:] = u + 10 * t[0] + 100 * t[1]"),
            (std::vector<double>{213, -426, 639, 106.5}));
}

TEST(Joins, AnInitialValueIsNotChangedByTheFormThatHoldsIt) {
  EXPECT_EQ(
      run("t = (True, 1)\nfor i in range(x.shape[0]):\n    x[i] = np.sum((x > 0) + t[0])\n    t = (2, 2.5)")
          .rules,
      std::vector<std::string>{"numpy-join-precision"});
  EXPECT_EQ(
      run("t = (2**53 + 1, 1)\nfor i in range(x.shape[0]):\n    x[i] = t[0] - 2**53\n    t = (2.5, 2)").rules,
      std::vector<std::string>{"numpy-join-precision"});
}

TEST(Joins, ANameMayBeBoundToNoneOnlyInside) {
  EXPECT_EQ(
      x_after("for i in range(x.shape[0]):\n    if x[i] > 0:\n        b = None\n    if x[i] <= 0:\n        "
              "b = x[i]\nx[0] = -1 if b is None else b"),
      (std::vector<double>{-1, -2, 3, 0.5}));
  EXPECT_EQ(
      x_after("for i in range(x.shape[0]):\n    if i == 0:\n        p = None\n    x[i] = 1 if p is None "
              "else p\n    p = x[i] * 2"),
      (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(x_after("if s > 0:\n    for i in range(k[0]):\n        t = None\nelse:\n    x[1] = 1\nif t is "
                    "None:\n    x[0] = 9"),
            (std::vector<double>{9, -2, 3, 0.5}));
}

TEST(Try, AJumpOutOfItRunsTheFinallyOrIsRefused) {
  EXPECT_EQ(run("for i in range(4):\n    try:\n        if x[i] > 0:\n            continue\n        x[i] = 3\n"
                "    finally:\n        x[i] += 1")
                .rules,
            std::vector<std::string>{"numpy-construct"});
}

TEST(Try, ABreakInItLeavesTheLoopsElseOut) {
  EXPECT_EQ(x_after("for i in range(4):\n    d = 0.0 if x[i] < 0 else 1.0\n    try:\n        v = 4.0 / d\n"
                    "    except ZeroDivisionError:\n        break\n    x[i] = v\nelse:\n    x[0] = 99"),
            (std::vector<double>{4, -2, 3, 0.5}));
}

TEST(Try, AnUnknownClassOrALaterRaiseIsRefused) {
  for (const char* body :
       {"try:\n    y = 1 / (s - s)\nexcept OSError:\n    y = 4.0\nexcept ZeroDivisionError:\n    y = "
        "5.0\nx[0] = y",
        "try:\n    y = 1 / (s - s) + x[k[0]]\nexcept ZeroDivisionError:\n    y = 5.0\nx[0] = y"}) {
    EXPECT_EQ(run(body).rules, std::vector<std::string>{"numpy-construct"}) << body;
  }
}

}  // namespace
}  // namespace pw::numpy
