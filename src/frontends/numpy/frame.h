// One run of a function of the kernel's file while staging.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// What a name whose value differs by the path taken may hold, as far as it is known while staging
/// (forms.cc).
struct Stager::Form {
  enum class Kind : std::uint8_t { None, Number, Array, Tuple, Text, Known };
  Kind kind = Kind::None;
  bool or_none = false;
  NumberType number;
  std::optional<numpy::Array> array;  // of the shape and dtype
  std::vector<Form> items;            // of a tuple
  std::vector<std::string> texts;
  Value known;  // the same on every path
  bool is_plain() const { return !or_none && (kind == Kind::Number || kind == Kind::Array); }
};

/// A name whose value differs by the path taken: variables of the IR, and buffers that assignments copy into.
struct Stager::Variable {
  NumberType number;
  ir::LocalId local;                           // a number, or which of `texts` it is
  std::optional<Array> array;                  // or an array
  std::optional<std::vector<Variable>> items;  // or a tuple
  std::vector<std::string> texts;
  std::optional<Value> known;
  ir::LocalId present;  // of what may be None: whether it is not
  bool is_plain() const { return !present.valid() && !items && texts.empty() && !known; }
};

struct Stager::Loop {
  bool unrolled = false;
  int control_depth = 0;
  std::size_t frame = 0;  // frames_.size() inside
  bool broke = false;
  bool continued = false;
  ir::LocalId broke_flag = {};     // set by break, for the loop's else
  std::vector<Unset> breaks = {};  // what is unset at each
  std::vector<Unset> continues = {};
  std::vector<std::map<std::string, Value>> names_left = {};  // what is bound at each of both
  ir::ExtentId trips = {};                                    // the most rounds; invalid: no bound is known
};
/// A loop or branch about to be staged, and the names that it assigns.
struct Stager::Construct {
  base::Span span;
  const std::vector<python::StmtId>* body;
  bool is_loop;
  std::map<std::string, AssignedName> assigned;
  std::map<std::string, AssignedName> targets = {};  // of a for loop: each round assigns them first
  python::ExprId test = {};                          // of a while loop: each round reads it first
};

struct Stager::Branch {
  const std::vector<python::StmtId>* then;
  const std::vector<python::StmtId>* otherwise;
  std::map<std::string, AssignedName> assigned = {};  // by `ahead_of_otherwise`
  std::function<Result<Flow>()> ahead_of_otherwise = nullptr;
  bool returns = false;  // `ahead_of_otherwise` does
};

struct Stager::TrapCount {
  std::size_t rows;
  std::size_t emitted;
};

/// What one side of a branch came to.
struct Stager::BranchEnd {
  ir::BlockId block = {};
  Flow flow = Flow::Next;
  std::map<std::string, Value> names = {};
  Unset unset = {};
};

/// Raises that a handler catches set `raised`, and the expression goes on.
struct Stager::Catching {
  const python::Try* node;
  ir::LocalId raised;
  const python::ExceptHandler* handler;  // that the raises go to
  bool stores;                           // something outlasts the expression
  int map_depth;
  std::size_t frames;
};

struct Stager::Returned {
  std::optional<Array> array;
  ir::DType type;
  std::optional<Array> length = {};  // of an array whose first extent is the most that it may be
};

struct Stager::Frame {
  const std::vector<python::StmtId>* body = nullptr;
  std::string function;  // its name, but the entry's
  bool entry = false;
  int entry_depth = 0;           // control_depth_ at the call
  ir::BlockId block;             // where result variables are declared
  const Scope* scope = nullptr;  // of the names that its statements bind
  std::optional<Value> result;
  std::map<std::string, Variable> variables;
  /// What assignments asked of names that are or may become variables.
  std::map<std::string, Form> requests;
  /// What the names that a construct assigns were bound to before it, of those that are no variables yet.
  std::map<std::string, Value> watched;
  std::set<std::string> probes;                          // unbound before a construct, read behind it
  std::vector<std::map<std::string, Value>> names_left;  // Loop::names_left of the loop just staged
  Unset unset;
  std::set<std::pair<ir::BlockId, std::string>> checked_bound;  // reads of `unset` names that were checked
  std::set<std::string> unset_reads;    // names that were read where no path, or not every one, bound them
  bool skips_failures = false;          // to see what statements behind a failing one bind
  std::set<std::string> flag_requests;  // names of `unset` that were read where they had no flag
  // Of returns under run-time conditions.
  std::optional<Form> result_form;     // that earlier runs of the call asked for
  std::optional<Form> result_request;  // and what this one asks for beside
  std::optional<Variable> result_variable;
  ir::LocalId returned;          // set by a return inside a loop, which leaves the loops one by one
  bool at_tail = true;           // the end of the statements at hand is the function's
  bool returns_by_flag = false;  // a return sets `returned`, and the statements behind its branch ask for it
  int copies = 0;                // of the rest of the function, each in the next: log2 of their number
  std::map<std::string, std::string> unjoined = {};  // names of which branches left values that nothing holds
  std::size_t call = 0;                              // where in the file the call stands
  /// What assignments gave to each variable at the attempt at hand.
  std::map<std::string, Form> given = {};
};

/// The names of one loop or branch while it is staged, and what its attempts found out of them.
struct Stager::Joining {
  std::map<std::string, Form> forms;
  std::set<std::string> flagged;  // may be read where no path bound them
  std::set<std::string> reborn;   // bound anew on both sides of the branch, to what has another form
  std::set<std::string>
      carried;  // unbound before the loop, and read where only an earlier round may have bound them
  // Of the attempt at hand: variables, names not bound before, names of no value behind, and names that must
  // keep theirs.
  std::set<std::string> own, probed, dropped, watched;
  std::set<std::string> uncarried;  // dropped names that a round may read before it assigns them
};

/// What a construct changes while it is staged, to be undone before another attempt.
struct Stager::ListMark {
  std::size_t changes;  // of lists and dicts that staging knows
  std::size_t growths;  // of lists that grow
  std::map<std::pair<const GrownList*, ir::BlockId>, ir::ExtentId> lengths;
};

struct Stager::Saved {
  std::map<std::string, Value> names;
  std::map<std::string, Variable> variables;
  std::map<std::string, Value> watched;
  std::set<std::string> probes;
  Unset unset;
  std::set<std::pair<ir::BlockId, std::string>> checked_bound;
  std::size_t diagnostics;
  std::optional<Value> result;
  std::optional<Variable> result_variable;
  ir::LocalId returned;
  std::size_t statements;
  std::size_t call_statements;  // of the block where the function at hand is called
  std::size_t traps;
  std::size_t traps_emitted;
  std::size_t events;       // of sharing_, of the block at hand
  std::size_t call_events;  // and of the block where the function at hand is called
  std::set<std::tuple<ir::BlockId, ir::ExtentId, ir::ExtentId>> checked;
  std::set<ir::BufferId> variable_buffers;
  MaskCounts mask_counts;
  std::set<std::pair<ir::BlockId, ir::ExprId>> present;
  std::set<std::pair<ir::ExtentId, ir::ExtentId>> assumed_equal;
  std::set<ir::LocalId> assumed_positive;
  ListMark lists;
};

}  // namespace pw::numpy
