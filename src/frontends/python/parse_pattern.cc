// The match statement: `match` and `case` are names elsewhere, so its head is tried first.
#include "frontends/python/number_scan.h"
#include "frontends/python/parser_state.h"

namespace pw::python {

Result<ExprId> Parser::match_subject() {
  const std::uint32_t start = begin();
  PW_TRY(ExprId first, star_named_expression());
  if (!at(TokenKind::Comma)) {
    if (tree_.get_if<Starred>(first) != nullptr) return unexpected();
    return first;
  }
  std::vector<ExprId> elements = {first};
  while (accept(TokenKind::Comma)) {
    if (!starts_expression(peek().kind)) break;
    PW_TRY(ExprId element, star_named_expression());
    elements.push_back(element);
  }
  return add(start, Tuple{std::move(elements), ExprContext::Load});
}

/// nullopt: what stands here is not a match statement.
Result<std::optional<StmtId>> Parser::match_statement() {
  if (!at_word("match") || !starts_expression(peek(1).kind)) return std::optional<StmtId>();
  const Mark before = mark();
  const std::uint32_t start = take().begin;
  const Result<ExprId> subject = match_subject();
  if (!subject || !accept(TokenKind::Colon) || !accept(TokenKind::Newline)) {
    go_back(before);
    return std::optional<StmtId>();
  }
  if (!accept(TokenKind::Indent))
    return engine_.report(Rule::PythonExpectedBlock, token_span(peek()), "match");
  Match out{*subject, {}};
  while (at_word("case")) {
    PW_TRY(MatchCase each, match_case());
    out.cases.push_back(std::move(each));
  }
  if (out.cases.empty() || !accept(TokenKind::Dedent)) return unexpected();
  PW_TRY(StmtId id, add_statement(start, std::move(out)));
  return std::optional<StmtId>(id);
}

Result<MatchCase> Parser::match_case() {
  take();
  MatchCase out;
  PW_TRY(out.pattern, case_patterns());
  if (accept(TokenKind::KeywordIf)) {
    PW_TRY(out.guard, named_expression());
  }
  PW_TRY(out.body, block("case"));
  return out;
}

/// A pattern, or several with commas: a sequence without brackets.
Result<PatternId> Parser::case_patterns() {
  const std::uint32_t start = begin();
  PW_TRY(PatternId first, maybe_star_pattern());
  if (!at(TokenKind::Comma)) {
    if (tree_.get_if<MatchStar>(first) != nullptr) return unexpected();
    return first;
  }
  MatchSequence out{{first}};
  while (accept(TokenKind::Comma)) {
    if (at(TokenKind::Colon) || at(TokenKind::KeywordIf)) break;
    PW_TRY(PatternId next, maybe_star_pattern());
    out.patterns.push_back(next);
  }
  return add_pattern(start, std::move(out));
}

/// A name to bind, which "_" is not.
Result<std::string> Parser::capture_name() {
  if (at_word("_")) {
    return engine_.report(Rule::PythonTarget, token_span(peek()), "bind", "'_', which is the wildcard");
  }
  PW_TRY(std::string name, expect_identifier());
  if (at(TokenKind::Dot) || at(TokenKind::LeftParen) || at(TokenKind::Equal)) return unexpected();
  return name;
}

Result<PatternId> Parser::maybe_star_pattern() {
  const std::uint32_t start = begin();
  if (!accept(TokenKind::Star)) return pattern();
  MatchStar out;
  if (at_word("_")) {
    take();
  } else {
    PW_TRY(out.name, capture_name());
  }
  return add_pattern(start, std::move(out));
}

Result<PatternId> Parser::pattern() {
  const Nested nested(*this);
  if (nested.too_deep()) return depth_failure();
  const std::uint32_t start = begin();
  PW_TRY(PatternId inner, or_pattern());
  if (!accept(TokenKind::KeywordAs)) return inner;
  PW_TRY(std::string name, capture_name());
  return add_pattern(start, MatchAs{inner, std::move(name)});
}

Result<PatternId> Parser::or_pattern() {
  const std::uint32_t start = begin();
  PW_TRY(PatternId first, closed_pattern());
  if (!at(TokenKind::VerticalBar)) return first;
  MatchOr out{{first}};
  while (accept(TokenKind::VerticalBar)) {
    PW_TRY(PatternId next, closed_pattern());
    out.patterns.push_back(next);
  }
  return add_pattern(start, std::move(out));
}

Result<PatternId> Parser::closed_pattern() {
  const std::uint32_t start = begin();
  const auto singleton = [&](ConstantValue value) {
    take();
    return add_pattern(start, MatchSingleton{std::move(value)});
  };
  switch (peek().kind) {
    case TokenKind::KeywordNone:
      return singleton(NoneValue{});
    case TokenKind::KeywordTrue:
      return singleton(true);
    case TokenKind::KeywordFalse:
      return singleton(false);
    case TokenKind::Number:
    case TokenKind::Minus:
    case TokenKind::String: {
      PW_TRY(ExprId value, literal_expression());
      return add_pattern(start, MatchValue{value});
    }
    case TokenKind::Identifier:
      return name_pattern();
    case TokenKind::LeftParen:
      take();
      return sequence_pattern(TokenKind::RightParen);
    case TokenKind::LeftBracket:
      take();
      return sequence_pattern(TokenKind::RightBracket);
    case TokenKind::LeftBrace:
      return mapping_pattern();
    default:
      return unexpected();
  }
}

Result<PatternId> Parser::name_pattern() {
  const std::uint32_t start = begin();
  if (next_at(TokenKind::Dot) || next_at(TokenKind::LeftParen)) {
    PW_TRY(ExprId value, name_or_attribute());
    if (at(TokenKind::LeftParen)) return class_pattern(start, value);
    if (at(TokenKind::Equal)) return unexpected();
    return add_pattern(start, MatchValue{value});
  }
  if (at_word("_")) {
    take();
    return add_pattern(start, MatchAs{});
  }
  PW_TRY(std::string name, capture_name());
  return add_pattern(start, MatchAs{{}, std::move(name)});
}

Result<ExprId> Parser::name_or_attribute() {
  const Token name = take();
  PW_TRY(ExprId out, add(name.begin, Name{identifier(name), ExprContext::Load}));
  while (accept(TokenKind::Dot)) {
    PW_TRY(std::string attr, expect_identifier());
    PW_TRY(out, add(name.begin, Attribute{out, std::move(attr), ExprContext::Load}));
  }
  return out;
}

/// After the opening bracket. Parentheses around one pattern without a comma only group.
Result<PatternId> Parser::sequence_pattern(TokenKind closing) {
  const std::uint32_t start = tokens_[position_ - 1].begin;
  MatchSequence out;
  bool comma = false;
  while (!at(closing)) {
    PW_TRY(PatternId next, maybe_star_pattern());
    out.patterns.push_back(next);
    comma = accept(TokenKind::Comma);
    if (!comma) break;
  }
  const bool group = closing == TokenKind::RightParen && out.patterns.size() == 1 && !comma;
  PW_CHECK_OK(expect(closing));
  if (!group) return add_pattern(start, std::move(out));
  if (tree_.get_if<MatchStar>(out.patterns[0]) != nullptr) return unexpected();
  return out.patterns[0];
}

Result<PatternId> Parser::mapping_pattern() {
  const std::uint32_t start = take().begin;
  MatchMapping out;
  while (!at(TokenKind::RightBrace)) {
    if (out.rest) return unexpected();
    if (accept(TokenKind::DoubleStar)) {
      PW_TRY(out.rest, capture_name());
    } else {
      ExprId key;
      if (at(TokenKind::Identifier) && next_at(TokenKind::Dot)) {
        PW_TRY(key, name_or_attribute());
      } else {
        PW_TRY(key, literal_expression());
      }
      PW_CHECK_OK(expect(TokenKind::Colon));
      PW_TRY(PatternId value, pattern());
      out.keys.push_back(key);
      out.patterns.push_back(value);
    }
    if (!accept(TokenKind::Comma)) break;
  }
  PW_CHECK_OK(expect(TokenKind::RightBrace));
  return add_pattern(start, std::move(out));
}

Result<PatternId> Parser::class_pattern(std::uint32_t start, ExprId cls) {
  take();
  MatchClass out;
  out.cls = cls;
  while (!at(TokenKind::RightParen)) {
    const Token first = peek();
    if (at(TokenKind::Identifier) && next_at(TokenKind::Equal)) {
      out.kwd_attrs.push_back(identifier(take()));
      take();
      PW_TRY(PatternId value, pattern());
      out.kwd_patterns.push_back(value);
    } else {
      PW_TRY(PatternId value, pattern());
      if (!out.kwd_attrs.empty()) {
        return engine_.report(Rule::PythonArgumentOrder, token_span(first), "a positional pattern",
                              "a keyword pattern");
      }
      out.patterns.push_back(value);
    }
    if (!accept(TokenKind::Comma)) break;
  }
  PW_CHECK_OK(expect(TokenKind::RightParen));
  return add_pattern(start, std::move(out));
}

Result<ExprId> Parser::signed_number() {
  const std::uint32_t start = begin();
  const bool negative = accept(TokenKind::Minus);
  if (!at(TokenKind::Number)) return unexpected();
  PW_TRY(ExprId value, number());
  if (!negative) return value;
  return add(start, UnaryOp{UnaryOperator::USub, value});
}

/// A literal as a pattern or a mapping's key: constants, strings, signed and complex numbers.
Result<ExprId> Parser::literal_expression() {
  const std::uint32_t start = begin();
  switch (peek().kind) {
    case TokenKind::KeywordNone:
      return constant(NoneValue{});
    case TokenKind::KeywordTrue:
      return constant(true);
    case TokenKind::KeywordFalse:
      return constant(false);
    case TokenKind::String:
      return strings();
    case TokenKind::Number:
    case TokenKind::Minus:
      break;
    default:
      return unexpected();
  }
  const auto is_imaginary = [this](ExprId id) {
    const UnaryOp* negated = tree_.get_if<UnaryOp>(id);
    const Constant* value = tree_.get_if<Constant>(negated != nullptr ? negated->operand : id);
    return value != nullptr && std::holds_alternative<ImaginaryValue>(value->value);
  };
  PW_TRY(ExprId left, signed_number());
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus)) return left;
  if (is_imaginary(left)) {
    return engine_.report(Rule::PythonExpected, span_of(left), "a real number first in a complex literal",
                          describe(peek()));
  }
  const Operator op = take().kind == TokenKind::Plus ? Operator::Add : Operator::Sub;
  if (!at(TokenKind::Number)) return unexpected();
  PW_TRY(ExprId right, number());
  if (!is_imaginary(right)) {
    return engine_.report(Rule::PythonExpected, span_of(right),
                          "an imaginary number last in a complex literal", describe(peek()));
  }
  return add(start, BinOp{left, op, right});
}

}  // namespace pw::python
