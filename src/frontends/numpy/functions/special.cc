// Functions of numbers that are made of several ops: scipy.special's, sinc, modf, bitwise_count; and the
// sequences in powers, logspace and geomspace.
// Source: https://docs.scipy.org/doc/scipy/reference/special.html, numpy.sinc.html, numpy.geomspace.html
#include <limits>
#include <numbers>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

struct Operands {
  std::vector<Value> values;
  ir::DType type = ir::DType::F64;
};

/// The operands, in float32 where all of them are, else in float64: SciPy's loops for float64 stand first.
Result<Operands> float_operands(Stager& stager, const Arguments& arguments,
                                std::initializer_list<std::string_view> names) {
  Operands out;
  for (const std::string_view name : names) {
    PW_TRY(Value each, array_like(stager, required(arguments, out.values.size(), name), arguments.span));
    out.values.push_back(std::move(each));
  }
  out.values = strengthened(stager, std::move(out.values));
  bool single = true;
  for (const Value& each : out.values) {
    const ir::DType type = type_of(stager, each);
    if (ir::is_complex(type)) {
      return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, ir::row(type).numpy);
    }
    const std::optional<Scalar> scalar = stager.as_scalar(each);
    single = single && type == ir::DType::F32 && !(scalar && scalar->weak);
  }
  if (single) out.type = ir::DType::F32;
  return out;
}

Result<Value> applied(Stager& stager, const Arguments& arguments, const Operands& operands,
                      const std::function<ir::ExprId(std::span<const ir::ExprId>)>& body) {
  const std::vector<ir::DType> types(operands.values.size(), operands.type);
  return elementwise_of(stager, operands.values, types, operands.type, arguments.span, body);
}

}  // namespace

/// erf, erfc and gamma
Result<Value> special_function(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Operands x, float_operands(stager, arguments, {"x"}));
  const ir::Op op = arguments.name.ends_with(".erf")    ? ir::Op::Erf
                    : arguments.name.ends_with(".erfc") ? ir::Op::Erfc
                                                        : ir::Op::Gamma;
  return deliver(stager, arguments, 1, applied(stager, arguments, x, [&](std::span<const ir::ExprId> v) {
                   return stager.apply(op, {v[0]});
                 }));
}

/// log(abs(gamma(x))); minus infinity at minus infinity, as SciPy has it.
Result<Value> log_gamma(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Operands x, float_operands(stager, arguments, {"x"}));
  return applied(stager, arguments, x, [&](std::span<const ir::ExprId> v) {
    const ir::ExprId least = stager.real(-std::numeric_limits<double>::infinity(), x.type);
    return stager.apply(ir::Op::Select, {stager.apply(ir::Op::Eq, {v[0], least}), least,
                                         stager.apply(ir::Op::LogGamma, {v[0]})});
  });
}

/// 1 / (1 + exp(-x))
Result<Value> expit(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Operands x, float_operands(stager, arguments, {"x"}));
  return applied(stager, arguments, x, [&](std::span<const ir::ExprId> v) {
    const ir::ExprId one = stager.real(1.0, x.type);
    const ir::ExprId power = stager.apply(ir::Op::Exp, {stager.apply(ir::Op::Neg, {v[0]})});
    return stager.apply(ir::Op::Div, {one, stager.apply(ir::Op::Add, {one, power})});
  });
}

/// log(x / (1 - x)); around 1/2, where that loses digits, log1p(s) - log1p(-s) with s = 2 x - 1.
Result<Value> logit(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Operands x, float_operands(stager, arguments, {"x"}));
  return applied(stager, arguments, x, [&](std::span<const ir::ExprId> v) {
    const auto real = [&](double number) { return stager.real(number, x.type); };
    const auto binary = [&](ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); };
    const ir::ExprId p = v[0];
    const ir::ExprId plain =
        stager.apply(ir::Op::Log, {binary(ir::Op::Div, p, binary(ir::Op::Sub, real(1.0), p))});
    const ir::ExprId s = binary(ir::Op::Mul, real(2.0), binary(ir::Op::Sub, p, real(0.5)));
    const ir::ExprId near = binary(ir::Op::Sub, stager.apply(ir::Op::Log1p, {s}),
                                   stager.apply(ir::Op::Log1p, {stager.apply(ir::Op::Neg, {s})}));
    const ir::ExprId inside =
        binary(ir::Op::And, binary(ir::Op::Ge, p, real(0.3)), binary(ir::Op::Le, p, real(0.65)));
    return stager.apply(ir::Op::Select, {inside, near, plain});
  });
}

