// Eigenvalues and eigenvectors of Hermitian matrices by rotations, one matrix after the other of a stack.
// Source: Golub and Van Loan, Matrix Computations, section 8.5 (cyclic Jacobi) and 8.7.2 (a x = w b x by
// Cholesky); numpy.linalg.eigh's and scipy.linalg.eigh's pages for shapes and errors.
#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/functions/matrix.h"
#include "frontends/numpy/functions/routine.h"

namespace pw::numpy::functions {

namespace {

ir::DType wide(ir::DType type) { return ir::is_complex(type) ? ir::DType::C128 : ir::DType::F64; }

ir::ExprId modulus(Stager& stager, ir::ExprId x) {
  return stager.cast(stager.apply(ir::Op::Abs, {x}), ir::DType::F64);
}

/// The Hermitian matrices, of dtype `type`, of which `array` has the upper or the lower triangle; the
/// imaginary parts on the diagonal count as zero.
Array completed(Stager& stager, const Array& array, ir::DType type, ir::ExprId upper) {
  const std::size_t rank = array.shape.size();
  return stager.define(array.shape, type, [&](const Indices& at) {
    Indices mirrored = at;
    std::swap(mirrored[rank - 1], mirrored[rank - 2]);
    const ir::ExprId here = kept(stager, stager.cast(stager.load(array, at), type));
    const ir::ExprId there = conjugate(stager, stager.cast(stager.load(array, mirrored), type));
    const ir::ExprId row = stager.index(at[rank - 2]);
    const ir::ExprId column = stager.index(at[rank - 1]);
    const ir::ExprId above = stager.apply(ir::Op::Lt, {row, column});
    const ir::ExprId stored = stager.apply(ir::Op::Eq, {above, upper});
    const ir::ExprId diagonal = stager.apply(ir::Op::Eq, {row, column});
    const ir::ExprId off = stager.apply(ir::Op::Select, {stored, here, there});
    return stager.apply(ir::Op::Select, {diagonal, stager.cast(real_part(stager, here), type), off});
  });
}

/// The rotation that makes the element at (p, q) of a Hermitian matrix zero: rows p and q, x and y, become
/// c x - s w y and s conj(w) x + c y, w being the element's direction; its diagonal elements move by `shift`.
struct Rotation {
  ir::ExprId cosine, lower, upper, shift;  // lower: s w; upper: s conj(w)
};

Rotation rotation_of(Stager& stager, const Matrix& h, ir::ExtentId p, ir::ExtentId q, ir::ExprId size) {
  const auto binary = [&](ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); };
  const auto number = [&](double value) { return stager.real(value, ir::DType::F64); };
  const auto hypotenuse = [&](ir::ExprId x) {
    return stager.apply(ir::Op::Sqrt, {binary(ir::Op::Add, number(1), binary(ir::Op::Mul, x, x))});
  };
  const ir::DType type = stager.type_of(h.array);
  const ir::ExprId gap = binary(ir::Op::Sub, real_part(stager, h.get(q, q)), real_part(stager, h.get(p, p)));
  const ir::ExprId zeta = kept(stager, binary(ir::Op::Div, gap, binary(ir::Op::Mul, number(2), size)));
  const ir::ExprId falls = binary(ir::Op::Lt, zeta, number(0));
  const ir::ExprId sign = stager.apply(ir::Op::Select, {falls, number(-1), number(1)});
  const ir::ExprId steep = binary(ir::Op::Add, stager.apply(ir::Op::Abs, {zeta}), hypotenuse(zeta));
  const ir::ExprId tangent = kept(stager, binary(ir::Op::Div, sign, steep));
  const ir::ExprId cosine = kept(stager, binary(ir::Op::Div, number(1), hypotenuse(tangent)));
  const ir::ExprId sine = binary(ir::Op::Mul, cosine, tangent);
  const ir::ExprId direction = binary(ir::Op::Div, h.get(p, q), stager.cast(size, type));
  const ir::ExprId lower = kept(stager, binary(ir::Op::Mul, stager.cast(sine, type), direction));
  return {stager.cast(cosine, type), lower, kept(stager, conjugate(stager, lower)),
          kept(stager, binary(ir::Op::Mul, tangent, size))};
}

/// Rows p and q of `m` become c x - first y and second x + c y.
void turn_rows(Stager& stager, const Matrix& m, ir::ExtentId n, ir::ExtentId p, ir::ExtentId q,
               ir::ExprId cosine, ir::ExprId first, ir::ExprId second) {
  const auto binary = [&](ir::Op op, ir::ExprId a, ir::ExprId b) { return stager.apply(op, {a, b}); };
  const ir::ExtentId along[] = {n};
  stager.map_over(along, [&](const Indices& at) {
    const ir::ExprId x = kept(stager, m.get(p, at[0]));
    const ir::ExprId y = kept(stager, m.get(q, at[0]));
    m.set(p, at[0], binary(ir::Op::Sub, binary(ir::Op::Mul, cosine, x), binary(ir::Op::Mul, first, y)));
    m.set(q, at[0], binary(ir::Op::Add, binary(ir::Op::Mul, second, x), binary(ir::Op::Mul, cosine, y)));
  });
}

/// Turns `h` so that its element at (p, q) is zero, and with it the rows of `vectors` where there are any.
void rotate(Stager& stager, const Matrix& h, const Matrix* vectors, ir::ExtentId n, ir::ExtentId p,
            ir::ExtentId q, ir::ExprId size) {
  const ir::DType type = stager.type_of(h.array);
  const Rotation by = rotation_of(stager, h, p, q, size);
  const ir::ExprId low = real_part(stager, h.get(p, p));
  const ir::ExprId high = real_part(stager, h.get(q, q));
  const ir::ExprId first = kept(stager, stager.cast(stager.apply(ir::Op::Sub, {low, by.shift}), type));
  const ir::ExprId second = kept(stager, stager.cast(stager.apply(ir::Op::Add, {high, by.shift}), type));
  turn_rows(stager, h, n, p, q, by.cosine, by.lower, by.upper);
  const ir::ExtentId along[] = {n};
  stager.map_over(along, [&](const Indices& at) { h.set(at[0], p, conjugate(stager, h.get(p, at[0]))); });
  stager.map_over(along, [&](const Indices& at) { h.set(at[0], q, conjugate(stager, h.get(q, at[0]))); });
  h.set(p, p, first);
  h.set(q, q, second);
  h.set(p, q, zero(stager, type));
  h.set(q, p, zero(stager, type));
  if (vectors != nullptr) turn_rows(stager, *vectors, n, p, q, by.cosine, by.upper, by.lower);
}

ir::ExprId norm_of(Stager& stager, const Matrix& h, ir::ExtentId n) {
  const std::vector<ir::ExtentId> all = {n, n};
  const ir::ExprId squares =
      stager.fold(all, ir::ReduceOp::Sum, ir::DType::F64, ir::ReduceOrder::Any, [&](const Indices& at) {
        const ir::ExprId x = modulus(stager, h.get(at[0], at[1]));
        return stager.apply(ir::Op::Mul, {x, x});
      });
  return kept(stager, stager.apply(ir::Op::Sqrt, {squares}));
}

/// Makes `h` diagonal; row k of `vectors` becomes what is turned into its axis k.
void diagonalise(Stager& stager, const Matrix& h, const Matrix* vectors, ir::ExtentId n,
                 const Failure& failure) {
  constexpr double kNegligible = 0x1p-54;  // of the matrix's Frobenius norm
  const ir::ExprId relative = stager.real(kNegligible, ir::DType::F64);
  const ir::ExprId least = kept(stager, stager.apply(ir::Op::Mul, {relative, norm_of(stager, h, n)}));
  sweep_pairs(stager, n, failure, [&](ir::ExtentId p, ir::ExtentId q) -> PairTurn {
    const ir::ExprId size = kept(stager, modulus(stager, h.get(p, q)));
    return {stager.apply(ir::Op::Gt, {size, least}),
            [&, p, q, size] { rotate(stager, h, vectors, n, p, q, size); }};
  });
}

/// Takes an eigenvalue, and its vector by elements, by the value's place in ascending order.
struct EigenStore {
  std::function<void(ir::ExtentId place, ir::ExprId value)> value;
  std::function<void(ir::ExtentId place, const std::function<ir::ExprId(ir::ExtentId row)>& element)>
      vector;  // or none
};

/// Of one Hermitian matrix, which is lost.
void eigen_by_rotations(Stager& stager, const Matrix& h, ir::ExtentId n, const Failure& failure,
                        const EigenStore& store) {
  const ir::DType type = stager.type_of(h.array);
  std::optional<Array> turned;
  std::optional<Matrix> rows;
  if (store.vector) {
    turned = stager.define({n, n}, type, [&](const Indices& at) {
      return stager.cast(stager.apply(ir::Op::Eq, {stager.index(at[0]), stager.index(at[1])}), type);
    });
    rows.emplace(Matrix{stager, *turned, {}});
  }
  diagonalise(stager, h, rows ? &*rows : nullptr, n, failure);
  const Array diagonal = stager.define(
      {n}, ir::DType::F64, [&](const Indices& at) { return real_part(stager, h.get(at[0], at[0])); });
  const std::vector<ir::ExtentId> along = {n};
  stager.for_over(along, [&](const Indices& at) {
    const ir::ExtentId place = place_in_order(stager, diagonal, n, at[0], ir::Op::Lt);
    store.value(place, stager.load(diagonal, {at[0]}));
    if (!rows) return;
    store.vector(place, [&](ir::ExtentId row) { return rows->get(at[0], row); });
  });
}

ir::FunctionId eigen_routine(Stager& stager, ir::DType type, bool with_vectors) {
  const std::string name = routine_name(with_vectors ? "eigh" : "eigvalsh", type);
  return stager.routine(name, [&](ir::Function& function) {
    RoutineBody body{stager, function};
    function.routine = with_vectors ? ir::Routine::Eigh : ir::Routine::Eigvalsh;
    function.results = {ir::DType::I64};
    const ir::ExtentId outer = body.size("outer");
    const ir::ExtentId n = body.size("n");
    body.integer("upper");
    const ir::ExtentId first = body.size("first");
    const ir::ExtentId count = body.size("count");
    const Array a = body.array("a", type, {outer, n, n});
    const Array w = body.array("w", ir::real_of(type), {outer, n});
    const Indices axes = formal_axes(stager, 3);
    const ir::ExtentId turned[] = {axes[0], axes[2], axes[1]};
    const Array by_columns = reindexed(stager, a, a.shape, turned);
    stager.for_over(batch_shape(a), [&](const Indices& batch) {
      const auto if_wanted = [&](ir::ExtentId place, const std::function<void(ir::ExtentId)>& then) {
        const ir::ExtentId at = stager.extents().subtract(place, first);
        const ir::ExprId below = stager.apply(ir::Op::Lt, {stager.index(at), stager.index(count)});
        const ir::ExprId behind = stager.apply(ir::Op::Ge, {stager.index(at), stager.integer(0)});
        const ir::BlockId block = stager.block([&] { then(at); });
        stager.emit(ir::If{stager.apply(ir::Op::And, {behind, below}), block, stager.block([] {})});
      };
      EigenStore store;
      store.value = [&](ir::ExtentId place, ir::ExprId value) {
        if_wanted(place, [&](ir::ExtentId at) { stager.store(w, {batch[0], at}, value); });
      };
      if (with_vectors) {
        store.vector = [&](ir::ExtentId place, const std::function<ir::ExprId(ir::ExtentId)>& element) {
          const ir::ExtentId along[] = {n};
          if_wanted(place, [&](ir::ExtentId at) {
            stager.map_over(
                along, [&](const Indices& to) { stager.store(a, {batch[0], at, to[0]}, element(to[0])); });
          });
        };
      }
      eigen_by_rotations(stager, Matrix{stager, by_columns, batch}, n, gives(stager, {1}), store);
    });
    stager.emit(ir::Return{{stager.integer(0)}});
  });
}

struct Eigen {
  Array values;                  // (..., n), ascending
  std::optional<Array> vectors;  // (..., n, n), in columns
};

/// Which of the eigenvalues are wanted, in ascending order.
struct Chosen {
  ir::ExtentId first, count;
};

std::vector<ir::ExtentId> without_last(const Array& array) {
  return {array.shape.begin(), array.shape.end() - 1};
}

/// As loops in place; `matrices` is lost.
Array eigenvalues_in_place(Stager& stager, const Array& matrices, ir::DType type, const Failure& failure) {
  const Array out = stager.allocate(without_last(matrices), ir::real_of(type));
  stager.for_over(batch_shape(matrices), [&](const Indices& batch) {
    const EigenStore store{[&](ir::ExtentId place, ir::ExprId value) {
                             Indices at = batch;
                             at.push_back(place);
                             stager.store(out, at, stager.cast(value, ir::real_of(type)));
                           },
                           {}};
    eigen_by_rotations(stager, Matrix{stager, matrices, batch}, matrices.shape.back(), failure, store);
  });
  return out;
}

Eigen eigen_by_routine(Stager& stager, const Array& matrices, ir::DType type, ir::ExprId upper,
                       bool with_vectors, const Chosen& chosen) {
  const ir::DType inner = stager.type_of(matrices);
  const Array work = define_in_a_row(stager, matrices.shape, inner, [&](const Indices& at) {
    return conjugate(stager, stager.load(matrices, at));  // its rows are the matrix's columns
  });
  const Array w = allocate_in_a_row(stager, without_last(matrices), ir::real_of(inner));
  const ir::ExtentId n = stager.clamped(matrices.shape.back());
  constexpr std::string_view kResults[] = {"failed"};
  const ir::ExtentId is_upper = fixed(stager, stager.cast(upper, ir::DType::I64), "upper");
  const RoutineArgument arguments[] = {
      product(stager, batch_shape(matrices)), n, is_upper, chosen.first, chosen.count, work, w};
  const ir::FunctionId routine = eigen_routine(stager, inner, with_vectors);
  const ir::ExtentId failed = call_routine(stager, routine, arguments, kResults)[0];
  raises(stager, "Eigenvalues did not converge")(nonzero(stager, failed));
  const Array values = window(stager, w, w.shape.size() - 1, stager.size(0), chosen.count);
  Eigen out{stager.copy(values, ir::real_of(type)), std::nullopt};
  if (with_vectors) {
    std::vector<ir::ExtentId> shape = matrices.shape;
    shape.back() = chosen.count;
    out.vectors = stager.define(shape, type, [&](Indices at) {
      std::swap(at[at.size() - 1], at[at.size() - 2]);
      return stager.cast(stager.load(work, at), type);
    });
  }
  return out;
}

/// Of Hermitian matrices in double precision, which are lost; `upper`: which triangle they come from.
Eigen eigen_of(Stager& stager, const Array& matrices, ir::DType type, ir::ExprId upper, bool with_vectors,
               const std::optional<Chosen>& chosen = std::nullopt) {
  const ir::ExtentId n = matrices.shape.back();
  stager.for_over(batch_shape(matrices), [&](const Indices& batch) {
    const ir::ExprId norm = norm_of(stager, Matrix{stager, matrices, batch}, n);
    stager.trap_if(stager.apply(ir::Op::Not, {stager.apply(ir::Op::IsFinite, {norm})}),
                   ir::TrapKind::Assumption, "eigenvalues of numbers whose squares are not finite");
  });
  if (with_vectors || chosen || wants_routine(stager, n)) {
    const Chosen all{stager.size(0), stager.clamped(n)};
    return eigen_by_routine(stager, matrices, type, upper, with_vectors, chosen ? *chosen : all);
  }
  const Failure failure = raises(stager, "Eigenvalues did not converge");
  return {eigenvalues_in_place(stager, matrices, type, failure), std::nullopt};
}

Result<Eigen> numpy_eigen(Stager& stager, const Arguments& arguments, bool with_vectors) {
  PW_TRY(const Array a, square_argument(stager, arguments, 0, "a"));
  PW_TRY(const std::string triangle, text_argument(stager, arguments, 1, "UPLO", "L"));
  const bool upper = triangle == "U" || triangle == "u";
  if (!upper && triangle != "L" && triangle != "l") return bad_call(stager, arguments, "with this UPLO");
  const ir::DType type = floating(stager.type_of(a));
  const ir::ExprId is_upper = stager.constant(ir::const_bool(upper));
  return eigen_of(stager, completed(stager, a, wide(type), is_upper), type, is_upper, with_vectors);
}

/// Rows of `x` become those of L^-1 x, L being the lower triangle of `l`.
void substitute_forward(Stager& stager, const Matrix& l, const Matrix& x, ir::ExtentId n) {
  const ir::DType type = stager.type_of(x.array);
  const ir::ExtentId width[] = {n};
  stager.range_over("i", stager.size(0), n, [&](ir::ExtentId i) {
    stager.map_over(width, [&](const Indices& to) {
      const std::vector<ir::ExtentId> known = {i};
      const ir::ExprId sum = stager.fold(
          known, ir::ReduceOp::Sum, type, ir::ReduceOrder::Any,
          [&](const Indices& k) { return stager.apply(ir::Op::Mul, {l.get(i, k[0]), x.get(k[0], to[0])}); });
      const ir::ExprId rest = stager.apply(ir::Op::Sub, {x.get(i, to[0]), sum});
      x.set(i, to[0], stager.apply(ir::Op::Div, {rest, l.get(i, i)}));
    });
  });
}

/// Rows of `x` become those of L^-H x.
void substitute_conjugate(Stager& stager, const Matrix& l, const Matrix& x, ir::ExtentId n) {
  ir::ExtentTable& table = stager.extents();
  const ir::DType type = stager.type_of(x.array);
  const ir::ExtentId width[] = {x.array.shape.back()};
  stager.range_over("back", stager.size(0), n, [&](ir::ExtentId back) {
    const ir::ExtentId i = table.subtract(table.add(n, stager.size(-1)), back);
    const ir::ExtentId next = table.add(i, stager.size(1));
    stager.map_over(width, [&](const Indices& to) {
      const std::vector<ir::ExtentId> known = {back};
      const ir::ExprId sum =
          stager.fold(known, ir::ReduceOp::Sum, type, ir::ReduceOrder::Any, [&](const Indices& k) {
            const ir::ExtentId row = table.add(next, k[0]);
            return stager.apply(ir::Op::Mul, {conjugate(stager, l.get(row, i)), x.get(row, to[0])});
          });
      const ir::ExprId rest = stager.apply(ir::Op::Sub, {x.get(i, to[0]), sum});
      x.set(i, to[0], stager.apply(ir::Op::Div, {rest, conjugate(stager, l.get(i, i))}));
    });
  });
}

/// L^-1 a L^-H, where the lower triangle of `l` is L; `a` is overwritten.
Array reduced_by(Stager& stager, const Array& a, const Matrix& l) {
  const ir::ExtentId n = a.shape.back();
  substitute_forward(stager, l, Matrix{stager, a, {}}, n);
  const Array right = stager.define(a.shape, stager.type_of(a), [&](const Indices& at) {
    return conjugate(stager, stager.load(a, {at[1], at[0]}));
  });
  substitute_forward(stager, l, Matrix{stager, right, {}}, n);
  return right;
}

/// What subset_by_index chooses of n, both its ends included; raises ValueError where there are none such.
Result<std::optional<Chosen>> chosen_of(Stager& stager, const Arguments& arguments, ir::ExtentId n) {
  using Wanted = std::optional<Chosen>;
  const Value* range = given(arguments, 9, "subset_by_index");
  if (range == nullptr) return Wanted();
  const std::vector<Value>* ends = sequence_items(*range);
  if (ends == nullptr || ends->size() != 2) return bad_call(stager, arguments, "with this subset_by_index");
  ir::ExtentTable& table = stager.extents();
  PW_TRY(const ir::ExtentId first, stager.to_extent((*ends)[0], arguments.span));
  PW_TRY(const ir::ExtentId last, stager.to_extent((*ends)[1], arguments.span));
  const auto below = [&](ir::ExtentId a, ir::ExtentId b) {
    return stager.apply(ir::Op::Lt, {stager.index(a), stager.index(b)});
  };
  const ir::ExprId outside = stager.apply(ir::Op::Or, {below(first, stager.size(0)), below(last, first)});
  const ir::ExprId beyond = stager.apply(ir::Op::Not, {below(last, n)});
  stager.trap_if(stager.apply(ir::Op::Or, {outside, beyond}), ir::TrapKind::ValueError,
                 "Requested eigenvalue indices are not valid");
  return Wanted(Chosen{first, table.add(table.subtract(last, first), stager.size(1))});
}

/// Eigenvalues, and eigenvectors where there are any.
Value as_result(const Eigen& found) {
  if (!found.vectors) return value(found.values);
  return value(Tuple{{value(found.values), value(*found.vectors)}});
}

}  // namespace

