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
  /// One-dimensional, row behind row, seen in a shape.
  Array array(std::string_view name, ir::DType type, const std::vector<ir::ExtentId>& shape);
};
/// The name of a routine that each dtype has its own of.
std::string routine_name(std::string_view name, ir::DType type);
/// The product of sizes, 1 of none.
ir::ExtentId product(Stager& stager, const std::vector<ir::ExtentId>& sizes);

using RoutineArgument = std::variant<ir::ExtentId, Array>;
/// Calls a function; its results, i64 all, take the names given. An array is passed by its whole buffer.
std::vector<ir::ExtentId> call_routine(Stager& stager, ir::FunctionId callee,
                                       std::span<const RoutineArgument> arguments,
                                       std::span<const std::string_view> results = {});

/// Elements in a new one-dimensional buffer, row behind row, as routines take them, seen in `shape`.
Array define_in_a_row(Stager& stager, const std::vector<ir::ExtentId>& shape, ir::DType type,
                      const std::function<ir::ExprId(const Indices&)>& element);
/// Such a buffer, whose elements are not set.
Array allocate_in_a_row(Stager& stager, const std::vector<ir::ExtentId>& shape, ir::DType type);
/// All elements of an array in a new one-dimensional buffer.
Array in_a_row(Stager& stager, const Array& array, ir::DType type);

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
