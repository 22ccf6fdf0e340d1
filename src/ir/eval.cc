#include "ir/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/check.h"
#include "ir/printer.h"
#include "ir/scalar.h"

namespace pw::ir {

namespace {

/// How a statement or block ended. Stop: the run is over, outcome_ says how.
enum class Flow : std::uint8_t { Next, Break, Continue, Return, Stop };

struct Array {
  unsigned char* data = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<unsigned char> storage;  // of temporaries and tables
};

/// One expression node of a statement. Its register is its id, so no allocation is needed.
struct Step {
  enum class Kind : std::uint8_t { Read, Index, Load, Apply } kind;
  std::uint32_t out;
  std::uint32_t from = 0;      // local, extent or buffer
  std::uint32_t operands = 0;  // first of them in operands_
  std::uint32_t count = 0;
  ScalarOp op = nullptr;
};

struct Code {
  bool compiled = false;
  std::vector<Step> steps;
};

class Evaluator {
 public:
  Evaluator(const Module& module, const EvalOptions& options)
      : module_(module),
        options_(options),
        locals_(module.locals.size()),
        arrays_(module.buffers.size()),
        registers_(module.expr_count()),
        compiled_(module.expr_count()),
        codes_(module.stmt_count()) {
    for (std::size_t i = 0; i < module.locals.size(); ++i) {
      if (module.locals[i].kind == LocalKind::Config) locals_[i] = scalar_of(module.locals[i].config);
    }
  }

  EvalResult run(FunctionId id, std::span<const EvalArgument> arguments);
  void bind_scalars(const Function& function, std::span<const EvalArgument> arguments);
  std::optional<std::int64_t> extent(ExtentId id);
  std::optional<std::vector<std::int64_t>> shape(BufferId id);

 private:
  // expressions
  void compile(Code& code, const std::vector<ExprId>& roots);
  void compile(Code& code, ExprId id);
  bool evaluate(StmtId id);
  bool evaluate(const Step& step);
  bool load(const Step& step);
  Scalar value(ExprId id) const { return registers_[id.index()]; }
  std::int64_t integer(ExprId id) const { return static_cast<std::int64_t>(value(id).bits); }
  bool truth(ExprId id) const { return value(id).bits != 0; }

  // statements
  Flow block(BlockId id);
  Flow statement(StmtId id);
  Flow run(const Let& s);
  Flow run(const Declare& s);
  Flow run(const Assign& s);
  Flow run(const Alloc& s);
  Flow run(const Store& s);
  Flow run(const Map& s);
  Flow run(const Reduce& s, StmtId id);
  Flow run(const For& s);
  Flow run(const While& s, StmtId id);
  Flow run(const If& s);
  Flow run(const Return& s);
  Flow run(const Trap& s);
  Flow run(const Call& s);

  /// Calls `body` once a point; false if it or an extent stopped the run.
  template <typename Body>
  bool points(const std::vector<Axis>& axes, Body body);
  std::optional<std::int64_t> offset(BufferId id, const std::uint32_t* index, std::size_t count);
  bool make(BufferId id);
  bool make_table(BufferId id);
  bool spend(std::uint64_t steps);
  bool stop(EvalEnd end, std::string detail, int status = -1);
  bool violation(std::string detail);
  Flow stopped() const { return Flow::Stop; }

