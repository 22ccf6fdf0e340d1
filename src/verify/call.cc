#include "verify/call.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "verify/poison.h"

namespace pw::verify {

namespace {

using numpy::AbiArgument;
using Role = AbiArgument::Role;
using runtime::ArraySpec;
using runtime::ArrayValue;
using runtime::WorkerArgument;
using runtime::WorkerReply;

/// What returned arrays get where the reference raised, and so never said how large they are.
constexpr std::uint64_t kUnknownBytes = 1u << 20;

const WorkerArgument* find(const std::vector<WorkerArgument>& list, const std::string& name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& a) { return a.name == name; });
  return at == list.end() ? nullptr : &*at;
}

const WorkerArgument* find(const WorkerReply& reply, const std::string& name) {
  const WorkerArgument* const buffer = find(reply.buffers, name);
  return buffer ? buffer : find(reply.arguments, name);
}

class Preparation {
 public:
  Preparation(const std::vector<AbiArgument>& abi, const ir::Module* module, const WorkerReply& reply)
      : abi_(abi), module_(module), reply_(reply) {}

  std::variant<PreparedCall, std::string> run(runtime::Placement placement) {
    if (!plan_arrays()) return problem_;
    for (std::size_t i = 0; i < abi_.size() && !is_returned(abi_[i]); ++i) {
      const std::size_t before = call_.arguments.size();
      if (!add_argument(i)) return problem_;
      call_.sizes.push_back(size_of(abi_[i], call_.arguments[before]));
    }
    if (!plan_returns()) return problem_;
    auto arrays = runtime::SharedArrays::create(specs_, placement);
    if (!arrays) return std::string("memory is short for the port's arrays");
    for (std::size_t slot = copies_.size(); slot < specs_.size(); ++slot) {
      poison(arrays->slot(slot).spec.dtype, arrays->bytes(slot));
    }
    for (const auto& [slot, input] : copies_) {
      const auto from = reply_.inputs.bytes(input);
      std::memcpy(arrays->bytes(slot).data(), from.data(), from.size());
    }
    call_.arrays = std::move(*arrays);
    for (std::size_t i = 0; i < abi_.size(); ++i) {
      if (is_returned(abi_[i])) call_.arguments.push_back(runtime::ArrayArgument{slots_[i]});
    }
    return std::move(call_);
  }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool plan_arrays() {
    slots_.assign(abi_.size(), 0);
    for (std::size_t i = 0; i < abi_.size(); ++i) {
      if (abi_[i].role != Role::Array) continue;
      const WorkerArgument* const argument = find(reply_, abi_[i].name);
      const auto* const value = argument ? std::get_if<ArrayValue>(&argument->value) : nullptr;
      if (!value) return fail(fmt::format("the port takes an array {} that the inputs lack", abi_[i].name));
      const ArraySpec& spec = reply_.inputs.slot(value->index).spec;
      if (spec.dtype != ir::row(abi_[i].type).numpy) {
        return fail(fmt::format("{} is {}, but the port takes {}", abi_[i].name, spec.dtype,
                                ir::row(abi_[i].type).numpy));
      }
      slots_[i] = specs_.size();
      copies_.emplace_back(specs_.size(), value->index);
      call_.compared.push_back({spec.name, value->index, false});
      specs_.push_back(spec);
    }
    return true;
  }

  static bool is_returned(const AbiArgument& argument) {
    return argument.role == Role::ReturnedArray || argument.role == Role::ReturnedLength ||
           argument.role == Role::ReturnedScalar;
  }

  static ir::EvalArgument size_of(const AbiArgument& argument, const runtime::NativeArgument& passed) {
    const auto* const integer = std::get_if<std::int64_t>(&passed);
    const bool is_size = integer != nullptr && argument.type == ir::DType::I64;
    return is_size ? ir::const_int(ir::DType::I64, *integer) : ir::Const{argument.type, 0, 0};
  }

  /// Returned values have slots behind the arguments' arrays; a place is one in the tuple that both return.
  bool plan_returns() {
    std::size_t returned = 0;
    std::vector<std::size_t> scalars;
    for (std::size_t i = 0; i < abi_.size(); ++i) {
      if (abi_[i].role == Role::ReturnedArray && !plan_returned_array(i, abi_[i].place)) return false;
      if (abi_[i].role == Role::ReturnedLength && !plan_length(i)) return false;
      if (abi_[i].role == Role::ReturnedScalar) scalars.push_back(i);
      if (abi_[i].role == Role::ReturnedArray || abi_[i].role == Role::ReturnedScalar) ++returned;
    }
    if (!reply_.error && returned != reply_.returned.size()) {
      return fail(
          fmt::format("the reference returns {} values, the port {}", reply_.returned.size(), returned));
    }
    for (const std::size_t i : scalars) {
      slots_[i] = specs_.size();
      const ir::DTypeRow& type = ir::row(abi_[i].type);
      specs_.push_back({abi_[i].name, std::string(type.numpy), {}, type.bytes});
      if (!reply_.error) {
        call_.scalars.push_back({abi_[i].name, slots_[i], reply_.returned[abi_[i].place].value});
      }
    }
    return true;
  }

