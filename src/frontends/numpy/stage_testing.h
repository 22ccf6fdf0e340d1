// Small functions staged and run by ir::eval: what tests of staging share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "frontends/numpy/stage_case.h"

namespace pw::numpy {

using End = CaseOutcome::End;

/// f(x, k, s, a): x (n,) float64, k (m,) int64, s a Python float, a (n, m) float64; `source` is the whole
/// def.
inline CaseOutcome run_source(const std::string& source) {
  StageCase what;
  what.source = "import numpy as np\nimport math\nimport json\n" + source;
  what.symbols = {{"n", 4}, {"m", 3}};
  what.arguments = {array_argument<double>("x", ir::DType::F64, {"n"}, {4}, {1.0, -2.0, 3.0, 0.5}),
                    array_argument<std::int64_t>("k", ir::DType::I64, {"m"}, {3}, {2, -1, 0}),
                    {"s", ir::const_float(ir::DType::F64, 0.5), {}, true},
                    array_argument<double>("a", ir::DType::F64, {"n", "m"}, {4, 3},
                                           {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})};
  return run_case(what);
}

inline CaseOutcome run(const std::string& body) {
  std::string indented;
  std::string line;
  for (const char c : body + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    indented += "    " + line + "\n";
    line.clear();
  }
  return run_source("def f(x, k, s, a):\n" + indented);
}

inline std::vector<double> values(const CaseArray& array) {
  std::vector<double> out;
  for (std::size_t i = 0; i < element_count(array.shape); ++i) {
    if (array.type == ir::DType::F64) {
      double value = 0;
      std::memcpy(&value, array.bytes.data() + i * 8, 8);
      out.push_back(value);
    } else if (array.type == ir::DType::I64) {
      std::int64_t value = 0;
      std::memcpy(&value, array.bytes.data() + i * 8, 8);
      out.push_back(static_cast<double>(value));
    } else {
      out.push_back(static_cast<double>(array.bytes[i] != std::byte{0}));
    }
  }
  return out;
}

/// The array x after the run.
inline std::vector<double> x_after(const std::string& body) {
  const CaseOutcome outcome = run(body);
  EXPECT_EQ(outcome.end, End::Returned) << outcome.text;
  return outcome.arguments.empty() ? std::vector<double>() : values(outcome.arguments[0]);
}

inline std::vector<double> result(const std::string& body) {
  const CaseOutcome outcome = run(body);
  EXPECT_EQ(outcome.end, End::Returned) << outcome.text;
  return outcome.results.empty() ? std::vector<double>() : values(outcome.results[0]);
}

}  // namespace pw::numpy