  const Module& module_;
  const EvalOptions& options_;
  std::vector<Scalar> locals_;
  std::vector<Array> arrays_;
  std::vector<Scalar> registers_;
  std::vector<std::uint32_t> compiled_;  // the number of the code that has the node last
  std::uint32_t code_number_ = 0;
  std::vector<Code> codes_;
  std::vector<std::uint32_t> operands_;
  std::vector<Scalar> returned_;
  std::uint64_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  StmtId current_;
  EvalResult outcome_;
};

bool Evaluator::stop(EvalEnd end, std::string detail, int status) {
  outcome_ = {end, status, {}, std::move(detail)};
  return false;
}

bool Evaluator::violation(std::string detail) {
  if (current_.valid()) detail += " in: " + print(module_, current_);
  return stop(EvalEnd::Violation, std::move(detail));
}

bool Evaluator::spend(std::uint64_t steps) {
  steps_ += steps;
  return steps_ <= options_.max_steps || stop(EvalEnd::OutOfSteps, "the step budget is spent");
}

// ---- extents

/// nullopt: an overflow or a division by zero.
std::optional<std::int64_t> Evaluator::extent(ExtentId id) {
  std::int64_t sum = 0;
  for (const ExtentTerm& term : module_.extents[id].terms) {
    std::int64_t product = term.coefficient;
    for (const AtomId factor : term.factors) {
      const ExtentAtom& atom = module_.extents[factor];
      std::int64_t value = 0;
      if (const auto* local = std::get_if<LocalId>(&atom.node)) {
        value = static_cast<std::int64_t>(locals_[local->index()].bits);
      } else {
        const auto& apply = std::get<ExtentApply>(atom.node);
        const auto left = extent(apply.left);
        const auto right = extent(apply.right);
        if (!left || !right) return std::nullopt;
        if (apply.op == ExtentOp::Min || apply.op == ExtentOp::Max) {
          value = apply.op == ExtentOp::Min ? std::min(*left, *right) : std::max(*left, *right);
        } else {
          if (*right == 0) return std::nullopt;
          const Scalar pair[] = {{static_cast<std::uint64_t>(*left), 0},
                                 {static_cast<std::uint64_t>(*right), 0}};
          const Op op = apply.op == ExtentOp::FloorDiv ? Op::FloorDiv : Op::Mod;
          value = static_cast<std::int64_t>(scalar_op(op, DType::I64)(pair).bits);
        }
      }
      if (__builtin_mul_overflow(product, value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::optional<std::vector<std::int64_t>> Evaluator::shape(BufferId id) {
  std::vector<std::int64_t> out;
  for (const ExtentId each : module_[id].extents) {
    const auto value = extent(each);
    if (!value) return std::nullopt;
    out.push_back(std::max<std::int64_t>(*value, 0));
  }
  return out;
}

// ---- expressions

/// Operands before users, each once, without recursion: a graph may be deep.
void Evaluator::compile(Code& code, const std::vector<ExprId>& roots) {
  ++code_number_;
  std::vector<ExprId> pending(roots.rbegin(), roots.rend());
  while (!pending.empty()) {
    const ExprId id = pending.back();
    if (compiled_[id.index()] == code_number_) {
      pending.pop_back();
      continue;
    }
    bool ready = true;
    const std::vector<ExprId> operands = operands_of(module_[id]);
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      if (compiled_[it->index()] != code_number_) {
        pending.push_back(*it);
        ready = false;
      }
    }
    if (!ready) continue;
    pending.pop_back();
    compiled_[id.index()] = code_number_;
    compile(code, id);
  }
  code.compiled = true;
}

void Evaluator::compile(Code& code, ExprId id) {
  Step step{Step::Kind::Apply, id.value};
  const std::vector<ExprId> operands = operands_of(module_[id]);
  step.operands = static_cast<std::uint32_t>(operands_.size());
  step.count = static_cast<std::uint32_t>(operands.size());
  for (const ExprId operand : operands) operands_.push_back(operand.value);
  const bool constant = std::visit(Overload{
                                       [&](const Const& c) {
                                         registers_[id.index()] = scalar_of(c);
                                         return true;
                                       },
                                       [&](const Read& r) {
                                         step.kind = Step::Kind::Read;
                                         step.from = r.local.value;
                                         return false;
                                       },
                                       [&](const Index& i) {
                                         step.kind = Step::Kind::Index;
                                         step.from = i.extent.value;
                                         return false;
                                       },
                                       [&](const Load& l) {
                                         step.kind = Step::Kind::Load;
                                         step.from = l.buffer.value;
                                         return false;
                                       },
                                       [&](const Apply& a) {
                                         step.op = scalar_op(a.op, module_.type(a.arguments.back()));
                                         return false;
                                       },
                                       [&](const Cast& c) {
                                         step.op = scalar_cast(module_.type(c.argument), c.type);
                                         return false;
                                       },
                                   },
                                   module_[id]);
  if (!constant) code.steps.push_back(step);
}

/// Evaluates all expressions of the statement into their registers.
bool Evaluator::evaluate(StmtId id) {
  Code& code = codes_[id.index()];
  if (!code.compiled) compile(code, exprs_of(module_[id]));
  if (!spend(code.steps.size() + 1)) return false;
  for (const Step& step : code.steps) {
    if (!evaluate(step)) return false;
  }
  return true;
}

bool Evaluator::evaluate(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Read:
      registers_[step.out] = locals_[step.from];
      return true;
    case Step::Kind::Index: {
      const auto value = extent(ExtentId(step.from));
      if (!value) return violation("an index overflows or divides by zero");
      registers_[step.out] = {static_cast<std::uint64_t>(*value), 0};
      return true;
    }
    case Step::Kind::Load:
      return load(step);
    case Step::Kind::Apply: {
      Scalar arguments[3];
      for (std::uint32_t i = 0; i < step.count; ++i) {
        arguments[i] = registers_[operands_[step.operands + i]];
      }
      registers_[step.out] = step.op(arguments);
      return true;
    }
  }
  return true;
}

bool Evaluator::load(const Step& step) {
  const BufferId id(step.from);
  if (arrays_[id.index()].data == nullptr && !make_table(id)) return false;
  const auto at = offset(id, operands_.data() + step.operands, step.count);
  if (!at) return false;
  registers_[step.out] = load_scalar(module_[id].type, arrays_[id.index()].data, *at);
  return true;
}

/// The element that the registers in `index` name; nullopt stops the run.
std::optional<std::int64_t> Evaluator::offset(BufferId id, const std::uint32_t* index, std::size_t count) {
  const Array& array = arrays_[id.index()];
  PW_CHECK(array.data != nullptr && array.shape.size() == count,
           "an array that was not made, or another rank");
  std::int64_t out = 0;
  for (std::size_t d = 0; d < count; ++d) {
    const auto i = static_cast<std::int64_t>(registers_[index[d]].bits);
    if (i < 0 || i >= array.shape[d]) {
      violation(fmt::format("index {} of dimension {} of {} is out of bounds for {}", i, d, module_[id].name,
                            array.shape[d]));
      return std::nullopt;
    }
    out = out * array.shape[d] + i;
  }
  return out;
}

// ---- arrays

bool Evaluator::make(BufferId id) {
  auto wanted = shape(id);
  if (!wanted) return violation("the shape of " + module_[id].name + " overflows");
  std::uint64_t bytes = row(module_[id].type).bytes;
  for (const std::int64_t size : *wanted) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes))
      bytes = options_.max_bytes + 1;
    if (bytes > options_.max_bytes) break;
  }
  Array& array = arrays_[id.index()];
  bytes_ -= array.storage.size();
  if (bytes > options_.max_bytes - std::min(bytes_, options_.max_bytes)) {
    return stop(EvalEnd::OutOfMemory, "no memory for " + module_[id].name);
  }
  bytes = std::max<std::uint64_t>(bytes, 1);  // an empty array has an address too
  bytes_ += bytes;
  array.storage.assign(bytes, 0xFF);
  array.data = array.storage.data();
  array.shape = std::move(*wanted);
  return spend(bytes / 64);
}

bool Evaluator::make_table(BufferId id) {
  const Buffer& buffer = module_[id];
  PW_CHECK(buffer.kind == BufferKind::Table, "a buffer is read before it is made");
  if (!make(id)) return false;
  Array& array = arrays_[id.index()];
  for (std::size_t i = 0; i < buffer.table.size(); ++i) {
    store_scalar(buffer.type, array.data, static_cast<std::int64_t>(i), scalar_of(buffer.table[i]));
  }
  return true;
}

// ---- statements

Flow Evaluator::block(BlockId id) {
  for (const StmtId stmt : module_[id].statements) {
    const Flow flow = statement(stmt);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Flow Evaluator::statement(StmtId id) {
  const Stmt& stmt = module_[id];
  current_ = id;
  // A Reduce evaluates its value once a point, not here.
  if (const auto* reduce = std::get_if<Reduce>(&stmt)) return spend(1) ? run(*reduce, id) : stopped();
  if (!evaluate(id)) return stopped();
  if (const auto* loop = std::get_if<While>(&stmt)) return run(*loop, id);
  return std::visit(Overload{
                        [](const Break&) { return Flow::Break; },
                        [](const Continue&) { return Flow::Continue; },
                        [](const Reduce&) { return Flow::Stop; },
                        [](const While&) { return Flow::Stop; },
                        [&](const auto& s) { return run(s); },
                    },
                    stmt);
}

Flow Evaluator::run(const Let& s) {
  locals_[s.local.index()] = value(s.value);
  return Flow::Next;
}

Flow Evaluator::run(const Declare& s) {
  const unsigned char undefined[16] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                       0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  locals_[s.variable.index()] =
      s.value.valid() ? value(s.value) : load_scalar(module_[s.variable].type, undefined, 0);
  return Flow::Next;
}

Flow Evaluator::run(const Assign& s) {
  locals_[s.variable.index()] = value(s.value);
  return Flow::Next;
}

Flow Evaluator::run(const Alloc& s) { return make(s.buffer) ? Flow::Next : stopped(); }

Flow Evaluator::run(const Store& s) {
  std::vector<std::uint32_t> index;
  index.reserve(s.index.size());
  for (const ExprId each : s.index) index.push_back(each.value);
  const auto at = offset(s.buffer, index.data(), index.size());
  if (!at) return stopped();
  store_scalar(module_[s.buffer].type, arrays_[s.buffer.index()].data, *at, value(s.value));
  return Flow::Next;
}

template <typename Body>
bool Evaluator::points(const std::vector<Axis>& axes, Body body) {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> at(axes.size(), 0);
  for (const Axis& axis : axes) {
    const auto size = extent(axis.extent);
    if (!size) return violation("the extent of an axis overflows or divides by zero");
    sizes.push_back(*size);
  }
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size <= 0; })) return true;
  while (true) {
    for (std::size_t d = 0; d < axes.size(); ++d) {
      locals_[axes[d].index.index()] = {static_cast<std::uint64_t>(at[d]), 0};
    }
    if (!spend(1) || !body()) return false;
    std::size_t d = axes.size();
    while (d > 0 && ++at[d - 1] == sizes[d - 1]) at[--d] = 0;
    if (d == 0) return true;
  }
}

Flow Evaluator::run(const Map& s) {
  const bool whole = points(s.axes, [&] { return block(s.body) == Flow::Next; });
  return whole ? Flow::Next : stopped();
}

Flow Evaluator::run(const Reduce& s, StmtId id) {
  const DType type = module_.type(s.value);
  const ScalarOp fold = scalar_fold(s.op, type);
  Scalar sum;
  bool filled = fold_identity(s.op, type, sum);
  std::int64_t position = 0;
  std::int64_t best = 0;
  const bool whole = points(s.axes, [&] {
    if (block(s.body) != Flow::Next) return false;
    current_ = id;
    if (!evaluate(id)) return false;
    const Scalar next = value(s.value);
    if (!filled) {
      sum = next;
    } else if (fold != nullptr) {
      const Scalar pair[] = {sum, next};
      sum = fold(pair);
    } else if (arg_moves(s.op, type, sum, next)) {
      sum = next;
      best = position;
    }
    filled = true;
    ++position;
    return true;
  });
  if (!whole) return stopped();
  current_ = id;
  if (!filled) return violation("a reduction without identity over no points"), stopped();
  locals_[s.target.index()] = fold != nullptr ? sum : Scalar{static_cast<std::uint64_t>(best), 0};
  return Flow::Next;
}

Flow Evaluator::run(const For& s) {
  const std::int64_t upper = integer(s.upper);
  const std::int64_t step = integer(s.step);
  if (step == 0) return violation("a loop's step is 0"), stopped();
  std::int64_t at = integer(s.lower);
  while (step > 0 ? at < upper : at > upper) {
    locals_[s.index.index()] = {static_cast<std::uint64_t>(at), 0};
    if (!spend(1)) return stopped();
    const Flow flow = block(s.body);
    if (flow == Flow::Break) break;
    if (flow == Flow::Return || flow == Flow::Stop) return flow;
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return Flow::Next;
}

Flow Evaluator::run(const While& s, StmtId id) {
  while (truth(s.condition)) {
    const Flow flow = block(s.body);
    if (flow == Flow::Break) break;
    if (flow == Flow::Return || flow == Flow::Stop) return flow;
    current_ = id;
    if (!evaluate(id)) return stopped();
  }
  return Flow::Next;
}

Flow Evaluator::run(const If& s) { return block(truth(s.condition) ? s.then_body : s.else_body); }

Flow Evaluator::run(const Return& s) {
  returned_.clear();
  for (const ExprId each : s.values) returned_.push_back(value(each));
  return Flow::Return;
}

Flow Evaluator::run(const Trap& s) {
  if (s.condition.valid() && !truth(s.condition)) return Flow::Next;
  const TrapRow& row = module_[s.trap];
  stop(EvalEnd::Trapped, fmt::format("{}: {}", row.name(), row.message),
       static_cast<int>(s.trap.index()) + 1);
  return stopped();
}

Flow Evaluator::run(const Call& s) {
  const StmtId call = current_;
  const Function& callee = module_[s.callee];
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    if (const auto* local = std::get_if<LocalId>(&callee.parameters[i])) {
      locals_[local->index()] = value(std::get<ExprId>(s.arguments[i]));
    }
  }
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const auto* inner = std::get_if<BufferId>(&callee.parameters[i]);
    if (inner == nullptr) continue;
    const BufferId outer = std::get<BufferId>(s.arguments[i]);
    if (arrays_[outer.index()].data == nullptr && !make_table(outer)) return stopped();
    arrays_[inner->index()].data = arrays_[outer.index()].data;
    arrays_[inner->index()].shape = arrays_[outer.index()].shape;
    if (shape(*inner) != arrays_[outer.index()].shape) {
      return violation("the shape of " + module_[outer].name + " is not what the callee declares"), stopped();
    }
  }
  const Flow flow = block(callee.body);
  if (flow == Flow::Stop) return flow;
  current_ = call;
  if (flow != Flow::Return && !s.results.empty()) {
    return violation("the callee ends without its results"), stopped();
  }
  for (std::size_t i = 0; i < s.results.size(); ++i) locals_[s.results[i].index()] = returned_[i];
  return Flow::Next;
}

