// What a local's range says must hold wherever the local is: passes fold the checks that it decides.
#include <gtest/gtest.h>

#include "frontends/numpy/stage_case.h"
#include "ir/printer.h"

namespace pw::numpy {
namespace {

std::string staged(const std::string& body) {
  StageCase what;
  what.source = "import numpy as np\n\n\ndef f(x, i):\n    " + body + "\n";
  what.symbols = {{"n", 4}};
  what.arguments.push_back({"x", CaseArray{ir::DType::F64, {4}, std::vector<std::byte>(32)}, {"n"}, false});
  what.arguments.push_back({"i", ir::const_int(ir::DType::I64, 1), {}, true});
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const base::FileId file = sources.add("case.py", what.source);
  const auto made = [&]() -> base::Result<StagedKernel> {
    PW_TRY(const KernelInterface interface, case_interface(what, file, sources, engine));
    PW_TRY(const python::Tree tree, python::parse_file(file, sources, engine));
    return stage(tree, interface, sources, engine);
  }();
  EXPECT_TRUE(made.has_value()) << what.source;
  return made ? ir::print(made->module, ir::PrintOptions{false}) : "";
}

TEST(StageRanges, AnIndexIsCheckedBeforeTheLocalWhoseRangeTheCheckMakesTrue) {
  const std::string text = staged("x[i] = 1.0");
  const std::size_t check = text.find("trap 1 if or(lt(i, -n), ge(i, n))");
  const std::size_t local = text.find("let i_at: i64 in [0, n - 1]");
  ASSERT_NE(check, std::string::npos) << text;
  ASSERT_NE(local, std::string::npos) << text;
  EXPECT_LT(check, local) << text;
}

}  // namespace
}  // namespace pw::numpy
