#include "passes/fuse.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

constexpr std::string_view kVectors = "n: symbol, a: f64[n], b: f64[n], c: f64[n], out: f64[n]";

TEST(Fuse, ChainBecomesOneLoop) {
  expect_body(fuse, kVectors, R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = add(a[i], b[i])
  }
  alloc u: f64[n] invented
  map (i < n) {
    store u[i] = div(t[i], c[i])
  }
  map (i < n) {
    store out[i] = u[i]
  }
)",
              R"(  map (i < n) {
    store out[i] = div(add(a[i], b[i]), c[i])
  }
)");
}

TEST(Fuse, AuthorsNameAndSeveralLoadsBecomeALet) {
  expect_body(fuse, kVectors, R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = add(a[i], b[i])
  }
  map (j < n) {
    store out[j] = mul(t[j], t[j])
  }
)",
              R"(  map (j < n) {
    let t: f64 = add(a[j], b[j])
    store out[j] = mul(t, t)
  }
)");
}

TEST(Fuse, SliceAndTransposeAreIndexMaps) {
  expect_body(fuse, "n: symbol, m: symbol, x: f64[n, m], out: f64[m, n]", R"(  alloc t: f64[n, m] invented
  map (i < n, j < m) {
    store t[i, j] = exp(x[i, j])
  }
  map (i < m, j < n) {
    store out[i, j] = t[n - j - 1, i]
  }
)",
              R"(  map (i < m, j < n) {
    store out[i, j] = exp(x[n - j - 1, i])
  }
)");
}

TEST(Fuse, InPlaceOnTheSameElement) {
  expect_body(fuse, kVectors, R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = add(a[i], b[i])
  }
  map (i < n) {
    store a[i] = t[i]
  }
)",
              R"(  map (i < n) {
    store a[i] = add(a[i], b[i])
  }
)");
}

TEST(Fuse, InPlaceOnANeighbourStays) {
  const std::string body = R"(  alloc t: f64[n - 1] invented
  map (i < n - 1) {
    store t[i] = add(a[i + 1], b[i])
  }
  map (i < n - 1) {
    store a[i] = t[i]
  }
)";
  expect_body(fuse, kVectors, body, body);
}

TEST(Fuse, InPlaceOnOtherRowsOrParities) {
  expect_body(fuse, "n: symbol, x: f64[2, n], a: f64[2*n]", R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = add(x[1, n - i - 1], a[2*i + 1])
  }
  map (i < n) {
    store x[0, i] = t[i]
    store a[2*i] = t[i]
  }
)",
              R"(  map (i < n) {
    let t: f64 = add(x[1, n - i - 1], a[2*i + 1])
    store x[0, i] = t
    store a[2*i] = t
  }
)");
}

TEST(Fuse, StoreBetweenKeepsTheTemporary) {
  const std::string body = R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = add(a[i], b[i])
  }
  store a[0] = 1.0
  map (i < n) {
    store out[i] = t[i]
  }
)";
  expect_body(fuse, kVectors, body, body);
}

TEST(Fuse, ReductionTakesItsOperand) {
  expect_body(fuse, "n: symbol, m: symbol, x: f64[n, m], y: f64[n, m], out: f64[n]",
              R"(  alloc t: f64[n, m] invented
  map (i < n, j < m) {
    store t[i, j] = mul(x[i, j], y[i, j])
  }
  alloc s: f64[n] invented
  map (i < n) {
    reduce r: f64 = sum any (j < m) {
      yield t[i, j]
    }
    store s[i] = r
  }
  map (i < n) {
    store out[i] = div(s[i], 2.0)
  }
)",
              R"(  map (i < n) {
    reduce r: f64 = sum any (j < m) {
      yield mul(x[i, j], y[i, j])
    }
    store out[i] = div(r, 2.0)
  }
)");
}

TEST(Fuse, NothingIsComputedTwice) {
  // t is needed m times an element: it stays. Its transposed copy does not.
  expect_body(fuse, "n: symbol, m: symbol, x: f64[n], y: f64[n, m], out: f64[n, m]",
              R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = add(x[i], 1.0)
  }
  alloc u: f64[m, n] invented
  map (i < m, j < n) {
    store u[i, j] = y[j, i]
  }
  map (i < n, j < m) {
    store out[i, j] = mul(t[i], u[j, i])
  }
)",
              R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = add(x[i], 1.0)
  }
  map (i < n, j < m) {
    store out[i, j] = mul(t[i], y[i, j])
  }
)");
}

TEST(Fuse, OperandOfAMatrixProductStays) {
  const std::string body = R"(  alloc t: f64[n, n] invented
  map (i < n, k < n) {
    store t[i, k] = mul(x[i, k], 2.0)
  }
  map (i < n, j < n) {
    reduce r: f64 = sum any (k < n) {
      yield mul(t[i, k], y[k, j])
    }
    store out[i, j] = r
  }
)";
  expect_body(fuse, "n: symbol, x: f64[n, n], y: f64[n, n], out: f64[n, n]", body, body);
}

