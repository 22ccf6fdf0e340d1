// What Python asks of Unicode, answered by ICU and cut to Unicode 14 (CPython 3.11's): names, printability,
// NFKC, character names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pw::python {

/// Appends a code point; a surrogate becomes three bytes.
void append_utf8(std::string& out, char32_t character);
/// The code point at `offset` of valid UTF-8 (surrogates as three bytes allowed); moves `offset` past it.
char32_t next_utf8(std::string_view text, std::size_t& offset);
/// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or nullopt.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// XID_Start or underscore, XID_Continue
/// (https://docs.python.org/3.11/reference/lexical_analysis.html#identifiers).
bool starts_identifier(char32_t character);
bool continues_identifier(char32_t character);
/// str.isprintable of one character.
bool is_printable(char32_t character);
std::string nfkc(std::string_view utf8);
/// By its Unicode name or alias, in any case; for "\N{...}".
std::optional<char32_t> character_named(std::string_view name);

}  // namespace pw::python
