// Method: one pass over bytes, in the order of CPython's Parser/tokenizer.c, whose rules are described in
// https://docs.python.org/3.11/reference/lexical_analysis.html
#include "frontends/python/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "frontends/python/number_scan.h"
#include "frontends/python/unicode.h"

namespace pw::python {

using diagnostics::Rule;

namespace {

struct KindRow {
  std::string_view name;
  bool keyword;
};
constexpr KindRow kKinds[] = {
#define TOKEN(name) {#name, false},
#define OPERATOR(name, text) {text, false},
#define KEYWORD(name, text) {text, true},
#include "frontends/python/tokens.def"
};

struct OperatorRow {
  std::string_view text;
  TokenKind kind;
};
constexpr OperatorRow kOperators[] = {
#define TOKEN(name)
#define OPERATOR(name, text) {text, TokenKind::name},
#define KEYWORD(name, text)
#include "frontends/python/tokens.def"
};

const std::unordered_map<std::string_view, TokenKind>& keywords() {
  static const std::unordered_map<std::string_view, TokenKind> table = {
#define TOKEN(name)
#define OPERATOR(name, text)
#define KEYWORD(name, text) {text, TokenKind::name},
#include "frontends/python/tokens.def"
  };
  return table;
}

/// The longest operator at the start of `text`; Unknown if none.
OperatorRow longest_operator(std::string_view text) {
  // Rows by first byte, longest first: a file's every third token is an operator.
  static const auto by_first = [] {
    std::array<std::vector<OperatorRow>, 128> table;
    for (const OperatorRow& row : kOperators) table[static_cast<unsigned char>(row.text[0])].push_back(row);
    for (auto& rows : table) {
      std::sort(rows.begin(), rows.end(),
                [](const OperatorRow& a, const OperatorRow& b) { return a.text.size() > b.text.size(); });
    }
    return table;
  }();
  for (const OperatorRow& row : by_first[static_cast<unsigned char>(text[0]) & 0x7FU]) {
    if (text.substr(0, row.text.size()) == row.text) return row;
  }
  return {text.substr(0, 1), TokenKind::Unknown};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_byte(char c) { return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }

class Lexer {
 public:
  Lexer(base::FileId file, const base::SourceFile& source, std::size_t begin, std::size_t end)
      : file_(file),
        source_(source),
        text_(std::string_view(source.text).substr(0, end)),
        position_(static_cast<std::uint32_t>(begin)) {}

  Lexed file() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") push(TokenKind::ByteOrderMark, 3);
    return run();
  }

  Lexed bracketed() {
    at_line_start_ = false;
    outer_bracket_ = true;
    return run();
  }

 private:
  struct Bracket {
    char opening;
    std::uint32_t offset;
  };
  struct Indent {
    std::uint32_t column;            // tabs to the next multiple of eight
    std::uint32_t column_with_tab1;  // tabs as one column: the two must order lines alike
  };

  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  base::Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(std::min(end, text_.size()))};
  }
  bool inside_brackets() const { return outer_bracket_ || !brackets_.empty(); }
  bool stopped() const { return out_.error.has_value(); }

  void push(TokenKind kind, std::size_t size) {
    const auto end = static_cast<std::uint32_t>(position_ + size);
    out_.tokens.push_back({kind, position_, end});
    position_ = end;
    if (kind >= TokenKind::Identifier) line_has_tokens_ = true;
  }

  /// Ends the tokens with an Error; the rest of the text becomes one token, so that nothing is lost.
  void stop(Rule rule, base::Span where, std::vector<std::string> arguments = {}, bool inside_token = false) {
    std::optional<std::uint32_t> open;
    if (!brackets_.empty()) open = brackets_.back().offset;
    out_.error = LexicalError{rule, where, std::move(arguments), inside_token, open};
    push(TokenKind::Error, 0);
    if (position_ < text_.size()) push(TokenKind::Unknown, text_.size() - position_);
  }
  void stop_inside(Rule rule, base::Span where, std::vector<std::string> arguments) {
    stop(rule, where, std::move(arguments), true);
  }

  std::size_t newline_size(std::size_t offset) const {
    if (at(offset) == '\n') return 1;
    if (at(offset) != '\r') return 0;
    return at(offset + 1) == '\n' ? 2 : 1;
  }

  Lexed run() {
    while (!stopped()) {
      if (at_line_start_) {
        at_line_start_ = false;
        line_has_tokens_ = false;
        if (brackets_.empty()) indentation();
        if (stopped()) break;
      }
      spaces();
      if (position_ >= text_.size()) {
        finish();
        break;
      }
      token();
    }
    return std::move(out_);
  }

