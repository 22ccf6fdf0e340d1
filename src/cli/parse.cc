#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/cli.h"

namespace pw::cli {

namespace {

using service::Request;

struct Flag {};
struct Text {};
struct List {};
struct Number {};
struct Json {};

CLI::Option* add(CLI::App& app, Flag, const char* names, const char*, const char* meaning, bool& field) {
  return app.add_flag(names, field, meaning);
}
CLI::Option* add(CLI::App& app, Text, const char* names, const char* value, const char* meaning,
                 std::string& field) {
  return app.add_option(names, field, meaning)->type_name(value)->expected(1);
}
CLI::Option* add(CLI::App& app, List, const char* names, const char* value, const char* meaning,
                 std::vector<std::string>& field) {
  // Collected apart: CLI11 clears a vector that two options share.
  return app
      .add_option_function<std::vector<std::string>>(
          names,
          [&field](const std::vector<std::string>& words) {
            field.insert(field.end(), words.begin(), words.end());
          },
          meaning)
      ->type_name(value)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->delimiter(',');
}
/// The message where the word is no whole number from 0 that fits int64, as CLI11's checks give it.
std::string natural_or_message(const std::string& word) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool fits = error == std::errc() && end == word.data() + word.size() && number >= 0;
  return fits ? "" : fmt::format("{} is no whole number from 0", word);
}

CLI::Option* add(CLI::App& app, Number, const char* names, const char* value, const char* meaning,
                 std::int64_t& field) {
  return app.add_option(names, field, meaning)->type_name(value)->check(natural_or_message);
}
CLI::Option* add(CLI::App& app, Json, const char* names, const char*, const char* meaning,
                 std::string& field) {
  return app.add_flag(std::string(names) + "{-}", field, meaning);
}

/// All options, so that one grammar serves all verbs; help shows those that the verb reads.
void add_options(CLI::App& app, const service::Verb& verb, Request& request) {
  const auto show = [&](CLI::Option* option, std::string_view field) {
    const bool reads = std::find(verb.options.begin(), verb.options.end(), field) != verb.options.end();
    if (!reads) option->group("");
  };
#define OPTION(field, names, kind, value, meaning) \
  show(add(app, kind{}, names, value, meaning, request.field), #field);
#include "service/options.def"
}

std::string overview() {
  std::string out =
      "portwright VERB KERNEL... [OPTIONS]: ports NumPy kernels and proves the ports against NumPy.\n\n";
  for (const service::Verb& verb : service::verbs()) {
    std::string left = "  " + std::string(verb.name) + " " + std::string(verb.arguments);
    left.resize(std::max<std::size_t>(left.size(), 32), ' ');
    out += left + "  " + std::string(verb.summary) + "\n";
  }
  return out +
         "\nportwright help VERB lists the options. Exit codes: 0 nothing failed, 1 something is FAIL or "
         "REFUSED, "
         "2 wrong usage, 70 our own bug.\n";
}

const service::Verb* find_verb(const std::string& name) {
  const auto& all = service::verbs();
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& verb) { return verb.name == name; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

std::variant<Request, Message> parse(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Message{overview(), service::kWrongUsage};
  std::string name = arguments.front();
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (name == "--version") name = "version";
  const bool asks_help = name == "help" || name == "--help" || name == "-h";
  if (asks_help && rest.empty()) return Message{overview(), 0};
  if (asks_help) {
    name = rest.front();
    rest = {"--help"};
  }
  const service::Verb* const verb = find_verb(name);
  if (!verb || name == "help") {
    return Message{"portwright: there is no verb " + name + "\n\n" + overview(), service::kWrongUsage};
  }
  Request request;
  request.verb = name;
  CLI::App app(std::string(verb->summary), "portwright " + name);
  std::vector<std::string> positionals;
  CLI::Option* const words = app.add_option("arguments", positionals, std::string(verb->arguments));
  words->type_name("");
  if (verb->arguments.empty()) words->group("");
  add_options(app, *verb, request);
  try {
    std::reverse(rest.begin(), rest.end());
    app.parse(std::move(rest));
  } catch (const CLI::CallForHelp&) {
    return Message{app.help(), 0};
  } catch (const CLI::ParseError& error) {
    return Message{"portwright " + name + ": " + error.what() + "\n", service::kWrongUsage};
  }
  request.kernels.insert(request.kernels.begin(), positionals.begin(), positionals.end());
  return request;
}

}  // namespace pw::cli
