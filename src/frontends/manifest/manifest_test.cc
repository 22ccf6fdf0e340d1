#include "frontends/manifest/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "frontends/manifest/binding.h"

namespace pw::manifest {
namespace {

using ::testing::ElementsAre;

struct Loaded {
  base::Sources sources;
  diagnostics::Engine engine{sources};
  base::Result<Manifest> result;

  explicit Loaded(const std::string& text)
      : result(load(sources.add("dir/kernel.yaml", text), sources, engine)) {
    for (const auto& each : engine.all()) ADD_FAILURE() << to_text_with_source(each, sources);
  }
  const Manifest& operator*() const { return *result; }
  const Manifest* operator->() const { return &*result; }
};

DefLine def_line(const std::vector<std::string>& names) {
  DefLine out;
  for (const std::string& name : names) {
    const bool has_default = name.back() == '=';
    out.arguments.push_back({name.substr(0, name.size() - (has_default ? 1 : 0)), has_default, false, {}});
  }
  return out;
}

Binding bound(Loaded& loaded, const DefLine& def, std::size_t row = 0) {
  const bool fine = check(*loaded, def, loaded.engine).has_value();
  EXPECT_TRUE(fine);
  for (const auto& each : loaded.engine.all()) ADD_FAILURE() << to_text(each, loaded.sources);
  return fine ? bind(*loaded, def, port_rows(*loaded)[row]) : Binding();
}

std::vector<ArgumentKind> kinds(const Binding& binding) {
  std::vector<ArgumentKind> out;
  for (const BoundArgument& argument : binding.arguments) out.push_back(argument.kind);
  return out;
}

std::vector<std::string> texts(const std::vector<Name>& names) {
  std::vector<std::string> out;
  for (const Name& name : names) out.push_back(name.text);
  return out;
}

const std::string kDense = R"yaml(
parameters:
  S: {n: 4, m: 5, eps: 1.0e-05}
  M: {n: 40, m: 50, eps: 1.0e-05}
  fuzzed: {n: [2, 9], m: {set: [1, 4]}, eps: {construct: 2*h, h: [1, 3]}}
config:
  pad: {value: 1, selects: physical}
  tile: {domain: [4, 8]}
init:
  arrays:
    x: (n + 2 * pad, m)
    index: {shape: "(n,)", dtype: int32}
    v: {shape: n, dist: lognormal}
    out: (n, tile)
  scalars: {steps: 3, alpha: 1.5, flag: true, bits: 7}
  dtypes: {bits: uint16}
output_args: [out]
taxonomy: {track: t, min_precision: fp64}
)yaml";

TEST(Manifest, DefaultsComeFromTheFile) {
  const Loaded loaded(kDense);
  EXPECT_EQ(loaded->id, "kernel");
  EXPECT_EQ(loaded->short_name, "kernel");
  EXPECT_EQ(loaded->module_name, "kernel");
  EXPECT_EQ(loaded->presets.size(), 2U);
  EXPECT_EQ(loaded->fuzzed.size(), 3U);
  EXPECT_EQ(texts(loaded->init.output_args),
            (std::vector<std::string>{"x", "index", "v", "out", "steps", "alpha", "flag", "bits"}));
  EXPECT_EQ(loaded->array("v")->dist->text, "lognormal");
  EXPECT_EQ(loaded->array("index")->dtype->type, ir::DType::I32);
  EXPECT_EQ(loaded.sources.text(loaded->array("index")->dtype->declared.span), "int32");
}

TEST(Manifest, ShapesEvaluateWithConfigAndPreset) {
  Loaded loaded(kDense);
  const Symbols symbols = shape_symbols(*loaded, *loaded->preset("M"), port_rows(*loaded)[0]);
  EXPECT_EQ(evaluate(loaded->array("x")->shape.extents[0], symbols, loaded.engine).value(), 42);
  EXPECT_FALSE(symbols.contains("eps"));
  EXPECT_EQ(loaded.sources.text(loaded->array("x")->shape.extents[0].span), "n + 2 * pad");
}

TEST(Manifest, EntryFunctionIsTheOnlyDefOrTheModules) {
  const Loaded loaded(kDense);
  EXPECT_EQ(entry_function(*loaded, {"only"}), "only");
  EXPECT_EQ(entry_function(*loaded, {"helper", "kernel"}), "kernel");
  EXPECT_EQ(entry_function(*loaded, {"helper", "other"}), std::nullopt);
  EXPECT_EQ(entry_function(*Loaded(kDense + "func_name: chosen\n"), {"only"}), "chosen");
}

TEST(Manifest, PrecisionsAreCutByTheListAndTheFloor) {
  EXPECT_THAT(allowed_precisions(*Loaded(kDense)), ElementsAre(ir::DType::F64));
  const std::string open = kDense.substr(0, kDense.find("taxonomy"));
  EXPECT_THAT(allowed_precisions(*Loaded(open)), ElementsAre(ir::DType::F64, ir::DType::F32));
  EXPECT_THAT(allowed_precisions(*Loaded(open + "precisions: [fp32, bf16]\n")), ElementsAre(ir::DType::F32));
}

TEST(Binding, SaysWhatEachArgumentIs) {
  Loaded loaded(kDense);
  const Binding binding = bound(
      loaded, def_line({"x", "n", "eps", "pad", "tile", "steps", "alpha", "flag", "bits", "extra=", "out"}));
  using Kind = ArgumentKind;
  EXPECT_THAT(kinds(binding), ElementsAre(Kind::Array, Kind::Parameter, Kind::Parameter, Kind::Config,
                                          Kind::ConfigDomain, Kind::Scalar, Kind::Scalar, Kind::Scalar,
                                          Kind::Scalar, Kind::Default, Kind::Array));
  EXPECT_EQ(std::get<std::int64_t>(binding.arguments[3].value->data), 1);
  EXPECT_EQ(binding.arguments[5].form, ScalarForm::Int64);
  EXPECT_EQ(binding.arguments[6].form, ScalarForm::RunFloat);
  EXPECT_EQ(binding.arguments[7].form, ScalarForm::RunFloat);
  EXPECT_EQ(binding.arguments[8].form, ScalarForm::Declared);
  EXPECT_EQ(binding.arguments[8].dtype->type, ir::DType::U16);
  EXPECT_TRUE(binding.arguments[10].is_output);
  EXPECT_FALSE(binding.arguments[0].is_output);
  // n is named; pad is a constant; m and (were it not named) tile would be left.
  EXPECT_EQ(texts(binding.trailing_symbols), std::vector<std::string>{"m"});
}

TEST(Binding, TrailingSymbolsComeInTheOrderOfParameters) {
  Loaded loaded(kDense);
  EXPECT_EQ(texts(bound(loaded, def_line({"out", "x"})).trailing_symbols),
            (std::vector<std::string>{"n", "m", "tile"}));
  EXPECT_EQ(texts(bound(loaded, def_line({"out"})).trailing_symbols),
            (std::vector<std::string>{"n", "tile"}));
}

TEST(Binding, InitFunctionsBringValuesAndRunTimeExtents) {
  Loaded loaded(R"yaml(
parameters:
  S: {n: 4}
init:
  func_name: initialize
  input_args: [n]
  output_args: [x, out, count, alpha, steps]
  arrays: {x: "(n, count)", out: "(n,)"}
  scalars: {steps: 3, limit: 10, tol: 1.0e-06}
output_args: [out]
)yaml");
  const Binding binding = bound(loaded, def_line({"x", "alpha", "steps", "limit", "tol=", "out"}));
  using Kind = ArgumentKind;
  EXPECT_THAT(kinds(binding), ElementsAre(Kind::Array, Kind::InitValue, Kind::Scalar, Kind::Scalar,
                                          Kind::Scalar, Kind::Array));
  EXPECT_TRUE(binding.arguments[0].from_init);
  EXPECT_EQ(binding.arguments[2].form, ScalarForm::FromInit);
  EXPECT_EQ(binding.arguments[3].form, ScalarForm::Python);
  EXPECT_EQ(texts(binding.trailing_symbols), (std::vector<std::string>{"n", "count"}));
}

TEST(Binding, AConfigListIsOnePortARow) {
  Loaded loaded(R"yaml(
parameters:
  S: {n: 4}
config:
- {wide: false, npol: 1}
- {wide: true, npol: 2}
init:
  arrays: {out: "(n, npol)"}
output_args: [out]
)yaml");
  const std::vector<PortRow> rows = port_rows(*loaded);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].layout, "config1");
  const Binding binding = bound(loaded, def_line({"wide", "npol", "out"}), 1);
  EXPECT_EQ(binding.arguments[0].kind, ArgumentKind::Config);
  EXPECT_TRUE(std::get<bool>(binding.arguments[0].value->data));
  EXPECT_EQ(shape_symbols(*loaded, loaded->presets[0], rows[1]).at("npol"), 2);
}

