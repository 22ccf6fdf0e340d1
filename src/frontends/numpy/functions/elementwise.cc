// Elementwise functions: every op of ir/ops.def by its NumPy name, and what is made of several.
// Source: https://numpy.org/doc/stable/reference/ufuncs.html, routines.math.html
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"
#include "ir/scalar.h"

namespace pw::numpy::functions {

namespace {

/// The first `count` arguments, as numbers and arrays, not all of them weak.
Result<std::vector<Value>> operands_of(Stager& stager, const Arguments& arguments, std::size_t count) {
  static constexpr std::string_view kUnary[] = {"x"};
  static constexpr std::string_view kBinary[] = {"x1", "x2"};
  std::vector<Value> out;
  for (std::size_t k = 0; k < count; ++k) {
    const Value& each = required(arguments, k, count == 1 ? kUnary[k] : kBinary[k]);
    PW_TRY(Value operand, array_like(stager, each, arguments.span));
    out.push_back(std::move(operand));
  }
  return strengthened(stager, std::move(out));
}

Result<Value> operand_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<Value> operands, operands_of(stager, arguments, 1));
  return operands[0];
}

/// A scalar of integers that is known, or is a size, stays so: np.maximum(n, 1) may be a shape.
Value settled(Stager& stager, ir::Op op, Value result, std::span<const Value> operands) {
  const auto* scalar = result.as<Scalar>();
  if (scalar == nullptr) return result;
  const bool bounds = op == ir::Op::Maximum || op == ir::Op::Minimum;
  if (bounds && stager.type_of(*scalar) == ir::DType::I64) {
    const auto a = stager.module.as_extent(stager.as_scalar(operands[0])->expr);
    const auto b = stager.module.as_extent(stager.as_scalar(operands[1])->expr);
    const auto which = op == ir::Op::Maximum ? ir::ExtentOp::Max : ir::ExtentOp::Min;
    if (a && b) return stager.strong(stager.index(stager.extents().apply(which, *a, *b)));
  }
  const auto* applied = std::get_if<ir::Apply>(&stager.module[scalar->expr]);
  if (applied == nullptr || ir::is_float(stager.type_of(*scalar)) ||
      ir::is_complex(stager.type_of(*scalar))) {
    return result;
  }
  std::vector<ir::Const> known;
  for (const ir::ExprId each : applied->arguments) {
    const auto* constant = std::get_if<ir::Const>(&stager.module[each]);
    if (constant == nullptr) return result;
    known.push_back(*constant);
  }
  return stager.strong(stager.constant(ir::fold(applied->op, known)));
}

bool is_whole_type(ir::DType type) { return ir::is_integer(type) || type == ir::DType::Bool; }

/// A result equal to the operand: new, as every ufunc's is.
Value same(Stager& stager, const Value& operand) {
  const auto* array = operand.as<Array>();
  return array == nullptr ? operand : value(stager.copy(*array, stager.type_of(*array)));
}

/// The operand in a float dtype: integers as NumPy's float functions take them.
Result<ir::DType> float_type(Stager& stager, const Arguments& arguments, ir::DType type) {
  const std::optional<ir::DType> found = ir::float_of(type);
  if (found && ir::is_float(*found)) return *found;
  return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, ir::row(type).numpy);
}

/// x times a factor, in x's float dtype.
Result<Value> scaled(Stager& stager, const Arguments& arguments, double factor, float single_factor) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  PW_TRY(const ir::DType type, float_type(stager, arguments, type_of(stager, x)));
  const double exact = type == ir::DType::F32 ? static_cast<double>(single_factor) : factor;
  return deliver(
      stager, arguments, 1,
      elementwise_of(stager, std::span(&x, 1), std::span(&type, 1), type, arguments.span,
                     [&](auto v) { return stager.apply(ir::Op::Mul, {v[0], stager.real(exact, type)}); }));
}

ir::ExprId is_negative(Stager& stager, ir::ExprId v) {
  const ir::DType type = stager.module.type(v);
  if (type == ir::DType::Bool) return stager.constant(ir::const_bool(false));
  return stager.apply(ir::Op::Lt, {v, stager.cast(stager.integer(0), type)});
}

std::optional<double> static_number(const Value& v) {
  if (const auto* real = v.as<double>()) return *real;
  if (const auto* whole = v.as<std::int64_t>()) return static_cast<double>(*whole);
  return std::nullopt;
}

}  // namespace

