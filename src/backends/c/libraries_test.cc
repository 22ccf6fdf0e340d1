// What a port leaves to libraries.
#include "backends/c/libraries.h"

#include <gmock/gmock.h>

#include "backends/c/emit_testing.h"

namespace pw::backends::c {
namespace {

using testing::HasSubstr;
using testing::Not;

Emitted emitted(const std::string& text, Libraries libraries = {}) {
  Program program(text);
  if (!program.module) return {};
  EmitOptions options;
  options.name = "k";
  options.libraries = libraries;
  return program.emit(options);
}

std::string entry(const Emitted& port) { return functions_of(port.files.at(0).text, "k"); }

TEST(CLibraries, AProductOfMatricesIsLeftToABlasWhereItPays) {
  const Emitted port = emitted(R"(
func @k(n: symbol, m: symbol, l: symbol, a: f64[n, l], b: f64[m, l], c: f64[n, m]) {
  map library (i < n, j < m) {
    reduce s: f64 = sum any (k < l) {
      yield mul(a[i, k], b[j, k])
    }
    store c[i, j] = s
  }
}
)");
  EXPECT_EQ(entry(port),
            R"(int k(int64_t n, int64_t m, int64_t l, const double* restrict a, const double* restrict b,
      double* restrict c) {
  if (blas_takes(n, m, l)) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)m, (int)l, 1.0, a, (int)l, b, (int)l, 0.0, c, (int)m);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        double s = 0.0;
#pragma omp simd reduction(+ : s)
        for (int64_t k = 0; k < l; ++k) {
          s += a[i * l + k] * b[j * l + k];
        }
        c[i * m + j] = s;
      }
    }
  }
  return 0;
}
)");
  EXPECT_THAT(port.files.at(0).text, HasSubstr("#include <cblas.h>\n"));
  EXPECT_THAT(port.files.at(1).text,
              HasSubstr("// Link it with -lopenblas (OpenBLAS, Debian's libopenblas-dev).\n"));
  ASSERT_EQ(port.recipe.libraries.size(), 1u);
  EXPECT_EQ(port.recipe.libraries[0].flag, "-lopenblas");
}

TEST(CLibraries, BatchesAreLoopsAndStridesAreChecked) {
  const std::string text = entry(emitted(R"(
func @k(n: symbol, m: symbol, p: symbol, a: c64[n, m, m, p], b: c64[n, m, m], c: c64[n, m, m]) {
  map library (h < n, i < m, j < m) {
    reduce s: c64 = sum any (k < m) {
      yield mul(a[h, i, 2, k], b[h, k, j])
    }
    store c[h, i, j] = s
  }
}
)"));
  EXPECT_THAT(text, HasSubstr("if (blas_takes(m, m, m) && m * p >= m && m * p <= INT32_MAX) {\n"));
  EXPECT_THAT(
      text, HasSubstr("for (int64_t h = 0; h < n; ++h) {\n      cblas_cgemm(CblasRowMajor, CblasNoTrans, "));
  EXPECT_THAT(text, HasSubstr("(int)(m * p), b + "));
  EXPECT_THAT(text, HasSubstr("&(float complex){1}, a + "));
}

TEST(CLibraries, UnderWhatThreadsShareTheLoopsStay) {
  const std::string text = emitted(R"(
func @k(n: symbol, a: f64[n, n, n], b: f64[n, n], c: f64[n, n, n]) {
  map parallel (h < n) {
    map library (i < n, j < n) {
      reduce s: f64 = sum any (k < n) {
        yield mul(a[h, i, k], b[k, j])
      }
      store c[h, i, j] = s
    }
  }
}
)")
                               .files.at(0)
                               .text;
  EXPECT_THAT(text, Not(HasSubstr("cblas")));
}

constexpr const char* kTransform = R"(
func @helper(x: c128[4]) {
  store x[0] = c128{0.0, 0.0}
}

func @fft(outer: symbol, n: symbol, inner: symbol, sign: i64, x: c128[inner*n*outer]) routine fft {
  alloc t: c128[4]
  call @helper(t)
  store x[0] = t[0]
}

func @k(n: symbol, x: c128[n]) {
  call @fft(1, n, 1, -1, x)
}
)";

