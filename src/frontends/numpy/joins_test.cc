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

TEST(Returns, NoneOnOnePathIsRefusedInEitherOrder) {
  for (const char* body :
       {"    if v < s:\n        return None\n    return v * 2\n",
        "    if v < s:\n        return v * 2\n    return None\n",
        "    for i in range(3):\n        if v < i:\n            return None\n    return v\n",
        "    if v < s:\n        return None\n    return v, v\n"}) {
    const CaseOutcome outcome =
        run_source(std::string("def g(v, s):\n") + body +
                   "def f(x, k, s, a):\n    r = g(x[0], s)\n    x[0] = 0 if r is None else 1\n");
    EXPECT_EQ(outcome.end, End::Refused) << body;
    EXPECT_EQ(outcome.rules, std::vector<std::string>{"numpy-return-join"}) << body;
  }
}

TEST(Joins, WhatABreakLeavesBehindIsNotForgotten) {
  for (const char* leave : {"break", "continue"}) {
    for (const char* body :
         {"hit = None\nfor i in range(x.shape[0]):\n    if x[i] > s:\n        hit = i\n        LEAVE\n"
          "x[0] = -1 if hit is None else 1",
          "hit = 'none'\ni = 0\nwhile i < 4:\n    i += 1\n    if x[i - 1] > s:\n        hit = 'one'\n"
          "        LEAVE\nx[0] = hit == 'none'",
          "for i in range(x.shape[0]):\n    if x[i] > s:\n        hit = 'one'\n        LEAVE\n    hit = "
          "'two'\n"
          "x[0] = hit == 'one'"}) {
      std::string text = body;
      text.replace(text.find("LEAVE"), 5, leave);
      const CaseOutcome outcome = run(text);
      EXPECT_EQ(outcome.end, End::Refused) << text;
      EXPECT_EQ(outcome.rules, std::vector<std::string>{"numpy-join-static"}) << text;
    }
  }
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

TEST(Lists, OneThatOutlivesTheRoundMayNot) {
  for (const char* body : {
           "w = [0.0]\nfor i in range(x.shape[0]):\n    w[0] = x[i]\nx[0] = w[0]",
           "for i in range(x.shape[0]):\n    w = [0.0]\n    if x[i] > 0:\n        w[0] = 1.0\n    x[i] = "
           "w[0]",
           "for i in range(x.shape[0]):\n    w = [0.0]\n    if x[i] < 0:\n        continue\n    w[0] = "
           "1.0\nx[0] = w[0]",
           "a = [[0.0], [1.0]]\nfor i in range(x.shape[0]):\n    w = a[0]\n    w[0] = x[i]\nx[0] = a[0][0]",
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
        "try:\n    x[0] = 1 / s\nexcept ZeroDivisionError:\n    x[0] = 1"}) {
    const CaseOutcome outcome = run(body);
    EXPECT_EQ(outcome.end, End::Refused) << body;
    EXPECT_EQ(outcome.rules, std::vector<std::string>{"numpy-construct"}) << body;
  }
}

}  // namespace
}  // namespace pw::numpy
