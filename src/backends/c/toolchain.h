// How a C port is built: data, no process is started here.
#pragma once

#include <string>

#include "runtime/recipe.h"

namespace pw::backends::c {

/// A shared object of {source} into {output}.
const runtime::Recipe& recipe();
/// What a person types to compile a port, "gcc -O3 ...", and on a second line "-c NAME.c".
std::string build_line(const std::string& file);

}  // namespace pw::backends::c
