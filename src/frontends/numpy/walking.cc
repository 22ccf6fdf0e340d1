#include "frontends/numpy/walking.h"

#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/library.h"
#include "frontends/numpy/names.h"

namespace pw::numpy {

using python::ExprId;

Value zipped(std::vector<Value> columns) {
  return value(Slice{std::make_shared<std::vector<Value>>(std::move(columns))});
}

namespace {

/// "enumerate", "zip", or "" where the loop runs over something else.
Result<std::string_view> pairing(Stager& stager, const python::Call* call, const python::Name* callee) {
  if (call == nullptr || callee == nullptr || (callee->id != "enumerate" && callee->id != "zip")) return "";
  const auto starred = [&](ExprId id) { return stager.tree().get_if<python::Starred>(id) != nullptr; };
  if (!call->keywords.empty() || call->args.empty() ||
      std::any_of(call->args.begin(), call->args.end(), starred)) {
    return "";
  }
  PW_TRY(const Value function, stager.evaluate(call->func));
  const auto* library = function.as<LibraryFunction>();
  return library != nullptr ? library->row->name : "";
}

}  // namespace

Result<Value> columns_of(Stager& stager, ExprId id) {
  const python::Tree& tree = stager.tree();
  const auto* call = tree.get_if<python::Call>(id);
  PW_TRY(const std::string_view how,
         pairing(stager, call, call != nullptr ? tree.get_if<python::Name>(call->func) : nullptr));
  const auto* whole = tree.get_if<python::Attribute>(id);
  if (whole != nullptr && whole->attr == "flat") {
    PW_TRY(const Value array, stager.evaluate(whole->value));
    const auto* several = array.as<Array>();
    if (several == nullptr)
      return stager.engine.report(Rule::NumpyConstruct, tree.span(id), ".flat of something that is no array");
    PW_TRY(Array flat, stager.reshape(*several, {stager.count(several->shape)}, tree.span(id)));
    return value(std::move(flat));
  }
  if (how != "enumerate" && how != "zip") return stager.evaluate_consumed(id);
  std::vector<Value> columns;
  for (const ExprId argument : call->args) {
    PW_TRY(Value column, columns_of(stager, argument));
    columns.push_back(std::move(column));
  }
  if (how == "enumerate" && columns.size() <= 2) {
    const Value start = columns.size() == 2 ? columns[1] : value(std::int64_t{0});
    const std::vector<Value> counter = {start, value(None{}), value(std::int64_t{1})};  // without an end
    columns = {value(Range{std::make_shared<std::vector<Value>>(counter)}), columns[0]};
  }
  return zipped(std::move(columns));
}

Walk::Walk(Stager& stager, const Value& sequence) {
  if (const auto* columns = sequence.as<Slice>()) {
    for (const Value& column : *columns->parts) {
      Walk inner(stager, column);
      lists_.insert(lists_.end(), inner.lists_.begin(), inner.lists_.end());
      inner.lists_.clear();
    }
  }
  if (const auto* grown = sequence.as<Grown>()) {
    lists_.push_back(grown->list);
    ++grown->list->walked;
  }
}

Result<Done> Walk::keep_views(Stager& stager, ExprId iterated) {
  const python::Tree& tree = stager.tree();
  const auto* call = tree.get_if<python::Call>(iterated);
  if (call == nullptr) return Done{};
  stager_ = &stager;
  const auto* method = tree.get_if<python::Attribute>(call->func);
  const auto* name = tree.get_if<python::Name>(call->func);
  const bool reverses = name != nullptr && name->id == "reversed" && call->args.size() == 1;
  if (name != nullptr && (name->id == "zip" || name->id == "enumerate")) {
    for (const ExprId argument : call->args) PW_CHECK_OK(keep_views(stager, argument));
  }
  const ExprId shown = method != nullptr && (method->attr == "items" || method->attr == "values")
                           ? method->value
                       : reverses ? call->args[0]
                                  : ExprId{};
  if (!shown.valid() || contains_call(tree, shown)) return Done{};
  PW_TRY(const Value container, stager.evaluate(shown));
  const auto* list = container.as<List>();
  const auto* dict = container.as<Dict>();
  if (list == nullptr && dict == nullptr) return Done{};
  stager.lists().begin_view(list != nullptr ? static_cast<const void*>(list->items.get())
                                            : dict->items.get());
  ++views_;
  return Done{};
}

Walk::~Walk() {
  for (; views_ > 0; --views_) stager_->lists().end_view();
  for (const auto& list : lists_) --list->walked;
}

Result<Value> walkable(Stager& stager, const Value& sequence, base::Span span) {
  if (const auto* grown = sequence.as<Grown>()) {
    PW_TRY(std::vector<Value> columns, stager.lists().walked(*grown, span));
    return Stager::Lists::is_of_tuples(*grown) ? zipped(std::move(columns)) : columns[0];
  }
  const auto* array = sequence.as<Array>();
  if (sequence.is<Range>() || (array != nullptr && !array->shape.empty())) return sequence;
  if (const auto* columns = sequence.as<Slice>()) {
    std::vector<Value> out;
    for (const Value& column : *columns->parts) {
      PW_TRY(Value each, walkable(stager, column, span));
      out.push_back(std::move(each));
    }
    return zipped(std::move(out));
  }
  PW_TRY(std::vector<Value> items, stager.static_items(sequence, span));
  return stager.lasting(stager.snapshot(value(Tuple{std::move(items)}), {}));
}

Result<std::optional<ir::ExtentId>> rounds_of(Stager& stager, const Value& sequence, base::Span span) {
  if (const auto* array = sequence.as<Array>()) return array->shape[0];
  if (const auto* tuple = sequence.as<Tuple>())
    return stager.size(static_cast<std::int64_t>(tuple->items.size()));
  if (const auto* columns = sequence.as<Slice>()) {
    std::optional<ir::ExtentId> least;
    for (const Value& column : *columns->parts) {
      PW_TRY(const std::optional<ir::ExtentId> rounds, rounds_of(stager, column, span));
      if (rounds) least = least ? stager.extents().apply(ir::ExtentOp::Min, *least, *rounds) : *rounds;
    }
    return least;
  }
  if (const auto* table = sequence.as<List>()) return table->items->front().as<Array>()->shape[0];
  const std::vector<Value>& parts = *sequence.as<Range>()->parts;
  if (parts[1].is<None>()) return std::nullopt;
  if (const auto* step = parts[2].as<std::int64_t>(); step != nullptr && *step == 1) {
    PW_TRY(const ir::ExtentId lower, stager.to_extent(parts[0], span));
    PW_TRY(const ir::ExtentId upper, stager.to_extent(parts[1], span));
    return stager.extents().subtract(upper, lower);
  }
  PW_TRY(const std::vector<Value> items, stager.static_items(sequence, span));
  return stager.size(static_cast<std::int64_t>(items.size()));
}

Result<Value> item_of(Stager& stager, const Value& sequence, const Value& at, base::Span span) {
  if (const auto* columns = sequence.as<Slice>()) {
    Tuple row;
    for (const Value& column : *columns->parts) {
      PW_TRY(Value item, item_of(stager, column, at, span));
      row.items.push_back(std::move(item));
    }
    return value(std::move(row));
  }
  if (const auto* range = sequence.as<Range>()) {
    PW_TRY(const Value steps, stager.binary(python::Operator::Mult, (*range->parts)[2], at, span));
    return stager.binary(python::Operator::Add, (*range->parts)[0], steps, span);
  }
  if (const auto* tuple = sequence.as<Tuple>())
    return tuple->items.at(static_cast<std::size_t>(*at.as<std::int64_t>()));
  if (const auto* table = sequence.as<List>()) {
    PW_TRY(const Value item, stager.subscript(table->items->front(), at, span));
    return stager.weak(stager.as_scalar(item)->expr);
  }
  return stager.subscript(sequence, at, span);
}

Result<Value> item_now(Stager& stager, const Value& sequence, const Value& whole, std::int64_t round,
                       base::Span span) {
  const auto* columns = sequence.as<Slice>();
  const auto* wholes = whole.as<Slice>();
  if (columns != nullptr && wholes != nullptr) {
    Tuple row;
    for (std::size_t k = 0; k < columns->parts->size(); ++k) {
      PW_TRY(Value item, item_now(stager, (*columns->parts)[k], (*wholes->parts)[k], round, span));
      row.items.push_back(std::move(item));
    }
    return value(std::move(row));
  }
  const auto* list = whole.as<List>();
  const auto* tuple = sequence.as<Tuple>();
  if (list == nullptr || tuple == nullptr) return item_of(stager, sequence, value(round), span);
  if (list->items->size() != tuple->items.size())
    return stager.engine.report(Rule::NumpyConstruct, span,
                                "a loop over a list that it makes longer or shorter");
  return (*list->items)[static_cast<std::size_t>(round)];
}

Result<std::optional<Value>> as_table(Stager& stager, const Value& sequence, base::Span span) {
  using Table = std::optional<Value>;
  if (sequence.is<Array>() || sequence.is<Range>()) return Table(sequence);
  std::vector<Value> columns;
  if (const auto* zip = sequence.as<Slice>()) columns = *zip->parts;
  const auto* tuple = sequence.as<Tuple>();
  if (tuple != nullptr && tuple->items.empty()) return Table();
  const auto* row = tuple != nullptr ? tuple->items.front().as<Tuple>() : nullptr;
  if (tuple != nullptr && row == nullptr) {
    const std::optional<Scalar> first = stager.as_scalar(tuple->items.front());
    const bool alike =
        first && std::all_of(tuple->items.begin(), tuple->items.end(), [&](const Value& each) {
          const std::optional<Scalar> other = each.is<Array>() ? std::nullopt : stager.as_scalar(each);
          return other && other->weak == first->weak && stager.type_of(*other) == stager.type_of(*first);
        });
    if (!alike) return Table();
    PW_TRY(const Array array, stager.to_array(sequence, std::nullopt, span));
    const Value numbers = value(array);
    return Table(first->weak ? value(List{std::make_shared<std::vector<Value>>(1, numbers)}) : numbers);
  }
  for (std::size_t k = 0; row != nullptr && k < row->items.size(); ++k) {
    Tuple column;
    for (const Value& each : tuple->items) {
      const auto* other = each.as<Tuple>();
      if (other == nullptr || other->items.size() != row->items.size()) return Table();
      column.items.push_back(other->items[k]);
    }
    columns.push_back(value(std::move(column)));
  }
  if (columns.empty()) return Table();
  for (Value& column : columns) {
    PW_TRY(const Table table, as_table(stager, column, span));
    if (!table) return Table();
    column = *table;
  }
  return Table(zipped(std::move(columns)));
}

bool may_be_staged(const Value& sequence) {
  const auto* columns = sequence.as<Slice>();
  return sequence.is<Array>() || sequence.is<Range>() || sequence.is<List>() ||
         (columns != nullptr && std::all_of(columns->parts->begin(), columns->parts->end(), may_be_staged));
}

}  // namespace pw::numpy
