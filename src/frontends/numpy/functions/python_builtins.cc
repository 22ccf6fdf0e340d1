// Python's builtins and the methods of its lists, dicts and strings.
// Source: https://docs.python.org/3/library/functions.html
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/grown_lists.h"

namespace pw::numpy::functions {

namespace {

std::optional<std::int64_t> static_int(const Value& v) {
  if (const auto* number = v.as<std::int64_t>()) return *number;
  if (const auto* flag = v.as<bool>()) return *flag ? 1 : 0;
  return std::nullopt;
}

std::optional<double> static_real(const Value& v) {
  if (const auto* number = v.as<double>()) return *number;
  if (const auto whole = static_int(v)) return static_cast<double>(*whole);
  return std::nullopt;
}

Value list_of(std::vector<Value> items) {
  return value(List{std::make_shared<std::vector<Value>>(std::move(items))});
}

/// The value of a number of several dtypes, of that which holds all of them.
Value widest(const Value& v) {
  const auto* mixed = v.as<Mixed>();
  return mixed == nullptr ? v : value(Scalar{mixed->expr, false});
}

/// A Python int beside a NumPy one becomes one of its dtype, which must hold it.
Result<Done> require_held(Stager& stager, const Scalar& number, ir::DType type, base::Span span) {
  if (!number.weak || !ir::is_integer(type) || type == ir::DType::I64) return Done{};
  const ir::ExprId whole = stager.cast(number.expr, ir::DType::I64);
  ir::ExprId lost = stager.apply(ir::Op::Ne, {stager.cast(stager.cast(whole, type), ir::DType::I64), whole});
  if (ir::kind(type) == ir::DTypeKind::UInt) {
    lost = stager.apply(ir::Op::Or, {lost, stager.apply(ir::Op::Lt, {whole, stager.integer(0)})});
  }
  if (const auto* known = std::get_if<ir::Const>(&stager.module[lost]);
      known != nullptr && ir::as_bool(*known)) {
    return stager.engine.report(Rule::NumpyJoinPrecision, span, "a Python int", ir::row(type).numpy);
  }
  stager.trap_if(lost, ir::TrapKind::Assumption, "a Python int that the other's dtype does not hold");
  return Done{};
}

/// Python's max(a, b) keeps a unless b > a; so with a NaN it keeps a.
Result<Value> better(Stager& stager, const Value& first, const Value& second, bool greatest,
                     base::Span span) {
  const Value a = widest(first);
  const Value b = widest(second);
  const auto op = greatest ? python::CompareOperator::Gt : python::CompareOperator::Lt;
  if (static_real(a) && static_real(b)) {
    PW_TRY(const Value wins, stager.compare(op, b, a, span));
    return *wins.as<bool>() ? b : a;
  }
  const std::optional<Scalar> left = stager.as_scalar(a);
  const std::optional<Scalar> right = stager.as_scalar(b);
  if (!left || !right) {
    return stager.engine.report(Rule::NumpyNumberNeeded, span, describe(left ? b : a, stager.module));
  }
  const bool weak = left->weak && right->weak;
  const std::vector<Value> both = {a, b};
  PW_TRY(const ir::DType type, stager.result_type(both, span));
  if (ir::is_complex(type)) {
    return stager.engine.report(Rule::NumpyOpType, span, greatest ? "max" : "min", "complex numbers");
  }
  if (!ir::is_integer(type) && ir::is_integer(stager.type_of(*left)) &&
      ir::is_integer(stager.type_of(*right))) {
    // As floats, which is what uint64 and a signed integer have in common, they would lose their last digits.
    return stager.engine.report(Rule::NumpyOpType, span, greatest ? "max" : "min",
                                "uint64 with a signed integer");
  }
  // Which of them wins says at run time what dtype the result has.
  const bool mixed = ir::is_integer(type) && (first.is<Mixed>() || second.is<Mixed>() || !stager.joins(a, b));
  if (mixed && (left->weak || right->weak)) {
    return stager.engine.report(Rule::NumpyJoinPrecision, span, describe(first, stager.module),
                                describe(second, stager.module));
  }
  if (!weak) {
    PW_CHECK_OK(require_held(stager, *left, type, span));
    PW_CHECK_OK(require_held(stager, *right, type, span));
  }
  const auto extent_a = stager.module.as_extent(left->expr);
  const auto extent_b = stager.module.as_extent(right->expr);
  if (extent_a && extent_b && !mixed) {
    const auto which = greatest ? ir::ExtentOp::Max : ir::ExtentOp::Min;
    ir::ExtentTable& table = stager.extents();
    const ir::ExtentId gap = table.subtract(*extent_b, *extent_a);
    const bool b_above = stager.proves_nonnegative(gap);
    const bool a_above = stager.proves_nonnegative(table.scale(gap, -1));
    const ir::ExtentId best = b_above   ? (greatest ? *extent_b : *extent_a)
                              : a_above ? (greatest ? *extent_a : *extent_b)
                                        : table.apply(which, *extent_a, *extent_b);
    return weak ? stager.from_extent(best) : stager.strong(stager.index(best));
  }
  const ir::ExprId x = stager.bound(stager.cast(left->expr, type));
  const ir::ExprId y = stager.bound(stager.cast(right->expr, type));
  const ir::ExprId chosen =
      ir::is_float(type)
          ? stager.apply(ir::Op::Select, {stager.apply(greatest ? ir::Op::Gt : ir::Op::Lt, {y, x}), y, x})
          : stager.apply(greatest ? ir::Op::Maximum : ir::Op::Minimum, {x, y});
  if (mixed) return value(Mixed{stager.bound(chosen)});
  if (left->weak != right->weak || stager.type_of(*left) != stager.type_of(*right))
    stager.note_widened(chosen);
  return weak ? stager.weak(chosen) : stager.strong(chosen);
}

/// An array of one dimension whose length is not known while staging, or null.
const Array* run_time_vector(Stager& stager, const Value& iterable) {
  const auto* array = iterable.as<Array>();
  if (array == nullptr || array->shape.size() != 1) return nullptr;
  const auto length = stager.extents().as_constant(array->shape[0]);
  return length && *length <= 16 ? nullptr : array;
}

bool is_kind(const std::string& name, ir::DType type) {
  const ir::DTypeKind kind = ir::kind(type);
  const bool whole = kind == ir::DTypeKind::Int || kind == ir::DTypeKind::UInt;
  if (name == "generic" || name == "object") return true;
  if (name == "number") return kind != ir::DTypeKind::Bool;
  if (name == "integer") return whole;
  if (name == "signedinteger") return kind == ir::DTypeKind::Int;
  if (name == "unsignedinteger") return kind == ir::DTypeKind::UInt;
  if (name == "inexact") return kind == ir::DTypeKind::Float || kind == ir::DTypeKind::Complex;
  if (name == "floating") return kind == ir::DTypeKind::Float;
  if (name == "complexfloating") return kind == ir::DTypeKind::Complex;
  if (name == "float") return type == ir::DType::F64;  // np.float64 is a float, np.complex128 a complex
  return name == "complex" && type == ir::DType::C128;
}

/// Whether a value is an instance of a class, by the class's name.
bool is_instance_of(Stager& stager, const Value& v, const Value& cls) {
  const auto* scalar = v.as<Scalar>();
  if (const auto* type = cls.as<DTypeObject>()) {
    return scalar != nullptr && !scalar->weak && stager.type_of(*scalar) == type->type;
  }
  const std::string& name = cls.as<ClassObject>()->name;
  if (name == "object") return true;
  if (scalar != nullptr && !scalar->weak) return is_kind(name, stager.type_of(*scalar));
  if (scalar != nullptr || v.is<bool>() || v.is<std::int64_t>() || v.is<double>() ||
      v.is<std::complex<double>>()) {
    const ir::DType type = stager.type_of(*stager.as_scalar(v));
    if (name == "bool") return type == ir::DType::Bool;
    if (name == "int") return ir::is_integer(type) || type == ir::DType::Bool;
    if (name == "float") return ir::is_float(type);
    return name == "complex" && ir::is_complex(type);
  }
  return (name == "ndarray" && v.is<Array>()) || (name == "str" && (v.is<std::string>() || v.is<OneOf>())) ||
         (name == "tuple" && v.is<Tuple>()) || (name == "list" && (v.is<List>() || v.is<Grown>())) ||
         (name == "dict" && v.is<Dict>()) || (name == "slice" && v.is<Slice>()) ||
         (name == "range" && v.is<Range>());
}

}  // namespace

Result<Value> len(Stager& stager, const Arguments& arguments) {
  const Value& v = required(arguments, 0, "obj");
  if (const auto* grown = v.as<Grown>()) return stager.from_extent(stager.lists().length(*grown));
  if (const auto* items = sequence_items(v)) return value(static_cast<std::int64_t>(items->size()));
  if (const auto* text = v.as<std::string>()) {
    return value(static_cast<std::int64_t>(
        std::count_if(text->begin(), text->end(), [](char c) { return (c & 0xC0) != 0x80; })));
  }
  if (const auto* dict = v.as<Dict>()) return value(static_cast<std::int64_t>(dict->items->size()));
  if (const auto* one = v.as<OneOf>()) {
    Dict lengths{std::make_shared<std::vector<std::pair<Value, Value>>>()};
    for (const std::string& text : one->texts) {
      PW_TRY(Value length, len(stager, Arguments{{value(text)}, {}, arguments.span, arguments.name}));
      lengths.items->emplace_back(value(text), std::move(length));
    }
    return stager.subscript(value(std::move(lengths)), v, arguments.span);
  }
  if (const auto* array = v.as<Array>(); array != nullptr && !array->shape.empty()) {
    return stager.from_extent(stager.clamped(array->shape[0]));
  }
  if (v.is<Range>()) {
    PW_TRY(const std::vector<Value> items, stager.static_items(v, arguments.span));
    return value(static_cast<std::int64_t>(items.size()));
  }
  return stager.engine.report(Rule::NumpyNotSubscriptable, arguments.span, describe(v, stager.module));
}

Result<Value> range(Stager& stager, const Arguments& arguments) {
  const Value* stop = given(arguments, 1, "stop");
  const Value* step = given(arguments, 2, "step");
  const Value& first = required(arguments, 0, "start");
  std::vector<Value> parts = {stop == nullptr ? value(std::int64_t{0}) : first,
                              stop == nullptr ? first : *stop,
                              step == nullptr ? value(std::int64_t{1}) : *step};
  for (const Value& each : parts) {
    const std::optional<Scalar> scalar = each.is<double>() ? std::nullopt : stager.as_scalar(each);
    if (!scalar || !(ir::is_integer(stager.type_of(*scalar)) || stager.type_of(*scalar) == ir::DType::Bool)) {
      return stager.engine.report(Rule::NumpyIntegerNeeded, arguments.span, describe(each, stager.module));
    }
  }
  return value(Range{std::make_shared<std::vector<Value>>(std::move(parts))});
}

Result<Value> slice(Stager&, const Arguments& arguments) {
  const Value* stop = arguments.find(1, "stop");
  const Value* step = arguments.find(2, "step");
  const Value& first = required(arguments, 0, "start");
  std::vector<Value> parts = {stop == nullptr ? value(None{}) : first, stop == nullptr ? first : *stop,
                              step == nullptr ? value(None{}) : *step};
  return value(Slice{std::make_shared<std::vector<Value>>(std::move(parts))});
}

Result<Value> absolute(Stager& stager, const Arguments& arguments) {
  const Value& x = required(arguments, 0, "x");
  if (!x.config.valid()) {
    if (const auto whole = static_int(x)) {
      if (*whole == std::numeric_limits<std::int64_t>::min()) {
        return stager.engine.report(Rule::NumpyIntTooLarge, arguments.span);
      }
      return value(std::abs(*whole));
    }
    if (const auto* real = x.as<double>()) return value(std::fabs(*real));
    if (const auto* complex = x.as<std::complex<double>>()) return value(std::abs(*complex));
  }
  const std::optional<Scalar> scalar = x.is<Array>() ? std::nullopt : stager.as_scalar(x);
  if (scalar && scalar->weak) {
    if (const auto extent = stager.module.as_extent(scalar->expr);
        extent && stager.proves_nonnegative(*extent)) {
      return x;
    }
    const bool flag = stager.type_of(*scalar) == ir::DType::Bool;
    const ir::ExprId expr = stager.bound(flag ? stager.cast(scalar->expr, ir::DType::I64) : scalar->expr);
    if (stager.module.type(expr) == ir::DType::I64 && !flag && !stager.module.as_extent(expr)) {
      const ir::ExprId least = stager.integer(std::numeric_limits<std::int64_t>::min());
      stager.trap_if(stager.apply(ir::Op::Eq, {expr, least}), ir::TrapKind::Assumption,
                     "a Python int beyond 64 bits");
    }
    return stager.weak(stager.apply(ir::Op::Abs, {expr}));
  }
  return stager.ufunc(ir::Op::Abs, std::vector{x}, arguments.span);
}

Result<Value> least_or_greatest(Stager& stager, const Arguments& arguments) {
  const bool greatest = arguments.name == "max";
  std::vector<Value> items = arguments.positional;
  if (items.empty()) return bad_call(stager, arguments, "without arguments");
  if (items.size() == 1) {
    if (const auto* grown = items[0].as<Grown>())
      return stager.lists().extreme(*grown, greatest, arguments.span);
    if (run_time_vector(stager, items[0]) != nullptr) {
      return unsupported(stager, arguments, "of an array", greatest ? "use np.max" : "use np.min");
    }
    PW_TRY(items, stager.static_items(arguments.positional[0], arguments.span));
    if (items.empty()) return bad_call(stager, arguments, "with an empty sequence");
  }
  Value best = items[0];
  for (std::size_t k = 1; k < items.size(); ++k) {
    PW_TRY(best, better(stager, best, items[k], greatest, arguments.span));
  }
  return best;
}

Result<Value> python_sum(Stager& stager, const Arguments& arguments) {
  const Value& iterable = required(arguments, 0, "iterable");
  const Value* start = arguments.find(1, "start");
  if (const auto* grown = iterable.as<Grown>()) return stager.lists().sum(*grown, start, arguments.span);
  if (const Array* array = run_time_vector(stager, iterable); array != nullptr && start == nullptr) {
    const std::vector<Value> both = {value(*array), value(std::int64_t{0})};
    PW_TRY(const ir::DType type, stager.result_type(both, arguments.span));
    return stager.strong(
        stager.fold(array->shape, ir::ReduceOp::Sum, type, ir::ReduceOrder::Sequential,
                    [&](const Indices& at) { return stager.cast(stager.load(*array, at), type); }));
  }
  PW_TRY(const std::vector<Value> items, stager.static_items(iterable, arguments.span));
  Value total = start == nullptr ? value(std::int64_t{0}) : *start;
  for (const Value& each : items) {
    PW_TRY(total, stager.binary(python::Operator::Add, total, each, arguments.span));
  }
  return total;
}

Result<Value> python_any_or_all(Stager& stager, const Arguments& arguments) {
  const bool any = arguments.name == "any";
  const Value& iterable = required(arguments, 0, "iterable");
  if (const auto* grown = iterable.as<Grown>()) return stager.lists().any_or_all(*grown, any, arguments.span);
  if (const Array* array = run_time_vector(stager, iterable)) {
    return stager.weak(stager.fold(
        array->shape, any ? ir::ReduceOp::Any : ir::ReduceOp::All, ir::DType::Bool, ir::ReduceOrder::Any,
        [&](const Indices& at) { return stager.cast(stager.load(*array, at), ir::DType::Bool); }));
  }
  PW_TRY(const std::vector<Value> items, stager.static_items(iterable, arguments.span));
  ir::ExprId joined;
  for (const Value& each : items) {
    PW_TRY(const Value truth, stager.truth(each, arguments.span));
    if (const auto* known = truth.as<bool>()) {
      if (*known == any) return value(any);
      continue;
    }
    const ir::ExprId next = truth.as<Scalar>()->expr;
    joined = joined.valid() ? stager.apply(any ? ir::Op::Or : ir::Op::And, {joined, next}) : next;
  }
  return joined.valid() ? stager.weak(joined) : value(!any);
}

/// int(x) and the like of an array with dimensions: a TypeError since NumPy 2.4, of one element too.
Result<Done> require_rank_zero(Stager& stager, const Arguments& arguments, const Value& source) {
  const auto* array = source.as<Array>();
  if (array == nullptr || array->shape.empty()) return Done{};
  return bad_call(stager, arguments,
                  "with an array that has dimensions (a TypeError in NumPy; take one element)");
}

Result<Value> to_int(Stager& stager, const Arguments& arguments) {
  const Value* found = arguments.find(0, "x");
  if (found == nullptr) return value(std::int64_t{0});
  if (found->is<std::int64_t>()) return *found;
  if (const auto whole = static_int(*found)) return value(*whole);
  if (const auto* real = found->as<double>()) {
    if (!(std::fabs(*real) < 9.2e18)) return bad_call(stager, arguments, "with this float");
    return value(static_cast<std::int64_t>(*real));
  }
  PW_CHECK_OK(require_rank_zero(stager, arguments, *found));
  const std::optional<Scalar> scalar = stager.as_scalar(*found);
  if (!scalar)
    return stager.engine.report(Rule::NumpyNumberNeeded, arguments.span, describe(*found, stager.module));
  const ir::DType type = stager.type_of(*scalar);
  if (ir::is_complex(type)) return bad_call(stager, arguments, "with a complex number");
  if (ir::is_float(type)) return stager.weak(stager.whole(scalar->expr, ir::TrapKind::Assumption));
  const ir::ExprId wide = stager.cast(scalar->expr, ir::DType::I64);
  if (type == ir::DType::U64) {
    stager.trap_if(stager.apply(ir::Op::Lt, {wide, stager.integer(0)}), ir::TrapKind::Assumption,
                   "a Python int beyond 64 bits");
  }
  if (const auto extent = stager.module.as_extent(wide)) return stager.from_extent(*extent);
  return stager.weak(wide);
}

Result<Value> to_float(Stager& stager, const Arguments& arguments) {
  const Value* found = arguments.find(0, "x");
  if (found == nullptr) return value(0.0);
  if (!found->config.valid()) {
    if (const auto real = static_real(*found)) return value(*real);
  }
  if (const auto* text = found->as<std::string>()) {
    if (*text == "inf" || *text == "+inf" || *text == "infinity")
      return value(std::numeric_limits<double>::infinity());
    if (*text == "-inf" || *text == "-infinity") return value(-std::numeric_limits<double>::infinity());
    if (*text == "nan") return value(std::numeric_limits<double>::quiet_NaN());
  }
  PW_CHECK_OK(require_rank_zero(stager, arguments, *found));
  const std::optional<Scalar> scalar = stager.as_scalar(*found);
  if (!scalar)
    return stager.engine.report(Rule::NumpyNumberNeeded, arguments.span, describe(*found, stager.module));
  if (ir::is_complex(stager.type_of(*scalar))) return bad_call(stager, arguments, "with a complex number");
  return stager.weak(stager.cast(scalar->expr, ir::DType::F64));
}

Result<Value> to_bool(Stager& stager, const Arguments& arguments) {
  const Value* found = arguments.find(0, "x");
  return found == nullptr ? Result<Value>(value(false)) : stager.truth(*found, arguments.span);
}

Result<Value> to_complex(Stager& stager, const Arguments& arguments) {
  const Value* re = arguments.find(0, "real");
  const Value* im = given(arguments, 1, "imag");
  const Value real_value = re == nullptr ? value(std::int64_t{0}) : *re;
  const auto a = static_real(real_value);
  const auto b = im == nullptr ? std::optional(0.0) : static_real(*im);
  if (a && b) return value(std::complex<double>(*a, *b));
  if (im == nullptr) {
    const std::optional<Scalar> scalar = stager.as_scalar(real_value);
    if (!scalar) return bad_call(stager, arguments, "with something that is no number");
    return stager.weak(stager.cast(scalar->expr, ir::DType::C128));
  }
  const std::optional<Scalar> x = stager.as_scalar(real_value);
  const std::optional<Scalar> y = stager.as_scalar(*im);
  if (!x || !y || ir::is_complex(stager.type_of(*x)) || ir::is_complex(stager.type_of(*y))) {
    return bad_call(stager, arguments, "with parts that are no real numbers");
  }
  return stager.weak(stager.apply(
      ir::Op::Complex, {stager.cast(x->expr, ir::DType::F64), stager.cast(y->expr, ir::DType::F64)}));
}

Result<Value> text_of(Stager&, const Arguments& arguments) {
  const Value* found = arguments.find(0, "object");
  const std::optional<std::string> text = found == nullptr ? std::string() : static_text(*found);
  return text ? value(*text) : value(Unknown{"text of run-time values"});
}

Result<Value> unknown_text(Stager&, const Arguments&) { return value(Unknown{"text of run-time values"}); }

Result<Value> to_tuple(Stager& stager, const Arguments& arguments) {
  const Value* found = arguments.find(0, "iterable");
  if (found == nullptr) return value(Tuple{});
  PW_TRY(std::vector<Value> items, stager.static_items(*found, arguments.span));
  return value(Tuple{std::move(items)});
}

Result<Value> to_list(Stager& stager, const Arguments& arguments) {
  const Value* found = arguments.find(0, "iterable");
  if (found == nullptr) return stager.lists().born({}, arguments.span);
  PW_TRY(std::vector<Value> items, stager.static_items(*found, arguments.span));
  return list_of(std::move(items));
}

Result<Value> sorted(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<Value> items, stager.static_items(required(arguments, 0, "iterable"), arguments.span));
  PW_TRY(const bool reverse, bool_argument(stager, arguments, 9, "reverse", false));
  std::vector<std::pair<double, std::size_t>> order;
  for (const Value& each : items) {
    const auto real = static_real(each);
    // Where a NaN ends up, and what it keeps apart, follows from the steps of CPython's sort alone.
    if (!real || std::isnan(*real)) {
      return stager.engine.report(Rule::NumpyStaticNeeded, arguments.span, "a number",
                                  real ? "NaN" : describe(each, stager.module));
    }
    order.emplace_back(*real, order.size());
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first == b.first) return a.second < b.second;
    return reverse ? a.first > b.first : a.first < b.first;
  });
  std::vector<Value> out;
  for (const auto& [real, at] : order) out.push_back(std::move(items[at]));
  return list_of(std::move(out));
}

