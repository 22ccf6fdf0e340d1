// How to find, probe and run a toolchain, as data: a backend's toolchain file is a table of these.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "runtime/process.h"

namespace pw::runtime {

/// A library of the system that what is built calls.
struct Library {
  std::string name;     // "FFTW", as people call it
  std::string header;   // "fftw3.h"
  std::string flag;     // "-lfftw3"
  std::string package;  // the Debian package that has both
};

/// Words of `argv` may hold {compiler}, {source}, {output}, {folder} and the names given to build(); a word
/// that is exactly {flags} is replaced by the list of flags, {libraries} by the flags of the libraries.
struct Recipe {
  std::string name;                    // "gcc", as verdicts show it
  std::vector<std::string> compilers;  // candidates, the first found in PATH wins
  std::vector<std::string> version_probe = {"{compiler}", "-dumpfullversion"};
  std::vector<std::string> flags;
  std::vector<std::string> build;
  std::vector<Library> libraries = {};
};

struct Tool {
  std::string path;
  std::string version;  // first line of what the probe prints
};

/// The tool of a recipe, or nullopt if none of its candidates is installed. Cached for the process; thread
/// safe.
std::optional<Tool> find_tool(const Recipe& recipe);

/// The first library of the recipe that its tool does not find, header or file, or null. Cached and thread
/// safe as well.
const Library* missing_library(const Recipe& recipe);

struct Built {
  std::string command;  // as a person would type it
  Child child;
};

/// `text` with every {name} replaced; names that are not given stay.
std::string fill(const std::string& text, const std::vector<std::pair<std::string, std::string>>& values);

/// Runs the build in limits.scratch. Fails with run-tool-absent or run-build-failed.
base::Result<Built> build(const Recipe& recipe,
                          const std::vector<std::pair<std::string, std::string>>& values,
                          const Limits& limits, diagnostics::Engine& engine, base::Span span = {});

}  // namespace pw::runtime
