#include "frontends/python/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diagnostics/engine.h"
#include "frontends/python/dump.h"

namespace pw::python {
namespace {

/// The dump without places, and without the Module around it; or the diagnostic.
std::string parsed(const std::string& text) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const auto tree = parse_file(sources.add("k.py", text), sources, engine);
  if (!tree) return diagnostics::to_text(engine.all().at(0), sources);
  const std::string all = dump(*tree, sources, {.include_attributes = false});
  static constexpr std::string_view kBegin = "Module(body=[";
  static constexpr std::string_view kEnd = "], type_ignores=[])";
  return all.substr(kBegin.size(), all.size() - kBegin.size() - kEnd.size());
}

/// "rule@line" of what is wrong, or "good".
std::string failure(const std::string& text) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const base::FileId file = sources.add("k.py", text);
  const auto tree = parse_file(file, sources, engine);
  if (tree) return "good";
  EXPECT_EQ(engine.all().size(), 1U) << text;
  const diagnostics::Diagnostic& first = engine.all().at(0);
  return std::string(diagnostics::row(first.rule).rule) + "@" +
         std::to_string(sources[file].line_column(first.span.begin).line);
}

struct Case {
  std::string text, expected;
};

TEST(Parser, BuildsEveryKindOfExpression) {
  const Case cases[] = {
      {"a or b or c and not d",
       "Expr(value=BoolOp(op=Or(), values=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load()), "
       "BoolOp(op=And(), "
       "values=[Name(id='c', ctx=Load()), UnaryOp(op=Not(), operand=Name(id='d', ctx=Load()))])]))"},
      {"a - b - c ** -d",
       "Expr(value=BinOp(left=BinOp(left=Name(id='a', ctx=Load()), op=Sub(), right=Name(id='b', "
       "ctx=Load())), op=Sub(), "
       "right=BinOp(left=Name(id='c', ctx=Load()), op=Pow(), right=UnaryOp(op=USub(), operand=Name(id='d', "
       "ctx=Load())))))"},
      {"a < b is not c not in d",
       "Expr(value=Compare(left=Name(id='a', ctx=Load()), ops=[Lt(), IsNot(), NotIn()], "
       "comparators=[Name(id='b', "
       "ctx=Load()), Name(id='c', ctx=Load()), Name(id='d', ctx=Load())]))"},
      {"f(*a, b, c=d, **e)",
       "Expr(value=Call(func=Name(id='f', ctx=Load()), args=[Starred(value=Name(id='a', ctx=Load()), "
       "ctx=Load()), "
       "Name(id='b', ctx=Load())], keywords=[keyword(arg='c', value=Name(id='d', ctx=Load())), "
       "keyword(value=Name(id='e', ctx=Load()))]))"},
      {"a[1:, ::2, None]",
       "Expr(value=Subscript(value=Name(id='a', ctx=Load()), "
       "slice=Tuple(elts=[Slice(lower=Constant(value=1)), "
       "Slice(step=Constant(value=2)), Constant(value=None)], ctx=Load()), ctx=Load()))"},
      {"[x async for x in y if a if b]",
       "Expr(value=ListComp(elt=Name(id='x', ctx=Load()), generators=[comprehension(target=Name(id='x', "
       "ctx=Store()), "
       "iter=Name(id='y', ctx=Load()), ifs=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())], "
       "is_async=1)]))"},
      {"{**a, b: c}",
       "Expr(value=Dict(keys=[None, Name(id='b', ctx=Load())], values=[Name(id='a', ctx=Load()), "
       "Name(id='c', "
       "ctx=Load())]))"},
      {"lambda a, /, b=1, *, c, **d: 0",
       "Expr(value=Lambda(args=arguments(posonlyargs=[arg(arg='a')], args=[arg(arg='b')], "
       "kwonlyargs=[arg(arg='c')], "
       "kw_defaults=[None], kwarg=arg(arg='d'), defaults=[Constant(value=1)]), body=Constant(value=0)))"},
      {"(y := 1) if x else z",
       "Expr(value=IfExp(test=Name(id='x', ctx=Load()), body=NamedExpr(target=Name(id='y', ctx=Store()), "
       "value=Constant(value=1)), orelse=Name(id='z', ctx=Load())))"},
      {"{(a := 1): 2 for a in b}",
       "Expr(value=DictComp(key=NamedExpr(target=Name(id='a', ctx=Store()), value=Constant(value=1)), "
       "value=Constant(value=2), generators=[comprehension(target=Name(id='a', ctx=Store()), "
       "iter=Name(id='b', "
       "ctx=Load()), ifs=[], is_async=0)]))"},
      {"await a.b",
       "Expr(value=Await(value=Attribute(value=Name(id='a', ctx=Load()), attr='b', ctx=Load())))"},
      {"\xEF\xAC\x81 = 1", "Assign(targets=[Name(id='fi', ctx=Store())], value=Constant(value=1))"},
  };
  for (const Case& each : cases) EXPECT_EQ(parsed(each.text), each.expected) << each.text;
}

