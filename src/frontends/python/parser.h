// Text to syntax tree: CPython 3.11's grammar, with its rejections (those of `ast.parse`; what only its
// compiler rejects passes).
#pragma once

#include "base/result.h"
#include "base/source.h"
#include "frontends/python/ast.h"

namespace pw::diagnostics {
class Engine;
}

namespace pw::python {

/// A file larger than this is refused (python-too-large).
inline constexpr std::uint32_t kMaxFileBytes = 8U << 20U;

/// Parses a whole file. Fails with one `python-` diagnostic, on the line where CPython gives its SyntaxError.
base::Result<Tree> parse_file(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine);

}  // namespace pw::python
