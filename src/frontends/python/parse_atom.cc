// Literals, displays, comprehensions, calls and subscripts.
#include "frontends/python/number_scan.h"
#include "frontends/python/parser_state.h"

namespace pw::python {

namespace {

bool starts_with_soft_keyword(std::string_view text) {
  for (const std::string_view word : {"match", "case", "_"}) {
    const bool starts = text.substr(0, word.size()) == word;
    const char after = text.size() > word.size() ? text[word.size()] : ' ';
    const bool goes_on = after == '_' || static_cast<unsigned char>(after) >= 0x80 ||
                         (after >= '0' && after <= '9') || (after >= 'a' && after <= 'z') ||
                         (after >= 'A' && after <= 'Z');
    if (starts && !goes_on) return true;
  }
  return false;
}

}  // namespace

Result<ExprId> Parser::constant(ConstantValue value) {
  const std::uint32_t start = take().begin;
  return add(start, Constant{std::move(value)});
}

Result<ExprId> Parser::number() {
  std::optional<ConstantValue> value = number_value(text_of(peek()));
  if (!value) return engine_.report(Rule::PythonIntegerSize, token_span(peek()), kMaxIntegerDigits);
  return constant(std::move(*value));
}

Result<ExprId> Parser::atom() {
  switch (peek().kind) {
    case TokenKind::Identifier: {
      const Token name = take();
      return add(name.begin, Name{identifier(name), ExprContext::Load});
    }
    case TokenKind::Number:
      return number();
    case TokenKind::String:
      return strings();
    case TokenKind::KeywordNone:
      return constant(NoneValue{});
    case TokenKind::KeywordTrue:
      return constant(true);
    case TokenKind::KeywordFalse:
      return constant(false);
    case TokenKind::Ellipsis:
      return constant(EllipsisValue{});
    case TokenKind::LeftParen:
      return parenthesized();
    case TokenKind::LeftBracket:
      return list_display();
    case TokenKind::LeftBrace:
      return brace_display();
    default:
      return unexpected();
  }
}

/// What is between brackets and neither closes nor continues. If it is an expression, a comma was forgotten
/// before it, but for words that CPython suspects of being a misspelt string prefix or statement.
Failure Parser::element_failure(TokenKind closing, ExprId last) {
  const std::string_view first_word =
      text_.substr(span_of(last).begin, span_of(last).end - span_of(last).begin);
  const bool name = tree_.get_if<Name>(last) != nullptr;
  const bool suspect = (name && (at(TokenKind::String) || first_word == "print" || first_word == "exec")) ||
                       starts_with_soft_keyword(first_word);
  const Token next = peek();
  if (!suspect && starts_expression(next.kind) && next.kind != TokenKind::Star) {
    const Mark before = mark();
    const bool good = expression().has_value();
    go_back(before);
    if (good) {
      return engine_.report(Rule::PythonExpected, span_of(last),
                            "',' or '" + std::string(spelling(closing)) + "' after this", describe(next));
    }
  }
  return unexpected();
}

Result<ExprId> Parser::parenthesized() {
  const std::uint32_t start = take().begin;
  if (accept(TokenKind::RightParen)) return add(start, Tuple{{}, ExprContext::Load});
  if (at(TokenKind::KeywordYield)) {
    PW_TRY(ExprId inner, yield_expression());
    PW_CHECK_OK(expect(TokenKind::RightParen));
    return inner;
  }
  PW_TRY(ExprId first, star_named_expression());
  if (at_comprehension()) {
    PW_TRY(auto generators, comprehensions());
    if (tree_.get_if<Starred>(first) != nullptr) {
      return engine_.report(Rule::PythonStarred, span_of(first),
                            "iterable unpacking cannot be used in a comprehension");
    }
    PW_CHECK_OK(expect(TokenKind::RightParen));
    return add(start, GeneratorExp{first, std::move(generators)});
  }
  if (at(TokenKind::Comma)) {
    PW_TRY(auto elements, more_elements(first, TokenKind::RightParen));
    return add(start, Tuple{std::move(elements), ExprContext::Load});
  }
  if (!at(TokenKind::RightParen)) return element_failure(TokenKind::RightParen, first);
  if (tree_.get_if<Starred>(first) != nullptr) {
    return engine_.report(Rule::PythonStarred, span_of(first),
                          "a starred expression stands alone in parentheses");
  }
  take();
  return first;
}

/// An f-string's expression reads as if parentheses stood around it.
Result<ExprId> Parser::bracketed_fragment() {
  const std::uint32_t start = begin();
  ExprId out;
  if (at(TokenKind::KeywordYield)) {
    PW_TRY(out, yield_expression());
  } else {
    PW_TRY(out, star_named_expression());
    if (at_comprehension()) {
      PW_TRY(auto generators, comprehensions());
      PW_TRY(out, add(start, GeneratorExp{out, std::move(generators)}));
    } else if (at(TokenKind::Comma)) {
      std::vector<ExprId> elements = {out};
      while (accept(TokenKind::Comma) && !at(TokenKind::EndMarker)) {
        PW_TRY(ExprId element, star_named_expression());
        elements.push_back(element);
      }
      PW_TRY(out, add(start, Tuple{std::move(elements), ExprContext::Load}));
    } else if (tree_.get_if<Starred>(out) != nullptr) {
      return engine_.report(Rule::PythonStarred, span_of(out),
                            "a starred expression stands alone in an f-string");
    }
  }
  if (!at(TokenKind::EndMarker)) return unexpected();
  return out;
}

/// The elements after `first`, which a comma follows, up to and with the closing bracket.
Result<std::vector<ExprId>> Parser::more_elements(ExprId first, TokenKind closing) {
  std::vector<ExprId> elements = {first};
  while (accept(TokenKind::Comma)) {
    if (at(closing)) break;
    PW_TRY(ExprId element, star_named_expression());
    if (at_comprehension()) return unexpected();
    elements.push_back(element);
  }
  if (!accept(closing)) return element_failure(closing, elements.back());
  return elements;
}

Result<ExprId> Parser::list_display() {
  const std::uint32_t start = take().begin;
  if (accept(TokenKind::RightBracket)) return add(start, List{{}, ExprContext::Load});
  PW_TRY(ExprId first, star_named_expression());
  if (at_comprehension()) {
    if (tree_.get_if<Starred>(first) != nullptr) {
      return engine_.report(Rule::PythonStarred, span_of(first),
                            "iterable unpacking cannot be used in a comprehension");
    }
    PW_TRY(auto generators, comprehensions());
    PW_CHECK_OK(expect(TokenKind::RightBracket));
    return add(start, ListComp{first, std::move(generators)});
  }
  PW_TRY(auto elements, more_elements(first, TokenKind::RightBracket));
  return add(start, List{std::move(elements), ExprContext::Load});
}

Result<ExprId> Parser::brace_display() {
  const std::uint32_t start = take().begin;
  if (accept(TokenKind::RightBrace)) return add(start, Dict{});
  if (at(TokenKind::DoubleStar)) return dict_display(start, Dict{});
  const bool walrus = at_walrus();
  PW_TRY(ExprId first, star_named_expression());
  const bool starred = tree_.get_if<Starred>(first) != nullptr;
  if (at(TokenKind::Colon) && !starred && !walrus) {
    PW_TRY(ExprId value, dict_value());
    if (!at_comprehension()) return dict_display(start, Dict{{first}, {value}});
    PW_TRY(auto generators, comprehensions());
    PW_CHECK_OK(expect(TokenKind::RightBrace));
    return add(start, DictComp{first, value, std::move(generators)});
  }
  if (at_comprehension()) {
    if (starred) {
      return engine_.report(Rule::PythonStarred, span_of(first),
                            "iterable unpacking cannot be used in a comprehension");
    }
    PW_TRY(auto generators, comprehensions());
    PW_CHECK_OK(expect(TokenKind::RightBrace));
    return add(start, SetComp{first, std::move(generators)});
  }
  PW_TRY(auto elements, more_elements(first, TokenKind::RightBrace));
  return add(start, Set{std::move(elements)});
}

/// The colon and value behind a dictionary's key.
Result<ExprId> Parser::dict_value() {
  take();
  if (at(TokenKind::RightBrace) || at(TokenKind::Comma))
    return expected("a value after the dictionary key and ':'");
  return expression();
}

/// The rest of a dictionary after `dict`'s items: from a comma or its end, or from its first item if it has
/// none.
Result<ExprId> Parser::dict_display(std::uint32_t start, Dict dict) {
  while (true) {
    if (!dict.values.empty()) {
      if (accept(TokenKind::RightBrace)) break;
      if (!at(TokenKind::Comma)) return element_failure(TokenKind::RightBrace, dict.values.back());
      take();
      if (accept(TokenKind::RightBrace)) break;
    }
    if (accept(TokenKind::DoubleStar)) {
      PW_TRY(ExprId mapping, bitwise_or());
      if (at_comprehension()) {
        return engine_.report(Rule::PythonStarred, span_of(mapping),
                              "dict unpacking cannot be used in a comprehension");
      }
      dict.keys.emplace_back();
      dict.values.push_back(mapping);
      continue;
    }
    PW_TRY(ExprId key, expression());
    if (!at(TokenKind::Colon)) {
      if (at(TokenKind::Comma) || at(TokenKind::RightBrace)) return expected("':' after the dictionary key");
      return element_failure(TokenKind::RightBrace, key);
    }
    PW_TRY(ExprId value, dict_value());
    dict.keys.push_back(key);
    dict.values.push_back(value);
  }
  return add(start, std::move(dict));
}

Result<std::vector<Comprehension>> Parser::comprehensions() {
  std::vector<Comprehension> out;
  while (at_comprehension()) {
    Comprehension clause;
    clause.is_async = accept(TokenKind::KeywordAsync);
    PW_CHECK_OK(expect(TokenKind::KeywordFor));
    PW_TRY(clause.target, star_targets());
    PW_CHECK_OK(expect(TokenKind::KeywordIn));
    PW_TRY(clause.iter, disjunction());
    while (accept(TokenKind::KeywordIf)) {
      PW_TRY(ExprId condition, disjunction());
      clause.ifs.push_back(condition);
    }
    out.push_back(std::move(clause));
  }
  return out;
}

}  // namespace pw::python
