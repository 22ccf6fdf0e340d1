// What can fail because of input returns a Result; the failure carries no text, because it was already
// reported.
#pragma once

#include <tl/expected.hpp>

namespace pw::diagnostics {
class Engine;
}

namespace pw::base {

/// Proof that a diagnostic was issued. Only the diagnostics engine makes one, so no failure is silent.
class Reported {
 private:
  Reported() = default;
  friend class ::pw::diagnostics::Engine;
};

template <typename T>
using Result = tl::expected<T, Reported>;

/// The value of a step that yields nothing but may fail.
struct Done {};

}  // namespace pw::base

#define PW_CONCAT_INNER(a, b) a##b
#define PW_CONCAT(a, b) PW_CONCAT_INNER(a, b)
#define PW_TRY_INNER(result, declaration, expression) \
  auto result = (expression);                         \
  if (!result) return tl::unexpected(result.error()); \
  declaration = std::move(*result)

/// `PW_TRY(auto x, f());` binds x to f()'s value, or returns f()'s failure from the enclosing function.
#define PW_TRY(declaration, ...) PW_TRY_INNER(PW_CONCAT(pw_result_, __LINE__), declaration, (__VA_ARGS__))
/// `PW_CHECK_OK(f());` returns f()'s failure from the enclosing function.
#define PW_CHECK_OK(...) \
  if (auto pw_done = (__VA_ARGS__); !pw_done) return tl::unexpected(pw_done.error())
