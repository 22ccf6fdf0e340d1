#include "verify/verdict.h"

#include <array>

namespace pw::verify {

namespace {
constexpr std::array<std::string_view, kVerdictCount> kVerdicts = {
    "FAIL", "REFUSED", "UNVERIFIED", "SKIPPED", "CHECKED", "EMITTED", "PASS"};
constexpr std::array<std::string_view, 5> kStates = {"agrees", "differs", "declined", "ill-conditioned",
                                                     "dropped"};

template <typename Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& words, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}
}  // namespace

std::string_view to_text(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }
std::string_view to_text(CaseState state) { return kStates[static_cast<std::size_t>(state)]; }
std::optional<Verdict> verdict_from_text(std::string_view text) { return find<Verdict>(kVerdicts, text); }
std::optional<CaseState> case_state_from_text(std::string_view text) {
  return find<CaseState>(kStates, text);
}

}  // namespace pw::verify
