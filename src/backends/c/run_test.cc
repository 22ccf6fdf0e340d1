// Emitted ports, compiled and run beside ir::eval: many programs, one shared object.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "backends/c/emit_testing.h"
#include "backends/c/prelude.h"
#include "backends/c/run_kernels_testing.h"
#include "backends/c/toolchain.h"
#include "ir/eval.h"
#include "ir/op.h"

namespace pw::backends::c {
namespace {

std::vector<std::string> all_dtypes() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < ir::kDTypeCount; ++i) {
    out.emplace_back(ir::row(static_cast<ir::DType>(i)).text);
  }
  return out;
}

/// A kernel with an output for every op that takes two (or one, or three) of the dtype, and for every cast.
std::string every_op(ir::DType type) {
  const std::string t(ir::row(type).text);
  std::string parameters = fmt::format("n: symbol, a: {0}[n], b: {0}[n], c: bool[n]", t);
  std::string body;
  const auto add = [&](std::string_view name, ir::DType result, const std::string& value) {
    parameters += fmt::format(", o_{}: {}[n]", name, ir::row(result).text);
    body += fmt::format("  map (i < n) {{\n    store o_{}[i] = {}\n  }}\n", name, value);
  };
  for (std::size_t i = 0; i < ir::op_rows().size(); ++i) {
    const ir::OpRow& row = ir::op_rows()[i];
    std::vector<ir::DType> types(row.arity, type);
    if (row.rule == ir::TypeRule::Choice) types[0] = ir::DType::Bool;
    const auto result = ir::op_result(static_cast<ir::Op>(i), types);
    if (!result) continue;
    std::string second = "b[i]";
    if (row.name == "Pow" && ir::is_integer(type)) second = fmt::format("bitand(b[i], 7:{})", t);
    const std::string value = row.arity == 1   ? fmt::format("{}(a[i])", row.text)
                              : row.arity == 2 ? fmt::format("{}(a[i], {})", row.text, second)
                                               : fmt::format("{}(c[i], a[i], b[i])", row.text);
    add(row.text, *result, value);
  }
  for (const std::string& to : all_dtypes()) {
    if (to != t) add("to_" + to, *ir::dtype_from_text(to), fmt::format("{}(b[i])", to));
  }
  return fmt::format("func @ops_{}({}) -> () promoted 0 {{\n{}}}\n", t, parameters, body);
}

// ---- building and calling

/// int call_NAME(void** a): the checked port on an array of pointers to its arguments.
std::string driver(const ir::Module& module, const Emitted& port) {
  std::string arguments;
  std::size_t n = 0;
  const auto add = [&](const std::string& text) {
    arguments += (arguments.empty() ? "" : ", ") + text;
    ++n;
  };
  for (const ir::Parameter& parameter : module.functions.back().parameters) {
    std::visit(ir::Overload{
                   [&](ir::LocalId id) { add(fmt::format("*({}*)a[{}]", c_type(module[id].type), n)); },
                   [&](ir::BufferId) { add(fmt::format("a[{}]", n)); },
               },
               parameter);
  }
  for (std::size_t i = 0; i < module.functions.back().results.size(); ++i) add(fmt::format("a[{}]", n));
  return fmt::format("#include <complex.h>\n#include \"{}\"\nint call_{}(void** a) {{ return {}({}); }}\n",
                     port.files[1].name, port.symbol, port.checked, arguments);
}

using Call = int (*)(void**);

