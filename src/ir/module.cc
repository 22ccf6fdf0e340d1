#include "ir/module.h"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"

namespace pw::ir {

namespace {

using base::mix;

std::uint64_t hash_of(const Expr& expr) {
  const std::uint64_t seed = expr.index();
  return std::visit(Overload{
                        [&](const Const& c) {
                          return mix(mix(mix(seed, c.bits), c.imag_bits), static_cast<std::uint64_t>(c.type));
                        },
                        [&](const Read& r) { return mix(seed, r.local.index()); },
                        [&](const Index& i) { return mix(seed, i.extent.index()); },
                        [&](const Load& l) {
                          std::uint64_t hash = mix(seed, l.buffer.index());
                          for (const ExprId i : l.index) hash = mix(hash, i.index());
                          return hash;
                        },
                        [&](const Apply& a) {
                          std::uint64_t hash = mix(seed, static_cast<std::uint64_t>(a.op));
                          for (const ExprId i : a.arguments) hash = mix(hash, i.index());
                          return hash;
                        },
                        [&](const Cast& c) {
                          return mix(mix(seed, static_cast<std::uint64_t>(c.type)), c.argument.index());
                        },
                    },
                    expr);
}

std::uint64_t float_bits(DType part, double value) {
  return part == DType::F32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                            : std::bit_cast<std::uint64_t>(value);
}

double from_bits(DType part, std::uint64_t bits) {
  return part == DType::F32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                            : std::bit_cast<double>(bits);
}

}  // namespace

Const const_bool(bool value) { return {DType::Bool, value ? 1U : 0U, 0}; }

Const const_int(DType type, std::int64_t value) {
  switch (type) {
    case DType::Bool:
      return const_bool(value != 0);
    case DType::I8:
      return {type, static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(value))),
              0};
    case DType::I16:
      return {type, static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(value))),
              0};
    case DType::I32:
      return {type, static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value))),
              0};
    case DType::U8:
      return {type, static_cast<std::uint8_t>(value), 0};
    case DType::U16:
      return {type, static_cast<std::uint16_t>(value), 0};
    case DType::U32:
      return {type, static_cast<std::uint32_t>(value), 0};
    case DType::I64:
    case DType::U64:
      return {type, static_cast<std::uint64_t>(value), 0};
    case DType::F32:
    case DType::F64:
    case DType::C64:
    case DType::C128:
      break;
  }
  PW_UNREACHABLE("const_int of an inexact dtype");
}

Const const_float(DType type, double value) { return const_complex(type, {value, 0.0}); }

Const const_complex(DType type, std::complex<double> value) {
  const DType part = real_of(type);
  PW_CHECK(is_float(part), "const_float of an integer dtype");
  return {type, float_bits(part, value.real()), is_complex(type) ? float_bits(part, value.imag()) : 0};
}

bool as_bool(const Const& constant) { return constant.bits != 0; }

std::int64_t as_int(const Const& constant) { return static_cast<std::int64_t>(constant.bits); }

double as_float(const Const& constant) { return from_bits(real_of(constant.type), constant.bits); }

std::complex<double> as_complex(const Const& constant) {
  const DType part = real_of(constant.type);
  return {from_bits(part, constant.bits),
          is_complex(constant.type) ? from_bits(part, constant.imag_bits) : 0.0};
}

std::string_view to_text(TrapKind kind) {
  switch (kind) {
    case TrapKind::IndexError:
      return "IndexError";
    case TrapKind::ValueError:
      return "ValueError";
    case TrapKind::ZeroDivisionError:
      return "ZeroDivisionError";
    case TrapKind::OverflowError:
      return "OverflowError";
    case TrapKind::LinAlgError:
      return "LinAlgError";
    case TrapKind::TypeError:
      return "TypeError";
    case TrapKind::AssertionError:
      return "AssertionError";
    case TrapKind::RuntimeError:
      return "RuntimeError";
    case TrapKind::NotImplementedError:
      return "NotImplementedError";
    case TrapKind::UnboundLocalError:
      return "UnboundLocalError";
    case TrapKind::FloatingPointError:
      return "FloatingPointError";
    case TrapKind::AttributeError:
      return "AttributeError";
    case TrapKind::Raised:
      return "Raised";
    case TrapKind::Assumption:
      return "Assumption";
  }
  return "";
}

TrapKind trap_kind(std::string_view name) {
  for (int k = 0; k <= static_cast<int>(TrapKind::Assumption); ++k) {
    if (to_text(static_cast<TrapKind>(k)) == name) return static_cast<TrapKind>(k);
  }
  return TrapKind::Raised;
}

namespace {

constexpr RoutineRow kRoutines[] = {
#define ROUTINE(name, text, parameters, doc) {text, parameters},
#include "ir/routines.def"
};

}  // namespace

