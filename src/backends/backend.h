// The table of backends.
#pragma once

#include <span>
#include <string_view>

#include "backends/common/port.h"

namespace pw::backends {

/// In the order of backends.def.
std::span<const Backend* const> all();
/// The backend of a name, or nullptr.
const Backend* find(std::string_view name);
/// "c, null": for messages.
std::string names();

}  // namespace pw::backends
