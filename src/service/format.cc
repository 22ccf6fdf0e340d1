#include "service/format.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/recipe.h"

namespace pw::service {

namespace {
constexpr std::size_t kFilesAtOnce = 500;
constexpr const char* kStyle = "--style={BasedOnStyle: Google, ColumnLimit: 110}";

bool is_c(const std::string& path) { return path.ends_with(".c") || path.ends_with(".h"); }
}  // namespace

std::string format_files(const std::vector<verify::PortVerdict>& rows) {
  std::vector<std::string> files;
  for (const auto& row : rows) {
    std::copy_if(row.files.begin(), row.files.end(), std::back_inserter(files), is_c);
  }
  if (files.empty()) return {};
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  runtime::Recipe recipe;
  recipe.name = "clang-format";
  recipe.compilers = {"clang-format", "clang-format-19"};
  recipe.version_probe = {"{compiler}", "--version"};
  const auto tool = runtime::find_tool(recipe);
  if (!tool) return "clang-format is not installed: the files are as emitted\n";
  for (std::size_t begin = 0; begin < files.size(); begin += kFilesAtOnce) {
    runtime::Command command;
    command.argv = {tool->path, "-i", kStyle};
    const auto end =
        files.begin() + static_cast<std::ptrdiff_t>(std::min(files.size(), begin + kFilesAtOnce));
    command.argv.insert(command.argv.end(), files.begin() + static_cast<std::ptrdiff_t>(begin), end);
    command.folder = ".";
    runtime::Limits limits;
    limits.contain_writes = false;
    limits.cpu_seconds = 600;
    const runtime::Child child = runtime::run(command, limits);
    if (!runtime::succeeded(child.outcome)) {
      return fmt::format("{}: {}\n{}", tool->path, runtime::to_string(child.outcome), child.err);
    }
  }
  return {};
}

}  // namespace pw::service