const RoutineRow& row(Routine routine) {
  PW_CHECK(routine != Routine::None, "a row of no routine");
  return kRoutines[static_cast<std::size_t>(routine) - 1];
}

std::optional<Routine> routine_from_text(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kRoutines); ++i) {
    if (kRoutines[i].text == text) return static_cast<Routine>(i + 1);
  }
  return std::nullopt;
}

std::optional<DType> Module::type_of(const Expr& expr) const {
  return std::visit(Overload{
                        [](const Const& c) { return std::optional(c.type); },
                        [&](const Read& r) { return std::optional((*this)[r.local].type); },
                        [](const Index&) { return std::optional(DType::I64); },
                        [&](const Load& l) { return std::optional((*this)[l.buffer].type); },
                        [&](const Apply& a) {
                          std::vector<DType> types;
                          for (const ExprId argument : a.arguments) types.push_back(type(argument));
                          return op_result(a.op, types);
                        },
                        [](const Cast& c) { return std::optional(c.type); },
                    },
                    expr);
}

ExprId Module::add(Expr expr, base::Span span) {
  const std::uint64_t hash = hash_of(expr);
  const std::uint32_t same = expr_index_.find(hash, [&](std::uint32_t row) { return exprs_[row] == expr; });
  if (same != base::HashIndex::kNone) return ExprId(same);
  const std::optional<DType> type = type_of(expr);
  PW_CHECK(type.has_value(), "an expression's arguments do not fit its op");
  const ExprId id(exprs_.size());
  exprs_.push_back(std::move(expr));
  expr_types_.push_back(*type);
  expr_spans_.push_back(span);
  expr_index_.insert(hash, id.value);
  return id;
}

StmtId Module::add(Stmt stmt, base::Span span) {
  stmts_.push_back(std::move(stmt));
  stmt_spans_.push_back(span);
  return StmtId(stmts_.size() - 1);
}

LocalId Module::add(Local local) {
  locals.push_back(std::move(local));
  return LocalId(locals.size() - 1);
}

BufferId Module::add(Buffer buffer) {
  buffers.push_back(std::move(buffer));
  return BufferId(buffers.size() - 1);
}

BlockId Module::add(Block block) {
  blocks.push_back(std::move(block));
  return BlockId(blocks.size() - 1);
}

FunctionId Module::add(Function function) {
  functions.push_back(std::move(function));
  return FunctionId(functions.size() - 1);
}

TrapId Module::add(TrapRow trap) {
  traps.push_back(std::move(trap));
  return TrapId(traps.size() - 1);
}

std::optional<ExtentId> Module::as_extent(ExprId id) {
  if (type(id) != DType::I64) return std::nullopt;
  const Expr& expr = (*this)[id];
  if (const auto* constant = std::get_if<Const>(&expr)) return extents.constant(as_int(*constant));
  if (const auto* index = std::get_if<Index>(&expr)) return index->extent;
  if (const auto* read = std::get_if<Read>(&expr)) {
    if ((*this)[read->local].kind != LocalKind::Variable) return extents.local(read->local);
  }
  return std::nullopt;
}

ExprId Module::index(ExtentId extent, base::Span span) {
  if (const auto value = extents.as_constant(extent)) return add(const_int(DType::I64, *value), span);
  if (const auto local = extents.as_local(extent)) return add(Read{*local}, span);
  return add(Index{extent}, span);
}

std::function<Range(LocalId)> Module::ranges() const {
  return [this](LocalId id) { return (*this)[id].range; };
}

BlockList blocks_of(const Stmt& stmt) {
  return std::visit(Overload{
                        [](const Map& s) { return BlockList{s.body}; },
                        [](const Reduce& s) { return BlockList{s.body}; },
                        [](const For& s) { return BlockList{s.body}; },
                        [](const While& s) { return BlockList{s.body}; },
                        [](const If& s) { return BlockList{s.then_body, s.else_body}; },
                        [](const auto&) { return BlockList(); },
                    },
                    stmt);
}

ExprList exprs_of(const Stmt& stmt) {
  ExprList out;
  const auto add = [&](ExprId id) {
    if (id.valid()) out.push_back(id);
  };
  std::visit(Overload{
                 [&](const Let& s) { add(s.value); },
                 [&](const Declare& s) { add(s.value); },
                 [&](const Assign& s) { add(s.value); },
                 [&](const Store& s) {
                   for (const ExprId i : s.index) add(i);
                   add(s.value);
                 },
                 [&](const Reduce& s) { add(s.value); },
                 [&](const For& s) {
                   add(s.lower);
                   add(s.upper);
                   add(s.step);
                 },
                 [&](const While& s) { add(s.condition); },
                 [&](const If& s) { add(s.condition); },
                 [&](const Return& s) {
                   for (const ExprId value : s.values) add(value);
                 },
                 [&](const Trap& s) { add(s.condition); },
                 [&](const Call& s) {
                   for (const Argument& argument : s.arguments) {
                     if (const auto* expr = std::get_if<ExprId>(&argument)) add(*expr);
                   }
                 },
                 [](const auto&) {},
             },
             stmt);
  return out;
}

