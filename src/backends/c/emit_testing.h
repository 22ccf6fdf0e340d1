// For tests of this folder: IR text to a module, and to the files of its port.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "backends/c/backend.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace pw::backends::c {

struct Program {
  base::Sources sources;
  diagnostics::Engine engine{sources};
  base::Result<ir::Module> module;

  explicit Program(const std::string& text)
      : module(ir::parse(sources.add("k.pwir", text), sources, engine)) {
    if (module) (void)ir::verify(*module, engine);
    for (const auto& each : engine.all()) {
      ADD_FAILURE() << diagnostics::to_text_with_source(each, sources);
    }
  }
  Emitted emit(const EmitOptions& options) {
    base::Result<Emitted> out = kBackend.emit(*module, options, engine);
    EXPECT_TRUE(out.has_value());
    return out ? *out : Emitted();
  }
};

/// The functions of the port alone: from the first that is not a helper to before NAME_checked.
inline std::string functions_of(const std::string& source, const std::string& name) {
  const std::size_t end = source.rfind("\nint " + name + "_checked(");
  std::size_t begin = source.rfind("\nint " + name + "(", end);
  return source.substr(begin + 1, end - begin - 1);
}

}  // namespace pw::backends::c
