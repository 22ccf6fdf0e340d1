// Ports that are right and ports that are wrong in every way we know, beside a real reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ir/parser.h"
#include "runtime/scratch.h"
#include "verify/case.h"

namespace pw::verify {
namespace {

using numpy::AbiArgument;
using Role = AbiArgument::Role;
using ir::DType;
using ir::TrapKind;
using testing::HasSubstr;

std::string python() {
  if (const char* given = std::getenv("PORTWRIGHT_PYTHON"); given && *given) return given;
  FILE* const pipe = popen(PW_SOURCE_DIR "/scripts/python-env numpy", "r");
  char line[4096] = "";
  const bool read = pipe && fgets(line, sizeof line, pipe);
  if (pipe) pclose(pipe);
  const std::string folder(line);
  return read ? folder.substr(0, folder.find('\n')) + "/bin/python" : "python3";
}

class RunCase : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    base::Sources sources;
    diagnostics::Engine engine(sources);
    runtime::WorkerOptions options;
    options.python = python();
    options.python_folder = PW_SOURCE_DIR "/python";
    auto started = runtime::NumpyWorker::start(options, engine);
    ASSERT_TRUE(started);
    worker = std::move(*started).release();
  }
  static void TearDownTestSuite() {
    delete worker;
    worker = nullptr;
  }

  /// The case of a reference `def k(a, b): ...` and a port `int k(double* a, double* b, int64_t n) { ... }`.
  CaseResult run(const std::string& reference, const std::string& port_body) {
    std::ofstream(folder.path() + "/k_numpy.py")
        << "import numpy as np\n\ndef k(a, b):\n    " << reference << "\n";
    std::ofstream(folder.path() + "/k.yaml") << "name: k\nfunc_name: k\nparameters:\n  S: {n: 20}\ninit:\n"
                                                "  arrays: {a: '(n,)', b: '(n,)'}\noutput_args: [b]\n";
    const std::string own =
        leading_size ? "int64_t n, double* a, double* b" : "double* a, double* b, int64_t n";
    port.library = compile("#include <math.h>\n#include <stdint.h>\nint k(" + own + more_parameters +
                           ") {\n" + port_body + "\n}\n");
    port.symbol = "k";
    plan.name = "S";
    plan.request.manifest = folder.path() + "/k.yaml";
    const auto result = run_case(*worker, port, plan, engine);
    EXPECT_TRUE(result);
    return result ? *result : CaseResult();
  }

  std::string compile(const std::string& text) {
    const std::string stem = folder.path() + "/port" + std::to_string(++ports);
    std::ofstream(stem + ".c") << text;
    const std::string command = "gcc -shared -fPIC -O0 -w -o " + stem + ".so " + stem + ".c -lm";
    EXPECT_EQ(std::system(command.c_str()), 0) << text;
    return stem + ".so";
  }

  static inline runtime::NumpyWorker* worker = nullptr;
  runtime::ScratchFolder folder;
  base::Sources sources;
  diagnostics::Engine engine{sources};
  RunnablePort port{"",
                    "",
                    "",
                    {{"a", Role::Array, DType::F64, 0},
                     {"b", Role::Array, DType::F64, 0},
                     {"n", Role::Symbol, DType::I64, 0}},
                    {{TrapKind::ValueError, "too small", {}}, {TrapKind::Assumption, "n is even", {}}},
                    "float64",
                    true};
  CasePlan plan;
  std::string more_parameters;
  bool leading_size = false;  // n before the arrays
  int ports = 0;
};

constexpr const char* kDouble = "b[:] = a * 2";
constexpr const char* kRight = "for (int64_t i = 0; i < n; ++i) b[i] = a[i] * 2; return 0;";
constexpr const char* kLoop = "for (int64_t i = 0; i < n; ++i) ";

TEST_F(RunCase, ARightPortAgrees) {
  const CaseResult result = run(kDouble, kRight);
  EXPECT_EQ(result.state, CaseState::Agrees) << result.note;
  EXPECT_EQ(result.compared, 40u);
  EXPECT_EQ(result.worst_error, 0);
}

