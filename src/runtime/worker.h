// NumPy workers: a Python process with its imports done and nothing run (a zygote), one fork a run. Makes a
// kernel's inputs and runs its reference on copies of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "runtime/process.h"
#include "runtime/shared_array.h"

namespace pw::runtime {

struct WorkerOptions {
  std::string python;         // interpreter of the environment (`scripts/python-env numpy` prints its folder)
  std::string python_folder;  // the repository's python/
  Limits limits;              // of one request; scratch and output are the worker's own
};

enum class WorkerTask : std::uint8_t {
  Inputs,     // make the inputs
  Hash,       // make the inputs, answer only the hash
  Reference,  // make the inputs, run the reference
  OneUlp,     // make the inputs, move each float by one ulp up or down, run the reference
};

/// One case of one kernel. The worker reads the manifest itself, as PyYAML does.
struct WorkerRequest {
  std::string manifest;  // path of the .yaml
  WorkerTask task = WorkerTask::Reference;
  std::string preset = "S";
  std::map<std::string, std::int64_t> symbols;  // override the preset's values, by name
  std::string dtype = "float64";                // the harness's datatype
  std::optional<std::size_t> config_row;        // of a `config:` list; absent: the manifest's first
  std::string variant;                          // of `variants:`/`distributions:`; empty: the first
  /// Sparse arguments that are wanted in another layout than they are made in, with it.
  std::map<std::string, std::string> layouts;
  std::uint64_t seed = 0;  // of the inputs; the public harness uses 0
  std::uint64_t ulp_seed = 1;
  std::vector<std::string> poison;  // array arguments that start as NaN (the most negative integer)
};

struct ArrayValue {
  std::size_t index = 0;  // in the inputs' and in the results' segment
};
struct ComplexValue {
  double re = 0;
  double im = 0;
};
struct NoneValue {};
/// Something the C ABI has no form for: a string, a tuple, a sparse matrix object.
struct OtherValue {
  std::string text;
};
using ArgumentValue =
    std::variant<ArrayValue, std::int64_t, double, bool, ComplexValue, NoneValue, OtherValue>;

/// One argument of the def line. dtype: NumPy's name ("float64"), or "int", "float", "bool", "complex" for a
/// Python scalar.
struct WorkerArgument {
  std::string name;
  std::string dtype;
  ArgumentValue value;
  std::string of;  // for a sparse argument's buffer: the argument
};

/// The reference raised: agreement on traps is by type.
struct PythonError {
  std::string type;  // "ValueError", "numpy.linalg.LinAlgError" is "LinAlgError"
  std::string message;
  std::string file;
  int line = 0;       // in `file`, of the innermost frame inside the kernel's folder; 0: none
  std::string stage;  // "manifest", "inputs", "import", "reference"
};

struct WorkerReply {
  Outcome outcome;  // of the forked run
  std::optional<PythonError> error;
  std::vector<WorkerArgument> arguments;  // def-line order; one that the inputs lack has its default
  std::vector<WorkerArgument> buffers;  // of sparse arguments, in the manifest's order: name is the buffer's
  std::map<std::string, std::int64_t> symbols;  // every integer symbol with its value
  SharedArrays inputs;                          // as the reference got them
  SharedArrays results;  // every array argument after the run, then the returned arrays
  std::vector<WorkerArgument>
      returned;         // the returned values; a tuple is flattened one level; arrays are in `results`
  std::string hash;     // of the inputs, 64 hex digits
  std::string variant;  // chosen; empty: the manifest has none
  std::string layout;   // sparse format chosen; empty: dense
  double reference_cpu_seconds = 0;  // of the reference alone
  double cpu_seconds = 0;            // of the whole run
  std::uint64_t peak_bytes = 0;
};

class NumpyWorker {
 public:
  /// Starts the zygote and waits until its imports are done (about 0.2 s).
  static base::Result<std::unique_ptr<NumpyWorker>> start(const WorkerOptions& options,
                                                          diagnostics::Engine& engine);
  ~NumpyWorker();
  NumpyWorker(const NumpyWorker&) = delete;
  NumpyWorker& operator=(const NumpyWorker&) = delete;

  /// One request at a time. What goes wrong in the kernel is data in the reply; a dead zygote is a diagnostic
  /// (and the next request starts another).
  base::Result<WorkerReply> ask(const WorkerRequest& request, diagnostics::Engine& engine);
  /// "numpy 2.4.6, python 3.11.2", as evidence shows it.
  const std::string& version() const;
  const Held& held() const;

 private:
  struct State;
  explicit NumpyWorker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pw::runtime
