#include "frontends/numpy/folding.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pw::numpy {

using python::Operator;

std::optional<std::int64_t> static_int(const Value& value) {
  if (const auto* number = value.as<std::int64_t>()) return *number;
  if (const auto* flag = value.as<bool>()) return *flag ? 1 : 0;
  return std::nullopt;
}

std::optional<double> static_float(const Value& value) {
  if (const auto* number = value.as<double>()) return *number;
  if (const auto whole = static_int(value)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<std::complex<double>> static_complex(const Value& value) {
  if (const auto* number = value.as<std::complex<double>>()) return *number;
  if (const auto part = static_float(value)) return std::complex<double>(*part, 0.0);
  return std::nullopt;
}

namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// Python's float // and %: https://docs.python.org/3/reference/expressions.html#binary-arithmetic-operations
double float_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0.0) {
    if ((b < 0.0) != (rest < 0.0)) rest += b;
  } else {
    rest = std::copysign(0.0, b);
  }
  return rest;
}

double float_floor_divide(double a, double b) {
  const double rest = std::fmod(a, b);
  // Of the rest before it takes the divisor's sign: of -1 // inf, that would be an infinity.
  const double quotient = (a - rest) / b - (rest != 0.0 && (b < 0.0) != (rest < 0.0) ? 1.0 : 0.0);
  if (quotient == 0.0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;

/// Python's a / b of ints, which rounds the exact quotient once: beyond 2^53 not the quotient of two doubles.
double true_quotient(std::int64_t a, std::int64_t b) {
  if (std::max(a, b) <= kExactInDouble && std::min(a, b) >= -kExactInDouble)
    return static_cast<double>(a) / static_cast<double>(b);
  const auto size = [](std::int64_t x) {
    return x < 0 ? ~static_cast<std::uint64_t>(x) + 1 : static_cast<std::uint64_t>(x);
  };
  const auto bits = [](std::uint64_t x) { return static_cast<int>(std::bit_width(x)); };
  // 56 bits of the quotient or more, the last one set where something is left.
  const int shift = std::max(0, 56 + bits(size(b)) - bits(size(a)));
  const unsigned __int128 scaled = static_cast<unsigned __int128>(size(a)) << shift;
  const auto quotient = static_cast<std::uint64_t>(scaled / size(b));
  const double rounded = static_cast<double>(quotient | (scaled % size(b) != 0 ? 1U : 0U));
  return std::ldexp((a < 0) != (b < 0) ? -rounded : rounded, -shift);
}

Folded fold_ints(Operator op, std::int64_t a, std::int64_t b, Value& out) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Operator::Add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operator::Sub:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operator::Mult:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operator::FloorDiv:
      if (b == 0) return Folded::ZeroDivision;
      if (b == -1)
        return __builtin_sub_overflow(std::int64_t{0}, a, &result) ? Folded::Overflow
                                                                   : (out = value(result), Folded::Yes);
      result = floor_divide(a, b);
      break;
    case Operator::Mod:
      if (b == 0) return Folded::ZeroDivision;
      result = b == -1 ? 0 : a - floor_divide(a, b) * b;
      break;
    case Operator::Div:
      if (b == 0) return Folded::ZeroDivision;
      out = value(true_quotient(a, b));
      return Folded::Yes;
    case Operator::Pow: {
      if (b < 0) {
        if (a == 0) return Folded::ZeroDivision;
        out = value(std::pow(static_cast<double>(a), static_cast<double>(b)));
        return Folded::Yes;
      }
      result = 1;
      for (std::int64_t n = 0; n < b && !overflow; ++n) {
        overflow = __builtin_mul_overflow(result, a, &result);
        if (a == 0 || a == 1 || (a == -1 && n > 2)) {
          result = a == -1 ? (b % 2 == 0 ? 1 : -1) : a;
          break;
        }
      }
      break;
    }
    case Operator::LShift:
      if (b < 0 || b > 62)
        return a == 0 && b >= 0 ? (out = value(std::int64_t{0}), Folded::Yes) : Folded::Overflow;
      overflow = __builtin_mul_overflow(a, std::int64_t{1} << b, &result);
      break;
    case Operator::RShift:
      if (b < 0) return Folded::Overflow;
      result = a >> std::min<std::int64_t>(b, 63);
      break;
    case Operator::BitOr:
      result = a | b;
      break;
    case Operator::BitXor:
      result = a ^ b;
      break;
    case Operator::BitAnd:
      result = a & b;
      break;
    case Operator::MatMult:
      return Folded::No;
  }
  if (overflow) return Folded::Overflow;
  out = value(result);
  return Folded::Yes;
}

Folded fold_floats(Operator op, double a, double b, Value& out) {
  switch (op) {
    case Operator::Add:
      out = value(a + b);
      return Folded::Yes;
    case Operator::Sub:
      out = value(a - b);
      return Folded::Yes;
    case Operator::Mult:
      out = value(a * b);
      return Folded::Yes;
    case Operator::Div:
      if (b == 0.0) return Folded::ZeroDivision;
      out = value(a / b);
      return Folded::Yes;
    case Operator::FloorDiv:
      if (b == 0.0) return Folded::ZeroDivision;
      out = value(float_floor_divide(a, b));
      return Folded::Yes;
    case Operator::Mod:
      if (b == 0.0) return Folded::ZeroDivision;
      out = value(float_modulo(a, b));
      return Folded::Yes;
    case Operator::Pow: {
      if (a == 0.0 && b < 0.0) return Folded::ZeroDivision;
      if (a < 0.0 && std::floor(b) != b) return Folded::No;  // complex in Python
      out = value(std::pow(a, b));
      return std::isinf(*out.as<double>()) ? Folded::No : Folded::Yes;  // may raise OverflowError
    }
    default:
      return Folded::No;
  }
}

Folded fold_complex(Operator op, std::complex<double> a, std::complex<double> b, Value& out) {
  switch (op) {
    case Operator::Add:
      out = value(a + b);
      return Folded::Yes;
    case Operator::Sub:
      out = value(a - b);
      return Folded::Yes;
    case Operator::Mult:
      out = value(std::complex<double>(a.real() * b.real() - a.imag() * b.imag(),
                                       a.real() * b.imag() + a.imag() * b.real()));
      return Folded::Yes;
    default:
      return Folded::No;
  }
}

}  // namespace

Folded fold_numbers(Operator op, const Value& left, const Value& right, Value& out) {
  Folded folded = Folded::No;
  if (static_int(left) && static_int(right)) {
    const bool logical = left.is<bool>() && right.is<bool>();
    folded = fold_ints(op, *static_int(left), *static_int(right), out);
    if (folded == Folded::Yes && logical &&
        (op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor)) {
      out = value(*static_int(out) != 0);
    }
  } else if (static_float(left) && static_float(right)) {
    folded = fold_floats(op, *static_float(left), *static_float(right), out);
  } else if (static_complex(left) && static_complex(right)) {
    folded = fold_complex(op, *static_complex(left), *static_complex(right), out);
  }
  return folded;
}

}  // namespace pw::numpy
