#include "backends/c/toolchain.h"

namespace pw::backends::c {

const runtime::Recipe& recipe() {
  static const runtime::Recipe kRecipe = [] {
    runtime::Recipe gcc;
    gcc.name = "gcc";
    gcc.compilers = {"gcc", "gcc-14", "gcc-13", "gcc-12"};
    gcc.version_probe = {"{compiler}", "-dumpfullversion"};
    // a * b + c is rounded twice, as NumPy does it.
    gcc.flags = {"-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-std=c11", "-fopenmp"};
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

std::string build_line(const std::string& file) {
  std::string line = recipe().name;
  for (const std::string& flag : recipe().flags) line += " " + flag;
  return line + "\n-c " + file;
}

}  // namespace pw::backends::c
