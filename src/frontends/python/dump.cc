#include "frontends/python/dump.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "frontends/python/ast_fields.h"
#include "frontends/python/unicode.h"

namespace pw::python {

namespace {

void append_hex(std::string& out, std::string_view prefix, char32_t value, int digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out.push_back(kDigits[(value >> shift) & 0xF]);
}

/// float.__repr__: the shortest digits that read back as the same value, fixed between 1e-4 and 1e16.
std::string repr_double(double value, bool imaginary) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = shortest.find('e');
  std::string digits;
  for (const char c : shortest.substr(0, e)) {
    if (c != '.' && c != '-') digits.push_back(c);
  }
  int exponent = 0;
  const std::string_view exponent_text = shortest.substr(shortest[e + 1] == '+' ? e + 2 : e + 1);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  std::string out = std::signbit(value) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (digits.size() > 1) out += "." + digits.substr(1);
    const std::string size = std::to_string(std::abs(exponent));
    return out + (exponent < 0 ? "e-" : "e+") + (size.size() < 2 ? "0" : "") + size;
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  out += digits.substr(0, whole);
  if (digits.size() > whole) return out + "." + digits.substr(whole);
  return imaginary ? out : out + ".0";
}

char quote_for(std::string_view text) {
  const bool single = text.find('\'') != std::string_view::npos;
  return single && text.find('"') == std::string_view::npos ? '"' : '\'';
}

/// True if the character was one of those that str and bytes escape alike.
bool append_common_escape(std::string& out, char32_t character, char quote) {
  switch (character) {
    case '\\':
      out += "\\\\";
      return true;
    case '\t':
      out += "\\t";
      return true;
    case '\n':
      out += "\\n";
      return true;
    case '\r':
      out += "\\r";
      return true;
    default:
      if (character != static_cast<char32_t>(quote)) return false;
      out += '\\';
      out += quote;
      return true;
  }
}

void append_str_repr(std::string& out, std::string_view text) {
  const char quote = quote_for(text);
  out.push_back(quote);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const char32_t character = next_utf8(text, i);
    if (append_common_escape(out, character, quote)) continue;
    if (is_printable(character)) {
      out += text.substr(begin, i - begin);
    } else if (character < 0x100) {
      append_hex(out, "\\x", character, 2);
    } else if (character < 0x10000) {
      append_hex(out, "\\u", character, 4);
    } else {
      append_hex(out, "\\U", character, 8);
    }
  }
  out.push_back(quote);
}

void append_bytes_repr(std::string& out, std::string_view bytes) {
  const char quote = quote_for(bytes);
  out.push_back('b');
  out.push_back(quote);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (append_common_escape(out, byte, quote)) continue;
    if (byte >= 0x20 && byte < 0x7F) {
      out.push_back(c);
    } else {
      append_hex(out, "\\x", byte, 2);
    }
  }
  out.push_back(quote);
}

constexpr const char* kContexts[] = {"Load", "Store", "Del"};
constexpr const char* kBoolOperators[] = {"And", "Or"};
constexpr const char* kOperators[] = {"Add",    "Sub",    "Mult",  "MatMult", "Div",    "Mod",     "Pow",
                                      "LShift", "RShift", "BitOr", "BitXor",  "BitAnd", "FloorDiv"};
constexpr const char* kUnaryOperators[] = {"Invert", "Not", "UAdd", "USub"};
constexpr const char* kCompareOperators[] = {"Eq",  "NotEq", "Lt",    "LtE", "Gt",
                                             "GtE", "Is",    "IsNot", "In",  "NotIn"};

template <typename Node>
constexpr const char* kNodeName = nullptr;
#define PW_NAME(Node) \
  template <>         \
  constexpr const char* kNodeName<Node> = #Node;
#define PW_NAME_AS(Node, text) \
  template <>                  \
  constexpr const char* kNodeName<Node> = text;
