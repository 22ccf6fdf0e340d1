#include "ir/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ir/parser.h"
#include "ir/printer.h"

// What text can say wrongly is in tests/ir/verifier.pwir; here is what only a pass can do.
namespace pw::ir {
namespace {

constexpr std::string_view kText = R"(trap ValueError "no"
config k: i64 = 3
table w: f64[2] = {1.0, 2.0}

func @f(n: symbol, x: f64[n]) {
  let a: i64 = n + 1
  var v: i64 = a
  map (i < n) {
    store x[i] = add(x[i], f64(v))
  }
  if lt(a, 0) {
    alloc t: f64[a]
  }
}

func @g() {
}
)";

/// The first error after a change to the module, or "none".
std::string error_after(const std::function<void(Module&)>& change) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  auto module = parse(sources.add("v.pwir", std::string(kText)), sources, engine);
  if (!module) return "not parsed";
  change(*module);
  const bool good = verify(*module, engine).has_value();
  EXPECT_EQ(good, engine.all().empty());
  if (good) return "none";
  const diagnostics::Diagnostic& first = engine.all()[0];
  return std::string(diagnostics::row(first.rule).rule) + ": " + first.message;
}

StmtId statement(const Module& module, std::size_t index) {
  return module[module.functions[0].body].statements[index];
}
LocalId local(const Module& module, std::string_view name) {
  for (std::size_t i = 0; i < module.locals.size(); ++i) {
    if (module.locals[i].name == name) return LocalId(i);
  }
  return {};
}

TEST(Verifier, FindsWhatAPassMayBreak) {
  struct Case {
    std::string error;
    std::function<void(Module&)> change;
  };
  const base::Span place{{}, 1, 2};
  const std::vector<Case> cases = {
      {"none", [](Module&) {}},
      {"ir-bad-id: @f: statement 0 names what is not there",
       [](Module& m) { std::get<Let>(m[statement(m, 0)]).local = LocalId(99); }},
      {"ir-bad-id: @f: statement 0 names what is not there",
       [](Module& m) { std::get<Let>(m[statement(m, 0)]).value = ExprId(999); }},
      {"ir-bad-id: @f: its body or a parameter is not there", [](Module& m) { m.functions[0].body = {}; }},
      {"is used twice",
       [](Module& m) {
         std::get<If>(m[statement(m, 3)]).else_body = std::get<Map>(m[statement(m, 2)]).body;
       }},
      {"is used twice", [](Module& m) { m[m.functions[0].body].statements.push_back(statement(m, 2)); }},
      {"ir-bad-id: expression", [&](Module& m) { (void)m.add(Const{DType::I8, 255, 0}, place); }},
      {"ir-bad-id: expression",
       [&](Module& m) { (void)m.add(Const{DType::F32, std::uint64_t(1) << 40U, 0}, place); }},
      {"ir-bad-id: a: its range reads what is no local",
       [](Module& m) { m[local(m, "a")].range.lower = m.extents.local(LocalId(77)); }},
      {"ir-bad-id: x: an extent reads what is no local",
       [](Module& m) { m.buffers[1].extents = {m.extents.local(LocalId(77))}; }},
      {"ir-no-span: in @f, `set v = 1`: the statement has no place in the source",
       [&](Module& m) {
         const ExprId one = m.add(const_int(DType::I64, 1), place);
         m[m.functions[0].body].statements.push_back(m.add(Assign{local(m, "v"), one}, {}));
       }},
      {"ir-no-span: in @f, `set v = 77`: `77` has no place in the source",
       [&](Module& m) {
         const ExprId one = m.add(const_int(DType::I64, 77), {});
         m[m.functions[0].body].statements.push_back(m.add(Assign{local(m, "v"), one}, place));
       }},
      {"ir-no-span: in @f: the function", [](Module& m) { m.functions[0].span = {}; }},
      {"ir-definition: in @f, `let a: i64 = 5`: a is defined twice",
       [&](Module& m) {
         const ExprId five = m.add(const_int(DType::I64, 5), place);
         m[m.functions[0].body].statements.push_back(m.add(Let{local(m, "a"), five}, place));
       }},
      {"ir-definition: in @f, `alloc t: f64[a]`: t is defined twice",
       [&](Module& m) {
         const BlockId then = std::get<If>(m[statement(m, 3)]).then_body;
         m[then].statements.push_back(m.add(Alloc{BufferId(2)}, place));
       }},
      {"a is of another kind than what defines it",
       [](Module& m) { m[local(m, "a")].kind = LocalKind::Axis; }},
      {"x is of another kind than what defines it",
       [](Module& m) { m.buffers[1].kind = BufferKind::Temporary; }},
      {"ir-definition: v: only an immutable i64 has a range",
       [](Module& m) { m[local(m, "v")].range.lower = m.extents.constant(0); }},
      {"ir-definition: i: a symbol or axis is i64",
       [](Module& m) {
         m[local(m, "i")].type = DType::I32;
         m[local(m, "i")].range = {};
       }},
      {"ir-definition: k: its constant is none of its dtype",
       [](Module& m) { m[local(m, "k")].config = const_float(DType::F64, 1); }},
      {"ir-definition: w: 1 elements for a table of 2", [](Module& m) { m.buffers[0].table.pop_back(); }},
      {"ir-definition: w: an element is none of its dtype",
       [](Module& m) { m.buffers[0].table[0] = const_int(DType::I64, 1); }},
      {"ir-definition: w: a table's extents are constants",
       [](Module& m) { m.buffers[0].extents = {m.extents.local(local(m, "k"))}; }},
      {"ir-definition: @f: another function has this name", [](Module& m) { m.functions[1].name = "f"; }},
      {"ir-definition: in @g: more promoted returns than parameters",
       [](Module& m) { m.functions[1].promoted = 1; }},
      {"ir-definition: in @f: a promoted return is a scalar", [](Module& m) { m.functions[0].promoted = 2; }},
      {"index arithmetic reads v, which is no immutable i64",
       [&](Module& m) {
         const ExtentId v = m.extents.add(m.extents.local(local(m, "v")), m.extents.constant(1));
         std::get<Let>(m[statement(m, 0)]).value = m.add(Index{v}, place);
       }},
  };
  for (const Case& each : cases) {
    EXPECT_THAT(error_after(each.change), testing::HasSubstr(each.error)) << each.error;
  }
}

TEST(Verifier, RefusesDeepNesting) {
  EXPECT_THAT(error_after([](Module& m) {
                const base::Span place{{}, 1, 2};
                const ExprId condition = m.add(const_bool(true), place);
                BlockId inner = m.add(Block());
                for (int i = 0; i < 300; ++i) {
                  const BlockId other = m.add(Block());
                  inner = m.add(Block{{m.add(If{condition, inner, other}, place)}});
                }
                m.functions[0].body = inner;
              }),
              testing::HasSubstr("ir-too-deep"));
}

TEST(Verifier, SaysWhichParametersAreWritten) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const auto module = parse(sources.add("w.pwir", R"(
func @inner(x: f64[2], y: f64[2]) {
  if true {
    store y[0] = x[0]
  }
}
func @outer(a: f64, p: f64[2], q: f64[2]) {
  call @inner(p, q)
}
)"),
                            sources, engine);
  ASSERT_TRUE(module);
  EXPECT_EQ(written_parameters(*module),
            (std::vector<std::vector<bool>>{{false, true}, {false, false, true}}));
}

}  // namespace
}  // namespace pw::ir
