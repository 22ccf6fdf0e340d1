// A diagnostic is data: a row of diagnostics.def, a place and arguments. Text and JSON are made by clients.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace pw::diagnostics {

enum class Severity : std::uint8_t { Error, Warning, Note };

enum class Rule : std::uint16_t {
#define DIAGNOSTIC(name, rule, severity, message, fix) name,
#include "diagnostics/diagnostics.def"
};

struct RuleRow {
  std::string_view name;  // enumerator
  std::string_view rule;
  Severity severity;
  std::string_view message;
  std::string_view fix;
};

/// The row of a rule.
const RuleRow& row(Rule rule);
/// All rows, in the file's order.
const std::vector<RuleRow>& rows();

struct Diagnostic {
  Rule rule;
  base::Span span;  // an invalid file id: no place
  std::string message;
  std::string fix;
};

}  // namespace pw::diagnostics
