#include "runtime/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace pw::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "portwright-scratch-";

std::string root() {
  const char* const given = std::getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

/// -1 where it is no folder, or only a link to one.
int open_folder(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int lock(int folder, int how) {
  for (;;) {
    const int result = flock(folder, how);
    if (result == 0 || errno != EINTR) return result;
  }
}

/// Whether the path still leads to the open folder.
bool is_at(int folder, const std::string& path) {
  struct stat open_one{}, named{};
  return fstat(folder, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

std::vector<std::string> candidates() {
  std::vector<std::string> out;
  DIR* const list = opendir(root().c_str());
  if (list == nullptr) return out;
  while (const dirent* const entry = readdir(list)) {
    if (std::string_view(entry->d_name).starts_with(kPrefix)) out.push_back(root() + "/" + entry->d_name);
  }
  closedir(list);
  return out;
}

/// Through the open folder, so that nothing that takes the path's place meanwhile is touched.
void empty_folder(int folder) {
  std::error_code ignored;  // a run may have left what nobody may remove
  const std::string inside = "/proc/self/fd/" + std::to_string(folder) + "/";
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(inside, ignored), end; !ignored && at != end; at.increment(ignored)) {
    entries.push_back(at->path());
  }
  for (const fs::path& entry : entries) fs::remove_all(entry, ignored);
}

}  // namespace

ScratchFolder::ScratchFolder() {
  // Between its making and its lock another process may find a folder abandoned and remove it: then once
  // more.
  do {
    if (lock_ >= 0) close(lock_);
    path_ = root() + "/" + std::string(kPrefix) + "XXXXXX";
    PW_CHECK(mkdtemp(path_.data()) != nullptr,
             "cannot make a scratch folder: " + path_ + ": " + std::strerror(errno));
    lock_ = open_folder(path_);
    PW_CHECK(lock_ >= 0 || errno == ENOENT, "cannot open " + path_ + ": " + std::strerror(errno));
    if (lock_ >= 0)
      (void)lock(lock_, LOCK_EX);  // a file system without locks: nobody else can take it either
  } while (lock_ < 0 || !is_at(lock_, path_));
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;  // a child may have removed it itself, or left files that nobody may remove
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

void remove_abandoned_scratch() {
  for (const std::string& path : candidates()) {
    const int folder = open_folder(path);
    if (folder < 0) continue;
    struct stat status{};
    const bool is_ours = fstat(folder, &status) == 0 && status.st_uid == geteuid();
    if (is_ours && lock(folder, LOCK_EX | LOCK_NB) == 0) {
      empty_folder(folder);
      (void)rmdir(path.c_str());
    }
    close(folder);
  }
}

}  // namespace pw::runtime
