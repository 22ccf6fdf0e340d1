// String literals: implicit concatenation, and f-strings, whose expressions 3.11 parses from the string's
// contents.
//
// An expression in an f-string has no backslash, so it is a stretch of the file as it stands and its nodes
// have true spans. How the contents divide into text and fields:
// https://docs.python.org/3.11/reference/lexical_analysis.html#f-strings
#include <string>

#include "frontends/python/escape.h"
#include "frontends/python/parser_state.h"

namespace pw::python {

using base::Done;

/// One run of adjacent string tokens.
class StringParser {
 public:
  explicit StringParser(Parser& parser) : parser_(parser), start_(parser.peek().begin) {
    unicode_kind_ = parser.text_of(parser.peek())[0] == 'u';
  }

  Result<ExprId> parse() {
    bool any_bytes = false;
    bool any_str = false;
    while (parser_.at(TokenKind::String)) {
      const Token token = parser_.take();
      const std::string_view text = parser_.text_of(token);
      const StringOpening opening = string_opening(text);
      const bool bytes = opening.prefix.find_first_of("bB") != std::string_view::npos;
      (bytes ? any_bytes : any_str) = true;
      if (any_bytes && any_str)
        return parser_.engine_.report(Rule::PythonStringMix, parser_.token_span(token));
      raw_ = opening.prefix.find_first_of("rR") != std::string_view::npos;
      const std::size_t skip = opening.prefix.size() + opening.quote_count;
      position_ = token.begin + skip;
      end_ = token.end - opening.quote_count;
      if (opening.prefix.find_first_of("fF") != std::string_view::npos) {
        joined_ = true;
        PW_CHECK_OK(contents(0));
      } else if (bytes) {
        PW_CHECK_OK(append(&append_bytes, position_, end_));
      } else {
        PW_CHECK_OK(append(&append_str, position_, end_));
      }
    }
    if (any_bytes) return parser_.add(start_, Constant{BytesValue{std::move(literal_)}});
    if (!joined_) return parser_.add(start_, Constant{StrValue{std::move(literal_)}, unicode_kind_});
    PW_CHECK_OK(end_literal());
    return parser_.add(start_, JoinedStr{std::move(values_)});
  }

 private:
  using Append = std::optional<EscapeProblem> (*)(std::string&, std::string_view, bool);

