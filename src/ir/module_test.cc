#include "ir/module.h"

#include <gtest/gtest.h>

namespace pw::ir {
namespace {

struct ExtentTest : testing::Test {
  Module module;
  ExtentTable& t = module.extents;
  ExtentId symbol(const char* name, ExtentId lower = {}, ExtentId upper = {}) {
    Local local;
    local.name = name;
    local.kind = LocalKind::Symbol;
    local.range = {lower.valid() ? lower : t.constant(0), upper};
    return t.local(module.add(local));
  }
  std::string text(ExtentId id) {
    return t.text(id, [&](LocalId local) { return module[local].name; });
  }
  bool proves(ExtentId id) { return proves_nonnegative(t, id, module.ranges()); }
};

TEST_F(ExtentTest, EqualSizesHaveEqualIds) {
  const ExtentId n = symbol("n");
  const ExtentId m = symbol("m");
  const ExtentId one = t.constant(1);
  EXPECT_EQ(t.multiply(t.add(n, one), t.add(m, one)), t.add(t.add(t.multiply(m, n), t.add(n, m)), one));
  EXPECT_EQ(t.subtract(t.add(n, m), m), n);
  EXPECT_EQ(text(t.subtract(t.multiply(n, m), t.constant(3))), "n*m - 3");
}

TEST_F(ExtentTest, FloorDivFoldsTheExactPart) {
  const ExtentId n = symbol("n");
  const ExtentId e = t.add(t.scale(n, 4), t.constant(7));
  EXPECT_EQ(text(t.apply(ExtentOp::FloorDiv, e, t.constant(2))), "2*n + 3");
  EXPECT_EQ(t.apply(ExtentOp::Mod, e, t.constant(2)), t.constant(1));
  EXPECT_EQ(text(t.apply(ExtentOp::FloorDiv, t.add(n, t.constant(1)), t.constant(2))), "((n + 1) // 2)");
}

TEST_F(ExtentTest, ProvesIndicesInBounds) {
  const ExtentId n = symbol("n");
  const ExtentId i = symbol("i", t.constant(1), t.add(n, t.constant(-2)));
  EXPECT_TRUE(proves(t.add(i, t.constant(-1))));
  EXPECT_TRUE(proves(t.subtract(t.add(n, t.constant(-1)), t.add(i, t.constant(1)))));
  EXPECT_FALSE(proves(t.subtract(t.add(n, t.constant(-1)), t.add(i, t.constant(2)))));
  EXPECT_FALSE(proves(t.add(n, t.constant(-1))));
}

TEST_F(ExtentTest, ProvesThroughFloorDiv) {
  const ExtentId n = symbol("n");
  const ExtentId half = t.apply(ExtentOp::FloorDiv, n, t.constant(2));
  const ExtentId i = symbol("i", t.constant(0), t.add(half, t.constant(-1)));
  const ExtentId j = symbol("j", t.constant(0), t.add(half, t.constant(-1)));
  const ExtentId e = t.add(t.subtract(t.add(i, half), j), t.constant(-1));  // i + n//2 - j - 1
  EXPECT_TRUE(proves(e));
  EXPECT_TRUE(proves(t.subtract(t.add(n, t.constant(-1)), e)));
}

TEST_F(ExtentTest, ProvesThatQuotientsAreWhole) {
  const ExtentId n = symbol("n");
  const ExtentId half = t.apply(ExtentOp::FloorDiv, n, t.constant(2));
  const ExtentId i = symbol("i", t.constant(0), t.add(half, t.constant(-1)));
  EXPECT_TRUE(proves(half));
  EXPECT_TRUE(proves(t.add(t.add(half, i), n)));
  EXPECT_TRUE(proves(t.subtract(n, half)));
  EXPECT_FALSE(proves(t.add(half, t.constant(-1))));
  EXPECT_FALSE(proves(t.add(t.subtract(n, half), t.constant(-1))));
}

TEST_F(ExtentTest, ProvesNothingOfAQuotientThatIsFalse) {
  const ExtentId n = symbol("n");
  for (int divisor = 2; divisor <= 4; ++divisor) {
    for (int shift = -3; shift <= 3; ++shift) {
      const ExtentId quotient = t.apply(ExtentOp::FloorDiv, t.add(n, t.constant(shift)), t.constant(divisor));
      for (int a = -3; a <= 3; ++a) {
        for (int b = -2; b <= 2; ++b) {
          for (int c = -3; c <= 3; ++c) {
            const ExtentId e = t.add(t.add(t.scale(quotient, a), t.scale(n, b)), t.constant(c));
            if (!proves(e)) continue;
            for (int value = 0; value <= 30; ++value)
              ASSERT_GE(t.evaluate(e, [&](LocalId) { return value; }), 0) << text(e) << " at " << value;
          }
        }
      }
    }
  }
}

TEST_F(ExtentTest, ProvesFlattenedIndices) {
  const ExtentId n = symbol("n");
  const ExtentId m = symbol("m");
  const ExtentId i = symbol("i", t.constant(0), t.add(n, t.constant(-1)));
  const ExtentId j = symbol("j", t.constant(0), t.add(m, t.constant(-1)));
  const ExtentId e = t.add(t.multiply(i, m), j);
  EXPECT_TRUE(proves(e));
  EXPECT_TRUE(proves(t.subtract(t.add(t.multiply(n, m), t.constant(-1)), e)));
}

TEST_F(ExtentTest, SubstitutesInsideDivisions) {
  const ExtentId n = symbol("n");
  const ExtentId half = t.apply(ExtentOp::FloorDiv, n, t.constant(2));
  const LocalId local = *t.as_local(n);
  EXPECT_EQ(t.substitute(half, [&](LocalId id) { return id == local ? t.constant(9) : ExtentId(); }),
            t.constant(4));
  EXPECT_EQ(t.evaluate(half, [](LocalId) { return -3; }), -2);
}

TEST(Module, ExpressionsAreHashConsed) {
  Module module;
  const ExprId one = module.add(const_float(DType::F64, 1.0), {});
  const ExprId sum = module.add(Apply{Op::Add, {one, one}}, {});
  EXPECT_EQ(module.add(Apply{Op::Add, {one, one}}, {}), sum);
  EXPECT_NE(module.add(const_float(DType::F64, -0.0), {}), module.add(const_float(DType::F64, 0.0), {}));
  EXPECT_EQ(module.type(sum), DType::F64);
}

TEST(DType, PromotesAsNumPyDoes) {
  EXPECT_EQ(promote(DType::I32, DType::F32), DType::F64);
  EXPECT_EQ(promote(DType::I16, DType::F32), DType::F32);
  EXPECT_EQ(promote(DType::U64, DType::I64), DType::F64);
  EXPECT_EQ(promote(DType::U8, DType::I8), DType::I16);
  EXPECT_EQ(promote(DType::Bool, DType::I8), DType::I8);
  EXPECT_EQ(promote(DType::C64, DType::F64), DType::C128);
  EXPECT_EQ(promote(DType::C64, DType::I32), DType::C128);
  EXPECT_EQ(promote(DType::I64, DType::U32), DType::I64);
}

}  // namespace
}  // namespace pw::ir
