// The parser of definitions and statements, below that of modules; private to parser.cc and parser_stmt.cc.
#pragma once

#include "ir/parser_state.h"

namespace pw::ir {

class StatementParser : public ParserState {
 public:
  using ParserState::ParserState;

 protected:
  // lines
  void begin_line();
  Result<Done> end_line();
  void skip_newlines() {
    while (peek().kind == TokenKind::Newline) next();
  }
  void skip_nested();

  // definitions
  Result<Range> range(const Range& implied);
  Result<Local> typed_local(LocalKind kind);
  Result<LocalId> define(Local local, base::Span span);
  Result<Buffer> buffer_head(BufferKind kind);

  Result<BlockId> block(bool own_scope, ExprId* yield);

  std::unordered_map<std::string, FunctionId> functions_;

 private:
  Result<LocalId> variable_name();
  Result<BufferId> buffer_name();
  Result<Argument> argument();
  Result<Schedule> schedule();
  Result<std::vector<Axis>> axes();

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
};

}  // namespace pw::ir
