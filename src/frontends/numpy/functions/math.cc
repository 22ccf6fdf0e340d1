// Python's math module: floats of the C library, with the exceptions that Python raises.
// Source: https://docs.python.org/3/library/math.html, and Annex F of C for what is a domain error.
#include "frontends/numpy/functions/math.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace pw::numpy::functions {

namespace {

/// Outside of it Python raises ValueError.
enum class Domain : std::uint8_t {
  All,
  Finite,
  NotNegative,
  Positive,
  AboveMinusOne,
  Unit,
  AtLeastOne,
  InsideUnit
};

struct MathRow {
  std::string_view name;
  ir::Op op;
  Domain domain;
  bool overflows;  // a finite argument with an infinite result raises OverflowError
  double (*compute)(double);
};

constexpr MathRow kRows[] = {
    {"math.sqrt", ir::Op::Sqrt, Domain::NotNegative, false, std::sqrt},
    {"math.exp", ir::Op::Exp, Domain::All, true, std::exp},
    {"math.exp2", ir::Op::Exp2, Domain::All, true, std::exp2},
    {"math.expm1", ir::Op::Expm1, Domain::All, true, std::expm1},
    {"math.log", ir::Op::Log, Domain::Positive, false, std::log},
    {"math.log2", ir::Op::Log2, Domain::Positive, false, std::log2},
    {"math.log10", ir::Op::Log10, Domain::Positive, false, std::log10},
    {"math.log1p", ir::Op::Log1p, Domain::AboveMinusOne, false, std::log1p},
    {"math.sin", ir::Op::Sin, Domain::Finite, false, std::sin},
    {"math.cos", ir::Op::Cos, Domain::Finite, false, std::cos},
    {"math.tan", ir::Op::Tan, Domain::Finite, false, std::tan},
    {"math.asin", ir::Op::Asin, Domain::Unit, false, std::asin},
    {"math.acos", ir::Op::Acos, Domain::Unit, false, std::acos},
    {"math.atan", ir::Op::Atan, Domain::All, false, std::atan},
    {"math.sinh", ir::Op::Sinh, Domain::All, true, std::sinh},
    {"math.cosh", ir::Op::Cosh, Domain::All, true, std::cosh},
    {"math.tanh", ir::Op::Tanh, Domain::All, false, std::tanh},
    {"math.asinh", ir::Op::Asinh, Domain::All, false, std::asinh},
    {"math.acosh", ir::Op::Acosh, Domain::AtLeastOne, false, std::acosh},
    {"math.atanh", ir::Op::Atanh, Domain::InsideUnit, false, std::atanh},
    {"math.erf", ir::Op::Erf, Domain::All, false, std::erf},
    {"math.erfc", ir::Op::Erfc, Domain::All, false, std::erfc},
    {"math.cbrt", ir::Op::Cbrt, Domain::All, false, std::cbrt},
    {"math.fabs", ir::Op::Abs, Domain::All, false, std::fabs},
};

const MathRow& row_of(std::string_view name) {
  for (const MathRow& row : kRows) {
    if (row.name == name) return row;
  }
  PW_UNREACHABLE("a math function without its row");
}

bool is_outside(Domain domain, double x) {
  switch (domain) {
    case Domain::All:
      return false;
    case Domain::Finite:
      return std::isinf(x);
    case Domain::NotNegative:
      return x < 0;
    case Domain::Positive:
      return x <= 0;
    case Domain::AboveMinusOne:
      return x <= -1;
    case Domain::Unit:
      return std::fabs(x) > 1;
    case Domain::AtLeastOne:
      return x < 1;
    case Domain::InsideUnit:
      return std::fabs(x) >= 1;
  }
  return false;
}

ir::ExprId outside(Stager& stager, Domain domain, ir::ExprId x) {
  const auto against = [&](ir::Op op, ir::ExprId left, double bound) {
    return stager.apply(op, {left, stager.real(bound, ir::DType::F64)});
  };
  switch (domain) {
    case Domain::All:
      return stager.constant(ir::const_bool(false));
    case Domain::Finite:
      return stager.apply(ir::Op::IsInf, {x});
    case Domain::NotNegative:
      return against(ir::Op::Lt, x, 0.0);
    case Domain::Positive:
      return against(ir::Op::Le, x, 0.0);
    case Domain::AboveMinusOne:
      return against(ir::Op::Le, x, -1.0);
    case Domain::Unit:
      return against(ir::Op::Gt, stager.apply(ir::Op::Abs, {x}), 1.0);
    case Domain::AtLeastOne:
      return against(ir::Op::Lt, x, 1.0);
    case Domain::InsideUnit:
      return against(ir::Op::Ge, stager.apply(ir::Op::Abs, {x}), 1.0);
  }
  return {};
}

}  // namespace

