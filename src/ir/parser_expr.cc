#include <charconv>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "ir/parser_state.h"

namespace pw::ir {

using base::Result;
using diagnostics::Rule;

// ---- cursor, places, names

ParserState::Failure ParserState::unexpected(std::string_view wanted) {
  const Token& token = peek();
  std::string found = "'" + std::string(engine_.sources().text(here())) + "'";
  if (token.kind == TokenKind::Newline) found = "the end of the line";
  if (token.kind == TokenKind::End) found = "the end of the text";
  return engine_.report(Rule::IrSyntax, here(), wanted, found);
}

Result<base::Done> ParserState::expect(std::string_view mark) {
  if (!take_mark(mark)) return unexpected("'" + std::string(mark) + "'");
  return base::Done();
}

Result<std::string> ParserState::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::Name) return unexpected(what);
  return std::string(next().text);
}

base::Span ParserState::since(std::size_t first) const {
  if (has_line_place_) return line_place_;
  return {file_, tokens_[first].begin, tokens_[at_ > first ? at_ - 1 : first].end};
}

base::Span ParserState::line_span() const {
  std::size_t last = at_;
  while (tokens_[last].kind != TokenKind::Newline && tokens_[last].kind != TokenKind::End) ++last;
  if (last > at_ && tokens_[last - 1].kind == TokenKind::Place) {
    const std::string_view text = tokens_[last - 1].text;
    const std::size_t colon = std::min(text.find(':'), text.size());
    base::Span span{original_, 0, 0};
    std::from_chars(text.data(), text.data() + colon, span.begin);
    if (colon < text.size()) std::from_chars(text.data() + colon + 1, text.data() + text.size(), span.end);
    return span;
  }
  return {file_, peek().begin, last > at_ ? tokens_[last - 1].end : peek().end};
}

Result<base::Done> ParserState::declare(const std::string& name, Entity entity, base::Span span) {
  const auto [it, fresh] = names_.try_emplace(name, Name{entity, true});
  if (!fresh && it->second.in_scope) return engine_.report(Rule::IrDuplicateName, span, name);
  it->second = {entity, true};
  scopes_.back().push_back(name);
  return base::Done();
}

const ParserState::Entity* ParserState::find(std::string_view name) const {
  const auto it = names_.find(std::string(name));
  return it == names_.end() ? nullptr : &it->second.entity;
}

/// A name that went out of scope may be taken again. Until then, or until its function ends, it still finds
/// its entity, so that the verifier and not the parser says what is wrong.
void ParserState::close_scope() {
  for (const std::string& name : scopes_.back()) names_.at(name).in_scope = false;
  scopes_.pop_back();
  if (scopes_.size() > 1) return;
  std::erase_if(names_, [](const auto& each) { return !each.second.in_scope; });
}

// ---- constants

Result<DType> ParserState::dtype() {
  const auto type = peek().kind == TokenKind::Name ? dtype_from_text(peek().text) : std::nullopt;
  if (!type) return unexpected("a dtype");
  next();
  return *type;
}

namespace {

/// Whether a sign and a magnitude are a value of the integer dtype.
bool fits(DType type, bool negative, std::uint64_t magnitude) {
  const auto bits = static_cast<unsigned>(row(type).bytes * 8);
  if (kind(type) == DTypeKind::UInt) {
    return (magnitude == 0 || !negative) && (bits == 64 || magnitude >> bits == 0);
  }
  const std::uint64_t edge = std::uint64_t(1) << (bits - 1);
  return negative ? magnitude <= edge : magnitude < edge;
}

template <typename F>
bool parse_float(std::string_view text, F& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(text).c_str(), nullptr) == 0 ? F(0) : std::numeric_limits<F>::infinity();
    return true;
  }
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<Const> ParserState::float_constant(std::string_view text, bool negative, DType type, base::Span span) {
  if (!is_float(type)) return engine_.report(Rule::IrLiteral, span, text, row(type).text);
  double wide = 0;
  float narrow = 0;
  const std::uint64_t sign = type == DType::F32 ? 0x80000000U : 0x8000000000000000U;
  Const constant{type, 0, 0};
  if (text == "nan") {
    constant.bits = type == DType::F32 ? 0x7fc00000U : 0x7ff8000000000000U;
  } else if (text == "inf") {
    constant = const_float(type, std::numeric_limits<double>::infinity());
  } else if (type == DType::F32 ? parse_float(text, narrow) : parse_float(text, wide)) {
    constant = const_float(type, type == DType::F32 ? double(narrow) : wide);
  } else {
    return engine_.report(Rule::IrLiteral, span, text, row(type).text);
  }
  if (negative) constant.bits |= sign;
  return constant;
}

