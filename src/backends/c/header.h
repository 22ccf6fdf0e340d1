// The header of a port, and the function that checks what the header promises.
#pragma once

#include <string>

#include "backends/c/function.h"
#include "backends/common/port.h"

namespace pw::backends::c {

/// NAME.h: what the port is, how it is built, its arguments, its status codes, its two functions.
std::string header_text(Port& port, const EmitOptions& options, const base::Sources& sources);

/// The definition of NAME_checked. Marks the helpers it uses in the prelude.
std::string checked_text(Port& port);

/// What keeps a header from being read twice: "NAME_H".
std::string guard_of(std::string name);
/// `head` as clang-format breaks it: parameters below one another's column, as many a line as fit.
std::string wrapped(const std::string& head, std::size_t tail);

}  // namespace pw::backends::c
