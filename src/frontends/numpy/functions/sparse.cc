// Methods of sparse matrices, and what asks whether something is one.
// Source: https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.csr_matrix.html
#include "frontends/numpy/sparse.h"

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

const SparseMatrix& self_of(const Arguments& arguments) {
  const SparseMatrix* matrix = sparse_of(required(arguments, 0, "self"));
  PW_CHECK(matrix != nullptr, "a sparse matrix's method on something else");
  return *matrix;
}

}  // namespace

Result<Value> sparse_dot(Stager& stager, const Arguments& arguments) {
  const Value& other = required(arguments, 1, "other");
  const auto* array = other.as<Array>();
  const bool number = !concerns_sparse(other) && (array == nullptr || array->shape.empty());
  return sparse_binary(stager, number ? python::Operator::Mult : python::Operator::MatMult,
                       required(arguments, 0, "self"), other, arguments.span);
}

Result<Value> sparse_transpose(Stager& stager, const Arguments& arguments) {
  return sparse_value(transposed(stager, self_of(arguments)));
}

/// A copy, or a conversion to the format that the matrix has: what it is made of is never stored to.
Result<Value> sparse_itself(Stager& stager, const Arguments& arguments) {
  const std::string_view to = arguments.name.substr(arguments.name.rfind('.') + 1);
  if (to != "copy" && to.substr(2) != format_of(self_of(arguments))) {
    return unsupported(stager, arguments, "to another format", "declare that layout in the manifest");
  }
  return required(arguments, 0, "self");
}

Result<Value> sparse_as_format(Stager& stager, const Arguments& arguments) {
  PW_TRY(const std::string format, text_argument(stager, arguments, 1, "format", ""));
  if (format != format_of(self_of(arguments))) {
    return unsupported(stager, arguments, "to another format", "declare that layout in the manifest");
  }
  return required(arguments, 0, "self");
}

Result<Value> sparse_to_array(Stager& stager, const Arguments& arguments) {
  const SparseMatrix& matrix = self_of(arguments);
  return value(dense_of(stager, matrix, stager.type_of(matrix.data)));
}

/// An np.matrix, or of a sparse array an array.
Result<Value> sparse_to_dense(Stager& stager, const Arguments& arguments) {
  const SparseMatrix& matrix = self_of(arguments);
  const Array dense = dense_of(stager, matrix, stager.type_of(matrix.data));
  return matrix.is_matrix ? value(DenseMatrix{dense}) : value(dense);
}

/// The entries with column - row == k: min(rows, columns - k) of them, or min(rows + k, columns) for k < 0.
Result<Value> sparse_diagonal(Stager& stager, const Arguments& arguments) {
  const SparseMatrix& matrix = self_of(arguments);
  PW_TRY(const std::int64_t k, int_argument(stager, arguments, 1, "k", 0));
  if (k != 0) return unsupported(stager, arguments, "beside the main one", "use A.toarray()");
  if (matrix.form == SparseMatrix::Form::Dense) {
    return unsupported(stager, arguments, "of a product of sparse matrices",
                       "use np.diagonal of its toarray()");
  }
  const ir::ExtentId length = matrix.rows == matrix.columns
                                  ? matrix.rows
                                  : stager.extents().apply(ir::ExtentOp::Min, matrix.rows, matrix.columns);
  const Array out = stager.zeros({length}, stager.type_of(matrix.data));
  each_entry(stager, matrix, [&](ir::ExtentId row, ir::ExtentId column, ir::ExprId stored) {
    const ir::ExprId on = stager.apply(ir::Op::Eq, {stager.index(row), stager.index(column)});
    const ir::BlockId add = stager.block(
        [&] { stager.store(out, {row}, stager.apply(ir::Op::Add, {stager.load(out, {row}), stored})); });
    stager.emit(ir::If{on, add, stager.block([] {})});
  });
  return value(out);
}

Result<Value> is_sparse(Stager&, const Arguments& arguments) {
  const SparseMatrix* matrix = sparse_of(required(arguments, 0, "x"));
  return value(matrix != nullptr && (matrix->is_matrix || arguments.name != "scipy.sparse.isspmatrix"));
}

}  // namespace pw::numpy::functions
