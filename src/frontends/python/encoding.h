// Whether a file's bytes are text that the lexer can read: UTF-8 without null bytes, of a size that bounds
// memory.
#pragma once

#include "base/result.h"
#include "base/source.h"

namespace pw::diagnostics {
class Engine;
}

namespace pw::python {

/// Fails on a file that is too large, declares another encoding (PEP 263) and has a byte beyond ASCII, is not
/// UTF-8, or has a null.
base::Result<base::Done> check_encoding(base::FileId file, diagnostics::Engine& engine);

}  // namespace pw::python
