// What emitted C looks like.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/c/emit_testing.h"
#include "backends/c/prelude.h"
#include "backends/c/spell.h"
#include "ir/op.h"

namespace pw::backends::c {
namespace {

std::string emitted(const std::string& text, bool openmp = true) {
  Program program(text);
  if (!program.module) return "";
  EmitOptions options;
  options.name = "k";
  options.openmp = openmp;
  return program.emit(options).files.at(0).text;
}

/// The entry's text.
std::string entry(const std::string& text, bool openmp = true) {
  return functions_of(emitted(text, openmp), "k");
}

/// The line of the entry that holds `part`, without its indentation.
std::string line_with(const std::string& text, const std::string& part) {
  const std::string source = entry(text);
  const std::size_t at = source.find(part);
  if (at == std::string::npos) return "no such line in\n" + source;
  const std::size_t begin = source.find_first_not_of(' ', source.rfind('\n', at) + 1);
  return source.substr(begin, source.find('\n', at) - begin);
}

std::string stored(const std::string& value, const std::string& parameters) {
  return line_with(
      "func @k(y: f64[9], " + parameters + ") -> () promoted 0 {\n  store y[0] = " + value + "\n}\n", "y[0]");
}

TEST(CExpressions, PrintNoParenthesisInVainAndNoneTooFew) {
  const std::string abc = "a: f64, b: f64, c: f64, p: bool, q: bool";
  const std::pair<const char*, const char*> cases[] = {
      {"add(add(a, b), c)", "a + b + c"},
      {"add(a, add(b, c))", "a + (b + c)"},
      {"sub(a, sub(b, c))", "a - (b - c)"},
      {"mul(add(a, b), c)", "(a + b) * c"},
      {"add(a, mul(b, c))", "a + b * c"},
      {"div(a, mul(b, c))", "a / (b * c)"},
      {"mul(div(a, b), c)", "a / b * c"},
      {"neg(add(a, b))", "-(a + b)"},
      {"neg(neg(a))", "-(-a)"},
      {"sub(a, -1.0)", "a - -1.0"},
      {"pow(add(a, b), 2.0)", "pow(a + b, 2.0)"},
      {"select(lt(a, b), a, b)", "a < b ? a : b"},
      {"select(lt(a, b), select(p, a, b), select(q, b, c))", "a < b ? (p ? a : b) : q ? b : c"},
      {"select(or(and(p, q), lt(a, b)), a, b)", "(p && q) || a < b ? a : b"},
      {"select(not(and(p, q)), a, b)", "!(p && q) ? a : b"},
      {"select(not(not(p)), a, b)", "p ? a : b"},
      {"f64(p)", "(double)p"},
      {"mul(f64(add(f32(a), f32(b))), 2.0)", "(double)((float)a + (float)b) * 2.0"},
  };
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(stored(value, abc), std::string("y[0] = ") + text + ";") << value;
  }
}

TEST(CExpressions, IntegersWrapThroughUnsigned) {
  const auto value = [](const std::string& v, const std::string& t) {
    return line_with("func @k(y: " + t + "[1], a: " + t + ", b: " + t +
                         ") -> () promoted 0 {\n  store y[0] = " + v + "\n}\n",
                     "y[0]");
  };
  EXPECT_EQ(value("add(mul(a, b), 1)", "i64"), "y[0] = (int64_t)((uint64_t)a * b + 1);");
  EXPECT_EQ(value("sub(a, mul(b, a))", "i64"), "y[0] = (int64_t)((uint64_t)a - (uint64_t)b * a);");
  EXPECT_EQ(value("add(a, -5)", "i64"), "y[0] = (int64_t)((uint64_t)a - 5);");
  EXPECT_EQ(value("mul(a, b)", "u16"), "y[0] = (uint16_t)((uint32_t)a * b);");
  EXPECT_EQ(value("add(a, b)", "i8"), "y[0] = (int8_t)(a + b);");
  EXPECT_EQ(value("add(a, b)", "u64"), "y[0] = a + b;");
  EXPECT_EQ(value("bitor(bitand(a, 3), bitxor(a, b))", "i64"), "y[0] = (a & 3) | (a ^ b);");
}

TEST(CExpressions, LiteralsReadBackToTheSameValue) {
  const std::pair<ir::Const, const char*> cases[] = {
      {ir::const_float(ir::DType::F64, 0.1), "0.1"},
      {ir::const_float(ir::DType::F64, 2), "2.0"},
      {ir::const_float(ir::DType::F64, -0.0), "-0.0"},
      {ir::const_float(ir::DType::F64, 1e300), "1e300"},
      {ir::const_float(ir::DType::F64, 1.5e-7), "1.5e-7"},
      {ir::const_float(ir::DType::F64, HUGE_VAL), "INFINITY"},
      {ir::const_float(ir::DType::F32, 0.1), "0.1f"},
      {ir::const_float(ir::DType::F32, 3), "3.0f"},
      {ir::const_int(ir::DType::I64, INT64_MIN), "INT64_MIN"},
      {ir::const_int(ir::DType::I32, INT32_MIN), "INT32_MIN"},
      {ir::const_int(ir::DType::U64, -1), "18446744073709551615u"},
      {ir::const_bool(true), "true"},
      {ir::const_complex(ir::DType::C64, {0, 1}), "CMPLXF(0.0f, 1.0f)"},
  };
  for (const auto& [constant, text] : cases) EXPECT_EQ(literal(constant).text, text);
}

TEST(CExpressions, SharedOnesGetALocalAndCheapOnesDoNot) {
  EXPECT_EQ(entry(R"(
func @k(n: symbol, x: f64[n], y: f64[n]) -> () promoted 0 {
  map (i < n) {
    store y[i] = mul(exp(add(x[i], 1.0)), sub(exp(add(x[i], 1.0)), neg(x[i])))
  }
})"),
            R"(int k(int64_t n, const double* restrict x, double* restrict y) {
  for (int64_t i = 0; i < n; ++i) {
    const double y_2 = exp(x[i] + 1.0);
    y[i] = y_2 * (y_2 - -x[i]);
  }
  return 0;
}
)");
}

