// Staging: a NumPy function and what its arguments are go in, an IR module comes out.
//
// The Python is run at translation time over static values, run-time scalars and arrays (design.md 3). What
// cannot be staged is refused where it stands; it is never lowered wrongly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "frontends/manifest/binding.h"
#include "frontends/python/ast.h"
#include "ir/module.h"

namespace pw::numpy {

/// A size of the kernel: an i64 that is never negative. Extents of array arguments are expressions over these
/// names.
struct SymbolArgument {};
/// A run-time scalar. Weak: a Python number, which takes the other operand's dtype in promotion (NEP 50).
struct ScalarArgument {
  ir::DType type = ir::DType::F64;
  bool weak = false;
};
/// A value known while staging; the name is kept for printing where `named`.
struct StaticArgument {
  std::variant<std::monostate, std::int64_t, bool, double, std::string, std::vector<std::int64_t>>
      value;  // monostate: None
  bool named = false;
};
/// Filled in from the def line's own default.
struct DefaultArgument {};
/// An array; each extent is an expression over symbols, static names and integer scalars, or nullopt: unknown
/// until run time, which makes an own trailing int64_t argument `NAME_dim0`.
struct ArrayArgument {
  ir::DType type = ir::DType::F64;
  std::vector<std::optional<manifest::Expression>> extents;
};

/// A SciPy sparse matrix, whose place in the ABI its buffers take, in this order.
struct SparseArgument {
  enum class Role : std::uint8_t { Indptr, Indices, Row, Col, Offsets, Data };
  struct Buffer {
    std::string name;
    Role role;
    ArrayArgument array;
  };
  std::string format;                       // csr, csc, bcsr, coo, bcoo, dia
  bool is_matrix = true;                    // csr_matrix and kin; else csr_array and kin
  std::vector<manifest::Expression> shape;  // rows, columns
  std::vector<Buffer> buffers;
};
/// A size that is read off an array where the inputs are made: the length of an axis minus `offset`.
struct ReadOff {
  std::string array;
  std::size_t dimension = 0;
  std::int64_t offset = 0;
};

struct KernelArgument {
  std::string name;
  std::variant<SymbolArgument, ScalarArgument, StaticArgument, DefaultArgument, ArrayArgument, SparseArgument>
      kind;
  base::Span span;
};

struct KernelInterface {
  std::string id;        // name of the port: the manifest's stem, with layout and dtype suffix
  std::string function;  // name of the def
  std::vector<KernelArgument> arguments;      // def-line order
  std::vector<std::string> trailing_symbols;  // int64_t arguments after them
  std::map<std::string, ReadOff> read_off;    // of those: what the buffers of sparse arguments say
  /// Values that extents may name and that are no argument (config, constants).
  std::vector<std::pair<std::string, std::int64_t>> constants;
  ir::DType run_dtype = ir::DType::F64;  // what np_float of the harness is
  /// Integer arguments and symbols with one value at every preset. Staging takes such a value as known only
  /// where it cannot go on without; the port then declines any other.
  std::map<std::string, std::int64_t> settled;
};

/// The interface of one port of a manifest. `observed` gives dtype and shape of what only init.func_name
/// knows (ArgumentKind::InitValue), by name, where the inputs were made; without it such an argument is
/// refused. Of a sparse argument: its class, and its buffers beside it.
struct ObservedValue {
  std::string name;
  std::string dtype;  // NumPy's name, or "int", "float", "bool", or of a sparse argument "csr_matrix"
  std::optional<std::vector<std::int64_t>> shape;  // absent: a scalar
};
base::Result<KernelInterface> make_interface(const manifest::Manifest& manifest,
                                             const manifest::Binding& binding, const manifest::PortRow& row,
                                             ir::DType run_dtype, const std::vector<ObservedValue>& observed,
                                             diagnostics::Engine& engine);

/// The def line of a top-level function, and its parameters; fails: numpy-no-function.
base::Result<manifest::DefLine> def_line(const python::Tree& tree, const std::string& function,
                                         diagnostics::Engine& engine);
std::vector<std::string> top_level_defs(const python::Tree& tree);

/// What a port's caller must pass, in ABI order, by name: scalars, arrays, trailing symbols, run-time
/// extents, returns.
struct AbiArgument {
  std::string name;
  enum class Role : std::uint8_t {
    Scalar,
    Array,
    Symbol,
    Extent,
    ReturnedArray,
    ReturnedLength,  // of the array before it, whose first extent is only the most that it may be
    ReturnedScalar
  } role;
  ir::DType type;
  std::size_t dimension = 0;             // Extent: of the array `name`
  std::size_t place = 0;                 // Returned*: in the tuple that the kernel returns
  std::optional<ReadOff> read_off = {};  // Symbol: taken from an array instead of the manifest
};

struct StagedKernel {
  ir::Module module;
  std::vector<AbiArgument> abi;
  std::vector<std::string> written;  // def-line arrays that are stored to
  /// Of the settled arguments: those that the port is made for one value of. It traps (Assumption) on others.
  std::map<std::string, std::int64_t> specialised;
};

/// Fails with numpy-* diagnostics that point into the Python file.
base::Result<StagedKernel> stage(const python::Tree& tree, const KernelInterface& kernel,
                                 const base::Sources& sources, diagnostics::Engine& engine);

}  // namespace pw::numpy
