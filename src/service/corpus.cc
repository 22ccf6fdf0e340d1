#include "service/corpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>
#include <thread>

#include "base/source.h"
#include "report/report.h"
#include "service/format.h"
#include "service/pool.h"
#include "service/verify.h"
#include "verify/ledger.h"

namespace pw::service {

namespace {

namespace fs = std::filesystem;
using verify::PortVerdict;
using verify::Verdict;

bool has_key(const std::string& text, const char* key) {
  const std::string start = std::string(key) + ":";
  return text.rfind(start, 0) == 0 || text.find("\n" + start) != std::string::npos;
}

std::optional<Depth> depth_of(const std::string& sub_verb) {
  if (sub_verb == "check") return Depth::Check;
  if (sub_verb == "port") return Depth::Emit;
  if (sub_verb == "verify") return Depth::Verify;
  return std::nullopt;
}

std::size_t worker_count(const Request& request) {
  if (request.jobs > 0) return static_cast<std::size_t>(request.jobs);
  // A worker's reference and port may take some GiB each; fewer workers is what keeps them apart.
  constexpr std::uint64_t kBytesForOne = std::uint64_t{3} << 30;
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::uint64_t kib = 0;
  while (file >> word && word != "MemAvailable:") {
  }
  file >> kib;
  const std::size_t by_memory =
      kib == 0 ? 1 : static_cast<std::size_t>(std::max<std::uint64_t>(1, kib * 1024 / kBytesForOne));
  return std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), by_memory);
}

/// The command line of a worker that does what the request says.
std::vector<std::string> worker_command(const Request& request, const std::string& ledger) {
  std::error_code error;
  std::vector<std::string> argv = {fs::read_symlink("/proc/self/exe", error).string(), "--serve-corpus",
                                   request.kernels.front(), ledger.empty() ? "-" : ledger};
  std::string backends;
  for (const std::string& name : request.backends) backends += (backends.empty() ? "" : ",") + name;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) argv.insert(argv.end(), {option, value});
  };
  add("--to", backends);
  add("--preset", request.preset);
  add("--dtype", request.dtype);
  add("--out", request.out_folder);
  add("--seed", std::to_string(request.seed));
  add("--fft", request.fft);
  if (request.no_libraries) argv.emplace_back("--no-libraries");
  if (request.explain) argv.emplace_back("--explain");
  return argv;
}

/// What a worker that died leaves: our bug, or a limit.
std::vector<PortVerdict> rows_of_problem(const NamedManifest& manifest, const Request& request,
                                         const std::string& problem) {
  std::vector<PortVerdict> rows;
  for (const std::string& backend : request.backends) {
    PortVerdict row;
    row.name = manifest.name;
    row.backend = backend;
    row.dtype = request.dtype.empty() ? "float64" : request.dtype;
    row.verdict = Verdict::Fail;
    row.detail = "internal";
    row.reason = "our own code failed: " + problem;
    rows.push_back(std::move(row));
  }
  return rows;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string emission_text(const std::vector<PortVerdict>& rows) {
  std::vector<double> seconds;
  double total = 0;
  for (const PortVerdict& row : rows) {
    if (!verify::is_good(row.verdict)) continue;
    seconds.push_back(row.emission_cpu_seconds);
    total += row.emission_cpu_seconds;
  }
  return fmt::format("emitted {} ports in {:.2f} s of CPU time, median {:.2f} ms, most {:.2f} ms\n",
                     seconds.size(), total, 1e3 * median(seconds),
                     1e3 * (seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end())));
}

/// Ports of one kernel and what a person wants to see at once.
void print_rows(const std::vector<PortVerdict>& rows, const Progress& progress) {
  static constexpr report::Columns kColumns{36, 1, 7, 10, 6, 24};
  for (const PortVerdict& row : rows) progress.line(report::verdict_line(row, kColumns));
}

}  // namespace

std::vector<std::string> find_manifests(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path& path = at->path();
    if (path.filename() == ".git" || path.filename() == ".portwright") {
      at.disable_recursion_pending();
      continue;
    }
    if (path.extension() != ".yaml" && path.extension() != ".yml") continue;
    const auto text = base::read_file(path.string());
    if (text && has_key(*text, "parameters") && has_key(*text, "init")) out.push_back(path.string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Response run_corpus(const Request& given, const Progress& progress) {
  Response response;
  Request request = given;
  const auto depth = request.kernels.size() == 2 ? depth_of(request.kernels.front()) : std::nullopt;
  if (!depth) {
    response.exit_code = kWrongUsage;
    response.errors = "portwright corpus takes check, port or verify, and a folder\n";
    return response;
  }
  if (*depth == Depth::Emit && request.dtype.empty()) request.dtype = "float64";
  const std::string& folder = request.kernels.back();
  const std::vector<NamedManifest> manifests = name_manifests(find_manifests(folder));
  if (manifests.empty()) {
    const base::Sources sources;
    diagnostics::Engine engine(sources);
    (void)engine.report(diagnostics::Rule::CliNoManifests, {}, folder);
    response.exit_code = kWrongUsage;
    response.errors = diagnostics::to_text(engine.all().front(), sources) + "\n";
    return response;
  }
  const std::string ledger = *depth == Depth::Verify ? verify::ledger_path("") : "";
  PoolLimits limits;
  limits.workers = worker_count(request);
  std::vector<std::vector<PortVerdict>> by_manifest(manifests.size());
  std::vector<std::string> lines;
  for (const NamedManifest& manifest : manifests) lines.push_back(manifest.to_line());
  std::size_t done = 0;
  progress.step(0, manifests.size(), "");
  run_pool(worker_command(request, ledger), limits, lines, [&](std::size_t i, const PoolAnswer& answer) {
    auto told = report::answer_from_json(answer.line);
    by_manifest[i] = told ? std::move(told->rows) : rows_of_problem(manifests[i], request, answer.problem);
    if (told && !told->decisions.empty()) {
      progress.line(std::string_view(told->decisions).substr(0, told->decisions.size() - 1));
    }
    print_rows(by_manifest[i], progress);
    progress.step(++done, manifests.size(), manifests[i].name);
  });
  std::vector<PortVerdict> rows;
  for (auto& part : by_manifest) std::move(part.begin(), part.end(), std::back_inserter(rows));
  if (*depth == Depth::Emit) {
    response.text += emission_text(rows);
    if (!request.no_format) response.errors += format_files(rows);
  }
  const std::string reasons = report::reasons_table(rows);
  if (!reasons.empty())
    response.text += "\nrefused or unverified, by reason (kernels, rule, messages):\n" + reasons + "\n";
  response.text += report::counts_text(rows);
  response.json = report::to_json(rows);
  response.exit_code = exit_code_of(rows);
  return response;
}

int serve_corpus(const Request& request, std::istream& in, std::ostream& out) {
  const auto depth = request.kernels.empty() ? std::nullopt : depth_of(request.kernels.front());
  if (!depth || request.kernels.size() < 2) return kWrongUsage;
  const std::string ledger = request.kernels[1] == "-" ? "" : request.kernels[1];
  Workers workers;
  std::string line;
  while (std::getline(in, line)) {
    const KernelReport kernel = report_kernel(NamedManifest::of_line(line), request, *depth, ledger, workers);
    out << report::to_json_line({kernel.rows, kernel.decisions}) << std::endl;
  }
  return kNothingFailed;
}

}  // namespace pw::service
