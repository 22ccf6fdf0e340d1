// The rest of Python's math module: lengths, remainders, whole numbers.
// Source: https://docs.python.org/3/library/math.html; remainder as CPython's m_remainder computes it
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "frontends/numpy/functions/math.h"

namespace pw::numpy::functions {

namespace {

ir::ExprId real(Stager& stager, double number) { return stager.real(number, ir::DType::F64); }

ir::ExprId binary(Stager& stager, ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); }

ir::ExprId unary(Stager& stager, ir::Op op, ir::ExprId a) { return stager.apply(op, {a}); }

Result<Value> length_of(Stager& stager, std::span<const ir::ExprId> parts) {
  if (parts.empty()) return value(0.0);
  ir::ExprId out = unary(stager, ir::Op::Abs, parts[0]);
  for (const ir::ExprId each : parts.subspan(1)) out = kept(stager, binary(stager, ir::Op::Hypot, out, each));
  return stager.weak(out);
}

}  // namespace

/// gamma and lgamma; ValueError at their poles, OverflowError where a finite argument gives an infinity.
Result<Value> math_gamma(Stager& stager, const Arguments& arguments) {
  const bool logarithm = arguments.name == "math.lgamma";
  const Value& given_x = required(arguments, 0, "x");
  if (const auto known = static_real(given_x)) {
    const bool pole = *known <= 0 && *known == std::floor(*known) && !(logarithm && std::isinf(*known));
    const double out = pole ? 0.0 : logarithm ? std::lgamma(*known) : std::tgamma(*known);
    if (pole || (std::isinf(out) && std::isfinite(*known)))
      return bad_call(stager, arguments, "outside its domain");
    return value(out);
  }
  PW_TRY(const ir::ExprId x, float_argument(stager, arguments, given_x));
  const ir::ExprId whole = binary(stager, ir::Op::Eq, x, unary(stager, ir::Op::Floor, x));
  ir::ExprId pole = binary(stager, ir::Op::And, whole, binary(stager, ir::Op::Le, x, real(stager, 0.0)));
  const ir::ExprId finite = unary(stager, ir::Op::IsFinite, x);
  if (logarithm) pole = binary(stager, ir::Op::And, pole, finite);
  stager.trap_if(pole, ir::TrapKind::ValueError, "math domain error");
  const ir::ExprId out = kept(stager, unary(stager, logarithm ? ir::Op::LogGamma : ir::Op::Gamma, x));
  const ir::ExprId beyond = binary(stager, ir::Op::And, finite, unary(stager, ir::Op::IsInf, out));
  stager.trap_if(beyond, ir::TrapKind::OverflowError, "math range error");
  return stager.weak(out);
}

/// The length of the vector of all coordinates.
Result<Value> math_hypot(Stager& stager, const Arguments& arguments) {
  std::vector<ir::ExprId> parts;
  for (const Value& each : arguments.positional) {
    PW_TRY(const ir::ExprId part, float_argument(stager, arguments, each));
    parts.push_back(part);
  }
  return length_of(stager, parts);
}

/// The distance of two points, sequences of one length.
Result<Value> math_distance(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<Value> p, stager.static_items(required(arguments, 0, "p"), arguments.span));
  PW_TRY(const std::vector<Value> q, stager.static_items(required(arguments, 1, "q"), arguments.span));
  if (p.size() != q.size()) return bad_call(stager, arguments, "between points of different dimensions");
  std::vector<ir::ExprId> parts;
  for (std::size_t k = 0; k < p.size(); ++k) {
    PW_TRY(const ir::ExprId a, float_argument(stager, arguments, p[k]));
    PW_TRY(const ir::ExprId b, float_argument(stager, arguments, q[k]));
    parts.push_back(kept(stager, binary(stager, ir::Op::Sub, a, b)));
  }
  return length_of(stager, parts);
}

/// (fractional part, whole part), both floats with the sign of x.
Result<Value> math_parts(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExprId x, float_argument(stager, arguments, required(arguments, 0, "x")));
  const ir::ExprId whole = kept(stager, unary(stager, ir::Op::Trunc, x));
  const ir::ExprId endless = unary(stager, ir::Op::IsInf, x);
  const ir::ExprId rest =
      stager.apply(ir::Op::Select, {endless, real(stager, 0.0), binary(stager, ir::Op::Sub, x, whole)});
  const ir::ExprId fraction = stager.apply(
      ir::Op::Select, {unary(stager, ir::Op::IsNan, x), x, binary(stager, ir::Op::CopySign, rest, x)});
  return value(Tuple{{stager.weak(kept(stager, fraction)), stager.weak(whole)}});
}

