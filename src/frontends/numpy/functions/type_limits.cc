// The limits of dtypes: np.finfo and np.iinfo, whose attributes are numbers.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.finfo.html, numpy.iinfo.html
#include <fmt/format.h>

#include <limits>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy {

namespace {

constexpr std::string_view kFloats = "numpy.finfo ";
constexpr std::string_view kIntegers = "numpy.iinfo ";

std::optional<ir::DType> named_type(std::string_view text) {
  for (std::size_t k = 0; k < ir::kDTypeCount; ++k) {
    const auto type = static_cast<ir::DType>(k);
    if (ir::row(type).numpy == text) return type;
  }
  return std::nullopt;
}

template <typename T>
std::optional<double> float_limit(std::string_view name) {
  using Limits = std::numeric_limits<T>;
  if (name == "eps") return Limits::epsilon();
  if (name == "epsneg") return Limits::epsilon() / 2;
  if (name == "max") return Limits::max();
  if (name == "min") return Limits::lowest();
  if (name == "tiny" || name == "smallest_normal") return Limits::min();
  if (name == "smallest_subnormal") return Limits::denorm_min();
  if (name == "resolution") return Limits::digits10 == 6 ? static_cast<double>(1e-6F) : 1e-15;
  return std::nullopt;
}

/// The number that an integer dtype's row gives; u64's greatest is no int64.
std::optional<std::int64_t> integer_limit(ir::DType type, std::string_view name) {
  const auto bits = static_cast<std::int64_t>(ir::row(type).bytes * 8);
  const bool is_signed = ir::kind(type) == ir::DTypeKind::Int;
  if (name == "bits") return bits;
  if (name == "min") return is_signed ? INT64_MIN >> (64 - bits) : 0;
  if (name != "max" || (!is_signed && bits == 64)) return std::nullopt;
  return INT64_MAX >> (64 - bits - (is_signed ? 0 : 1));
}

}  // namespace

std::optional<Result<Value>> type_limit(Stager& stager, const Value& base, const std::string& name) {
  const auto* object = base.as<ModuleObject>();
  if (object == nullptr) return std::nullopt;
  const std::string_view text = object->name;
  const bool floats = text.starts_with(kFloats);
  if (!floats && !text.starts_with(kIntegers)) return std::nullopt;
  const ir::DType type = *named_type(text.substr(kFloats.size()));
  if (name == "dtype") return value(DTypeObject{type});
  if (!floats) {
    if (const auto number = integer_limit(type, name)) return value(*number);
  } else if (name == "bits") {
    return value(static_cast<std::int64_t>(ir::row(type).bytes * 8));
  } else if (const auto number =
                 type == ir::DType::F32 ? float_limit<float>(name) : float_limit<double>(name)) {
    return stager.strong(stager.real(*number, type));
  }
  return stager.engine.report(Rule::NumpyUnknownFunction, stager.here(), fmt::format("{}.{}", text, name));
}

namespace functions {

namespace {

Result<ir::DType> dtype_or_of(Stager& stager, const Arguments& arguments) {
  const Value& given = required(arguments, 0, arguments.name == "numpy.iinfo" ? "type" : "dtype");
  if (const auto* array = given.as<Array>()) return stager.type_of(*array);
  if (const auto scalar = stager.as_scalar(given)) return stager.type_of(*scalar);
  return stager.to_dtype(given, arguments.span);
}

}  // namespace

/// np.finfo(dtype or number): of a complex one, that of its parts.
Result<Value> finfo(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::DType type, dtype_or_of(stager, arguments));
  if (!ir::is_float(type) && !ir::is_complex(type))
    return bad_call(stager, arguments, "of a dtype that is not inexact");
  return value(ModuleObject{fmt::format("{}{}", kFloats, ir::row(ir::real_of(type)).numpy)});
}

/// np.iinfo(dtype or number).
Result<Value> iinfo(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::DType type, dtype_or_of(stager, arguments));
  if (!ir::is_integer(type)) return bad_call(stager, arguments, "of a dtype that is no integer");
  return value(ModuleObject{fmt::format("{}{}", kIntegers, ir::row(type).numpy)});
}

}  // namespace functions

}  // namespace pw::numpy
