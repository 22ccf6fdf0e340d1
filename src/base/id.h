// Strong ids: an index into one table, not convertible to an index into another.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace pw::base {

template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  constexpr bool valid() const { return value != kNone; }
  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace pw::base

template <typename Tag>
struct std::hash<pw::base::Id<Tag>> {
  std::size_t operator()(pw::base::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
