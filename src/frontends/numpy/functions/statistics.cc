// What sorted vectors give: median, percentile, quantile and those without NaN; ptp; covariances.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.quantile.html (method "linear"),
// numpy.median.html, numpy.cov.html
#include <limits>

#include "base/check.h"
#include "frontends/numpy/functions/sorting.h"

namespace pw::numpy::functions {

namespace {

/// What a statistic is of, and where its results go.
struct Request {
  Array array;
  std::optional<std::size_t> axis;
  bool keepdims = false;
  bool skips_nan = false;
  std::vector<ir::ExtentId> leading;  // of the result: the shape of q
  ir::DType result = ir::DType::F64;
};

/// One result, of sorted keys of which the first `count` are numbers, at least one.
using Statistic = std::function<ir::ExprId(const Array& keys, ir::ExtentId count, const Indices& leading)>;

/// The number of keys that are no NaN, which sorting puts last.
ir::ExtentId numbers_in(Stager& stager, const Array& keys) {
  const ir::ExprId nan = stager.real(std::numeric_limits<double>::quiet_NaN(), stager.type_of(keys));
  const ir::ExtentId n = stager.clamped(keys.shape[0]);
  const ir::ExprId found =
      bisect(stager, n, nan, false, [&](ir::ExtentId at) { return stager.load(keys, {at}); });
  return place_within(stager, found, stager.extents().add(n, stager.size(1)), "numbers");
}

/// The statistic of sorted keys: NaN if there is one among them, or (skips_nan) if there is nothing else.
ir::ExprId one_statistic(Stager& stager, const Request& request, const Array& keys, const Indices& leading,
                         const Statistic& statistic) {
  const ir::DType type = stager.type_of(keys);
  const ir::ExtentId n = stager.clamped(keys.shape[0]);
  if (!ir::is_float(type)) return stager.cast(statistic(keys, n, leading), request.result);
  const ir::ExtentId last = stager.extents().add(n, stager.size(-1));
  const ir::ExprId greatest = stager.load(keys, {last});
  const ir::LocalId out =
      stager.declare_variable("statistic", request.result, stager.cast(greatest, request.result));
  const ir::ExtentId count = request.skips_nan ? numbers_in(stager, keys) : n;
  const ir::ExprId nan_only = stager.apply(ir::Op::Eq, {stager.index(count), stager.integer(0)});
  const ir::ExprId is_nan = request.skips_nan ? nan_only : stager.apply(ir::Op::IsNan, {greatest});
  const ir::BlockId numbers = stager.block(
      [&] { stager.emit(ir::Assign{out, stager.cast(statistic(keys, count, leading), request.result)}); });
  stager.emit(ir::If{is_nan, stager.block([] {}), numbers});
  return kept(stager, stager.module.add(ir::Read{out}, stager.here()));
}

Result<Value> statistics(Stager& stager, const Arguments& arguments, Request request,
                         const Statistic& statistic) {
  const std::size_t rank = request.array.shape.size();
  if (!request.axis) {
    PW_TRY(request.array, flattened(stager, at_least_rank(stager, request.array, 1), arguments.span));
  }
  const std::size_t axis = request.axis.value_or(0);
  const ir::ExtentId n = request.array.shape[axis];
  if (!stager.proves_nonnegative(stager.extents().add(n, stager.size(-1)))) {
    stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(n), stager.integer(1)}), ir::TrapKind::Assumption,
                   "a statistic of no values");
  }
  std::vector<ir::ExtentId> shape = request.leading;
  for (std::size_t k = 0; k < request.array.shape.size(); ++k) {
    if (k != axis) shape.push_back(request.array.shape[k]);
    if (k == axis && request.keepdims) shape.push_back(stager.size(1));
  }
  while (request.keepdims && shape.size() < request.leading.size() + rank) shape.push_back(stager.size(1));
  if (shape.empty()) {
    const Array keys = sorted_along(stager, request.array, 0);
    return stager.strong(one_statistic(stager, request, keys, {}, statistic));
  }
  const Array out = stager.allocate(shape, request.result);
  for_vectors(stager, request.array, axis, [&](const AlongAxis& at) {
    const Array keys = stager.define(
        {n}, stager.type_of(request.array),
        [&](const Indices& k) { return stager.load(request.array, at(k[0])); }, "keys");
    sort_vector(stager, keys, std::nullopt);
    stager.map_over(request.leading, [&](const Indices& leading) {
      Indices to = leading;
      Indices around = at(stager.size(0));
      if (!request.keepdims) around.erase(around.begin() + static_cast<std::ptrdiff_t>(axis));
      to.insert(to.end(), around.begin(), around.end());
      while (to.size() < shape.size()) to.push_back(stager.size(0));
      stager.store(out, to, one_statistic(stager, request, keys, leading, statistic));
    });
  });
  return value(out);
}