/// A number with its dtype, after its sign.
Result<Const> ParserState::number(bool negative) {
  const Token token = next();
  std::optional<DType> type;
  if (is_mark(":")) {
    next();
    PW_TRY(type, dtype());
  }
  const base::Span span{file_, token.begin, token.end};
  if (token.kind == TokenKind::Float || token.kind == TokenKind::Name) {
    return float_constant(token.text, negative, type.value_or(DType::F64), span);
  }
  const DType chosen = type.value_or(DType::I64);
  std::uint64_t value = 0;
  const bool hex = token.kind == TokenKind::Hex;
  const auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value, hex ? 16 : 10);
  if (error == std::errc() && hex && is_float(chosen) && !negative &&
      (chosen == DType::F64 || value >> 32U == 0)) {
    return Const{chosen, value, 0};
  }
  if (error != std::errc() || hex || !is_integer(chosen) || !fits(chosen, negative, value)) {
    const std::string text = (negative ? "-" : "") + std::string(token.text);
    return engine_.report(Rule::IrLiteral, span, text, row(chosen).text);
  }
  return const_int(chosen, static_cast<std::int64_t>(negative ? 0 - value : value));
}

/// Any constant: true, -1, 3:u8, nan:f32, c64{1.0:f32, -0.0:f32}.
Result<Const> ParserState::constant() {
  if (take_name("true")) return const_bool(true);
  if (take_name("false")) return const_bool(false);
  if (peek().kind == TokenKind::Name && is_mark("{", 1)) {
    const base::Span span = here();
    PW_TRY(const DType type, dtype());
    if (!is_complex(type)) return engine_.report(Rule::IrLiteral, span, "{...}", row(type).text);
    next();
    Const out{type, 0, 0};
    for (std::uint64_t* part : {&out.bits, &out.imag_bits}) {
      const bool negative = take_mark("-");
      const bool is_number = peek().kind == TokenKind::Float || peek().kind == TokenKind::Hex ||
                             is_name("nan") || is_name("inf");
      if (!is_number) return unexpected("a float");
      PW_TRY(const Const value, number(negative));
      if (value.type != real_of(type)) {
        return engine_.report(Rule::IrLiteral, span, row(value.type).text, row(type).text);
      }
      *part = value.bits;
      if (part == &out.bits) PW_CHECK_OK(expect(","));
    }
    PW_CHECK_OK(expect("}"));
    return out;
  }
  const bool negative = take_mark("-");
  const TokenKind kind = peek().kind;
  const bool is_number = kind == TokenKind::Integer || kind == TokenKind::Float || kind == TokenKind::Hex ||
                         is_name("nan") || is_name("inf");
  if (!is_number) return unexpected("a constant");
  return number(negative);
}

// ---- index arithmetic

namespace {

constexpr double kLargest = 4.6e18;  // 2^62: ir/node.h, Index
constexpr std::size_t kMostTerms = 256;
constexpr std::size_t kMostFactors = 16;

struct Size {
  double norm = 0;
  std::size_t terms = 0;
  std::size_t factors = 0;
};

Size size_of(const Extent& extent) {
  Size out;
  out.terms = extent.terms.size();
  for (const ExtentTerm& term : extent.terms) {
    out.norm += std::fabs(static_cast<double>(term.coefficient));
    out.factors = std::max(out.factors, term.factors.size());
  }
  return out;
}

bool can_combine(std::string_view op, const Size& a, const Size& b) {
  if (op != "*") return a.norm + b.norm < kLargest && a.terms + b.terms <= kMostTerms;
  return a.norm * b.norm < kLargest && a.terms * b.terms <= kMostTerms &&
         a.factors + b.factors <= kMostFactors;
}

}  // namespace

