// A shared memory segment (memfd) of named arrays with red zones between them: how inputs and outputs travel
// between us, the NumPy worker and the native runner. Arrays are C-contiguous, little endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pw::runtime {

/// shape: extents, empty for a 0-d array. dtype: NumPy's dtype.name ("float64", "int4" of ml_dtypes).
struct ArraySpec {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;
  friend bool operator==(const ArraySpec&, const ArraySpec&) = default;
};

struct ArraySlot {
  ArraySpec spec;
  std::uint64_t offset = 0;  // of the first element, from the segment's start
};

/// Where an array lies in its room. RedZones: 64-byte aligned, at least 4 KiB of pattern before and after.
/// PageEnd: the last byte is the last of a page, and the next page is not accessible in the native runner (an
/// overrun is a SIGSEGV); PageStart: the same before the first byte. Reads of a red zone go unseen; a guard
/// page sees them.
enum class Placement : std::uint8_t { RedZones, PageEnd, PageStart };

/// Bytes one element of a NumPy dtype name takes; 0 for an unknown name.
std::size_t element_bytes(std::string_view dtype);

struct RedZoneViolation {
  std::string name;         // the array whose neighbourhood was written
  std::int64_t offset = 0;  // bytes from its first element (negative: before), of the first change found
  friend bool operator==(const RedZoneViolation&, const RedZoneViolation&) = default;
};

class SharedArrays {
 public:
  SharedArrays() = default;
  /// A new zeroed segment with pattern in its red zones; nullopt if memory is short (errno says).
  static std::optional<SharedArrays> create(std::vector<ArraySpec> specs,
                                            Placement placement = Placement::RedZones);
  /// A segment that another process made and laid out; takes the descriptor. nullopt if it cannot be mapped
  /// or a slot lies outside it.
  static std::optional<SharedArrays> adopt(int fd, std::vector<ArraySlot> slots);

  SharedArrays(SharedArrays&& other) noexcept { *this = std::move(other); }
  SharedArrays& operator=(SharedArrays&& other) noexcept;
  ~SharedArrays();

  std::size_t size() const { return slots_.size(); }
  const ArraySlot& slot(std::size_t index) const { return slots_[index]; }
  const std::vector<ArraySlot>& slots() const { return slots_; }
  std::span<std::byte> bytes(std::size_t index);
  std::span<const std::byte> bytes(std::size_t index) const;
  /// The index of a name, or nullopt.
  std::optional<std::size_t> find(std::string_view name) const;
  template <typename T>
  std::span<T> as(std::size_t index) {
    const std::span<std::byte> raw = bytes(index);
    return {reinterpret_cast<T*>(raw.data()), raw.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as(std::size_t index) const {
    const std::span<const std::byte> raw = bytes(index);
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

  /// Arrays whose surroundings no longer hold the pattern. Always empty for an adopted segment.
  std::vector<RedZoneViolation> violations() const;
  /// [begin, end) byte ranges that the runner makes inaccessible.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& guards() const { return guards_; }
  /// For an offset outside all arrays: the array whose surroundings it lies in, and the distance from its
  /// first element.
  std::optional<std::pair<std::size_t, std::int64_t>> nearest_array(std::uint64_t offset) const;
  int fd() const { return fd_; }
  std::uint64_t total_bytes() const { return total_; }

 private:
  struct Zone {
    std::uint64_t begin;
    std::uint64_t end;
    std::size_t slot;  // the array that it belongs to
  };
  std::vector<Zone> zones() const;
  bool guarded(std::uint64_t offset) const;
  void fill_pattern();

  std::vector<ArraySlot> slots_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> guards_;
  std::byte* base_ = nullptr;
  std::uint64_t total_ = 0;
  int fd_ = -1;
  bool patterned_ = false;
};

/// A copy of `arrays` (the same names, dtypes, shapes and contents) in a new segment.
std::optional<SharedArrays> copy(const SharedArrays& arrays, Placement placement = Placement::RedZones);

}  // namespace pw::runtime
