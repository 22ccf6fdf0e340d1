// What lists that grow hold, and how long they may become.
#include <algorithm>

#include "frontends/numpy/grown_lists.h"

namespace pw::numpy {

namespace {

using Kind = GrownList::Kind;

constexpr std::size_t kEightBytes = 8;

}  // namespace

std::optional<Stager::Lists::Plan> Stager::Lists::plan_of(const Value& item) {
  Plan plan;
  const auto add_number = [&](const Value& number) {
    const auto type = number.is<Array>() ? std::nullopt : s_.number_type(number);
    const auto* scalar = number.as<Scalar>();
    if (!type || (scalar != nullptr && scalar->zero_dim)) return false;
    if (scalar != nullptr && !s_.is_of_one_type(scalar->expr)) plan.widened = true;
    plan.columns.push_back(*type);
    return true;
  };
  if (const auto* array = item.as<Array>()) {
    if (array->shape.empty()) return std::nullopt;
    plan.kind = Kind::Arrays;
    plan.columns = {{s_.type_of(*array), false}};
    plan.shape = array->shape;
    return plan;
  }
  const auto* tuple = item.as<Tuple>();
  const auto* list = item.as<List>();
  if (tuple == nullptr && list == nullptr) {
    plan.kind = Kind::Numbers;
    return add_number(item) ? std::optional(plan) : std::nullopt;
  }
  plan.kind = tuple != nullptr ? Kind::Tuples : Kind::Rows;
  const std::vector<Value>& items = tuple != nullptr ? tuple->items : *list->items;
  if (items.empty() || !std::all_of(items.begin(), items.end(), add_number)) return std::nullopt;
  return plan;
}

/// What holds the items of both; nullopt: nothing does.
std::optional<Stager::Lists::Plan> Stager::Lists::joined(const Plan& a, const Plan& b) const {
  if (a.kind == Kind::Unknown) return b;
  if (b.kind == Kind::Unknown) return a;
  if (a.kind != b.kind || a.columns.size() != b.columns.size() || a.shape.size() != b.shape.size())
    return std::nullopt;
  Plan out = a;
  out.widened = a.widened || b.widened;
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    if (a.columns[k] == b.columns[k]) continue;
    // Of smaller dtypes NumPy makes a wider array where a number of Python's is among them.
    if (a.columns[k].type != b.columns[k].type || ir::row(a.columns[k].type).bytes < kEightBytes)
      return std::nullopt;
    out.columns[k].weak = false;
    out.widened = true;
  }
  return out;
}

/// The same of items that are in the list and of some that are to come, among which ints become floats.
std::optional<Stager::Lists::Plan> Stager::Lists::plan_of(const std::vector<Value>& items,
                                                          std::span<const Value> added) {
  Plan whole;
  const auto join_all = [&](std::span<const Value> some) {
    Plan sum;
    for (const Value& item : some) {
      const std::optional<Plan> own = plan_of(item);
      const std::optional<Plan> both = own ? joined(sum, *own) : std::nullopt;
      if (!both) return std::optional<Plan>();
      sum = *both;
    }
    return std::optional(sum);
  };
  const std::optional<Plan> before = join_all(items);
  const std::optional<Plan> after = join_all(added);
  if (!before || !after) return std::nullopt;
  if (auto both = joined(*before, *after)) return both;
  const bool numbers = before->kind == Kind::Numbers && after->kind == Kind::Numbers;
  if (!numbers || !(before->columns[0] == NumberType{ir::DType::I64, true})) return std::nullopt;
  const NumberType type = after->columns[0];
  if (type.type != ir::DType::F64) return std::nullopt;
  const bool exact = std::all_of(items.begin(), items.end(), [&](const Value& each) {
    return (each.is<std::int64_t>() && !each.config.valid()) && s_.fits(each, type);
  });
  if (!exact) return std::nullopt;
  whole = *after;
  whole.whole_born = static_cast<std::int64_t>(items.size());
  whole.widened = true;
  return whole;
}

