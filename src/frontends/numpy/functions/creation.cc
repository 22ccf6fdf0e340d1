// New arrays: constants, ranges, identity and triangles, conversions, grids.
// Source: https://numpy.org/doc/stable/reference/routines.array-creation.html
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

Result<std::vector<ir::ExtentId>> new_shape(Stager& stager, const Value& shape, base::Span span) {
  PW_TRY(std::vector<ir::ExtentId> out, stager.to_shape(shape, span));
  for (const ir::ExtentId extent : out) require_size(stager, extent, kNegative);
  return out;
}

Result<Value> constant_array(Stager& stager, const Arguments& arguments, std::int64_t element) {
  PW_TRY(std::vector<ir::ExtentId> shape, new_shape(stager, required(arguments, 0, "shape"), arguments.span));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 1));
  const ir::DType element_type = type.value_or(ir::DType::F64);
  return value(stager.define(std::move(shape), element_type, [&](const Indices&) {
    return stager.cast(stager.integer(element), element_type);
  }));
}

struct Like {
  std::vector<ir::ExtentId> shape;
  ir::DType type;
};

/// Shape and dtype of `a`, or what dtype= and shape= say.
Result<Like> like(Stager& stager, const Arguments& arguments, std::size_t dtype_position) {
  PW_TRY(const Value model, array_like(stager, required(arguments, 0, "a"), arguments.span));
  PW_TRY(const auto type, dtype_argument(stager, arguments, dtype_position));
  Like out{{}, type.value_or(type_of(stager, model))};
  if (const auto* array = model.as<Array>()) out.shape = array->shape;
  if (const Value* shape = given(arguments, dtype_position + 3, "shape")) {
    PW_TRY(out.shape, new_shape(stager, *shape, arguments.span));
  }
  return out;
}

Result<Value> filled(Stager& stager, std::vector<ir::ExtentId> shape, const Value& element,
                     std::optional<ir::DType> type, base::Span span) {
  PW_TRY(const Value source, array_like(stager, element, span));
  const ir::DType element_type = type.value_or(type_of(stager, source));
  const Array out = stager.allocate(std::move(shape), element_type);
  if (ir::is_integer(element_type)) PW_CHECK_OK(stager.check_weak_range(source, element_type, span));
  PW_CHECK_OK(stager.assign(out, source, span));
  return value(out);
}

Result<Value> constant_like(Stager& stager, const Arguments& arguments, std::int64_t element) {
  PW_TRY(Like model, like(stager, arguments, 1));
  return value(stager.define(std::move(model.shape), model.type, [&](const Indices&) {
    return stager.cast(stager.integer(element), model.type);
  }));
}

/// One where a condition on (row, column) holds, else zero.
Array indicator(Stager& stager, std::vector<ir::ExtentId> shape, ir::DType type, ir::Op op, ir::ExtentId k) {
  return stager.define(std::move(shape), type, [&](const Indices& at) {
    const ir::ExprId column = stager.index(at[1]);
    const ir::ExprId diagonal = stager.index(stager.extents().add(at[0], k));
    const ir::ExprId holds = stager.apply(op, {column, diagonal});
    return stager.apply(ir::Op::Select,
                        {holds, stager.cast(stager.integer(1), type), stager.cast(stager.integer(0), type)});
  });
}

Result<ir::ExtentId> extent_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                                     std::string_view keyword, ir::ExtentId otherwise) {
  const Value* found = given(arguments, position, keyword);
  return found == nullptr ? Result<ir::ExtentId>(otherwise) : stager.to_extent(*found, arguments.span);
}

/// Where a diagonal begins and how long it is.
struct Diagonal {
  ir::ExtentId row;
  ir::ExtentId column;
  ir::ExtentId length;
};

Diagonal diagonal_of(Stager& stager, ir::ExtentId rows, ir::ExtentId columns, std::int64_t k) {
  ir::ExtentTable& table = stager.extents();
  Diagonal out{stager.size(std::max<std::int64_t>(-k, 0)), stager.size(std::max<std::int64_t>(k, 0)), {}};
  out.length =
      table.apply(ir::ExtentOp::Min, table.subtract(rows, out.row), table.subtract(columns, out.column));
  return out;
}

}  // namespace

