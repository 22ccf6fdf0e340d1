// The table of NumPy functions, methods, math functions and builtins, and what an entry is given.
//
// Adding a function: a function in its family's file under functions/, a row in functions/functions.def, a
// test.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "frontends/numpy/value.h"

namespace pw::numpy {

class Stager;

/// Arguments of one call, already evaluated.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
  base::Span span;        // of the whole call
  std::string_view name;  // as written in functions.def, for diagnostics

  /// Argument `position` or keyword `keyword`, or null.
  const Value* find(std::size_t position, std::string_view keyword) const;
};

using FunctionBody = base::Result<Value> (*)(Stager&, const Arguments&);

/// One row of functions.def: a dotted name ("numpy.sum", "math.sqrt", "len", "ndarray.sum") and its body. A
/// method's body gets the array as first positional argument, so "ndarray.sum" and "numpy.sum" share one.
struct FunctionRow {
  std::string_view name;
  FunctionBody body;
  std::string_view parameters;  // "x axis=None keepdims=False ...": names in order; a call's arguments are
                                // checked against it
};

const FunctionRow* find_function(std::string_view dotted_name);
const std::vector<FunctionRow>& function_rows();
/// The text of docs/numpy-functions.md.
std::string function_page();

/// Fails with numpy-argument where a call does not fit the row's parameters: an unknown keyword, one too
/// many, one missing, or a value that only its default is taken for.
base::Result<base::Done> check_arguments(Stager& stager, const FunctionRow& row, const Arguments& arguments);

/// What a dotted name stands for that is no function: numpy.pi, numpy.float64, numpy.ndarray, math.inf, int,
/// ...
std::optional<Value> find_constant(std::string_view dotted_name);
/// An attribute of what np.finfo or np.iinfo gave; nullopt: `base` is something else.
std::optional<base::Result<Value>> type_limit(Stager& stager, const Value& base, const std::string& name);

}  // namespace pw::numpy
