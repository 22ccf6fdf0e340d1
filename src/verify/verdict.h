// What became of a port, and of each case it was run on. The words are those of docs/glossary.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace pw::verify {

/// From the worst to the best: a kernel's verdict is the least over its ports.
/// Checked and Emitted are what check and port say of a port that they did not run: never PASS.
enum class Verdict : std::uint8_t { Fail, Refused, Unverified, Skipped, Checked, Emitted, Pass };
inline constexpr std::size_t kVerdictCount = 7;
/// Nothing is wrong with the port as far as the verb went.
inline bool is_good(Verdict verdict) { return verdict >= Verdict::Checked; }
std::string_view to_text(Verdict verdict);  // "PASS"
std::optional<Verdict> verdict_from_text(std::string_view text);

enum class CaseState : std::uint8_t {
  Agrees,          // counts
  Differs,         // a value, a trap, a crash, a hang, a write outside
  Declined,        // the port's assumptions exclude a size that the manifest itself declares
  IllConditioned,  // NumPy differs as much from itself: case.cc's is_ill_conditioned says how it is moved
  Dropped,         // not a case: the reference rejects it, the port declines it, or it takes too long
};
std::string_view to_text(CaseState state);  // "agrees"
std::optional<CaseState> case_state_from_text(std::string_view text);

struct CaseResult {
  std::string size;  // "S", "11x13"
  std::uint64_t seed = 0;
  CaseState state = CaseState::Dropped;
  std::string note;  // what differs, or why it was dropped
  /// The largest |got - ref| / (|ref| + max|ref| of the array) over all compared floats; 0 is equal.
  double worst_error = 0;
  std::size_t compared = 0;  // elements
  double reference_cpu_seconds = 0;
  double port_cpu_seconds = 0;
  base::Span place;       // of the trap that declined
  bool threaded = false;  // run by the build in which threads share every loop that they may share
};

/// One row of a report: a port (kernel, backend, dtype, layout) and what became of it.
struct PortVerdict {
  std::string name;  // the manifest's stem
  std::string backend;
  std::string dtype;   // NumPy's name
  std::string layout;  // "" if the kernel has one port a dtype
  Verdict verdict = Verdict::Fail;
  std::string detail;  // "exact", "policy", "ill-conditioned"; of a refusal: the rule
  std::vector<CaseResult> cases;
  double cpu_seconds = 0;           // of ours and of all children, for this port
  double emission_cpu_seconds = 0;  // manifest to text, without formatting
  std::string reason;               // empty for PASS
  std::string span;                 // "file:line:col" of the reason, if it has one
  std::string toolchain;            // "gcc 12.2"
  std::vector<std::string> files;   // that were written
};

}  // namespace pw::verify