/// An item as the list holds it; asks for a list of wider items where that is possible.
Result<Value> Stager::Lists::fitted(const Grown& grown, const Value& item, base::Span span) {
  const GrownList& list = *grown.list;
  const auto refused = [&]() -> tl::unexpected<base::Reported> {
    return s_.engine.report(Rule::NumpyListKinds, span, describe(item, s_.module));
  };
  const std::optional<Plan> own = plan_of(item);
  if (!own) return refused();
  Plan has;
  has.kind = list.kind;
  has.widened = list.widened;
  has.whole_born = list.whole_born;
  for (const GrownList::Column& column : list.columns)
    has.columns.push_back({s_.type_of(column.array), column.weak});
  if (!list.columns.empty())
    has.shape.assign(list.columns[0].array.shape.begin() + 1, list.columns[0].array.shape.end());
  std::optional<Plan> both = joined(has, *own);
  if (!both && !list.born.empty()) both = plan_of(list.born, std::vector{item});
  if (!both) return refused();
  if (both->columns == has.columns && both->widened == has.widened) return s_.snapshot(item, {});
  if (!list.place.empty()) wishes_[list.place] = std::make_shared<Plan>(*std::move(both));
  return refused();
}

// ---- growth

/// Refuses a change where the items are walked, or at many places at once.
Result<Done> Stager::Lists::require_open(const Grown& grown, base::Span span) {
  const GrownList& list = *grown.list;
  if (list.walked > 0)
    return unsupported("a change inside a loop over it", "collect the changes in another list", span);
  if (list.fixed.valid())
    return unsupported("a change of what a comprehension made", "start with [], and append in a loop", span);
  if (s_.map_depth_ > 0) {
    return s_.engine.report(Rule::NumpyListCapacity, span,
                            "a function that is called for each element of an array");
  }
  if (s_.catching_ != nullptr) s_.catching_->stores = true;
  return Done{};
}

ir::ExtentId Stager::Lists::trips(ir::ExtentId lower, ir::ExtentId upper, ir::ExtentId step) {
  ir::ExtentTable& table = s_.extents();
  const ir::ExtentId down = table.scale(step, -1);
  const bool upward = s_.proves_nonnegative(table.add(step, s_.size(-1)));
  if (!upward && !s_.proves_nonnegative(table.add(down, s_.size(-1)))) return {};
  const ir::ExtentId gap = upward ? table.subtract(upper, lower) : table.subtract(lower, upper);
  const auto stride = table.as_constant(upward ? step : down);
  if (!stride || *stride == 1) return gap;
  return s_.floor_divide(table.add(gap, s_.size(*stride - 1)), s_.size(*stride));
}

/// A size, of what was there before the local `first_local`, that an extent never exceeds, or never is below.
std::optional<ir::ExtentId> Stager::Lists::bounded(ir::ExtentId extent, std::uint32_t first_local,
                                                   bool from_above) {
  ir::ExtentTable& table = s_.extents();
  for (;;) {
    const std::vector<ir::LocalId> locals = table.locals(extent);
    if (locals.empty() || locals.back().value < first_local) return extent;
    const auto linear = table.linear_in(extent, locals.back());
    if (!linear) break;
    const bool rises = s_.proves_nonnegative(linear->coefficient);
    if (!rises && !s_.proves_nonnegative(table.scale(linear->coefficient, -1))) return std::nullopt;
    const ir::Range range = s_.module[locals.back()].range;
    const ir::ExtentId end = rises == from_above ? range.upper : range.lower;
    if (!end.valid() || table.mentions(end, locals.back())) return std::nullopt;
    extent = table.add(table.multiply(linear->coefficient, end), linear->rest);
  }
  ir::ExtentId sum = s_.size(0);
  const std::vector<ir::ExtentTerm> terms = table[extent].terms;
  for (const ir::ExtentTerm& term : terms) {
    const std::optional<ir::ExtentId> part = bounded(term, first_local, from_above);
    if (!part) return std::nullopt;
    sum = table.add(sum, *part);
  }
  return sum;
}