/// a: (..., n, n), of which one triangle is read. Eigenvalues ascending, (..., n), and eigenvectors in
/// columns, (..., n, n), each with a sign or phase of its own.
Result<Value> hermitian_eigen(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Eigen found, numpy_eigen(stager, arguments, true));
  return as_result(found);
}

Result<Value> hermitian_eigenvalues(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Eigen found, numpy_eigen(stager, arguments, false));
  return as_result(found);
}

/// a: (n, n), b: (n, n) positive definite or None; of both the triangle that `lower` says is read. Solves a x
/// = w b x: eigenvalues ascending, and unless eigvals_only eigenvectors in columns, with x^H b x = 1; of
/// those the ones that subset_by_index names.
Result<Value> hermitian_eigen_of_two(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, square_argument(stager, arguments, 0, "a"));
  PW_TRY(const bool only_values, bool_argument(stager, arguments, 3, "eigvals_only", false));
  ir::ExprId upper = stager.constant(ir::const_bool(false));
  if (const Value* lower = given(arguments, 2, "lower")) {
    const std::optional<Scalar> flag = stager.as_scalar(*lower);
    if (!flag) return bad_call(stager, arguments, "with this lower");
    upper = kept(stager, stager.apply(ir::Op::Not, {stager.cast(flag->expr, ir::DType::Bool)}));
  }
  if (a.shape.size() != 2) return unsupported(stager, arguments, "of a stack", "loop over the matrices");
  ir::DType type = floating(stager.type_of(a));
  PW_TRY(const std::optional<Chosen> chosen, chosen_of(stager, arguments, stager.clamped(a.shape[0])));
  if (given(arguments, 1, "b") == nullptr) {
    const Array matrix = completed(stager, a, wide(type), upper);
    return as_result(eigen_of(stager, matrix, type, upper, !only_values, chosen));
  }
  PW_TRY(const Array b, square_argument(stager, arguments, 1, "b"));
  if (b.shape.size() != 2) return unsupported(stager, arguments, "of a stack", "loop over the matrices");
  PW_CHECK_OK(stager.require_equal(a.shape[0], b.shape[0], arguments.span));
  type = ir::promote(type, floating(stager.type_of(b)));
  const ir::DType inner = wide(type);
  const Array matrix = completed(stager, a, inner, upper);
  const Array metric = completed(stager, b, inner, upper);
  const Array root = cholesky_factor(stager, metric, inner);
  const Matrix l{stager, root, {}};
  Eigen found = eigen_of(stager, reduced_by(stager, matrix, l), inner, upper, !only_values, chosen);
  found.values = stager.copy(found.values, ir::real_of(type));
  if (found.vectors) {
    substitute_conjugate(stager, l, Matrix{stager, *found.vectors, {}}, metric.shape.back());
    found.vectors = stager.copy(*found.vectors, type);
  }
  return as_result(found);
}

}  // namespace pw::numpy::functions
