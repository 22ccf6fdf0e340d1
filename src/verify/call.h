// The arguments of a native call, out of what the NumPy worker made.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontends/numpy/kernel.h"
#include "ir/eval.h"
#include "runtime/native.h"
#include "runtime/shared_array.h"
#include "runtime/worker.h"

namespace pw::verify {

/// One array of the call's segment and the reference's array that it is compared with.
struct PassedArray {
  std::string name;
  std::size_t result = 0;                  // index in the worker's results
  bool returned = false;                   // starts poisoned: its contents are the port's alone
  std::optional<std::size_t> length = {};  // the slot of its length, where only running tells it
};
/// A one-element array of the call's segment that takes a returned scalar.
struct PassedScalar {
  std::string name;
  std::size_t slot = 0;  // index in the call's segment
  runtime::ArgumentValue want;
};

struct PreparedCall {
  runtime::SharedArrays arrays;
  std::vector<runtime::NativeArgument> arguments;
  std::vector<PassedArray> compared;  // the first slots of `arrays`, in order
  std::vector<PassedScalar> scalars;
  std::vector<ir::EvalArgument> sizes;  // a constant for each ABI argument but what is returned
  std::string mismatch;  // how a returned dtype differs, which counts unless the port declines; empty: not
};

/// Inputs copied into a new segment, what the port returns poisoned, and arguments in ABI order. A text says
/// why that cannot be: the port and the harness disagree on an argument. The module, as staged, says how
/// large what is returned may be; null: no port returns an array whose length only running tells.
std::variant<PreparedCall, std::string> prepare_call(const std::vector<numpy::AbiArgument>& abi,
                                                     const ir::Module* module,
                                                     const runtime::WorkerReply& reply,
                                                     runtime::Placement placement);

}  // namespace pw::verify
