// Python's operators on static numbers, run-time scalars and arrays.
#include <algorithm>
#include <cmath>

#include "frontends/numpy/folding.h"
#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/sparse.h"

namespace pw::numpy {

namespace {

using python::Operator;
using python::UnaryOperator;

std::string_view spelling(Operator op) {
  static constexpr std::string_view kText[] = {"+",  "-",  "*", "@", "/", "%", "**",
                                               "<<", ">>", "|", "^", "&", "//"};
  return kText[static_cast<std::size_t>(op)];
}

constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;

std::optional<ir::Op> op_of(Operator op) {
  switch (op) {
    case Operator::Add:
      return ir::Op::Add;
    case Operator::Sub:
      return ir::Op::Sub;
    case Operator::Mult:
      return ir::Op::Mul;
    case Operator::Div:
      return ir::Op::Div;
    case Operator::FloorDiv:
      return ir::Op::FloorDiv;
    case Operator::Mod:
      return ir::Op::Mod;
    case Operator::Pow:
      return ir::Op::Pow;
    case Operator::LShift:
      return ir::Op::ShiftLeft;
    case Operator::RShift:
      return ir::Op::ShiftRight;
    case Operator::BitOr:
      return ir::Op::BitOr;
    case Operator::BitXor:
      return ir::Op::BitXor;
    case Operator::BitAnd:
      return ir::Op::BitAnd;
    case Operator::MatMult:
      return std::nullopt;
  }
  return std::nullopt;
}

const std::vector<Value>* sequence(const Value& value) {
  if (const auto* tuple = value.as<Tuple>()) return &tuple->items;
  if (const auto* list = value.as<List>()) return list->items.get();
  return nullptr;
}

}  // namespace

void require_exact_double(Stager& stager, ir::ExprId number) {
  if (stager.module.type(number) != ir::DType::I64) return;
  if (const auto extent = stager.module.as_extent(number)) {
    const auto is_size = [&](ir::LocalId local) {
      const ir::LocalKind kind = stager.module[local].kind;
      return kind == ir::LocalKind::Symbol || kind == ir::LocalKind::Axis || kind == ir::LocalKind::Config;
    };
    const auto locals = stager.extents().locals(*extent);
    if (!locals.empty() && std::all_of(locals.begin(), locals.end(), is_size)) return;
  }
  const ir::ExprId beyond =
      stager.apply(ir::Op::Or, {stager.apply(ir::Op::Lt, {number, stager.integer(-kExactInDouble)}),
                                stager.apply(ir::Op::Gt, {number, stager.integer(kExactInDouble)})});
  stager.trap_if(beyond, ir::TrapKind::Assumption, "an int beyond 2**53 beside a float");
}

/// Index arithmetic on integers that cannot overflow; nullopt where they may.
std::optional<ir::ExtentId> Stager::index_arithmetic(Operator op, const Scalar& left, const Scalar& right) {
  const auto a = module.as_extent(left.expr);
  const auto b = module.as_extent(right.expr);
  if (!a || !b || !is_small(*a) || !is_small(*b)) return std::nullopt;
  switch (op) {
    case Operator::Add:
      return extents().add(*a, *b);
    case Operator::Sub:
      return extents().subtract(*a, *b);
    case Operator::Mult: {
      const ir::ExtentId product = extents().multiply(*a, *b);
      return is_small(product) ? std::optional(product) : std::nullopt;
    }
    case Operator::FloorDiv:
    case Operator::Mod: {
      // A Python int raises at zero; a size that is not zero is positive.
      const auto local = extents().as_local(*b);
      const ir::LocalKind kind = local ? module[*local].kind : ir::LocalKind::Variable;
      const bool size_or_argument = kind == ir::LocalKind::Symbol || kind == ir::LocalKind::Argument;
      if (size_or_argument && left.weak && right.weak && control_depth_ == 0 &&
          !proves_nonnegative(extents().subtract(*b, size(1)))) {
        trap_if(apply(ir::Op::Eq, {index(*b), integer(0)}), ir::TrapKind::ZeroDivisionError,
                "division by zero");
        if (kind == ir::LocalKind::Symbol) assumed_positive_.insert(*local);
      }
      if (!assume_positive(*b)) return std::nullopt;
      if (op == Operator::FloorDiv) return floor_divide(*a, *b);
      return extents().apply(ir::ExtentOp::Mod, *a, *b);
    }
    default:
      return std::nullopt;
  }
}

bool Stager::is_small(ir::ExtentId extent) {
  bool sizes_only = true;
  bool arguments_only = true;
  for (const ir::LocalId local : extents().locals(extent)) {
    const ir::Local& facts = module[local];
    switch (facts.kind) {
      case ir::LocalKind::Symbol:
      case ir::LocalKind::Axis:
      case ir::LocalKind::Config:
        arguments_only = false;
        break;
      case ir::LocalKind::Argument:
        sizes_only = false;
        break;
      case ir::LocalKind::Bound:
        if (!facts.range.lower.valid() || !facts.range.upper.valid()) return false;
        sizes_only = false;
        break;
      case ir::LocalKind::Variable:
        return false;
    }
  }
  std::int64_t products = 0;
  for (const ir::ExtentTerm& term : extents()[extent].terms) {
    if (std::abs(term.coefficient) > (std::int64_t{1} << 40)) return false;
    if (!term.factors.empty() && std::abs(term.coefficient) > (std::int64_t{1} << 20)) return false;
    if (term.factors.size() > 1) products += std::abs(term.coefficient);
  }
  // A product of sizes is a number of elements, which memory bounds; of two arguments, one is under 2^63.
  if (arguments_only && products > 1) return false;
  return extents().degree(extent) <= (sizes_only ? 6 : 1) ||
         (extents().degree(extent) == 2 && extents()[extent].terms.size() < 8);
}

bool Stager::assume_positive(ir::ExtentId extent) {
  const ir::ExtentId less_one = extents().add(extent, size(-1));
  if (proves_nonnegative(less_one)) return true;
  const auto local = extents().as_local(extent);
  if (!local || control_depth_ > 0) return false;
  const ir::LocalKind kind = module[*local].kind;
  if (kind != ir::LocalKind::Symbol && kind != ir::LocalKind::Argument) return false;
  trap_if(apply(ir::Op::Lt, {index(extent), integer(1)}), ir::TrapKind::Assumption,
          "a divisor that must be positive");
  // Not as a range in the module, by which a pass could decide the very check that makes it true.
  assumed_positive_.insert(*local);
  return true;
}

Result<Value> Stager::binary(Operator op, const Value& left, const Value& right, base::Span span) {
  if (const Value* grown = left.is<Grown>() ? &left : right.is<Grown>() ? &right : nullptr) {
    if (!left.is<Array>() && !right.is<Array>()) {
      return lists_->unsupported("arithmetic", "take np.array of it for elementwise results, or append",
                                 span);
    }
    PW_TRY(const Array array, to_array(*grown, std::nullopt, span));
    return grown == &left ? binary(op, value(array), right, span) : binary(op, left, value(array), span);
  }
  const auto* left_items = sequence(left);
  const auto* right_items = sequence(right);
  if (left_items != nullptr || right_items != nullptr) {
    const bool array_side = left.is<Array>() || right.is<Array>();
    if (!array_side) return binary_sequence(op, left, right, span);
    PW_TRY(const Array a, to_array(left, std::nullopt, span));
    PW_TRY(const Array b, to_array(right, std::nullopt, span));
    return binary(op, value(a), value(b), span);
  }
  if (const auto* text = left.as<std::string>()) {
    if (const auto* more = right.as<std::string>(); more != nullptr && op == Operator::Add)
      return value(*text + *more);
    if (op == Operator::Mod) return value(*text);  // a formatted message: its text is never compared
  }
  if (concerns_sparse(left) || concerns_sparse(right)) return sparse_binary(*this, op, left, right, span);
  if (op == Operator::MatMult) return matmul(left, right, span);
  Value out;
  const Folded folded = fold_numbers(op, left, right, out);
  if (folded == Folded::Yes) return out;
  if (folded == Folded::Overflow) return engine.report(Rule::NumpyIntTooLarge, span);
  if (folded == Folded::ZeroDivision) return engine.report(Rule::NumpyZeroDivision, span);
  if (!left.is<Array>() && !right.is<Array>()) {
    const std::optional<Scalar> a = as_scalar(left);
    const std::optional<Scalar> b = as_scalar(right);
    if (a && b) {
      // complex comes before numpy.float64, which is a float to it; numpy.float64 before complex.
      const bool by_complex = a->weak && ir::is_complex(type_of(*a)) && type_of(*b) == ir::DType::F64;
      if ((a->weak && b->weak) || by_complex) return python_arithmetic(op, *a, *b, span);
      const bool integers = type_of(*a) == ir::DType::I64 && type_of(*b) == ir::DType::I64;
      if (integers) {
        if (const auto extent = index_arithmetic(op, *a, *b)) return strong(index(*extent));
      }
    }
  }
  if (op == Operator::Pow) return power(left, right, span);
  return ufunc(*op_of(op), std::vector{left, right}, span);
}

Result<Value> Stager::binary_sequence(Operator op, const Value& left, const Value& right, base::Span span) {
  const auto* a = sequence(left);
  const auto* b = sequence(right);
  std::vector<Value> items;
  if (op == Operator::Add && a != nullptr && b != nullptr) {
    items = *a;
    items.insert(items.end(), b->begin(), b->end());
  } else if (op == Operator::Mult && (a != nullptr) != (b != nullptr)) {
    PW_TRY(const std::int64_t times, to_static_int(a != nullptr ? right : left, span));
    if (times > 4096) return engine.report(Rule::NumpyIntTooLarge, span);
    for (std::int64_t n = 0; n < times; ++n)
      items.insert(items.end(), (a ? a : b)->begin(), (a ? a : b)->end());
  } else {
    return engine.report(Rule::NumpyOperandTypes, span, spelling(op), describe(left, module),
                         describe(right, module));
  }
  if (left.is<List>() || right.is<List>()) return new_list(std::move(items));
  return value(Tuple{std::move(items)});
}

/// Arithmetic of Python numbers at run time: int64 with a trap where Python would go on with a longer int.
Result<Value> Stager::python_arithmetic(Operator op, const Scalar& left, const Scalar& right,
                                        base::Span span) {
  ir::DType type = ir::promote(type_of(left), type_of(right));
  const bool bits = op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor;
  if (type == ir::DType::Bool && !bits) type = ir::DType::I64;
  if (op == Operator::Div && ir::is_integer(type)) type = ir::DType::F64;
  const ir::ExprId a = cast(left.expr, type);
  const ir::ExprId b = cast(right.expr, type);
  const auto pure = [&](ir::Op ir_op) -> Result<Value> {
    const std::vector<ir::DType> types = {type, type};
    if (!ir::op_result(ir_op, types)) {
      return engine.report(Rule::NumpyOperandTypes, span, spelling(op), ir::row(type).numpy,
                           ir::row(type).numpy);
    }
    return weak(apply(ir_op, {a, b}));
  };
  if (op == Operator::Pow) return python_power(left, right, span);
  const bool divides = op == Operator::Div || op == Operator::FloorDiv || op == Operator::Mod;
  if (type == ir::DType::I64) {
    if (const auto extent = index_arithmetic(op, Scalar{a, true}, Scalar{b, true}))
      return from_extent(*extent);
    const auto check = [&](ir::Op overflow) {
      trap_if(apply(overflow, {a, b}), ir::TrapKind::Assumption, "a Python int beyond 64 bits");
    };
    if ((op == Operator::Add || op == Operator::Sub) && !is_step(a) && !is_step(b)) {
      check(op == Operator::Add ? ir::Op::AddOverflows : ir::Op::SubOverflows);
    }
    if (op == Operator::Mult) check(ir::Op::MulOverflows);
    if (op == Operator::LShift || op == Operator::RShift) {
      trap_if(apply(ir::Op::Lt, {b, integer(0)}), ir::TrapKind::ValueError, "negative shift count");
    }
    if (op == Operator::LShift) {
      const ir::ExprId back = apply(ir::Op::ShiftRight, {apply(ir::Op::ShiftLeft, {a, b}), b});
      const ir::ExprId lost =
          apply(ir::Op::Or, {apply(ir::Op::Ne, {back, a}), apply(ir::Op::Gt, {b, integer(62)})});
      trap_if(apply(ir::Op::And, {apply(ir::Op::Ne, {a, integer(0)}), lost}), ir::TrapKind::Assumption,
              "a Python int beyond 64 bits");
    }
  }
  if (op == Operator::Div && !ir::is_float(type_of(left)) && !ir::is_float(type_of(right)) &&
      type == ir::DType::F64) {
    for (const ir::ExprId side : {left.expr, right.expr}) {
      if (!is_step(side)) require_exact_double(*this, side);
    }
  }
  if (divides) {
    const ir::ExprId zero = cast(integer(0), type);
    trap_if(is_nonzero_constant(b) ? constant(ir::const_bool(false)) : apply(ir::Op::Eq, {b, zero}),
            ir::TrapKind::ZeroDivisionError, "division by zero", ir::is_float(type) && op == Operator::Div);
  }
  return pure(*op_of(op));
}

bool Stager::is_nonzero_constant(ir::ExprId expr) const {
  const ir::Expr& node = module[expr];
  const ir::Const* constant = std::get_if<ir::Const>(&node);
  if (const auto* read = std::get_if<ir::Read>(&node)) {
    if (module[read->local].kind == ir::LocalKind::Config) constant = &module[read->local].config;
  }
  if (constant == nullptr) return false;
  return ir::is_float(constant->type) ? ir::as_float(*constant) != 0.0 : constant->bits != 0;
}

/// An integer under 2^31 in size: adding it to an int64 count cannot overflow within the life of a machine.
bool Stager::is_step(ir::ExprId expr) {
  const auto extent = module.as_extent(expr);
  if (!extent || extents().degree(*extent) > 1) return false;
  return is_small(*extent);
}

/// An int to an int that only running tells.
Result<Value> Stager::python_power_in_loop(const Scalar& base, const Scalar& exponent, base::Span span) {
  const ir::ExprId times = bound(cast(exponent.expr, ir::DType::I64));
  const auto extent = module.as_extent(times);
  if (!extent || !proves_nonnegative(*extent)) {
    trap_if(apply(ir::Op::Lt, {times, integer(0)}), ir::TrapKind::Assumption,
            "an int to a negative power is a float");
  }
  const ir::LocalId power = declare_variable(invented_name("power"), ir::DType::I64, integer(1));
  const Value so_far = weak(module.add(ir::Read{power}, span_));
  ir::Local local;
  local.name = "i";
  local.kind = ir::LocalKind::Axis;
  local.span = span;
  const ir::LocalId axis = module.add(std::move(local));
  PW_TRY(const ir::BlockId body, try_block([&]() -> Result<Done> {
           PW_TRY(const Value product, binary(Operator::Mult, so_far, value(base), span));
           emit(ir::Assign{power, as_scalar(product)->expr});
           return Done{};
         }));
  emit(ir::For{axis, integer(0), times, integer(1), body, ir::Schedule::Serial});
  return snapshot(so_far, {});
}

Result<Value> Stager::python_power(const Scalar& left, const Scalar& right, base::Span span) {
  const ir::DType type = ir::promote(type_of(left), type_of(right));
  if (type == ir::DType::I64 || type == ir::DType::Bool) {
    const auto exponent = module.as_extent(right.expr);
    const auto known = exponent ? extents().as_constant(*exponent) : std::nullopt;
    if (!known) return python_power_in_loop(left, right, span);
    if (*known < 0 || *known > 64) {
      return engine.report(Rule::NumpyStaticNeeded, span, "an exponent from 0 to 64", "another int");
    }
    Value product = value(std::int64_t{1});
    for (std::int64_t n = 0; n < *known; ++n) {
      PW_TRY(product, binary(Operator::Mult, product, value(left), span));
    }
    return product;
  }
  const ir::ExprId a = cast(left.expr, type);
  const ir::ExprId b = cast(right.expr, type);
  if (ir::is_float(type)) {
    const auto* known = std::get_if<ir::Const>(&module[b]);
    const bool integral = known != nullptr && std::floor(ir::as_float(*known)) == ir::as_float(*known);
    if (!integral && ir::is_float(type_of(right))) {
      const ir::ExprId fraction = apply(ir::Op::Ne, {apply(ir::Op::Floor, {b}), b});
      trap_if(apply(ir::Op::And, {apply(ir::Op::Lt, {a, real(0.0, type)}), fraction}),
              ir::TrapKind::Assumption, "a negative number to a fraction is complex");
    }
    if (known == nullptr || ir::as_float(*known) < 0.0) {
      const ir::ExprId bad = apply(
          ir::Op::And, {apply(ir::Op::Eq, {a, real(0.0, type)}), apply(ir::Op::Lt, {b, real(0.0, type)})});
      trap_if(bad, ir::TrapKind::ZeroDivisionError, "zero to a negative power", true);
    }
    const ir::ExprId power = module.add(ir::Read{let(apply(ir::Op::Pow, {a, b}))}, span_);
    const ir::ExprId finite =
        apply(ir::Op::And, {apply(ir::Op::IsFinite, {a}), apply(ir::Op::IsFinite, {b})});
    trap_if(apply(ir::Op::And, {apply(ir::Op::IsInf, {power}), finite}), ir::TrapKind::OverflowError,
            "a Python float beyond its range");
    return weak(power);
  }
  return weak(apply(ir::Op::Pow, {a, b}));
}

/// NumPy's ** : a power of an array by 2, 1, 0, -1 or 0.5 is a square, itself, one, a reciprocal, a root.
Result<Value> Stager::power(const Value& left, const Value& right, base::Span span) {
  PW_TRY(const ir::DType type, result_type(std::vector{left, right}, span));
  const std::optional<double> exponent = static_float(right);
  if (left.is<Array>() && exponent && !right.config.valid()) {
    const bool inexact = !ir::is_integer(type) && type != ir::DType::Bool;
    if (*exponent == 2.0 && type != ir::DType::Bool) {
      return elementwise(std::vector{left}, type, type, span,
                         [&](std::span<const ir::ExprId> x) { return apply(ir::Op::Mul, {x[0], x[0]}); });
    }
    if (inexact && *exponent == 1.0)
      return elementwise(std::vector{left}, type, type, span, [](auto x) { return x[0]; });
    if (inexact && *exponent == 0.5) return ufunc(ir::Op::Sqrt, std::vector{left}, span);
    if (inexact && *exponent == -1.0) return ufunc(ir::Op::Div, std::vector{value(1.0), left}, span);
  }
  if (ir::is_integer(type)) {
    // Unsigned exponents beyond int64 are not negative.
    const auto negative = [&](ir::ExprId exponent) {
      if (ir::kind(module.type(exponent)) != ir::DTypeKind::Int) return constant(ir::const_bool(false));
      return apply(ir::Op::Lt, {cast(exponent, ir::DType::I64), integer(0)});
    };
    const auto* exponents = right.as<Array>();
    ir::ExprId raises;
    if (exponents == nullptr) {
      raises = negative(as_scalar(right)->expr);
    } else if (ir::kind(type_of(*exponents)) == ir::DTypeKind::Int) {
      const ir::ExprId count = fold(exponents->shape, ir::ReduceOp::Sum, ir::DType::I64, ir::ReduceOrder::Any,
                                    [&](const Indices& at) { return negative(load(*exponents, at)); });
      raises = apply(ir::Op::Gt, {count, integer(0)});
    }
    if (raises.valid()) trap_if(raises, ir::TrapKind::ValueError, "integers to negative integer powers");
  }
  return ufunc(ir::Op::Pow, std::vector{left, right}, span);
}

Result<Value> Stager::unary(UnaryOperator op, const Value& operand, base::Span span) {
  if (op == UnaryOperator::Not) {
    PW_TRY(const Value flag, truth(operand, span));
    if (const auto* known = flag.as<bool>()) return value(!*known);
    return weak(apply(ir::Op::Not, {flag.as<Scalar>()->expr}));
  }
  if (concerns_sparse(operand)) return sparse_unary(*this, op, operand, span);
  if (const auto whole = static_int(operand)) {
    if (op == UnaryOperator::UAdd) return value(*whole);
    if (op == UnaryOperator::Invert) return value(~*whole);
    if (*whole != std::numeric_limits<std::int64_t>::min()) return value(-*whole);
    return engine.report(Rule::NumpyIntTooLarge, span);
  }
  if (op != UnaryOperator::Invert) {
    const double sign = op == UnaryOperator::USub ? -1.0 : 1.0;
    if (const auto* number = operand.as<double>())
      return value(op == UnaryOperator::USub ? -*number : *number);
    if (const auto* number = operand.as<std::complex<double>>()) return value(sign * *number);
  }
  if (op == UnaryOperator::UAdd) {
    const auto* array = operand.as<Array>();
    return array == nullptr ? operand : value(copy(*array, type_of(*array)));
  }
  if (const auto scalar = operand.is<Array>() ? std::nullopt : as_scalar(operand)) {
    if (op == UnaryOperator::USub && type_of(*scalar) == ir::DType::I64) {
      return binary(Operator::Sub, scalar->weak ? value(std::int64_t{0}) : strong(integer(0)), operand, span);
    }
    if (scalar->weak && type_of(*scalar) == ir::DType::Bool) {
      return unary(op, weak(cast(scalar->expr, ir::DType::I64)), span);
    }
  }
  return ufunc(op == UnaryOperator::USub ? ir::Op::Neg : ir::Op::BitNot, std::vector{operand}, span);
}

Result<Value> Stager::truth(const Value& operand, base::Span span) {
  if (const auto* flag = operand.as<bool>()) return value(*flag);
  if (operand.is<None>()) return value(false);
  if (const auto* either = operand.as<OrNone>()) {
    if (const auto* array = either->value->as<Array>(); array != nullptr) {
      PW_TRY(const Value present, require_present(operand, span, ir::TrapKind::Assumption));
      return truth(present, span);
    }
    PW_TRY(const Value holds, truth(*either->value, span));
    return weak(apply(ir::Op::And, {either->present, as_scalar(holds)->expr}));
  }
  if (const auto* one = operand.as<OneOf>()) {
    PW_TRY(const Value empty, compare_texts(operand, value(std::string())));
    return one->texts.empty() ? value(false) : weak(apply(ir::Op::Not, {as_scalar(empty)->expr}));
  }
  if (const auto* text = operand.as<std::string>()) return value(!text->empty());
  if (const auto* items = sequence(operand)) return value(!items->empty());
  if (const auto* grown = operand.as<Grown>())
    return weak(apply(ir::Op::Ne, {index(lists_->length(*grown)), integer(0)}));
  if (const auto number = static_complex(operand)) return value(*number != std::complex<double>(0.0));
  if (operand.is<UserFunction>() || operand.is<LibraryFunction>() || operand.is<DTypeObject>())
    return value(true);
  if (const auto* array = operand.as<Array>()) {
    const auto count = extents().as_constant(this->count(array->shape));
    if (count != 1) return engine.report(Rule::NumpyArrayTruth, span, describe(operand, module));
    return weak(cast(load(*array, Indices(array->shape.size(), size(0))), ir::DType::Bool));
  }
  const std::optional<Scalar> scalar = as_scalar(operand);
  if (!scalar) return engine.report(Rule::NumpyNumberNeeded, span, describe(operand, module));
  if (const auto extent = module.as_extent(scalar->expr)) {
    if (proves_nonnegative(extents().add(*extent, size(-1)))) return value(true);
    if (const auto known = extents().as_constant(*extent)) return value(*known != 0);
    return weak(apply(ir::Op::Ne, {scalar->expr, integer(0)}));
  }
  return weak(cast(scalar->expr, ir::DType::Bool));
}

}  // namespace pw::numpy
