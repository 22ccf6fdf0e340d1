// Scalars and dtypes: NumPy 2's promotion with weak Python numbers.
// Source: NEP 50, https://numpy.org/neps/nep-0050-scalar-promotion.html
#include <fmt/format.h>

#include <algorithm>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

std::string describe(const Value& value, const ir::Module& module) {
  struct Describer {
    const ir::Module& module;
    std::string operator()(const None&) const { return "None"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(std::int64_t number) const { return fmt::format("the int {}", number); }
    std::string operator()(double number) const { return fmt::format("the float {}", number); }
    std::string operator()(const std::complex<double>&) const { return "complex"; }
    std::string operator()(const std::string& text) const { return fmt::format("the string '{}'", text); }
    std::string operator()(const EllipsisObject&) const { return "Ellipsis"; }
    std::string operator()(const Scalar& scalar) const {
      return fmt::format("a run-time {}{}", scalar.weak ? "Python " : "",
                         ir::row(module.type(scalar.expr)).numpy);
    }
    std::string operator()(const Mixed&) const { return "a number of one of several dtypes"; }
    std::string operator()(const Array& array) const {
      return fmt::format("an array of {}, rank {}", ir::row(module[array.buffer].type).numpy,
                         array.shape.size());
    }
    std::string operator()(const Sparse&) const { return "a sparse matrix"; }
    std::string operator()(const DenseMatrix&) const { return "an np.matrix"; }
    std::string operator()(const OrNone& either) const {
      return "None or " + describe(*either.value, module);
    }
    std::string operator()(const OneOf&) const { return "one of several strings"; }
    std::string operator()(const Tuple&) const { return "a tuple"; }
    std::string operator()(const List&) const { return "a list"; }
    std::string operator()(const Grown&) const { return "a list whose length only running tells"; }
    std::string operator()(const Dict&) const { return "a dict"; }
    std::string operator()(const Slice&) const { return "a slice"; }
    std::string operator()(const Range&) const { return "a range"; }
    std::string operator()(const DTypeObject& object) const {
      return fmt::format("dtype {}", ir::row(object.type).numpy);
    }
    std::string operator()(const ClassObject& object) const {
      return fmt::format("the class {}", object.name);
    }
    std::string operator()(const Unknown& unknown) const { return unknown.what; }
    std::string operator()(const UserFunction&) const { return "a function"; }
    std::string operator()(const LibraryFunction& function) const {
      return fmt::format("the function {}", function.row->name);
    }
    std::string operator()(const ModuleObject& object) const {
      return fmt::format("the module {}", object.name);
    }
  };
  return std::visit(Describer{module}, value.data);
}

std::optional<Scalar> Stager::as_scalar(const Value& value) {
  if (value.config.valid()) {
    return Scalar{module.add(ir::Read{value.config}, span_), true};
  }
  if (const auto* scalar = value.as<Scalar>()) return *scalar;
  if (const auto* flag = value.as<bool>()) return Scalar{constant(ir::const_bool(*flag)), true};
  if (const auto* number = value.as<std::int64_t>()) return Scalar{integer(*number), true};
  if (const auto* number = value.as<double>()) return Scalar{real(*number, ir::DType::F64), true};
  if (const auto* number = value.as<std::complex<double>>()) {
    return Scalar{constant(ir::const_complex(ir::DType::C128, *number)), true};
  }
  if (const auto* array = value.as<Array>(); array != nullptr && array->shape.empty()) {
    return Scalar{load(*array, {}), false};
  }
  return std::nullopt;
}

std::optional<std::string> static_text(const Value& value) {
  if (value.config.valid()) return std::nullopt;
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* number = value.as<std::int64_t>()) return fmt::to_string(*number);
  if (const auto* flag = value.as<bool>()) return *flag ? "True" : "False";
  return std::nullopt;
}

/// An f-string: known where all its parts are and none has a format.
Result<Value> Stager::evaluate_text(const python::JoinedStr& node) {
  std::string text;
  bool known = true;
  for (const python::ExprId part : node.values) {
    const auto* formatted = tree_.get_if<python::FormattedValue>(part);
    PW_TRY(const Value each, evaluate(formatted != nullptr ? formatted->value : part));
    const std::optional<std::string> written = static_text(each);
    const bool is_plain =
        formatted == nullptr || (!formatted->format_spec.valid() && formatted->conversion == -1);
    known = known && is_plain && written;
    if (known) text += *written;
  }
  return known ? value(std::move(text)) : value(Unknown{"text of run-time values"});
}

Result<ir::DType> Stager::result_type(std::span<const Value> values, base::Span span) {
  std::optional<ir::DType> strong;
  std::optional<ir::DType> weak;
  for (const Value& value : values) {
    if (const auto* array = value.as<Array>()) {
      strong = strong ? ir::promote(*strong, type_of(*array)) : type_of(*array);
      continue;
    }
    const std::optional<Scalar> scalar = as_scalar(value);
    if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(value, module));
    const ir::DType type = type_of(*scalar);
    std::optional<ir::DType>& side = scalar->weak ? weak : strong;
    side = side ? ir::promote(*side, type) : type;
  }
  if (!weak) return *strong;
  if (!strong) return *weak;
  // A weak number takes the strong dtype if its kind is not above it; else the default of its own kind, at
  // the strong dtype's precision where that is inexact.
  const auto rank = [](ir::DType type) {
    switch (ir::kind(type)) {
      case ir::DTypeKind::Bool:
        return 0;
      case ir::DTypeKind::Int:
      case ir::DTypeKind::UInt:
        return 1;
      case ir::DTypeKind::Float:
        return 2;
      case ir::DTypeKind::Complex:
        return 3;
    }
    return 3;
  };
  if (rank(*weak) <= rank(*strong)) return *strong;
  if (*weak == ir::DType::C128 && ir::is_float(*strong)) return ir::complex_of(*strong);
  return *weak;
}

Result<ir::DType> Stager::to_dtype(const Value& value, base::Span span) {
  if (const auto* object = value.as<DTypeObject>()) return object->type;
  if (const auto* object = value.as<ClassObject>()) {
    if (object->name == "int") return ir::DType::I64;
    if (object->name == "float") return ir::DType::F64;
    if (object->name == "bool") return ir::DType::Bool;
    if (object->name == "complex") return ir::DType::C128;
  }
  if (const auto* text = value.as<std::string>()) {
    if (const auto type = ir::dtype_from_numpy(*text)) return *type;
    if (*text == "int") return ir::DType::I64;
    if (*text == "float") return ir::DType::F64;
    if (*text == "bool") return ir::DType::Bool;
    if (*text == "complex") return ir::DType::C128;
  }
  if (const auto* array = value.as<Array>()) return type_of(*array);
  return engine.report(Rule::NumpyDtypeUnknown, span, describe(value, module));
}

}  // namespace pw::numpy