Result<Request> request_of(Stager& stager, const Arguments& arguments, std::size_t axis_position,
                           std::size_t keepdims_position) {
  Request out;
  PW_TRY(out.array, stager.to_array(required(arguments, 0, "a"), std::nullopt, arguments.span));
  PW_CHECK_OK(require_ordered(stager, arguments, out.array));
  if (arguments.find(axis_position, "axis") != nullptr) {
    PW_TRY(out.axis, one_axis(stager, arguments, axis_position, out.array.shape.size(), std::nullopt));
  }
  PW_TRY(out.keepdims, bool_argument(stager, arguments, keepdims_position, "keepdims", false));
  out.skips_nan = arguments.name.find(".nan") != std::string_view::npos;
  return out;
}

ir::DType mean_type_of(ir::DType type) { return ir::is_float(type) ? type : ir::DType::F64; }

}  // namespace

/// median and nanmedian: the middle of the sorted values, or the mean of the two in the middle.
Result<Value> median(Stager& stager, const Arguments& arguments) {
  PW_TRY(Request request, request_of(stager, arguments, 1, 4));
  const ir::DType type = mean_type_of(stager.type_of(request.array));
  request.result = type;
  ir::ExtentTable& table = stager.extents();
  const auto middle = [&](const Array& keys, ir::ExtentId count, const Indices&) {
    const auto at = [&](ir::ExtentId place) {
      const ir::ExtentId inside = place_within(stager, stager.index(place), keys.shape[0], "middle");
      return kept(stager, stager.cast(stager.load(keys, {inside}), type));
    };
    const ir::ExtentId before = table.add(count, stager.size(-1));
    const ir::ExprId low = at(table.apply(ir::ExtentOp::FloorDiv, before, stager.size(2)));
    const ir::ExprId high = at(table.apply(ir::ExtentOp::FloorDiv, count, stager.size(2)));
    const ir::ExprId odd = stager.apply(
        ir::Op::Eq, {stager.index(table.apply(ir::ExtentOp::Mod, count, stager.size(2))), stager.integer(1)});
    const ir::ExprId mean =
        stager.apply(ir::Op::Div, {stager.apply(ir::Op::Add, {low, high}), stager.real(2.0, type)});
    return stager.apply(ir::Op::Select, {odd, high, mean});
  };
  return deliver(stager, arguments, 2, statistics(stager, arguments, std::move(request), middle));
}

