#include "frontends/manifest/expression.h"

#include <gtest/gtest.h>

#include <functional>

namespace pw::manifest {
namespace {

class ExpressionTest : public ::testing::Test {
 protected:
  std::vector<Expression> shape(const std::string& text) {
    const base::Result<std::vector<Expression>> out = parse_shape({text, {}}, engine_);
    EXPECT_TRUE(out) << text;
    return out.value_or(std::vector<Expression>());
  }
  std::int64_t value(const std::string& text, const Symbols& symbols = {}) {
    const base::Result<Expression> out = parse_constraint({text, {}}, engine_);
    EXPECT_TRUE(out) << text;
    if (!out) return -999;
    const base::Result<std::int64_t> result = evaluate(*out, symbols, engine_);
    EXPECT_TRUE(result) << text;
    return result.value_or(-999);
  }
  std::string rule_of(const std::function<void()>& act) {
    const std::size_t mark = engine_.all().size();
    act();
    return engine_.all().size() == mark ? "" : std::string(row(engine_.all()[mark].rule).rule);
  }
  std::string evaluating(const std::string& text) {
    return rule_of([&] {
      const base::Result<Expression> out = parse_constraint({text, {}}, engine_);
      ASSERT_TRUE(out) << text;
      EXPECT_FALSE(evaluate(*out, {}, engine_)) << text;
    });
  }

  base::Sources sources_;
  diagnostics::Engine engine_{sources_};
};

TEST_F(ExpressionTest, ShapesAreTuplesOrOneExtent) {
  EXPECT_EQ(shape("(N, M)").size(), 2U);
  EXPECT_EQ(shape("(N,)").size(), 1U);
  EXPECT_EQ(shape("N").size(), 1U);
  EXPECT_EQ(shape("N, M").size(), 2U);
  EXPECT_EQ(shape("()").size(), 0U);
  EXPECT_EQ(to_text(shape("(N + 1) * M")[0]), "(N + 1) * M");
  EXPECT_EQ(to_text(shape("((N + 1) * M, 2)")[0]), "(N + 1) * M");
}

TEST_F(ExpressionTest, HasPythonsFloorDivisionAndModulo) {
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("7 // -2"), -4);
  EXPECT_EQ(value("-7 % 2"), 1);
  EXPECT_EQ(value("7 % -2"), -1);
  EXPECT_EQ(value("-8 // 2"), -4);
  EXPECT_EQ(value("-9223372036854775807 % -1"), 0);
}

TEST_F(ExpressionTest, HasPythonsPrecedence) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("-2 ** 2"), -4);
  EXPECT_EQ(value("2 ** 3 ** 2"), 512);
  EXPECT_EQ(value("100 - 10 - 1"), 89);
  EXPECT_EQ(value("not 1 == 2"), 1);
  EXPECT_EQ(value("1 < 2 < 3 and 3 > 2 >= 2"), 1);
  EXPECT_EQ(value("1 < 3 < 2"), 0);
  EXPECT_EQ(value("0 or 2 == 2"), 1);
  EXPECT_EQ(value("0 and 1 or 1"), 1);
  EXPECT_EQ(value("1 or 1 and 0"), 1);
  EXPECT_EQ(value("not 0 and 0"), 0);
  EXPECT_EQ(value("not not 3 > 2 or 0"), 1);
  EXPECT_EQ(value("1 + 2 * 3 < 2 * 4 - 0 == 8"), 1);
  EXPECT_EQ(value("20 // 3 * 2 - 7 % 4 + 1"), 10);
  EXPECT_EQ(value("5 if n > 1 else 7", {{"n", 1}}), 7);
  EXPECT_EQ(value("max(1, (3 * n) // 2)", {{"n", 5}}), 7);
  EXPECT_EQ(value("N % 2 ** nlevels == 0", {{"N", 24}, {"nlevels", 3}}), 1);
}

TEST_F(ExpressionTest, OnlyTheTakenBranchIsEvaluated) {
  EXPECT_EQ(value("1 if 1 else 1 // 0"), 1);
  EXPECT_EQ(value("1 or 1 // 0"), 1);
  EXPECT_EQ(value("0 and 1 // 0"), 0);
}

TEST_F(ExpressionTest, RefusesWhatHasNoInteger) {
  EXPECT_EQ(evaluating("1 // 0"), "manifest-expression-value");
  EXPECT_EQ(evaluating("3 / 2"), "manifest-expression-value");
  EXPECT_EQ(evaluating("9223372036854775807 + 1"), "manifest-expression-value");
  EXPECT_EQ(evaluating("2 ** 63"), "manifest-expression-value");
  EXPECT_EQ(evaluating("2 ** -1"), "manifest-expression-value");
  EXPECT_EQ(evaluating("N + 1"), "manifest-unbound-symbol");
}

TEST_F(ExpressionTest, RefusesWhatIsNoExpression) {
  for (const std::string text :
       {"", "N +", "(N", "N)", "N M", "1.5", "0x10", "f(N)", "N[0]", "N := 1", "N if 1", "min(1)",
        "99999999999999999999", "\xC3\xA9", "'a'", "N & 1", "(1, 2"}) {
    EXPECT_EQ(rule_of([&] { EXPECT_FALSE(parse_constraint({text, {}}, engine_)) << text; }),
              "manifest-expression");
  }
  EXPECT_EQ(rule_of([&] { (void)parse_shape({std::string(1500, '(') + "1", {}}, engine_); }),
            "manifest-expression");
  for (const std::string text : {"1 == not 2", "1 + not 2", "- not 2", "1 if 2 else"}) {
    EXPECT_EQ(rule_of([&] { EXPECT_FALSE(parse_constraint({text, {}}, engine_)) << text; }),
              "manifest-expression");
  }
  for (const std::string text : {"N ** 2", "N < 2", "not N", "N or M", "+N"}) {
    EXPECT_EQ(rule_of([&] { EXPECT_FALSE(parse_shape({text, {}}, engine_)) << text; }),
              "manifest-expression");
  }
  EXPECT_EQ(rule_of([&] { (void)parse_shape({std::string(3000, '1'), {}}, engine_); }),
            "manifest-expression");
}

TEST_F(ExpressionTest, TextReadsBackAsTheSameTree) {
  for (const std::string text :
       {"(a + b) * c", "a - (b - c)", "a - b - c", "(a // b) % c", "a // (b % c)", "-(a + b)", "-a ** 2",
        "(-a) ** 2", "(a if b else c) + 1", "a if b else c if d else e", "not (a and b)", "(a < b) == c",
        "min(a, max(b, c))"}) {
    const base::Result<Expression> once = parse_constraint({text, {}}, engine_);
    ASSERT_TRUE(once) << text;
    const base::Result<Expression> twice = parse_constraint({to_text(*once), {}}, engine_);
    ASSERT_TRUE(twice) << to_text(*once);
    EXPECT_EQ(to_text(*once), to_text(*twice));
    const Symbols symbols = {{"a", 7}, {"b", -3}, {"c", 2}, {"d", 0}, {"e", 11}};
    EXPECT_EQ(evaluate(*once, symbols, engine_).value(), evaluate(*twice, symbols, engine_).value()) << text;
  }
}

}  // namespace
}  // namespace pw::manifest
