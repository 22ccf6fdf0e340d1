// A module: functions, and the tables that every id points into. A value: passes copy it and change the copy.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash_index.h"
#include "ir/node.h"

namespace pw::ir {

/// Symbol: a size, never negative. Argument: a scalar parameter. Config: a named constant folded into the
/// program. Axis: index of Map, Reduce or For. Bound: by Let, Reduce or Call. Variable: by Declare.
enum class LocalKind : std::uint8_t { Symbol, Argument, Config, Axis, Bound, Variable };

struct Local {
  std::string name;  // unique within its function after ir::name_uniquely
  DType type = DType::I64;
  LocalKind kind = LocalKind::Bound;
  Range range;   // of immutable i64 locals
  Const config;  // Config only
  base::Span span;
};

enum class BufferKind : std::uint8_t { Parameter, Temporary, Table };

/// A dense row-major array. Different buffers never overlap.
struct Buffer {
  std::string name;
  DType type = DType::F64;
  std::vector<ExtentId> extents;  // over locals that are in scope where the buffer is made
  BufferKind kind = BufferKind::Temporary;
  bool invented = false;     // the name is ours, not the author's
  std::vector<Const> table;  // Table only: the elements
  base::Span span;
};

using Parameter = std::variant<LocalId, BufferId>;

/// What a library has a routine for: rows of routines.def.
enum class Routine : std::uint8_t {
  None,
#define ROUTINE(name, text, parameters, doc) name,
#include "ir/routines.def"
};

struct Function {
  std::string name;
  std::vector<Parameter> parameters;  // promoted array returns come last
  std::size_t promoted = 0;           // how many of the last parameters are array returns
  std::vector<DType> results;         // scalar returns
  BlockId body;
  base::Span span;
  Routine routine = Routine::None;  // which one the body is the expansion of
};

struct RoutineRow {
  std::string_view text;
  std::string_view parameters;  // as routines.def has them
};
/// Not of None.
const RoutineRow& row(Routine routine);
std::optional<Routine> routine_from_text(std::string_view text);

struct Block {
  std::vector<StmtId> statements;
};

/// The exception that the reference raises. Assumption: the port declines (a run-time size relation it was
/// not made for).
enum class TrapKind : std::uint8_t {
  IndexError,
  ValueError,
  ZeroDivisionError,
  OverflowError,
  LinAlgError,
  TypeError,
  AssertionError,
  RuntimeError,
  NotImplementedError,
  UnboundLocalError,
  FloatingPointError,
  AttributeError,
  Raised,  // an exception that only the kernel itself raises: TrapRow::exception
  Assumption,
};
std::string_view to_text(TrapKind kind);
/// Raised if no other kind has the name.
TrapKind trap_kind(std::string_view name);

struct TrapRow {
  TrapKind kind;
  std::string message;
  base::Span span;
  std::string exception = {};  // of Raised

  std::string_view name() const { return kind == TrapKind::Raised ? exception : to_text(kind); }
};

class Module {
 public:
  ExtentTable extents;
  std::vector<Local> locals;
  std::vector<Buffer> buffers;
  std::vector<Block> blocks;
  std::vector<Function> functions;  // the entry is the last
  std::vector<TrapRow> traps;
  /// Config values that decided control flow or sizes while staging: "name = value", for the port's header.
  std::vector<std::string> assumptions;

  const Expr& operator[](ExprId id) const { return exprs_[id.index()]; }
  const Stmt& operator[](StmtId id) const { return stmts_[id.index()]; }
  Stmt& operator[](StmtId id) { return stmts_[id.index()]; }
  const Local& operator[](LocalId id) const { return locals[id.index()]; }
  Local& operator[](LocalId id) { return locals[id.index()]; }
  const Buffer& operator[](BufferId id) const { return buffers[id.index()]; }
  Buffer& operator[](BufferId id) { return buffers[id.index()]; }
  const Block& operator[](BlockId id) const { return blocks[id.index()]; }
  Block& operator[](BlockId id) { return blocks[id.index()]; }
  const Function& operator[](FunctionId id) const { return functions[id.index()]; }
  Function& operator[](FunctionId id) { return functions[id.index()]; }
  const TrapRow& operator[](TrapId id) const { return traps[id.index()]; }

  /// Hash-consed: an equal expression gives the same id; the span kept is the first's. The type follows from
  /// the node.
  ExprId add(Expr expr, base::Span span);
  StmtId add(Stmt stmt, base::Span span);
  LocalId add(Local local);
  BufferId add(Buffer buffer);
  BlockId add(Block block);
  FunctionId add(Function function);
  TrapId add(TrapRow trap);

  DType type(ExprId id) const { return expr_types_[id.index()]; }
  base::Span span(ExprId id) const { return expr_spans_[id.index()]; }
  base::Span span(StmtId id) const { return stmt_spans_[id.index()]; }
  std::size_t expr_count() const { return exprs_.size(); }
  std::size_t stmt_count() const { return stmts_.size(); }

  /// The extent that an i64 expression is, if it is one: a constant, an Index, or a Read of an immutable
  /// local.
  std::optional<ExtentId> as_extent(ExprId id);
  /// The expression of an extent in its one canonical form: Const, Read or Index.
  ExprId index(ExtentId extent, base::Span span);
  /// Known range of a local, for proves_nonnegative.
  std::function<Range(LocalId)> ranges() const;

 private:
  std::optional<DType> type_of(const Expr& expr) const;

  std::vector<Expr> exprs_;
  std::vector<DType> expr_types_;
  std::vector<base::Span> expr_spans_;
  std::vector<Stmt> stmts_;
  std::vector<base::Span> stmt_spans_;
  base::HashIndex expr_index_;
};

/// Blocks nested directly in a statement.
BlockList blocks_of(const Stmt& stmt);
/// Expressions that a statement evaluates itself (not those of nested blocks).
ExprList exprs_of(const Stmt& stmt);
/// Direct operands of an expression.
ExprList operands_of(const Expr& expr);
/// Renames locals and buffers so that names are unique within each function and legal C identifiers.
void name_uniquely(Module& module);

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

}  // namespace pw::ir
