#include "ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ir/printer.h"
#include "ir/scalar.h"
#include "ir/verifier_tables.h"

namespace pw::ir {

namespace {

using base::Done;
using base::Result;
using diagnostics::Rule;

class Verifier {
 public:
  Verifier(const Module& module, diagnostics::Engine& engine)
      : module_(module),
        engine_(engine),
        written_(written_parameters(module)),
        locals_(module.locals.size()),
        buffers_(module.buffers.size()),
        visited_(module.expr_count()) {}

  Result<Done> run() {
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      function_ = FunctionId(i);
      note(function(module_.functions[i]));
    }
    return outcome_;
  }

 private:
  using Failure = tl::unexpected<base::Reported>;

  /// Where a local or buffer was defined, and whether that is in scope.
  struct Definition {
    bool defined = false;
    bool in_scope = false;
    int boundary = 0;  // how many Maps and Reduces are around it
    int fold = 0;      // how many Reduces
  };
  struct Scope {
    std::vector<LocalId> locals;
    std::vector<BufferId> buffers;
  };

  void note(const Result<Done>& result) {
    if (!result) outcome_ = result;
  }

  // reports
  std::string where() const {
    const std::string name = "in @" + module_[function_].name;
    return stmt_.valid() ? fmt::format("{}, `{}`", name, print(module_, stmt_)) : name;
  }
  base::Span place() const { return stmt_.valid() ? module_.span(stmt_) : module_[function_].span; }
  template <typename... Arguments>
  Failure fail(Rule rule, const Arguments&... arguments) {
    return engine_.report(rule, place(), where(), arguments...);
  }

  // definitions
  Result<Done> define(LocalId id, std::initializer_list<LocalKind> kinds);
  Result<Done> define(BufferId id, BufferKind kind);
  Result<Done> range(LocalId id);
  void open() { scopes_.emplace_back(); }
  void close();

  // uses
  Result<Done> in_scope(LocalId id);
  Result<Done> in_scope(BufferId id);
  Result<Done> extent(ExtentId id);
  Result<Done> extents(BufferId id);
  Result<Done> expr(ExprId root);
  Result<Done> node(ExprId id);
  Result<Done> typed(ExprId id, DType wanted, std::string_view what);
  Result<Done> index(BufferId id, const std::vector<ExprId>& index);
  Result<Done> writable(BufferId id);

  // statements
  Result<Done> function(const Function& function);
  bool fits_routine(const Function& function) const;
  void block(BlockId id, bool own_scope = true);
  Result<Done> statement(const Stmt& stmt);
  Result<Done> check(const Let& s);
  Result<Done> check(const Declare& s);
  Result<Done> check(const Assign& s);
  Result<Done> check(const Alloc& s);
  Result<Done> check(const Store& s);
  Result<Done> check(const Map& s);
  Result<Done> check(const Reduce& s);
  Result<Done> check(const For& s);
  Result<Done> check(const While& s);
  Result<Done> check(const If& s);
  Result<Done> check(const Break&) { return leave("break"); }
  Result<Done> check(const Continue&) { return leave("continue"); }
  Result<Done> check(const Return& s);
  Result<Done> check(const Trap& s);
  Result<Done> check(const Call& s);
  Result<Done> argument(const Argument& argument, const Parameter& parameter, bool written);
  Result<Done> leave(std::string_view word);
  Result<Done> axes(const std::vector<Axis>& axes);
  bool ends(BlockId id) const;
  bool breaks(BlockId id) const;

