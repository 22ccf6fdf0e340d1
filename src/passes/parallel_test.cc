#include "passes/parallel.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

/// The loop's own decision and reason, on one For in a function over some arrays.
std::string decision(std::string_view body) {
  std::vector<Decision> decisions;
  Options options;
  options.explain = &decisions;
  const std::string text =
      "trap ValueError \"no\"\nfunc @f(n: symbol, m: symbol, s: i64, a: f64[n], b: f64[n, m], c: f64[n*m], "
      "d: f64[2*n + 2], "
      "q: i64[n], out: f64[n]) {\n" +
      std::string(body) + "}\n";
  const std::string printed = after(parallel, text, options);
  if (decisions.empty()) return "no decision: " + printed;
  return decisions[0].decision + ": " + decisions[0].reason;
}

constexpr const char* kParallel = "parallel: iterations are proved independent";
std::string shared(const std::string& name) { return "serial: iterations may share elements of " + name; }

TEST(Parallel, ForOverItsOwnElements) {
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store out[i] = add(a[i], out[i])\n  }\n"), kParallel);
  EXPECT_EQ(decision("  for i = range(n - 1, -1, -1) {\n    store out[i] = add(a[n - i - 1], out[i])\n  }\n"),
            kParallel);
}

TEST(Parallel, RecurrencesAreSerial) {
  EXPECT_EQ(decision("  for i = range(1, n, 1) {\n    store out[i] = out[i - 1]\n  }\n"), shared("out"));
  EXPECT_EQ(decision("  for i = range(0, n - 1, 1) {\n    store out[i] = out[i + 1]\n  }\n"), shared("out"));
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store out[n - i - 1] = out[i]\n  }\n"), shared("out"));
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store out[0] = a[i]\n  }\n"), shared("out"));
}

TEST(Parallel, ParityAndHalves) {
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store d[2*i] = d[2*i + 1]\n  }\n"), kParallel);
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store d[i] = d[i + n]\n  }\n"), kParallel);
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store d[2*i] = d[2*i + 2]\n  }\n"), shared("d"));
}

TEST(Parallel, NestedAndFlattened) {
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    for j = range(1, m, 1) {\n      store b[i, j] = b[i, j "
                     "- 1]\n    }\n  }\n"),
            kParallel);
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    for j = range(0, m, 1) {\n      store c[m*i + j] = "
                     "1.0\n    }\n  }\n"),
            kParallel);
  EXPECT_EQ(decision("  for i = range(1, n, 1) {\n    for j = range(0, m, 1) {\n      store b[i, j] = b[i - "
                     "1, j]\n    }\n  }\n"),
            shared("b"));
  // Lower triangle: row i reads rows above it.
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    for j = range(0, i, 1) {\n      store b[i, 0] = b[j, "
                     "0]\n    }\n  }\n"),
            shared("b"));
}

TEST(Parallel, UnknownIndicesAreSerial) {
  EXPECT_EQ(decision("  for i = range(0, n, 1) {\n    store out[q[i]] = a[i]\n  }\n"), shared("out"));
  EXPECT_EQ(decision("  for i = range(0, n, s) {\n    store out[i] = a[i]\n  }\n"),
            "serial: its step is not constant");
}

TEST(Parallel, LeavingIsSerial) {
  EXPECT_EQ(
      decision("  for i = range(0, n, 1) {\n    trap 1 if lt(a[i], 0.0)\n    store out[i] = a[i]\n  }\n"),
      "serial: its body may leave the loop");
  EXPECT_EQ(decision("  map (i < n) {\n    trap 1 if lt(a[i], 0.0)\n    store out[i] = a[i]\n  }\n"),
            "serial: its body may leave the loop");
  EXPECT_EQ(
      decision("  map (i < n) {\n    alloc t: f64[m]\n    store t[0] = a[i]\n    store out[i] = t[0]\n  }\n"),
      "serial: its body allocates t");
}

TEST(Parallel, ANumberOfStepsThatIsKnownToBeSmallIsNoWorkForThreads) {
  const std::string loop = " = min(n, 64)\n  for i = range(0, k, 1) {\n    store out[i] = a[i]\n  }\n";
  EXPECT_EQ(decision("  let k: i64 in [0, 64]" + loop), "vector: iterations are proved independent, but few");
  EXPECT_EQ(decision("  let k: i64 in [0, n]" + loop), kParallel);
}

TEST(Parallel, FoldIntoAVariableIsSerial) {
  EXPECT_EQ(decision("  var v: f64 = 0.0\n  for i = range(0, n, 1) {\n    set v = add(v, a[i])\n  }\n  store "
                     "out[0] = v\n"),
            "serial: v is carried from one iteration to the next");
  // Written first, but read after the loop: the last iteration's value counts.
  EXPECT_EQ(decision("  var v: f64 = 0.0\n  for i = range(0, n, 1) {\n    set v = a[i]\n    store out[i] = "
                     "v\n  }\n  store a[0] = v\n"),
            "serial: v is carried from one iteration to the next");
}

TEST(Parallel, PrivateVariableMovesIn) {
  expect_body(parallel, "n: symbol, a: f64[n], out: f64[n]", R"(  var v: f64 = 0.0
  for i = range(0, n, 1) {
    if lt(a[i], 0.0) {
      set v = 1.0
    } else {
      set v = a[i]
    }
    store out[i] = v
  }
)",
              R"(  for parallel i = range(0, n, 1) {
    var v: f64
    if lt(a[i], 0.0) {
      set v = 1.0
    } else {
      set v = a[i]
    }
    store out[i] = v
  }
)");
}

TEST(Parallel, AssignedOnOneWayOnlyIsCarried) {
  EXPECT_EQ(decision("  var v: f64 = 0.0\n  for i = range(0, n, 1) {\n    if lt(a[i], 0.0) {\n      set v = "
                     "1.0\n    }\n    "
                     "store out[i] = v\n  }\n"),
            "serial: v is carried from one iteration to the next");
}

TEST(Parallel, OutermostIsParallelInnermostIsVector) {
  expect_body(parallel, "n: symbol, b: f64[n, n], out: f64[n, n]", R"(  for t = range(0, n, 1) {
    map (i < n) {
      for j = range(0, n, 1) {
        store out[i, j] = add(out[i, j], b[i, j])
      }
    }
  }
  map (i < 8) {
    store out[0, i] = 1.0
  }
)",
              R"(  for t = range(0, n, 1) {
    map parallel (i < n) {
      for vector j = range(0, n, 1) {
        store out[i, j] = add(out[i, j], b[i, j])
      }
    }
  }
  map vector (i < 8) {
    store out[0, i] = 1.0
  }
)");
}

}  // namespace
}  // namespace pw::passes
