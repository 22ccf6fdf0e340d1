#include "runtime/sandbox.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace pw::runtime {

namespace {

// Landlock's numbers are written out, because Debian 12's headers know only its first versions.
// Source: Documentation/userspace-api/landlock.rst of Linux 6.12.
struct LandlockRuleset {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};
struct __attribute__((packed)) LandlockPath {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};
constexpr long kLandlockCreate = 444;
constexpr long kLandlockAdd = 445;
constexpr long kLandlockRestrict = 446;
constexpr std::uint64_t kWriteFile = 1u << 1;
constexpr std::uint64_t kWriteVersion1 = kWriteFile | 0x1ff0;  // remove and make, bits 4 to 12
constexpr std::uint64_t kRefer = 1u << 13;
constexpr std::uint64_t kTruncate = 1u << 14;
constexpr std::uint64_t kScopeSignal = 1u << 1;

int landlock_version() {
  return static_cast<int>(syscall(kLandlockCreate, nullptr, 0, 1u /* LANDLOCK_CREATE_RULESET_VERSION */));
}

void allow_path(int ruleset, const char* path, std::uint64_t access) {
  const int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  const LandlockPath rule{access, fd};
  syscall(kLandlockAdd, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
  close(fd);
}

/// A ruleset under which only `scratch` and the null devices can be written; -1 where the kernel has no
/// Landlock.
int make_landlock_ruleset(const std::string& scratch) {
  const int version = landlock_version();
  if (version < 1) return -1;
  std::uint64_t writes = kWriteVersion1;
  if (version >= 2) writes |= kRefer;
  if (version >= 3) writes |= kTruncate;
  LandlockRuleset attributes{writes, 0, version >= 6 ? kScopeSignal : 0};
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(syscall(kLandlockCreate, &attributes, size, 0));
  if (ruleset < 0) return -1;
  fcntl(ruleset, F_SETFD, FD_CLOEXEC);
  if (!scratch.empty()) allow_path(ruleset, scratch.c_str(), writes);
  const std::uint64_t to_device = kWriteFile | (version >= 3 ? kTruncate : 0);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full"}) allow_path(ruleset, device, to_device);
  return ruleset;
}

constexpr std::uint32_t kDenied = SCMP_ACT_ERRNO(EPERM);

/// Calls that no child of ours needs: privileges, tracing, namespaces, mounts, kernel interfaces of large
/// attack surface.
constexpr int kForbidden[] = {SCMP_SYS(mount),
                              SCMP_SYS(umount2),
                              SCMP_SYS(pivot_root),
                              SCMP_SYS(chroot),
                              SCMP_SYS(setns),
                              SCMP_SYS(unshare),
                              SCMP_SYS(ptrace),
                              SCMP_SYS(process_vm_readv),
                              SCMP_SYS(bpf),
                              SCMP_SYS(kexec_load),
                              SCMP_SYS(process_vm_writev),
                              SCMP_SYS(kexec_file_load),
                              SCMP_SYS(init_module),
                              SCMP_SYS(finit_module),
                              SCMP_SYS(delete_module),
                              SCMP_SYS(perf_event_open),
                              SCMP_SYS(keyctl),
                              SCMP_SYS(add_key),
                              SCMP_SYS(request_key),
                              SCMP_SYS(userfaultfd),
                              SCMP_SYS(setsid),
                              SCMP_SYS(setpgid),
                              SCMP_SYS(open_by_handle_at),
                              SCMP_SYS(name_to_handle_at),
                              SCMP_SYS(reboot),
                              SCMP_SYS(swapon),
                              SCMP_SYS(swapoff),
                              SCMP_SYS(settimeofday),
                              SCMP_SYS(clock_settime),
                              SCMP_SYS(adjtimex),
                              SCMP_SYS(clock_adjtime),
                              SCMP_SYS(sethostname),
                              SCMP_SYS(setdomainname),
                              SCMP_SYS(acct),
                              SCMP_SYS(quotactl),
                              SCMP_SYS(io_uring_setup),
                              SCMP_SYS(io_uring_enter),
                              SCMP_SYS(io_uring_register),
                              SCMP_SYS(pidfd_send_signal),
                              SCMP_SYS(pidfd_getfd),
                              SCMP_SYS(mknod),
                              SCMP_SYS(mknodat),
                              SCMP_SYS(fsopen),
                              SCMP_SYS(fsmount),
                              SCMP_SYS(move_mount),
                              SCMP_SYS(open_tree),
                              SCMP_SYS(mount_setattr)};

void deny(scmp_filter_ctx context, int call) { seccomp_rule_add(context, kDenied, call, 0); }

void deny_new_processes(scmp_filter_ctx context) {
  deny(context, SCMP_SYS(fork));
  deny(context, SCMP_SYS(vfork));
  seccomp_rule_add(context, kDenied, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0u));
}

/// The common part of both filters. The caller releases the context.
scmp_filter_ctx common_filter(bool may_start_processes) {
  scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
  PW_CHECK(context != nullptr, "seccomp_init failed");
  for (const int call : kForbidden) deny(context, call);
  seccomp_rule_add(context, kDenied, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
  // kill(-1) would reach everything of this user; clone3's flags are behind a pointer, so libc is sent back
  // to clone.
  seccomp_rule_add(context, kDenied, SCMP_SYS(kill), 1,
                   SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, 0xffffffffu));
  seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  seccomp_rule_add(context, kDenied, SCMP_SYS(clone), 1,
                   SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
  if (!may_start_processes) deny_new_processes(context);
  return context;
}

/// The filter as the kernel wants it. libseccomp writes it to a file only, so a memfd is the way to memory.
std::vector<std::uint64_t> compile(scmp_filter_ctx context) {
  std::vector<std::uint64_t> out;
  const int fd = memfd_create("pw-filter", MFD_CLOEXEC);
  if (fd >= 0 && seccomp_export_bpf(context, fd) == 0) {
    const off_t bytes = lseek(fd, 0, SEEK_END);
    out.resize(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
    if (pread(fd, out.data(), out.size() * sizeof(std::uint64_t), 0) != bytes) out.clear();
  }
  if (fd >= 0) close(fd);
  return out;
}

/// Compiled once for each of the two kinds, because it takes a millisecond.
const std::vector<std::uint64_t>& child_filter(bool may_start_processes) {
  static const std::array<std::vector<std::uint64_t>, 2> filters = [] {
    std::array<std::vector<std::uint64_t>, 2> made;
    for (const bool processes : {false, true}) {
      scmp_filter_ctx context = common_filter(processes);
      made[processes] = compile(context);
      seccomp_release(context);
    }
    return made;
  }();
  return filters[may_start_processes];
}

bool install(const std::vector<std::uint64_t>& filter) {
  if (filter.empty()) return false;
  static_assert(sizeof(sock_filter) == sizeof(std::uint64_t));
  sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = reinterpret_cast<sock_filter*>(const_cast<std::uint64_t*>(filter.data()));
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void set_limit(__rlimit_resource resource, std::uint64_t soft, std::uint64_t hard, bool& ok) {
  const rlimit value{soft, hard};
  if (setrlimit(resource, &value) != 0) ok = false;
}

bool set_resource_limits(const Limits& limits) {
  bool ok = true;
  set_limit(RLIMIT_CORE, 0, 0, ok);
  if (limits.cpu_seconds > 0) {
    // The watcher ends the child first; this is for the case that the watcher is held up.
    const auto seconds = static_cast<std::uint64_t>(std::ceil(limits.cpu_seconds)) + 1;
    set_limit(RLIMIT_CPU, seconds, seconds + 1, ok);
  }
  if (limits.file_bytes > 0) set_limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes, ok);
  return ok;
}

bool write_text(const char* path, const char* text, std::size_t size) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = write(fd, text, size) == static_cast<ssize_t>(size);
  close(fd);
  return ok;
}

/// "ID ID 1" without allocation: this runs between fork and exec.
std::size_t identity_map(char* out, unsigned id) {
  char digits[16];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + id % 10);
    id /= 10;
  } while (id != 0);
  std::size_t at = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (std::size_t i = count; i > 0; --i) out[at++] = digits[i - 1];
    out[at++] = ' ';
  }
  out[at++] = '1';
  return at;
}