  const Module& module_;
  diagnostics::Engine& engine_;
  std::vector<std::vector<bool>> written_;
  std::vector<Definition> locals_;
  std::vector<Definition> buffers_;
  std::vector<std::uint32_t> visited_;  // the number of the walk that saw the expression last
  std::uint32_t walk_ = 0;
  std::vector<Scope> scopes_;
  FunctionId function_;
  StmtId stmt_;
  int boundary_ = 0;
  int fold_ = 0;
  int loops_ = 0;  // around this statement, up to the nearest Map or Reduce
  Result<Done> outcome_ = Done();
};

// ---- definitions

Result<Done> Verifier::define(LocalId id, std::initializer_list<LocalKind> kinds) {
  const Local& local = module_[id];
  if (locals_[id.index()].defined) return fail(Rule::IrDefinition, local.name + " is defined twice");
  locals_[id.index()] = {true, true, boundary_, fold_};
  scopes_.back().locals.push_back(id);
  if (std::find(kinds.begin(), kinds.end(), local.kind) == kinds.end()) {
    return fail(Rule::IrDefinition, local.name + " is of another kind than what defines it");
  }
  return Done();
}

Result<Done> Verifier::define(BufferId id, BufferKind kind) {
  const Buffer& buffer = module_[id];
  if (buffers_[id.index()].defined) return fail(Rule::IrDefinition, buffer.name + " is defined twice");
  buffers_[id.index()] = {true, true, boundary_, fold_};
  scopes_.back().buffers.push_back(id);
  if (buffer.kind != kind) {
    return fail(Rule::IrDefinition, buffer.name + " is of another kind than what defines it");
  }
  return Done();
}

Result<Done> Verifier::range(LocalId id) {
  const Range& range = module_[id].range;
  if (range.lower.valid()) PW_CHECK_OK(extent(range.lower));
  if (range.upper.valid()) PW_CHECK_OK(extent(range.upper));
  return Done();
}

void Verifier::close() {
  for (const LocalId id : scopes_.back().locals) locals_[id.index()].in_scope = false;
  for (const BufferId id : scopes_.back().buffers) buffers_[id.index()].in_scope = false;
  scopes_.pop_back();
}

// ---- uses

Result<Done> Verifier::in_scope(LocalId id) {
  if (module_[id].kind == LocalKind::Config || locals_[id.index()].in_scope) return Done();
  return fail(Rule::IrScope, module_[id].name);
}

Result<Done> Verifier::in_scope(BufferId id) {
  if (module_[id].kind == BufferKind::Table || buffers_[id.index()].in_scope) return Done();
  return fail(Rule::IrScope, module_[id].name);
}

Result<Done> Verifier::extent(ExtentId id) {
  for (const LocalId local : module_.extents.locals(id)) {
    const Local& facts = module_[local];
    if (facts.type != DType::I64 || facts.kind == LocalKind::Variable) {
      return fail(Rule::IrDefinition, "index arithmetic reads " + facts.name + ", which is no immutable i64");
    }
    PW_CHECK_OK(in_scope(local));
  }
  return Done();
}

Result<Done> Verifier::extents(BufferId id) {
  for (const ExtentId each : module_[id].extents) PW_CHECK_OK(extent(each));
  return Done();
}

Result<Done> Verifier::node(ExprId id) {
  if (!has_place(module_.span(id))) return fail(Rule::IrNoSpan, "`" + print(module_, id) + "`");
  return std::visit(Overload{
                        [&](const Read& r) { return in_scope(r.local); },
                        [&](const Index& i) { return extent(i.extent); },
                        [&](const Load& l) -> Result<Done> {
                          PW_CHECK_OK(in_scope(l.buffer));
                          return index(l.buffer, l.index);
                        },
                        [](const auto&) { return Result<Done>(Done()); },
                    },
                    module_[id]);
}

/// Each node once a walk; scopes may differ from statement to statement.
Result<Done> Verifier::expr(ExprId root) {
  ++walk_;
  std::vector<ExprId> pending = {root};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (visited_[id.index()] == walk_) continue;
    visited_[id.index()] = walk_;
    PW_CHECK_OK(node(id));
    for (const ExprId operand : operands_of(module_[id])) pending.push_back(operand);
  }
  return Done();
}

Result<Done> Verifier::typed(ExprId id, DType wanted, std::string_view what) {
  PW_CHECK_OK(expr(id));
  if (module_.type(id) == wanted) return Done();
  return fail(Rule::IrType, what, row(module_.type(id)).text, row(wanted).text);
}

Result<Done> Verifier::index(BufferId id, const std::vector<ExprId>& index) {
  const Buffer& buffer = module_[id];
  if (index.size() != buffer.extents.size()) {
    return fail(Rule::IrRank, buffer.name, buffer.extents.size(), index.size());
  }
  for (const ExprId each : index) {
    if (module_.type(each) == DType::I64) continue;
    return fail(Rule::IrType, "an index of " + buffer.name, row(module_.type(each)).text, "i64");
  }
  return Done();
}

Result<Done> Verifier::writable(BufferId id) {
  PW_CHECK_OK(in_scope(id));
  if (module_[id].kind == BufferKind::Table) {
    return fail(Rule::IrEffect, "the table " + module_[id].name + " is written");
  }
  if (buffers_[id.index()].fold != fold_) {
    return fail(Rule::IrEffect, module_[id].name + " is written under a Reduce and made outside of it");
  }
  return Done();
}

// ---- functions and blocks

