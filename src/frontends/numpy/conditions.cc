// Conditions, and what they choose: and, or, comparisons, `a if c else b`.
#include <algorithm>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

using python::ExprId;

/// An expression of which only the truth is asked: static or a bool scalar.
Result<Value> Stager::evaluate_condition(ExprId id) {
  const base::Span span = tree_.span(id);
  if (const auto* node = tree_.get_if<python::BoolOp>(id)) return evaluate_bool(*node, span, true);
  if (const auto* node = tree_.get_if<python::UnaryOp>(id);
      node != nullptr && node->op == python::UnaryOperator::Not) {
    PW_TRY(const Value operand, evaluate_condition(node->operand));
    return unary(node->op, operand, span);
  }
  PW_TRY(const Value tested, evaluate_optional(id));
  return truth(tested, span);
}

namespace {

/// A name that := binds where it may not run would have to be joined.
Result<Done> refuse_walrus(Stager& stager, ExprId id) {
  if (!contains_walrus(stager.tree(), id)) return Done{};
  return stager.engine.report(Rule::NumpyConstruct, stager.tree().span(id),
                              "a name bound by := where it may not run");
}

bool is_bool(const Stager& stager, const Value& v) {
  return v.is<bool>() || (v.is<Scalar>() && stager.type_of(*v.as<Scalar>()) == ir::DType::Bool);
}

}  // namespace

/// `left and right` or `left or right` of bools: the right side runs only where the left does not decide. Of
/// two NumPy bools it is one, whose + is `or`.
Result<Value> Stager::decide(const Scalar& left, bool is_or, const std::function<Result<Value>()>& right,
                             base::Span span) {
  bool is_weak = left.weak;
  ir::ExprId right_expr;
  ++control_depth_;
  const Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
    note_condition(left.expr, !is_or);
    PW_TRY(const Value operand, right());
    if (!is_bool(*this, operand))
      return engine.report(Rule::NumpyBoolOperand, span, describe(operand, module));
    is_weak = is_weak || operand.is<bool>() || operand.as<Scalar>()->weak;
    right_expr = as_scalar(operand)->expr;
    return Done{};
  });
  --control_depth_;
  if (!block) return tl::unexpected(block.error());
  at(span);
  if (module[*block].statements.empty()) {
    sharing_.note(blocks_.back(), Sharing::Branch{*block, {}});
    return value(Scalar{apply(is_or ? ir::Op::Or : ir::Op::And, {left.expr, right_expr}), is_weak});
  }
  const ir::LocalId both = declare_variable(is_or ? "either" : "both", ir::DType::Bool, left.expr);
  blocks_.push_back(*block);
  emit(ir::Assign{both, right_expr});
  blocks_.pop_back();
  const ir::ExprId open = module.add(ir::Read{both}, span_);
  emit(ir::If{is_or ? apply(ir::Op::Not, {open}) : open, *block, this->block([] {})});
  return value(Scalar{module.add(ir::Read{both}, span_), is_weak});
}

/// `and` and `or`. Where a run-time side decides, the result is a bool; outside a condition both sides must
/// then be bools, since Python gives the side itself.
Result<Value> Stager::evaluate_bool(const python::BoolOp& node, base::Span span, bool condition) {
  const bool is_or = node.op == python::BoolOperator::Or;
  const auto operand_of = [&](ExprId id) {
    return condition ? evaluate_condition(id) : evaluate_optional(id);
  };
  PW_TRY(Value out, operand_of(node.values[0]));
  for (std::size_t k = 1; k < node.values.size(); ++k) {
    PW_TRY(const Value flag, truth(out, tree_.span(node.values[k - 1])));
    if (const auto* known = flag.as<bool>()) {
      if (*known == is_or) return out;
      PW_TRY(out, operand_of(node.values[k]));
      continue;
    }
    if (!is_bool(*this, out)) return engine.report(Rule::NumpyBoolOperand, span, describe(out, module));
    PW_CHECK_OK(refuse_walrus(*this, node.values[k]));
    const Scalar left{flag.as<Scalar>()->expr, out.as<Scalar>()->weak};
    PW_TRY(out, decide(left, is_or, [&] { return operand_of(node.values[k]); }, span));
  }
  return out;
}

/// a < b < c is a < b and b < c, with b evaluated once.
Result<Value> Stager::evaluate_compare(const python::Compare& node, base::Span span) {
  const auto is_any = [&](std::initializer_list<python::CompareOperator> some) {
    return node.ops.size() == 1 && std::find(some.begin(), some.end(), node.ops[0]) != some.end();
  };
  using enum python::CompareOperator;
  const bool takes_none = is_any({Is, IsNot, Eq, NotEq});
  PW_TRY(const Value first,
         takes_none || is_any({In, NotIn}) ? evaluate_optional(node.left) : evaluate(node.left));
  const std::function<Result<Value>(Value, std::size_t)> from = [&](Value left,
                                                                    std::size_t k) -> Result<Value> {
    const ExprId id = node.comparators[k];
    if (contains_call(tree_, id)) left = snapshot(left, {});
    PW_TRY(const Value right, takes_none            ? evaluate_optional(id)
                              : is_any({In, NotIn}) ? evaluate_consumed(id)
                                                    : evaluate(id));
    at(span);
    PW_TRY(const Value step, compare(node.ops[k], left, right, span));
    if (k + 1 == node.ops.size()) return step;
    if (const auto* known = step.as<bool>()) return *known ? from(right, k + 1) : step;
    if (step.is<Array>()) return engine.report(Rule::NumpyArrayTruth, span, describe(step, module));
    PW_CHECK_OK(refuse_walrus(*this, node.comparators[k + 1]));
    return decide(*step.as<Scalar>(), false, [&] { return from(right, k + 1); }, span);
  };
  return from(first, 0);
}