TEST_F(RunCase, WrongPortsDiffer) {
  const std::string loop = kLoop;
  const struct {
    std::string body, note;
  } rows[] = {
      {loop + "b[i] = a[i] * (i == 13 ? 3 : 2); return 0;", "b[13]: got "},
      {loop + "b[i] = nextafter(a[i] * 2, 1e9); return 0;", "of 20 elements differ"},
      {loop + "b[i] = a[i] * 2; a[0] = 7; return 0;", "a[0]: got 7"},
      {"return 0;", "b["},
      {loop + "b[i] = a[i] * 2; b[n + 1] = 0; return 0;", "outside b: 168 bytes"},
      {loop + "b[i] = a[i] * 2; a[-2] = 0; return 0;", "outside a: -"},
      {"*(volatile int*)8 = 1; return 0;", "killed by SIGSEGV"},
      {"return 1;", "the port raises ValueError (too small); the reference does not"},
      {"return 9;", "the port returns 9, which is no status that its header lists"},
      {"return -9;", "the port returns -9, which is no status that its header lists"},
      {"return -1;", "the port returns -1: out of memory"},
      {"return -3;", "the port returns -3: two arrays overlap"},
  };
  for (const auto& row : rows) {
    const CaseResult result = run(kDouble, row.body);
    EXPECT_EQ(result.state, CaseState::Differs) << row.body;
    EXPECT_THAT(result.note, HasSubstr(row.note));
  }
}

TEST_F(RunCase, ThreadedCasesRunTheThreadedBuild) {
  port.threaded_library =
      compile("#include <stdint.h>\nint k(double* a, double* b, int64_t n) { return 0; }\n");
  EXPECT_EQ(run(kDouble, kRight).state, CaseState::Agrees);
  plan.threaded = true;
  const CaseResult wrong = run(kDouble, kRight);
  EXPECT_EQ(wrong.state, CaseState::Differs);
  EXPECT_TRUE(wrong.threaded);
  EXPECT_THAT(wrong.note, HasSubstr("in the build in which threads share every loop"));
  port.threaded_library.clear();  // a port without such a loop has one build
  EXPECT_EQ(run(kDouble, kRight).state, CaseState::Agrees);
}

TEST_F(RunCase, AReadBeyondTheEndIsSeenAtAPagesEnd) {
  const std::string body = std::string(kLoop) + "b[i] = a[i] * 2; return a[n] == 1e-300;";
  EXPECT_EQ(run(kDouble, body).state, CaseState::Agrees);
  plan.placement = runtime::Placement::PageEnd;
  const CaseResult result = run(kDouble, body);
  EXPECT_EQ(result.state, CaseState::Differs);
  EXPECT_THAT(result.note, HasSubstr("outside a"));
}

TEST_F(RunCase, APortThatDeclines) {
  EXPECT_EQ(run(kDouble, "return 2;").state, CaseState::Declined);
  plan.generated = true;
  const CaseResult result = run(kDouble, "return 2;");
  EXPECT_EQ(result.state, CaseState::Dropped);
  EXPECT_THAT(result.note, HasSubstr("n is even"));
}

TEST_F(RunCase, TrapsAgreeByKind) {
  const char* const raises = "raise ValueError('no')";
  EXPECT_EQ(run(raises, "return 1;").note, "both raise ValueError");
  EXPECT_THAT(run(raises, kRight).note, HasSubstr("the reference raises ValueError: no; the port does not"));
  EXPECT_THAT(run("raise IndexError('no')", "return 1;").note, HasSubstr("the reference raises IndexError"));
  plan.generated = true;
  EXPECT_EQ(run(raises, kRight).state, CaseState::Dropped);
  EXPECT_EQ(run(raises, "return 1;").state, CaseState::Agrees);
}

TEST_F(RunCase, ReturnedValuesAreCompared) {
  port.abi.push_back({"total", Role::ReturnedArray, DType::F64, 0});
  port.abi.push_back({"count", Role::ReturnedScalar, DType::I64, 0, 1});
  more_parameters = ", double* total, int64_t* count";
  const char* const reference = "return a + 1, int(len(b))";
  const std::string right = std::string(kLoop) + "total[i] = a[i] + 1; *count = n; return 0;";
  const CaseResult result = run(reference, right);
  EXPECT_EQ(result.state, CaseState::Agrees) << result.note;
  EXPECT_EQ(result.compared, 61u);
  EXPECT_THAT(run(reference, std::string(kLoop) + "total[i] = a[i] + 1; *count = 3; return 0;").note,
              HasSubstr("count: got 3, reference 20"));
  EXPECT_THAT(run(reference, std::string(kLoop) + "total[i] = a[i]; *count = n; return 0;").note,
              HasSubstr("total["));
  EXPECT_THAT(run("return a + 1", right).note, HasSubstr("the reference returns 1 values, the port 2"));
}

