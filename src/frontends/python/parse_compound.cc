// Statements with blocks.
#include "frontends/python/parser_state.h"

namespace pw::python {

Result<std::optional<StmtId>> Parser::compound_statement() {
  const std::uint32_t start = begin();
  const auto some = [](Result<StmtId> result) -> Result<std::optional<StmtId>> {
    PW_TRY(StmtId id, std::move(result));
    return std::optional<StmtId>(id);
  };
  switch (peek().kind) {
    case TokenKind::KeywordIf:
      return some(if_statement());
    case TokenKind::KeywordWhile:
      return some(while_statement());
    case TokenKind::KeywordFor:
      return some(for_statement(start, false));
    case TokenKind::KeywordWith:
      return some(with_statement(start, false));
    case TokenKind::KeywordTry:
      return some(try_statement());
    case TokenKind::KeywordDef:
      return some(function_definition(start, false, {}));
    case TokenKind::KeywordClass:
      return some(class_definition({}));
    case TokenKind::At:
      return some(decorated());
    case TokenKind::KeywordAsync:
      return some(async_statement());
    default:
      return match_statement();
  }
}

/// The colon and the block behind it: an indented one, or statements on the same line. `after` is for the
/// message.
Result<std::vector<StmtId>> Parser::block(std::string_view after) {
  if (!accept(TokenKind::Colon)) return expected("':'");
  if (!accept(TokenKind::Newline)) {
    std::vector<StmtId> out;
    PW_CHECK_OK(simple_statements(out));
    return out;
  }
  if (!accept(TokenKind::Indent)) {
    if (at(TokenKind::Error)) return unexpected();
    return engine_.report(Rule::PythonExpectedBlock, token_span(peek()), after);
  }
  PW_TRY(auto out, statements(TokenKind::Dedent));
  take();
  return out;
}

Result<std::vector<StmtId>> Parser::else_block(std::string_view after) {
  if (!accept(TokenKind::KeywordElse)) return std::vector<StmtId>();
  return block(after);
}

Result<StmtId> Parser::if_statement() {
  struct Branch {
    std::uint32_t begin;
    ExprId test;
    std::vector<StmtId> body;
  };
  std::vector<Branch> branches;
  do {
    const std::string_view word = spelling(peek().kind);
    Branch branch{take().begin, {}, {}};
    PW_TRY(branch.test, named_expression());
    PW_TRY(branch.body, block(word));
    branches.push_back(std::move(branch));
  } while (at(TokenKind::KeywordElif));
  PW_TRY(std::vector<StmtId> orelse, else_block("else"));
  // `elif` is an if in the else of the one before it.
  StmtId out;
  for (std::size_t i = branches.size(); i-- > 0;) {
    PW_TRY(out, add_statement(branches[i].begin,
                              If{branches[i].test, std::move(branches[i].body), std::move(orelse)}));
    orelse = {out};
  }
  return out;
}

Result<StmtId> Parser::while_statement() {
  const std::uint32_t start = take().begin;
  While out;
  PW_TRY(out.test, named_expression());
  PW_TRY(out.body, block("while"));
  PW_TRY(out.orelse, else_block("else"));
  return add_statement(start, std::move(out));
}

Result<StmtId> Parser::for_statement(std::uint32_t start, bool is_async) {
  take();
  For out;
  PW_TRY(out.target, star_targets());
  PW_CHECK_OK(expect(TokenKind::KeywordIn));
  PW_TRY(out.iter, star_expressions());
  PW_TRY(out.body, block("for"));
  PW_TRY(out.orelse, else_block("else"));
  if (!is_async) return add_statement(start, std::move(out));
  return add_statement(start, AsyncFor{out.target, out.iter, std::move(out.body), std::move(out.orelse)});
}

Result<WithItem> Parser::with_item() {
  WithItem out;
  PW_TRY(out.context_expr, expression());
  if (accept(TokenKind::KeywordAs)) {
    PW_TRY(out.optional_vars, star_target());
  }
  return out;
}

/// `(a as b, c)`: fails quietly where the parentheses turn out to belong to an expression.
Result<std::vector<WithItem>> Parser::parenthesized_with_items() {
  take();
  std::vector<WithItem> out;
  do {
    if (!out.empty() && at(TokenKind::RightParen)) break;
    PW_TRY(WithItem item, with_item());
    out.push_back(item);
  } while (accept(TokenKind::Comma));
  PW_CHECK_OK(expect(TokenKind::RightParen));
  if (!at(TokenKind::Colon)) return unexpected();
  return out;
}

Result<StmtId> Parser::with_statement(std::uint32_t start, bool is_async) {
  take();
  std::vector<WithItem> items;
  if (at(TokenKind::LeftParen)) {
    const Mark before = mark();
    if (auto parenthesized = parenthesized_with_items()) {
      items = std::move(*parenthesized);
    } else {
      go_back(before);
    }
  }
  if (items.empty()) {
    do {
      PW_TRY(WithItem item, with_item());
      items.push_back(item);
    } while (accept(TokenKind::Comma));
  }
  PW_TRY(auto body, block("with"));
  if (is_async) return add_statement(start, AsyncWith{std::move(items), std::move(body)});
  return add_statement(start, With{std::move(items), std::move(body)});
}

Result<ExceptHandler> Parser::except_handler(bool& star) {
  const std::uint32_t start = take().begin;
  ExceptHandler out;
  star = accept(TokenKind::Star);
  if (star && at(TokenKind::Colon)) return expected("one or more exception types after 'except*'");
  if (!at(TokenKind::Colon)) {
    PW_TRY(out.type, expression());
    if (at(TokenKind::Comma)) {
      return engine_.report(Rule::PythonExpected, span_from(span_of(out.type).begin),
                            "parentheses around several exception types", describe(peek()));
    }
    if (accept(TokenKind::KeywordAs)) {
      PW_TRY(out.name, expect_identifier());
    }
  }
  PW_TRY(out.body, block("except"));
  out.span = span_from(start);
  return out;
}

Result<StmtId> Parser::try_statement() {
  const std::uint32_t start = take().begin;
  Try out;
  PW_TRY(out.body, block("try"));
  bool any_star = false;
  while (at(TokenKind::KeywordExcept)) {
    const Token here = peek();
    bool star = false;
    PW_TRY(ExceptHandler handler, except_handler(star));
    if (!out.handlers.empty() && star != any_star) {
      return engine_.report(Rule::PythonExpected, token_span(here),
                            "all of a try's handlers to be 'except', or all 'except*',", "the handler");
    }
    any_star = star;
    out.handlers.push_back(std::move(handler));
  }
  if (!out.handlers.empty()) {
    PW_TRY(out.orelse, else_block("else"));
  }
  if (accept(TokenKind::KeywordFinally)) {
    PW_TRY(out.finalbody, block("finally"));
  } else if (out.handlers.empty()) {
    return expected("'except' or 'finally' after the block of 'try'");
  }
  if (!any_star) return add_statement(start, std::move(out));
  return add_statement(start, TryStar{std::move(out.body), std::move(out.handlers), std::move(out.orelse),
                                      std::move(out.finalbody)});
}

Result<StmtId> Parser::async_statement() {
  const std::uint32_t start = take().begin;
  if (at(TokenKind::KeywordDef)) return function_definition(start, true, {});
  if (at(TokenKind::KeywordFor)) return for_statement(start, true);
  if (at(TokenKind::KeywordWith)) return with_statement(start, true);
  return unexpected();
}

Result<StmtId> Parser::decorated() {
  std::vector<ExprId> decorators;
  while (accept(TokenKind::At)) {
    PW_TRY(ExprId decorator, named_expression());
    decorators.push_back(decorator);
    if (!accept(TokenKind::Newline)) return unexpected();
  }
  const std::uint32_t start = begin();
  if (at(TokenKind::KeywordClass)) return class_definition(std::move(decorators));
  if (at(TokenKind::KeywordDef)) return function_definition(start, false, std::move(decorators));
  if (accept(TokenKind::KeywordAsync) && at(TokenKind::KeywordDef)) {
    return function_definition(start, true, std::move(decorators));
  }
  return unexpected();
}

Result<StmtId> Parser::function_definition(std::uint32_t start, bool is_async,
                                           std::vector<ExprId> decorators) {
  take();
  FunctionDef out;
  out.decorator_list = std::move(decorators);
  PW_TRY(out.name, expect_identifier());
  if (!accept(TokenKind::LeftParen)) return expected("'(' and parameters");
  PW_TRY(Arguments arguments, parameters(TokenKind::RightParen, true));
  PW_CHECK_OK(expect(TokenKind::RightParen));
  out.args = add_arguments(std::move(arguments));
  if (accept(TokenKind::Arrow)) {
    PW_TRY(out.returns, expression());
  }
  PW_TRY(out.body, block("def"));
  if (!is_async) return add_statement(start, std::move(out));
  return add_statement(start, AsyncFunctionDef{std::move(out.name), out.args, std::move(out.body),
                                               std::move(out.decorator_list), out.returns});
}

Result<StmtId> Parser::class_definition(std::vector<ExprId> decorators) {
  const std::uint32_t start = take().begin;
  ClassDef out;
  out.decorator_list = std::move(decorators);
  PW_TRY(out.name, expect_identifier());
  if (accept(TokenKind::LeftParen)) {
    PW_CHECK_OK(call_arguments(out.bases, out.keywords));
    PW_CHECK_OK(close_arguments(out.bases, out.keywords));
  }
  PW_TRY(out.body, block("class"));
  return add_statement(start, std::move(out));
}

}  // namespace pw::python
