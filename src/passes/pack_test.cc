#include "passes/pack.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

Options serial() {
  Options options;
  options.parallel = false;
  return options;
}

void expect_kept(std::string_view signature, const std::string& body) {
  expect_body(pack, signature, body, body, serial());
}

TEST(Pack, WhatManyRowsWalkTheLongWayIsCopied) {
  expect_body(pack, "n: symbol, a: f64[16*n, 5], w: f64[64, 5, 3], q: i64[4], c: f64[16*n, 64]",
              R"(
  map (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[j, k, 1])
    }
    store c[i, j] = add(c[i, j], s)
  }
)",
              R"(
  alloc w_packed: f64[5, 64] invented
  map (k < 5, j < 64) {
    store w_packed[k, j] = w[j, k, 1]
  }
  map (i < 16*n, j.2 < 64) {
    reduce s: f64 = sum any (k.2 < 5) {
      yield mul(a[i, k.2], w_packed[k.2, j.2])
    }
    store c[i, j.2] = add(c[i, j.2], s)
  }
)",
              serial());
}

TEST(Pack, InsideALoopWithItsIndex) {
  expect_body(pack, "n: symbol, m: symbol, a: f64[n, m, 5], w: f64[64, 5, 3], c: f64[n, m, 64]",
              R"(
  for t = range(0, 3, 1) {
    map (h < n, i < m, j < 64) {
      reduce s: f64 = max sequential (k < 5) {
        let x: f64 = w[j, k, t]
        yield mul(a[h, i, k], x)
      }
      store c[h, i, j] = s
    }
  }
)",
              R"(
  for t = range(0, 3, 1) {
    alloc w_packed: f64[5, 64] invented
    map (k < 5, j < 64) {
      store w_packed[k, j] = w[j, k, t]
    }
    map (h < n, i < m, j.2 < 64) {
      reduce s: f64 = max sequential (k.2 < 5) {
        let x: f64 = w_packed[k.2, j.2]
        yield mul(a[h, i, k.2], x)
      }
      store c[h, i, j.2] = s
    }
  }
)",
              serial());
}

TEST(Pack, BatchesAreTheOuterDimensionsOfTheCopy) {
  expect_body(pack, "n: symbol, a: f64[n, 99, 5], b: f64[n, 64, 5], c: f64[n, 99, 64]",
              R"(
  map (h < n, i < 99, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[h, i, k], b[h, j, k])
    }
    store c[h, i, j] = s
  }
)",
              R"(
  alloc b_packed: f64[n, 5, 64] invented
  map (h < n, k < 5, j < 64) {
    store b_packed[h, k, j] = b[h, j, k]
  }
  map (h.2 < n, i < 99, j.2 < 64) {
    reduce s: f64 = sum any (k.2 < 5) {
      yield mul(a[h.2, i, k.2], b_packed[h.2, k.2, j.2])
    }
    store c[h.2, i, j.2] = s
  }
)",
              serial());
}

TEST(Pack, ThreadsShareTheCopying) {
  const std::string text = after(pack, R"(
func @f(n: symbol, a: f64[16*n, 5], w: f64[64, 5], c: f64[16*n, 64]) {
  map parallel (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[j, k])
    }
    store c[i, j] = s
  }
})");
  EXPECT_NE(text.find("map parallel (k < 5, j < 64)"), std::string::npos) << text;
}

TEST(Pack, FewRowsAreNotWorthACopy) {
  const std::string body = R"(
  map (i < n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[j, k])
    }
    store c[i, j] = s
  }
)";
  expect_kept("n: symbol, a: f64[n, 5], w: f64[64, 5], c: f64[n, 64]", body);
}

TEST(Pack, ShortRowsAreNotWorthACopy) {
  expect_kept("n: symbol, a: f64[16*n, 5], w: f64[7, 5], c: f64[16*n, 7]", R"(
  map (i < 16*n, j < 7) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[j, k])
    }
    store c[i, j] = s
  }
)");
}

TEST(Pack, WindowsThatOverlapWouldGrow) {
  expect_kept("n: symbol, a: f64[16*n, 5], x: f64[100, 2], c: f64[16*n, 64]", R"(
  map (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], x[j + k, 0])
    }
    store c[i, j] = s
  }
)");
}

TEST(Pack, NothingIsReadThatMightNotBeThere) {
  expect_kept("n: symbol, p: i64, a: f64[16*n, 5], w: f64[64, 5], c: f64[16*n, 64]", R"(
  map (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[j + p, k])
    }
    store c[i, j] = s
  }
)");
}

TEST(Pack, GathersAndWhatTheMapStoresStay) {
  expect_kept("n: symbol, a: f64[16*n, 5], q: i64[64], w: f64[64, 5], c: f64[16*n, 64]", R"(
  map (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[q[j], k])
    }
    store c[i, j] = s
  }
)");
  expect_kept("n: symbol, a: f64[16*n, 5], w: f64[64, 5]", R"(
  map (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(a[i, k], w[j, k])
    }
    store w[j, 0] = s
  }
)");
}

TEST(Pack, AllOperandsOrNone) {
  expect_kept("n: symbol, a: f64[16*n, 5], b: f64[16*n, 64, 5], w: f64[64, 5], c: f64[16*n, 64]", R"(
  map (i < 16*n, j < 64) {
    reduce s: f64 = sum any (k < 5) {
      yield mul(b[i, j, k], w[j, k])
    }
    store c[i, j] = s
  }
)");
}

TEST(Pack, NothingIsCopiedInALoopThatThreadsShare) {
  expect_kept("n: symbol, a: f64[3, 16*n, 5], w: f64[64, 5], c: f64[3, 16*n, 64]", R"(
  for t = range(0, 3, 1) parallel {
    map (i < 16*n, j < 64) {
      reduce s: f64 = sum any (k < 5) {
        yield mul(a[t, i, k], w[j, k])
      }
      store c[t, i, j] = s
    }
  }
)");
}

}  // namespace
}  // namespace pw::passes