TEST(Parser, ReadsLiteralsAsPythonDoes) {
  const Case cases[] = {
      {R"('a' "b" '\x41\u00e9\N{BULLET}\101\q')", R"('abAé•A\\q')"},
      {R"(b'\xff\0' rb'\n')", R"(b'\xff\x00\\n')"},
      {R"("it's")", R"("it's")"},
      {R"('\ud800\U0001F600\x7f\u200b')", R"('\ud800😀\x7f\u200b')"},
      {"'''a\r\nb\\\r\nc'''", R"('a\nbc')"},
      {"1e16", "1e+16"},
      {"123456789012345.0", "123456789012345.0"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"1e500", "inf"},
      {"2.0j", "2j"},
      {"0xdeadbeefdeadbeefdeadbeef", "68915718021581205938132336367"},
      {"...", "Ellipsis"},
      {"True", "True"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(parsed(each.text), "Expr(value=Constant(value=" + each.expected + "))");
  EXPECT_EQ(parsed("u'a' 'b'"), "Expr(value=Constant(value='ab', kind='u'))");
}

TEST(Parser, ReadsFStringsAsPython311Does) {
  const Case cases[] = {
      {R"(f'a{{b}}{x!r:>{w}}c' 'd')",
       "values=[Constant(value='a{b}'), FormattedValue(value=Name(id='x', ctx=Load()), conversion=114, "
       "format_spec=JoinedStr(values=[Constant(value='>'), FormattedValue(value=Name(id='w', ctx=Load()), "
       "conversion=-1)])), Constant(value='cd')]"},
      {R"(f'{x + 1 = }')",
       "values=[Constant(value='x + 1 = '), FormattedValue(value=BinOp(left=Name(id='x', ctx=Load()), "
       "op=Add(), "
       "right=Constant(value=1)), conversion=114)]"},
      {R"(f'{a != b:}')",
       "values=[FormattedValue(value=Compare(left=Name(id='a', ctx=Load()), ops=[NotEq()], "
       "comparators=[Name(id='b', "
       "ctx=Load())]), conversion=-1, format_spec=JoinedStr(values=[]))]"},
      {R"(f'{1,}{"}"}')",
       "values=[FormattedValue(value=Tuple(elts=[Constant(value=1)], ctx=Load()), conversion=-1), "
       "FormattedValue(value=Constant(value='}'), conversion=-1)]"},
      {"f''", "values=[]"},
  };
  for (const Case& each : cases) EXPECT_EQ(parsed(each.text), "Expr(value=JoinedStr(" + each.expected + "))");
}

TEST(Parser, BuildsEveryKindOfStatement) {
  const Case cases[] = {
      {"a, *b = c = d",
       "Assign(targets=[Tuple(elts=[Name(id='a', ctx=Store()), Starred(value=Name(id='b', ctx=Store()), "
       "ctx=Store())], "
       "ctx=Store()), Name(id='c', ctx=Store())], value=Name(id='d', ctx=Load()))"},
      {"(a): int = 1",
       "AnnAssign(target=Name(id='a', ctx=Store()), annotation=Name(id='int', ctx=Load()), "
       "value=Constant(value=1), "
       "simple=0)"},
      {"a.b @= yield",
       "AugAssign(target=Attribute(value=Name(id='a', ctx=Load()), attr='b', ctx=Store()), op=MatMult(), "
       "value=Yield())"},
      {"del a, b[0]",
       "Delete(targets=[Name(id='a', ctx=Del()), Subscript(value=Name(id='b', ctx=Load()), "
       "slice=Constant(value=0), "
       "ctx=Del())])"},
      {"from ...a.b import (c as d, e,)",
       "ImportFrom(module='a.b', names=[alias(name='c', asname='d'), alias(name='e')], level=3)"},
      {"from . import *", "ImportFrom(names=[alias(name='*')], level=1)"},
      {"if a: pass\nelif b: pass\nelse: pass",
       "If(test=Name(id='a', ctx=Load()), body=[Pass()], orelse=[If(test=Name(id='b', ctx=Load()), "
       "body=[Pass()], "
       "orelse=[Pass()])])"},
      {"with (a as b, c,): pass",
       "With(items=[withitem(context_expr=Name(id='a', ctx=Load()), optional_vars=Name(id='b', "
       "ctx=Store())), "
       "withitem(context_expr=Name(id='c', ctx=Load()))], body=[Pass()])"},
      {"with (a, b) as c: pass",
       "With(items=[withitem(context_expr=Tuple(elts=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())], "
       "ctx=Load()), "
       "optional_vars=Name(id='c', ctx=Store()))], body=[Pass()])"},
      {"try: pass\nexcept* A as e: pass\nfinally: pass",
       "TryStar(body=[Pass()], handlers=[ExceptHandler(type=Name(id='A', ctx=Load()), name='e', "
       "body=[Pass()])], "
       "orelse=[], finalbody=[Pass()])"},
      {"@d\nasync def f(a: int, *b: *c) -> e: return",
       "AsyncFunctionDef(name='f', args=arguments(posonlyargs=[], args=[arg(arg='a', "
       "annotation=Name(id='int', "
       "ctx=Load()))], vararg=arg(arg='b', annotation=Starred(value=Name(id='c', ctx=Load()), ctx=Load())), "
       "kwonlyargs=[], kw_defaults=[], defaults=[]), body=[Return()], decorator_list=[Name(id='d', "
       "ctx=Load())], "
       "returns=Name(id='e', ctx=Load()))"},
      {"match = match[x]\nmatch(x)",
       "Assign(targets=[Name(id='match', ctx=Store())], value=Subscript(value=Name(id='match', ctx=Load()), "
       "slice=Name(id='x', ctx=Load()), ctx=Load())), Expr(value=Call(func=Name(id='match', ctx=Load()), "
       "args=[Name(id='x', ctx=Load())], keywords=[]))"},
      {"match x, y:\n case [A.b, *_] | -1+2j: pass\n case {'k': v, **r} if g: pass\n case C(p, k=None) as z: "
       "pass\n case _: "
       "pass",
       "Match(subject=Tuple(elts=[Name(id='x', ctx=Load()), Name(id='y', ctx=Load())], ctx=Load()), "
       "cases=[match_case(pattern=MatchOr(patterns=[MatchSequence(patterns=[MatchValue(value=Attribute(value="
       "Name(id='A', "
       "ctx=Load()), attr='b', ctx=Load())), MatchStar()]), MatchValue(value=BinOp(left=UnaryOp(op=USub(), "
       "operand=Constant(value=1)), op=Add(), right=Constant(value=2j)))]), body=[Pass()]), "
       "match_case(pattern=MatchMapping(keys=[Constant(value='k')], patterns=[MatchAs(name='v')], rest='r'), "
       "guard=Name(id='g', ctx=Load()), body=[Pass()]), "
       "match_case(pattern=MatchAs(pattern=MatchClass(cls=Name(id='C', "
       "ctx=Load()), patterns=[MatchAs(name='p')], kwd_attrs=['k'], "
       "kwd_patterns=[MatchSingleton(value=None)]), "
       "name='z'), body=[Pass()]), match_case(pattern=MatchAs(), body=[Pass()])])"},
  };
  for (const Case& each : cases) EXPECT_EQ(parsed(each.text), each.expected) << each.text;
}

TEST(Parser, GivesEveryNodeItsPlace) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const std::string text = "@d\ndef f(a: int = 3):\n    return (a) + f'{a * 2}'  # c\n";
  const auto tree = parse_file(sources.add("k.py", text), sources, engine);
  ASSERT_TRUE(tree.has_value());
  const StmtId function = tree->module.body.at(0);
  EXPECT_EQ(sources.text(tree->span(function)).substr(0, 5), "def f");
  const FunctionDef& def = std::get<FunctionDef>((*tree)[function]);
  EXPECT_EQ(sources.text((*tree)[def.args].args.at(0).span), "a: int");
  const ExprId sum = std::get<Return>((*tree)[def.body.at(0)]).value;
  EXPECT_EQ(sources.text(tree->span(sum)), "(a) + f'{a * 2}'");
  const BinOp& binary = std::get<BinOp>((*tree)[sum]);
  EXPECT_EQ(sources.text(tree->span(binary.left)), "a");
  // Inside an f-string the tree has the true place; only the dump does not.
  const JoinedStr& joined = *tree->get_if<JoinedStr>(binary.right);
  EXPECT_EQ(sources.text(tree->span(tree->get_if<FormattedValue>(joined.values.at(0))->value)), "a * 2");
  EXPECT_NE(dump(*tree, sources).find("BinOp(left=Name(id='a', ctx=Load(), lineno=3, col_offset=17"),
            std::string::npos);
}