namespace {

/// q of a call, in [0, 1].
struct Quantiles {
  Value fraction;
  ir::DType type = ir::DType::F64;
  bool weak = false;
};

Result<Quantiles> quantiles_of(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value q, array_like(stager, required(arguments, 1, "q"), arguments.span));
  Quantiles out;
  const ir::DType own = type_of(stager, q);
  if (ir::is_complex(own)) return bad_call(stager, arguments, "with complex q");
  out.type = own == ir::DType::F32 ? own : ir::DType::F64;
  const std::optional<Scalar> scalar = q.is<Array>() ? std::nullopt : stager.as_scalar(q);
  out.weak = scalar && scalar->weak;
  const bool percent = arguments.name.ends_with("percentile");
  PW_TRY(const Value fraction, elementwise_of(stager, std::span(&q, 1), std::span(&out.type, 1), out.type,
                                              arguments.span, [&](std::span<const ir::ExprId> v) {
                                                if (!percent) return v[0];
                                                return stager.apply(ir::Op::Div,
                                                                    {v[0], stager.real(100.0, out.type)});
                                              }));
  PW_TRY(const Array all, stager.to_array(fraction, std::nullopt, arguments.span));
  const ir::ExprId outside = stager.fold(
      all.shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId v = stager.load(all, at);
        const ir::ExprId low = stager.apply(ir::Op::Ge, {v, stager.real(0.0, out.type)});
        const ir::ExprId high = stager.apply(ir::Op::Le, {v, stager.real(1.0, out.type)});
        return stager.apply(ir::Op::Not, {stager.apply(ir::Op::And, {low, high})});
      });
  stager.trap_if(outside, ir::TrapKind::ValueError, "Percentiles must be in the range [0, 100]");
  out.fraction = value(all);
  return out;
}

/// The place of a quantile among `count` values, between two of them.
struct Between {
  ir::ExtentId before;
  ir::ExtentId after;
  ir::ExprId share;
};

Between place_of(Stager& stager, ir::ExprId fraction, ir::ExtentId count, ir::ExtentId n) {
  const ir::DType type = stager.module.type(fraction);
  ir::ExtentTable& table = stager.extents();
  const ir::ExprId last = stager.index(table.add(count, stager.size(-1)));
  const ir::ExprId virtual_place =
      kept(stager, stager.apply(ir::Op::Mul, {stager.cast(last, type), fraction}));
  const ir::ExprId beyond = kept(stager, stager.apply(ir::Op::Ge, {virtual_place, stager.cast(last, type)}));
  const ir::ExprId floor = stager.apply(ir::Op::Floor, {virtual_place});
  const ir::ExprId whole = stager.cast(floor, ir::DType::I64);
  const ir::ExprId first = kept(stager, stager.apply(ir::Op::Minimum, {whole, last}));
  const ir::ExprId next = stager.apply(ir::Op::Add, {first, stager.integer(1)});
  // NumPy's indices beyond the last are -1, and the share is counted from there.
  const ir::ExprId from = stager.apply(ir::Op::Select, {beyond, stager.real(-1.0, type), floor});
  return {place_within(stager, stager.apply(ir::Op::Select, {beyond, last, first}), n, "before"),
          place_within(stager, stager.apply(ir::Op::Select, {beyond, last, next}), n, "after"),
          kept(stager, stager.apply(ir::Op::Sub, {virtual_place, from}))};
}

}  // namespace