  bool plan_returned_array(std::size_t i, std::size_t place) {
    slots_[i] = specs_.size();
    const std::string dtype(ir::row(abi_[i].type).numpy);
    if (reply_.error) {
      const std::uint64_t size = std::max(kUnknownBytes, reply_.inputs.total_bytes());
      specs_.push_back(
          {abi_[i].name, dtype, {static_cast<std::int64_t>(size / ir::row(abi_[i].type).bytes)}, size});
      return true;
    }
    if (place >= reply_.returned.size()) return true;  // the counts differ, which is said later
    const auto* const value = std::get_if<ArrayValue>(&reply_.returned[place].value);
    if (!value)
      return fail(fmt::format("the reference returns a scalar where the port returns {}", abi_[i].name));
    ArraySpec spec = reply_.results.slot(value->index).spec;
    const bool counted = i + 1 < abi_.size() && abi_[i + 1].role == Role::ReturnedLength;
    call_.compared.push_back({abi_[i].name, value->index, true});
    if (spec.dtype != dtype) {
      call_.mismatch =
          fmt::format("the reference returns {}, but the port {} in {}", spec.dtype, dtype, abi_[i].name);
      spec.bytes = ir::row(abi_[i].type).bytes;
      for (const std::int64_t extent : spec.shape) spec.bytes *= static_cast<std::uint64_t>(extent);
      spec.dtype = dtype;
    }
    spec.name = abi_[i].name;
    if (counted && !widen_to_most(i, spec)) return false;
    specs_.push_back(spec);
    return true;
  }

  /// As large as the port may fill it.
  bool widen_to_most(std::size_t i, ArraySpec& spec) {
    std::vector<ir::EvalArgument> sizes = call_.sizes;
    sizes.resize(abi_.size(), ir::Const{ir::DType::I64, 0, 0});
    const ir::FunctionId entry(module_ ? module_->functions.size() - 1 : 0);
    const auto shape = module_ ? ir::parameter_shape(*module_, entry, i, sizes) : std::nullopt;
    if (!shape || shape->size() != spec.shape.size()) {
      return fail(fmt::format("how large {} may be cannot be computed", spec.name));
    }
    if (std::equal(shape->begin() + 1, shape->end(), spec.shape.begin() + 1) &&
        shape->front() >= spec.shape.front()) {
      spec.shape = *shape;
      spec.bytes = ir::row(abi_[i].type).bytes;
      for (const std::int64_t extent : *shape) spec.bytes *= static_cast<std::uint64_t>(extent);
      return true;
    }
    return fail(fmt::format("the reference returns more in {} than the port has room for", spec.name));
  }

  bool plan_length(std::size_t i) {
    slots_[i] = specs_.size();
    if (!reply_.error && !call_.compared.empty()) call_.compared.back().length = specs_.size();
    const ir::DTypeRow& type = ir::row(abi_[i].type);
    specs_.push_back({abi_[i].name, std::string(type.numpy), {}, type.bytes});
    return true;
  }

  bool add_argument(std::size_t i) {
    const AbiArgument& argument = abi_[i];
    switch (argument.role) {
      case Role::Array:
        call_.arguments.push_back(runtime::ArrayArgument{slots_[i]});
        return true;
      case Role::ReturnedArray:
      case Role::ReturnedLength:
      case Role::ReturnedScalar:
        return true;  // when the arrays are there
      case Role::Symbol:
        return add_symbol(argument);
      case Role::Extent:
        return add_extent(argument);
      case Role::Scalar:
        return add_scalar(argument);
    }
    return false;
  }

  bool add_symbol(const AbiArgument& argument) {
    if (argument.read_off) return add_read_off(argument);
    const auto at = reply_.symbols.find(argument.name);
    if (at == reply_.symbols.end()) return add_scalar(argument);
    call_.arguments.push_back(at->second);
    return true;
  }

