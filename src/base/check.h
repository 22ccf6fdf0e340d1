// Our own bugs: an invariant that does not hold ends the process with exit code 70, never with a wrong
// result.
#pragma once

#include <string_view>

namespace pw::base {

/// Prints "internal error" with place and message, asks for a report, exits with code 70.
[[noreturn]] void internal_error(const char* file, int line, std::string_view message);

}  // namespace pw::base

#define PW_CHECK(condition, message) \
  ((condition) ? void(0) : ::pw::base::internal_error(__FILE__, __LINE__, (message)))
#define PW_UNREACHABLE(message) ::pw::base::internal_error(__FILE__, __LINE__, (message))
