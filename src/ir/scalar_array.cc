// Casts, folds, and elements of arrays.
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/scalar_bits.h"

namespace pw::ir {

namespace {

// ---- casts

/// The x86-64 conversion: an integer at least as wide as To, of which the low bits are kept; out of range and
/// NaN give the least one.
template <typename To, typename F>
To truncate(F value) {
  using Wide =
      std::conditional_t<(sizeof(To) < 4 || std::is_same_v<To, std::int32_t>), std::int32_t, std::int64_t>;
  constexpr auto kLeast = std::numeric_limits<Wide>::min();
  const F edge = -static_cast<F>(kLeast);  // 2^31 or 2^63, exact
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    if (value >= edge) {
      const F rest = value - edge;
      const auto low = rest < edge ? static_cast<std::uint64_t>(static_cast<std::int64_t>(rest))
                                   : static_cast<std::uint64_t>(kLeast);
      return low ^ static_cast<std::uint64_t>(kLeast);
    }
  }
  const F whole = std::trunc(value);
  const bool inside = whole >= -edge && whole < edge;
  return static_cast<To>(inside ? static_cast<Wide>(whole) : kLeast);
}

template <typename From, typename To>
Scalar run_cast(const Scalar* arguments) {
  const From a = get<From>(arguments[0]);
  if constexpr (kIsBool<To>) {
    return put(!(a == From()));
  } else if constexpr (kIsComplex<To>) {
    using F = typename To::value_type;
    if constexpr (kIsComplex<From>) {
      return put(To(static_cast<F>(a.real()), static_cast<F>(a.imag())));
    } else {
      return put(To(static_cast<F>(a), F(0)));
    }
  } else if constexpr (kIsComplex<From>) {
    using F = typename From::value_type;
    const Scalar part = put(a.real());
    return run_cast<F, To>(&part);
  } else if constexpr (kIsFloat<From> && kIsInteger<To>) {
    return put(truncate<To>(a));
  } else {
    return put(static_cast<To>(a));
  }
}

}  // namespace

ScalarOp scalar_cast(DType from, DType to) {
  return with_type(from, [&](auto from_tag) {
    return with_type(to, [](auto to_tag) -> ScalarOp {
      return &run_cast<typename decltype(from_tag)::type, typename decltype(to_tag)::type>;
    });
  });
}

namespace {

Op op_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
      return Op::Add;
    case ReduceOp::Product:
      return Op::Mul;
    case ReduceOp::Max:
    case ReduceOp::ArgMax:
      return Op::Maximum;
    case ReduceOp::Min:
    case ReduceOp::ArgMin:
      return Op::Minimum;
    case ReduceOp::Any:
      return Op::Or;
    case ReduceOp::All:
      return Op::And;
  }
  PW_UNREACHABLE("a reduction that is none");
}

}  // namespace

ScalarOp scalar_fold(ReduceOp op, DType type) {
  if (op == ReduceOp::ArgMax || op == ReduceOp::ArgMin) return nullptr;
  if (type == DType::Bool && (op == ReduceOp::Sum || op == ReduceOp::Product)) return nullptr;
  return scalar_op(op_of(op), type);
}

bool fold_identity(ReduceOp op, DType type, Scalar& out) {
  switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Any:
      out = {};
      return true;
    case ReduceOp::All:
      out = {1, 0};
      return true;
    case ReduceOp::Product: {
      const Scalar one = {1, 0};
      out = scalar_cast(DType::I64, type)(&one);
      return true;
    }
    case ReduceOp::Max:
    case ReduceOp::Min:
    case ReduceOp::ArgMax:
    case ReduceOp::ArgMin:
      return false;
  }
  return false;
}

bool arg_moves(ReduceOp op, DType type, Scalar best, Scalar candidate) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T>) {
      return false;
    } else {
      const T a = get<T>(best);
      const T b = get<T>(candidate);
      if (is_nan(a)) return false;
      return is_nan(b) || (op == ReduceOp::ArgMax ? b > a : b < a);
    }
  });
}

Scalar load_scalar(DType type, const void* data, std::int64_t index) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsBool<T>) {
      return put(static_cast<const unsigned char*>(data)[index] != 0);
    } else {
      T value;
      std::memcpy(static_cast<void*>(&value),
                  static_cast<const char*>(data) + index * std::int64_t(sizeof(T)), sizeof(T));
      return put(value);
    }
  });
}

void store_scalar(DType type, void* data, std::int64_t index, Scalar scalar) {
  with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = get<T>(scalar);
    std::memcpy(static_cast<char*>(data) + index * std::int64_t(sizeof(T)), static_cast<const void*>(&value),
                sizeof(T));
  });
}

Const fold_cast(DType to, const Const& argument) {
  const Scalar value = scalar_of(argument);
  return const_of(to, scalar_cast(argument.type, to)(&value));
}

}  // namespace pw::ir
