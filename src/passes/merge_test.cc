#include "passes/merge.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

constexpr std::string_view kVectors = "n: symbol, a: f64[n], b: f64[n], c: f64[n], out: f64[n]";

TEST(Merge, SiblingsShareOneLoopAndTemporariesBecomeLets) {
  expect_body(merge, kVectors, R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = exp(a[i])
  }
  alloc u: f64[n] invented
  map (i < n) {
    store u[i] = add(t[i], 1.0)
  }
  map (j < n) {
    store b[j] = mul(t[j], u[j])
  }
  map (j < n) {
    store c[j] = t[j]
  }
)",
              R"(  map (i < n) {
    let t: f64 = exp(a[i])
    store b[i] = mul(t, add(t, 1.0))
    store c[i] = t
  }
)");
}

TEST(Merge, NeighbourStaysApart) {
  const std::string body = R"(  map (i < n - 1) {
    store b[i] = a[i]
  }
  map (i < n - 1) {
    store c[i] = b[i + 1]
  }
)";
  expect_body(merge, "n: symbol, a: f64[n], b: f64[n], c: f64[n]", body, body);
}

TEST(Merge, OverwritingWhatAnEarlierIterationReadsStaysApart) {
  const std::string body = R"(  map (i < n - 1) {
    store b[i] = a[i + 1]
  }
  map (i < n - 1) {
    store a[i] = 0.0
  }
)";
  expect_body(merge, kVectors, body, body);
}

TEST(Merge, MovesOverWhatIsIndependentOnly) {
  expect_body(merge, kVectors, R"(  map (i < n) {
    store b[i] = a[i]
  }
  let x: f64 = c[0]
  map (i < n) {
    store out[i] = a[i]
  }
  let y: f64 = out[0]
  map (i < n) {
    store c[i] = mul(out[i], add(x, y))
  }
)",
              R"(  map (i < n) {
    store b[i] = a[i]
    store out[i] = a[i]
  }
  let x: f64 = c[0]
  let y: f64 = out[0]
  map (i < n) {
    store c[i] = mul(out[i], add(x, y))
  }
)");
}

TEST(Merge, OtherExtentsOrNothingSharedStayApart) {
  const std::string body = R"(  map (i < n) {
    store b[i] = 1.0
  }
  map (i < n) {
    store out[i] = 2.0
  }
  map (i < n - 1) {
    store out[i] = b[i]
  }
)";
  expect_body(merge, kVectors, body, body);
}

TEST(Merge, RepeatedStoresBecomeSuccessiveLets) {
  expect_body(merge, kVectors, R"(  map (i < n) {
    alloc z: f64[1]
    store z[0] = a[i]
    store out[i] = z[0]
  }
  alloc t: f64[n]
  map (i < n) {
    store t[i] = a[i]
    store t[i] = mul(t[i], t[i])
    store c[i] = t[i]
  }
)",
              R"(  map (i < n) {
    alloc z: f64[1]
    store z[0] = a[i]
    store out[i] = z[0]
    let t: f64 = a[i]
    let t.2: f64 = mul(t, t)
    store c[i] = t.2
  }
)");
}

TEST(Merge, ALetIsNotMovedOverAStoreToWhatItReads) {
  expect_body(merge, kVectors, R"(  alloc t: f64[n] invented
  map (i < n) {
    store t[i] = a[i]
    store a[i] = 0.0
    store out[i] = t[i]
  }
)",
              R"(  map (i < n) {
    let t: f64 = a[i]
    store a[i] = 0.0
    store out[i] = t
  }
)");
}

}  // namespace
}  // namespace pw::passes