class Runs : public testing::Test {
 public:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("pw_c_run_{}", getpid());
    std::filesystem::create_directories(folder_);
    std::string files;
    const auto add = [&](const std::string& name, const std::string& text) {
      programs_.emplace(name, std::make_unique<Program>(text));
      Program& program = *programs_.at(name);
      if (!program.module) return;
      EmitOptions options;
      options.name = name;
      const Emitted port = program.emit(options);
      for (const File& file : port.files) std::ofstream(folder_ / file.name) << file.text;
      std::ofstream(folder_ / (name + "_call.c")) << driver(*program.module, port);
      files += fmt::format(" {0}.c {0}_call.c", name);
    };
    for (const Kernel& kernel : kKernels) add(kernel.name, kernel.text);
    for (std::size_t i = 0; i < ir::kDTypeCount; ++i) {
      const auto type = static_cast<ir::DType>(i);
      add(fmt::format("ops_{}", ir::row(type).text), every_op(type));
    }
    std::string flags = "-O2 -Wall -Wextra -Wno-unused-parameter -Werror";
    for (const std::string& flag : recipe().flags) {
      if (flag != "-O3") flags += " " + flag;
    }
    const std::string command = fmt::format("cd {} && gcc {} -shared -fPIC -o all.so{} -lm > log 2>&1",
                                            folder_.string(), flags, files);
    const int status = std::system(command.c_str());
    std::ifstream log(folder_ / "log");
    ASSERT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(log), {});
    handle_ = dlopen((folder_ / "all.so").c_str(), RTLD_NOW);
    ASSERT_NE(handle_, nullptr) << dlerror();
  }
  static void TearDownTestSuite() {
    // The library stays loaded: libgomp's threads outlive their last loop, and would be left without code.
    if (!std::getenv("PW_KEEP")) std::filesystem::remove_all(folder_);
    programs_.clear();
  }
  static Program& program(const std::string& name) { return *programs_.at(name); }
  static Call function(const std::string& name) {
    return reinterpret_cast<Call>(dlsym(handle_, ("call_" + name).c_str()));
  }

 private:
  static inline std::filesystem::path folder_;
  static inline void* handle_ = nullptr;
  static inline std::map<std::string, std::unique_ptr<Program>> programs_;
};

/// Values that find faults, of any dtype; the same every time.
void fill(std::vector<std::byte>& bytes, ir::DType type, unsigned seed) {
  static constexpr double kReals[] = {0.5,  -1.5, 2.0,    -0.0, 0.0,  INFINITY, NAN,   -3.25, 7.0,
                                      1e-3, 40.0, -128.0, 3.0,  -2.5, 0.75,     1e300, -1.0,  1.0};
  static constexpr std::int64_t kIntegers[] = {0,  1,   -1,   2,          -2,  3,         7,    -7,
                                               63, 127, -128, 2147483647, 100, INT64_MIN, 5,    -13,
                                               8,  31,  6,    INT64_MAX,  -63, 255,       1000, -1000};
  const std::size_t width = ir::row(type).bytes;
  for (std::size_t i = 0; i * width < bytes.size(); ++i) {
    const std::size_t pick = (i * 7 + seed * 5 + i / 11) % 1000003;
    const double real = kReals[pick % std::size(kReals)];
    const double imag = kReals[(pick / 3 + seed) % std::size(kReals)];
    std::byte* at = bytes.data() + i * width;
    const auto put = [&](auto value) { std::memcpy(at, &value, sizeof value); };
    switch (type) {
      case ir::DType::Bool:
        put(static_cast<std::uint8_t>(pick % 2));
        break;
      case ir::DType::F32:
        put(static_cast<float>(real));
        break;
      case ir::DType::F64:
        put(real);
        break;
      case ir::DType::C64:
        put(std::complex<float>(static_cast<float>(real), static_cast<float>(imag)));
        break;
      case ir::DType::C128:
        put(std::complex<double>(real, imag));
        break;
      default: {
        const std::int64_t value = kIntegers[pick % std::size(kIntegers)];
        std::memcpy(at, &value, width);
      }
    }
  }
}