TEST(CExpressions, AGraphDoesNotBecomeATree) {
  std::string value = "x[0]";
  std::string text = "func @k(x: f64[1], y: f64[1]) -> () promoted 0 {\n";
  // $-names share: the tree would have 2^200 nodes.
  text += "  $1 = add(x[0], 1.5)\n";
  for (int i = 2; i <= 200; ++i) {
    text += "  $" + std::to_string(i) + " = mul($" + std::to_string(i - 1) + ", $" + std::to_string(i - 1) +
            ")\n";
  }
  text += "  store y[0] = $200\n}\n";
  const std::string out = entry(text);
  EXPECT_NE(out.find("const double y_200 = y_199 * y_199;\n  y[0] = y_200 * y_200;"), std::string::npos)
      << out;
  EXPECT_LT(out.size(), 20000U);
}

TEST(CExpressions, ADeepOneIsCutIntoLocals) {
  std::string text = "func @k(x: f64[1], y: f64[1]) -> () promoted 0 {\n  $1 = add(x[0], 1.5)\n";
  for (int i = 2; i <= 3000; ++i) {
    text += "  $" + std::to_string(i) + " = mul(1.5, $" + std::to_string(i - 1) + ")\n";
  }
  const std::string out = entry(text + "  store y[0] = $3000\n}\n");
  EXPECT_NE(out.find("const double y_2 = "), std::string::npos);
  EXPECT_EQ(out.find("const double y_1000 = "), std::string::npos);
}

TEST(CExpressions, ElementsAreFlatIndices) {
  const std::string p =
      "x: f64[n, m, 4], z: f64[n, m + 2], n: symbol, m: symbol, i: i64 in [1, n - 1], j: i64 in [1, m - 1]";
  EXPECT_EQ(stored("x[i, j, 3]", p), "y[0] = x[(i * m + j) * 4 + 3];");
  EXPECT_EQ(stored("x[0, j - 1, 0]", p), "y[0] = x[(j - 1) * 4];");
  EXPECT_EQ(stored("z[i - 1, m - j + 1]", p), "y[0] = z[(i - 1) * (m + 2) + m - j + 1];");
  EXPECT_EQ(stored("z[(i // 2), (j % 3)]", p), "y[0] = z[i / 2 * (m + 2) + j % 3];");
  EXPECT_EQ(stored("z[0, min(i, j)]", p), "y[0] = z[min_i64(i, j)];");
  EXPECT_EQ(stored("f64(index((i - j) // 2))", p), "y[0] = (double)floor_div_i64(i - j, 2);");
}