Result<ExtentId> ParserState::need_extent(const Value& value) {
  if (value.extent.valid()) return value.extent;
  return engine_.report(Rule::IrIndexArithmetic, value.span,
                        "this is no integer constant or immutable i64 local");
}

Result<ParserState::Value> ParserState::combine(std::string_view op, const Value& a, const Value& b) {
  PW_TRY(const ExtentId left, need_extent(a));
  PW_TRY(const ExtentId right, need_extent(b));
  ExtentTable& table = module_.extents;
  const bool sized = can_combine(op, size_of(table[left]), size_of(table[right]));
  const base::Span span = base::cover(a.span, b.span);
  if (!sized) return engine_.report(Rule::IrIndexArithmetic, span, "the result may be beyond 2^62");
  if ((op == "//" || op == "%") && table.as_constant(right) == 0) {
    return engine_.report(Rule::IrIndexArithmetic, span, "the divisor is 0");
  }
  const auto apply = [&]() {
    if (op == "+") return table.add(left, right);
    if (op == "-") return table.subtract(left, right);
    if (op == "*") return table.multiply(left, right);
    if (op == "//") return table.apply(ExtentOp::FloorDiv, left, right);
    if (op == "%") return table.apply(ExtentOp::Mod, left, right);
    return table.apply(op == "min" ? ExtentOp::Min : ExtentOp::Max, left, right);
  };
  return Value{apply(), {}, span};
}

Result<ParserState::Value> ParserState::sum() {
  if (++depth_ > kDeepest) return engine_.report(Rule::IrTooDeep, here(), kDeepest);
  PW_TRY(Value value, product());
  while (is_mark("+") || is_mark("-")) {
    const std::string_view op = next().text;
    PW_TRY(const Value right, product());
    PW_TRY(value, combine(op, value, right));
  }
  --depth_;
  return value;
}

Result<ParserState::Value> ParserState::product() {
  PW_TRY(Value value, unary());
  while (is_mark("*") || is_mark("//") || is_mark("%")) {
    const std::string_view op = next().text;
    PW_TRY(const Value right, unary());
    PW_TRY(value, combine(op, value, right));
  }
  return value;
}

Result<ParserState::Value> ParserState::unary() {
  const std::size_t first = at_;
  if (!is_mark("-")) return primary();
  const TokenKind after = peek(1).kind;
  const bool number = after == TokenKind::Integer || after == TokenKind::Float || after == TokenKind::Hex ||
                      peek(1).text == "nan" || peek(1).text == "inf";
  if (number) return primary();
  next();
  PW_TRY(const Value value, primary());
  PW_TRY(const ExtentId extent, need_extent(value));
  return Value{module_.extents.scale(extent, -1), {}, since(first)};
}

// ---- expressions

ExprId ParserState::finish(const Value& value) {
  return value.expr.valid() ? value.expr : module_.index(value.extent, value.span);
}

Result<ExprId> ParserState::expression() {
  PW_TRY(const Value value, sum());
  return finish(value);
}

Result<ExtentId> ParserState::extent() {
  PW_TRY(const Value value, sum());
  return need_extent(value);
}

Result<std::vector<ExprId>> ParserState::expressions(std::string_view close) {
  std::vector<ExprId> out;
  while (!is_mark(close)) {
    if (!out.empty()) PW_CHECK_OK(expect(","));
    PW_TRY(const ExprId id, expression());
    out.push_back(id);
  }
  next();
  return out;
}

