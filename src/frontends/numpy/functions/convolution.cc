// Sums of products of shifted vectors, and polynomials: convolve, correlate, polyval, vander.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.convolve.html, numpy.correlate.html
#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

/// Which of the n + m - 1 sums are wanted.
struct Part {
  ir::ExtentId first;
  ir::ExtentId count;
};

/// `turns`: whether the sums run from the other end where the first vector is the shorter, so that the middle
/// of an even number of places is the later one.
Result<Part> part_of(Stager& stager, const Arguments& arguments, const std::string& mode, ir::ExtentId n,
                     ir::ExtentId m, bool turns) {
  ir::ExtentTable& table = stager.extents();
  const bool longer = stager.proves_nonnegative(table.subtract(n, m));
  const bool shorter = !longer && stager.proves_nonnegative(table.subtract(m, n));
  const ir::ExtentId least = longer ? m : shorter ? n : table.apply(ir::ExtentOp::Min, n, m);
  const ir::ExtentId most = longer ? n : shorter ? m : table.apply(ir::ExtentOp::Max, n, m);
  const ir::ExtentId one_less = table.add(least, stager.size(-1));
  if (mode == "full") return Part{stager.size(0), table.add(most, one_less)};
  if (mode == "valid") return Part{one_less, table.subtract(most, one_less)};
  if (mode != "same") return bad_call(stager, arguments, "with mode other than full, same or valid");
  const ir::ExtentId early = table.apply(ir::ExtentOp::FloorDiv, one_less, stager.size(2));
  const ir::ExtentId late = table.apply(ir::ExtentOp::FloorDiv, least, stager.size(2));
  if (!turns || longer) return Part{early, most};
  const ir::ExprId less = stager.apply(ir::Op::Lt, {stager.index(n), stager.index(m)});
  const ir::ExprId first = stager.apply(ir::Op::Select, {less, stager.index(late), stager.index(early)});
  return Part{place_within(stager, first, least, "first"), most};
}

Result<Array> vector_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                              std::string_view name) {
  PW_TRY(Array array, stager.to_array(required(arguments, position, name), std::nullopt, arguments.span));
  array = at_least_rank(stager, std::move(array), 1);
  if (array.shape.size() != 1) return bad_call(stager, arguments, "with an array that is no vector");
  const ir::ExtentId n = array.shape[0];
  if (!stager.proves_nonnegative(stager.extents().add(n, stager.size(-1)))) {
    stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(n), stager.integer(1)}), ir::TrapKind::ValueError,
                   "an empty vector");
  }
  array.shape[0] = n;
  return array;
}

}  // namespace

/// convolve: out[k] = sum a[i] v[k - i]. correlate: the same with v conjugated and from its end.
Result<Value> convolve(Stager& stager, const Arguments& arguments) {
  const bool correlates = arguments.name == "numpy.correlate";
  PW_TRY(const Array a, vector_argument(stager, arguments, 0, "a"));
  PW_TRY(const Array v, vector_argument(stager, arguments, 1, "v"));
  PW_TRY(const std::string mode, text_argument(stager, arguments, 2, "mode", correlates ? "valid" : "full"));
  const ir::DType type = ir::promote(stager.type_of(a), stager.type_of(v));
  if (type == ir::DType::Bool) return unsupported(stager, arguments, "of bools", "cast them to int first");
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId n = a.shape[0];
  const ir::ExtentId m = v.shape[0];
  PW_TRY(const Part part, part_of(stager, arguments, mode, n, m, correlates));
  // A float32 sum loses digits that NumPy's keeps.
  const ir::DType sum_type = type == ir::DType::F32 ? ir::DType::F64 : type;
  return value(stager.define({part.count}, type, [&](const Indices& at) {
    const ir::ExtentId k = table.add(at[0], part.first);
    // a[begin .. end) meets v[k - end + 1 .. k - begin]
    const ir::ExtentId begin =
        table.apply(ir::ExtentOp::Max, stager.size(0), table.subtract(k, table.add(m, stager.size(-1))));
    const ir::ExtentId end = table.apply(ir::ExtentOp::Min, n, table.add(k, stager.size(1)));
    const ir::ExtentId first = table.local(stager.let(stager.index(begin), "begin"));
    const std::vector<ir::ExtentId> terms = {table.subtract(end, first)};
    return stager.cast(
        stager.fold(terms, ir::ReduceOp::Sum, sum_type, ir::ReduceOrder::Any,
                    [&](const Indices& j) {
                      const ir::ExtentId i = table.add(first, j[0]);
                      const ir::ExtentId other = table.subtract(k, i);
                      const ir::ExtentId from =
                          correlates ? table.subtract(table.add(m, stager.size(-1)), other) : other;
                      ir::ExprId y = stager.cast(stager.load(v, {from}), type);
                      if (correlates && ir::is_complex(type)) y = stager.apply(ir::Op::Conj, {y});
                      return stager.cast(
                          stager.apply(ir::Op::Mul, {stager.cast(stager.load(a, {i}), type), y}), sum_type);
                    }),
        type);
  }));
}