TEST(CStatements, UpdatesAreCompound) {
  EXPECT_EQ(stored("add(y[0], a)", "a: f64"), "y[0] += a;");
  EXPECT_EQ(stored("div(y[0], sub(a, y[0]))", "a: f64"), "y[0] /= a - y[0];");
  EXPECT_EQ(stored("sub(a, y[0])", "a: f64"), "y[0] = a - y[0];");
  EXPECT_EQ(stored("add(y[1], a)", "a: f64"), "y[0] = y[1] + a;");
}

TEST(CStatements, AnElseThatIsAnIfIsElseIf) {
  EXPECT_EQ(entry(R"(
func @k(a: f64, y: f64[1]) -> () promoted 0 {
  if lt(a, 0.0) {
    store y[0] = 1.0
  } else {
    if eq(a, 0.0) {
      store y[0] = 2.0
    } else {
      store y[0] = 3.0
    }
  }
})"),
            R"(int k(double a, double* restrict y) {
  if (a < 0.0) {
    y[0] = 1.0;
  } else if (a == 0.0) {
    y[0] = 2.0;
  } else {
    y[0] = 3.0;
  }
  return 0;
}
)");
}

TEST(CStatements, HeapArraysAreFreedOnEveryWayOut) {
  EXPECT_EQ(entry(R"(
trap ValueError "negative"
func @k(n: symbol, x: f64[n], y: f64[n]) -> () promoted 0 {
  alloc small: f64[3]
  alloc t: f64[n]
  for i = range(0, n, 1) {
    trap 1 if lt(x[i], 0.0)
    store t[i] = sqrt(x[i])
    store small[0] = t[i]
    store y[i] = small[0]
  }
})"),
            R"(int k(int64_t n, const double* restrict x, double* restrict y) {
  int status = 0;
  double* t = new_array(n, sizeof(double));
  if (!t) {
    status = -1;  // out of memory
    goto cleanup;
  }
  double small[3];
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] < 0.0) {
      status = 1;  // ValueError
      goto cleanup;
    }
    t[i] = sqrt(x[i]);
    small[0] = t[i];
    y[i] = small[0];
  }
cleanup:
  free(t);
  return status;
}
)");
}

TEST(CLoops, ParallelMapsKeepTheInnerLoopAndStartThreadsWhereItPays) {
  const std::string text = R"(
func @k(n: symbol, m: symbol, x: f64[n, 4, m], y: f64[n, 4, m]) -> () promoted 0 {
  map parallel (i < n, c < 4, j < m) {
    store y[i, c, j] = mul(x[i, c, j], 2.0)
  }
  map parallel (i < 3) {
    store y[0, 0, i] = 0.0
  }
})";
  EXPECT_EQ(entry(text),
            R"(int k(int64_t n, int64_t m, const double* restrict x, double* restrict y) {
#pragma omp parallel for collapse(2) if (n * m > PARALLEL_FROM / 4)
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < 4; ++c) {
      for (int64_t j = 0; j < m; ++j) {
        y[(i * 4 + c) * m + j] = x[(i * 4 + c) * m + j] * 2.0;
      }
    }
  }
  for (int64_t i = 0; i < 3; ++i) {
    y[i] = 0.0;
  }
  return 0;
}
)");
  EXPECT_EQ(entry(text, false).find("#pragma"), std::string::npos);
}

