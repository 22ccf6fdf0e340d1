#include "backends/c/spell.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/c/prelude.h"
#include "ir/node.h"

namespace pw::backends::c {

namespace {

using ir::Op;

constexpr Spelling kSpellings[] = {
    {Op::Add, "b", Form::Infix, "||", Level::Or},
    {Op::Add, "iu", Form::Wrapping, "+", Level::Sum},
    {Op::Add, "fc", Form::Infix, "+", Level::Sum},
    {Op::Sub, "iu", Form::Wrapping, "-", Level::Sum},
    {Op::Sub, "fc", Form::Infix, "-", Level::Sum},
    {Op::Mul, "b", Form::Infix, "&&", Level::And},
    {Op::Mul, "iu", Form::Wrapping, "*", Level::Product},
    {Op::Mul, "f", Form::Infix, "*", Level::Product},
    {Op::Mul, "c", Form::Helper, "mul"},
    {Op::Div, "f", Form::Infix, "/", Level::Product},
    {Op::Div, "c", Form::Helper, "div"},
    {Op::FloorDiv, "iuf", Form::Helper, "floor_div"},
    {Op::Mod, "iuf", Form::Helper, "mod"},
    {Op::FMod, "iu", Form::Helper, "fmod"},
    {Op::FMod, "f", Form::Math, "fmod"},
    {Op::Pow, "iuc", Form::Helper, "pow"},
    {Op::Pow, "f", Form::Math, "pow"},
    {Op::Neg, "iu", Form::Wrapping, "-", Level::Unary},
    {Op::Neg, "fc", Form::Prefix, "-", Level::Unary},
    {Op::Abs, "bu", Form::Itself, ""},
    {Op::Abs, "i", Form::Helper, "abs"},
    {Op::Abs, "f", Form::Math, "fabs"},
    {Op::Abs, "c", Form::Math, "cabs"},
    {Op::Sign, "iuf", Form::Helper, "sign"},
    {Op::Minimum, "b", Form::Infix, "&&", Level::And},
    {Op::Minimum, "iuf", Form::Helper, "min"},
    {Op::Maximum, "b", Form::Infix, "||", Level::Or},
    {Op::Maximum, "iuf", Form::Helper, "max"},
    {Op::FMin, "b", Form::Infix, "&&", Level::And},
    {Op::FMin, "iu", Form::Helper, "min"},
    {Op::FMin, "f", Form::Helper, "fmin"},
    {Op::FMax, "b", Form::Infix, "||", Level::Or},
    {Op::FMax, "iu", Form::Helper, "max"},
    {Op::FMax, "f", Form::Helper, "fmax"},
    {Op::Eq, "biufc", Form::Infix, "==", Level::Equality},
    {Op::Ne, "biufc", Form::Infix, "!=", Level::Equality},
    {Op::Lt, "biuf", Form::Infix, "<", Level::Relation},
    {Op::Le, "biuf", Form::Infix, "<=", Level::Relation},
    {Op::Gt, "biuf", Form::Infix, ">", Level::Relation},
    {Op::Ge, "biuf", Form::Infix, ">=", Level::Relation},
    {Op::And, "b", Form::Infix, "&&", Level::And},
    {Op::Or, "b", Form::Infix, "||", Level::Or},
    {Op::Xor, "b", Form::Infix, "!=", Level::Equality},
    {Op::Not, "b", Form::Prefix, "!", Level::Unary},
    {Op::BitAnd, "biu", Form::Infix, "&", Level::BitAnd},
    {Op::BitOr, "biu", Form::Infix, "|", Level::BitOr},
    {Op::BitXor, "biu", Form::Infix, "^", Level::BitXor},
    {Op::BitNot, "b", Form::Prefix, "!", Level::Unary},
    {Op::BitNot, "iu", Form::Wrapping, "~", Level::Unary},
    {Op::ShiftLeft, "iu", Form::Helper, "shift_left"},
    {Op::ShiftRight, "iu", Form::Helper, "shift_right"},
    {Op::Gcd, "iu", Form::Helper, "gcd"},
    {Op::Lcm, "iu", Form::Helper, "lcm"},
    {Op::Sqrt, "f", Form::Math, "sqrt"},
    {Op::Sqrt, "c", Form::Math, "csqrt"},
    {Op::Cbrt, "f", Form::Math, "cbrt"},
    {Op::Exp, "f", Form::Math, "exp"},
    {Op::Exp, "c", Form::Math, "cexp"},
    {Op::Exp2, "f", Form::Math, "exp2"},
    {Op::Expm1, "f", Form::Math, "expm1"},
    {Op::Log, "f", Form::Math, "log"},
    {Op::Log, "c", Form::Math, "clog"},
    {Op::Log2, "f", Form::Math, "log2"},
    {Op::Log10, "f", Form::Math, "log10"},
    {Op::Log1p, "f", Form::Math, "log1p"},
    {Op::Sin, "f", Form::Math, "sin"},
    {Op::Sin, "c", Form::Math, "csin"},
    {Op::Cos, "f", Form::Math, "cos"},
    {Op::Cos, "c", Form::Math, "ccos"},
    {Op::Tan, "f", Form::Math, "tan"},
    {Op::Tan, "c", Form::Math, "ctan"},
    {Op::Asin, "f", Form::Math, "asin"},
    {Op::Acos, "f", Form::Math, "acos"},
    {Op::Atan, "f", Form::Math, "atan"},
    {Op::Atan2, "f", Form::Math, "atan2"},
    {Op::Sinh, "f", Form::Math, "sinh"},
    {Op::Sinh, "c", Form::Math, "csinh"},
    {Op::Cosh, "f", Form::Math, "cosh"},
    {Op::Cosh, "c", Form::Math, "ccosh"},
    {Op::Tanh, "f", Form::Math, "tanh"},
    {Op::Tanh, "c", Form::Math, "ctanh"},
    {Op::Asinh, "f", Form::Math, "asinh"},
    {Op::Acosh, "f", Form::Math, "acosh"},
    {Op::Atanh, "f", Form::Math, "atanh"},
    {Op::Hypot, "f", Form::Math, "hypot"},
    {Op::LogAddExp, "f", Form::Helper, "logaddexp"},
    {Op::LogAddExp2, "f", Form::Helper, "logaddexp2"},
    {Op::Gamma, "f", Form::Math, "tgamma"},
    {Op::LogGamma, "f", Form::Math, "lgamma"},
    {Op::Erfc, "f", Form::Math, "erfc"},
    {Op::Erf, "f", Form::Math, "erf"},
    {Op::Floor, "f", Form::Math, "floor"},
    {Op::Ceil, "f", Form::Math, "ceil"},
    {Op::Trunc, "f", Form::Math, "trunc"},
    {Op::Rint, "f", Form::Math, "rint"},
    {Op::CopySign, "f", Form::Math, "copysign"},
    {Op::IsNan, "fc", Form::Helper, "isnan"},
    {Op::IsInf, "fc", Form::Helper, "isinf"},
    {Op::IsFinite, "fc", Form::Helper, "isfinite"},
    {Op::Real, "c", Form::Math, "creal"},
    {Op::Imag, "c", Form::Math, "cimag"},
    {Op::Conj, "f", Form::Itself, ""},
    {Op::Conj, "c", Form::Math, "conj"},
    {Op::Complex, "f", Form::Macro, "CMPLX"},
    {Op::Select, "biufc", Form::Choice, "", Level::Choice},
    {Op::AddOverflows, "i", Form::Untyped, "add_overflows"},
    {Op::SubOverflows, "i", Form::Untyped, "sub_overflows"},
    {Op::MulOverflows, "i", Form::Untyped, "mul_overflows"},
};

char kind_letter(ir::DType type) { return "biufc"[static_cast<int>(ir::kind(type))]; }

std::string real_text(double value, bool single) {
  if (std::isnan(value)) return std::signbit(value) ? "-NAN" : "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  char buffer[64];
  const auto end = single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
                          : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    // 1e300 and 1e-5, as people write them, not 1e+300 and 1e-05
    if (text[e + 1] == '+') text.erase(e + 1, 1);
    const std::size_t digits = text[e + 1] == '-' ? e + 2 : e + 1;
    text.erase(digits, text.find_first_not_of('0', digits) - digits);
  } else if (text.find('.') == std::string::npos) {
    text += ".0";
  }
  return single ? text + "f" : text;
}

std::string integer_text(const ir::Const& constant) {
  const std::int64_t value = ir::as_int(constant);
  switch (constant.type) {
    case ir::DType::U64:
      return std::to_string(constant.bits) + "u";
    case ir::DType::U32:
      return std::to_string(value) + "u";
    case ir::DType::I64:
      if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
      return std::to_string(value);
    case ir::DType::I32:
      if (value == std::numeric_limits<std::int32_t>::min()) return "INT32_MIN";
      return std::to_string(value);
    default:
      return std::to_string(value);
  }
}

}  // namespace

