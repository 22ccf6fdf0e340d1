// Statements of one line.
#include "frontends/python/parser_state.h"

namespace pw::python {

using base::Done;

namespace {

struct AugmentedRow {
  TokenKind token;
  Operator op;
};
constexpr AugmentedRow kAugmented[] = {
    {TokenKind::PlusEqual, Operator::Add},
    {TokenKind::MinusEqual, Operator::Sub},
    {TokenKind::StarEqual, Operator::Mult},
    {TokenKind::AtEqual, Operator::MatMult},
    {TokenKind::SlashEqual, Operator::Div},
    {TokenKind::PercentEqual, Operator::Mod},
    {TokenKind::AmpersandEqual, Operator::BitAnd},
    {TokenKind::VerticalBarEqual, Operator::BitOr},
    {TokenKind::CaretEqual, Operator::BitXor},
    {TokenKind::LeftShiftEqual, Operator::LShift},
    {TokenKind::RightShiftEqual, Operator::RShift},
    {TokenKind::DoubleStarEqual, Operator::Pow},
    {TokenKind::DoubleSlashEqual, Operator::FloorDiv},
};

}  // namespace

Result<std::vector<StmtId>> Parser::statements(TokenKind end) {
  std::vector<StmtId> out;
  while (!at(end)) {
    if (at(TokenKind::EndMarker) || at(TokenKind::Error)) return unexpected();
    PW_CHECK_OK(statement(out));
  }
  return out;
}

Result<Done> Parser::statement(std::vector<StmtId>& out) {
  PW_TRY(std::optional<StmtId> compound, compound_statement());
  if (!compound) return simple_statements(out);
  out.push_back(*compound);
  return Done{};
}

Result<Done> Parser::simple_statements(std::vector<StmtId>& out) {
  while (true) {
    PW_TRY(StmtId statement, simple_statement());
    out.push_back(statement);
    if (accept(TokenKind::Newline)) return Done{};
    if (!accept(TokenKind::Semicolon)) return unexpected();
    if (accept(TokenKind::Newline)) return Done{};
  }
}

Result<StmtId> Parser::simple_statement() {
  const std::uint32_t start = begin();
  switch (peek().kind) {
    case TokenKind::KeywordReturn:
      return return_statement();
    case TokenKind::KeywordImport:
      return import_name();
    case TokenKind::KeywordFrom:
      return import_from();
    case TokenKind::KeywordRaise:
      return raise_statement();
    case TokenKind::KeywordDel:
      return delete_statement();
    case TokenKind::KeywordAssert:
      return assert_statement();
    case TokenKind::KeywordPass:
      take();
      return add_statement(start, Pass{});
    case TokenKind::KeywordBreak:
      take();
      return add_statement(start, Break{});
    case TokenKind::KeywordContinue:
      take();
      return add_statement(start, Continue{});
    case TokenKind::KeywordGlobal: {
      PW_TRY(auto names, name_list());
      return add_statement(start, Global{std::move(names)});
    }
    case TokenKind::KeywordNonlocal: {
      PW_TRY(auto names, name_list());
      return add_statement(start, Nonlocal{std::move(names)});
    }
    default:
      return expression_statement();
  }
}

/// A right-hand side.
Result<ExprId> Parser::assigned_value() {
  return at(TokenKind::KeywordYield) ? yield_expression() : star_expressions();
}

Result<StmtId> Parser::expression_statement() {
  const Token first = peek();
  PW_TRY(ExprId value, assigned_value());
  if (at(TokenKind::Equal)) return assignment(first.begin, value);
  if (at(TokenKind::Colon))
    return annotated_assignment(first.begin, first.kind == TokenKind::LeftParen, value);
  for (const AugmentedRow& row : kAugmented) {
    if (at(row.token)) return augmented_assignment(first.begin, value, row.op);
  }
  return add_statement(first.begin, Expr{value});
}

Result<StmtId> Parser::assignment(std::uint32_t start, ExprId first) {
  Assign out{{}, first};
  while (accept(TokenKind::Equal)) {
    PW_CHECK_OK(make_target(out.value, ExprContext::Store));
    out.targets.push_back(out.value);
    PW_TRY(out.value, assigned_value());
  }
  return add_statement(start, std::move(out));
}

Result<StmtId> Parser::annotated_assignment(std::uint32_t start, bool parenthesized, ExprId target) {
  const Expression& node = tree_[target];
  const bool is_name = std::holds_alternative<Name>(node);
  if (!is_name && !std::holds_alternative<Attribute>(node) && !std::holds_alternative<Subscript>(node)) {
    // Only with an annotation behind the colon was one meant.
    const Mark before = mark();
    take();
    const bool annotated = expression().has_value();
    go_back(before);
    if (!annotated) return unexpected();
    return engine_.report(Rule::PythonTarget, span_of(target), "annotate", describe_expression(target));
  }
  PW_CHECK_OK(make_target(target, ExprContext::Store));
  take();
  AnnAssign out{target, {}, {}, is_name && !parenthesized};
  PW_TRY(out.annotation, expression());
  if (accept(TokenKind::Equal)) {
    PW_TRY(out.value, assigned_value());
  }
  return add_statement(start, out);
}

Result<StmtId> Parser::augmented_assignment(std::uint32_t start, ExprId target, Operator op) {
  const Expression& node = tree_[target];
  if (!std::holds_alternative<Name>(node) && !std::holds_alternative<Attribute>(node) &&
      !std::holds_alternative<Subscript>(node)) {
    return engine_.report(Rule::PythonTarget, span_of(target), "use augmented assignment with",
                          describe_expression(target));
  }
  PW_CHECK_OK(make_target(target, ExprContext::Store));
  take();
  PW_TRY(ExprId value, assigned_value());
  return add_statement(start, AugAssign{target, op, value});
}

Result<StmtId> Parser::return_statement() {
  const std::uint32_t start = take().begin;
  Return out;
  if (starts_expression(peek().kind)) {
    PW_TRY(out.value, star_expressions());
  }
  return add_statement(start, out);
}

Result<StmtId> Parser::raise_statement() {
  const std::uint32_t start = take().begin;
  Raise out;
  if (starts_expression(peek().kind)) {
    PW_TRY(out.exc, expression());
    if (accept(TokenKind::KeywordFrom)) {
      PW_TRY(out.cause, expression());
    }
  }
  return add_statement(start, out);
}

Result<StmtId> Parser::delete_statement() {
  const std::uint32_t start = take().begin;
  Delete out;
  do {
    if (!out.targets.empty() && (at(TokenKind::Newline) || at(TokenKind::Semicolon))) break;
    PW_TRY(ExprId target, star_expression());
    PW_CHECK_OK(make_target(target, ExprContext::Del));
    out.targets.push_back(target);
  } while (accept(TokenKind::Comma));
  return add_statement(start, std::move(out));
}

Result<StmtId> Parser::assert_statement() {
  const std::uint32_t start = take().begin;
  Assert out;
  PW_TRY(out.test, expression());
  if (accept(TokenKind::Comma)) {
    PW_TRY(out.msg, expression());
  }
  return add_statement(start, out);
}

Result<std::vector<std::string>> Parser::name_list() {
  take();
  std::vector<std::string> out;
  do {
    PW_TRY(std::string name, expect_identifier());
    out.push_back(std::move(name));
  } while (accept(TokenKind::Comma));
  return out;
}

Result<std::string> Parser::dotted_name() {
  PW_TRY(std::string out, expect_identifier());
  while (accept(TokenKind::Dot)) {
    PW_TRY(std::string part, expect_identifier());
    out += "." + part;
  }
  return out;
}

Result<Alias> Parser::import_alias(bool dotted) {
  const std::uint32_t start = begin();
  Alias out;
  PW_TRY(out.name, dotted ? dotted_name() : expect_identifier());
  if (accept(TokenKind::KeywordAs)) {
    PW_TRY(out.asname, expect_identifier());
  }
  out.span = span_from(start);
  return out;
}

Result<StmtId> Parser::import_name() {
  const std::uint32_t start = take().begin;
  Import out;
  do {
    PW_TRY(Alias alias, import_alias(true));
    out.names.push_back(std::move(alias));
  } while (accept(TokenKind::Comma));
  return add_statement(start, std::move(out));
}

Result<StmtId> Parser::import_from() {
  const std::uint32_t start = take().begin;
  ImportFrom out{std::nullopt, {}, 0};
  while (at(TokenKind::Dot) || at(TokenKind::Ellipsis)) out.level += take().kind == TokenKind::Dot ? 1 : 3;
  if (out.level == 0 || at(TokenKind::Identifier)) {
    PW_TRY(out.module, dotted_name());
  }
  PW_CHECK_OK(expect(TokenKind::KeywordImport));
  if (at(TokenKind::Star)) {
    const Token star = take();
    out.names.push_back({"*", std::nullopt, token_span(star)});
    return add_statement(start, std::move(out));
  }
  const bool parenthesized = accept(TokenKind::LeftParen);
  do {
    if (!out.names.empty() && parenthesized && at(TokenKind::RightParen)) break;
    if (!out.names.empty() && !parenthesized && at(TokenKind::Newline)) {
      return expected("parentheses around names that end in a comma,");
    }
    PW_TRY(Alias alias, import_alias(false));
    out.names.push_back(std::move(alias));
  } while (accept(TokenKind::Comma));
  if (parenthesized) PW_CHECK_OK(expect(TokenKind::RightParen));
  return add_statement(start, std::move(out));
}

}  // namespace pw::python
