#include "passes/simplify.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

constexpr std::string_view kScalars =
    "n: symbol, x: f64, k: i64, c: bool, out: f64[9], q: i64[9], p: bool[9]";

TEST(Simplify, FoldsOnlyWhatIsExact) {
  expect_body(simplify, kScalars, R"(  store out[0] = mul(x, 1.0)
  store out[1] = add(x, 0.0)
  store out[2] = add(x, -0.0)
  store out[3] = sub(x, 0.0)
  store out[4] = mul(x, 0.0)
  store out[5] = div(add(1.0, 2.0), 4.0)
  store out[6] = exp(1.0)
  store out[7] = div(x, 1.0)
  store q[0] = add(mul(k, 1), 0)
  store q[1] = mul(k, 0)
  store q[2] = sub(k, k)
  store q[3] = floordiv(-7, 2)
  store q[4] = i64(2.75)
)",
              R"(  store out[0] = x
  store out[1] = add(x, 0.0)
  store out[2] = x
  store out[3] = x
  store out[4] = mul(x, 0.0)
  store out[5] = 0.75
  store out[6] = exp(1.0)
  store out[7] = x
  store q[0] = k
  store q[1] = 0
  store q[2] = sub(k, k)
  store q[3] = -4
  store q[4] = 2
)");
}

TEST(Simplify, Bools) {
  expect_body(simplify, kScalars, R"(  store p[0] = and(c, true)
  store p[1] = or(c, true)
  store p[2] = not(not(c))
  store p[3] = and(c, c)
  store p[4] = and(false, c)
  store out[0] = select(c, x, x)
  store out[1] = select(lt(1, 2), x, 0.0)
)",
              R"(  store p[0] = c
  store p[1] = true
  store p[2] = c
  store p[3] = c
  store p[4] = false
  store out[0] = x
  store out[1] = x
)");
}

TEST(Simplify, ComparisonsOfSizesAndIndices) {
  expect_body(simplify, "n: symbol in [1, _], out: f64[n]", R"(  if ge(n, 1) {
    store out[0] = 1.0
  } else {
    store out[0] = 2.0
  }
  for i = range(0, n, 1) {
    if lt(i + 1, 0) {
      store out[i] = 3.0
    }
    if eq(i, n) {
      store out[i] = 4.0
    }
    if lt(i, n - 1) {
      store out[i] = 5.0
    }
  }
)",
              R"(  store out[0] = 1.0
  for i = range(0, n, 1) {
    if lt(i, n - 1) {
      store out[i] = 5.0
    }
  }
)");
}

TEST(Simplify, TidyFoldsButDoesNotProve) {
  expect_body(tidy, "n: symbol, out: f64[n]", R"(  for i = range(0, n, 1) {
    if lt(i, n) {
      store out[i] = mul(out[i], 1.0)
    }
    if lt(i, i + 1) {
      store out[i] = 5.0
    }
  }
)",
              R"(  for i = range(0, n, 1) {
    if lt(i, n) {
      store out[i] = out[i]
    }
    store out[i] = 5.0
  }
)");
}

TEST(Simplify, ProvedChecksGo) {
  EXPECT_EQ(after(simplify, R"(trap IndexError "out"
func @f(n: symbol, q: i64[n], out: f64[n]) {
  for i = range(0, n, 1) {
    trap 1 if or(lt(i, 0), ge(i, n))
    trap 1 if ge(q[i], n)
    store out[q[i]] = 1.0
  }
}
)"),
            R"(trap IndexError "out"

func @f(n: symbol, q: i64[n], out: f64[n]) {
  for i = range(0, n, 1) {
    trap 1 if ge(q[i], n)
    store out[q[i]] = 1.0
  }
}
)");
}

TEST(Simplify, LoopsBranchesAndChecksTeach) {
  EXPECT_EQ(after(simplify, R"(trap ZeroDivisionError "zero"
func @f(n: symbol, m: symbol, k: i64, out: f64[n]) {
  for i = range(0, n, 1) {
    trap 1 if eq(n, 0)
    store out[i] = 1.0
  }
  if and(le(0, k), lt(k, n)) {
    store out[select(lt(k, 0), n + k, k)] = 2.0
  } else {
    store out[0] = select(lt(k, 0), 3.0, 4.0)
  }
  if lt(k, 1) {
    store out[0] = 3.0
  } else {
    store out[0] = select(gt(k, 0), 5.0, 6.0)
  }
  trap 1 if ge(0, m)
  store out[0] = select(eq(m, 0), 7.0, 8.0)
  store out[1] = select(eq(n, 0), 7.0, 8.0)
}
)"),
            R"(trap ZeroDivisionError "zero"

func @f(n: symbol, m: symbol, k: i64, out: f64[n]) {
  for i = range(0, n, 1) {
    store out[i] = 1.0
  }
  if and(le(0, k), lt(k, n)) {
    store out[k] = 2.0
  } else {
    store out[0] = select(lt(k, 0), 3.0, 4.0)
  }
  if lt(k, 1) {
    store out[0] = 3.0
  } else {
    store out[0] = 5.0
  }
  trap 1 if ge(0, m)
  store out[0] = 8.0
  store out[1] = select(eq(n, 0), 7.0, 8.0)
}
)");
}

TEST(Simplify, WhatNothingReadsGoes) {
  expect_body(simplify, "n: symbol, x: f64[n], out: f64[n]", R"(  let a: f64 = x[0]
  let b: f64 = add(a, 1.0)
  var v: f64 = 0.0
  alloc t: f64[n]
  map (i < n) {
    let w: f64 = mul(x[i], 2.0)
    store t[i] = w
  }
  reduce s: f64 = sum any (i < n) {
    let w: f64 = mul(x[i], 2.0)
    yield w
  }
  set v = b
  if lt(b, 0.0) {
    set v = 1.0
  }
  store out[0] = x[1]
)",
              R"(  store out[0] = x[1]
)");
}

}  // namespace
}  // namespace pw::passes