TEST(Binding, ASparseNameIsAHandleOfItsFormat) {
  Loaded loaded(R"yaml(
parameters:
  S: {n: 4, nnz: 9}
init:
  func_name: initialize
  input_args: [n, nnz]
  output_args: [A, out]
  arrays: {out: "(n,)"}
output_args: [out]
sparse_layouts:
  A:
    logical_shape: [n, n]
    variants:
      csr:
        buffers:
        - {role: indptr, name: A_indptr, shape: [n + 1], dtype: int64}
        - {role: data, name: A_data, shape: [nnz], dtype: float64}
      bcsr:
        buffers:
        - {role: indptr, name: A_indptr, shape: [blocks + 1], dtype: int64}
        - {role: data, name: A_data, shape: [stored, 2, 2], dtype: float64}
configurations:
  csr: {A: csr}
  bcsr: {A: bcsr}
)yaml");
  ASSERT_EQ(port_rows(*loaded).size(), 2U);
  EXPECT_EQ(port_rows(*loaded)[1].layout, "bcsr");
  const Binding csr = bound(loaded, def_line({"A", "out"}), 0);
  EXPECT_EQ(csr.arguments[0].kind, ArgumentKind::SparseHandle);
  EXPECT_EQ(csr.arguments[0].format->format.text, "csr");
  EXPECT_EQ(texts(csr.trailing_symbols), (std::vector<std::string>{"n", "nnz"}));
  const Binding bcsr = bound(loaded, def_line({"A", "out"}), 1);
  EXPECT_EQ(texts(bcsr.trailing_symbols), (std::vector<std::string>{"n", "blocks", "stored"}));
  ASSERT_EQ(bcsr.buffer_extents.size(), 2U);
  EXPECT_EQ(bcsr.buffer_extents[0].offset, 1);
  EXPECT_EQ(bcsr.buffer_extents[0].buffer->name.text, "A_indptr");
  const Binding direct = bound(loaded, def_line({"A_data", "out"}), 1);
  EXPECT_EQ(direct.arguments[0].kind, ArgumentKind::Array);
  EXPECT_EQ(direct.arguments[0].buffer->shape.extents.size(), 3U);
}

