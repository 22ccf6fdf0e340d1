// Indented text, line by line: what every printer and emitter writes to.
#pragma once

#include <string>
#include <string_view>

namespace pw::base {

class TextWriter {
 public:
  explicit TextWriter(int spaces_per_level = 2) : spaces_(spaces_per_level) {}

  /// One line at the current indentation; an empty text is an empty line without trailing space.
  void line(std::string_view text = {});
  void indent() { ++level_; }
  void dedent() { --level_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int spaces_;
  int level_ = 0;
};

/// Indents until the end of the scope.
class Indented {
 public:
  explicit Indented(TextWriter& writer) : writer_(writer) { writer_.indent(); }
  ~Indented() { writer_.dedent(); }
  Indented(const Indented&) = delete;
  Indented& operator=(const Indented&) = delete;

 private:
  TextWriter& writer_;
};

}  // namespace pw::base