const Spelling* spelling(ir::Op op, ir::DType argument) {
  // First row of each op: the table is walked once.
  static const auto kFirst = [] {
    std::vector<std::size_t> first(ir::op_rows().size(), std::size(kSpellings));
    for (std::size_t i = std::size(kSpellings); i-- > 0;)
      first[static_cast<std::size_t>(kSpellings[i].op)] = i;
    return first;
  }();
  for (std::size_t i = kFirst[static_cast<std::size_t>(op)]; i < std::size(kSpellings); ++i) {
    if (kSpellings[i].op != op) break;
    if (kSpellings[i].kinds.find(kind_letter(argument)) != std::string_view::npos) return &kSpellings[i];
  }
  return nullptr;
}

Formula literal(const ir::Const& constant) {
  const bool single = !math_suffix(constant.type).empty();
  std::string text;
  switch (ir::kind(constant.type)) {
    case ir::DTypeKind::Bool:
      return {ir::as_bool(constant) ? "true" : "false"};
    case ir::DTypeKind::Int:
    case ir::DTypeKind::UInt:
      text = integer_text(constant);
      break;
    case ir::DTypeKind::Float:
      text = real_text(ir::as_float(constant), single);
      break;
    case ir::DTypeKind::Complex: {
      const std::complex<double> value = ir::as_complex(constant);
      return {(single ? "CMPLXF(" : "CMPLX(") + real_text(value.real(), single) + ", " +
                  real_text(value.imag(), single) + ")",
              Level::Postfix};
    }
  }
  const Level level = text[0] == '-' ? Level::Unary : Level::Primary;
  return {std::move(text), level};
}

