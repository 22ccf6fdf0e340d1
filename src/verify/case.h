// One case: the reference and the port on the same inputs, and what differs between what they leave.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "frontends/numpy/kernel.h"
#include "runtime/shared_array.h"
#include "runtime/worker.h"
#include "verify/verdict.h"

namespace pw::verify {

/// A port that can be called.
struct RunnablePort {
  std::string library;
  /// The build in which threads share every loop that they may share; "": the port has no such loop.
  std::string threaded_library = {};
  std::string symbol;  // the checked function
  std::vector<numpy::AbiArgument> abi;
  std::vector<ir::TrapRow> traps;  // a status is a 1-based row of it
  std::string run_dtype = "float64";
  bool exact = false;  // compare bit for bit, else by policy
  /// As staged: says which shapes the port was made for and which outputs it overwrites. Null: neither.
  const ir::Module* module = nullptr;
  std::map<std::string, std::int64_t> specialised = {};  // arguments that it was made for one value of
};

struct CasePlan {
  std::string name;  // of the size
  runtime::WorkerRequest request;
  /// Generated sizes may be dropped: where the reference raises, or the port declines by an assumption.
  bool generated = false;
  /// Outputs of the def line whose first contents nobody reads start poisoned, on both sides. Not in every
  /// case: a port that writes NaN where the reference does not write shows only beside the harness's own
  /// contents.
  bool poison_outputs = false;
  bool threaded = false;  // run the threaded library, if there is one
  runtime::Placement placement = runtime::Placement::RedZones;
};

/// Fails only where the worker cannot be had (run-*); all else is data.
base::Result<CaseResult> run_case(runtime::NumpyWorker& worker, const RunnablePort& port,
                                  const CasePlan& plan, diagnostics::Engine& engine);

/// The verdict of a port by its cases, with detail and reason.
void judge(PortVerdict& verdict, bool exact);

}  // namespace pw::verify
