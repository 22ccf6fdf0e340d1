#include "backends/c/libraries.h"

#include <fmt/format.h>

#include "backends/c/header.h"
#include "base/check.h"

namespace pw::backends::c {

const runtime::Library& blas() {
  static const runtime::Library kBlas = {"OpenBLAS", "cblas.h", "-lopenblas", "libopenblas-dev"};
  return kBlas;
}

const runtime::Library& fftw() {
  static const runtime::Library kFftw = {"FFTW", "fftw3.h", "-lfftw3", "libfftw3-dev"};
  return kFftw;
}

// Source: https://www.fftw.org/fftw3_doc/64_002dbit-Guru-Interface.html
std::string fftw_function(Port& port, ir::FunctionId id) {
  const Signature& signature = port.signatures[id.index()];
  const std::vector<std::string>& names = signature.arguments;
  PW_CHECK(names.size() == 5, "a transform has five parameters");
  const std::string& outer = names[0];
  const std::string& n = names[1];
  const std::string& inner = names[2];
  const std::string& sign = names[3];
  const std::string& x = names[4];
  port.libraries.emplace(fftw().header, &fftw());
  Code code;
  code.line("// In place, by FFTW, whose planner serves one thread at a time.");
  code.open(wrapped(signature.head, 2));
  code.line(fmt::format("if ({} < 2 || {} == 0 || {} == 0) return 0;", n, outer, inner));
  const std::string along = port.names.fresh(id, "along");
  const std::string over = port.names.fresh(id, "over");
  const std::string plan = port.names.fresh(id, "plan");
  code.line(fmt::format("const fftw_iodim64 {} = {{{}, {}, {}}};", along, n, inner, inner));
  code.line(fmt::format("const fftw_iodim64 {0}[] = {{{{{1}, {2} * {3}, {2} * {3}}}, {{{3}, 1, 1}}}};", over,
                        outer, n, inner));
  code.line(fmt::format("const fftw_plan {0} =", plan));
  code.line(fmt::format("    fftw_plan_guru64_dft(1, &{}, 2, {}, {}, {}, (int){}, FFTW_ESTIMATE);", along,
                        over, x, x, sign));
  code.line(fmt::format("if ({} == NULL) return -1;", plan));
  code.line(fmt::format("fftw_execute({});", plan));
  code.line(fmt::format("fftw_destroy_plan({});", plan));
  code.line("return 0;");
  code.close();
  return code.text();
}

std::string blas_condition(Port& port, Expressions& expr, const passes::Contraction& product) {
  std::string out = fmt::format("{}({}, {}, {})", port.prelude.use("blas_takes"), expr.print(product.m).text,
                                expr.print(product.n).text, expr.print(product.depth).text);
  std::set<std::string> said;
  const auto demand = [&](const std::string& condition) {
    if (said.insert(condition).second) out += " && " + condition;
  };
  for (const auto& [leading, width] : product.at_least) {
    const std::string size = within(expr.print(leading), Level::Shift);
    demand(fmt::format("{} >= {}", size, within(expr.print(width), Level::Shift)));
    demand(size + " <= INT32_MAX");
  }
  return out;
}

// Source: https://netlib.org/blas/ (cblas.h)
std::string blas_call(Port& port, Expressions& expr, const passes::Contraction& product) {
  port.libraries.emplace(blas().header, &blas());
  const auto size = [&](ir::ExtentId extent) { return cast("int", expr.print(extent)).text; };
  const auto place = [&](const passes::Contraction::Operand& operand) {
    const Formula base{port.names.of(operand.buffer)};
    const Formula offset = expr.print(operand.offset);
    return offset.text == "0" ? base.text : binary("+", Level::Sum, base, offset).text;
  };
  const auto turned = [](const passes::Contraction::Operand& operand) {
    return operand.transposed ? "CblasTrans" : "CblasNoTrans";
  };
  const auto scale = [&](int value) -> std::string {
    if (!ir::is_complex(product.type)) return fmt::format("{}.0{}", value, math_suffix(product.type));
    return fmt::format("&({}){{{}}}", c_type(product.type), value);
  };
  const char letter = product.type == ir::DType::F32   ? 's'
                      : product.type == ir::DType::F64 ? 'd'
                      : product.type == ir::DType::C64 ? 'c'
                                                       : 'z';
  return fmt::format("cblas_{}gemm(CblasRowMajor, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});",
                     letter, turned(product.a), turned(product.b), size(product.m), size(product.n),
                     size(product.depth), scale(1), place(product.a), size(product.a.leading),
                     place(product.b), size(product.b.leading), scale(0), place(product.c),
                     size(product.c.leading));
}

}  // namespace pw::backends::c
