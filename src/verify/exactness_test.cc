#include "verify/exactness.h"

#include <gtest/gtest.h>

namespace pw::verify {
namespace {

using ir::DType;
using ir::Op;

TEST(Exactness, OfOps) {
  const struct {
    Op op;
    DType type;
    bool exact;
  } rows[] = {
      {Op::Add, DType::F64, true},    {Op::Div, DType::F32, true},     {Op::Sqrt, DType::F64, true},
      {Op::Exp, DType::F64, false},   {Op::Pow, DType::F64, false},    {Op::Pow, DType::I64, true},
      {Op::Add, DType::C128, true},   {Op::Mul, DType::C128, false},   {Op::Div, DType::C64, false},
      {Op::Abs, DType::C128, false},  {Op::Abs, DType::F64, true},     {Op::Sqrt, DType::C128, false},
      {Op::Floor, DType::F64, true},  {Op::Maximum, DType::F32, true}, {Op::Tanh, DType::F32, false},
      {Op::Select, DType::C64, true}, {Op::Erf, DType::F64, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(is_exact(row.op, row.type), row.exact) << ir::row(row.op).text << " " << ir::row(row.type).text;
  }
}

/// r = fold of f over 0..9, stored to out[0]; `f` makes the value from a load of a[i].
template <typename F>
ir::Module fold(DType type, ir::ReduceOp op, ir::ReduceOrder order, F f) {
  ir::Module m;
  const ir::ExtentId ten = m.extents.constant(10);
  const ir::BufferId a = m.add(ir::Buffer{"a", type, {ten}, ir::BufferKind::Parameter, false, {}, {}});
  const ir::LocalId i = m.add(ir::Local{"i", DType::I64, ir::LocalKind::Axis, {}, {}, {}});
  const ir::LocalId r = m.add(ir::Local{"r", type, ir::LocalKind::Bound, {}, {}, {}});
  const ir::ExprId load = m.add(ir::Load{a, {m.add(ir::Read{i}, {})}}, {});
  const ir::BlockId empty = m.add(ir::Block{});
  const ir::StmtId reduce = m.add(ir::Reduce{r, op, {{i, ten}}, empty, f(m, load), order}, {});
  const ir::BlockId body = m.add(ir::Block{{reduce}});
  m.add(ir::Function{"f", {a}, 0, {}, body, {}});
  return m;
}
ir::ExprId itself(ir::Module&, ir::ExprId value) { return value; }

TEST(Exactness, OfFolds) {
  using enum ir::ReduceOp;
  constexpr ir::ReduceOrder kAny = ir::ReduceOrder::Any, kSequential = ir::ReduceOrder::Sequential;
  EXPECT_EQ(why_inexact(fold(DType::F64, Sum, kAny, itself)), "sum in any order");
  EXPECT_EQ(why_inexact(fold(DType::F64, Product, kAny, itself)), "product in any order");
  EXPECT_EQ(why_inexact(fold(DType::F64, Sum, kSequential, itself)), std::nullopt);
  EXPECT_EQ(why_inexact(fold(DType::I64, Sum, kAny, itself)), std::nullopt);
  EXPECT_EQ(why_inexact(fold(DType::F32, Max, kAny, itself)), std::nullopt);
  EXPECT_EQ(why_inexact(fold(DType::C128, Sum, kSequential, itself)), std::nullopt);
  EXPECT_EQ(why_inexact(fold(DType::C128, Product, kSequential, itself)), "complex mul");
}

TEST(Exactness, LooksInsideExpressions) {
  const auto module =
      fold(DType::F64, ir::ReduceOp::Max, ir::ReduceOrder::Any, [](ir::Module& m, ir::ExprId x) {
        const ir::ExprId e = m.add(ir::Apply{Op::Exp, {x}}, {});
        return m.add(ir::Apply{Op::Add, {x, m.add(ir::Apply{Op::Neg, {e}}, {})}}, {});
      });
  EXPECT_EQ(why_inexact(module), "exp");
}

}  // namespace
}  // namespace pw::verify
