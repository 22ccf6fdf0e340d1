#include "runtime/shared_array.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace pw::runtime {

namespace {

constexpr std::uint64_t kPage = 4096;
// Read as a double it is a NaN, as an integer an absurd index, so a read beyond an array is likely to show
// too.
constexpr std::uint64_t kPattern = 0x7ff8dead7ff8deadull;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::byte pattern_byte(std::uint64_t offset) {
  return static_cast<std::byte>(kPattern >> (8 * (offset % sizeof kPattern)));
}

/// Places one array after `at`, which is a page boundary; returns the next page boundary.
std::uint64_t place(ArraySlot& slot, std::uint64_t at, Placement placement,
                    std::vector<std::pair<std::uint64_t, std::uint64_t>>& guards) {
  const std::uint64_t bytes = slot.spec.bytes;
  switch (placement) {
    case Placement::RedZones:
      slot.offset = at + kPage;
      return round_up(slot.offset + bytes + kPage, kPage);
    case Placement::PageEnd: {
      const std::uint64_t end = at + kPage + round_up(std::max<std::uint64_t>(bytes, 1), kPage);
      slot.offset = end - bytes;
      guards.emplace_back(at, at + kPage);
      guards.emplace_back(end, end + kPage);
      return end + kPage;
    }
    case Placement::PageStart: {
      slot.offset = at + kPage;
      const std::uint64_t end = slot.offset + round_up(std::max<std::uint64_t>(bytes, 1), kPage);
      guards.emplace_back(at, at + kPage);
      guards.emplace_back(end, end + kPage);
      return end + kPage;
    }
  }
  PW_UNREACHABLE("placement");
}

}  // namespace

std::size_t element_bytes(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::size_t> kSizes[] = {
      {"bool", 1},          {"int8", 1},        {"uint8", 1},     {"int16", 2},       {"uint16", 2},
      {"int32", 4},         {"uint32", 4},      {"int64", 8},     {"uint64", 8},      {"float16", 2},
      {"float32", 4},       {"float64", 8},     {"complex64", 8}, {"complex128", 16}, {"bfloat16", 2},
      {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"int4", 1},      {"uint4", 1},       {"float128", 16},
      {"complex256", 32}};
  for (const auto& [name, size] : kSizes) {
    if (name == dtype) return size;
  }
  return 0;
}

std::optional<SharedArrays> SharedArrays::create(std::vector<ArraySpec> specs, Placement placement) {
  SharedArrays out;
  std::uint64_t at = 0;
  for (ArraySpec& spec : specs) {
    ArraySlot slot{std::move(spec), 0};
    at = place(slot, at, placement, out.guards_);
    out.slots_.push_back(std::move(slot));
  }
  out.total_ = std::max(at, kPage);
  out.fd_ = memfd_create("pw-arrays", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (out.fd_ < 0 || ftruncate(out.fd_, static_cast<off_t>(out.total_)) != 0) return std::nullopt;
  // A child that could shrink the segment could make us fault.
  fcntl(out.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  void* const base = mmap(nullptr, out.total_, PROT_READ | PROT_WRITE, MAP_SHARED, out.fd_, 0);
  if (base == MAP_FAILED) return std::nullopt;
  out.base_ = static_cast<std::byte*>(base);
  out.patterned_ = true;
  out.fill_pattern();
  return out;
}

std::optional<SharedArrays> SharedArrays::adopt(int fd, std::vector<ArraySlot> slots) {
  SharedArrays out;
  out.fd_ = fd;
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return std::nullopt;
  out.total_ = static_cast<std::uint64_t>(status.st_size);
  for (const ArraySlot& slot : slots) {
    if (slot.offset > out.total_ || slot.spec.bytes > out.total_ - slot.offset) return std::nullopt;
    std::uint64_t count = 1;
    for (const std::int64_t extent : slot.spec.shape) {
      if (extent < 0 || (extent > 0 && count > (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(extent)))
        return std::nullopt;
      count *= static_cast<std::uint64_t>(extent);
    }
    if (count * element_bytes(slot.spec.dtype) != slot.spec.bytes) return std::nullopt;
  }
  out.slots_ = std::move(slots);
  if (out.total_ == 0) return out;
  void* const base = mmap(nullptr, out.total_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return std::nullopt;
  out.base_ = static_cast<std::byte*>(base);
  return out;
}

SharedArrays& SharedArrays::operator=(SharedArrays&& other) noexcept {
  std::swap(slots_, other.slots_);
  std::swap(guards_, other.guards_);
  std::swap(base_, other.base_);
  std::swap(total_, other.total_);
  std::swap(fd_, other.fd_);
  std::swap(patterned_, other.patterned_);
  return *this;
}

SharedArrays::~SharedArrays() {
  if (base_) munmap(base_, total_);
  if (fd_ >= 0) close(fd_);
}

std::span<std::byte> SharedArrays::bytes(std::size_t index) {
  const ArraySlot& slot = slots_[index];
  return {base_ + slot.offset, slot.spec.bytes};
}

std::span<const std::byte> SharedArrays::bytes(std::size_t index) const {
  const ArraySlot& slot = slots_[index];
  return {base_ + slot.offset, slot.spec.bytes};
}

std::optional<std::size_t> SharedArrays::find(std::string_view name) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].spec.name == name) return i;
  }
  return std::nullopt;
}