std::optional<ir::Op> ufunc_op(std::string_view dotted_name) {
  static const std::unordered_map<std::string_view, ir::Op> by_name = [] {
    std::unordered_map<std::string_view, ir::Op> out;
#define FUNCTION(name, body, parameters)
#define UFUNC(name, op) out.emplace(name, ir::Op::op);
#include "frontends/numpy/functions/functions.def"
    for (const ir::OpRow& row : ir::op_rows()) {
      const auto op = static_cast<ir::Op>(&row - ir::op_rows().data());
      if (row.numpy.empty() || row.arity > 2) continue;
      const FunctionRow* function = find_function("numpy." + std::string(row.numpy));
      if (function != nullptr) out.emplace(function->name, op);
    }
    return out;
  }();
  const auto found = by_name.find(dotted_name);
  return found == by_name.end() ? std::nullopt : std::optional(found->second);
}

Result<Value> ufunc_call(Stager& stager, const Arguments& arguments) {
  const std::optional<ir::Op> op = ufunc_op(arguments.name);
  PW_CHECK(op.has_value(), "a ufunc's row without its op");
  const std::size_t arity = ir::row(*op).arity;
  PW_TRY(const std::vector<Value> operands, operands_of(stager, arguments, arity));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 9));
  PW_TRY(Value result, stager.ufunc(*op, operands, arguments.span, type));
  return deliver(stager, arguments, arity, settled(stager, *op, std::move(result), operands));
}

/// np.power has loops of its own for an exponent of 2 (x*x); integers need an exponent that is not negative.
Result<Value> power(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<Value> operands, operands_of(stager, arguments, 2));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 9));
  PW_TRY(const ir::DType found, stager.result_type(operands, arguments.span));
  const ir::DType type = asked.value_or(found);
  const std::optional<double> exponent = static_number(required(arguments, 1, "x2"));
  if (exponent == 2.0 && type != ir::DType::Bool) {
    return deliver(
        stager, arguments, 2,
        elementwise_of(stager, std::span(operands.data(), 1), std::span(&type, 1), type, arguments.span,
                       [&](auto x) { return stager.apply(ir::Op::Mul, {x[0], x[0]}); }));
  }
  if (is_whole_type(type)) {
    if (const auto* exponents = operands[1].as<Array>()) {
      const ir::ExprId negative =
          stager.fold(exponents->shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any,
                      [&](const Indices& at) { return is_negative(stager, stager.load(*exponents, at)); });
      stager.trap_if(negative, ir::TrapKind::ValueError, "integers to negative integer powers");
    } else {
      return deliver(stager, arguments, 2,
                     stager.binary(python::Operator::Pow, operands[0], operands[1], arguments.span));
    }
  }
  return deliver(stager, arguments, 2, stager.ufunc(ir::Op::Pow, operands, arguments.span, type));
}

Result<Value> float_power(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<Value> operands, operands_of(stager, arguments, 2));
  PW_TRY(const ir::DType found, stager.result_type(operands, arguments.span));
  const ir::DType type = ir::is_complex(found) ? ir::DType::C128 : ir::DType::F64;
  return deliver(stager, arguments, 2, stager.ufunc(ir::Op::Pow, operands, arguments.span, type));
}

Result<Value> square(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 9));
  const ir::DType own = type_of(stager, x);
  const ir::DType type = asked.value_or(own == ir::DType::Bool ? ir::DType::I8 : own);
  return deliver(stager, arguments, 1,
                 elementwise_of(stager, std::span(&x, 1), std::span(&type, 1), type, arguments.span,
                                [&](auto v) { return stager.apply(ir::Op::Mul, {v[0], v[0]}); }));
}

Result<Value> reciprocal(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 9));
  const ir::DType type = asked.value_or(type_of(stager, x));
  if (is_whole_type(type)) {
    return unsupported(stager, arguments, "of integers", "write 1.0 / x, which is a float");
  }
  return deliver(
      stager, arguments, 1,
      elementwise_of(stager, std::span(&x, 1), std::span(&type, 1), type, arguments.span, [&](auto v) {
        return stager.apply(ir::Op::Div, {stager.cast(stager.real(1.0, ir::DType::F64), type), v[0]});
      }));
}

Result<Value> positive(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  if (type_of(stager, x) == ir::DType::Bool) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, "positive", "bool");
  }
  return deliver(stager, arguments, 1, same(stager, x));
}

Result<Value> fabs(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  PW_TRY(const ir::DType type, float_type(stager, arguments, type_of(stager, x)));
  return deliver(stager, arguments, 1, stager.ufunc(ir::Op::Abs, std::span(&x, 1), arguments.span, type));
}

