#include "verify/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pw::verify {
namespace {

using testing::ElementsAre;

class Sizes : public testing::Test {
 protected:
  manifest::Manifest load(const std::string& text) {
    const base::FileId file = sources.add("k.yaml", text);
    diagnostics::Engine engine(sources);
    auto manifest = manifest::load(file, sources, engine);
    for (const auto& d : engine.all()) ADD_FAILURE() << diagnostics::to_text(d, sources);
    return std::move(*manifest);
  }
  std::vector<std::string> names(const manifest::Manifest& m) {
    sizes = generated_sizes(m, m.presets.front(), manifest::port_rows(m).front(), sources);
    std::vector<std::string> out;
    for (const Size& size : sizes.sizes) out.push_back(size.name);
    return out;
  }
  base::Sources sources;
  GeneratedSizes sizes;
};

constexpr const char* kTail = "output_args: [a]\n";

TEST_F(Sizes, DistinctPrimesOnesAndATileAndOne) {
  const auto m = load("parameters:\n  S: {rows: 60, columns: 50}\ninit:\n  arrays: {a: '(rows, columns)'}\n" +
                      std::string(kTail));
  EXPECT_THAT(names(m), ElementsAre("11x13", "1x1", "64x65"));
  EXPECT_EQ(sizes.sizes[0].symbols.at("rows"), 11);
  EXPECT_EQ(sizes.sizes[0].symbols.at("columns"), 13);
  EXPECT_TRUE(sizes.dropped.empty());
}

TEST_F(Sizes, OneSymbolIsOneMoreThanATile) {
  const auto m = load("parameters:\n  S: {N: 9}\ninit:\n  arrays: {a: '(N, N)'}\n" + std::string(kTail));
  EXPECT_THAT(names(m), ElementsAre("11", "1", "65"));
}

TEST_F(Sizes, KnobsKeepTheirValues) {
  const auto m = load("parameters:\n  S: {steps: 7, N: 9, flag: true}\ninit:\n  arrays: {a: '(N,)'}\n" +
                      std::string(kTail));
  EXPECT_THAT(extent_symbols(m, m.presets.front()), ElementsAre("N"));
  EXPECT_THAT(names(m), ElementsAre("11", "1", "65"));
  EXPECT_EQ(sizes.sizes[0].symbols.count("steps"), 0u);
}

TEST_F(Sizes, WhatThePortIsSpecialisedToKeepsItsValue) {
  const auto m =
      load("parameters:\n  S: {pad: 1, N: 9}\ninit:\n  arrays: {a: '(N, pad)'}\n" + std::string(kTail));
  const GeneratedSizes out =
      generated_sizes(m, m.presets.front(), manifest::port_rows(m).front(), sources, {{"pad", 1}});
  ASSERT_EQ(out.sizes.size(), 3u);
  EXPECT_EQ(out.sizes[0].name, "11");
  EXPECT_EQ(out.sizes[0].symbols.count("pad"), 0u);
}

TEST_F(Sizes, ManySymbolsGetSmallerNumbers) {
  const auto m =
      load("parameters:\n  S: {A: 2, B: 2, C: 2, D: 2, E: 2}\ninit:\n  arrays: {a: '(A, B, C, D, E)'}\n" +
           std::string(kTail));
  EXPECT_THAT(names(m), ElementsAre("3x5x7x11x13", "1x1x1x1x1", "4x5x6x7x8"));
}

TEST_F(Sizes, AConstraintDropsASizeAndSaysSo) {
  const auto m = load(
      "parameters:\n  S: {N: 16}\nconstraints: [N % 13 == 0 or N > 20 or N == 16]\ninit:\n"
      "  arrays: {a: '(N,)'}\n" +
      std::string(kTail));
  EXPECT_THAT(names(m), ElementsAre("65"));
  EXPECT_THAT(sizes.dropped, ElementsAre("11 (constraint N % 13 == 0 or N > 20 or N == 16)",
                                         "1 (constraint N % 13 == 0 or N > 20 or N == 16)"));
}

TEST_F(Sizes, AShapeWithoutAValueDropsASize) {
  const auto m = load("parameters:\n  S: {N: 16}\ninit:\n  arrays: {a: '(N - 2,)'}\n" + std::string(kTail));
  EXPECT_THAT(names(m), ElementsAre("11", "65"));
  EXPECT_THAT(sizes.dropped, ElementsAre("1 (a shape has no value)"));
}

TEST_F(Sizes, ASparseMatrixGetsAQuarterOfItsElements) {
  const auto m = load(
      "parameters:\n  S: {N: 100, entries: 900}\ninit:\n  func_name: initialize\n  input_args: [N, entries]\n"
      "  output_args: [A, a]\n  arrays: {a: '(N,)'}\n" +
      std::string(kTail) +
      "sparse_layouts:\n  A:\n    logical_shape: [N, 2 * N]\n    default_dtype: float64\n    variants:\n"
      "      coo:\n        buffers:\n"
      "          - {role: row, name: A_row, shape: [entries], dtype: int64}\n"
      "          - {role: col, name: A_col, shape: [entries], dtype: int64}\n"
      "          - {role: data, name: A_data, shape: [entries], dtype: float64}\n"
      "configurations: {coo: {A: coo}}\n");
  EXPECT_THAT(names(m), ElementsAre("11", "1", "65"));
  EXPECT_EQ(sizes.sizes[0].symbols.at("entries"), 61);
  EXPECT_EQ(sizes.sizes[1].symbols.at("entries"), 1);
}

TEST_F(Sizes, NoSymbolInAnExtentIsNoSize) {
  const auto m = load("parameters:\n  S: {steps: 16}\ninit:\n  arrays: {a: '(3,)'}\n" + std::string(kTail));
  EXPECT_TRUE(names(m).empty());
}

}  // namespace
}  // namespace pw::verify
