#include "ir/parser.h"

#include <charconv>

#include "ir/parser_stmt.h"
#include "ir/printer.h"

namespace pw::ir {

namespace {

using base::Result;
using diagnostics::Rule;

class Parser : public StatementParser {
 public:
  using StatementParser::StatementParser;
  Result<Module> run();

 private:
  Result<Done> assumption();
  Result<Done> trap_row();
  Result<Done> config();
  Result<Done> table();
  Result<Done> function();
  Result<Done> parameters(Function& function);
  Result<Done> finish_parameter(const Parameter& parameter, std::size_t extents_at, std::size_t range_at);
  Result<std::string> string();
  void find_functions();
};

Result<std::string> Parser::string() {
  if (peek().kind != TokenKind::String) return unexpected("a string");
  const base::Span span = here();
  const std::string_view text = next().text;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char escaped = i + 1 < text.size() ? text[i + 1] : '\0';
    unsigned char byte = 0;
    if (escaped == '"' || escaped == '\\') {
      out += escaped;
      i += 1;
    } else if (escaped == 'x' && i + 3 < text.size() &&
               std::from_chars(&text[i + 2], &text[i + 2] + 2, byte, 16).ptr == &text[i + 2] + 2) {
      out += static_cast<char>(byte);
      i += 3;
    } else {
      return engine_.report(Rule::IrLiteral, span, "an escape other than \\\\, \\\" and \\xHH", "string");
    }
  }
  return out;
}

/// A call may name a function that stands later (the verifier refuses it), so ids are given first.
void Parser::find_functions() {
  bool starts_line = true;
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    const bool head = starts_line && tokens_[i].kind == TokenKind::Name && tokens_[i].text == "func" &&
                      tokens_[i + 1].kind == TokenKind::Function;
    if (head) functions_.try_emplace(std::string(tokens_[i + 1].text), functions_.size());
    starts_line = tokens_[i].kind == TokenKind::Newline;
  }
}

Result<Module> Parser::run() {
  find_functions();
  skip_newlines();
  while (peek().kind != TokenKind::End) {
    begin_line();
    if (take_name("assume")) {
      PW_CHECK_OK(assumption());
    } else if (take_name("trap")) {
      PW_CHECK_OK(trap_row());
    } else if (take_name("config")) {
      PW_CHECK_OK(config());
    } else if (take_name("table")) {
      PW_CHECK_OK(table());
    } else if (take_name("func")) {
      PW_CHECK_OK(function());
    } else {
      return unexpected("assume, trap, config, table or func");
    }
    PW_CHECK_OK(end_line());
  }
  return std::move(module_);
}

Result<base::Done> Parser::assumption() {
  PW_TRY(std::string text, string());
  module_.assumptions.push_back(std::move(text));
  return Done();
}

Result<base::Done> Parser::trap_row() {
  TrapRow row;
  row.span = line_place_;
  PW_TRY(const std::string kind, expect_name("the kind of a trap"));
  row.kind = trap_kind(kind);
  if (row.kind == TrapKind::Raised) row.exception = kind;
  PW_TRY(row.message, string());
  module_.add(std::move(row));
  return Done();
}

Result<base::Done> Parser::config() {
  const base::Span span = here();
  PW_TRY(Local local, typed_local(LocalKind::Config));
  PW_CHECK_OK(expect("="));
  const base::Span value_span = here();
  PW_TRY(local.config, constant());
  if (local.config.type != local.type) {
    return engine_.report(Rule::IrLiteral, value_span, print(local.config), row(local.type).text);
  }
  PW_CHECK_OK(define(std::move(local), span));
  return Done();
}

Result<base::Done> Parser::table() {
  const base::Span span = here();
  PW_TRY(Buffer buffer, buffer_head(BufferKind::Table));
  PW_CHECK_OK(expect("["));
  PW_TRY(buffer.extents, extents("]"));
  buffer.invented = take_name("invented");
  PW_CHECK_OK(expect("="));
  PW_CHECK_OK(expect("{"));
  while (!take_mark("}")) {
    if (!buffer.table.empty()) PW_CHECK_OK(expect(","));
    const base::Span value_span = here();
    PW_TRY(const Const element, constant());
    if (element.type != buffer.type) {
      return engine_.report(Rule::IrLiteral, value_span, print(element), row(buffer.type).text);
    }
    buffer.table.push_back(element);
  }
  const std::string name = buffer.name;
  PW_CHECK_OK(declare(name, module_.add(std::move(buffer)), span));
  return Done();
}