TEST(Parser, FailsWithRuleAndLine) {
  const Case cases[] = {
      {"# coding: latin-1\nx = '\xE9'\n", "python-encoding@1"},
      {"\xEF\xBB\xBF# coding: latin-1\n", "python-encoding@1"},
      {"#\n# vim: set fileencoding=klingon :\n", "python-encoding@2"},
      {"x\ny = '\xFF'\n", "python-not-utf8@2"},
      {std::string("x\n\0", 3), "python-null-byte@2"},
      {"x\ny = a€\n", "python-character@2"},
      {"x = 'a\n", "python-unterminated-string@1"},
      {"x = \n'''a\n\n", "python-unterminated-string@2"},
      {"\nx = '''a\n\n", "python-unterminated-string@2"},
      {"1_", "python-number@1"},
      {"x = 08", "python-number@1"},
      {"\n" + std::string(4301, '1'), "python-integer-size@2"},
      {"x = 1)\n", "python-unmatched-bracket@1"},
      {"x = (\n1]\n", "python-bracket-mismatch@2"},
      {"x = (\n\n", "python-unclosed-bracket@1"},
      {"x = (1,\ny = 2\n", "python-unclosed-bracket@1"},
      {"x = " + std::string(201, '('), "python-bracket-depth@1"},
      {"if x:\n\ty\n        z\n", "python-tabs@3"},
      {"if x:\n    y\n  z\n", "python-dedent@3"},
      {"x = \\ \n", "python-line-join@1"},
      {"x = 1 \\", "python-unexpected-end@1"},
      {"x = 1 \\\n", "python-unexpected-end@1"},
      {"x y\n", "python-syntax@1"},
      {"x = \n", "python-syntax@1"},
      {"a <> b\n", "python-syntax@1"},
      {"x ?\n", "python-syntax@1"},
      {"if x\n  y\n", "python-expected@1"},
      {"f(a\n b)\n", "python-expected@1"},
      {"[x if y\n]", "python-expected@1"},
      {"{1}\n{1:2, 3}\n", "python-expected@2"},
      {"try:\n  pass\nx\n", "python-expected@3"},
      {"try: pass\nexcept A: pass\nexcept* B: pass\n", "python-expected@3"},
      {"try: pass\nexcept A, B: pass\n", "python-expected@2"},
      {"x\n  y\n", "python-unexpected-indent@2"},
      {"def f():\nx\n", "python-expected-block@2"},
      {"class A:\n", "python-expected-block@1"},
      {"f() = 1\n", "python-target@1"},
      {"None = 1", "python-target@1"},
      {"(a, b) += 1", "python-target@1"},
      {"(a, b): int", "python-target@1"},
      {"x = 1\nfor f() in y: pass", "python-target@2"},
      {"[a for 1 in b]", "python-target@1"},
      {"del f()", "python-target@1"},
      {"del *a", "python-target@1"},
      {"with a as 1: pass", "python-target@1"},
      {"(a.b := 1)", "python-target@1"},
      {"f(a.b=1)", "python-target@1"},
      {"match x:\n case a as _: pass", "python-target@2"},
      {"(*a)", "python-starred@1"},
      {"[*a for a in b]", "python-starred@1"},
      {"f(a for a in b, c)", "python-starred@1"},
      {"f(a=1, b)", "python-argument-order@1"},
      {"f(**a, *b)", "python-argument-order@1"},
      {"match x:\n case A(b=1, c): pass", "python-argument-order@2"},
      {"def f(a=1, b): pass", "python-parameters@1"},
      {"def f(*): pass", "python-parameters@1"},
      {"def f(**a, b): pass", "python-parameters@1"},
      {"lambda *a, *b: 0", "python-parameters@1"},
      {"def f(*, a, /): pass", "python-parameters@1"},
      {"'\\x1'", "python-escape@1"},
      {"'\\N{no such name}'", "python-escape@1"},
      {"'\\U00110000'", "python-escape@1"},
      {"b'é'", "python-escape@1"},
      {"'a' b'b'", "python-string-mix@1"},
      {"f'{}'", "python-fstring@1"},
      {"f'}'", "python-fstring@1"},
      {"f'{a'", "python-fstring@1"},
      {"f'{a!x}'", "python-fstring@1"},
      {"f'{a\\n}'", "python-fstring@1"},
      {"f'{a:{b:{c}}}'", "python-fstring@1"},
      {"f'{a b}'", "python-syntax@1"},
      {"x = " + std::string(2000, '-') + "1", "python-depth@1"},
  };
  for (const Case& each : cases) EXPECT_EQ(failure(each.text), each.expected) << each.text;
  std::string indents;
  for (int i = 0; i < 101; ++i) indents += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  EXPECT_EQ(failure(indents), "python-indent-too-deep@101");
  EXPECT_EQ(failure("x = " + std::string(kMaxFileBytes, ' ') + "1"), "python-too-large@1");
}

