// The parser's cursor, names and expressions; private to the parser.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "ir/lexer.h"
#include "ir/module.h"

namespace pw::ir {

constexpr int kDeepest = 256;

class ParserState {
 public:
  ParserState(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine,
              base::FileId original)
      : engine_(engine), file_(file), original_(original), tokens_(lex(sources[file].text)) {}

 protected:
  using Entity = std::variant<LocalId, BufferId>;
  template <typename T>
  using Result = base::Result<T>;
  using Done = base::Done;
  using Failure = tl::unexpected<base::Reported>;

  // ---- cursor
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool is_mark(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::Mark && peek(ahead).text == text;
  }
  bool is_name(std::string_view text) const { return peek().kind == TokenKind::Name && peek().text == text; }
  bool take_mark(std::string_view text) { return is_mark(text) && (next(), true); }
  bool take_name(std::string_view text) { return is_name(text) && (next(), true); }
  Result<Done> expect(std::string_view mark);
  Result<std::string> expect_name(std::string_view what);
  base::Span here() const { return {file_, peek().begin, peek().end}; }
  Failure unexpected(std::string_view wanted);

  // ---- places
  /// The place of the line that begins here: its own mark, or its text.
  base::Span line_span() const;
  /// From token `first` to the one before the cursor, unless the line carries a place.
  base::Span since(std::size_t first) const;

  // ---- names
  Result<Done> declare(const std::string& name, Entity entity, base::Span span);
  const Entity* find(std::string_view name) const;
  void open_scope() { scopes_.emplace_back(); }
  void close_scope();

  // ---- extents and expressions
  Result<ExprId> expression();
  Result<std::vector<ExprId>> expressions(std::string_view close);
  Result<ExtentId> extent();
  Result<std::vector<ExtentId>> extents(std::string_view close);
  Result<Const> constant();
  Result<DType> dtype();

  diagnostics::Engine& engine_;
  base::FileId file_;
  base::FileId original_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  base::Span line_place_;  // of the current line, if it carries one
  bool has_line_place_ = false;
  Module module_;
  std::unordered_map<std::string, ExprId> shared_;  // $n

 private:
  /// An expression, or index arithmetic that is still open to be one.
  struct Value {
    ExtentId extent;
    ExprId expr;
    base::Span span;
  };
  struct Name {
    Entity entity;
    bool in_scope;
  };

  Result<Value> sum();
  Result<Value> product();
  Result<Value> unary();
  Result<Value> primary();
  Result<Value> call(std::size_t first);
  Result<Value> read(std::size_t first);
  Result<Const> number(bool negative);
  Result<Const> float_constant(std::string_view text, bool negative, DType type, base::Span span);
  Result<Value> combine(std::string_view op, const Value& a, const Value& b);
  Result<ExtentId> need_extent(const Value& value);
  ExprId finish(const Value& value);

  std::unordered_map<std::string, Name> names_;
  std::vector<std::vector<std::string>> scopes_ = {{}};
};

}  // namespace pw::ir
