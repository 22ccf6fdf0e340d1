// Tokens of a Python file. Lossless: tokens are contiguous from the first byte to the last, trivia (spaces,
// comments, blank lines, line joins, byte order mark) included, so their texts concatenated are the file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pw::python {

/// Kinds are rows of tokens.def.
enum class TokenKind : std::uint8_t {
#define TOKEN(name) name,
#define OPERATOR(name, text) name,
#define KEYWORD(name, text) name,
#include "frontends/python/tokens.def"
};

/// Bytes [begin, end) of the file. Indent, Dedent, EndMarker, and a Newline that the file's end supplies, are
/// empty.
struct Token {
  TokenKind kind;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The text of an operator or keyword; the kind's name for all others.
std::string_view spelling(TokenKind kind);
/// True for what the grammar never sees: the byte order mark, spaces, comments, blank lines, line joins.
bool is_trivia(TokenKind kind);
bool is_keyword(TokenKind kind);

}  // namespace pw::python
