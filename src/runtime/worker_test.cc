#include "runtime/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "runtime/recipe.h"
#include "runtime/scratch.h"

namespace pw::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The environment's interpreter, made by scripts/python-env on first use (which needs the network, so it is
/// not caged).
std::string python() {
  static const std::string path = [] {
    std::string out;
    FILE* const pipe = popen(PW_SOURCE_DIR "/scripts/python-env numpy", "r");
    for (int c; pipe && (c = std::fgetc(pipe)) != EOF && c != '\n';) out += static_cast<char>(c);
    if (pipe) pclose(pipe);
    return out + "/bin/python";
  }();
  return path;
}

class Worker : public ::testing::Test {
 protected:
  static WorkerOptions options() {
    WorkerOptions out;
    out.python = python();
    out.python_folder = PW_SOURCE_DIR "/python";
    out.limits.cpu_seconds = 2;
    out.limits.memory_bytes = 400u << 20;
    out.limits.processes = 40;
    return out;
  }
  static void SetUpTestSuite() {
    base::Sources sources;
    diagnostics::Engine engine(sources);
    auto started = NumpyWorker::start(options(), engine);
    if (!started) {
      ADD_FAILURE() << diagnostics::to_text(engine.all().front(), sources);
      return;
    }
    worker = std::move(*started);
  }
  static void TearDownTestSuite() { worker.reset(); }

  void SetUp() override { ASSERT_NE(worker, nullptr); }

  /// Writes a kernel and its manifest; the request for it.
  WorkerRequest kernel(const std::string& python_text, const std::string& manifest_text) {
    const std::string stem = folder.path() + "/k";
    std::ofstream(stem + "_numpy.py") << python_text;
    std::ofstream(stem + ".yaml") << manifest_text;
    WorkerRequest request;
    request.manifest = stem + ".yaml";
    return request;
  }
  WorkerReply ask(const WorkerRequest& request) {
    auto reply = worker->ask(request, engine);
    if (!reply) {
      ADD_FAILURE() << diagnostics::to_text(engine.all().back(), sources);
      return {};
    }
    return std::move(*reply);
  }

  static std::unique_ptr<NumpyWorker> worker;
  base::Sources sources;
  diagnostics::Engine engine{sources};
  ScratchFolder folder;
};
std::unique_ptr<NumpyWorker> Worker::worker;

constexpr char kAxpy[] = "def k(a, x, y, n):\n    y[:] = a * x + y\n";
constexpr char kAxpyManifest[] =
    "parameters: {S: {N: 5}, M: {N: 7}}\n"
    "init:\n  arrays: {x: \"(N,)\", y: \"(N,)\"}\n  scalars: {a: 2.5, n: 3}\n"
    "output_args: [y]\n";

constexpr char kOneArray[] =
    "func_name: k\nparameters: {S: {N: 2}}\ninit: {arrays: {x: N}}\noutput_args: [x]\n";

TEST_F(Worker, RunsTheReferenceOnCopies) {
  const WorkerReply reply = ask(kernel(kAxpy, kAxpyManifest));
  EXPECT_EQ(reply.outcome, Outcome(Exited{0}));
  EXPECT_FALSE(reply.error) << reply.error->message;
  ASSERT_EQ(reply.arguments.size(), 4u);
  EXPECT_EQ(reply.arguments[0].name, "a");
  EXPECT_EQ(reply.arguments[0].dtype, "float64");
  EXPECT_EQ(std::get<double>(reply.arguments[0].value), 2.5);
  EXPECT_EQ(std::get<std::int64_t>(reply.arguments[3].value), 3);
  const auto x = reply.inputs.as<double>(0), before = reply.inputs.as<double>(1);
  const auto same = reply.results.as<double>(0), after = reply.results.as<double>(1);
  ASSERT_EQ(x.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(same[i], x[i]);
    EXPECT_EQ(after[i], 2.5 * x[i] + before[i]);
  }
  EXPECT_EQ(reply.symbols.at("N"), 5);
  EXPECT_GT(reply.cpu_seconds, reply.reference_cpu_seconds);
  EXPECT_GE(reply.reference_cpu_seconds, 0);
  EXPECT_THAT(worker->version(), HasSubstr("numpy 2."));
  EXPECT_TRUE(worker->held().seccomp);
}

