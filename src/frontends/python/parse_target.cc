// Targets are parsed as expressions and then turned: what cannot be one is named as CPython names it.
#include "frontends/python/parser_state.h"

namespace pw::python {

using base::Done;

std::string Parser::describe_expression(ExprId id) const {
  return visit(
      tree_[id], [](const BoolOp&) { return "an expression"; },
      [](const NamedExpr&) { return "a named expression"; }, [](const BinOp&) { return "an expression"; },
      [](const UnaryOp&) { return "an expression"; }, [](const Lambda&) { return "a lambda"; },
      [](const IfExp&) { return "a conditional expression"; }, [](const Dict&) { return "a dict literal"; },
      [](const Set&) { return "a set display"; }, [](const ListComp&) { return "a list comprehension"; },
      [](const SetComp&) { return "a set comprehension"; },
      [](const DictComp&) { return "a dict comprehension"; },
      [](const GeneratorExp&) { return "a generator expression"; },
      [](const Await&) { return "an await expression"; }, [](const Yield&) { return "a yield expression"; },
      [](const YieldFrom&) { return "a yield expression"; }, [](const Compare&) { return "a comparison"; },
      [](const Call&) { return "a function call"; },
      [](const FormattedValue&) { return "an f-string expression"; },
      [](const JoinedStr&) { return "an f-string expression"; },
      [](const Constant& constant) {
        return visit(
            constant.value, [](const NoneValue&) { return "None"; },
            [](bool b) { return b ? "True" : "False"; }, [](const EllipsisValue&) { return "an ellipsis"; },
            [](const auto&) { return "a literal"; });
      },
      [](const Attribute&) { return "an attribute"; }, [](const Subscript&) { return "a subscript"; },
      [](const Starred&) { return "a starred expression"; }, [](const Name&) { return "a name"; },
      [](const List&) { return "a list"; }, [](const Tuple&) { return "a tuple"; },
      [](const Slice&) { return "a slice"; });
}

Failure Parser::target_failure(ExprId id, ExprContext context) {
  return engine_.report(Rule::PythonTarget, span_of(id), context == ExprContext::Del ? "delete" : "assign to",
                        describe_expression(id));
}

Result<Done> Parser::make_target(ExprId id, ExprContext context) {
  Expression& node = tree_.expressions.nodes[id.index()];
  if (Name* name = std::get_if<Name>(&node)) {
    name->ctx = context;
    return Done{};
  }
  if (Attribute* attribute = std::get_if<Attribute>(&node)) {
    attribute->ctx = context;
    return Done{};
  }
  if (Subscript* subscript = std::get_if<Subscript>(&node)) {
    subscript->ctx = context;
    return Done{};
  }
  if (Starred* starred = std::get_if<Starred>(&node); starred != nullptr && context == ExprContext::Store) {
    starred->ctx = context;
    return make_target(starred->value, context);
  }
  // No node is added on the way, so that the lists stay where they are.
  std::vector<ExprId>* elements = nullptr;
  if (List* list = std::get_if<List>(&node)) {
    list->ctx = context;
    elements = &list->elts;
  } else if (Tuple* tuple = std::get_if<Tuple>(&node)) {
    tuple->ctx = context;
    elements = &tuple->elts;
  }
  if (elements == nullptr) return target_failure(id, context);
  for (const ExprId element : *elements) PW_CHECK_OK(make_target(element, context));
  return Done{};
}

/// The target of `for` and of a comprehension: `in` ends it, so it is no full expression.
Result<ExprId> Parser::star_targets() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId first, star_target());
  if (!at(TokenKind::Comma)) return first;
  std::vector<ExprId> elements = {first};
  while (accept(TokenKind::Comma)) {
    if (!starts_expression(peek().kind)) break;
    PW_TRY(ExprId element, star_target());
    elements.push_back(element);
  }
  return add(start, Tuple{std::move(elements), ExprContext::Store});
}

Result<ExprId> Parser::star_target() {
  const std::uint32_t start = begin();
  ExprId out;
  if (accept(TokenKind::Star)) {
    PW_TRY(ExprId value, bitwise_or());
    PW_TRY(out, add(start, Starred{value, ExprContext::Load}));
  } else {
    PW_TRY(out, bitwise_or());
  }
  PW_CHECK_OK(make_target(out, ExprContext::Store));
  return out;
}

}  // namespace pw::python
