// libFuzzer entry: any bytes as a manifest end in a manifest or in diagnostics.
#include <cstddef>
#include <cstdint>
#include <string>

#include "frontends/manifest/binding.h"
#include "frontends/manifest/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pw::base::Sources sources;
  const pw::base::FileId file =
      sources.add("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  pw::diagnostics::Engine engine(sources);
  const pw::base::Result<pw::manifest::Manifest> manifest = pw::manifest::load(file, sources, engine);
  for (const auto& each : engine.all()) (void)pw::diagnostics::to_text_with_source(each, sources);
  if (!manifest) return 0;
  pw::manifest::DefLine def;
  for (const pw::manifest::Array& array : manifest->init.arrays)
    def.arguments.push_back({array.name.text, false, false, {}});
  if (!pw::manifest::check(*manifest, def, engine)) return 0;
  for (const pw::manifest::PortRow& row : pw::manifest::port_rows(*manifest)) {
    (void)pw::manifest::bind(*manifest, def, row);
  }
  return 0;
}