// clang-format off
PW_NAME(BoolOp)
PW_NAME(NamedExpr)
PW_NAME(BinOp)
PW_NAME(UnaryOp)
PW_NAME(Lambda)
PW_NAME(IfExp)
PW_NAME(Dict)
PW_NAME(Set)
PW_NAME(ListComp)
PW_NAME(SetComp)
PW_NAME(DictComp)
PW_NAME(GeneratorExp)
PW_NAME(Await)
PW_NAME(Yield)
PW_NAME(YieldFrom)
PW_NAME(Compare)
PW_NAME(Call)
PW_NAME(FormattedValue)
PW_NAME(JoinedStr)
PW_NAME(Constant)
PW_NAME(Attribute)
PW_NAME(Subscript)
PW_NAME(Starred)
PW_NAME(Name)
PW_NAME(List)
PW_NAME(Tuple)
PW_NAME(Slice)
PW_NAME(FunctionDef)
PW_NAME(AsyncFunctionDef)
PW_NAME(ClassDef)
PW_NAME(Return)
PW_NAME(Delete)
PW_NAME(Assign)
PW_NAME(AugAssign)
PW_NAME(AnnAssign)
PW_NAME(For)
PW_NAME(AsyncFor)
PW_NAME(While)
PW_NAME(If)
PW_NAME(With)
PW_NAME(AsyncWith)
PW_NAME(Match)
PW_NAME(Raise)
PW_NAME(Try)
PW_NAME(TryStar)
PW_NAME(Assert)
PW_NAME(Import)
PW_NAME(ImportFrom)
PW_NAME(Global)
PW_NAME(Nonlocal)
PW_NAME(Expr)
PW_NAME(Pass)
PW_NAME(Break)
PW_NAME(Continue)
PW_NAME(MatchValue)
PW_NAME(MatchSingleton)
PW_NAME(MatchSequence)
PW_NAME(MatchMapping)
PW_NAME(MatchClass)
PW_NAME(MatchStar)
PW_NAME(MatchAs)
PW_NAME(MatchOr)
PW_NAME_AS(Arguments, "arguments")
PW_NAME_AS(Arg, "arg")
PW_NAME_AS(Keyword, "keyword")
PW_NAME_AS(
                                                Comprehension, "comprehension")
PW_NAME_AS(Alias, "alias")
PW_NAME_AS(WithItem, "withitem")
PW_NAME(ExceptHandler)
PW_NAME_AS(MatchCase, "match_case")
PW_NAME(Module)
#undef PW_NAME
#undef PW_NAME_AS
// clang-format on

template <typename T>
constexpr bool kIsId = std::is_same_v<T, ExprId> || std::is_same_v<T, StmtId> || std::is_same_v<T, PatternId>;

class Dumper {
 public:
  Dumper(const Tree& tree, const base::Sources& sources, DumpOptions options)
      : tree_(tree), source_(sources[tree.file]), options_(options) {
    if (std::string_view(source_.text).substr(0, 3) == "\xEF\xBB\xBF") byte_order_mark_ = 3;
  }

  std::string module() {
    node(tree_.module);
    return std::move(out_);
  }

 private:
  template <typename Node>
  void open(const Node& each) {
    out_ += kNodeName<Node>;
    out_.push_back('(');
    first_ = true;
    fields(each, [&](const char* name, const auto& value) { field(name, value); });
    if constexpr (std::is_same_v<Node, Module>) field("type_ignores", std::vector<ExprId>());
  }

  void separate(const char* name) {
    if (!first_) out_ += ", ";
    first_ = false;
    out_ += name;
    out_.push_back('=');
  }

  template <typename T>
  void field(const char* name, const T& value) {
    if constexpr (kIsId<T>) {
      if (!value.valid()) return;
    } else if constexpr (std::is_same_v<T, std::optional<std::string>> ||
                         std::is_same_v<T, std::optional<Arg>>) {
      if (!value) return;
    }
    separate(name);
    print(value);
    first_ = false;
  }