TEST(Fuse, InvariantOfAnInnerLoopMovesToTheOuter) {
  expect_body(fuse, "n: symbol, m: symbol, x: f64[n], y: f64[m], out: f64[n]", R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = exp(x[i])
  }
  map (i < n) {
    reduce r: f64 = sum any (j < m) {
      yield mul(t[i], y[j])
    }
    store out[i] = r
  }
)",
              R"(  map (i < n) {
    let t: f64 = exp(x[i])
    reduce r: f64 = sum any (j < m) {
      yield mul(t, y[j])
    }
    store out[i] = r
  }
)");
}

TEST(Fuse, CopiesGoToEveryReader) {
  expect_body(fuse, kVectors, R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = a[n - i - 1]
  }
  map (i < n) {
    store b[i] = t[i]
  }
  let last: f64 = t[n - 1]
  for k = range(0, n, 1) {
    store c[k] = mul(t[k], last)
  }
)",
              R"(  map (i < n) {
    store b[i] = a[n - i - 1]
  }
  let last: f64 = a[0]
  for k = range(0, n, 1) {
    store c[k] = mul(a[n - k - 1], last)
  }
)");
}

TEST(Fuse, CopyOfWhatALoopChangesStays) {
  const std::string body = R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = a[i]
  }
  for k = range(1, n, 1) {
    store a[k] = add(a[k - 1], t[k])
  }
)";
  expect_body(fuse, kVectors, body, body);
}

TEST(Fuse, TimeLoopRepeatsSoTheProducerStaysOutside) {
  const std::string body = R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = exp(a[i])
  }
  for k = range(0, n, 1) {
    map (i < n) {
      store out[i] = add(out[i], t[i])
    }
  }
)";
  expect_body(fuse, kVectors, body, body);
}

TEST(Fuse, ForThatReadsEachElementOnceTakesIt) {
  expect_body(fuse, kVectors, R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = exp(a[i])
  }
  var s: f64 = 0.0
  for k = range(0, n, 1) {
    set s = add(s, t[k])
  }
  store out[0] = s
)",
              R"(  var s: f64 = 0.0
  for k = range(0, n, 1) {
    set s = add(s, exp(a[k]))
  }
  store out[0] = s
)");
}

TEST(Fuse, VariableReadIsNotMovedOverItsAssignment) {
  const std::string body = R"(  var s: f64 = 2.0
  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = mul(a[i], s)
  }
  set s = 3.0
  map (i < n) {
    store out[i] = t[i]
  }
)";
  expect_body(fuse, kVectors, body, body);
}

TEST(Fuse, BranchIsNotEvaluatedOutOfBounds) {
  // t[k] is only in bounds where the branch is taken.
  expect_body(fuse, "n: symbol, k: i64, a: f64[n], out: f64[n]", R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = exp(a[i])
  }
  if lt(k, n) {
    store out[0] = t[k]
  }
)",
              R"(  if lt(k, n) {
    store out[0] = exp(a[k])
  }
)");
}

TEST(Fuse, NothingIsHoistedOutOfBranchesWithoutProof) {
  // i + 1 is only in bounds where a branch is taken.
  const std::string body = R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = exp(a[i])
  }
  map (i < n) {
    if lt(i, n - 1) {
      store b[i] = t[i + 1]
    }
    if lt(i, n - 1) {
      store out[i] = t[i + 1]
    }
  }
)";
  expect_body(fuse, kVectors, body, body);
}

TEST(Fuse, GatherTakesACopyButNotACalculation) {
  expect_body(fuse, "n: symbol, q: i64[n], a: f64[n + 1], b: f64[n], out: f64[n]",
              R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = a[i + 1]
  }
  alloc u: f64[n] invented
  map (i < n) {
    store u[i] = exp(b[i])
  }
  map (i < n) {
    store out[i] = add(t[q[i]], u[q[i]])
  }
)",
              R"(  alloc u: f64[n] invented
  map (i < n) {
    store u[i] = exp(b[i])
  }
  map (i < n) {
    store out[i] = add(a[add(q[i], 1)], u[q[i]])
  }
)");
}

TEST(Fuse, ReshapeIsInjective) {
  expect_body(fuse, "n: symbol, m: symbol, x: f64[n, m], out: f64[n*m]", R"(  alloc t: f64[n, m] invented
  map (i < n, j < m) {
    store t[i, j] = exp(x[i, j])
  }
  map (k < n*m) {
    store out[k] = t[(k // m), (k % m)]
  }
)",
              R"(  map (k < n*m) {
    store out[k] = exp(x[(k // m), (k % m)])
  }
)");
}

TEST(Fuse, SaysWhatItDid) {
  std::vector<Decision> decisions;
  Options options;
  options.explain = &decisions;
  after(fuse, R"(func @f(n: symbol, a: f64[n], out: f64[n]) -> () {
  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = exp(a[i])
  }
  map (i < n) {
    store out[i] = t[i]
  }
}
)",
        options);
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0].decision, "fused");
  EXPECT_EQ(decisions[0].reason, "t is computed where it is read");
}

TEST(Fuse, AnArgumentThatItsFunctionLeavesAloneStays) {
  constexpr std::string_view kText = R"(func @g(t: f64[n], n: symbol) {
}

func @f(n: symbol, a: f64[n]) {
  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = exp(a[i])
  }
  call @g(t, n)
}
)";
  EXPECT_EQ(after(fuse, kText), after(unchanged, kText));
}

}  // namespace
}  // namespace pw::passes
