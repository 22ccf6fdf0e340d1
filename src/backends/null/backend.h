// The smallest backend there is: copy this folder to begin a new one (docs: CONTRIBUTING, "A backend").
#pragma once

#include "backends/common/port.h"

namespace pw::backends::null {

extern const Backend kBackend;

}  // namespace pw::backends::null
