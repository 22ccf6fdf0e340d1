// SHA-256, the only hash of evidence.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pw::base {

/// Incremental SHA-256 (FIPS 180-4, computed by OpenSSL).
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::string_view bytes);
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hex digits; the object is spent.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace pw::base
