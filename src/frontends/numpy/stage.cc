// The entry: the kernel's arguments become parameters of the module, the file's top level runs, then the
// function.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"
#include "ir/verifier.h"

namespace pw::numpy {

Stager::Stager(const python::Tree& tree, const KernelInterface& kernel,
               std::map<std::string, std::int64_t> specialised, const base::Sources& sources,
               diagnostics::Engine& diagnostics)
    : engine(diagnostics),
      tree_(tree),
      liveness_(tree),
      kernel_(kernel),
      specialised_(std::move(specialised)),
      sources_(sources),
      lists_(std::make_unique<Lists>(*this)) {}

/// A scope and the functions defined in it hold each other.
Stager::~Stager() {
  for (const auto& scope : captured_) scope->names.clear();
}

Result<ir::ExtentId> Stager::interface_extent(const manifest::Expression& expression, const SizeNames& names,
                                              base::Span span) {
  using manifest::ExpressionOp;
  std::vector<ir::ExtentId> operands;
  for (const manifest::Expression& each : expression.operands) {
    PW_TRY(const ir::ExtentId operand, interface_extent(each, names, span));
    operands.push_back(operand);
  }
  switch (expression.op) {
    case ExpressionOp::Constant:
      return size(expression.constant);
    case ExpressionOp::Symbol: {
      const auto found = names.find(expression.symbol);
      if (found == names.end())
        return engine.report(Rule::NumpyExtentUnknown, expression.span, expression.symbol);
      return found->second;
    }
    case ExpressionOp::Negate:
      return extents().scale(operands[0], -1);
    case ExpressionOp::Add:
      return extents().add(operands[0], operands[1]);
    case ExpressionOp::Subtract:
      return extents().subtract(operands[0], operands[1]);
    case ExpressionOp::Multiply:
      return extents().multiply(operands[0], operands[1]);
    case ExpressionOp::FloorDivide:
    case ExpressionOp::ExactDivide:
      return extents().apply(ir::ExtentOp::FloorDiv, operands[0], operands[1]);
    case ExpressionOp::Modulo:
      return extents().apply(ir::ExtentOp::Mod, operands[0], operands[1]);
    case ExpressionOp::Minimum:
      return extents().apply(ir::ExtentOp::Min, operands[0], operands[1]);
    case ExpressionOp::Maximum:
      return extents().apply(ir::ExtentOp::Max, operands[0], operands[1]);
    default:
      return engine.report(Rule::NumpyExtentUnknown, expression.span, manifest::to_text(expression));
  }
}

ir::LocalId Stager::parameter(const std::string& name, ir::DType type, ir::LocalKind kind, base::Span span) {
  ir::Local local;
  local.name = name;
  local.type = type;
  local.kind = kind;
  local.span = span;
  if (kind == ir::LocalKind::Symbol) local.range.lower = size(0);
  return module.add(std::move(local));
}

namespace {

/// A value of the manifest as Python has it.
Value static_value(const StaticArgument& argument) {
  return std::visit(
      [](const auto& data) -> Value {
        using T = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return value(None{});
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          auto items = std::make_shared<std::vector<Value>>();
          for (const std::int64_t item : data) items->push_back(value(item));
          return value(List{items});
        } else {
          return value(data);
        }
      },
      argument.value);
}

}  // namespace

