// The syntax tree of one Python file: the nodes of CPython 3.11's `ast` as data, with their names and fields.
//
// A Tree owns its nodes in vectors; ids address them, and an id that is not valid() is Python's None. Spans
// are byte ranges of the file and are a side table: tree.span(id). A child is always made before its parent,
// no tree is higher than kMaxTreeHeight, so recursion over a tree is safe. Source of names and fields:
// https://docs.python.org/3.11/library/ast.html
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/source.h"
#include "frontends/python/token.h"

namespace pw::python {

/// Nodes on the longest path from a statement of the module down to a leaf.
inline constexpr std::uint32_t kMaxTreeHeight = 1000;

struct ExprTag;
struct StmtTag;
struct PatternTag;
struct ArgumentsTag;
using ExprId = base::Id<ExprTag>;
using StmtId = base::Id<StmtTag>;
using PatternId = base::Id<PatternTag>;
using ArgumentsId = base::Id<ArgumentsTag>;

enum class ExprContext : std::uint8_t { Load, Store, Del };
enum class BoolOperator : std::uint8_t { And, Or };
// clang-format off
enum class Operator : std::uint8_t { Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd, FloorDiv };
// clang-format on
enum class UnaryOperator : std::uint8_t { Invert, Not, UAdd, USub };
enum class CompareOperator : std::uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

// ---- constants

struct NoneValue {};
struct EllipsisValue {};
/// Any size: decimal digits without sign; `value` where it fits int64.
struct IntValue {
  std::string digits;
  std::optional<std::int64_t> value;
};
/// `2.5j`; the real part is 0.
struct ImaginaryValue {
  double imaginary = 0;
};
/// Code points in UTF-8; a lone surrogate (from an escape) is three bytes, as UTF-8 would have it were it
/// allowed.
struct StrValue {
  std::string text;
};
struct BytesValue {
  std::string bytes;
};
using ConstantValue =
    std::variant<NoneValue, bool, IntValue, double, ImaginaryValue, StrValue, BytesValue, EllipsisValue>;

// ---- parts of nodes (held by value, with their own span)

struct Arg {
  std::string arg;
  ExprId annotation;  // or none
  base::Span span;
};
struct Arguments {
  std::vector<Arg> posonlyargs;
  std::vector<Arg> args;
  std::optional<Arg> vararg;
  std::vector<Arg> kwonlyargs;
  std::vector<ExprId> kw_defaults;  // one a kwonlyarg, none = required
  std::optional<Arg> kwarg;
  std::vector<ExprId> defaults;  // of the last ones of posonlyargs + args
};
struct Keyword {
  std::optional<std::string> arg;  // absent: **value
  ExprId value;
  base::Span span;
};
struct Comprehension {
  ExprId target, iter;
  std::vector<ExprId> ifs;
  bool is_async = false;
};
struct Alias {
  std::string name;
  std::optional<std::string> asname;
  base::Span span;
};
struct WithItem {
  ExprId context_expr;
  ExprId optional_vars;  // or none
};
struct ExceptHandler {
  ExprId type;  // or none
  std::optional<std::string> name;
  std::vector<StmtId> body;
  base::Span span;
};
struct MatchCase {
  PatternId pattern;
  ExprId guard;  // or none
  std::vector<StmtId> body;
};

// ---- expressions

// clang-format off
struct BoolOp { BoolOperator op; std::vector<ExprId> values; };
struct NamedExpr { ExprId target, value; };
struct BinOp { ExprId left; Operator op; ExprId right; };
struct UnaryOp { UnaryOperator op; ExprId operand; };
struct Lambda { ArgumentsId args; ExprId body; };
struct IfExp { ExprId test, body, orelse; };
struct Dict { std::vector<ExprId> keys /* none: **value */; std::vector<ExprId> values; };
struct Set { std::vector<ExprId> elts; };
struct ListComp { ExprId elt; std::vector<Comprehension> generators; };
struct SetComp { ExprId elt; std::vector<Comprehension> generators; };
struct DictComp { ExprId key, value; std::vector<Comprehension> generators; };
struct GeneratorExp { ExprId elt; std::vector<Comprehension> generators; };
struct Await { ExprId value; };
struct Yield { ExprId value /* or none */; };
struct YieldFrom { ExprId value; };
struct Compare { ExprId left; std::vector<CompareOperator> ops; std::vector<ExprId> comparators; };
struct Call { ExprId func; std::vector<ExprId> args; std::vector<Keyword> keywords; };
struct FormattedValue { ExprId value; int conversion /* -1, or 's' 'r' 'a' */; ExprId format_spec /* or none */; };
struct JoinedStr { std::vector<ExprId> values; };
struct Constant { ConstantValue value; bool unicode_kind = false /* written u"..." */; };
struct Attribute { ExprId value; std::string attr; ExprContext ctx; };
struct Subscript { ExprId value, slice; ExprContext ctx; };
struct Starred { ExprId value; ExprContext ctx; };
struct Name { std::string id; ExprContext ctx; };
struct List { std::vector<ExprId> elts; ExprContext ctx; };
struct Tuple { std::vector<ExprId> elts; ExprContext ctx; };
struct Slice { ExprId lower, upper, step /* each or none */; };

using Expression = std::variant<BoolOp, NamedExpr, BinOp, UnaryOp, Lambda, IfExp, Dict, Set, ListComp, SetComp, DictComp,
                                GeneratorExp, Await, Yield, YieldFrom, Compare, Call, FormattedValue, JoinedStr, Constant,
                                Attribute, Subscript, Starred, Name, List, Tuple, Slice>;

// ---- statements

struct FunctionDef { std::string name; ArgumentsId args; std::vector<StmtId> body; std::vector<ExprId> decorator_list; ExprId returns; };
struct AsyncFunctionDef { std::string name; ArgumentsId args; std::vector<StmtId> body; std::vector<ExprId> decorator_list; ExprId returns; };
struct ClassDef { std::string name; std::vector<ExprId> bases; std::vector<Keyword> keywords; std::vector<StmtId> body; std::vector<ExprId> decorator_list; };
struct Return { ExprId value /* or none */; };
struct Delete { std::vector<ExprId> targets; };
struct Assign { std::vector<ExprId> targets; ExprId value; };
struct AugAssign { ExprId target; Operator op; ExprId value; };
struct AnnAssign { ExprId target, annotation, value /* or none */; bool simple; };
struct For { ExprId target, iter; std::vector<StmtId> body, orelse; };
struct AsyncFor { ExprId target, iter; std::vector<StmtId> body, orelse; };
struct While { ExprId test; std::vector<StmtId> body, orelse; };
struct If { ExprId test; std::vector<StmtId> body, orelse; };
struct With { std::vector<WithItem> items; std::vector<StmtId> body; };
struct AsyncWith { std::vector<WithItem> items; std::vector<StmtId> body; };
struct Match { ExprId subject; std::vector<MatchCase> cases; };
struct Raise { ExprId exc, cause /* each or none */; };
struct Try { std::vector<StmtId> body; std::vector<ExceptHandler> handlers; std::vector<StmtId> orelse, finalbody; };
struct TryStar { std::vector<StmtId> body; std::vector<ExceptHandler> handlers; std::vector<StmtId> orelse, finalbody; };
struct Assert { ExprId test, msg /* or none */; };
struct Import { std::vector<Alias> names; };
struct ImportFrom { std::optional<std::string> module; std::vector<Alias> names; int level; };
struct Global { std::vector<std::string> names; };
struct Nonlocal { std::vector<std::string> names; };
struct Expr { ExprId value; };
struct Pass {};
struct Break {};
struct Continue {};

using Statement = std::variant<FunctionDef, AsyncFunctionDef, ClassDef, Return, Delete, Assign, AugAssign, AnnAssign, For,
                               AsyncFor, While, If, With, AsyncWith, Match, Raise, Try, TryStar, Assert, Import, ImportFrom,
                               Global, Nonlocal, Expr, Pass, Break, Continue>;

// ---- patterns

struct MatchValue { ExprId value; };
struct MatchSingleton { ConstantValue value; };
struct MatchSequence { std::vector<PatternId> patterns; };
struct MatchMapping { std::vector<ExprId> keys; std::vector<PatternId> patterns; std::optional<std::string> rest; };
struct MatchClass { ExprId cls; std::vector<PatternId> patterns; std::vector<std::string> kwd_attrs; std::vector<PatternId> kwd_patterns; };
struct MatchStar { std::optional<std::string> name; };
struct MatchAs { PatternId pattern /* or none */; std::optional<std::string> name; };
struct MatchOr { std::vector<PatternId> patterns; };

using Pattern = std::variant<MatchValue, MatchSingleton, MatchSequence, MatchMapping, MatchClass, MatchStar, MatchAs, MatchOr>;

struct Module { std::vector<StmtId> body; };
// clang-format on

// ---- the tree

template <typename... Functions>
struct Overload : Functions... {
  using Functions::operator()...;
};

/// `visit(tree[id], [&](const Name& n) {...}, [&](const auto&) {...})`: std::visit with the lambdas as
/// overloads.
template <typename Node, typename... Functions>
decltype(auto) visit(Node&& node, Functions&&... functions) {
  return std::visit(Overload<std::decay_t<Functions>...>{std::forward<Functions>(functions)...},
                    std::forward<Node>(node));
}

/// Nodes of one kind with their spans and heights (a leaf has height 1).
template <typename Id, typename Node>
struct NodeTable {
  struct Place {
    std::uint32_t begin = 0, end = 0, height = 0;
  };
  std::vector<Node> nodes;
  std::vector<Place> places;
};

class Tree {
 public:
  explicit Tree(base::FileId file) : file(file) {}

