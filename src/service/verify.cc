#include "service/verify.h"

#include <fmt/core.h>

#include <ctime>
#include <filesystem>
#include <set>

#include "service/port.h"
#include "verify/case.h"
#include "verify/ledger.h"
#include "verify/sizes.h"
#include "verify/toolchain.h"

namespace pw::service {

namespace {

using verify::PortVerdict;
using verify::Verdict;

double cpu_now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string place_text(base::Span span, const base::Sources& sources) {
  if (!span.file.valid()) return {};
  const base::SourceFile& file = sources[span.file];
  const base::LineColumn at = file.line_column(span.begin);
  return fmt::format("{}:{}:{}", file.path, at.line, at.column);
}

/// Everything about one kernel that its ports share.
class Job {
 public:
  Job(const NamedManifest& manifest, const Request& request, Depth depth, std::string ledger,
      Workers& workers)
      : manifest_(manifest),
        request_(request),
        depth_(depth),
        ledger_(std::move(ledger)),
        workers_(workers) {}

  KernelReport run() {
    const double start = cpu_now();
    const std::optional<ir::DType> dtype = ir::dtype_from_numpy(request_.dtype);
    auto kernel = read();
    auto ports = kernel ? variations(*kernel, dtype, engine_)
                        : base::Result<std::vector<Variation>>(tl::unexpected(kernel.error()));
    reading_seconds_ = cpu_now() - start;
    if (!ports) {
      for (const backends::Backend* backend : targets()) {
        PortVerdict row = row_of(*backend, dtype.value_or(ir::DType::F64), "");
        refuse(row, 0);
        report_.rows.push_back(std::move(row));
      }
    } else {
      for (const Variation& variation : *ports) run(*kernel, variation);
    }
    tell();
    return std::move(report_);
  }

 private:
  base::Result<Kernel> read() {
    if (depth_ == Depth::Emit && !manifest_.rival.empty()) {
      return engine_.report(diagnostics::Rule::CliSamePort, {}, manifest_.path, manifest_.rival);
    }
    return read_kernel(manifest_.path, sources_, engine_);
  }

  std::uint64_t seed() const { return static_cast<std::uint64_t>(request_.seed); }

  void tell() {
    std::set<std::string> told;  // ports of one kernel find the same
    for (const auto& diagnostic : engine_.all()) {
      const std::string text = diagnostics::to_text_with_source(diagnostic, sources_) + "\n";
      if (!told.insert(text).second) continue;
      report_.findings += text;
      if (diagnostics::row(diagnostic.rule).severity != diagnostics::Severity::Error)
        report_.warnings += text;
    }
  }

  std::vector<const backends::Backend*> targets() const {
    std::vector<const backends::Backend*> out;
    for (const std::string& name : request_.backends) out.push_back(backends::find(name));
    return out;
  }

  PortVerdict row_of(const backends::Backend& backend, ir::DType dtype, const std::string& layout) const {
    PortVerdict row;
    row.name = manifest_.name;
    row.backend = backend.name;
    row.dtype = ir::row(dtype).numpy;
    row.layout = layout;
    return row;
  }

  /// Takes the first error since `from` as the row's reason.
  void refuse(PortVerdict& row, std::size_t from) const {
    row.verdict = Verdict::Refused;
    for (std::size_t i = from; i < engine_.all().size(); ++i) {
      const diagnostics::Diagnostic& d = engine_.all()[i];
      const diagnostics::RuleRow& rule = diagnostics::row(d.rule);
      if (rule.severity != diagnostics::Severity::Error) continue;
      row.detail = rule.rule;
      row.reason = fmt::format("{}: {}{}", rule.rule, d.message, d.fix.empty() ? "" : ". Fix: " + d.fix);
      row.span = place_text(d.span, sources_);
      return;
    }
    row.reason = "refused without a diagnostic, which is our bug";
  }

  void run(const Kernel& kernel, const Variation& variation) {
    const std::size_t from = engine_.all().size();
    const double start = cpu_now();
    passes::Options options;
    std::vector<passes::Decision> decisions;
    if (request_.explain) options.explain = &decisions;
    options.libraries = !request_.no_libraries;
    const Observe observe = [&](const Kernel& k, const Variation& v) {
      return observe_inputs(k, v, workers_, engine_);
    };
    const bool evaluates = depth_ == Depth::Verify;
    const auto staged = stage_kernel(kernel, variation, observe, options, evaluates, sources_, engine_);
    const double staging_seconds = cpu_now() - start;
    for (const passes::Decision& d : decisions) {
      report_.decisions += fmt::format("{}: {}: {}\n", place_text(d.span, sources_), d.decision, d.reason);
    }
    for (const backends::Backend* backend : targets()) {
      const double begin = cpu_now();
      PortVerdict row = row_of(*backend, variation.dtype, variation.row.layout);
      row.emission_cpu_seconds = staging_seconds + std::exchange(reading_seconds_, 0.0);
      if (!staged) {
        refuse(row, from);
      } else {
        run(kernel, variation, *staged, *backend, row);
      }
      row.cpu_seconds += row.emission_cpu_seconds + (cpu_now() - begin);
      report_.rows.push_back(std::move(row));
    }
  }

