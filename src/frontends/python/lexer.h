// Text to tokens, as CPython 3.11's tokenizer makes them, with trivia kept.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/diagnostic.h"
#include "frontends/python/token.h"

namespace pw::diagnostics {
class Engine;
}

namespace pw::python {

/// CPython's own limits.
inline constexpr std::size_t kMaxBrackets = 200;
inline constexpr std::size_t kMaxIndents = 100;

/// Why the tokens end in an Error: reported only where the parser gets that far, as an earlier grammar error
/// goes first.
struct LexicalError {
  diagnostics::Rule rule;
  base::Span span;
};

struct Lexed {
  std::vector<Token>
      tokens;  // ends with EndMarker, or with Error and then the rest of the text as one Unknown
  std::optional<LexicalError> error;
  std::optional<std::uint32_t>
      unclosed;  // the error is a bracket, at this offset, that the file's end leaves open
};

/// The tokens of a whole file. Errors inside a token (a string without end, a character no name may hold, a
/// bracket that closes nothing) fail at once: CPython prefers them to any grammar error.
base::Result<Lexed> tokenize(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine);

/// The tokens of a part of a file that stands between brackets: an expression in an f-string.
base::Result<Lexed> tokenize_bracketed(base::Span part, const base::Sources& sources,
                                       diagnostics::Engine& engine);

/// Length of the string prefix and opening quotes at the start of a String token.
struct StringOpening {
  std::string_view prefix;
  std::size_t quote_count;  // 1 or 3
};
StringOpening string_opening(std::string_view token_text);

}  // namespace pw::python
