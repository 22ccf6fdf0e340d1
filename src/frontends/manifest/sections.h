// One function a section of a manifest: YAML in, a part of the Manifest out.
#pragma once

#include "frontends/manifest/reader.h"

namespace pw::manifest {

base::Result<base::Done> read_parameters(Reader& reader, const Yaml& node, std::string_view where,
                                         Manifest& out);
base::Result<base::Done> read_config(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_init(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_taxonomy(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_sparse_layouts(Reader& reader, const Yaml& node, Manifest& out);
/// Needs sparse_layouts read before.
base::Result<base::Done> read_configurations(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_distributions(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_variants(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_fuzz(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_mpi(Reader& reader, const Yaml& node, Manifest& out);
base::Result<base::Done> read_baseline(Reader& reader, const Yaml& node, Manifest& out);

}  // namespace pw::manifest