  void run(const Kernel& kernel, const Variation& variation, const Staged& staged,
           const backends::Backend& backend, PortVerdict& row) {
    const std::size_t from = engine_.all().size();
    const double start = cpu_now();
    const auto emitted =
        emit(kernel, variation, staged, backend, {request_.fft == "fftw", !request_.no_libraries}, engine_);
    row.emission_cpu_seconds += cpu_now() - start;
    row.detail = staged.exact ? "exact" : "policy";
    if (!emitted) {
      refuse(row, from);
    } else if (depth_ == Depth::Check) {
      row.verdict = Verdict::Checked;
    } else if (depth_ == Depth::Emit) {
      write(*emitted, row);
    } else {
      verify(kernel, variation, staged, *emitted, row);
    }
  }

  void write(const backends::Emitted& emitted, PortVerdict& row) {
    namespace fs = std::filesystem;
    const std::size_t from = engine_.all().size();
    const fs::path out = request_.out_folder.empty() ? fs::path(".") : fs::path(request_.out_folder);
    const fs::path folder = manifest_.folder.empty() ? out : out / manifest_.folder;
    std::error_code error;
    fs::create_directories(folder, error);
    row.verdict = Verdict::Emitted;
    for (const backends::File& file : emitted.files) {
      const std::string path = (folder / file.name).string();
      if (base::write_file_whole(path, file.text)) {
        row.files.push_back(path);
        continue;
      }
      (void)engine_.report(diagnostics::Rule::FileUnwritable, {}, path);
      refuse(row, from);
      return;
    }
  }

  void verify(const Kernel& kernel, const Variation& variation, const Staged& staged,
              const backends::Emitted& emitted, PortVerdict& row) {
    const std::size_t from = engine_.all().size();
    if (!runtime::find_tool(emitted.recipe)) {
      row.verdict = Verdict::Skipped;
      row.detail = emitted.recipe.name;
      row.reason = emitted.recipe.name + " is not installed";
      return;
    }
    if (const runtime::Library* missing = runtime::missing_library(emitted.recipe)) {
      row.verdict = Verdict::Skipped;
      row.detail = missing->name;
      row.reason =
          fmt::format("{} ({}) is not installed; {} does without it", missing->name, missing->package,
                      missing->header == "fftw3.h" ? "--fft own" : "--no-libraries");
      return;
    }
    const auto built = verify::build_port(emitted, verify::build_cache_folder(), engine_);
    const auto threaded = build_threaded(emitted);
    if (!built || !threaded) {
      refuse(row, from);
      row.verdict = Verdict::Fail;  // a port that does not build is wrong, not refused
      return;
    }
    row.toolchain = built->toolchain;
    row.cpu_seconds += built->cpu_seconds + threaded->cpu_seconds;
    const verify::RunnablePort port{built->library,    threaded->library,     emitted.checked,
                                    staged.kernel.abi, staged.lowered.traps,  row.dtype,
                                    staged.exact,      &staged.kernel.module, staged.kernel.specialised};
    if (!run_cases(kernel, variation, port, row)) {
      refuse(row, from);
      row.verdict = Verdict::Unverified;
      return;
    }
    verify::judge(row, staged.exact);
    for (const verify::CaseResult& c : row.cases) {
      if (row.verdict == Verdict::Refused && row.span.empty()) row.span = place_text(c.place, sources_);
    }
    for (const verify::CaseResult& c : row.cases) {
      row.cpu_seconds += c.reference_cpu_seconds + c.port_cpu_seconds;
    }
    if (!ledger_.empty()) record(kernel, emitted, row);
  }

  /// An empty library where no loop is shared.
  base::Result<verify::BuiltPort> build_threaded(backends::Emitted port) {
    if (port.threaded_flags.empty()) return verify::BuiltPort{};
    std::vector<std::string>& flags = port.recipe.flags;
    flags.insert(flags.end(), port.threaded_flags.begin(), port.threaded_flags.end());
    return verify::build_port(port, verify::build_cache_folder(), engine_);
  }

  /// False: a case could not even be asked for.
  bool run_cases(const Kernel& kernel, const Variation& variation, const verify::RunnablePort& port,
                 PortVerdict& row) {
    const manifest::Preset* const preset = preset_of(kernel);
    if (!preset) return false;
    verify::CasePlan plan;
    plan.name = preset->name.text;
    plan.request = worker_request(kernel, variation, preset->name.text, seed());
    if (!run_case(port, plan, Patience::Preset, row)) return false;
    // A second draw of values, where the first was cheap.
    constexpr double kCheapSeconds = 2;
    constexpr double kFewLoopsSeconds = 0.25;  // in which NumPy starts few enough loops for threads to share
    const double spent = row.cases.back().reference_cpu_seconds;
    if (spent < kCheapSeconds && row.cases.back().state == verify::CaseState::Agrees) {
      plan.request.seed += 1;
      plan.poison_outputs = true;
      plan.threaded = spent < kFewLoopsSeconds;
      plan.placement = runtime::Placement::PageEnd;
      if (!run_case(port, plan, Patience::Preset, row)) return false;
    }
    if (row.cases.front().state != verify::CaseState::Agrees) return true;  // more would say nothing new
    if (!run_domains(kernel, variation, port, *preset, row)) return false;
    return run_generated(kernel, variation, port, *preset, row);
  }