  bool add_read_off(const AbiArgument& argument) {
    const numpy::ReadOff& from = *argument.read_off;
    const ArraySpec* const array = planned(from.array);
    if (!array || from.dimension >= array->shape.size()) {
      return fail(fmt::format("{} is read off axis {} of {}, which it does not have", argument.name,
                              from.dimension, from.array));
    }
    call_.arguments.push_back(array->shape[from.dimension] - from.offset);
    return true;
  }

  bool add_extent(const AbiArgument& argument) {
    const ArraySpec* const array = planned(argument.name);
    if (!array || argument.dimension >= array->shape.size()) {
      return fail(fmt::format("the port takes extent {} of {}, which it does not have", argument.dimension,
                              argument.name));
    }
    call_.arguments.push_back(array->shape[argument.dimension]);
    return true;
  }

  const ArraySpec* planned(const std::string& name) const {
    const auto at =
        std::find_if(specs_.begin(), specs_.end(), [&](const ArraySpec& each) { return each.name == name; });
    return at == specs_.end() ? nullptr : &*at;
  }

  bool add_scalar(const AbiArgument& argument) {
    const WorkerArgument* const given = find(reply_, argument.name);
    if (!given) {
      const auto symbol = reply_.symbols.find(argument.name);
      if (symbol == reply_.symbols.end()) {
        return fail(fmt::format("the port takes a scalar {} that the inputs lack", argument.name));
      }
      return add_number(argument, symbol->second);
    }
    if (const auto* integer = std::get_if<std::int64_t>(&given->value)) return add_number(argument, *integer);
    if (const auto* real = std::get_if<double>(&given->value)) return add_number(argument, *real);
    if (const auto* truth = std::get_if<bool>(&given->value)) {
      return add_number(argument, static_cast<std::int64_t>(*truth));
    }
    if (const auto* complex = std::get_if<runtime::ComplexValue>(&given->value);
        complex && argument.type == ir::DType::C128) {
      // The x86-64 ABI passes a double complex as its two parts.
      call_.arguments.push_back(complex->re);
      call_.arguments.push_back(complex->im);
      return true;
    }
    if (const auto* array = std::get_if<ArrayValue>(&given->value)) return add_element(argument, *array);
    return fail(fmt::format("{} is a {}, which the port's {} cannot take", argument.name, given->dtype,
                            ir::row(argument.type).numpy));
  }

  /// A 0-d array for a scalar.
  bool add_element(const AbiArgument& argument, ArrayValue array) {
    const auto bytes = reply_.inputs.bytes(array.index);
    const std::string& dtype = reply_.inputs.slot(array.index).spec.dtype;
    double real = 0;
    std::int64_t integer = 0;
    if (dtype == "float64" && bytes.size() == sizeof real) {
      std::memcpy(&real, bytes.data(), sizeof real);
      return add_number(argument, real);
    }
    if (dtype == "int64" && bytes.size() == sizeof integer) {
      std::memcpy(&integer, bytes.data(), sizeof integer);
      return add_number(argument, integer);
    }
    return fail(fmt::format("{} is an array of {}, but the port takes a scalar", argument.name, dtype));
  }

  template <typename Number>
  bool add_number(const AbiArgument& argument, Number value) {
    if (argument.type == ir::DType::F64) {
      call_.arguments.push_back(static_cast<double>(value));
    } else if (argument.type == ir::DType::F32) {
      call_.arguments.push_back(static_cast<float>(value));
    } else if (argument.type == ir::DType::Bool) {
      call_.arguments.push_back(value != 0);
    } else if (ir::is_integer(argument.type)) {
      const auto integer = static_cast<std::int64_t>(value);
      if (static_cast<Number>(integer) != value) {
        return fail(fmt::format("{} is {}, but the port takes an integer", argument.name, value));
      }
      call_.arguments.push_back(integer);  // narrower ones take the low part of the register
    } else {
      return fail(fmt::format("the port takes {} as a complex number", argument.name));
    }
    return true;
  }

  const std::vector<AbiArgument>& abi_;
  const ir::Module* module_;
  const WorkerReply& reply_;
  PreparedCall call_;
  std::string problem_;
  std::vector<ArraySpec> specs_;
  std::vector<std::pair<std::size_t, std::size_t>> copies_;  // slot, index in the inputs
  std::vector<std::size_t> slots_;                           // of each ABI argument
};

}  // namespace

std::variant<PreparedCall, std::string> prepare_call(const std::vector<AbiArgument>& abi,
                                                     const ir::Module* module, const WorkerReply& reply,
                                                     runtime::Placement placement) {
  return Preparation(abi, module, reply).run(placement);
}

}  // namespace pw::verify
