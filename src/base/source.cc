#include "base/source.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/check.h"

namespace pw::base {

Span cover(Span first, Span last) {
  return {first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

std::size_t SourceFile::line_of(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  return static_cast<std::size_t>(after - line_starts.begin()) - 1;
}

LineColumn SourceFile::line_column(std::uint32_t offset) const {
  const std::size_t line = line_of(offset);
  std::uint32_t column = 1;
  for (std::size_t i = line_starts[line]; i < offset && i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++column;
  }
  return {static_cast<std::uint32_t>(line + 1), column};
}

std::string_view SourceFile::line_text(std::uint32_t line) const {
  const std::string_view all = text;
  if (line == 0 || line > line_starts.size()) return {};
  const std::size_t begin = line_starts[line - 1];
  return all.substr(begin, std::min(all.find_first_of("\r\n", begin), all.size()) - begin);
}

FileId Sources::add(std::string path, std::string text) {
  auto file = std::make_unique<SourceFile>();
  file->path = std::move(path);
  file->text = std::move(text);
  file->line_starts.push_back(0);
  const std::string& t = file->text;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const bool lone_return = t[i] == '\r' && (i + 1 == t.size() || t[i + 1] != '\n');
    if (t[i] == '\n' || lone_return) file->line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return FileId(files_.size() - 1);
}

std::optional<FileId> Sources::load(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text || text->size() >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return add(path, std::move(*text));
}

const SourceFile& Sources::operator[](FileId id) const {
  PW_CHECK(id.index() < files_.size(), "a span names a file that was never loaded");
  return *files_[id.index()];
}

std::string_view Sources::text(Span span) const {
  if (!span.file.valid()) return {};
  return std::string_view((*this)[span.file].text).substr(span.begin, span.end - span.begin);
}

std::optional<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

bool write_file_whole(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  std::FILE* out = std::fopen(temporary.c_str(), "wb");
  if (out == nullptr) return false;
  bool good = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  good = std::fflush(out) == 0 && good;
  good = ::fsync(::fileno(out)) == 0 && good;
  good = std::fclose(out) == 0 && good;
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  std::remove(temporary.c_str());
  return false;
}

}  // namespace pw::base