/// percentile, quantile, nanpercentile, nanquantile by the linear method; one result a q, in q's shape.
Result<Value> quantile(Stager& stager, const Arguments& arguments) {
  PW_TRY(Request request, request_of(stager, arguments, 2, 6));
  const ir::DType own = stager.type_of(request.array);
  if (own == ir::DType::Bool)
    return stager.engine.report(Rule::NumpyOpType, arguments.span, arguments.name, "bool");
  PW_TRY(const std::string method, text_argument(stager, arguments, 5, "method", "linear"));
  if (method != "linear") return unsupported(stager, arguments, "by method " + method, "use method='linear'");
  PW_TRY(const Quantiles q, quantiles_of(stager, arguments));
  const Array fractions = *q.fraction.as<Array>();
  request.leading = fractions.shape;
  const ir::DType type = q.weak ? mean_type_of(own) : ir::promote(own, q.type);
  request.result = type;
  const auto between = [&](const Array& keys, ir::ExtentId count, const Indices& leading) {
    const ir::ExprId fraction = kept(stager, stager.load(fractions, leading));
    const Between where = place_of(stager, fraction, count, keys.shape[0]);
    const ir::ExprId a = kept(stager, stager.load(keys, {where.before}));
    const ir::ExprId b = kept(stager, stager.load(keys, {where.after}));
    const ir::ExprId gap = kept(stager, stager.cast(stager.apply(ir::Op::Sub, {b, a}), type));
    const ir::ExprId rest = stager.apply(ir::Op::Sub, {stager.real(1.0, q.type), where.share});
    const auto times = [&](ir::ExprId share) {
      return stager.apply(ir::Op::Mul, {gap, stager.cast(share, type)});
    };
    const ir::ExprId up = stager.apply(ir::Op::Add, {stager.cast(a, type), times(where.share)});
    const ir::ExprId down = stager.apply(ir::Op::Sub, {stager.cast(b, type), times(rest)});
    const ir::ExprId nearer = stager.apply(ir::Op::Ge, {where.share, stager.real(0.5, q.type)});
    return stager.apply(ir::Op::Select, {nearer, down, up});
  };
  return deliver(stager, arguments, 3, statistics(stager, arguments, std::move(request), between));
}

/// The greatest less the least.
Result<Value> peak_to_peak(Stager& stager, const Arguments& arguments) {
  std::vector<std::pair<std::string, Value>> keywords;
  for (const auto& [position, keyword] :
       {std::pair<std::size_t, std::string_view>{1, "axis"}, {3, "keepdims"}}) {
    if (const Value* found = given(arguments, position, keyword)) keywords.emplace_back(keyword, *found);
  }
  const Value& a = required(arguments, 0, "a");
  PW_TRY(const Value most, call_row(stager, arguments.span, "numpy.max", {a}, keywords));
  PW_TRY(const Value least, call_row(stager, arguments.span, "numpy.min", {a}, keywords));
  return deliver(stager, arguments, 2, stager.ufunc(ir::Op::Sub, std::vector{most, least}, arguments.span));
}

namespace {

/// Rows of variables: a vector is one row; columns are taken where rowvar is false.
Result<Array> variables_of(Stager& stager, const Arguments& arguments, const Value& operand, ir::DType type,
                           bool rows) {
  PW_TRY(Array array, stager.to_array(operand, type, arguments.span));
  if (array.shape.empty() || array.shape.size() > 2) {
    return bad_call(stager, arguments, "of an array that is no vector or matrix");
  }
  const bool turned = array.shape.size() == 2 && !rows;
  if (array.shape.size() == 1) array = stager.insert_axis(array, 0);
  if (!turned) return array;
  const std::size_t order[] = {1, 0};
  return stager.transpose(array, order);
}

/// The covariances of the rows of variables, their normalisation being max(columns - ddof, 0).
Result<Value> covariances(Stager& stager, const Arguments& arguments, ir::DType type, bool rows,
                          ir::ExtentId ddof) {
  const base::Span span = arguments.span;
  const bool of_m = arguments.name == "numpy.cov";
  PW_TRY(const Array first,
         variables_of(stager, arguments, required(arguments, 0, of_m ? "m" : "x"), type, rows));
  Value x = value(first);
  if (const Value* other = given(arguments, 1, "y")) {
    PW_TRY(const Array second, variables_of(stager, arguments, *other, type, rows));
    PW_TRY(x, call_row(stager, span, "numpy.concatenate", {value(Tuple{{x, value(second)}})}));
  }
  const std::vector<std::pair<std::string, Value>> along = {{"axis", value(std::int64_t{1})},
                                                            {"keepdims", value(true)}};
  PW_TRY(const Value mean, call_row(stager, span, "numpy.mean", {x}, along));
  PW_TRY(const Value centred, stager.binary(python::Operator::Sub, x, mean, span));
  PW_TRY(const Value turned, call_row(stager, span, "numpy.transpose", {centred}));
  PW_TRY(const Value conjugated, call_row(stager, span, "numpy.conj", {turned}));
  PW_TRY(const Value product, stager.matmul(centred, conjugated, span));
  const ir::DType part = ir::real_of(type);
  const ir::ExtentId left = stager.clamped(stager.extents().subtract(x.as<Array>()->shape[1], ddof));
  const ir::ExprId factor = kept(
      stager, stager.apply(ir::Op::Div, {stager.real(1.0, part), stager.cast(stager.index(left), part)}));
  return stager.binary(python::Operator::Mult, product, stager.strong(factor), span);
}

Result<ir::DType> covariance_type(Stager& stager, const Arguments& arguments) {
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 9));
  ir::DType type = ir::DType::F64;
  for (const Value* each :
       {arguments.find(0, arguments.name == "numpy.cov" ? "m" : "x"), given(arguments, 1, "y")}) {
    if (each == nullptr) continue;
    PW_TRY(const Array array, stager.to_array(*each, std::nullopt, arguments.span));
    type = ir::promote(type, stager.type_of(array));
  }
  return asked.value_or(type);
}

