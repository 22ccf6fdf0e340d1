// One matrix of a stack while a decomposition goes through it.
#pragma once

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

/// The lower triangle of `l` becomes the L of L L^H = a, of which only the lower triangle is read. Traps with
/// LinAlgError where `a` is not positive definite.
void factor_positive(Stager& stager, const Matrix& a, const Matrix& l, ir::ExtentId n);

}  // namespace pw::numpy::functions
