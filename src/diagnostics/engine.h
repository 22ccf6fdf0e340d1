// The one place that issues diagnostics.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/diagnostic.h"

namespace pw::diagnostics {

/// Collects diagnostics in the order of issue. Not thread safe: one engine a task.
class Engine {
 public:
  explicit Engine(const base::Sources& sources) : sources_(sources) {}

  /// Issues a diagnostic; the result is what a failing function returns: `return engine.report(...)`.
  template <typename... Arguments>
  tl::unexpected<base::Reported> report(Rule rule, base::Span span, const Arguments&... arguments) {
    add(rule, span, {fmt::format("{}", arguments)...});
    return tl::unexpected(base::Reported());
  }

  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  bool has_errors() const;
  const base::Sources& sources() const { return sources_; }
  /// Forgets all diagnostics after the first `count`: for a trial that is allowed to fail.
  void truncate(std::size_t count) { diagnostics_.resize(std::min(count, diagnostics_.size())); }
  /// Issues again what was forgotten.
  tl::unexpected<base::Reported> again(const Diagnostic& diagnostic) {
    diagnostics_.push_back(diagnostic);
    return tl::unexpected(base::Reported());
  }

 private:
  void add(Rule rule, base::Span span, std::vector<std::string> arguments);

  const base::Sources& sources_;
  std::vector<Diagnostic> diagnostics_;
};

/// "file:line:col: rule: message. Fix: fix" (one line each, no trailing newline).
std::string to_text(const Diagnostic& diagnostic, const base::Sources& sources);
/// The text, then the source line and a caret under the span.
std::string to_text_with_source(const Diagnostic& diagnostic, const base::Sources& sources);
/// {"file", "line", "column", "rule", "severity", "message", "fix"} as JSON text.
std::string to_json(const Diagnostic& diagnostic, const base::Sources& sources);

}  // namespace pw::diagnostics
