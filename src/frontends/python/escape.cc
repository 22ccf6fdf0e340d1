#include "frontends/python/escape.h"

#include "frontends/python/unicode.h"

namespace pw::python {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view simple_escape(char c) {
  switch (c) {
    case '\\':
      return "\\";
    case '\'':
      return "'";
    case '"':
      return "\"";
    case 'a':
      return "\a";
    case 'b':
      return "\b";
    case 'f':
      return "\f";
    case 'n':
      return "\n";
    case 'r':
      return "\r";
    case 't':
      return "\t";
    case 'v':
      return "\v";
    default:
      return {};
  }
}

class Decoder {
 public:
  Decoder(std::string& out, std::string_view text, bool bytes) : out_(out), text_(text), bytes_(bytes) {}

  std::optional<EscapeProblem> decode(bool raw) {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (bytes_ && static_cast<unsigned char>(c) >= 0x80) {
        return EscapeProblem{"bytes literals hold ASCII characters only", position_, position_ + 1};
      }
      if (c == '\r') {
        position_ += at(1) == '\n' ? 2 : 1;
        out_.push_back('\n');
      } else if (c != '\\' || raw) {
        out_.push_back(c);
        ++position_;
      } else if (auto problem = escape()) {
        return problem;
      }
    }
    return std::nullopt;
  }

 private:
  char at(std::size_t ahead) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }

  void put(char32_t character) {
    if (bytes_) {
      out_.push_back(static_cast<char>(static_cast<unsigned char>(character & 0xFF)));
    } else {
      append_utf8(out_, character);
    }
  }

  std::optional<EscapeProblem> escape() {
    const char kind = at(1);
    if (kind == '\n' || kind == '\r') {
      position_ += at(1) == '\r' && at(2) == '\n' ? 3 : 2;
      return std::nullopt;
    }
    if (const std::string_view simple = simple_escape(kind); !simple.empty()) {
      out_ += simple;
      position_ += 2;
      return std::nullopt;
    }
    if (kind >= '0' && kind <= '7') return octal();
    if (kind == 'x') return hexadecimal(2);
    if (!bytes_ && kind == 'u') return hexadecimal(4);
    if (!bytes_ && kind == 'U') return hexadecimal(8);
    if (!bytes_ && kind == 'N') return named();
    out_.push_back('\\');
    ++position_;
    return std::nullopt;
  }

  std::optional<EscapeProblem> octal() {
    char32_t value = 0;
    std::size_t size = 1;
    for (; size < 4 && at(size) >= '0' && at(size) <= '7'; ++size) {
      value = value * 8 + static_cast<char32_t>(at(size) - '0');
    }
    position_ += size;
    put(value);
    return std::nullopt;
  }

  std::optional<EscapeProblem> hexadecimal(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = hex_value(at(2 + i));
      if (digit < 0)
        return EscapeProblem{"a \\x, \\u or \\U escape has too few digits", position_, position_ + 2 + i};
      value = value * 16 + static_cast<char32_t>(digit);
    }
    if (value > 0x10FFFF)
      return EscapeProblem{"no such Unicode character", position_, position_ + 2 + digits};
    position_ += 2 + digits;
    put(value);
    return std::nullopt;
  }

  std::optional<EscapeProblem> named() {
    const std::size_t close = text_.find('}', position_);
    if (at(2) != '{' || close == std::string_view::npos || close == position_ + 3) {
      return EscapeProblem{"a \\N escape needs a name in braces", position_, position_ + 2};
    }
    const auto character = character_named(text_.substr(position_ + 3, close - position_ - 3));
    if (!character) return EscapeProblem{"no Unicode character has this name", position_, close + 1};
    position_ = close + 1;
    put(*character);
    return std::nullopt;
  }

  std::string& out_;
  std::string_view text_;
  bool bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::optional<EscapeProblem> append_str(std::string& out, std::string_view text, bool raw) {
  return Decoder(out, text, false).decode(raw);
}

std::optional<EscapeProblem> append_bytes(std::string& out, std::string_view text, bool raw) {
  return Decoder(out, text, true).decode(raw);
}

}  // namespace pw::python
