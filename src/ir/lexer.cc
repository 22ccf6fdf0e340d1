#include "ir/lexer.h"

namespace pw::ir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    add(TokenKind::Newline, text_.size(), 0, 0);
    add(TokenKind::End, text_.size(), 0, 0);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  template <typename Is>
  void skip(Is is) {
    while (at_ < text_.size() && is(text_[at_])) ++at_;
  }

  /// A token from `begin` to here, its text without `front` and `back` bytes of marks.
  void add(TokenKind kind, std::size_t begin, std::size_t front, std::size_t back) {
    tokens_.push_back({kind, text_.substr(begin + front, at_ - begin - front - back),
                       static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  void step() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      if (nesting_ == 0) add(TokenKind::Newline, begin, 0, 0);
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == ';') {
      skip([](char d) { return d != '\n'; });
    } else if (is_digit(c)) {
      number(begin);
    } else if (is_letter(c)) {
      name();
      add(TokenKind::Name, begin, 0, 0);
    } else if (c == '@' && is_letter(peek(1))) {
      ++at_;
      name();
      add(TokenKind::Function, begin, 1, 0);
    } else if ((c == '$' || c == '!') && is_digit(peek(1))) {
      ++at_;
      skip(is_digit);
      if (c == '!' && peek() == ':' && is_digit(peek(1))) {
        ++at_;
        skip(is_digit);
      }
      add(c == '$' ? TokenKind::Shared : TokenKind::Place, begin, 1, 0);
    } else if (c == '"') {
      string(begin);
    } else {
      mark(begin);
    }
  }

  void name() {
    skip([](char c) { return is_letter(c) || is_digit(c) || c == '.'; });
  }

  void number(std::size_t begin) {
    if (peek() == '0' && peek(1) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      skip(is_hex);
      add(TokenKind::Hex, begin, 2, 0);
      return;
    }
    skip(is_digit);
    TokenKind kind = TokenKind::Integer;
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      skip(is_digit);
      kind = TokenKind::Float;
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
      at_ += sign;
      skip(is_digit);
      kind = TokenKind::Float;
    }
    add(kind, begin, 0, 0);
  }

  void string(std::size_t begin) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    }
    if (peek() != '"') return add(TokenKind::Bad, begin, 0, 0);
    ++at_;
    add(TokenKind::String, begin, 1, 1);
  }

  void mark(std::size_t begin) {
    const char c = text_[at_];
    const bool pair = (c == '/' && peek(1) == '/') || (c == '-' && peek(1) == '>');
    at_ += pair ? 2 : 1;
    if (c == '(' || c == '[') ++nesting_;
    if ((c == ')' || c == ']') && nesting_ > 0) --nesting_;
    const bool known = pair || std::string_view("()[]{},:=<+-*%").find(c) != std::string_view::npos;
    add(known ? TokenKind::Mark : TokenKind::Bad, begin, 0, 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view text) { return Lexer(text).run(); }

}  // namespace pw::ir
