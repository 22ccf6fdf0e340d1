// The emitted header as other languages' compilers take it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/c/emit_testing.h"

namespace pw::backends::c {
namespace {

TEST(CHeader, IsIncludedByCpp) {
  Program program(R"(func @k(n: symbol, new: f64[n], z: c128[n], w: c64[n], flag: bool) -> (c128) promoted 0 {
  map (i < n) {
    store z[i] = complex(new[i], 1.0)
  }
  map (i < n) {
    store w[i] = c64(z[i])
  }
  return z[0]
})");
  ASSERT_TRUE(program.module);
  EmitOptions options;
  options.name = "k";
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("pw_c_header_{}", getpid());
  std::filesystem::create_directories(folder);
  for (const File& file : program.emit(options).files) std::ofstream(folder / file.name) << file.text;
  std::ofstream(folder / "main.cc") << R"(#include <complex>
#include <k.h>
int main() {
  double value[2] = {3, 4};
  std::complex<double> z[2], result;
  std::complex<float> w[2];
  using Complex = double _Complex;
  using Single = float _Complex;
  const auto wide = [](void* a) { return static_cast<Complex*>(a); };
  const int status = k_checked(2, value, wide(z), static_cast<Single*>(static_cast<void*>(w)), true, wide(&result));
  return status == 0 && z[1] == std::complex<double>(4, 1) && result.real() == 3 && w[0].real() == 3 ? 0 : 1;
}
)";
  const std::string command = fmt::format(
      "cd {} && {{ gcc -std=c11 -Wall -Wextra -Wno-unused-parameter -Werror -c k.c && "
      "g++ -std=c++17 -Wall -Wextra -Werror -I. main.cc k.o -lm -o main && ./main; }} > log 2>&1",
      folder.string());
  const int status = std::system(command.c_str());
  std::ifstream log(folder / "log");
  EXPECT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(log), {});
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pw::backends::c