/// The array that a condition chooses, copied: `blocks` make them.
Result<Value> Stager::choose_array(ir::ExprId condition, const Value (&sides)[2],
                                   const ir::BlockId (&blocks)[2], base::Span span) {
  const Array& first = *sides[0].as<Array>();
  const Array& second = *sides[1].as<Array>();
  if (first.shape != second.shape || type_of(first) != type_of(second) || !in_scope(first)) {
    return engine.report(Rule::NumpyConditionalKinds, span, describe(sides[0], module),
                         describe(sides[1], module));
  }
  const Array chosen = allocate(first.shape, type_of(first));
  for (std::size_t k = 0; k < 2; ++k) {
    const Array& from = *sides[k].as<Array>();
    blocks_.push_back(blocks[k]);
    map_over(from.shape, [&](const Indices& indices) { store(chosen, indices, load(from, indices)); });
    note_shared(from.buffer, chosen.buffer);
    blocks_.pop_back();
  }
  emit(ir::If{condition, blocks[0], blocks[1]});
  return value(chosen);
}

/// The value of another kind that a condition chooses.
Result<Value> Stager::choose(ir::ExprId condition, const Form& form, const Value (&sides)[2],
                             const ir::BlockId (&blocks)[2], base::Span span) {
  Variable chosen = declare(invented_name("chosen"), form, true);
  for (std::size_t k = 0; k < 2; ++k) {
    blocks_.push_back(blocks[k]);
    const Result<Done> stored = store_form("chosen", chosen, sides[k], span);
    blocks_.pop_back();
    if (!stored) return tl::unexpected(stored.error());
  }
  end_variable(chosen);
  emit(ir::If{condition, blocks[0], blocks[1]});
  return read(chosen);
}

Result<Value> Stager::evaluate_conditional(const python::IfExp& node, base::Span span) {
  PW_TRY(const Value flag, evaluate_condition(node.test));
  if (const auto* known = flag.as<bool>()) return evaluate_optional(*known ? node.body : node.orelse);
  const ir::ExprId condition = flag.as<Scalar>()->expr;
  Value sides[2];
  ir::BlockId blocks[2];
  const ExprId ids[2] = {node.body, node.orelse};
  for (const ExprId side : ids) PW_CHECK_OK(refuse_walrus(*this, side));
  ++control_depth_;
  for (std::size_t k = 0; k < 2; ++k) {
    Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
      note_condition(condition, k == 0);
      PW_TRY(sides[k], evaluate_optional(ids[k]));
      return Done{};
    });
    if (!block) {
      --control_depth_;
      return tl::unexpected(block.error());
    }
    blocks[k] = *block;
  }
  --control_depth_;
  at(span);
  if (sides[0].is<Array>() && sides[1].is<Array>()) return choose_array(condition, sides, blocks, span);
  const std::optional<Scalar> a = as_scalar(sides[0]);
  const std::optional<Scalar> b = as_scalar(sides[1]);
  const std::optional<Form> form = join(form_of(sides[0]), form_of(sides[1]));
  if ((!a || !b) && form && !form->is_plain() && form->kind != Form::Kind::Known && in_scope(*form))
    return choose(condition, *form, sides, blocks, span);
  if (!a || !b)
    return engine.report(Rule::NumpyConditionalKinds, span, describe(sides[0], module),
                         describe(sides[1], module));
  const std::optional<NumberType> joined = join_numbers(sides[0], sides[1]);
  if (!joined)
    return engine.report(Rule::NumpyJoinPrecision, span, describe(sides[0], module),
                         describe(sides[1], module));
  if (module[blocks[0]].statements.empty() && module[blocks[1]].statements.empty()) {
    sharing_.note(blocks_.back(), Sharing::Branch{blocks[0], blocks[1]});
    const ir::ExprId chosen =
        apply(ir::Op::Select, {condition, cast(a->expr, joined->type), cast(b->expr, joined->type)});
    if (number_type(sides[0]) != number_type(sides[1])) widened_choices_.insert(chosen);
    return value(Scalar{chosen, joined->weak});
  }
  const ir::LocalId chosen = declare_variable("chosen", joined->type, {});
  if (number_type(sides[0]) != number_type(sides[1])) widened_.insert(chosen);
  const ir::ExprId exprs[2] = {a->expr, b->expr};
  for (std::size_t k = 0; k < 2; ++k) {
    blocks_.push_back(blocks[k]);
    emit(ir::Assign{chosen, cast(exprs[k], joined->type)});
    blocks_.pop_back();
  }
  emit(ir::If{condition, blocks[0], blocks[1]});
  return value(Scalar{module.add(ir::Read{chosen}, span_), joined->weak});
}

}  // namespace pw::numpy
