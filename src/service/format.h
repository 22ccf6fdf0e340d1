// The targets' own formatters, over many files at once.
#pragma once

#include <string>
#include <vector>

#include "verify/verdict.h"

namespace pw::service {

/// Formats all files of the rows in place, one process for many. What it says for standard error, or empty: a
/// missing formatter is said and no failure.
std::string format_files(const std::vector<verify::PortVerdict>& rows);

}  // namespace pw::service
