// Compiles the C ports of many programs as one translation unit and runs them in a child, so that a crash or
// a hang is an outcome. Every array lies between guard bytes, which are looked at after the run.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backends/backend.h"
#include "backends/c/prelude.h"
#include "backends/c/toolchain.h"
#include "program.h"

namespace pw::random_test {

namespace {

using Role = numpy::AbiArgument::Role;
using Call = int (*)(void**);

constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xA5};
constexpr int kNotRun = -1000;
constexpr int kCrashed = -1001;
constexpr int kOverran = -1002;
constexpr long kSecondsPerCall = 5;

/// What the text defines for itself: functions and constants of one program may have another's names.
std::set<std::string> statics_in(const std::string& text) {
  std::set<std::string> out;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (const std::string_view word : {"\nstatic ", "\nenum { "}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      std::size_t end = text.find_first_of("([=", at);
      while (end > at && !is_word(text[end - 1])) --end;
      std::size_t begin = end;
      while (begin > at && is_word(text[begin - 1])) --begin;
      out.insert(text.substr(begin, end - begin));
    }
  }
  return out;
}

/// int call_ID(void** a): the checked port on pointers to its arguments.
std::string caller(const NativeRun& run, const backends::Emitted& port) {
  const ir::Module& module = *run.staged->optimised;
  const ir::Function& entry = module.functions.back();
  std::string arguments;
  std::size_t n = 0;
  const auto add = [&](const std::string& text) {
    arguments += (arguments.empty() ? "" : ", ") + text;
    ++n;
  };
  for (const ir::Parameter& parameter : entry.parameters) {
    if (const auto* local = std::get_if<ir::LocalId>(&parameter)) {
      add(fmt::format("*({}*)a[{}]", backends::c::c_type(module[*local].type), n));
    } else {
      add(fmt::format("a[{}]", n));
    }
  }
  for (std::size_t i = 0; i < entry.results.size(); ++i) add(fmt::format("a[{}]", n));
  return fmt::format("int call_{}(void** a) {{ return {}({}); }}\n", port.symbol, port.checked, arguments);
}

std::string renamed(const std::string& text, const std::string& id) {
  std::string out;
  const std::set<std::string> statics = statics_in(text);
  for (const std::string& name : statics) out += fmt::format("#define {0} {0}_{1}\n", name, id);
  out += text;
  for (const std::string& name : statics) out += fmt::format("#undef {}\n", name);
  return out;
}

/// Where each slot of each call lies in the shared memory.
struct Placed {
  std::vector<std::vector<std::vector<std::size_t>>> offsets;
  std::size_t size = 0;
};

Placed place(const std::vector<NativeRun>& runs) {
  Placed out;
  for (const NativeRun& run : runs) {
    auto& calls = out.offsets.emplace_back();
    for (const std::vector<Slot>& slots : run.calls) {
      auto& offsets = calls.emplace_back();
      for (const Slot& slot : slots) {
        out.size += kGuardBytes;
        offsets.push_back(out.size);
        out.size += (slot.data.bytes.size() + 63U) / 64U * 64U;
      }
    }
  }
  out.size += kGuardBytes;
  return out;
}

bool guards_hold(const std::byte* base, const std::vector<Slot>& slots,
                 const std::vector<std::size_t>& offsets) {
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const std::size_t end = offsets[s] + slots[s].data.bytes.size();
    for (std::size_t at = offsets[s] - kGuardBytes; at < offsets[s]; ++at) {
      if (base[at] != kGuard) return false;
    }
    for (std::size_t at = end; at < end + kGuardBytes; ++at) {
      if (base[at] != kGuard && at % 64 != 0) return false;
      if (at % 64 == 0) break;
    }
  }
  return true;
}

std::string compile(const std::filesystem::path& folder, const std::string& text, const std::string& flags) {
  std::ofstream(folder / "all.c") << text;
  std::ofstream(folder / "portwright.h") << backends::c::support_text();
  std::string all;
  for (const std::string& flag : backends::c::recipe().flags) {
    if (!flag.starts_with("-O") && !flag.starts_with("-march")) all += flag + " ";
  }
  const std::string command =
      fmt::format("cd {} && gcc {} -DPARALLEL_FROM=0 {} -shared -fPIC -o all.so all.c -lm > log 2>&1",
                  folder.string(), all, flags);
  if (std::system(command.c_str()) == 0) return {};
  std::ifstream log(folder / "log");
  std::string said{std::istreambuf_iterator<char>(log), {}};
  return "gcc: " + said.substr(0, 4000);
}

class Child {
 public:
  Child(const std::vector<NativeRun>& runs, const Placed& placed, std::byte* base, int* statuses,
        void* handle)
      : runs_(runs), placed_(placed), base_(base), statuses_(statuses), handle_(handle) {}

