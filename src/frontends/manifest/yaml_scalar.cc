#include "frontends/manifest/yaml_scalar.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace pw::manifest {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigitsUnderscore = "0123456789_";

template <std::size_t N>
bool is_any(std::string_view text, const std::array<std::string_view, N>& words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

/// Eats from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool one(std::string_view set) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Eats what is in the set; the number of characters.
  std::size_t many(std::string_view set) {
    const std::size_t end = rest_.find_first_not_of(set);
    const std::size_t count = end == std::string_view::npos ? rest_.size() : end;
    rest_.remove_prefix(count);
    return count;
  }
  bool word(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// Between `least` and `most` digits.
  bool digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < most && one(kDigits)) ++count;
    return count >= least;
  }
  /// One or more groups of ":", a digit up to 59.
  bool sixties() {
    std::size_t count = 0;
    while (one(":")) {
      if (rest_.size() >= 2 && kDigits.find(rest_[1]) != std::string_view::npos) {
        if (!one("012345")) return false;
      }
      if (!one(kDigits)) return false;
      ++count;
    }
    return count > 0;
  }

 private:
  std::string_view rest_;
};

bool signed_exponent(Cursor& cursor) {
  if (cursor.done()) return true;
  return cursor.one("eE") && cursor.one("-+") && cursor.many(kDigits) > 0 && cursor.done();
}

bool is_float(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kInfinity = {".inf", ".Inf", ".INF"};
  static constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
  if (is_any(text, kNan)) return true;
  Cursor bare(text);
  if (bare.one(".") && bare.one(kDigits)) {
    bare.many(kDigitsUnderscore);
    return signed_exponent(bare);
  }
  std::string_view rest = text;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  if (is_any(rest, kInfinity)) return true;
  Cursor cursor(rest);
  if (!cursor.one(kDigits)) return false;
  cursor.many(kDigitsUnderscore);
  Cursor sexagesimal = cursor;
  if (cursor.one(".")) {
    cursor.many(kDigitsUnderscore);
    return signed_exponent(cursor);
  }
  if (!sexagesimal.sixties() || !sexagesimal.one(".")) return false;
  sexagesimal.many(kDigitsUnderscore);
  return sexagesimal.done();
}

bool is_int(std::string_view text) {
  Cursor start(text);
  start.one("-+");
  Cursor cursor = start;
  if (cursor.one("0")) {
    if (cursor.done()) return true;
    if (cursor.one("b")) return cursor.many("01_") > 0 && cursor.done();
    if (cursor.one("x")) return cursor.many("0123456789abcdefABCDEF_") > 0 && cursor.done();
    return cursor.many("01234567_") > 0 && cursor.done();
  }
  if (!cursor.one("123456789")) return false;
  cursor.many(kDigitsUnderscore);
  return cursor.done() || (cursor.sixties() && cursor.done());
}

bool is_timestamp(std::string_view text) {
  Cursor date(text);
  if (date.digits(4, 4) && date.one("-") && date.digits(2, 2) && date.one("-") && date.digits(2, 2) &&
      date.done()) {
    return true;
  }
  Cursor cursor(text);
  if (!(cursor.digits(4, 4) && cursor.one("-") && cursor.digits(1, 2) && cursor.one("-") &&
        cursor.digits(1, 2))) {
    return false;
  }
  if (!cursor.one("Tt") && cursor.many(" \t") == 0) return false;
  if (!(cursor.digits(1, 2) && cursor.one(":") && cursor.digits(2, 2) && cursor.one(":") &&
        cursor.digits(2, 2))) {
    return false;
  }
  if (cursor.one(".")) cursor.many(kDigits);
  const bool blanks = cursor.many(" \t") > 0;
  if (cursor.done()) return !blanks;
  if (cursor.one("Z")) return cursor.done();
  if (!cursor.one("-+") || !cursor.digits(1, 2)) return false;
  return cursor.done() || (cursor.one(":") && cursor.digits(2, 2) && cursor.done());
}

