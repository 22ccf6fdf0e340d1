#include "service/service.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/backend.h"
#include "frontends/python/dump.h"
#include "frontends/python/parser.h"
#include "ir/printer.h"
#include "report/report.h"
#include "runtime/scratch.h"
#include "service/corpus.h"
#include "service/format.h"
#include "service/port.h"
#include "service/verify.h"

namespace pw::service {

namespace {

using verify::PortVerdict;

/// Diagnostics of one engine, as text.
std::string findings(const diagnostics::Engine& engine) {
  std::string out;
  for (const auto& d : engine.all()) out += diagnostics::to_text_with_source(d, engine.sources()) + "\n";
  return out;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Response usage(std::string why) { return {kWrongUsage, {}, {}, std::move(why) + "\n"}; }

/// What is wrong with the files that a verb is given: there are none, or a folder is among them.
std::optional<Response> wrong_kernels(const Request& request, std::string_view wanted = "manifests") {
  if (request.kernels.empty()) return usage("portwright " + request.verb + " takes at least one kernel");
  const base::Sources sources;
  diagnostics::Engine engine(sources);
  const bool has_corpus = request.verb == "check" || request.verb == "port" || request.verb == "verify";
  for (const std::string& path : request.kernels) {
    if (path.empty()) return usage("portwright " + request.verb + ": the name of a file is empty");
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) continue;
    const std::string fix = has_corpus ? fmt::format("run portwright corpus {} {}", request.verb, path)
                                       : "name the files in it that are meant";
    (void)engine.report(diagnostics::Rule::CliFolder, {}, path, request.verb, wanted, fix);
  }
  if (!engine.has_errors()) return std::nullopt;
  return Response{kWrongUsage, {}, {}, findings(engine)};
}

/// Wrong words that every verb shares; empty if there are none.
std::string wrong_options(const Request& request) {
  const base::Sources sources;
  diagnostics::Engine engine(sources);
  for (const std::string& name : request.backends) {
    if (!backends::find(name)) {
      (void)engine.report(diagnostics::Rule::CliUnknownBackend, {}, name, backends::names());
    }
  }
  std::string out = findings(engine);
  if (!request.dtype.empty() && request.dtype != "float64" && request.dtype != "float32") {
    out += fmt::format("--dtype {} is neither float64 nor float32\n", request.dtype);
  }
  if (!request.passes.empty() && request.passes != "all" && request.passes != "none") {
    out += fmt::format("--passes {} is neither all nor none\n", request.passes);
  }
  if (!request.fft.empty() && request.fft != "own" && request.fft != "fftw") {
    out += fmt::format("--fft {} is neither own nor fftw\n", request.fft);
  }
  return out;
}

/// check, port and verify differ in how far they go.
Response run_kernels(const Request& request, Depth depth) {
  if (auto wrong = wrong_kernels(request)) return *wrong;
  Response response;
  Workers workers;
  std::vector<PortVerdict> rows;
  const std::string ledger = depth == Depth::Verify ? verify::ledger_path("") : "";
  for (const NamedManifest& manifest : name_manifests(request.kernels)) {
    const KernelReport kernel = report_kernel(manifest, request, depth, ledger, workers);
    rows.insert(rows.end(), kernel.rows.begin(), kernel.rows.end());
    (depth == Depth::Check ? response.text : response.errors) +=
        depth == Depth::Check ? kernel.findings : kernel.warnings;
    response.text += kernel.decisions;
  }
  if (depth == Depth::Emit && !request.no_format) response.errors += format_files(rows);
  response.text += report::verdict_table(rows, true);
  response.json = report::to_json(rows);
  response.exit_code = exit_code_of(rows);
  const bool unknown_preset = std::any_of(rows.begin(), rows.end(), [](const PortVerdict& row) {
    return row.detail == diagnostics::row(diagnostics::Rule::CliUnknownPreset).rule;
  });
  if (unknown_preset) response.exit_code = kWrongUsage;
  return response;
}

Response run_check(const Request& request, const Progress&) { return run_kernels(request, Depth::Check); }
Response run_port(const Request& request, const Progress&) { return run_kernels(request, Depth::Emit); }
Response run_verify(const Request& request, const Progress&) { return run_kernels(request, Depth::Verify); }

Response run_inputs(const Request& request, const Progress&) {
  if (auto wrong = wrong_kernels(request)) return *wrong;
  Response response;
  Workers workers;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::string& path : request.kernels) {
    const base::Sources sources;
    diagnostics::Engine engine(sources);
    const auto worker = workers.get(Patience::Preset, engine);
    runtime::WorkerRequest ask;
    ask.manifest = std::filesystem::absolute(path).string();
    ask.task = request.hash ? runtime::WorkerTask::Hash : runtime::WorkerTask::Inputs;
    ask.preset = request.preset.empty() ? "S" : request.preset;
    if (!request.dtype.empty()) ask.dtype = request.dtype;
    ask.seed = static_cast<std::uint64_t>(request.seed);
    const auto reply = worker ? (*worker)->ask(ask, engine)
                              : base::Result<runtime::WorkerReply>(tl::unexpected(worker.error()));
    response.errors += findings(engine);
    if (!reply || reply->error || !runtime::succeeded(reply->outcome)) {
      response.exit_code = kSomethingFailed;
      if (!reply) continue;
      response.errors += reply->error ? fmt::format("{}: {}: {}: {}\n", path, reply->error->stage,
                                                    reply->error->type, reply->error->message)
                                      : fmt::format("{}: {}\n", path, runtime::to_string(reply->outcome));
      continue;
    }
    json.push_back({{"kernel", path}, {"sha256", reply->hash}});
    if (request.hash) {
      response.text += request.kernels.size() == 1 ? reply->hash + "\n" : reply->hash + "  " + path + "\n";
      continue;
    }
    for (const runtime::WorkerArgument& argument : reply->arguments) {
      std::string shape;
      if (const auto* array = std::get_if<runtime::ArrayValue>(&argument.value)) {
        for (const std::int64_t extent : reply->inputs.slot(array->index).spec.shape) {
          shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
        }
        shape = "  (" + shape + ")";
      }
      response.text += fmt::format("{}  {}{}\n", argument.name, argument.dtype, shape);
    }
  }
  response.json = json.dump(1) + "\n";
  return response;
}

Response run_ast(const Request& request, const Progress&) {
  if (auto wrong = wrong_kernels(request, "Python files")) return *wrong;
  Response response;
  for (const std::string& path : request.kernels) {
    base::Sources sources;
    diagnostics::Engine engine(sources);
    const auto file = sources.load(path);
    if (!file) {
      (void)engine.report(diagnostics::Rule::FileUnreadable, {}, path);
    } else if (const auto tree = python::parse_file(*file, sources, engine)) {
      response.text += python::dump(*tree, sources) + "\n";
    }
    response.errors += findings(engine);
    if (engine.has_errors()) response.exit_code = kSomethingFailed;
  }
  return response;
}

Response run_ir(const Request& request, const Progress&) {
  if (auto wrong = wrong_kernels(request)) return *wrong;
  Response response;
  Workers workers;
  for (const std::string& path : request.kernels) {
    base::Sources sources;
    diagnostics::Engine engine(sources);
    const Observe observe = [&](const Kernel& kernel, const Variation& variation) {
      return observe_inputs(kernel, variation, workers, engine);
    };
    const ir::DType dtype = ir::dtype_from_numpy(request.dtype).value_or(ir::DType::F64);
    const auto kernel = read_kernel(path, sources, engine);
    const auto ports = kernel ? variations(*kernel, dtype, engine)
                              : base::Result<std::vector<Variation>>(tl::unexpected(kernel.error()));
    for (const Variation& variation : ports ? *ports : std::vector<Variation>()) {
      passes::Options options;
      options.libraries = !request.no_libraries;
      const auto staged =
          stage_kernel(*kernel, variation, observe, options, request.passes == "none", sources, engine);
      if (!staged) continue;
      response.text +=
          fmt::format("; {} {}\n{}", port_id(*kernel, variation.row), ir::row(dtype).numpy,
                      ir::print(request.passes == "none" ? staged->kernel.module : staged->lowered));
    }
    response.errors += findings(engine);
    if (engine.has_errors()) response.exit_code = kSomethingFailed;
  }
  return response;
}

/// Adds what each folder's ledger has and ours has not; goes on behind one that cannot be read.
Response merge_ledgers(const Request& request) {
  const base::Sources sources;
  diagnostics::Engine engine(sources);
  Response response;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::string& folder : std::span(request.kernels).subspan(1)) {
    const auto merged =
        verify::merge_ledger(verify::ledger_path(request.out_folder), verify::ledger_path(folder), engine);
    if (!merged) {
      response.exit_code = kSomethingFailed;
      continue;
    }
    response.text += fmt::format("{}: {} rows added, {} known\n", folder, merged->added, merged->known);
    json.push_back({{"folder", folder}, {"added", merged->added}, {"known", merged->known}});
  }
  response.json = json.dump(1) + "\n";
  response.errors = findings(engine);
  return response;
}

