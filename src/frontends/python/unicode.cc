#include "frontends/python/unicode.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "base/check.h"

namespace pw::python {

void append_utf8(std::string& out, char32_t character) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | (character >> 6));
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | (character >> 12));
    put(0x80 | ((character >> 6) & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | (character >> 18));
    put(0x80 | ((character >> 12) & 0x3F));
    put(0x80 | ((character >> 6) & 0x3F));
    put(0x80 | (character & 0x3F));
  }
}

char32_t next_utf8(std::string_view text, std::size_t& offset) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(i < text.size() ? text[i] : 0));
  };
  const char32_t first = byte(offset);
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t out = size == 1 ? first : first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) out = (out << 6) | (byte(offset + i) & 0x3F);
  offset += size;
  return out;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    // The second byte's range excludes overlong forms, surrogates and what is beyond U+10FFFF (RFC 3629,
    // section 4).
    std::size_t size = 0;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) size = 2;
    if (first >= 0xE0 && first <= 0xEF) size = 3;
    if (first >= 0xF0 && first <= 0xF4) size = 4;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
    if (size == 0 || byte(i + 1) < low || byte(i + 1) > high) return i;
    for (std::size_t k = 2; k < size; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return i;
    }
    i += size;
  }
  return std::nullopt;
}

namespace {

/// Characters younger than CPython 3.11's Unicode 14 are unassigned to it.
bool assigned(char32_t character) {
  UVersionInfo age = {};
  u_charAge(static_cast<UChar32>(character), age);
  return age[0] != 0 && age[0] <= 14;
}

}  // namespace

bool starts_identifier(char32_t character) {
  if (character == U'_') return true;
  return assigned(character) && u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_XID_START) != 0;
}

bool continues_identifier(char32_t character) {
  return assigned(character) && u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_XID_CONTINUE) != 0;
}

bool is_printable(char32_t character) {
  if (character < 0x7F) return character >= 0x20;
  if (!assigned(character)) return false;
  switch (u_charType(static_cast<UChar32>(character))) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_SURROGATE:
    case U_PRIVATE_USE_CHAR:
    case U_UNASSIGNED:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_SPACE_SEPARATOR:
      return false;
    default:
      return true;
  }
}

std::string nfkc(std::string_view utf8) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* normalizer = unorm2_getNFKCInstance(&status);
  std::u16string wide;
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t character = next_utf8(utf8, i);
    if (character >= 0x10000) {
      wide.push_back(static_cast<char16_t>(0xD7C0 + (character >> 10)));
      wide.push_back(static_cast<char16_t>(0xDC00 + (character & 0x3FF)));
    } else {
      wide.push_back(static_cast<char16_t>(character));
    }
  }
  // 18 is the largest expansion NFKC has (U+FDFA).
  std::u16string normal(wide.size() * 18 + 1, u'\0');
  const int32_t size = unorm2_normalize(normalizer, wide.data(), static_cast<int32_t>(wide.size()),
                                        normal.data(), static_cast<int32_t>(normal.size()), &status);
  PW_CHECK(U_SUCCESS(status), "ICU cannot normalise a name");
  std::string out;
  for (int32_t i = 0; i < size; ++i) {
    char32_t character = normal[static_cast<std::size_t>(i)];
    if (character >= 0xD800 && character < 0xDC00 && i + 1 < size) {
      character = 0x10000 + ((character - 0xD800) << 10) + (normal[static_cast<std::size_t>(++i)] - 0xDC00U);
    }
    append_utf8(out, character);
  }
  return out;
}

std::optional<char32_t> character_named(std::string_view name) {
  const std::string terminated(name);
  for (const UCharNameChoice choice : {U_UNICODE_CHAR_NAME, U_CHAR_NAME_ALIAS}) {
    UErrorCode status = U_ZERO_ERROR;
    const UChar32 found = u_charFromName(choice, terminated.c_str(), &status);
    if (U_SUCCESS(status) && assigned(static_cast<char32_t>(found))) return static_cast<char32_t>(found);
  }
  return std::nullopt;
}

}  // namespace pw::python