  void number(const char* name, std::size_t value) {
    separate(name);
    out_ += std::to_string(value);
  }

  /// Line and column of an offset: lines from 1, columns in bytes from 0.
  void attributes(base::Span span) {
    if (options_.include_attributes) {
      if (joined_) span = *joined_;
      place("lineno", "col_offset", span.begin);
      place("end_lineno", "end_col_offset", span.end);
    }
    out_.push_back(')');
  }

  void place(const char* line_name, const char* column_name, std::uint32_t offset) {
    const std::size_t line = source_.line_of(offset);
    number(line_name, line + 1);
    number(column_name, offset - source_.line_starts[line] - (line == 0 ? byte_order_mark_ : 0));
  }

  template <typename Node>
  void node(const Node& each) {
    open(each);
    if constexpr (requires { each.span; }) {
      attributes(each.span);
    } else {
      out_.push_back(')');
    }
  }

  template <typename Id>
  void print_id(Id id) {
    if (!id.valid()) {
      out_ += "None";
      return;
    }
    const std::optional<base::Span> outer = joined_;
    if constexpr (std::is_same_v<Id, ExprId>) {
      if (!joined_ && tree_.template get_if<JoinedStr>(id) != nullptr) joined_ = tree_.span(id);
    }
    std::visit([&](const auto& each) { open(each); }, tree_[id]);
    attributes(tree_.span(id));
    joined_ = outer;
  }

  void print(ExprId id) { print_id(id); }
  void print(StmtId id) { print_id(id); }
  void print(PatternId id) { print_id(id); }
  void print(ArgumentsId id) { node(tree_[id]); }
  void print(const std::string& text) { append_str_repr(out_, text); }
  void print(int value) { out_ += std::to_string(value); }
  void print(ExprContext value) { enumerator(kContexts, static_cast<std::size_t>(value)); }
  void print(BoolOperator value) { enumerator(kBoolOperators, static_cast<std::size_t>(value)); }
  void print(Operator value) { enumerator(kOperators, static_cast<std::size_t>(value)); }
  void print(UnaryOperator value) { enumerator(kUnaryOperators, static_cast<std::size_t>(value)); }
  void print(CompareOperator value) { enumerator(kCompareOperators, static_cast<std::size_t>(value)); }
  void print(const ConstantValue& value) { out_ += repr(value); }
  template <typename T>
  void print(const std::optional<T>& value) {
    print(*value);
  }
  template <HasFields Part>
  void print(const Part& part) {
    node(part);
  }
  template <typename T>
  void print(const std::vector<T>& list) {
    out_.push_back('[');
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      print(list[i]);
    }
    out_.push_back(']');
  }

  template <std::size_t N>
  void enumerator(const char* const (&names)[N], std::size_t index) {
    out_ += names[index];
    out_ += "()";
  }

  const Tree& tree_;
  const base::SourceFile& source_;
  DumpOptions options_;
  std::uint32_t byte_order_mark_ = 0;
  std::string out_;
  bool first_ = true;
  std::optional<base::Span> joined_;
};

}  // namespace

std::string repr(const ConstantValue& value) {
  std::string out;
  visit(
      value, [&](const NoneValue&) { out = "None"; }, [&](bool b) { out = b ? "True" : "False"; },
      [&](const IntValue& n) { out = n.digits; }, [&](double d) { out = repr_double(d, false); },
      [&](const ImaginaryValue& i) { out = repr_double(i.imaginary, true) + "j"; },
      [&](const StrValue& s) { append_str_repr(out, s.text); },
      [&](const BytesValue& b) { append_bytes_repr(out, b.bytes); },
      [&](const EllipsisValue&) { out = "Ellipsis"; });
  return out;
}

std::string dump(const Tree& tree, const base::Sources& sources, DumpOptions options) {
  return Dumper(tree, sources, options).module();
}

}  // namespace pw::python