TEST(CLoops, SumsOfARowGrowTogether) {
  EXPECT_EQ(
      entry(R"(
func @k(n: symbol, m: symbol, a: f64[n, m], b: f64[n, m, n], c: f64[n, n]) -> () promoted 0 {
  map (i < n, j < n) {
    reduce s: f64 = sum any (l < m) {
      yield mul(a[i, l], b[i, l, j])
    }
    store c[i, j] = s
  }
})"),
      R"(int k(int64_t n, int64_t m, const double* restrict a, const double* restrict b, double* restrict c) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      c[i * n + j] = 0.0;
    }
    for (int64_t l = 0; l < m; ++l) {
      for (int64_t j = 0; j < n; ++j) {
        c[i * n + j] += a[i * m + l] * b[(i * m + l) * n + j];
      }
    }
  }
  return 0;
}
)");
}

TEST(CLoops, RowsThatShareALoadGrowAtOnce) {
  EXPECT_EQ(
      entry(R"(
func @k(n: symbol, m: symbol, a: f64[n, m], b: f64[m, n], c: f64[n, n]) -> () promoted 0 {
  map parallel (i < n, j < n) {
    reduce s: f64 = sum any (l < m) {
      yield mul(a[i, l], b[l, j])
    }
    store c[i, j] = s
  }
})"),
      R"(int k(int64_t n, int64_t m, const double* restrict a, const double* restrict b, double* restrict c) {
#pragma omp parallel for if (n * n * m > PARALLEL_FROM)
  for (int64_t i0 = 0; i0 < n; i0 += 4) {
    const int64_t i1 = min_i64(i0 + 4, n);
    for (int64_t j0 = 0; j0 < n; j0 += 256) {
      const int64_t j1 = min_i64(j0 + 256, n);
      double s_row[4][256];
      for (int64_t i_at = 0; i_at < 4; ++i_at) {
        for (int64_t j = j0; j < j1; ++j) {
          s_row[i_at][j - j0] = 0.0;
        }
      }
      for (int64_t l = 0; l < m; ++l) {
        for (int64_t j = j0; j < j1; ++j) {
          for (int64_t i_at = 0; i_at < 4; ++i_at) {
            const int64_t i = min_i64(i0 + i_at, i1 - 1);
            s_row[i_at][j - j0] += a[i * m + l] * b[l * n + j];
          }
        }
      }
      for (int64_t i = i0; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j) {
          const double s = s_row[i - i0][j - j0];
          c[i * n + j] = s;
        }
      }
    }
  }
  return 0;
}
)");
}

TEST(CLoops, AShortRowNeedsNoBlocks) {
  const std::string text = entry(R"(
func @k(n: symbol, m: symbol, a: f64[n, m], b: f64[m, 64], c: f64[n, 64]) -> () promoted 0 {
  map parallel (i < n, j < 64) {
    reduce s: f64 = sum any (l < m) {
      yield mul(a[i, l], b[l, j])
    }
    store c[i, j] = s
  }
})");
  EXPECT_NE(text.find("double s_row[4][64];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("s_row[i_at][j] += a[i * m + l] * b[l * 64 + j];\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("j0"), std::string::npos) << text;
}

TEST(CLoops, RowsOfDifferentLengthsGrowAlone) {
  for (const char* loops : {"map (i < 3, j < n) {\n    reduce s: f64 = sum any (l < m)",
                            "map (i < n, j < n) {\n    reduce s: f64 = sum any (l < i)"}) {
    const std::string text =
        entry(std::string("func @k(n: symbol, m: symbol, a: f64[n, m + n], b: f64[m + n, "
                          "n], c: f64[n, n]) -> () promoted 0 {\n  ") +
              loops + R"( {
      yield mul(a[i, l], b[l, j])
    }
    store c[i, j] = s
  }
})");
    EXPECT_EQ(text.find("i0"), std::string::npos) << text;
    EXPECT_NE(text.find("c[i * n + j] += a["), std::string::npos) << text;
  }
}

TEST(CLoops, AnAxisOfOneStepIsNoLoop) {
  EXPECT_EQ(entry(R"(
func @k(n: symbol, x: f64[n, 3], y: f64[n, 1]) -> () promoted 0 {
  map (i < n, j < 1) {
    reduce s: f64 = sum sequential (k < 1) {
      yield x[i, 2*k + j]
    }
    store y[i, j] = s
  }
  map (i.2 < 1) {
    store y[0, i.2] = 0.5
  }
})"),
            R"(int k(int64_t n, const double* restrict x, double* restrict y) {
  for (int64_t i = 0; i < n; ++i) {
    double s = 0.0;
    {
      s += x[i * 3];
    }
    y[i] = s;
  }
  {
    y[0] = 0.5;
  }
  return 0;
}
)");
}