/// x log(y), or x log1p(y); 0 where x is 0 and y a number.
Result<Value> x_log_y(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Operands operands, float_operands(stager, arguments, {"x", "y"}));
  const ir::Op log = arguments.name.ends_with("1py") ? ir::Op::Log1p : ir::Op::Log;
  return applied(stager, arguments, operands, [&](std::span<const ir::ExprId> v) {
    const ir::ExprId zero = stager.real(0.0, operands.type);
    const ir::ExprId number = stager.apply(ir::Op::Not, {stager.apply(ir::Op::IsNan, {v[1]})});
    const ir::ExprId none = stager.apply(ir::Op::And, {stager.apply(ir::Op::Eq, {v[0], zero}), number});
    return stager.apply(ir::Op::Select,
                        {none, zero, stager.apply(ir::Op::Mul, {v[0], stager.apply(log, {v[1]})})});
  });
}

/// sin(pi x) / (pi x), 1 at 0.
Result<Value> sinc(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Operands x, float_operands(stager, arguments, {"x"}));
  const double least = x.type == ir::DType::F32 ? std::numeric_limits<float>::epsilon()
                                                : std::numeric_limits<double>::epsilon();
  return applied(stager, arguments, x, [&](std::span<const ir::ExprId> v) {
    const ir::ExprId turned = stager.apply(ir::Op::Mul, {stager.real(std::numbers::pi, x.type), v[0]});
    const ir::ExprId is_zero = stager.apply(ir::Op::Eq, {turned, stager.real(0.0, x.type)});
    const ir::ExprId y = stager.apply(ir::Op::Select, {is_zero, stager.real(least, x.type), turned});
    return stager.apply(ir::Op::Div, {stager.apply(ir::Op::Sin, {y}), y});
  });
}

/// (fractional part, whole part), both with the sign of x.
Result<Value> split_number(Stager& stager, const Arguments& arguments) {
  PW_TRY(Operands x, float_operands(stager, arguments, {"x"}));
  const ir::DType own = type_of(stager, x.values[0]);
  const std::optional<ir::DType> type = ir::float_of(own);
  if (!type) return stager.engine.report(Rule::NumpyOpType, arguments.span, "modf", ir::row(own).numpy);
  x.type = *type;
  const auto whole = [&](std::span<const ir::ExprId> v) { return stager.apply(ir::Op::Trunc, {v[0]}); };
  PW_TRY(const Value fraction, applied(stager, arguments, x, [&](std::span<const ir::ExprId> v) {
           const ir::ExprId rest = stager.apply(ir::Op::Sub, {v[0], whole(v)});
           const ir::ExprId endless = stager.apply(ir::Op::IsInf, {v[0]});
           const ir::ExprId size = stager.apply(ir::Op::Select, {endless, stager.real(0.0, x.type), rest});
           const ir::ExprId is_nan = stager.apply(ir::Op::IsNan, {v[0]});
           return stager.apply(ir::Op::Select, {is_nan, v[0], stager.apply(ir::Op::CopySign, {size, v[0]})});
         }));
  PW_TRY(const Value integral, applied(stager, arguments, x, whole));
  return value(Tuple{{fraction, integral}});
}

/// The number of ones among the bits of abs(x), as uint8.
Result<Value> bitwise_count(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value raw, array_like(stager, required(arguments, 0, "x"), arguments.span));
  const Value x = strengthened(stager, {raw})[0];
  const ir::DType own = type_of(stager, x);
  if (!ir::is_integer(own)) {
    return stager.engine.report(Rule::NumpyOpType, arguments.span, "bitwise_count", ir::row(own).numpy);
  }
  constexpr ir::DType kWide = ir::DType::U64;
  const auto bits = [&](std::uint64_t number) { return stager.constant(ir::Const{kWide, number, 0}); };
  const auto binary = [&](ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); };
  return unary_of(stager, x, ir::DType::U8, arguments.span, [&](ir::ExprId v) {
    // Abs leaves the least integer as it is, whose bits as an unsigned number of its width are right.
    ir::ExprId n = stager.apply(ir::Op::Abs, {v});
    if (ir::kind(own) == ir::DTypeKind::Int) {
      const std::size_t width = ir::row(own).bytes * 8;
      n = stager.cast(n, kWide);
      if (width < 64) n = binary(ir::Op::BitAnd, n, bits((std::uint64_t{1} << width) - 1));
    } else {
      n = stager.cast(n, kWide);
    }
    // Sums of neighbouring groups of 1, 2 and 4 bits, then of all bytes.
    const auto masked_sum = [&](ir::ExprId e, unsigned shift, std::uint64_t mask) {
      const ir::ExprId low = binary(ir::Op::BitAnd, e, bits(mask));
      const ir::ExprId high = binary(ir::Op::BitAnd, binary(ir::Op::ShiftRight, e, bits(shift)), bits(mask));
      return kept(stager, binary(ir::Op::Add, low, high));
    };
    n = masked_sum(kept(stager, n), 1, 0x5555555555555555U);
    n = masked_sum(n, 2, 0x3333333333333333U);
    n = masked_sum(n, 4, 0x0F0F0F0F0F0F0F0FU);
    n = binary(ir::Op::ShiftRight, binary(ir::Op::Mul, n, bits(0x0101010101010101U)), bits(56));
    return stager.cast(n, ir::DType::U8);
  });
}

