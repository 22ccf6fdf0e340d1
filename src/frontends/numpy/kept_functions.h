// Functions of the kernel's file that stay functions in the port: one for each way that they are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// The arguments of a call, apart: what stays known and so belongs to the key, and the sizes, numbers and
/// buffers that are passed. Sizes that are equal at the call are one parameter.
class Stager::CallShape {
 public:
  /// Constant extents of arrays up to `largest_known` stay known; greater ones are passed.
  CallShape(Stager& stager, std::int64_t largest_known) : stager_(stager), largest_known_(largest_known) {}

  /// False where an argument is of a kind that only a call in place can take.
  bool collect(const UserFunction& function, const Scope& bound);
  /// Makes the parameters of a function that is called like this, and what its names are bound to.
  std::map<std::string, Value> make_parameters();

  struct Size {
    ir::ExtentId given;
    int least;  // 1, 0, or -1: not known to be either
    std::string name;
    ir::LocalId parameter;
  };
  struct Number {
    ir::ExprId given;
    std::string name;
    ir::LocalId parameter;
  };
  struct Passed {
    ir::BufferId given;
    std::string name;
    ir::BufferId parameter;
  };
  std::string key;
  std::vector<Size> sizes;
  std::vector<Number> numbers;
  std::vector<Passed> arrays;

 private:
  /// A size as one of `sizes` plus a constant; `size` is -1 for a constant alone.
  struct Relative {
    int size;
    std::int64_t offset;
  };
  bool collect(const Value& value, const std::string& name);
  bool collect_items(std::string_view what, const std::vector<Value>& items, const std::string& name);
  bool collect(const Scalar& scalar, const std::string& name);
  bool collect(const Array& array, const std::string& name);
  Relative relative(ir::ExtentId extent, std::int64_t largest_known, const std::string& name);
  ir::ExtentId made(ir::ExtentId extent, std::int64_t largest_known);
  Value made(const Value& value);
  std::vector<Value> made(const std::vector<Value>& items);

  Stager& stager_;
  std::int64_t largest_known_;
  std::vector<std::pair<std::string, Value>> bound_;
};

/// What staging a function for one shape of call came to.
/// What of a function's own is what of its caller's.
struct Stager::Told {
  std::map<ir::LocalId, ir::ExtentId> sizes;
  std::map<ir::ExprId, ir::ExprId> numbers;
  std::map<ir::BufferId, ir::BufferId> buffers;
};

struct Stager::KeptFunction {
  explicit KeptFunction(CallShape of) : shape(std::move(of)) {}

  enum class State : std::uint8_t { Open, InPlace, Kept } state = State::Open;
  bool small = false;  // InPlace because a call would cost more than it saves
  ir::FunctionId id;
  std::size_t checks = 0;  // that it makes at run time
  bool compared = false;   // with those of a call in place
  bool traps = false;
  CallShape shape;              // of the call that it was staged for
  std::vector<bool> written;    // of shape.arrays
  std::optional<Value> result;  // over the function's own parameters, `made` and `returned`
  std::vector<ir::BufferId> made;
  std::vector<ir::ExprId> returned;
  /// Results that NumPy may have as views, of arguments or of each other.
  std::vector<Sharing::Pair> shared;
};

}  // namespace pw::numpy