  /// The preset once more for every other value of every knob that is an argument of the port.
  bool run_domains(const Kernel& kernel, const Variation& variation, const verify::RunnablePort& port,
                   const manifest::Preset& preset, PortVerdict& row) {
    for (const manifest::Knob& knob : kernel.manifest.config.knobs) {
      for (std::size_t k = 1; k < knob.domain.size(); ++k) {
        verify::CasePlan plan;
        plan.request = worker_request(kernel, variation, preset.name.text, seed());
        const std::optional<std::int64_t> number = manifest::as_integer(knob.domain[k]);
        if (!number) {
          row.cases.push_back({});
          row.cases.back().size = preset.name.text;
          row.cases.back().note = fmt::format("value {} of {} is no integer", k + 1, knob.name.text);
          continue;
        }
        plan.name = fmt::format("{} {}={}", preset.name.text, knob.name.text, *number);
        plan.request.symbols[knob.name.text] = *number;
        if (!run_case(port, plan, Patience::Preset, row)) return false;
      }
    }
    return true;
  }

  bool run_generated(const Kernel& kernel, const Variation& variation, const verify::RunnablePort& port,
                     const manifest::Preset& preset, PortVerdict& row) {
    const verify::GeneratedSizes sizes =
        verify::generated_sizes(kernel.manifest, preset, variation.row, sources_, port.specialised);
    for (const verify::Size& size : sizes.sizes) {
      verify::CasePlan plan;
      plan.name = size.name;
      plan.generated = true;
      plan.threaded = true;
      plan.placement = runtime::Placement::PageEnd;
      plan.request = worker_request(kernel, variation, preset.name.text, seed());
      plan.request.symbols = size.symbols;
      plan.poison_outputs = true;
      if (!run_case(port, plan, Patience::Generated, row)) return false;
    }
    for (const std::string& text : sizes.dropped) {
      verify::CaseResult dropped;
      dropped.size = text.substr(0, text.find(' '));
      dropped.note = text.substr(dropped.size.size() + 1);
      row.cases.push_back(std::move(dropped));
    }
    return true;
  }

  bool run_case(const verify::RunnablePort& port, const verify::CasePlan& plan, Patience patience,
                PortVerdict& row) {
    const auto worker = workers_.get(patience, engine_);
    if (!worker) return false;
    auto result = verify::run_case(**worker, port, plan, engine_);
    if (!result) return false;
    row.cases.push_back(std::move(*result));
    return true;
  }

  const manifest::Preset* preset_of(const Kernel& kernel) {
    const std::string wanted = request_.preset.empty() ? "S" : request_.preset;
    if (const manifest::Preset* preset = kernel.manifest.preset(wanted)) return preset;
    if (request_.preset.empty() && !kernel.manifest.presets.empty()) return &kernel.manifest.presets.front();
    std::string names;
    for (const manifest::Preset& preset : kernel.manifest.presets) {
      names += (names.empty() ? "" : ", ") + preset.name.text;
    }
    (void)engine_.report(diagnostics::Rule::CliUnknownPreset, base::Span{kernel.manifest.file, 0, 0},
                         kernel.manifest.id, wanted, names);
    return nullptr;
  }

  void record(const Kernel& kernel, const backends::Emitted& emitted, const PortVerdict& row) {
    verify::Evidence evidence;
    evidence.reference_path = kernel.manifest.module_path;
    evidence.reference_sha256 = kernel.reference_sha256;
    evidence.manifest_path = manifest_.path;
    evidence.manifest_sha256 = kernel.manifest_sha256;
    evidence.port_sha256 = verify::port_sha256(emitted.files);
    evidence.portwright_version = version();
    evidence.reference_version = workers_.version();
    evidence.sandbox = workers_.held();
    (void)verify::record(ledger_, evidence, row, engine_);
  }

  const NamedManifest& manifest_;
  const Request& request_;
  Depth depth_;
  std::string ledger_;
  Workers& workers_;
  base::Sources sources_;
  diagnostics::Engine engine_{sources_};
  KernelReport report_;
  double reading_seconds_ = 0;  // charged to the first port
};

}  // namespace

int exit_code_of(const std::vector<verify::PortVerdict>& rows) {
  for (const verify::PortVerdict& row : rows) {
    if (row.verdict <= verify::Verdict::Refused) return kSomethingFailed;
  }
  return kNothingFailed;
}

KernelReport report_kernel(const NamedManifest& manifest, const Request& request, Depth depth,
                           const std::string& ledger, Workers& workers) {
  return Job(manifest, request, depth, ledger, workers).run();
}

}  // namespace pw::service
