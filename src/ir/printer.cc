#include "ir/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/text_writer.h"

namespace pw::ir {

namespace {

constexpr std::size_t kInlineNodes = 64;  // a shared expression above it is named
constexpr std::size_t kInlineHeight = 48;

std::string float_text(DType part, std::uint64_t bits) {
  const bool narrow = part == DType::F32;
  const Const constant{part, bits, 0};
  const double value = as_float(constant);
  std::string text;
  if (std::isnan(value)) {
    const std::uint64_t sign = narrow ? 0x80000000U : 0x8000000000000000U;
    const std::uint64_t plain = narrow ? 0x7fc00000U : 0x7ff8000000000000U;
    if ((bits & ~sign) != plain) return fmt::format("{:#x}:{}", bits, row(part).text);
    text = (bits & sign) != 0 ? "-nan" : "nan";
  } else {
    text = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
  }
  return narrow ? text + ":f32" : text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || u >= 0x80;
    if (digit && out.empty()) out += '_';
    out += letter || digit || (c == '.' && !out.empty()) ? c : '_';
  }
  for (const std::string_view word : {"", "true", "false", "nan", "inf", "c64", "c128"}) {
    if (out == word) return out + "_";
  }
  return out;
}

std::string unique(std::unordered_set<std::string>& taken, std::string_view name) {
  const std::string base = identifier(name);
  std::string candidate = base;
  for (int n = 2; !taken.insert(candidate).second; ++n) candidate = fmt::format("{}.{}", base, n);
  return candidate;
}

std::string span_text(base::Span span) {
  if (!span.file.valid() && span.end == 0) return {};
  return fmt::format(" !{}:{}", span.begin, span.end);
}

/// Names that a whole module sees: functions, config values and tables.
struct GlobalNames {
  std::vector<std::string> functions;
  std::unordered_map<LocalId, std::string> configs;
  std::unordered_map<BufferId, std::string> tables;
  std::unordered_set<std::string> taken;
};

GlobalNames global_names(const Module& module) {
  GlobalNames out;
  std::unordered_set<std::string> functions;
  for (const Function& function : module.functions) out.functions.push_back(unique(functions, function.name));
  for (std::size_t i = 0; i < module.locals.size(); ++i) {
    if (module.locals[i].kind != LocalKind::Config) continue;
    out.configs[LocalId(i)] = unique(out.taken, module.locals[i].name);
  }
  for (std::size_t i = 0; i < module.buffers.size(); ++i) {
    if (module.buffers[i].kind != BufferKind::Table) continue;
    out.tables[BufferId(i)] = unique(out.taken, module.buffers[i].name);
  }
  return out;
}

/// Prints one function, or the module's tables. `extents` is a copy of the module's, so that implied ranges
/// can be interned.
class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, ExtentTable& extents, const GlobalNames& names,
                  const PrintOptions& options)
      : module_(module),
        extents_(extents),
        options_(options),
        function_names_(names.functions),
        taken_(names.taken),
        local_names_(names.configs),
        buffer_names_(names.tables) {}

  std::string function(FunctionId id);
  std::string config(LocalId id) {
    return fmt::format("config {} = {}\n", local(id, {}), print(module_[id].config));
  }
  std::string table(BufferId id) {
    std::vector<std::string> elements;
    for (const Const& element : module_[id].table) elements.push_back(print(element));
    return fmt::format("table {} = {{{}}}\n", buffer(id), fmt::join(elements, ", "));
  }
  std::string statement_line(StmtId id) {
    raw_names_ = true;
    name_shared(exprs_of(module_[id]), {});
    return header(id);
  }
  std::string expression(ExprId id) {
    raw_names_ = true;
    name_shared({id}, {});
    return expr(id);
  }

 private:
  // names
  std::string name(LocalId id) {
    if (raw_names_) return identifier(module_[id].name);
    const auto [it, fresh] = local_names_.try_emplace(id);
    if (fresh) it->second = unique(taken_, module_[id].name);
    return it->second;
  }
  std::string name(BufferId id) {
    if (raw_names_) return identifier(module_[id].name);
    const auto [it, fresh] = buffer_names_.try_emplace(id);
    if (fresh) it->second = unique(taken_, module_[id].name);
    return it->second;
  }

  // extents
  std::string extent(ExtentId id);
  std::string term(const ExtentTerm& term);
  std::string atom(AtomId id);
  std::string list(const std::vector<ExtentId>& ids);

  // expressions
  void name_shared(const std::vector<ExprId>& roots, base::Span span);
  std::string expr(ExprId id);
  std::string list(const std::vector<ExprId>& ids);

  // definitions
  std::string local(LocalId id, const Range& implied);
  std::string range(LocalId id, const Range& implied);
  std::string buffer(BufferId id);
  std::string parameter(const Parameter& parameter);
  std::string axes(const std::vector<Axis>& axes);

  // statements
  std::string header(StmtId id);
  void block(BlockId id);
  void statement(StmtId id);
  void line(const std::string& text, base::Span span, std::string_view tail = {}) {
    out_.line(text + std::string(tail) + (options_.spans ? span_text(span) : ""));
  }

  const Module& module_;
  ExtentTable& extents_;
  const PrintOptions& options_;
  base::TextWriter out_;
  bool raw_names_ = false;
  const std::vector<std::string>& function_names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<LocalId, std::string> local_names_;
  std::unordered_map<BufferId, std::string> buffer_names_;
  std::unordered_map<ExprId, std::size_t> named_;
  std::size_t next_named_ = 1;
};