// ---- entry

void Evaluator::bind_scalars(const Function& function, std::span<const EvalArgument> arguments) {
  for (std::size_t i = 0; i < std::min(arguments.size(), function.parameters.size()); ++i) {
    const auto* local = std::get_if<LocalId>(&function.parameters[i]);
    const auto* constant = std::get_if<Const>(&arguments[i]);
    if (local != nullptr && constant != nullptr) locals_[local->index()] = scalar_of(*constant);
  }
}

EvalResult Evaluator::run(FunctionId id, std::span<const EvalArgument> arguments) {
  const Function& function = module_[id];
  const auto bad = [&](std::string detail) {
    stop(EvalEnd::BadArgument, std::move(detail));
    return outcome_;
  };
  if (arguments.size() != function.parameters.size()) {
    return bad(fmt::format("{} arguments for {} parameters", arguments.size(), function.parameters.size()));
  }
  bind_scalars(function, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* array = std::get_if<ArrayRef>(&arguments[i]);
    if (const auto* local = std::get_if<LocalId>(&function.parameters[i])) {
      const Local& facts = module_[*local];
      if (array != nullptr) return bad(facts.name + " is a scalar");
      const Const& constant = std::get<Const>(arguments[i]);
      if (constant.type != facts.type) return bad(facts.name + " has another dtype");
      if (facts.kind == LocalKind::Symbol && as_int(constant) < 0) return bad(facts.name + " is negative");
      continue;
    }
    const BufferId buffer = std::get<BufferId>(function.parameters[i]);
    const std::string& name = module_[buffer].name;
    if (array == nullptr) return bad(name + " is an array");
    if (array->type != module_[buffer].type) return bad(name + " has another dtype");
    if (shape(buffer) != array->shape) return bad(name + " has another shape than its extents say");
    static unsigned char nothing;  // an empty array may come without memory
    void* data = array->data == nullptr ? &nothing : array->data;
    arrays_[buffer.index()].data = static_cast<unsigned char*>(data);
    arrays_[buffer.index()].shape = array->shape;
  }
  const Flow flow = block(function.body);
  if (flow == Flow::Stop) return outcome_;
  if (flow != Flow::Return && !function.results.empty()) {
    current_ = {};
    violation("the function ends without its results");
    return outcome_;
  }
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    outcome_.results.push_back(const_of(function.results[i], returned_[i]));
  }
  return outcome_;
}

}  // namespace

EvalResult eval(const Module& module, FunctionId function, std::span<const EvalArgument> arguments,
                const EvalOptions& options) {
  return Evaluator(module, options).run(function, arguments);
}

std::optional<std::vector<std::int64_t>> parameter_shape(const Module& module, FunctionId function,
                                                         std::size_t parameter,
                                                         std::span<const EvalArgument> arguments) {
  const EvalOptions options;
  Evaluator evaluator(module, options);
  evaluator.bind_scalars(module[function], arguments);
  return evaluator.shape(std::get<BufferId>(module[function].parameters[parameter]));
}

}  // namespace pw::ir