TEST_F(RunCase, AnotherDtypeDiffersUnlessThePortDeclines) {
  port.abi.push_back({"total", Role::ReturnedArray, DType::F64, 0});
  more_parameters = ", double* total";
  const char* const reference = "return a.astype(np.float32)";
  EXPECT_THAT(run(reference, std::string(kLoop) + "total[i] = a[i]; return 0;").note,
              HasSubstr("the reference returns float32, but the port float64 in total"));
  port.traps = {{ir::TrapKind::Assumption, "a loop that runs", {}, {}}};
  EXPECT_EQ(run(reference, "return 1;").state, CaseState::Declined);
}

TEST_F(RunCase, ALengthThatOnlyRunningTellsIsCompared) {
  const auto staged = ir::parse(
      sources.add(
          "k.ir",
          "func @k(n: symbol, a: f64[n], b: f64[n], kept: f64[n], kept_length: i64[]) -> () promoted 2 "
          "{\n}\n"),
      sources, engine);
  ASSERT_TRUE(staged);
  port.module = &*staged;
  port.abi = {{"n", Role::Symbol, DType::I64, 0},
              {"a", Role::Array, DType::F64, 0},
              {"b", Role::Array, DType::F64, 0},
              {"kept", Role::ReturnedArray, DType::F64, 0},
              {"kept_length", Role::ReturnedLength, DType::I64, 0}};
  const auto note = [&](const std::string& body) { return run("return a[a > a[3]]", body).note; };
  more_parameters = ", double* kept, int64_t* kept_length";
  leading_size = true;
  const std::string loop = "int64_t m = 0; for (int64_t i = 0; i < n; ++i) if (a[i] > a[3]) ";
  EXPECT_EQ(note(loop + "kept[m++] = a[i]; *kept_length = m; return 0;"), "");
  EXPECT_THAT(note(loop + "kept[m++] = a[i]; *kept_length = m - 1; return 0;"),
              HasSubstr("kept has length "));
  EXPECT_THAT(note(loop + "kept[m++] = a[i]; *kept_length = n + 1; return 0;"),
              HasSubstr("kept has length 21"));
  EXPECT_THAT(note(loop + "kept[m++] = a[i]; return 0;"), HasSubstr("kept has length "));
  EXPECT_THAT(note(loop + "kept[m++] = a[i] + 1; *kept_length = m; return 0;"),
              HasSubstr(" of 15 elements differ"));
  EXPECT_THAT(note(loop + "m++; *kept_length = m; return 0;"),
              HasSubstr("kept[0]: the port leaves it unwritten"));
  EXPECT_THAT(note("kept[n] = 1; *kept_length = 0; return 0;"), HasSubstr("outside kept"));
}

TEST_F(RunCase, ReturnedValuesAreFoundByTheirPlace) {
  port.abi.push_back({"total", Role::ReturnedArray, DType::F64, 0, 1});
  port.abi.push_back({"count", Role::ReturnedScalar, DType::I16, 0, 0});
  more_parameters = ", double* total, int16_t* count";
  const char* const reference = "return np.int16(len(b)), a + 1";
  const CaseResult result = run(reference, std::string(kLoop) + "total[i] = a[i] + 1; *count = n; return 0;");
  EXPECT_EQ(result.state, CaseState::Agrees) << result.note;
}