void require_size(Stager& stager, ir::ExtentId extent, std::string_view message) {
  if (stager.proves_nonnegative(extent)) return;
  stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(extent), stager.integer(0)}),
                 ir::TrapKind::ValueError, message);
}

Result<Value> zeros(Stager& stager, const Arguments& arguments) {
  return constant_array(stager, arguments, 0);
}
Result<Value> ones(Stager& stager, const Arguments& arguments) {
  return constant_array(stager, arguments, 1);
}

Result<Value> empty(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<ir::ExtentId> shape, new_shape(stager, required(arguments, 0, "shape"), arguments.span));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 1));
  return value(stager.allocate(std::move(shape), type.value_or(ir::DType::F64)));
}

Result<Value> full(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<ir::ExtentId> shape, new_shape(stager, required(arguments, 0, "shape"), arguments.span));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 2));
  return filled(stager, std::move(shape), required(arguments, 1, "fill_value"), type, arguments.span);
}

Result<Value> zeros_like(Stager& stager, const Arguments& arguments) {
  return constant_like(stager, arguments, 0);
}
Result<Value> ones_like(Stager& stager, const Arguments& arguments) {
  return constant_like(stager, arguments, 1);
}

Result<Value> empty_like(Stager& stager, const Arguments& arguments) {
  PW_TRY(Like model, like(stager, arguments, 1));
  return value(stager.allocate(std::move(model.shape), model.type));
}

Result<Value> full_like(Stager& stager, const Arguments& arguments) {
  PW_TRY(Like model, like(stager, arguments, 2));
  return filled(stager, std::move(model.shape), required(arguments, 1, "fill_value"), model.type,
                arguments.span);
}

/// start + i*step for ceil((stop - start) / step) values. As NumPy has it, floats step by the difference of
/// the first two values.
Result<Value> arange(Stager& stager, const Arguments& arguments) {
  const bool one = given(arguments, 1, "stop") == nullptr;
  const Value start = one ? value(std::int64_t{0}) : required(arguments, 0, "start");
  const Value stop = one ? required(arguments, 0, "start") : *given(arguments, 1, "stop");
  const Value* step_given = given(arguments, 2, "step");
  const Value step = step_given == nullptr ? value(std::int64_t{1}) : *step_given;
  const std::vector<Value> ends = {start, stop, step};
  PW_TRY(const ir::DType found, stager.result_type(ends, arguments.span));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 3));
  const ir::DType type = asked.value_or(found);
  if (ir::is_integer(found) && (ir::is_integer(type) || ir::is_float(type))) {
    PW_TRY(const ir::ExtentId lower, stager.to_extent(start, arguments.span));
    PW_TRY(const ir::ExtentId upper, stager.to_extent(stop, arguments.span));
    PW_TRY(const std::int64_t stride, stager.to_static_int(step, arguments.span));
    if (stride == 0) return stager.engine.report(Rule::NumpyZeroDivision, arguments.span);
    ir::ExtentTable& table = stager.extents();
    const ir::ExtentId span = stride > 0 ? table.subtract(upper, lower) : table.subtract(lower, upper);
    const std::int64_t width = std::abs(stride);
    const ir::ExtentId count = width == 1
                                   ? span
                                   : table.apply(ir::ExtentOp::FloorDiv,
                                                 table.add(span, stager.size(width - 1)), stager.size(width));
    return value(stager.define({count}, type, [&](const Indices& at) {
      return stager.cast(stager.index(table.add(lower, table.scale(at[0], stride))), type);
    }));
  }
  const auto number = [](const Value& v) -> std::optional<double> {
    if (const auto* real = v.as<double>()) return *real;
    if (const auto* whole = v.as<std::int64_t>()) return static_cast<double>(*whole);
    return std::nullopt;
  };
  if (!number(start) || !number(stop) || !number(step)) {
    return unsupported(stager, arguments, "with run-time floats", "write start + step * np.arange(n)");
  }
  if (!ir::is_float(type)) return unsupported(stager, arguments, "of floats as integers", "use integer ends");
  const double first = *number(start);
  const double width = *number(step);
  const double length = std::ceil((*number(stop) - first) / width);
  if (!(length < 1e9)) return unsupported(stager, arguments, "of this length", "use a smaller range");
  const auto rounded = [&](double x) {
    return type == ir::DType::F32 ? static_cast<double>(static_cast<float>(x)) : x;
  };
  const double delta = rounded(rounded(first + width) - rounded(first));
  return value(stager.define(
      {stager.size(static_cast<std::int64_t>(std::max(length, 0.0)))}, type, [&](const Indices& at) {
        const ir::ExprId position = stager.cast(stager.index(at[0]), type);
        const ir::ExprId offset = stager.apply(ir::Op::Mul, {position, stager.real(delta, type)});
        return stager.apply(ir::Op::Add, {stager.real(first, type), offset});
      }));
}