ExprList operands_of(const Expr& expr) {
  return std::visit(Overload{
                        [](const Load& l) { return l.index; },
                        [](const Apply& a) { return a.arguments; },
                        [](const Cast& c) { return ExprList{c.argument}; },
                        [](const auto&) { return ExprList(); },
                    },
                    expr);
}

namespace {

/// Names that C, its headers or our own emitted text take.
bool is_reserved(const std::string& name) {
  static const std::set<std::string> kTaken = {
      "auto",     "break",  "case",     "char",       "const",     "continue", "default",  "do",
      "double",   "else",   "enum",     "extern",     "float",     "for",      "goto",     "if",
      "inline",   "int",    "long",     "register",   "restrict",  "return",   "short",    "signed",
      "sizeof",   "static", "struct",   "switch",     "typedef",   "union",    "unsigned", "void",
      "volatile", "while",  "bool",     "true",       "false",     "complex",  "I",        "NULL",
      "main",     "y0",     "y1",       "yn",         "j0",        "j1",       "jn",       "gamma",
      "exp",      "log",    "sin",      "cos",        "tan",       "sqrt",     "floor",    "ceil",
      "round",    "rint",   "fabs",     "fmin",       "fmax",      "pow",      "abs",      "div",
      "free",     "malloc", "calloc",   "memcpy",     "memset",    "index",    "status",   "erf",
      "signbit",  "isnan",  "isinf",    "isfinite",   "creal",     "cimag",    "conj",     "cabs",
      "cexp",     "tgamma", "lgamma",   "hypot",      "remainder", "trunc",    "time",     "clock",
      "select",   "read",   "write",    "open",       "close",     "link",     "signal",   "random",
      "rand",     "exit",   "double_t", "float_t",    "asm",       "typeof",   "linux",    "unix",
      "cosh",     "sinh",   "tanh",     "acos",       "asin",      "atan",     "atan2",    "fma",
      "logb",     "scalb",  "drem",     "significand"};
  return kTaken.contains(name);
}

std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out.push_back(plain ? c : '_');
  }
  // C reserves _X and __x for itself.
  out.erase(0, std::min(out.find_first_not_of('_'), out.size()));
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(out.begin(), 'v');
  if (is_reserved(out)) out.push_back('_');
  return out;
}

class Namer {
 public:
  explicit Namer(Module& module) : module_(module) {}

  void run(const Function& function) {
    taken_.clear();
    next_.clear();
    taken_.reserve(module_.locals.size() + module_.buffers.size());
    for (const Function& each : module_.functions) taken_.insert(each.name);
    for (const Parameter& parameter : function.parameters) {
      std::visit(Overload{[&](LocalId id) { name(id); }, [&](BufferId id) { name(id); }}, parameter);
    }
    run(function.body);
  }

 private:
  std::string fresh(const std::string& wanted) {
    std::string base = identifier(wanted);
    std::string candidate = base;
    int& next = next_.try_emplace(base, 2).first->second;
    while (!taken_.insert(candidate).second) candidate = base + "_" + std::to_string(next++);
    return candidate;
  }
  void name(LocalId id) { module_[id].name = fresh(module_[id].name); }
  void name(BufferId id) { module_[id].name = fresh(module_[id].name); }

  void run(BlockId block) {
    for (const StmtId id : module_[block].statements) {
      const Stmt& stmt = module_[id];
      std::visit(Overload{
                     [&](const Let& s) { name(s.local); },
                     [&](const Declare& s) { name(s.variable); },
                     [&](const Alloc& s) { name(s.buffer); },
                     [&](const Map& s) {
                       for (const Axis& axis : s.axes) name(axis.index);
                     },
                     [&](const Reduce& s) {
                       name(s.target);
                       for (const Axis& axis : s.axes) name(axis.index);
                     },
                     [&](const For& s) { name(s.index); },
                     [&](const Call& s) {
                       for (const LocalId result : s.results) name(result);
                     },
                     [](const auto&) {},
                 },
                 stmt);
      for (const BlockId inner : blocks_of(stmt)) run(inner);
    }
  }

  Module& module_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  // all suffixes below are taken
};

}  // namespace

void name_uniquely(Module& module) {
  for (Function& function : module.functions) function.name = identifier(function.name);
  for (const Function& function : module.functions) Namer(module).run(function);
}

}  // namespace pw::ir
