#include "runtime/scratch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace pw::runtime {
namespace {

namespace fs = std::filesystem;

/// A temporary folder of its own, so that others' runs are not touched.
class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* given = std::getenv("TMPDIR")) before_ = given;
    root = fs::temp_directory_path() / ("pw_scratch_test_" + std::to_string(getpid()));
    fs::create_directories(root);
    setenv("TMPDIR", root.c_str(), 1);
  }
  void TearDown() override {
    if (before_) setenv("TMPDIR", before_->c_str(), 1);
    if (!before_) unsetenv("TMPDIR");
    fs::remove_all(root);
  }
  fs::path folder(const std::string& name) const {
    const fs::path out = root / name;
    fs::create_directories(out / "inner");
    std::ofstream(out / "inner" / "file") << "x";
    return out;
  }
  fs::path root;

 private:
  std::optional<std::string> before_;
};

/// A process that makes a folder, says where, and is killed.
fs::path left_by_a_killed_process() {
  int said[2];
  EXPECT_EQ(pipe(said), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFolder mine;
    std::ofstream(mine.path() + "/file") << "x";
    (void)!write(said[1], mine.path().data(), mine.path().size());
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  close(said[1]);
  char path[4096];
  const ssize_t size = read(said[0], path, sizeof path);
  close(said[0]);
  return std::string(path, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

TEST_F(Scratch, WhatAKilledProcessLeftIsRemoved) {
  const fs::path left = left_by_a_killed_process();
  ASSERT_TRUE(fs::exists(left / "file"));
  remove_abandoned_scratch();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(Scratch, WhatIsInUseStays) {
  const ScratchFolder mine;
  remove_abandoned_scratch();
  EXPECT_TRUE(fs::exists(mine.path()));
  std::optional<ScratchFolder> first(std::in_place);
  const std::string path = first->path();
  {
    const ScratchFolder second = std::move(*first);
    first.reset();
    remove_abandoned_scratch();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Scratch, LinksFilesAndOtherNamesStay) {
  const fs::path target = folder("target");
  fs::create_directory_symlink(target, root / "portwright-scratch-linked");
  std::ofstream(root / "portwright-scratch-afile") << "x";
  const fs::path other = folder("portwright-other");
  const fs::path left = folder("portwright-scratch-gone00");
  fs::create_directory_symlink(target, left / "inner" / "link");
  remove_abandoned_scratch();
  EXPECT_TRUE(fs::exists(target / "inner" / "file"));
  EXPECT_TRUE(fs::is_symlink(root / "portwright-scratch-linked"));
  EXPECT_TRUE(fs::exists(root / "portwright-scratch-afile"));
  EXPECT_TRUE(fs::exists(other / "inner" / "file"));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(Scratch, OtherUsersFoldersStay) {
  const fs::path theirs = folder("portwright-scratch-theirs");
  if (chown(theirs.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can give a folder away";
  remove_abandoned_scratch();
  EXPECT_TRUE(fs::exists(theirs / "inner" / "file"));
}

TEST_F(Scratch, MakingAndRemovingAtOnceDoNotDisturbEachOther) {
  const pid_t sweeper = fork();
  if (sweeper == 0) {
    for (;;) remove_abandoned_scratch();
  }
  for (int i = 0; i < 300; ++i) {
    const ScratchFolder mine;
    std::ofstream(mine.path() + "/file") << "x";
    ASSERT_TRUE(fs::exists(mine.path() + "/file")) << i;
  }
  kill(sweeper, SIGKILL);
  waitpid(sweeper, nullptr, 0);
}

}  // namespace
}  // namespace pw::runtime