  const Expression& operator[](ExprId id) const { return expressions.nodes[id.index()]; }
  const Statement& operator[](StmtId id) const { return statements.nodes[id.index()]; }
  const Pattern& operator[](PatternId id) const { return patterns.nodes[id.index()]; }
  const Arguments& operator[](ArgumentsId id) const { return arguments[id.index()]; }

  /// The node as a given kind, or null: `if (const Name* n = tree.get_if<Name>(id))`. A none id gives null.
  template <typename Kind, typename Id>
  const Kind* get_if(Id id) const {
    return id.valid() ? std::get_if<Kind>(&(*this)[id]) : nullptr;
  }

  base::Span span(ExprId id) const { return make_span(expressions.places[id.index()]); }
  base::Span span(StmtId id) const { return make_span(statements.places[id.index()]); }
  base::Span span(PatternId id) const { return make_span(patterns.places[id.index()]); }

  base::FileId file;
  Module module;
  std::vector<Token> tokens;  // all of the file, trivia included

  NodeTable<ExprId, Expression> expressions;
  NodeTable<StmtId, Statement> statements;
  NodeTable<PatternId, Pattern> patterns;
  std::vector<Arguments> arguments;

 private:
  template <typename Place>
  base::Span make_span(const Place& place) const {
    return {file, place.begin, place.end};
  }
};

}  // namespace pw::python