/// Own user and mount namespace with everything but scratch read-only; for kernels without Landlock.
bool enter_namespaces(const char* scratch) {
  const unsigned uid = getuid();
  const unsigned gid = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  char map[64];
  write_text("/proc/self/setgroups", "deny", 4);
  if (!write_text("/proc/self/uid_map", map, identity_map(map, uid))) return false;
  if (!write_text("/proc/self/gid_map", map, identity_map(map, gid))) return false;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (scratch[0] != '\0' && mount(scratch, scratch, nullptr, MS_BIND, nullptr) != 0) return false;
  struct {
    std::uint64_t set, clear, propagation, userns;
  } attributes{1 /* MOUNT_ATTR_RDONLY */, 0, 0, 0};
  constexpr long kMountSetattr = 442;
  constexpr unsigned kRecursive = 0x8000;
  if (syscall(kMountSetattr, AT_FDCWD, "/", kRecursive, &attributes, sizeof attributes) != 0) return false;
  if (scratch[0] == '\0') return true;
  attributes = {0, 1, 0, 0};
  return syscall(kMountSetattr, AT_FDCWD, scratch, 0, &attributes, sizeof attributes) == 0;
}

}  // namespace

std::string to_string(const Held& held) {
  std::string out;
  const auto add = [&out](bool holds, const char* name) {
    if (!holds) return;
    if (!out.empty()) out += ' ';
    out += name;
  };
  add(held.rlimits, "rlimits");
  add(held.seccomp, "seccomp");
  add(held.landlock, "landlock");
  add(held.namespaces, "namespaces");
  return out.empty() ? "none" : out;
}

