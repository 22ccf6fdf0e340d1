// Running a native port: a shared object's `int NAME(args...)`, called in a contained child on shared arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/process.h"
#include "runtime/shared_array.h"

namespace pw::runtime {

/// A pointer to the first element of array `index` of the call's segment.
struct ArrayArgument {
  std::size_t index = 0;
};
using NativeArgument = std::variant<ArrayArgument, std::int64_t, double, float, std::int32_t, bool>;

struct NativeCall {
  std::string library;                    // path of the shared object
  std::string symbol;                     // a C function returning int
  std::vector<NativeArgument> arguments;  // bool is C's _Bool
  std::vector<std::pair<std::string, std::string>> environment;
  std::string runner;  // path of portwright-native-runner; empty: beside this program
};

struct NativeOutcome {
  Child child;
  std::optional<int> status;  // what the port returned; nullopt if it never did
  std::string load_error;     // dlopen's or dlsym's message, if that failed
  double cpu_seconds = 0;     // of the call itself, without load
  double wall_seconds = 0;
  bool computing_only =
      false;  // no exec, fork, file writes or signals to others were possible during the call
  /// Writes into red zones, and the access that hit a guard page.
  std::vector<RedZoneViolation> violations;
};

/// Calls the port on `arrays`, in place. The time, memory and output limits are the child's; processes is
/// always 1.
NativeOutcome run_native(const NativeCall& call, SharedArrays& arrays, const Limits& limits);

/// "portwright-native-runner" beside the running program.
std::string default_native_runner();

}  // namespace pw::runtime
