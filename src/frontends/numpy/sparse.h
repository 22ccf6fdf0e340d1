// What staging makes of SciPy's sparse matrices: their entries one by one, products, sums with arrays.
//
// An argument's index arrays are checked where it is bound (Stager::bind_sparse) and never stored to, so that
// whatever they give is in range. Formulas: https://docs.scipy.org/doc/scipy/reference/sparse.html
#pragma once

#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// Whether a value is a sparse matrix or an np.matrix made of one.
bool concerns_sparse(const Value& value);
/// The matrix of a Sparse; null for all else.
const SparseMatrix* sparse_of(const Value& value);
Value sparse_value(SparseMatrix matrix);

/// "csr", "csc", "bsr", "coo", "dia"; "" of what SciPy has no format for.
std::string_view format_of(const SparseMatrix& matrix);
SparseMatrix transposed(Stager& stager, const SparseMatrix& matrix);

/// What is done with a stored entry; it stores only to elements that belong to `row`, so that rows may run at
/// once. Entries of one place may come more than once, and add up.
using EntryBody = std::function<void(ir::ExtentId row, ir::ExtentId column, ir::ExprId value)>;
void each_entry(Stager& stager, const SparseMatrix& matrix, const EntryBody& body);

/// Where the entries of a row of a compressed matrix (of a column, where it is flipped) begin and end.
struct LineEnds {
  ir::ExtentId begin, end;
};
LineEnds line_ends(Stager& stager, const SparseMatrix& matrix, ir::ExtentId line);
/// A number of an index array, which a check at entry found to be an index into `extent`.
ir::ExtentId stored_index(Stager& stager, const Array& array, ir::ExtentId at, ir::ExtentId extent);
/// Runs `body` for the matrix; for one of blocks twice, behind a branch: where they are 1 x 1 its numbers
/// stand alone.
void by_block_size(Stager& stager, const SparseMatrix& matrix,
                   const std::function<void(const SparseMatrix&)>& body);

/// Adds every entry to an array of the matrix's shape.
void add_entries(Stager& stager, const SparseMatrix& matrix, const Array& target);
/// The matrix as a new array of `type`.
Array dense_of(Stager& stager, const SparseMatrix& matrix, ir::DType type);

/// left @ right, at least one of them sparse: an array, or a sparse matrix of two.
Result<Value> sparse_matmul(Stager& stager, const Value& left, const Value& right, base::Span span);

/// Operators and attributes of what concerns_sparse; numpy-sparse-use names what is not staged.
Result<Value> sparse_binary(Stager& stager, python::Operator op, const Value& left, const Value& right,
                            base::Span span);
Result<Value> sparse_unary(Stager& stager, python::UnaryOperator op, const Value& operand, base::Span span);
Result<Value> sparse_attribute(Stager& stager, const Value& base, const std::string& name, base::Span span);

}  // namespace pw::numpy
