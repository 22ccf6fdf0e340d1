// The one API behind every face: a verb and its options go in, text, JSON and an exit code come out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pw::service {

struct Request {
  std::string verb;
  std::vector<std::string> kernels;   // the verb's arguments; of `corpus` and `ledger`: the sub-verb first
  std::vector<std::string> backends;  // empty: c
  std::string preset;                 // empty: S and generated sizes
  std::string dtype;                  // empty: what the manifest allows
  std::string json;                   // empty: no; "-": instead of the text; else a file
  std::string out_folder;             // empty: the current one
  bool no_format = false;
  bool explain = false;
  bool hash = false;
  bool no_libraries = false;
  std::string fft;     // empty or "own", "fftw"
  std::string passes;  // empty or "all", "none"
  std::int64_t jobs = 0;
  std::int64_t seed = 0;
};

// Exit codes, of every verb.
inline constexpr int kNothingFailed = 0;
inline constexpr int kSomethingFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kOurBug = 70;

struct Response {
  int exit_code = kNothingFailed;
  std::string text;    // for standard output
  std::string json;    // for standard output or the file, if asked for
  std::string errors;  // for standard error
};

/// Where a long verb says how far it is.
struct Progress {
  /// A line that is ready for standard output; printed at once.
  std::function<void(std::string_view line)> line = [](std::string_view) {};
  std::function<void(std::size_t done, std::size_t total, std::string_view name)> step =
      [](std::size_t, std::size_t, std::string_view) {};
};

Response run(const Request& request, const Progress& progress);

struct Verb {
  std::string_view name, arguments, summary;
  std::vector<std::string_view> options;  // fields of Request that it reads, as options.def names them
  Response (*run)(const Request&, const Progress&);
};
const std::vector<Verb>& verbs();
std::string version();

/// What a corpus run's worker processes do: a NamedManifest a line in, its rows as a line of JSON out,
/// until the input ends. Returns an exit code.
int serve_corpus(const Request& request, std::istream& in, std::ostream& out);

}  // namespace pw::service
