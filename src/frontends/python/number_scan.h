// The extent of a numeric literal, and its value. Forms:
// https://docs.python.org/3.11/reference/lexical_analysis.html#numeric-literals
#pragma once

#include <string>
#include <string_view>

#include "frontends/python/ast.h"

namespace pw::python {

/// CPython's limit on digits of a decimal integer literal (sys.int_info.default_max_str_digits); here it
/// holds for all bases.
inline constexpr std::size_t kMaxIntegerDigits = 4300;

struct NumberScan {
  std::size_t size = 0;      // bytes of the literal, or up to the offending character
  std::string_view problem;  // empty: well formed
};
/// The longest numeric literal at the start of `text`, which starts with a digit, or a dot and a digit.
NumberScan scan_number(std::string_view text);

/// The value of a well-formed literal; nullopt: an integer of more than kMaxIntegerDigits.
std::optional<ConstantValue> number_value(std::string_view literal);

}  // namespace pw::python
