#include "verify/toolchain.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/hash.h"
#include "runtime/process.h"
#include "runtime/scratch.h"

namespace pw::verify {

namespace {

namespace fs = std::filesystem;

/// Everything that decides what the compiler makes, with lengths so that no two lists join to one text.
std::string key_of(const backends::Emitted& port, const runtime::Tool& tool) {
  base::Sha256 hash;
  const auto add = [&](const std::string& part) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  };
  add(port_sha256(port.files));
  add(tool.path);
  add(tool.version);
  for (const std::string& flag : port.recipe.flags) add(flag);
  for (const std::string& word : port.recipe.build) add(word);
  return hash.hex();
}

bool copy_whole(const fs::path& from, const fs::path& to) {
  const fs::path temporary = to.string() + "." + std::to_string(getpid());
  std::error_code error;
  fs::copy_file(from, temporary, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(temporary, to, error);
  if (error) fs::remove(temporary, error);
  return fs::exists(to);
}

}  // namespace

std::string build_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const fs::path base =
      cache && *cache ? fs::path(cache) : fs::path(home && *home ? home : "/tmp") / ".cache";
  return (base / "portwright" / "build").string();
}

std::string toolchain_text(const std::string& name, const std::string& version) {
  const std::size_t first = version.find('.');
  const std::size_t second = first == std::string::npos ? first : version.find('.', first + 1);
  return name + " " + version.substr(0, second);
}

std::string port_sha256(const std::vector<backends::File>& files) {
  base::Sha256 hash;
  for (const backends::File& file : files) {
    hash.update(file.name + ":" + std::to_string(file.text.size()) + ":");
    hash.update(file.text);
  }
  return hash.hex();
}

base::Result<BuiltPort> build_port(const backends::Emitted& port, const std::string& cache_folder,
                                   diagnostics::Engine& engine) {
  BuiltPort built;
  const auto tool = runtime::find_tool(port.recipe);
  built.toolchain = toolchain_text(port.recipe.name, tool ? tool->version : "");
  const fs::path target = fs::path(cache_folder) / (key_of(port, tool.value_or(runtime::Tool{})) + ".so");
  built.library = target.string();
  if (fs::exists(target)) {
    built.cached = true;
    return built;
  }
  std::error_code error;
  fs::create_directories(cache_folder, error);
  const runtime::ScratchFolder scratch;
  for (const backends::File& file : port.files) {
    const std::string path = scratch.path() + "/" + file.name;
    if (!base::write_file_whole(path, file.text)) {
      return engine.report(diagnostics::Rule::FileUnwritable, {}, path);
    }
  }
  runtime::Limits limits;
  limits.cpu_seconds = 300;
  limits.scratch = scratch.path();
  const std::string output = scratch.path() + "/port.so";
  PW_TRY(const runtime::Built result,
         runtime::build(port.recipe,
                        {{"source", scratch.path() + "/" + port.files.front().name},
                         {"output", output},
                         {"folder", scratch.path()}},
                        limits, engine));
  built.cpu_seconds = result.child.cpu_seconds;
  if (!copy_whole(output, target)) {
    return engine.report(diagnostics::Rule::FileUnwritable, {}, target.string());
  }
  return built;
}

}  // namespace pw::verify
