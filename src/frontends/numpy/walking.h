// What loops and comprehensions walk.
#pragma once

#include <optional>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// What a loop over zip(...) or enumerate(...) runs over: columns, walked in step. No loop can run over a
/// slice, so that one stands for them within this file. A column is an array, a range, columns, a tuple of
/// items, or a table of Python numbers: a list of one array.
Value zipped(std::vector<Value> columns);
/// The columns of zip(...) and enumerate(...), one in the other too; else the sequence itself.
Result<Value> columns_of(Stager& stager, python::ExprId id);
/// Tuples of items where the items are known while staging; what an array or a list that grows holds is read
/// in its round.
Result<Value> walkable(Stager& stager, const Value& sequence, base::Span span);
/// The number of rounds; none of a count without end.
Result<std::optional<ir::ExtentId>> rounds_of(Stager& stager, const Value& sequence, base::Span span);
/// What the round `at` (an int) reads.
Result<Value> item_of(Stager& stager, const Value& sequence, const Value& at, base::Span span);
/// The same of a round known while staging: what a list (`whole`) of the walked ones holds by then.
Result<Value> item_now(Stager& stager, const Value& sequence, const Value& whole, std::int64_t round,
                       base::Span span);
/// The same items in arrays, where a tuple's are numbers of one type, or tuples of such; nullopt: they are
/// not.
Result<std::optional<Value>> as_table(Stager& stager, const Value& sequence, base::Span span);
/// Whether an array is among the columns, and no tuple, whose items only a known round has.
bool may_be_staged(const Value& sequence);

/// Keeps the lists that a loop walks from being changed in it.
class Walk {
 public:
  Walk(Stager& stager, const Value& sequence);
  /// The same of what d.items(), d.values() and reversed(list) in `iterated` show, which was read at once.
  Result<Done> keep_views(Stager& stager, python::ExprId iterated);
  ~Walk();
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

 private:
  std::vector<std::shared_ptr<GrownList>> lists_;
  Stager* stager_ = nullptr;
  std::size_t views_ = 0;
};

}  // namespace pw::numpy
