// What running some statements changes of what was there before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/module.h"

namespace pw::numpy {

/// How many locals and buffers a module has at some moment: later ones have greater ids.
struct Existing {
  std::size_t locals = 0;
  std::size_t buffers = 0;
};

/// Whether the statements, what is nested in them or what they call assigns a variable or stores to a buffer
/// that existed.
bool changes_existing(const ir::Module& module, std::span<const ir::StmtId> statements, Existing existing);

}  // namespace pw::numpy
