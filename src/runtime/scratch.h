// Scratch folders: made for one scope, removed at its end, and recognised later if a kill left them behind.
#pragma once

#include <string>
#include <utility>

namespace pw::runtime {

/// A fresh folder under $TMPDIR (or /tmp), removed with all that is in it at the end of its scope. It is
/// locked (flock) for as long.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;  // of the folder itself; a child that is executed does not have it
};

/// Removes the scratch folders of ours that nobody holds: their processes were killed. Safe beside processes
/// that make, use and remove such folders; other users' folders, and links or files of such a name, stay.
void remove_abandoned_scratch();

}  // namespace pw::runtime
