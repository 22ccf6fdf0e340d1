// Comparisons of whole arrays, and choices by conditions: isclose, allclose, array_equal, select, piecewise.
// Source: https://numpy.org/doc/stable/reference/routines.logic.html, numpy.select.html, numpy.piecewise.html
#include <limits>

#include "base/check.h"
#include "frontends/numpy/functions/formula.h"

namespace pw::numpy::functions {

namespace {

/// abs(a - b) <= atol + rtol * abs(b) with b finite, or a == b; with equal_nan also both NaN.
Result<Value> close(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const Value a_raw, array_like(stager, required(arguments, 0, "a"), span));
  PW_TRY(const Value b_raw, array_like(stager, required(arguments, 1, "b"), span));
  PW_TRY(const bool equal_nan, bool_argument(stager, arguments, 4, "equal_nan", false));
  const Value a = strengthened(stager, {a_raw})[0];
  Value b = strengthened(stager, {b_raw})[0];
  if (!ir::is_float(type_of(stager, b)) && !ir::is_complex(type_of(stager, b))) {
    b = cast_value(stager, b, ir::DType::F64);
  }
  if (type_of(stager, a) == ir::DType::Bool) {
    return stager.engine.report(Rule::NumpyOpType, span, arguments.name, "bool");
  }
  const Value* rtol = given(arguments, 2, "rtol");
  const Value* atol = given(arguments, 3, "atol");
  const Term relative{&stager, span, rtol == nullptr ? value(1e-5) : *rtol};
  const Term absolute{&stager, span, atol == nullptr ? value(1e-8) : *atol};
  PW_TRY(const Value size, stager.ufunc(ir::Op::Abs, std::span(&b, 1), span));
  const Term bound = absolute + relative * Term{&stager, span, size};
  if (!bound.result) return bound.result;
  PW_TRY(const Value gap, stager.ufunc(ir::Op::Sub, std::vector{a, b}, span));
  PW_TRY(const Value distance, stager.ufunc(ir::Op::Abs, std::span(&gap, 1), span));
  PW_TRY(const Value near, stager.ufunc(ir::Op::Le, std::vector{distance, *bound.result}, span));
  PW_TRY(const Value finite, stager.ufunc(ir::Op::IsFinite, std::span(&b, 1), span));
  PW_TRY(const Value within, stager.ufunc(ir::Op::And, std::vector{near, finite}, span));
  PW_TRY(const Value same, stager.ufunc(ir::Op::Eq, std::vector{a, b}, span));
  PW_TRY(const Value out, stager.ufunc(ir::Op::Or, std::vector{within, same}, span));
  if (!equal_nan) return out;
  PW_TRY(const Value a_nan, call_row(stager, span, "numpy.isnan", {a}));
  PW_TRY(const Value b_nan, call_row(stager, span, "numpy.isnan", {b}));
  PW_TRY(const Value both, stager.ufunc(ir::Op::And, std::vector{a_nan, b_nan}, span));
  return stager.ufunc(ir::Op::Or, std::vector{out, both}, span);
}

/// A bool of Python, of one element or of all.
Result<Value> all_of(Stager& stager, const Value& flags, base::Span span) {
  PW_TRY(const Value out, call_row(stager, span, "numpy.all", {flags}));
  return stager.weak(stager.as_scalar(out)->expr);
}

}  // namespace

Result<Value> isclose(Stager& stager, const Arguments& arguments) { return close(stager, arguments); }

Result<Value> allclose(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value flags, close(stager, arguments));
  return all_of(stager, flags, arguments.span);
}

/// Whether two arrays have one shape and equal elements.
Result<Value> array_equal(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const Array a, stager.to_array(required(arguments, 0, "a1"), std::nullopt, span));
  PW_TRY(const Array b, stager.to_array(required(arguments, 1, "a2"), std::nullopt, span));
  PW_TRY(const bool equal_nan, bool_argument(stager, arguments, 2, "equal_nan", false));
  if (a.shape.size() != b.shape.size()) return value(false);
  const ir::DType type = ir::promote(stager.type_of(a), stager.type_of(b));
  ir::ExprId alike = stager.constant(ir::const_bool(true));
  for (std::size_t k = 0; k < a.shape.size(); ++k) {
    const ir::ExtentId left = stager.clamped(a.shape[k]);
    const ir::ExtentId right = stager.clamped(b.shape[k]);
    if (left == right) continue;
    if (stager.extents().as_constant(stager.extents().subtract(left, right))) return value(false);
    alike = stager.apply(ir::Op::And,
                         {alike, stager.apply(ir::Op::Eq, {stager.index(left), stager.index(right)})});
  }
  const ir::LocalId equal =
      stager.declare_variable("equal", ir::DType::Bool, stager.constant(ir::const_bool(false)));
  const ir::BlockId compared = stager.block([&] {
    const ir::ExprId all = stager.fold(
        a.shape, ir::ReduceOp::All, ir::DType::Bool, ir::ReduceOrder::Any, [&](const Indices& at) {
          const ir::ExprId x = stager.cast(stager.load(a, at), type);
          const ir::ExprId y = stager.cast(stager.load(b, at), type);
          const ir::ExprId same = stager.apply(ir::Op::Eq, {x, y});
          if (!equal_nan || (!ir::is_float(type) && !ir::is_complex(type))) return same;
          const ir::ExprId nan =
              stager.apply(ir::Op::And, {stager.apply(ir::Op::IsNan, {x}), stager.apply(ir::Op::IsNan, {y})});
          return stager.apply(ir::Op::Or, {same, nan});
        });
    stager.emit(ir::Assign{equal, all});
  });
  stager.emit(ir::If{alike, compared, stager.block([] {})});
  return stager.weak(kept(stager, stager.module.add(ir::Read{equal}, stager.here())));
}

