// The cage of one child: what it may use and touch, and which of the kernel's mechanisms really held it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pw::runtime {

/// What a child may use. Zero means "no limit" for every number.
struct Limits {
  double cpu_seconds = 60;                  // of the child and all its descendants together
  double wall_seconds = 1800;               // a backstop only: contention must not look like a hang
  std::uint64_t memory_bytes = 4ull << 30;  // resident, summed over the child's process group
  std::uint64_t output_bytes = 4ull << 20;  // of stdout and of stderr, each
  std::uint64_t file_bytes = 1ull << 30;    // the largest file it may write
  int processes = 64;                       // at most so many at once; threads are not counted
  std::string scratch;                      // the one folder it may write to; empty: nowhere
  bool contain_writes = true;               // false: may write where its user may (a trusted build step)
  bool use_landlock = true;                 // false: as on a kernel that lacks it
};

/// Which mechanisms held in one run. A verdict shows this, so that a weaker machine is seen.
struct Held {
  bool rlimits = false;
  bool seccomp = false;     // no sockets but local ones, no mounts, no tracing, no leaving the process group
  bool landlock = false;    // no writes outside scratch, no signals to others
  bool namespaces = false;  // own user, mount and network namespace, everything but scratch read-only
  friend bool operator==(const Held&, const Held&) = default;
};

/// "rlimits seccomp landlock", in that fixed order; "none" if nothing held.
std::string to_string(const Held& held);

/// What this machine offers, found by trying once in a throw-away child.
const Held& machine_holds();

/// A sandbox prepared before the fork, because after it only async-signal-safe calls are allowed.
class Sandbox {
 public:
  explicit Sandbox(const Limits& limits);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Called in the forked child, just before exec. Never returns failure: a mechanism that the machine lacks
  /// is left out of the answer. Async-signal-safe.
  Held enter() const;

 private:
  Limits limits_;
  std::vector<std::uint64_t> filter_;  // compiled seccomp program, 8 bytes an instruction
  int landlock_ruleset_ = -1;
};

/// For a process that only computes from here on (the native runner after dlopen): no exec, no fork, no file
/// opened for writing, no signals but to itself. True if it held.
bool forbid_all_but_computing();

}  // namespace pw::runtime
