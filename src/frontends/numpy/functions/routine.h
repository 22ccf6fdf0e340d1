// What writes the body of a library routine (ir::Routine, or a function that one calls), and calls it.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

/// Parameters of the function in work, in order.
struct RoutineBody {
  Stager& stager;
  ir::Function& function;

  ir::ExtentId size(std::string_view name);     // at least 0
  ir::ExtentId integer(std::string_view name);  // an i64
  Array array(std::string_view name, ir::DType type, ir::ExtentId length);
};

using RoutineArgument = std::variant<ir::ExtentId, Array>;
/// Calls a function; its results, i64 all, take the names given. An array is passed by its whole buffer.
std::vector<ir::ExtentId> call_routine(Stager& stager, ir::FunctionId callee,
                                       std::span<const RoutineArgument> arguments,
                                       std::span<const std::string_view> results = {});

/// The value that an i64 expression has now, as an extent that is at least `least`.
ir::ExtentId fixed(Stager& stager, ir::ExprId expr, std::string_view name, std::int64_t least = 0);
void if_else(Stager& stager, ir::ExprId condition, const std::function<void()>& then,
             const std::function<void()>& otherwise);

/// Arithmetic as formulas write it.
struct Number {
  Stager* stager;
  ir::ExprId expr;

  friend Number operator+(Number a, Number b) { return binary(ir::Op::Add, a, b); }
  friend Number operator-(Number a, Number b) { return binary(ir::Op::Sub, a, b); }
  friend Number operator*(Number a, Number b) { return binary(ir::Op::Mul, a, b); }
  friend Number operator*(double a, Number b) {
    return Number{b.stager, b.stager->real(a, b.stager->module.type(b.expr))} * b;
  }

 private:
  static Number binary(ir::Op op, Number a, Number b) {
    return {a.stager, a.stager->apply(op, {a.expr, b.expr})};
  }
};

}  // namespace pw::numpy::functions
