// The command line: argv in, text and an exit code out. No logic: verbs.def and options.def say what there
// is.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "service/service.h"

namespace pw::cli {

/// What to print instead of running: help (standard output, exit 0) or a complaint (standard error, exit 2).
struct Message {
  std::string text;
  int exit_code = 0;
};

/// `arguments`: without the program's name.
std::variant<service::Request, Message> parse(const std::vector<std::string>& arguments);

/// Runs a whole command line on standard input, output and error.
int run(const std::vector<std::string>& arguments);

}  // namespace pw::cli