/// num values from start to stop; step = (stop - start) / div, y = arange(num) * step + start, and the last
/// value is stop itself. Where the step is zero NumPy divides first: y = arange(num) / div * (stop - start).
Result<Value> linspace(Stager& stager, const Arguments& arguments) {
  const std::vector<Value> ends = {required(arguments, 0, "start"), required(arguments, 1, "stop")};
  for (const Value& end : ends) {
    if (end.is<Array>())
      return unsupported(stager, arguments, "between arrays", "use one start and one stop");
  }
  PW_TRY(const ir::DType found, stager.result_type(ends, arguments.span));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 5));
  const ir::DType type = ir::is_complex(found) || ir::is_float(found) ? found : ir::DType::F64;
  PW_TRY(const ir::ExtentId num, extent_argument(stager, arguments, 2, "num", stager.size(50)));
  require_size(stager, num, "Number of samples must be non-negative.");
  PW_TRY(const bool endpoint, bool_argument(stager, arguments, 3, "endpoint", true));
  const ir::ExprId start = kept(stager, stager.cast(stager.as_scalar(ends[0])->expr, type));
  const ir::ExprId stop = kept(stager, stager.cast(stager.as_scalar(ends[1])->expr, type));
  const ir::ExtentId intervals = endpoint ? stager.extents().add(num, stager.size(-1)) : num;
  const ir::ExprId parts = stager.cast(stager.index(intervals), type);
  const ir::ExprId delta = kept(stager, stager.apply(ir::Op::Sub, {stop, start}));
  const ir::ExprId step = kept(stager, stager.apply(ir::Op::Div, {delta, parts}));
  const ir::DType result = asked.value_or(type);
  return value(stager.define({num}, result, [&](const Indices& at) {
    const ir::ExprId position = stager.cast(stager.index(at[0]), type);
    const ir::ExprId zero = stager.cast(stager.integer(0), type);
    const ir::ExprId plain = stager.apply(ir::Op::Mul, {position, step});
    const ir::ExprId divided =
        stager.apply(ir::Op::Mul, {stager.apply(ir::Op::Div, {position, parts}), delta});
    const ir::ExprId degenerate = stager.apply(ir::Op::Eq, {step, zero});
    const ir::ExprId offset = stager.apply(ir::Op::Select, {degenerate, divided, plain});
    // One value with its endpoint has no step.
    const ir::ExprId has_step = stager.apply(ir::Op::Gt, {stager.index(intervals), stager.integer(0)});
    const ir::ExprId whole = stager.apply(ir::Op::Mul, {position, delta});
    ir::ExprId y =
        stager.apply(ir::Op::Add, {stager.apply(ir::Op::Select, {has_step, offset, whole}), start});
    if (endpoint) {
      const ir::ExprId last = stager.index(stager.extents().add(num, stager.size(-1)));
      const ir::ExprId is_last =
          stager.apply(ir::Op::And, {stager.apply(ir::Op::Eq, {stager.index(at[0]), last}),
                                     stager.apply(ir::Op::Gt, {last, stager.integer(0)})});
      y = stager.apply(ir::Op::Select, {is_last, stop, y});
    }
    if (ir::is_integer(result) && ir::is_float(type)) y = stager.apply(ir::Op::Floor, {y});
    return stager.cast(y, result);
  }));
}

