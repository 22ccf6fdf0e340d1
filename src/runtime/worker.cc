#include "runtime/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "runtime/process_start.h"
#include "runtime/scratch.h"

namespace pw::runtime {

namespace {

using diagnostics::Rule;
using nlohmann::json;

constexpr int kControl = 3;  // worker.py's CONTROL
constexpr double kStartSeconds = 300;
constexpr double kGraceSeconds = 30;  // beyond the request's own wall backstop, which the zygote enforces

struct Message {
  json body;
  std::array<int, 3> fds = {-1, -1, -1};
};

std::string_view task_name(WorkerTask task) {
  static constexpr std::string_view kNames[] = {"inputs", "hash", "reference", "one-ulp"};
  return kNames[static_cast<std::size_t>(task)];
}

json to_json(const WorkerRequest& request, const Limits& limits) {
  json out = {{"manifest", request.manifest},
              {"task", task_name(request.task)},
              {"preset", request.preset},
              {"dtype", request.dtype},
              {"variant", request.variant},
              {"layouts", request.layouts},
              {"seed", request.seed},
              {"ulp_seed", request.ulp_seed},
              {"symbols", request.symbols},
              {"poison", request.poison},
              {"cpu_seconds", limits.cpu_seconds},
              {"wall_seconds", limits.wall_seconds},
              {"memory_bytes", limits.memory_bytes},
              {"processes", limits.processes}};
  if (request.config_row) out["config_row"] = *request.config_row;
  return out;
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool send_message(int socket, const json& body) {
  const std::string text = body.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string head(4, '\0');
  std::memcpy(head.data(), &size, 4);
  return send_all(socket, head + text);
}

/// Waits until the socket can be read; false at the deadline.
bool wait_readable(int socket, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd one{socket, POLLIN, 0};
    const int found = poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

void take_descriptors(msghdr& header, Message& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::array<int, 3> fds = {-1, -1, -1};
    std::memcpy(fds.data(), CMSG_DATA(part), std::min<std::size_t>(count, 3) * sizeof(int));
    message.fds = fds;
  }
}

/// The next message with its descriptors; nullopt at end of file, on a timeout, or if it is no JSON.
std::optional<Message> receive(int socket, double seconds) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  Message message;
  std::uint32_t size = 0;
  iovec part{&size, sizeof size};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  if (!wait_readable(socket, deadline)) return std::nullopt;
  const ssize_t got = recvmsg(socket, &header, MSG_WAITALL | MSG_CMSG_CLOEXEC);
  if (got > 0) take_descriptors(header, message);
  std::string text(got == sizeof size ? size : 0, '\0');
  std::size_t have = 0;
  while (have < text.size() && wait_readable(socket, deadline)) {
    const ssize_t count = recv(socket, text.data() + have, text.size() - have, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  if (got == sizeof size && have == text.size()) message.body = json::parse(text, nullptr, false);
  if (message.body.is_object()) return message;
  for (const int fd : message.fds) {
    if (fd >= 0) close(fd);
  }
  return std::nullopt;
}

std::string read_descriptor(int fd) {
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t count = pread(fd, text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  text.resize(have);
  return text;
}

Outcome outcome_of(const json& parts, double cpu_seconds) {
  const std::string kind = parts.at(0);
  if (kind == "exited") return Exited{parts.at(1).get<int>()};
  if (kind == "signalled") return Signalled{parts.at(1).get<int>()};
  if (kind == "over_memory") return OverMemory{parts.at(1).get<std::uint64_t>()};
  if (kind == "too_many_processes") return TooManyProcesses{parts.at(1).get<int>()};
  return TimedOut{cpu_seconds, parts.at(1).get<bool>()};
}

double number(const json& hex) { return std::strtod(hex.get<std::string>().c_str(), nullptr); }

WorkerArgument argument_of(const json& from) {
  WorkerArgument out{from.at("name"), from.at("dtype"), NoneValue{}, from.value("of", std::string())};
  if (from.contains("array")) out.value = ArrayValue{from["array"].get<std::size_t>()};
  if (from.contains("int")) out.value = from["int"].get<std::int64_t>();
  if (from.contains("float")) out.value = number(from["float"]);
  if (from.contains("bool")) out.value = from["bool"].get<bool>();
  if (from.contains("complex"))
    out.value = ComplexValue{number(from["complex"][0]), number(from["complex"][1])};
  if (from.contains("other")) out.value = OtherValue{from["other"]};
  return out;
}

std::vector<WorkerArgument> arguments_of(const json& from, const char* key) {
  std::vector<WorkerArgument> out;
  if (!from.contains(key)) return out;
  for (const json& one : from[key]) out.push_back(argument_of(one));
  return out;
}

std::optional<SharedArrays> segment_of(const json& answer, const char* key, int fd) {
  std::vector<ArraySlot> slots;
  for (const json& slot : answer.value(key, json::array())) {
    slots.push_back({{slot.at("name"), slot.at("dtype"), slot.at("shape").get<std::vector<std::int64_t>>(),
                      slot.at("bytes").get<std::uint64_t>()},
                     slot.at("offset").get<std::uint64_t>()});
  }
  return SharedArrays::adopt(fd, std::move(slots));
}

/// Fills the reply from the run's own JSON. False if that does not hold together (a kernel that wrote over
/// it).
bool read_answer(const json& answer, const std::array<int, 3>& fds, WorkerReply& reply) {
  reply.arguments = arguments_of(answer, "arguments");
  reply.buffers = arguments_of(answer, "buffers");
  reply.returned = arguments_of(answer, "returned");
  reply.symbols = answer.value("symbols", std::map<std::string, std::int64_t>());
  reply.hash = answer.value("hash", std::string());
  reply.reference_cpu_seconds = answer.value("reference_cpu_seconds", 0.0);
  if (answer.contains("variant") && answer["variant"].is_string()) reply.variant = answer["variant"];
  if (answer.contains("layout") && answer["layout"].is_string()) reply.layout = answer["layout"];
  if (answer.contains("error")) {
    const json& error = answer["error"];
    reply.error = PythonError{error.at("type"), error.at("message"), error.at("file"), error.at("line"),
                              error.at("stage")};
  }
  std::optional<SharedArrays> inputs = segment_of(answer, "inputs", dup(fds[1]));
  std::optional<SharedArrays> results = segment_of(answer, "results", dup(fds[2]));
  if (!inputs || !results) return false;
  reply.inputs = std::move(*inputs);
  reply.results = std::move(*results);
  return true;
}

}  // namespace

struct NumpyWorker::State {
  WorkerOptions options;
  ScratchFolder scratch;
  pid_t pid = -1;
  int socket = -1;
  int log = -1;  // a memfd with what the zygote prints
  std::string version;
  Held held;

  ~State() { stop(); }

  bool running() const { return pid > 0; }

  /// Ends the zygote and its runs; what became of it.
  Outcome stop() {
    Outcome outcome = Exited{0};
    if (socket >= 0) close(std::exchange(socket, -1));
    if (pid > 0) {
      kill(-pid, SIGKILL);
      int status = 0;
      for (;;) {
        const pid_t ended = waitpid(-pid, &status, 0);
        if (ended < 0 && errno != EINTR) break;
        if (ended == pid && WIFEXITED(status)) outcome = Exited{WEXITSTATUS(status)};
        if (ended == pid && WIFSIGNALED(status)) outcome = Signalled{WTERMSIG(status)};
      }
      pid = -1;
    }
    if (log >= 0) close(std::exchange(log, -1));
    return outcome;
  }

  /// The last lines that the zygote printed.
  std::string last_words() const {
    std::string text = read_descriptor(log);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.size() > 300 ? text.find('\n', text.size() - 300) + 1 : 0);
  }

  base::Result<base::Done> start(diagnostics::Engine& engine);
};

base::Result<base::Done> NumpyWorker::State::start(diagnostics::Engine& engine) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return engine.report(Rule::RunWorkerStart, {}, std::strerror(errno));
  }
  socket = pair[0];
  log = memfd_create("pw-worker-log", MFD_CLOEXEC);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  Command command;
  command.argv = {options.python, "-s", "-m", "portwright.worker"};
  command.environment = {
      {"PYTHONPATH", options.python_folder + ":" + options.python_folder + "/portwright/standin"}};
  command.folder = scratch.path();
  command.descriptors = {{pair[1], kControl}};
  Limits limits;  // the zygote watches each run; these are for all of its life
  limits.cpu_seconds = 0;
  limits.memory_bytes = 0;
  limits.file_bytes = 0;
  limits.scratch = scratch.path();
  const Started started = runtime::start(command, limits, {null, log, log}, /*dies_with_us=*/false);
  close(null);
  close(pair[1]);
  pid = started.pid;
  held = started.held;
  if (started.pid < 0 || started.error != 0) {
    stop();
    return engine.report(Rule::RunWorkerStart, {}, options.python + ": " + std::strerror(started.error));
  }
  const std::optional<Message> hello = receive(socket, kStartSeconds);
  if (!hello) {
    const std::string words = last_words();
    const Outcome outcome = stop();
    return engine.report(Rule::RunWorkerStart, {}, words.empty() ? to_string(outcome) : words);
  }
  version = hello->body.value("version", std::string());
  return base::Done{};
}

NumpyWorker::NumpyWorker(std::unique_ptr<State> state) : state_(std::move(state)) {}
NumpyWorker::~NumpyWorker() = default;

const std::string& NumpyWorker::version() const { return state_->version; }
const Held& NumpyWorker::held() const { return state_->held; }

base::Result<std::unique_ptr<NumpyWorker>> NumpyWorker::start(const WorkerOptions& options,
                                                              diagnostics::Engine& engine) {
  auto state = std::make_unique<State>();
  state->options = options;
  PW_CHECK_OK(state->start(engine));
  return std::unique_ptr<NumpyWorker>(new NumpyWorker(std::move(state)));
}

base::Result<WorkerReply> NumpyWorker::ask(const WorkerRequest& request, diagnostics::Engine& engine) {
  State& state = *state_;
  if (!state.running()) PW_CHECK_OK(state.start(engine));
  const double wall = state.options.limits.wall_seconds;
  std::optional<Message> message;
  if (send_message(state.socket, to_json(request, state.options.limits))) {
    message = receive(state.socket, (wall > 0 ? wall : 1e6) + kGraceSeconds);
  }
  if (!message) {
    const std::string words = state.last_words();
    const std::string outcome = to_string(state.stop());
    return engine.report(Rule::RunWorkerDied, {}, request.manifest, words.empty() ? outcome : words);
  }
  WorkerReply reply;
  bool whole = false;
  try {
    reply.cpu_seconds = message->body.at("cpu_seconds");
    reply.peak_bytes = message->body.at("peak_bytes");
    reply.outcome = outcome_of(message->body.at("outcome"), reply.cpu_seconds);
    const json answer = json::parse(read_descriptor(message->fds[0]), nullptr, false);
    if (!succeeded(reply.outcome)) {
      whole = true;
      if (answer.is_object() && answer.contains("broken")) {
        reply.error = PythonError{"WorkerError", answer["broken"], "", 0, "worker"};
      }
    } else {
      whole = answer.is_object() && read_answer(answer, message->fds, reply);
    }
  } catch (const json::exception&) {
    whole = false;
  }
  for (const int fd : message->fds) {
    if (fd >= 0) close(fd);
  }
  if (!whole) return engine.report(Rule::RunWorkerAnswer, {}, request.manifest);
  return reply;
}

}  // namespace pw::runtime