Result<Done> Stager::bind_interface() {
  SizeNames names;
  for (const auto& [name, number] : kernel_.constants) names[name] = size(number);
  for (const KernelArgument& argument : kernel_.arguments) {
    at(argument.span);
    if (std::holds_alternative<SymbolArgument>(argument.kind)) {
      const ir::LocalId id = parameter(argument.name, ir::DType::I64, ir::LocalKind::Symbol, argument.span);
      names[argument.name] = argument_size(argument.name, id);
      scope_->names[argument.name] = argument_value(argument.name, id, true);
      scalar_parameters_[argument.name] = id;
    } else if (const auto* scalar = std::get_if<ScalarArgument>(&argument.kind)) {
      const ir::LocalId id = parameter(argument.name, scalar->type, ir::LocalKind::Argument, argument.span);
      if (scalar->type == ir::DType::I64) names[argument.name] = argument_size(argument.name, id);
      scope_->names[argument.name] = argument_value(argument.name, id, scalar->weak);
      scalar_parameters_[argument.name] = id;
    } else if (const auto* known = std::get_if<StaticArgument>(&argument.kind)) {
      Value bound = static_value(*known);
      if (known->named) bind_config(argument.name, bound, argument.span);
      if (const auto* number = bound.as<std::int64_t>()) names[argument.name] = size(*number);
      scope_->names[argument.name] = std::move(bound);
    }
  }
  std::vector<ir::LocalId> trailing;
  for (const std::string& symbol : kernel_.trailing_symbols) {
    const ir::LocalId id = parameter(symbol, ir::DType::I64, ir::LocalKind::Symbol, {});
    names[symbol] = argument_size(symbol, id);
    (void)argument_value(symbol, id, true);
    trailing.push_back(id);
  }
  for (const KernelArgument& argument : kernel_.arguments) {
    if (const auto* sparse = std::get_if<SparseArgument>(&argument.kind)) {
      PW_TRY(scope_->names[argument.name], bind_sparse(*sparse, names, argument.span));
      continue;
    }
    const auto* array = std::get_if<ArrayArgument>(&argument.kind);
    if (array == nullptr) {
      const auto scalar = scalar_parameters_.find(argument.name);
      if (scalar == scalar_parameters_.end()) continue;
      parameters_.push_back(scalar->second);
      abi_.push_back({argument.name, AbiArgument::Role::Scalar, module[scalar->second].type, 0});
      continue;
    }
    PW_TRY(scope_->names[argument.name], bind_array(argument.name, *array, names, argument.span));
  }
  for (const ir::LocalId id : trailing) {
    parameters_.push_back(id);
    AbiArgument& passed =
        abi_.emplace_back(AbiArgument{module[id].name, AbiArgument::Role::Symbol, ir::DType::I64, 0});
    if (const auto from = kernel_.read_off.find(passed.name); from != kernel_.read_off.end()) {
      passed.read_off = from->second;
    }
  }
  for (const auto& [argument, id] : unknown_extents_) {
    parameters_.push_back(id);
    abi_.push_back(argument);
  }
  return Done{};
}

/// An array argument as a parameter of the module.
Result<Value> Stager::bind_array(const std::string& name, const ArrayArgument& array, const SizeNames& names,
                                 base::Span span) {
  ir::Buffer buffer;
  buffer.name = name;
  buffer.type = array.type;
  buffer.kind = ir::BufferKind::Parameter;
  buffer.span = span;
  Array view;
  for (std::size_t k = 0; k < array.extents.size(); ++k) {
    ir::ExtentId extent;
    if (array.extents[k]) {
      PW_TRY(extent, interface_extent(*array.extents[k], names, span));
    } else {
      const ir::LocalId id =
          parameter(name + "_dim" + std::to_string(k), ir::DType::I64, ir::LocalKind::Symbol, span);
      unknown_extents_.emplace_back(AbiArgument{name, AbiArgument::Role::Extent, ir::DType::I64, k}, id);
      extent = extents().local(id);
    }
    buffer.extents.push_back(extent);
    view.shape.push_back(extent);
    view.map.push_back(extents().local(axis(k)));
  }
  view.buffer = module.add(std::move(buffer));
  parameters_.push_back(view.buffer);
  abi_.push_back({name, AbiArgument::Role::Array, array.type, 0});
  return value(view);
}

