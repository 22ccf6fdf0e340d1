#include "passes/contractions.h"

#include "passes/testing.h"

namespace pw::passes {
namespace {

Options with_libraries() {
  Options options;
  options.libraries = true;
  return options;
}

void expect_kept(std::string_view signature, const std::string& body) {
  expect_body(contractions, signature, body, body, with_libraries());
}

/// The same body with its first Map marked.
void expect_marked(std::string_view signature, const std::string& body) {
  std::string marked = body;
  const std::size_t at = marked.find("map ");
  const std::size_t word = marked.compare(at + 4, 9, "parallel ") == 0 ? 9 : 0;
  marked.insert(at + 4 + word, "library ");
  expect_body(contractions, signature, body, marked, with_libraries());
}

TEST(Contractions, AProductOfMatricesIsMarked) {
  const std::string body = R"(
  map parallel (i < n, j < m) {
    reduce s: f64 = sum any (k < l) {
      yield mul(a[i, k], b[k, j])
    }
    store c[i, j] = s
  }
)";
  const char* signature = "n: symbol, m: symbol, l: symbol, a: f64[n, l], b: f64[l, m], c: f64[n, m]";
  expect_marked(signature, body);
  expect_body(contractions, signature, body, body);  // nobody asked for libraries
}

TEST(Contractions, TransposesViewsAndBatches) {
  expect_marked("n: symbol, a: f64[n, 64, 99], b: f64[n, 70, 64], c: f64[n, 99, 140]", R"(
  map (h < n, i < 99, j < 70) {
    reduce s: f64 = sum any (k < 64) {
      yield mul(b[h, j, k], a[h, k, i])
    }
    store c[h, i, j + 70] = s
  }
)");
  // Two axes of rows that lie as one, and two that are summed.
  expect_marked("n: symbol, m: symbol, a: c128[n, m, 4, 8], b: c128[4, 8, 9], c: c128[n, m, 9]", R"(
  map (g < n, i < m, j < 9) {
    reduce s: c128 = sum any (k < 4, l < 8) {
      yield mul(a[g, i, k, l], b[k, l, j])
    }
    store c[g, i, j] = s
  }
)");
}

TEST(Contractions, Float32SumsInDoubleAreOnesOfFloat32) {
  expect_marked("n: symbol, a: f32[n, n], b: f32[n, n], c: f32[n, n]", R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(f64(a[i, k]), f64(b[k, j]))
    }
    store c[i, j] = f32(s)
  }
)");
}

TEST(Contractions, ProductsOfFloat32InFloat64AreLeft) {
  const char* signature = "n: symbol, a: f32[n, n], b: f32[n, n], c: f64[n, n], d: f32[n, n]";
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(f64(a[i, k]), f64(b[k, j]))
    }
    store c[i, j] = s
  }
)");
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(f64(a[i, k]), f64(b[k, j]))
    }
    store d[i, j] = add(f32(s), f32(mul(s, 2.0)))
  }
)");
  expect_body(contractions, signature,
              R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(f64(a[i, k]), f64(b[k, j]))
    }
    store d[i, j] = add(f32(s), 1.0:f32)
  }
)",
              R"(
  alloc s: f32[n, n] invented
  map library (i < n, j < n) {
    reduce s.2: f64 = sum any (k < n) {
      yield mul(f64(a[i, k]), f64(b[k, j]))
    }
    store s[i, j] = f32(s.2)
  }
  map (i.2 < n, j.2 < n) {
    let s.3: f64 = f64(s[i.2, j.2])
    store d[i.2, j.2] = add(f32(s.3), 1.0:f32)
  }
)",
              with_libraries());
}

