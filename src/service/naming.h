// What the manifests of one run are called, and where their ports go: a stem that two manifests share does
// not tell them apart.
#pragma once

#include <string>
#include <vector>

namespace pw::service {

struct NamedManifest {
  std::string path;
  std::string name;    // the stem; where others have the same, with its folder before it: "solvers/lu"
  std::string folder;  // of its ports, under -o: "solvers"; empty where the stem is alone
  std::string
      rival;  // a manifest whose ports would be the same files: "lu.yml" beside "lu.yaml"; empty: none

  /// One line of text, and back.
  std::string to_line() const;
  static NamedManifest of_line(const std::string& line);
};

/// In the order given. Folders are relative to the deepest one that holds all.
std::vector<NamedManifest> name_manifests(const std::vector<std::string>& paths);

}  // namespace pw::service
