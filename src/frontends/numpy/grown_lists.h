// Python lists that grow under loops and branches of run time: buffers of a capacity, and a count.
//
// A list starts as one that is known while staging. A change under run-time control fails, with a wish that
// the list be made to grow where it is born; the statements from there on are staged again. The capacity is
// a local that is given its value once all places that append are known: each adds the rounds of the loops
// between the list's birth and itself. Where the capacity is asked for before, the statements are staged
// once more with what the last attempt found.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "frontends/numpy/frame.h"

namespace pw::numpy {

struct GrownList {
  /// Numbers; tuples of numbers; lists of numbers, which only an array can be made of; arrays of one shape.
  enum class Kind : std::uint8_t { Unknown, Numbers, Tuples, Rows, Arrays };
  struct Column {
    Array array;  // [capacity], or [capacity, ...] of arrays
    bool weak = false;
  };
  Kind kind = Kind::Unknown;  // Unknown as long as nothing was appended
  std::string name;
  std::vector<Column> columns;
  ir::LocalId count;  // a variable
  ir::LocalId capacity;
  ir::StmtId capacity_let;
  ir::BlockId block;            // where it is born
  std::size_t loops = 0;        // around it there
  std::uint32_t locals = 0;     // there were before it
  std::int64_t whole_born = 0;  // items at birth that are ints among floats
  ir::ExtentId fixed;           // length of what a comprehension without conditions made
  bool widened = false;         // holds Python's numbers among NumPy's
  bool closed = false;          // its capacity is settled
  int walked = 0;               // loops over it around the statement at hand
  std::vector<Value> born;      // the items that it was made with
  std::vector<std::uint32_t> place;
};

class Stager::Lists {
 public:
  explicit Lists(Stager& stager) : s_(stager) {}

  // ---- birth (grown_lists.cc)
  using Place = std::vector<std::uint32_t>;
  Place place_of(base::Span display) const;
  /// The list that an expression makes: one that grows where that was asked for.
  Result<Value> born(std::vector<Value> items, base::Span display);
  /// The same of what never grows.
  Value made(std::vector<Value> items, Place place = {});
  /// A change of a list or dict that staging knows is about to be made: what it holds now is kept for who
  /// goes back to before it.
  Result<Done> require_changeable(const List& list, base::Span span);
  Result<Done> require_changeable(const Dict& dict, base::Span span);
  /// The same of a list that `added` is to be put into.
  Result<Done> require_growable(const List& list, std::span<const Value> added, base::Span span);
  /// Asks that what a name is bound to be a list that grows where `bound`, an empty one, replaces it.
  void note_replaced(const std::string& name, const Value& bound);
  /// Empties the list of a name instead of binding the name to a new one, where nobody else holds the list.
  Result<bool> replaced(const std::string& name, const Value& bound, base::Span span);

  /// A statement that may make a list that grows, and what was before it.
  struct Birth {
    std::size_t statement;
    std::vector<Place> places;
    std::uint32_t locals;
    std::shared_ptr<const Saved> saved;
    std::shared_ptr<const Frame> frame;
    std::vector<Returned> returned;
    bool returned_once;
  };
  /// Around the statements of a block.
  void enter() { births_.emplace_back(); }
  void leave();
  void remember(python::StmtId id, std::size_t statement);
  /// The statement to go on from where one of the lists must be born anew; nullopt: all is settled, or
  /// failed.
  Result<std::optional<std::size_t>> again(bool done);

  /// Between the two nothing may change a list or dict.
  void begin_view(const void* container) { viewed_.push_back(container); }
  void end_view() { viewed_.pop_back(); }

  // ---- growth (list_growth.cc)
  Result<Done> append(const Grown& grown, const Value& item, base::Span span);
  /// Items of a list or tuple, or of an array of one dimension or more.
  Result<Done> extend(const Grown& grown, const Value& items, base::Span span);
  Result<Value> pop(const Grown& grown, base::Span span);
  Result<Done> clear(const Grown& grown, base::Span span);
  Result<Done> set(const Grown& grown, const Value& index, const Value& item, base::Span span);
  /// The most rounds of a loop; invalid: not known.
  ir::ExtentId trips(ir::ExtentId lower, ir::ExtentId upper, ir::ExtentId step);

  // ---- use (grown_uses.cc)
  ir::ExtentId length(const Grown& grown);
  Result<Value> get(const Grown& grown, const Value& index, base::Span span);
  Result<Array> to_array(const Grown& grown, std::optional<ir::DType> type, base::Span span);
  Result<Array> to_indices(const Grown& grown, base::Span span);
  /// What a loop over the list walks: the columns, each an array or (of Python's numbers) a list of one.
  Result<std::vector<Value>> walked(const Grown& grown, base::Span span);
  static bool is_of_tuples(const Grown& grown);
  /// Makes arrays of the lists that a function of NumPy's is called with.
  Result<Done> convert(Arguments& arguments);
  Result<Value> sum(const Grown& grown, const Value* start, base::Span span);
  Result<Value> extreme(const Grown& grown, bool greatest, base::Span span);
  Result<Value> any_or_all(const Grown& grown, bool any, base::Span span);
  Result<Value> contains(const Grown& grown, const Value& item, base::Span span);
  tl::unexpected<base::Reported> unsupported(std::string_view what, std::string_view instead,
                                             base::Span span);
  bool holds_arrays(ir::BufferId buffer) const { return array_columns_.contains(buffer); }