TEST_F(Worker, PresetSymbolsAndDtypeAreTheRequests) {
  WorkerRequest request = kernel(kAxpy, kAxpyManifest);
  request.preset = "M";
  request.dtype = "float32";
  const WorkerReply at_m = ask(request);
  ASSERT_EQ(at_m.inputs.size(), 2u);
  EXPECT_EQ(at_m.inputs.slot(0).spec.dtype, "float32");
  EXPECT_THAT(at_m.inputs.slot(0).spec.shape, ElementsAre(7));
  request.symbols = {{"N", 11}};
  EXPECT_THAT(ask(request).inputs.slot(0).spec.shape, ElementsAre(11));
}

TEST_F(Worker, SeedChangesTheInputsAndTheHash) {
  WorkerRequest request = kernel(kAxpy, kAxpyManifest);
  request.task = WorkerTask::Hash;
  const std::string first = ask(request).hash;
  EXPECT_EQ(first.size(), 64u);
  EXPECT_EQ(ask(request).hash, first);
  request.seed = 1;
  EXPECT_NE(ask(request).hash, first);
}

TEST_F(Worker, OneUlpMovesEveryElementToANeighbour) {
  WorkerRequest request = kernel(kAxpy, kAxpyManifest);
  const WorkerReply plain = ask(request);
  request.task = WorkerTask::OneUlp;
  const WorkerReply moved = ask(request);
  for (std::size_t i = 0; i < 5; ++i) {
    const double x = plain.inputs.as<double>(0)[i], y = moved.inputs.as<double>(0)[i];
    EXPECT_NE(x, y);
    EXPECT_EQ(std::nextafter(x, y), y);
  }
}

TEST_F(Worker, PoisonedOutputsStartAsNaN) {
  WorkerRequest request = kernel("def k(x, y):\n    y[1:] = x[1:]\n",
                                 "parameters: {S: {N: 3}}\ninit: {arrays: {x: N, y: N}}\noutput_args: [y]\n");
  request.poison = {"y"};
  const WorkerReply reply = ask(request);
  EXPECT_TRUE(std::isnan(reply.results.as<double>(1)[0]));
  EXPECT_EQ(reply.results.as<double>(1)[2], reply.inputs.as<double>(0)[2]);
}

TEST_F(Worker, ReturnsFollowTheArguments) {
  const WorkerReply reply =
      ask(kernel("def k(x):\n    return x.sum(), x > 0, 3\n",
                 "parameters: {S: {N: 4}}\ninit: {arrays: {x: N}}\noutput_args: [r]\n"));
  ASSERT_EQ(reply.returned.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<double>(reply.returned[0].value));
  EXPECT_EQ(std::get<ArrayValue>(reply.returned[1].value).index, 1u);
  EXPECT_EQ(reply.results.slot(1).spec.dtype, "bool");
  EXPECT_EQ(std::get<std::int64_t>(reply.returned[2].value), 3);
}

TEST_F(Worker, DefaultsAreArgumentsToo) {
  const WorkerReply reply = ask(kernel("def k(x, shift=2.0, axis=None):\n    x[:] = shift\n", kOneArray));
  ASSERT_EQ(reply.arguments.size(), 3u);
  EXPECT_EQ(std::get<double>(reply.arguments[1].value), 2.0);
  EXPECT_EQ(reply.arguments[1].dtype, "float");
  EXPECT_TRUE(std::holds_alternative<NoneValue>(reply.arguments[2].value));
}

