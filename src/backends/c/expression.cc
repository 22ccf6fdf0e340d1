#include "backends/c/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "backends/c/spell.h"
#include "base/check.h"

namespace pw::backends::c {

bool is_leaf(const ir::Expr& expr) {
  return std::holds_alternative<ir::Const>(expr) || std::holds_alternative<ir::Read>(expr) ||
         std::holds_alternative<ir::Index>(expr);
}

namespace {

using ir::Op;

/// Levels of operations that one expression of C may have.
constexpr int kDeepest = 100;

bool is_division(const Formula& formula) {
  return formula.level == Level::Product &&
         (formula.text.find(" / ") != std::string::npos || formula.text.find(" % ") != std::string::npos);
}

/// Sums and products of index arithmetic, which is exact, so that a + (b + c) needs no parentheses.
Formula exact_sum(const Formula& a, const Formula& b) {
  return {within(a, Level::Sum) + " + " + within(b, Level::Sum), Level::Sum};
}

Formula exact_product(const Formula& a, const Formula& b) {
  const std::string right = is_division(b) ? "(" + b.text + ")" : within(b, Level::Product);
  return {within(a, Level::Product) + " * " + right, Level::Product};
}

bool is_wrapping_tree(Op op) { return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Neg; }

std::string unsigned_type(ir::DType type) { return fmt::format("uint{}_t", ir::row(type).bytes * 8); }

std::string_view word_of(Op op) { return op == Op::Add ? "+" : op == Op::Mul ? "*" : "-"; }

Level level_of(Op op) { return op == Op::Mul ? Level::Product : op == Op::Neg ? Level::Unary : Level::Sum; }

bool is_simple_load(const ir::Module& module, const ir::Expr& expr) {
  const auto* load = std::get_if<ir::Load>(&expr);
  return load && std::all_of(load->index.begin(), load->index.end(),
                             [&](ir::ExprId each) { return is_leaf(module[each]); });
}

/// Whether printing an expression twice is worse than a local for it.
bool deserves_local(const ir::Module& module, ir::ExprId id) {
  const ir::Expr& expr = module[id];
  if (is_leaf(expr) || is_simple_load(module, expr)) return false;
  if (std::holds_alternative<ir::Load>(expr)) return true;
  const auto plain = [&](ir::ExprId each) {
    return is_leaf(module[each]) || is_simple_load(module, module[each]);
  };
  if (const auto* cast = std::get_if<ir::Cast>(&expr)) return !plain(cast->argument);
  const auto& apply = std::get<ir::Apply>(expr);
  const bool trivial =
      apply.op == Op::Neg || apply.op == Op::Not || apply.op == Op::Real || apply.op == Op::Imag;
  return !(trivial && plain(apply.arguments[0]));
}

}  // namespace

Formula Expressions::print(ir::ExprId id) {
  if (!bound_.empty()) {
    if (const auto found = bound_.find(id); found != bound_.end()) return {found->second};
  }
  return std::visit(
      ir::Overload{
          [&](const ir::Const& c) { return literal(c); },
          [&](const ir::Read& r) { return Formula{zero_.contains(r.local) ? "0" : names_.of(r.local)}; },
          [&](const ir::Index& i) { return print(i.extent); },
          [&](const ir::Load& l) { return element(l.buffer, l.index); },
          [&](const ir::Apply& a) { return apply(a, module_.type(a.arguments.back())); },
          [&](const ir::Cast& c) { return cast(c); },
      },
      module_[id]);
}

/// gcc 12 takes 0.0 - x for -x where x is written as what cannot be -0.0, and so gives -0.0 for x = 0.0.
bool Expressions::folds_to_negation(const ir::Apply& node) const {
  if (node.op != Op::Sub || bound_.contains(node.arguments[1])) return false;
  const auto* left = std::get_if<ir::Const>(&module_[node.arguments[0]]);
  if (left == nullptr || left->bits != 0 || !ir::is_float(left->type)) return false;
  const ir::Expr& right = module_[node.arguments[1]];
  if (std::holds_alternative<ir::Cast>(right)) return true;
  const auto* apply = std::get_if<ir::Apply>(&right);
  return apply != nullptr && (apply->op == Op::Abs || apply->op == Op::Select);
}

Formula Expressions::apply(const ir::Apply& node, ir::DType type) {
  if (folds_to_negation(node)) return call(prelude_.use("sub", type), node.arguments);
  const Spelling* row = spelling(node.op, type);
  PW_CHECK(row != nullptr, "spell.cc has no row for an op on this dtype");
  switch (row->form) {
    case Form::Infix:
      return binary(row->word, row->level, print(node.arguments[0]), print(node.arguments[1]));
    case Form::Prefix:
      if (row->word == "!") return negated(print(node.arguments[0]));
      return unary(row->word, print(node.arguments[0]));
    case Form::Math:
      return call(fmt::format("{}{}", row->word, math_suffix(type)), node.arguments);
    case Form::Macro:
      return call(node.op == Op::Complex ? fmt::format("CMPLX{}", type == ir::DType::F32 ? "F" : "")
                                         : std::string(row->word),
                  node.arguments);
    case Form::Helper:
      return call(prelude_.use(row->word, type), node.arguments);
    case Form::Untyped:
      return call(prelude_.use(row->word), node.arguments);
    case Form::Itself:
      return print(node.arguments[0]);
    case Form::Choice:
      return choice(print(node.arguments[0]), print(node.arguments[1]), print(node.arguments[2]));
    case Form::Wrapping:
      return wrapping(node, type);
  }
  PW_UNREACHABLE("a form without text");
}

Formula Expressions::call(std::string_view function, const std::vector<ir::ExprId>& arguments) {
  std::string text(function);
  const char* separator = "(";
  for (const ir::ExprId argument : arguments) {
    text.append(separator).append(print(argument).text);
    separator = ", ";
  }
  return {text + ")", Level::Postfix};
}

Formula Expressions::apply(Op op, ir::DType type, const Formula& a, const Formula& b) {
  const Spelling* row = spelling(op, type);
  PW_CHECK(row != nullptr, "spell.cc has no row for an op on this dtype");
  const std::string name(c_type(type));
  switch (row->form) {
    case Form::Infix:
      return binary(row->word, row->level, a, b);
    case Form::Helper:
      return {fmt::format("{}({}, {})", prelude_.use(row->word, type), a.text, b.text), Level::Postfix};
    case Form::Wrapping:
      if (ir::row(type).bytes < 4) {
        const Formula left = type == ir::DType::U16 && op == Op::Mul ? pw::backends::cast("uint32_t", a) : a;
        return pw::backends::cast(name, binary(row->word, row->level, left, b));
      }
      if (ir::kind(type) == ir::DTypeKind::UInt) return binary(row->word, row->level, a, b);
      return pw::backends::cast(name,
                                binary(row->word, row->level, pw::backends::cast(unsigned_type(type), a), b));
    default:
      PW_UNREACHABLE("not an op of two operands");
  }
}

// ---- integers

/// The Apply of an expression that prints in place and whose value is taken modulo 2^bits anyway.
const ir::Apply* Expressions::wrapping_node(ir::ExprId id) const {
  if (bound_.contains(id)) return nullptr;
  const auto* node = std::get_if<ir::Apply>(&module_[id]);
  return node && is_wrapping_tree(node->op) ? node : nullptr;
}

Formula Expressions::unsigned_operand(ir::ExprId id, bool convert) {
  if (const ir::Apply* node = wrapping_node(id)) return unsigned_tree(*node);
  return convert ? pw::backends::cast(unsigned_type(module_.type(id)), print(id)) : print(id);
}

/// Sum, difference or product of signed integers, as an unsigned one: the left end is converted, C's usual
/// conversions do the rest.
Formula Expressions::unsigned_tree(const ir::Apply& node) {
  if (node.op == Op::Neg) return unary("-", unsigned_operand(node.arguments[0], true));
  const Formula left = unsigned_operand(node.arguments[0], true);
  const Formula right = unsigned_operand(node.arguments[1], false);
  if (right.level == Level::Unary && right.text[0] == '-' && right.text.size() > 1 &&
      std::isdigit(static_cast<unsigned char>(right.text[1])) && node.op != Op::Mul) {
    return binary(node.op == Op::Add ? "-" : "+", Level::Sum, left, {right.text.substr(1)});
  }
  return binary(word_of(node.op), level_of(node.op), left, right);
}

Formula Expressions::wrapping(const ir::Apply& node, ir::DType type) {
  const std::string name(c_type(type));
  if (node.op == Op::BitNot || (node.op == Op::Neg && ir::row(type).bytes < 4)) {
    const Formula plain = unary(node.op == Op::Neg ? "-" : "~", print(node.arguments[0]));
    return ir::row(type).bytes < 4 ? pw::backends::cast(name, plain) : plain;
  }
  if (ir::row(type).bytes >= 4 && ir::kind(type) == ir::DTypeKind::Int) {
    return pw::backends::cast(name, unsigned_tree(node));
  }
  if (node.op == Op::Neg) return unary("-", print(node.arguments[0]));
  return apply(node.op, type, print(node.arguments[0]), print(node.arguments[1]));
}

Formula Expressions::cast(const ir::Cast& node) {
  const ir::DType from = module_.type(node.argument);
  Formula argument = print(node.argument);
  if (node.type == from) return argument;
  if (node.type == ir::DType::Bool) return binary("!=", Level::Equality, argument, {"0"});
  if (ir::is_complex(from) && !ir::is_complex(node.type)) {
    argument = {fmt::format("creal{}({})", math_suffix(from), argument.text), Level::Postfix};
    if (node.type == ir::real_of(from)) return argument;
  }
  const ir::DType real = ir::real_of(from);
  if (ir::is_float(real) && (node.type == ir::DType::U32 || node.type == ir::DType::U64)) {
    const std::string helper = prelude_.use(node.type == ir::DType::U32 ? "to_u32" : "to_u64", real);
    return {fmt::format("{}({})", helper, argument.text), Level::Postfix};
  }
  return pw::backends::cast(c_type(node.type), argument);
}

// ---- extents and elements

Formula Expressions::print(ir::ExtentId id) {
  if (const auto found = printed_.find(id); found != printed_.end()) return found->second;
  if (!zero_.empty()) {
    const ir::ExtentId zero = extents_.constant(0);
    const ir::ExtentId less = extents_.substitute(
        id, [&](ir::LocalId local) { return zero_.contains(local) ? zero : ir::ExtentId(); });
    if (less != id) return printed_.emplace(id, print(less)).first->second;
  }
  std::vector<ir::ExtentTerm> terms = extents_[id].terms;
  const auto positive = [](const ir::ExtentTerm& term) { return term.coefficient > 0; };
  if (const auto first = std::find_if(terms.begin(), terms.end(), positive); first != terms.end()) {
    std::rotate(terms.begin(), first, first + 1);
  }
  Formula sum{terms.empty() ? "0" : ""};
  for (const ir::ExtentTerm& term : terms) {
    const bool minus = term.coefficient < 0;
    const std::uint64_t size = minus ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                     : static_cast<std::uint64_t>(term.coefficient);
    Formula product{size != 1 || term.factors.empty() ? std::to_string(size) : ""};
    for (const ir::AtomId factor : term.factors) {
      product = product.text.empty() ? atom(factor) : exact_product(product, atom(factor));
    }
    if (sum.text.empty()) {
      sum = minus ? unary("-", product) : product;
    } else {
      sum = {within(sum, Level::Sum) + (minus ? " - " : " + ") +
                 within(product, minus ? Level::Product : Level::Sum),
             Level::Sum};
    }
  }
  printed_.emplace(id, sum);
  return sum;
}

Formula Expressions::atom(ir::AtomId id) {
  const ir::ExtentAtom node = extents_[id];
  if (const auto* local = std::get_if<ir::LocalId>(&node.node)) return {names_.of(*local)};
  return division(std::get<ir::ExtentApply>(node.node));
}

/// C's / and % where both sides are known to be positive; else the helper with Python's meaning.
Formula Expressions::division(const ir::ExtentApply& node) {
  const Formula left = print(node.left);
  const Formula right = print(node.right);
  const bool is_div = node.op == ir::ExtentOp::FloorDiv;
  if (is_div || node.op == ir::ExtentOp::Mod) {
    const ir::ExtentId above_zero = extents_.add(node.right, extents_.constant(-1));
    if (ir::proves_nonnegative(extents_, node.left, module_.ranges()) &&
        ir::proves_nonnegative(extents_, above_zero, module_.ranges())) {
      return binary(is_div ? "/" : "%", Level::Product, left, right);
    }
  }
  const char* key = is_div                         ? "floor_div"
                    : node.op == ir::ExtentOp::Mod ? "mod"
                    : node.op == ir::ExtentOp::Min ? "min"
                                                   : "max";
  return {fmt::format("{}({}, {})", prelude_.use(key, ir::DType::I64), left.text, right.text),
          Level::Postfix};
}

Formula Expressions::flat(std::span<const ir::ExtentId> extents,
                          const std::function<Formula(std::size_t)>& index) {
  Formula sum{"0"};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const Formula here = index(d);
    const bool one_wide = extents_.as_constant(extents[d]) == 1;
    if (sum.text != "0" && !one_wide) sum = exact_product(sum, print(extents[d]));
    if (sum.text == "0") {
      sum = here;
    } else if (here.text != "0") {
      sum = exact_sum(sum, here);
    }
  }
  return sum;
}

