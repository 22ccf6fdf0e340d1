#include "base/hash.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace pw::base {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  PW_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1, "OpenSSL has no SHA-256");
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  PW_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1, "SHA-256 update failed");
}

void Sha256::update(std::span<const std::byte> bytes) {
  PW_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1, "SHA-256 update failed");
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  PW_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1, "SHA-256 final failed");
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out.push_back(kDigits[digest[i] >> 4]);
    out.push_back(kDigits[digest[i] & 15]);
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace pw::base
