// The kernels that run_test.cc runs as C and under eval, as IR text.
#pragma once

namespace pw::backends::c {

struct Kernel {
  const char* name;
  const char* text;
  double tolerance = 0;  // relative to the greater; 0: bit for bit
};

inline constexpr Kernel kKernels[] = {
    {"stencil", R"(
func @stencil(n: symbol, m: symbol, a: f64[n, m], b: f64[n, m], w: f64) -> () promoted 0 {
  map parallel (i < n - 2, j < m - 2) {
    store b[i + 1, j + 1] = mul(w, sub(add(add(a[i, j + 1], a[i + 2, j + 1]), add(a[i + 1, j], a[i + 1, j + 2])), mul(4.0, a[i + 1, j + 1])))
  }
})"},
    {"softmax", R"(
func @softmax(n: symbol, m: symbol, x: f64[n, m], y: f64[n, m]) -> () promoted 0 {
  alloc e: f64[m]
  for i = range(0, n, 1) {
    reduce top: f64 = max any (j < m) {
      yield x[i, j]
    }
    map (j < m) {
      store e[j] = exp(sub(x[i, j], top))
    }
    reduce total: f64 = sum any (j < m) {
      yield e[j]
    }
    map (j < m) {
      store y[i, j] = div(e[j], total)
    }
  }
})",
     1e-13},
    {"matmul", R"(
func @matmul(n: symbol, m: symbol, a: f64[n, m], b: f64[m, n], c: f64[n, n]) -> () promoted 0 {
  map parallel (i < n, j < n) {
    reduce s: f64 = sum any (k < m) {
      yield mul(a[i, k], b[k, j])
    }
    store c[i, j] = s
  }
})",
     1e-13},
    {"gemm", R"(
func @gemm(n: symbol, m: symbol, a: f64[n, m], b: f64[m, n], c: f64[n, n], w: f64) -> () promoted 0 {
  map parallel (i < n, j < n) {
    reduce s: f64 = sum any (k < m) {
      let half: f64 = mul(a[i, k], 0.5)
      yield mul(half, b[k, j])
    }
    store c[i, j] = add(mul(w, s), mul(c[i, j], 0.25))
  }
})",
     1e-13},
    {"columns", R"(
func @columns(n: symbol, m: symbol, c: f64[m, n], top: f64[n], low: f64[n]) -> () promoted 0 {
  map parallel (j < n) {
    reduce hi: f64 = max any (k < m) {
      yield c[k, j]
    }
    reduce lo: f64 = min sequential (k < m) {
      yield c[k, j]
    }
    reduce far: f64 = sum any (k < m) {
      yield sub(c[k, j], hi)
    }
    store top[j] = add(hi, far)
    store low[j] = lo
  }
})",
     1e-13},
    {"loops", R"(
func @loops(n: symbol, x: f64[n], y: i64[n], q: i64) -> (i64, f64) promoted 0 {
  var sum: f64 = 0.0
  var count: i64 = 0
  for i = range(n - 1, -1, -1) {
    if lt(x[i], 0.0) {
      continue
    }
    set sum = add(sum, x[i])
    set count = add(count, 1)
    if gt(count, 5) {
      break
    }
  }
  for i = range(0, n, q) {
    store y[i] = add(mul(i, 3), y[i])
  }
  for i = range(n - 1, 0, neg(q)) {
    store y[i] = sub(y[i], 1)
  }
  var left: i64 = n
  while and(gt(left, 1), lt(mul(left, left), 100000)) {
    set left = floordiv(left, 2)
    set count = add(count, left)
  }
  while lt(mul(add(left, 7), add(left, 7)), 300) {
    set left = add(left, 1)
  }
  return add(count, left), sum
})"},
    {"traps", R"(
trap IndexError "index out of range"
trap ValueError "negative"
func @row(n: symbol, x: f64[n], i: i64) -> (f64) {
  trap 1 if or(lt(i, 0), ge(i, n))
  return x[i]
}
func @twice(v: f64) -> (f64) {
  return add(v, v)
}
func @traps(n: symbol, x: f64[n], y: f64[n], idx: i64[n], q: i64) -> (f64) promoted 0 {
  alloc t: f64[n, 3]
  map (i < n, j < 3) {
    store t[i, j] = mul(x[i], f64(j))
  }
  var s: f64 = 0.0
  for i = range(0, n, 1) {
    let size: i64 in [0, n] = minimum(maximum(idx[i], 0), n)
    alloc r: f64[size]
    map (j < size) {
      store r[j] = t[j, 2]
    }
    reduce best: f64 = sum any (j < size) {
      yield r[j]
    }
    set s = add(s, best)
  }
  call v: f64 = @row(n, x, q)
  call w: f64 = @twice(v)
  trap 2 if lt(w, 0.0)
  store y[0] = w
  if gt(w, 10.0) {
    return s
  }
  return add(s, w)
})",
     1e-13},
    {"guarded", R"(
trap IndexError "index out of range"
func @guarded(n: symbol, x: f64[n], y: f64[n], idx: i64[n], q: i64) -> () promoted 0 {
  map parallel (i < n) {
    alloc room: f64[n]
    map (k < n) {
      store room[k] = add(x[k], f64(q))
    }
    for k = range(0, 2, 1) {
      trap 1 if or(lt(idx[i], 0), ge(idx[i], n))
    }
    store y[i] = room[idx[i]]
  }
})"},
    {"named", R"(
config eps: f64 = 1e-06
config k: i64 = 3
config far: i64 = 10000000000
table w: f64[3] = {0.25, 0.5, 0.25}
func @named(n: symbol, x: f64[n, k], y: f64[n]) -> (i64) promoted 0 {
  alloc t: f64[k]
  alloc one: f64[]
  for i = range(0, n, 1) {
    store one[] = eps
    for j = range(0, k, 1) {
      store t[j] = mul(x[i, j], w[j])
      store one[] = add(one[], t[j])
    }
    store y[i] = one[]
  }
  return far
})"},
    {"positions", R"(
func @positions(n: symbol, m: symbol, x: f64[n, m], k: i32[n], out: i64[4]) -> (bool, bool) promoted 0 {
  reduce a: i64 = argmax any (i < n, j < m) {
    yield x[i, j]
  }
  reduce b: i64 = argmin any (i < n, j < m) {
    yield x[i, j]
  }
  reduce c: i64 = argmax any (i < n) {
    yield k[i]
  }
  reduce lo: i32 = min any (i < n) {
    yield k[i]
  }
  reduce p: i32 = product any (i < n) {
    yield k[i]
  }
  store out[0] = a
  store out[1] = b
  store out[2] = add(c, i64(p))
  store out[3] = i64(lo)
  reduce some: bool = any any (i < n) {
    yield lt(k[i], 0:i32)
  }
  reduce every: bool = all any (i < n, j < m) {
    yield isfinite(x[i, j])
  }
  return some, every
})"},
    {"extents", R"(
func @extents(n: symbol, m: symbol, q: i64, x: f64[2*n + 1, m], y: f64[(n // 2), m]) -> (i64, i64) promoted 0 {
  map (i < (n // 2), j < m) {
    store y[i, j] = add(x[2*i, j], x[n - i, m - j - 1])
  }
  return index((q // 3) * n + (q % 5) * m - min(n, q)), index(max(q - n, m - 2*q) * (m % 3))
})"},
    {"shared", R"(
func @shared(n: symbol, x: f64[n], y: f64[n], idx: i64[n]) -> () promoted 0 {
  map (i < n) {
    let a: f64 = mul(add(x[i], 1.0), add(x[i], 1.0))
    store y[i] = sub(add(mul(a, a), neg(neg(a))), sub(x[maximum(minimum(idx[i], n - 1), 0)], sub(x[maximum(minimum(idx[i], n - 1), 0)], a)))
  }
  for vector i = range(0, n, 1) {
    store y[i] = select(or(and(lt(x[i], 0.0), gt(y[i], 0.0)), not(eq(x[i], y[i]))), mul(y[i], sub(1.0, x[i])), div(1.0, div(y[i], x[i])))
  }
})"},
    {"fields", R"(
func @dot(n: symbol, x: c128[n], y: c128[n], s: c128[]) -> () promoted 0 {
  store s[] = c128{0.0, 0.0}
  for i = range(0, n, 1) {
    store s[] = add(s[], mul(conj(x[i]), y[i]))
  }
  return
}
func @fields(n: symbol, x: c128[n], y: c128[n], z: c128[n], w: f64[n]) -> (c128) promoted 0 {
  alloc s: c128[]
  call @dot(n, x, y, s)
  map (i < n) {
    store z[i] = add(mul(x[i], c128{0.0, 1.0}), div(y[i], c128(w[i])))
  }
  map (i < n) {
    store w[i] = add(real(z[i]), abs(x[i]))
  }
  return s[]
})",
     1e-14},
    {"huge", R"(
func @huge(n: symbol, m: symbol, y: f64[1]) -> () promoted 0 {
  alloc t: f64[n, m]
  map (i < n, j < m) {
    store t[i, j] = f64(add(i, j))
  }
  reduce s: f64 = sum sequential (i < n, j < m) {
    yield t[i, j]
  }
  store y[0] = s
})"},
    {"butterfly", R"(
func @butterfly(n: symbol, a: f64[2*n], b: f64[2*n], c: f64[2*n], y: f64[2*n]) -> () promoted 0 {
  map (i < n) {
    store y[2*i] = sub(mul(a[2*i], b[2*i]), c[2*i])
    store y[2*i + 1] = add(mul(a[2*i + 1], b[2*i + 1]), c[2*i + 1])
  }
})"},
    {"branches", R"(
func @branches(n: symbol, x: f64[n], y: f64[n]) -> () promoted 0 {
  for i = range(0, n, 1) {
    if lt(x[i], 0.0) {
      store y[i] = -1.0
    } else {
      if gt(x[i], 1.0) {
        store y[i] = 1.0
      } else {
        store y[i] = x[i]
      }
    }
    if isnan(x[i]) {
    } else {
      store y[i] = add(y[i], copysign(0.5, x[i]))
    }
  }
})"},
    {"from_zero", R"(
func @from_zero(n: symbol, m: symbol, q: i64[n], x: f64[n], y: f64[n, 4], z: f32[n]) -> () promoted 0 {
  map (i < n) {
    store y[i, 0] = sub(0.0, f64(mod(q[i], 2)))
    store y[i, 1] = sub(0.0, abs(floor(mul(x[i], 0.125))))
    store y[i, 2] = sub(0.0, select(gt(x[i], 1.0), 1.0, 0.0))
    store y[i, 3] = sub(0.0, f64(gt(x[i], 1.0)))
    store z[i] = sub(0.0:f32, f32(mod(q[i], 2)))
  }
})"},
};

// ---- ops and casts, every one on every dtype

}  // namespace pw::backends::c
