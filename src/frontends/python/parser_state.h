// The recursive-descent parser of one file. Each function parses the rule of its name in
// https://docs.python.org/3.11/reference/grammar.html and leaves the next token behind it; chains are loops,
// nesting is counted.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"
#include "frontends/python/ast.h"
#include "frontends/python/lexer.h"

namespace pw::python {

/// Expressions and patterns inside one another, however they nest; more than CPython's brackets, less than
/// the stack holds.
inline constexpr int kMaxParserDepth = 250;
/// f-strings inside the expressions of f-strings; quotes alone allow four.
inline constexpr int kMaxFStringDepth = 8;

template <typename T>
using Result = base::Result<T>;
using Failure = tl::unexpected<base::Reported>;
using Rule = diagnostics::Rule;

class Parser {
 public:
  Parser(base::FileId file, diagnostics::Engine& engine)
      : file_(file), text_(engine.sources()[file].text), engine_(engine), tree_(file) {}

  Result<Tree> file(Lexed lexed);

 private:
  // parser.cc: tokens, nodes, failures
  void use_tokens(const std::vector<Token>& all);
  const Token& peek(std::size_t ahead = 0);
  bool at(TokenKind kind) { return peek().kind == kind; }
  bool next_at(TokenKind kind) { return peek(1).kind == kind; }
  bool at_walrus() { return at(TokenKind::Identifier) && next_at(TokenKind::ColonEqual); }
  bool at_word(std::string_view soft_keyword);
  Token take();
  bool accept(TokenKind kind);
  Result<Token> expect(TokenKind kind);
  std::string_view text_of(Token token) const { return text_.substr(token.begin, token.end - token.begin); }
  std::string describe(Token token) const;
  std::string identifier(Token token) const;
  Result<std::string> expect_identifier();
  std::uint32_t begin() { return peek().begin; }
  base::Span span_from(std::uint32_t begin) const { return {file_, begin, std::max(begin, last_end_)}; }
  base::Span token_span(Token token) const;
  base::Span span_of(ExprId id) const { return tree_.span(id); }

  template <typename Node>
  Result<ExprId> add(std::uint32_t begin, Node node) {
    return add_node<ExprId>(tree_.expressions, begin, Expression(std::move(node)));
  }
  template <typename Node>
  Result<StmtId> add_statement(std::uint32_t begin, Node node) {
    return add_node<StmtId>(tree_.statements, begin, Statement(std::move(node)));
  }
  template <typename Node>
  Result<PatternId> add_pattern(std::uint32_t begin, Node node) {
    return add_node<PatternId>(tree_.patterns, begin, Pattern(std::move(node)));
  }
  ArgumentsId add_arguments(Arguments arguments);
  template <typename Id, typename Variant>
  Result<Id> add_node(NodeTable<Id, Variant>& table, std::uint32_t begin, Variant node);

  /// "not expected here", at the farthest token that was looked at, which is where CPython says it.
  Failure unexpected();
  Failure expected(std::string_view what);
  Failure lexical_failure();
  Failure depth_failure();

  /// State to return to when a trial fails.
  struct Mark {
    std::size_t position;
    std::uint32_t last_end;
    std::size_t expressions, arguments, diagnostics;
  };
  Mark mark() const;
  void go_back(const Mark& mark);

  struct Nested {
    explicit Nested(Parser& nesting) : parser(nesting) { ++parser.depth_; }
    ~Nested() { --parser.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    bool too_deep() const { return parser.depth_ > kMaxParserDepth; }
    Parser& parser;
  };

  // parse_expression.cc
  Result<ExprId> star_expressions();
  Result<ExprId> star_expression();
  Result<ExprId> star_named_expression();
  Result<ExprId> named_expression();
  Result<ExprId> expression();
  Result<ExprId> lambda();
  Result<ExprId> disjunction();
  Result<ExprId> conjunction();
  Result<ExprId> inversion();
  Result<ExprId> comparison();
  Result<ExprId> bitwise_or() { return binary(0); }
  Result<ExprId> binary(int least_precedence);
  Result<ExprId> factor();
  Result<ExprId> power();
  Result<ExprId> primary();
  Result<ExprId> yield_expression();
  bool starts_expression(TokenKind kind) const;
  std::optional<CompareOperator> accept_comparison();

  // parse_atom.cc
  Result<ExprId> atom();
  Result<ExprId> constant(ConstantValue value);
  Result<ExprId> number();
  Result<ExprId> parenthesized();
  Result<ExprId> bracketed_fragment();
  Result<ExprId> list_display();
  Result<ExprId> brace_display();
  Result<ExprId> dict_display(std::uint32_t begin, Dict dict);
  Result<ExprId> dict_value();
  Result<std::vector<ExprId>> more_elements(ExprId first, TokenKind closing);
  bool at_comprehension() { return at(TokenKind::KeywordFor) || at(TokenKind::KeywordAsync); }
  Result<std::vector<Comprehension>> comprehensions();
  Failure element_failure(TokenKind closing, ExprId last);

