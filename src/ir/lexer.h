// Tokens of the IR's text form.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pw::ir {

enum class TokenKind : std::uint8_t {
  Name,      // letters, digits, _ and . ; bytes above 127 are letters
  Function,  // @name; text is the name
  Shared,    // $12; text is the number
  Integer,   // 12
  Float,     // 1.5, 1e-6
  Hex,       // 0x7ff8
  String,    // "..." with escapes unresolved; text is what stands between the quotes
  Place,     // !12:34; text is 12:34
  Mark,      // punctuation
  Newline,   // not inside ( or [
  End,
  Bad,  // a byte or an open string that no token begins with
};

struct Token {
  TokenKind kind;
  std::string_view text;
  std::uint32_t begin;
  std::uint32_t end;
};

/// All tokens; the last is End. Views into `text`. A comment runs from ; to the end of the line.
std::vector<Token> lex(std::string_view text);

}  // namespace pw::ir
