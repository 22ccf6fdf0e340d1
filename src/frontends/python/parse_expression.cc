// Operators, from the loosest to the tightest.
#include "frontends/python/parser_state.h"

namespace pw::python {

namespace {

struct BinaryRow {
  TokenKind token;
  int precedence;
  Operator op;
};
constexpr BinaryRow kBinary[] = {
    {TokenKind::VerticalBar, 0, Operator::BitOr}, {TokenKind::Caret, 1, Operator::BitXor},
    {TokenKind::Ampersand, 2, Operator::BitAnd},  {TokenKind::LeftShift, 3, Operator::LShift},
    {TokenKind::RightShift, 3, Operator::RShift}, {TokenKind::Plus, 4, Operator::Add},
    {TokenKind::Minus, 4, Operator::Sub},         {TokenKind::Star, 5, Operator::Mult},
    {TokenKind::Slash, 5, Operator::Div},         {TokenKind::DoubleSlash, 5, Operator::FloorDiv},
    {TokenKind::Percent, 5, Operator::Mod},       {TokenKind::At, 5, Operator::MatMult},
};

const BinaryRow* binary_row(TokenKind kind) {
  for (const BinaryRow& row : kBinary) {
    if (row.token == kind) return &row;
  }
  return nullptr;
}

struct CompareRow {
  TokenKind token;
  CompareOperator op;
};
constexpr CompareRow kCompare[] = {
    {TokenKind::EqualEqual, CompareOperator::Eq}, {TokenKind::NotEqual, CompareOperator::NotEq},
    {TokenKind::Less, CompareOperator::Lt},       {TokenKind::LessEqual, CompareOperator::LtE},
    {TokenKind::Greater, CompareOperator::Gt},    {TokenKind::GreaterEqual, CompareOperator::GtE},
    {TokenKind::KeywordIn, CompareOperator::In},
};

}  // namespace

bool Parser::starts_expression(TokenKind kind) const {
  switch (kind) {
    case TokenKind::Identifier:
    case TokenKind::Number:
    case TokenKind::String:
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Tilde:
    case TokenKind::Star:
    case TokenKind::Ellipsis:
    case TokenKind::KeywordFalse:
    case TokenKind::KeywordNone:
    case TokenKind::KeywordTrue:
    case TokenKind::KeywordNot:
    case TokenKind::KeywordLambda:
    case TokenKind::KeywordAwait:
      return true;
    default:
      return false;
  }
}

Result<ExprId> Parser::star_expressions() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId first, star_expression());
  if (!at(TokenKind::Comma)) return first;
  std::vector<ExprId> elements = {first};
  while (accept(TokenKind::Comma)) {
    if (!starts_expression(peek().kind)) break;
    PW_TRY(ExprId element, star_expression());
    elements.push_back(element);
  }
  return add(start, Tuple{std::move(elements), ExprContext::Load});
}

Result<ExprId> Parser::star_expression() {
  const std::uint32_t start = begin();
  if (!accept(TokenKind::Star)) return expression();
  PW_TRY(ExprId value, bitwise_or());
  return add(start, Starred{value, ExprContext::Load});
}

Result<ExprId> Parser::star_named_expression() {
  const std::uint32_t start = begin();
  if (!accept(TokenKind::Star)) return named_expression();
  PW_TRY(ExprId value, bitwise_or());
  return add(start, Starred{value, ExprContext::Load});
}

Result<ExprId> Parser::named_expression() {
  const std::uint32_t start = begin();
  if (at_walrus()) {
    const Token name = take();
    PW_TRY(ExprId target, add(start, Name{identifier(name), ExprContext::Store}));
    take();
    PW_TRY(ExprId value, expression());
    return add(start, NamedExpr{target, value});
  }
  PW_TRY(ExprId out, expression());
  if (at(TokenKind::ColonEqual)) {
    return engine_.report(Rule::PythonTarget, span_of(out), "use an assignment expression with",
                          describe_expression(out));
  }
  return out;
}

Result<ExprId> Parser::expression() {
  const Nested nested(*this);
  if (nested.too_deep()) return depth_failure();
  struct Branch {
    std::uint32_t begin;
    ExprId body, test;
  };
  std::vector<Branch> branches;  // a chain of conditional expressions nests to the right
  ExprId last;
  while (true) {
    const std::uint32_t start = begin();
    if (at(TokenKind::KeywordLambda)) {
      PW_TRY(last, lambda());
      break;
    }
    PW_TRY(last, disjunction());
    if (!accept(TokenKind::KeywordIf)) break;
    PW_TRY(ExprId test, disjunction());
    if (!accept(TokenKind::KeywordElse)) {
      if (at(TokenKind::Colon)) return unexpected();
      return engine_.report(Rule::PythonExpected, span_of(last),
                            "'else' after the condition of a conditional expression", describe(peek()));
    }
    branches.push_back({start, last, test});
  }
  for (std::size_t i = branches.size(); i-- > 0;) {
    PW_TRY(last, add(branches[i].begin, IfExp{branches[i].test, branches[i].body, last}));
  }
  return last;
}

