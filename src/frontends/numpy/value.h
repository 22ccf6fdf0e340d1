// What a Python name can be bound to while staging.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontends/python/ast.h"
#include "ir/module.h"

namespace pw::numpy {

struct Value;
struct Scope;
struct FunctionRow;

struct None {};
struct EllipsisObject {};
/// A run-time scalar. Weak: a Python number; an immutable i64 expression is also an extent
/// (ir::Module::as_extent).
struct Scalar {
  ir::ExprId expr;
  bool weak = false;
  bool zero_dim = false;  // an array without dimensions to NumPy, which stores it by a cast
};

/// A NumPy integer of one of several dtypes, by a choice at run time; the expression has its value. It can be
/// compared by max and min and stored: all else asks for the dtype.
struct Mixed {
  ir::ExprId expr;
};

/// An array: a view of a buffer. `map` gives, for each dimension of the buffer, the index as an extent over
/// the formal axes (Stager::axis(k)) of the view. An extent <= 0 means an empty dimension. `fresh`: nothing
/// else names this buffer.
struct Array {
  ir::BufferId buffer;
  std::vector<ir::ExtentId> shape;
  std::vector<ir::ExtentId> map;
  bool fresh = false;
};
/// Whether two arrays are the same elements; one cut shorter (x[:n]) is another view.
inline bool is_same_view(const Array& a, const Array& b) {
  return a.buffer == b.buffer && a.shape == b.shape && a.map == b.map;
}

/// A SciPy sparse matrix by the buffers of its format, or (Dense) what a calculation with one gave.
struct SparseMatrix {
  /// Compressed: csr, csc, bsr. Coordinates: coo, and blocks by coordinates. Diagonals: dia.
  enum class Form : std::uint8_t { Compressed, Coordinates, Diagonals, Dense };
  Form form = Form::Compressed;
  bool flipped = false;   // Compressed: by columns. Diagonals: stored is the transpose
  bool is_matrix = true;  // scipy's csr_matrix and kin, for which * is @; else csr_array and kin
  ir::ExtentId rows, columns;
  ir::ExtentId row_blocks, column_blocks;  // rows and columns, over the blocks' sizes
  Array data;    // (stored,), (stored, R, C) of blocks, (diagonals, length), or Dense (rows, columns)
  Array first;   // where each row begins and the last ends; or rows; or offsets of diagonals
  Array second;  // Compressed and Coordinates: columns
  bool has_blocks() const { return form != Form::Diagonals && data.shape.size() == 3; }
};
struct Sparse {
  std::shared_ptr<const SparseMatrix> matrix;
};
/// An np.matrix, which sums of sparse matrices and arrays are: it may be stored, and made an array.
struct DenseMatrix {
  Array array;
};

/// None where `present` (a bool) is false, else the value.
struct OrNone {
  ir::ExprId present;
  std::shared_ptr<const Value> value;
};
/// The string at `position` (an i64), which only running tells.
struct OneOf {
  ir::ExprId position;
  std::vector<std::string> texts;
};

struct Tuple {
  std::vector<Value> items;
};
/// A Python list known while staging; shared by all names bound to it.
struct List {
  std::shared_ptr<std::vector<Value>> items;
};
/// A list of which only running tells how long it is: its first items lie in buffers (grown_lists.h).
struct GrownList;
struct Grown {
  std::shared_ptr<GrownList> list;  // shared by all names bound to it
  friend bool operator==(const Grown&, const Grown&) = default;
};
struct Dict {
  std::shared_ptr<std::vector<std::pair<Value, Value>>> items;
};
struct Slice {
  std::shared_ptr<std::vector<Value>> parts;  // start, stop, step
};
struct Range {
  std::shared_ptr<std::vector<Value>> parts;  // start, stop, step
};
/// np.float64, x.dtype, or a Python type that serves as one (int, float, bool, complex).
struct DTypeObject {
  ir::DType type;
};
/// A class for isinstance and casts: "int", "float", "bool", "complex", "tuple", "list", "str", "slice",
/// "dict", "ndarray", "integer", "floating", "number", an exception's name, ...
struct ClassObject {
  std::string name;
};
bool is_builtin_exception(std::string_view name);
/// What nothing can be computed from while staging: text of run-time values, what lstsq gives beside x.
struct Unknown {
  std::string what;
};
struct UserFunction {
  python::StmtId definition;  // or
  python::ExprId lambda;
  std::shared_ptr<Scope> closure;                // names visible where it was defined
  std::shared_ptr<std::vector<Value>> defaults;  // of the last positional parameters, then keyword-only ones
};
/// A row of functions.def; `self` is bound for a method (`x.sum`, `np.add.at` has the ufunc's row as self).
struct LibraryFunction {
  const FunctionRow* row;
  std::shared_ptr<Value> self;
};
/// "numpy", "numpy.linalg", "math", ...: attributes are looked up in functions.def.
struct ModuleObject {
  std::string name;
};

struct Value {
  std::variant<None, bool, std::int64_t, double, std::complex<double>, std::string, EllipsisObject, Scalar,
               Mixed, Array, OrNone, OneOf, Tuple, List, Grown, Dict, Slice, Range, DTypeObject, ClassObject,
               Unknown, UserFunction, LibraryFunction, ModuleObject, Sparse, DenseMatrix>
      data;
  /// A config name that this static number came from unchanged: printed by name.
  ir::LocalId config = {};

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(data);
  }
};

template <typename T>
Value value(T data) {
  return Value{std::move(data), {}};
}

/// str(value), where it is known while staging: of a string, an int or a bool.
std::optional<std::string> static_text(const Value& value);
/// "int", "numpy.float64", "ndarray of float64, rank 2", "tuple", ... for diagnostics.
std::string describe(const Value& value, const ir::Module& module);

/// Names of one function's run. Lookup goes outward through `parent` (closure, then the file, then builtins).
struct Scope {
  std::map<std::string, Value> names;
  std::shared_ptr<Scope> parent;
};

}  // namespace pw::numpy
