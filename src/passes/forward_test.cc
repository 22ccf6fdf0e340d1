#include "passes/forward.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

constexpr std::string_view kArrays = "n: symbol, a: f64[n], b: f64[n], out: f64[n] invented";

TEST(Forward, ResultIsComputedInTheOutputUnderTheAuthorsName) {
  EXPECT_EQ(after(forward, R"(func @f(n: symbol, a: f64[n], out: f64[n] invented) promoted 1 {
  alloc t: f64[n]
  map (i < n) {
    store t[i] = 0.0
  }
  for k = range(1, n, 1) {
    store t[k] = add(t[k - 1], a[k])
  }
  map (i < n) {
    store out[i] = t[i]
  }
  return
}
)"),
            R"(func @f(n: symbol, a: f64[n], t: f64[n]) promoted 1 {
  map (i < n) {
    store t[i] = 0.0
  }
  for k = range(1, n, 1) {
    store t[k] = add(t[k - 1], a[k])
  }
  return
}
)");
}

TEST(Forward, NotIfEitherIsTouchedMeanwhile) {
  const std::string read_before = R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = b[n - i - 1]
  }
  let x: f64 = b[0]
  map (i < n) {
    store b[i] = t[i]
  }
)";
  expect_body(forward, kArrays, read_before, read_before);
  const std::string read_after = R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = 1.0
  }
  map (i < n) {
    store b[i] = t[i]
  }
  store a[0] = t[0]
)";
  expect_body(forward, kArrays, read_after, read_after);
  const std::string returns_early = R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = 1.0
  }
  if lt(a[0], 0.0) {
    return
  }
  map (i < n) {
    store b[i] = t[i]
  }
)";
  expect_body(forward, kArrays, returns_early, returns_early);
}

TEST(Forward, OverwrittenFillGoes) {
  expect_body(forward, kArrays, R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = 0.0
  }
  map (i < n) {
    store t[i] = a[i]
  }
  for k = range(1, n, 1) {
    store b[k] = t[k - 1]
  }
)",
              R"(  alloc t: f64[n]
  map (i < n) {
    store t[i] = a[i]
  }
  for k = range(1, n, 1) {
    store b[k] = t[k - 1]
  }
)");
}

TEST(Forward, FillThatIsReadOrOnlyPartlyOverwrittenStays) {
  const std::string body = R"(  map (i < n) {
    store b[i] = 0.0
  }
  map (i < n - 1) {
    store b[i] = a[i]
  }
  map (i < n) {
    store a[i] = 0.0
  }
  map (i < n) {
    store a[i] = add(a[i], b[i])
  }
)";
  expect_body(forward, kArrays, body, body);
}

TEST(Forward, FillOfAnArgumentStaysWhereTheFunctionMayReturn) {
  const std::string body = R"(  map (i < n) {
    store b[i] = 0.0
  }
  if lt(a[0], 0.0) {
    return
  }
  map (i < n) {
    store b[i] = a[i]
  }
)";
  expect_body(forward, kArrays, body, body);
}

}  // namespace
}  // namespace pw::passes
