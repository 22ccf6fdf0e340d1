// What is read from lists that grow.
#include <algorithm>
#include <set>
#include <string_view>

#include "frontends/numpy/grown_lists.h"

namespace pw::numpy {

namespace {

using Kind = GrownList::Kind;

}  // namespace

tl::unexpected<base::Reported> Stager::Lists::unsupported(std::string_view what, std::string_view instead,
                                                          base::Span span) {
  return s_.engine.report(Rule::NumpyGrownList, span, what, instead);
}

/// How long the list is here.
ir::ExtentId Stager::Lists::length(const Grown& grown) {
  const GrownList& list = *grown.list;
  if (list.fixed.valid()) return list.fixed;
  const std::pair key(grown.list.get(), s_.blocks_.back());
  if (const auto known = lengths_.find(key); known != lengths_.end()) return known->second;
  const ir::LocalId local = s_.let(s_.module.add(ir::Read{list.count}, s_.here()), list.name + "_length");
  s_.module[local].range = {s_.size(0), s_.extents().local(list.capacity)};
  const ir::ExtentId length = s_.extents().local(local);
  lengths_[key] = length;
  return length;
}

ir::ExprId Stager::Lists::element(const GrownList::Column& column, ir::ExtentId at, bool widened) {
  const ir::ExprId loaded = s_.load(column.array, {at});
  if (widened) s_.note_widened(loaded);
  return loaded;
}

Value Stager::Lists::item_at(const GrownList& list, ir::ExtentId at) {
  std::vector<Value> parts;
  for (const GrownList::Column& column : list.columns)
    parts.push_back(value(Scalar{element(column, at, list.widened), column.weak}));
  return list.kind == Kind::Numbers ? parts[0] : value(Tuple{std::move(parts)});
}

Result<Value> Stager::Lists::get(const Grown& grown, const Value& index, base::Span span) {
  const GrownList& list = *grown.list;
  if (index.is<Slice>())
    return unsupported("a slice", "take np.array of the list, and a slice of that", span);
  if (list.kind == Kind::Rows) return unsupported("an item that is a list", "append tuples", span);
  PW_TRY(const ir::ExtentId given, s_.to_extent(index, span));
  const ir::ExtentId at = s_.element_index(given, length(grown));
  if (list.kind == Kind::Unknown)
    return unsupported("an item, though nothing is appended,", "append to it", span);
  if (list.kind != Kind::Arrays) return item_at(list, at);
  return s_.subscript(value(list.columns[0].array), s_.from_extent(at), span);
}

Result<Done> Stager::Lists::set(const Grown& grown, const Value& index, const Value& item, base::Span span) {
  const GrownList& list = *grown.list;
  PW_CHECK_OK(require_settable(grown, index, span));
  PW_TRY(const Value kept, fitted(grown, item, span));
  PW_TRY(const ir::ExtentId given, s_.to_extent(index, span));
  return store_item(list, kept, s_.element_index(given, length(grown)), span);
}

Result<Done> Stager::Lists::require_settable(const Grown& grown, const Value& index, base::Span span) {
  const Kind kind = grown.list->kind;
  if (index.is<Slice>()) return unsupported("a store to a slice", "store the items one by one", span);
  if (kind != Kind::Numbers && kind != Kind::Tuples)
    return unsupported("a store to an item that is no number", "append the item that it should be", span);
  if (s_.map_depth_ > 0) return unsupported("a store for each element of an array", "write a loop", span);
  if (s_.catching_ != nullptr) s_.catching_->stores = true;
  return Done{};
}

/// A new array of the items, as np.array makes it.
Result<Array> Stager::Lists::to_array(const Grown& grown, std::optional<ir::DType> type, base::Span span) {
  const GrownList& list = *grown.list;
  s_.at(span);
  if (list.kind == Kind::Unknown)
    return unsupported("an array, though nothing is appended,", "append to it", span);
  const ir::ExtentId count = length(grown);
  ir::DType own = s_.type_of(list.columns[0].array);
  for (const GrownList::Column& column : list.columns) own = ir::promote(own, s_.type_of(column.array));
  // Of no items NumPy makes an array of float64 with one dimension, and of ints one of ints.
  const bool one_axis = list.kind == Kind::Numbers;
  const bool default_type = type.has_value() || own == ir::DType::F64;
  const std::int64_t least = !type && list.whole_born > 0 ? list.whole_born + 1
                             : one_axis && default_type   ? 0
                                                          : 1;
  s_.trap_if(s_.apply(ir::Op::Lt, {s_.index(count), s_.integer(least)}), ir::TrapKind::Assumption,
             "an array of a list that may have no items, whose dtype and shape depend on that");
  const ir::DType target = type.value_or(own);
  std::vector<ir::ExtentId> shape = {count};
  const std::vector<ir::ExtentId>& held = list.columns[0].array.shape;
  shape.insert(shape.end(), held.begin() + 1, held.end());
  if (list.kind == Kind::Tuples || list.kind == Kind::Rows)
    shape.push_back(s_.size(static_cast<std::int64_t>(list.columns.size())));
  const Array out = s_.allocate(shape, target);
  Result<Done> done = Done{};
  for (std::size_t k = 0; k < list.columns.size(); ++k) {
    const GrownList::Column& column = list.columns[k];
    Array from = column.array;
    from.shape[0] = count;
    s_.map_over(from.shape, [&](const Indices& at) {
      const ir::ExprId loaded = s_.load(from, at);
      if (list.kind != Kind::Arrays && done)
        done = s_.check_stored(value(Scalar{loaded, column.weak}), target, Conversion::ByPython, span);
      Indices to = at;
      if (shape.size() > at.size()) to.push_back(s_.size(static_cast<std::int64_t>(k)));
      s_.store(out, to, s_.cast(loaded, target));
    });
  }
  if (!done) return tl::unexpected(done.error());
  return out;
}

/// As an index: of no items it is one of ints all the same.
Result<Array> Stager::Lists::to_indices(const Grown& grown, base::Span span) {
  const GrownList& list = *grown.list;
  std::optional<ir::DType> type;
  if (list.kind == Kind::Numbers) type = s_.type_of(list.columns[0].array);
  return to_array(grown, type && ir::is_integer(*type) ? type : std::nullopt, span);
}

Result<Done> Stager::Lists::convert(Arguments& arguments) {
  static const std::set<std::string_view> kOwn = {"numpy.array", "numpy.asarray", "numpy.asanyarray",
                                                  "numpy.ascontiguousarray"};
  if (!arguments.name.starts_with("numpy.") || kOwn.contains(arguments.name)) return Done{};
  const auto converted = [&](Value& each) -> Result<Done> {
    const auto* grown = each.as<Grown>();
    if (grown == nullptr) return Done{};
    PW_TRY(each, rows_joined(*grown, arguments));
    return Done{};
  };
  for (Value& each : arguments.positional) PW_CHECK_OK(converted(each));
  for (auto& [name, each] : arguments.keywords) PW_CHECK_OK(converted(each));
  return Done{};
}

/// The list as the function takes it: an array, or for those that join arrays a tuple of the one that they
/// make of its items.
Result<Value> Stager::Lists::rows_joined(const Grown& grown, const Arguments& arguments) {
  static const std::set<std::string_view> kJoining = {
      "numpy.concatenate", "numpy.hstack",       "numpy.vstack", "numpy.stack",
      "numpy.dstack",      "numpy.column_stack", "numpy.block"};
  if (!kJoining.contains(arguments.name)) {
    PW_TRY(Array array, to_array(grown, std::nullopt, arguments.span));
    return value(std::move(array));
  }
  const bool vectors = grown.list->kind == Kind::Arrays && grown.list->columns[0].array.shape.size() == 2;
  const bool alone = arguments.positional.size() == 1 && arguments.keywords.empty();
  if (!vectors || !alone || (arguments.name != "numpy.concatenate" && arguments.name != "numpy.vstack"))
    return unsupported("this joining of the arrays", "take np.array of the list", arguments.span);
  PW_TRY(Array rows, to_array(grown, std::nullopt, arguments.span));
  if (arguments.name == "numpy.concatenate") {
    PW_TRY(rows, s_.reshape(rows, {s_.count(rows.shape)}, arguments.span));
  }
  return value(Tuple{{value(std::move(rows))}});
}

bool Stager::Lists::is_of_tuples(const Grown& grown) { return grown.list->kind == Kind::Tuples; }

Result<std::vector<Value>> Stager::Lists::walked(const Grown& grown, base::Span span) {
  const GrownList& list = *grown.list;
  if (list.kind == Kind::Rows) return unsupported("a loop over lists", "append tuples", span);
  if (list.kind == Kind::Unknown)
    return unsupported("a loop, though nothing is appended,", "append to it", span);
  const ir::ExtentId count = length(grown);
  std::vector<Value> out;
  for (const GrownList::Column& column : list.columns) {
    Array view = column.array;
    view.shape[0] = count;
    if (column.weak) {
      out.push_back(value(List{std::make_shared<std::vector<Value>>(1, value(std::move(view)))}));
    } else {
      out.push_back(value(std::move(view)));
    }
  }
  return out;
}

/// Folds the items of a list of numbers, in order: `first`, then step(before, item) from item `from` on.
Result<Value> Stager::Lists::folded(
    const Grown& grown, const Value& first, ir::ExtentId from,
    const std::function<Result<Value>(const Value& before, const Value& item)>& step) {
  const GrownList& list = *grown.list;
  const ir::ExtentId count = length(grown);
  const Scalar initial = *s_.as_scalar(first);
  const ir::LocalId total = s_.declare_variable(s_.invented_name("total"), s_.type_of(initial), initial.expr);
  const auto before = [&] { return value(Scalar{s_.module.add(ir::Read{total}, s_.here()), initial.weak}); };
  Result<Done> done = Done{};
  s_.range_over("i", from, count, [&](ir::ExtentId at) {
    const Result<Value> next = step(before(), item_at(list, at));
    if (!next) {
      done = tl::unexpected(next.error());
    } else {
      s_.emit(ir::Assign{total, s_.cast(s_.as_scalar(*next)->expr, s_.type_of(initial))});
    }
  });
  if (!done) return tl::unexpected(done.error());
  return before();
}

Result<Value> Stager::Lists::sum(const Grown& grown, const Value* start, base::Span span) {
  const GrownList& list = *grown.list;
  if (list.kind != Kind::Numbers || start != nullptr)
    return unsupported("this sum", "take np.array of the list, and np.sum of that", span);
  const GrownList::Column& column = list.columns[0];
  ir::DType type = s_.type_of(column.array);
  if (type == ir::DType::Bool) type = ir::DType::I64;
  if (type != ir::DType::I64 || !column.weak) {
    s_.trap_if(s_.apply(ir::Op::Le, {s_.index(length(grown)), s_.integer(0)}), ir::TrapKind::Assumption,
               "a sum of no items, which is Python's 0");
  }
  const Value zero = value(Scalar{s_.cast(s_.integer(0), type), column.weak});
  PW_TRY(const Value total, folded(grown, zero, s_.size(0), [&](const Value& before, const Value& item) {
           return s_.binary(python::Operator::Add, before, item, span);
         }));
  return total;
}

/// Python keeps the first of equal items, and what no item compares with.
Result<Value> Stager::Lists::extreme(const Grown& grown, bool greatest, base::Span span) {
  const GrownList& list = *grown.list;
  const bool ordered = list.kind == Kind::Numbers && !ir::is_complex(s_.type_of(list.columns[0].array)) &&
                       s_.type_of(list.columns[0].array) != ir::DType::Bool;
  if (!ordered) return unsupported(greatest ? "this max" : "this min", "take np.array of the list", span);
  const ir::ExtentId count = length(grown);
  s_.trap_if(s_.apply(ir::Op::Le, {s_.index(count), s_.integer(0)}), ir::TrapKind::ValueError,
             greatest ? "max() of no items" : "min() of no items");
  const Value first = s_.snapshot(item_at(list, s_.size(0)), {});
  return folded(grown, first, s_.size(1), [&](const Value& before, const Value& item) -> Result<Value> {
    const ir::ExprId a = s_.as_scalar(before)->expr;
    const ir::ExprId b = s_.bound(s_.as_scalar(item)->expr);
    const ir::ExprId wins = s_.apply(greatest ? ir::Op::Gt : ir::Op::Lt, {b, a});
    return value(Scalar{s_.apply(ir::Op::Select, {wins, b, a}), list.columns[0].weak});
  });
}

Result<Value> Stager::Lists::any_or_all(const Grown& grown, bool any, base::Span span) {
  const GrownList& list = *grown.list;
  if (list.kind != Kind::Numbers)
    return unsupported(any ? "this any" : "this all", "take np.array of the list", span);
  const ir::ExtentId shape[] = {length(grown)};
  return s_.weak(s_.fold(
      shape, any ? ir::ReduceOp::Any : ir::ReduceOp::All, ir::DType::Bool, ir::ReduceOrder::Any,
      [&](const Indices& at) { return s_.cast(element(list.columns[0], at[0], false), ir::DType::Bool); }));
}

Result<Value> Stager::Lists::contains(const Grown& grown, const Value& item, base::Span span) {
  const GrownList& list = *grown.list;
  const std::optional<Scalar> sought = item.is<Array>() ? std::nullopt : s_.as_scalar(item);
  // A NaN is in a list that holds that very object.
  const bool whole = list.kind == Kind::Numbers && s_.type_of(list.columns[0].array) == ir::DType::I64 &&
                     sought && s_.type_of(*sought) == ir::DType::I64;
  if (!whole) return unsupported("`in`, but of ints,", "compare np.array of the list", span);
  const ir::ExprId wanted = s_.bound(sought->expr);
  const ir::ExtentId shape[] = {length(grown)};
  return s_.weak(
      s_.fold(shape, ir::ReduceOp::Any, ir::DType::Bool, ir::ReduceOrder::Any, [&](const Indices& at) {
        return s_.apply(ir::Op::Eq, {element(list.columns[0], at[0], false), wanted});
      }));
}

}  // namespace pw::numpy
