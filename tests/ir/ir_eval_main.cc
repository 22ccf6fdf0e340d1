// ir_eval FILE: evaluates the functions of an IR text on raw arrays, for compare_ops.py. ir_eval --ops: the
// op table.
//
// A request on stdin is a line "FUNCTION N", then the bytes of the parameters that are neither the symbol
// (which is N) nor promoted returns; the answer is the bytes of the promoted returns.
#include <fmt/format.h>

#include <cstdio>

#include "diagnostics/engine.h"
#include "ir/eval.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace {

using namespace pw;

/// text, arity, rounding, NumPy's name or -, then per dtype of the last argument "dtype=result".
void print_ops() {
  for (const ir::OpRow& row : ir::op_rows()) {
    static constexpr std::string_view kRounding[] = {"exact", "real", "library"};
    fmt::print("{} {} {} {}", row.text, row.arity, kRounding[static_cast<std::size_t>(row.rounding)],
               row.numpy.empty() ? "-" : row.numpy);
    const ir::Op op = *ir::op_from_text(row.text);
    for (std::size_t i = 0; i < ir::kDTypeCount; ++i) {
      const auto type = static_cast<ir::DType>(i);
      std::vector<ir::DType> types(row.arity, type);
      if (row.rule == ir::TypeRule::Choice) types[0] = ir::DType::Bool;
      if (const auto result = ir::op_result(op, types)) {
        fmt::print(" {}={}", ir::row(type).text, ir::row(*result).text);
      }
    }
    fmt::print("\n");
  }
}

int fail(const std::string& what) {
  fmt::print(stderr, "ir_eval: {}\n", what);
  return 1;
}

int answer(const ir::Module& module, ir::FunctionId id, std::int64_t n) {
  const ir::Function& function = module[id];
  std::vector<ir::EvalArgument> arguments;
  std::vector<std::vector<unsigned char>> bytes(function.parameters.size());
  const std::size_t given = function.parameters.size() - function.promoted;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (std::holds_alternative<ir::LocalId>(function.parameters[i])) {
      arguments.emplace_back(ir::const_int(ir::DType::I64, n));
      continue;
    }
    const ir::DType type = module[std::get<ir::BufferId>(function.parameters[i])].type;
    bytes[i].resize(static_cast<std::size_t>(n) * row(type).bytes);
    if (i < given && std::fread(bytes[i].data(), 1, bytes[i].size(), stdin) != bytes[i].size()) {
      return fail("an array is too short");
    }
    arguments.emplace_back(ir::ArrayRef{bytes[i].data(), type, {n}});
  }
  const ir::EvalResult result = ir::eval(module, id, arguments);
  if (result.status != 0) return fail(result.detail);
  for (std::size_t i = given; i < bytes.size(); ++i) std::fwrite(bytes[i].data(), 1, bytes[i].size(), stdout);
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage: ir_eval FILE | --ops");
  if (std::string_view(argv[1]) == "--ops") {
    print_ops();
    return 0;
  }
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const auto file = sources.load(argv[1]);
  if (!file) return fail("the file cannot be read");
  const auto module = ir::parse(*file, sources, engine);
  if (!module || !ir::verify(*module, engine)) return fail(to_text(engine.all()[0], sources));
  char name[128];
  long long n = 0;
  while (std::scanf("%127s %lld", name, &n) == 2) {
    if (std::getchar() != '\n') return fail("a request is a line");
    ir::FunctionId id;
    for (std::size_t i = 0; i < module->functions.size(); ++i) {
      if (module->functions[i].name == name) id = ir::FunctionId(i);
    }
    if (!id.valid()) return fail(fmt::format("no function {}", name));
    if (answer(*module, id, n) != 0) return 1;
  }
  return 0;
}