  // parse_call.cc
  Result<ExprId> call(std::uint32_t begin, ExprId function);
  Result<base::Done> call_arguments(std::vector<ExprId>& args, std::vector<Keyword>& keywords);
  Result<base::Done> close_arguments(const std::vector<ExprId>& args, const std::vector<Keyword>& keywords);
  Result<base::Done> positional_argument(std::vector<ExprId>& args, const std::vector<Keyword>& keywords);
  Result<ExprId> subscript(std::uint32_t begin, ExprId value);
  Result<ExprId> slice();

  // parse_string.cc
  Result<ExprId> strings();
  friend class StringParser;

  // parse_parameters.cc
  Result<Arguments> parameters(TokenKind closing, bool annotated);
  Result<base::Done> parameter(Arguments& out, bool annotated, struct ParameterState& state);
  Result<Arg> parameter_name(bool annotated, bool starred);

  // parse_target.cc
  /// Turns a parsed expression into a target; a failure names what cannot be one.
  Result<base::Done> make_target(ExprId id, ExprContext context);
  Failure target_failure(ExprId id, ExprContext context);
  std::string describe_expression(ExprId id) const;
  Result<ExprId> star_targets();
  Result<ExprId> star_target();

  // parse_statement.cc
  Result<std::vector<StmtId>> statements(TokenKind end);
  Result<base::Done> statement(std::vector<StmtId>& out);
  Result<base::Done> simple_statements(std::vector<StmtId>& out);
  Result<StmtId> simple_statement();
  Result<StmtId> expression_statement();
  Result<StmtId> assignment(std::uint32_t begin, ExprId first);
  Result<StmtId> annotated_assignment(std::uint32_t begin, bool parenthesized, ExprId target);
  Result<StmtId> augmented_assignment(std::uint32_t begin, ExprId target, Operator op);
  Result<ExprId> assigned_value();
  Result<StmtId> return_statement();
  Result<StmtId> raise_statement();
  Result<StmtId> delete_statement();
  Result<StmtId> assert_statement();
  Result<std::vector<std::string>> name_list();
  Result<StmtId> import_name();
  Result<StmtId> import_from();
  Result<Alias> import_alias(bool dotted);
  Result<std::string> dotted_name();

  // parse_compound.cc
  Result<std::optional<StmtId>> compound_statement();
  Result<std::vector<StmtId>> block(std::string_view after);
  Result<std::vector<StmtId>> else_block(std::string_view after);
  Result<StmtId> if_statement();
  Result<StmtId> while_statement();
  Result<StmtId> for_statement(std::uint32_t begin, bool is_async);
  Result<StmtId> with_statement(std::uint32_t begin, bool is_async);
  Result<std::vector<WithItem>> parenthesized_with_items();
  Result<WithItem> with_item();
  Result<StmtId> try_statement();
  Result<ExceptHandler> except_handler(bool& star);
  Result<StmtId> async_statement();
  Result<StmtId> decorated();
  Result<StmtId> function_definition(std::uint32_t begin, bool is_async, std::vector<ExprId> decorators);
  Result<StmtId> class_definition(std::vector<ExprId> decorators);

  // parse_pattern.cc
  Result<std::optional<StmtId>> match_statement();
  Result<ExprId> match_subject();
  Result<MatchCase> match_case();
  Result<PatternId> case_patterns();
  Result<PatternId> maybe_star_pattern();
  Result<PatternId> pattern();
  Result<PatternId> or_pattern();
  Result<PatternId> closed_pattern();
  Result<PatternId> name_pattern();
  Result<PatternId> sequence_pattern(TokenKind closing);
  Result<PatternId> mapping_pattern();
  Result<PatternId> class_pattern(std::uint32_t begin, ExprId cls);
  Result<ExprId> signed_number();
  Result<ExprId> literal_expression();
  Result<ExprId> name_or_attribute();
  Result<std::string> capture_name();

  base::FileId file_;
  std::string_view text_;
  diagnostics::Engine& engine_;
  Tree tree_;
  std::vector<Token> tokens_;  // without trivia
  std::size_t position_ = 0;
  std::size_t farthest_ = 0;
  std::uint32_t last_end_ = 0;  // of the last token taken that is text
  int depth_ = 0;
  int fstring_depth_ = 0;
  bool failed_at_indent_ = false;
  std::optional<LexicalError> lexical_error_;
};

}  // namespace pw::python
