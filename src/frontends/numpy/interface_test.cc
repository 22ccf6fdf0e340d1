// From a manifest's binding to what staging is told of each argument.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/numpy/kernel.h"
#include "frontends/python/parser.h"

namespace pw::numpy {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct Interfaced {
  std::vector<std::string> rules;
  std::optional<KernelInterface> interface;
};

Interfaced interface_of(const std::string& manifest_text, const std::string& source, ir::DType run_dtype,
                        const std::vector<ObservedValue>& observed) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  Interfaced out;
  const auto made = [&]() -> base::Result<KernelInterface> {
    PW_TRY(const manifest::Manifest manifest,
           manifest::load(sources.add("kernel.yaml", manifest_text), sources, engine));
    PW_TRY(const python::Tree tree,
           python::parse_file(sources.add("kernel_numpy.py", source), sources, engine));
    PW_TRY(const manifest::DefLine def, def_line(tree, "kernel", engine));
    const std::vector<manifest::PortRow> rows = manifest::port_rows(manifest);
    return make_interface(manifest, manifest::bind(manifest, def, rows[0]), rows[0], run_dtype, observed,
                          engine);
  }();
  for (const diagnostics::Diagnostic& each : engine.all()) {
    out.rules.emplace_back(diagnostics::row(each.rule).rule);
  }
  if (made) out.interface = *made;
  return out;
}

std::string manifest_with(const std::string& init, const std::string& more = "") {
  return "name: kernel\nfunc_name: kernel\nkind: microkernel\nlevel: 1\nparameters:\n  S: {N: 4}\n  M: {N: "
         "8}\n  L: {N: 16}\n"
         "  XL: {N: 32}\ninit:\n" +
         init + "output_args: [y]\ntaxonomy: {track: scientific_computing, domain: Physics}\n" + more;
}

constexpr const char* kMade =
    "  func_name: initialize\n  input_args: [N]\n  output_args: [x, y, dt]\n  arrays:\n    x: (N,)\n    y: "
    "(N,)\n";
constexpr const char* kSource = "def kernel(x, y, dt):\n    y[:] = x * dt\n";

TEST(Interface, TakesWhatTheInitialiserMadeAsItIs) {
  const Interfaced out = interface_of(manifest_with(kMade), kSource, ir::DType::F32,
                                      {{"x", "float64", std::vector<std::int64_t>{4}},
                                       {"y", "float32", std::vector<std::int64_t>{4}},
                                       {"dt", "float", std::nullopt}});
  ASSERT_TRUE(out.interface.has_value());
  EXPECT_EQ(std::get<ArrayArgument>(out.interface->arguments[0].kind).type, ir::DType::F64);
  EXPECT_EQ(std::get<ArrayArgument>(out.interface->arguments[1].kind).type, ir::DType::F32);
  EXPECT_TRUE(std::get<ScalarArgument>(out.interface->arguments[2].kind).weak);
  EXPECT_THAT(out.interface->trailing_symbols, ElementsAre("N"));
}

TEST(Interface, SettlesIntegersThatEveryPresetAgreesOn) {
  const std::string text =
      "name: kernel\nfunc_name: kernel\nkind: microkernel\nlevel: 1\nparameters:\n"
      "  S: {N: 4, dim: 1, half: 0.5, steps: 3}\n  M: {N: 8, dim: 1, half: 0.5, steps: 3}\n"
      "  L: {N: 16, dim: 1, half: 0.5, steps: 4}\n  XL: {N: 32, dim: 1, half: 0.5, steps: 3}\ninit:\n"
      "  arrays: {y: '(N,)'}\n  scalars: {axis: 0, rate: 0.5}\noutput_args: [y]\n"
      "taxonomy: {track: scientific_computing, domain: Physics}\n";
  const Interfaced out = interface_of(text, "def kernel(y, dim, half, steps, axis, rate):\n    y[:] = dim\n",
                                      ir::DType::F64, {});
  ASSERT_TRUE(out.interface.has_value()) << out.rules.size();
  EXPECT_THAT(out.interface->settled, ElementsAre(Pair("axis", 0), Pair("dim", 1)));
}

TEST(Interface, WhatTheInitialiserMakesIsNotSettledByTheManifest) {
  const Interfaced out = interface_of(
      manifest_with("  func_name: initialize\n  input_args: [N]\n  output_args: [y, n]\n  arrays: {y: "
                    "'(N,)'}\n  scalars: {n: 0}\n"),
      "def kernel(y, n):\n    y[:] = 1.0 / n\n", ir::DType::F64,
      {{"y", "float64", std::vector<std::int64_t>{4}}, {"n", "int", std::nullopt}});
  ASSERT_TRUE(out.interface.has_value());
  EXPECT_TRUE(out.interface->settled.empty());
}

TEST(Interface, RefusesWhatNobodyHasSeen) {
  const Interfaced out = interface_of(manifest_with(kMade), kSource, ir::DType::F64, {});
  EXPECT_THAT(out.rules, ElementsAre("numpy-unobserved"));
}

