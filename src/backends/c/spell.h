// How C says each op of ops.def, a row for each kind of dtype.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "backends/common/formula.h"
#include "ir/node.h"

namespace pw::backends::c {

enum class Form {
  Infix,     // a word b
  Prefix,    // word a
  Math,      // word(a, ...), with an f for f32 and c64
  Macro,     // word(a, ...)
  Helper,    // a function of prelude.def for the dtype of the last argument
  Untyped,   // a function of prelude.def without dtype
  Itself,    // a
  Choice,    // a ? b : c
  Wrapping,  // word on unsigned integers: no overflow is undefined
};

struct Spelling {
  ir::Op op;
  std::string_view kinds;  // of the last argument: b bool, i signed, u unsigned, f float, c complex
  Form form;
  std::string_view word;
  Level level = Level::Postfix;
};

/// The row for an op on arguments whose last has this dtype, or nullptr.
const Spelling* spelling(ir::Op op, ir::DType argument);

/// Shortest literal that reads back to the same value: "0.1", "2.0f", "INT64_MIN", "CMPLX(0.0, 1.0)".
Formula literal(const ir::Const& constant);

/// Keywords, macros and what emitted code calls: no name of the kernel may hide them.
const std::set<std::string>& reserved_names();
/// Functions that the included headers declare besides: no function of the kernel may be one of these.
const std::set<std::string>& library_names();

/// "#include" lines for what the text of a port calls, in order.
std::string includes_for(std::string_view text);

}  // namespace pw::backends::c
