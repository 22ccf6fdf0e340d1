// Python's @ on arrays, as sums of products over views.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.matmul.html
#include "frontends/numpy/stager.h"

namespace pw::numpy {

Result<Value> Stager::matmul(const Value& left, const Value& right, base::Span span) {
  PW_TRY(const Array a, to_array(left, std::nullopt, span));
  PW_TRY(const Array b, to_array(right, std::nullopt, span));
  const std::size_t rank_a = a.shape.size();
  const std::size_t rank_b = b.shape.size();
  if (rank_a == 0 || rank_b == 0) {
    return engine.report(Rule::NumpyOperandTypes, span, "@", describe(left, module), describe(right, module));
  }
  PW_TRY(const ir::DType type, result_type(std::vector{value(a), value(b)}, span));
  const ir::ExtentId depth = a.shape.back();
  const ir::ExtentId depth_b = rank_b == 1 ? b.shape[0] : b.shape[rank_b - 2];
  PW_CHECK_OK(require_equal(depth, depth_b, span));
  const auto batch = [](const Array& x) {
    const std::size_t kept = x.shape.size() > 2 ? x.shape.size() - 2 : 0;
    return std::vector<ir::ExtentId>(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(kept));
  };
  PW_TRY(std::vector<ir::ExtentId> shape, broadcast(std::vector{batch(a), batch(b)}, span));
  const std::size_t batch_rank = shape.size();
  if (rank_a > 1) shape.push_back(a.shape[rank_a - 2]);
  if (rank_b > 1) shape.push_back(b.shape[rank_b - 1]);
  const auto operand_batch = [&](const Array& x, const Indices& at) {
    Indices out;
    const std::size_t kept = x.shape.size() > 2 ? x.shape.size() - 2 : 0;
    for (std::size_t k = 0; k < kept; ++k) {
      out.push_back(at_most_one(x.shape[k]) ? size(0) : at[batch_rank - kept + k]);
    }
    return out;
  };
  const auto dot_at = [&](const Indices& at) {
    const std::size_t names = axis_names_;
    Indices inner;
    std::vector<ir::Axis> axes = make_axes(std::vector{depth}, inner);
    Indices at_a = operand_batch(a, at);
    Indices at_b = operand_batch(b, at);
    if (rank_a > 1) at_a.push_back(at[batch_rank]);
    at_a.push_back(inner[0]);
    at_b.push_back(inner[0]);
    if (rank_b > 1) at_b.push_back(at.back());
    // As exact as the blocked float32 sums of a BLAS, whatever the depth.
    const ir::DType sum_type = type == ir::DType::F32 ? ir::DType::F64 : type;
    ir::Local local;
    local.name = invented_name("acc");
    local.type = sum_type;
    local.span = span_;
    const ir::LocalId target = module.add(std::move(local));
    ir::ExprId product;
    const ir::BlockId body = block([&] {
      const auto factor = [&](ir::ExprId element) { return cast(cast(element, type), sum_type); };
      product = apply(ir::Op::Mul, {factor(load(a, at_a)), factor(load(b, at_b))});
    });
    axis_names_ = names;
    const ir::ReduceOp op = type == ir::DType::Bool ? ir::ReduceOp::Any : ir::ReduceOp::Sum;
    emit(ir::Reduce{target, op, std::move(axes), body, product, ir::ReduceOrder::Any});
    return cast(module.add(ir::Read{target}, span_), type);
  };
  if (shape.empty()) return strong(dot_at({}));
  return value(define(std::move(shape), type, dot_at));
}

}  // namespace pw::numpy
