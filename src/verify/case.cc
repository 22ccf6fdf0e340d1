#include "verify/case.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "backends/common/port.h"
#include "ir/eval.h"
#include "verify/call.h"
#include "verify/compare.h"
#include "verify/poison.h"

namespace pw::verify {

namespace {

constexpr int kUlpSeeds = 8;
/// A backstop only: on a crowded machine a minute of CPU time may take an hour.
constexpr double kWallSeconds = 4 * 3600;

/// What the port left, against what the reference left.
struct Differences {
  std::size_t compared = 0;
  double worst_error = 0;
  std::set<std::size_t> missed;  // indices in the worker's results
  bool certain = false;          // a miss that no conditioning explains
  std::string note;              // of the first
};

Tolerance tolerance_of(const RunnablePort& port, const std::string& dtype) {
  return port.exact ? Tolerance{} : policy_tolerance(dtype, port.run_dtype);
}

std::string miss_text(const std::string& name, const Comparison& comparison,
                      const std::vector<std::int64_t>& shape, const Tolerance& tolerance) {
  return fmt::format("{}{}: got {}, reference {}; {} of {} elements differ, worst error {:.2g}{}", name,
                     shape.empty() ? "" : index_text(comparison.worst_index, shape), comparison.got,
                     comparison.want, comparison.missed, comparison.compared, comparison.worst_error,
                     tolerance.rtol > 0 ? fmt::format(" (allowed {:.0e})", tolerance.rtol) : "");
}

void add(Differences& out, const Comparison& comparison) {
  out.compared += comparison.compared;
  out.worst_error = std::max(out.worst_error, comparison.worst_error);
}

std::int64_t length_in(const PreparedCall& call, std::size_t slot) {
  std::int64_t length = 0;
  std::memcpy(&length, call.arrays.bytes(slot).data(), sizeof length);
  return length;
}

std::string length_text(const std::string& name, std::int64_t length,
                        const std::vector<std::int64_t>& shape) {
  return fmt::format("{} has length {}, that of the reference {}", name, length,
                     shape.empty() ? "none" : std::to_string(shape[0]));
}

void compare_arrays(const RunnablePort& port, const PreparedCall& call, const runtime::WorkerReply& reply,
                    Differences& out) {
  std::set<std::size_t> passed;
  for (std::size_t i = 0; i < call.compared.size(); ++i) {
    const PassedArray& array = call.compared[i];
    const auto& spec = reply.results.slot(array.result).spec;
    const Tolerance tolerance = tolerance_of(port, spec.dtype);
    const auto slot = call.arrays.find(array.name).value_or(i);
    std::span<const std::byte> got = call.arrays.bytes(slot);
    passed.insert(array.result);
    if (array.length) {
      const std::int64_t length = length_in(call, *array.length);
      if (spec.shape.empty() || length != spec.shape[0]) {
        out.missed.insert(array.result);
        if (out.note.empty()) out.note = length_text(array.name, length, spec.shape);
        continue;
      }
      got = got.first(spec.bytes);
    }
    const Comparison result = compare(spec.dtype, got, reply.results.bytes(array.result), tolerance);
    add(out, result);
    const auto hole = array.returned ? first_unwritten(spec.dtype, got) : std::nullopt;
    if (hole) {  // also where the reference has a NaN
      out.certain = true;
      if (!out.note.empty()) continue;
      out.note = fmt::format("{}{}: the port leaves it unwritten", array.name, index_text(*hole, spec.shape));
      continue;
    }
    if (result.agrees()) continue;
    out.missed.insert(array.result);
    if (out.note.empty()) out.note = miss_text(array.name, result, spec.shape, tolerance);
  }
  // What the port never sees must be what the reference left alone.
  for (std::size_t i = 0; i < reply.inputs.size(); ++i) {
    if (passed.count(i) > 0) continue;
    const Comparison result =
        compare(reply.inputs.slot(i).spec.dtype, reply.inputs.bytes(i), reply.results.bytes(i), {});
    if (result.agrees() || !out.note.empty()) continue;
    out.missed.insert(i);
    out.note =
        fmt::format("the reference changes {}, which the port does not take", reply.inputs.slot(i).spec.name);
  }
}

/// The bytes that a C scalar of `dtype` with the reference's value has; empty if it has none.
std::vector<std::byte> bytes_of(const runtime::ArgumentValue& value, const std::string& dtype) {
  const auto pack = [](auto number) {
    std::vector<std::byte> out(sizeof number);
    std::memcpy(out.data(), &number, sizeof number);
    return out;
  };
  const auto as = [&](auto number) -> std::vector<std::byte> {
    if (dtype == "float64") return pack(static_cast<double>(number));
    if (dtype == "float32") return pack(static_cast<float>(number));
    if (dtype == "int64") return pack(static_cast<std::int64_t>(number));
    if (dtype == "int32") return pack(static_cast<std::int32_t>(number));
    if (dtype == "int16") return pack(static_cast<std::int16_t>(number));
    if (dtype == "int8") return pack(static_cast<std::int8_t>(number));
    if (dtype == "uint64") return pack(static_cast<std::uint64_t>(number));
    if (dtype == "uint32") return pack(static_cast<std::uint32_t>(number));
    if (dtype == "uint16") return pack(static_cast<std::uint16_t>(number));
    if (dtype == "uint8") return pack(static_cast<std::uint8_t>(number));
    if (dtype == "bool") return pack(static_cast<std::uint8_t>(number != 0));
    return {};
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return as(*integer);
  if (const auto* real = std::get_if<double>(&value)) return as(*real);
  if (const auto* truth = std::get_if<bool>(&value)) return as(static_cast<std::int64_t>(*truth));
  if (const auto* complex = std::get_if<runtime::ComplexValue>(&value)) {
    if (dtype == "complex128") return pack(std::array<double, 2>{complex->re, complex->im});
    if (dtype == "complex64") {
      return pack(std::array<float, 2>{static_cast<float>(complex->re), static_cast<float>(complex->im)});
    }
  }
  return {};
}

void compare_scalars(const RunnablePort& port, const PreparedCall& call, Differences& out) {
  for (const PassedScalar& scalar : call.scalars) {
    const std::string& dtype = call.arrays.slot(scalar.slot).spec.dtype;
    const std::vector<std::byte> want = bytes_of(scalar.want, dtype);
    const auto got = call.arrays.bytes(scalar.slot);
    const Tolerance tolerance = tolerance_of(port, dtype);
    std::string note;
    if (want.size() != got.size()) {
      note = fmt::format("{} is no {} in the reference", scalar.name, dtype);
    } else {
      const Comparison result = compare(dtype, got, want, tolerance);
      add(out, result);
      if (first_unwritten(dtype, got)) note = scalar.name + ": the port leaves it unwritten";
      if (note.empty() && !result.agrees()) note = miss_text(scalar.name, result, {}, tolerance);
    }
    if (note.empty()) continue;
    out.certain = true;
    if (out.note.empty()) out.note = note;
  }
}

/// What of an array the port missed, and how far NumPy's own results went there.
struct Miss {
  std::string dtype;
  Distances port;
  std::vector<double> spread;
  bool other_length = false;  // NumPy's own result had another
};

/// Every element that the port missed lies as far from the reference as NumPy's own results may.
bool is_explained(const Miss& miss) {
  constexpr double kOfSpread = 64;  // ../shared/design.md 8
  if (miss.other_length) return true;
  if (miss.spread.empty()) return false;
  for (std::size_t i = 0; i < miss.port.missed.size(); ++i) {
    if (miss.port.missed[i] && !(miss.port.apart[i] <= kOfSpread * miss.spread[i])) return false;
  }
  return !miss.port.missed.empty();
}

/// Takes what NumPy's own result with moved inputs adds to the spread of a missed array.
void widen(Miss& miss, const runtime::WorkerReply& moved, const runtime::WorkerReply& reply,
           std::size_t index) {
  if (index >= moved.results.size()) return;
  if (moved.results.slot(index).spec.bytes != reply.results.slot(index).spec.bytes) {
    miss.other_length = true;
    return;
  }
  const Distances own =
      distances(miss.dtype, moved.results.bytes(index), reply.results.bytes(index), Tolerance{});
  if (miss.spread.empty()) miss.spread.resize(own.apart.size(), 0);
  for (std::size_t i = 0; i < own.apart.size(); ++i) miss.spread[i] = std::max(miss.spread[i], own.apart[i]);
}

/// Whether NumPy, with each input moved by an ulp or (seed 0) with its sums rounded from a wider type, and
/// with other phases of eigenvectors, goes as far from its own result wherever the port did.
base::Result<bool> is_ill_conditioned(runtime::NumpyWorker& worker, const RunnablePort& port,
                                      const CasePlan& plan, const runtime::WorkerReply& reply,
                                      const PreparedCall& call, const Differences& differences,
                                      diagnostics::Engine& engine) {
  std::map<std::size_t, Miss> misses;
  for (std::size_t i = 0; i < call.compared.size(); ++i) {
    const PassedArray& array = call.compared[i];
    if (!differences.missed.contains(array.result)) continue;
    const auto& spec = reply.results.slot(array.result).spec;
    Miss& miss = misses[array.result];
    miss.dtype = spec.dtype;
    const auto got = call.arrays.bytes(call.arrays.find(array.name).value_or(i));
    if (array.length && length_in(call, *array.length) != (spec.shape.empty() ? -1 : spec.shape[0])) continue;
    miss.port = distances(spec.dtype, got.first(spec.bytes), reply.results.bytes(array.result),
                          policy_tolerance(spec.dtype, port.run_dtype));
  }
  if (misses.size() < differences.missed.size()) return false;  // the reference changes what no port takes
  runtime::WorkerRequest request = plan.request;
  request.task = runtime::WorkerTask::OneUlp;
  for (int seed = 0; seed <= kUlpSeeds; ++seed) {
    request.ulp_seed = static_cast<std::uint64_t>(seed);
    PW_TRY(const runtime::WorkerReply moved, worker.ask(request, engine));
    if (!runtime::succeeded(moved.outcome) || moved.error) continue;
    for (auto& [index, miss] : misses) widen(miss, moved, reply, index);
    const auto explained = [](const auto& each) { return is_explained(each.second); };
    if (std::all_of(misses.begin(), misses.end(), explained)) return true;
  }
  return false;
}

/// Why the reference gave nothing to compare with, or empty.
std::string reference_problem(const runtime::WorkerReply& reply) {
  if (!runtime::succeeded(reply.outcome)) return "the reference: " + runtime::to_string(reply.outcome);
  if (reply.error && reply.error->stage != "reference") {
    return fmt::format("{} ({}): {}: {}", reply.error->stage, "no inputs", reply.error->type,
                       reply.error->message);
  }
  return {};
}

/// What a port that did not come back did.
std::string crash_text(const runtime::NativeOutcome& outcome) {
  if (!outcome.load_error.empty()) return "the port cannot be loaded: " + outcome.load_error;
  return "the port: " + runtime::to_string(outcome.child.outcome);
}

CaseResult& differs(CaseResult& result, std::string note) {
  result.state = CaseState::Differs;
  result.note = std::move(note);
  return result;
}
CaseResult& dropped(CaseResult& result, std::string note) {
  result.state = CaseState::Dropped;
  result.note = std::move(note);
  return result;
}

/// Agreement by kind of exception, where one of the two sides did not finish; arrays are not compared.
CaseResult& judge_traps(CaseResult& result, const RunnablePort& port, const CasePlan& plan,
                        const runtime::WorkerReply& reply, int status) {
  const std::string raised = reply.error ? reply.error->type : "";
  const std::string said = reply.error ? fmt::format("{}: {}", raised, reply.error->message) : "";
  if (const std::string_view text = backends::status_text(status); !text.empty()) {
    return differs(result, fmt::format("the port returns {}: {}", status, text));
  }
  if (status < 0 || static_cast<std::size_t>(status) > port.traps.size()) {
    return differs(result, fmt::format("the port returns {}, which is no status that its header lists: this "
                                       "is our bug, please report it",
                                       status));
  }
  if (status == 0) {
    const std::string note = fmt::format("the reference raises {}; the port does not", said);
    return plan.generated ? dropped(result, note) : differs(result, note);
  }
  const ir::TrapRow& trap = port.traps[static_cast<std::size_t>(status) - 1];
  const std::string kind(trap.name());
  if (trap.kind == ir::TrapKind::Assumption) {
    dropped(result, "the port declines: " + trap.message);
    result.place = trap.span;
    if (!plan.generated && !reply.error) result.state = CaseState::Declined;
    return result;
  }
  if (kind == raised) {
    result.state = CaseState::Agrees;
    result.note = "both raise " + raised;
    return result;
  }
  if (plan.generated && reply.error) return dropped(result, "the reference raises " + said);
  return differs(result, fmt::format("the port raises {} ({}); the reference {}", kind, trap.message,
                                     reply.error ? "raises " + said : "does not"));
}

/// Where an input array has another shape than the port was made for by the manifest, or empty: such a call
/// would read outside the array.
std::string shape_problem(const RunnablePort& port, const PreparedCall& call) {
  if (port.module == nullptr) return {};
  std::vector<ir::EvalArgument> sizes = call.sizes;
  sizes.resize(port.abi.size(), ir::Const{ir::DType::I64, 0, 0});
  const ir::FunctionId entry(port.module->functions.size() - 1);
  for (std::size_t i = 0; i < port.abi.size(); ++i) {
    if (port.abi[i].role != numpy::AbiArgument::Role::Array) continue;
    const auto slot = call.arrays.find(port.abi[i].name);
    const auto shape = ir::parameter_shape(*port.module, entry, i, sizes);
    if (!slot || !shape || *shape == call.arrays.slot(*slot).spec.shape) continue;
    return fmt::format("the inputs give {} another shape than the manifest declares", port.abi[i].name);
  }
  return {};
}

runtime::Limits port_limits(const runtime::WorkerReply& reply) {
  runtime::Limits limits;
  limits.cpu_seconds = 60 + 30 * reply.cpu_seconds;
  limits.wall_seconds = kWallSeconds;
  limits.memory_bytes = std::max<std::uint64_t>(1ull << 30, 8 * reply.peak_bytes);
  return limits;
}

CasePlan with_poison(CasePlan plan, const RunnablePort& port) {
  if (!plan.poison_outputs || port.module == nullptr) return plan;
  for (const std::size_t at : overwritten(*port.module)) plan.request.poison.push_back(port.abi[at].name);
  return plan;
}

base::Result<CaseResult> run_one(runtime::NumpyWorker& worker, const RunnablePort& port,
                                 const CasePlan& given, diagnostics::Engine& engine) {
  CaseResult result;
  result.size = given.name;
  result.seed = given.request.seed;
  result.threaded = given.threaded && !port.threaded_library.empty();
  const CasePlan plan = with_poison(given, port);
  PW_TRY(const runtime::WorkerReply reply, worker.ask(plan.request, engine));
  result.reference_cpu_seconds = reply.reference_cpu_seconds;
  if (std::string problem = reference_problem(reply); !problem.empty()) return dropped(result, problem);

  auto prepared = prepare_call(port.abi, port.module, reply, plan.placement);
  if (auto* problem = std::get_if<std::string>(&prepared)) return differs(result, *problem);
  auto& call = std::get<PreparedCall>(prepared);
  if (std::string problem = shape_problem(port, call); !problem.empty()) {
    dropped(result, problem);
    if (!plan.generated) result.state = CaseState::Declined;
    return result;
  }
  const runtime::NativeOutcome outcome = runtime::run_native(
      {result.threaded ? port.threaded_library : port.library, port.symbol, call.arguments, {}, {}},
      call.arrays, port_limits(reply));
  result.port_cpu_seconds = outcome.cpu_seconds;
  if (!outcome.violations.empty()) {
    const auto& first = outcome.violations.front();
    return differs(result, fmt::format("the port touches memory outside {}: {} bytes from its first element",
                                       first.name, first.offset));
  }
  if (!outcome.status) return differs(result, crash_text(outcome));
  if (*outcome.status != 0 || reply.error) return judge_traps(result, port, plan, reply, *outcome.status);
  if (!call.mismatch.empty()) return differs(result, call.mismatch);

  Differences differences;
  compare_arrays(port, call, reply, differences);
  compare_scalars(port, call, differences);
  result.compared = differences.compared;
  result.worst_error = differences.worst_error;
  if (differences.note.empty()) {
    result.state = CaseState::Agrees;
    return result;
  }
  if (!port.exact && !differences.certain) {
    PW_TRY(const bool ill, is_ill_conditioned(worker, port, plan, reply, call, differences, engine));
    if (ill) {
      result.state = CaseState::IllConditioned;
      result.note = differences.note +
                    "; NumPy's own result moves as far with the last bits of its inputs or sums, or its "
                    "eigenvectors' signs";
      return result;
    }
  }
  return differs(result, differences.note);
}

}  // namespace

base::Result<CaseResult> run_case(runtime::NumpyWorker& worker, const RunnablePort& port,
                                  const CasePlan& plan, diagnostics::Engine& engine) {
  PW_TRY(CaseResult result, run_one(worker, port, plan, engine));
  if (result.threaded && result.state == CaseState::Differs) {
    result.note += "; in the build in which threads share every loop";
  }
  return result;
}

void judge(PortVerdict& verdict, bool exact) {
  const auto first = [&](CaseState state) {
    return std::find_if(verdict.cases.begin(), verdict.cases.end(),
                        [&](const CaseResult& c) { return c.state == state; });
  };
  const auto none = verdict.cases.end();
  const auto said = [](const CaseResult& c) { return c.size + ": " + c.note; };
  verdict.detail = exact ? "exact" : "policy";
  if (const auto bad = first(CaseState::Differs); bad != none) {
    verdict.verdict = Verdict::Fail;
    verdict.reason = said(*bad);
    return;
  }
  if (const auto declined = first(CaseState::Declined); declined != none) {
    verdict.verdict = Verdict::Refused;
    verdict.detail = "assumption";
    verdict.reason = "assumption: " + said(*declined);
    return;
  }
  // The preset leads: a generated size at which the kernel is ill-conditioned is only no case.
  const auto ill = first(CaseState::IllConditioned);
  const auto good = first(CaseState::Agrees);
  if (ill != none && (good == none || ill == verdict.cases.begin())) {
    verdict.verdict = Verdict::Unverified;
    verdict.detail = "ill-conditioned";
    verdict.reason = said(*ill);
    return;
  }
  // Where both sides raise the same exception no value is compared: that alone proves no result.
  const bool only_raises = std::none_of(verdict.cases.begin(), verdict.cases.end(), [](const CaseResult& c) {
    return c.state == CaseState::Agrees && c.note.empty();
  });
  if (good == none || only_raises) {
    verdict.verdict = Verdict::Unverified;
    verdict.detail = "vacuous";
    verdict.reason = verdict.cases.empty() ? "no case could be made" : said(verdict.cases.front());
    return;
  }
  const bool compared = std::any_of(verdict.cases.begin(), verdict.cases.end(), [](const CaseResult& c) {
    return c.state == CaseState::Agrees && (c.compared > 0 || !c.note.empty());
  });
  verdict.verdict = compared ? Verdict::Pass : Verdict::Fail;
  if (!compared) verdict.reason = "nothing was compared";
}

}  // namespace pw::verify
