#include "diagnostics/engine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace pw::diagnostics {

const std::vector<RuleRow>& rows() {
  static const std::vector<RuleRow> all = {
#define DIAGNOSTIC(name, rule, severity, message, fix) {#name, rule, Severity::severity, message, fix},
#include "diagnostics/diagnostics.def"
  };
  return all;
}

const RuleRow& row(Rule rule) { return rows()[static_cast<std::size_t>(rule)]; }

namespace {

/// Fills the holes of `pattern` with arguments from `next` on.
std::string fill(std::string_view pattern, const std::vector<std::string>& arguments, std::size_t& next) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i, 2) == "{}") {
      PW_CHECK(next < arguments.size(), "a diagnostic has fewer arguments than holes");
      out += arguments[next++];
      ++i;
    } else {
      out.push_back(pattern[i]);
    }
  }
  return out;
}

}  // namespace

void Engine::add(Rule rule, base::Span span, std::vector<std::string> arguments) {
  std::size_t next = 0;
  Diagnostic diagnostic{rule, span, {}, {}};
  diagnostic.message = fill(row(rule).message, arguments, next);
  diagnostic.fix = fill(row(rule).fix, arguments, next);
  PW_CHECK(next == arguments.size(), "a diagnostic has more arguments than holes");
  diagnostics_.push_back(std::move(diagnostic));
}

bool Engine::has_errors() const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                     [](const Diagnostic& d) { return row(d.rule).severity == Severity::Error; });
}

std::string to_text(const Diagnostic& diagnostic, const base::Sources& sources) {
  std::string out;
  if (diagnostic.span.file.valid()) {
    const base::SourceFile& file = sources[diagnostic.span.file];
    const base::LineColumn place = file.line_column(diagnostic.span.begin);
    out = fmt::format("{}:{}:{}: ", file.path, place.line, place.column);
  }
  out += fmt::format("{}: {}", row(diagnostic.rule).rule, diagnostic.message);
  if (!diagnostic.fix.empty()) out += fmt::format(". Fix: {}", diagnostic.fix);
  return out;
}

std::string to_text_with_source(const Diagnostic& diagnostic, const base::Sources& sources) {
  std::string out = to_text(diagnostic, sources);
  if (!diagnostic.span.file.valid()) return out;
  const base::SourceFile& file = sources[diagnostic.span.file];
  const base::LineColumn begin = file.line_column(diagnostic.span.begin);
  const std::string_view line = file.line_text(begin.line);
  if (line.size() > 400) return out;
  std::size_t width = 1;
  if (diagnostic.span.end > diagnostic.span.begin) {
    const base::LineColumn end = file.line_column(diagnostic.span.end);
    if (end.line == begin.line) width = std::max<std::size_t>(1, end.column - begin.column);
  }
  const std::string number = std::to_string(begin.line);
  out += fmt::format("\n  {} | {}\n  {} | {}{}", number, line, std::string(number.size(), ' '),
                     std::string(begin.column - 1, ' '), std::string(width, '^'));
  return out;
}

std::string to_json(const Diagnostic& diagnostic, const base::Sources& sources) {
  nlohmann::ordered_json out;
  if (diagnostic.span.file.valid()) {
    const base::SourceFile& file = sources[diagnostic.span.file];
    const base::LineColumn place = file.line_column(diagnostic.span.begin);
    out["file"] = file.path;
    out["line"] = place.line;
    out["column"] = place.column;
  }
  static constexpr std::string_view kSeverities[] = {"error", "warning", "note"};
  out["rule"] = row(diagnostic.rule).rule;
  out["severity"] = kSeverities[static_cast<std::size_t>(row(diagnostic.rule).severity)];
  out["message"] = diagnostic.message;
  out["fix"] = diagnostic.fix;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace pw::diagnostics