  void spaces() {
    std::size_t size = 0;
    while (at(position_ + size) == ' ' || at(position_ + size) == '\t' || at(position_ + size) == '\f')
      ++size;
    if (size > 0) push(TokenKind::Whitespace, size);
  }

  void finish() {
    if (!brackets_.empty()) {
      const Bracket open = brackets_.back();
      return stop(Rule::PythonUnclosedBracket, span(open.offset, open.offset + 1),
                  {std::string(1, open.opening)});
    }
    if (line_has_tokens_ && !outer_bracket_) push(TokenKind::Newline, 0);
    for (std::size_t i = 1; i < indents_.size(); ++i) push(TokenKind::Dedent, 0);
    push(TokenKind::EndMarker, 0);
  }

  /// Spaces at the start of a logical line, and the Indent or Dedents they mean.
  void indentation() {
    Indent width{0, 0};
    std::optional<Indent> before_join;  // a line joined in its indentation is as deep as its first part
    while (true) {
      const std::size_t begin = position_;
      std::size_t end = begin;
      for (;; ++end) {
        if (at(end) == ' ') {
          width = {width.column + 1, width.column_with_tab1 + 1};
        } else if (at(end) == '\t') {
          width = {(width.column / 8 + 1) * 8, width.column_with_tab1 + 1};
        } else if (at(end) == '\f') {
          width = {0, 0};
        } else {
          break;
        }
      }
      if (end > begin) push(TokenKind::Whitespace, end - begin);
      if (at(position_) != '\\') break;
      if (!before_join && width.column > 0) before_join = Indent{width.column, width.column};
      line_join();
      if (stopped()) return;
    }
    const bool blank = position_ >= text_.size() || at(position_) == '#' || newline_size(position_) > 0;
    if (!blank) change_indent(before_join.value_or(width));
  }

  void change_indent(Indent width) {
    const base::Span here = span(position_, position_ + 1);
    if (width.column > indents_.back().column) {
      if (indents_.size() >= kMaxIndents) return stop(Rule::PythonIndentTooDeep, here);
      if (width.column_with_tab1 <= indents_.back().column_with_tab1) return stop(Rule::PythonTabs, here);
      indents_.push_back(width);
      push(TokenKind::Indent, 0);
      return;
    }
    std::size_t levels = 0;
    while (width.column < indents_[indents_.size() - 1 - levels].column) ++levels;
    const Indent outer = indents_[indents_.size() - 1 - levels];
    if (width.column != outer.column) return stop(Rule::PythonDedent, here);
    if (width.column_with_tab1 != outer.column_with_tab1) return stop(Rule::PythonTabs, here);
    for (std::size_t i = 0; i < levels; ++i) push(TokenKind::Dedent, 0);
    indents_.resize(indents_.size() - levels);
  }

  void line_join() {
    const std::size_t newline = newline_size(position_ + 1);
    if (newline == 0) {
      return stop(position_ + 1 >= text_.size() ? Rule::PythonUnexpectedEnd : Rule::PythonLineJoin,
                  span(position_, position_ + 1));
    }
    if (position_ + 1 + newline >= text_.size()) {
      return stop(Rule::PythonUnexpectedEnd, span(position_, position_ + 1));
    }
    push(TokenKind::LineJoin, 1 + newline);
  }

