// What decompositions share: one matrix of a stack, and the steps that several of them take.
#pragma once

#include <functional>
#include <string_view>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

/// A matrix of a stack: its element at (row, column).
struct Matrix {
  Stager& stager;
  const Array& array;
  Indices batch;

  Indices at(ir::ExtentId row, ir::ExtentId column) const {
    Indices out = batch;
    out.push_back(row);
    out.push_back(column);
    return out;
  }
  ir::ExprId get(ir::ExtentId row, ir::ExtentId column) const { return stager.load(array, at(row, column)); }
  void set(ir::ExtentId row, ir::ExtentId column, ir::ExprId value) const {
    stager.store(array, at(row, column), value);
  }
};

inline ir::ExprId zero(Stager& stager, ir::DType type) { return stager.cast(stager.integer(0), type); }

inline ir::ExprId is_zero(Stager& stager, ir::ExprId x) {
  return stager.apply(ir::Op::Eq, {x, zero(stager, stager.module.type(x))});
}

/// The dtype itself where it is float or complex, else float64.
ir::DType floating(ir::DType type);
/// Of a real number the number itself.
ir::ExprId conjugate(Stager& stager, ir::ExprId x);
ir::ExprId real_part(Stager& stager, ir::ExprId x);

/// The leading sizes of a stack of matrices.
std::vector<ir::ExtentId> batch_shape(const Array& array);
/// Whether an integer is not 0.
ir::ExprId nonzero(Stager& stager, ir::ExtentId extent);

/// A square matrix, or a stack of them; fails where the array's rank is below 2, traps where it is not
/// square.
Result<Array> square_argument(Stager& stager, const Arguments& arguments, std::size_t position,
                              std::string_view name);

/// Whether a pair of lines is still to be turned, what turns it, and whether that asks for another sweep.
struct PairTurn {
  ir::ExprId wanted;
  std::function<void()> turn;
  ir::ExprId counts = {};  // none: it does
};
/// What becomes of a condition under which there is no result.
using Failure = std::function<void(ir::ExprId failed)>;
/// A LinAlgError with a message.
Failure raises(Stager& stager, std::string_view message);
/// A library routine's own: it returns these.
Failure gives(Stager& stager, std::vector<std::int64_t> results);
/// Whether matrices of such a size are worth a function of the port, and where it is large a library's.
bool wants_routine(const Stager& stager, ir::ExtentId n);

/// Where element k of n comes in order, `ahead` (Lt or Gt) saying what stands before what; of equal ones the
/// first comes first.
ir::ExtentId place_in_order(Stager& stager, const Array& values, ir::ExtentId n, ir::ExtentId k,
                            ir::Op ahead);

/// Declines (Assumption) what a matrix has of NaN, infinities, and numbers whose squares are none.
void require_squares(Stager& stager, const Array& a, std::string_view what);

/// Cyclic Jacobi: goes through all pairs p < q of lines until none is turned; fails after 60 sweeps. Golub
/// and Van Loan, Matrix Computations, 8.5.
void sweep_pairs(Stager& stager, ir::ExtentId lines, const Failure& failure,
                 const std::function<PairTurn(ir::ExtentId p, ir::ExtentId q)>& pair);

/// numpy.linalg.svd with its vectors (singular_vectors.cc).
Result<Value> singular_vectors(Stager& stager, const Arguments& arguments);

/// Makes the rows of w, which are `lines`, orthogonal, doing to c what is done to them: w becomes S V^T of
/// its decomposition U S V^T, and c becomes U^T c. One-sided Jacobi, Golub and Van Loan 8.6.3, on rows
/// (least_squares.cc).
void make_rows_orthogonal(Stager& stager, const Matrix& w, ir::ExtentId lines, ir::ExtentId n,
                          const Matrix& c, ir::ExtentId columns, const Failure& failure);

/// The lower triangle of `l`, which may be `a`, becomes the L of L L^H = a, of which only the lower triangle
/// is read. Fails where `a` is not positive definite.
void factor_positive(Stager& stager, const Matrix& a, const Matrix& l, ir::ExtentId n,
                     const Failure& failure);
/// The L of L L^H = a, or of a stack of them, with zeros above; raises LinAlgError.
Array cholesky_factor(Stager& stager, const Array& a, ir::DType type);

}  // namespace pw::numpy::functions
