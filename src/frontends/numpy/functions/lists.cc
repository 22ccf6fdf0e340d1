// The methods of Python's lists that change them.
// Source: https://docs.python.org/3/tutorial/datastructures.html#more-on-lists
#include <vector>

#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/grown_lists.h"

namespace pw::numpy::functions {

namespace {

Result<Value> nothing(const Result<Done>& done) {
  if (!done) return tl::unexpected(done.error());
  return value(None{});
}

bool is_last(const Value& index) {
  const auto* number = index.as<std::int64_t>();
  return number != nullptr && *number == -1;
}

}  // namespace

Result<Value> list_append(Stager& stager, const Arguments& arguments) {
  const Value& self = required(arguments, 0, "self");
  const Value& added = required(arguments, 1, "item");
  if (const auto* grown = self.as<Grown>())
    return nothing(stager.lists().append(*grown, added, arguments.span));
  const List& list = *self.as<List>();
  PW_CHECK_OK(stager.lists().require_growable(list, std::vector{added}, arguments.span));
  PW_TRY(Value item, stager.held(list.items.get(), added, arguments.span));
  list.items->push_back(std::move(item));
  return value(None{});
}

Result<Value> list_pop(Stager& stager, const Arguments& arguments) {
  const Value& self = required(arguments, 0, "self");
  if (const Value* index = arguments.find(1, "index"); index != nullptr && !is_last(*index))
    return unsupported(stager, arguments, "of another item than the last", "keep a position into the list");
  if (const auto* grown = self.as<Grown>()) return stager.lists().pop(*grown, arguments.span);
  const List& list = *self.as<List>();
  PW_CHECK_OK(stager.lists().require_growable(list, {}, arguments.span));
  if (list.items->empty()) return bad_call(stager, arguments, "of an empty list");
  Value last = std::move(list.items->back());
  list.items->pop_back();
  return last;
}

Result<Value> list_clear(Stager& stager, const Arguments& arguments) {
  const Value& self = required(arguments, 0, "self");
  if (const auto* grown = self.as<Grown>()) return nothing(stager.lists().clear(*grown, arguments.span));
  const List& list = *self.as<List>();
  PW_CHECK_OK(stager.lists().require_growable(list, {}, arguments.span));
  list.items->clear();
  return value(None{});
}

Result<Value> list_extend(Stager& stager, const Arguments& arguments) {
  const Value& self = required(arguments, 0, "self");
  const Value& iterable = required(arguments, 1, "iterable");
  if (const auto* grown = self.as<Grown>())
    return nothing(stager.lists().extend(*grown, iterable, arguments.span));
  const List& list = *self.as<List>();
  const Result<std::vector<Value>> more = stager.static_items(iterable, arguments.span);
  if (const auto* array = iterable.as<Array>(); !more && array != nullptr && array->shape.size() == 1) {
    const Value item = stager.strong(stager.load(*array, {stager.size(0)}));
    PW_CHECK_OK(stager.lists().require_growable(list, std::vector{item}, arguments.span));
  }
  if (!more) return tl::unexpected(more.error());
  PW_CHECK_OK(stager.lists().require_growable(list, *more, arguments.span));
  for (const Value& each : *more) {
    PW_TRY(Value item, stager.held(list.items.get(), each, arguments.span));
    list.items->push_back(std::move(item));
  }
  return value(None{});
}

}  // namespace pw::numpy::functions
