#include "base/text_writer.h"

namespace pw::base {

void TextWriter::line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<std::size_t>(level_ * spaces_), ' ').append(text);
  text_.push_back('\n');
}

}  // namespace pw::base
