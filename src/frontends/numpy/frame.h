// One run of a function of the kernel's file while staging.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// A name whose value differs by the path taken: a variable of the IR, or a buffer that assignments copy
/// into.
struct Stager::Variable {
  NumberType number;
  ir::LocalId local;           // a number
  std::optional<Array> array;  // or an array
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
  std::map<std::string, NumberType> requests;
  std::map<std::string, Array> array_requests;
  std::set<std::string> probes;                          // unbound before a construct, read behind it
  std::vector<std::map<std::string, Value>> names_left;  // Loop::names_left of the loop just staged
  Unset unset;
  std::set<std::pair<ir::BlockId, std::string>> checked_bound;  // reads of `unset` names that were checked
  std::set<std::string> unset_reads;                            // names of `unset` that were read
  std::set<std::string> flag_requests;  // names of `unset` that were read where they had no flag
  // Results of returns under run-time conditions, by position in a returned tuple.
  std::map<std::size_t, NumberType> result_types;
  std::map<std::size_t, NumberType> result_requests;
  bool result_is_tuple = false;
  ir::LocalId returned;  // set by a return inside a loop, which leaves the loops one by one
  std::map<std::size_t, Variable> result_variables;
};

/// The names of one loop or branch while it is staged, and what its attempts found out of them.
struct Stager::Joining {
  std::map<std::string, NumberType> numbers;
  std::map<std::string, Array> arrays;
  std::set<std::string> flagged;  // may be read where no path bound them
  std::set<std::string>
      carried;  // unbound before the loop, and read where only an earlier round may have bound them
  // Of the attempt at hand: variables, names not bound before, names of no value behind, and names that must
  // keep theirs.
  std::set<std::string> own, probed, dropped, watched;
  std::set<std::string> uncarried;  // dropped names that a round may read before it assigns them
};

/// What a construct changes while it is staged, to be undone before another attempt.
struct Stager::Saved {
  std::map<std::string, Value> names;
  std::map<std::string, Variable> variables;
  std::set<std::string> probes;
  Unset unset;
  std::set<std::pair<ir::BlockId, std::string>> checked_bound;
  std::size_t diagnostics;
  std::optional<Value> result;
  std::map<std::size_t, Variable> result_variables;
  ir::LocalId returned;
  std::size_t statements;
  std::size_t call_statements;  // of the block where the function at hand is called
  std::size_t traps;
  std::size_t events;       // of sharing_, of the block at hand
  std::size_t call_events;  // and of the block where the function at hand is called
  std::set<std::tuple<ir::BlockId, ir::ExtentId, ir::ExtentId>> checked;
  std::set<ir::BufferId> variable_buffers;
  MaskCounts mask_counts;
  std::set<std::pair<ir::ExtentId, ir::ExtentId>> assumed_equal;
  std::set<ir::LocalId> assumed_positive;
};

}  // namespace pw::numpy
