// A vector whose first few elements lie in the object itself: for the operands of nodes, of which a module
// holds hundreds of thousands and which are copied all the time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace pw::base {

/// Of small, trivially copyable elements.
template <typename T, std::size_t Inline = 4>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that the standard library asks for
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  // NOLINTEND(readability-identifier-naming)

  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  template <std::input_iterator Iterator>
  SmallVector(Iterator first, Iterator last) {
    append(first, last);
  }
  SmallVector(const std::vector<T>& items) { append(items.begin(), items.end()); }
  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t wider = std::max<std::size_t>(count, std::size_t{2} * capacity_);
    T* heap = new T[wider];
    std::copy(begin(), end(), heap);
    if (!is_inline()) delete[] heap_;
    heap_ = heap;
    capacity_ = static_cast<std::uint32_t>(wider);
  }
  void push_back(T item) {
    if (size_ == capacity_) reserve(size_ + std::size_t{1});
    data()[size_++] = item;
  }
  template <typename Iterator>
  void append(Iterator first, Iterator last) {
    if constexpr (std::random_access_iterator<Iterator>)
      reserve(size_ + static_cast<std::size_t>(last - first));
    for (; first != last; ++first) push_back(*first);
  }
  void resize(std::size_t count) {
    reserve(count);
    for (std::size_t i = size_; i < count; ++i) data()[i] = T();
    size_ = static_cast<std::uint32_t>(count);
  }
  T* erase(T* at) {
    std::copy(at + 1, end(), at);
    --size_;
    return at;
  }
  void clear() { size_ = 0; }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const SmallVector& a, const SmallVector& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  bool is_inline() const { return capacity_ == Inline; }
  T* data() { return is_inline() ? inline_ : heap_; }
  const T* data() const { return is_inline() ? inline_ : heap_; }
  void release() {
    if (!is_inline()) delete[] heap_;
    size_ = 0;
    capacity_ = Inline;
  }
  void take(SmallVector& other) {
    if (other.is_inline()) {
      std::copy(other.begin(), other.end(), inline_);
    } else {
      heap_ = other.heap_;
    }
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, std::uint32_t{Inline});
  }

  union {
    T inline_[Inline] = {};  // NOLINT(readability-identifier-naming): private, though the linter takes a
    T* heap_;                // NOLINT(readability-identifier-naming): union's members for public
  };
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = Inline;  // Inline: the elements lie in the object
};

}  // namespace pw::base
