// random_programs [--flags "..."] [--batch N] [--no-native] [--text] [--exact]: reads programs as JSON, one a
// line, with what NumPy made of them; runs each by eval as staged, by eval as optimised, both with their free
// order turned round, and in C; writes a JSON line a program that says how each agrees with NumPy: bit for
// bit where the program is exact, or with --exact always. tests/random/random_test.py and
// tests/semantics/semantics_test.py are its users.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "frontends/numpy/stage_case.h"
#include "ir/printer.h"
#include "program.h"
#include "verify/compare.h"

namespace pw::random_test {
namespace {

using nlohmann::json;

Data data_of(const json& each) {
  return {ir::dtype_from_numpy(each.at("dtype").get<std::string>()).value(),
          each.at("shape").get<std::vector<std::int64_t>>(),
          pw::numpy::from_hex(each.at("data").get<std::string>())};
}

json json_of(const Data& data) {
  return {
      {"dtype", ir::row(data.type).numpy}, {"shape", data.shape}, {"data", pw::numpy::to_hex(data.bytes)}};
}

Program program_of(const json& line) {
  Program out{line.at("id"), line.at("source"), {}, {}};
  for (const json& each : line.at("arguments")) {
    Argument argument;
    argument.name = each.at("name");
    const std::string kind = each.at("kind");
    argument.kind = kind == "array"    ? Argument::Kind::Array
                    : kind == "scalar" ? Argument::Kind::Scalar
                                       : Argument::Kind::Symbol;
    if (each.contains("dtype"))
      argument.type = ir::dtype_from_numpy(each.at("dtype").get<std::string>()).value();
    argument.weak = each.value("weak", false);
    argument.trailing = each.value("trailing", false);
    if (each.contains("extents")) argument.extents = each.at("extents").get<std::vector<std::string>>();
    out.arguments.push_back(std::move(argument));
  }
  for (const json& each : line.at("cases")) {
    Case call;
    call.error = each.at("error");
    for (const auto& [name, value] : each.at("values").items()) call.values[name] = data_of(value);
    for (const json& value : each.at("results")) call.results.push_back(data_of(value));
    for (const auto& [name, value] : each.at("after").items()) call.after[name] = data_of(value);
    out.cases.push_back(std::move(call));
  }
  return out;
}

/// "" where they agree.
std::string difference(const std::string& name, const Data& got, const Data& want, bool exact) {
  if (got.type != want.type) {
    return fmt::format("{} is {}, not {}", name, ir::row(got.type).numpy, ir::row(want.type).numpy);
  }
  if (got.shape != want.shape) {
    return fmt::format("the shape of {} is {}, not {}", name, json(got.shape).dump(),
                       json(want.shape).dump());
  }
  const std::string_view dtype = ir::row(got.type).numpy;
  const verify::Tolerance tolerance =
      exact ? verify::Tolerance() : verify::policy_tolerance(dtype, "float64");
  const verify::Comparison found = verify::compare(dtype, got.bytes, want.bytes, tolerance);
  if (found.agrees()) return {};
  return fmt::format("{}{} is {}, not {}", name, verify::index_text(found.worst_index, got.shape), found.got,
                     found.want);
}

struct Verdict {
  std::string verdict = "agrees";  // or declined, differs
  std::string detail;
};

Verdict judge(const Outcome& got, const Case& want, bool exact) {
  if (got.end == Outcome::End::Broken) return {"differs", got.text};
  if (got.end == Outcome::End::Trapped) {
    const std::string& kind = got.exception;
    if (kind == want.error) return {};
    if (got.trap == ir::TrapKind::Assumption) return {"declined", got.text};
    if (want.error.empty() && got.trap == ir::TrapKind::OverflowError) return {"declined", got.text};
    return {"differs", fmt::format("{} ({}), but NumPy {}", kind, got.text,
                                   want.error.empty() ? "returns" : "raises " + want.error)};
  }
  if (!want.error.empty()) return {"differs", "returns, but NumPy raises " + want.error};
  if (got.results.size() != want.results.size()) {
    return {"differs", fmt::format("{} results, not {}", got.results.size(), want.results.size())};
  }
  for (std::size_t i = 0; i < got.results.size(); ++i) {
    std::string found = difference(fmt::format("result {}", i), got.results[i], want.results[i], exact);
    if (!found.empty()) return {"differs", std::move(found)};
  }
  for (const auto& [name, data] : want.after) {
    const auto at = got.after.find(name);
    if (at == got.after.end()) return {"differs", name + " is no argument of the port"};
    std::string found = difference(name, at->second, data, exact);
    if (!found.empty()) return {"differs", std::move(found)};
  }
  return {};
}

/// Two runs of ours: they trap alike, or give the same.
std::string disagreement(const Outcome& got, const Outcome& want, bool exact) {
  Case as_case{{}, want.end == Outcome::End::Trapped ? want.exception : "", want.results, want.after};
  if (want.end == Outcome::End::Trapped && got.end == Outcome::End::Trapped &&
      got.exception == want.exception)
    return {};
  const Verdict found = judge(got, as_case, exact);
  return found.verdict == "agrees" ? "" : found.detail;
}

json outcome_json(const Outcome& outcome) {
  json out = {{"results", json::array()}, {"after", json::object()}};
  for (const Data& each : outcome.results) out["results"].push_back(json_of(each));
  for (const auto& [name, data] : outcome.after) out["after"][name] = json_of(data);
  return out;
}

/// One program's work, from the line to the answer.
struct Job {
  Program program;
  std::unique_ptr<Staged> staged = std::make_unique<Staged>();
  std::vector<std::vector<Slot>> calls;
  std::vector<std::string> no_slots;  // why a case has none
  std::vector<Outcome> native;
  std::string native_failed;
};

json refusal_json(const Job& job) {
  json out = {{"id", job.program.id}, {"rules", json::array()}, {"text", ""}};
  std::string text;
  bool ours = job.staged->kernel.has_value();
  for (const diagnostics::Diagnostic& each : job.staged->engine.all()) {
    const std::string rule(diagnostics::row(each.rule).rule);
    ours = ours || rule.starts_with("ir-");
    out["rules"].push_back(rule);
    text += diagnostics::to_text(each, job.staged->sources) + "\n";
  }
  out["text"] = text;
  out["end"] = ours ? "invalid" : "refused";
  return out;
}

json case_json(const Job& job, std::size_t c, bool exact) {
  const Case& want = job.program.cases[c];
  json out = {{"verdict", "agrees"}};
  if (job.calls[c].empty() && !job.no_slots[c].empty()) {
    out["verdict"] = want.error.empty() ? "differs" : "declined";
    out["stage"] = "staging";
    out["detail"] = job.no_slots[c];
    return out;
  }
  const ir::Module& staged = job.staged->kernel->module;
  const ir::Module& optimised = *job.staged->optimised;
  const Outcome plain = run_eval(staged, job.calls[c]);
  const Verdict found = judge(plain, want, exact || !job.staged->inexact);
  const bool in_order = exact || !job.staged->reassociates;
  out["verdict"] = found.verdict;
  out["detail"] = found.detail;
  out["stage"] = "eval";
  if (found.verdict == "differs") out["got"] = outcome_json(plain);
  out["others"] = json::array();
  const auto differs = [&](const char* stage, const std::string& why, const Outcome* outcome) {
    out["others"].push_back({{"stage", stage}, {"detail", why}});
    if (outcome != nullptr) out["others"].back()["got"] = outcome_json(*outcome);
  };
  const auto check = [&](const char* stage, const Outcome& outcome, bool bits) {
    const std::string why = disagreement(outcome, plain, bits);
    if (!why.empty()) differs(stage, why + " (against eval)", &outcome);
  };
  check("staged backwards", run_eval(reversed(staged), job.calls[c]), true);
  check("optimised", run_eval(optimised, job.calls[c]), in_order);
  check("optimised backwards", run_eval(reversed(optimised), job.calls[c]), in_order);
  if (!job.native_failed.empty()) {
    differs("c", job.native_failed, nullptr);
  } else if (!job.native.empty()) {
    check("c", job.native[c], in_order);
  }
  return out;
}

void run_natively(std::vector<Job>& jobs, const std::string& flags) {
  const auto attempt = [&](const std::vector<Job*>& some, std::string& why) {
    std::vector<NativeRun> runs;
    for (const Job* job : some) runs.push_back({&job->program, job->staged.get(), job->calls});
    auto outcomes = run_native(runs, flags, why);
    if (!outcomes) return false;
    for (std::size_t i = 0; i < some.size(); ++i) some[i]->native = std::move((*outcomes)[i]);
    return true;
  };
  std::vector<Job*> all;
  for (Job& job : jobs) {
    if (job.staged->optimised) all.push_back(&job);
  }
  std::string why;
  if (all.empty() || attempt(all, why)) return;
  for (Job* job : all) {  // one of them does not compile: which?
    why.clear();
    if (!attempt({job}, why)) job->native_failed = why.empty() ? "does not compile" : why;
  }
}

struct Options {
  std::string flags = "-O1 -w";
  std::size_t batch = 50;
  bool native = true;
  bool text = false;
  bool exact = false;
};

void answer(std::vector<Job>& jobs, const Options& options) {
  for (Job& job : jobs) {
    stage(job.program, *job.staged);
    if (!job.staged->optimised) continue;
    for (const Case& each : job.program.cases) {
      std::string why;
      auto slots = make_slots(*job.staged->kernel, each, why);
      job.calls.push_back(slots ? std::move(*slots) : std::vector<Slot>());
      job.no_slots.push_back(why);
    }
  }
  if (options.native) run_natively(jobs, options.flags);
  for (const Job& job : jobs) {
    if (!job.staged->optimised) {
      std::cout << refusal_json(job).dump() << "\n";
      continue;
    }
    json out = {{"id", job.program.id},
                {"end", "ran"},
                {"inexact", job.staged->inexact.value_or("")},
                {"features", job.staged->features},
                {"cases", json::array()}};
    for (std::size_t c = 0; c < job.program.cases.size(); ++c) {
      out["cases"].push_back(case_json(job, c, options.exact));
    }
    if (options.text) out["ir"] = ir::print(job.staged->kernel->module, ir::PrintOptions{false});
    if (options.text) out["optimised"] = ir::print(*job.staged->optimised, ir::PrintOptions{false});
    std::cout << out.dump() << "\n";
  }
  std::cout << std::flush;
  jobs.clear();
}

int run(int argc, char** argv) {
  // Three threads share every loop that they may share, so that dependences cross the shares' borders.
  setenv("OMP_NUM_THREADS", "3", 1);
  setenv("OMP_WAIT_POLICY", "passive", 1);
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--no-native") options.native = false;
    if (option == "--text") options.text = true;
    if (option == "--exact") options.exact = true;
    if (option == "--flags" && i + 1 < argc) options.flags = argv[++i];
    if (option == "--batch" && i + 1 < argc) options.batch = std::stoul(argv[++i]);
  }
  std::vector<Job> jobs;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!line.empty()) jobs.emplace_back().program = program_of(json::parse(line));
    // An empty line asks for what was sent so far.
    if (line.empty() || jobs.size() == options.batch) answer(jobs, options);
  }
  answer(jobs, options);
  return 0;
}

}  // namespace
}  // namespace pw::random_test

int main(int argc, char** argv) { return pw::random_test::run(argc, argv); }
