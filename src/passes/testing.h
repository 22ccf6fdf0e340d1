// For the tests of passes: text in, pass, text out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "diagnostics/engine.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "passes/pipeline.h"

namespace pw::passes {

inline std::string after(Pass pass, std::string_view text, const Options& options = {}) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const base::FileId file = sources.add("test.ir", std::string(text));
  const auto parsed = ir::parse(file, sources, engine);
  const auto complaint = [&] {
    std::string all;
    for (const auto& each : engine.all()) all += diagnostics::to_text(each, sources) + "\n";
    return all;
  };
  if (!parsed) return complaint();
  const auto result = pass(*parsed, options, engine);
  if (!result) return complaint();
  return ir::print(*result, {.spans = false});
}

inline base::Result<ir::Module> unchanged(ir::Module module, const Options&, diagnostics::Engine&) {
  return module;
}

/// The pass changes the body (between the braces of the only function) as stated, up to the suffixes that
/// keep names unique.
inline void expect_body(Pass pass, std::string_view signature, std::string_view before,
                        std::string_view expected, const Options& options = {}) {
  const std::string head = "func @f(" + std::string(signature) + ") {\n";
  EXPECT_EQ(after(pass, head + std::string(before) + "}\n", options),
            after(unchanged, head + std::string(expected) + "}\n"));
}

}  // namespace pw::passes