/// What C and Python may call a name and C++ may not, which includes the header.
constexpr std::array kCppKeywords = {
    "alignas",  "alignof",       "and_eq",       "bitand",     "bitor",     "catch",
    "char16_t", "char32_t",      "char8_t",      "co_await",   "co_return", "co_yield",
    "compl",    "concept",       "consteval",    "const_cast", "constexpr", "constinit",
    "decltype", "delete",        "dynamic_cast", "explicit",   "export",    "friend",
    "mutable",  "namespace",     "new",          "noexcept",   "not_eq",    "nullptr",
    "operator", "or_eq",         "private",      "protected",  "public",    "reinterpret_cast",
    "requires", "static_assert", "static_cast",  "template",   "this",      "thread_local",
    "throw",    "typeid",        "typename",     "using",      "virtual",   "xor",
    "xor_eq"};

const std::set<std::string>& reserved_names() {
  static const std::set<std::string> kNames = [] {
    // Keywords, macros and types of C11 and of the headers included, and what the printers say themselves.
    std::set<std::string> names = {
        "auto",      "break",       "case",          "char",         "const",        "continue",
        "default",   "do",          "double",        "else",         "enum",         "extern",
        "float",     "for",         "goto",          "if",           "inline",       "int",
        "long",      "register",    "restrict",      "return",       "short",        "signed",
        "sizeof",    "static",      "struct",        "switch",       "typedef",      "union",
        "unsigned",  "void",        "volatile",      "while",        "asm",          "typeof",
        "bool",      "true",        "false",         "complex",      "imaginary",    "I",
        "NULL",      "NAN",         "INFINITY",      "HUGE_VAL",     "CMPLX",        "CMPLXF",
        "RAND_MAX",  "linux",       "unix",          "offsetof",     "size_t",       "ptrdiff_t",
        "wchar_t",   "int8_t",      "int16_t",       "int32_t",      "int64_t",      "uint8_t",
        "uint16_t",  "uint32_t",    "uint64_t",      "SIZE_MAX",     "INT8_MIN",     "INT16_MIN",
        "INT32_MIN", "INT64_MIN",   "INT8_MAX",      "INT16_MAX",    "INT32_MAX",    "INT64_MAX",
        "UINT8_MAX", "UINT16_MAX",  "UINT32_MAX",    "UINT64_MAX",   "FP_NAN",       "FP_ZERO",
        "status",    "cleanup",     "aligned_alloc", "free",         "EXIT_SUCCESS", "EXIT_FAILURE",
        "FP_NORMAL", "FP_INFINITE", "errno",         "PARALLEL_FROM"};
    names.insert(kCppKeywords.begin(), kCppKeywords.end());
    for (const Spelling& row : kSpellings) {
      if (row.form == Form::Math || row.form == Form::Macro) names.emplace(row.word);
      if (row.form == Form::Math) names.insert(std::string(row.word) + "f");
    }
    names.insert(helper_names().begin(), helper_names().end());
    return names;
  }();
  return kNames;
}