TEST(CLoops, TheTestForThreadsReadsWhatIsInScope) {
  EXPECT_EQ(line_with(R"(
func @k(n: symbol, m: symbol, x: f64[n, m], y: f64[n, m]) -> () promoted 0 {
  for parallel i = range(1, n - 1, 1) {
    map (j < i + 1, c < m) {
      store y[i, c] = add(x[i, c], f64(j))
    }
  }
})",
                      "#pragma"),
            "#pragma omp parallel for if ((n - 1 - 1) * m > PARALLEL_FROM)");
}

TEST(CLoops, OnlySumsWhoseOrderIsFreeAreSplit) {
  const auto sum = [](const std::string& order, const std::string& index) {
    return entry("func @k(n: symbol, x: f64[n, n]) -> (f64) promoted 0 {\n  reduce s: f64 = sum " + order +
                 " (i < n) {\n    yield x[" + index + "]\n  }\n  return s\n}\n");
  };
  EXPECT_NE(sum("any", "0, i").find("#pragma omp simd reduction(+ : s)\n"), std::string::npos);
  EXPECT_EQ(sum("sequential", "0, i").find("#pragma"), std::string::npos);
  EXPECT_EQ(sum("any", "i, 0").find("#pragma"), std::string::npos);
}

TEST(CLoops, StepsOfAnySign) {
  const auto head = [](const std::string& range) {
    return line_with("func @k(n: symbol, q: i64, y: f64[n]) -> () promoted 0 {\n  for i = range(" + range +
                         ") {\n    store y[i] = 0.0\n  }\n}\n",
                     "for (");
  };
  EXPECT_EQ(head("1, n - 1, 1"), "for (int64_t i = 1; i < n - 1; ++i) {");
  EXPECT_EQ(head("n - 1, -1, -1"), "for (int64_t i = n - 1; i >= 0; --i) {");
  EXPECT_EQ(head("n - 1, 3, -2"), "for (int64_t i = n - 1; i > 3; i -= 2) {");
  EXPECT_EQ(head("0, n, q"), "for (int64_t i = 0; q > 0 ? i < n : i > n; i += q) {");
}