std::optional<double> static_real(const Value& v) {
  if (v.config.valid()) return std::nullopt;
  if (const auto* number = v.as<double>()) return *number;
  if (const auto* whole = v.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* flag = v.as<bool>()) return *flag ? 1.0 : 0.0;
  return std::nullopt;
}

Result<ir::ExprId> float_argument(Stager& stager, const Arguments& arguments, const Value& v) {
  Arguments call;
  call.name = "float";
  call.span = arguments.span;
  call.positional = {v};
  PW_TRY(const Value converted, to_float(stager, call));
  const ir::ExprId expr = stager.as_scalar(converted)->expr;
  const ir::Expr& node = stager.module[expr];
  if (std::holds_alternative<ir::Const>(node) || std::holds_alternative<ir::Read>(node)) return expr;
  return stager.module.add(ir::Read{stager.let(expr)}, stager.here());
}

namespace {

ir::ExprId is_infinite_from_finite(Stager& stager, ir::ExprId result, std::span<const ir::ExprId> inputs) {
  ir::ExprId out = stager.apply(ir::Op::IsInf, {result});
  for (const ir::ExprId each : inputs) {
    out = stager.apply(ir::Op::And, {out, stager.apply(ir::Op::IsFinite, {each})});
  }
  return out;
}

Result<Value> evaluate(Stager& stager, const Arguments& arguments, const MathRow& row, const Value& x) {
  if (const auto known = static_real(x)) {
    const double result = row.compute(*known);
    if (is_outside(row.domain, *known)) return bad_call(stager, arguments, "outside its domain");
    if (row.overflows && std::isinf(result) && std::isfinite(*known)) {
      return bad_call(stager, arguments, "where the result overflows");
    }
    return value(result);
  }
  PW_TRY(const ir::ExprId argument, float_argument(stager, arguments, x));
  stager.trap_if(outside(stager, row.domain, argument), ir::TrapKind::ValueError, "math domain error");
  const ir::ExprId result = stager.apply(row.op, {argument});
  if (!row.overflows) return stager.weak(result);
  const ir::ExprId bound = stager.module.add(ir::Read{stager.let(result)}, stager.here());
  stager.trap_if(is_infinite_from_finite(stager, bound, std::span(&argument, 1)), ir::TrapKind::OverflowError,
                 "math range error");
  return stager.weak(bound);
}

Result<Value> logarithm(Stager& stager, const Arguments& arguments, const Value& x) {
  return evaluate(stager, arguments, row_of("math.log"), x);
}

}  // namespace

Result<Value> math_function(Stager& stager, const Arguments& arguments) {
  return evaluate(stager, arguments, row_of(arguments.name), required(arguments, 0, "x"));
}

Result<Value> math_log(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value above, logarithm(stager, arguments, required(arguments, 0, "x")));
  const Value* base = given(arguments, 1, "base");
  if (base == nullptr) return above;
  PW_TRY(const Value below, logarithm(stager, arguments, *base));
  return stager.binary(python::Operator::Div, above, below, arguments.span);
}

