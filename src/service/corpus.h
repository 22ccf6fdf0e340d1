// All manifests of a folder, several at once.
#pragma once

#include <string>
#include <vector>

#include "service/service.h"

namespace pw::service {

/// Every .yaml with `parameters:` and `init:`, sorted by path.
std::vector<std::string> find_manifests(const std::string& folder);

Response run_corpus(const Request& request, const Progress& progress);

}  // namespace pw::service
