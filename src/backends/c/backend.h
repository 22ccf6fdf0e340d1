// C11, with OpenMP where a pass proved a loop parallel: readable, and exact where C can be.
#pragma once

#include "backends/common/port.h"

namespace pw::backends::c {

extern const Backend kBackend;

}  // namespace pw::backends::c
