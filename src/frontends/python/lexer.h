// Text to tokens, as CPython 3.11's tokenizer makes them, with trivia kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "diagnostics/diagnostic.h"
#include "frontends/python/token.h"

namespace pw::python {

/// CPython's own limits.
inline constexpr std::size_t kMaxBrackets = 200;
inline constexpr std::size_t kMaxIndents = 100;

/// Why tokens end in an Error. It is for the parser to report: which error comes first depends on the grammar
/// too.
struct LexicalError {
  diagnostics::Rule rule;
  base::Span span;
  std::vector<std::string> arguments;
  bool inside_token;  // a string without end, a character no name may hold: CPython prefers these to an
                      // earlier grammar error
  std::optional<std::uint32_t> open_bracket;  // offset of the innermost bracket that is open here
};

struct Lexed {
  std::vector<Token>
      tokens;  // ends with EndMarker, or with Error and then the rest of the text as one Unknown
  std::optional<LexicalError> error;
};

/// The tokens of a whole file; the text is valid UTF-8.
Lexed tokenize(base::FileId file, const base::Sources& sources);

/// The tokens of a part of a file that stands between brackets: an expression in an f-string.
Lexed tokenize_bracketed(base::Span part, const base::Sources& sources);

/// Length of the string prefix and opening quotes at the start of a String token.
struct StringOpening {
  std::string_view prefix;
  std::size_t quote_count;  // 1 or 3
};
StringOpening string_opening(std::string_view token_text);

}  // namespace pw::python