/// Of each element the choice of the first condition that holds, else the default.
Result<Value> select_first(Stager& stager, const Arguments& arguments) {
  const std::vector<Value>* conditions = sequence_items(required(arguments, 0, "condlist"));
  const std::vector<Value>* choices = sequence_items(required(arguments, 1, "choicelist"));
  const bool paired = conditions != nullptr && choices != nullptr && conditions->size() == choices->size();
  if (!paired || conditions->empty())
    return bad_call(stager, arguments, "without as many choices as conditions");
  std::vector<Value> numbers;
  for (const Value& each : *choices) {
    PW_TRY(Value choice, array_like(stager, each, arguments.span));
    numbers.push_back(std::move(choice));
  }
  const Value* otherwise = given(arguments, 2, "default");
  PW_TRY(Value last,
         array_like(stager, otherwise == nullptr ? value(std::int64_t{0}) : *otherwise, arguments.span));
  numbers.push_back(std::move(last));
  PW_TRY(const ir::DType type, stager.result_type(numbers, arguments.span));
  if (ir::is_integer(type)) {
    for (const Value& each : numbers) PW_CHECK_OK(stager.check_weak_range(each, type, arguments.span));
  }
  std::vector<ir::DType> types(numbers.size(), type);
  std::vector<Value> operands = numbers;
  for (const Value& each : *conditions) {
    PW_TRY(Value condition, array_like(stager, each, arguments.span));
    if (type_of(stager, condition) != ir::DType::Bool)
      return bad_call(stager, arguments, "with a condition that is no bool");
    operands.push_back(std::move(condition));
    types.push_back(ir::DType::Bool);
  }
  const std::size_t count = numbers.size() - 1;
  const auto chosen = [&](std::span<const ir::ExprId> v) {
    ir::ExprId out = v[count];
    for (std::size_t k = count; k-- > 0;) out = stager.apply(ir::Op::Select, {v[count + 1 + k], v[k], out});
    return out;
  };
  return elementwise_of(stager, operands, types, type, arguments.span, chosen);
}

/// A new array like x: where each condition holds, its number or its function of those elements.
Result<Value> piecewise(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const Array x, stager.to_array(required(arguments, 0, "x"), std::nullopt, span));
  const Value& given_conditions = required(arguments, 1, "condlist");
  const std::vector<Value>* items = sequence_items(given_conditions);
  const bool listed =
      items != nullptr && !items->empty() && (items->front().is<Array>() || sequence_items(items->front()));
  std::vector<Value> conditions = listed ? *items : std::vector{given_conditions};
  const std::vector<Value>* functions = sequence_items(required(arguments, 2, "funclist"));
  if (functions == nullptr || x.shape.empty())
    return bad_call(stager, arguments, "without an array and a list of functions");
  if (functions->size() != conditions.size() && functions->size() != conditions.size() + 1) {
    return bad_call(stager, arguments, "with as many functions as conditions needed, or one more");
  }
  std::vector<Array> masks;
  for (const Value& each : conditions) {
    PW_TRY(const Array mask, stager.to_array(each, ir::DType::Bool, span));
    if (mask.shape.size() != x.shape.size())
      return bad_call(stager, arguments, "with conditions of another shape");
    masks.push_back(mask);
  }
  if (functions->size() > masks.size()) {
    masks.push_back(stager.define(x.shape, ir::DType::Bool, [&](const Indices& at) {
      ir::ExprId none = stager.constant(ir::const_bool(true));
      for (const Array& mask : masks) {
        none = stager.apply(ir::Op::And, {none, stager.apply(ir::Op::Not, {stager.load(mask, at)})});
      }
      return none;
    }));
  }
  const Value out = value(stager.zeros(x.shape, stager.type_of(x)));
  for (std::size_t k = 0; k < masks.size(); ++k) {
    Value stored = (*functions)[k];
    if (stored.is<UserFunction>() || stored.is<LibraryFunction>()) {
      PW_TRY(const Value part, stager.select(x, masks[k], span));
      Arguments call;
      call.span = span;
      call.positional = {part};
      PW_TRY(stored, stager.call(stored, std::move(call)));
    }
    PW_CHECK_OK(stager.store_subscript(out, value(masks[k]), stored, span));
  }
  return out;
}

/// isneginf and isposinf
Result<Value> infinite_of_sign(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, array_like(stager, required(arguments, 0, "x"), arguments.span));
  const ir::DType type = type_of(stager, x);
  if (ir::is_complex(type))
    return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, "complex");
  const double which =
      std::numeric_limits<double>::infinity() * (arguments.name == "numpy.isneginf" ? -1 : 1);
  return unary_of(stager, strengthened(stager, {x})[0], ir::DType::Bool, arguments.span, [&](ir::ExprId v) {
    if (!ir::is_float(type)) return stager.constant(ir::const_bool(false));
    return stager.apply(ir::Op::Eq, {v, stager.real(which, type)});
  });
}

}  // namespace pw::numpy::functions
