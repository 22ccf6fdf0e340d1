// The parameters of functions and lambdas.
#include "frontends/python/parser_state.h"

namespace pw::python {

using base::Done;

struct ParameterState {
  bool slash = false;
  bool star = false;
  bool bare_star = false;  // a star that still needs a named parameter behind it
  std::uint32_t star_begin = 0;
};

Result<Arg> Parser::parameter_name(bool annotated, bool starred) {
  const std::uint32_t start = begin();
  Arg out;
  PW_TRY(out.arg, expect_identifier());
  if (annotated && accept(TokenKind::Colon)) {
    PW_TRY(out.annotation, starred ? star_expression() : expression());
  }
  out.span = span_from(start);
  return out;
}

/// One parameter, slash or star, without the comma behind it.
Result<Done> Parser::parameter(Arguments& out, bool annotated, ParameterState& state) {
  const Token here = peek();
  const auto wrong = [&](std::string_view why) {
    return engine_.report(Rule::PythonParameters, token_span(here), why);
  };
  if (out.kwarg) return wrong("nothing may follow the '**' parameter");
  if (accept(TokenKind::Slash)) {
    if (state.slash) return wrong("'/' appears twice");
    if (state.star) return wrong("'/' must be ahead of '*'");
    if (out.args.empty()) return wrong("'/' needs a parameter before it");
    state.slash = true;
    out.posonlyargs = std::move(out.args);
    out.args.clear();
    return Done{};
  }
  if (accept(TokenKind::DoubleStar)) {
    if (state.bare_star) return wrong("a named parameter must follow the bare '*'");
    PW_TRY(out.kwarg, parameter_name(annotated, false));
    if (at(TokenKind::Equal)) return wrong("a '**' parameter has no default");
    return Done{};
  }
  if (accept(TokenKind::Star)) {
    if (state.star) return wrong("'*' appears twice");
    state.star = true;
    state.star_begin = here.begin;
    state.bare_star = !at(TokenKind::Identifier);
    if (state.bare_star) return Done{};
    PW_TRY(out.vararg, parameter_name(annotated, true));
    if (at(TokenKind::Equal)) return wrong("a '*' parameter has no default");
    return Done{};
  }
  if (at(TokenKind::LeftParen)) return wrong("a parameter cannot be parenthesized");
  PW_TRY(Arg arg, parameter_name(annotated, false));
  ExprId default_value;
  if (accept(TokenKind::Equal)) {
    if (at(TokenKind::Comma) || at(TokenKind::RightParen)) return expected("a default value");
    PW_TRY(default_value, expression());
  }
  state.bare_star = false;
  if (state.star) {
    out.kwonlyargs.push_back(std::move(arg));
    out.kw_defaults.push_back(default_value);
    return Done{};
  }
  if (default_value.valid()) {
    out.defaults.push_back(default_value);
  } else if (!out.defaults.empty()) {
    return wrong("a parameter without a default follows one with");
  }
  out.args.push_back(std::move(arg));
  return Done{};
}

Result<Arguments> Parser::parameters(TokenKind closing, bool annotated) {
  Arguments out;
  ParameterState state;
  while (!at(closing)) {
    PW_CHECK_OK(parameter(out, annotated, state));
    if (!accept(TokenKind::Comma)) break;
    if (state.bare_star && at(closing)) break;
  }
  if (state.bare_star) {
    return engine_.report(Rule::PythonParameters, base::Span{file_, state.star_begin, state.star_begin + 1},
                          "a named parameter must follow the bare '*'");
  }
  return out;
}

}  // namespace pw::python