// ---- extents: in an order that depends on names only, because atoms are numbered in order of their first
// use

std::string FunctionPrinter::atom(AtomId id) {
  const ExtentAtom& node = extents_[id];
  if (const auto* local = std::get_if<LocalId>(&node.node)) return name(*local);
  const auto& apply = std::get<ExtentApply>(node.node);
  std::string left = extent(apply.left);
  std::string right = extent(apply.right);
  if (apply.op == ExtentOp::Min || apply.op == ExtentOp::Max) {
    if (right < left) std::swap(left, right);
    return fmt::format("{}({}, {})", apply.op == ExtentOp::Min ? "min" : "max", left, right);
  }
  const auto operand = [&](ExtentId side, const std::string& text) {
    const bool simple = extents_.as_local(side) || extents_.as_constant(side).value_or(-1) >= 0;
    return simple ? text : "(" + text + ")";
  };
  return fmt::format("({} {} {})", operand(apply.left, left), apply.op == ExtentOp::FloorDiv ? "//" : "%",
                     operand(apply.right, right));
}

std::string FunctionPrinter::term(const ExtentTerm& term) {
  std::vector<std::string> factors;
  for (const AtomId factor : term.factors) factors.push_back(atom(factor));
  std::sort(factors.begin(), factors.end());
  return fmt::format("{}", fmt::join(factors, "*"));
}

std::string FunctionPrinter::extent(ExtentId id) {
  struct Part {
    std::size_t degree;
    std::string text;
    std::int64_t coefficient;
  };
  std::vector<Part> parts;
  for (const ExtentTerm& each : extents_[id].terms) {
    parts.push_back({each.factors.size(), term(each), each.coefficient});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.degree != b.degree ? a.degree > b.degree : a.text < b.text;
  });
  if (parts.empty()) return "0";
  std::string out;
  for (const Part& part : parts) {
    const bool negative = part.coefficient < 0;
    const auto bits = static_cast<std::uint64_t>(part.coefficient);
    const std::uint64_t magnitude = negative ? 0 - bits : bits;
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (part.text.empty()) {
      out += fmt::format("{}", magnitude);
    } else {
      out += magnitude == 1 ? part.text : fmt::format("{}*{}", magnitude, part.text);
    }
  }
  return out;
}

