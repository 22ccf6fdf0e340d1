// What the bodies of functions.def share: their declarations, operands, optional arguments, out=.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/numpy/library.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy::functions {

#define FUNCTION(name, body, parameters) Result<Value> body(Stager& stager, const Arguments& arguments);
#define UFUNC(name, op)
#include "frontends/numpy/functions/functions.def"

/// Any ufunc of one IR op; the op follows from the row's name.
Result<Value> ufunc_call(Stager& stager, const Arguments& arguments);
/// Methods of such a ufunc of two arguments; the op follows from the row's name ("numpy.add.at").
Result<Value> ufunc_at(Stager& stager, const Arguments& arguments);
Result<Value> ufunc_reduce(Stager& stager, const Arguments& arguments);
Result<Value> ufunc_accumulate(Stager& stager, const Arguments& arguments);
Result<Value> ufunc_outer(Stager& stager, const Arguments& arguments);
/// The op of "numpy.add", "numpy.arctan2", ...
std::optional<ir::Op> ufunc_op(std::string_view dotted_name);

/// An argument that is there and not None, or null.
const Value* given(const Arguments& arguments, std::size_t position, std::string_view keyword);
/// An argument that check_arguments has seen to be there.
const Value& required(const Arguments& arguments, std::size_t position, std::string_view keyword);
/// All positional arguments from `position` on, or the single tuple or list that stands there: x.reshape(2,
/// 3) and x.reshape((2, 3)).
Value packed(const Arguments& arguments, std::size_t position, std::string_view keyword);

/// A number or an array; tuples and lists become arrays, an array of rank 0 a scalar.
Result<Value> array_like(Stager& stager, const Value& operand, base::Span span);
/// Items of a tuple or list, null for all else.
const std::vector<Value>* sequence_items(const Value& value);
/// The same numbers, as NumPy scalars where all are Python's: np.sqrt(2.0) is a np.float64.
std::vector<Value> strengthened(Stager& stager, std::vector<Value> operands);
/// The dtype of a number or an array.
ir::DType type_of(Stager& stager, const Value& operand);
/// The operand itself where it has that dtype, else cast: an array's copy, a scalar's value.
Value cast_value(Stager& stager, const Value& operand, ir::DType type);

Result<std::optional<ir::DType>> dtype_argument(Stager& stager, const Arguments& arguments,
                                                std::size_t position, std::string_view keyword = "dtype");
Result<bool> bool_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                           std::string_view keyword, bool otherwise);
Result<std::int64_t> int_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                                  std::string_view keyword, std::int64_t otherwise);
Result<std::string> text_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                                  std::string_view keyword, std::string_view otherwise);
/// One axis, normalised to 0 .. rank-1.
Result<std::size_t> normal_axis(Stager& stager, std::int64_t axis, std::size_t rank, base::Span span);

/// The result, or where out= is given its array after the result is stored there; fails as NumPy's same_kind
/// casting does.
Result<Value> deliver(Stager& stager, const Arguments& arguments, std::size_t position, Result<Value> result);
/// "x cannot be called y".
tl::unexpected<base::Reported> bad_call(Stager& stager, const Arguments& arguments, std::string_view what);
/// "x is outside what is staged", and what to write instead.
tl::unexpected<base::Reported> unsupported(Stager& stager, const Arguments& arguments, std::string_view what,
                                           std::string_view instead);

/// axis= of a call: one axis, or nothing where it is None.
Result<std::optional<std::size_t>> one_axis(Stager& stager, const Arguments& arguments, std::size_t position,
                                            std::size_t rank, std::optional<std::int64_t> otherwise);

/// Another function of functions.def on these arguments.
Result<Value> call_row(Stager& stager, base::Span span, std::string_view name, std::vector<Value> positional,
                       std::vector<std::pair<std::string, Value>> keywords = {});

/// The expression bound to a local, so that later stores do not change it.
ir::ExprId kept(Stager& stager, ir::ExprId expr);

/// An index in 0 .. extent-1, which the caller knows it to be.
ir::ExtentId place_within(Stager& stager, ir::ExprId value, ir::ExtentId extent, std::string_view name);

/// Raises ValueError where a new array's size is below 0.
void require_size(Stager& stager, ir::ExtentId extent, std::string_view message);
constexpr std::string_view kNegative = "negative dimensions are not allowed";

/// The view in which the index of axis k is `at` of the new formal axes.
Array reindexed(Stager& stager, const Array& array, std::vector<ir::ExtentId> shape,
                std::span<const ir::ExtentId> at);
/// Formal axes 0 .. rank-1 as extents.
Indices formal_axes(Stager& stager, std::size_t rank);
/// Rows `offset` .. `offset` + `extent` - 1 along an axis.
Array window(Stager& stager, const Array& array, std::size_t axis, ir::ExtentId offset, ir::ExtentId extent);
/// A fresh one-dimensional copy in C order.
Array flat_copy(Stager& stager, const Array& array);
/// All dimensions as one; a view where it can be.
Result<Array> flattened(Stager& stager, const Array& array, base::Span span);
/// `rank` dimensions at least, new ones of size one in front.
Array at_least_rank(Stager& stager, Array array, std::size_t rank);

/// Sum of products: each operand's axes carry labels; those that `output` lacks are summed. Axes of size one
/// broadcast. Result: array over `output`, or a scalar where that is empty; dtype `type`.
struct Labelled {
  Array array;
  std::vector<int> labels;
};
Result<Value> contract(Stager& stager, std::span<const Labelled> operands, std::span<const int> output,
                       ir::DType type, base::Span span);

/// Broadcasts operands, each cast to its own dtype, and applies `body`: a strong scalar if all are scalars.
Result<Value> elementwise_of(Stager& stager, std::span<const Value> operands,
                             std::span<const ir::DType> types, ir::DType result, base::Span span,
                             const std::function<ir::ExprId(std::span<const ir::ExprId>)>& body);
/// One array or scalar, element by element, of its own dtype.
Result<Value> unary_of(Stager& stager, const Value& operand, ir::DType result, base::Span span,
                       const std::function<ir::ExprId(ir::ExprId)>& body);

}  // namespace pw::numpy::functions