std::optional<ir::ExtentId> Stager::Lists::bounded(const ir::ExtentTerm& term, std::uint32_t first_local,
                                                   bool from_above) {
  ir::ExtentTable& table = s_.extents();
  ir::ExtentId product = s_.size(term.coefficient);
  for (const ir::AtomId factor : term.factors) product = table.multiply(product, table.of(factor));
  const std::vector<ir::LocalId> locals = table.locals(product);
  if (locals.empty() || locals.back().value < first_local) return product;
  if (term.factors.size() != 1) return std::nullopt;
  const ir::ExtentAtom atom = table[term.factors[0]];
  const auto* applied = std::get_if<ir::ExtentApply>(&atom.node);
  const bool above = from_above == (term.coefficient > 0);
  std::optional<ir::ExtentId> found;
  if (applied == nullptr) {
    found = bounded(table.of(term.factors[0]), first_local, above);
  } else {
    const std::optional<ir::ExtentId> left = bounded(applied->left, first_local, above);
    const bool chooses = applied->op == ir::ExtentOp::Min || applied->op == ir::ExtentOp::Max;
    const std::optional<ir::ExtentId> right =
        chooses ? bounded(applied->right, first_local, above) : std::nullopt;
    const auto divisor = table.as_constant(applied->right);
    if (chooses && left && right) {
      found = table.apply(applied->op, *left, *right);
    } else if (chooses && above == (applied->op == ir::ExtentOp::Min)) {
      found = left ? left : right;
    } else if (applied->op == ir::ExtentOp::FloorDiv && left && divisor && *divisor > 0) {
      found = table.apply(ir::ExtentOp::FloorDiv, *left, applied->right);
    } else if (applied->op == ir::ExtentOp::Mod && divisor && *divisor > 0) {
      found = s_.size(above ? *divisor - 1 : 0);
    }
  }
  return found ? std::optional(table.scale(*found, term.coefficient)) : std::nullopt;
}

/// Notes that `items` more may be put into the list in each round of the loops between its birth and here.
Result<Done> Stager::Lists::grow(const Grown& grown, ir::ExtentId items, base::Span span) {
  const GrownList& list = *grown.list;
  const auto refuse = [&](std::string_view where) {
    return s_.engine.report(Rule::NumpyListCapacity, span, where);
  };
  PW_CHECK_OK(require_open(grown, span));
  if (list.closed) return refuse("statements behind the block that it was made in, or in what made it");
  std::optional<ir::ExtentId> most = bounded(items, list.locals, true);
  if (!most) return refuse("steps whose size has no bound where the list is made");
  most = s_.clamped(*most);
  for (std::size_t k = list.loops; k < s_.loops_.size(); ++k) {
    const Loop& loop = s_.loops_[k];
    if (loop.unrolled) continue;
    if (!loop.trips.valid()) return refuse("a loop of which no largest number of rounds is known");
    const std::optional<ir::ExtentId> rounds = bounded(loop.trips, list.locals, true);
    if (!rounds) return refuse("a loop whose number of rounds has no bound where the list is made");
    most = s_.extents().multiply(*most, s_.clamped(*rounds));
  }
  growths_.push_back({grown.list, *most});
  std::erase_if(lengths_, [&](const auto& each) { return each.first.first == grown.list.get(); });
  return Done{};
}

Result<Done> Stager::Lists::store_item(const GrownList& list, const Value& item, ir::ExtentId at,
                                       base::Span span) {
  if (const auto* array = item.as<Array>()) {
    const Array& column = list.columns[0].array;
    for (std::size_t k = 0; k < array->shape.size(); ++k)
      PW_CHECK_OK(s_.require_equal(column.shape[k + 1], array->shape[k], span));
    s_.map_over(array->shape, [&](const Indices& indices) {
      Indices to = {at};
      to.insert(to.end(), indices.begin(), indices.end());
      s_.store(column, to, s_.load(*array, indices));
    });
    s_.sharing_.note(s_.blocks_.back(), Sharing::Share{array->buffer, column.buffer});
    return Done{};
  }
  std::vector<Value> parts = {item};
  if (const auto* tuple = item.as<Tuple>()) parts = tuple->items;
  if (const auto* row = item.as<List>()) {
    parts = *row->items;
  }
  for (std::size_t k = 0; k < parts.size(); ++k)
    s_.store(list.columns[k].array, {at}, s_.as_scalar(parts[k])->expr);
  return Done{};
}