Result<Value> eye(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExtentId rows, stager.to_extent(required(arguments, 0, "N"), arguments.span));
  PW_TRY(const ir::ExtentId columns, extent_argument(stager, arguments, 1, "M", rows));
  PW_TRY(const ir::ExtentId k, extent_argument(stager, arguments, 2, "k", stager.size(0)));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 3));
  require_size(stager, rows, kNegative);
  require_size(stager, columns, kNegative);
  return value(indicator(stager, {rows, columns}, type.value_or(ir::DType::F64), ir::Op::Eq, k));
}

Result<Value> identity(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExtentId rows, stager.to_extent(required(arguments, 0, "n"), arguments.span));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 1));
  require_size(stager, rows, kNegative);
  return value(indicator(stager, {rows, rows}, type.value_or(ir::DType::F64), ir::Op::Eq, stager.size(0)));
}

Result<Value> tri(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::ExtentId rows, stager.to_extent(required(arguments, 0, "N"), arguments.span));
  PW_TRY(const ir::ExtentId columns, extent_argument(stager, arguments, 1, "M", rows));
  PW_TRY(const ir::ExtentId k, extent_argument(stager, arguments, 2, "k", stager.size(0)));
  PW_TRY(const auto type, dtype_argument(stager, arguments, 3));
  return value(indicator(stager, {rows, columns}, type.value_or(ir::DType::F64), ir::Op::Le, k));
}

/// tril and triu of the last two axes; a vector stands for rows that repeat it.
Result<Value> triangle(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array array, stager.to_array(required(arguments, 0, "m"), std::nullopt, arguments.span));
  PW_TRY(const ir::ExtentId k, extent_argument(stager, arguments, 1, "k", stager.size(0)));
  if (array.shape.empty()) return bad_call(stager, arguments, "with a scalar");
  if (array.shape.size() == 1) {
    const Indices formal = formal_axes(stager, 2);
    array = reindexed(stager, array, {array.shape[0], array.shape[0]}, std::span(&formal[1], 1));
  }
  const ir::DType type = stager.type_of(array);
  const ir::Op keeps = arguments.name == "numpy.tril" ? ir::Op::Le : ir::Op::Ge;
  return value(stager.define(array.shape, type, [&](const Indices& at) {
    const std::size_t rank = at.size();
    const ir::ExprId column = stager.index(at[rank - 1]);
    const ir::ExprId diagonal = stager.index(stager.extents().add(at[rank - 2], k));
    return stager.apply(ir::Op::Select, {stager.apply(keeps, {column, diagonal}), stager.load(array, at),
                                         stager.cast(stager.integer(0), type)});
  }));
}

namespace {

/// An np.matrix as the array that it holds.
Value without_matrix(const Value& source) {
  const auto* matrix = source.as<DenseMatrix>();
  return matrix == nullptr ? source : value(matrix->array);
}

}  // namespace

Result<Value> array(Stager& stager, const Arguments& arguments) {
  PW_TRY(const auto type, dtype_argument(stager, arguments, 1));
  PW_TRY(const bool copies, bool_argument(stager, arguments, 9, "copy", true));
  PW_TRY(const std::int64_t rank, int_argument(stager, arguments, 9, "ndmin", 0));
  const Value source = without_matrix(required(arguments, 0, "object"));
  PW_TRY(Array out, stager.to_array(source, type, arguments.span));
  const auto* same = source.as<Array>();
  if (copies && same != nullptr && same->buffer == out.buffer) out = stager.copy(out, stager.type_of(out));
  return value(
      at_least_rank(stager, std::move(out), static_cast<std::size_t>(std::max<std::int64_t>(rank, 0))));
}

