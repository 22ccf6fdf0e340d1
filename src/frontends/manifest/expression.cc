#include "frontends/manifest/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace pw::manifest {

using diagnostics::Rule;

namespace {

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxLength = 2000;  // bounds every recursion over a tree, too

struct Token {
  enum class Kind : std::uint8_t { End, Number, Name, Operator } kind = Kind::End;
  std::string_view text;
  std::size_t begin = 0;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct BinaryRow {
  std::string_view text;
  ExpressionOp op;
  int level;  // Python's precedence, loosest first
};

constexpr int kOr = 1, kAnd = 2, kNot = 3, kCompare = 4, kSum = 5, kProduct = 6, kUnary = 7, kPower = 8,
              kAtom = 9;

constexpr std::array<BinaryRow, 15> kBinary = {{{"or", ExpressionOp::Or, kOr},
                                                {"and", ExpressionOp::And, kAnd},
                                                {"==", ExpressionOp::Equal, kCompare},
                                                {"!=", ExpressionOp::NotEqual, kCompare},
                                                {"<=", ExpressionOp::LessEqual, kCompare},
                                                {">=", ExpressionOp::GreaterEqual, kCompare},
                                                {"<", ExpressionOp::Less, kCompare},
                                                {">", ExpressionOp::Greater, kCompare},
                                                {"+", ExpressionOp::Add, kSum},
                                                {"-", ExpressionOp::Subtract, kSum},
                                                {"*", ExpressionOp::Multiply, kProduct},
                                                {"//", ExpressionOp::FloorDivide, kProduct},
                                                {"%", ExpressionOp::Modulo, kProduct},
                                                {"/", ExpressionOp::ExactDivide, kProduct},
                                                {"**", ExpressionOp::Power, kPower}}};

const BinaryRow* binary_row(std::string_view text) {
  const auto* found =
      std::find_if(kBinary.begin(), kBinary.end(), [&](const BinaryRow& row) { return row.text == text; });
  return found == kBinary.end() ? nullptr : found;
}

const BinaryRow* binary_row(ExpressionOp op) {
  const auto* found =
      std::find_if(kBinary.begin(), kBinary.end(), [&](const BinaryRow& row) { return row.op == op; });
  return found == kBinary.end() ? nullptr : found;
}

constexpr std::array<std::pair<std::string_view, ExpressionOp>, 4> kFunctions = {
    {{"min", ExpressionOp::Minimum},
     {"max", ExpressionOp::Maximum},
     {"abs", ExpressionOp::Absolute},
     {"bool", ExpressionOp::Truth}}};

class Parser {
 public:
  Parser(ExpressionText source, bool is_shape, diagnostics::Engine& engine)
      : source_(source), is_shape_(is_shape), engine_(engine) {
    exact_ = engine.sources().text(source.span) == source.text;
    next();
  }

  base::Result<std::vector<Expression>> shape() {
    PW_CHECK_OK(length());
    std::vector<Expression> extents;
    if (token_.text == "(") {
      // "(N, M)" is the tuple, "(N + 1) * M" an expression: try the tuple, which must reach the end of the
      // text.
      const std::size_t mark = engine_.all().size();
      const auto saved = std::pair(position_, token_);
      if (auto tuple_extents = tuple()) return *tuple_extents;
      if (saw_comma_) return *failure_;
      engine_.truncate(mark);
      std::tie(position_, token_) = saved;
      depth_ = 0;
    }
    PW_TRY(Expression extent, expression());
    extents.push_back(std::move(extent));
    while (token_.text == ",") {
      next();
      if (token_.kind == Token::Kind::End) break;
      PW_TRY(Expression more, expression());
      extents.push_back(std::move(more));
    }
    PW_CHECK_OK(end());
    return extents;
  }

  base::Result<Expression> constraint() {
    PW_CHECK_OK(length());
    PW_TRY(Expression out, expression());
    PW_CHECK_OK(end());
    return out;
  }

 private:
  base::Result<base::Done> length() {
    if (source_.text.size() <= kMaxLength) return base::Done{};
    return engine_.report(Rule::ManifestExpression, source_.span, is_shape_ ? "shape" : "expression",
                          source_.text.substr(0, 40), "it is longer than 2000 characters");
  }

  base::Result<std::vector<Expression>> tuple() {
    auto out = tuple_inner();
    if (!out) failure_ = tl::unexpected(out.error());
    return out;
  }