/// x - n y, n being the whole number nearest to x / y, the even one of two.
Result<Value> math_remainder(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExprId x, float_argument(stager, arguments, required(arguments, 0, "x")));
  PW_TRY(const ir::ExprId y, float_argument(stager, arguments, required(arguments, 1, "y")));
  const auto is_nan = [&](ir::ExprId v) { return unary(stager, ir::Op::IsNan, v); };
  const ir::ExprId any_nan = kept(stager, binary(stager, ir::Op::Or, is_nan(x), is_nan(y)));
  const ir::ExprId outside = binary(stager, ir::Op::Or, unary(stager, ir::Op::IsInf, x),
                                    binary(stager, ir::Op::Eq, y, real(stager, 0.0)));
  stager.trap_if(binary(stager, ir::Op::And, outside, unary(stager, ir::Op::Not, any_nan)),
                 ir::TrapKind::ValueError, "math domain error");
  const ir::ExprId a = kept(stager, unary(stager, ir::Op::Abs, x));
  const ir::ExprId b = kept(stager, unary(stager, ir::Op::Abs, y));
  const ir::ExprId rest = kept(stager, binary(stager, ir::Op::FMod, a, b));
  const ir::ExprId above = kept(stager, binary(stager, ir::Op::Sub, b, rest));
  const ir::ExprId half =
      binary(stager, ir::Op::Mul, real(stager, 0.5), binary(stager, ir::Op::Sub, a, rest));
  const ir::ExprId twice =
      binary(stager, ir::Op::Mul, real(stager, 2.0), binary(stager, ir::Op::FMod, half, b));
  const ir::ExprId tied = binary(stager, ir::Op::Sub, rest, twice);
  const ir::ExprId farther = stager.apply(
      ir::Op::Select, {binary(stager, ir::Op::Gt, rest, above), unary(stager, ir::Op::Neg, above), tied});
  const ir::ExprId size =
      stager.apply(ir::Op::Select, {binary(stager, ir::Op::Lt, rest, above), rest, farther});
  const ir::ExprId sign = binary(stager, ir::Op::CopySign, real(stager, 1.0), x);
  const ir::ExprId finite = stager.apply(
      ir::Op::Select, {unary(stager, ir::Op::IsInf, y), x, binary(stager, ir::Op::Mul, sign, size)});
  const ir::ExprId nan = stager.apply(ir::Op::Select, {is_nan(x), x, y});
  return stager.weak(kept(stager, stager.apply(ir::Op::Select, {any_nan, nan, finite})));
}

/// abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)
Result<Value> math_isclose(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExprId a, float_argument(stager, arguments, required(arguments, 0, "a")));
  PW_TRY(const ir::ExprId b, float_argument(stager, arguments, required(arguments, 1, "b")));
  const auto tolerance = [&](std::string_view keyword, double otherwise) -> Result<ir::ExprId> {
    const Value* found = given(arguments, 9, keyword);
    PW_TRY(const ir::ExprId out,
           float_argument(stager, arguments, found == nullptr ? value(otherwise) : *found));
    stager.trap_if(binary(stager, ir::Op::Lt, out, real(stager, 0.0)), ir::TrapKind::ValueError,
                   "tolerances must be non-negative");
    return out;
  };
  PW_TRY(const ir::ExprId relative, tolerance("rel_tol", 1e-9));
  PW_TRY(const ir::ExprId absolute, tolerance("abs_tol", 0.0));
  const ir::ExprId gap = kept(stager, unary(stager, ir::Op::Abs, binary(stager, ir::Op::Sub, b, a)));
  const auto within = [&](ir::ExprId of) {
    const ir::ExprId scaled = unary(stager, ir::Op::Abs, binary(stager, ir::Op::Mul, relative, of));
    return binary(stager, ir::Op::Le, gap, scaled);
  };
  const auto either = [&](ir::ExprId p, ir::ExprId q) { return binary(stager, ir::Op::Or, p, q); };
  const ir::ExprId endless = either(unary(stager, ir::Op::IsInf, a), unary(stager, ir::Op::IsInf, b));
  const ir::ExprId near = either(either(within(a), within(b)), binary(stager, ir::Op::Le, gap, absolute));
  const ir::ExprId finite = binary(stager, ir::Op::And, unary(stager, ir::Op::Not, endless), near);
  return stager.weak(kept(stager, either(binary(stager, ir::Op::Eq, a, b), finite)));
}

