#include "frontends/python/number_scan.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace pw::python {

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

int digit_value(char c) {
  if (is_decimal(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool continues_name(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  NumberScan scan() {
    if (at(0) == '0' && (at(1) | 0x20) == 'x') return based(16, "invalid hexadecimal literal");
    if (at(0) == '0' && (at(1) | 0x20) == 'o') return based(8, "invalid octal literal");
    if (at(0) == '0' && (at(1) | 0x20) == 'b') return based(2, "invalid binary literal");
    return decimal();
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  NumberScan bad(std::string_view problem) const { return {position_ + 1, problem}; }

  /// Digits with single underscores between them; false if an underscore has no digit after it.
  bool digits(int base) {
    while (true) {
      while (digit_value(at(position_)) < base) ++position_;
      if (at(position_) != '_') return true;
      ++position_;
      if (digit_value(at(position_)) >= base) return false;
    }
  }

  NumberScan based(int base, std::string_view problem) {
    position_ = 2;
    if (at(position_) == '_') ++position_;
    if (digit_value(at(position_)) >= base || !digits(base) || is_decimal(at(position_))) return bad(problem);
    return ended(problem);
  }

  NumberScan decimal() {
    static constexpr std::string_view kProblem = "invalid decimal literal";
    const bool starts_with_zero = at(0) == '0';
    if (at(0) != '.' && !digits(10)) return bad(kProblem);
    const std::string_view whole = text_.substr(0, position_);
    bool integer = true;
    if (at(position_) == '.') {
      integer = false;
      ++position_;
      if (is_decimal(at(position_)) && !digits(10)) return bad(kProblem);
    }
    if ((at(position_) | 0x20) == 'e') {
      const bool sign = at(position_ + 1) == '+' || at(position_ + 1) == '-';
      const std::size_t exponent = position_ + (sign ? 2 : 1);
      if (is_decimal(at(exponent))) {
        integer = false;
        position_ = exponent;
        if (!digits(10)) return bad(kProblem);
      } else if (sign) {
        return bad(kProblem);
      }
    }
    if ((at(position_) | 0x20) == 'j') {
      ++position_;
      return ended("invalid imaginary literal");
    }
    if (integer && starts_with_zero && whole.find_first_of("123456789") != std::string_view::npos) {
      return {position_, "leading zeros in a decimal integer"};
    }
    return ended(kProblem);
  }

  /// A name may not follow at once, but for these keywords (`1if x else 2`), which CPython lets pass.
  NumberScan ended(std::string_view problem) const {
    if (!continues_name(at(position_))) return {position_, {}};
    for (const std::string_view word : {"and", "else", "for", "if", "in", "is", "or", "not"}) {
      if (text_.substr(position_, word.size()) == word) return {position_, {}};
    }
    return bad(problem);
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

double to_double(const std::string& digits) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  // from_chars does not say on which side; a literal that is too large has a decimal exponent above zero.
  const std::size_t e = digits.find_first_of("eE");
  const std::string_view mantissa = std::string_view(digits).substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  long long exponent =
      static_cast<long long>(point) - static_cast<long long>(first == std::string_view::npos ? 0 : first);
  if (e != std::string::npos) {
    const bool negative = digits[e + 1] == '-';
    long long written = 0;
    for (std::size_t i = e + 1; i < digits.size(); ++i) {
      if (is_decimal(digits[i]) && written < 1000000000) written = written * 10 + (digits[i] - '0');
    }
    exponent += negative ? -written : written;
  }
  return exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

/// Decimal digits of a number in another base: schoolbook, the length is limited. Source: Knuth, TAOCP
/// 2, 4.4.
std::string to_decimal(std::string_view digits, unsigned base) {
  static constexpr std::uint32_t kLimb = 1000000000;
  std::vector<std::uint32_t> limbs;
  for (const char c : digits) {
    std::uint64_t carry = static_cast<std::uint64_t>(digit_value(c));
    for (std::uint32_t& limb : limbs) {
      const std::uint64_t sum = static_cast<std::uint64_t>(limb) * base + carry;
      limb = static_cast<std::uint32_t>(sum % kLimb);
      carry = sum / kLimb;
    }
    if (carry > 0) limbs.push_back(static_cast<std::uint32_t>(carry));
  }
  std::string out;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    const std::string part = std::to_string(limbs[i]);
    if (!out.empty()) out.append(9 - part.size(), '0');
    out += part;
  }
  return out.empty() ? "0" : out;
}

std::optional<ConstantValue> integer(std::string digits, unsigned base) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  // Before the conversion, which is quadratic: a decimal digit is less than four bits.
  const std::size_t bits = base == 16 ? 4 : base == 8 ? 3 : base == 2 ? 1 : 0;
  if (digits.size() * bits > kMaxIntegerDigits * 4) return std::nullopt;
  if (base != 10) digits = to_decimal(digits, base);
  if (digits.empty()) digits = "0";
  if (digits.size() > kMaxIntegerDigits) return std::nullopt;
  IntValue out{digits, std::nullopt};
  std::int64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc())
    out.value = value;
  return out;
}

}  // namespace

NumberScan scan_number(std::string_view text) { return Scanner(text).scan(); }

std::optional<ConstantValue> number_value(std::string_view literal) {
  std::string plain;
  for (const char c : literal) {
    if (c != '_') plain.push_back(c);
  }
  if (plain.size() > 2 && plain[0] == '0') {
    const char kind = static_cast<char>(plain[1] | 0x20);
    if (kind == 'x') return integer(plain.substr(2), 16);
    if (kind == 'o') return integer(plain.substr(2), 8);
    if (kind == 'b') return integer(plain.substr(2), 2);
  }
  if ((plain.back() | 0x20) == 'j') {
    plain.pop_back();
    return ImaginaryValue{to_double(plain)};
  }
  if (plain.find_first_of(".eE") != std::string::npos) return to_double(plain);
  return integer(std::move(plain), 10);
}

}  // namespace pw::python
