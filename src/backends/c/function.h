// One function of the module as C text.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/c/expression.h"
#include "backends/common/code.h"
#include "backends/common/facts.h"
#include "backends/common/names.h"
#include "ir/module.h"
#include "passes/contractions.h"
#include "runtime/recipe.h"

namespace pw::backends::c {

/// How a function looks to its callers. The entry always gives a status; another function gives its one
/// result, or nothing, where it cannot fail.
struct Signature {
  std::string returns;                  // "int", "void", "double"
  std::string head;                     // "static double norm(const double* restrict x, int64_t n)"
  std::vector<std::string> parameters;  // "const double* restrict x", in order
  std::vector<std::string> arguments;   // "x", in order
  std::vector<std::string> results;     // names of the pointers that results go through
  bool gives_status = false;
  bool gives_value = false;
};

/// What all functions of a port share while it is printed.
struct Port {
  const ir::Module& module;
  const std::vector<FunctionFacts>& facts;
  Names& names;
  Prelude& prelude;
  bool openmp = true;
  std::vector<Signature> signatures;                              // one a function
  bool fftw = false;                                              // ir::Routine::Fft is left to it
  std::unordered_map<ir::StmtId, passes::Contraction> products;   // Maps that a BLAS may do
  std::set<ir::FunctionId> lapack;                                // routines that it helps
  bool shares_loops = false;                                      // some loop's pragma names PARALLEL_FROM
  std::map<std::string, const runtime::Library*> libraries = {};  // that the text calls, by their headers
};
/// Takes names for the results: once a function.
Signature make_signature(Port& port, ir::FunctionId id);

/// Whether a named constant is printed as an enumerator, which is a constant to C's eyes too.
bool is_enumerator(const ir::Local& config);

/// What a fold starts from.
std::string fold_start(ir::ReduceOp op, ir::DType type);

/// Prints the body of a function; one object a function.
class FunctionPrinter {
 public:
  FunctionPrinter(Port& port, ir::FunctionId id);
  std::string print();

 private:
  /// A region that is left as a whole: the function, or the body of a parallel loop.
  struct Scope {
    std::string label;               // where leaving goes; empty: leaving is a return
    std::vector<ir::BufferId> heap;  // freed at the label
    std::set<ir::BufferId> hoisted;  // of those, made at the top
    int loops = 0;                   // open inside
    bool parallel = false;
  };
  /// Rows of a map that grow at once: from `first` on, before `last`; `at` counts them from 0.
  struct RowGroup {
    ir::Axis axis;
    std::string first;
    std::string last;
    std::string at;
  };

  // function.cc
  void block(ir::BlockId id);
  void statement(ir::StmtId id);
  void let(const ir::Let& stmt);
  void declare(const ir::Declare& stmt);
  void assign(const ir::Assign& stmt);
  void alloc(const ir::Alloc& stmt);
  void store(const ir::Store& stmt);
  void branch(const ir::If& stmt);
  void give_back(const ir::Return& stmt, bool last);
  void next_iteration();
  std::string array_size(const ir::Buffer& buffer, std::int64_t size);
  void trap(const ir::Trap& stmt);
  void call(const ir::Call& stmt);
  void update(const std::string& target, ir::ExprId value, const ir::Expr& itself);
  void share(std::span<const ir::ExprId> roots, std::string_view subject = "t");
  void leave_if(const Formula& condition, const std::string& status, const std::string& comment);
  void leave(const std::string& status, const std::string& comment);
  void open_scope(ir::BlockId body, std::string label);
  void close_scope();
  std::vector<ir::BufferId> heap_made_in(ir::BlockId block) const;
  std::string new_array(ir::BufferId id);
  bool hoistable(ir::BufferId id, const std::set<ir::LocalId>& made) const;

  // loops.cc
  void product(const passes::Contraction& product, const ir::Map& whole);
  void map(const ir::Map& whole);
  void in_order(const ir::Map& stmt, std::size_t outer);
  void reduce(const ir::Reduce& whole);
  void fold(const ir::Reduce& stmt, ir::DType type, const std::string& target);
  void fold_position(const ir::Reduce& stmt, const std::string& best, ir::DType type);
  std::string fold_pragma(const ir::Reduce& stmt, ir::DType type);
  void counted(const ir::For& stmt);
  void loop_while(const ir::While& stmt);
  void open_axis(const ir::Axis& axis);
  void open_loop(const std::string& head);
  void close_loops(std::size_t count);
  std::vector<ir::Axis> long_axes(const std::vector<ir::Axis>& axes);
  std::string parallel_pragma(std::vector<ir::ExtentId> work, const Formula& trips, std::size_t collapse,
                              std::span<const ir::LocalId> indices, ir::BlockId body);
  bool is_parallel(ir::Schedule schedule) const;
  bool is_flat(ir::BlockId body) const;
  std::string evaluated_once(ir::ExprId id, std::string_view name);

  // rows.cc
  std::vector<ir::Reduce> row_folds(const ir::Map& stmt);
  bool grows_by_rows(const ir::Map& stmt, const ir::Reduce& reduce) const;
  std::optional<RowGroup> row_group(const ir::Map& stmt, const std::vector<ir::Reduce>& folds);
  void open_outer_axis(const ir::Axis& axis, const std::optional<RowGroup>& group);
  void fold_by_rows(const ir::Map& stmt, const std::vector<ir::Reduce>& folds,
                    const std::optional<RowGroup>& group, std::size_t outer, bool shared);
  void fold_in_place(const ir::Map& stmt, const ir::Reduce& sum, const ir::Store& store);
  void fold_row(const ir::Reduce& reduce, const std::string& column, const std::string& target,
                const std::optional<RowGroup>& group);

  Port& port_;
  const ir::Module& module_;
  ir::FunctionId id_;
  const FunctionFacts& facts_;
  const Signature& signature_;
  Expressions expr_;
  Code code_;
  std::vector<Scope> scopes_;
  bool in_parallel_ = false;
  bool in_vector_ = false;
  bool uses_status_ = false;
};

}  // namespace pw::backends::c