Formula Expressions::element(ir::BufferId buffer, const std::vector<ir::ExprId>& index) {
  const ir::Buffer& facts = module_[buffer];
  const std::string& name = names_.of(buffer);
  if (facts.extents.empty()) {
    if (facts.kind == ir::BufferKind::Temporary) return {name};
    return {"*" + name, Level::Unary};
  }
  const Formula at = flat(facts.extents, [&](std::size_t d) { return print(index[d]); });
  return {name + "[" + at.text + "]", Level::Postfix};
}

Formula Expressions::position(std::span<const ir::Axis> axes) {
  std::vector<ir::ExtentId> extents;
  for (const ir::Axis& axis : axes) extents.push_back(axis.extent);
  return flat(extents, [&](std::size_t d) { return Formula{names_.of(axes[d].index)}; });
}

Formula Expressions::product(std::span<const ir::ExtentId> extents) {
  Formula all{"1"};
  for (const ir::ExtentId extent : extents) {
    const Formula one = print(extent);
    if (one.text == "1") continue;
    all = all.text == "1" ? one : exact_product(all, one);
  }
  return all;
}

// ---- sharing

std::vector<ir::ExprId> Expressions::shared(std::span<const ir::ExprId> roots) const {
  struct Seen {
    int uses = 0;
    bool expanded = false;
  };
  std::unordered_map<ir::ExprId, Seen> seen;
  std::vector<ir::ExprId> after_operands;
  std::vector<std::pair<ir::ExprId, bool>> open;  // true: its operands are done
  const auto use = [&](ir::ExprId id) {
    if (is_leaf(module_[id]) || bound_.contains(id)) return;
    Seen& facts = seen[id];
    ++facts.uses;
    if (!facts.expanded) open.emplace_back(id, false);
  };
  for (const ir::ExprId root : roots) {
    use(root);
    while (!open.empty()) {
      const auto [id, done] = open.back();
      Seen& facts = seen[id];
      if (done || facts.expanded) {
        open.pop_back();
        if (done) after_operands.push_back(id);
        continue;
      }
      facts.expanded = true;
      open.back().second = true;
      const std::vector<ir::ExprId> operands = ir::operands_of(module_[id]);
      for (auto each = operands.rbegin(); each != operands.rend(); ++each) use(*each);
    }
  }
  // Also what would nest too deep for a reader, and for our own recursion.
  std::unordered_map<ir::ExprId, int> height;
  std::erase_if(after_operands, [&](ir::ExprId id) {
    int above = 0;
    for (const ir::ExprId operand : ir::operands_of(module_[id])) {
      if (const auto found = height.find(operand); found != height.end())
        above = std::max(above, found->second);
    }
    const bool local = above >= kDeepest || (seen[id].uses >= 2 && deserves_local(module_, id));
    height[id] = local ? 0 : above + 1;
    return !local;
  });
  return after_operands;
}

void Expressions::set_zero(ir::LocalId axis) { zero_.insert(axis); }

void Expressions::bind(ir::ExprId id, std::string name) {
  bound_.emplace(id, std::move(name));
  order_.push_back(id);
}

void Expressions::unbind(std::size_t count) {
  while (order_.size() > count) {
    bound_.erase(order_.back());
    order_.pop_back();
  }
}

}  // namespace pw::backends::c