/// A config number prints by its name; a list or string only decides while staging.
void Stager::bind_config(const std::string& name, Value& bound, base::Span span) {
  ir::Local local;
  local.name = name;
  local.kind = ir::LocalKind::Config;
  local.span = span;
  std::string text = describe(bound, module);
  if (const auto* number = bound.as<std::int64_t>()) {
    local.type = ir::DType::I64;
    local.config = ir::const_int(ir::DType::I64, *number);
    local.range = {size(*number), size(*number)};
    text = std::to_string(*number);
  } else if (const auto* real = bound.as<double>()) {
    local.type = ir::DType::F64;
    local.config = ir::const_float(ir::DType::F64, *real);
    text = fmt::format("{}", *real);
  } else {
    if (const auto* flag = bound.as<bool>()) text = *flag ? "True" : "False";
    if (const auto* string = bound.as<std::string>()) text = "'" + *string + "'";
    module.assumptions.push_back(name + " = " + text);
    return;
  }
  module.assumptions.push_back(name + " = " + text);
  bound.config = module.add(std::move(local));
}

/// A buffer that the caller gives for what the kernel returns.
Array Stager::promoted_buffer(std::string name, std::vector<ir::ExtentId> shape, ir::DType type,
                              base::Span span) {
  ir::Buffer buffer;
  buffer.name = std::move(name);
  buffer.type = type;
  buffer.extents = shape;
  buffer.kind = ir::BufferKind::Parameter;
  buffer.span = span;
  Array out;
  for (std::size_t d = 0; d < shape.size(); ++d) out.map.push_back(extents().local(axis(d)));
  out.shape = std::move(shape);
  out.buffer = module.add(std::move(buffer));
  return out;
}

/// The most that a size may be, in what the caller knows; nullopt: not known.
std::optional<ir::ExtentId> Stager::most(ir::ExtentId extent) {
  if (in_scope(extent)) return extent;
  ir::ExtentId sum = size(0);
  const std::vector<ir::ExtentTerm> terms = extents()[extent].terms;
  for (const ir::ExtentTerm& term : terms) {
    ir::ExtentId product = size(1);
    for (const ir::AtomId factor : term.factors) product = extents().multiply(product, extents().of(factor));
    std::optional<ir::ExtentId> bound = product;
    if (!in_scope(product) && term.coefficient > 0) {
      bound = term.factors.size() == 1 ? most(term.factors[0]) : std::nullopt;
    } else if (!in_scope(product)) {
      bound = proves_nonnegative(product) ? std::optional(size(0)) : std::nullopt;
    }
    if (!bound) return std::nullopt;
    sum = extents().add(sum, extents().scale(*bound, term.coefficient));
  }
  return sum;
}

std::optional<ir::ExtentId> Stager::most(ir::AtomId factor) {
  const ir::ExtentAtom atom = extents()[factor];
  if (const auto* local = std::get_if<ir::LocalId>(&atom.node)) {
    const ir::ExtentId upper = module[*local].range.upper;
    return upper.valid() ? most(upper) : std::nullopt;
  }
  const auto& chosen = std::get<ir::ExtentApply>(atom.node);
  const std::optional<ir::ExtentId> left = most(chosen.left);
  const std::optional<ir::ExtentId> right = most(chosen.right);
  if (chosen.op == ir::ExtentOp::Min) return left ? left : right;
  if (chosen.op == ir::ExtentOp::Max && left && right) return extents().apply(chosen.op, *left, *right);
  return std::nullopt;
}

/// An array's shape in what the caller knows; of a first extent that only running tells, the most that it may
/// be. Nullopt: not known.
std::optional<std::vector<ir::ExtentId>> Stager::returned_shape(const Array& array) {
  if (in_scope(array)) return array.shape;
  Array known = array;
  const std::optional<ir::ExtentId> first = most(array.shape[0]);
  if (first) known.shape[0] = *first;
  if (!in_scope(known)) return std::nullopt;
  return known.shape;
}

