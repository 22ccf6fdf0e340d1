// How a C port is built: data, no process is started here.
#pragma once

#include <string>
#include <vector>

#include "runtime/recipe.h"

namespace pw::backends::c {

/// A shared object of {source} into {output}.
const runtime::Recipe& recipe();
/// What a person types to compile a port, "gcc -O3 ...", in lines; the last is "-c NAME.c".
std::vector<std::string> build_lines(const std::string& file);

}  // namespace pw::backends::c
