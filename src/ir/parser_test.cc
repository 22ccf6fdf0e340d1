#include "ir/parser.h"

#include <gtest/gtest.h>

#include "ir/printer.h"

namespace pw::ir {
namespace {

constexpr std::string_view kEverything = R"(assume "layout = \"csr\"\x09"
trap IndexError "index \\ out of range"
trap Assumption "n is even"
config eps: f64 = 1e-06
config k: i64 = 3
table w: i64[2] = {1, -2}

func @other(n: symbol, x: f64[n], t: f64[k + n]) -> (f64) {
  return x[0]
}

func @fft(outer: symbol, n: symbol, inner: symbol, sign: i64, x: c128[n]) routine fft {
}

func @main(x: f64[n, m], a: f64, q: i64 in [0, n - 1], y: f64[2*m*n] invented, n: symbol, m: symbol in [1, _]) -> (f64, bool) promoted 1 {
  alloc t: f64[n, (m // 2)] invented
  map parallel library (i < n, j < (m // 2)) {
    let v: f64 = add(x[i, 2*j], a)
    store t[i, j] = select(lt(v, eps), 0.0, v)
  }
  reduce s: f64 = sum any (i.2 < n) {
    let u: f64 = mul(t[i.2, 0], 2.0)
    yield u
  }
  reduce p: i64 = argmax sequential (r < n, c < m in [_, m]) {
    yield x[r, c]
  }
  alloc z: f64[k + n]
  var acc: f64
  var flag: bool = true
  for l = range(0, n, 1) {
    set acc = add(acc, x[l, 0])
  }
  for vector l.2 = range(n - 1, -1, -1) {
    if gt(acc, 0.0) {
      break
    } else {
      continue
    }
  }
  for l.3 in [0, n] = range(q, min(m, n), (q % 3)) {
    trap 1 if lt(q, 0)
  }
  while flag {
    set flag = false
  }
  call r.2: f64 = @other(n, y, z)
  trap 2
  let big: i64 in [0, m*n] = i64(c128{1.5, -nan})
  store y[big] = f64(nan:f32)
  let c.2: bool = eq(0x7ff8000000000001:f64, -inf)
  let d: i8 = -128:i8
  let e: u64 = 18446744073709551615:u64
  let f: i64 = -9223372036854775808
  let g: f64 = f64(index(n))
  return s, c.2
}
)";

struct Parsed {
  base::Sources sources;
  diagnostics::Engine engine{sources};
  base::Result<Module> module;

  explicit Parsed(std::string text)
      : module(parse(sources.add("t.pwir", std::move(text)), sources, engine)) {}
  std::string first_error() const {
    return engine.all().empty() ? "none" : diagnostics::to_text(engine.all()[0], sources);
  }
};

TEST(Parser, ReadsWhatThePrinterPrints) {
  const Parsed first{std::string(kEverything)};
  ASSERT_TRUE(first.module) << first.first_error();
  EXPECT_EQ(print(*first.module, PrintOptions{.spans = false}), kEverything);
  const std::string with_places = print(*first.module);
  const Parsed second{with_places};
  ASSERT_TRUE(second.module) << second.first_error();
  EXPECT_EQ(print(*second.module), with_places);
}

TEST(Parser, KeepsPlacesOfTheSource) {
  const Parsed parsed("func @f(n: symbol) { !3:9\n  let a: i64 = n + 1 !10:14\n}\n");
  ASSERT_TRUE(parsed.module) << parsed.first_error();
  const Module& module = *parsed.module;
  EXPECT_EQ(module.functions[0].span, (base::Span{{}, 3, 9}));
  EXPECT_EQ(module.span(StmtId(0)), (base::Span{{}, 10, 14}));
  EXPECT_EQ(module.span(std::get<Let>(module[StmtId(0)]).value), (base::Span{{}, 10, 14}));
}

TEST(Printer, MakesNamesUniqueAndReadable) {
  Module module;
  Function function;
  function.name = "f";
  std::vector<StmtId> statements;
  for (const char* name : {"x", "x", "2 %", "nan"}) {
    Local local;
    local.name = name;
    const LocalId id = module.add(std::move(local));
    statements.push_back(module.add(Let{id, module.add(const_int(DType::I64, 1), {})}, {}));
  }
  function.body = module.add(Block{statements});
  module.add(function);
  EXPECT_EQ(
      print(module),
      "func @f() {\n  let x: i64 = 1\n  let x.2: i64 = 1\n  let _2__: i64 = 1\n  let nan_: i64 = 1\n}\n");
}

/// 2^60 additions as a tree, 60 as a graph.
TEST(Printer, NamesSharedExpressionsInsteadOfUnfoldingThem) {
  Module module;
  Local local;
  local.name = "x";
  local.type = DType::F64;
  local.kind = LocalKind::Variable;
  const LocalId x = module.add(local);
  ExprId value = module.add(Read{x}, {});
  for (int i = 0; i < 60; ++i) value = module.add(Apply{Op::Add, {value, value}}, {});
  for (int i = 0; i < 500; ++i) value = module.add(Apply{Op::Sqrt, {value}}, {});
  Function function;
  function.name = "f";
  function.body = module.add(Block{{module.add(Declare{x, {}}, {}), module.add(Assign{x, value}, {})}});
  module.add(function);
  const std::string text = print(module);
  EXPECT_LT(text.size(), 20000U);
  EXPECT_NE(text.find("$1 = "), std::string::npos);
  const Parsed parsed{text};
  ASSERT_TRUE(parsed.module) << parsed.first_error();
  EXPECT_EQ(print(*parsed.module, PrintOptions{.spans = false}), text);
  EXPECT_EQ(parsed.module->expr_count(), module.expr_count());
  EXPECT_LT(print(module, module[module.functions[0].body].statements[1]).size(), 2000U);
}

struct BadCase {
  std::string text;  // of a body
  std::string error;
};

TEST(Parser, SaysWhatIsWrongAndWhere) {
  const std::vector<BadCase> cases = {
      {"let a: i64 = ", "2:14: ir-syntax: expected a constant, found the end of the line"},
      {"let a: f16 = 1", "2:8: ir-syntax: expected a dtype, found 'f16'"},
      {"jump", "2:1: ir-syntax: expected a statement, found 'jump'"},
      {"let a: i64 = b", "2:14: ir-unknown-name: b is not defined before this place"},
      {"let a: i64 = 1\nlet a: i64 = 2", "3:5: ir-duplicate-name: a is defined twice in this scope"},
      {"let a: f64 = add(1, 1.0)", "2:14: ir-operands: add does not take (i64, f64)"},
      {"let a: f64 = frob(1)", "2:14: ir-unknown-name: frob is not defined before this place"},
      {"let a: i8 = 128:i8", "2:13: ir-literal: 128 is no constant of dtype i8"},
      {"let a: u8 = -1:u8", "2:14: ir-literal: -1 is no constant of dtype u8"},
      {"let a: i64 = 1.0 + 2",
       "2:14: ir-index-arithmetic: index arithmetic: this is no integer constant or "
       "immutable i64 local"},
      {"let a: i64 = n // 0", "2:14: ir-index-arithmetic: index arithmetic: the divisor is 0"},
      {"let a: i64 = 4611686018427387904 * 4",
       "2:14: ir-index-arithmetic: index arithmetic: the result may be beyond 2^62"},
      {"trap 1", "2:6: ir-syntax: expected the number of a trap row, found '1'"},
      {"call @g()", "2:6: ir-unknown-name: @g is not defined before this place"},
      {"let a: bool = " + std::string(300, '('), "2:270: ir-too-deep: nesting is deeper than 256 levels"},
  };
  for (const BadCase& each : cases) {
    const Parsed parsed("func @f(n: symbol) {\n" + each.text + "\n}\n");
    EXPECT_FALSE(parsed.module) << each.text;
    EXPECT_EQ(parsed.first_error().substr(0, 7 + each.error.size()), "t.pwir:" + each.error) << each.text;
  }
}

TEST(Parser, NamesEndWithTheirFunction) {
  const Parsed parsed("func @f(n: symbol) {\n  let a: i64 = 1\n}\n\nfunc @g() {\n  let b: i64 = n\n}\n");
  EXPECT_FALSE(parsed.module);
  EXPECT_EQ(parsed.first_error().substr(0, 54), "t.pwir:6:16: ir-unknown-name: n is not defined before ");
}

}  // namespace
}  // namespace pw::ir
