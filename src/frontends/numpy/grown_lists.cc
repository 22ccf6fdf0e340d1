// Where lists that grow are born, what they hold, and how long they may become.
#include "frontends/numpy/grown_lists.h"

#include <algorithm>

namespace pw::numpy {

namespace {

using Kind = GrownList::Kind;

}  // namespace

Stager::Lists::Place Stager::Lists::place_of(base::Span display) const {
  Place place = {static_cast<std::uint32_t>(display.begin), static_cast<std::uint32_t>(display.end)};
  for (const Frame* frame : s_.frames_) place.push_back(static_cast<std::uint32_t>(frame->call));
  return place;
}

Value Stager::Lists::made(std::vector<Value> items, Place place) {
  auto list = std::make_shared<std::vector<Value>>(std::move(items));
  born_[list.get()] = {list, s_.blocks_.back(), std::move(place)};
  return value(List{std::move(list)});
}

Result<Value> Stager::Lists::born(std::vector<Value> items, base::Span display) {
  const Place place = place_of(display);
  const auto plan = plans_.find(place);
  if (plan == plans_.end()) return made(std::move(items), place);
  for (const Birth& birth : births_.back()) {
    if (std::find(birth.places.begin(), birth.places.end(), place) == birth.places.end()) continue;
    PW_TRY(Grown grown, make(*plan->second, items, birth.locals, display));
    plan->second->made = grown.list;
    grown.list->place = place;
    return value(std::move(grown));
  }
  return made(std::move(items), place);
}

Result<Done> Stager::Lists::require_changeable(const void* container, base::Span span) {
  const auto born = born_.find(container);
  const bool each_time = born != born_.end() && born->second.block == s_.blocks_.back();
  // A path that left the round before has the items as they were.
  const bool left = std::any_of(s_.loops_.begin(), s_.loops_.end(),
                                [](const Loop& each) { return !each.names_left.empty(); });
  if (s_.control_depth_ > 0 && (!each_time || left)) return s_.engine.report(Rule::NumpyListInLoop, span);
  if (std::find(viewed_.begin(), viewed_.end(), container) != viewed_.end()) {
    return s_.engine.report(Rule::NumpyConstruct, span,
                            "a change of a list or dict that a loop around walks (without list() around it)");
  }
  if (frozen_.contains(container)) {
    return unsupported("a change of a list that is an item", "append a new list of numbers instead", span);
  }
  if (!s_.outlasting_.containers.contains(container)) return Done{};
  return s_.engine.report(Rule::NumpyConstruct, span, "a change of a list or dict that outlasts the call");
}

bool Stager::Lists::is_kept_since_mark(const void* container) const {
  return std::any_of(
      changes_.begin() + static_cast<std::ptrdiff_t>(marked_), changes_.end(), [&](const auto& change) {
        return std::visit(
            ir::Overload{[&](const ListBefore& each) -> bool { return each.list.items.get() == container; },
                         [&](const DictBefore& each) -> bool { return each.dict.items.get() == container; }},
            change);
      });
}

Result<Done> Stager::Lists::require_changeable(const List& list, base::Span span) {
  PW_CHECK_OK(require_changeable(list.items.get(), span));
  if (!is_kept_since_mark(list.items.get())) changes_.emplace_back(ListBefore{list, *list.items});
  return Done{};
}

Result<Done> Stager::Lists::require_changeable(const Dict& dict, base::Span span) {
  PW_CHECK_OK(require_changeable(dict.items.get(), span));
  if (!is_kept_since_mark(dict.items.get())) changes_.emplace_back(DictBefore{dict, *dict.items});
  return Done{};
}

Stager::ListMark Stager::Lists::mark() {
  marked_ = changes_.size();
  return {marked_, growths_.size(), lengths_};
}

Result<Done> Stager::Lists::require_growable(const List& list, std::span<const Value> added,
                                             base::Span span) {
  const Result<Done> changeable = require_changeable(list, span);
  if (changeable || s_.engine.all().back().rule != Rule::NumpyListInLoop) return changeable;
  const auto born = born_.find(list.items.get());
  if (born == born_.end() || born->second.place.empty()) return changeable;
  if (auto plan = plan_of(*list.items, added))
    wishes_[born->second.place] = std::make_shared<Plan>(*std::move(plan));
  return changeable;
}

void Stager::Lists::note_replaced(const std::string& name, const Value& bound) {
  const auto before = s_.scope_->names.find(name);
  const auto* list = before == s_.scope_->names.end() ? nullptr : before->second.as<List>();
  const auto* items = bound.as<List>();
  const auto born = list == nullptr ? born_.end() : born_.find(list->items.get());
  if (born == born_.end() || born->second.block == s_.blocks_.back() || born->second.place.empty()) return;
  if (items == nullptr || wishes_.contains(born->second.place)) return;
  if (auto plan = plan_of(*list->items, *items->items))
    wishes_[born->second.place] = std::make_shared<Plan>(*std::move(plan));
}

/// How many names and containers in reach hold the list.
std::size_t Stager::Lists::holders(const GrownList* list) const {
  std::size_t found = 0;
  std::set<const void*> seen;
  std::function<void(const Scope*)> in_scope;
  const std::function<void(const Value&)> in_value = [&](const Value& each) {
    const auto in_items = [&](const std::vector<Value>& items) {
      for (const Value& item : items) in_value(item);
    };
    if (const auto* grown = each.as<Grown>()) found += grown->list.get() == list ? 1 : 0;
    if (const auto* tuple = each.as<Tuple>()) in_items(tuple->items);
    if (const auto* either = each.as<OrNone>()) in_value(*either->value);
    if (const auto* known = each.as<List>(); known != nullptr && seen.insert(known->items.get()).second)
      in_items(*known->items);
    if (const auto* dict = each.as<Dict>(); dict != nullptr && seen.insert(dict->items.get()).second) {
      for (const auto& [key, item] : *dict->items) in_value(item);
    }
    if (const auto* library = each.as<LibraryFunction>(); library != nullptr && library->self)
      in_value(*library->self);
    if (const auto* function = each.as<UserFunction>();
        function != nullptr && seen.insert(function->defaults.get()).second) {
      in_items(*function->defaults);
      in_scope(function->closure.get());
    }
  };
  in_scope = [&](const Scope* scope) {
    for (; scope != nullptr && seen.insert(scope).second; scope = scope->parent.get()) {
      for (const auto& [name, bound] : scope->names) in_value(bound);
    }
  };
  in_scope(s_.scope_.get());
  for (const Frame* frame : s_.frames_) in_scope(frame->scope);
  for (const auto& scope : s_.captured_) in_scope(scope.get());
  return found;
}

Result<bool> Stager::Lists::replaced(const std::string& name, const Value& bound, base::Span span) {
  const auto before = s_.scope_->names.find(name);
  const auto* grown = before == s_.scope_->names.end() ? nullptr : before->second.as<Grown>();
  const auto* items = bound.as<List>();
  if (grown == nullptr || items == nullptr || grown->list->block == s_.blocks_.back()) return false;
  if (grown->list->closed || grown->list->walked > 0 || holders(grown->list.get()) != 1) return false;
  const Grown held = *grown;
  PW_CHECK_OK(clear(held, span));
  for (const Value& item : *items->items) PW_CHECK_OK(append(held, item, span));
  return true;
}

std::vector<Stager::Lists::Place> Stager::Lists::displays_in(python::StmtId id) const {
  python::ExprId made;
  if (const auto* assign = s_.tree_.get_if<python::Assign>(id)) made = assign->value;
  if (const auto* assign = s_.tree_.get_if<python::AnnAssign>(id)) made = assign->value;
  if (!made.valid()) return {};
  std::vector<python::ExprId> parts = {made};
  if (const auto* tuple = s_.tree_.get_if<python::Tuple>(made)) parts = tuple->elts;
  std::vector<Place> out;
  for (const python::ExprId part : parts) {
    const auto* call = s_.tree_.get_if<python::Call>(part);
    const auto* name = call == nullptr ? nullptr : s_.tree_.get_if<python::Name>(call->func);
    const bool makes = s_.tree_.get_if<python::List>(part) != nullptr ||
                       s_.tree_.get_if<python::ListComp>(part) != nullptr ||
                       (name != nullptr && name->id == "list");
    if (makes) out.push_back(place_of(s_.tree_.span(part)));
  }
  return out;
}

void Stager::Lists::remember(python::StmtId id, std::size_t statement) {
  constexpr std::size_t kInKernel = 2;
  if (s_.frames_.size() < kInKernel) return;
  std::vector<Place> places = displays_in(id);
  if (places.empty()) return;
  Birth birth{statement,
              std::move(places),
              static_cast<std::uint32_t>(s_.module.locals.size()),
              std::make_shared<const Saved>(s_.save()),
              std::make_shared<const Frame>(*s_.frames_.back()),
              s_.returned_,
              s_.returned_once_};
  births_.back().push_back(std::move(birth));
}

void Stager::Lists::go_back(const Birth& birth) {
  *s_.frames_.back() = *birth.frame;
  s_.restore(*birth.saved);
  s_.returned_ = birth.returned;
  s_.returned_once_ = birth.returned_once;
}

/// Whether the list of the place must be born anew: to grow at all, of other items, or of another capacity.
bool Stager::Lists::wants_again(const Birth& birth, const Place& place, bool done) {
  const auto plan = plans_.find(place);
  const int attempts = plan == plans_.end() ? 0 : plan->second->attempts;
  if (attempts >= Plan::kMostAttempts) return false;
  if (const auto wish = wishes_.find(place); !done && wish != wishes_.end()) {
    const std::shared_ptr<Plan> wanted = wish->second;
    wishes_.erase(wish);
    const bool made_before = std::all_of(wanted->shape.begin(), wanted->shape.end(), [&](ir::ExtentId each) {
      const std::vector<ir::LocalId> locals = s_.extents().locals(each);
      return std::all_of(locals.begin(), locals.end(),
                         [&](ir::LocalId local) { return local.value < birth.locals; });
    });
    if (!made_before) return false;
    wanted->attempts = attempts + 1;
    plans_[place] = wanted;
    return true;
  }
  if (plan == plans_.end() || plan->second->made == nullptr) return false;
  Plan& current = *plan->second;
  const ir::ExtentId least = needed(*current.made);
  // What failed may have asked for a capacity before there was one.
  if (done ? !current.capacity.valid() || current.capacity == least : current.capacity.valid()) return false;
  current.capacity = least;
  ++current.attempts;
  return true;
}

Result<std::optional<std::size_t>> Stager::Lists::again(bool done) {
  std::vector<Birth>& births = births_.back();
  const bool wants_known = !done && !s_.demanded().empty();
  for (std::size_t k = 0; k < births.size() && !wants_known; ++k) {
    bool anew = false;
    for (const Place& place : births[k].places) anew = wants_again(births[k], place, done) || anew;
    if (!anew) continue;
    for (std::size_t later = k + 1; later < births.size(); ++later) {
      for (const Place& place : births[later].places) {
        wishes_.erase(place);
        const auto plan = plans_.find(place);
        if (plan == plans_.end()) continue;
        // Of locals that are made anew.
        plan->second->capacity = {};
        plan->second->made = nullptr;
        if (!plan->second->shape.empty()) plans_.erase(plan);
      }
    }
    const Birth birth = births[k];
    go_back(birth);
    births.resize(k);
    return birth.statement;
  }
  for (const Birth& birth : births) {
    for (const Place& place : birth.places) {
      const auto plan = plans_.find(place);
      if (!done || plan == plans_.end() || plan->second->made == nullptr) continue;
      GrownList& list = *plan->second->made;
      const ir::ExtentId capacity = needed(list);
      if (plan->second->capacity.valid() && plan->second->capacity != capacity) {
        return s_.engine.report(Rule::NumpyListCapacity, s_.module[list.count].span,
                                "a loop whose number of rounds depends on the list");
      }
      settle(list, capacity);
    }
  }
  return std::nullopt;
}

void Stager::Lists::leave() {
  for (const Birth& birth : births_.back()) {
    for (const Place& place : birth.places) {
      if (const auto plan = plans_.find(place); plan != plans_.end() && plan->second->made)
        plan->second->made->closed = true;
      plans_.erase(place);
      wishes_.erase(place);
    }
  }
  births_.pop_back();
}

void Stager::Lists::restore(const ListMark& mark) {
  for (; changes_.size() > mark.changes; changes_.pop_back()) {
    std::visit(ir::Overload{[](ListBefore& each) { each.list.items->swap(each.items); },
                            [](DictBefore& each) { each.dict.items->swap(each.items); }},
               changes_.back());
  }
  marked_ = changes_.size();
  growths_.resize(mark.growths);
  lengths_ = mark.lengths;
}

/// The most items that the list may come to hold.
ir::ExtentId Stager::Lists::needed(const GrownList& list) {
  ir::ExtentId sum = s_.size(0);
  for (const Growth& each : growths_) {
    if (each.list.get() == &list) sum = s_.extents().add(sum, each.most);
  }
  return sum;
}

void Stager::Lists::settle(GrownList& list, ir::ExtentId capacity) {
  s_.module[list.capacity].range.upper = capacity;
  const ir::ExprId value = s_.index(capacity);
  std::get<ir::Let>(s_.module[list.capacity_let]).value = value;
}

Result<Grown> Stager::Lists::make(const Plan& plan, const std::vector<Value>& items, std::uint32_t locals,
                                  base::Span span) {
  auto list = std::make_shared<GrownList>();
  list->kind = plan.kind;
  list->name = s_.invented_name("list");
  list->block = s_.blocks_.back();
  list->loops = s_.loops_.size();
  list->locals = locals;
  list->whole_born = plan.whole_born;
  list->widened = plan.widened;
  ir::Local capacity;
  capacity.name = list->name + "_capacity";
  capacity.kind = ir::LocalKind::Bound;
  capacity.range = {s_.size(0), plan.capacity};
  capacity.span = span;
  list->capacity = s_.module.add(std::move(capacity));
  s_.emit(ir::Let{list->capacity, s_.index(plan.capacity.valid() ? plan.capacity : s_.size(0))});
  list->capacity_let = s_.module[s_.blocks_.back()].statements.back();
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    std::vector<ir::ExtentId> shape = {s_.extents().local(list->capacity)};
    shape.insert(shape.end(), plan.shape.begin(), plan.shape.end());
    const std::string name = plan.columns.size() == 1 ? list->name : list->name + "_" + std::to_string(k);
    Array column = s_.allocate(std::move(shape), plan.columns[k].type, name);
    s_.module[column.buffer].invented = false;
    column.fresh = false;
    if (plan.kind == Kind::Arrays) array_columns_.insert(column.buffer);
    list->columns.push_back({std::move(column), plan.columns[k].weak});
  }
  list->count = s_.declare_variable(list->name + "_count", ir::DType::I64, s_.integer(0));
  list->born = items;
  Grown grown{std::move(list)};
  for (const Value& item : items) {
    const auto* whole = plan.whole_born > 0 ? item.as<std::int64_t>() : nullptr;
    PW_CHECK_OK(append(grown, whole != nullptr ? value(static_cast<double>(*whole)) : item, span));
  }
  return grown;
}

}  // namespace pw::numpy
