// Sparse matrices of every layout, staged and evaluated, against the dense matrix that they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/numpy/stage_case.h"

namespace pw::numpy {
namespace {

using ::testing::ElementsAre;
using Role = SparseArgument::Role;
using End = CaseOutcome::End;
using Shape = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

/// The matrix that all of this is about:  1 0 2 0 / 0 3 0 0 / 0 0 4 5 / 6 0 0 0
constexpr double kDense[4][4] = {{1, 0, 2, 0}, {0, 3, 0, 0}, {0, 0, 4, 5}, {6, 0, 0, 0}};

CaseSparse::Buffer numbers(Role role, const std::string& name, const std::vector<std::int64_t>& values,
                           const std::string& extent) {
  CaseArray array = case_array(ir::DType::I64, {static_cast<std::int64_t>(values.size())});
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return {name, role, std::move(array), {extent}};
}

CaseSparse::Buffer data(const std::vector<double>& values, const Shape& shape, const Texts& extents) {
  CaseArray array = case_array(ir::DType::F64, shape);
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return {"A_data", Role::Data, std::move(array), extents};
}

struct Layout {
  std::string name;
  CaseSparse matrix;
  std::map<std::string, std::int64_t> symbols;
};

CaseSparse compressed(const std::string& format, const std::vector<std::int64_t>& indptr,
                      const std::vector<std::int64_t>& indices, CaseSparse::Buffer stored,
                      const std::string& lines) {
  return {format,
          true,
          {"n", "n"},
          {numbers(Role::Indptr, "A_indptr", indptr, lines),
           numbers(Role::Indices, "A_indices", indices, "nnz"), std::move(stored)}};
}

CaseSparse coordinates(const std::string& format, const std::vector<std::int64_t>& rows,
                       const std::vector<std::int64_t>& columns, CaseSparse::Buffer stored) {
  return {format,
          true,
          {"n", "n"},
          {numbers(Role::Row, "A_row", rows, "nnz"), numbers(Role::Col, "A_col", columns, "nnz"),
           std::move(stored)}};
}

const std::vector<double> kBlocks = {1, 0, 0, 3, 2, 0, 0, 0, 0, 0, 6, 0, 4, 5, 0, 0};

Layout csr() {
  return {
      "csr",
      compressed("csr", {0, 2, 3, 5, 6}, {0, 2, 1, 2, 3, 0}, data({1, 2, 3, 4, 5, 6}, {6}, {"nnz"}), "n + 1"),
      {{"n", 4}, {"nnz", 6}}};
}

std::vector<Layout> layouts() {
  const Texts blocks = {"nnz", "R", "C"};
  return {
      csr(),
      {"csc",
       compressed("csc", {0, 2, 3, 5, 6}, {0, 3, 1, 0, 2, 2}, data({1, 6, 3, 2, 4, 5}, {6}, {"nnz"}),
                  "n + 1"),
       {{"n", 4}, {"nnz", 6}}},
      {"bcsr of 2 x 2",
       compressed("bcsr", {0, 2, 4}, {0, 1, 0, 1}, data(kBlocks, {4, 2, 2}, blocks), "NBR + 1"),
       {{"n", 4}, {"nnz", 4}, {"NBR", 2}, {"R", 2}, {"C", 2}}},
      {"bcsr of 1 x 1",
       compressed("bcsr", {0, 2, 3, 5, 6}, {0, 2, 1, 2, 3, 0}, data({1, 2, 3, 4, 5, 6}, {6, 1, 1}, blocks),
                  "NBR + 1"),
       {{"n", 4}, {"nnz", 6}, {"NBR", 4}, {"R", 1}, {"C", 1}}},
      {"coo with an entry in two parts",
       coordinates("coo", {0, 0, 1, 2, 2, 3, 3}, {0, 2, 1, 2, 3, 0, 0},
                   data({1, 2, 3, 4, 5, 2, 4}, {7}, {"nnz"})),
       {{"n", 4}, {"nnz", 7}}},
      {"bcoo",
       coordinates("bcoo", {0, 0, 1, 1}, {0, 1, 0, 1}, data(kBlocks, {4, 2, 2}, blocks)),
       {{"n", 4}, {"nnz", 4}, {"R", 2}, {"C", 2}}},
      {"dia",
       {"dia",
        true,
        {"n", "n"},
        {data({1, 3, 4, 0, 9, 0, 0, 5, 9, 9, 2, 0, 6, 9, 9, 9}, {4, 4}, {"ND", "n"}),
         numbers(Role::Offsets, "A_offsets", {0, 1, 2, -3}, "ND")}},
       {{"n", 4}, {"ND", 4}}},
  };
}

CaseOutcome run(const std::string& source, const Layout& layout, std::vector<CaseArgument> more = {}) {
  StageCase what;
  what.source = "import numpy as np\nimport scipy.sparse as sp\n" + source;
  what.arguments.push_back({"A", layout.matrix, {}, false});
  for (CaseArgument& each : more) what.arguments.push_back(std::move(each));
  what.symbols = layout.symbols;
  return run_case(what);
}

std::vector<double> values(const CaseArray& array) {
  std::vector<double> out(array.bytes.size() / sizeof(double));
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

CaseArgument vector_of(const std::string& name, const std::vector<double>& numbers) {
  return array_argument<double>(name, ir::DType::F64, {"n"}, {4}, numbers);
}

std::vector<double> times(const std::vector<double>& x, bool turned) {
  std::vector<double> out(4, 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) out[i] += (turned ? kDense[j][i] : kDense[i][j]) * x[j];
  }
  return out;
}

TEST(Sparse, EveryLayoutIsItsMatrix) {
  const std::vector<double> x = {1, 10, 100, 1000};
  std::vector<double> dense;
  for (const auto& row : kDense) dense.insert(dense.end(), std::begin(row), std::end(row));
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const CaseOutcome out =
        run("def f(A, x):\n    X = np.stack((x, 2.0 * x), axis=1)\n    return (A @ x, A.T.dot(x), x @ A, "
            "A.toarray(), "
            "A.diagonal(), A @ X, (A.transpose() @ X)[:, 1], (X.T @ A)[1], (-A * 2.0) @ x, A.copy() * x)\n",
            layout, {vector_of("x", x)});
    ASSERT_EQ(out.end, End::Returned) << out.text;
    const std::vector<double> ax = times(x, false);
    const std::vector<double> atx = times(x, true);
    std::vector<double> both;
    std::vector<double> twice;
    std::vector<double> minus;
    for (const double each : ax) both.insert(both.end(), {each, 2 * each});
    for (const double each : ax) minus.push_back(-2 * each);
    for (const double each : atx) twice.push_back(2 * each);
    EXPECT_EQ(values(out.results[0]), ax);
    EXPECT_EQ(values(out.results[1]), atx);
    EXPECT_EQ(values(out.results[2]), atx);
    EXPECT_EQ(values(out.results[3]), dense);
    EXPECT_THAT(values(out.results[4]), ElementsAre(1, 3, 4, 0));
    EXPECT_EQ(values(out.results[5]), both);
    EXPECT_EQ(values(out.results[6]), twice);
    EXPECT_EQ(values(out.results[7]), twice);
    EXPECT_EQ(values(out.results[8]), minus);
    EXPECT_EQ(values(out.results[9]), ax);
  }
}

TEST(Sparse, SumsWithArraysAreMatricesToBeStored) {
  const std::string source =
      "def f(A, C):\n    C[:] = 2.0 * (A @ A) + 3.0 * C\n    D = np.asarray(A + C) - np.array(C - A)\n"
      "    return A.todense() + C, D\n";
  const CaseOutcome out = run(
      source, csr(), {array_argument<double>("C", ir::DType::F64, {"n", "n"}, {4, 4}, std::vector(16, 1.0))});
  // The kernel may return no np.matrix.
  EXPECT_EQ(out.end, End::Refused);
  const CaseOutcome kept = run(
      "def f(A, C):\n    C[:] = 2.0 * (A @ A) + 3.0 * C\n    return np.asarray(A + C) - np.array(C - A)\n",
      csr(), {array_argument<double>("C", ir::DType::F64, {"n", "n"}, {4, 4}, std::vector(16, 1.0))});
  ASSERT_EQ(kept.end, End::Returned) << kept.text;
  const std::vector<double> c = values(kept.arguments.back());
  const std::vector<double> twice = values(kept.results[0]);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double square = 0;
      for (std::size_t k = 0; k < 4; ++k) square += kDense[i][k] * kDense[k][j];
      EXPECT_EQ(c[4 * i + j], 2 * square + 3);
      EXPECT_EQ(twice[4 * i + j], 2 * kDense[i][j]);
    }
  }
}

