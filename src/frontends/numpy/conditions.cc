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

/// `and` and `or`. Where a run-time side decides, the result is a bool; outside a condition both sides must
/// then be bools, since Python gives the side itself. The right side runs only where the left does not
/// decide.
Result<Value> Stager::evaluate_bool(const python::BoolOp& node, base::Span span, bool condition) {
  const bool is_or = node.op == python::BoolOperator::Or;
  const auto operand_of = [&](ExprId id) {
    return condition ? evaluate_condition(id) : evaluate_optional(id);
  };
  const auto is_bool = [&](const Value& v) {
    return v.is<bool>() || (v.is<Scalar>() && type_of(*v.as<Scalar>()) == ir::DType::Bool);
  };
  const auto is_numpy_bool = [&](const Value& v) {
    return v.is<Scalar>() && !v.as<Scalar>()->weak && type_of(*v.as<Scalar>()) == ir::DType::Bool;
  };
  PW_TRY(Value out, operand_of(node.values[0]));
  for (std::size_t k = 1; k < node.values.size(); ++k) {
    // One of the two it is, so that of two NumPy bools it is one, whose + is `or`.
    bool numpy_bool = is_numpy_bool(out);
    PW_TRY(const Value flag, truth(out, tree_.span(node.values[k - 1])));
    if (const auto* known = flag.as<bool>()) {
      if (*known == is_or) return out;
      PW_TRY(out, operand_of(node.values[k]));
      continue;
    }
    if (!is_bool(out)) return engine.report(Rule::NumpyBoolOperand, span, describe(out, module));
    const ir::ExprId left = flag.as<Scalar>()->expr;
    Value right;
    ++control_depth_;
    Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
      note_condition(left, !is_or);
      PW_TRY(const Value operand, operand_of(node.values[k]));
      if (!is_bool(operand)) return engine.report(Rule::NumpyBoolOperand, span, describe(operand, module));
      PW_TRY(right, truth(operand, tree_.span(node.values[k])));
      numpy_bool = numpy_bool && is_numpy_bool(operand);
      return Done{};
    });
    --control_depth_;
    if (!block) return tl::unexpected(block.error());
    at(span);
    const ir::ExprId right_expr = as_scalar(right)->expr;
    if (module[*block].statements.empty()) {
      sharing_.note(blocks_.back(), Sharing::Branch{*block, {}});
      out = value(Scalar{apply(is_or ? ir::Op::Or : ir::Op::And, {left, right_expr}), !numpy_bool});
      continue;
    }
    // The right side may trap: it runs only where the left does not decide.
    const ir::LocalId both = declare_variable(is_or ? "either" : "both", ir::DType::Bool, left);
    blocks_.push_back(*block);
    emit(ir::Assign{both, right_expr});
    blocks_.pop_back();
    const ir::ExprId open = module.add(ir::Read{both}, span_);
    emit(ir::If{is_or ? apply(ir::Op::Not, {open}) : open, *block, this->block([] {})});
    out = value(Scalar{module.add(ir::Read{both}, span_), !numpy_bool});
  }
  return out;
}

Result<Value> Stager::evaluate_compare(const python::Compare& node, base::Span span) {
  const auto is_any = [&](std::initializer_list<python::CompareOperator> some) {
    return node.ops.size() == 1 && std::find(some.begin(), some.end(), node.ops[0]) != some.end();
  };
  using enum python::CompareOperator;
  const bool takes_none = is_any({Is, IsNot, Eq, NotEq});
  PW_TRY(Value left, takes_none || is_any({In, NotIn}) ? evaluate_optional(node.left) : evaluate(node.left));
  Value out = value(true);
  for (std::size_t k = 0; k < node.ops.size(); ++k) {
    if (contains_call(tree_, node.comparators[k])) left = snapshot(left, {});
    PW_TRY(const Value right,
           takes_none ? evaluate_optional(node.comparators[k]) : evaluate(node.comparators[k]));
    at(span);
    PW_TRY(const Value step, compare(node.ops[k], left, right, span));
    if (node.ops.size() == 1) return step;
    if (const auto* known = step.as<bool>()) {
      if (!*known) return step;
    } else if (step.is<Array>()) {
      return engine.report(Rule::NumpyArrayTruth, span, describe(step, module));
    } else {
      const ir::ExprId now = step.as<Scalar>()->expr;
      out = out.is<bool>() ? step : weak(apply(ir::Op::And, {out.as<Scalar>()->expr, now}));
    }
    left = right;
  }
  return out;
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
