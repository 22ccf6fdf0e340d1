// The page that the parent and the native runner share: the call to make, and how far it got.
#pragma once

#include <cstdint>

namespace pw::runtime {

constexpr int kControlDescriptor = 3;
constexpr int kArraysDescriptor = 4;

enum class CallPhase : std::int32_t { Starting, LoadFailed, Calling, Returned };
enum class ArgumentKind : std::int32_t { Array, Int64, Float64, Float32, Int32, Bool };

struct ControlArgument {
  ArgumentKind kind;
  std::int32_t unused;
  std::uint64_t bits;  // an array's offset in the segment, or the scalar's bytes
};
struct ControlRange {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Followed by `argument_count` ControlArguments and `guard_count` ControlRanges. Read-only while the port
/// runs.
struct ControlHeader {
  CallPhase phase;
  std::int32_t status;
  double cpu_seconds;
  double wall_seconds;
  std::int64_t fault;           // offset into the segment of a faulting access, or -1
  std::int32_t computing_only;  // the strict filter held
  std::int32_t unused;
  std::uint64_t arrays_bytes;
  std::uint64_t argument_count;
  std::uint64_t guard_count;
  char library[4096];
  char symbol[512];
  char error[1024];
};

}  // namespace pw::runtime
