#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace pw::base {

void internal_error(const char* file, int line, std::string_view message) {
  std::fflush(stdout);
  std::fprintf(
      stderr,
      "portwright: internal error at %s:%d: %.*s\nThis is our bug, please report it with the input.\n", file,
      line, static_cast<int>(message.size()), message.data());
#ifdef PW_ABORT_ON_BUG
  std::abort();  // libFuzzer keeps the input then
#else
  std::_Exit(70);
#endif
}

}  // namespace pw::base