/// The kernel's own return: arrays go to promoted trailing parameters, numbers are results.
Result<Stager::Flow> Stager::return_from_entry(const Value& returned, base::Span span) {
  std::vector<Value> items;
  if (const auto* tuple = returned.as<Tuple>()) {
    items = tuple->items;
  } else if (!returned.is<None>()) {
    items = {returned};
  }
  if (returned_once_ && items.size() != returned_.size())
    return engine.report(Rule::NumpyReturnJoin, span, "the kernel");
  std::vector<ir::ExprId> numbers;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto* array = items[k].as<Array>();
    if (array == nullptr) {
      const std::optional<Scalar> scalar = as_scalar(items[k]);
      if (!scalar) {
        const std::string which = items.size() > 1 ? fmt::format(" as result {}", k) : "";
        return engine.report(Rule::NumpyReturnKind, span, describe(items[k], module) + which);
      }
      if (!returned_once_) returned_.push_back({std::nullopt, type_of(*scalar)});
      if (returned_[k].array || returned_[k].type != type_of(*scalar)) {
        return engine.report(Rule::NumpyReturnJoin, span, "the kernel");
      }
      numbers.push_back(scalar->expr);
      continue;
    }
    const std::optional<std::vector<ir::ExtentId>> shape = returned_shape(*array);
    if (!shape)
      return engine.report(Rule::NumpyReturnKind, span, "an array of a run-time size without a bound");
    const bool counted = *shape != array->shape;
    if (!returned_once_) {
      const std::string name = "result" + (items.size() > 1 ? std::to_string(k) : std::string());
      returned_.push_back(
          {promoted_buffer(name, *shape, type_of(*array), span), type_of(*array), std::nullopt});
      if (counted) returned_[k].length = promoted_buffer(name + "_length", {}, ir::DType::I64, span);
    }
    if (!returned_[k].array || returned_[k].array->shape != *shape || returned_[k].type != type_of(*array) ||
        returned_[k].length.has_value() != counted) {
      return engine.report(Rule::NumpyReturnJoin, span, "the kernel");
    }
    if (counted) store(*returned_[k].length, {}, index(clamped(array->shape[0])));
    map_over(array->shape,
             [&](const Indices& indices) { store(*returned_[k].array, indices, load(*array, indices)); });
  }
  returned_once_ = true;
  emit(ir::Return{std::move(numbers)});
  return Flow::Left;
}

namespace {

/// The first call, in a statement that runs on every path, of a name that was imported from elsewhere.
python::ExprId foreign_call(const python::Tree& tree, const std::vector<python::StmtId>& body,
                            const std::set<std::string>& foreign) {
  for (const python::StmtId id : body) {
    const bool runs = tree.get_if<python::Assign>(id) != nullptr || tree.get_if<python::Expr>(id) != nullptr;
    for (const python::ExprId call : runs ? calls_of(tree, {id}, foreign) : std::vector<python::ExprId>()) {
      if (tree.get_if<python::Name>(tree.get_if<python::Call>(call)->func) != nullptr) return call;
    }
    if (contains_return(tree, {id})) break;
  }
  return {};
}

}  // namespace

