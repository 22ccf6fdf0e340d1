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
    PW_TRY(worker, runtime::NumpyWorker::start(options, engine));
  }
  return worker.get();
}

}  // namespace pw::service