/// p[0] x^(n-1) + ... + p[n-1] by Horner's rule.
Result<Value> polynomial_value(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array p, stager.to_array(required(arguments, 0, "p"), std::nullopt, arguments.span));
  if (p.shape.size() != 1) return bad_call(stager, arguments, "with coefficients that are no vector");
  PW_TRY(const Value raw, array_like(stager, required(arguments, 1, "x"), arguments.span));
  const Value x = strengthened(stager, {raw})[0];
  const ir::DType type = ir::promote(type_of(stager, x), stager.type_of(p));
  if (type == ir::DType::Bool) return unsupported(stager, arguments, "of bools", "cast them to int first");
  stager.trap_if(stager.apply(ir::Op::Lt, {stager.index(p.shape[0]), stager.integer(1)}),
                 ir::TrapKind::Assumption, "a polynomial without coefficients");
  return elementwise_of(
      stager, std::span(&x, 1), std::span(&type, 1), type, arguments.span,
      [&](std::span<const ir::ExprId> v) {
        const ir::ExprId at = kept(stager, v[0]);
        const ir::LocalId sum = stager.declare_variable("sum", type, stager.cast(stager.integer(0), type));
        stager.for_over(p.shape, [&](const Indices& k) {
          const ir::ExprId before = stager.module.add(ir::Read{sum}, stager.here());
          const ir::ExprId higher = stager.apply(ir::Op::Mul, {before, at});
          stager.emit(
              ir::Assign{sum, stager.apply(ir::Op::Add, {higher, stager.cast(stager.load(p, k), type)})});
        });
        return stager.module.add(ir::Read{sum}, stager.here());
      });
}

/// Rows of powers of each element, falling from N - 1 to 0, or rising.
Result<Value> vandermonde(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array x, stager.to_array(required(arguments, 0, "x"), std::nullopt, arguments.span));
  if (x.shape.size() != 1) return bad_call(stager, arguments, "with an array that is no vector");
  const Value* columns = given(arguments, 1, "N");
  PW_TRY(const ir::ExtentId count,
         columns == nullptr ? Result<ir::ExtentId>(x.shape[0]) : stager.to_extent(*columns, arguments.span));
  PW_TRY(const bool rising, bool_argument(stager, arguments, 2, "increasing", false));
  require_size(stager, count, kNegative);
  const ir::DType type = ir::promote(stager.type_of(x), ir::DType::I64);
  const Array out = stager.allocate({x.shape[0], count}, type);
  ir::ExtentTable& table = stager.extents();
  stager.map_over(x.shape, [&](const Indices& row) {
    const ir::ExprId one = stager.cast(stager.integer(1), type);
    const ir::LocalId power = stager.declare_variable("power", type, one);
    const std::vector<ir::ExtentId> along = {count};
    stager.for_over(along, [&](const Indices& k) {
      const ir::ExtentId from_end = table.subtract(table.add(count, stager.size(-1)), k[0]);
      const ir::ExprId now = kept(stager, stager.module.add(ir::Read{power}, stager.here()));
      stager.store(out, {row[0], rising ? k[0] : from_end}, now);
      const ir::ExprId first = stager.apply(ir::Op::Eq, {stager.index(k[0]), stager.integer(0)});
      const ir::ExprId element = stager.cast(stager.load(x, row), type);
      const ir::ExprId next = stager.apply(ir::Op::Mul, {now, element});
      stager.emit(ir::Assign{power, stager.apply(ir::Op::Select, {first, element, next})});
    });
  });
  return value(out);
}

}  // namespace pw::numpy::functions
