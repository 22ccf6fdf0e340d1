#include "ir/parser_stmt.h"

#include <charconv>

#include "ir/printer.h"

namespace pw::ir {

using base::Result;
using diagnostics::Rule;

// ---- lines

void StatementParser::begin_line() {
  const base::Span span = line_span();
  has_line_place_ = span.file != file_ || tokens_[at_].begin != span.begin;
  line_place_ = span;
}

Result<base::Done> StatementParser::end_line() {
  if (peek().kind == TokenKind::Place) next();
  if (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End)
    return unexpected("the end of the line");
  skip_newlines();
  return Done();
}

/// From an opening bracket to after its counterpart, or to the end.
void StatementParser::skip_nested() {
  int open = 0;
  while (peek().kind != TokenKind::End) {
    if (is_mark("[") || is_mark("(")) ++open;
    if (is_mark("]") || is_mark(")")) --open;
    next();
    if (open == 0) return;
  }
}

// ---- definitions

/// `in [lower, upper]`, or what is implied.
Result<Range> StatementParser::range(const Range& implied) {
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
Result<Local> StatementParser::typed_local(LocalKind kind) {
  Local local;
  local.kind = kind;
  PW_TRY(local.name, expect_name("a name"));
  PW_CHECK_OK(expect(":"));
  PW_TRY(local.type, dtype());
  PW_TRY(local.range, range({}));
  return local;
}

Result<LocalId> StatementParser::define(Local local, base::Span span) {
  local.span = has_line_place_ ? line_place_ : span;
  const std::string name = local.name;
  const LocalId id = module_.add(std::move(local));
  PW_CHECK_OK(declare(name, id, span));
  return id;
}

Result<Buffer> StatementParser::buffer_head(BufferKind kind) {
  Buffer buffer;
  buffer.kind = kind;
  buffer.span = has_line_place_ ? line_place_ : here();
  PW_TRY(buffer.name, expect_name("a name"));
  PW_CHECK_OK(expect(":"));
  PW_TRY(buffer.type, dtype());
  return buffer;
}

Result<LocalId> StatementParser::variable_name() {
  const base::Span span = here();
  PW_TRY(const std::string name, expect_name("a variable"));
  const Entity* entity = find(name);
  if (entity == nullptr || !std::holds_alternative<LocalId>(*entity)) {
    return engine_.report(Rule::IrUnknownName, span, name);
  }
  return std::get<LocalId>(*entity);
}

Result<BufferId> StatementParser::buffer_name() {
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
Result<BlockId> StatementParser::block(bool own_scope, ExprId* yield) {
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

Result<Stmt> StatementParser::statement(const std::string& word) {
  struct Row {
    std::string_view word;
    Result<Stmt> (StatementParser::*parse)();
  };
  static constexpr Row kRows[] = {
      {"let", &StatementParser::let},       {"var", &StatementParser::variable},
      {"set", &StatementParser::assign},    {"alloc", &StatementParser::alloc},
      {"store", &StatementParser::store},   {"map", &StatementParser::map},
      {"reduce", &StatementParser::reduce}, {"for", &StatementParser::loop},
      {"while", &StatementParser::branch},  {"if", &StatementParser::branch},
      {"return", &StatementParser::give},   {"trap", &StatementParser::trap},
      {"call", &StatementParser::call},
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

Result<Stmt> StatementParser::let() {
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

Result<Stmt> StatementParser::variable() {
  const base::Span span = here();
  PW_TRY(Local local, typed_local(LocalKind::Variable));
  ExprId value;
  if (take_mark("=")) {
    PW_TRY(value, expression());
  }
  PW_TRY(const LocalId id, define(std::move(local), span));
  return Stmt(Declare{id, value});
}

Result<Stmt> StatementParser::assign() {
  PW_TRY(const LocalId id, variable_name());
  PW_CHECK_OK(expect("="));
  PW_TRY(const ExprId value, expression());
  return Stmt(Assign{id, value});
}

Result<Stmt> StatementParser::alloc() {
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

Result<Stmt> StatementParser::store() {
  PW_TRY(const BufferId id, buffer_name());
  PW_CHECK_OK(expect("["));
  PW_TRY(std::vector<ExprId> index, expressions("]"));
  PW_CHECK_OK(expect("="));
  PW_TRY(const ExprId value, expression());
  return Stmt(Store{id, std::move(index), value});
}

Result<Schedule> StatementParser::schedule() {
  for (const Schedule each : {Schedule::Vector, Schedule::Parallel}) {
    if (is_name(to_text(each)) && (is_mark("(", 1) || peek(1).kind == TokenKind::Name)) {
      next();
      return each;
    }
  }
  return Schedule::Serial;
}

/// (i < n, j < m in [_, _])
Result<std::vector<Axis>> StatementParser::axes() {
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

Result<Stmt> StatementParser::map() {
  open_scope();
  Map map;
  PW_TRY(map.schedule, schedule());
  map.library = take_name("library");
  PW_TRY(map.axes, axes());
  PW_TRY(map.body, block(false, nullptr));
  close_scope();
  return Stmt(std::move(map));
}

Result<Stmt> StatementParser::reduce() {
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

Result<Stmt> StatementParser::loop() {
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
Result<Stmt> StatementParser::branch() {
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
Result<Stmt> StatementParser::give() {
  Return out;
  while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::Place &&
         peek().kind != TokenKind::End) {
    if (!out.values.empty()) PW_CHECK_OK(expect(","));
    PW_TRY(const ExprId value, expression());
    out.values.push_back(value);
  }
  return Stmt(std::move(out));
}

Result<Stmt> StatementParser::trap() {
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

Result<Argument> StatementParser::argument() {
  const Entity* entity = peek().kind == TokenKind::Name ? find(peek().text) : nullptr;
  if (entity != nullptr && std::holds_alternative<BufferId>(*entity) && !is_mark("[", 1)) {
    next();
    return Argument(std::get<BufferId>(*entity));
  }
  PW_TRY(const ExprId id, expression());
  return Argument(id);
}

Result<Stmt> StatementParser::call() {
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

}  // namespace pw::ir