Result<Done> Verifier::function(const Function& function) {
  stmt_ = {};
  if (!has_place(function.span)) return fail(Rule::IrNoSpan, "the function");
  if (function.promoted > function.parameters.size()) {
    return fail(Rule::IrDefinition, "more promoted returns than parameters");
  }
  open();
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const bool promoted = i >= function.parameters.size() - function.promoted;
    if (const auto* local = std::get_if<LocalId>(&function.parameters[i])) {
      PW_CHECK_OK(define(*local, {LocalKind::Symbol, LocalKind::Argument}));
      if (promoted) return fail(Rule::IrDefinition, "a promoted return is a scalar");
    } else {
      PW_CHECK_OK(define(std::get<BufferId>(function.parameters[i]), BufferKind::Parameter));
    }
  }
  for (const Parameter& each : function.parameters) {
    PW_CHECK_OK(std::visit(
        Overload{[&](LocalId id) { return range(id); }, [&](BufferId id) { return extents(id); }}, each));
  }
  if (!fits_routine(function)) {
    return fail(Rule::IrDefinition, "other parameters than src/ir/routines.def has for the routine");
  }
  block(function.body, false);
  close();
  stmt_ = {};
  if (!function.results.empty() && !ends(function.body)) {
    return fail(Rule::IrControl, "a path ends without return, and the function has results");
  }
  return Done();
}

bool Verifier::fits_routine(const Function& function) const {
  if (function.routine == Routine::None) return true;
  const std::string_view letters = row(function.routine).parameters;
  const std::size_t count = std::min(letters.find('>'), letters.size());
  const std::size_t results = letters.size() - std::min(count + 1, letters.size());
  const auto all_integers = [](const std::vector<DType>& types) {
    return std::all_of(types.begin(), types.end(), [](DType type) { return type == DType::I64; });
  };
  if (function.parameters.size() != count || function.promoted != 0) return false;
  if (function.results.size() != results || !all_integers(function.results)) return false;
  std::optional<DType> own;
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto* local = std::get_if<LocalId>(&function.parameters[i])) {
      if (letters[i] != 'i' || module_[*local].type != DType::I64) return false;
      continue;
    }
    const Buffer& buffer = module_[std::get<BufferId>(function.parameters[i])];
    if (letters[i] == 't' && !own && (is_float(buffer.type) || is_complex(buffer.type))) own = buffer.type;
    const std::optional<DType> wanted = letters[i] == 'd'          ? std::optional(DType::F64)
                                        : letters[i] == 'z'        ? std::optional(DType::C128)
                                        : letters[i] == 't'        ? own
                                        : letters[i] == 'r' && own ? std::optional(real_of(*own))
                                                                   : std::nullopt;
    if (buffer.extents.size() != 1 || buffer.type != wanted) return false;
  }
  return true;
}

/// Whether the loop with this body can be left by a break.
bool Verifier::breaks(BlockId id) const {
  for (const StmtId stmt : module_[id].statements) {
    if (std::holds_alternative<Break>(module_[stmt])) return true;
    const auto* branch = std::get_if<If>(&module_[stmt]);
    if (branch != nullptr && (breaks(branch->then_body) || breaks(branch->else_body))) return true;
  }
  return false;
}

/// Whether every path through the block returns or traps, or never ends.
bool Verifier::ends(BlockId id) const {
  for (const StmtId stmt : module_[id].statements) {
    const bool last = std::visit(
        Overload{[](const Return&) { return true; }, [](const Trap& s) { return !s.condition.valid(); },
                 [&](const If& s) { return ends(s.then_body) && ends(s.else_body); },
                 [&](const While& s) {
                   const auto* constant = std::get_if<Const>(&module_[s.condition]);
                   return constant != nullptr && as_bool(*constant) && !breaks(s.body);
                 },
                 [](const auto&) { return false; }},
        module_[stmt]);
    if (last) return true;
  }
  return false;
}

void Verifier::block(BlockId id, bool own_scope) {
  if (own_scope) open();
  for (const StmtId each : module_[id].statements) {
    stmt_ = each;
    note(has_place(module_.span(each)) ? statement(module_[each]) : fail(Rule::IrNoSpan, "the statement"));
  }
  if (own_scope) close();
}

Result<Done> Verifier::statement(const Stmt& stmt) {
  return std::visit([&](const auto& s) { return check(s); }, stmt);
}

// ---- statements

Result<Done> Verifier::check(const Let& s) {
  const Result<Done> value = typed(s.value, module_[s.local].type, "the value");
  PW_CHECK_OK(define(s.local, {LocalKind::Bound}));
  PW_CHECK_OK(value);
  return range(s.local);
}