bool same(const std::byte* a, const std::byte* b, ir::DType type, double tolerance) {
  if (ir::is_complex(type)) {
    const std::size_t half = ir::row(type).bytes / 2;
    return same(a, b, ir::real_of(type), tolerance) && same(a + half, b + half, ir::real_of(type), tolerance);
  }
  if (!ir::is_float(type)) return std::memcmp(a, b, ir::row(type).bytes) == 0;
  const auto read = [&](const std::byte* at) {
    if (type == ir::DType::F32) {
      float value = 0;
      std::memcpy(&value, at, sizeof value);
      return static_cast<double>(value);
    }
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  const double x = read(a);
  const double y = read(b);
  if (std::isnan(x) && std::isnan(y)) return true;
  if (x == y) return std::signbit(x) == std::signbit(y) || tolerance > 0;
  return std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y));
}

std::string hex(const std::byte* bytes, std::size_t count) {
  std::string out;
  for (std::size_t i = count; i-- > 0;) out += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
  return out;
}

struct Array {
  ir::DType type;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Runs port and eval on the same arguments; scalars by name, arrays filled. Gives the status.
int compare(const std::string& name, const std::map<std::string, std::int64_t>& scalars, double tolerance,
            unsigned seed = 1) {
  const ir::Module& module = *Runs::program(name).module;
  const ir::FunctionId id(module.functions.size() - 1);
  const ir::Function& entry = module[id];
  std::vector<ir::EvalArgument> arguments;
  std::vector<std::int64_t> words(entry.parameters.size());
  for (const ir::Parameter& parameter : entry.parameters) {
    const auto* local = std::get_if<ir::LocalId>(&parameter);
    if (!local) {
      arguments.emplace_back(ir::ArrayRef{});
    } else if (ir::is_float(module[*local].type)) {
      arguments.emplace_back(ir::const_float(ir::DType::F64, 0.125));
    } else {
      arguments.emplace_back(ir::const_int(ir::DType::I64, scalars.at(module[*local].name)));
    }
  }
  std::vector<Array> mine;
  std::vector<Array> theirs;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const auto* buffer = std::get_if<ir::BufferId>(&entry.parameters[i]);
    if (!buffer) continue;
    Array array{module[*buffer].type, *ir::parameter_shape(module, id, i, arguments), {}};
    std::size_t size = ir::row(array.type).bytes;
    for (const std::int64_t extent : array.shape) size *= static_cast<std::size_t>(extent);
    array.bytes.resize(size);
    fill(array.bytes, array.type, seed + static_cast<unsigned>(i));
    mine.push_back(array);
    theirs.push_back(array);
  }
  std::vector<void*> pointers;
  std::vector<std::int64_t> results(2 * entry.results.size() + 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    if (std::holds_alternative<ir::BufferId>(entry.parameters[i])) {
      arguments[i] = ir::ArrayRef{theirs[next].bytes.data(), theirs[next].type, theirs[next].shape};
      pointers.push_back(mine[next++].bytes.data());
    } else {
      const auto& constant = std::get<ir::Const>(arguments[i]);
      words[i] = static_cast<std::int64_t>(constant.bits);
      pointers.push_back(&words[i]);
    }
  }
  for (std::size_t i = 0; i < entry.results.size(); ++i) pointers.push_back(&results[2 * i]);
  const int status = Runs::function(name)(pointers.data());
  const ir::EvalResult wanted = ir::eval(module, id, arguments);
  EXPECT_TRUE(wanted.end == ir::EvalEnd::Returned || wanted.end == ir::EvalEnd::Trapped) << wanted.detail;
  EXPECT_EQ(status, wanted.status) << name;
  if (status != 0) return status;
  std::size_t array = 0;
  for (const ir::Parameter& parameter : entry.parameters) {
    const auto* buffer = std::get_if<ir::BufferId>(&parameter);
    if (!buffer) continue;
    const Array& a = mine[array];
    const Array& b = theirs[array++];
    const std::size_t width = ir::row(a.type).bytes;
    for (std::size_t at = 0; at < a.bytes.size(); at += width) {
      if (same(a.bytes.data() + at, b.bytes.data() + at, a.type, tolerance)) continue;
      ADD_FAILURE() << name << ": " << module[*buffer].name << " differs at element " << at / width << ": "
                    << hex(a.bytes.data() + at, width) << " for " << hex(b.bytes.data() + at, width);
      break;
    }
  }
  for (std::size_t i = 0; i < entry.results.size(); ++i) {
    std::uint64_t bits[2] = {wanted.results[i].bits, wanted.results[i].imag_bits};
    EXPECT_TRUE(same(reinterpret_cast<const std::byte*>(&results[2 * i]),
                     reinterpret_cast<const std::byte*>(bits), entry.results[i], tolerance))
        << name << ": result " << i;
  }
  return status;
}