Result<Value> asarray(Stager& stager, const Arguments& arguments) {
  PW_TRY(const auto type, dtype_argument(stager, arguments, 1));
  PW_TRY(const std::string order, text_argument(stager, arguments, 2, "order", "K"));
  const bool keeps_class = arguments.name == "numpy.asanyarray";
  const Value& source = required(arguments, 0, "a");
  PW_TRY(Array out, stager.to_array(keeps_class ? source : without_matrix(source), type, arguments.span));
  // Whether NumPy copies here depends on the layout; a copy is what a C-ordered matrix gets.
  if (order == "F" && out.shape.size() > 1) out = stager.copy(out, stager.type_of(out));
  return value(std::move(out));
}

Result<Value> ascontiguousarray(Stager& stager, const Arguments& arguments) {
  PW_TRY(const auto type, dtype_argument(stager, arguments, 1));
  PW_TRY(const Array out, stager.to_array(required(arguments, 0, "a"), type, arguments.span));
  const bool whole =
      out.map == formal_axes(stager, out.shape.size()) && out.shape == stager.buffer(out).extents;
  return value(at_least_rank(stager, whole ? out : stager.copy(out, stager.type_of(out)), 1));
}

Result<Value> copy_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value source, array_like(stager, required(arguments, 0, "a"), arguments.span));
  const auto* array = source.as<Array>();
  if (array == nullptr) return strengthened(stager, {source})[0];
  return value(stager.copy(*array, stager.type_of(*array)));
}

Result<Value> astype(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value source, array_like(stager, required(arguments, 0, "self"), arguments.span));
  PW_TRY(const ir::DType type, stager.to_dtype(required(arguments, 1, "dtype"), arguments.span));
  PW_TRY(const bool copies, bool_argument(stager, arguments, 5, "copy", true));
  const auto* array = source.as<Array>();
  if (array == nullptr || (!copies && stager.type_of(*array) == type))
    return cast_value(stager, source, type);
  return value(stager.copy(*array, type));
}

Result<Value> fill(Stager& stager, const Arguments& arguments) {
  const auto* target = required(arguments, 0, "self").as<Array>();
  if (target == nullptr) return bad_call(stager, arguments, "on a scalar");
  const Value& element = required(arguments, 1, "value");
  PW_CHECK_OK(
      stager.check_stored(element, stager.type_of(*target), Stager::Conversion::ByPython, arguments.span));
  PW_CHECK_OK(stager.assign(*target, element, arguments.span));
  return value(None{});
}

/// The only element, or the one at flat position or index; a Python number.
Result<Value> item(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value source, array_like(stager, required(arguments, 0, "self"), arguments.span));
  const auto* array = source.as<Array>();
  if (array == nullptr) return stager.weak(stager.as_scalar(source)->expr);
  const Value index = packed(arguments, 1, "args");
  if (!index.is<None>()) {
    Value from = source;
    if (!index.is<Tuple>() && array->shape.size() > 1) {
      PW_TRY(Array flat, flattened(stager, *array, arguments.span));
      from = value(std::move(flat));
    }
    PW_TRY(const Value element, stager.subscript(from, index, arguments.span));
    if (!element.is<Scalar>()) return bad_call(stager, arguments, "with fewer indices than dimensions");
    return stager.weak(element.as<Scalar>()->expr);
  }
  for (const ir::ExtentId extent : array->shape) {
    PW_CHECK_OK(stager.require_equal(extent, stager.size(1), arguments.span));
  }
  return stager.weak(stager.load(*array, Indices(array->shape.size(), stager.size(0))));
}

Result<Value> copyto(Stager& stager, const Arguments& arguments) {
  const auto* target = required(arguments, 0, "dst").as<Array>();
  if (target == nullptr) return bad_call(stager, arguments, "on a scalar");
  const Value& source = required(arguments, 1, "src");
  PW_CHECK_OK(
      stager.check_stored(source, stager.type_of(*target), Stager::Conversion::ByCast, arguments.span));
  PW_CHECK_OK(stager.assign(*target, source, arguments.span));
  return value(None{});
}

