// Worker processes that answer lines with lines: one of ours may crash, hang or eat memory without taking a
// whole corpus run with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pw::service {

struct PoolLimits {
  std::size_t workers = 1;
  double cpu_seconds = 120;         // of a worker itself for one line; its children have limits of their own
  double wall_seconds = 12 * 3600;  // a backstop
  std::size_t memory_bytes = std::size_t{4} << 30;  // private, of a worker itself
};

struct PoolAnswer {
  std::string line;     // without its end; empty if the worker died
  std::string problem;  // "killed by signal 11: <last words on stderr>"
};

/// Starts `argv` up to `workers` times, gives each a line at a time on stdin and takes a line from its
/// stdout. A worker that breaks a limit or dies is replaced, and its line gets a problem for an answer.
void run_pool(const std::vector<std::string>& argv, const PoolLimits& limits,
              const std::vector<std::string>& lines,
              const std::function<void(std::size_t index, const PoolAnswer& answer)>& answered);

}  // namespace pw::service
