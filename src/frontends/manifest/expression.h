// The integer expressions of a manifest: shapes and constraints. Python's spelling and precedence.
//
// Shapes may use + - * // % unary minus and an exact /; constraints also **, comparisons (chained),
// and/or/not, conditionals, min, max, abs, int and bool. Floor division and modulo have Python's signs; a
// value that leaves int64 is a diagnostic.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"

namespace pw::manifest {

enum class ExpressionOp : std::uint8_t {
  Constant,
  Symbol,
  Negate,
  Add,
  Subtract,
  Multiply,
  FloorDivide,
  Modulo,
  ExactDivide,  // '/': the quotient must be an integer
  Power,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Conditional,  // condition, then, else
  Minimum,
  Maximum,
  Absolute,
  Truth,  // bool(x): 0 or 1
};

struct Expression {
  ExpressionOp op = ExpressionOp::Constant;
  std::int64_t constant = 0;
  std::string symbol;
  std::vector<Expression> operands;
  base::Span span;
};

/// The text of an expression and where it stands in the manifest.
struct ExpressionText {
  std::string_view text;
  base::Span span;
};

using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// "(N, M // 2)", "(N,)", "N" (one extent) or "()" (rank 0). Fails: manifest-expression.
base::Result<std::vector<Expression>> parse_shape(ExpressionText text, diagnostics::Engine& engine);
/// Fails: manifest-expression.
base::Result<Expression> parse_constraint(ExpressionText text, diagnostics::Engine& engine);

/// Truth values are 0 and 1. `where` is put after a failure's message (" at preset S"). Fails:
/// manifest-unbound-symbol, manifest-expression-value (division by zero, an inexact /, int64 overflow).
base::Result<std::int64_t> evaluate(const Expression& expression, const Symbols& symbols,
                                    diagnostics::Engine& engine, std::string_view where = {});

/// Every symbol node, in the order of the text.
std::vector<const Expression*> symbols_of(const Expression& expression);

/// The text again, with the fewest parentheses: "(N + 1) * M".
std::string to_text(const Expression& expression);

}  // namespace pw::manifest
