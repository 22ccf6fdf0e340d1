// Lines of a program in the C family: indentation by braces, directives at the margin.
#pragma once

#include <string>
#include <string_view>

namespace pw::backends {

class Code {
 public:
  explicit Code(int level = 0) : level_(level) {}

  void line(std::string_view text) {
    text_.append(static_cast<std::size_t>(level_) * 2, ' ').append(text).push_back('\n');
  }
  /// A label or directive of the preprocessor, where clang-format puts it.
  void at_margin(std::string_view text) { text_.append(text).push_back('\n'); }
  void blank() { text_.push_back('\n'); }
  /// "head {", and one level in.
  void open(std::string_view head) {
    line(head.empty() ? "{" : std::string(head) + " {");
    ++level_;
  }
  /// "}" or "} tail {", which stays one level in.
  void close() {
    --level_;
    line("}");
  }
  void reopen(std::string_view middle) {
    --level_;
    line("} " + std::string(middle) + " {");
    ++level_;
  }
  /// "name:", one level out.
  void label(std::string_view text) {
    --level_;
    line(text);
    ++level_;
  }
  /// Whole lines, indented already.
  void append(std::string_view text) { text_.append(text); }

  int level() const { return level_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int level_;
};

}  // namespace pw::backends
