// Rows of a table by the hash of their content: the index of hash-consing, one array with open addressing.
#pragma once

#include <cstdint>
#include <vector>

namespace pw::base {

/// One step of a hash in which every bit of the value reaches every bit of the result.
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed = (seed ^ value) * 0x9e3779b97f4a7c15ULL;
  return seed ^ (seed >> 32);
}

class HashIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// The row with that hash for which `equal(row)` holds, or kNone.
  template <typename Equal>
  std::uint32_t find(std::uint64_t hash, const Equal& equal) const {
    if (slots_.empty()) return kNone;
    const auto wanted = static_cast<std::uint32_t>(hash);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = wanted & mask; slots_[at].row != kNone; at = (at + 1) & mask) {
      if (slots_[at].hash == wanted && equal(slots_[at].row)) return slots_[at].row;
    }
    return kNone;
  }
  /// A row that is not there yet.
  void insert(std::uint64_t hash, std::uint32_t row) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    place({static_cast<std::uint32_t>(hash), row});
    ++count_;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t row = kNone;
  };

  void place(Slot slot) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot.hash & mask;
    while (slots_[at].row != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.row != kNone) place(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at most a half taken
  std::size_t count_ = 0;
};

}  // namespace pw::base
