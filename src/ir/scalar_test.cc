#include "ir/scalar.h"

#include <gtest/gtest.h>

#include <limits>

// Values are compared with NumPy's by tests/ir/compare_ops.py.
namespace pw::ir {
namespace {

TEST(Scalar, EveryOpMeansSomethingWhereItsTypeRuleAllowsIt) {
  for (const OpRow& facts : op_rows()) {
    const Op op = *op_from_text(facts.text);
    for (std::size_t i = 0; i < kDTypeCount; ++i) {
      std::vector<DType> types(facts.arity, static_cast<DType>(i));
      if (facts.rule == TypeRule::Choice) types[0] = DType::Bool;
      EXPECT_EQ(scalar_op(op, static_cast<DType>(i)) != nullptr, op_result(op, types).has_value())
          << facts.text << " " << row(static_cast<DType>(i)).text;
    }
  }
}

TEST(Scalar, FoldsConstants) {
  const Const least = const_int(DType::I8, -128);
  EXPECT_EQ(fold(Op::Sub, std::vector{least, const_int(DType::I8, 1)}), const_int(DType::I8, 127));
  EXPECT_EQ(fold(Op::Lt, std::vector{least, least}), const_bool(false));
  EXPECT_EQ(fold_cast(DType::F32, const_int(DType::I64, 3)), const_float(DType::F32, 3));
  EXPECT_EQ(fold_cast(DType::I16, const_float(DType::F64, -2.9)), const_int(DType::I16, -2));
}

TEST(Scalar, FoldsHaveTheirIdentities) {
  Scalar out;
  ASSERT_TRUE(fold_identity(ReduceOp::Product, DType::C64, out));
  EXPECT_EQ(const_of(DType::C64, out), const_complex(DType::C64, 1));
  EXPECT_FALSE(fold_identity(ReduceOp::Max, DType::F64, out));
  EXPECT_EQ(scalar_fold(ReduceOp::Sum, DType::Bool), nullptr);
  EXPECT_EQ(scalar_fold(ReduceOp::Any, DType::I64), nullptr);
  EXPECT_EQ(scalar_fold(ReduceOp::Max, DType::C128), nullptr);
}

TEST(Scalar, TheFirstNanIsTheExtreme) {
  const auto value = [](double v) { return scalar_of(const_float(DType::F64, v)); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(arg_moves(ReduceOp::ArgMax, DType::F64, value(1), value(nan)));
  EXPECT_FALSE(arg_moves(ReduceOp::ArgMax, DType::F64, value(nan), value(nan)));
  EXPECT_FALSE(arg_moves(ReduceOp::ArgMin, DType::F64, value(nan), value(-1)));
  EXPECT_FALSE(arg_moves(ReduceOp::ArgMin, DType::F64, value(1), value(1)));
}

}  // namespace
}  // namespace pw::ir
