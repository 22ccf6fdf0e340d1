// Any bytes: the parser ends in a tree that can be printed or in one diagnostic, and the tokens join to the
// text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "diagnostics/engine.h"
#include "frontends/python/dump.h"
#include "frontends/python/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pw::base::Sources sources;
  pw::diagnostics::Engine engine(sources);
  const pw::base::FileId file =
      sources.add("fuzz.py", std::string(reinterpret_cast<const char*>(data), size));
  const auto tree = pw::python::parse_file(file, sources, engine);
  PW_CHECK(tree.has_value() == engine.all().empty(), "a failure without a diagnostic, or a tree with one");
  if (!tree) {
    (void)pw::diagnostics::to_text_with_source(engine.all().front(), sources);
    return 0;
  }
  std::uint32_t end = 0;
  for (const pw::python::Token& token : tree->tokens) {
    PW_CHECK(token.begin == end, "tokens leave a gap");
    end = token.end;
  }
  PW_CHECK(end == size, "tokens do not reach the end");
  (void)pw::python::dump(*tree, sources);
  return 0;
}
