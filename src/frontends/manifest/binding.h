// What each argument of the kernel's def line is, by the manifest; and the checks that need the def line.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontends/manifest/manifest.h"

namespace pw::manifest {

struct Argument {
  std::string name;
  bool has_default = false;
  bool keyword_only = false;
  base::Span span;  // in the Python file
};

struct DefLine {
  base::Span span;
  std::vector<Argument> arguments;
  /// The names in the function's last own `return` (`return a, b`; "" for an element that is no name); empty
  /// without one.
  std::vector<std::string> returned;
};

enum class ArgumentKind {
  Array,         // init.arrays, or a buffer of a sparse layout that the def line names itself
  Parameter,     // a symbol of `parameters`: a Python value; integers may be extents
  Config,        // a pinned config value: known to staging, printed by name, not in the ABI
  ConfigDomain,  // a config knob with a `domain`: a run-time argument
  Constant,      // init.constants: known to staging, not in the ABI
  Scalar,        // init.scalars: a run-time scalar
  SparseHandle,  // replaced by the buffers of its format
  InitValue,  // returned by init.func_name and declared nowhere else: array or scalar, seen when inputs are
              // made
  Default,    // bound by nothing: the def line's default, known to staging, not in the ABI
};

/// How the harness makes a scalar, which decides NumPy's promotion.
enum class ScalarForm {
  Python,    // a Python int, float or bool: weak in promotion
  Int64,     // np.int64
  RunFloat,  // the run's precision: np.float64 or np.float32
  Declared,  // np.<dtype> by init.dtypes
  FromInit,  // whatever init.func_name returns
};

struct BoundArgument {
  Argument argument;
  ArgumentKind kind = ArgumentKind::Default;
  const Array* array = nullptr;           // Array, unless it is a buffer
  const SparseBuffer* buffer = nullptr;   // Array that is a sparse buffer
  const SparseLayout* sparse = nullptr;   // SparseHandle
  const SparseVariant* format = nullptr;  // SparseHandle: the port's format
  std::optional<ElementType> dtype;       // arrays and scalars with a declared dtype
  ScalarForm form = ScalarForm::Python;   // scalars and parameters
  std::optional<Value> value;             // Config, ConfigDomain (its first), Constant, Scalar
  bool is_output = false;                 // named in output_args
  bool from_init = false;                 // its value is what init.func_name returns
};

struct Binding {
  std::vector<BoundArgument> arguments;  // the def line's order, without keyword-only ones
  /// int64_t arguments after them: symbols of extents that the def line does not name, first those of
  /// `parameters`.
  std::vector<Name> trailing_symbols;
  std::vector<BufferExtent> buffer_extents;    // which of the trailing symbols are read off a sparse buffer
  std::vector<const Array*> returned_outputs;  // output_args that the function returns instead of writing
};

/// Refuses, with line and fix: an argument that nothing binds, an output that is neither argument nor
/// returned or is no array, `input_args` that differ from the def line.
base::Result<base::Done> check(const Manifest& manifest, const DefLine& def, diagnostics::Engine& engine);

/// For a def line that passed `check`. Pointers are into the manifest.
Binding bind(const Manifest& manifest, const DefLine& def, const PortRow& row);

/// For staging, once it knows what the kernel stores to: refuses an output in the def line that is not in
/// `written`.
base::Result<base::Done> check_written(const Manifest& manifest, const Binding& binding,
                                       const std::set<std::string>& written, diagnostics::Engine& engine);

}  // namespace pw::manifest