TEST(CLibraries, TransformsAreFftwsWhereAUserSaysSo) {
  const Emitted port = emitted(kTransform, {.fftw = true});
  const std::string& text = port.files.at(3).text;
  EXPECT_THAT(text, HasSubstr(R"(
// In place, by FFTW, whose planner serves one thread at a time.
static int fft(int64_t outer, int64_t n, int64_t inner, int64_t sign, double complex* restrict x) {
  if (n < 2 || outer == 0 || inner == 0) return 0;
  const fftw_iodim64 along = {n, inner, inner};
  const fftw_iodim64 over[] = {{outer, n * inner, n * inner}, {inner, 1, 1}};
  const fftw_plan plan =
      fftw_plan_guru64_dft(1, &along, 2, over, x, x, (int)sign, FFTW_ESTIMATE);
  if (plan == NULL) return -1;
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return 0;
}
)"));
  EXPECT_THAT(text, HasSubstr("#include <complex.h>\n#include <fftw3.h>\n"));
  EXPECT_THAT(port.files.at(0).text, HasSubstr("\n#include \"k_routines.h\"\n\nint k("));
  EXPECT_THAT(port.files.at(0).text, HasSubstr("status = fft(1, n, 1, -1, x);"));
  EXPECT_THAT(text, Not(HasSubstr("helper")));
  EXPECT_THAT(port.files.at(1).text, HasSubstr("// Link it with -lfftw3 (FFTW, Debian's libfftw3-dev).\n"));
  EXPECT_THAT(port.files.at(1).text, HasSubstr("-1 out of memory"));
  EXPECT_EQ(port.recipe.libraries.at(0).header, "fftw3.h");
}

constexpr const char* kFactor = R"(
func @cholesky(outer: symbol, n: symbol, a: f64[n*n*outer]) -> (i64) routine cholesky {
  store a[0] = sqrt(a[0])
  return 0
}

func @k(n: symbol, x: f64[n*n]) -> (i64) {
  call indefinite: i64 = @cholesky(1, n, x)
  return indefinite
}
)";

TEST(CLibraries, LargeMatricesAreFactoredByLapack) {
  const Emitted port = emitted(kFactor, {.lapack = true});
  const std::string& text = port.files.at(3).text;
  EXPECT_THAT(text, HasSubstr(R"(
static int cholesky(int64_t outer, int64_t n, double* restrict a, int64_t* restrict result) {
  if (lapack_takes(n)) {
    lapack_int info = 0;
    for (int64_t o = 0; o < outer && info == 0; ++o) {
      info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, a + o * n * n, (int)n);
    }
    *result = info > 0;
    return info < 0 ? -1 : 0;
  }
  a[0] = sqrt(a[0]);
  *result = 0;
  return 0;
}
)"));
  EXPECT_THAT(text, HasSubstr("#include <lapacke.h>\n"));
  EXPECT_THAT(port.files.at(1).text,
              HasSubstr("// Link it with -llapacke (LAPACKE, Debian's liblapacke-dev).\n"));
  EXPECT_THAT(port.files.at(1).text, HasSubstr("-1 out of memory"));
}

TEST(CLibraries, WithoutLibrariesTheLoopsFactorThem) {
  const Emitted port = emitted(kFactor);
  EXPECT_THAT(port.files.at(3).text, Not(HasSubstr("LAPACK")));
  EXPECT_TRUE(port.recipe.libraries.empty());
}

TEST(CLibraries, ElseOurOwnCodeDoesThem) {
  const Emitted port = emitted(kTransform);
  EXPECT_THAT(port.files.at(3).text, HasSubstr("helper(t);"));
  EXPECT_THAT(port.files.at(3).text, Not(HasSubstr("fftw")));
  EXPECT_TRUE(port.recipe.libraries.empty());
}

}  // namespace
}  // namespace pw::backends::c
