// Starting a contained child without watching it: for run() and for the workers that outlive a call. Internal
// to runtime.
#pragma once

#include <sys/types.h>

#include "runtime/process.h"

namespace pw::runtime {

/// Descriptors of ours that become the child's 0, 1 and 2.
struct Streams {
  int input = -1;
  int output = -1;
  int error = -1;
};

struct Started {
  pid_t pid = -1;  // also its process group; -1: not even forked
  Held held;
  int error = 0;  // errno of what failed; the child, if any, must still be reaped
};

/// `dies_with_us` is about the calling thread: the kernel ends the child when that thread ends.
Started start(const Command& command, const Limits& limits, const Streams& streams, bool dies_with_us);

}  // namespace pw::runtime