  base::Result<std::vector<Expression>> tuple_inner() {
    std::vector<Expression> extents;
    next();
    while (token_.text != ")") {
      PW_TRY(Expression extent, expression());
      extents.push_back(std::move(extent));
      if (token_.text == ",") {
        saw_comma_ = true;
        next();
      } else if (token_.text != ")") {
        return fail("',' or ')' is expected");
      }
    }
    next();
    PW_CHECK_OK(end());
    return extents;
  }

  base::Result<base::Done> end() {
    if (token_.kind == Token::Kind::End) return base::Done{};
    return fail(fmt::format("'{}' is not expected here", token_.text));
  }

  void next() {
    const std::string_view text = source_.text;
    while (position_ < text.size() &&
           (text[position_] == ' ' || text[position_] == '\t' || text[position_] == '\n')) {
      ++position_;
    }
    token_ = {Token::Kind::End, {}, position_};
    if (position_ == text.size()) return;
    std::size_t length = 1;
    const char first = text[position_];
    if (is_letter(first) || is_digit(first)) {
      while (position_ + length < text.size() &&
             (is_letter(text[position_ + length]) || is_digit(text[position_ + length]))) {
        ++length;
      }
      token_.kind = is_letter(first) ? Token::Kind::Name : Token::Kind::Number;
    } else {
      token_.kind = Token::Kind::Operator;
      const std::string_view two = text.substr(position_, 2);
      if (two == "//" || two == "**" || two == "<=" || two == ">=" || two == "==" || two == "!=") length = 2;
      // A foreign character beyond ASCII is shown whole.
      while (position_ + length < text.size() &&
             (static_cast<unsigned char>(text[position_ + length]) & 0xC0) == 0x80) {
        ++length;
      }
    }
    token_.text = text.substr(position_, length);
    position_ += length;
  }

  base::Span span(std::size_t begin, std::size_t end) const {
    if (!exact_) return source_.span;
    const std::uint32_t start = source_.span.begin;
    return {source_.span.file, start + static_cast<std::uint32_t>(begin),
            start + static_cast<std::uint32_t>(end)};
  }
  base::Span token_span() const { return span(token_.begin, token_.begin + token_.text.size()); }

  tl::unexpected<base::Reported> fail(std::string_view why) {
    return engine_.report(Rule::ManifestExpression, token_span(), is_shape_ ? "shape" : "expression",
                          source_.text, why);
  }

  Expression make(ExpressionOp op, std::vector<Expression> operands, base::Span place) {
    Expression out;
    out.op = op;
    out.operands = std::move(operands);
    out.span = place;
    return out;
  }

  base::Result<Expression> expression() {
    PW_TRY(Expression value, binary(kOr));
    if (is_shape_ || token_.text != "if") return value;
    next();
    PW_TRY(Expression condition, binary(kOr));
    if (token_.text != "else") return fail("'else' is expected");
    next();
    PW_TRY(Expression otherwise, nested([&] { return expression(); }));
    const base::Span place = base::cover(value.span, otherwise.span);
    std::vector<Expression> operands;
    operands.push_back(std::move(condition));
    operands.push_back(std::move(value));
    operands.push_back(std::move(otherwise));
    return make(ExpressionOp::Conditional, std::move(operands), place);
  }

  template <typename Parse>
  base::Result<Expression> nested(Parse parse) {
    if (++depth_ > kMaxDepth) return fail("it is nested too deeply");
    base::Result<Expression> out = parse();
    --depth_;
    return out;
  }

  /// The operator here, if it binds at least as tightly as `least`; powers are unary()'s.
  const BinaryRow* here(int least) const {
    if (token_.kind != Token::Kind::Operator && token_.kind != Token::Kind::Name) return nullptr;
    const BinaryRow* row = binary_row(token_.text);
    if (row == nullptr || row->level < least || row->level >= kUnary) return nullptr;
    return is_shape_ && row->level < kSum ? nullptr : row;
  }

  /// One frame for all levels (precedence climbing): a frame a level would take the stack seven times as
  /// fast.
  base::Result<Expression> binary(int least) {
    PW_TRY(Expression left, least <= kNot ? negation() : unary());
    while (const BinaryRow* row = here(least)) {
      if (row->level == kCompare) {
        PW_TRY(left, comparison(std::move(left)));
        continue;
      }
      next();
      PW_TRY(Expression right, binary(row->level + 1));
      left = join(row->op, std::move(left), std::move(right));
    }
    return left;
  }

