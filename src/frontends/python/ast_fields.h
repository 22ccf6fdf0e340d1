// The fields of each node by name, in CPython's order: the one table that dumping and walking are made from.
//
// fields(node, f) calls f(name, member) for each field. `type_comment` and `type_ignores` are left out: they
// are always empty.
#pragma once

#include "frontends/python/ast.h"

namespace pw::python {

#define PW_FIELDS(Node, ...)                                            \
  template <typename F>                                                 \
  void fields([[maybe_unused]] const Node& n, [[maybe_unused]] F&& f) { \
    __VA_ARGS__                                                         \
  }

// clang-format off
PW_FIELDS(BoolOp, f("op", n.op); f("values", n.values);)
PW_FIELDS(NamedExpr, f("target", n.target); f("value", n.value);)
PW_FIELDS(BinOp, f("left", n.left); f("op", n.op); f("right", n.right);)
PW_FIELDS(UnaryOp, f("op", n.op); f("operand", n.operand);)
PW_FIELDS(Lambda, f("args", n.args); f("body", n.body);)
PW_FIELDS(IfExp, f("test", n.test); f("body", n.body); f("orelse", n.orelse);)
PW_FIELDS(Dict, f("keys", n.keys); f("values", n.values);)
PW_FIELDS(Set, f("elts", n.elts);)
PW_FIELDS(ListComp, f("elt", n.elt); f("generators", n.generators);)
PW_FIELDS(SetComp, f("elt", n.elt); f("generators", n.generators);)
PW_FIELDS(DictComp, f("key", n.key); f("value", n.value); f("generators", n.generators);)
PW_FIELDS(GeneratorExp, f("elt", n.elt); f("generators", n.generators);)
PW_FIELDS(Await, f("value", n.value);)
PW_FIELDS(Yield, f("value", n.value);)
PW_FIELDS(YieldFrom, f("value", n.value);)
PW_FIELDS(Compare, f("left", n.left); f("ops", n.ops); f("comparators", n.comparators);)
PW_FIELDS(Call, f("func", n.func); f("args", n.args); f("keywords", n.keywords);)
PW_FIELDS(FormattedValue, f("value", n.value); f("conversion", n.conversion); f("format_spec", n.format_spec);)
PW_FIELDS(JoinedStr, f("values", n.values);)
PW_FIELDS(Constant, f("value", n.value); f("kind", n.unicode_kind ? std::optional<std::string>("u") : std::nullopt);)
PW_FIELDS(Attribute, f("value", n.value); f("attr", n.attr); f("ctx", n.ctx);)
PW_FIELDS(Subscript, f("value", n.value); f("slice", n.slice); f("ctx", n.ctx);)
PW_FIELDS(Starred, f("value", n.value); f("ctx", n.ctx);)
PW_FIELDS(Name, f("id", n.id); f("ctx", n.ctx);)
PW_FIELDS(List, f("elts", n.elts); f("ctx", n.ctx);)
PW_FIELDS(Tuple, f("elts", n.elts); f("ctx", n.ctx);)
PW_FIELDS(Slice, f("lower", n.lower); f("upper", n.upper); f("step", n.step);)

PW_FIELDS(FunctionDef, f("name", n.name); f("args", n.args); f("body", n.body); f("decorator_list", n.decorator_list); f("returns", n.returns);)
PW_FIELDS(AsyncFunctionDef, f("name", n.name); f("args", n.args); f("body", n.body); f("decorator_list", n.decorator_list); f("returns", n.returns);)
PW_FIELDS(ClassDef, f("name", n.name); f("bases", n.bases); f("keywords", n.keywords); f("body", n.body); f("decorator_list", n.decorator_list);)
PW_FIELDS(Return, f("value", n.value);)
PW_FIELDS(Delete, f("targets", n.targets);)
PW_FIELDS(Assign, f("targets", n.targets); f("value", n.value);)
PW_FIELDS(AugAssign, f("target", n.target); f("op", n.op); f("value", n.value);)
PW_FIELDS(AnnAssign, f("target", n.target); f("annotation", n.annotation); f("value", n.value); f("simple", n.simple ? 1 : 0);)
PW_FIELDS(For, f("target", n.target); f("iter", n.iter); f("body", n.body); f("orelse", n.orelse);)
PW_FIELDS(AsyncFor, f("target", n.target); f("iter", n.iter); f("body", n.body); f("orelse", n.orelse);)
PW_FIELDS(While, f("test", n.test); f("body", n.body); f("orelse", n.orelse);)
PW_FIELDS(If, f("test", n.test); f("body", n.body); f("orelse", n.orelse);)
PW_FIELDS(With, f("items", n.items); f("body", n.body);)
PW_FIELDS(AsyncWith, f("items", n.items); f("body", n.body);)
PW_FIELDS(Match, f("subject", n.subject); f("cases", n.cases);)
PW_FIELDS(Raise, f("exc", n.exc); f("cause", n.cause);)
PW_FIELDS(Try, f("body", n.body); f("handlers", n.handlers); f("orelse", n.orelse); f("finalbody", n.finalbody);)
PW_FIELDS(TryStar, f("body", n.body); f("handlers", n.handlers); f("orelse", n.orelse); f("finalbody", n.finalbody);)
PW_FIELDS(Assert, f("test", n.test); f("msg", n.msg);)
PW_FIELDS(Import, f("names", n.names);)
PW_FIELDS(ImportFrom, f("module", n.module); f("names", n.names); f("level", n.level);)
PW_FIELDS(Global, f("names", n.names);)
PW_FIELDS(Nonlocal, f("names", n.names);)
PW_FIELDS(Expr, f("value", n.value);)
PW_FIELDS(Pass)
PW_FIELDS(Break)
PW_FIELDS(Continue)

PW_FIELDS(MatchValue, f("value", n.value);)
PW_FIELDS(MatchSingleton, f("value", n.value);)
PW_FIELDS(MatchSequence, f("patterns", n.patterns);)
PW_FIELDS(MatchMapping, f("keys", n.keys); f("patterns", n.patterns); f("rest", n.rest);)
PW_FIELDS(MatchClass, f("cls", n.cls); f("patterns", n.patterns); f("kwd_attrs", n.kwd_attrs); f("kwd_patterns", n.kwd_patterns);)
PW_FIELDS(MatchStar, f("name", n.name);)
PW_FIELDS(MatchAs, f("pattern", n.pattern); f("name", n.name);)
PW_FIELDS(MatchOr, f("patterns", n.patterns);)

PW_FIELDS(Arguments, f("posonlyargs", n.posonlyargs); f("args", n.args); f("vararg", n.vararg); f("kwonlyargs", n.kwonlyargs); f("kw_defaults", n.kw_defaults); f("kwarg", n.kwarg); f("defaults", n.defaults);)
PW_FIELDS(Arg, f("arg", n.arg); f("annotation", n.annotation);)
PW_FIELDS(Keyword, f("arg", n.arg); f("value", n.value);)
PW_FIELDS(Comprehension, f("target", n.target); f("iter", n.iter); f("ifs", n.ifs); f("is_async", n.is_async ? 1 : 0);)
PW_FIELDS(Alias, f("name", n.name); f("asname", n.asname);)
PW_FIELDS(WithItem, f("context_expr", n.context_expr); f("optional_vars", n.optional_vars);)
PW_FIELDS(ExceptHandler, f("type", n.type); f("name", n.name); f("body", n.body);)
PW_FIELDS(MatchCase, f("pattern", n.pattern); f("guard", n.guard); f("body", n.body);)
PW_FIELDS(Module, f("body", n.body);)
// clang-format on

#undef PW_FIELDS

template <typename T>
concept HasFields = requires(const T& node) { fields(node, [](const char*, const auto&) {}); };

/// Calls f(id) for each ExprId, StmtId and PatternId directly below a node, a part of a node or a list of
/// them; what is none is skipped. Arguments count as part of the node that has them.
template <typename T, typename F>
void for_each_child([[maybe_unused]] const Tree& tree, [[maybe_unused]] const T& part,
                    [[maybe_unused]] F&& f) {
  if constexpr (std::is_same_v<T, ExprId> || std::is_same_v<T, StmtId> || std::is_same_v<T, PatternId>) {
    if (part.valid()) f(part);
  } else if constexpr (std::is_same_v<T, ArgumentsId>) {
    for_each_child(tree, tree[part], f);
  } else if constexpr (HasFields<T>) {
    fields(part, [&](const char*, const auto& field) { for_each_child(tree, field, f); });
  } else if constexpr (
      requires { part.begin()->span; } || requires { fields(*part.begin(), f); } ||
      requires { part.begin()->valid(); }) {
    for (const auto& each : part) for_each_child(tree, each, f);
  } else if constexpr (std::is_same_v<T, std::optional<Arg>>) {
    if (part) for_each_child(tree, *part, f);
  }
}

}  // namespace pw::python
