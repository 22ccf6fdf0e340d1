#include "verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

namespace pw::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
constexpr double kMax = std::numeric_limits<double>::max();

template <typename T>
Comparison check(std::string_view dtype, std::vector<T> got, std::vector<T> want, double rtol) {
  return compare(dtype, std::as_bytes(std::span(got)), std::as_bytes(std::span(want)), {rtol});
}

double other_nan() { return std::copysign(kNan, -1.0); }

TEST(Compare, BitForBit) {
  const struct {
    double got, want;
    bool agrees;
  } rows[] = {
      {1.0, 1.0, true},
      {1.0, std::nextafter(1.0, 2.0), false},
      {kNan, other_nan(), true},
      {kNan, 1.0, false},
      {1.0, kNan, false},
      {-0.0, 0.0, false},
      {0.0, 0.0, true},
      {kInf, kInf, true},
      {kInf, -kInf, false},
      {kDenormal, 0.0, false},
      {kDenormal, kDenormal, true},
      {kMax, kInf, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(check<double>("float64", {row.got}, {row.want}, 0).agrees(), row.agrees)
        << row.got << " against " << row.want;
  }
}

TEST(Compare, ByPolicy) {
  const struct {
    double got, want;
    bool agrees;
  } rows[] = {
      {1.0, 1.0 + 1e-12, true}, {1.0, 1.0 + 1e-8, false}, {kNan, other_nan(), true}, {kNan, 1.0, false},
      {1.0, kNan, false},       {kInf, kInf, true},       {kInf, -kInf, false},      {kMax, kInf, false},
      {kInf, kMax, false},      {-0.0, 0.0, true},        {kMax, -kMax, false},      {kMax / 2, kMax, false},
      {kDenormal, 0.0, false},  // zeros are all there is: nothing but zero is near
  };
  for (const auto& row : rows) {
    EXPECT_EQ(check<double>("float64", {row.got}, {row.want}, 1e-9).agrees(), row.agrees)
        << row.got << " against " << row.want;
  }
}

TEST(Compare, PolicyIsRelativeToTheArraysLargest) {
  EXPECT_TRUE(check<double>("float64", {1e-12, 1.0}, {0.0, 1.0}, 1e-9).agrees());
  EXPECT_FALSE(check<double>("float64", {1e-8, 1.0}, {0.0, 1.0}, 1e-9).agrees());
  // An infinity does not make all else admissible.
  EXPECT_FALSE(check<double>("float64", {2.0, kInf}, {1.0, kInf}, 1e-9).agrees());
}

TEST(Compare, SaysWhereItIsWorst) {
  const Comparison result = check<double>("float64", {1, 2.5, 9, 4}, {1, 2, 3, 4}, 0);
  EXPECT_EQ(result.compared, 4u);
  EXPECT_EQ(result.missed, 2u);
  EXPECT_EQ(result.worst_index, 2u);
  EXPECT_EQ(result.got, "9");
  EXPECT_EQ(result.want, "3");
  EXPECT_NEAR(result.worst_error, 6.0 / 7.0, 1e-12);
  EXPECT_EQ(check<double>("float64", {1, kNan}, {7, 1}, 1e-9).worst_index, 1u);
}

TEST(Compare, Complex) {
  using C = std::complex<double>;
  EXPECT_TRUE(check<C>("complex128", {{1, kNan}}, {{1, kNan}}, 0).agrees());
  EXPECT_FALSE(check<C>("complex128", {{1, -0.0}}, {{1, 0.0}}, 0).agrees());
  EXPECT_TRUE(check<C>("complex128", {{1, 1e-12}}, {{1, 0}}, 1e-9).agrees());
  EXPECT_FALSE(check<C>("complex128", {{1, 1e-6}}, {{1, 0}}, 1e-9).agrees());
  EXPECT_TRUE(check<C>("complex128", {{kInf, kNan}}, {{kInf, 1}}, 1e-9).agrees());
  EXPECT_FALSE(check<C>("complex128", {{kNan, 1}}, {{1, 1}}, 1e-9).agrees());
  EXPECT_FALSE(check<std::complex<float>>("complex64", {{1, 1}}, {{1, 2}}, 1e-4).agrees());
}

TEST(Compare, WholeNumbersAreExactUnderAnyPolicy) {
  EXPECT_FALSE(check<std::int64_t>("int64", {1'000'000'001}, {1'000'000'000}, 1e-4).agrees());
  EXPECT_FALSE(check<std::int32_t>("int32", {1, 2}, {1, 3}, 1e-4).agrees());
  EXPECT_FALSE(check<std::uint16_t>("uint16", {1}, {2}, 1e-4).agrees());
  EXPECT_FALSE(check<std::uint8_t>("bool", {1}, {0}, 1e-4).agrees());
  EXPECT_FALSE(check<std::int8_t>("int4", {1}, {-1}, 1e-4).agrees());
  EXPECT_TRUE(check<std::uint64_t>("uint64", {~0ull}, {~0ull}, 0).agrees());
  EXPECT_EQ(check<std::int8_t>("int8", {-3}, {-4}, 0).got, "-3");
}

TEST(Compare, PolicyByDtype) {
  EXPECT_EQ(policy_tolerance("float64", "float64").rtol, 1e-9);
  EXPECT_EQ(policy_tolerance("complex128", "float64").rtol, 1e-9);
  EXPECT_EQ(policy_tolerance("float32", "float64").rtol, 1e-4);
  EXPECT_EQ(policy_tolerance("complex64", "float64").rtol, 1e-4);
  EXPECT_EQ(policy_tolerance("float64", "float32").rtol, 1e-4);
}

TEST(Compare, IndexText) {
  EXPECT_EQ(index_text(7, {2, 3, 4}), "[0, 1, 3]");
  EXPECT_EQ(index_text(0, {}), "[]");
}

}  // namespace
}  // namespace pw::verify