/// Digits of a base; nullopt if there is none, one is foreign, or the value exceeds `limit`.
std::optional<std::uint64_t> parse_digits(std::string_view text, unsigned base, std::uint64_t limit) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    unsigned digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
    if (digit >= base || value > (limit - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

std::vector<std::string_view> split_colons(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::string without_underscores(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '_') out.push_back(c);
  }
  return out;
}

std::optional<std::int64_t> construct_int(std::string_view written) {
  const std::string plain = without_underscores(written);
  std::string_view text = plain;
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t limit = kMax + (negative ? 1 : 0);
  std::optional<std::uint64_t> value;
  if (text.substr(0, 2) == "0b") {
    value = parse_digits(text.substr(2), 2, limit);
  } else if (text.substr(0, 2) == "0x") {
    value = parse_digits(text.substr(2), 16, limit);
  } else if (text.size() > 1 && text.front() == '0') {
    value = parse_digits(text, 8, limit);
  } else {
    value = 0;
    for (const std::string_view part : split_colons(text)) {
      const std::optional<std::uint64_t> digits = parse_digits(part, 10, limit);
      if (!digits || *value > (limit - *digits) / 60) return std::nullopt;
      value = *value * 60 + *digits;
    }
  }
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *value : *value);
}

/// Python's float() of an unsigned decimal; nullopt if it is none.
std::optional<double> parse_decimal(std::string_view text) {
  Cursor cursor(text);
  const std::size_t whole = cursor.many(kDigits);
  const std::size_t fraction = cursor.one(".") ? cursor.many(kDigits) : 0;
  if (whole + fraction == 0) return std::nullopt;
  if (cursor.one("e")) {
    cursor.one("-+");
    if (cursor.many(kDigits) == 0) return std::nullopt;
  }
  if (!cursor.done()) return std::nullopt;
  return std::strtod(std::string(text).c_str(), nullptr);
}

std::optional<double> construct_float(std::string_view written) {
  std::string plain = without_underscores(written);
  for (char& c : plain) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view text = plain;
  const double sign = !text.empty() && text.front() == '-' ? -1.0 : 1.0;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == ".inf") return sign * std::numeric_limits<double>::infinity();
  if (text == ".nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  double base = 1;
  std::vector<std::string_view> parts = split_colons(text);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const std::optional<double> digit = parse_decimal(*part);
    if (!digit) return std::nullopt;
    value += *digit * base;
    base *= 60;
  }
  return sign * value;
}

std::optional<bool> construct_bool(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "yes" || lower == "true" || lower == "on") return true;
  if (lower == "no" || lower == "false" || lower == "off") return false;
  return std::nullopt;
}

}  // namespace

ScalarTag resolve_plain(std::string_view text) {
  static constexpr std::array<std::string_view, 18> kBools = {
      "yes",   "Yes",   "YES",   "no", "No", "NO", "true", "True", "TRUE",
      "false", "False", "FALSE", "on", "On", "ON", "off",  "Off",  "OFF"};
  static constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
  if (is_any(text, kNulls)) return ScalarTag::Null;
  if (is_any(text, kBools)) return ScalarTag::Bool;
  if (is_float(text)) return ScalarTag::Float;
  if (is_int(text)) return ScalarTag::Int;
  if (is_timestamp(text)) return ScalarTag::Timestamp;
  if (text == "<<") return ScalarTag::Merge;
  if (text == "=") return ScalarTag::Value;
  return ScalarTag::String;
}

bool construct_scalar(ScalarTag tag, std::string_view text, Yaml& out) {
  out.text = text;
  switch (tag) {
    case ScalarTag::Null:
      out.kind = YamlKind::Null;
      return true;
    case ScalarTag::Bool: {
      const std::optional<bool> value = construct_bool(text);
      out.kind = YamlKind::Bool;
      out.boolean = value.value_or(false);
      return value.has_value();
    }
    case ScalarTag::Int: {
      const std::optional<std::int64_t> value = construct_int(text);
      out.kind = YamlKind::Int;
      out.integer = value.value_or(0);
      return value.has_value();
    }
    case ScalarTag::Float: {
      const std::optional<double> value = construct_float(text);
      out.kind = YamlKind::Float;
      out.real = value.value_or(0);
      return value.has_value();
    }
    case ScalarTag::String:
      out.kind = YamlKind::String;
      return true;
    case ScalarTag::Timestamp:
      out.kind = YamlKind::Timestamp;
      return is_timestamp(text);
    case ScalarTag::Merge:
    case ScalarTag::Value:
      return false;
  }
  return false;
}

}  // namespace pw::manifest
