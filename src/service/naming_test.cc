#include "service/naming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pw::service {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const NamedManifest& each : name_manifests(paths)) out.push_back(each.name + "|" + each.folder);
  return out;
}

TEST(Naming, AStemIsTheName) {
  EXPECT_THAT(names({"k/a/lu.yaml", "k/b/qr.yaml"}), ElementsAre("lu|", "qr|"));
  EXPECT_THAT(names({"lu.yaml", "./lu.yaml"}), ElementsAre("lu|", "lu|"));
}

TEST(Naming, AStemThatTwoShareHasItsFolder) {
  EXPECT_THAT(names({"k/a/lu.yaml", "k/b/x/lu.yaml", "k/b/qr.yaml"}),
              ElementsAre("a/lu|a", "b/x/lu|b/x", "qr|"));
  EXPECT_THAT(names({"k/lu.yaml", "./k/b/lu.yml"}), ElementsAre("lu|", "b/lu|b"));
}

TEST(Naming, TwoFilesOfOneFolderAreRivals) {
  const auto both = name_manifests({"k/lu.yaml", "k/lu.yml", "k/qr.yaml"});
  EXPECT_EQ(both[0].name, "lu.yaml");
  EXPECT_EQ(both[0].rival, "k/lu.yml");
  EXPECT_EQ(both[1].name, "lu.yml");
  EXPECT_EQ(both[1].rival, "k/lu.yaml");
  EXPECT_EQ(both[2].rival, "");
}

TEST(Naming, IsALineAndBack) {
  const auto both = name_manifests({"k/a/lu.yaml", "k/a/lu.yml", "k/b/lu.yaml"});
  const NamedManifest back = NamedManifest::of_line(both[0].to_line());
  EXPECT_EQ(back.path, both[0].path);
  EXPECT_EQ(back.name, both[0].name);
  EXPECT_EQ(back.folder, "a");
  EXPECT_EQ(back.rival, both[0].rival);
}

}  // namespace
}  // namespace pw::service