std::string FunctionPrinter::list(const std::vector<ExtentId>& ids) {
  std::vector<std::string> texts;
  for (const ExtentId id : ids) texts.push_back(extent(id));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// ---- expressions

/// Writes `$n = ...` for what must not be printed inline: printing costs time and text in proportion to the
/// graph, however often its nodes are shared.
void FunctionPrinter::name_shared(const std::vector<ExprId>& roots, base::Span span) {
  named_.clear();
  struct Facts {
    std::size_t uses = 0, nodes = 0, height = 0;
  };
  std::unordered_map<ExprId, Facts> facts;
  std::vector<ExprId> pending;
  const auto use = [&](ExprId id) {
    if (facts[id].uses++ == 0) pending.push_back(id);
  };
  std::vector<ExprId> order;
  for (const ExprId root : roots) use(root);
  while (!pending.empty()) {
    order.push_back(pending.back());
    pending.pop_back();
    for (const ExprId operand : operands_of(module_[order.back()])) use(operand);
  }
  std::sort(order.begin(), order.end());  // operands were made before their users
  for (const ExprId id : order) {
    Facts& mine = facts[id];
    mine.nodes = mine.height = 1;
    for (const ExprId operand : operands_of(module_[id])) {
      const bool named = named_.contains(operand);
      mine.nodes += named ? 1 : facts[operand].nodes;
      mine.height = std::max(mine.height, named ? 1 : facts[operand].height + 1);
    }
    if ((mine.uses > 1 && mine.nodes > kInlineNodes) || mine.height >= kInlineHeight) {
      const std::string text = expr(id);
      named_[id] = next_named_;
      if (!raw_names_) line(fmt::format("${} = {}", next_named_, text), span);
      ++next_named_;
    }
  }
}

std::string FunctionPrinter::expr(ExprId id) {
  if (const auto it = named_.find(id); it != named_.end()) return fmt::format("${}", it->second);
  return std::visit(
      Overload{
          [](const Const& c) { return print(c); },
          [&](const Read& r) { return name(r.local); },
          [&](const Index& i) {
            const bool plain = extents_.as_constant(i.extent) || extents_.as_local(i.extent);
            return plain ? fmt::format("index({})", extent(i.extent)) : extent(i.extent);
          },
          [&](const Load& l) { return fmt::format("{}[{}]", name(l.buffer), list(l.index)); },
          [&](const Apply& a) { return fmt::format("{}({})", row(a.op).text, list(a.arguments)); },
          [&](const Cast& c) { return fmt::format("{}({})", row(c.type).text, expr(c.argument)); },
      },
      module_[id]);
}

std::string FunctionPrinter::list(const std::vector<ExprId>& ids) {
  std::vector<std::string> texts;
  for (const ExprId id : ids) texts.push_back(expr(id));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// ---- definitions

std::string FunctionPrinter::local(LocalId id, const Range& implied) {
  const Local& local = module_[id];
  std::string text =
      fmt::format("{}: {}", name(id), local.kind == LocalKind::Symbol ? "symbol" : row(local.type).text);
  return text + range(id, implied);
}

std::string FunctionPrinter::range(LocalId id, const Range& implied) {
  const Range& known = module_[id].range;
  if (known.lower == implied.lower && known.upper == implied.upper) return {};
  const auto bound = [&](ExtentId at) { return at.valid() ? extent(at) : std::string("_"); };
  return fmt::format(" in [{}, {}]", bound(known.lower), bound(known.upper));
}

std::string FunctionPrinter::buffer(BufferId id) {
  const Buffer& buffer = module_[id];
  return fmt::format("{}: {}[{}]{}", name(id), row(buffer.type).text, list(buffer.extents),
                     buffer.invented ? " invented" : "");
}

std::string FunctionPrinter::parameter(const Parameter& parameter) {
  return std::visit(Overload{[&](LocalId id) { return local(id, implied_range(extents_, module_[id].kind)); },
                             [&](BufferId id) { return buffer(id); }},
                    parameter);
}

std::string FunctionPrinter::axes(const std::vector<Axis>& axes) {
  std::vector<std::string> texts;
  for (const Axis& axis : axes) {
    texts.push_back(fmt::format("{} < {}{}", name(axis.index), extent(axis.extent),
                                range(axis.index, implied_range(extents_, axis))));
  }
  return fmt::format("({})", fmt::join(texts, ", "));
}

// ---- statements

std::string FunctionPrinter::header(StmtId id) {
  const auto scheduled = [](std::string_view word, Schedule schedule) {
    return schedule == Schedule::Serial ? std::string(word) : fmt::format("{} {}", word, to_text(schedule));
  };
  return std::visit(
      Overload{
          [&](const Let& s) { return fmt::format("let {} = {}", local(s.local, {}), expr(s.value)); },
          [&](const Declare& s) {
            const std::string text = "var " + local(s.variable, {});
            return s.value.valid() ? fmt::format("{} = {}", text, expr(s.value)) : text;
          },
          [&](const Assign& s) { return fmt::format("set {} = {}", name(s.variable), expr(s.value)); },
          [&](const Alloc& s) { return "alloc " + buffer(s.buffer); },
          [&](const Store& s) {
            return fmt::format("store {}[{}] = {}", name(s.buffer), list(s.index), expr(s.value));
          },
          [&](const Map& s) {
            return fmt::format("{} {}{}", scheduled("map", s.schedule), s.library ? "library " : "",
                               axes(s.axes));
          },
          [&](const Reduce& s) {
            return fmt::format("reduce {} = {} {} {}", local(s.target, {}), to_text(s.op),
                               s.order == ReduceOrder::Any ? "any" : "sequential", axes(s.axes));
          },
          [&](const For& s) {
            return fmt::format("{} {}{} = range({}, {}, {})", scheduled("for", s.schedule), name(s.index),
                               range(s.index, implied_range(module_, extents_, s)), expr(s.lower),
                               expr(s.upper), expr(s.step));
          },
          [&](const While& s) { return "while " + expr(s.condition); },
          [&](const If& s) { return "if " + expr(s.condition); },
          [](const Break&) { return std::string("break"); },
          [](const Continue&) { return std::string("continue"); },
          [&](const Return& s) { return s.values.empty() ? "return" : "return " + list(s.values); },
          [&](const Trap& s) {
            const std::string text = fmt::format("trap {}", s.trap.index() + 1);
            return s.condition.valid() ? fmt::format("{} if {}", text, expr(s.condition)) : text;
          },
          [&](const Call& s) {
            std::vector<std::string> arguments;
            for (const Argument& argument : s.arguments) {
              arguments.push_back(
                  std::visit(Overload{[&](ExprId e) { return expr(e); }, [&](BufferId b) { return name(b); }},
                             argument));
            }
            std::vector<std::string> results;
            for (const LocalId result : s.results) results.push_back(local(result, {}));
            return fmt::format("call {}{}@{}({})", fmt::join(results, ", "), results.empty() ? "" : " = ",
                               function_names_[s.callee.index()], fmt::join(arguments, ", "));
          },
      },
      module_[id]);
}

void FunctionPrinter::block(BlockId id) {
  const base::Indented indented(out_);
  for (const StmtId stmt : module_[id].statements) statement(stmt);
}

void FunctionPrinter::statement(StmtId id) {
  const Stmt& stmt = module_[id];
  const base::Span span = module_.span(id);
  const auto* reduce = std::get_if<Reduce>(&stmt);
  if (reduce == nullptr) name_shared(exprs_of(stmt), span);
  const std::vector<BlockId> blocks = blocks_of(stmt);
  line(header(id), span, blocks.empty() ? "" : " {");
  if (blocks.empty()) return;
  block(blocks[0]);
  if (reduce != nullptr) {
    const base::Indented indented(out_);
    name_shared({reduce->value}, span);
    line("yield " + expr(reduce->value), span);
  }
  if (blocks.size() == 2 && !module_[blocks[1]].statements.empty()) {
    out_.line("} else {");
    block(blocks[1]);
  }
  out_.line("}");
}

std::string FunctionPrinter::function(FunctionId id) {
  const Function& function = module_[id];
  // Parameters take their names first: an extent may read one that stands later in the list.
  for (const Parameter& each : function.parameters) {
    std::visit(
        Overload{[&](LocalId local) { (void)name(local); }, [&](BufferId buffer) { (void)name(buffer); }},
        each);
  }
  std::vector<std::string> parameters;
  for (const Parameter& each : function.parameters) parameters.push_back(parameter(each));
  std::string text = fmt::format("func @{}({})", function_names_[id.index()], fmt::join(parameters, ", "));
  if (!function.results.empty()) {
    std::vector<std::string_view> types;
    for (const DType type : function.results) types.push_back(row(type).text);
    text += fmt::format(" -> ({})", fmt::join(types, ", "));
  }
  if (function.promoted != 0) text += fmt::format(" promoted {}", function.promoted);
  if (function.routine != Routine::None) text += fmt::format(" routine {}", row(function.routine).text);
  line(text, function.span, " {");
  block(function.body);
  out_.line("}");
  return out_.take();
}

}  // namespace

std::string print(const Const& constant) {
  const DTypeRow& facts = row(constant.type);
  switch (facts.kind) {
    case DTypeKind::Bool:
      return as_bool(constant) ? "true" : "false";
    case DTypeKind::Int:
      return fmt::format("{}{}{}", as_int(constant), constant.type == DType::I64 ? "" : ":",
                         constant.type == DType::I64 ? "" : facts.text);
    case DTypeKind::UInt:
      return fmt::format("{}:{}", constant.bits, facts.text);
    case DTypeKind::Float:
      return float_text(constant.type, constant.bits);
    case DTypeKind::Complex: {
      const DType part = real_of(constant.type);
      return fmt::format("{}{{{}, {}}}", facts.text, float_text(part, constant.bits),
                         float_text(part, constant.imag_bits));
    }
  }
  return {};
}

std::string_view to_text(ReduceOp op) {
  constexpr std::string_view kNames[] = {"sum", "product", "max", "min", "any", "all", "argmax", "argmin"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_text(Schedule schedule) {
  constexpr std::string_view kNames[] = {"serial", "vector", "parallel"};
  return kNames[static_cast<std::size_t>(schedule)];
}

Range implied_range(ExtentTable& extents, LocalKind kind) {
  return kind == LocalKind::Symbol ? Range{extents.constant(0), {}} : Range{};
}

Range implied_range(ExtentTable& extents, const Axis& axis) {
  return {extents.constant(0), extents.subtract(axis.extent, extents.constant(1))};
}

Range implied_range(const Module& module, ExtentTable& extents, const For& loop) {
  const auto* step = std::get_if<Const>(&module[loop.step]);
  if (step == nullptr || step->type != DType::I64 || as_int(*step) == 0) return {};
  const auto as_extent = [&](ExprId id) {
    return std::visit(
        Overload{
            [&](const Const& c) { return c.type == DType::I64 ? extents.constant(as_int(c)) : ExtentId(); },
            [&](const Index& i) { return i.extent; },
            [&](const Read& r) {
              const Local& local = module[r.local];
              const bool fits = local.type == DType::I64 && local.kind != LocalKind::Variable;
              return fits ? extents.local(r.local) : ExtentId();
            },
            [](const auto&) { return ExtentId(); }},
        module[id]);
  };
  const ExtentId lower = as_extent(loop.lower);
  const ExtentId upper = as_extent(loop.upper);
  if (!lower.valid() || !upper.valid()) return {};
  if (as_int(*step) > 0) return {lower, extents.subtract(upper, extents.constant(1))};
  return {extents.add(upper, extents.constant(1)), lower};
}

std::string print(const Module& module, FunctionId function, const PrintOptions& options) {
  const GlobalNames names = global_names(module);
  ExtentTable extents = module.extents;
  return FunctionPrinter(module, extents, names, options).function(function);
}

std::string print(const Module& module, const PrintOptions& options) {
  const GlobalNames names = global_names(module);
  ExtentTable extents = module.extents;
  std::string out;
  for (const std::string& assumption : module.assumptions) out += "assume " + quoted(assumption) + "\n";
  for (const TrapRow& trap : module.traps) {
    out += fmt::format("trap {} {}{}\n", trap.name(), quoted(trap.message),
                       options.spans ? span_text(trap.span) : "");
  }
  FunctionPrinter globals(module, extents, names, options);
  for (std::size_t i = 0; i < module.locals.size(); ++i) {
    if (module.locals[i].kind == LocalKind::Config) out += globals.config(LocalId(i));
  }
  for (std::size_t i = 0; i < module.buffers.size(); ++i) {
    if (module.buffers[i].kind == BufferKind::Table) out += globals.table(BufferId(i));
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (!out.empty()) out += "\n";
    out += FunctionPrinter(module, extents, names, options).function(FunctionId(i));
  }
  return out;
}

std::string print(const Module& module, StmtId stmt) {
  const GlobalNames names = global_names(module);
  ExtentTable extents = module.extents;
  return FunctionPrinter(module, extents, names, {}).statement_line(stmt);
}

std::string print(const Module& module, ExprId expr) {
  const GlobalNames names = global_names(module);
  ExtentTable extents = module.extents;
  return FunctionPrinter(module, extents, names, {}).expression(expr);
}

}  // namespace pw::ir
