// One call of a Python function, staged and run by ir::eval: what tests and the stage_eval program share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "frontends/numpy/kernel.h"
#include "frontends/python/parser.h"
#include "ir/eval.h"
#include "ir/scalar.h"
#include "ir/verifier.h"

namespace pw::numpy {

/// Dense row-major bytes; complex is real then imaginary part, bool one byte.
struct CaseArray {
  ir::DType type = ir::DType::F64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// A sparse matrix as its buffers, each with the expressions of its extents.
struct CaseSparse {
  struct Buffer {
    std::string name;
    SparseArgument::Role role;
    CaseArray array;
    std::vector<std::string> extents;
  };
  std::string format;
  bool is_matrix = true;
  std::vector<std::string> shape;
  std::vector<Buffer> buffers;
};

struct CaseArgument {
  std::string name;
  std::variant<CaseArray, ir::Const, StaticArgument, CaseSparse> value;
  std::vector<std::string> extents;  // of an array: one expression over the case's symbols a dimension
  bool weak = false;                 // of a scalar: a Python number
};

struct StageCase {
  std::string source;
  std::string function = "f";
  std::vector<CaseArgument> arguments;
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, std::int64_t> settled;  // KernelInterface::settled
};

struct CaseOutcome {
  enum class End : std::uint8_t { Returned, Trapped, Refused, Invalid, Broken } end = End::Broken;
  ir::TrapKind trap = ir::TrapKind::Assumption;
  std::string text;                    // of what went wrong
  std::vector<ir::TrapKind> traps;     // of the trap table
  std::vector<std::string> rules;      // of the diagnostics
  std::vector<std::string> functions;  // of the module, without the entry
  std::vector<CaseArray> results;      // in order of return; a scalar has no shape
  std::vector<CaseArray> arguments;    // the arrays among the arguments, buffers too, as the run left them
};

inline std::size_t element_count(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

inline CaseArray case_array(ir::DType type, std::vector<std::int64_t> shape) {
  CaseArray out{type, std::move(shape), {}};
  out.bytes.resize(element_count(out.shape) * ir::row(type).bytes, std::byte{0xFF});
  return out;
}

template <typename T>
CaseArgument array_argument(const std::string& name, ir::DType type, std::vector<std::string> extents,
                            std::vector<std::int64_t> shape, const std::vector<T>& values) {
  CaseArray array = case_array(type, std::move(shape));
  std::copy_n(std::as_bytes(std::span(values)).begin(), array.bytes.size(), array.bytes.begin());
  return {name, std::move(array), std::move(extents), false};
}

/// Bytes as the programs beside Python exchange them.
inline std::vector<std::byte> from_hex(const std::string& text) {
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.push_back(static_cast<std::byte>(digit(text[i]) << 4U | digit(text[i + 1])));
  }
  return out;
}

inline std::string to_hex(const std::vector<std::byte>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::byte each : bytes) {
    out += kDigits[static_cast<unsigned>(each) >> 4U];
    out += kDigits[static_cast<unsigned>(each) & 15U];
  }
  return out;
}

inline base::Result<std::vector<manifest::Expression>> case_extents(const std::vector<std::string>& texts,
                                                                    base::Sources& sources,
                                                                    diagnostics::Engine& engine) {
  std::vector<manifest::Expression> out;
  for (const std::string& text : texts) {
    const base::FileId file = sources.add("extent " + text, text);
    const base::Span span{file, 0, static_cast<std::uint32_t>(text.size())};
    PW_TRY(const auto parsed, manifest::parse_shape({text, span}, engine));
    out.push_back(parsed.at(0));
  }
  return out;
}

inline base::Result<ArrayArgument> case_kind(const CaseArray& array, const std::vector<std::string>& extents,
                                             base::Sources& sources, diagnostics::Engine& engine) {
  ArrayArgument out;
  out.type = array.type;
  PW_TRY(const auto parsed, case_extents(extents, sources, engine));
  out.extents.assign(parsed.begin(), parsed.end());
  return out;
}

inline base::Result<KernelInterface> case_interface(const StageCase& what, base::FileId source,
                                                    base::Sources& sources, diagnostics::Engine& engine) {
  KernelInterface out;
  out.id = "case";
  out.function = what.function;
  out.settled = what.settled;
  for (const CaseArgument& each : what.arguments) {
    KernelArgument argument;
    argument.name = each.name;
    argument.span = {source, 0, 1};
    if (const auto* array = std::get_if<CaseArray>(&each.value)) {
      PW_TRY(argument.kind, case_kind(*array, each.extents, sources, engine));
    } else if (const auto* sparse = std::get_if<CaseSparse>(&each.value)) {
      SparseArgument kind{sparse->format, sparse->is_matrix, {}, {}};
      PW_TRY(kind.shape, case_extents(sparse->shape, sources, engine));
      for (const CaseSparse::Buffer& buffer : sparse->buffers) {
        PW_TRY(ArrayArgument array, case_kind(buffer.array, buffer.extents, sources, engine));
        kind.buffers.push_back({buffer.name, buffer.role, std::move(array)});
      }
      argument.kind = std::move(kind);
    } else if (const auto* scalar = std::get_if<ir::Const>(&each.value)) {
      argument.kind = ScalarArgument{scalar->type, each.weak};
    } else {
      argument.kind = std::get<StaticArgument>(each.value);
    }
    out.arguments.push_back(std::move(argument));
  }
  for (const auto& [name, size] : what.symbols) out.trailing_symbols.push_back(name);
  return out;
}

/// The arguments of eval in the order of the ABI; returned arrays are made with their shapes.
inline void run_staged(const StagedKernel& staged, const StageCase& what, CaseOutcome& out) {
  const ir::FunctionId entry(static_cast<std::uint32_t>(staged.module.functions.size() - 1));
  std::vector<ir::EvalArgument> passed;
  for (const CaseArgument& each : what.arguments) {
    if (const auto* array = std::get_if<CaseArray>(&each.value)) out.arguments.push_back(*array);
    if (const auto* sparse = std::get_if<CaseSparse>(&each.value)) {
      for (const CaseSparse::Buffer& buffer : sparse->buffers) out.arguments.push_back(buffer.array);
    }
  }
  std::size_t next_array = 0;
  std::vector<CaseArray> returned;
  returned.reserve(staged.abi.size());
  std::vector<std::unique_ptr<std::int64_t>> lengths;
  std::map<std::size_t, const std::int64_t*> returned_lengths;
  for (const AbiArgument& argument : staged.abi) {
    switch (argument.role) {
      case AbiArgument::Role::Scalar:
        for (const CaseArgument& each : what.arguments) {
          if (each.name == argument.name) passed.emplace_back(std::get<ir::Const>(each.value));
        }
        break;
      case AbiArgument::Role::Array: {
        CaseArray& array = out.arguments.at(next_array++);
        passed.emplace_back(ir::ArrayRef{array.bytes.data(), array.type, array.shape});
        break;
      }
      case AbiArgument::Role::Symbol:
        passed.emplace_back(ir::const_int(ir::DType::I64, what.symbols.at(argument.name)));
        break;
      case AbiArgument::Role::Extent:
        passed.emplace_back(ir::const_int(ir::DType::I64, 0));
        break;
      case AbiArgument::Role::ReturnedArray: {
        const auto shape = ir::parameter_shape(staged.module, entry, passed.size(), passed);
        if (!shape) {
          out.text = "the shape of a returned array cannot be computed";
          return;
        }
        returned.push_back(case_array(argument.type, *shape));
        passed.emplace_back(ir::ArrayRef{returned.back().bytes.data(), argument.type, *shape});
        break;
      }
      case AbiArgument::Role::ReturnedLength:
        lengths.push_back(std::make_unique<std::int64_t>(0));
        returned_lengths[returned.size() - 1] = lengths.back().get();
        passed.emplace_back(ir::ArrayRef{lengths.back().get(), argument.type, {}});
        break;
      case AbiArgument::Role::ReturnedScalar:
        break;
    }
  }
  const ir::EvalResult result = ir::eval(staged.module, entry, passed);
  out.text = result.detail;
  if (result.end == ir::EvalEnd::Trapped) {
    out.end = CaseOutcome::End::Trapped;
    const ir::TrapRow& row = staged.module.traps.at(static_cast<std::size_t>(result.status) - 1);
    out.trap = row.kind;
    out.text = row.message;
    return;
  }
  if (result.end != ir::EvalEnd::Returned) return;
  out.end = CaseOutcome::End::Returned;
  std::map<std::size_t, CaseArray> by_position;
  std::size_t array_at = 0;
  std::size_t scalar_at = 0;
  for (const AbiArgument& argument : staged.abi) {
    const bool array = argument.role == AbiArgument::Role::ReturnedArray;
    if (!array && argument.role != AbiArgument::Role::ReturnedScalar) continue;
    const std::string digits = argument.name.substr(6);
    const std::size_t position = digits.empty() ? 0 : std::stoul(digits);
    if (array) {
      CaseArray& filled = returned.at(array_at);
      if (const auto known = returned_lengths.find(array_at); known != returned_lengths.end()) {
        filled.shape[0] = *known->second;
        filled.bytes.resize(case_array(filled.type, filled.shape).bytes.size());
      }
      by_position[position] = filled;
      ++array_at;
      continue;
    }
    CaseArray scalar = case_array(argument.type, {});
    const ir::Const& value = result.results.at(scalar_at++);
    ir::store_scalar(argument.type, scalar.bytes.data(), 0, ir::scalar_of(value));
    by_position[position] = std::move(scalar);
  }
  for (auto& [position, array] : by_position) out.results.push_back(std::move(array));
}

inline CaseOutcome run_case(const StageCase& what) {
  CaseOutcome out;
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const base::FileId file = sources.add("case.py", what.source);
  const auto staged = [&]() -> base::Result<StagedKernel> {
    PW_TRY(const KernelInterface interface, case_interface(what, file, sources, engine));
    PW_TRY(const python::Tree tree, python::parse_file(file, sources, engine));
    return stage(tree, interface, sources, engine);
  }();
  if (staged) {
    for (const ir::TrapRow& row : staged->module.traps) out.traps.push_back(row.kind);
    for (const ir::Function& each : staged->module.functions) out.functions.push_back(each.name);
    out.functions.pop_back();
  }
  const bool verified = staged && ir::verify(staged->module, engine);
  for (const diagnostics::Diagnostic& each : engine.all()) {
    out.rules.emplace_back(diagnostics::row(each.rule).rule);
    out.text += diagnostics::to_text(each, sources) + "\n";
  }
  if (!verified) {
    out.end = staged ? CaseOutcome::End::Invalid : CaseOutcome::End::Refused;
    return out;
  }
  run_staged(*staged, what, out);
  return out;
}

}  // namespace pw::numpy