/// floor, ceil, trunc and fix leave integers as they are (NumPy 2.1 and later).
Result<Value> whole(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 9));
  if (is_whole_type(asked.value_or(type_of(stager, x)))) {
    return deliver(stager, arguments, 1, same(stager, x));
  }
  const ir::Op op = arguments.name == "numpy.floor"  ? ir::Op::Floor
                    : arguments.name == "numpy.ceil" ? ir::Op::Ceil
                                                     : ir::Op::Trunc;
  return deliver(stager, arguments, 1, stager.ufunc(op, std::span(&x, 1), arguments.span, asked));
}

/// Half to even; decimals as NumPy has them: rint(x * 10**d) / 10**d.
Result<Value> round_to(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value raw, array_like(stager, required(arguments, 0, "a"), arguments.span));
  const Value x = strengthened(stager, {raw})[0];
  PW_TRY(const std::int64_t decimals, int_argument(stager, arguments, 1, "decimals", 0));
  const ir::DType type = type_of(stager, x);
  if (is_whole_type(type)) {
    if (decimals < 0 || type == ir::DType::Bool) {
      return unsupported(stager, arguments, "of integers to tens", "use // and *");
    }
    return deliver(stager, arguments, 2, same(stager, x));
  }
  if (ir::is_complex(type)) return unsupported(stager, arguments, "of complex numbers", "round the parts");
  const double factor = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return deliver(stager, arguments, 2, unary_of(stager, x, type, arguments.span, [&](ir::ExprId v) {
                   if (decimals == 0) return stager.apply(ir::Op::Rint, {v});
                   const ir::ExprId ten = stager.real(factor, type);
                   const ir::Op first = decimals > 0 ? ir::Op::Mul : ir::Op::Div;
                   const ir::Op last = decimals > 0 ? ir::Op::Div : ir::Op::Mul;
                   const ir::ExprId rounded = stager.apply(ir::Op::Rint, {stager.apply(first, {v, ten})});
                   return stager.apply(last, {rounded, ten});
                 }));
}

/// x where the condition holds, else y; their common dtype, to which a Python int is cut without a word.
Result<Value> where(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value condition, array_like(stager, required(arguments, 0, "condition"), arguments.span));
  if (given(arguments, 1, "x") == nullptr && given(arguments, 2, "y") == nullptr) {
    return nonzero(stager, Arguments{{condition}, {}, arguments.span, arguments.name});
  }
  if (given(arguments, 1, "x") == nullptr || given(arguments, 2, "y") == nullptr) {
    return bad_call(stager, arguments, "with one of x and y");
  }
  PW_TRY(const Value x, array_like(stager, required(arguments, 1, "x"), arguments.span));
  PW_TRY(const Value y, array_like(stager, required(arguments, 2, "y"), arguments.span));
  const std::vector<Value> choices = {x, y};
  PW_TRY(const ir::DType type, stager.result_type(choices, arguments.span));
  const std::vector<Value> operands = {condition, x, y};
  const std::vector<ir::DType> types = {ir::DType::Bool, type, type};
  const auto chosen = [&](std::span<const ir::ExprId> v) {
    return stager.apply(ir::Op::Select, {v[0], v[1], v[2]});
  };
  PW_TRY(const Value out, elementwise_of(stager, operands, types, type, arguments.span, chosen));
  const auto* scalar = out.as<Scalar>();
  return scalar == nullptr ? out : value(Scalar{scalar->expr, false, true});
}

/// min(max(a, low), high); a itself where it equals a bound, NaN where either is.
Result<Value> clip(Stager& stager, const Arguments& arguments) {
  const bool method = arguments.name == "ndarray.clip";
  PW_TRY(const Value raw, array_like(stager, required(arguments, 0, method ? "self" : "a"), arguments.span));
  std::vector<Value> operands = {raw};
  const Value* bounds[] = {given(arguments, 1, method ? "min" : "a_min"),
                           given(arguments, 2, method ? "max" : "a_max")};
  if (!method && bounds[0] == nullptr) bounds[0] = given(arguments, 9, "min");
  if (!method && bounds[1] == nullptr) bounds[1] = given(arguments, 9, "max");
  for (const Value* bound : bounds) {
    if (bound == nullptr) continue;
    PW_TRY(Value operand, array_like(stager, *bound, arguments.span));
    operands.push_back(std::move(operand));
  }
  operands = strengthened(stager, std::move(operands));
  PW_TRY(const ir::DType found, stager.result_type(operands, arguments.span));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 9));
  const ir::DType type = asked.value_or(found);
  if (ir::is_complex(type)) return stager.engine.report(Rule::NumpyOpType, arguments.span, "clip", "complex");
  if (ir::is_integer(type)) {
    for (const Value& each : operands) PW_CHECK_OK(stager.check_weak_range(each, type, arguments.span));
  }
  const std::vector<ir::DType> types(operands.size(), type);
  return deliver(
      stager, arguments, 3,
      elementwise_of(stager, operands, types, type, arguments.span, [&](std::span<const ir::ExprId> v) {
        // The op gives its second argument where both are equal.
        ir::ExprId out = v[0];
        if (bounds[0] != nullptr) out = stager.apply(ir::Op::Maximum, {v[1], out});
        if (bounds[1] != nullptr) out = stager.apply(ir::Op::Minimum, {v.back(), out});
        return out;
      }));
}

