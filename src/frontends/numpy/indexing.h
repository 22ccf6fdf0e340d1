// What subscripts come to: a view, and index arrays over it.
#pragma once

#include <utility>
#include <vector>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

struct Stager::SliceExtents {
  ir::ExtentId start;
  ir::ExtentId step;
  ir::ExtentId length;
};

struct Stager::Indexed {
  Array view;
  std::vector<std::pair<std::size_t, Array>> gathers;  // axis of the view, index array
  std::vector<std::size_t> advanced;  // positions of integers and index arrays among the items
  std::size_t position = 0;
};

struct Stager::GatherPlan {
  std::vector<ir::ExtentId> gathered;  // the index arrays, broadcast
  std::vector<ir::ExtentId> shape;     // of the result
  std::size_t place = 0;               // where `gathered` stands in it
};

/// Where a dict has a key that is known while staging; nullopt: nowhere.
Result<std::optional<std::size_t>> key_position(Stager& stager,
                                                const std::vector<std::pair<Value, Value>>& items,
                                                const Value& key, base::Span span);
/// The indices of the element that stands at `index` (an int) of the array in row-major order.
Result<Value> flat_position(Stager& stager, const Array& array, const Value& index, base::Span span);

}  // namespace pw::numpy