  Expression join(ExpressionOp op, Expression left, Expression right) {
    const base::Span place = base::cover(left.span, right.span);
    std::vector<Expression> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    return make(op, std::move(operands), place);
  }

  /// a < b < c is a < b and b < c.
  base::Result<Expression> comparison(Expression left) {
    std::optional<Expression> all;
    while (const BinaryRow* row = here(kCompare)) {
      next();
      PW_TRY(Expression right, binary(kSum));
      Expression one = join(row->op, std::move(left), right);
      left = std::move(right);
      all = all ? join(ExpressionOp::And, std::move(*all), std::move(one)) : std::move(one);
    }
    return all ? std::move(*all) : std::move(left);
  }

  base::Result<Expression> negation() {
    if (is_shape_ || token_.text != "not") return unary();
    const base::Span start = token_span();
    next();
    PW_TRY(Expression operand, nested([&] { return binary(kNot); }));
    const base::Span place = base::cover(start, operand.span);
    std::vector<Expression> operands;
    operands.push_back(std::move(operand));
    return make(ExpressionOp::Not, std::move(operands), place);
  }

  base::Result<Expression> unary() {
    if (token_.text == "-" || (token_.text == "+" && !is_shape_)) {
      const bool minus = token_.text == "-";
      const base::Span start = token_span();
      next();
      PW_TRY(Expression operand, nested([&] { return unary(); }));
      if (!minus) return operand;
      const base::Span place = base::cover(start, operand.span);
      std::vector<Expression> operands;
      operands.push_back(std::move(operand));
      return make(ExpressionOp::Negate, std::move(operands), place);
    }
    PW_TRY(Expression base_value, atom());
    if (is_shape_ || token_.text != "**") return base_value;
    next();
    PW_TRY(Expression exponent, nested([&] { return unary(); }));
    return join(ExpressionOp::Power, std::move(base_value), std::move(exponent));
  }

  base::Result<Expression> atom() {
    const Token here = token_;
    if (here.kind == Token::Kind::Number) return number();
    if (here.text == "(") {
      next();
      PW_TRY(Expression inner, nested([&] { return expression(); }));
      if (token_.text != ")") return fail("')' is expected");
      inner.span = span(here.begin, token_.begin + 1);
      next();
      return inner;
    }
    if (here.kind != Token::Kind::Name || binary_row(here.text) != nullptr || here.text == "not" ||
        here.text == "if" || here.text == "else") {
      if (here.kind == Token::Kind::End) return fail("it ends too early");
      return fail(fmt::format("'{}' is not expected here", here.text));
    }
    const base::Span place = token_span();
    next();
    if (token_.text == "(") return call(here);
    if (here.text == "True" || here.text == "False") {
      Expression out = make(ExpressionOp::Constant, {}, place);
      out.constant = here.text == "True" ? 1 : 0;
      return out;
    }
    Expression out = make(ExpressionOp::Symbol, {}, place);
    out.symbol = here.text;
    return out;
  }

  base::Result<Expression> number() {
    std::int64_t value = 0;
    for (const char c : token_.text) {
      if (c == '_') continue;
      if (!is_digit(c)) return fail(fmt::format("'{}' is no decimal integer", token_.text));
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value)) {
        return fail(fmt::format("{} does not fit 64 bits", token_.text));
      }
    }
    Expression out = make(ExpressionOp::Constant, {}, token_span());
    out.constant = value;
    next();
    if (token_.text == ".") return fail("a fraction is no integer");
    return out;
  }

  base::Result<Expression> call(const Token& name) {
    const auto* row = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [&](const auto& r) { return r.first == name.text; });
    const bool is_int = name.text == "int";
    if (is_shape_ || (row == kFunctions.end() && !is_int)) {
      return engine_.report(Rule::ManifestExpression, span(name.begin, name.begin + name.text.size()),
                            is_shape_ ? "shape" : "expression", source_.text,
                            fmt::format("{}() cannot be called here", name.text));
    }
    std::vector<Expression> arguments;
    next();
    while (token_.text != ")") {
      PW_TRY(Expression argument, nested([&] { return expression(); }));
      arguments.push_back(std::move(argument));
      if (token_.text == ",") {
        next();
      } else if (token_.text != ")") {
        return fail("',' or ')' is expected");
      }
    }
    const bool many = name.text == "min" || name.text == "max";
    if (many ? arguments.size() < 2 : arguments.size() != 1) {
      return fail(fmt::format("{}() takes {}", name.text, many ? "at least two values" : "one value"));
    }
    const base::Span place = span(name.begin, token_.begin + 1);
    next();
    if (is_int) return std::move(arguments.front());
    return make(row->second, std::move(arguments), place);
  }

  ExpressionText source_;
  bool is_shape_;
  diagnostics::Engine& engine_;
  bool exact_ = false;
  bool saw_comma_ = false;
  std::optional<tl::unexpected<base::Reported>> failure_;
  std::size_t position_ = 0;
  Token token_;
  int depth_ = 0;
};