namespace {

/// A Python bool as the int that its parts are: True.real is 1.
std::optional<ir::ExprId> python_bool(Stager& stager, const Value& whole) {
  const std::optional<Scalar> number = whole.is<Array>() ? std::nullopt : stager.as_scalar(whole);
  if (!number || !number->weak || type_of(stager, whole) != ir::DType::Bool) return std::nullopt;
  return stager.cast(number->expr, ir::DType::I64);
}

/// A part of a Python number is a Python number.
Value weak_as(Stager& stager, const Value& whole, Value part) {
  const std::optional<Scalar> number = whole.is<Array>() ? std::nullopt : stager.as_scalar(whole);
  return number && number->weak ? stager.weak(stager.as_scalar(part)->expr) : part;
}

}  // namespace

Result<Value> real_part(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, array_like(stager, required(arguments, 0, "val"), arguments.span));
  const ir::DType type = type_of(stager, x);
  if (const auto whole = python_bool(stager, x)) return stager.weak(*whole);
  if (!ir::is_complex(type)) return x;
  PW_TRY(Value part, unary_of(stager, x, ir::real_of(type), arguments.span,
                              [&](ir::ExprId v) { return stager.apply(ir::Op::Real, {v}); }));
  return x.is<Array>() ? stager.part_of(*x.as<Array>(), std::move(part)) : weak_as(stager, x, part);
}

Result<Value> imaginary_part(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, array_like(stager, required(arguments, 0, "val"), arguments.span));
  if (python_bool(stager, x)) return stager.weak(stager.integer(0));
  const ir::DType type = type_of(stager, x);
  const auto imaginary = [&](ir::ExprId v) {
    return ir::is_complex(type) ? stager.apply(ir::Op::Imag, {v}) : stager.cast(stager.integer(0), type);
  };
  PW_TRY(Value part, unary_of(stager, x, ir::real_of(type), arguments.span, imaginary));
  if (x.is<Array>() && ir::is_complex(type)) return stager.part_of(*x.as<Array>(), std::move(part));
  return weak_as(stager, x, part);
}

Result<Value> conjugate(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, array_like(stager, required(arguments, 0, "x"), arguments.span));
  const ir::DType type = type_of(stager, x);
  if (ir::is_complex(type)) {
    return deliver(stager, arguments, 1, unary_of(stager, x, type, arguments.span, [&](ir::ExprId v) {
                     return stager.apply(ir::Op::Conj, {v});
                   }));
  }
  const bool method = arguments.name.starts_with("ndarray.");
  return deliver(stager, arguments, 1, method ? x : same(stager, strengthened(stager, {x})[0]));
}

Result<Value> angle(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value raw, array_like(stager, required(arguments, 0, "z"), arguments.span));
  const Value x = strengthened(stager, {raw})[0];
  PW_TRY(const bool degrees, bool_argument(stager, arguments, 1, "deg", false));
  const ir::DType own = type_of(stager, x);
  const ir::DType type = ir::is_complex(own) ? own : ir::float_of(own).value_or(ir::DType::F64);
  const ir::DType part = ir::real_of(type);
  return elementwise_of(stager, std::span(&x, 1), std::span(&type, 1), part, arguments.span, [&](auto v) {
    const bool complex = ir::is_complex(type);
    const ir::ExprId y = complex ? stager.apply(ir::Op::Imag, {v[0]}) : stager.real(0.0, part);
    const ir::ExprId turned =
        stager.apply(ir::Op::Atan2, {y, complex ? stager.apply(ir::Op::Real, {v[0]}) : v[0]});
    return degrees ? stager.apply(ir::Op::Mul, {turned, stager.real(180.0 / std::numbers::pi, part)})
                   : turned;
  });
}

Result<Value> classify(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  const ir::Op op = *ufunc_op(arguments.name);
  if (!is_whole_type(type_of(stager, x))) {
    return deliver(stager, arguments, 1, stager.ufunc(op, std::span(&x, 1), arguments.span));
  }
  const ir::ExprId known = stager.constant(ir::const_bool(op == ir::Op::IsFinite));
  return deliver(stager, arguments, 1,
                 unary_of(stager, x, ir::DType::Bool, arguments.span, [&](ir::ExprId) { return known; }));
}