TEST(Binding, ArgumentsBeyondInputArgsKeepTheirDefaults) {
  Loaded loaded(kDense + "input_args: [out, n]\n");
  const Binding binding = bound(loaded, def_line({"out", "n", "m="}));
  EXPECT_EQ(binding.arguments[1].kind, ArgumentKind::Parameter);
  EXPECT_EQ(binding.arguments[2].kind, ArgumentKind::Default);
}

TEST(Binding, AReturnedOutputIsPromoted) {
  Loaded loaded(kDense);
  DefLine def = def_line({"x"});
  def.returned = {"out"};
  const Binding binding = bound(loaded, def);
  ASSERT_EQ(binding.returned_outputs.size(), 1U);
  EXPECT_EQ(binding.returned_outputs[0]->name.text, "out");
  EXPECT_EQ(texts(binding.trailing_symbols), (std::vector<std::string>{"n", "m", "tile"}));
}

TEST(Load, FindsTheModuleBesideTheManifest) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("pw_manifest_test_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "k.yaml").string();
  ASSERT_TRUE(base::write_file_whole(path, kDense));
  base::Sources sources;
  diagnostics::Engine engine(sources);
  EXPECT_FALSE(load(path, sources, engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::ManifestModule);
  ASSERT_TRUE(base::write_file_whole((folder / "k.py").string(), "def k(x): pass\n"));
  EXPECT_EQ(load(path, sources, engine).value().module_path, (folder / "k.py").string());
  ASSERT_TRUE(base::write_file_whole((folder / "k_numpy.py").string(), "def k(x): pass\n"));
  EXPECT_EQ(load(path, sources, engine).value().module_path, (folder / "k_numpy.py").string());
  EXPECT_FALSE(load((folder / "absent.yaml").string(), sources, engine));
  EXPECT_EQ(engine.all().back().rule, diagnostics::Rule::FileUnreadable);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace pw::manifest