const Held& machine_holds() {
  static const Held found = [] {
    Held held;
    const Sandbox sandbox{Limits{}};
    const auto shared = static_cast<Held*>(
        mmap(nullptr, sizeof(Held), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared == MAP_FAILED) return held;
    const pid_t child = fork();
    if (child == 0) {
      *shared = sandbox.enter();
      _exit(0);
    }
    if (child > 0) waitpid(child, nullptr, 0);
    held = *shared;
    munmap(shared, sizeof(Held));
    return held;
  }();
  return found;
}

Sandbox::Sandbox(const Limits& limits) : limits_(limits), filter_(child_filter(limits.processes != 1)) {
  if (limits_.contain_writes && limits_.use_landlock)
    landlock_ruleset_ = make_landlock_ruleset(limits_.scratch);
}

Sandbox::~Sandbox() {
  if (landlock_ruleset_ >= 0) close(landlock_ruleset_);
}

Held Sandbox::enter() const {
  Held held;
  held.rlimits = set_resource_limits(limits_);
  if (limits_.contain_writes && landlock_ruleset_ < 0)
    held.namespaces = enter_namespaces(limits_.scratch.c_str());
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (landlock_ruleset_ >= 0) held.landlock = syscall(kLandlockRestrict, landlock_ruleset_, 0) == 0;
  held.seccomp = install(filter_);
  return held;
}

bool forbid_all_but_computing() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  scmp_filter_ctx context = common_filter(false);
  static constexpr int kChanges[] = {
      SCMP_SYS(execve),    SCMP_SYS(execveat),        SCMP_SYS(creat),     SCMP_SYS(unlink),
      SCMP_SYS(unlinkat),  SCMP_SYS(rename),          SCMP_SYS(renameat),  SCMP_SYS(renameat2),
      SCMP_SYS(mkdir),     SCMP_SYS(mkdirat),         SCMP_SYS(rmdir),     SCMP_SYS(link),
      SCMP_SYS(linkat),    SCMP_SYS(symlink),         SCMP_SYS(symlinkat), SCMP_SYS(truncate),
      SCMP_SYS(ftruncate), SCMP_SYS(chmod),           SCMP_SYS(fchmod),    SCMP_SYS(fchmodat),
      SCMP_SYS(chown),     SCMP_SYS(fchown),          SCMP_SYS(fchownat),  SCMP_SYS(lchown),
      SCMP_SYS(setxattr),  SCMP_SYS(fsetxattr),       SCMP_SYS(utimensat), SCMP_SYS(kill),
      SCMP_SYS(tkill),     SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(socket),    SCMP_SYS(fallocate)};
  for (const int call : kChanges) deny(context, call);
  for (const unsigned flags : {O_WRONLY, O_RDWR, O_CREAT}) {
    const scmp_datum_t wanted = flags;
    seccomp_rule_add(context, kDenied, SCMP_SYS(open), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, wanted, wanted));
    seccomp_rule_add(context, kDenied, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, wanted, wanted));
  }
  seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0);
  const auto self = static_cast<scmp_datum_t>(getpid());
  seccomp_rule_add(context, kDenied, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, self, 0));
  const bool held = install(compile(context));
  seccomp_release(context);
  return held;
}

}  // namespace pw::runtime