namespace {

/// The positions num, endpoint and dtype of logspace and geomspace, for np.linspace.
std::vector<std::pair<std::string, Value>> line_keywords(const Arguments& arguments) {
  std::vector<std::pair<std::string, Value>> out;
  if (const Value* num = given(arguments, 2, "num")) out.emplace_back("num", *num);
  if (const Value* endpoint = given(arguments, 3, "endpoint")) out.emplace_back("endpoint", *endpoint);
  return out;
}

}  // namespace

/// base ** np.linspace(start, stop, num)
Result<Value> logspace(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const auto type, dtype_argument(stager, arguments, 5));
  PW_TRY(const Value exponents, call_row(stager, span, "numpy.linspace",
                                         {required(arguments, 0, "start"), required(arguments, 1, "stop")},
                                         line_keywords(arguments)));
  const Value* base_given = given(arguments, 4, "base");
  const Value base = base_given == nullptr ? value(10.0) : *base_given;
  if (base.is<Array>() || sequence_items(base) != nullptr) {
    return unsupported(stager, arguments, "with several bases", "use one base");
  }
  PW_TRY(const Value powers, call_row(stager, span, "numpy.power", {base, exponents}));
  return type ? cast_value(stager, powers, *type) : powers;
}

/// num values in constant ratio, from start to stop themselves.
Result<Value> geomspace(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 4));
  PW_TRY(const bool endpoint, bool_argument(stager, arguments, 3, "endpoint", true));
  ir::ExprId ends[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const Value& end = required(arguments, k, k == 0 ? "start" : "stop");
    const std::optional<Scalar> scalar = end.is<Array>() ? std::nullopt : stager.as_scalar(end);
    if (!scalar) return unsupported(stager, arguments, "between arrays", "use one start and one stop");
    if (ir::is_complex(stager.type_of(*scalar))) {
      return unsupported(stager, arguments, "of complex numbers", "use moduli and angles");
    }
    ends[k] = kept(stager, stager.cast(scalar->expr, ir::DType::F64));
  }
  const ir::ExprId zero = stager.real(0.0, ir::DType::F64);
  const auto is_zero = [&](ir::ExprId v) { return stager.apply(ir::Op::Eq, {v, zero}); };
  stager.trap_if(stager.apply(ir::Op::Or, {is_zero(ends[0]), is_zero(ends[1])}), ir::TrapKind::ValueError,
                 "Geometric sequence cannot include zero");
  const ir::ExprId sign = kept(stager, stager.apply(ir::Op::Sign, {ends[0]}));
  const auto log = [&](ir::ExprId v) {
    const ir::ExprId positive = stager.apply(ir::Op::Div, {v, sign});
    return stager.strong(kept(stager, stager.apply(ir::Op::Log10, {positive})));
  };
  PW_TRY(const Value exponents,
         call_row(stager, span, "numpy.linspace", {log(ends[0]), log(ends[1])}, line_keywords(arguments)));
  PW_TRY(const Value powers, call_row(stager, span, "numpy.power", {value(10.0), exponents}));
  const Array line = *powers.as<Array>();
  const ir::ExprId last = stager.index(stager.extents().add(line.shape[0], stager.size(-1)));
  return value(stager.define(line.shape, asked.value_or(ir::DType::F64), [&](const Indices& at) {
    const ir::ExprId place = stager.index(at[0]);
    ir::ExprId y = stager.apply(ir::Op::Mul, {stager.load(line, at), sign});
    const ir::ExprId is_last = stager.apply(ir::Op::Eq, {place, last});
    if (endpoint) y = stager.apply(ir::Op::Select, {is_last, ends[1], y});
    const ir::ExprId is_first = stager.apply(ir::Op::Eq, {place, stager.integer(0)});
    return stager.cast(stager.apply(ir::Op::Select, {is_first, ends[0], y}), asked.value_or(ir::DType::F64));
  }));
}

}  // namespace pw::numpy::functions