Result<Done> Verifier::check(const Declare& s) {
  const Result<Done> value =
      s.value.valid() ? typed(s.value, module_[s.variable].type, "the value") : Result<Done>(Done());
  PW_CHECK_OK(define(s.variable, {LocalKind::Variable}));
  return value;
}

Result<Done> Verifier::check(const Assign& s) {
  const Local& local = module_[s.variable];
  if (local.kind != LocalKind::Variable) return fail(Rule::IrEffect, local.name + " is immutable");
  PW_CHECK_OK(in_scope(s.variable));
  PW_CHECK_OK(typed(s.value, local.type, "the value"));
  if (locals_[s.variable.index()].boundary != boundary_) {
    return fail(Rule::IrEffect, local.name + " is assigned under a Map or Reduce and declared outside of it");
  }
  return Done();
}

Result<Done> Verifier::check(const Alloc& s) {
  const Result<Done> sizes = extents(s.buffer);
  PW_CHECK_OK(define(s.buffer, BufferKind::Temporary));
  return sizes;
}

Result<Done> Verifier::check(const Store& s) {
  PW_CHECK_OK(writable(s.buffer));
  for (const ExprId each : s.index) PW_CHECK_OK(expr(each));
  PW_CHECK_OK(index(s.buffer, s.index));
  return typed(s.value, module_[s.buffer].type, "the value");
}

Result<Done> Verifier::axes(const std::vector<Axis>& axes) {
  Result<Done> out = Done();
  for (const Axis& axis : axes) {
    if (const Result<Done> size = extent(axis.extent); !size) out = size;
  }
  for (const Axis& axis : axes) PW_CHECK_OK(define(axis.index, {LocalKind::Axis}));
  PW_CHECK_OK(out);
  for (const Axis& axis : axes) PW_CHECK_OK(range(axis.index));
  return Done();
}

Result<Done> Verifier::check(const Map& s) {
  const int loops = std::exchange(loops_, 0);
  open();
  ++boundary_;
  const Result<Done> head = axes(s.axes);
  block(s.body, false);
  --boundary_;
  close();
  loops_ = loops;
  return head;
}

Result<Done> Verifier::check(const Reduce& s) {
  const StmtId self = stmt_;
  const int loops = std::exchange(loops_, 0);
  const DType type = module_.type(s.value);
  const bool position = s.op == ReduceOp::ArgMax || s.op == ReduceOp::ArgMin;
  open();
  ++boundary_;
  ++fold_;
  Result<Done> head = axes(s.axes);
  block(s.body, false);
  stmt_ = self;
  if (head) head = expr(s.value);
  --fold_;
  --boundary_;
  close();
  loops_ = loops;
  PW_CHECK_OK(define(s.target, {LocalKind::Bound}));
  PW_CHECK_OK(head);
  PW_CHECK_OK(range(s.target));
  const bool fits = position ? !is_complex(type) : scalar_fold(s.op, type) != nullptr;
  if (!fits) return fail(Rule::IrType, "the value", row(type).text, "what the operator folds");
  const DType wanted = position ? DType::I64 : type;
  const DType target = module_[s.target].type;
  if (target != wanted) return fail(Rule::IrType, "the target", row(target).text, row(wanted).text);
  return Done();
}

Result<Done> Verifier::check(const For& s) {
  Result<Done> head = Done();
  for (const ExprId each : {s.lower, s.upper, s.step}) {
    if (head) head = typed(each, DType::I64, "a bound or step");
  }
  open();
  ++loops_;
  const Result<Done> index = define(s.index, {LocalKind::Axis});
  if (head) head = index;
  if (head) head = range(s.index);
  block(s.body, false);
  --loops_;
  close();
  return head;
}

Result<Done> Verifier::check(const While& s) {
  const Result<Done> head = typed(s.condition, DType::Bool, "the condition");
  ++loops_;
  block(s.body);
  --loops_;
  return head;
}

Result<Done> Verifier::check(const If& s) {
  const Result<Done> head = typed(s.condition, DType::Bool, "the condition");
  block(s.then_body);
  block(s.else_body);
  return head;
}

Result<Done> Verifier::leave(std::string_view word) {
  if (loops_ > 0) return Done();
  return fail(Rule::IrControl, fmt::format("{} stands in no loop of its Map, Reduce or function", word));
}