/// A matrix of one element as a number.
Value squeezed(Stager& stager, const Value& matrix) {
  const auto* array = matrix.as<Array>();
  if (array == nullptr || stager.extents().as_constant(array->shape[0]) != 1) return matrix;
  return stager.strong(kept(stager, stager.load(*array, {stager.size(0), stager.size(0)})));
}

}  // namespace

/// (X - mean) (X - mean)^H / (n - ddof) of rows of observations.
Result<Value> covariance(Stager& stager, const Arguments& arguments) {
  PW_TRY(const bool rows, bool_argument(stager, arguments, 2, "rowvar", true));
  PW_TRY(const bool biased, bool_argument(stager, arguments, 3, "bias", false));
  PW_TRY(const ir::DType type, covariance_type(stager, arguments));
  ir::ExtentId ddof = stager.size(biased ? 0 : 1);
  if (const Value* delta = given(arguments, 4, "ddof")) {
    PW_TRY(ddof, stager.to_extent(*delta, arguments.span));
  }
  PW_TRY(const Value out, covariances(stager, arguments, type, rows, ddof));
  return squeezed(stager, out);
}

/// Covariances over the deviations of both, cut to [-1, 1].
Result<Value> correlation(Stager& stager, const Arguments& arguments) {
  const base::Span span = arguments.span;
  PW_TRY(const bool rows, bool_argument(stager, arguments, 2, "rowvar", true));
  PW_TRY(const ir::DType type, covariance_type(stager, arguments));
  if (ir::is_complex(type)) return unsupported(stager, arguments, "of complex numbers", "use np.cov");
  PW_TRY(const Value matrix, covariances(stager, arguments, type, rows, stager.size(1)));
  const Value single = squeezed(stager, matrix);
  if (!single.is<Array>()) return stager.binary(python::Operator::Div, single, single, span);
  const Array c = *matrix.as<Array>();
  const Array deviations = stager.define({c.shape[0]}, type, [&](const Indices& at) {
    return stager.apply(ir::Op::Sqrt, {stager.load(c, {at[0], at[0]})});
  });
  return value(stager.define(c.shape, type, [&](const Indices& at) {
    const ir::ExprId rowwise =
        stager.apply(ir::Op::Div, {stager.load(c, at), stager.load(deviations, {at[0]})});
    const ir::ExprId both = stager.apply(ir::Op::Div, {rowwise, stager.load(deviations, {at[1]})});
    const ir::ExprId low = stager.apply(ir::Op::Maximum, {stager.real(-1.0, type), both});
    return stager.apply(ir::Op::Minimum, {stager.real(1.0, type), low});
  }));
}

}  // namespace pw::numpy::functions