Result<Value> signbit(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  const ir::DType type = type_of(stager, x);
  if (ir::is_complex(type))
    return stager.engine.report(Rule::NumpyOpType, arguments.span, "signbit", "complex");
  return deliver(stager, arguments, 1,
                 unary_of(stager, x, ir::DType::Bool, arguments.span, [&](ir::ExprId v) {
                   if (type == ir::DType::Bool) return stager.constant(ir::const_bool(false));
                   if (!ir::is_float(type))
                     return stager.apply(ir::Op::Lt, {v, stager.cast(stager.integer(0), type)});
                   const ir::ExprId sign = stager.apply(ir::Op::CopySign, {stager.real(1.0, type), v});
                   return stager.apply(ir::Op::Lt, {sign, stager.real(0.0, type)});
                 }));
}

Result<Value> degrees(Stager& stager, const Arguments& arguments) {
  return scaled(stager, arguments, 180.0 / std::numbers::pi, 180.0F / std::numbers::pi_v<float>);
}

Result<Value> radians(Stager& stager, const Arguments& arguments) {
  return scaled(stager, arguments, std::numbers::pi / 180.0, std::numbers::pi_v<float> / 180.0F);
}

Result<Value> heaviside(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<Value> operands, operands_of(stager, arguments, 2));
  PW_TRY(const ir::DType found, stager.result_type(operands, arguments.span));
  PW_TRY(const ir::DType type, float_type(stager, arguments, found));
  const std::vector<ir::DType> types = {type, type};
  return deliver(
      stager, arguments, 2, elementwise_of(stager, operands, types, type, arguments.span, [&](auto v) {
        const ir::ExprId zero = stager.real(0.0, type);
        const ir::ExprId at_zero = stager.apply(
            ir::Op::Select, {stager.apply(ir::Op::Eq, {v[0], zero}), v[1], stager.real(1.0, type)});
        const ir::ExprId signed_part =
            stager.apply(ir::Op::Select, {stager.apply(ir::Op::Lt, {v[0], zero}), zero, at_zero});
        return stager.apply(ir::Op::Select, {stager.apply(ir::Op::IsNan, {v[0]}), v[0], signed_part});
      }));
}

Result<Value> nan_to_num(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value x, operand_of(stager, arguments));
  const ir::DType type = type_of(stager, x);
  if (is_whole_type(type)) return same(stager, x);
  if (ir::is_complex(type)) return unsupported(stager, arguments, "of complex numbers", "mend the parts");
  const double largest = type == ir::DType::F32 ? static_cast<double>(std::numeric_limits<float>::max())
                                                : std::numeric_limits<double>::max();
  const auto replacement = [&](std::size_t position, std::string_view keyword,
                               double otherwise) -> Result<ir::ExprId> {
    const Value* found = given(arguments, position, keyword);
    if (found == nullptr) return stager.real(otherwise, type);
    const std::optional<Scalar> scalar = stager.as_scalar(*found);
    if (!scalar) return bad_call(stager, arguments, "with a replacement that is no number");
    return stager.cast(scalar->expr, type);
  };
  PW_TRY(const ir::ExprId nan, replacement(2, "nan", 0.0));
  PW_TRY(const ir::ExprId high, replacement(3, "posinf", largest));
  PW_TRY(const ir::ExprId low, replacement(4, "neginf", -largest));
  PW_TRY(const bool copies, bool_argument(stager, arguments, 1, "copy", true));
  if (!copies) return unsupported(stager, arguments, "in place", "write x[:] = np.nan_to_num(x)");
  return unary_of(stager, x, type, arguments.span, [&](ir::ExprId v) {
    const ir::ExprId positive = stager.apply(ir::Op::Gt, {v, stager.real(0.0, type)});
    const ir::ExprId infinite = stager.apply(ir::Op::Select, {positive, high, low});
    const ir::ExprId bounded = stager.apply(ir::Op::Select, {stager.apply(ir::Op::IsInf, {v}), infinite, v});
    return stager.apply(ir::Op::Select, {stager.apply(ir::Op::IsNan, {v}), nan, bounded});
  });
}

Result<Value> divide_with_rest(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<Value> operands, operands_of(stager, arguments, 2));
  PW_TRY(Value quotient, stager.ufunc(ir::Op::FloorDiv, operands, arguments.span));
  PW_TRY(Value rest, stager.ufunc(ir::Op::Mod, operands, arguments.span));
  return value(Tuple{{std::move(quotient), std::move(rest)}});
}

}  // namespace pw::numpy::functions
