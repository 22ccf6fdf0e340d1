#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "report/report.h"

namespace pw::report {

namespace {

using Json = nlohmann::ordered_json;
using verify::CaseResult;
using verify::PortVerdict;
using verify::Verdict;

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// JSON has no infinity; null stands for it.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::infinity();
}

Json to_json(const CaseResult& c) {
  return {{"size", c.size},
          {"seed", c.seed},
          {"state", to_text(c.state)},
          {"note", c.note},
          {"threaded", c.threaded},
          {"worst_error", number(c.worst_error)},
          {"compared", c.compared},
          {"reference_seconds", c.reference_cpu_seconds},
          {"port_seconds", c.port_cpu_seconds}};
}

Json to_json(const PortVerdict& row) {
  Json cases = Json::array();
  for (const CaseResult& c : row.cases) cases.push_back(to_json(c));
  return {{"name", row.name},
          {"backend", row.backend},
          {"dtype", row.dtype},
          {"layout", row.layout},
          {"verdict", to_text(row.verdict)},
          {"detail", row.detail},
          {"cases", std::move(cases)},
          {"seconds", row.cpu_seconds},
          {"emission_seconds", row.emission_cpu_seconds},
          {"reason", row.reason},
          {"span", row.span},
          {"toolchain", row.toolchain},
          {"files", row.files},
          {"emulated", false}};
}

CaseResult case_of(const Json& json) {
  CaseResult c;
  c.size = json.at("size");
  c.seed = json.at("seed");
  c.state = verify::case_state_from_text(json.at("state").get<std::string>()).value_or(c.state);
  c.note = json.at("note");
  c.threaded = json.at("threaded");
  c.worst_error = number(json.at("worst_error"));
  c.compared = json.at("compared");
  c.reference_cpu_seconds = json.at("reference_seconds");
  c.port_cpu_seconds = json.at("port_seconds");
  return c;
}

PortVerdict row_of(const Json& json) {
  PortVerdict row;
  row.name = json.at("name");
  row.backend = json.at("backend");
  row.dtype = json.at("dtype");
  row.layout = json.at("layout");
  row.verdict = verify::verdict_from_text(json.at("verdict").get<std::string>()).value_or(Verdict::Fail);
  row.detail = json.at("detail");
  for (const Json& c : json.at("cases")) row.cases.push_back(case_of(c));
  row.cpu_seconds = json.at("seconds");
  row.emission_cpu_seconds = json.at("emission_seconds");
  row.reason = json.at("reason");
  row.span = json.at("span");
  row.toolchain = json.at("toolchain");
  row.files = json.at("files").get<std::vector<std::string>>();
  return row;
}

Json counts_of(const std::vector<PortVerdict>& rows) {
  std::map<std::pair<std::string, std::string>, Verdict> worst;
  for (const PortVerdict& row : rows) {
    const auto [at, fresh] = worst.try_emplace({row.backend, row.name}, row.verdict);
    if (!fresh) at->second = std::min(at->second, row.verdict);
  }
  Json out = Json::object();
  for (const auto& [key, verdict] : worst) {
    Json& count = out[key.first][std::string(to_text(verdict))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return out;
}

Json rows_json(const std::vector<PortVerdict>& rows) {
  Json out = Json::array();
  for (const PortVerdict& row : rows) out.push_back(to_json(row));
  return out;
}

}  // namespace

std::string to_json(const std::vector<PortVerdict>& rows) {
  return dump({{"counts", counts_of(rows)}, {"kernels", rows_json(rows)}}, 1) + "\n";
}

std::string to_json_line(const Answer& answer) {
  return dump({{"kernels", rows_json(answer.rows)}, {"decisions", answer.decisions}}, -1);
}

std::optional<Answer> answer_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Answer answer;
    for (const Json& row : json.at("kernels")) answer.rows.push_back(row_of(row));
    answer.decisions = json.at("decisions");
    return answer;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string ledger_json(const std::vector<verify::LedgerRow>& rows) {
  Json out = Json::array();
  for (const verify::LedgerRow& row : rows) {
    Json json = to_json(row.verdict);
    json["id"] = row.id;
    json["sha256"] = verify::row_sha256(row);
    json["time"] = row.when;
    json["reference_sha256"] = row.evidence.reference_sha256;
    json["manifest_sha256"] = row.evidence.manifest_sha256;
    json["port_sha256"] = row.evidence.port_sha256;
    json["portwright"] = row.evidence.portwright_version;
    json["reference_version"] = row.evidence.reference_version;
    json["sandbox"] = row.evidence.sandbox;
    out.push_back(std::move(json));
  }
  return dump(out, 1) + "\n";
}

}  // namespace pw::report
