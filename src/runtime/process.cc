#include "runtime/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "runtime/process_start.h"

namespace pw::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double to_seconds(const timeval& value) {
  return static_cast<double>(value.tv_sec) + 1e-6 * static_cast<double>(value.tv_usec);
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(fds[0]), Descriptor(fds[1])};
}

/// Looks argv[0] up in PATH, as a shell does; the name itself where nothing is found, so that exec says why.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return name;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// What the child tells before exec replaces it: what held, and errno if exec failed.
struct StartReport {
  Held held;
  int error = 0;
};

/// All that the child needs, prepared before fork: after it only async-signal-safe calls are allowed.
struct Launch {
  std::string program;
  std::vector<std::string> argument_texts;
  std::vector<std::string> environment_texts;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string folder;
  int input = -1;
  int output = -1;
  int error = -1;
  int report = -1;
  const std::vector<std::pair<int, int>>* descriptors = nullptr;
  const Sandbox* sandbox = nullptr;
  bool dies_with_us = true;
};

/// The ends that the child keeps, moved out of the way of the numbers that it asks for.
int move_up(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 256); }

[[noreturn]] void become_child(const Launch& launch) {
  StartReport report;
  const int report_fd = move_up(launch.report);
  std::array<int, 64> moved{};
  const std::size_t count = std::min(launch.descriptors->size(), moved.size());
  const int input = move_up(launch.input);
  const int output = move_up(launch.output);
  const int error = move_up(launch.error);
  for (std::size_t i = 0; i < count; ++i) moved[i] = move_up((*launch.descriptors)[i].first);
  setsid();
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (launch.dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  report.held = launch.sandbox->enter();
  // After the sandbox, which may have put another mount over scratch.
  if (launch.folder.empty() || chdir(launch.folder.c_str()) == 0) {
    syscall(SYS_close_range, 3u, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */);
    dup2(input, 0);
    dup2(output, 1);
    dup2(error, 2);
    for (std::size_t i = 0; i < count; ++i) dup2(moved[i], (*launch.descriptors)[i].second);
    if (write(report_fd, &report, sizeof report) < 0) _exit(127);
    execve(launch.program.c_str(), launch.arguments.data(), launch.environment.data());
  }
  report.error = errno;
  if (write(report_fd, &report, sizeof report) < 0) _exit(127);
  _exit(127);
}

/// What the process group uses now.
struct Usage {
  double cpu_seconds = 0;
  std::uint64_t bytes = 0;  // anonymous resident memory: shared arrays are not the child's
  int processes = 0;
};

std::optional<std::string> read_small(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text(1024, '\0');
  const ssize_t count = read(fd, text.data(), text.size());
  close(fd);
  if (count <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(count));
  return text;
}

/// Adds one process to `usage` if it belongs to `group`. Fields: proc(5), stat and statm.
void add_process(int pid, int group, Usage& usage) {
  const std::optional<std::string> stat = read_small(fmt::format("/proc/{}/stat", pid).c_str());
  if (!stat) return;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return;
  long long fields[15] = {};
  char state = 0;
  const char* at = stat->c_str() + name_end + 1;
  int used = 0;
  if (std::sscanf(at, " %c%n", &state, &used) != 1) return;
  at += used;
  for (int i = 0; i < 14; ++i) {
    char* end = nullptr;
    fields[i] = std::strtoll(at, &end, 10);
    at = end;
  }
  if (fields[1] != group) return;  // ppid, pgrp, ...
  static const double kTick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  usage.cpu_seconds += kTick * static_cast<double>(fields[10] + fields[11] + fields[12] + fields[13]);
  if (state == 'Z' || state == 'X') return;
  ++usage.processes;
  const std::optional<std::string> memory = read_small(fmt::format("/proc/{}/statm", pid).c_str());
  unsigned long long size = 0, resident = 0, shared = 0;
  if (memory && std::sscanf(memory->c_str(), "%llu %llu %llu", &size, &resident, &shared) == 3) {
    usage.bytes +=
        (resident - std::min(resident, shared)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
}

Usage usage_of_group(int group, bool alone) {
  Usage usage;
  if (alone) {
    add_process(group, group, usage);
    return usage;
  }
  DIR* const folder = opendir("/proc");
  if (!folder) return usage;
  while (const dirent* entry = readdir(folder)) {
    int pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto [stop, problem] = std::from_chars(entry->d_name, end, pid);
    if (problem == std::errc() && stop == end) add_process(pid, group, usage);
  }
  closedir(folder);
  return usage;
}

/// Reads what is there; closes at end of file. Keeps at most `cap` bytes, counts all.
void drain(Descriptor& source, std::string& text, std::uint64_t cap, std::uint64_t& seen) {
  char buffer[65536];
  while (source.open()) {
    const ssize_t count = read(source.get(), buffer, sizeof buffer);
    if (count > 0) {
      seen += static_cast<std::uint64_t>(count);
      const std::uint64_t room = cap == 0 ? seen : cap - std::min<std::uint64_t>(cap, text.size());
      text.append(buffer,
                  static_cast<std::size_t>(std::min<std::uint64_t>(room, static_cast<std::uint64_t>(count))));
      if (cap != 0 && seen > cap) return;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else {
      source.reset();
    }
  }
}

void feed(Descriptor& sink, std::string_view& rest) {
  while (sink.open() && !rest.empty()) {
    const ssize_t count = write(sink.get(), rest.data(), rest.size());
    if (count > 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && errno == EAGAIN) {
      return;
    } else {
      sink.reset();
    }
  }
  if (rest.empty()) sink.reset();
}

void set_nonblocking(const Descriptor& descriptor) {
  if (descriptor.open()) fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

/// One running child from start to reaped.
class Watch {
 public:
  Watch(pid_t pid, const Limits& limits, Pipe out, Pipe err, Descriptor input, std::string_view text)
      : pid_(pid),
        limits_(limits),
        out_(std::move(out.read)),
        err_(std::move(err.read)),
        input_(std::move(input)),
        text_(text),
        own_bytes_(own_peak()) {
    for (const Descriptor* d : {&out_, &err_, &input_}) set_nonblocking(*d);
  }

  /// Watches until the child ends or breaks a limit; then ends and reaps its whole group.
  void run(Child& child) {
    const Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    std::optional<Outcome> broken;
    while (!broken) {
      feed(input_, text_);
      std::array<pollfd, 4> polls = {{{ended.get(), POLLIN, 0},
                                      {out_.get(), POLLIN, 0},
                                      {err_.get(), POLLIN, 0},
                                      {text_.empty() ? -1 : input_.get(), POLLOUT, 0}}};
      poll(polls.data(), polls.size(), tick_milliseconds());
      drain(out_, child.out, limits_.output_bytes, out_seen_);
      drain(err_, child.err, limits_.output_bytes, err_seen_);
      broken = check();
      if (polls[0].revents != 0) break;
    }
    kill(-pid_, SIGKILL);
    reap(child);
    drain(out_, child.out, limits_.output_bytes, out_seen_);
    drain(err_, child.err, limits_.output_bytes, err_seen_);
    child.cpu_seconds = std::max(child.cpu_seconds, cpu_seen_);
    child.peak_bytes = std::max(child.peak_bytes, peak_seen_);
    child.wall_seconds = seconds_since(start_);
    if (!broken) broken = flooded();
    if (!broken && limits_.cpu_seconds > 0 && child.cpu_seconds > limits_.cpu_seconds) {
      broken = TimedOut{child.cpu_seconds, false};
    }
    if (broken) child.outcome = *broken;
    if (TimedOut* timed_out = std::get_if<TimedOut>(&child.outcome))
      timed_out->cpu_seconds = child.cpu_seconds;
  }

 private:
  static std::uint64_t own_peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }

  bool alone() const { return limits_.processes == 1; }

  /// A look at one process costs microseconds, at a group a walk through /proc.
  int tick_milliseconds() const { return alone() ? 10 : seconds_since(start_) < 0.5 ? 20 : 50; }

  std::optional<Outcome> flooded() const {
    const std::uint64_t most = std::max(out_seen_, err_seen_);
    if (limits_.output_bytes != 0 && most > limits_.output_bytes) return FloodedOutput{most};
    return std::nullopt;
  }

  std::optional<Outcome> check() {
    if (auto flood = flooded()) return flood;
    if (limits_.wall_seconds > 0 && seconds_since(start_) > limits_.wall_seconds) return TimedOut{0, true};
    if (Clock::now() - checked_ < std::chrono::milliseconds(alone() ? 8 : 18)) return std::nullopt;
    checked_ = Clock::now();
    const Usage usage = usage_of_group(pid_, alone());
    cpu_seen_ = std::max(cpu_seen_, usage.cpu_seconds);
    peak_seen_ = std::max(peak_seen_, usage.bytes);
    if (limits_.processes > 0 && usage.processes > limits_.processes)
      return TooManyProcesses{usage.processes};
    if (limits_.memory_bytes > 0 && usage.bytes > limits_.memory_bytes) return OverMemory{usage.bytes};
    if (limits_.cpu_seconds > 0 && usage.cpu_seconds > limits_.cpu_seconds) return TimedOut{0, false};
    return std::nullopt;
  }

  /// Reaps the leader and, since we are their reaper too, all that it left behind in its group.
  void reap(Child& child) {
    for (;;) {
      int status = 0;
      rusage usage{};
      const pid_t pid = wait4(-pid_, &status, 0, &usage);
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) return;
      child.cpu_seconds += to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
      if (pid != pid_) continue;
      // Before exec the child counted our own pages, so a peak below ours says nothing about it.
      const auto peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
      if (peak > own_bytes_) child.peak_bytes = peak;
      if (WIFEXITED(status)) child.outcome = Exited{WEXITSTATUS(status)};
      if (WIFSIGNALED(status)) child.outcome = Signalled{WTERMSIG(status)};
      if (child.outcome == Outcome(Signalled{SIGXCPU})) child.outcome = TimedOut{};
    }
  }

  pid_t pid_;
  const Limits& limits_;
  Descriptor out_;
  Descriptor err_;
  Descriptor input_;
  std::string_view text_;
  std::uint64_t own_bytes_;
  std::uint64_t out_seen_ = 0;
  std::uint64_t err_seen_ = 0;
  double cpu_seen_ = 0;
  std::uint64_t peak_seen_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point checked_ = start_;
};

Launch prepare(const Command& command, const Limits& limits, const Sandbox& sandbox) {
  Launch launch;
  launch.program = find_program(command.argv.front());
  launch.argument_texts = command.argv;
  launch.environment_texts = child_environment(command.environment, limits.scratch);
  launch.folder = command.folder.empty() ? limits.scratch : command.folder;
  launch.descriptors = &command.descriptors;
  launch.sandbox = &sandbox;
  return launch;
}

Child not_started(int error) {
  Child child;
  child.outcome = NotStarted{error};
  return child;
}

}  // namespace

Started start(const Command& command, const Limits& limits, const Streams& streams, bool dies_with_us) {
  PW_CHECK(!command.argv.empty(), "a command without a program");
  PW_CHECK(command.descriptors.size() <= 64, "more than 64 inherited descriptors");
  static const int subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)subreaper;
  static const auto no_pipe_signal = signal(SIGPIPE, SIG_IGN);
  (void)no_pipe_signal;

  const Sandbox sandbox(limits);
  Launch launch = prepare(command, limits, sandbox);
  launch.arguments = pointers(launch.argument_texts);
  launch.environment = pointers(launch.environment_texts);
  launch.dies_with_us = dies_with_us;
  launch.input = streams.input;
  launch.output = streams.output;
  launch.error = streams.error;
  std::optional<Pipe> report = make_pipe();
  if (!report) return {-1, {}, errno};
  launch.report = report->write.get();
  const pid_t pid = fork();
  if (pid < 0) return {-1, {}, errno};
  if (pid == 0) become_child(launch);
  report->write.reset();

  // One report before exec, a second one only if exec failed.
  StartReport reports[2];
  std::size_t got = 0;
  while (got < sizeof reports) {
    const ssize_t count =
        read(report->read.get(), reinterpret_cast<char*>(reports) + got, sizeof reports - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  const std::size_t reported = got / sizeof(StartReport);
  if (reported == 0) return {pid, {}, 0};
  return {pid, reports[0].held, reports[reported - 1].error};
}

Child run(const Command& command, const Limits& limits) {
  std::optional<Pipe> out = make_pipe();
  std::optional<Pipe> err = make_pipe();
  std::optional<Pipe> input = make_pipe();
  if (!out || !err || !input) return not_started(errno);
  if (command.input.empty()) input->read = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Started started =
      start(command, limits, {input->read.get(), out->write.get(), err->write.get()}, /*dies_with_us=*/true);
  if (started.pid < 0) return not_started(started.error);
  input->read.reset();
  out->write.reset();
  err->write.reset();
  Child child;
  child.held = started.held;
  Watch watch(started.pid, limits, std::move(*out), std::move(*err), std::move(input->write), command.input);
  watch.run(child);
  if (started.error != 0) child.outcome = NotStarted{started.error};
  return child;
}

std::vector<std::string> child_environment(const std::vector<std::pair<std::string, std::string>>& extra,
                                           const std::string& scratch) {
  const char* path = std::getenv("PATH");
  const std::string home = scratch.empty() ? "/nonexistent" : scratch;
  std::vector<std::pair<std::string, std::string>> all = {
      {"PATH", path ? path : "/usr/local/bin:/usr/bin:/bin"},
      {"HOME", home},
      {"TMPDIR", scratch.empty() ? "/tmp" : scratch},
      {"LC_ALL", "C.UTF-8"},
      {"TZ", "UTC"},
      {"OMP_NUM_THREADS", "2"},
      {"OMP_DYNAMIC", "false"},
      // Threads that spin at a barrier would be charged for what others do with the cores.
      {"OMP_WAIT_POLICY", "passive"},
      {"OPENBLAS_NUM_THREADS", "1"},
      {"MKL_NUM_THREADS", "1"},
      {"PYTHONDONTWRITEBYTECODE", "1"},
      {"PYTHONHASHSEED", "0"},
  };
  for (const auto& [name, value] : extra) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == name; });
    if (same == all.end()) {
      all.emplace_back(name, value);
    } else {
      same->second = value;
    }
  }
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

std::string to_string(const Outcome& outcome) {
  struct Text {
    std::string operator()(const Exited& o) const { return fmt::format("exited {}", o.code); }
    std::string operator()(const Signalled& o) const {
      const char* name = sigabbrev_np(o.signal);
      return name ? fmt::format("killed by SIG{}", name) : fmt::format("killed by signal {}", o.signal);
    }
    std::string operator()(const TimedOut& o) const {
      return o.wall ? fmt::format("still running at the wall-clock backstop ({:.1f} s of CPU time)",
                                  o.cpu_seconds)
                    : fmt::format("out of CPU time ({:.1f} s)", o.cpu_seconds);
    }
    std::string operator()(const OverMemory& o) const {
      return fmt::format("over memory ({} MiB)", o.bytes >> 20);
    }
    std::string operator()(const FloodedOutput& o) const {
      return fmt::format("flooded its output ({} bytes and more)", o.bytes);
    }
    std::string operator()(const TooManyProcesses& o) const {
      return fmt::format("too many processes ({})", o.count);
    }
    std::string operator()(const NotStarted& o) const {
      return fmt::format("not started: {}", std::strerror(o.error));
    }
  };
  return std::visit(Text{}, outcome);
}

bool succeeded(const Outcome& outcome) { return outcome == Outcome(Exited{0}); }

}  // namespace pw::runtime