  char at(std::size_t offset) const { return offset < end_ ? parser_.text_[offset] : '\0'; }
  base::Span span(std::size_t begin, std::size_t end) const {
    return {parser_.file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  Failure wrong(std::string_view why) const {
    return parser_.engine_.report(Rule::PythonFString, span(position_, std::min(position_ + 1, end_)), why);
  }

  Result<Done> append(Append append, std::size_t begin, std::size_t end) {
    const std::string_view text = parser_.text_.substr(begin, end - begin);
    if (const auto problem = append(literal_, text, raw_)) {
      return parser_.engine_.report(Rule::PythonEscape, span(begin + problem->begin, begin + problem->end),
                                    problem->what);
    }
    return Done{};
  }

  /// Text gathered so far becomes a Constant, unless it is empty.
  Result<Done> end_literal() {
    if (literal_.empty()) return Done{};
    PW_TRY(ExprId id, parser_.add(start_, Constant{StrValue{std::move(literal_)}, unicode_kind_}));
    values_.push_back(id);
    literal_.clear();
    return Done{};
  }

  /// Text and fields up to the string's end, or in a format spec (level 1, 2) to the brace that closes its
  /// field.
  Result<Done> contents(int level) {
    while (true) {
      PW_CHECK_OK(text(level));
      if (position_ >= end_ || at(position_) == '}') return Done{};
      PW_CHECK_OK(field(level));
    }
  }

  /// Literal text up to a field, a closing brace in a format spec, or the end. Doubled braces stand for one
  /// outside specs.
  Result<Done> text(int level) {
    std::size_t begin = position_;
    while (position_ < end_) {
      const char c = at(position_);
      if (c == '\\' && !raw_ && position_ + 1 < end_) {
        const bool named = at(position_ + 1) == 'N' && at(position_ + 2) == '{';
        const bool brace = at(position_ + 1) == '{' || at(position_ + 1) == '}';
        position_ += brace ? 1 : 2;
        while (named && position_ < end_ && at(position_ - 1) != '}') ++position_;
        if (!brace) continue;
      }
      const char here = at(position_);
      if (here != '{' && here != '}') {
        ++position_;
        continue;
      }
      const bool doubled = level == 0 && at(position_ + 1) == here;
      if (!doubled) {
        if (level == 0 && here == '}') return wrong("a single '}' is not allowed");
        break;
      }
      PW_CHECK_OK(append(&append_str, begin, position_ + 1));
      position_ += 2;
      begin = position_;
    }
    return append(&append_str, begin, position_);
  }

  /// {expression [=] [!conversion] [:spec]}
  Result<Done> field(int level) {
    if (level >= 2) return wrong("fields nest too deep");
    ++position_;
    const std::size_t begin = position_;
    PW_CHECK_OK(find_expression_end());
    PW_TRY(ExprId value, expression(begin, position_));
    bool shows_source = false;
    if (at(position_) == '=') {
      shows_source = true;
      ++position_;
      while (std::string_view(" \t\n\r\f\v").find(at(position_)) != std::string_view::npos &&
             position_ < end_)
        ++position_;
      // The source is shown as it stands: its backslashes are none of an escape.
      const bool raw = std::exchange(raw_, true);
      PW_CHECK_OK(append(&append_str, begin, position_));
      raw_ = raw;
    }
    FormattedValue out{value, -1, {}};
    if (at(position_) == '!') {
      const char conversion = at(++position_);
      if (conversion != 's' && conversion != 'r' && conversion != 'a') {
        return wrong("a conversion is 's', 'r' or 'a'");
      }
      out.conversion = conversion;
      ++position_;
    }
    PW_CHECK_OK(end_literal());
    if (at(position_) == ':') {
      ++position_;
      PW_TRY(out.format_spec, format_spec(level + 1));
    }
    if (position_ >= end_ || at(position_) != '}') return wrong("'}' is expected");
    ++position_;
    if (shows_source && !out.format_spec.valid() && out.conversion == -1) out.conversion = 'r';
    PW_TRY(ExprId id, parser_.add(start_, out));
    values_.push_back(id);
    return Done{};
  }

  Result<ExprId> format_spec(int level) {
    std::vector<ExprId> outer = std::exchange(values_, {});
    PW_CHECK_OK(contents(level));
    PW_CHECK_OK(end_literal());
    std::vector<ExprId> inner = std::exchange(values_, std::move(outer));
    return parser_.add(start_, JoinedStr{std::move(inner)});
  }

  /// Moves to the '=', '!', ':' or '}' that ends a field's expression: outside its strings and brackets.
  Result<Done> find_expression_end() {
    std::string open;
    for (; position_ < end_; ++position_) {
      const char c = at(position_);
      if (c == '\\') return wrong("an expression cannot include a backslash");
      if (c == '#') return wrong("an expression cannot include '#'");
      if (c == '\'' || c == '"') {
        PW_CHECK_OK(skip_string(c));
      } else if (c == '(' || c == '[' || c == '{') {
        if (open.size() >= kMaxBrackets) return wrong("too many nested brackets");
        open.push_back(c);
      } else if (open.empty() && is_comparison()) {
        ++position_;
      } else if (open.empty() && std::string_view("!:}=").find(c) != std::string_view::npos) {
        return Done{};
      } else if (c == ')' || c == ']' || c == '}') {
        if (open.empty()) return wrong("a bracket closes nothing");
        const char wanted = open.back() == '(' ? ')' : open.back() == '[' ? ']' : '}';
        if (c != wanted) return wrong("a bracket closes another kind");
        open.pop_back();
      }
    }
    return wrong(open.empty() ? "'}' is expected" : "a bracket is not closed");
  }

  bool is_comparison() const {
    const char c = at(position_);
    return at(position_ + 1) == '=' && (c == '!' || c == '=' || c == '<' || c == '>');
  }

  /// From a string's first quote to its last, in a field's expression.
  Result<Done> skip_string(char quote) {
    const std::string_view rest = parser_.text_.substr(position_, end_ - position_);
    const std::string closing(rest.substr(0, 3) == std::string(3, quote) ? 3 : 1, quote);
    const std::size_t close = rest.find(closing, closing.size());
    if (rest.find('\\') < close && rest.find('\\') != std::string_view::npos) {
      position_ += rest.find('\\');
      return wrong("an expression cannot include a backslash");
    }
    if (close == std::string_view::npos) return wrong("a string in an expression is not closed");
    position_ += close + closing.size() - 1;
    return Done{};
  }

  Result<ExprId> expression(std::size_t begin, std::size_t end) {
    const std::string_view source = parser_.text_.substr(begin, end - begin);
    if (source.find_first_not_of(" \t\n\r\f") == std::string_view::npos) return wrong("an empty expression");
    const Parser::Nested nested(parser_);
    if (nested.too_deep() || parser_.fstring_depth_ >= kMaxFStringDepth) return parser_.depth_failure();
    ++parser_.fstring_depth_;
    Lexed lexed = tokenize_bracketed(span(begin, end), parser_.engine_.sources());
    // The parser reads these tokens, then goes on where it was.
    std::vector<Token> tokens = std::exchange(parser_.tokens_, {});
    const std::size_t position = parser_.position_;
    const std::size_t farthest = parser_.farthest_;
    const std::uint32_t last_end = parser_.last_end_;
    auto lexical_error = std::exchange(parser_.lexical_error_, std::move(lexed.error));
    parser_.use_tokens(lexed.tokens);
    Result<ExprId> out = parser_.bracketed_fragment();
    parser_.tokens_ = std::move(tokens);
    parser_.position_ = position;
    parser_.farthest_ = farthest;
    parser_.last_end_ = last_end;
    parser_.lexical_error_ = std::move(lexical_error);
    --parser_.fstring_depth_;
    return out;
  }

  Parser& parser_;
  std::uint32_t start_;
  bool unicode_kind_ = false;
  bool joined_ = false;
  bool raw_ = false;
  std::size_t position_ = 0;  // in the file
  std::size_t end_ = 0;       // of the token's contents
  std::string literal_;
  std::vector<ExprId> values_;
};

Result<ExprId> Parser::strings() { return StringParser(*this).parse(); }

}  // namespace pw::python
