// ast_dump [--quiet] [--cpu] < paths: for each path (one a line) its tree or its first diagnostic, on one
// line of output.
//
// A tree is what `dump` gives; an error is "!LINE: text". --quiet parses and prints errors only, --cpu ends
// with the CPU seconds.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>

#include "diagnostics/engine.h"
#include "frontends/python/dump.h"
#include "frontends/python/parser.h"

namespace {

std::string one_line(const std::string& path, bool quiet) {
  pw::base::Sources sources;
  pw::diagnostics::Engine engine(sources);
  const auto file = sources.load(path);
  if (!file) return "!0: cannot read " + path;
  const auto tree = pw::python::parse_file(*file, sources, engine);
  if (tree) return quiet ? std::string() : pw::python::dump(*tree, sources);
  const pw::diagnostics::Diagnostic& first = engine.all().front();
  const auto line = sources[*file].line_column(first.span.begin).line;
  return "!" + std::to_string(line) + ": " + pw::diagnostics::to_text(first, sources);
}

}  // namespace

int main(int argc, char** argv) {
  bool quiet = false;
  bool cpu = false;
  for (int i = 1; i < argc; ++i) {
    quiet = quiet || std::string_view(argv[i]) == "--quiet";
    cpu = cpu || std::string_view(argv[i]) == "--cpu";
  }
  std::string path;
  while (std::getline(std::cin, path)) {
    const std::string line = one_line(path, quiet);
    if (!quiet || !line.empty()) std::cout << line << '\n';
  }
  if (cpu) std::fprintf(stderr, "%.2f\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return 0;
}