TEST(Sparse, DeclinesIndicesOutOfRange) {
  using Numbers = std::vector<std::int64_t>;
  const Numbers starts = {0, 2, 3, 5, 6};
  const Numbers columns = {0, 2, 1, 2, 3, 0};
  const std::pair<Numbers, Numbers> wrong[] = {
      {starts, {0, 2, 1, 2, 4, 0}}, {starts, {0, -1, 1, 2, 3, 0}}, {{0, 2, 1, 5, 6}, columns},
      {{-1, 2, 3, 5, 6}, columns},  {{0, 2, 3, 5, 7}, columns},
  };
  for (const auto& [indptr, indices] : wrong) {
    Layout layout = csr();
    layout.matrix = compressed("csr", indptr, indices, data({1, 2, 3, 4, 5, 6}, {6}, {"nnz"}), "n + 1");
    const CaseOutcome out = run("def f(A, x):\n    return A @ x\n", layout, {vector_of("x", {1, 1, 1, 1})});
    ASSERT_EQ(out.end, End::Trapped) << out.text;
    EXPECT_EQ(out.trap, ir::TrapKind::Assumption);
  }
  for (Layout& layout : std::vector{layouts()[4], layouts()[5], layouts()[6]}) {
    CaseArray& first = layout.matrix.buffers[layout.name == "dia" ? 1 : 0].array;
    const std::int64_t far = layout.name == "dia" ? -4 : 4;
    std::memcpy(first.bytes.data(), &far, sizeof far);
    const CaseOutcome out = run("def f(A, x):\n    return A @ x\n", layout, {vector_of("x", {1, 1, 1, 1})});
    EXPECT_EQ(out.end, End::Trapped) << layout.name << out.text;
  }
}

