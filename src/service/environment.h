// Where this program's helpers are, the Python with NumPy above all, and what is asked of it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "runtime/worker.h"
#include "service/port.h"

namespace pw::service {

/// $PORTWRIGHT_PYTHON, else the interpreter of `scripts/python-env numpy`, which is made if need be. Fails:
/// verify-no-python.
base::Result<std::string> numpy_python(diagnostics::Engine& engine);

/// The repository's python/, or lib/portwright/python beside the program's folder.
std::string python_folder();

/// How much CPU time one run of a reference may take: presets matter more than generated sizes.
enum class Patience : std::uint8_t { Preset, Generated };
constexpr double kPresetCpuSeconds = 600;
constexpr double kGeneratedCpuSeconds = 10;
/// A backstop only: on a crowded machine a minute of CPU time may take an hour.
constexpr double kWallSeconds = 4 * 3600;

/// NumPy workers that start when they are first asked for. One request at a time.
class Workers {
 public:
  /// Fails: verify-no-python, run-*.
  base::Result<runtime::NumpyWorker*> get(Patience patience, diagnostics::Engine& engine);
  /// "numpy 2.4.6, python 3.11.2"; empty if none was started.
  std::string version() const { return preset_ ? preset_->version() : std::string(); }
  std::string held() const { return preset_ ? runtime::to_string(preset_->held()) : std::string(); }

 private:
  std::string python_;
  std::unique_ptr<runtime::NumpyWorker> preset_;
  std::unique_ptr<runtime::NumpyWorker> generated_;
};

/// The request for a kernel's inputs at a preset, in the layout and config row of the variation.
runtime::WorkerRequest worker_request(const Kernel& kernel, const Variation& variation,
                                      const std::string& preset, std::uint64_t seed);

/// Dtype and shape of every argument, from inputs made at preset S (or the first there is). Empty where they
/// cannot be made. Fails: verify-no-python, run-*.
base::Result<std::vector<numpy::ObservedValue>> observe_inputs(const Kernel& kernel,
                                                               const Variation& variation, Workers& workers,
                                                               diagnostics::Engine& engine);

}  // namespace pw::service