TEST_F(Worker, WhatTheReferenceRaisesIsData) {
  const WorkerReply reply =
      ask(kernel("import numpy as np\n\ndef k(x):\n    np.linalg.cholesky(-np.eye(2))\n",
                 "parameters: {S: {N: 4}}\ninit: {arrays: {x: N}}\noutput_args: [x]\n"));
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->type, "LinAlgError");
  EXPECT_EQ(reply.error->line, 4);
  EXPECT_EQ(reply.error->stage, "reference");
}

TEST_F(Worker, SyntaxErrorsAndManifestErrorsNameTheirStage) {
  const WorkerReply syntax = ask(kernel("def k(x):\n    x[:] = (\n",
                                        "func_name: k\nparameters: {S: {N: 4}}\n"
                                        "init: {arrays: {x: N}}\noutput_args: [x]\n"));
  ASSERT_TRUE(syntax.error);
  EXPECT_EQ(syntax.error->type, "SyntaxError");
  EXPECT_EQ(syntax.error->stage, "import");
  const WorkerReply shape = ask(
      kernel("def k(x):\n    pass\n", "parameters: {S: {N: 4}}\ninit: {arrays: {x: Q}}\noutput_args: [x]\n"));
  ASSERT_TRUE(shape.error);
  EXPECT_EQ(shape.error->type, "ManifestError");
  EXPECT_THAT(shape.error->message, HasSubstr("reads Q"));
}

TEST_F(Worker, AnInitializeFunctionGetsWhatItDeclares) {
  const WorkerReply reply = ask(kernel(
      "import numpy as np\n\ndef initialize(N, scale, datatype=np.float32, rng=None):\n"
      "    return np.asfortranarray(rng.random((N, 2)).astype(datatype)) * scale, np.zeros(N, np.int32)\n\n"
      "def k(x, i, scale):\n    i[:] = np.arange(i.size)\n",
      "func_name: k\nparameters: {S: {N: 3}}\noutput_args: [i]\n"
      "init: {func_name: initialize, input_args: [N, scale], output_args: [x, i], scalars: {scale: 2}}\n"));
  ASSERT_FALSE(reply.error) << reply.error->message;
  EXPECT_EQ(reply.inputs.slot(0).spec.dtype, "float64");
  EXPECT_THAT(reply.inputs.slot(0).spec.shape, ElementsAre(3, 2));
  EXPECT_THAT(reply.results.as<std::int32_t>(1), ElementsAre(0, 1, 2));
  EXPECT_EQ(reply.arguments[2].dtype, "int");
}

TEST_F(Worker, SparseArgumentsComeAsBuffers) {
  const WorkerReply reply = ask(kernel(
      "import numpy as np\nfrom hpcagent_bench.support.helpers.sparse.generators import build_sparse\n\n"
      "def initialize(n, nnz, datatype=np.float64, variant_spec=None):\n"
      "    return build_sparse(variant_spec, n, nnz, dtype=datatype), np.ones(n, datatype), np.zeros(n, "
      "datatype)\n\n"
      "def k(A, x, y):\n    y[:] = A @ x\n",
      "func_name: k\nparameters: {S: {N: 6, nnz: 9}}\noutput_args: [y]\n"
      "variants: {first: {format: csr, distribution: uniform}}\n"
      "init: {func_name: initialize, input_args: [N, nnz], output_args: [A, x, y]}\n"
      "sparse_layouts:\n  A:\n    variants:\n      csr:\n        buffers:\n"
      "        - {role: indptr, name: A_indptr, shape: [N + 1], dtype: int64}\n"
      "        - {role: indices, name: A_indices, shape: [nnz], dtype: int64}\n"
      "        - {role: data, name: A_data, shape: [nnz], dtype: float64}\n"));
  ASSERT_FALSE(reply.error) << reply.error->message;
  EXPECT_EQ(reply.variant, "first");
  EXPECT_EQ(reply.layout, "csr");
  ASSERT_EQ(reply.buffers.size(), 3u);
  EXPECT_EQ(reply.buffers[0].name, "A_indptr");
  EXPECT_EQ(reply.buffers[0].of, "A");
  EXPECT_EQ(reply.buffers[0].dtype, "int64");
  EXPECT_EQ(reply.inputs.slot(std::get<ArrayValue>(reply.buffers[2].value).index).spec.shape[0], 9);
}

