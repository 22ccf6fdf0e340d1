#include "service/naming.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>

namespace pw::service {

namespace {

namespace fs = std::filesystem;

constexpr char kSeparator = '\0';  // in no path

fs::path whole(const std::string& path) { return fs::absolute(path).lexically_normal(); }

fs::path common_folder(const std::vector<fs::path>& paths) {
  if (paths.empty()) return {};
  fs::path out = paths.front().parent_path();
  for (const fs::path& path : paths) {
    const fs::path folder = path.parent_path();
    fs::path shared;
    for (auto a = out.begin(), b = folder.begin(); a != out.end() && b != folder.end() && *a == *b; ++a, ++b)
      shared /= *a;
    out = shared;
  }
  return out;
}

}  // namespace

std::string NamedManifest::to_line() const {
  return path + kSeparator + name + kSeparator + folder + kSeparator + rival;
}

NamedManifest NamedManifest::of_line(const std::string& line) {
  std::array<std::string, 4> parts;
  std::size_t begin = 0;
  for (std::string& part : parts) {
    const std::size_t end = std::min(line.find(kSeparator, begin), line.size());
    part = line.substr(begin, end - begin);
    begin = std::min(end + 1, line.size());
  }
  return {parts[0], parts[1], parts[2], parts[3]};
}

std::vector<NamedManifest> name_manifests(const std::vector<std::string>& paths) {
  std::vector<fs::path> all;
  std::transform(paths.begin(), paths.end(), std::back_inserter(all), whole);
  std::map<std::string, std::vector<std::size_t>> by_stem;
  for (std::size_t i = 0; i < all.size(); ++i) by_stem[all[i].stem().string()].push_back(i);
  const fs::path root = common_folder(all);
  std::vector<NamedManifest> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    NamedManifest named{paths[i], all[i].stem().string(), {}, {}};
    const fs::path folder = all[i].parent_path();
    for (const std::size_t other : by_stem[named.name]) {
      if (all[other] == all[i]) continue;  // given twice
      if (all[other].parent_path() == folder) {
        named.rival = paths[other];
      } else {
        named.folder = folder.lexically_relative(root).string();
      }
    }
    if (named.folder == ".") named.folder.clear();
    const fs::path last = named.rival.empty() ? all[i].stem() : all[i].filename();
    named.name = (fs::path(named.folder) / last).string();
    out.push_back(std::move(named));
  }
  return out;
}

}  // namespace pw::service