TEST(CNames, AreTheAuthorsUnlessCHasThem) {
  const std::string out = emitted(R"(
config I: i64 = 3
func @exp(double: f64, gamma: f64) -> (f64) {
  return add(double, gamma)
}
func @k(n: symbol, I.2: f64[n], k: f64, _x: f64, log: f64) -> () promoted 0 {
  for i = range(0, n, 1) {
    store I.2[i] = mul(f64(I), k)
  }
  for i.2 = range(0, n, 1) {
    call t: f64 = @exp(k, _x)
    store I.2[i.2] = add(t, log)
  }
})");
  EXPECT_NE(out.find("enum { I_ = 3 };\n"), std::string::npos) << out;
  EXPECT_NE(out.find("static double exp_(double double_, double gamma) { return double_ + gamma; }"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("int k(int64_t n, double* restrict I_2, double k_2, double x_, double log_) {"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("    const double t = exp_(k_2, x_);\n    I_2[i] = t + log_;\n"), std::string::npos)
      << out;
}

TEST(CHeader, SaysAllThatACallerNeeds) {
  Program program(R"(assume "order = 2"
trap IndexError "index 3 is\x0a out"
func @k(n: symbol, m: symbol, x: f32[n, 2*m + 1], y: f32[n]) -> (f32) promoted 1 {
  trap 1 if gt(n, m)
  store y[0] = x[0, 0]
  return 1.0:f32
})");
  ASSERT_TRUE(program.module);
  EmitOptions options;
  options.name = "k";
  options.run_dtype = ir::DType::F32;
  options.source_path = "kernels/k_numpy.py";
  options.source_sha256 = "00ff";
  options.portwright_version = "0.1.0";
  const Emitted port = program.emit(options);
  EXPECT_EQ(port.symbol, "k_f32");
  EXPECT_EQ(port.checked, "k_f32_checked");
  ASSERT_EQ(port.files.size(), 3U);
  EXPECT_EQ(port.files[0].name, "k_f32.c");
  EXPECT_EQ(port.files[1].name, "k_f32.h");
  EXPECT_EQ(port.files[2].name, "portwright.h");
  const std::string& text = port.files[1].text;
  EXPECT_TRUE(
      text.starts_with("// k_f32: the kernel k in C11 (float32), made by portwright 0.1.0.\n"
                       "// Source: kernels/k_numpy.py\n// sha256: 00ff\n//\n//   gcc -O3 "))
      << text;
  EXPECT_EQ(text.substr(text.find("// Arguments")),
            R"(// Arguments (arrays are row-major and do not overlap; integers lie in [-2^31, 2^31]):
//   int64_t n, a size
//   int64_t m, a size
//   float x[n][2 * m + 1]
//   float y[n], written
//   float result, written: what the kernel returns
//
// Assumptions:
//   order = 2
//
// Status:
//   0 done
//   1 IndexError: index 3 is  out (k.pwir:2)
#ifndef K_F32_H
#define K_F32_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int k_f32(int64_t n, int64_t m, const float* x, float* y, float* result);

// k_f32, after a check of its arguments. Status besides: -2 an array is NULL, -3 two arrays
// overlap, -4 a size and -5 an integer is out of range.
int k_f32_checked(int64_t n, int64_t m, const float* x, float* y, float* result);

#ifdef __cplusplus
}
#endif

#endif
)");
}

TEST(CBackend, IncludesWhatOnlyExpressionsNeed) {
  const std::string text =
      emitted("func @k(y: f64[9], a: f64) -> () promoted 0 {\n  store y[0] = imag(complex(a, 1.0))\n}\n");
  EXPECT_NE(text.find("#include <complex.h>"), std::string::npos) << text;
}

TEST(CBackend, CountsWhatIsInfiniteAsOne) {
  const std::string text =
      emitted("func @k(y: i32[9], a: f64) -> () promoted 0 {\n  store y[0] = i32(isinf(a))\n}\n");
  EXPECT_NE(text.find("y[0] = (int32_t)isinf_f64(a);"), std::string::npos) << text;
  EXPECT_NE(text.find("#include \"portwright.h\""), std::string::npos) << text;
  EXPECT_NE(support_text().find("static inline bool isinf_f64(double a)"), std::string::npos);
}

TEST(CBackend, HasAWordForEveryOp) {
  for (std::size_t i = 0; i < ir::op_rows().size(); ++i) {
    const auto op = static_cast<ir::Op>(i);
    for (std::size_t t = 0; t < ir::kDTypeCount; ++t) {
      const auto type = static_cast<ir::DType>(t);
      std::vector<ir::DType> types(ir::row(op).arity, type);
      if (ir::row(op).rule == ir::TypeRule::Choice) types[0] = ir::DType::Bool;
      if (!ir::op_result(op, types)) continue;
      EXPECT_NE(spelling(op, type), nullptr) << ir::row(op).name << " of " << ir::row(type).text;
    }
  }
}

TEST(CBackend, RefusesAnExtremeOfComplexNumbersWhereItStands) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const auto file = sources.add("k.pwir", R"(func @k(n: symbol, x: c128[n]) -> (c128) promoted 0 {
  reduce s: c128 = max any (i < n) {
    yield x[i]
  }
  return s
})");
  const auto module = ir::parse(file, sources, engine);
  ASSERT_TRUE(module);
  EXPECT_FALSE(kBackend.emit(*module, {}, engine));
  ASSERT_EQ(engine.all().size(), 1U);
  EXPECT_TRUE(
      diagnostics::to_text(engine.all()[0], sources)
          .starts_with(
              "k.pwir:2:3: backend-refused: the C backend has no code for an extreme of complex numbers"))
      << diagnostics::to_text(engine.all()[0], sources);
}

}  // namespace
}  // namespace pw::backends::c