Result<Value> diag(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array source, stager.to_array(required(arguments, 0, "v"), std::nullopt, arguments.span));
  if (source.shape.size() == 2) return diagonal(stager, arguments);
  if (source.shape.size() != 1)
    return bad_call(stager, arguments, "with an array that is no vector or matrix");
  PW_TRY(const std::int64_t k, int_argument(stager, arguments, 1, "k", 0));
  const ir::ExtentId side = stager.extents().add(source.shape[0], stager.size(std::abs(k)));
  const ir::DType type = stager.type_of(source);
  const Array out =
      stager.define({side, side}, type, [&](const Indices&) { return stager.cast(stager.integer(0), type); });
  stager.map_over(source.shape, [&](const Indices& at) {
    const Indices to = {stager.extents().add(at[0], stager.size(std::max<std::int64_t>(-k, 0))),
                        stager.extents().add(at[0], stager.size(std::max<std::int64_t>(k, 0)))};
    stager.store(out, to, stager.load(source, at));
  });
  return value(out);
}

/// A diagonal of the first two axes, last in the result; a view.
Result<Value> diagonal(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array source, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_TRY(const std::int64_t k,
         int_argument(stager, arguments, 1, arguments.name == "numpy.diag" ? "k" : "offset", 0));
  const std::size_t rank = source.shape.size();
  if (rank < 2) return bad_call(stager, arguments, "with a vector");
  const Diagonal where = diagonal_of(stager, source.shape[0], source.shape[1], k);
  std::vector<ir::ExtentId> shape(source.shape.begin() + 2, source.shape.end());
  shape.push_back(where.length);
  const Indices formal = formal_axes(stager, rank - 1);
  Indices at = {stager.extents().add(formal.back(), where.row),
                stager.extents().add(formal.back(), where.column)};
  at.insert(at.end(), formal.begin(), formal.end() - 1);
  return value(reindexed(stager, source, std::move(shape), at));
}

Result<Value> meshgrid(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::string indexing, text_argument(stager, arguments, 99, "indexing", "xy"));
  std::vector<Array> axes;
  std::vector<ir::ExtentId> shape;
  for (const Value& each : arguments.positional) {
    PW_TRY(const Array made, stager.to_array(each, std::nullopt, arguments.span));
    PW_TRY(const Array flat, flattened(stager, at_least_rank(stager, made, 1), arguments.span));
    axes.push_back(flat);
    shape.push_back(flat.shape[0]);
  }
  const bool swaps = indexing == "xy" && axes.size() > 1;
  if (swaps) std::swap(shape[0], shape[1]);
  std::vector<Value> out;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t along = swaps && k < 2 ? 1 - k : k;
    out.push_back(value(stager.define(shape, stager.type_of(axes[k]),
                                      [&](const Indices& at) { return stager.load(axes[k], {at[along]}); })));
  }
  return value(Tuple{std::move(out)});
}

Result<Value> indices(Stager& stager, const Arguments& arguments) {
  PW_TRY(std::vector<ir::ExtentId> shape,
         stager.to_shape(required(arguments, 0, "dimensions"), arguments.span));
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 1));
  const ir::DType type = asked.value_or(ir::DType::I64);
  const std::size_t rank = shape.size();
  std::vector<ir::ExtentId> whole = shape;
  whole.insert(whole.begin(), stager.size(static_cast<std::int64_t>(rank)));
  const Array out = stager.allocate(std::move(whole), type);
  for (std::size_t k = 0; k < rank; ++k) {
    stager.map_over(shape, [&](const Indices& at) {
      Indices to = {stager.size(static_cast<std::int64_t>(k))};
      to.insert(to.end(), at.begin(), at.end());
      stager.store(out, to, stager.cast(stager.index(at[k]), type));
    });
  }
  return value(out);
}