Result<Done> Verifier::check(const Return& s) {
  if (boundary_ > 0) return fail(Rule::IrControl, "return stands under a Map or Reduce");
  const std::vector<DType>& results = module_[function_].results;
  if (s.values.size() != results.size()) {
    return fail(Rule::IrControl, fmt::format("{} values for {} results", s.values.size(), results.size()));
  }
  for (std::size_t i = 0; i < results.size(); ++i) PW_CHECK_OK(typed(s.values[i], results[i], "a result"));
  return Done();
}

Result<Done> Verifier::check(const Trap& s) {
  return s.condition.valid() ? typed(s.condition, DType::Bool, "the condition") : Result<Done>(Done());
}

Result<Done> Verifier::argument(const Argument& argument, const Parameter& parameter, bool written) {
  const auto* id = std::get_if<BufferId>(&argument);
  if (const auto* local = std::get_if<LocalId>(&parameter)) {
    const std::string& name = module_[*local].name;
    if (id != nullptr) return fail(Rule::IrCall, name + " is a scalar, and a buffer is passed");
    return typed(std::get<ExprId>(argument), module_[*local].type, name);
  }
  const Buffer& wanted = module_[std::get<BufferId>(parameter)];
  if (id == nullptr) return fail(Rule::IrCall, wanted.name + " is a buffer, and a scalar is passed");
  const Buffer& given = module_[*id];
  if (given.type != wanted.type || given.extents.size() != wanted.extents.size()) {
    return fail(Rule::IrCall, given.name + " has another dtype or rank than " + wanted.name);
  }
  return written ? writable(*id) : in_scope(*id);
}

Result<Done> Verifier::check(const Call& s) {
  Result<Done> out = Done();
  const Function& callee = module_[s.callee];
  const bool fits = s.callee < function_ && s.arguments.size() == callee.parameters.size() &&
                    s.results.size() == callee.results.size();
  if (!fits) {
    out = fail(Rule::IrCall, s.callee < function_
                                 ? "another number of arguments or results than @" + callee.name
                                 : "@" + callee.name + " does not stand before its caller");
  }
  const std::vector<bool>& written = written_[s.callee.index()];
  for (std::size_t i = 0; fits && i < s.arguments.size(); ++i) {
    if (out) out = argument(s.arguments[i], callee.parameters[i], written[i]);
    for (std::size_t j = 0; out && j < s.arguments.size(); ++j) {
      const bool twice = i != j && written[i] && s.arguments[i] == s.arguments[j];
      if (twice && std::holds_alternative<BufferId>(s.arguments[i])) {
        out = fail(Rule::IrCall, "a buffer that the callee writes is passed twice");
      }
    }
  }
  for (std::size_t i = 0; i < s.results.size(); ++i) {
    PW_CHECK_OK(define(s.results[i], {LocalKind::Bound}));
    const DType type = module_[s.results[i]].type;
    if (fits && out && type != callee.results[i]) {
      out = fail(Rule::IrType, module_[s.results[i]].name, row(type).text, row(callee.results[i]).text);
    }
  }
  PW_CHECK_OK(out);
  for (const LocalId each : s.results) PW_CHECK_OK(range(each));
  return Done();
}

}  // namespace

std::vector<std::vector<bool>> written_parameters(const Module& module) {
  std::vector<std::vector<bool>> out;
  for (const Function& function : module.functions) {
    std::unordered_set<std::uint32_t> stored;
    std::vector<BlockId> pending = {function.body};
    while (!pending.empty()) {
      const BlockId block = pending.back();
      pending.pop_back();
      for (const StmtId id : module[block].statements) {
        for (const BlockId inner : blocks_of(module[id])) pending.push_back(inner);
        if (const auto* store = std::get_if<Store>(&module[id])) stored.insert(store->buffer.value);
        const auto* call = std::get_if<Call>(&module[id]);
        if (call == nullptr || call->callee.index() >= out.size()) continue;
        const std::vector<bool>& written = out[call->callee.index()];
        for (std::size_t i = 0; i < std::min(call->arguments.size(), written.size()); ++i) {
          const auto* buffer = std::get_if<BufferId>(&call->arguments[i]);
          if (buffer != nullptr && written[i]) stored.insert(buffer->value);
        }
      }
    }
    std::vector<bool> flags;
    for (const Parameter& each : function.parameters) {
      const auto* buffer = std::get_if<BufferId>(&each);
      flags.push_back(buffer != nullptr && stored.contains(buffer->value));
    }
    out.push_back(std::move(flags));
  }
  return out;
}

Result<Done> verify(const Module& module, diagnostics::Engine& engine) {
  PW_CHECK_OK(verify_tables(module, engine));
  return Verifier(module, engine).run();
}

}  // namespace pw::ir
