#include "backends/c/toolchain.h"

namespace pw::backends::c {

const runtime::Recipe& recipe() {
  static const runtime::Recipe kRecipe = [] {
    runtime::Recipe gcc;
    gcc.name = "gcc";
    gcc.compilers = {"gcc", "gcc-14", "gcc-13", "gcc-12"};
    gcc.version_probe = {"{compiler}", "-dumpfullversion"};
    // a * b + c is rounded twice, as NumPy does it.
    // Without errno gcc 12 takes sin(atan(x)) for x / sqrt(x * x + 1), and for 1 where x is NaN.
    gcc.flags = {"-O3",
                 "-march=native",
                 "-ffp-contract=off",
                 "-fno-math-errno",
                 "-fno-builtin-atan",
                 "-fno-builtin-atanf",
                 "-std=c11",
                 "-fopenmp"};
#ifdef __x86_64__
    // gcc 12 makes fmaddsub of a * b + c beside d * e - f in spite of -ffp-contract=off; AVX-512 has it too.
    gcc.flags.insert(gcc.flags.begin() + 2, {"-mno-fma", "-mno-avx512f"});
#endif
    gcc.build = {"{compiler}", "{flags}",  "-shared",  "-fPIC",       "-Wl,-Bsymbolic",
                 "-o",         "{output}", "{source}", "{libraries}", "-lm"};
    return gcc;
  }();
  return kRecipe;
}

std::vector<std::string> build_lines(const std::string& file) {
  constexpr std::size_t kWidest = 90;  // in the comment of a header, which the formatter must leave alone
  std::vector<std::string> lines = {recipe().name};
  for (const std::string& flag : recipe().flags) {
    if (lines.back().size() + 1 + flag.size() > kWidest) {
      lines.push_back(flag);
    } else {
      lines.back() += " " + flag;
    }
  }
  lines.push_back("-c " + file);
  return lines;
}

}  // namespace pw::backends::c
