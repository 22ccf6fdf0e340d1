// Names that share an array in NumPy and have buffers of their own here: what may be stored to, and what is
// refused.
#include "frontends/numpy/sharing.h"

#include <gmock/gmock.h>

#include "frontends/numpy/stage_testing.h"

namespace pw::numpy {
namespace {

using ::testing::ElementsAre;

constexpr const char* kDetached = "numpy-detached-view";

TEST(Sharing, AStoreIsMissedByTheOtherSideOnly) {
  const ir::BlockId block(0);
  const ir::BufferId array(0), copy(1), caller(2);
  const auto nobody = [](ir::BufferId) { return false; };
  Sharing sharing;
  sharing.note(block, Sharing::Rebind{copy, array});
  sharing.note(block, Sharing::Store{copy, {}});
  sharing.note(block, Sharing::Read{copy, {}});
  EXPECT_FALSE(sharing.follow(block, nobody).missed);
  EXPECT_TRUE(sharing.follow(block, [&](ir::BufferId id) { return id == array; }).missed);
  EXPECT_FALSE(sharing.follow(block, [&](ir::BufferId id) { return id == caller; }).missed);
  sharing.note(block, Sharing::Read{array, {}});
  ASSERT_TRUE(sharing.follow(block, nobody).missed);
  EXPECT_EQ(sharing.follow(block, nobody).missed->stored, copy);
}

TEST(Sharing, ANewArrayEndsIt) {
  EXPECT_THAT(x_after("u = x\nfor i in range(3):\n    u = u + 1\n    u[0] = 0.0\nx[:] = u"),
              ElementsAre(0.0, 1.0, 6.0, 3.5));
  EXPECT_THAT(x_after("u = x.copy()\nfor i in range(4):\n    u[i] = 8.0\n    u = u * 0.5\nx[:] = u"),
              ElementsAre(0.5, 1.0, 2.0, 4.0));
  EXPECT_THAT(x_after("u = x.copy()\nif s > 0:\n    u = x * 2\nu[0] = 7.0\nx[:] = u"),
              ElementsAre(7.0, -4.0, 6.0, 1.0));
  // Once round, and x would be a name of what u is.
  EXPECT_THAT(run("u = x\nfor i in range(3):\n    u[0] = 0.0\n    u = u + 1\nx[:] = u").rules,
              ElementsAre(kDetached));
  EXPECT_THAT(run("u = x\nfor i in range(k[0]):\n    u = u + 1\nu[0] = 0.0\nx[1] = u[1]").rules,
              ElementsAre(kDetached));
}

TEST(Sharing, SwappedBuffersStayTwo) {
  EXPECT_THAT(x_after("u = x.copy()\nv = x * 2\nfor i in range(3):\n    v[1:-1] = u[:-2] + u[2:]\n"
                      "    u, v = v, u\nx[:] = u"),
              ElementsAre(2.0, 6.0, 1.0, 1.0));
  EXPECT_THAT(x_after("a = x * 1\nb = x * 2\nc = x * 3\nfor i in range(4):\n    a, b, c = b, c, a\n"
                      "    a[i] = i\nx[:] = a + 10 * b + 100 * c"),
              ElementsAre(130.0, -194.0, 296.0, 68.0));
  // The second round stores into x.
  EXPECT_THAT(run("u = x\nv = x * 2\nfor i in range(3):\n    v[0] = i\n    u, v = v, u\nx[:] = u").rules,
              ElementsAre(kDetached));
}

TEST(Sharing, WhatHoldsAtTheEndOfARoundHoldsInTheNext) {
  EXPECT_THAT(
      run("u = x.copy()\nv = x * 2\nfor i in range(3):\n    u[0] = i + 100.0\n    u = v\nx[:] = v").rules,
      ElementsAre(kDetached));
  EXPECT_THAT(run("u = x.copy()\nv = x * 2\nfor i in range(4):\n    if i > 0:\n        u[i] = 7.0\n"
                  "    if x[i] > 0:\n        u = v\n        continue\n    u = u + 1\nx[:] = u + v")
                  .rules,
              ElementsAre(kDetached));
  EXPECT_THAT(
      run("u = x.copy()\nv = x * 2\nfor i in range(4):\n    if x[i] > 2:\n        u = v\n        break\n"
          "    u = u + 1\nu[0] = 3.0\nx[:] = v")
          .rules,
      ElementsAre(kDetached));
  EXPECT_THAT(x_after("u = x.copy()\nv = x * 2\nfor i in range(4):\n    if x[i] > 2:\n        u = v\n"
                      "        continue\n    u = u + 1\n    u[i] = 3.0\nx[:] = u + v"),
              ElementsAre(5.0, -7.0, 13.0, 4.0));
}

TEST(Sharing, TheRightSideIsReadBeforeTheStore) {
  EXPECT_THAT(x_after("y = x\nfor i in range(k[0]):\n    y = y * 2.0\nx[:] = y"),
              ElementsAre(4.0, -8.0, 12.0, 2.0));
  EXPECT_THAT(run("y = x\nfor i in range(k[0]):\n    y = y * 2.0\nx[0] = 5.0\nx[1] = y[0]").rules,
              ElementsAre(kDetached));
}

TEST(Sharing, ContainersKeepTheArrayThatTheyWereGiven) {
  EXPECT_THAT(x_after("u = x * 1\nfor i in range(4):\n    t = (u, i)\n    u = u + 1\n    x[i] = t[0][0]"),
              ElementsAre(1.0, 2.0, 3.0, 4.0));
  EXPECT_THAT(x_after("u = x * 1\nfor i in range(4):\n    t = [u]\n    u = u + 1\n    x[i] = t[0][0]"),
              ElementsAre(1.0, 2.0, 3.0, 4.0));
  EXPECT_THAT(
      run("u = x * 1\nfor i in range(4):\n    t = [u]\n    t[0][0] = i\n    x[i] = u[0]\n    u = u + 1")
          .rules,
      ElementsAre(kDetached));
}

TEST(Sharing, AFunctionIsGivenBothSides) {
  const std::string step =
      "def step(to, of):\n    for i in range(1, to.shape[0]):\n        to[i] = of[i - 1] + to[i] * 0.5\n"
      "    for i in range(to.shape[0]):\n        to[i] = to[i] + of[0]\n";
  EXPECT_THAT(
      run_source(step + "def f(x, k, s, a):\n    u = x.copy()\n    w = x * 2\n    for i in range(3):\n"
                        "        u = w\n        step(u, w)\n        w = w * 1\n    x[:] = u + w\n")
          .rules,
      ElementsAre(kDetached));
}

TEST(Sharing, ReadsOfConditionsCount) {
  const std::string shared = "q = x * 1\nr = q\nif s > 1:\n    r = x * 2\nq[0] = 7.0\n";
  for (const char* read : {"x[1] = 0.0 if s > 1 else r[0]", "if s > 0 and r[0] > 2:\n    x[1] = 9.0",
                           "i = 0\nwhile i < 2 and r[0] > 5:\n    i += 1", "assert s > 1 or r[0] > 5"}) {
    EXPECT_THAT(run(shared + read).rules, ElementsAre(kDetached)) << read;
  }
}

TEST(Sharing, AFunctionsTupleSharesWithItsArguments) {
  const std::string helper =
      "def g(u, v, c):\n    r = 0\n    for i in range(u.shape[0]):\n        if u[i] > c:\n            r = i\n"
      "    for i in range(v.shape[0]):\n        v[i] = v[i] + r\n    if r > 1:\n        return u, r\n    "
      "return v, r\n";
  for (const char* store : {"w[0] = 3.0", "u[0] = 3.0\n    v[0] = 3.0"}) {
    EXPECT_THAT(
        run_source(helper + "def f(x, k, s, a):\n    u = x * 1\n    v = x * 2\n    w, r = g(u, v, s)\n    " +
                   store + "\n    x[:] = u + v + w\n")
            .rules,
        ElementsAre(kDetached))
        << store;
  }
}

}  // namespace
}  // namespace pw::numpy