Result<std::vector<ExtentId>> ParserState::extents(std::string_view close) {
  std::vector<ExtentId> out;
  while (!is_mark(close)) {
    if (!out.empty()) PW_CHECK_OK(expect(","));
    PW_TRY(const ExtentId id, extent());
    out.push_back(id);
  }
  next();
  return out;
}

Result<ParserState::Value> ParserState::primary() {
  const std::size_t first = at_;
  const Token& token = peek();
  if (token.kind == TokenKind::Shared) {
    const auto it = shared_.find(std::string(token.text));
    if (it == shared_.end()) {
      return engine_.report(Rule::IrUnknownName, here(), "$" + std::string(token.text));
    }
    next();
    const auto extent = module_.as_extent(it->second);
    return Value{extent.value_or(ExtentId()), it->second, since(first)};
  }
  if (take_mark("(")) {
    PW_TRY(Value value, sum());
    PW_CHECK_OK(expect(")"));
    value.span = since(first);
    return value;
  }
  const bool is_complex_literal = is_mark("{", 1) && (is_name("c64") || is_name("c128"));
  if (token.kind == TokenKind::Name && !is_complex_literal) {
    if (is_mark("(", 1)) return call(first);
    const bool word = is_name("true") || is_name("false") || is_name("nan") || is_name("inf");
    if (!word) return read(first);
  }
  PW_TRY(const Const value, constant());
  if (value.type == DType::I64) return Value{module_.extents.constant(as_int(value)), {}, since(first)};
  return Value{{}, module_.add(value, since(first)), since(first)};
}

/// name(...): index arithmetic, a cast or an op.
Result<ParserState::Value> ParserState::call(std::size_t first) {
  const base::Span span = here();
  const std::string name(next().text);
  next();
  if (name == "min" || name == "max") {
    PW_TRY(const Value left, sum());
    PW_CHECK_OK(expect(","));
    PW_TRY(const Value right, sum());
    PW_CHECK_OK(expect(")"));
    return combine(name, left, right);
  }
  if (name == "index") {
    PW_TRY(const ExtentId inner, extent());
    PW_CHECK_OK(expect(")"));
    return Value{inner, module_.add(Index{inner}, since(first)), since(first)};
  }
  PW_TRY(std::vector<ExprId> arguments, expressions(")"));
  const auto type = dtype_from_text(name);
  const auto op = op_from_text(name);
  std::vector<DType> types;
  std::string list;
  for (const ExprId argument : arguments) {
    types.push_back(module_.type(argument));
    list += (list.empty() ? "" : ", ") + std::string(row(types.back()).text);
  }
  if (type && arguments.size() == 1) {
    return Value{{}, module_.add(Cast{*type, arguments[0]}, since(first)), since(first)};
  }
  if (!op && !type) return engine_.report(Rule::IrUnknownName, span, name);
  if (!op || !op_result(*op, types)) return engine_.report(Rule::IrOperands, span, name, list);
  return Value{{}, module_.add(Apply{*op, std::move(arguments)}, since(first)), since(first)};
}

/// name or name[...]
Result<ParserState::Value> ParserState::read(std::size_t first) {
  const base::Span span = here();
  const std::string name(next().text);
  const Entity* entity = find(name);
  if (entity == nullptr) return engine_.report(Rule::IrUnknownName, span, name);
  if (const auto* buffer = std::get_if<BufferId>(entity)) {
    if (!is_mark("[")) return unexpected("'[' after the buffer " + name);
    const BufferId id = *buffer;
    next();
    PW_TRY(std::vector<ExprId> index, expressions("]"));
    return Value{{}, module_.add(Load{id, std::move(index)}, since(first)), since(first)};
  }
  const LocalId id = std::get<LocalId>(*entity);
  const Local& local = module_[id];
  if (local.type == DType::I64 && local.kind != LocalKind::Variable) {
    return Value{module_.extents.local(id), {}, since(first)};
  }
  return Value{{}, module_.add(Read{id}, since(first)), since(first)};
}

}  // namespace pw::ir
