// Escape sequences of string and bytes literals. Source:
// https://docs.python.org/3.11/reference/lexical_analysis.html#string-and-bytes-literals
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pw::python {

/// What is wrong, and where in the literal's text.
struct EscapeProblem {
  std::string_view what;
  std::size_t begin, end;
};

/// Appends the value of a literal's text (without quotes) to `out`; an unknown escape stays as it is written.
/// Line ends become \n.
std::optional<EscapeProblem> append_str(std::string& out, std::string_view text, bool raw);
std::optional<EscapeProblem> append_bytes(std::string& out, std::string_view text, bool raw);

}  // namespace pw::python
