#include "backends/backend.h"

#include <string>

#include "backends/c/backend.h"
#include "backends/null/backend.h"

namespace pw::backends {

std::span<const Backend* const> all() {
  static constexpr const Backend* kAll[] = {
#define BACKEND(space) &space::kBackend,
#include "backends/backends.def"
  };
  return kAll;
}

const Backend* find(std::string_view name) {
  for (const Backend* each : all()) {
    if (each->name == name) return each;
  }
  return nullptr;
}

std::string names() {
  std::string out;
  for (const Backend* each : all()) out.append(out.empty() ? "" : ", ").append(each->name);
  return out;
}

}  // namespace pw::backends