Result<base::Done> Parser::function() {
  Function function;
  function.span = line_place_;
  const base::Span name_span = here();
  if (peek().kind != TokenKind::Function) return unexpected("@name");
  function.name = std::string(next().text);
  if (functions_.at(function.name) != FunctionId(module_.functions.size())) {
    return engine_.report(Rule::IrDuplicateName, name_span, "@" + function.name);
  }
  open_scope();
  shared_.clear();
  PW_CHECK_OK(parameters(function));
  if (take_mark("->")) {
    PW_CHECK_OK(expect("("));
    while (!take_mark(")")) {
      if (!function.results.empty()) PW_CHECK_OK(expect(","));
      PW_TRY(const DType type, dtype());
      function.results.push_back(type);
    }
  }
  if (take_name("promoted")) {
    const Token& count = peek();
    const auto [end, error] =
        std::from_chars(count.text.data(), count.text.data() + count.text.size(), function.promoted);
    if (count.kind != TokenKind::Integer || error != std::errc()) return unexpected("a number");
    next();
  }
  if (take_name("routine")) {
    const auto which = routine_from_text(peek().text);
    if (!which) return unexpected("a routine");
    next();
    function.routine = *which;
  }
  PW_TRY(function.body, block(false, nullptr));
  close_scope();
  module_.add(std::move(function));
  return Done();
}

/// Names first, then extents and ranges: an extent may read a parameter that stands later.
Result<base::Done> Parser::parameters(Function& function) {
  PW_CHECK_OK(expect("("));
  struct Pending {
    Parameter parameter;
    std::size_t extents_at = 0;
    std::size_t range_at = 0;
  };
  std::vector<Pending> pending;
  while (!take_mark(")")) {
    if (!pending.empty()) PW_CHECK_OK(expect(","));
    const base::Span span = here();
    Pending each;
    if (is_mark(":", 1) && is_mark("[", 3)) {
      PW_TRY(Buffer buffer, buffer_head(BufferKind::Parameter));
      each.extents_at = at_ + 1;
      skip_nested();
      buffer.invented = take_name("invented");
      const std::string name = buffer.name;
      each.parameter = module_.add(std::move(buffer));
      PW_CHECK_OK(declare(name, std::get<BufferId>(each.parameter), span));
    } else {
      Local local;
      PW_TRY(local.name, expect_name("a parameter"));
      PW_CHECK_OK(expect(":"));
      local.kind = take_name("symbol") ? LocalKind::Symbol : LocalKind::Argument;
      if (local.kind == LocalKind::Argument) {
        PW_TRY(local.type, dtype());
      }
      local.range = implied_range(module_.extents, local.kind);
      if (take_name("in")) {
        each.range_at = at_;
        skip_nested();
      }
      PW_TRY(each.parameter, define(std::move(local), span));
    }
    function.parameters.push_back(each.parameter);
    pending.push_back(each);
  }
  const std::size_t after = at_;
  for (const Pending& each : pending) {
    PW_CHECK_OK(finish_parameter(each.parameter, each.extents_at, each.range_at));
  }
  at_ = after;
  return Done();
}

Result<base::Done> Parser::finish_parameter(const Parameter& parameter, std::size_t extents_at,
                                            std::size_t range_at) {
  if (extents_at != 0) {
    at_ = extents_at;
    PW_TRY(module_[std::get<BufferId>(parameter)].extents, extents("]"));
  }
  if (range_at != 0) {
    at_ = range_at - 1;
    const LocalId id = std::get<LocalId>(parameter);
    PW_TRY(module_[id].range, range({}));
  }
  return Done();
}

}  // namespace

base::Result<Module> parse(base::FileId text, const base::Sources& sources, diagnostics::Engine& engine,
                           base::FileId original) {
  return Parser(text, sources, engine, original).run();
}

}  // namespace pw::ir