std::vector<SharedArrays::Zone> SharedArrays::zones() const {
  // Guard pages hold no pattern: nobody can write them, and patterned pages would cost memory.
  std::vector<Zone> out;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::uint64_t begin = slots_[i].offset;
    const std::uint64_t end = begin + slots_[i].spec.bytes;
    const std::uint64_t next = i + 1 < slots_.size() ? slots_[i + 1].offset : total_;
    if (i == 0) out.push_back({at, begin, i});
    // The zone between two arrays: its first half speaks for the one before it.
    const std::uint64_t middle = i + 1 < slots_.size() ? end + (next - end) / 2 : next;
    out.push_back({end, middle, i});
    if (i + 1 < slots_.size()) out.push_back({middle, next, i + 1});
    at = next;
  }
  return out;
}

bool SharedArrays::guarded(std::uint64_t offset) const {
  return std::any_of(guards_.begin(), guards_.end(),
                     [offset](const auto& guard) { return guard.first <= offset && offset < guard.second; });
}

void SharedArrays::fill_pattern() {
  for (const Zone& zone : zones()) {
    for (std::uint64_t at = zone.begin; at < zone.end;) {
      if (at % kPage == 0 && guarded(at)) {
        at += kPage;
        continue;
      }
      base_[at] = pattern_byte(at);
      ++at;
    }
  }
}

std::vector<RedZoneViolation> SharedArrays::violations() const {
  std::vector<RedZoneViolation> out;
  if (!patterned_) return out;
  for (const Zone& zone : zones()) {
    const ArraySlot& slot = slots_[zone.slot];
    const bool before = zone.end <= slot.offset;
    std::optional<std::uint64_t> nearest;
    for (std::uint64_t at = zone.begin; at < zone.end;) {
      if (at % kPage == 0 && guarded(at)) {
        at += kPage;
        continue;
      }
      if (base_[at] != pattern_byte(at) && (before || !nearest)) nearest = at;
      ++at;
    }
    if (!nearest) continue;
    out.push_back(
        {slot.spec.name, static_cast<std::int64_t>(*nearest) - static_cast<std::int64_t>(slot.offset)});
  }
  return out;
}

std::optional<std::pair<std::size_t, std::int64_t>> SharedArrays::nearest_array(std::uint64_t offset) const {
  for (const Zone& zone : zones()) {
    if (zone.begin <= offset && offset < zone.end) {
      return std::pair(
          zone.slot, static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(slots_[zone.slot].offset));
    }
  }
  return std::nullopt;
}

std::optional<SharedArrays> copy(const SharedArrays& arrays, Placement placement) {
  std::vector<ArraySpec> specs;
  for (const ArraySlot& slot : arrays.slots()) specs.push_back(slot.spec);
  std::optional<SharedArrays> out = SharedArrays::create(std::move(specs), placement);
  if (!out) return out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::span<const std::byte> from = arrays.bytes(i);
    if (!from.empty()) std::memcpy(out->bytes(i).data(), from.data(), from.size());
  }
  return out;
}

}  // namespace pw::runtime
