#include "service/pool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>

extern char** environ;

namespace pw::service {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMilliseconds = 500;
constexpr std::size_t kLastWords = 2000;

struct Pipe {
  int read = -1, write = -1;
  static Pipe make() {
    std::array<int, 2> fds{-1, -1};
    if (pipe2(fds.data(), O_CLOEXEC) != 0) return {};
    return {fds[0], fds[1]};
  }
};

class Worker {
 public:
  explicit Worker(const std::vector<std::string>& argv) {
    const Pipe in = Pipe::make();
    const Pipe out = Pipe::make();
    const Pipe err = Pipe::make();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    for (const int fd : {in.read, out.write, err.write}) close(fd);
    in_ = in.write;
    out_ = out.read;
    err_ = err.read;
    fcntl(out_, F_SETFL, O_NONBLOCK);
    fcntl(err_, F_SETFL, O_NONBLOCK);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    close(in_);  // a healthy worker ends when its input does
    if (pid_ > 0 && !reaped_) waitpid(pid_, nullptr, 0);
    close(out_);
    close(err_);
  }

  void give(std::size_t index, const std::string& line) {
    index_ = index;
    text_.clear();
    words_.clear();
    since_ = Clock::now();
    cpu_before_ = cpu_seconds();
    const std::string whole = line + "\n";
    if (write(in_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) stop();
  }
  bool busy() const { return index_.has_value(); }
  std::size_t index() const { return *index_; }
  int out() const { return out_; }
  int err() const { return err_; }

  /// The answer to the line given, once it is there.
  std::optional<PoolAnswer> take(const PoolLimits& limits) {
    drain(err_, words_);
    const bool open = drain(out_, text_);
    if (const auto end = text_.find('\n'); end != std::string::npos) {
      index_.reset();
      return PoolAnswer{text_.substr(0, end), {}};
    }
    std::string problem = open ? broken(limits) : ended();
    if (problem.empty()) return std::nullopt;
    dead_ = true;
    index_.reset();
    return PoolAnswer{{}, std::move(problem)};
  }
  bool dead() const { return dead_; }

 private:
  /// False at end of file.
  static bool drain(int fd, std::string& into) {
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t n = read(fd, buffer.data(), buffer.size());
      if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0) return false;
      if (n < 0) return errno == EAGAIN || errno == EINTR;
    }
  }

  void stop() const {
    if (pid_ > 0) kill(pid_, SIGKILL);
  }

  std::string ended() {
    if (pid_ <= 0) return "the worker could not be started";
    int status = 0;
    waitpid(pid_, &status, 0);
    reaped_ = true;
    drain(err_, words_);
    const std::string words = words_.substr(words_.size() - std::min(words_.size(), kLastWords));
    const std::string how = WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status))
                                                : fmt::format("exited {}", WEXITSTATUS(status));
    return words.empty() ? how : how + ": " + words;
  }

  std::string broken(const PoolLimits& limits) {
    std::string problem;
    const double wall = std::chrono::duration<double>(Clock::now() - since_).count();
    if (cpu_seconds() - cpu_before_ > limits.cpu_seconds) {
      problem = fmt::format("over {} s of CPU time in our own code", limits.cpu_seconds);
    } else if (private_bytes() > limits.memory_bytes) {
      problem = fmt::format("over {} MiB of memory in our own code", limits.memory_bytes >> 20);
    } else if (wall > limits.wall_seconds) {
      problem = fmt::format("no answer for {} s", limits.wall_seconds);
    }
    if (!problem.empty()) {
      stop();
      (void)ended();
    }
    return problem;
  }

  double cpu_seconds() const {
    std::ifstream file(fmt::format("/proc/{}/stat", pid_));
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) return 0;
    unsigned long user = 0, system = 0;
    // Fields 14 and 15; the text after ')' begins with field 3.
    if (sscanf(text.c_str() + end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system) != 2) {
      return 0;
    }
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  std::size_t private_bytes() const {
    std::ifstream file(fmt::format("/proc/{}/statm", pid_));
    std::size_t all = 0, resident = 0, shared = 0;
    file >> all >> resident >> shared;
    return (resident - std::min(resident, shared)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  bool reaped_ = false, dead_ = false;
  std::optional<std::size_t> index_;
  std::string text_, words_;
  Clock::time_point since_;
  double cpu_before_ = 0;
};

}  // namespace

void run_pool(const std::vector<std::string>& argv, const PoolLimits& limits,
              const std::vector<std::string>& lines,
              const std::function<void(std::size_t, const PoolAnswer&)>& answered) {
  signal(SIGPIPE, SIG_IGN);
  std::size_t next = 0;
  std::vector<std::unique_ptr<Worker>> workers(std::min(limits.workers, lines.size()));
  const auto feed = [&](std::unique_ptr<Worker>& worker) {
    if (next == lines.size()) return worker.reset();
    if (!worker || worker->dead()) worker = std::make_unique<Worker>(argv);
    worker->give(next, lines[next]);
    ++next;
  };
  for (auto& worker : workers) feed(worker);
  const auto working = [&] {
    return std::any_of(workers.begin(), workers.end(), [](const auto& w) { return w != nullptr; });
  };
  while (working()) {
    std::vector<pollfd> watched;
    for (const auto& worker : workers) {
      if (!worker) continue;
      watched.push_back({worker->out(), POLLIN, 0});
      watched.push_back({worker->err(), POLLIN, 0});
    }
    poll(watched.data(), watched.size(), kPollMilliseconds);
    for (auto& worker : workers) {
      if (!worker) continue;
      const std::size_t index = worker->index();
      const auto answer = worker->take(limits);
      if (!answer) continue;
      feed(worker);
      answered(index, *answer);
    }
  }
}

}  // namespace pw::service