Result<Value> reversed(Stager& stager, const Arguments& arguments) {
  const Value& sequence = required(arguments, 0, "sequence");
  if (const auto* range = sequence.as<Range>()) {
    // reversed(range(a, b)) counts down; with a constant step its first value is the last below b.
    const std::vector<Value>& parts = *range->parts;
    if (static_int(parts[2]) == 1) {
      const Value minus_one = value(std::int64_t{-1});
      PW_TRY(Value first, stager.binary(python::Operator::Add, parts[1], minus_one, arguments.span));
      PW_TRY(Value end, stager.binary(python::Operator::Add, parts[0], minus_one, arguments.span));
      return value(Range{std::make_shared<std::vector<Value>>(std::vector<Value>{first, end, minus_one})});
    }
  }
  PW_TRY(std::vector<Value> items, stager.static_items(sequence, arguments.span));
  std::reverse(items.begin(), items.end());
  return list_of(std::move(items));
}

Result<Value> enumerate(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::vector<Value> items,
         stager.static_items(required(arguments, 0, "iterable"), arguments.span));
  PW_TRY(const std::int64_t start, int_argument(stager, arguments, 1, "start", 0));
  std::vector<Value> out;
  for (std::size_t k = 0; k < items.size(); ++k) {
    out.push_back(value(Tuple{{value(start + static_cast<std::int64_t>(k)), items[k]}}));
  }
  return list_of(std::move(out));
}