TEST(Contractions, ASumBesideOtherThingsGetsAMapOfItsOwn) {
  expect_body(contractions,
              "n: symbol, m: symbol, l: symbol, a: f64[n, l], b: f64[m, l], c: f64[m, n], d: f64[m]",
              R"(
  map parallel (i < n, j < m) {
    reduce s: f64 = sum any (k < l) {
      yield mul(a[i, k], b[j, k])
    }
    store c[j, i] = add(mul(2.0, s), d[j])
  }
)",
              R"(
  alloc s: f64[n, m] invented
  map parallel library (i < n, j < m) {
    reduce s.2: f64 = sum any (k < l) {
      yield mul(a[i, k], b[j, k])
    }
    store s[i, j] = s.2
  }
  map parallel (i.2 < n, j.2 < m) {
    let s.3: f64 = s[i.2, j.2]
    store c[j.2, i.2] = add(mul(2.0, s.3), d[j.2])
  }
)",
              with_libraries());
}

TEST(Contractions, LoopsOfTheSourceAndSmallOnesAreLeft) {
  const char* signature = "n: symbol, a: f64[n, n], b: f64[n, n], c: f64[n, n]";
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = sum sequential (k < n) {
      yield mul(a[i, k], b[k, j])
    }
    store c[i, j] = s
  }
)");
  expect_kept(signature, R"(
  for i = range(0, n, 1) {
    for j = range(0, n, 1) {
      for k = range(0, n, 1) {
        store c[i, j] = add(c[i, j], mul(a[i, k], b[k, j]))
      }
    }
  }
)");
  expect_kept("a: f64[9, 9], b: f64[9, 9], c: f64[9, 9]", R"(
  map (i < 9, j < 9) {
    reduce s: f64 = sum any (k < 9) {
      yield mul(a[i, k], b[k, j])
    }
    store c[i, j] = s
  }
)");
}

TEST(Contractions, WhatIsNoProductOfMatricesIsLeft) {
  const char* signature = "n: symbol, a: f64[n, 2*n], b: f64[n, n], v: f64[n], c: f64[n, n], w: f64[n]";
  // No axis of the second operand: a vector.
  expect_kept(signature, R"(
  map (i < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(a[i, k], v[k])
    }
    store w[i] = s
  }
)");
  // Neither axis of the first lies side by side.
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(a[i, 2*k], b[k, j])
    }
    store c[i, j] = s
  }
)");
  // A triangle.
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < i) {
      yield mul(a[i, k], b[k, j])
    }
    store c[i, j] = s
  }
)");
  // A maximum.
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = max any (k < 99) {
      yield mul(a[i, k], b[k, j])
    }
    store c[i, j] = s
  }
)");
  // The other operand is what the Map writes.
  expect_kept(signature, R"(
  map (i < n, j < n) {
    reduce s: f64 = sum any (k < n) {
      yield mul(a[i, k], b[k, j])
    }
    store w[i] = s
    store a[i, j] = s
  }
)");
}

TEST(Contractions, UnderWhatThreadsShareNothingIsTaken) {
  expect_kept("n: symbol, a: f64[n, n, n], b: f64[n, n, n], c: f64[n, n, n]", R"(
  for parallel h = range(0, n, 1) {
    map (i < n, j < n) {
      reduce s: f64 = sum any (k < n) {
        yield mul(a[h, i, k], b[h, k, j])
      }
      store c[h, i, j] = s
    }
  }
)");
  expect_body(contractions, "n: symbol, a: f64[n, n, n], b: f64[n, n, n], c: f64[n, n, n]",
              R"(
  for h = range(0, n, 1) {
    map (i < n, j < n) {
      reduce s: f64 = sum any (k < n) {
        yield mul(a[h, i, k], b[h, k, j])
      }
      store c[h, i, j] = s
    }
  }
)",
              R"(
  for h = range(0, n, 1) {
    map library (i < n, j < n) {
      reduce s: f64 = sum any (k < n) {
        yield mul(a[h, i, k], b[h, k, j])
      }
      store c[h, i, j] = s
    }
  }
)",
              with_libraries());
}

}  // namespace
}  // namespace pw::passes
