// stage_eval: reads cases as JSON, one a line, stages and evaluates each, and writes what came of it, one
// JSON line a case; tests/numpy/compare_functions.py runs it against NumPy. With --page:
// docs/numpy-functions.md.
//
// Case: {"source", "function", "symbols": {name: size}, "arguments": [{"name", and one of
//   "dtype", "shape", "extents", "data" (an array), "dtype", "data", "weak" (a scalar), "static" (int, float,
//   bool, string, null)}]}; data is hexadecimal. Outcome: {"end", "trap", "text", "rules", "results",
//   "arguments"}.
#include <iostream>
#include <nlohmann/json.hpp>

#include "frontends/numpy/library.h"
#include "frontends/numpy/stage_case.h"
#include "ir/scalar.h"

namespace {

using nlohmann::json;
using pw::numpy::CaseArgument;
using pw::numpy::CaseArray;
using pw::numpy::CaseOutcome;

pw::numpy::StaticArgument static_argument(const json& value) {
  pw::numpy::StaticArgument out;
  if (value.is_boolean()) {
    out.value = value.get<bool>();
  } else if (value.is_number_integer()) {
    out.value = value.get<std::int64_t>();
  } else if (value.is_number()) {
    out.value = value.get<double>();
  } else if (value.is_string()) {
    out.value = value.get<std::string>();
  }
  return out;
}

CaseArgument argument_of(const json& each) {
  CaseArgument out;
  out.name = each.at("name").get<std::string>();
  if (each.contains("static")) {
    out.value = static_argument(each.at("static"));
    return out;
  }
  CaseArray array;
  array.type = pw::ir::dtype_from_numpy(each.at("dtype").get<std::string>()).value();
  array.bytes = pw::numpy::from_hex(each.at("data").get<std::string>());
  if (each.contains("extents")) {
    out.extents = each.at("extents").get<std::vector<std::string>>();
    array.shape = each.at("shape").get<std::vector<std::int64_t>>();
    out.value = std::move(array);
    return out;
  }
  out.weak = each.value("weak", false);
  out.value = pw::ir::const_of(array.type, pw::ir::load_scalar(array.type, array.bytes.data(), 0));
  return out;
}

json array_json(const CaseArray& array) {
  return {{"dtype", pw::ir::row(array.type).numpy},
          {"shape", array.shape},
          {"data", pw::numpy::to_hex(array.bytes)}};
}

json outcome_json(const CaseOutcome& outcome) {
  static constexpr const char* kEnds[] = {"returned", "trapped", "refused", "invalid", "broken"};
  json out = {{"end", kEnds[static_cast<std::size_t>(outcome.end)]},
              {"trap", pw::ir::to_text(outcome.trap)},
              {"text", outcome.text},
              {"rules", outcome.rules},
              {"results", json::array()},
              {"arguments", json::array()}};
  for (const CaseArray& each : outcome.results) out["results"].push_back(array_json(each));
  for (const CaseArray& each : outcome.arguments) out["arguments"].push_back(array_json(each));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--page") {
    std::cout << pw::numpy::function_page();
    return 0;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    const json request = json::parse(line);
    pw::numpy::StageCase what;
    what.source = request.at("source").get<std::string>();
    what.function = request.at("function").get<std::string>();
    what.symbols = request.at("symbols").get<std::map<std::string, std::int64_t>>();
    for (const json& each : request.at("arguments")) what.arguments.push_back(argument_of(each));
    std::cout << outcome_json(pw::numpy::run_case(what)).dump() << std::endl;
  }
  return 0;
}
