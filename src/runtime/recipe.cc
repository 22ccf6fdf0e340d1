#include "runtime/recipe.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

namespace pw::runtime {

namespace {

std::optional<std::string> in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return std::nullopt;
}

std::optional<Tool> probe(const Recipe& recipe) {
  for (const std::string& candidate : recipe.compilers) {
    const std::optional<std::string> path = in_path(candidate);
    if (!path) continue;
    Command command;
    for (const std::string& word : recipe.version_probe)
      command.argv.push_back(fill(word, {{"compiler", *path}}));
    const Child child = run(command, Limits{});
    if (!succeeded(child.outcome)) continue;
    const std::string& text = child.out.empty() ? child.err : child.out;
    return Tool{*path, text.substr(0, text.find('\n'))};
  }
  return std::nullopt;
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// Whether a compiler with gcc's command line finds both the header and what the flag links.
bool has_library(const std::string& compiler, const Library& library) {
  Command header;
  header.argv = {compiler, "-E", "-x", "c", "-include", library.header, "/dev/null"};
  if (!succeeded(run(header, Limits{}).outcome)) return false;
  Command file;
  file.argv = {compiler, "-print-file-name=lib" + library.flag.substr(2) + ".so"};
  return run(file, Limits{}).out.find('/') != std::string::npos;  // else the name comes back alone
}

}  // namespace

std::string fill(const std::string& text, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    bool replaced = false;
    for (const auto& [name, value] : values) {
      if (text.compare(at, name.size() + 2, "{" + name + "}") != 0) continue;
      out += value;
      at += name.size() + 2;
      replaced = true;
      break;
    }
    if (!replaced) out += text[at++];
  }
  return out;
}

std::optional<Tool> find_tool(const Recipe& recipe) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<Tool>> found;
  const std::string key = join(recipe.compilers) + "\n" + join(recipe.version_probe);
  const std::lock_guard lock(mutex);
  auto at = found.find(key);
  if (at == found.end()) at = found.emplace(key, probe(recipe)).first;
  return at->second;
}

const Library* missing_library(const Recipe& recipe) {
  static std::mutex mutex;
  static std::map<std::string, bool> found;
  const std::optional<Tool> tool = find_tool(recipe);
  const std::lock_guard lock(mutex);
  for (const Library& library : recipe.libraries) {
    const std::string key = (tool ? tool->path : "") + "\n" + library.header;
    auto at = found.find(key);
    if (at == found.end()) {
      at = found.emplace(key, has_library(tool ? tool->path : recipe.name, library)).first;
    }
    if (!at->second) return &library;
  }
  return nullptr;
}

base::Result<Built> build(const Recipe& recipe,
                          const std::vector<std::pair<std::string, std::string>>& values,
                          const Limits& limits, diagnostics::Engine& engine, base::Span span) {
  const std::optional<Tool> tool = find_tool(recipe);
  if (!tool) {
    return engine.report(diagnostics::Rule::RunToolAbsent, span, recipe.name, join(recipe.compilers));
  }
  std::vector<std::pair<std::string, std::string>> all = values;
  all.emplace_back("compiler", tool->path);
  all.emplace_back("folder", limits.scratch);
  Command command;
  for (const std::string& word : recipe.build) {
    if (word == "{libraries}") {
      for (const Library& library : recipe.libraries) command.argv.push_back(library.flag);
      continue;
    }
    if (word != "{flags}") {
      command.argv.push_back(fill(word, all));
      continue;
    }
    for (const std::string& flag : recipe.flags) command.argv.push_back(fill(flag, all));
  }
  Built built{join(command.argv), run(command, limits)};
  if (!succeeded(built.child.outcome)) {
    const std::string words = built.child.err.substr(0, 2000);
    return engine.report(diagnostics::Rule::RunBuildFailed, span, recipe.name, to_string(built.child.outcome),
                         words, built.command);
  }
  return built;
}

}  // namespace pw::runtime
