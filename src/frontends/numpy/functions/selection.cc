// What selects elements by their truth: nonzero and its kin. The results have a length known at run time.
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

/// Where an array is not zero; a number counts as an array of one.
Result<Array> truth_of(Stager& stager, const Arguments& arguments, const Value& operand) {
  PW_TRY(const Array array, stager.to_array(operand, std::nullopt, arguments.span));
  const Array at_least = at_least_rank(stager, array, 1);
  if (stager.type_of(at_least) == ir::DType::Bool) return at_least;
  return stager.define(at_least.shape, ir::DType::Bool, [&](const Indices& indices) {
    return stager.cast(stager.load(at_least, indices), ir::DType::Bool);
  });
}

}  // namespace

Result<Value> nonzero(Stager& stager, const Arguments& arguments) {
  const Value& operand =
      arguments.positional.empty() ? arguments.keywords.front().second : arguments.positional.front();
  PW_TRY(const Array mask, truth_of(stager, arguments, operand));
  Tuple out;
  for (Array& each : stager.nonzero(mask)) out.items.push_back(value(std::move(each)));
  return value(std::move(out));
}

Result<Value> flat_nonzero(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array mask, truth_of(stager, arguments, required(arguments, 0, "a")));
  PW_TRY(const Array flat, flattened(stager, mask, arguments.span));
  return value(stager.nonzero(flat).front());
}

Result<Value> arg_where(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array mask, truth_of(stager, arguments, required(arguments, 0, "a")));
  const std::vector<Array> found = stager.nonzero(mask);
  const Array out = stager.allocate(
      {found.front().shape[0], stager.size(static_cast<std::int64_t>(found.size()))}, ir::DType::I64);
  for (std::size_t k = 0; k < found.size(); ++k) {
    stager.map_over(found[k].shape, [&](const Indices& at) {
      stager.store(out, {at[0], stager.size(static_cast<std::int64_t>(k))}, stager.load(found[k], at));
    });
  }
  return value(out);
}

/// The elements of `arr`, flat, where `condition`, flat, is true.
Result<Value> extract(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array mask, truth_of(stager, arguments, required(arguments, 0, "condition")));
  PW_TRY(const Array array, stager.to_array(required(arguments, 1, "arr"), std::nullopt, arguments.span));
  PW_TRY(const Array flat_mask, flattened(stager, mask, arguments.span));
  PW_TRY(const Array flat, flattened(stager, at_least_rank(stager, array, 1), arguments.span));
  return stager.select(flat, flat_mask, arguments.span);
}

}  // namespace pw::numpy::functions
