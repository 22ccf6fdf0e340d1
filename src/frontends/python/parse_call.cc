// What follows a primary: arguments and subscripts.
#include <algorithm>

#include "frontends/python/parser_state.h"

namespace pw::python {

using base::Done;

Result<ExprId> Parser::call(std::uint32_t start, ExprId function) {
  const std::uint32_t open = begin();
  Call out{function, {}, {}};
  take();
  PW_CHECK_OK(call_arguments(out.args, out.keywords));
  if (at_comprehension() && !out.args.empty()) {
    PW_TRY(auto generators, comprehensions());
    const ExprId element = out.args.back();
    const bool alone = out.args.size() == 1 && out.keywords.empty() && at(TokenKind::RightParen);
    if (!alone || tree_.get_if<Starred>(element) != nullptr) {
      return engine_.report(Rule::PythonStarred, span_of(element),
                            "a generator expression here needs its own parentheses");
    }
    take();
    // The parentheses of the call are those of the generator expression.
    PW_TRY(out.args[0], add(open, GeneratorExp{element, std::move(generators)}));
    return add(start, std::move(out));
  }
  PW_CHECK_OK(close_arguments(out.args, out.keywords));
  return add(start, std::move(out));
}

Result<Done> Parser::close_arguments(const std::vector<ExprId>& args, const std::vector<Keyword>& keywords) {
  if (accept(TokenKind::RightParen)) return Done{};
  ExprId last = args.empty() ? ExprId() : args.back();
  if (!keywords.empty() && (!last.valid() || span_of(last).begin < keywords.back().span.begin)) {
    last = keywords.back().value;
  }
  if (last.valid()) return element_failure(TokenKind::RightParen, last);
  return unexpected();
}

/// Arguments up to the closing parenthesis or the `for` of a generator expression, neither taken.
Result<Done> Parser::call_arguments(std::vector<ExprId>& args, std::vector<Keyword>& keywords) {
  while (!at(TokenKind::RightParen)) {
    const std::uint32_t start = begin();
    if (accept(TokenKind::DoubleStar)) {
      PW_TRY(ExprId value, expression());
      keywords.push_back({std::nullopt, value, span_from(start)});
    } else if (at(TokenKind::Identifier) && next_at(TokenKind::Equal)) {
      std::string name = identifier(take());
      take();
      if (at(TokenKind::Comma) || at(TokenKind::RightParen)) return expected("a value after '='");
      PW_TRY(ExprId value, expression());
      keywords.push_back({std::move(name), value, span_from(start)});
    } else {
      PW_CHECK_OK(positional_argument(args, keywords));
    }
    if (!accept(TokenKind::Comma)) break;
  }
  return Done{};
}

Result<Done> Parser::positional_argument(std::vector<ExprId>& args, const std::vector<Keyword>& keywords) {
  const std::uint32_t start = begin();
  const bool after_unpacking =
      std::any_of(keywords.begin(), keywords.end(), [](const Keyword& keyword) { return !keyword.arg; });
  ExprId argument;
  if (accept(TokenKind::Star)) {
    PW_TRY(ExprId value, expression());
    PW_TRY(argument, add(start, Starred{value, ExprContext::Load}));
    if (after_unpacking) {
      return engine_.report(Rule::PythonArgumentOrder, span_from(start), "iterable unpacking",
                            "'**' unpacking");
    }
  } else {
    PW_TRY(argument, named_expression());
    if (at(TokenKind::Equal)) {
      return engine_.report(Rule::PythonTarget, span_of(argument), "pass a keyword argument named by",
                            describe_expression(argument));
    }
    if (!keywords.empty()) {
      return engine_.report(Rule::PythonArgumentOrder, span_of(argument), "a positional argument",
                            after_unpacking ? "'**' unpacking" : "a keyword argument");
    }
  }
  args.push_back(argument);
  return Done{};
}

Result<ExprId> Parser::subscript(std::uint32_t start, ExprId value) {
  take();
  const std::uint32_t inside = begin();
  PW_TRY(ExprId index, slice());
  if (at(TokenKind::Comma) || tree_.get_if<Starred>(index) != nullptr) {
    std::vector<ExprId> elements = {index};
    while (accept(TokenKind::Comma)) {
      if (at(TokenKind::RightBracket)) break;
      PW_TRY(ExprId element, slice());
      elements.push_back(element);
    }
    PW_TRY(index, add(inside, Tuple{std::move(elements), ExprContext::Load}));
  }
  if (!accept(TokenKind::RightBracket)) return element_failure(TokenKind::RightBracket, index);
  return add(start, Subscript{value, index, ExprContext::Load});
}

Result<ExprId> Parser::slice() {
  const std::uint32_t start = begin();
  if (accept(TokenKind::Star)) {
    PW_TRY(ExprId value, expression());
    return add(start, Starred{value, ExprContext::Load});
  }
  const auto at_end = [this] {
    return at(TokenKind::Colon) || at(TokenKind::Comma) || at(TokenKind::RightBracket);
  };
  Slice out;
  if (!at(TokenKind::Colon)) {
    const bool walrus = at_walrus();
    PW_TRY(out.lower, named_expression());
    if (!at(TokenKind::Colon) || walrus) return out.lower;
  }
  take();
  if (!at_end()) {
    PW_TRY(out.upper, expression());
  }
  if (accept(TokenKind::Colon) && !at_end()) {
    PW_TRY(out.step, expression());
  }
  return add(start, out);
}

}  // namespace pw::python