class Evaluator {
 public:
  Evaluator(const Symbols& symbols, diagnostics::Engine& engine, std::string_view where)
      : symbols_(symbols), engine_(engine), where_(where) {}

  base::Result<std::int64_t> value(const Expression& node) {
    switch (node.op) {
      case ExpressionOp::Constant:
        return node.constant;
      case ExpressionOp::Symbol: {
        const auto found = symbols_.find(node.symbol);
        if (found == symbols_.end())
          return engine_.report(Rule::ManifestUnboundSymbol, node.span, node.symbol);
        return found->second;
      }
      case ExpressionOp::And:
      case ExpressionOp::Or: {
        PW_TRY(const std::int64_t left, value(node.operands[0]));
        if ((left != 0) != (node.op == ExpressionOp::And)) return left != 0 ? 1 : 0;
        PW_TRY(const std::int64_t right, value(node.operands[1]));
        return right != 0 ? 1 : 0;
      }
      case ExpressionOp::Conditional: {
        PW_TRY(const std::int64_t condition, value(node.operands[0]));
        return value(node.operands[condition != 0 ? 1 : 2]);
      }
      default:
        break;
    }
    std::vector<std::int64_t> operands;
    for (const Expression& operand : node.operands) {
      PW_TRY(const std::int64_t one, value(operand));
      operands.push_back(one);
    }
    return operands.size() == 1 ? unary(node, operands[0]) : binary(node, operands);
  }

 private:
  tl::unexpected<base::Reported> fail(const Expression& node, std::string_view why) {
    return engine_.report(Rule::ManifestExpressionValue, node.span, to_text(node), why, where_);
  }

  base::Result<std::int64_t> unary(const Expression& node, std::int64_t a) {
    if (node.op == ExpressionOp::Not) return a == 0 ? 1 : 0;
    if (node.op == ExpressionOp::Truth) return a != 0 ? 1 : 0;
    if (node.op == ExpressionOp::Absolute && a >= 0) return a;
    std::int64_t out = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &out)) return fail(node, "exceeds 64 bits");
    return out;
  }

  base::Result<std::int64_t> binary(const Expression& node, const std::vector<std::int64_t>& operands) {
    const std::int64_t a = operands[0], b = operands[1];
    std::int64_t out = 0;
    bool overflow = false;
    switch (node.op) {
      case ExpressionOp::Add:
        overflow = __builtin_add_overflow(a, b, &out);
        break;
      case ExpressionOp::Subtract:
        overflow = __builtin_sub_overflow(a, b, &out);
        break;
      case ExpressionOp::Multiply:
        overflow = __builtin_mul_overflow(a, b, &out);
        break;
      case ExpressionOp::FloorDivide:
      case ExpressionOp::Modulo:
      case ExpressionOp::ExactDivide:
        return divide(node, a, b);
      case ExpressionOp::Power:
        return power(node, a, b);
      case ExpressionOp::Equal:
        return a == b ? 1 : 0;
      case ExpressionOp::NotEqual:
        return a != b ? 1 : 0;
      case ExpressionOp::Less:
        return a < b ? 1 : 0;
      case ExpressionOp::LessEqual:
        return a <= b ? 1 : 0;
      case ExpressionOp::Greater:
        return a > b ? 1 : 0;
      case ExpressionOp::GreaterEqual:
        return a >= b ? 1 : 0;
      case ExpressionOp::Minimum:
        return *std::min_element(operands.begin(), operands.end());
      case ExpressionOp::Maximum:
        return *std::max_element(operands.begin(), operands.end());
      default:
        break;
    }
    if (overflow) return fail(node, "exceeds 64 bits");
    return out;
  }

  base::Result<std::int64_t> divide(const Expression& node, std::int64_t a, std::int64_t b) {
    if (b == 0) return fail(node, "divides by zero");
    if (b == -1) {  // The one quotient that can overflow; its remainder is 0.
      std::int64_t out = 0;
      if (node.op == ExpressionOp::Modulo) return 0;
      if (__builtin_sub_overflow(std::int64_t{0}, a, &out)) return fail(node, "exceeds 64 bits");
      return out;
    }
    const std::int64_t quotient = a / b;
    const std::int64_t rest = a % b;
    const bool below = rest != 0 && (rest < 0) != (b < 0);
    if (node.op == ExpressionOp::Modulo) return below ? rest + b : rest;
    if (node.op == ExpressionOp::ExactDivide && rest != 0) return fail(node, "is no integer");
    return below ? quotient - 1 : quotient;
  }

  base::Result<std::int64_t> power(const Expression& node, std::int64_t a, std::int64_t b) {
    if (b < 0) return fail(node, "is no integer");
    if (a == 0 || a == 1) return b == 0 ? 1 : a;
    if (a == -1) return b % 2 == 0 ? 1 : -1;
    std::int64_t out = 1;
    for (std::int64_t i = 0; i < b; ++i) {
      if (__builtin_mul_overflow(out, a, &out)) return fail(node, "exceeds 64 bits");
    }
    return out;
  }

  const Symbols& symbols_;
  diagnostics::Engine& engine_;
  std::string_view where_;
};

