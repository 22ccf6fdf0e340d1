#include "backends/c/function.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/c/header.h"
#include "backends/c/lapack.h"
#include "backends/c/libraries.h"
#include "backends/c/spell.h"
#include "base/check.h"

namespace pw::backends::c {

namespace {

std::string parameter_text(const Port& port, ir::FunctionId function, const ir::Parameter& parameter) {
  return std::visit(ir::Overload{
                        [&](ir::LocalId id) {
                          return fmt::format("{} {}", c_type(port.module[id].type), port.names.of(id));
                        },
                        [&](ir::BufferId id) {
                          const bool stored = port.facts[function.index()].stored.contains(id);
                          return fmt::format("{}{}* restrict {}", stored ? "" : "const ",
                                             c_type(port.module[id].type), port.names.of(id));
                        },
                    },
                    parameter);
}

constexpr std::size_t kColumns = 110;

bool is_compound(ir::Op op) {
  return op == ir::Op::Add || op == ir::Op::Sub || op == ir::Op::Mul || op == ir::Op::Div;
}

}  // namespace

bool is_enumerator(const ir::Local& config) {
  if (!ir::is_integer(config.config.type)) return false;
  const std::int64_t value = ir::as_int(config.config);
  return value >= INT32_MIN && value <= INT32_MAX;
}

Signature make_signature(Port& port, ir::FunctionId id) {
  const ir::Function& function = port.module[id];
  const bool entry = id.index() + 1 == port.module.functions.size();
  Signature out;
  out.gives_status = entry || port.facts[id.index()].can_fail;
  out.gives_value = !out.gives_status && function.results.size() == 1;
  for (const ir::Parameter& parameter : function.parameters) {
    out.parameters.push_back(parameter_text(port, id, parameter));
    out.arguments.push_back(std::visit([&](auto each) { return port.names.of(each); }, parameter));
  }
  for (const ir::DType type : function.results) {
    if (out.gives_value) break;
    out.results.push_back(port.names.fresh(id, "result"));
    out.parameters.push_back(fmt::format("{}* restrict {}", c_type(type), out.results.back()));
    out.arguments.push_back(out.results.back());
  }
  out.returns = out.gives_status  ? "int"
                : out.gives_value ? std::string(c_type(function.results[0]))
                                  : "void";
  const std::string inside =
      out.parameters.empty() ? "void" : fmt::format("{}", fmt::join(out.parameters, ", "));
  out.head = fmt::format("{}{} {}({})", entry ? "" : "static ", out.returns, port.names.of(id), inside);
  return out;
}

FunctionPrinter::FunctionPrinter(Port& port, ir::FunctionId id)
    : port_(port),
      module_(port.module),
      id_(id),
      facts_(port.facts[id.index()]),
      signature_(port.signatures[id.index()]),
      expr_(port.module, port.names, port.prelude),
      code_(1) {}

std::string FunctionPrinter::print() {
  const ir::Function& function = module_[id_];
  if (function.routine == ir::Routine::Fft && port_.fftw) return fftw_function(port_, id_);
  if (port_.lapack.contains(id_)) code_.append(lapack_lines(port_, id_));
  open_scope(function.body, "cleanup");
  const auto& statements = module_[function.body].statements;
  for (const ir::StmtId id : statements) {
    const auto* result = std::get_if<ir::Return>(&module_[id]);
    if (result && id == statements.back()) {
      give_back(*result, true);
    } else {
      statement(id);
    }
  }
  close_scope();
  const std::string& body = code_.text();
  const bool one_line =
      std::count(body.begin(), body.end(), '\n') == 1 && body.find("//") == std::string::npos;
  if (one_line && signature_.head.size() + body.size() + 2 <= kColumns) {
    return fmt::format("{} {{ {} }}\n", signature_.head, body.substr(2, body.size() - 3));
  }
  return wrapped(signature_.head, 2) + " {\n" + (uses_status_ ? "  int status = 0;\n" : "") + body + "}\n";
}

// ---- leaving a function, or the body of a parallel loop

/// Heap arrays whose life the scope rules: those of a parallel loop inside are that loop's.
std::vector<ir::BufferId> FunctionPrinter::heap_made_in(ir::BlockId block) const {
  std::vector<ir::BufferId> made;
  for (const ir::StmtId id : module_[block].statements) {
    const ir::Stmt& stmt = module_[id];
    if (const auto* alloc = std::get_if<ir::Alloc>(&stmt)) {
      if (facts_.heap.contains(alloc->buffer)) made.push_back(alloc->buffer);
    }
    const auto* map = std::get_if<ir::Map>(&stmt);
    const auto* counted = std::get_if<ir::For>(&stmt);
    if ((map && is_parallel(map->schedule)) || (counted && is_parallel(counted->schedule))) continue;
    for (const ir::BlockId inner : ir::blocks_of(stmt)) {
      const std::vector<ir::BufferId> more = heap_made_in(inner);
      made.insert(made.end(), more.begin(), more.end());
    }
  }
  return made;
}

bool FunctionPrinter::hoistable(ir::BufferId id, const std::set<ir::LocalId>& made) const {
  const auto& extents = module_[id].extents;
  return std::all_of(extents.begin(), extents.end(), [&](ir::ExtentId extent) {
    const std::vector<ir::LocalId> locals = module_.extents.locals(extent);
    return std::none_of(locals.begin(), locals.end(), [&](ir::LocalId each) { return made.contains(each); });
  });
}

std::string FunctionPrinter::new_array(ir::BufferId id) {
  const ir::Buffer& buffer = module_[id];
  return fmt::format("{}({}, sizeof({}))", port_.prelude.use("new_array"), expr_.product(buffer.extents).text,
                     c_type(buffer.type));
}

/// `label` is where the scope's heap arrays are freed; a function that has none just returns.
void FunctionPrinter::open_scope(ir::BlockId body, std::string label) {
  Scope scope;
  scope.parallel = in_parallel_;
  scope.heap = heap_made_in(body);
  if (in_parallel_ || !scope.heap.empty()) scope.label = std::move(label);
  if (!scope.heap.empty()) {
    const std::set<ir::LocalId> made = locals_made_in(module_, body);
    std::string missing;
    for (const ir::BufferId id : scope.heap) {
      const bool first = hoistable(id, made);
      const std::string& name = port_.names.of(id);
      code_.line(fmt::format("{}* {} = {};", c_type(module_[id].type), name, first ? new_array(id) : "NULL"));
      if (!first) continue;
      scope.hoisted.insert(id);
      missing += (missing.empty() ? "!" : " || !") + name;
    }
    scopes_.push_back(std::move(scope));
    if (!missing.empty()) leave_if({missing, Level::Or}, "-1", "out of memory");
    return;
  }
  scopes_.push_back(std::move(scope));
}

void FunctionPrinter::close_scope() {
  const Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  if (!scope.label.empty()) {
    code_.label(scope.heap.empty() ? scope.label + ":;" : scope.label + ":");
    for (const ir::BufferId id : scope.heap) code_.line(fmt::format("free({});", port_.names.of(id)));
  }
  if (scope.parallel || !signature_.gives_status) return;
  code_.line(scope.heap.empty() ? "return 0;" : "return status;");
}

void FunctionPrinter::leave(const std::string& status, const std::string& comment) {
  const std::string note = comment.empty() ? "" : "  // " + comment;
  const Scope& scope = scopes_.back();
  if (scope.label.empty()) {
    code_.line(fmt::format("return {};{}", status, note));
    return;
  }
  if (status != "status") {
    uses_status_ = true;
    if (scope.parallel) code_.at_margin("#pragma omp atomic write");
    code_.line(fmt::format("status = {};{}", status, note));
  }
  code_.line(fmt::format("goto {};", scope.label));
}

void FunctionPrinter::leave_if(const Formula& condition, const std::string& status,
                               const std::string& comment) {
  if (scopes_.back().label.empty()) {
    const std::string note = comment.empty() ? "" : "  // " + comment;
    code_.line(fmt::format("if ({}) return {};{}", condition.text, status, note));
    return;
  }
  if (status == "status") {
    code_.line(fmt::format("if ({}) goto {};", condition.text, scopes_.back().label));
    return;
  }
  code_.open(fmt::format("if ({})", condition.text));
  leave(status, comment);
  code_.close();
}

// ---- statements

void FunctionPrinter::block(ir::BlockId id) {
  for (const ir::StmtId each : module_[id].statements) statement(each);
}

void FunctionPrinter::statement(ir::StmtId id) {
  const std::size_t bound = expr_.bound_count();
  std::visit(ir::Overload{
                 [&](const ir::Let& s) { let(s); },
                 [&](const ir::Declare& s) { declare(s); },
                 [&](const ir::Assign& s) { assign(s); },
                 [&](const ir::Alloc& s) { alloc(s); },
                 [&](const ir::Store& s) { store(s); },
                 [&](const ir::Map& s) {
                   const auto product_of = port_.products.find(id);
                   const bool by_library = product_of != port_.products.end() && !in_parallel_;
                   by_library ? product(product_of->second, s) : map(s);
                 },
                 [&](const ir::Reduce& s) { reduce(s); },
                 [&](const ir::For& s) { counted(s); },
                 [&](const ir::While& s) { loop_while(s); },
                 [&](const ir::If& s) { branch(s); },
                 [&](const ir::Break&) { code_.line("break;"); },
                 [&](const ir::Continue&) { next_iteration(); },
                 [&](const ir::Return& s) { give_back(s, false); },
                 [&](const ir::Trap& s) { trap(s); },
                 [&](const ir::Call& s) { call(s); },
             },
             module_[id]);
  expr_.unbind(bound);
}

/// Locals for what the roots use more than once, named after the `subject` of the statement; they hold until
/// it ends.
void FunctionPrinter::share(std::span<const ir::ExprId> roots, std::string_view subject) {
  for (const ir::ExprId id : expr_.shared(roots)) {
    const std::string name = port_.names.fresh(id_, subject);
    code_.line(fmt::format("const {} {} = {};", c_type(module_.type(id)), name, expr_.print(id).text));
    expr_.bind(id, name);
  }
}

void FunctionPrinter::let(const ir::Let& stmt) {
  share({{stmt.value}}, module_[stmt.local].name);
  code_.line(fmt::format("const {} {} = {};", c_type(module_[stmt.local].type), port_.names.of(stmt.local),
                         expr_.print(stmt.value).text));
}

void FunctionPrinter::declare(const ir::Declare& stmt) {
  const auto type = c_type(module_[stmt.variable].type);
  const std::string& name = port_.names.of(stmt.variable);
  if (!stmt.value.valid()) {
    code_.line(fmt::format("{} {};", type, name));
    return;
  }
  share({{stmt.value}}, module_[stmt.variable].name);
  code_.line(fmt::format("{} {} = {};", type, name, expr_.print(stmt.value).text));
}

/// `target = value`, as `target += rest` where the value is `itself + rest`.
void FunctionPrinter::update(const std::string& target, ir::ExprId value, const ir::Expr& itself) {
  const auto* node = std::get_if<ir::Apply>(&module_[value]);
  if (node && is_compound(node->op) && module_[node->arguments[0]] == itself) {
    const Spelling* row = spelling(node->op, module_.type(value));
    if (row && row->form == Form::Infix && row->level >= Level::Sum) {
      code_.line(fmt::format("{} {}= {};", target, row->word, expr_.print(node->arguments[1]).text));
      return;
    }
  }
  code_.line(fmt::format("{} = {};", target, expr_.print(value).text));
}

void FunctionPrinter::assign(const ir::Assign& stmt) {
  share({{stmt.value}}, module_[stmt.variable].name);
  update(port_.names.of(stmt.variable), stmt.value, ir::Read{stmt.variable});
}

void FunctionPrinter::store(const ir::Store& stmt) {
  std::vector<ir::ExprId> roots = stmt.index;
  roots.push_back(stmt.value);
  share(roots, module_[stmt.buffer].name);
  update(expr_.element(stmt.buffer, stmt.index).text, stmt.value, ir::Load{stmt.buffer, stmt.index});
}

/// The product of the extents, by name where C takes the names for constants.
std::string FunctionPrinter::array_size(const ir::Buffer& buffer, std::int64_t size) {
  for (const ir::ExtentId extent : buffer.extents) {
    for (const ir::LocalId local : module_.extents.locals(extent)) {
      if (!is_enumerator(module_[local])) return std::to_string(size);
    }
  }
  return expr_.product(buffer.extents).text;
}

void FunctionPrinter::alloc(const ir::Alloc& stmt) {
  const ir::Buffer& buffer = module_[stmt.buffer];
  const std::string& name = port_.names.of(stmt.buffer);
  if (!facts_.heap.contains(stmt.buffer)) {
    if (buffer.extents.empty()) {
      code_.line(fmt::format("{} {};", c_type(buffer.type), name));
    } else {
      const std::int64_t size = known_size(module_, buffer).value_or(0);
      code_.line(
          fmt::format("{} {}[{}];", c_type(buffer.type), name, size > 0 ? array_size(buffer, size) : "1"));
    }
    return;
  }
  const Scope& scope = scopes_.back();
  if (scope.hoisted.contains(stmt.buffer)) return;
  if (scope.loops > 0) code_.line(fmt::format("free({});", name));
  code_.line(fmt::format("{} = {};", name, new_array(stmt.buffer)));
  leave_if({"!" + name, Level::Unary}, "-1", "out of memory");
}

void FunctionPrinter::branch(const ir::If& stmt) {
  share({{stmt.condition}});
  Formula condition = expr_.print(stmt.condition);
  expr_.unbind(0);
  ir::BlockId then_body = stmt.then_body;
  ir::BlockId else_body = stmt.else_body;
  const auto empty = [&](ir::BlockId id) { return !id.valid() || module_[id].statements.empty(); };
  if (empty(then_body)) {
    if (empty(else_body)) return;
    condition = negated(condition);
    std::swap(then_body, else_body);
  }
  const auto& first = module_[then_body].statements;
  if (empty(else_body) && first.size() == 1) {
    const ir::Stmt& only = module_[first[0]];
    const bool leaves_loop = std::holds_alternative<ir::Break>(only);
    if (leaves_loop || (std::holds_alternative<ir::Continue>(only) && !scopes_.back().parallel)) {
      code_.line(fmt::format("if ({}) {};", condition.text, leaves_loop ? "break" : "continue"));
      return;
    }
  }
  code_.open(fmt::format("if ({})", condition.text));
  block(then_body);
  while (!empty(else_body)) {
    const auto& rest = module_[else_body].statements;
    const auto* next = rest.size() == 1 ? std::get_if<ir::If>(&module_[rest[0]]) : nullptr;
    if (!next || empty(next->then_body) || !expr_.shared({{next->condition}}).empty()) break;
    code_.reopen(fmt::format("else if ({})", expr_.print(next->condition).text));
    block(next->then_body);
    else_body = next->else_body;
  }
  if (!empty(else_body)) {
    code_.reopen("else");
    block(else_body);
  }
  code_.close();
}

void FunctionPrinter::give_back(const ir::Return& stmt, bool last) {
  share(stmt.values);
  if (signature_.gives_value) {
    code_.line(fmt::format("return {};", expr_.print(stmt.values[0]).text));
    return;
  }
  for (std::size_t i = 0; i < stmt.values.size(); ++i) {
    code_.line(fmt::format("*{} = {};", signature_.results[i], expr_.print(stmt.values[i]).text));
  }
  if (last) return;
  if (!scopes_.back().label.empty()) {
    code_.line(fmt::format("goto {};", scopes_.back().label));
  } else {
    code_.line(signature_.gives_status ? "return 0;" : "return;");
  }
}

void FunctionPrinter::trap(const ir::Trap& stmt) {
  const std::string status = std::to_string(stmt.trap.index() + 1);
  const std::string note(module_[stmt.trap].name());
  if (!stmt.condition.valid()) {
    leave(status, note);
    return;
  }
  share({{stmt.condition}});
  leave_if(expr_.print(stmt.condition), status, note);
}

void FunctionPrinter::next_iteration() {
  const Scope& scope = scopes_.back();
  const bool frees = scope.parallel && scope.loops == 0;
  code_.line(frees ? fmt::format("goto {};", scope.label) : "continue;");
}

void FunctionPrinter::call(const ir::Call& stmt) {
  const Signature& callee = port_.signatures[stmt.callee.index()];
  std::vector<ir::ExprId> roots;
  for (const ir::Argument& argument : stmt.arguments) {
    if (const auto* id = std::get_if<ir::ExprId>(&argument)) roots.push_back(*id);
  }
  share(roots);
  std::vector<std::string> arguments;
  for (const ir::Argument& argument : stmt.arguments) {
    arguments.push_back(std::visit(ir::Overload{
                                       [&](ir::ExprId id) { return expr_.print(id).text; },
                                       [&](ir::BufferId id) {
                                         const ir::Buffer& buffer = module_[id];
                                         const bool scalar = buffer.extents.empty() &&
                                                             buffer.kind == ir::BufferKind::Temporary;
                                         return (scalar ? "&" : "") + port_.names.of(id);
                                       },
                                   },
                                   argument));
  }
  if (!callee.gives_value) {
    for (const ir::LocalId result : stmt.results) {
      code_.line(fmt::format("{} {};", c_type(module_[result].type), port_.names.of(result)));
      arguments.push_back("&" + port_.names.of(result));
    }
  }
  const std::string text = fmt::format("{}({})", port_.names.of(stmt.callee), fmt::join(arguments, ", "));
  if (callee.gives_value) {
    const ir::LocalId result = stmt.results[0];
    code_.line(fmt::format("const {} {} = {};", c_type(module_[result].type), port_.names.of(result), text));
  } else if (!callee.gives_status) {
    code_.line(text + ";");
  } else if (scopes_.back().parallel) {
    const std::string failed = port_.names.fresh(id_, "failed");
    code_.line(fmt::format("const int {} = {};", failed, text));
    leave_if({failed + " != 0", Level::Equality}, failed, "");
  } else {
    uses_status_ = true;
    code_.line(fmt::format("status = {};", text));
    leave_if({"status != 0", Level::Equality}, "status", "");
  }
}

}  // namespace pw::backends::c
