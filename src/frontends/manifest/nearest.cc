#include "frontends/manifest/nearest.h"

#include <algorithm>

namespace pw::manifest {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  if (word.size() > 100) return std::nullopt;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > word.size() + least || word.size() > candidate.size() + least) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance == word.size()) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace pw::manifest
