#include "frontends/python/encoding.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/engine.h"
#include "frontends/python/parser.h"
#include "frontends/python/unicode.h"

namespace pw::python {

using base::Done;
using base::Result;
using diagnostics::Rule;

namespace {

struct Declaration {
  std::string name;  // lower case, '-' for '_'
  std::size_t begin, end;
};

/// PEP 263: a comment alone on line one or two that matches ^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)
std::optional<Declaration> declared_encoding(std::string_view text) {
  std::size_t begin = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
  for (int line = 0; line < 2 && begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    const std::size_t first = content.find_first_not_of(" \t\f");
    if (first != std::string_view::npos && content[first] != '#') return std::nullopt;
    for (std::size_t at = content.find("coding");
         first != std::string_view::npos && at != std::string_view::npos;
         at = content.find("coding", at + 1)) {
      std::size_t i = at + 6;
      if (i >= content.size() || (content[i] != ':' && content[i] != '=')) continue;
      i = content.find_first_not_of(" \t", i + 1);
      if (i == std::string_view::npos) break;
      Declaration out{{}, begin + i, begin + i};
      for (; i < content.size(); ++i) {
        const char c = content[i];
        const bool upper = c >= 'A' && c <= 'Z';
        if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.')
          break;
        out.name.push_back(upper ? static_cast<char>(c + ('a' - 'A')) : c == '_' ? '-' : c);
        ++out.end;
      }
      if (!out.name.empty()) return out;
    }
    begin = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return std::nullopt;
}

/// Encodings in which an ASCII byte means itself: a file of such bytes alone reads the same in all of them.
bool agrees_on_ascii(std::string_view name) {
  static constexpr std::string_view kFamilies[] = {"latin",  "iso-8859",    "iso8859", "ascii", "us-ascii",
                                                   "cp125",  "windows-125", "koi8",    "euc",   "gbk",
                                                   "gb2312", "gb18030",     "big5",    "l1"};
  return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](std::string_view family) { return name.substr(0, family.size()) == family; });
}

}  // namespace

Result<Done> check_encoding(base::FileId file, diagnostics::Engine& engine) {
  const std::string_view text = engine.sources()[file].text;
  const auto span = [&](std::size_t begin, std::size_t end) {
    return base::Span{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  if (text.size() > kMaxFileBytes) {
    return engine.report(Rule::PythonTooLarge, span(0, 0), text.size() >> 20U, kMaxFileBytes >> 20U);
  }
  const std::optional<Declaration> declared = declared_encoding(text);
  if (declared && declared->name != "utf-8" && declared->name.substr(0, 6) != "utf-8-") {
    // A byte order mark is a declaration too, and CPython wants the two to agree to the letter.
    const bool marked = text.substr(0, 3) == "\xEF\xBB\xBF";
    const bool ascii =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const bool readable = declared->name == "utf8" || (ascii && agrees_on_ascii(declared->name));
    if (marked || !readable) {
      return engine.report(Rule::PythonEncoding, span(declared->begin, declared->end), declared->name);
    }
  }
  if (const std::size_t null = text.find('\0'); null != std::string_view::npos) {
    return engine.report(Rule::PythonNullByte, span(null, null + 1));
  }
  if (const auto invalid = first_invalid_utf8(text)) {
    return engine.report(Rule::PythonNotUtf8, span(*invalid, *invalid + 1),
                         fmt::format("0x{:02X}", static_cast<unsigned char>(text[*invalid])));
  }
  return Done{};
}

}  // namespace pw::python
