// "Did you mean": the known word nearest to a misspelt one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pw::manifest {

/// The candidate with the least edit distance, if that is at most a third of the word's length (at least 1);
/// the first of equals. Source of the distance: Wagner and Fischer 1974.
std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

}  // namespace pw::manifest