Response run_ledger(const Request& request, const Progress&) {
  const std::string what = request.kernels.empty() ? "" : request.kernels.front();
  if (what == "merge" && request.kernels.size() > 1) return merge_ledgers(request);
  if ((what != "show" && what != "export") || request.kernels.size() > 2) {
    return usage(
        "portwright ledger takes show or export and perhaps a kernel's name, or merge and the folders of "
        "other "
        "ledgers");
  }
  constexpr std::size_t kRows = 20;
  const base::Sources sources;
  diagnostics::Engine engine(sources);
  const std::string name = request.kernels.size() == 2 ? request.kernels[1] : "";
  const auto rows = verify::read_ledger(verify::ledger_path(request.out_folder), name,
                                        what == "show" ? kRows : verify::kAllRows, engine);
  if (!rows) return {kSomethingFailed, {}, {}, findings(engine)};
  std::string json = report::ledger_json(*rows);
  if (what == "export") return {kNothingFailed, json, json, {}};
  return {kNothingFailed, report::ledger_text(*rows), std::move(json), {}};
}

Response run_backends(const Request&, const Progress&) {
  Response response;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const backends::Backend* backend : backends::all()) {
    response.text += fmt::format("{:<8}  {}\n", backend->name, backend->target);
    json.push_back({{"name", backend->name}, {"target", backend->target}});
  }
  response.json = json.dump(1) + "\n";
  return response;
}

Response run_version(const Request&, const Progress&) {
  return {kNothingFailed, "portwright " + version() + "\n", {}, {}};
}

/// A face shows its own help; asked here, there is none.
Response run_help(const Request&, const Progress&) { return usage("help is the face's own"); }

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
#define VERB(name, arguments, summary, options) {#name, arguments, summary, words_of(options), run_##name},
#include "service/verbs.def"
  };
  return all;
}

std::string version() { return PW_VERSION; }

Response run(const Request& given, const Progress& progress) {
  Request request = given;
  if (request.backends.empty()) request.backends = {"c"};
  if (std::string wrong = wrong_options(request); !wrong.empty())
    return {kWrongUsage, {}, {}, std::move(wrong)};
  runtime::remove_abandoned_scratch();
  for (const Verb& verb : verbs()) {
    if (verb.name == request.verb) return verb.run(request, progress);
  }
  return usage("there is no verb " + request.verb);
}

}  // namespace pw::service
