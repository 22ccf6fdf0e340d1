// How memory is walked by a loop.
#pragma once

#include "ir/module.h"

namespace pw::passes {

enum class Stride { None, One, Many };
/// How far the load moves when the axis moves by one: not, by one element, by more (or nobody knows).
Stride stride_of(const ir::Module& module, const ir::Load& load, ir::LocalId axis);

/// The loads of an expression, counted by stride; each load once.
struct Strides {
  int none = 0;
  int one = 0;
  int many = 0;
};
Strides strides_of(const ir::Module& module, ir::ExprId root, ir::LocalId axis);

}  // namespace pw::passes