void collect(const Expression& node, std::vector<const Expression*>& out) {
  if (node.op == ExpressionOp::Symbol) out.push_back(&node);
  for (const Expression& operand : node.operands) collect(operand, out);
}

int level_of(const Expression& node) {
  if (const BinaryRow* row = binary_row(node.op)) return row->level;
  if (node.op == ExpressionOp::Not) return kNot;
  if (node.op == ExpressionOp::Negate) return kUnary;
  return node.op == ExpressionOp::Conditional ? 0 : kAtom;
}

std::string text_at(const Expression& node, int least_level) {
  const std::string text = to_text(node);
  return level_of(node) < least_level ? fmt::format("({})", text) : text;
}

}  // namespace

base::Result<std::vector<Expression>> parse_shape(ExpressionText text, diagnostics::Engine& engine) {
  return Parser(text, true, engine).shape();
}

base::Result<Expression> parse_constraint(ExpressionText text, diagnostics::Engine& engine) {
  return Parser(text, false, engine).constraint();
}

base::Result<std::int64_t> evaluate(const Expression& expression, const Symbols& symbols,
                                    diagnostics::Engine& engine, std::string_view where) {
  return Evaluator(symbols, engine, where).value(expression);
}

std::vector<const Expression*> symbols_of(const Expression& expression) {
  std::vector<const Expression*> out;
  collect(expression, out);
  return out;
}

std::string to_text(const Expression& node) {
  switch (node.op) {
    case ExpressionOp::Constant:
      return fmt::format("{}", node.constant);
    case ExpressionOp::Symbol:
      return node.symbol;
    case ExpressionOp::Negate:
      return "-" + text_at(node.operands[0], kUnary);
    case ExpressionOp::Not:
      return "not " + text_at(node.operands[0], kNot);
    case ExpressionOp::Conditional:
      return fmt::format("{} if {} else {}", text_at(node.operands[1], kOr), text_at(node.operands[0], kOr),
                         text_at(node.operands[2], 0));
    case ExpressionOp::Minimum:
    case ExpressionOp::Maximum:
    case ExpressionOp::Absolute:
    case ExpressionOp::Truth: {
      std::string out;
      for (const auto& [name, op] : kFunctions) {
        if (op == node.op) out = fmt::format("{}(", name);
      }
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        out += (i == 0 ? "" : ", ") + text_at(node.operands[i], 0);
      }
      return out + ")";
    }
    default:
      break;
  }
  const BinaryRow* row = binary_row(node.op);
  const bool power = node.op == ExpressionOp::Power;
  // ** binds to the right, and a chain of comparisons means something else.
  const int left_level = power ? kAtom : row->level == kCompare ? kSum : row->level;
  return fmt::format("{} {} {}", text_at(node.operands[0], left_level), row->text,
                     text_at(node.operands[1], power ? kUnary : row->level + 1));
}

}  // namespace pw::manifest