Result<Done> Stager::Lists::append(const Grown& grown, const Value& item, base::Span span) {
  GrownList& list = *grown.list;
  PW_CHECK_OK(grow(grown, s_.size(1), span));
  PW_TRY(const Value kept, fitted(grown, item, span));
  if (const auto* row = kept.as<List>()) frozen_.insert(row->items.get());
  s_.at(span);
  const ir::LocalId at = s_.let(s_.module.add(ir::Read{list.count}, span), list.name + "_at");
  s_.module[at].range = {s_.size(0), s_.extents().add(s_.extents().local(list.capacity), s_.size(-1))};
  PW_CHECK_OK(store_item(list, kept, s_.extents().local(at), span));
  s_.emit(ir::Assign{list.count, s_.apply(ir::Op::Add, {s_.module.add(ir::Read{at}, span), s_.integer(1)})});
  return Done{};
}

Result<Done> Stager::Lists::extend(const Grown& grown, const Value& items, base::Span span) {
  const auto* array = items.as<Array>();
  if (array == nullptr || array->shape.empty()) {
    if (items.is<Grown>())
      return unsupported("extending a list by the items", "append them one by one in a loop", span);
    PW_TRY(const std::vector<Value> known, s_.static_items(items, span));
    for (const Value& each : known) PW_CHECK_OK(append(grown, each, span));
    return Done{};
  }
  if (array->shape.size() > 1)
    return unsupported("extending by the rows of an array", "append each row", span);
  PW_CHECK_OK(grow(grown, array->shape[0], span));
  const std::size_t growths = growths_.size();
  Result<Done> done = Done{};
  s_.for_over(array->shape, [&](const Indices& at) {
    if (done) done = append(grown, s_.strong(s_.load(*array, at)), span);
  });
  growths_.resize(std::min(growths, growths_.size()));  // they were noted together
  return done;
}

Result<Value> Stager::Lists::pop(const Grown& grown, base::Span span) {
  GrownList& list = *grown.list;
  PW_CHECK_OK(require_open(grown, span));
  if (list.kind == Kind::Arrays || list.kind == Kind::Rows)
    return unsupported("pop() of an array or list", "keep the position of the last item yourself", span);
  s_.at(span);
  const ir::ExprId count = s_.module.add(ir::Read{list.count}, span);
  s_.trap_if(s_.apply(ir::Op::Le, {count, s_.integer(0)}), ir::TrapKind::IndexError, "pop from empty list");
  std::erase_if(lengths_, [&](const auto& each) { return each.first.first == grown.list.get(); });
  const ir::LocalId last = s_.let(s_.apply(ir::Op::Sub, {count, s_.integer(1)}), list.name + "_last");
  s_.module[last].range = {s_.size(0), s_.extents().add(s_.extents().local(list.capacity), s_.size(-1))};
  s_.emit(ir::Assign{list.count, s_.module.add(ir::Read{last}, span)});
  if (list.kind == Kind::Unknown) return value(None{});  // the trap leaves first
  return s_.snapshot(item_at(list, s_.extents().local(last)), list.name);
}

Result<Done> Stager::Lists::clear(const Grown& grown, base::Span span) {
  PW_CHECK_OK(require_open(grown, span));
  if (grown.list->kind == Kind::Arrays)
    return unsupported("emptying", "bind a list of arrays once, before the loop", span);
  s_.emit(ir::Assign{grown.list->count, s_.integer(0)});
  std::erase_if(lengths_, [&](const auto& each) { return each.first.first == grown.list.get(); });
  return Done{};
}

}  // namespace pw::numpy
