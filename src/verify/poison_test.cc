// Which outputs may start poisoned, by what the IR reads.
#include "verify/poison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "diagnostics/engine.h"
#include "ir/parser.h"

namespace pw::verify {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Of `func @f(n: symbol, y: f64[n], z: f64[n, 1], k: i64[n])` with this body.
std::vector<std::size_t> overwritten_by(const std::string& body) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const base::FileId file = sources.add(
      "test.ir", "func @f(n: symbol, y: f64[n], z: f64[n, 1], k: i64[n]) {\n" + body + "return\n}\n");
  const auto module = ir::parse(file, sources, engine);
  EXPECT_TRUE(module) << body;
  return module ? overwritten(*module) : std::vector<std::size_t>{99};
}

TEST(Overwritten, OutputsThatNobodyReads) {
  EXPECT_THAT(overwritten_by(""), IsEmpty());
  EXPECT_THAT(overwritten_by("map (i < n) {\nstore y[i] = 1.0\nstore z[i, 0] = 2.0\n}\n"), ElementsAre(1, 2));
  EXPECT_THAT(overwritten_by("if lt(3, n) {\nstore y[3] = 1.0\n}\n"), ElementsAre(1));
}

TEST(Overwritten, NotWhatIsReadFirst) {
  EXPECT_THAT(overwritten_by("map (i < n) {\nstore y[i] = mul(y[i], 0.0)\n}\n"), IsEmpty());
  EXPECT_THAT(overwritten_by("map (i < n) {\nstore y[k[i]] = 0.0\nstore k[i] = 0\n}\n"), ElementsAre(1));
  EXPECT_THAT(overwritten_by("if lt(y[0], 1.0) {\nstore y[0] = 1.0\n}\n"), IsEmpty());
}

TEST(Overwritten, WhatIsFilledWholeMayBeReadThen) {
  const std::string reads = "map (i < n) {\nstore z[i, 0] = y[i]\n}\n";
  EXPECT_THAT(overwritten_by("map (i < n) {\nstore y[i] = 1.0\n}\n" + reads), ElementsAre(1, 2));
  EXPECT_THAT(overwritten_by("map (i < n - 1) {\nstore y[i] = 1.0\n}\n" + reads), ElementsAre(2));
  EXPECT_THAT(overwritten_by("map (i < n) {\nstore y[n - i - 1] = 1.0\n}\n" + reads), ElementsAre(2));
  EXPECT_THAT(overwritten_by("if lt(3, n) {\nmap (i < n) {\nstore y[i] = 1.0\n}\n}\n" + reads),
              ElementsAre(2));
  EXPECT_THAT(overwritten_by("map (i < n) {\nif lt(i, 3) {\nstore y[i] = 1.0\n}\n}\n" + reads),
              ElementsAre(2));
}

TEST(Overwritten, AnElementThatWasStoredMayBeReadInItsBlock) {
  const auto body = [](const std::string& head, const std::string& read) {
    return "for i = range(0, n, 1) {\n" + head + "for j = range(0, n, 1) {\nstore y[i] = add(" + read +
           ", 1.0)\n}\n}\n";
  };
  EXPECT_THAT(overwritten_by(body("store y[i] = 0.0\n", "y[i]")), ElementsAre(1));
  EXPECT_THAT(overwritten_by(body("store y[i] = 0.0\n", "y[n - i - 1]")), IsEmpty());
  EXPECT_THAT(overwritten_by(body("store y[k[i]] = 0.0\n", "y[k[i]]")), IsEmpty());
  EXPECT_THAT(overwritten_by(body("", "y[i]")), IsEmpty());
  EXPECT_THAT(overwritten_by("var v: i64 = 0\nstore y[v] = 0.0\nset v = 1\nstore z[0, 0] = y[v]\n"),
              ElementsAre(2));
}

TEST(Poison, IsSeenWhereADTypeHasNaN) {
  std::array<float, 3> numbers{};
  const auto bytes = std::as_writable_bytes(std::span(numbers));
  EXPECT_EQ(first_unwritten("float32", bytes), std::nullopt);
  poison("float32", bytes.subspan(8));
  EXPECT_EQ(first_unwritten("float32", bytes), 2u);
  EXPECT_TRUE(numbers[2] != numbers[2]);
  poison("int32", bytes);
  EXPECT_EQ(first_unwritten("int32", bytes), std::nullopt);
  EXPECT_EQ(bytes[0], std::byte{0xA5});
}

}  // namespace
}  // namespace pw::verify
