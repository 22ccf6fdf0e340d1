#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/source.h"
#include "cli/cli.h"

namespace pw::cli {

namespace {

void print(FILE* stream, std::string_view text) {
  fwrite(text.data(), 1, text.size(), stream);
  fflush(stream);
}

/// A bar on standard error where that is a terminal, below lines that are printed as they come.
class Bar {
 public:
  explicit Bar(bool lines) : lines_(lines), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Bar() { clear(); }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void line(std::string_view text) {
    clear();
    if (lines_) print(stdout, std::string(text) + "\n");
    draw();
  }
  void step(std::size_t done, std::size_t total, std::string_view name) {
    constexpr std::size_t kWidth = 30;
    const std::size_t filled = total == 0 ? kWidth : kWidth * done / total;
    text_ = "[" + std::string(filled, '#') + std::string(kWidth - filled, ' ') + "] " + std::to_string(done) +
            "/" + std::to_string(total) + " " + std::string(name);
    clear();
    draw();
  }

 private:
  void clear() const {
    if (terminal_) print(stderr, "\r\x1b[K");
  }
  void draw() const {
    if (!terminal_) return;
    winsize size{};
    const std::size_t width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80u;
    print(stderr, text_.substr(0, width - 1));
  }
  bool lines_, terminal_;
  std::string text_;
};

/// The JSON goes where --json says; false if it cannot be written.
bool deliver(const service::Request& request, const service::Response& response) {
  if (request.json.empty()) return true;
  if (request.json == "-") {
    print(stdout, response.json);
    return true;
  }
  return base::write_file_whole(request.json, response.json);
}

}  // namespace

int run(const std::vector<std::string>& given) {
  std::vector<std::string> arguments = given;
  // Our own corpus runs start us so; it is no verb.
  const bool serves = !arguments.empty() && arguments.front() == "--serve-corpus";
  if (serves) arguments.front() = "corpus";
  const auto parsed = parse(arguments);
  if (const auto* message = std::get_if<Message>(&parsed)) {
    print(message->exit_code == 0 ? stdout : stderr, message->text);
    return message->exit_code;
  }
  const auto& request = std::get<service::Request>(parsed);
  if (serves) return service::serve_corpus(request, std::cin, std::cout);

  service::Response response;
  {
    Bar bar(request.json != "-");
    service::Progress progress;
    progress.line = [&](std::string_view text) { bar.line(text); };
    progress.step = [&](std::size_t done, std::size_t total, std::string_view name) {
      bar.step(done, total, name);
    };
    response = service::run(request, progress);
  }
  print(stderr, response.errors);
  if (request.json != "-") print(stdout, response.text);
  if (!deliver(request, response)) {
    print(stderr, "portwright: cannot write " + request.json + "\n");
    return service::kWrongUsage;
  }
  return response.exit_code;
}

}  // namespace pw::cli