Result<ExprId> Parser::lambda() {
  const std::uint32_t start = take().begin;
  PW_TRY(Arguments arguments, parameters(TokenKind::Colon, false));
  PW_CHECK_OK(expect(TokenKind::Colon));
  const ArgumentsId id = add_arguments(std::move(arguments));
  PW_TRY(ExprId body, expression());
  return add(start, Lambda{id, body});
}

Result<ExprId> Parser::disjunction() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId first, conjunction());
  if (!at(TokenKind::KeywordOr)) return first;
  std::vector<ExprId> values = {first};
  while (accept(TokenKind::KeywordOr)) {
    PW_TRY(ExprId value, conjunction());
    values.push_back(value);
  }
  return add(start, BoolOp{BoolOperator::Or, std::move(values)});
}

Result<ExprId> Parser::conjunction() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId first, inversion());
  if (!at(TokenKind::KeywordAnd)) return first;
  std::vector<ExprId> values = {first};
  while (accept(TokenKind::KeywordAnd)) {
    PW_TRY(ExprId value, inversion());
    values.push_back(value);
  }
  return add(start, BoolOp{BoolOperator::And, std::move(values)});
}

Result<ExprId> Parser::inversion() {
  std::vector<std::uint32_t> starts;
  while (at(TokenKind::KeywordNot)) starts.push_back(take().begin);
  PW_TRY(ExprId out, comparison());
  for (std::size_t i = starts.size(); i-- > 0;) {
    PW_TRY(out, add(starts[i], UnaryOp{UnaryOperator::Not, out}));
  }
  return out;
}

std::optional<CompareOperator> Parser::accept_comparison() {
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::KeywordIs) {
    take();
    return accept(TokenKind::KeywordNot) ? CompareOperator::IsNot : CompareOperator::Is;
  }
  if (kind == TokenKind::KeywordNot && next_at(TokenKind::KeywordIn)) {
    take();
    take();
    return CompareOperator::NotIn;
  }
  for (const CompareRow& row : kCompare) {
    if (row.token != kind) continue;
    take();
    return row.op;
  }
  return std::nullopt;
}

Result<ExprId> Parser::comparison() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId left, bitwise_or());
  Compare out{left, {}, {}};
  while (const std::optional<CompareOperator> op = accept_comparison()) {
    PW_TRY(ExprId right, bitwise_or());
    out.ops.push_back(*op);
    out.comparators.push_back(right);
  }
  if (out.ops.empty()) return left;
  return add(start, std::move(out));
}

Result<ExprId> Parser::binary(int least_precedence) {
  const std::uint32_t start = begin();
  PW_TRY(ExprId left, factor());
  while (true) {
    const BinaryRow* row = binary_row(peek().kind);
    if (row == nullptr || row->precedence < least_precedence) return left;
    take();
    PW_TRY(ExprId right, binary(row->precedence + 1));
    PW_TRY(left, add(start, BinOp{left, row->op, right}));
  }
}

Result<ExprId> Parser::factor() {
  struct Sign {
    std::uint32_t begin;
    UnaryOperator op;
  };
  std::vector<Sign> signs;
  while (at(TokenKind::Plus) || at(TokenKind::Minus) || at(TokenKind::Tilde)) {
    const Token sign = take();
    const UnaryOperator op = sign.kind == TokenKind::Plus    ? UnaryOperator::UAdd
                             : sign.kind == TokenKind::Minus ? UnaryOperator::USub
                                                             : UnaryOperator::Invert;
    signs.push_back({sign.begin, op});
  }
  PW_TRY(ExprId out, power());
  for (std::size_t i = signs.size(); i-- > 0;) {
    PW_TRY(out, add(signs[i].begin, UnaryOp{signs[i].op, out}));
  }
  return out;
}

Result<ExprId> Parser::power() {
  const std::uint32_t start = begin();
  const bool awaited = accept(TokenKind::KeywordAwait);
  PW_TRY(ExprId base, primary());
  if (awaited) {
    PW_TRY(base, add(start, Await{base}));
  }
  if (!accept(TokenKind::DoubleStar)) return base;
  const Nested nested(*this);
  if (nested.too_deep()) return depth_failure();
  PW_TRY(ExprId exponent, factor());
  return add(start, BinOp{base, Operator::Pow, exponent});
}

Result<ExprId> Parser::primary() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId out, atom());
  while (true) {
    if (accept(TokenKind::Dot)) {
      PW_TRY(std::string name, expect_identifier());
      PW_TRY(out, add(start, Attribute{out, std::move(name), ExprContext::Load}));
    } else if (at(TokenKind::LeftParen)) {
      PW_TRY(out, call(start, out));
    } else if (at(TokenKind::LeftBracket)) {
      PW_TRY(out, subscript(start, out));
    } else {
      return out;
    }
  }
}

Result<ExprId> Parser::yield_expression() {
  const std::uint32_t start = take().begin;
  if (accept(TokenKind::KeywordFrom)) {
    PW_TRY(ExprId value, expression());
    return add(start, YieldFrom{value});
  }
  if (!starts_expression(peek().kind)) return add(start, Yield{});
  PW_TRY(ExprId value, star_expressions());
  return add(start, Yield{value});
}

}  // namespace pw::python