/// np.mgrid[slices]: the index of each axis at every point, counted by its slice; one slice gives a vector.
/// np.ogrid[slices]: the same, each index along its own axis only.
Result<Value> grid(Stager& stager, const Arguments& arguments) {
  const Value& wanted = required(arguments, 0, "slices");
  const std::vector<Value>* many = sequence_items(wanted);
  const std::vector<Value> slices = many == nullptr ? std::vector{wanted} : *many;
  std::vector<Array> axes;
  std::vector<ir::ExtentId> shape;
  for (const Value& each : slices) {
    const auto* slice = each.as<Slice>();
    if (slice == nullptr) return bad_call(stager, arguments, "with an index that is no slice");
    const std::vector<Value>& parts = *slice->parts;
    Arguments line;
    line.name = "numpy.arange";
    line.span = arguments.span;
    line.positional = {parts[0].is<None>() ? value(std::int64_t{0}) : parts[0], parts[1], parts[2]};
    for (const Value& part : line.positional) {
      const std::optional<Scalar> scalar = stager.as_scalar(part);
      if (!part.is<None>() && (!scalar || !ir::is_integer(stager.type_of(*scalar)))) {
        return unsupported(stager, arguments, "with bounds that are no integers",
                           "use np.linspace and np.meshgrid");
      }
    }
    if (parts[1].is<None>()) return bad_call(stager, arguments, "with a slice without an end");
    PW_TRY(const Value values, arange(stager, line));
    axes.push_back(*values.as<Array>());
    shape.push_back(axes.back().shape[0]);
  }
  if (many == nullptr) return value(axes[0]);
  if (arguments.name == "numpy.ogrid") {
    Arguments mesh;
    mesh.name = "numpy.ix_";
    mesh.span = arguments.span;
    for (Array& each : axes) mesh.positional.push_back(value(std::move(each)));
    return open_mesh(stager, mesh);
  }
  std::vector<ir::ExtentId> whole = shape;
  whole.insert(whole.begin(), stager.size(static_cast<std::int64_t>(axes.size())));
  const Array out = stager.allocate(std::move(whole), ir::DType::I64);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    stager.map_over(shape, [&](const Indices& at) {
      Indices to = {stager.size(static_cast<std::int64_t>(k))};
      to.insert(to.end(), at.begin(), at.end());
      stager.store(out, to, stager.load(axes[k], {at[k]}));
    });
  }
  return value(out);
}

/// np.ix_: each vector as an array with its elements along its own axis.
Result<Value> open_mesh(Stager& stager, const Arguments& arguments) {
  std::vector<Value> out;
  const std::size_t rank = arguments.positional.size();
  for (std::size_t k = 0; k < rank; ++k) {
    PW_TRY(Array each, stager.to_array(arguments.positional[k], std::nullopt, arguments.span));
    if (each.shape.size() != 1) return bad_call(stager, arguments, "with an array that is no vector");
    if (stager.type_of(each) == ir::DType::Bool) {
      return unsupported(stager, arguments, "of a mask", "give the positions as integers");
    }
    for (std::size_t before = 0; before < k; ++before) each = stager.insert_axis(each, 0);
    while (each.shape.size() < rank) each = stager.insert_axis(each, each.shape.size());
    out.push_back(value(std::move(each)));
  }
  return value(Tuple{std::move(out)});
}

Result<Value> dtype_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(const ir::DType type, stager.to_dtype(required(arguments, 0, "dtype"), arguments.span));
  return value(DTypeObject{type});
}

Result<Value> result_dtype(Stager& stager, const Arguments& arguments) {
  std::vector<Value> numbers;
  for (const Value& each : arguments.positional) {
    if (stager.as_scalar(each) || each.is<Array>()) {
      numbers.push_back(each);
    } else {
      PW_TRY(const ir::DType type, stager.to_dtype(each, arguments.span));
      numbers.push_back(stager.strong(stager.cast(stager.integer(0), type)));
    }
  }
  if (numbers.empty()) return bad_call(stager, arguments, "without arguments");
  PW_TRY(const ir::DType type, stager.result_type(numbers, arguments.span));
  return value(DTypeObject{type});
}

}  // namespace pw::numpy::functions
