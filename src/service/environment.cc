#include "service/environment.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace pw::service {

namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// The first of the places that exists, or empty.
std::string first_of(std::initializer_list<fs::path> places) {
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::exists(place, error)) return fs::weakly_canonical(place, error).string();
  }
  return {};
}

/// First line of what a program prints; empty if it failed. Not sandboxed: it may have to download.
std::string first_line(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  std::array<char, 4096> line{};
  const bool read = fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  const int status = pclose(pipe);
  if (!read || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  std::string text(line.data());
  return text.substr(0, text.find('\n'));
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string python_folder() {
  return first_of({fs::path(PW_SOURCE_DIR) / "python", program_folder() / "../lib/portwright/python",
                   program_folder() / "../../../python"});
}

base::Result<std::string> numpy_python(diagnostics::Engine& engine) {
  if (const char* given = std::getenv("PORTWRIGHT_PYTHON"); given && *given) return std::string(given);
  const std::string script = first_of({fs::path(PW_SOURCE_DIR) / "scripts/python-env",
                                       program_folder() / "../lib/portwright/scripts/python-env",
                                       program_folder() / "../../../scripts/python-env"});
  if (script.empty()) {
    return engine.report(diagnostics::Rule::VerifyNoPython, {},
                         "scripts/python-env is not beside the program");
  }
  const std::string folder = first_line(quoted(script) + " numpy");
  if (folder.empty()) {
    return engine.report(diagnostics::Rule::VerifyNoPython, {}, script + " numpy failed");
  }
  return folder + "/bin/python";
}

base::Result<runtime::NumpyWorker*> Workers::get(Patience patience, diagnostics::Engine& engine) {
  std::unique_ptr<runtime::NumpyWorker>& worker = patience == Patience::Preset ? preset_ : generated_;
  if (!worker) {
    if (python_.empty()) {
      PW_TRY(python_, numpy_python(engine));
    }
    runtime::WorkerOptions options;
    options.python = python_;
    options.python_folder = python_folder();
    options.limits.cpu_seconds = patience == Patience::Preset ? kPresetCpuSeconds : kGeneratedCpuSeconds;
    options.limits.wall_seconds = kWallSeconds;
    PW_TRY(worker, runtime::NumpyWorker::start(options, engine));
  }
  return worker.get();
}

runtime::WorkerRequest worker_request(const Kernel& kernel, const Variation& variation,
                                      const std::string& preset, std::uint64_t seed) {
  runtime::WorkerRequest request;
  request.manifest = fs::absolute(kernel.path).string();
  request.preset = preset;
  request.dtype = ir::row(variation.dtype).numpy;
  request.config_row = variation.row.config_row;
  request.seed = seed;
  const manifest::Configuration* const configuration = variation.row.configuration;
  if (!configuration || configuration->formats.empty()) return request;
  for (const auto& [array, format] : configuration->formats) request.layouts[array.text] = format.text;
  for (const manifest::Distribution& distribution : kernel.manifest.distributions) {
    if (distribution.configuration.text != configuration->name.text) continue;
    request.variant = distribution.name.text;
    break;
  }
  return request;
}

base::Result<std::vector<numpy::ObservedValue>> observe_inputs(const Kernel& kernel,
                                                               const Variation& variation, Workers& workers,
                                                               diagnostics::Engine& engine) {
  const auto& presets = kernel.manifest.presets;
  const bool small = kernel.manifest.preset("S") != nullptr || presets.empty();
  PW_TRY(runtime::NumpyWorker * worker, workers.get(Patience::Preset, engine));
  runtime::WorkerRequest request =
      worker_request(kernel, variation, small ? std::string("S") : presets.front().name.text, 0);
  request.task = runtime::WorkerTask::Inputs;
  PW_TRY(const runtime::WorkerReply reply, worker->ask(request, engine));
  std::vector<numpy::ObservedValue> out;
  for (const runtime::WorkerArgument& argument : reply.arguments) {
    numpy::ObservedValue value{argument.name, argument.dtype, std::nullopt};
    if (const auto* array = std::get_if<runtime::ArrayValue>(&argument.value)) {
      value.shape = reply.inputs.slot(array->index).spec.shape;
    }
    out.push_back(std::move(value));
  }
  for (const runtime::WorkerArgument& buffer : reply.buffers) {
    out.push_back({buffer.name, buffer.dtype, std::nullopt});
  }
  return out;
}

}  // namespace pw::service
