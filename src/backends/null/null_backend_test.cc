#include <gtest/gtest.h>

#include "backends/null/backend.h"

namespace pw::backends::null {
namespace {

struct NullBackend : testing::Test {
  base::Sources sources;
  diagnostics::Engine engine{sources};
  base::Span here{sources.add("k.py", "x = 1\n"), 0, 5};
  ir::Module module;

  void entry(std::vector<ir::StmtId> statements) {
    ir::Function function;
    function.name = "k";
    function.body = module.add(ir::Block{std::move(statements)});
    function.span = here;
    (void)module.add(function);
  }
};

TEST_F(NullBackend, EmitsAKernelThatDoesNothing) {
  entry({module.add(ir::Return{}, here)});
  EmitOptions options;
  options.name = "k";
  options.run_dtype = ir::DType::F32;
  const auto port = kBackend.emit(module, options, engine);
  ASSERT_TRUE(port);
  EXPECT_EQ(port->files.at(0).name, "k_f32.txt");
  EXPECT_EQ(port->symbol, "k_f32");
}

TEST_F(NullBackend, RefusesTheRestWhereItStands) {
  ir::Local local;
  local.name = "i";
  const ir::ExprId one = module.add(ir::const_int(ir::DType::I64, 1), here);
  entry({module.add(ir::Let{module.add(local), one}, here)});
  EXPECT_FALSE(kBackend.emit(module, {}, engine));
  ASSERT_EQ(engine.all().size(), 1U);
  EXPECT_EQ(diagnostics::to_text(engine.all()[0], sources),
            "k.py:1:1: backend-refused: the null backend has no code for a statement: the null backend emits "
            "nothing. "
            "Fix: write it with operations that the backend has, or choose another backend");
}

}  // namespace
}  // namespace pw::backends::null
