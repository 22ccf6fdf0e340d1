// A tree as CPython prints it.
#pragma once

#include <string>

#include "base/source.h"
#include "frontends/python/ast.h"

namespace pw::python {

struct DumpOptions {
  bool include_attributes = true;  // lineno, col_offset (UTF-8 bytes) and their ends
};

/// What CPython 3.11's `ast.dump(ast.parse(source), include_attributes=...)` gives, but that every node
/// inside an f-string has the place of the (outermost) f-string, as CPython's own places there are not
/// reliable before 3.12.
std::string dump(const Tree& tree, const base::Sources& sources, DumpOptions options = {});

/// Python's repr of a constant's value.
std::string repr(const ConstantValue& value);

}  // namespace pw::python