const std::set<std::string>& library_names() {
  static const std::set<std::string> kNames = {"abort",
                                               "abs",
                                               "atexit",
                                               "atof",
                                               "atoi",
                                               "atol",
                                               "atoll",
                                               "bsearch",
                                               "calloc",
                                               "div",
                                               "exit",
                                               "getenv",
                                               "labs",
                                               "ldiv",
                                               "llabs",
                                               "lldiv",
                                               "malloc",
                                               "qsort",
                                               "rand",
                                               "realloc",
                                               "srand",
                                               "strtod",
                                               "strtof",
                                               "strtol",
                                               "strtold",
                                               "system",
                                               "erfc",
                                               "fdim",
                                               "fma",
                                               "frexp",
                                               "hypot",
                                               "ilogb",
                                               "ldexp",
                                               "lgamma",
                                               "llrint",
                                               "llround",
                                               "logb",
                                               "lrint",
                                               "lround",
                                               "modf",
                                               "nan",
                                               "nearbyint",
                                               "remquo",
                                               "round",
                                               "scalbln",
                                               "scalbn",
                                               "signbit",
                                               "isnormal",
                                               "isnan",
                                               "isinf",
                                               "isfinite",
                                               "isless",
                                               "tgamma",
                                               "fpclassify",
                                               "cacos",
                                               "casin",
                                               "catan",
                                               "cacosh",
                                               "casinh",
                                               "catanh",
                                               "carg",
                                               "cproj",
                                               "cpow",
                                               "fmin",
                                               "fmax",
                                               "gamma",
                                               "signgam",
                                               "j0",
                                               "j1",
                                               "jn",
                                               "y0",
                                               "y1",
                                               "yn",
                                               "main",
                                               "remainder",
                                               "nextafter",
                                               "nexttoward",
                                               "strtoll",
                                               "strtoul",
                                               "mblen",
                                               "mbtowc",
                                               "wctomb",
                                               "_Exit",
                                               "quick_exit",
                                               "isgreater",
                                               "islessequal",
                                               "isunordered",
                                               "islessgreater",
                                               "isgreaterequal",
                                               "lgammaf",
                                               "tgammaf",
                                               "hypotf",
                                               "roundf",
                                               "fmaf",
                                               "fminf",
                                               "fmaxf",
                                               "remainderf",
                                               "ldexpf",
                                               "modff",
                                               "cpowf"};
  return kNames;
}

std::string includes_for(std::string_view text) {
  static const std::set<std::string, std::less<>> kMath = [] {
    std::set<std::string, std::less<>> words = {"NAN", "INFINITY", "isnan", "isinf", "isfinite"};
    for (const Spelling& row : kSpellings) {
      if (row.kinds.find('f') == std::string_view::npos) continue;
      if (row.form == Form::Math || row.form == Form::Macro) words.emplace(row.word);
      if (row.form == Form::Math) words.insert(std::string(row.word) + "f");
    }
    words.erase("CMPLX");
    return words;
  }();
  bool math = false;
  bool library = false;
  bool strings = false;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    math |= !word.empty() && kMath.contains(word);
    library |= word == "aligned_alloc" || word == "free";
    strings |= word == "memcpy";
    begin = std::max(end, begin + 1);
  }
  std::string out;
  if (math) out += "#include <math.h>\n";
  out += "#include <stddef.h>\n";
  if (library) out += "#include <stdlib.h>\n";
  if (strings) out += "#include <string.h>\n";
  return out;
}

}  // namespace pw::backends::c
