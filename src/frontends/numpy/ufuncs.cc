// Elementwise functions with NumPy's own dtype rules, and comparisons.
// Source: https://numpy.org/doc/stable/reference/ufuncs.html
#include <algorithm>
#include <limits>

#include "frontends/numpy/folding.h"
#include "frontends/numpy/grown_lists.h"

namespace pw::numpy {

namespace {

using python::CompareOperator;

bool is_hashable(const Value& v) {
  return !v.is<Array>() && !v.is<List>() && !v.is<Dict>() && !v.is<Unknown>();
}

bool int_fits(std::int64_t number, ir::DType type) {
  switch (type) {
    case ir::DType::I8:
      return number >= -128 && number <= 127;
    case ir::DType::I16:
      return number >= -32768 && number <= 32767;
    case ir::DType::I32:
      return number >= std::numeric_limits<std::int32_t>::min() &&
             number <= std::numeric_limits<std::int32_t>::max();
    case ir::DType::U8:
      return number >= 0 && number <= 255;
    case ir::DType::U16:
      return number >= 0 && number <= 65535;
    case ir::DType::U32:
      return number >= 0 && number <= std::int64_t{4294967295};
    case ir::DType::U64:
      return number >= 0;
    default:
      return true;
  }
}

/// What the operands are cast to before the op, given their common dtype; nullopt: NumPy has no loop, or one
/// in float16.
std::optional<ir::DType> operand_type(ir::Op op, ir::DType common) {
  switch (ir::row(op).rule) {
    case ir::TypeRule::Logical:
      return ir::DType::Bool;
    case ir::TypeRule::Inexact:
      // Unlike sqrt and kin, true_divide takes all integers to float64.
      if (op == ir::Op::Div && !ir::is_float(common) && !ir::is_complex(common)) return ir::DType::F64;
      return op == ir::Op::Conj ? common : ir::float_of(common);
    case ir::TypeRule::Float:
    case ir::TypeRule::Test:
      return ir::float_of(common);
    default:
      return common;
  }
}

std::optional<ir::Op> op_of(CompareOperator op) {
  switch (op) {
    case CompareOperator::Eq:
      return ir::Op::Eq;
    case CompareOperator::NotEq:
      return ir::Op::Ne;
    case CompareOperator::Lt:
      return ir::Op::Lt;
    case CompareOperator::LtE:
      return ir::Op::Le;
    case CompareOperator::Gt:
      return ir::Op::Gt;
    case CompareOperator::GtE:
      return ir::Op::Ge;
    default:
      return std::nullopt;
  }
}

template <typename T>
bool compares(ir::Op op, T a, T b) {
  switch (op) {
    case ir::Op::Eq:
      return a == b;
    case ir::Op::Ne:
      return a != b;
    case ir::Op::Lt:
      return a < b;
    case ir::Op::Le:
      return a <= b;
    case ir::Op::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

bool is_number(const Value& value) {
  return value.is<bool>() || value.is<std::int64_t>() || value.is<double>() || value.is<Scalar>() ||
         value.is<Array>() || value.is<std::complex<double>>();
}

}  // namespace

Result<Value> Stager::ufunc(ir::Op op, std::span<const Value> operands, base::Span span,
                            std::optional<ir::DType> dtype) {
  PW_TRY(const ir::DType found, result_type(operands, span));
  ir::DType common = dtype.value_or(found);
  const bool weak_bools =
      common == ir::DType::Bool &&
      std::all_of(operands.begin(), operands.end(), [](const Value& v) { return !v.is<Array>(); });
  const bool arithmetic = ir::row(op).rule == ir::TypeRule::Same || ir::row(op).rule == ir::TypeRule::Modulus;
  if (weak_bools && arithmetic) {
    const bool all_weak = std::all_of(operands.begin(), operands.end(),
                                      [&](const Value& v) { return as_scalar(v).value_or(Scalar{}).weak; });
    if (all_weak) common = ir::DType::I64;
  }
  const std::optional<ir::DType> type = operand_type(op, common);
  if (!type) return engine.report(Rule::NumpyOpType, span, ir::row(op).numpy, ir::row(common).numpy);
  const std::vector<ir::DType> types = ir::row(op).rule == ir::TypeRule::Choice
                                           ? std::vector{ir::DType::Bool, *type, *type}
                                           : std::vector(operands.size(), *type);
  const std::optional<ir::DType> result = ir::op_result(op, types);
  if (!result) return engine.report(Rule::NumpyOpType, span, ir::row(op).numpy, ir::row(common).numpy);
  const bool compares_mixed = ir::row(op).rule == ir::TypeRule::Compare && common == ir::DType::F64 &&
                              std::none_of(operands.begin(), operands.end(), [&](const Value& v) {
                                const auto* array = v.as<Array>();
                                const ir::DType own =
                                    array != nullptr ? type_of(*array) : type_of(*as_scalar(v));
                                return !ir::is_integer(own);
                              });
  if (compares_mixed) return engine.report(Rule::NumpyOpType, span, ir::row(op).numpy, "int64 with uint64");
  if (ir::is_integer(*type)) {
    if (ir::row(op).rule == ir::TypeRule::Compare && operands.size() == 2) {
      if (const auto found = compare_exactly(op, operands, *type, span)) return *found;
    }
    for (const Value& operand : operands) PW_CHECK_OK(check_weak_range(operand, *type, span));
  }
  return elementwise(operands, *type, *result, span, [&](std::span<const ir::ExprId> x) {
    return apply(op, std::vector<ir::ExprId>(x.begin(), x.end()));
  });
}

/// Comparisons with a Python int go by its value, whether the other side's dtype could hold it or not.
/// Source: https://numpy.org/doc/stable/release/2.0.0-notes.html (comparison with out-of-bound Python
/// integers).
std::optional<Result<Value>> Stager::compare_exactly(ir::Op op, std::span<const Value> operands,
                                                     ir::DType type, base::Span span) {
  const auto is_int = [&](const Value& v) {
    const std::optional<Scalar> scalar = v.is<Array>() ? std::nullopt : as_scalar(v);
    return scalar && scalar->weak && type_of(*scalar) == ir::DType::I64;
  };
  if (type == ir::DType::I64 || is_int(operands[0]) == is_int(operands[1])) return std::nullopt;
  if (type != ir::DType::U64) {
    return elementwise(operands, ir::DType::I64, ir::DType::Bool, span,
                       [&](std::span<const ir::ExprId> x) { return apply(op, {x[0], x[1]}); });
  }
  const bool int_first = is_int(operands[0]);
  const ir::ExprId number = as_scalar(operands[int_first ? 0 : 1])->expr;
  const bool lesser = op == ir::Op::Lt || op == ir::Op::Le;
  const bool greater = op == ir::Op::Gt || op == ir::Op::Ge;
  const bool below_all = op == ir::Op::Ne || (int_first ? lesser : greater);
  return elementwise(operands, type, ir::DType::Bool, span, [&](std::span<const ir::ExprId> x) {
    return apply(ir::Op::Select, {apply(ir::Op::Lt, {number, integer(0)}),
                                  constant(ir::const_bool(below_all)), apply(op, {x[0], x[1]})});
  });
}

/// A Python int must fit the dtype that it takes on; NumPy 2 raises OverflowError.
Result<Done> Stager::check_weak_range(const Value& operand, ir::DType type, base::Span span) {
  if (operand.is<Array>() || type == ir::DType::I64) return Done{};
  const std::optional<Scalar> scalar = as_scalar(operand);
  if (!scalar || !scalar->weak || type_of(*scalar) != ir::DType::I64) return Done{};
  if (const auto* known = std::get_if<ir::Const>(&module[scalar->expr])) {
    if (int_fits(ir::as_int(*known), type)) return Done{};
    return engine.report(Rule::NumpyIntRange, span, ir::as_int(*known), ir::row(type).numpy);
  }
  trap_if(misfits(scalar->expr, type), ir::TrapKind::OverflowError, "a Python int beyond the array's dtype");
  return Done{};
}

Result<Value> Stager::compare(CompareOperator op, const Value& left, const Value& right, base::Span span) {
  const auto* either = left.is<OrNone>() ? left.as<OrNone>() : right.as<OrNone>();
  if (op == CompareOperator::In || op == CompareOperator::NotIn) {
    PW_TRY(const Value found, contains(left, right, span));
    return op == CompareOperator::In ? Result<Value>(found) : unary(python::UnaryOperator::Not, found, span);
  }
  if (either != nullptr) {
    const Value& other = left.is<OrNone>() ? right : left;
    const bool same = op == CompareOperator::Is || op == CompareOperator::Eq;
    if (other.is<None>()) return weak(same ? apply(ir::Op::Not, {either->present}) : either->present);
    const bool equality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
    if (!equality || other.is<OrNone>() || either->value->is<Array>() || other.is<Array>()) {
      return engine.report(Rule::NumpyStaticNeeded, span, "which of the two it is", describe(left, module));
    }
    // None equals nothing else.
    PW_TRY(const Value held, compare(op, *either->value, other, span));
    const ir::ExprId flag = as_scalar(held)->expr;
    return weak(same ? apply(ir::Op::And, {either->present, flag})
                     : apply(ir::Op::Or, {apply(ir::Op::Not, {either->present}), flag}));
  }
  if (left.is<OneOf>() || right.is<OneOf>()) {
    const bool same = op == CompareOperator::Eq || op == CompareOperator::Is;
    if (same || op == CompareOperator::NotEq || op == CompareOperator::IsNot) {
      PW_TRY(const Value equal, compare_texts(left, right));
      return same ? equal : weak(apply(ir::Op::Not, {equal.as<Scalar>()->expr}));
    }
  }
  if (op == CompareOperator::Is || op == CompareOperator::IsNot) {
    const bool negated = op == CompareOperator::IsNot;
    if (left.is<None>() || right.is<None>()) return value((left.is<None>() && right.is<None>()) != negated);
    if (left.is<bool>() && right.is<bool>()) return value((*left.as<bool>() == *right.as<bool>()) != negated);
    const auto* a = left.as<Array>();
    const auto* b = right.as<Array>();
    if (a != nullptr && b != nullptr && a->buffer != b->buffer) return value(negated);
    if (left.data.index() != right.data.index() && !left.is<Scalar>() && !right.is<Scalar>())
      return value(negated);
    return engine.report(Rule::NumpyStaticNeeded, span, "an identity that is known", describe(left, module));
  }
  const ir::Op ir_op = *op_of(op);
  if (!is_number(left) || !is_number(right)) return compare_static(ir_op, left, right, span);
  const auto whole = [](const Value& v) -> std::optional<std::int64_t> {
    if (const auto* number = v.as<std::int64_t>()) return *number;
    if (const auto* flag = v.as<bool>()) return *flag ? 1 : 0;
    return std::nullopt;
  };
  // A long double holds every int64 and every double.
  const auto real_of = [&](const Value& v) -> std::optional<long double> {
    if (const auto* number = v.as<double>()) return *number;
    if (const auto number = whole(v)) return static_cast<long double>(*number);
    return std::nullopt;
  };
  if (whole(left) && whole(right)) return value(compares(ir_op, *whole(left), *whole(right)));
  if (real_of(left) && real_of(right)) return value(compares(ir_op, *real_of(left), *real_of(right)));
  if (!left.is<Array>() && !right.is<Array>()) {
    const std::optional<Scalar> a = as_scalar(left);
    const std::optional<Scalar> b = as_scalar(right);
    if (const auto known = compare_extents(ir_op, *a, *b)) return value(*known);
    PW_TRY(const ir::DType common, result_type(std::vector{left, right}, span));
    for (const Scalar* side : {&*a, &*b}) {
      if (a->weak && b->weak && common == ir::DType::F64 && !is_step(side->expr))
        require_exact_double(*this, side->expr);
    }
    if (common == ir::DType::Bool && a->weak && b->weak) {
      return weak(apply(ir_op, {cast(a->expr, ir::DType::I64), cast(b->expr, ir::DType::I64)}));
    }
  }
  return ufunc(ir_op, std::vector{left, right}, span);
}

/// left in right.
Result<Value> Stager::contains(const Value& left, const Value& right, base::Span span) {
  std::vector<Value> items;
  const auto* either = left.as<OrNone>();
  const Value& plain = either != nullptr ? *either->value : left;
  if (const auto* tuple = right.as<Tuple>()) {
    items = tuple->items;
  } else if (const auto* list = right.as<List>()) {
    items = *list->items;
  } else if (const auto* grown = right.as<Grown>()) {
    return lists_->contains(*grown, left, span);
  } else if (const auto* dict = right.as<Dict>(); dict != nullptr && is_hashable(plain)) {
    for (const auto& [key, item] : *dict->items) items.push_back(key);
  } else {
    return engine.report(Rule::NumpyStaticNeeded, span, "a tuple", describe(right, module));
  }
  const bool no_none = std::none_of(items.begin(), items.end(),
                                    [](const Value& each) { return each.is<None>() || each.is<OrNone>(); });
  if (either != nullptr && no_none) {
    PW_TRY(const Value held, contains(plain, right, span));
    if (held.is<bool>()) return *held.as<bool>() ? weak(either->present) : held;
    return weak(apply(ir::Op::And, {either->present, held.as<Scalar>()->expr}));
  }
  Value found = value(false);
  for (const Value& item : items) {
    PW_TRY(const Value same, compare(CompareOperator::Eq, left, item, span));
    if (same.is<bool>() && *same.as<bool>()) return value(true);
    if (same.is<Array>()) return engine.report(Rule::NumpyArrayTruth, span, describe(same, module));
    if (!same.is<Scalar>()) continue;
    const ir::ExprId before = found.is<Scalar>() ? found.as<Scalar>()->expr : constant(ir::const_bool(false));
    found = weak(apply(ir::Op::Or, {before, same.as<Scalar>()->expr}));
  }
  return found;
}

/// Decides a comparison of sizes where their difference is known in sign.
std::optional<bool> Stager::compare_extents(ir::Op op, const Scalar& left, const Scalar& right) {
  const auto a = module.as_extent(left.expr);
  const auto b = module.as_extent(right.expr);
  if (!a || !b) return std::nullopt;
  const ir::ExtentId gap = extents().subtract(*a, *b);
  if (const auto known = extents().as_constant(gap)) return compares<std::int64_t>(op, *known, 0);
  const auto at_least = [&](ir::ExtentId e, std::int64_t bound) {
    return proves_nonnegative(extents().add(e, size(-bound)));
  };
  const ir::ExtentId reverse = extents().scale(gap, -1);
  const bool above = at_least(gap, 1);
  const bool below = at_least(reverse, 1);
  switch (op) {
    case ir::Op::Eq:
      return above || below ? std::optional(false) : std::nullopt;
    case ir::Op::Ne:
      return above || below ? std::optional(true) : std::nullopt;
    case ir::Op::Lt:
      return below ? std::optional(true) : at_least(gap, 0) ? std::optional(false) : std::nullopt;
    case ir::Op::Le:
      return at_least(reverse, 0) ? std::optional(true) : above ? std::optional(false) : std::nullopt;
    case ir::Op::Gt:
      return above ? std::optional(true) : at_least(reverse, 0) ? std::optional(false) : std::nullopt;
    case ir::Op::Ge:
      return at_least(gap, 0) ? std::optional(true) : below ? std::optional(false) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Equality of what is no number: strings, tuples, None, dtypes.
Result<Value> Stager::compare_static(ir::Op op, const Value& left, const Value& right, base::Span span) {
  if (op != ir::Op::Eq && op != ir::Op::Ne) {
    return engine.report(Rule::NumpyOperandTypes, span, ir::row(op).text, describe(left, module),
                         describe(right, module));
  }
  const bool negated = op == ir::Op::Ne;
  const auto items_of = [](const Value& v) -> const std::vector<Value>* {
    if (const auto* tuple = v.as<Tuple>()) return &tuple->items;
    if (const auto* list = v.as<List>()) return list->items.get();
    return nullptr;
  };
  if (const auto* a = items_of(left)) {
    const auto* b = items_of(right);
    if (b == nullptr || a->size() != b->size()) return value(negated);
    ir::ExprId all = constant(ir::const_bool(true));
    for (std::size_t i = 0; i < a->size(); ++i) {
      PW_TRY(const Value same, compare(CompareOperator::Eq, (*a)[i], (*b)[i], span));
      if (const auto* known = same.as<bool>()) {
        if (!*known) return value(negated);
      } else if (const auto* scalar = same.as<Scalar>()) {
        all = apply(ir::Op::And, {all, scalar->expr});
      } else {
        return engine.report(Rule::NumpyArrayTruth, span, describe(same, module));
      }
    }
    if (std::holds_alternative<ir::Const>(module[all])) return value(!negated);
    return negated ? weak(apply(ir::Op::Not, {all})) : weak(all);
  }
  if (left.is<Unknown>() || right.is<Unknown>()) {
    return engine.report(Rule::NumpyOperandTypes, span, "==", describe(left, module),
                         describe(right, module));
  }
  bool same = left.data.index() == right.data.index();
  if (same && left.is<std::string>()) same = *left.as<std::string>() == *right.as<std::string>();
  if (left.is<DTypeObject>() || right.is<DTypeObject>()) {
    PW_TRY(const ir::DType a, to_dtype(left, span));
    PW_TRY(const ir::DType b, to_dtype(right, span));
    same = a == b;
  } else if (same && left.is<ClassObject>()) {
    same = left.as<ClassObject>()->name == right.as<ClassObject>()->name;
  } else if (same && !left.is<None>() && !left.is<std::string>() && !left.is<EllipsisObject>()) {
    return engine.report(Rule::NumpyOperandTypes, span, "==", describe(left, module),
                         describe(right, module));
  }
  return value(same != negated);
}

}  // namespace pw::numpy