/// The whole part of the square root of an int.
Result<Value> math_isqrt(Stager& stager, const Arguments& arguments) {
  const std::optional<Scalar> n_scalar = stager.as_scalar(required(arguments, 0, "n"));
  if (!n_scalar || !ir::is_integer(stager.type_of(*n_scalar)))
    return bad_call(stager, arguments, "of what is no int");
  const ir::ExprId n = kept(stager, stager.cast(n_scalar->expr, ir::DType::I64));
  stager.trap_if(binary(stager, ir::Op::Lt, n, stager.integer(0)), ir::TrapKind::ValueError,
                 "isqrt() argument must be nonnegative");
  // The root of the nearest float is off by one at most; no square above 3037000499^2 is an int64.
  constexpr std::int64_t kMost = 3037000499;
  const ir::ExprId root = unary(stager, ir::Op::Sqrt, stager.cast(n, ir::DType::F64));
  const ir::ExprId guess =
      kept(stager, binary(stager, ir::Op::Minimum, stager.cast(root, ir::DType::I64), stager.integer(kMost)));
  const ir::ExprId over = binary(stager, ir::Op::Gt, binary(stager, ir::Op::Mul, guess, guess), n);
  const ir::ExprId low = kept(stager, binary(stager, ir::Op::Sub, guess, stager.cast(over, ir::DType::I64)));
  const ir::ExprId next = binary(stager, ir::Op::Minimum, binary(stager, ir::Op::Add, low, stager.integer(1)),
                                 stager.integer(kMost));
  const ir::ExprId fits = binary(stager, ir::Op::Le, binary(stager, ir::Op::Mul, next, next), n);
  return stager.weak(kept(stager, stager.apply(ir::Op::Select, {fits, next, low})));
}

/// factorial, comb and perm of ints that are known.
Result<Value> math_counting(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::int64_t n, stager.to_static_int(required(arguments, 0, "n"), arguments.span));
  std::int64_t k = n;
  if (const Value* given_k = given(arguments, 1, "k")) {
    PW_TRY(k, stager.to_static_int(*given_k, arguments.span));
  }
  if (n < 0 || k < 0) return bad_call(stager, arguments, "of a negative number");
  if (k > n) return value(std::int64_t{0});
  const bool choices = arguments.name == "math.comb";
  if (choices) k = std::min(k, n - k);
  std::int64_t out = 1;
  for (std::int64_t i = 0; i < k; ++i) {
    // n (n-1) ... (n-k+1), for choices over k!: each step's product is divided by what divides it.
    std::int64_t factor = n - i;
    std::int64_t divisor = choices ? i + 1 : 1;
    const std::int64_t common = std::gcd(factor, divisor);
    factor /= common;
    divisor /= common;
    out /= divisor;
    if (__builtin_mul_overflow(out, factor, &out)) {
      return unsupported(stager, arguments, "beyond 64 bits", "compute it in floats with math.lgamma");
    }
  }
  return value(out);
}

/// gcd and lcm of any number of ints.
Result<Value> math_gcd(Stager& stager, const Arguments& arguments) {
  const bool multiple = arguments.name == "math.lcm";
  std::optional<std::int64_t> known = multiple ? 1 : 0;
  ir::ExprId out = stager.integer(*known);
  for (const Value& each : arguments.positional) {
    const std::optional<Scalar> scalar = stager.as_scalar(each);
    if (!scalar || ir::is_float(stager.type_of(*scalar)) || ir::is_complex(stager.type_of(*scalar))) {
      return bad_call(stager, arguments, "of what is no int");
    }
    const auto* fixed = each.as<std::int64_t>();
    if (known && fixed != nullptr && *fixed != std::numeric_limits<std::int64_t>::min()) {
      const bool small = std::abs(*fixed) < (std::int64_t{1} << 31) && *known < (std::int64_t{1} << 31);
      known = multiple ? (small ? std::optional(std::lcm(*known, *fixed)) : std::nullopt)
                       : std::optional(std::gcd(*known, *fixed));
    } else {
      known.reset();
    }
    if (known) {
      out = stager.integer(*known);
      continue;
    }
    const ir::ExprId number = kept(stager, stager.cast(scalar->expr, ir::DType::I64));
    const ir::ExprId divisor = kept(stager, binary(stager, ir::Op::Gcd, out, number));
    if (multiple) {
      const ir::ExprId steps = kept(stager, binary(stager, ir::Op::FloorDiv, out, divisor));
      stager.trap_if(binary(stager, ir::Op::MulOverflows, steps, number), ir::TrapKind::Assumption,
                     "an int beyond 64 bits");
      out = kept(stager, binary(stager, ir::Op::Lcm, out, number));
    } else {
      out = divisor;
    }
    stager.trap_if(binary(stager, ir::Op::Lt, out, stager.integer(0)), ir::TrapKind::Assumption,
                   "an int beyond 64 bits");
  }
  return known ? value(*known) : stager.weak(out);
}

}  // namespace pw::numpy::functions
