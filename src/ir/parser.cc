#include "ir/parser.h"

#include <charconv>

#include "ir/parser_state.h"
#include "ir/printer.h"

namespace pw::ir {

namespace {

using base::Result;
using diagnostics::Rule;

class Parser : public ParserState {
 public:
  using ParserState::ParserState;
  Result<Module> run();

 private:
  // module
  Result<Done> assumption();
  Result<Done> trap_row();
  Result<Done> config();
  Result<Done> table();
  Result<Done> function();
  Result<Done> parameters(Function& function);
  Result<Done> finish_parameter(const Parameter& parameter, std::size_t extents_at, std::size_t range_at);
  Result<std::string> string();
  void find_functions();

  // lines
  void begin_line();
  Result<Done> end_line();
  void skip_newlines() {
    while (peek().kind == TokenKind::Newline) next();
  }
  void skip_nested();

  // blocks and statements
  Result<BlockId> block(bool own_scope, ExprId* yield);
  Result<Stmt> statement(const std::string& word);
  Result<Stmt> let();
  Result<Stmt> variable();
  Result<Stmt> assign();
  Result<Stmt> alloc();
  Result<Stmt> store();
  Result<Stmt> map();
  Result<Stmt> reduce();
  Result<Stmt> loop();
  Result<Stmt> branch();
  Result<Stmt> give();
  Result<Stmt> trap();
  Result<Stmt> call();
  Result<Argument> argument();
  Result<Schedule> schedule();
  Result<std::vector<Axis>> axes();

  // definitions
  Result<Range> range(const Range& implied);
  Result<Local> typed_local(LocalKind kind);
  Result<LocalId> define(Local local, base::Span span);
  Result<Buffer> buffer_head(BufferKind kind);
  Result<LocalId> variable_name();
  Result<BufferId> buffer_name();