Result<Value> math_pair(Stager& stager, const Arguments& arguments) {
  const bool angle = arguments.name == "math.atan2";
  const Value& first = required(arguments, 0, angle ? "y" : "x");
  const Value& second = required(arguments, 1, angle ? "x" : "y");
  PW_TRY(const ir::ExprId a, float_argument(stager, arguments, first));
  PW_TRY(const ir::ExprId b, float_argument(stager, arguments, second));
  if (angle) return stager.weak(stager.apply(ir::Op::Atan2, {a, b}));
  if (arguments.name == "math.copysign") return stager.weak(stager.apply(ir::Op::CopySign, {a, b}));
  const ir::ExprId zero = stager.real(0.0, ir::DType::F64);
  if (arguments.name == "math.fmod") {
    const ir::ExprId any_nan =
        stager.apply(ir::Op::Or, {stager.apply(ir::Op::IsNan, {a}), stager.apply(ir::Op::IsNan, {b})});
    const ir::ExprId bad =
        stager.apply(ir::Op::Or, {stager.apply(ir::Op::IsInf, {a}), stager.apply(ir::Op::Eq, {b, zero})});
    stager.trap_if(stager.apply(ir::Op::And, {stager.apply(ir::Op::Not, {any_nan}), bad}),
                   ir::TrapKind::ValueError, "math domain error");
    return stager.weak(stager.apply(ir::Op::FMod, {a, b}));
  }
  const ir::LocalId power = stager.let(stager.apply(ir::Op::Pow, {a, b}));
  const ir::ExprId result = stager.module.add(ir::Read{power}, stager.here());
  const auto both = [&](ir::ExprId x, ir::ExprId y) { return stager.apply(ir::Op::And, {x, y}); };
  const ir::ExprId finite = both(stager.apply(ir::Op::IsFinite, {a}), stager.apply(ir::Op::IsFinite, {b}));
  const ir::ExprId pole = both(stager.apply(ir::Op::Eq, {a, zero}), stager.apply(ir::Op::Lt, {b, zero}));
  const ir::ExprId undefined = both(finite, stager.apply(ir::Op::IsNan, {result}));
  stager.trap_if(stager.apply(ir::Op::Or, {undefined, both(finite, pole)}), ir::TrapKind::ValueError,
                 "math domain error");
  stager.trap_if(both(finite, stager.apply(ir::Op::IsInf, {result})), ir::TrapKind::OverflowError,
                 "math range error");
  return stager.weak(result);
}

/// floor, ceil and trunc give ints.
Result<Value> math_whole(Stager& stager, const Arguments& arguments) {
  const Value& x = required(arguments, 0, "x");
  const bool floors = arguments.name == "math.floor";
  const bool ceils = arguments.name == "math.ceil";
  Arguments call;
  call.name = "int";
  call.span = arguments.span;
  if (const auto known = static_real(x)) {
    call.positional = {value(floors ? std::floor(*known) : ceils ? std::ceil(*known) : std::trunc(*known))};
    if (x.is<std::int64_t>()) call.positional = {x};
    return to_int(stager, call);
  }
  const std::optional<Scalar> scalar = stager.as_scalar(x);
  if (!scalar)
    return stager.engine.report(Rule::NumpyNumberNeeded, arguments.span, describe(x, stager.module));
  const ir::DType type = stager.type_of(*scalar);
  if (!ir::is_float(type) || (!floors && !ceils)) {
    call.positional = {x};
    return to_int(stager, call);
  }
  const ir::ExprId rounded = stager.apply(floors ? ir::Op::Floor : ir::Op::Ceil, {scalar->expr});
  call.positional = {stager.weak(rounded)};
  return to_int(stager, call);
}

Result<Value> math_test(Stager& stager, const Arguments& arguments) {
  const Value& x = required(arguments, 0, "x");
  const ir::Op op = arguments.name == "math.isnan"   ? ir::Op::IsNan
                    : arguments.name == "math.isinf" ? ir::Op::IsInf
                                                     : ir::Op::IsFinite;
  if (const auto known = static_real(x)) {
    return value(op == ir::Op::IsNan   ? std::isnan(*known)
                 : op == ir::Op::IsInf ? std::isinf(*known)
                                       : std::isfinite(*known));
  }
  PW_TRY(const ir::ExprId argument, float_argument(stager, arguments, x));
  return stager.weak(stager.apply(op, {argument}));
}

/// x * (180 / pi) and x * (pi / 180), as CPython has them.
Result<Value> math_angle(Stager& stager, const Arguments& arguments) {
  const double factor =
      arguments.name == "math.degrees" ? 180.0 / std::numbers::pi : std::numbers::pi / 180.0;
  return stager.binary(python::Operator::Mult, required(arguments, 0, "x"), value(factor), arguments.span);
}

Result<Value> math_product(Stager& stager, const Arguments& arguments) {
  const Value* start = given(arguments, 9, "start");
  Value product = start == nullptr ? value(std::int64_t{1}) : *start;
  PW_TRY(const std::vector<Value> items,
         stager.static_items(required(arguments, 0, "iterable"), arguments.span));
  for (const Value& each : items) {
    PW_TRY(product, stager.binary(python::Operator::Mult, product, each, arguments.span));
  }
  return product;
}

}  // namespace pw::numpy::functions