TEST(Sparse, DeclinesBlocksThatDoNotCoverTheMatrix) {
  Layout layout = layouts()[2];
  layout.symbols["n"] = 5;
  const CaseOutcome out =
      run("def f(A, x):\n    return A @ x\n", layout,
          {array_argument<double>("x", ir::DType::F64, {"n"}, {5}, std::vector<double>(5, 1.0))});
  EXPECT_EQ(out.end, End::Trapped) << out.text;
}

TEST(Sparse, KnowsWhatItIs) {
  const CaseOutcome out =
      run("def f(A, x):\n    rows, columns = A.shape\n    known = sp.issparse(A) and A.format == 'csr' and "
          "A.ndim == 2\n"
          "    known = known and not sp.issparse(x) and A.T.format == 'csc' and A.dtype == np.float64\n"
          "    if known:\n        return rows + columns + A.nnz\n    return 0\n",
          csr(), {vector_of("x", {1, 1, 1, 1})});
  ASSERT_EQ(out.end, End::Returned) << out.text;
  std::int64_t total = 0;
  std::memcpy(&total, out.results[0].bytes.data(), sizeof total);
  EXPECT_EQ(total, 14);
}

TEST(Sparse, ConvertsToTheFormatThatItHas) {
  for (const Layout& layout : layouts()) {
    if (layout.name.find("bco") != std::string::npos || layout.name.find("bcs") != std::string::npos)
      continue;
    const std::string format = layout.matrix.format;
    const CaseOutcome out =
        run("def f(A, x):\n    same = A.to" + format + "().asformat('" + format +
                "')\n    return same @ x, np.asarray(same.todense()), sp.isspmatrix(same)\n",
            layout, {vector_of("x", {1, 10, 100, 1000})});
    ASSERT_EQ(out.end, End::Returned) << layout.name << out.text;
    EXPECT_EQ(values(out.results[0]), times({1, 10, 100, 1000}, false)) << layout.name;
    EXPECT_EQ(values(out.results[1])[2], 2.0) << layout.name;
    EXPECT_EQ(out.results[2].bytes[0], std::byte{1}) << layout.name;
  }
}

TEST(Sparse, RefusesWhatItDoesNotDoExactly) {
  const auto rules = [](const std::string& body, bool is_matrix = true) {
    Layout layout = csr();
    layout.matrix.is_matrix = is_matrix;
    return run("def f(A, x):\n" + body, layout, {vector_of("x", {1, 1, 1, 1})}).rules;
  };
  EXPECT_THAT(rules("    A.data[0] = 1.0\n    return A @ x\n"), ElementsAre("numpy-sparse-store"));
  EXPECT_THAT(rules("    return A.indices[0]\n"), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    return (A + A) @ x\n"), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    return A * x\n", false), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    A *= 2.0\n    return A @ x\n"), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    return (A @ A) @ x\n"), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    return (A.T @ A.T).toarray()\n"), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    return A.todense() @ x\n"), ElementsAre("numpy-sparse-use"));
  EXPECT_THAT(rules("    return A.tocsc() @ x\n"), ElementsAre("numpy-unsupported"));
  EXPECT_THAT(rules("    return A.tocoo() @ x\n"), ElementsAre("numpy-unsupported"));
  EXPECT_THAT(rules("    return A.todia() @ x\n"), ElementsAre("numpy-unsupported"));
}

}  // namespace
}  // namespace pw::numpy