TEST_F(Worker, SparseArgumentsComeInTheLayoutThatIsWanted) {
  WorkerRequest request = kernel(
      "import numpy as np\nimport scipy.sparse\n\n"
      "def initialize(n, datatype=np.float64):\n"
      "    return scipy.sparse.csr_matrix(np.arange(1.0, n * n + 1).reshape(n, n)), np.zeros(n)\n\n"
      "def k(A, y):\n    y[:] = A.format == 'bsr'\n",
      "func_name: k\nparameters: {S: {N: 4}}\noutput_args: [y]\n"
      "init: {func_name: initialize, input_args: [N], output_args: [A, y]}\n"
      "sparse_layouts:\n  A:\n    variants:\n      bcoo:\n        buffers:\n"
      "        - {role: row, name: A_row, shape: [blocks], dtype: int64}\n"
      "        - {role: col, name: A_col, shape: [blocks], dtype: int64}\n"
      "        - {role: data, name: A_data, shape: [blocks, R, C], dtype: float64}\n");
  request.layouts = {{"A", "bcoo"}};
  const WorkerReply reply = ask(request);
  ASSERT_FALSE(reply.error) << reply.error->message;
  ASSERT_EQ(reply.buffers.size(), 3u);
  EXPECT_EQ(reply.arguments[0].dtype, "bsr_matrix");
  const auto index = [&](std::size_t k) { return std::get<ArrayValue>(reply.buffers[k].value).index; };
  EXPECT_THAT(reply.inputs.as<std::int64_t>(index(0)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(reply.inputs.as<std::int64_t>(index(1)), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(reply.inputs.slot(index(2)).spec.shape, ElementsAre(4, 2, 2));
  EXPECT_EQ(reply.inputs.as<double>(index(2))[2], 5.0);
  EXPECT_EQ(reply.results.as<double>(3)[0], 1.0);
}

TEST_F(Worker, ConfigRowsAndDomainsAreCounted) {
  WorkerRequest request = kernel("def k(x, mode):\n    x[:] = mode\n",
                                 "parameters: {S: {N: 2}}\nconfig: [{mode: 4}, {mode: 9}]\ninit: {arrays: "
                                 "{x: N}}\noutput_args: [x]\n");
  EXPECT_EQ(ask(request).results.as<double>(0)[0], 4);
  request.config_row = 1;
  EXPECT_EQ(ask(request).results.as<double>(0)[0], 9);
  request.config_row = 2;
  EXPECT_TRUE(ask(request).error);
}

TEST_F(Worker, HangsCrashesAndHungerAreOutcomesAndTheWorkerLives) {
  const auto outcome = [&](const std::string& body) {
    return ask(kernel("import os, signal\n\ndef k(x):\n    " + body + "\n", kOneArray)).outcome;
  };
  EXPECT_TRUE(std::holds_alternative<TimedOut>(outcome("while True: pass")));
  EXPECT_EQ(outcome("os.kill(os.getpid(), signal.SIGSEGV)"), Outcome(Signalled{SIGSEGV}));
  EXPECT_TRUE(
      std::holds_alternative<OverMemory>(outcome("x = [bytearray(1 << 20) for _ in range(1 << 20)]")));
  EXPECT_TRUE(std::holds_alternative<TooManyProcesses>(
      outcome("import time\n    for _ in range(60): os.fork() or time.sleep(60)\n    time.sleep(60)")));
  EXPECT_EQ(outcome("os.fork() or __import__('time').sleep(100)"), Outcome(Exited{0}));
  EXPECT_EQ(outcome("os._exit(3)"), Outcome(Exited{3}));
  EXPECT_EQ(outcome("print('y' * 10_000_000)"), Outcome(Exited{0}));
  EXPECT_EQ(ask(kernel(kAxpy, kAxpyManifest)).outcome, Outcome(Exited{0}));
}

TEST_F(Worker, WritesNothingAndReachesNoNetwork) {
  if (!worker->held().landlock && !worker->held().namespaces) GTEST_SKIP() << "nothing holds writes here";
  const WorkerReply write = ask(kernel("def k(x):\n    open(__file__ + '.x', 'w')\n", kOneArray));
  ASSERT_TRUE(write.error);
  EXPECT_THAT(write.error->type, ::testing::AnyOf("PermissionError", "OSError"));
  const WorkerReply connect = ask(kernel("import socket\n\ndef k(x):\n    socket.socket()\n", kOneArray));
  ASSERT_TRUE(connect.error);
  EXPECT_EQ(connect.error->type, "PermissionError");
}

TEST_F(Worker, ADeadZygoteIsTold) {
  EXPECT_FALSE(worker->ask(
      kernel("import os, signal\n\ndef k(x):\n    os.kill(os.getppid(), signal.SIGKILL)\n", kOneArray),
      engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::RunWorkerDied);
  EXPECT_EQ(ask(kernel(kAxpy, kAxpyManifest)).outcome, Outcome(Exited{0}));  // another one has started
}

TEST_F(Worker, AnAnswerThatAKernelSuppressedIsRefused) {
  EXPECT_FALSE(worker->ask(kernel("import os\n\ndef k(x):\n    os._exit(0)\n", kOneArray), engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::RunWorkerAnswer);
}

TEST_F(Worker, AnAnswerThatAKernelBrokeSaysSo) {
  const WorkerReply reply = ask(kernel("import json\n\ndef k(x):\n    json.dumps = None\n", kOneArray));
  EXPECT_EQ(reply.outcome, Outcome(Exited{70}));
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->stage, "worker");
}

// Made by the public loader: `tests/inputs/compare_inputs.py` on a copy of it whose benchmarks folder is ours
// (see tests/inputs/README.md). NumPy's generators keep their streams, so these change only if our loader
// does.
struct Golden {
  const char* name;
  const char* dtype;
  const char* hash;
};
constexpr Golden kGolden[] = {
    {"any_keyword", "float32", "77af8df55677b9f7403832cea708089ada5e1941b393d035b2cb4a1984a93332"},
    {"any_keyword", "float64", "d7cacd42df0d501b7a916a52c6dae59ba551844e86204e0f7a29831ea76c6b95"},
    {"by_name", "float32", "70206679cae8c11b5e65af1452ac2c32a9bae5b3dad1d136c6bdd8ccda07b038"},
    {"by_name", "float64", "2c200fc729b5ba20bd252fb9fef1829bd03d8cc101eda3c13e240b27850185e2"},
    {"distributions", "float32", "5971d7c0fb1b8df72965da53a7c23a7d94ae1b69771364011603f3b4755e6562"},
    {"distributions", "float64", "0900d93003b95ee160a5cb9035e80fd16efdcf8b0c993a95c499879b7d278cc0"},
    {"domains", "float32", "b1e9cd7319fbafdb39d73f0cee603ff13da8994de0cf7f0be2d93d2cbe01521e"},
    {"domains", "float64", "cd1e78c7538401dbd3176e14eb7bfe73798c639a1fee8ae83a0a8d1149a68089"},
    {"kinds", "float32", "8216fcd7b86f1707f97fbd2d554aa212674ea8d63653bf0b6f1e3a763e5b3d49"},
    {"kinds", "float64", "cb27b24082be0c76530ae8ce018bb7d70fa01b6f3544658ebbde88f6f697c25e"},
    {"positional", "float32", "81d78c9efc96319301892d25a7c3cc1ce84e10f804509b50ed05ccb424c88cb0"},
    {"positional", "float64", "699acb572083afe0057e8da7067ad051d63ce28df9c4a0dc159eae06a41ab27f"},
};

TEST_F(Worker, InputsAreThePublicLoaders) {
  for (const Golden& golden : kGolden) {
    WorkerRequest request;
    request.manifest =
        std::string(PW_SOURCE_DIR "/tests/inputs/golden/benchmarks/cases/") + golden.name + ".yaml";
    request.task = WorkerTask::Hash;
    request.dtype = golden.dtype;
    const WorkerReply reply = ask(request);
    EXPECT_FALSE(reply.error) << golden.name << ": " << reply.error->message;
    EXPECT_EQ(reply.hash, golden.hash) << golden.name << " " << golden.dtype;
  }
}

TEST(WorkerStart, AnUnfitInterpreterIsTold) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  WorkerOptions options;
  options.python = "/no/such/python";
  options.python_folder = PW_SOURCE_DIR "/python";
  EXPECT_FALSE(NumpyWorker::start(options, engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::RunWorkerStart);
  options.python = python();
  options.python_folder = "/no/such/folder";
  EXPECT_FALSE(NumpyWorker::start(options, engine));
  EXPECT_THAT(engine.all().back().message, HasSubstr("portwright"));
}

TEST(Recipe, FindsBuildsAndTells) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const Recipe recipe{"cc",
                      {"no-such-cc", "cc"},
                      {"{compiler}", "-dumpversion"},
                      {"-O1", "-DANSWER={answer}"},
                      {"{compiler}", "{flags}", "-shared", "-fPIC", "-o", "{output}", "{source}"}};
  const auto tool = find_tool(recipe);
  ASSERT_TRUE(tool);
  EXPECT_THAT(tool->version, ::testing::ContainsRegex("^[0-9]+"));
  ScratchFolder folder;
  Limits limits;
  limits.scratch = folder.path();
  std::ofstream(folder.path() + "/a.c") << "int answer(void) { return ANSWER; }\n";
  const std::vector<std::pair<std::string, std::string>> values = {
      {"source", folder.path() + "/a.c"}, {"output", folder.path() + "/a.so"}, {"answer", "42"}};
  const auto built = build(recipe, values, limits, engine);
  ASSERT_TRUE(built);
  EXPECT_THAT(built->command, HasSubstr("-O1 -DANSWER=42 -shared"));
  std::ofstream(folder.path() + "/a.c") << "int answer(void) { return }\n";
  EXPECT_FALSE(build(recipe, values, limits, engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::RunBuildFailed);
  Recipe absent = recipe;
  absent.compilers = {"no-such-cc"};
  EXPECT_FALSE(build(absent, values, limits, engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::RunToolAbsent);
}

TEST(Recipe, SaysWhichLibraryIsMissing) {
  Recipe recipe{"cc", {"cc"}, {"{compiler}", "-dumpversion"}, {}, {}};
  EXPECT_EQ(missing_library(recipe), nullptr);
  recipe.libraries = {{"maths", "math.h", "-lm", "libc6-dev"}};
  EXPECT_EQ(missing_library(recipe), nullptr);
  recipe.libraries.push_back({"no header", "no_such_header.h", "-lm", "none"});
  ASSERT_NE(missing_library(recipe), nullptr);
  EXPECT_EQ(missing_library(recipe)->name, "no header");
  recipe.libraries = {{"no file", "stdio.h", "-lno_such_library", "none"}};
  ASSERT_NE(missing_library(recipe), nullptr);
  EXPECT_EQ(missing_library(recipe)->name, "no file");
}

TEST(Recipe, FillLeavesUnknownNames) { EXPECT_EQ(fill("{a}{b}-{a", {{"a", "1"}}), "1{b}-{a"); }

}  // namespace
}  // namespace pw::runtime
