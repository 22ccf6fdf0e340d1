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
  bool entry = false;
  int entry_depth = 0;  // control_depth_ at the call
  ir::BlockId block;    // where result variables are declared
  std::optional<Value> result;
  std::map<std::string, Variable> variables;
  /// What assignments asked of names that are or may become variables.
  std::map<std::string, NumberType> requests;
  std::map<std::string, Array> array_requests;
  std::set<std::string> probes;  // unbound before a construct, read behind it
  // Results of returns under run-time conditions, by position in a returned tuple.
  std::map<std::size_t, NumberType> result_types;
  std::map<std::size_t, NumberType> result_requests;
  bool result_is_tuple = false;
  std::map<std::size_t, Variable> result_variables;
};

/// What a construct changes while it is staged, to be undone before another attempt.
struct Stager::Saved {
  std::map<std::string, Value> names;
  std::map<std::string, Variable> variables;
  std::set<std::string> probes;
  std::size_t diagnostics;
  std::size_t statements;
  std::vector<Detached> detached;
  std::set<std::tuple<ir::BlockId, ir::ExtentId, ir::ExtentId>> checked;
  std::set<ir::BufferId> variable_buffers;
};

}  // namespace pw::numpy