Result<Value> zip(Stager& stager, const Arguments& arguments) {
  std::vector<std::vector<Value>> columns;
  std::size_t length = arguments.positional.empty() ? 0 : std::numeric_limits<std::size_t>::max();
  for (const Value& each : arguments.positional) {
    PW_TRY(std::vector<Value> items, stager.static_items(each, arguments.span));
    length = std::min(length, items.size());
    columns.push_back(std::move(items));
  }
  PW_TRY(const bool strict, bool_argument(stager, arguments, 99, "strict", false));
  std::vector<Value> out;
  for (std::size_t k = 0; k < length; ++k) {
    Tuple row;
    for (const auto& column : columns) row.items.push_back(column[k]);
    out.push_back(value(std::move(row)));
  }
  for (const auto& column : columns) {
    if (strict && column.size() != length)
      return bad_call(stager, arguments, "strictly with different lengths");
  }
  return list_of(std::move(out));
}

Result<Value> is_instance(Stager& stager, const Arguments& arguments) {
  const Value& tested = required(arguments, 0, "obj");
  const Value& info = required(arguments, 1, "classinfo");
  const std::vector<Value>* many = sequence_items(info);
  const std::vector<Value> classes = many == nullptr ? std::vector{info} : *many;
  if (tested.is<Unknown>()) {
    return stager.engine.report(Rule::NumpyStaticNeeded, arguments.span, "a known class",
                                describe(tested, stager.module));
  }
  const auto* either = tested.as<OrNone>();
  const Value& held = either == nullptr ? tested : *either->value;
  const auto* scalar = held.as<Scalar>();
  if (held.is<Mixed>() || (scalar != nullptr && !stager.is_of_one_type(scalar->expr))) {
    return stager.engine.report(Rule::NumpyStaticNeeded, arguments.span, "the type that several paths gave",
                                describe(held, stager.module));
  }
  bool found = false;
  bool takes_none = false;
  for (const Value& each : classes) {
    if (!each.is<ClassObject>() && !each.is<DTypeObject>()) {
      return stager.engine.report(Rule::NumpyStaticNeeded, arguments.span, "a class",
                                  describe(each, stager.module));
    }
    found = found || is_instance_of(stager, held, each);
    takes_none = takes_none || is_instance_of(stager, value(None{}), each);
  }
  if (either == nullptr || found == takes_none) return value(found);
  return stager.weak(found ? either->present : stager.apply(ir::Op::Not, {either->present}));
}