Result<StagedKernel> Stager::run() {
  globals_ = std::make_shared<Scope>();
  scope_ = globals_;
  const ir::BlockId body = module.add(ir::Block{});
  blocks_.push_back(body);
  Frame top;
  top.body = &tree_.module.body;
  frames_.push_back(&top);
  PW_CHECK_OK(run_top_level());
  const auto found = globals_->names.find(kernel_.function);
  const auto* function = found == globals_->names.end() ? nullptr : found->second.as<UserFunction>();
  if (function == nullptr)
    return engine.report(Rule::NumpyNoFunction, base::Span{tree_.file, 0, 0}, kernel_.function);
  const auto* def = tree_.get_if<python::FunctionDef>(function->definition);
  if (!def->decorator_list.empty()) {
    return engine.report(Rule::NumpyConstruct, tree_.span(function->definition), "a decorator");
  }
  scope_ = std::make_shared<Scope>(Scope{{}, globals_});
  PW_CHECK_OK(bind_interface());
  PW_CHECK_OK(bind_defaults(*function));
  Frame frame;
  frame.body = &def->body;
  frame.entry = true;
  frame.block = body;
  frame.scope = scope_.get();
  frames_.push_back(&frame);
  const std::size_t diagnostics = engine.all().size();
  const Result<Flow> flow = execute(def->body);
  if (!flow && demanded().empty()) {
    // What stands in the way whatever else is refused is the better reason.
    if (const python::ExprId call = foreign_call(tree_, def->body, unavailable_); call.valid()) {
      engine.truncate(diagnostics);
      const auto* callee = tree_.get_if<python::Name>(tree_.get_if<python::Call>(call)->func);
      return engine.report(Rule::NumpyForeignName, tree_.span(call), callee->id);
    }
  }
  if (!flow) return tl::unexpected(flow.error());
  // Falling off the end gives None, and each path must give the same.
  if (*flow == Flow::Next && !returned_.empty()) {
    return engine.report(Rule::NumpyReturnJoin, tree_.span(def->body.back()), "the kernel");
  }
  ir::Function entry;
  entry.name = kernel_.id;
  entry.parameters = parameters_;
  entry.body = body;
  entry.span = tree_.span(function->definition);
  StagedKernel out;
  for (std::size_t k = 0; k < returned_.size(); ++k) {
    const std::string name = "result" + (returned_.size() > 1 ? std::to_string(k) : std::string());
    if (returned_[k].array) {
      entry.parameters.push_back(returned_[k].array->buffer);
      ++entry.promoted;
      abi_.push_back({name, AbiArgument::Role::ReturnedArray, returned_[k].type, 0, k});
      if (!returned_[k].length) continue;
      entry.parameters.push_back(returned_[k].length->buffer);
      ++entry.promoted;
      abi_.push_back({name + "_length", AbiArgument::Role::ReturnedLength, ir::DType::I64, 0, k});
    } else {
      entry.results.push_back(returned_[k].type);
    }
  }
  for (std::size_t k = 0; k < returned_.size(); ++k) {
    if (!returned_[k].array) {
      abi_.push_back(
          {"result" + std::to_string(k), AbiArgument::Role::ReturnedScalar, returned_[k].type, 0, k});
    }
  }
  PW_CHECK_OK(check_sharing(body));
  module.add(std::move(entry));
  drop_unreached();
  const std::vector<bool> written = ir::written_parameters(module).back();
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (written[k]) out.written.push_back(module[std::get<ir::BufferId>(parameters_[k])].name);
  }
  ir::name_uniquely(module);
  out.abi = std::move(abi_);
  out.specialised = specialised_;
  out.module = std::move(module);
  return out;
}

/// Parameters of the def line that the interface leaves to their defaults, keyword-only ones included.
Result<Done> Stager::bind_defaults(const UserFunction& function) {
  const python::Arguments& parameters = tree_[arguments_of(function)];
  std::vector<const python::Arg*> positional;
  for (const auto& each : parameters.posonlyargs) positional.push_back(&each);
  for (const auto& each : parameters.args) positional.push_back(&each);
  const std::size_t defaults = parameters.defaults.size();
  for (std::size_t k = 0; k < positional.size(); ++k) {
    if (scope_->names.contains(positional[k]->arg)) continue;
    if (k + defaults < positional.size()) {
      return engine.report(Rule::NumpyCallArguments, positional[k]->span, "the kernel",
                           "has nothing for " + positional[k]->arg);
    }
    scope_->names[positional[k]->arg] = (*function.defaults)[k + defaults - positional.size()];
  }
  for (std::size_t k = 0; k < parameters.kwonlyargs.size(); ++k) {
    const std::string& name = parameters.kwonlyargs[k].arg;
    if (!scope_->names.contains(name)) scope_->names[name] = (*function.defaults)[defaults + k];
  }
  return Done{};
}

Result<StagedKernel> stage(const python::Tree& tree, const KernelInterface& kernel,
                           const base::Sources& sources, diagnostics::Engine& engine) {
  std::map<std::string, std::int64_t> specialised;
  const std::size_t diagnostics = engine.all().size();
  for (;;) {
    Stager stager(tree, kernel, specialised, sources, engine);
    Result<StagedKernel> staged = stager.run();
    const std::map<std::string, std::int64_t> demanded = stager.demanded();
    if (staged || demanded.empty()) return staged;
    specialised.insert(demanded.begin(), demanded.end());
    engine.truncate(diagnostics);
  }
}

}  // namespace pw::numpy