TEST_F(Runs, KernelsAgreeWithEval) {
  for (const Kernel& kernel : kKernels) {
    for (const std::int64_t n : {1, 2, 7, 33}) {
      for (const std::int64_t q : {1, 2}) {
        (void)compare(kernel.name, {{"n", n}, {"m", n + 4}, {"q", q}}, kernel.tolerance,
                      static_cast<unsigned>(n + q));
      }
    }
  }
}

TEST_F(Runs, RowsLongerThanABlockAgree) {
  for (const std::int64_t n : {255, 256, 257, 700}) (void)compare("columns", {{"n", n}, {"m", 33}}, 1e-13);
}

TEST_F(Runs, RowsThatGrowAtOnceAgreeBitForBit) {
  for (const std::int64_t n : {1, 3, 4, 5, 8, 257}) {
    (void)compare("matmul", {{"n", n}, {"m", 17}}, 0);
    (void)compare("gemm", {{"n", n}, {"m", 17}}, 0);
  }
  (void)compare("matmul", {{"n", 6}, {"m", 0}}, 0);
}

TEST_F(Runs, EveryOpOnEveryDTypeAgreesWithEval) {
  for (const std::string& type : all_dtypes()) {
    for (unsigned seed = 1; seed < 6; ++seed) (void)compare("ops_" + type, {{"n", 97}}, 0, seed);
  }
}

TEST_F(Runs, TrapsGiveTheirRow) {
  EXPECT_EQ(compare("traps", {{"n", 5}, {"q", 9}}, 1e-13), 1);
  EXPECT_EQ(compare("traps", {{"n", 5}, {"q", -1}}, 1e-13), 1);
  EXPECT_EQ(compare("guarded", {{"n", 40}, {"q", 1}}, 0), 1);
}

TEST_F(Runs, CheckedRefusesWhatTheHeaderExcludes) {
  std::int64_t n = 4;
  std::int64_t m = 4;
  double w = 1;
  std::vector<double> data(32);
  const auto call = [&](void* a, void* b) {
    void* arguments[] = {&n, &m, a, b, &w};
    return Runs::function("stencil")(arguments);
  };
  EXPECT_EQ(call(data.data(), data.data() + 16), 0);
  EXPECT_EQ(call(nullptr, data.data()), -2);
  EXPECT_EQ(call(data.data(), data.data() + 15), -3);
  n = -1;
  EXPECT_EQ(call(data.data(), data.data() + 16), -4);
  n = 0;
  EXPECT_EQ(call(nullptr, nullptr), 0);
  n = 4;
  std::int64_t q = (std::int64_t(1) << 31) + 1;
  std::int64_t index[4] = {};
  void* arguments[] = {&n, data.data(), data.data() + 8, index, &q};
  EXPECT_EQ(Runs::function("guarded")(arguments), -5);
}

TEST_F(Runs, NoMemoryIsAStatus) {
  std::int64_t n = std::int64_t(1) << 31;
  std::int64_t m = n;
  double y = 1;
  void* arguments[] = {&n, &m, &y};
  EXPECT_EQ(Runs::function("huge")(arguments), -1);
  EXPECT_EQ(y, 1);
}

}  // namespace
}  // namespace pw::backends::c
