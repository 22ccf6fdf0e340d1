// A program through staging, the verifier and the passes, and its arguments in the order of the ABI.
#include <cstring>

#include "frontends/manifest/expression.h"
#include "frontends/python/parser.h"
#include "ir/eval.h"
#include "ir/scalar.h"
#include "ir/verifier.h"
#include "passes/pipeline.h"
#include "program.h"
#include "verify/exactness.h"

namespace pw::random_test {

namespace {

using Role = numpy::AbiArgument::Role;

base::Result<numpy::KernelArgument> kernel_argument(const Argument& argument, base::FileId file,
                                                    Staged& out) {
  numpy::KernelArgument made{argument.name, numpy::SymbolArgument{}, {file, 0, 1}};
  if (argument.kind == Argument::Kind::Scalar) {
    made.kind = numpy::ScalarArgument{argument.type, argument.weak};
  } else if (argument.kind == Argument::Kind::Array) {
    numpy::ArrayArgument array;
    array.type = argument.type;
    for (const std::string& extent : argument.extents) {
      const base::FileId at = out.sources.add("extent of " + argument.name, extent);
      const base::Span span{at, 0, static_cast<std::uint32_t>(extent.size())};
      PW_TRY(const auto parsed, manifest::parse_shape({extent, span}, out.engine));
      array.extents.emplace_back(parsed.at(0));
    }
    made.kind = std::move(array);
  }
  return made;
}

base::Result<base::Done> stage_all(const Program& program, Staged& out) {
  const base::FileId file = out.sources.add(program.id + ".py", program.source);
  numpy::KernelInterface interface;
  interface.id = program.id;
  interface.function = program.id;
  for (const Argument& argument : program.arguments) {
    if (argument.trailing) {
      interface.trailing_symbols.push_back(argument.name);
      continue;
    }
    PW_TRY(numpy::KernelArgument made, kernel_argument(argument, file, out));
    interface.arguments.push_back(std::move(made));
  }
  PW_TRY(const python::Tree tree, python::parse_file(file, out.sources, out.engine));
  PW_TRY(out.kernel, numpy::stage(tree, interface, out.sources, out.engine));
  PW_CHECK_OK(ir::verify(out.kernel->module, out.engine));
  PW_TRY(out.optimised, passes::optimise(out.kernel->module, passes::Options(), out.engine));
  return ir::verify(*out.optimised, out.engine);
}

ir::Const constant_of(const Data& data) {
  return ir::const_of(data.type, ir::load_scalar(data.type, data.bytes.data(), 0));
}

ir::FunctionId entry_of(const ir::Module& module) { return ir::FunctionId(module.functions.size() - 1); }

std::vector<ir::EvalArgument> eval_arguments(std::vector<Slot>& slots) {
  std::vector<ir::EvalArgument> out;
  for (Slot& slot : slots) {
    if (slot.role == Role::ReturnedScalar) continue;
    if (slot.role == Role::Array || slot.role == Role::ReturnedArray || slot.role == Role::ReturnedLength) {
      out.emplace_back(ir::ArrayRef{slot.data.bytes.data(), slot.data.type, slot.data.shape});
    } else {
      out.emplace_back(constant_of(slot.data));
    }
  }
  return out;
}

}  // namespace

std::size_t byte_count(ir::DType type, const std::vector<std::int64_t>& shape) {
  std::size_t count = ir::row(type).bytes;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

void stage(const Program& program, Staged& out) {
  if (!stage_all(program, out)) return;
  out.inexact = verify::why_inexact(out.kernel->module);
  out.reassociates = reassociates(out.kernel->module);
  out.features = features_of(out.kernel->module);
}

std::optional<std::vector<Slot>> make_slots(const numpy::StagedKernel& kernel, const Case& call,
                                            std::string& why) {
  std::vector<Slot> out;
  for (const numpy::AbiArgument& argument : kernel.abi) {
    Slot slot{argument.role, argument.name, {argument.type, {}, {}}};
    if (argument.role == Role::ReturnedArray) {
      const auto shape =
          ir::parameter_shape(kernel.module, entry_of(kernel.module), out.size(), eval_arguments(out));
      if (!shape) {
        why = "the shape of " + argument.name + " cannot be computed";
        return std::nullopt;
      }
      slot.data.shape = *shape;
    } else if (argument.role != Role::ReturnedScalar && argument.role != Role::ReturnedLength) {
      const auto given = call.values.find(argument.name);
      if (given == call.values.end()) {
        why = "the port takes " + argument.name + ", which is no argument";
        return std::nullopt;
      }
      slot.data = given->second;
    }
    slot.data.type = argument.type;
    slot.data.bytes.resize(byte_count(slot.data.type, slot.data.shape), std::byte{0xFF});
    out.push_back(std::move(slot));
  }
  return out;
}

Outcome outcome_of(const std::vector<Slot>& slots, const ir::Module& module, int status) {
  Outcome out;
  if (status > 0 && static_cast<std::size_t>(status) <= module.traps.size()) {
    const ir::TrapRow& row = module.traps[static_cast<std::size_t>(status) - 1];
    out.end = Outcome::End::Trapped;
    out.trap = row.kind;
    out.exception = row.name();
    out.text = row.message;
    return out;
  }
  if (status != 0) {
    out.text = "status " + std::to_string(status);
    return out;
  }
  out.end = Outcome::End::Returned;
  std::map<std::size_t, Data> by_position;
  Data* last = nullptr;
  for (const Slot& slot : slots) {
    if (slot.role == Role::Array) out.after[slot.name] = slot.data;
    if (slot.role == Role::ReturnedLength) {
      std::memcpy(&last->shape[0], slot.data.bytes.data(), sizeof last->shape[0]);
      last->bytes.resize(byte_count(last->type, last->shape));
      continue;
    }
    if (slot.role != Role::ReturnedArray && slot.role != Role::ReturnedScalar) continue;
    const std::string digits = slot.name.substr(std::strlen("result"));
    last = &(by_position[digits.empty() ? 0 : std::stoul(digits)] = slot.data);
  }
  for (auto& [position, data] : by_position) out.results.push_back(std::move(data));
  return out;
}

Outcome run_eval(const ir::Module& module, std::vector<Slot> slots) {
  ir::EvalOptions options;
  options.max_steps = 3'000'000;
  options.max_bytes = 1U << 26U;
  const std::vector<ir::EvalArgument> arguments = eval_arguments(slots);
  const ir::EvalResult result = ir::eval(module, entry_of(module), arguments, options);
  if (result.end != ir::EvalEnd::Returned && result.end != ir::EvalEnd::Trapped) {
    Outcome out;
    out.text = "eval: " + result.detail;
    return out;
  }
  std::size_t next = 0;
  for (Slot& slot : slots) {
    if (result.status != 0 || slot.role != Role::ReturnedScalar) continue;
    const ir::Const& value = result.results.at(next++);
    ir::store_scalar(value.type, slot.data.bytes.data(), 0, ir::scalar_of(value));
  }
  return outcome_of(slots, module, result.status);
}

}  // namespace pw::random_test