Result<Value> is_callable(Stager&, const Arguments& arguments) {
  const Value& v = required(arguments, 0, "obj");
  return value(v.is<UserFunction>() || v.is<LibraryFunction>() || v.is<ClassObject>() || v.is<DTypeObject>());
}

/// Half to even. With digits only of NumPy floats: Python's own rounds the decimal text.
Result<Value> python_round(Stager& stager, const Arguments& arguments) {
  const Value& x = required(arguments, 0, "number");
  const Value* digits = given(arguments, 1, "ndigits");
  if (x.is<std::int64_t>() && digits == nullptr) return x;
  if (const auto* real = x.as<double>(); real != nullptr && digits == nullptr) {
    if (!(std::fabs(*real) < 9.2e18)) return bad_call(stager, arguments, "with this float");
    return value(static_cast<std::int64_t>(std::nearbyint(*real)));
  }
  const std::optional<Scalar> scalar = stager.as_scalar(x);
  if (!scalar)
    return stager.engine.report(Rule::NumpyNumberNeeded, arguments.span, describe(x, stager.module));
  const ir::DType type = stager.type_of(*scalar);
  if (digits != nullptr) {
    if (scalar->weak) {
      return unsupported(stager, arguments, "of a Python float to digits",
                         "use np.round, or store the float as it is");
    }
    Arguments call = arguments;
    call.name = "numpy.round";
    call.positional = {x, *digits};
    call.keywords.clear();
    return round_to(stager, call);
  }
  if (ir::is_complex(type)) return bad_call(stager, arguments, "with a complex number");
  if (!ir::is_float(type)) return stager.weak(stager.cast(scalar->expr, ir::DType::I64));
  return stager.weak(stager.whole(stager.apply(ir::Op::Rint, {scalar->expr}), ir::TrapKind::Assumption));
}

Result<Value> python_divmod(Stager& stager, const Arguments& arguments) {
  const Value& a = required(arguments, 0, "a");
  const Value& b = required(arguments, 1, "b");
  PW_TRY(Value quotient, stager.binary(python::Operator::FloorDiv, a, b, arguments.span));
  PW_TRY(Value rest, stager.binary(python::Operator::Mod, a, b, arguments.span));
  return value(Tuple{{std::move(quotient), std::move(rest)}});
}

Result<Value> python_pow(Stager& stager, const Arguments& arguments) {
  return stager.binary(python::Operator::Pow, required(arguments, 0, "base"), required(arguments, 1, "exp"),
                       arguments.span);
}

Result<Value> print(Stager& stager, const Arguments& arguments) {
  return unsupported(stager, arguments, "in a kernel", "remove it: a port writes arrays only");
}

}  // namespace pw::numpy::functions
