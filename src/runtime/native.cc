#include "runtime/native.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <span>

#include "base/check.h"
#include "runtime/native_control.h"

namespace pw::runtime {

namespace {

/// The control page, mapped here while the runner lives.
class Control {
 public:
  explicit Control(std::size_t bytes) : bytes_(bytes) {
    fd_ = memfd_create("pw-control", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(bytes)) != 0) return;
    fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (page != MAP_FAILED) header_ = static_cast<ControlHeader*>(page);
  }
  ~Control() {
    if (header_) munmap(header_, bytes_);
    if (fd_ >= 0) close(fd_);
  }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  ControlHeader* header() { return header_; }
  int fd() const { return fd_; }

 private:
  std::size_t bytes_;
  int fd_ = -1;
  ControlHeader* header_ = nullptr;
};

template <typename T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

ControlArgument to_control(const NativeArgument& argument, const SharedArrays& arrays) {
  struct Convert {
    const SharedArrays& arrays;
    ControlArgument operator()(const ArrayArgument& a) const {
      PW_CHECK(a.index < arrays.size(), "a native argument names an array that its segment lacks");
      return {ArgumentKind::Array, 0, arrays.slot(a.index).offset};
    }
    ControlArgument operator()(std::int64_t v) const { return {ArgumentKind::Int64, 0, bits_of(v)}; }
    ControlArgument operator()(double v) const { return {ArgumentKind::Float64, 0, bits_of(v)}; }
    ControlArgument operator()(float v) const { return {ArgumentKind::Float32, 0, bits_of(v)}; }
    ControlArgument operator()(std::int32_t v) const { return {ArgumentKind::Int32, 0, bits_of(v)}; }
    ControlArgument operator()(bool v) const { return {ArgumentKind::Bool, 0, bits_of(v)}; }
  };
  return std::visit(Convert{arrays}, argument);
}

bool set_text(std::span<char> field, const std::string& text) {
  if (text.size() >= field.size()) return false;
  std::copy(text.begin(), text.end(), field.begin());
  return true;
}

std::string absolute(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? std::string(resolved) : path;
}

}  // namespace

NativeOutcome run_native(const NativeCall& call, SharedArrays& arrays, const Limits& limits) {
  NativeOutcome out;
  const std::size_t bytes = sizeof(ControlHeader) + call.arguments.size() * sizeof(ControlArgument) +
                            arrays.guards().size() * sizeof(ControlRange);
  Control control(bytes);
  ControlHeader* const header = control.header();
  if (!header) {
    out.child.outcome = NotStarted{errno};
    return out;
  }
  header->phase = CallPhase::Starting;
  header->fault = -1;
  header->arrays_bytes = arrays.total_bytes();
  header->argument_count = call.arguments.size();
  header->guard_count = arrays.guards().size();
  if (!set_text(header->library, absolute(call.library)) || !set_text(header->symbol, call.symbol)) {
    out.child.outcome = NotStarted{ENAMETOOLONG};
    return out;
  }
  auto* const arguments = reinterpret_cast<ControlArgument*>(header + 1);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    arguments[i] = to_control(call.arguments[i], arrays);
  auto* const guards = reinterpret_cast<ControlRange*>(arguments + call.arguments.size());
  for (std::size_t i = 0; i < arrays.guards().size(); ++i) {
    guards[i] = {arrays.guards()[i].first, arrays.guards()[i].second};
  }

  Command command;
  command.argv = {call.runner.empty() ? default_native_runner() : call.runner};
  command.environment = call.environment;
  command.folder = limits.scratch.empty() ? "/" : limits.scratch;
  command.descriptors = {{control.fd(), kControlDescriptor}, {arrays.fd(), kArraysDescriptor}};
  Limits own = limits;
  own.processes = 1;
  out.child = run(command, own);

  if (header->phase == CallPhase::Returned) {
    out.status = header->status;
    out.cpu_seconds = header->cpu_seconds;
    out.wall_seconds = header->wall_seconds;
  }
  if (header->phase == CallPhase::LoadFailed) out.load_error = header->error;
  out.computing_only = header->computing_only != 0;
  out.violations = arrays.violations();
  if (header->fault >= 0) {
    if (const auto near = arrays.nearest_array(static_cast<std::uint64_t>(header->fault))) {
      out.violations.push_back({arrays.slot(near->first).spec.name, near->second});
    }
  }
  return out;
}

std::string default_native_runner() {
  char path[PATH_MAX];
  const ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);
  const std::string self(path, count > 0 ? static_cast<std::size_t>(count) : 0);
  return self.substr(0, self.rfind('/') + 1) + "portwright-native-runner";
}

}  // namespace pw::runtime
