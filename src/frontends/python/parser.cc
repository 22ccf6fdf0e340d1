// Method: tokens first, then one pass of recursive descent; the two places that need it try and go back.
// Errors are ranked as CPython's Parser/pegen_errors.c ranks them: inside tokens, then grammar, then what the
// tokens only show at their end.
#include "frontends/python/parser.h"

#include <algorithm>

#include "base/check.h"
#include "frontends/python/ast_fields.h"
#include "frontends/python/encoding.h"
#include "frontends/python/parser_state.h"
#include "frontends/python/unicode.h"

namespace pw::python {

void Parser::use_tokens(const std::vector<Token>& all) {
  tokens_.clear();
  tokens_.reserve(all.size());
  for (const Token token : all) {
    if (is_trivia(token.kind)) continue;
    tokens_.push_back(token);
    if (token.kind == TokenKind::Error || token.kind == TokenKind::EndMarker) break;
  }
  position_ = 0;
  farthest_ = 0;
}

const Token& Parser::peek(std::size_t ahead) {
  const std::size_t index = std::min(position_ + ahead, tokens_.size() - 1);
  farthest_ = std::max(farthest_, index);
  return tokens_[index];
}

bool Parser::at_word(std::string_view soft_keyword) {
  return at(TokenKind::Identifier) && text_of(peek()) == soft_keyword;
}

Token Parser::take() {
  const Token token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  const bool is_text = token.kind >= TokenKind::Identifier && token.kind != TokenKind::Error;
  if (is_text) last_end_ = token.end;
  return token;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

Result<Token> Parser::expect(TokenKind kind) {
  if (!at(kind)) return unexpected();
  return take();
}

std::string Parser::identifier(Token token) const {
  const std::string_view raw = text_of(token);
  const bool ascii =
      std::all_of(raw.begin(), raw.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii ? std::string(raw) : nfkc(raw);
}

Result<std::string> Parser::expect_identifier() {
  if (!at(TokenKind::Identifier)) return unexpected();
  return identifier(take());
}

std::string Parser::describe(Token token) const {
  switch (token.kind) {
    case TokenKind::EndMarker:
    case TokenKind::Error:
      return "the end of the file";
    case TokenKind::Newline:
      return "the end of the line";
    case TokenKind::Indent:
      return "the indentation";
    case TokenKind::Dedent:
      return "the end of the block";
    case TokenKind::String:
      return "the string";
    default: {
      const std::string_view text = text_of(token);
      return "'" + std::string(text.substr(0, 40)) + "'";
    }
  }
}

/// What is missing at the file's end is missed on its last line.
base::Span Parser::token_span(Token token) const {
  const std::uint32_t end = static_cast<std::uint32_t>(text_.size());
  if (token.begin < end || end == 0 || (text_[end - 1] != '\n' && text_[end - 1] != '\r')) {
    return {file_, token.begin, token.end};
  }
  const std::uint32_t newline = text_.ends_with("\r\n") ? 2 : 1;
  return {file_, end - newline, end - newline};
}

ArgumentsId Parser::add_arguments(Arguments arguments) {
  tree_.arguments.push_back(std::move(arguments));
  return ArgumentsId(tree_.arguments.size() - 1);
}

template <typename Id, typename Variant>
Result<Id> Parser::add_node(NodeTable<Id, Variant>& table, std::uint32_t begin, Variant node) {
  std::uint32_t height = 0;
  const auto below = [&](auto id) {
    if constexpr (std::is_same_v<decltype(id), ExprId>) {
      height = std::max(height, tree_.expressions.places[id.index()].height);
    } else if constexpr (std::is_same_v<decltype(id), StmtId>) {
      height = std::max(height, tree_.statements.places[id.index()].height);
    } else {
      height = std::max(height, tree_.patterns.places[id.index()].height);
    }
  };
  std::visit([&](const auto& each) { for_each_child(tree_, each, below); }, node);
  if (height >= kMaxTreeHeight) return engine_.report(Rule::PythonDepth, span_from(begin), kMaxTreeHeight);
  table.nodes.push_back(std::move(node));
  table.places.push_back({begin, std::max(begin, last_end_), height + 1});
  return Id(table.nodes.size() - 1);
}

template Result<ExprId> Parser::add_node(NodeTable<ExprId, Expression>&, std::uint32_t, Expression);
template Result<StmtId> Parser::add_node(NodeTable<StmtId, Statement>&, std::uint32_t, Statement);
template Result<PatternId> Parser::add_node(NodeTable<PatternId, Pattern>&, std::uint32_t, Pattern);

Failure Parser::unexpected() {
  const Token token = tokens_[farthest_];
  if (token.kind == TokenKind::Error) return lexical_failure();
  failed_at_indent_ = token.kind == TokenKind::Indent || token.kind == TokenKind::Dedent;
  if (token.kind == TokenKind::Indent) return engine_.report(Rule::PythonUnexpectedIndent, token_span(token));
  return engine_.report(Rule::PythonSyntax, token_span(token), describe(token));
}

Failure Parser::lexical_failure() {
  PW_CHECK(lexical_error_.has_value(), "no lexical error to report");
  const auto& [rule, span, arguments, inside_token, open_bracket] = *lexical_error_;
  if (arguments.empty()) return engine_.report(rule, span);
  if (arguments.size() == 1) return engine_.report(rule, span, arguments[0]);
  PW_CHECK(arguments.size() == 4, "a lexical error with an unforeseen number of arguments");
  return engine_.report(rule, span, arguments[0], arguments[1], arguments[2], arguments[3]);
}

Failure Parser::expected(std::string_view what) {
  if (at(TokenKind::Error)) return unexpected();
  return engine_.report(Rule::PythonExpected, token_span(peek()), what, describe(peek()));
}

Failure Parser::depth_failure() {
  return engine_.report(Rule::PythonDepth, token_span(peek()), kMaxParserDepth);
}

Parser::Mark Parser::mark() const {
  return {position_, last_end_, tree_.expressions.nodes.size(), tree_.arguments.size(), engine_.all().size()};
}

void Parser::go_back(const Mark& mark) {
  position_ = mark.position;
  last_end_ = mark.last_end;
  tree_.expressions.nodes.erase(
      tree_.expressions.nodes.begin() + static_cast<std::ptrdiff_t>(mark.expressions),
      tree_.expressions.nodes.end());
  tree_.expressions.places.resize(mark.expressions);
  tree_.arguments.resize(mark.arguments);
  engine_.truncate(mark.diagnostics);
}

Result<Tree> Parser::file(Lexed lexed) {
  use_tokens(lexed.tokens);
  tree_.tokens = std::move(lexed.tokens);
  lexical_error_ = std::move(lexed.error);
  const std::size_t before = engine_.all().size();
  auto body = statements(TokenKind::EndMarker);
  if (body) {
    tree_.module.body = std::move(*body);
    return std::move(tree_);
  }
  const bool reached = tokens_[farthest_].kind == TokenKind::Error;
  if (!lexical_error_ || (failed_at_indent_ && !reached)) return tl::unexpected(body.error());
  if (lexical_error_->inside_token || reached) {
    engine_.truncate(before);
    return lexical_failure();
  }
  // A bracket that never closes is the likelier cause of an error on a line behind it.
  const base::SourceFile& source = engine_.sources()[file_];
  const auto open = lexical_error_->open_bracket;
  if (open && source.line_of(tokens_[farthest_].begin) > source.line_of(*open)) {
    engine_.truncate(before);
    return engine_.report(Rule::PythonUnclosedBracket, base::Span{file_, *open, *open + 1}, text_[*open]);
  }
  return tl::unexpected(body.error());
}

Result<Tree> parse_file(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine) {
  PW_CHECK(&sources == &engine.sources(), "the engine speaks of other sources");
  PW_CHECK_OK(check_encoding(file, engine));
  return Parser(file, engine).file(tokenize(file, sources));
}

}  // namespace pw::python