  // ---- comprehensions (comprehensions.cc)
  Result<Value> comprehension(python::ExprId element, const std::vector<python::Comprehension>& generators,
                              base::Span span, bool list);

  // ---- what constructs undo and forget
  /// Later changes are kept apart from those before.
  ListMark mark();
  void restore(const ListMark& mark);
  struct Plan;
  using Wishes = std::map<Place, std::shared_ptr<Plan>>;
  const Wishes& wishes() const { return wishes_; }
  void forget_wishes(Wishes before) { wishes_ = std::move(before); }

 private:
  struct Born {
    std::shared_ptr<std::vector<Value>> items;  // kept, so that no other list has its address
    ir::BlockId block;
    Place place;
  };
  /// What a list or dict held before a change.
  struct ListBefore {
    List list;
    std::vector<Value> items;
  };
  struct DictBefore {
    Dict dict;
    std::vector<std::pair<Value, Value>> items;
  };
  struct Growth {
    std::shared_ptr<GrownList> list;
    ir::ExtentId most;
  };
  std::optional<Plan> plan_of(const Value& item);
  std::optional<Plan> joined(const Plan& a, const Plan& b) const;
  std::optional<Plan> plan_of(const std::vector<Value>& items, std::span<const Value> added);
  Result<Grown> make(const Plan& plan, const std::vector<Value>& items, std::uint32_t locals,
                     base::Span span);
  bool wants_again(const Birth& birth, const Place& place, bool done);
  void go_back(const Birth& birth);
  Result<Done> require_changeable(const void* container, base::Span span);
  bool is_kept_since_mark(const void* container) const;
  std::vector<Place> displays_in(python::StmtId id) const;
  ir::ExtentId needed(const GrownList& list);
  void settle(GrownList& list, ir::ExtentId capacity);
  Result<Done> require_open(const Grown& grown, base::Span span);
  Result<Done> grow(const Grown& grown, ir::ExtentId items, base::Span span);
  Result<Value> fitted(const Grown& grown, const Value& item, base::Span span);
  Result<Value> rows_joined(const Grown& grown, const Arguments& arguments);
  Result<Done> require_settable(const Grown& grown, const Value& index, base::Span span);
  Result<Done> store_item(const GrownList& list, const Value& item, ir::ExtentId at, base::Span span);
  std::optional<ir::ExtentId> bounded(ir::ExtentId extent, std::uint32_t first_local, bool from_above);
  std::optional<ir::ExtentId> bounded(const ir::ExtentTerm& term, std::uint32_t first_local, bool from_above);
  std::size_t holders(const GrownList* list) const;
  Value item_at(const GrownList& list, ir::ExtentId at);
  ir::ExprId element(const GrownList::Column& column, ir::ExtentId at, bool widened);
  Result<Value> folded(const Grown& grown, const Value& first, ir::ExtentId from,
                       const std::function<Result<Value>(const Value& before, const Value& item)>& step);
  Result<Done> nest(python::ExprId element, const std::vector<python::Comprehension>& generators,
                    std::size_t k, const std::function<Result<Done>(const Value& item)>& keep);
  Result<Done> walk_generator(python::ExprId element, const std::vector<python::Comprehension>& generators,
                              std::size_t k, const std::function<Result<Done>(const Value& item)>& keep);
  Result<Done> keep_where(python::ExprId element, const std::vector<python::Comprehension>& generators,
                          std::size_t k, std::size_t condition,
                          const std::function<Result<Done>(const Value& item)>& keep);

  Stager& s_;
  std::map<const void*, Born> born_;
  std::map<Place, std::shared_ptr<Plan>> plans_;  // of what is born to grow
  Wishes wishes_;
  std::vector<std::vector<Birth>> births_;  // of the blocks around the statement at hand
  std::vector<const void*> viewed_;
  std::vector<Growth> growths_;
  std::vector<std::variant<ListBefore, DictBefore>> changes_;
  std::size_t marked_ = 0;  // changes before the last place that may be gone back to
  std::map<std::pair<const GrownList*, ir::BlockId>, ir::ExtentId> lengths_;  // that hold in the block
  std::set<const void*> frozen_;  // lists that a list that grows holds a copy of
  std::set<ir::BufferId> array_columns_;
  /// The locals before the comprehension at hand, which makes an item in each round; 0: in some.
  std::uint32_t exact_before_ = 0;
};

/// What a list that grows has for items.
struct Stager::Lists::Plan {
  GrownList::Kind kind = GrownList::Kind::Unknown;
  std::vector<NumberType> columns;
  std::vector<ir::ExtentId> shape;  // of arrays
  std::int64_t whole_born = 0;
  bool widened = false;
  ir::ExtentId capacity;            // as the last attempt found it
  std::shared_ptr<GrownList> made;  // at this attempt
  int attempts = 0;
  static constexpr int kMostAttempts = 8;
};

}  // namespace pw::numpy