  std::unordered_map<std::string, FunctionId> functions_;
};

// ---- lines

void Parser::begin_line() {
  const base::Span span = line_span();
  has_line_place_ = span.file != file_ || tokens_[at_].begin != span.begin;
  line_place_ = span;
}

Result<base::Done> Parser::end_line() {
  if (peek().kind == TokenKind::Place) next();
  if (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End)
    return unexpected("the end of the line");
  skip_newlines();
  return Done();
}

/// From an opening bracket to after its counterpart, or to the end.
void Parser::skip_nested() {
  int open = 0;
  while (peek().kind != TokenKind::End) {
    if (is_mark("[") || is_mark("(")) ++open;
    if (is_mark("]") || is_mark(")")) --open;
    next();
    if (open == 0) return;
  }
}

// ---- module

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
  bool known = false;
  for (int i = 0; i <= static_cast<int>(TrapKind::Assumption) && !known; ++i) {
    row.kind = static_cast<TrapKind>(i);
    known = take_name(to_text(row.kind));
  }
  if (!known) return unexpected("the kind of a trap");
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

// ---- definitions

/// `in [lower, upper]`, or what is implied.
Result<Range> Parser::range(const Range& implied) {
  if (!take_name("in")) return implied;
  PW_CHECK_OK(expect("["));
  Range out;
  if (!take_name("_")) {
    PW_TRY(out.lower, extent());
  }
  PW_CHECK_OK(expect(","));
  if (!take_name("_")) {
    PW_TRY(out.upper, extent());
  }
  PW_CHECK_OK(expect("]"));
  return out;
}

/// name: dtype in [.., ..]
Result<Local> Parser::typed_local(LocalKind kind) {
  Local local;
  local.kind = kind;
  PW_TRY(local.name, expect_name("a name"));
  PW_CHECK_OK(expect(":"));
  PW_TRY(local.type, dtype());
  PW_TRY(local.range, range({}));
  return local;
}

Result<LocalId> Parser::define(Local local, base::Span span) {
  local.span = has_line_place_ ? line_place_ : span;
  const std::string name = local.name;
  const LocalId id = module_.add(std::move(local));
  PW_CHECK_OK(declare(name, id, span));
  return id;
}

Result<Buffer> Parser::buffer_head(BufferKind kind) {
  Buffer buffer;
  buffer.kind = kind;
  buffer.span = has_line_place_ ? line_place_ : here();
  PW_TRY(buffer.name, expect_name("a name"));
  PW_CHECK_OK(expect(":"));
  PW_TRY(buffer.type, dtype());
  return buffer;
}

Result<LocalId> Parser::variable_name() {
  const base::Span span = here();
  PW_TRY(const std::string name, expect_name("a variable"));
  const Entity* entity = find(name);
  if (entity == nullptr || !std::holds_alternative<LocalId>(*entity)) {
    return engine_.report(Rule::IrUnknownName, span, name);
  }
  return std::get<LocalId>(*entity);
}

Result<BufferId> Parser::buffer_name() {
  const base::Span span = here();
  PW_TRY(const std::string name, expect_name("a buffer"));
  const Entity* entity = find(name);
  if (entity == nullptr || !std::holds_alternative<BufferId>(*entity)) {
    return engine_.report(Rule::IrUnknownName, span, name);
  }
  return std::get<BufferId>(*entity);
}

// ---- blocks and statements

/// { newline statements }. With `yield`, the last line is `yield expression`.
Result<BlockId> Parser::block(bool own_scope, ExprId* yield) {
  if (++depth_ > kDeepest) return engine_.report(Rule::IrTooDeep, here(), kDeepest);
  PW_CHECK_OK(expect("{"));
  PW_CHECK_OK(end_line());
  if (own_scope) open_scope();
  Block out;
  while (!is_mark("}")) {
    begin_line();
    const base::Span span = line_place_;
    if (peek().kind == TokenKind::Shared) {
      const std::string number(next().text);
      PW_CHECK_OK(expect("="));
      PW_TRY(shared_[number], expression());
    } else if (yield != nullptr && take_name("yield")) {
      PW_TRY(*yield, expression());
      PW_CHECK_OK(end_line());
      break;
    } else {
      const std::size_t first = at_;
      PW_TRY(const std::string word, expect_name("a statement"));
      at_ = first;
      PW_TRY(Stmt stmt, statement(word));
      out.statements.push_back(module_.add(std::move(stmt), span));
    }
    PW_CHECK_OK(end_line());
  }
  if (yield != nullptr && !yield->valid()) return unexpected("yield");
  PW_CHECK_OK(expect("}"));
  if (own_scope) close_scope();
  --depth_;
  return module_.add(std::move(out));
}

Result<Stmt> Parser::statement(const std::string& word) {
  struct Row {
    std::string_view word;
    Result<Stmt> (Parser::*parse)();
  };
  static constexpr Row kRows[] = {
      {"let", &Parser::let},       {"var", &Parser::variable}, {"set", &Parser::assign},
      {"alloc", &Parser::alloc},   {"store", &Parser::store},  {"map", &Parser::map},
      {"reduce", &Parser::reduce}, {"for", &Parser::loop},     {"while", &Parser::branch},
      {"if", &Parser::branch},     {"return", &Parser::give},  {"trap", &Parser::trap},
      {"call", &Parser::call},
  };
  for (const Row& each : kRows) {
    if (each.word != word) continue;
    if (word != "while" && word != "if") next();
    return (this->*each.parse)();
  }
  if (take_name("break")) return Stmt(Break());
  if (take_name("continue")) return Stmt(Continue());
  return unexpected("a statement");
}

Result<Stmt> Parser::let() {
  const base::Span span = here();
  Local local;
  PW_TRY(local.name, expect_name("a name"));
  std::optional<DType> type;
  if (take_mark(":")) {
    PW_TRY(type, dtype());
    PW_TRY(local.range, range({}));
  }
  PW_CHECK_OK(expect("="));
  PW_TRY(const ExprId value, expression());
  local.type = type.value_or(module_.type(value));
  PW_TRY(const LocalId id, define(std::move(local), span));
  return Stmt(Let{id, value});
}

Result<Stmt> Parser::variable() {
  const base::Span span = here();
  PW_TRY(Local local, typed_local(LocalKind::Variable));
  ExprId value;
  if (take_mark("=")) {
    PW_TRY(value, expression());
  }
  PW_TRY(const LocalId id, define(std::move(local), span));
  return Stmt(Declare{id, value});
}

Result<Stmt> Parser::assign() {
  PW_TRY(const LocalId id, variable_name());
  PW_CHECK_OK(expect("="));
  PW_TRY(const ExprId value, expression());
  return Stmt(Assign{id, value});
}

Result<Stmt> Parser::alloc() {
  const base::Span span = here();
  PW_TRY(Buffer buffer, buffer_head(BufferKind::Temporary));
  PW_CHECK_OK(expect("["));
  PW_TRY(buffer.extents, extents("]"));
  buffer.invented = take_name("invented");
  const std::string name = buffer.name;
  const BufferId id = module_.add(std::move(buffer));
  PW_CHECK_OK(declare(name, id, span));
  return Stmt(Alloc{id});
}

Result<Stmt> Parser::store() {
  PW_TRY(const BufferId id, buffer_name());
  PW_CHECK_OK(expect("["));
  PW_TRY(std::vector<ExprId> index, expressions("]"));
  PW_CHECK_OK(expect("="));
  PW_TRY(const ExprId value, expression());
  return Stmt(Store{id, std::move(index), value});
}

Result<Schedule> Parser::schedule() {
  for (const Schedule each : {Schedule::Vector, Schedule::Parallel}) {
    if (is_name(to_text(each)) && (is_mark("(", 1) || peek(1).kind == TokenKind::Name)) {
      next();
      return each;
    }
  }
  return Schedule::Serial;
}

/// (i < n, j < m in [_, _])
Result<std::vector<Axis>> Parser::axes() {
  PW_CHECK_OK(expect("("));
  std::vector<Axis> out;
  std::vector<std::pair<Local, base::Span>> locals;
  while (!take_mark(")")) {
    if (!out.empty()) PW_CHECK_OK(expect(","));
    const base::Span span = here();
    Local local;
    local.kind = LocalKind::Axis;
    PW_TRY(local.name, expect_name("an axis"));
    PW_CHECK_OK(expect("<"));
    Axis axis;
    PW_TRY(axis.extent, extent());
    PW_TRY(local.range, range(implied_range(module_.extents, axis)));
    PW_TRY(axis.index, define(std::move(local), span));
    out.push_back(axis);
  }
  return out;
}

Result<Stmt> Parser::map() {
  open_scope();
  Map map;
  PW_TRY(map.schedule, schedule());
  PW_TRY(map.axes, axes());
  PW_TRY(map.body, block(false, nullptr));
  close_scope();
  return Stmt(std::move(map));
}

Result<Stmt> Parser::reduce() {
  const base::Span span = here();
  PW_TRY(Local target, typed_local(LocalKind::Bound));
  PW_CHECK_OK(expect("="));
  Reduce reduce;
  bool known = false;
  for (int i = 0; i <= static_cast<int>(ReduceOp::ArgMin) && !known; ++i) {
    reduce.op = static_cast<ReduceOp>(i);
    known = take_name(to_text(reduce.op));
  }
  if (!known) return unexpected("the operator of a reduction");
  if (take_name("sequential")) {
    reduce.order = ReduceOrder::Sequential;
  } else if (!take_name("any")) {
    return unexpected("any or sequential");
  }
  const base::Span place = line_place_;
  const bool has_place = has_line_place_;
  open_scope();
  PW_TRY(reduce.axes, axes());
  PW_TRY(reduce.body, block(false, &reduce.value));
  close_scope();
  line_place_ = place;
  has_line_place_ = has_place;
  PW_TRY(reduce.target, define(std::move(target), span));
  return Stmt(std::move(reduce));
}

Result<Stmt> Parser::loop() {
  open_scope();
  For loop;
  PW_TRY(loop.schedule, schedule());
  const base::Span span = here();
  Local local;
  local.kind = LocalKind::Axis;
  PW_TRY(local.name, expect_name("a loop index"));
  const std::size_t range_at = at_;
  if (is_name("in")) {
    next();
    skip_nested();
  }
  PW_CHECK_OK(expect("="));
  if (!take_name("range")) return unexpected("range");
  PW_CHECK_OK(expect("("));
  PW_TRY(loop.lower, expression());
  PW_CHECK_OK(expect(","));
  PW_TRY(loop.upper, expression());
  PW_CHECK_OK(expect(","));
  PW_TRY(loop.step, expression());
  PW_CHECK_OK(expect(")"));
  const std::size_t after = at_;
  at_ = range_at;
  PW_TRY(local.range, range(implied_range(module_, module_.extents, loop)));
  at_ = after;
  PW_TRY(loop.index, define(std::move(local), span));
  PW_TRY(loop.body, block(false, nullptr));
  close_scope();
  return Stmt(std::move(loop));
}

/// while and if
Result<Stmt> Parser::branch() {
  const bool loop = next().text == "while";
  PW_TRY(const ExprId condition, expression());
  PW_TRY(const BlockId body, block(true, nullptr));
  if (loop) return Stmt(While{condition, body});
  BlockId other;
  if (take_name("else")) {
    PW_TRY(other, block(true, nullptr));
  } else {
    other = module_.add(Block());
  }
  return Stmt(If{condition, body, other});
}

/// return
Result<Stmt> Parser::give() {
  Return out;
  while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::Place &&
         peek().kind != TokenKind::End) {
    if (!out.values.empty()) PW_CHECK_OK(expect(","));
    PW_TRY(const ExprId value, expression());
    out.values.push_back(value);
  }
  return Stmt(std::move(out));
}

Result<Stmt> Parser::trap() {
  const Token& token = peek();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
  const bool known = error == std::errc() && number >= 1 && number <= module_.traps.size();
  if (token.kind != TokenKind::Integer || !known) return unexpected("the number of a trap row");
  next();
  Trap out{TrapId(number - 1), {}};
  if (take_name("if")) {
    PW_TRY(out.condition, expression());
  }
  return Stmt(out);
}

Result<Argument> Parser::argument() {
  const Entity* entity = peek().kind == TokenKind::Name ? find(peek().text) : nullptr;
  if (entity != nullptr && std::holds_alternative<BufferId>(*entity) && !is_mark("[", 1)) {
    next();
    return Argument(std::get<BufferId>(*entity));
  }
  PW_TRY(const ExprId id, expression());
  return Argument(id);
}

Result<Stmt> Parser::call() {
  Call out;
  std::vector<std::pair<Local, base::Span>> results;
  while (peek().kind == TokenKind::Name) {
    const base::Span span = here();
    PW_TRY(Local local, typed_local(LocalKind::Bound));
    results.emplace_back(std::move(local), span);
    if (!take_mark(",")) break;
  }
  if (!results.empty()) PW_CHECK_OK(expect("="));
  const auto callee =
      peek().kind == TokenKind::Function ? functions_.find(std::string(peek().text)) : functions_.end();
  if (peek().kind != TokenKind::Function) return unexpected("@name");
  if (callee == functions_.end()) {
    return engine_.report(Rule::IrUnknownName, here(), "@" + std::string(peek().text));
  }
  out.callee = callee->second;
  next();
  PW_CHECK_OK(expect("("));
  while (!take_mark(")")) {
    if (!out.arguments.empty()) PW_CHECK_OK(expect(","));
    PW_TRY(const Argument each, argument());
    out.arguments.push_back(each);
  }
  for (auto& [local, span] : results) {
    PW_TRY(const LocalId id, define(std::move(local), span));
    out.results.push_back(id);
  }
  return Stmt(std::move(out));
}

}  // namespace

base::Result<Module> parse(base::FileId text, const base::Sources& sources, diagnostics::Engine& engine,
                           base::FileId original) {
  return Parser(text, sources, engine, original).run();
}

}  // namespace pw::ir