TEST(Interface, TakesADeclaredDtypeAsTheHarnessFillsIt) {
  const std::string init =
      "  arrays:\n    y: {shape: '(N,)', dtype: float64}\n    z: {shape: '(N,)', dtype: complex128}\n"
      "    m: {shape: '(N,)', dtype: bool}\n    i: {shape: '(N,)', dtype: int32}\n";
  for (const ir::DType run : {ir::DType::F64, ir::DType::F32}) {
    const Interfaced out =
        interface_of(manifest_with(init), "def kernel(y, z, m, i):\n    y[:] = i\n", run, {});
    ASSERT_TRUE(out.interface.has_value());
    std::vector<ir::DType> types;
    for (const KernelArgument& each : out.interface->arguments)
      types.push_back(std::get<ArrayArgument>(each.kind).type);
    EXPECT_THAT(types, ElementsAre(run, run, run, ir::DType::I32));
  }
}

TEST(Interface, RefusesAnInputOfADtypeThatPortsLack) {
  for (const auto& shape :
       {std::optional(std::vector<std::int64_t>{4}), std::optional<std::vector<std::int64_t>>()}) {
    const Interfaced out = interface_of(manifest_with(kMade), kSource, ir::DType::F64,
                                        {{"x", "float64", std::vector<std::int64_t>{4}},
                                         {"y", "float64", std::vector<std::int64_t>{4}},
                                         {"dt", "float128", shape}});
    EXPECT_THAT(out.rules, ElementsAre("numpy-input-dtype"));
  }
  const Interfaced out = interface_of(manifest_with(kMade), kSource, ir::DType::F64,
                                      {{"x", "float128", std::vector<std::int64_t>{4}},
                                       {"y", "float64", std::vector<std::int64_t>{4}},
                                       {"dt", "float", std::nullopt}});
  EXPECT_THAT(out.rules, ElementsAre("numpy-input-dtype"));
}

TEST(Interface, RefusesAnInputThatIsNoArray) {
  const Interfaced out = interface_of(manifest_with(kMade), kSource, ir::DType::F64,
                                      {{"x", "tuple", std::nullopt},
                                       {"y", "float64", std::vector<std::int64_t>{4}},
                                       {"dt", "float", std::nullopt}});
  EXPECT_THAT(out.rules, ElementsAre("numpy-input-kind"));
}

std::string sparse_manifest(const std::string& format, const std::string& buffers) {
  return manifest_with(
      "  func_name: initialize\n  input_args: [N]\n  output_args: [A, y]\n  arrays:\n    y: (N,)\n",
      "sparse_layouts:\n  A:\n    logical_shape: [N, N]\n    default_dtype: float64\n    variants:\n      " +
          format + ":\n        buffers:\n" + buffers + "configurations:\n  " + format + ": {A: " + format +
          "}\n");
}

const std::vector<ObservedValue> kSparseMade = {{"A", "csr_matrix", std::nullopt},
                                                {"y", "float64", std::vector<std::int64_t>{4}},
                                                {"A_indptr", "int32", std::nullopt},
                                                {"A_data", "float32", std::nullopt}};

TEST(Interface, ASparseHandleIsItsBuffers) {
  const Interfaced out = interface_of(
      sparse_manifest("csr",
                      "          - {name: A_data, role: data, shape: [nnz], dtype: float64}\n"
                      "          - {name: A_indptr, role: indptr, shape: [N + 1], dtype: int32}\n"
                      "          - {name: A_indices, role: indices, shape: [nnz], dtype: int32}\n"),
      "def kernel(A, y):\n    y[:] = A @ y\n", ir::DType::F32, kSparseMade);
  ASSERT_TRUE(out.interface.has_value()) << out.rules.size();
  const auto& sparse = std::get<SparseArgument>(out.interface->arguments[0].kind);
  EXPECT_EQ(sparse.format, "csr");
  EXPECT_TRUE(sparse.is_matrix);
  ASSERT_EQ(sparse.buffers.size(), 3u);
  EXPECT_EQ(sparse.buffers[0].name, "A_data");
  EXPECT_EQ(sparse.buffers[0].array.type, ir::DType::F32);
  EXPECT_EQ(sparse.buffers[1].array.type, ir::DType::I32);
  EXPECT_THAT(out.interface->trailing_symbols, ElementsAre("N", "nnz"));
  ASSERT_EQ(out.interface->read_off.count("nnz"), 1u);
  EXPECT_EQ(out.interface->read_off.at("nnz").array, "A_data");
  EXPECT_EQ(out.interface->read_off.count("N"), 0u);
}

TEST(Interface, RefusesLayoutsThatItCannotStage) {
  const Interfaced out = interface_of(
      sparse_manifest("ell",
                      "          - {name: A_indices, role: indices, shape: [N, width], dtype: int64}\n"
                      "          - {name: A_data, role: data, shape: [N, width], dtype: float64}\n"),
      "def kernel(A, y):\n    y[:] = A @ y\n", ir::DType::F64, kSparseMade);
  EXPECT_THAT(out.rules, ElementsAre("numpy-sparse-format"));
}

}  // namespace
}  // namespace pw::numpy