  /// Runs the calls from number `first` on, each between an alarm.
  void run(std::size_t first) {
    std::size_t number = 0;
    for (std::size_t p = 0; p < runs_.size(); ++p) {
      const auto function = reinterpret_cast<Call>(dlsym(handle_, ("call_" + runs_[p].program->id).c_str()));
      for (std::size_t c = 0; c < runs_[p].calls.size(); ++c, ++number) {
        const std::vector<Slot>& slots = runs_[p].calls[c];
        if (number < first || slots.empty()) continue;
        statuses_[number] = kCrashed;
        const itimerval limit{{0, 0}, {kSecondsPerCall, 0}};
        setitimer(ITIMER_VIRTUAL, &limit, nullptr);
        std::vector<void*> pointers;
        for (const std::size_t offset : placed_.offsets[p][c]) pointers.push_back(base_ + offset);
        const int status = function(pointers.data());
        statuses_[number] = guards_hold(base_, slots, placed_.offsets[p][c]) ? status : kOverran;
      }
    }
  }

 private:
  const std::vector<NativeRun>& runs_;
  const Placed& placed_;
  std::byte* base_;
  int* statuses_;
  void* handle_;
};

void run_all(Child& child, int* statuses, std::size_t count) {
  std::size_t first = 0;
  while (first < count) {
    const pid_t pid = fork();
    if (pid == 0) {
      child.run(first);
      _exit(0);
    }
    int end = 0;
    waitpid(pid, &end, 0);
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return;
    std::size_t crashed = first;
    for (std::size_t i = first; i < count; ++i) {
      if (statuses[i] == kCrashed) crashed = i;
    }
    first = crashed + 1;
  }
}

std::string text_of(int status) {
  if (status == kNotRun) return "not run";
  if (status == kCrashed) return "the C port crashed or ran too long";
  if (status == kOverran) return "the C port wrote outside its arrays";
  return fmt::format("the C port's status is {}", status);
}

}  // namespace

std::optional<std::vector<std::vector<Outcome>>> run_native(const std::vector<NativeRun>& runs,
                                                            const std::string& flags, std::string& why) {
  std::string text;
  for (const NativeRun& run : runs) {
    backends::EmitOptions options;
    options.name = run.program->id;
    const auto port = backends::find("c")->emit(*run.staged->optimised, options, run.staged->engine);
    if (!port) {
      why = run.program->id + ": the C backend refuses it";
      return std::nullopt;
    }
    std::string source = port->files[0].text;
    for (const backends::File& file : port->files) {
      const std::string include = fmt::format("#include \"{}\"", file.name);
      const std::size_t at = file.name == "portwright.h" ? std::string::npos : source.find(include);
      if (at != std::string::npos) source.replace(at, include.size(), file.text);
    }
    text += renamed(source + caller(run, *port), run.program->id);
  }
  std::string pattern = (std::filesystem::temp_directory_path() / "pw_random_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    why = "no temporary folder";
    return std::nullopt;
  }
  const std::filesystem::path folder = pattern;
  why = compile(folder, text, flags);
  void* const handle = why.empty() ? dlopen((folder / "all.so").c_str(), RTLD_NOW) : nullptr;
  if (std::getenv("PW_KEEP") == nullptr) std::filesystem::remove_all(folder);
  if (handle == nullptr) {
    if (why.empty()) why = dlerror();
    return std::nullopt;
  }
  std::size_t count = 0;
  for (const NativeRun& run : runs) count += run.calls.size();
  const Placed placed = place(runs);
  const std::size_t bytes = placed.size + (count + 1) * sizeof(int) + 64;
  auto* const base = static_cast<std::byte*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::memset(base, static_cast<int>(kGuard), placed.size);
  auto* const statuses = reinterpret_cast<int*>(base + (placed.size + 63U) / 64U * 64U);
  for (std::size_t i = 0; i < count; ++i) statuses[i] = kNotRun;
  for (std::size_t p = 0; p < runs.size(); ++p) {
    for (std::size_t c = 0; c < runs[p].calls.size(); ++c) {
      for (std::size_t s = 0; s < runs[p].calls[c].size(); ++s) {
        const std::vector<std::byte>& from = runs[p].calls[c][s].data.bytes;
        if (!from.empty()) std::memcpy(base + placed.offsets[p][c][s], from.data(), from.size());
      }
    }
  }
  Child child(runs, placed, base, statuses, handle);
  run_all(child, statuses, count);
  std::vector<std::vector<Outcome>> out;
  std::size_t number = 0;
  for (std::size_t p = 0; p < runs.size(); ++p) {
    auto& outcomes = out.emplace_back();
    for (std::size_t c = 0; c < runs[p].calls.size(); ++c, ++number) {
      std::vector<Slot> slots = runs[p].calls[c];
      for (std::size_t s = 0; s < slots.size(); ++s) {
        std::vector<std::byte>& to = slots[s].data.bytes;
        if (!to.empty()) std::memcpy(to.data(), base + placed.offsets[p][c][s], to.size());
      }
      outcomes.push_back(outcome_of(slots, *runs[p].staged->optimised, statuses[number]));
      if (outcomes.back().end == Outcome::End::Broken) outcomes.back().text = text_of(statuses[number]);
    }
  }
  munmap(base, bytes);
  dlclose(handle);
  return out;
}

}  // namespace pw::random_test