  void token() {
    const char c = at(position_);
    if (c == '#') {
      push(TokenKind::Comment, std::min(text_.find_first_of("\r\n", position_), text_.size()) - position_);
      return;
    }
    if (const std::size_t newline = newline_size(position_); newline > 0) {
      const bool ends_line = line_has_tokens_ && !inside_brackets();
      push(ends_line ? TokenKind::Newline : TokenKind::BlankNewline, newline);
      at_line_start_ = !outer_bracket_;
      return;
    }
    if (c == '\\') {
      line_join();
      return;
    }
    if (is_name_byte(c) && !is_digit(c)) return name_or_string();
    if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) return number();
    if (c == '"' || c == '\'') return string(0);
    return operator_token();
  }

  void name_or_string() {
    std::size_t size = 0;
    while (is_name_byte(at(position_ + size))) ++size;
    const std::string_view word = text_.substr(position_, size);
    const char after = at(position_ + size);
    if ((after == '"' || after == '\'') && is_string_prefix(word)) return string(size);
    if (const auto found = keywords().find(word); found != keywords().end()) {
      push(found->second, size);
      return;
    }
    for (std::size_t i = 0; i < word.size();) {
      const std::size_t begin = i;
      const char32_t character = next_utf8(word, i);
      const bool good =
          character < 0x80 || (begin == 0 ? starts_identifier(character) : continues_identifier(character));
      if (!good) return invalid_character(position_ + begin, i - begin, character);
    }
    push(TokenKind::Identifier, size);
    return;
  }

  static bool is_string_prefix(std::string_view word) {
    if (word.size() > 2) return false;
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    static constexpr std::string_view kPrefixes[] = {"r", "u", "b", "f", "br", "rb", "fr", "rf"};
    return std::find(std::begin(kPrefixes), std::end(kPrefixes), lower) != std::end(kPrefixes);
  }

  void number() {
    const NumberScan scan = scan_number(text_.substr(position_));
    if (!scan.problem.empty()) {
      return stop_inside(Rule::PythonNumber, span(position_, position_ + scan.size),
                         {std::string(scan.problem)});
    }
    push(TokenKind::Number, scan.size);
    return;
  }

  void string(std::size_t prefix_size) {
    const std::size_t open = position_ + prefix_size;
    const char quote = at(open);
    const bool triple = at(open + 1) == quote && at(open + 2) == quote;
    const std::string closing(triple ? 3 : 1, quote);
    std::size_t i = open + closing.size();
    while (i < text_.size()) {
      if (text_.substr(i, closing.size()) == closing) {
        push(TokenKind::String, i + closing.size() - position_);
        return;
      }
      if (text_[i] == '\\') {
        i += 1 + std::max<std::size_t>(newline_size(i + 1), 1);
      } else if (!triple && newline_size(i) > 0) {
        break;
      } else {
        ++i;
      }
    }
    return stop_inside(Rule::PythonUnterminatedString, span(position_, open + closing.size()), {closing});
  }

  void operator_token() {
    const OperatorRow row = longest_operator(text_.substr(position_));
    const char c = at(position_);
    if (row.kind == TokenKind::Unknown && !is_printable(static_cast<unsigned char>(c))) {
      return invalid_character(position_, 1, static_cast<unsigned char>(c));
    }
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= kMaxBrackets) {
        return stop_inside(Rule::PythonBracketDepth, span(position_, position_ + 1),
                           {std::to_string(kMaxBrackets)});
      }
      brackets_.push_back({c, position_});
    }
    if (c == ')' || c == ']' || c == '}') close_bracket(c);
    if (stopped()) return;
    push(row.kind, row.text.size());
    return;
  }

  void close_bracket(char closing) {
    const base::Span here = span(position_, position_ + 1);
    if (brackets_.empty()) return stop_inside(Rule::PythonUnmatchedBracket, here, {std::string(1, closing)});
    const Bracket open = brackets_.back();
    const char wanted = open.opening == '(' ? ')' : open.opening == '[' ? ']' : '}';
    if (closing != wanted) {
      return stop_inside(Rule::PythonBracketMismatch, here,
                         {std::string(1, closing), std::string(1, open.opening),
                          std::to_string(source_.line_column(open.offset).line), std::string(1, wanted)});
    }
    brackets_.pop_back();
    return;
  }

  void invalid_character(std::size_t offset, std::size_t size, char32_t character) {
    stop_inside(Rule::PythonCharacter, span(offset, offset + size),
                {fmt::format("U+{:04X}", static_cast<std::uint32_t>(character))});
  }

  base::FileId file_;
  const base::SourceFile& source_;
  std::string_view text_;
  std::uint32_t position_;
  Lexed out_;
  std::vector<Bracket> brackets_;
  std::vector<Indent> indents_ = {{0, 0}};
  bool at_line_start_ = true;
  bool line_has_tokens_ = false;
  bool outer_bracket_ = false;
};

}  // namespace

std::string_view spelling(TokenKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }
bool is_trivia(TokenKind kind) { return kind <= TokenKind::LineJoin; }
bool is_keyword(TokenKind kind) { return kKinds[static_cast<std::size_t>(kind)].keyword; }

Lexed tokenize(base::FileId file, const base::Sources& sources) {
  return Lexer(file, sources[file], 0, sources[file].text.size()).file();
}

Lexed tokenize_bracketed(base::Span part, const base::Sources& sources) {
  return Lexer(part.file, sources[part.file], part.begin, part.end).bracketed();
}

StringOpening string_opening(std::string_view token_text) {
  const std::size_t quote = token_text.find_first_of("'\"");
  PW_CHECK(quote != std::string_view::npos, "a string token without quotes");
  const std::string_view rest = token_text.substr(quote);
  const bool triple = rest.size() >= 6 && rest[1] == rest[0] && rest[2] == rest[0];
  return {token_text.substr(0, quote), triple ? 3U : 1U};
}

}  // namespace pw::python