TEST(Parser, AcceptsWhatOnlyTheCompilerRejects) {
  for (const std::string text : {"return 1", "break", "*a = b", "def f(a, a): pass", "x = yield",
                                 "f(a=1, a=2)", "async with a: pass", "nonlocal x", "# coding: latin-1\nx"}) {
    EXPECT_EQ(failure(text), "good") << text;
  }
}

TEST(Parser, NestingEndsInADiagnosticNotInACrash) {
  const auto many = [](const std::string& unit, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += unit;
    return out;
  };
  for (const std::string unit : {"not ", "lambda: ", "2**", "a if b else ", "-"}) {
    EXPECT_EQ(failure("x = " + many(unit, 50000) + "1"), "python-depth@1") << unit;
    EXPECT_EQ(failure("x = " + many(unit, 200) + "1"), "good") << unit;
  }
  for (const std::string unit : {".a", "[0]", "()", "+1"}) {
    EXPECT_EQ(failure("x = a" + many(unit, 50000)), "python-depth@1") << unit;
    EXPECT_EQ(failure("x = a" + many(unit, 900)), "good") << unit;
  }
  EXPECT_EQ(failure("if a: pass\n" + many("elif a: pass\n", 50000)).substr(0, 12), "python-depth");
  EXPECT_EQ(failure("x = " + many("(", 200) + "1" + many(")", 200)), "good");
  EXPECT_EQ(failure("x = " + many("f(", 200) + "1" + many(")", 200)), "good");
}

}  // namespace
}  // namespace pw::python
