// Methods of ufuncs: at, reduce, accumulate, outer.
// Source: https://numpy.org/doc/stable/reference/ufuncs.html#methods
#include "base/check.h"
#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/indexing.h"

namespace pw::numpy {

Result<Done> Stager::update_at(const Array& array, const Value& index, const Value& stored, base::Span span,
                               const std::function<ir::ExprId(ir::ExprId old, ir::ExprId value)>& update) {
  PW_CHECK_OK(require_storable(array.buffer, span));
  PW_TRY(Indexed indexed, index_basic(array, index, span));
  copy_indices_of_own(indexed);
  std::vector<ir::ExtentId> shape = indexed.view.shape;
  GatherPlan plan;
  if (!indexed.gathers.empty()) {
    PW_TRY(plan, plan_gather(indexed, span));
    check_gathers(indexed);
    shape = plan.shape;
  }
  PW_TRY(const Value source, scattered(stored, array, shape, span));
  for_over(shape, [&](const Indices& indices) {
    const Indices at = indexed.gathers.empty() ? indices : gather_indices(indexed, plan, indices);
    const ir::ExprId operand = element(source, indices, shape.size(), functions::type_of(*this, source));
    store(indexed.view, at, update(load(indexed.view, at), operand));
  });
  note_store(array.buffer, span);
  return Done{};
}

namespace functions {

namespace {

/// The op of "numpy.add" in "numpy.add.at".
ir::Op op_of(const Arguments& arguments) {
  const std::optional<ir::Op> op = ufunc_op(arguments.name.substr(0, arguments.name.rfind('.')));
  PW_CHECK(op.has_value(), "a ufunc's method without its op");
  return *op;
}

}  // namespace

Result<Value> ufunc_at(Stager& stager, const Arguments& arguments) {
  const ir::Op op = op_of(arguments);
  const auto* target = required(arguments, 0, "a").as<Array>();
  if (target == nullptr) return bad_call(stager, arguments, "on a scalar");
  PW_TRY(Value operand, array_like(stager, required(arguments, 2, "b"), arguments.span));
  // NumPy makes an array of a Python number here, with the dtype that it has by itself.
  if (!operand.is<Array>()) operand = stager.strong(stager.as_scalar(operand)->expr);
  const ir::DType own = stager.type_of(*target);
  const std::vector<Value> both = {value(*target), operand};
  PW_TRY(const ir::DType found, stager.result_type(both, arguments.span));
  const bool divides = op == ir::Op::Div && !ir::is_float(found) && !ir::is_complex(found);
  const ir::DType type = divides ? ir::DType::F64 : found;
  const std::vector<ir::DType> types = {type, type};
  const std::optional<ir::DType> result = ir::op_result(op, types);
  const bool narrows = result && (ir::is_float(*result) || ir::is_complex(*result)) &&
                       (ir::is_integer(own) || own == ir::DType::Bool);
  if (!result || narrows) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, ir::row(op).numpy, ir::row(own).numpy);
  }
  PW_CHECK_OK(stager.update_at(*target, required(arguments, 1, "indices"), operand, arguments.span,
                               [&](ir::ExprId old, ir::ExprId more) {
                                 return stager.apply(op, {stager.cast(old, type), stager.cast(more, type)});
                               }));
  return value(None{});
}

/// np.add.reduce(x, axis=0, ...) is np.sum with another default axis; so are the others that fold.
Result<Value> ufunc_reduce(Stager& stager, const Arguments& arguments) {
  const ir::Op op = op_of(arguments);
  Arguments folded;
  folded.span = arguments.span;
  folded.positional.push_back(required(arguments, 0, "array"));
  const Value* axis = arguments.find(1, "axis");
  folded.keywords.emplace_back("axis", axis == nullptr ? value(std::int64_t{0}) : *axis);
  for (const auto& [position, keyword] :
       {std::pair<std::size_t, std::string_view>{2, "dtype"}, {3, "out"}, {4, "keepdims"}}) {
    if (const Value* found = given(arguments, position, keyword))
      folded.keywords.emplace_back(keyword, *found);
  }
  const auto as = [&](std::string_view name, FunctionBody body) {
    folded.name = name;
    return body(stager, folded);
  };
  switch (op) {
    case ir::Op::Add:
      return as("numpy.sum", sum);
    case ir::Op::Mul:
      return as("numpy.prod", product);
    case ir::Op::Maximum:
      return as("numpy.max", extreme);
    case ir::Op::Minimum:
      return as("numpy.min", extreme);
    case ir::Op::And:
      return as("numpy.all", any_or_all);
    case ir::Op::Or:
      return as("numpy.any", any_or_all);
    default:
      return unsupported(stager, arguments, "of this function",
                         "use add, multiply, maximum, minimum or a loop");
  }
}

Result<Value> ufunc_outer(Stager& stager, const Arguments& arguments) {
  const ir::Op op = op_of(arguments);
  PW_TRY(const Value first, array_like(stager, required(arguments, 0, "A"), arguments.span));
  PW_TRY(const Value second, array_like(stager, required(arguments, 1, "B"), arguments.span));
  Value left = first;
  const auto* right = second.as<Array>();
  if (const auto* array = left.as<Array>(); array != nullptr && right != nullptr) {
    Array widened = *array;
    for (std::size_t k = 0; k < right->shape.size(); ++k) {
      widened = stager.insert_axis(widened, widened.shape.size());
    }
    left = value(std::move(widened));
  }
  return stager.ufunc(op, strengthened(stager, {left, second}), arguments.span);
}

}  // namespace functions

}  // namespace pw::numpy
