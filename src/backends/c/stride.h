// How memory is walked by a loop.
#pragma once

#include "ir/module.h"

namespace pw::backends::c {

/// Loads of an expression by how far they move when an axis moves by one: not, by one element, by more (or
/// nobody knows).
struct Strides {
  int none = 0;
  int one = 0;
  int many = 0;
};
Strides strides_of(const ir::Module& module, ir::ExprId root, ir::LocalId axis);

}  // namespace pw::backends::c
