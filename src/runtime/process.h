// One child process, contained: started, watched, ended, and what became of it as data.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/sandbox.h"

namespace pw::runtime {

struct Exited {
  int code = 0;
  friend bool operator==(const Exited&, const Exited&) = default;
};
struct Signalled {
  int signal = 0;
  friend bool operator==(const Signalled&, const Signalled&) = default;
};
/// Used up its CPU time, or the wall backstop (then `wall` is true: a sleeper, or a machine in trouble).
struct TimedOut {
  double cpu_seconds = 0;
  bool wall = false;
  friend bool operator==(const TimedOut&, const TimedOut&) = default;
};
struct OverMemory {
  std::uint64_t bytes = 0;
  friend bool operator==(const OverMemory&, const OverMemory&) = default;
};
struct FloodedOutput {
  std::uint64_t bytes = 0;
  friend bool operator==(const FloodedOutput&, const FloodedOutput&) = default;
};
struct TooManyProcesses {
  int count = 0;
  friend bool operator==(const TooManyProcesses&, const TooManyProcesses&) = default;
};
struct NotStarted {
  int error = 0;  // errno
  friend bool operator==(const NotStarted&, const NotStarted&) = default;
};
using Outcome =
    std::variant<Exited, Signalled, TimedOut, OverMemory, FloodedOutput, TooManyProcesses, NotStarted>;

/// "exited 0", "killed by SIGSEGV", "out of CPU time (10.0 s)", ...: for reports.
std::string to_string(const Outcome& outcome);
bool succeeded(const Outcome& outcome);

struct Command {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>>
      environment;                               // on top of a small fixed one (see child_environment)
  std::string folder;                            // working folder; empty: scratch, else the parent's
  std::string input;                             // stdin; empty: /dev/null
  std::vector<std::pair<int, int>> descriptors;  // (ours, the child's number, 3 and up)
};

struct Child {
  Outcome outcome;
  std::string out;  // at most Limits::output_bytes
  std::string err;
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t peak_bytes = 0;  // resident; of the largest process
  Held held;
};

/// Runs one child to its end, then ends whatever it left behind in its process group. Thread safe.
Child run(const Command& command, const Limits& limits);

/// PATH, HOME=scratch, TMPDIR=scratch, LC_ALL=C.UTF-8, OMP_NUM_THREADS and the like fixed, then `extra`;
/// "NAME=VALUE".
std::vector<std::string> child_environment(const std::vector<std::pair<std::string, std::string>>& extra,
                                           const std::string& scratch);

}  // namespace pw::runtime
