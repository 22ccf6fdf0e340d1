#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/source.h"
#include "base/text_writer.h"

namespace pw::base {
namespace {

TEST(Source, ColumnsCountCodePoints) {
  Sources sources;
  const FileId file = sources.add("a.py", "x = 'é' + y\r\nz\rw\n");
  const LineColumn place = sources[file].line_column(11);
  EXPECT_EQ(place.line, 1U);
  EXPECT_EQ(place.column, 11U);
  EXPECT_EQ(sources[file].line_column(14).line, 2U);
  EXPECT_EQ(sources[file].line_column(16).line, 3U);
  EXPECT_EQ(sources[file].line_text(1), "x = 'é' + y");
}

TEST(Hash, MatchesTheStandardsExample) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(TextWriter, IndentsLines) {
  TextWriter writer;
  writer.line("a {");
  {
    Indented in(writer);
    writer.line("b;");
    writer.line();
  }
  writer.line("}");
  EXPECT_EQ(writer.text(), "a {\n  b;\n\n}\n");
}

}  // namespace
}  // namespace pw::base
