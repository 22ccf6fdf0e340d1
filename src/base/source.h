// Source files and the places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace pw::base {

struct SourceFile;
using FileId = Id<SourceFile>;

/// A half-open byte range [begin, end) of one file. An invalid file id means "no place" (a command line,
/// say).
struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// From the first byte of `first` to the last of `last`; both in one file.
Span cover(Span first, Span last);

/// 1-based line; 1-based column counted in code points, as editors show it.
struct LineColumn {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct SourceFile {
  std::string path;  // as the user named it
  std::string text;  // UTF-8, unchanged
  std::vector<std::uint32_t> line_starts;

  /// 0-based line index of a byte offset.
  std::size_t line_of(std::uint32_t offset) const;
  LineColumn line_column(std::uint32_t offset) const;
  /// One line without its end-of-line; `line` is 1-based.
  std::string_view line_text(std::uint32_t line) const;
};

/// All files of a run. Append only: references stay valid.
class Sources {
 public:
  FileId add(std::string path, std::string text);
  /// Reads a file from disk; nullopt if it cannot be read (the caller reports it) or is 4 GiB and more.
  std::optional<FileId> load(const std::string& path);
  const SourceFile& operator[](FileId id) const;
  std::string_view text(Span span) const;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

/// Whole file as bytes, or nullopt.
std::optional<std::string> read_file(const std::string& path);
/// Writes to a temporary name beside it and renames, so a reader sees the old or the new file, whole. False
/// on failure.
bool write_file_whole(const std::string& path, std::string_view text);

}  // namespace pw::base
