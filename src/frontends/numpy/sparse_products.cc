// Products with sparse matrices, and the other operators and attributes that they have.
//
// A product of two is held as an array of zeros and sums, for whoever adds it to an array; what would tell a
// zero that is stored from one that is not (a product with infinities) is refused or declined.
#include <fmt/format.h>

#include "frontends/numpy/sparse.h"

namespace pw::numpy {

namespace {

using python::Operator;

tl::unexpected<base::Reported> unstaged(Stager& stager, base::Span span, const std::string& what,
                                        const std::string& instead) {
  return stager.engine.report(Rule::NumpySparseUse, span, what, instead);
}

ir::ExprId product(Stager& stager, ir::ExprId a, ir::ExprId b, ir::DType type) {
  return stager.apply(ir::Op::Mul, {stager.cast(a, type), stager.cast(b, type)});
}

/// The sum over the entries of each row, of which no other row has a part.
void sum_rows(Stager& stager, const SparseMatrix& matrix, const Array& x, const Array& y) {
  const ir::DType type = stager.type_of(y);
  // As exact as a dense product's.
  const ir::DType sum_type = type == ir::DType::F32 ? ir::DType::F64 : type;
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId lines[] = {matrix.row_blocks};
  stager.map_over(lines, [&](const Indices& line) {
    const LineEnds ends = line_ends(stager, matrix, line[0]);
    const auto sum = [&](ir::ExtentId length, ir::ReduceOrder order, const ElementBody& element) {
      const std::vector<ir::ExtentId> shape = {length};
      return stager.fold(shape, ir::ReduceOp::Sum, sum_type, order, element);
    };
    const auto part = [&](const Indices& stored, ir::ExtentId column) {
      return product(stager, stager.cast(stager.load(matrix.data, stored), type),
                     stager.cast(stager.load(x, {column}), type), sum_type);
    };
    // `element` gives what the stored entry or block k adds to a row.
    const auto row_sum = [&](const std::function<ir::ExprId(ir::ExtentId k, ir::ExtentId column)>& element) {
      const ir::ExtentId length = table.subtract(ends.end, ends.begin);
      return stager.cast(sum(length, ir::ReduceOrder::Any,
                             [&](const Indices& at) {
                               const ir::ExtentId k = table.add(ends.begin, at[0]);
                               return element(k,
                                              stored_index(stager, matrix.second, k, matrix.column_blocks));
                             }),
                         type);
    };
    if (!matrix.has_blocks()) {
      const auto entry = [&](ir::ExtentId k, ir::ExtentId column) { return part({k}, column); };
      return stager.store(y, {line[0]}, row_sum(entry));
    }
    const ir::ExtentId height[] = {matrix.data.shape[1]};
    const ir::ExtentId width = matrix.data.shape[2];
    stager.map_over(height, [&](const Indices& r) {
      // Blocks are a few numbers wide: no work for vectors.
      const auto block = [&](ir::ExtentId k, ir::ExtentId column) {
        return sum(width, ir::ReduceOrder::Sequential, [&](const Indices& c) {
          return part({k, r[0], c[0]}, table.add(table.multiply(column, width), c[0]));
        });
      };
      stager.store(y, {table.add(table.multiply(line[0], height[0]), r[0])}, row_sum(block));
    });
  });
}

/// matrix @ x, x of one dimension.
Array times_vector(Stager& stager, const SparseMatrix& matrix, const Array& given, ir::DType type) {
  const Array x = stager.is_contiguous(given) ? given : stager.copy(given, stager.type_of(given));
  if (matrix.form == SparseMatrix::Form::Compressed && !matrix.flipped) {
    const Array y = stager.allocate({matrix.rows}, type);
    by_block_size(stager, matrix, [&](const SparseMatrix& each) { sum_rows(stager, each, x, y); });
    return y;
  }
  const Array y = stager.zeros({matrix.rows}, type);
  each_entry(stager, matrix, [&](ir::ExtentId row, ir::ExtentId column, ir::ExprId stored) {
    const ir::ExprId part = product(stager, stored, stager.load(x, {column}), type);
    stager.store(y, {row}, stager.apply(ir::Op::Add, {stager.load(y, {row}), part}));
  });
  return y;
}

/// matrix @ x, x of two dimensions.
Array times_columns(Stager& stager, const SparseMatrix& matrix, const Array& x, ir::DType type) {
  const Array y = stager.zeros({matrix.rows, x.shape[1]}, type);
  const ir::ExtentId width[] = {x.shape[1]};
  each_entry(stager, matrix, [&](ir::ExtentId row, ir::ExtentId column, ir::ExprId stored) {
    const ir::ExprId entry = stager.bound(stager.cast(stored, type), "entry");
    stager.map_over(width, [&](const Indices& at) {
      const ir::ExprId part = product(stager, entry, stager.load(x, {column, at[0]}), type);
      stager.store(y, {row, at[0]}, stager.apply(ir::Op::Add, {stager.load(y, {row, at[0]}), part}));
    });
  });
  return y;
}

Result<ir::DType> product_type(Stager& stager, ir::DType a, ir::DType b, base::Span span) {
  const ir::DType type = ir::promote(a, b);
  if (type == ir::DType::Bool)
    return unstaged(stager, span, "a product of bools", "cast the data to integers");
  return type;
}

Result<Value> times_array(Stager& stager, const SparseMatrix& matrix, const Array& x, base::Span span) {
  if (x.shape.empty() || x.shape.size() > 2) {
    return unstaged(stager, span, fmt::format("a product with an array of rank {}", x.shape.size()),
                    "multiply by a vector or a matrix");
  }
  PW_CHECK_OK(stager.require_equal(matrix.columns, x.shape[0], span));
  PW_TRY(const ir::DType type, product_type(stager, stager.type_of(matrix.data), stager.type_of(x), span));
  if (x.shape.size() == 2) return value(times_columns(stager, matrix, x, type));
  return value(times_vector(stager, matrix, x, type));
}

/// Row by row of `b`, which must be stored by rows.
Result<Value> times_sparse(Stager& stager, const SparseMatrix& a, const SparseMatrix& b, base::Span span) {
  if (b.form != SparseMatrix::Form::Compressed || b.flipped || b.has_blocks()) {
    return unstaged(stager, span, "a product with a sparse matrix that is not stored by rows",
                    "give the right matrix the layout csr");
  }
  PW_CHECK_OK(stager.require_equal(a.columns, b.rows, span));
  PW_TRY(const ir::DType type, product_type(stager, stager.type_of(a.data), stager.type_of(b.data), span));
  SparseMatrix out;
  out.form = SparseMatrix::Form::Dense;
  out.is_matrix = a.is_matrix;
  out.rows = out.row_blocks = a.rows;
  out.columns = out.column_blocks = b.columns;
  out.data = stager.zeros({a.rows, b.columns}, type);
  each_entry(stager, a, [&](ir::ExtentId row, ir::ExtentId middle, ir::ExprId stored) {
    const ir::ExprId entry = stager.bound(stager.cast(stored, type), "entry");
    const LineEnds ends = line_ends(stager, b, middle);
    stager.range_over("q", ends.begin, ends.end, [&](ir::ExtentId q) {
      const ir::ExtentId column = stored_index(stager, b.second, q, b.columns);
      const ir::ExprId part = product(stager, entry, stager.load(b.data, {q}), type);
      const ir::ExprId old = stager.load(out.data, {row, column});
      stager.store(out.data, {row, column}, stager.apply(ir::Op::Add, {old, part}));
    });
  });
  return sparse_value(std::move(out));
}

/// number * matrix. What is not stored stays zero, whatever the number: an array of sums cannot tell.
Result<Value> scaled(Stager& stager, const SparseMatrix& matrix, const Value& number, base::Span span) {
  const std::optional<Scalar> scalar = stager.as_scalar(number);
  if (!scalar)
    return unstaged(stager, span, "* of a sparse matrix and " + describe(number, stager.module), "write @");
  if (matrix.form == SparseMatrix::Form::Dense && ir::is_float(stager.type_of(*scalar))) {
    const ir::ExprId finite = stager.apply(ir::Op::IsFinite, {scalar->expr});
    stager.trap_if(stager.apply(ir::Op::Not, {finite}), ir::TrapKind::Assumption,
                   "a product of sparse matrices times a number that is not finite");
  }
  PW_TRY(const Value data, stager.binary(Operator::Mult, value(matrix.data), number, span));
  SparseMatrix out = matrix;
  out.data = *data.as<Array>();
  return sparse_value(std::move(out));
}

/// An array and a matrix, added or subtracted in the order given.
Result<Value> sum_with_array(Stager& stager, Operator op, const Value& left, const Value& right,
                             base::Span span) {
  const SparseMatrix& matrix = *(sparse_of(left) != nullptr ? sparse_of(left) : sparse_of(right));
  const Value& other = sparse_of(left) != nullptr ? right : left;
  const auto* array = other.as<Array>();
  if (array == nullptr || array->shape.size() != 2) {
    return unstaged(stager, span, "a sum of a sparse matrix and " + describe(other, stager.module),
                    "add an array of the matrix's shape");
  }
  PW_CHECK_OK(stager.require_equal(array->shape[0], matrix.rows, span));
  PW_CHECK_OK(stager.require_equal(array->shape[1], matrix.columns, span));
  const ir::DType own = stager.type_of(matrix.data);
  Value out;
  if (op == Operator::Sub || matrix.form == SparseMatrix::Form::Dense) {
    const Value dense =
        value(matrix.form == SparseMatrix::Form::Dense ? matrix.data : dense_of(stager, matrix, own));
    const bool matrix_left = sparse_of(left) != nullptr;
    PW_TRY(out, stager.binary(op, matrix_left ? dense : left, matrix_left ? right : dense, span));
  } else {
    const Array sum = stager.copy(*array, ir::promote(own, stager.type_of(*array)));
    add_entries(stager, matrix, sum);
    out = value(sum);
  }
  return matrix.is_matrix ? value(DenseMatrix{*out.as<Array>()}) : out;
}

/// np.matrix: sums with arrays, and multiples, are matrices again; its * is @.
Result<Value> matrix_binary(Stager& stager, Operator op, const Value& left, const Value& right,
                            base::Span span) {
  const auto plain = [](const Value& v) {
    const auto* matrix = v.as<DenseMatrix>();
    return matrix == nullptr ? v : value(matrix->array);
  };
  const Value& other = left.is<DenseMatrix>() ? right : left;
  const auto* array = other.as<Array>();
  const bool sums = op == Operator::Add || op == Operator::Sub;
  const bool scales = (op == Operator::Mult || op == Operator::Div) && stager.as_scalar(other).has_value();
  const bool same_rank = other.is<DenseMatrix>() || (array != nullptr && array->shape.size() == 2);
  if (!scales && !(sums && same_rank)) {
    return unstaged(stager, span, "this arithmetic of an np.matrix",
                    "make it an array with np.asarray first");
  }
  PW_TRY(const Value out, stager.binary(op, plain(left), plain(right), span));
  return value(DenseMatrix{*out.as<Array>()});
}

}  // namespace

Result<Value> sparse_matmul(Stager& stager, const Value& left, const Value& right, base::Span span) {
  const SparseMatrix* a = sparse_of(left);
  const SparseMatrix* b = sparse_of(right);
  for (const SparseMatrix* each : {a, b}) {
    if (each != nullptr && each->form == SparseMatrix::Form::Dense) {
      return unstaged(stager, span, "a product with a product of sparse matrices",
                      "multiply from the right: A @ (B @ x)");
    }
  }
  if (a != nullptr && b != nullptr) return times_sparse(stager, *a, *b, span);
  const auto* array = (a == nullptr ? left : right).as<Array>();
  if (array == nullptr) {
    return unstaged(stager, span,
                    "@ of a sparse matrix and " + describe(a == nullptr ? left : right, stager.module),
                    "multiply by an array");
  }
  if (a != nullptr) return times_array(stager, *a, *array, span);
  // x @ A is (A.T @ x.T).T.
  const SparseMatrix turned = transposed(stager, *b);
  if (array->shape.size() != 2) return times_array(stager, turned, *array, span);
  const std::vector<std::size_t> order = {1, 0};
  PW_TRY(const Value out, times_array(stager, turned, stager.transpose(*array, order), span));
  return value(stager.transpose(*out.as<Array>(), order));
}

Result<Value> sparse_binary(Stager& stager, Operator op, const Value& left, const Value& right,
                            base::Span span) {
  const SparseMatrix* a = sparse_of(left);
  const SparseMatrix* b = sparse_of(right);
  if (a == nullptr && b == nullptr) return matrix_binary(stager, op, left, right, span);
  if (op == Operator::MatMult) return sparse_matmul(stager, left, right, span);
  const SparseMatrix& matrix = a == nullptr ? *b : *a;
  const Value& other = a == nullptr ? left : right;
  if (op == Operator::Mult) {
    if (b == nullptr || a == nullptr) {
      const auto* array = other.as<Array>();
      if (array == nullptr || array->shape.empty()) return scaled(stager, matrix, other, span);
    }
    if (matrix.is_matrix) return sparse_matmul(stager, left, right, span);
    return unstaged(stager, span, "* of a sparse array, element by element,", "write @ for the product");
  }
  const bool both = a != nullptr && b != nullptr;
  if ((op == Operator::Add || op == Operator::Sub) && !both) {
    return sum_with_array(stager, op, left, right, span);
  }
  return unstaged(stager, span,
                  both ? "this arithmetic of two sparse matrices" : "this arithmetic of a sparse matrix",
                  "use @, + and - with arrays, and multiples by numbers");
}

Result<Value> sparse_unary(Stager& stager, python::UnaryOperator op, const Value& operand, base::Span span) {
  if (op == python::UnaryOperator::USub && sparse_of(operand) != nullptr) {
    SparseMatrix out = *sparse_of(operand);
    PW_TRY(const Value data, stager.unary(op, value(out.data), span));
    out.data = *data.as<Array>();
    return sparse_value(std::move(out));
  }
  return unstaged(stager, span, "this operator of a sparse matrix", "use - or @");
}

Result<Value> sparse_attribute(Stager& stager, const Value& base, const std::string& name, base::Span span) {
  const SparseMatrix* matrix = sparse_of(base);
  if (matrix == nullptr) {
    return unstaged(stager, span, name + " of an np.matrix", "make it an array with np.asarray first");
  }
  if (name == "shape") {
    return value(Tuple{{stager.from_extent(matrix->rows), stager.from_extent(matrix->columns)}});
  }
  if (name == "T") return sparse_value(transposed(stager, *matrix));
  if (name == "dtype") return value(DTypeObject{stager.type_of(matrix->data)});
  if (name == "ndim") return value(std::int64_t{2});
  const std::string_view format = format_of(*matrix);
  if (name == "format" && !format.empty()) return value(std::string(format));
  // The transpose of a dia or bsr matrix has its numbers in another order.
  const bool as_stored = !format.empty() && !(matrix->flipped && format != "csc");
  if (name == "data" && as_stored) return value(matrix->data);
  if (name == "nnz" && (format == "csr" || format == "csc")) {
    const ir::ExtentId lines = stager.extents().subtract(matrix->first.shape[0], stager.size(1));
    const ir::LocalId count =
        stager.let(stager.cast(stager.load(matrix->first, {lines}), ir::DType::I64), "nnz");
    stager.module[count].range = {stager.size(0), matrix->second.shape[0]};
    return stager.from_extent(stager.extents().local(count));
  }
  if (name == "nnz" && format == "coo") return stager.from_extent(matrix->data.shape[0]);
  if (const FunctionRow* row = find_function("spmatrix." + name)) {
    return value(LibraryFunction{row, std::make_shared<Value>(base)});
  }
  return unstaged(stager, span, name + " of a sparse matrix",
                  "use its shape, dtype, T, data or @, or name its buffers in the def line");
}

}  // namespace pw::numpy