TEST_F(RunCase, AResultThatThePortLeavesUnwrittenIsSeen) {
  port.abi.push_back({"total", Role::ReturnedArray, DType::F64, 0});
  more_parameters = ", double* total";
  const std::string all_but_one = std::string(kLoop) + "if (i != 7) total[i] = a[i] * 0; return 0;";
  const CaseResult zero = run("return a * 0", all_but_one);
  EXPECT_EQ(zero.state, CaseState::Differs);
  EXPECT_THAT(zero.note, HasSubstr("total[7]: the port leaves it unwritten"));
  const CaseResult nan = run("return a * np.where(np.arange(20) == 7, np.nan, 0)", all_but_one);
  EXPECT_THAT(nan.note, HasSubstr("total[7]: the port leaves it unwritten"));
  port.exact = false;
  EXPECT_EQ(run("return np.sin(a * 1e18)",
                std::string(kLoop) + "if (i != 7) total[i] = sin(a[i] * 1e18); return 0;")
                .state,
            CaseState::Differs);
}

TEST_F(RunCase, AnIntegerOrScalarResultThatThePortLeavesUnwrittenIsSeen) {
  port.abi.push_back({"total", Role::ReturnedArray, DType::I64, 0});
  port.abi.push_back({"count", Role::ReturnedScalar, DType::F64, 0, 1});
  more_parameters = ", int64_t* total, double* count";
  const char* const reference = "return np.zeros(20, dtype=np.int64), float(len(b) - 20)";
  EXPECT_EQ(run(reference, std::string(kLoop) + "total[i] = 0; *count = 0; return 0;").state,
            CaseState::Agrees);
  EXPECT_THAT(run(reference, "*count = 0; return 0;").note, HasSubstr("total[0]: got -"));
  EXPECT_THAT(run(reference, std::string(kLoop) + "total[i] = 0; return 0;").note,
              HasSubstr("count: the port leaves it unwritten"));
}

TEST_F(RunCase, APoisonedOutputThatThePortLeavesUnwrittenIsSeen) {
  const auto module = ir::parse(sources.add("k.ir",
                                            "func @k(a: f64[n], b: f64[n], n: symbol) {\nmap (i < 13) {\n"
                                            "store b[i] = 0.0\n}\nreturn\n}\n"),
                                sources, engine);
  ASSERT_TRUE(module);
  port.module = &*module;
  plan.poison_outputs = true;
  const char* const reference = "b[:13] = 0; assert np.isnan(b[13:]).all() and not np.isnan(a).any()";
  EXPECT_EQ(run(reference, "for (int64_t i = 0; i < 13; ++i) b[i] = 0; return 0;").state, CaseState::Agrees);
  EXPECT_THAT(run(reference, "for (int64_t i = 0; i < 12; ++i) b[i] = 0; return 0;").note,
              HasSubstr("b[12]: got nan, reference 0"));
}

TEST_F(RunCase, IllConditionedIsSaidOnlyWhereNothingIsExact) {
  const char* const reference = "b[:] = np.sin(a * 1e18)";
  const std::string near = std::string(kLoop) + "b[i] = sin(nextafter(a[i], 9) * 1e18); return 0;";
  EXPECT_EQ(run(reference, near).state, CaseState::Differs);
  port.exact = false;
  EXPECT_EQ(run(reference, near).state, CaseState::IllConditioned);
  EXPECT_EQ(run("b[:] = np.sin(a)", std::string(kLoop) + "b[i] = sin(a[i] + 1e-6); return 0;").state,
            CaseState::Differs);
  // One element that hangs on nothing is not excused by the others.
  const CaseResult one =
      run("b[:] = np.sin(a * 1e18); b[7] = 0.25",
          std::string(kLoop) + "b[i] = sin(nextafter(a[i], 9) * 1e18); b[7] = 0.5; return 0;");
  EXPECT_EQ(one.state, CaseState::Differs);
}

TEST_F(RunCase, NoInputsIsNoCase) {
  plan.request.preset = "XL";
  EXPECT_EQ(run(kDouble, kRight).state, CaseState::Dropped);
}

TEST_F(RunCase, APortThatTakesWhatIsNotThere) {
  port.abi[1].type = DType::I32;
  EXPECT_THAT(run(kDouble, kRight).note, HasSubstr("b is float64, but the port takes int32"));
  port.abi[1].type = DType::I64;  // as wide
  EXPECT_THAT(run(kDouble, kRight).note, HasSubstr("b is float64, but the port takes int64"));
  port.abi[1] = {"c", Role::Array, DType::F64, 0};
  EXPECT_THAT(run(kDouble, kRight).note, HasSubstr("the port takes an array c that the inputs lack"));
}

}  // namespace
}  // namespace pw::verify
