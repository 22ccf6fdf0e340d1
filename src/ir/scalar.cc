#include "ir/scalar.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/check.h"
#include "ir/scalar_bits.h"

namespace pw::ir {

namespace {

// ---- complex arithmetic, by the formulas of NumPy's loops and not of C's Annex G

template <typename C>
C multiply(C a, C b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Smith's algorithm.
template <typename C>
C divide(C a, C b) {
  using F = typename C::value_type;
  const F br = std::fabs(b.real());
  const F bi = std::fabs(b.imag());
  if (br >= bi) {
    if (br == 0 && bi == 0) return {a.real() / br, a.imag() / br};
    const F ratio = b.imag() / b.real();
    const F scale = F(1) / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const F ratio = b.real() / b.imag();
  const F scale = F(1) / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

/// NumPy's npy_cpow: exact cases first, small integer exponents by squaring, else the C library's cpow.
template <typename C>
C power(C a, C b) {
  using F = typename C::value_type;
  const F nan = std::numeric_limits<F>::quiet_NaN();
  if (b.real() == 0 && b.imag() == 0) return {F(1), F(0)};
  if (a.real() == 0 && a.imag() == 0) return b.real() > 0 ? C(0, 0) : C(nan, nan);
  if (b.imag() == 0 && std::fabs(b.real()) < 100 && b.real() == std::trunc(b.real())) {
    int n = static_cast<int>(b.real());
    if (n == 1) return a;
    if (n == 2) return multiply(a, a);
    if (n == 3) return multiply(a, multiply(a, a));
    const bool inverted = n < 0;
    if (inverted) n = -n;
    C result(1, 0);
    for (C square = a;; square = multiply(square, square)) {
      if ((n & 1) != 0) result = multiply(result, square);
      n >>= 1;
      if (n == 0) break;
    }
    return inverted ? divide(C(1, 0), result) : result;
  }
  return std::pow(a, b);
}

// ---- integer arithmetic

/// Wide enough that no promotion to a signed int can overflow.
template <typename T>
using Modular = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
bool overflows_division(T a, T b) {
  if constexpr (kIsSigned<T>) return a == std::numeric_limits<T>::min() && b == T(-1);
  return false;
}

template <typename T>
T floor_divide(T a, T b) {
  if (b == 0) return 0;
  if (overflows_division(a, b)) return a;
  const T quotient = static_cast<T>(a / b);
  if constexpr (kIsSigned<T>) {
    if (a % b != 0 && (a < 0) != (b < 0)) return static_cast<T>(quotient - 1);
  }
  return quotient;
}

template <typename T>
T floor_mod(T a, T b) {
  if (b == 0 || overflows_division(a, b)) return 0;
  const T rest = static_cast<T>(a % b);
  if constexpr (kIsSigned<T>) {
    if (rest != 0 && (rest < 0) != (b < 0)) return static_cast<T>(rest + b);
  }
  return rest;
}

template <typename T>
T integer_power(T a, T b) {
  if constexpr (kIsSigned<T>) {
    if (b < 0) return 0;
  }
  auto exponent = static_cast<std::uint64_t>(b);
  Modular<T> square = static_cast<Modular<T>>(a);
  Modular<T> result = 1;
  for (; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

template <typename T>
T shift_left(T a, T b) {
  const auto count = static_cast<std::make_unsigned_t<T>>(b);
  if (count >= sizeof(T) * 8) return 0;
  return static_cast<T>(static_cast<Modular<T>>(a) << count);
}

template <typename T>
T shift_right(T a, T b) {
  const auto count = static_cast<std::make_unsigned_t<T>>(b);
  if (count < sizeof(T) * 8) return static_cast<T>(a >> count);
  if constexpr (kIsSigned<T>) return static_cast<T>(a < 0 ? -1 : 0);
  return 0;
}

template <typename T>
Modular<T> modulus(T a) {
  if constexpr (kIsSigned<T>) {
    if (a < 0) return Modular<T>(0) - static_cast<Modular<T>>(a);
  }
  return static_cast<Modular<T>>(a);
}

/// Euclid's algorithm.
template <typename T>
T common_divisor(T a, T b) {
  auto x = modulus(a);
  auto y = modulus(b);
  while (x != 0) {
    const auto rest = static_cast<Modular<T>>(y % x);
    y = x;
    x = rest;
  }
  return static_cast<T>(y);
}

template <typename T>
T common_multiple(T a, T b) {
  if (a == 0 || b == 0) return 0;
  // Of two least integers the divisor is 2^(bits-1), which T holds as a negative number.
  return static_cast<T>(modulus(a) / modulus(common_divisor(a, b)) * modulus(b));
}

// ---- float arithmetic

/// CPython's float_divmod as NumPy has it: the quotient rounded to minus infinity, and the rest with the sign
/// of b.
template <typename F>
F divmod(F a, F b, F& rest) {
  rest = std::fmod(a, b);
  if (b == 0) return a / b;
  F quotient = (a - rest) / b;
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) {
      rest += b;
      quotient -= F(1);
    }
  } else {
    rest = std::copysign(F(0), b);
  }
  if (quotient == 0) return std::copysign(F(0), a / b);
  F floored = std::floor(quotient);
  if (quotient - floored > F(0.5)) floored += F(1);
  return floored;
}

template <typename F>
F float_floor_divide(F a, F b) {
  if (b == 0) return a / b;
  F rest;
  return divmod(a, b, rest);
}

template <typename F>
F float_mod(F a, F b) {
  if (b == 0) return std::fmod(a, b);
  F rest;
  (void)divmod(a, b, rest);
  return rest;
}

/// NumPy's npy_logaddexp and npy_logaddexp2.
template <typename F>
F log_add_exp(F a, F b) {
  if (a == b) return a + static_cast<F>(std::numbers::ln2);
  const F gap = a - b;
  if (gap > 0) return a + std::log1p(std::exp(-gap));
  return gap <= 0 ? b + std::log1p(std::exp(gap)) : gap;
}

template <typename F>
F log_add_exp2(F a, F b) {
  if (a == b) return a + F(1);
  const F gap = a - b;
  const auto log2_of_1_plus = [](F x) { return static_cast<F>(std::numbers::log2e) * std::log1p(x); };
  if (gap > 0) return a + log2_of_1_plus(std::exp2(-gap));
  return gap <= 0 ? b + log2_of_1_plus(std::exp2(gap)) : gap;
}

// ---- the ops, by type rule; each is instantiated only for the dtypes that op_result lets through

template <Op op, typename T>
T arithmetic(T a, T b) {
  if constexpr (op == Op::Minimum) return a < b || is_nan(a) ? a : b;
  if constexpr (op == Op::Maximum) return a > b || is_nan(a) ? a : b;
  if constexpr (op == Op::FMin) return a <= b || is_nan(b) ? a : b;
  if constexpr (op == Op::FMax) return a >= b || is_nan(b) ? a : b;
  if constexpr (kIsBool<T>) {
    if constexpr (op == Op::Add) return a || b;
    if constexpr (op == Op::Mul) return a && b;
  } else if constexpr (kIsInteger<T>) {
    using M = Modular<T>;
    if constexpr (op == Op::Add) return static_cast<T>(static_cast<M>(a) + static_cast<M>(b));
    if constexpr (op == Op::Sub) return static_cast<T>(static_cast<M>(a) - static_cast<M>(b));
    if constexpr (op == Op::Mul) return static_cast<T>(static_cast<M>(a) * static_cast<M>(b));
    if constexpr (op == Op::FloorDiv) return floor_divide(a, b);
    if constexpr (op == Op::Mod) return floor_mod(a, b);
    if constexpr (op == Op::FMod) return b == 0 || overflows_division(a, b) ? T(0) : static_cast<T>(a % b);
    if constexpr (op == Op::Pow) return integer_power(a, b);
  } else {
    if constexpr (op == Op::Add) return a + b;
    if constexpr (op == Op::Sub) return a - b;
    if constexpr (kIsComplex<T>) {
      if constexpr (op == Op::Mul) return multiply(a, b);
      if constexpr (op == Op::Div) return divide(a, b);
      if constexpr (op == Op::Pow) return power(a, b);
    } else {
      if constexpr (op == Op::Mul) return a * b;
      if constexpr (op == Op::Div) return a / b;
      if constexpr (op == Op::Pow) return std::pow(a, b);
      if constexpr (op == Op::FloorDiv) return float_floor_divide(a, b);
      if constexpr (op == Op::Mod) return float_mod(a, b);
      if constexpr (op == Op::FMod) return std::fmod(a, b);
      if constexpr (op == Op::Atan2) return std::atan2(a, b);
      if constexpr (op == Op::Hypot) return std::hypot(a, b);
      if constexpr (op == Op::LogAddExp) return log_add_exp(a, b);
      if constexpr (op == Op::LogAddExp2) return log_add_exp2(a, b);
      if constexpr (op == Op::CopySign) return std::copysign(a, b);
    }
  }
}

template <Op op, typename T>
bool compare(T a, T b) {
  if constexpr (op == Op::Eq) return a == b;
  if constexpr (op == Op::Ne) return a != b;
  if constexpr (op == Op::Lt) return a < b;
  if constexpr (op == Op::Le) return a <= b;
  if constexpr (op == Op::Gt) return a > b;
  if constexpr (op == Op::Ge) return a >= b;
}

template <Op op, typename T>
T bitwise(T a, T b) {
  if constexpr (op == Op::BitAnd) return static_cast<T>(a & b);
  if constexpr (op == Op::BitOr) return static_cast<T>(a | b);
  if constexpr (op == Op::BitXor) return static_cast<T>(a ^ b);
  if constexpr (op == Op::ShiftLeft) return shift_left(a, b);
  if constexpr (op == Op::ShiftRight) return shift_right(a, b);
  if constexpr (op == Op::Gcd) return common_divisor(a, b);
  if constexpr (op == Op::Lcm) return common_multiple(a, b);
}

/// Functions of one argument that floats and complex numbers share.
template <Op op, typename T>
T inexact(T a) {
  if constexpr (op == Op::Neg) return -a;
  if constexpr (op == Op::Sqrt) return std::sqrt(a);
  if constexpr (op == Op::Exp) return std::exp(a);
  if constexpr (op == Op::Log) return std::log(a);
  if constexpr (op == Op::Sin) return std::sin(a);
  if constexpr (op == Op::Cos) return std::cos(a);
  if constexpr (op == Op::Tan) return std::tan(a);
  if constexpr (op == Op::Sinh) return std::sinh(a);
  if constexpr (op == Op::Cosh) return std::cosh(a);
  if constexpr (op == Op::Tanh) return std::tanh(a);
  if constexpr (op == Op::Conj) {
    if constexpr (kIsComplex<T>) return std::conj(a);
    return a;
  }
}

template <Op op, typename F>
F of_float(F a) {
  if constexpr (op == Op::Sign) return a > 0 ? F(1) : a < 0 ? F(-1) : a == 0 ? F(0) : a;
  if constexpr (op == Op::Abs) return std::fabs(a);
  if constexpr (op == Op::Cbrt) return std::cbrt(a);
  if constexpr (op == Op::Exp2) return std::exp2(a);
  if constexpr (op == Op::Expm1) return std::expm1(a);
  if constexpr (op == Op::Log2) return std::log2(a);
  if constexpr (op == Op::Log10) return std::log10(a);
  if constexpr (op == Op::Log1p) return std::log1p(a);
  if constexpr (op == Op::Asin) return std::asin(a);
  if constexpr (op == Op::Acos) return std::acos(a);
  if constexpr (op == Op::Atan) return std::atan(a);
  if constexpr (op == Op::Asinh) return std::asinh(a);
  if constexpr (op == Op::Acosh) return std::acosh(a);
  if constexpr (op == Op::Atanh) return std::atanh(a);
  if constexpr (op == Op::Gamma) return std::tgamma(a);
  if constexpr (op == Op::LogGamma) return std::lgamma(a);
  if constexpr (op == Op::Erfc) return std::erfc(a);
  if constexpr (op == Op::Erf) return std::erf(a);
  if constexpr (op == Op::Floor) return std::floor(a);
  if constexpr (op == Op::Ceil) return std::ceil(a);
  if constexpr (op == Op::Trunc) return std::trunc(a);
  if constexpr (op == Op::Rint) return std::nearbyint(a);
}

template <Op op, typename T>
T of_integer(T a) {
  using M = Modular<T>;
  if constexpr (op == Op::Neg) return static_cast<T>(M(0) - static_cast<M>(a));
  if constexpr (op == Op::Sign) return static_cast<T>(a > 0 ? 1 : a == 0 ? 0 : -1);
  if constexpr (op == Op::Abs) return a < 0 ? static_cast<T>(M(0) - static_cast<M>(a)) : a;
  if constexpr (op == Op::BitNot) return static_cast<T>(~a);
}

template <Op op, typename T>
bool test(T a) {
  if constexpr (kIsComplex<T>) {
    if constexpr (op == Op::IsFinite) return std::isfinite(a.real()) && std::isfinite(a.imag());
    if constexpr (op == Op::IsNan) return is_nan(a);
    if constexpr (op == Op::IsInf) return std::isinf(a.real()) || std::isinf(a.imag());
  } else {
    if constexpr (op == Op::IsFinite) return std::isfinite(a);
    if constexpr (op == Op::IsNan) return std::isnan(a);
    if constexpr (op == Op::IsInf) return std::isinf(a);
  }
}

template <Op op>
bool overflows(std::int64_t a, std::int64_t b) {
  std::int64_t ignored;
  if constexpr (op == Op::AddOverflows) return __builtin_add_overflow(a, b, &ignored);
  if constexpr (op == Op::SubOverflows) return __builtin_sub_overflow(a, b, &ignored);
  if constexpr (op == Op::MulOverflows) return __builtin_mul_overflow(a, b, &ignored);
}

constexpr TypeRule kRules[] = {
#define OP(name, text, arity, rule, rounding, numpy, torch, doc) TypeRule::rule,
#include "ir/ops.def"
};
constexpr int kArity[] = {
#define OP(name, text, arity, rule, rounding, numpy, torch, doc) arity,
#include "ir/ops.def"
};

constexpr bool has_order(Op op) { return op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge; }
constexpr bool chooses(Op op) {
  return op == Op::Minimum || op == Op::Maximum || op == Op::FMin || op == Op::FMax;
}
constexpr bool takes_no_bool(Op op) {
  return op == Op::ShiftLeft || op == Op::ShiftRight || op == Op::Gcd || op == Op::Lcm;
}

/// Where op_result gives a dtype; scalar_test.cc checks that the two agree.
template <Op op, typename T>
constexpr bool fits() {
  constexpr TypeRule kRule = kRules[static_cast<std::size_t>(op)];
  constexpr bool kInexact = kIsFloat<T> || kIsComplex<T>;
  switch (kRule) {
    case TypeRule::Same:
      if (kIsBool<T>) return op == Op::Add || op == Op::Mul || chooses(op);
      if (kIsComplex<T>) {
        return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Pow || op == Op::Neg;
      }
      return true;
    case TypeRule::Compare:
      return !(kIsComplex<T> && has_order(op));
    case TypeRule::Logical:
      return kIsBool<T>;
    case TypeRule::Inexact:
    case TypeRule::Test:
      return kInexact;
    case TypeRule::Float:
    case TypeRule::Pair:
      return kIsFloat<T>;
    case TypeRule::Integer:
      return !kInexact && !(kIsBool<T> && takes_no_bool(op));
    case TypeRule::Part:
      return kIsComplex<T>;
    case TypeRule::Modulus:
    case TypeRule::Choice:
      return true;
    case TypeRule::Overflow:
      return std::is_same_v<T, std::int64_t>;
  }
  return false;
}

template <Op op, typename T>
Scalar run_unary(const Scalar* arguments) {
  const T a = get<T>(arguments[0]);
  constexpr TypeRule kRule = kRules[static_cast<std::size_t>(op)];
  if constexpr (kRule == TypeRule::Part) {
    return put(op == Op::Real ? a.real() : a.imag());
  } else if constexpr (kRule == TypeRule::Test) {
    return put(test<op>(a));
  } else if constexpr (op == Op::Not || (op == Op::BitNot && kIsBool<T>)) {
    return put(!a);
  } else if constexpr (op == Op::Abs && kIsComplex<T>) {
    return put(std::hypot(a.real(), a.imag()));
  } else if constexpr (op == Op::Abs && (kIsBool<T> || std::is_unsigned_v<T>)) {
    return put(a);
  } else if constexpr (kIsInteger<T>) {
    return put(of_integer<op>(a));
  } else if constexpr (kRule == TypeRule::Inexact || op == Op::Neg) {
    return put(inexact<op>(a));
  } else {
    return put(of_float<op>(a));
  }
}

template <Op op, typename T>
Scalar run_binary(const Scalar* arguments) {
  const T a = get<T>(arguments[0]);
  const T b = get<T>(arguments[1]);
  constexpr TypeRule kRule = kRules[static_cast<std::size_t>(op)];
  if constexpr (kRule == TypeRule::Compare) {
    return put(compare<op>(a, b));
  } else if constexpr (kRule == TypeRule::Logical) {
    return put(op == Op::And ? a && b : op == Op::Or ? a || b : a != b);
  } else if constexpr (kRule == TypeRule::Integer) {
    return put(bitwise<op>(a, b));
  } else if constexpr (kRule == TypeRule::Overflow) {
    return put(overflows<op>(a, b));
  } else if constexpr (kRule == TypeRule::Pair) {
    return put(std::complex<T>(a, b));
  } else {
    return put(arithmetic<op>(a, b));
  }
}

Scalar run_select(const Scalar* arguments) { return arguments[0].bits != 0 ? arguments[1] : arguments[2]; }

template <Op op>
ScalarOp find(DType type) {
  constexpr int kOpArity = kArity[static_cast<std::size_t>(op)];
  return with_type(type, [](auto tag) -> ScalarOp {
    using T = typename decltype(tag)::type;
    if constexpr (!fits<op, T>()) {
      return nullptr;
    } else if constexpr (kOpArity == 1) {
      return &run_unary<op, T>;
    } else if constexpr (kOpArity == 2) {
      return &run_binary<op, T>;
    } else {
      return &run_select;
    }
  });
}

}  // namespace

ScalarOp scalar_op(Op op, DType type) {
  switch (op) {
#define OP(name, text, arity, rule, rounding, numpy, torch, doc) \
  case Op::name:                                                 \
    return find<Op::name>(type);
#include "ir/ops.def"
  }
  PW_UNREACHABLE("an op that is none");
}

Const fold(Op op, std::span<const Const> arguments) {
  std::vector<DType> types;
  std::vector<Scalar> values;
  for (const Const& argument : arguments) {
    types.push_back(argument.type);
    values.push_back(scalar_of(argument));
  }
  const std::optional<DType> result = op_result(op, types);
  PW_CHECK(result.has_value(), "folding an op on constants that do not fit it");
  return const_of(*result, scalar_op(op, types.back())(values.data()));
}

}  // namespace pw::ir
