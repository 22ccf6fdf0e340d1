// Every file of tests/errors/manifest beside the whole text it must provoke. PW_UPDATE=1 rewrites the
// expectations.
//
// A first line "# def: x, n=, *, k -> out" is the kernel's def line, checked too; "# written: x" what it
// stores to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "frontends/manifest/binding.h"
#include "frontends/manifest/manifest.h"

namespace pw::manifest {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(PW_SOURCE_DIR) / "tests/errors/manifest";

struct Word {
  std::string text;
  std::uint32_t begin;
};

/// Comma-separated words of the line that starts with `mark`.
std::vector<Word> words_after(const std::string& text, const std::string& mark) {
  std::vector<Word> out;
  const std::size_t start = text.find(mark);
  if (start == std::string::npos) return out;
  std::size_t at = start + mark.size();
  const std::size_t end = std::min(text.find_first_of("\n-", at), text.size());
  while (at < end) {
    const std::size_t comma = std::min(text.find(',', at), end);
    const std::size_t begin = text.find_first_not_of(' ', at);
    const std::size_t last = text.find_last_not_of(' ', comma - 1);
    out.push_back({text.substr(begin, last + 1 - begin), static_cast<std::uint32_t>(begin)});
    at = comma + 1;
  }
  return out;
}

DefLine def_line(base::FileId file, const std::string& text) {
  DefLine out;
  bool keyword_only = false;
  for (const Word& word : words_after(text, "# def: ")) {
    if (word.text == "*") {
      keyword_only = true;
      continue;
    }
    const bool has_default = word.text.back() == '=';
    const std::string name = word.text.substr(0, word.text.size() - (has_default ? 1 : 0));
    const auto end = static_cast<std::uint32_t>(word.begin + name.size());
    out.arguments.push_back({name, has_default, keyword_only, base::Span{file, word.begin, end}});
  }
  for (const Word& word : words_after(text, "-> ")) out.returned.push_back(word.text);
  return out;
}

std::string provoke(const std::filesystem::path& path) {
  base::Sources sources;
  const base::FileId file = sources.add(path.filename().string(), *base::read_file(path.string()));
  diagnostics::Engine engine(sources);
  const base::Result<Manifest> manifest = load(file, sources, engine);
  const std::string& text = sources[file].text;
  if (manifest && text.starts_with("# def: ")) {
    const DefLine def = def_line(file, text);
    if (check(*manifest, def, engine) && text.find("# written: ") != std::string::npos) {
      std::set<std::string> written;
      for (const Word& word : words_after(text, "# written: ")) written.insert(word.text);
      (void)check_written(*manifest, bind(*manifest, def, port_rows(*manifest).front()), written, engine);
    }
  }
  std::string out;
  for (const diagnostics::Diagnostic& each : engine.all()) out += to_text_with_source(each, sources) + "\n";
  return out;
}

TEST(Errors, EachBadManifestProvokesItsWholeText) {
  std::vector<std::filesystem::path> cases;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  EXPECT_GE(cases.size(), 50U);
  for (const std::filesystem::path& path : cases) {
    const std::string got = provoke(path);
    std::filesystem::path expected_path = path;
    expected_path.replace_extension(".expected");
    if (std::getenv("PW_UPDATE") != nullptr) {
      ASSERT_TRUE(base::write_file_whole(expected_path.string(), got));
    }
    EXPECT_FALSE(got.empty()) << path;
    EXPECT_EQ(got, base::read_file(expected_path.string()).value_or("")) << path;
  }
}

}  // namespace
}  // namespace pw::manifest
