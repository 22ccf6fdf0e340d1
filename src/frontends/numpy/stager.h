// The staging interpreter. One object stages one kernel; its parts are in the .cc files named in the
// comments.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "diagnostics/engine.h"
#include "frontends/numpy/kernel.h"
#include "frontends/numpy/library.h"
#include "frontends/numpy/liveness.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/sharing.h"
#include "frontends/numpy/state.h"
#include "frontends/numpy/value.h"
#include "ir/module.h"

namespace pw::numpy {

using base::Done;
using base::Result;
using diagnostics::Rule;

/// Indices of one element, one a dimension of an array value.
using Indices = std::vector<ir::ExtentId>;
/// The element of a result at `indices`; may append statements to the current block.
using ElementBody = std::function<ir::ExprId(const Indices& indices)>;

class Stager {
 public:
  /// `specialised`: settled arguments that are taken as known.
  Stager(const python::Tree& tree, const KernelInterface& kernel,
         std::map<std::string, std::int64_t> specialised, const base::Sources& sources,
         diagnostics::Engine& engine);
  ~Stager();
  Stager(const Stager&) = delete;
  Stager& operator=(const Stager&) = delete;

  Result<StagedKernel> run();

  // ---- building (builder.cc): expressions fold what is constant; statements go to the current block
  ir::Module module;
  diagnostics::Engine& engine;
  ir::ExprId constant(const ir::Const& value);
  ir::ExprId integer(std::int64_t value);  // i64
  ir::ExprId real(double value, ir::DType type);
  ir::ExprId apply(ir::Op op, std::vector<ir::ExprId> arguments);
  /// A cast, or the expression itself where it has the dtype already.
  ir::ExprId cast(ir::ExprId expr, ir::DType type);
  ir::ExprId index(ir::ExtentId extent);
  void emit(ir::Stmt stmt);
  /// Binds an immutable local; `name` may be empty (invented).
  ir::LocalId let(ir::ExprId value, std::string_view name = {});
  /// An expression to be used more than once: a local for it, unless it is a constant, a read or a size.
  ir::ExprId bound(ir::ExprId expr, std::string_view name = {});
  ir::LocalId declare_variable(std::string_view name, ir::DType type, ir::ExprId initial);
  /// Nothing is emitted where the condition is constant false. `goes_on`: what follows may be computed all
  /// the same, so that a handler can be chosen behind it.
  void trap_if(ir::ExprId condition, ir::TrapKind kind, std::string_view message, bool goes_on = false);
  ir::BlockId block(const std::function<void()>& fill);
  Result<ir::BlockId> try_block(const std::function<Result<Done>()>& fill);
  /// A function of ours that kernels call, made when it is first asked for by that name: `fill` adds its
  /// parameters and appends its statements to the current block.
  ir::FunctionId routine(const std::string& name, const std::function<void(ir::Function&)>& fill);
  /// Span given to what is built until the next call: the Python expression or statement at hand.
  void at(base::Span span) { span_ = span; }
  base::Span here() const { return span_; }
  /// A name of ours: after what the statement at hand is about.
  std::string invented_name(std::string_view otherwise) const {
    return subject_.empty() ? std::string(otherwise) : subject_;
  }

  // ---- extents (extents.cc)
  ir::ExtentTable& extents() { return module.extents; }
  ir::ExtentId size(std::int64_t value) { return module.extents.constant(value); }
  ir::LocalId axis(std::size_t k);  // formal axis of views
  bool proves_nonnegative(ir::ExtentId extent);
  /// The value of a size as Python sees it: max(extent, 0), which is the extent itself where proved.
  ir::ExtentId clamped(ir::ExtentId extent);
  ir::ExtentId count(std::span<const ir::ExtentId> shape);
  /// Makes two sizes equal: same id, else a run-time check that traps as the reference would (`kind`).
  Result<Done> require_equal(ir::ExtentId a, ir::ExtentId b, base::Span span);
  /// Whether a size is 0 or 1 whatever its locals are: broadcast, it is the 1 (behind require_broadcast).
  bool at_most_one(ir::ExtentId extent);
  /// Makes a size one that can be broadcast to another: 1, or equal to it; checked where it cannot be
  /// decided.
  Result<Done> require_broadcast(ir::ExtentId from, ir::ExtentId to, base::Span span);
  Result<std::vector<ir::ExtentId>> broadcast(std::span<const std::vector<ir::ExtentId>> shapes,
                                              base::Span span);
  /// An integer value as an extent: static int, Index, or a run-time integer bound by Let.
  Result<ir::ExtentId> to_extent(const Value& value, base::Span span);
  /// An int or a tuple or list of ints, as a shape.
  Result<std::vector<ir::ExtentId>> to_shape(const Value& value, base::Span span);
  /// axis=... normalised: ascending positions; None gives all.
  Result<std::vector<std::size_t>> to_axes(const Value* value, std::size_t rank, base::Span span);
  /// A static int, bool, string; anything else is numpy-static-needed.
  Result<std::int64_t> to_static_int(const Value& value, base::Span span);
  Result<bool> to_static_bool(const Value& value, base::Span span);
  /// Whether a number is of one type to Python, whatever path was taken; notes one that is not.
  bool is_of_one_type(ir::ExprId number);
  void note_widened(ir::ExprId number) { widened_choices_.insert(number); }
  Value from_extent(ir::ExtentId extent);  // a static int where constant, else a weak i64 scalar

  // ---- specialisation (specialise.cc)
  /// Refuses a run-time value where only a known one will do, and asks for the arguments that it is made of.
  tl::unexpected<base::Reported> static_needed(base::Span span, std::string_view wanted, const Value& value);
  /// The same on behalf of a refusal that a construct got because `value` is known only at run time.
  void ask_for(const Value& value, std::size_t first_diagnostic);
  /// After a failed run: the settled arguments that would let it go on; empty if that is not why it failed.
  std::map<std::string, std::int64_t> demanded() const;

  // ---- scalars and dtypes (scalars.cc)
  /// int, float, bool, complex, config number or Scalar as a run-time scalar; nullopt for all else.
  std::optional<Scalar> as_scalar(const Value& value);
  ir::DType type_of(const Scalar& scalar) const { return module.type(scalar.expr); }
  /// NEP 50 result dtype of arrays and scalars together.
  Result<ir::DType> result_type(std::span<const Value> values, base::Span span);
  Result<ir::DType> to_dtype(const Value& value, base::Span span);
  /// What a list or dict (by the address of its items) keeps of an item: its value now.
  Result<Value> held(const void* container, const Value& item, base::Span span);
  Value snapshot(const Value& value, std::string_view name);
  /// What outlasts the statement at hand: arrays that assignments to a name copy into are copied.
  Value lasting(const Value& value, std::string_view name = {});
  Value strong(ir::ExprId expr) { return value(Scalar{expr, false}); }
  Value weak(ir::ExprId expr) { return value(Scalar{expr, true}); }

  // ---- arrays (arrays.cc)
  const ir::Buffer& buffer(const Array& array) const { return module[array.buffer]; }
  ir::DType type_of(const Array& array) const { return module[array.buffer].type; }
  Array allocate(std::vector<ir::ExtentId> shape, ir::DType type, std::string_view name = {});
  /// The element of an array at indices (of its own shape).
  ir::ExprId load(const Array& array, const Indices& indices);
  void store(const Array& array, const Indices& indices, ir::ExprId value);
  /// Runs `body` over all points of a shape, data-parallel, indices as extents over new axes.
  void map_over(std::span<const ir::ExtentId> shape, const std::function<void(const Indices&)>& body);
  /// The same in row-major order, one after the other.
  void for_over(std::span<const ir::ExtentId> shape, const std::function<void(const Indices&)>& body);
  /// for (index = lower; index < upper; ++index), in order.
  void range_over(std::string_view name, ir::ExtentId lower, ir::ExtentId upper,
                  const std::function<void(ir::ExtentId)>& body);
  /// An index into a dimension for library functions: wrapped and checked as a subscript's.
  ir::ExtentId checked_index(ir::ExtentId index, ir::ExtentId extent) { return element_index(index, extent); }
  /// Defines a new array element by element: Alloc and Map.
  Array define(std::vector<ir::ExtentId> shape, ir::DType type, const ElementBody& element,
               std::string_view name = {});
  Array zeros(std::vector<ir::ExtentId> shape, ir::DType type);
  /// The indices of an operand that was broadcast to `shape`.
  Indices broadcast_indices(const Array& array, const Indices& indices, std::size_t result_rank);
  /// Element of an array or scalar operand broadcast into a result of the given rank, cast to `type`.
  ir::ExprId element(const Value& operand, const Indices& indices, std::size_t result_rank, ir::DType type);
  /// Applies a scalar function to array-likes with broadcasting: a Scalar if all are scalars (strong unless
  /// all weak), else a defined array. `body` gets the operands as `operand_type` and must give `result`.
  Result<Value> elementwise(std::span<const Value> operands, ir::DType operand_type, ir::DType result,
                            base::Span span,
                            const std::function<ir::ExprId(std::span<const ir::ExprId>)>& body);
  /// Folds over `axes`: an array of the other axes (or all, extent 1, with keepdims), or a strong Scalar if
  /// none is left. `value` gives the element to fold.
  Result<Value> reduce(const Array& array, std::span<const std::size_t> axes, bool keepdims, ir::ReduceOp op,
                       ir::DType type,
                       const std::function<ir::ExprId(ir::ExprId element, const Indices&)>& value);
  /// Folds `element` over all points of a shape (functions/reduction.cc): a Reduce and the read of its
  /// target.
  ir::ExprId fold(std::span<const ir::ExtentId> shape, ir::ReduceOp op, ir::DType type, ir::ReduceOrder order,
                  const ElementBody& element);
  /// A fresh copy of a view; `type` casts.
  Array copy(const Array& array, ir::DType type, std::string_view name = {});
  /// array-like (array, scalar, nested static tuple or list of scalars) as an array.
  Result<Array> to_array(const Value& value, std::optional<ir::DType> type, base::Span span);
  Array transpose(const Array& array, std::span<const std::size_t> order);
  Array drop_axis(const Array& array, std::size_t dropped);
  Array insert_axis(const Array& array, std::size_t position);
  Result<Array> reshape(const Array& array, std::vector<ir::ExtentId> shape, base::Span span);
  bool is_contiguous(const Array& view);
  /// What was just copied from `base` is it, or a view of it, to NumPy (sharing.h).
  void note_shared(ir::BufferId base, ir::BufferId copy);
  /// What a calculation gave where NumPy has a view of `whole`.
  Value part_of(const Array& whole, Value part);
  /// `target[...] = value` for a whole view: right side before the store, broadcast, cast on store.
  Result<Done> assign(const Array& target, const Value& value, base::Span span);

  // ---- stores (stores.cc)
  /// How NumPy makes an element of a number: as an item it goes through a Python int, through masks and index
  /// arrays it is cast.
  enum class Conversion : std::uint8_t { ByPython, ByCast };
  /// A number must fit the integer dtype that it is stored into: numpy-int-range, or a trap at run time.
  Result<Done> check_stored(const Value& stored, ir::DType target, Conversion how, base::Span span);
  ir::ExprId misfits(ir::ExprId number, ir::DType target);
  /// int(x) of a run-time float, as i64, with its traps.
  ir::ExprId whole(ir::ExprId expr, ir::TrapKind beyond);

  // ---- operators (operators.cc)
  Result<Value> binary(python::Operator op, const Value& left, const Value& right, base::Span span);
  Result<Value> unary(python::UnaryOperator op, const Value& operand, base::Span span);
  Result<Value> compare(python::CompareOperator op, const Value& left, const Value& right, base::Span span);
  Result<Value> ufunc(ir::Op op, std::span<const Value> operands, base::Span span,
                      std::optional<ir::DType> dtype = {});
  /// A Python int must fit the integer dtype that it takes on: numpy-int-range, or a trap at run time.
  Result<Done> check_weak_range(const Value& operand, ir::DType type, base::Span span);
  std::optional<Result<Value>> compare_exactly(ir::Op op, std::span<const Value> operands, ir::DType type,
                                               base::Span span);
  /// Whether either number can be the result of a choice at run time without a change of value.
  bool joins(const Value& a, const Value& b) { return join_numbers(a, b).has_value(); }
  Result<Value> matmul(const Value& left, const Value& right, base::Span span);
  /// Truth of a value: static, or a bool scalar.
  Result<Value> truth(const Value& value, base::Span span);

  // ---- indexing (indexing.cc)
  Result<Value> subscript(const Value& base, const Value& index, base::Span span);
  Result<Done> store_subscript(const Value& base, const Value& index, const Value& value, base::Span span);
  bool is_mask(const Array& index) const { return type_of(index) == ir::DType::Bool && !index.shape.empty(); }
  /// The indices of a mask's true elements, an array a dimension; and what an array holds there (masks.cc).
  std::vector<Array> nonzero(const Array& mask);
  Result<Value> select(const Array& array, const Array& mask, base::Span span);
  /// `array[index] = update(array[index], value)` element by element, in order, so that repeated indices add
  /// up (functions/ufunc_methods.cc).
  Result<Done> update_at(const Array& array, const Value& index, const Value& value, base::Span span,
                         const std::function<ir::ExprId(ir::ExprId old, ir::ExprId value)>& update);

  // ---- expressions and calls (expressions.cc, calls.cc)
  Result<Value> evaluate(python::ExprId id);
  /// The same of what may be None (OrNone), which any use but a comparison with None raises for.
  Result<Value> evaluate_optional(python::ExprId id);
  /// The same of what may be an iterator, since the caller uses it up before anything else runs.
  Result<Value> evaluate_consumed(python::ExprId id);
  Result<Value> attribute(const Value& base, const std::string& name, base::Span span);
  Result<Value> call(const Value& callee, Arguments arguments);
  Result<Value> call_user(const UserFunction& function, const Arguments& arguments);

  // ---- statements (statements.cc, control.cc)
  /// What running statements came to: whether control can go on behind them.
  enum class Flow : std::uint8_t { Next, Left };
  Result<Flow> execute(const std::vector<python::StmtId>& body);

  Result<std::vector<Value>> static_items(const Value& sequence, base::Span span);  // if known
  /// A list that the statement at hand makes: it may be changed wherever it lives no longer than that runs.
  Value new_list(std::vector<Value> items);
  class Lists;  // grown_lists.h
  Lists& lists() { return *lists_; }
  const KernelInterface& kernel() const { return kernel_; }
  const python::Tree& tree() const { return tree_; }

 private:
  // operators.cc, ufuncs.cc
  std::optional<ir::ExtentId> index_arithmetic(python::Operator op, const Scalar& left, const Scalar& right);
  bool runs_once(const ir::For& loop);
  bool is_small(ir::ExtentId extent);
  bool is_step(ir::ExprId expr);
  bool is_nonzero_constant(ir::ExprId expr) const;
  bool assume_positive(ir::ExtentId extent);
  Result<Value> binary_sequence(python::Operator op, const Value& left, const Value& right, base::Span span);
  Result<Value> python_arithmetic(python::Operator op, const Scalar& left, const Scalar& right,
                                  base::Span span);
  Result<Value> python_power_in_loop(const Scalar& base, const Scalar& exponent, base::Span span);
  Result<Value> python_power(const Scalar& left, const Scalar& right, base::Span span);
  Result<Value> power(const Value& left, const Value& right, base::Span span);
  std::optional<bool> compare_extents(ir::Op op, const Scalar& left, const Scalar& right);
  Result<Value> contains(const Value& left, const Value& right, base::Span span);
  Result<Value> compare_static(ir::Op op, const Value& left, const Value& right, base::Span span);

  struct Frame;     // one run of a user function (frame.h)
  struct Form;      // what a name whose value differs by path may hold (frame.h)
  struct Variable;  // such a name (frame.h)
  struct Saved;     // what a construct changes while it is staged (control.cc)
  struct ListMark;  // what lists and dicts are gone back to (frame.h)
  struct Joining;   // the names of a construct (control.cc)
  /// Names that some path to here leaves unbound, with the flag that tells at run time, if one was asked for.
  using Unset = std::map<std::string, ir::LocalId>;
  struct NumberType {
    ir::DType type = ir::DType::F64;
    bool weak = false;
    friend bool operator==(const NumberType&, const NumberType&) = default;
  };
  struct Loop;       // a loop while it is staged (frame.h)
  struct Construct;  // a loop or branch about to be staged (frame.h)
  struct Branch;     // the sides of a branch (frame.h)
  struct BranchEnd;  // what one came to (frame.h)
  struct Catching;   // the try around the expression at hand (frame.h)
  struct Returned;   // by the kernel (frame.h)
  static constexpr std::size_t kMaxUnrolled = 256;

  // top_level.cc, stage.cc
  Result<Done> run_top_level();
  Result<Done> check_error_states();
  State mentioned_state(python::StmtId id);
  void forget_state(const State& state);
  void reach(const Value& bound, bool through_bodies, State& out);
  void reach_from(const UserFunction& function, bool through_bodies, State& out);
  Result<Done> bind_interface();
  Result<Done> bind_defaults(const UserFunction& function);
  void bind_config(const std::string& name, Value& bound, base::Span span);
  using SizeNames = std::map<std::string, ir::ExtentId>;  // what extents of the interface may name
  Result<ir::ExtentId> interface_extent(const manifest::Expression& expression, const SizeNames& names,
                                        base::Span span);
  Result<Value> bind_array(const std::string& name, const ArrayArgument& array, const SizeNames& names,
                           base::Span span);
  // sparse.cc
  Result<Value> bind_sparse(const SparseArgument& argument, const SizeNames& names, base::Span span);
  Result<Done> check_sparse(SparseMatrix& matrix, base::Span span);
  ir::LocalId parameter(const std::string& name, ir::DType type, ir::LocalKind kind, base::Span span);
  Result<Flow> return_from_entry(const Value& returned, base::Span span);
  Array promoted_buffer(std::string name, std::vector<ir::ExtentId> shape, ir::DType type, base::Span span);
  std::optional<ir::ExtentId> most(ir::ExtentId extent);
  std::optional<ir::ExtentId> most(ir::AtomId factor);
  std::optional<std::vector<ir::ExtentId>> returned_shape(const Array& array);

  // expressions.cc, calls.cc
  bool is_volatile(ir::ExprId expr);
  Result<Value> evaluate_index(const Value& base, python::ExprId id);
  Result<Value> present_argument(const Value& callee, const Value& given, base::Span span);
  Result<std::vector<Value>> evaluate_items(const std::vector<python::ExprId>& ids, bool optional,
                                            bool consumes = false);
  Result<Value> evaluate_constant(const python::Constant& node, base::Span span);
  Result<Value> evaluate_condition(python::ExprId id);
  Result<Value> evaluate_bool(const python::BoolOp& node, base::Span span, bool condition);
  Result<Value> evaluate_compare(const python::Compare& node, base::Span span);
  Result<Value> decide(const Scalar& left, bool is_or, const std::function<Result<Value>()>& right,
                       base::Span span);
  Result<Value> evaluate_text(const python::JoinedStr& node);
  Result<Value> evaluate_conditional(const python::IfExp& node, base::Span span);
  Result<Value> choose_array(ir::ExprId condition, const Value (&sides)[2], const ir::BlockId (&blocks)[2],
                             base::Span span);
  Result<Value> choose(ir::ExprId condition, const Form& form, const Value (&sides)[2],
                       const ir::BlockId (&blocks)[2], base::Span span);
  Result<Value> evaluate_call(const python::Call& node, base::Span span, bool at_once);
  Result<std::vector<Value>> comprehended(python::ExprId element,
                                          const std::vector<python::Comprehension>& generators,
                                          base::Span span);
  Result<Done> bind_comprehension_target(python::ExprId target, const Value& bound);
  Result<Value> lookup(const std::string& name, base::Span span);
  Result<Value> module_attribute(const std::string& dotted, base::Span span);
  Result<std::shared_ptr<Scope>> bind_parameters(const UserFunction& function, const Arguments& arguments);
  Result<Value> run_in_place(const UserFunction& function, const std::shared_ptr<Scope>& scope,
                             base::Span span, std::shared_ptr<Scope>* ended = nullptr);
  std::shared_ptr<Scope> capture();
  Result<Done> evaluate_defaults(UserFunction& function);
  python::ArgumentsId arguments_of(const UserFunction& function) const;

  // kept_functions.cc, call_shape.cc
  class CallShape;
  struct KeptFunction;
  struct Place;
  struct Told;
  std::optional<Result<Value>> call_kept(const UserFunction& function, const std::shared_ptr<Scope>& scope,
                                         base::Span span);
  Result<Value> call_kept(const KeptFunction& kept, const CallShape& shape, base::Span span);
  std::optional<Result<Value>> run_with_fewer_checks(const UserFunction& function,
                                                     const std::shared_ptr<Scope>& scope, KeptFunction& kept,
                                                     base::Span span);
  void stage_kept(const UserFunction& function, KeptFunction& kept);
  bool finish_kept(const UserFunction& function, const Value& result, const Scope& ended, KeptFunction& kept);
  bool collect_result(const Value& result, KeptFunction& kept);
  static bool is_parameter(const KeptFunction& kept, ir::LocalId local);
  ir::ExtentId retold(ir::ExtentId extent, const Told& told);
  Value retold(const Value& result, const Told& told);
  void exchange(Place& place);
  void drop_unreached();
  std::map<std::string, std::shared_ptr<KeptFunction>> kept_;  // by CallShape::key
  std::size_t lasting_traps_ = 0;                              // rows that functions made so far may name

  // statements.cc
  Result<Flow> execute(std::span<const python::StmtId> body);
  Result<Flow> execute_from(std::span<const python::StmtId> body, std::size_t first);
  Result<Flow> execute(python::StmtId id);
  Result<Flow> execute_inner(python::StmtId id, base::Span span);
  Result<Done> execute_assign(const python::Assign& node);
  Result<Done> refuse_in_place(const Value& old, const Value& operand, base::Span span);
  Result<Done> execute_augmented(const python::AugAssign& node, base::Span span);
  Result<Done> require_quiet(python::ExprId id);
  Result<Flow> execute_raise(const python::Raise& node, base::Span span);
  Result<Done> define_exception(const python::ClassDef& node, base::Span span);
  bool is_exception(const std::string& name) const;
  Result<Done> execute_import(const python::Import& node);
  Result<Done> execute_import(const python::ImportFrom& node, base::Span span);
  Result<Done> assign_target(python::ExprId target, const Value& bound);
  std::vector<Value> apart(std::vector<Value> items, std::span<const python::ExprId> targets);
  Result<Done> bind_name(const std::string& name, const Value& bound, base::Span span);
  Result<std::optional<Value>> augmented(python::Operator op, const Value& old, const Value& operand,
                                         base::Span span);
  Result<Done> check_same_kind(const Value& updated, ir::DType target, base::Span span);

  // control.cc, loops.cc
  Saved save() const;
  void restore(const Saved& saved);
  void forget_names_since(const Saved& saved);
  Result<Done> stage_joined(const Construct& construct, const std::function<Result<Done>()>& body);
  Result<Done> make_joined(const Construct& construct, Joining& joining);
  bool may_carry(const Construct& construct, const std::string& name);
  Result<Done> make_unbound(const std::string& name, Joining& joining, base::Span span);
  std::shared_ptr<Joining>& settled(const Construct& construct);
  bool recall(const Construct& construct, Joining& joining);
  bool is_too_wide(const Saved& saved, const Joining& joining);
  bool wants_more(Joining& joining);
  bool wants_rebirth(const Construct& construct, const Saved& saved, Joining& joining);
  void request_changed(const Construct& construct, const Joining& joining);
  void request(const std::string& name, const Form& form);
  Result<Done> request_variable(const std::string& name, const Value& before, const Value& bound,
                                base::Span span);
  Result<Done> finish_joined(const Construct& construct, const Saved& saved, const Joining& joining);
  Result<Done> check_left(const Construct& construct, const Joining& joining);
  // unbound.cc
  void mark_bound(const std::string& name);
  Result<Done> check_bound(const Scope* scope, const std::string& name, base::Span span);
  static Unset either(const Unset& a, const Unset& b);
  static Unset behind_loop(const Unset& before, std::span<const Unset> exits, bool certain);
  void make_variable(const std::string& name, NumberType type, ir::ExprId initial);
  void make_array_variable(const std::string& name, const Array& initial, bool copies);
  // forms.cc
  Form form_of(const Value& value);
  static Form form_of(const Variable& variable);
  std::optional<Form> join(const Form& a, const Form& b);
  bool may_agree(const Array& a, const Array& b) const;
  static bool is_same(const Form& a, const Form& b);
  bool in_scope(const Form& form);
  bool is_known(const Value& value);
  Variable declare(const std::string& name, const Form& form, bool may_lack);
  Value read(const Variable& variable);
  /// Nothing where the variable must have the form `request` first.
  Result<Done> assign_form(const std::string& name, Variable& variable, const Value& bound, base::Span span,
                           std::optional<Form>& request);
  Result<Done> store_form(const std::string& name, Variable& variable, const Value& bound, base::Span span);
  Result<Done> fill_variable(const Array& held, const Array& array, base::Span span);
  void end_variable(const Variable& variable);
  void forget_present(const Variable& variable);
  void note_condition(ir::ExprId condition, bool holds);
  Value narrowed(const Value& value);
  Result<Value> require_present(const Value& value, base::Span span,
                                ir::TrapKind raised = ir::TrapKind::TypeError);
  Result<Value> compare_texts(const Value& left, const Value& right);
  Result<Done> assign_variable(const std::string& name, Variable& variable, const Value& bound,
                               base::Span span);
  bool in_scope(const Array& array);
  bool in_scope(ir::ExtentId extent);
  std::optional<NumberType> number_type(const Value& value);
  std::optional<NumberType> shared_number_type(const std::vector<Value>& values);
  bool fits(const Value& value, NumberType type);
  static NumberType join_types(NumberType a, NumberType b);
  std::optional<NumberType> join_numbers(const Value& a, const Value& b);
  bool same_static(const Value& a, const Value& b);
  Result<Flow> execute_if(const python::If& node, base::Span span, std::span<const python::StmtId> rest,
                          bool& took_rest);
  Result<Flow> stage_branch(const Value& flag, const Branch& branch, base::Span span,
                            std::span<const python::StmtId> rest, bool& took_rest);
  void merge_names(const BranchEnd& then, const BranchEnd& otherwise);
  Result<Done> stage_sides(const Branch& branch, ir::ExprId condition, base::Span span,
                           std::span<const python::StmtId> rest, bool to_the_end, BranchEnd (&ends)[2]);
  Result<Done> stage_joined_sides(const Value& flag, const Branch& branch, base::Span span,
                                  std::span<const python::StmtId> rest, BranchEnd (&ends)[2]);
  // tries.cc
  struct TrapCount;
  Result<Flow> execute_try(const python::Try& node, base::Span span, std::span<const python::StmtId> rest,
                           bool& took_rest);
  Result<Flow> execute_caught(const python::Try& node, base::Span span, std::span<const python::StmtId> rest,
                              bool& took_rest);
  bool catches(const python::ExceptHandler& handler, std::string_view exception);
  bool catch_trap(ir::ExprId condition, ir::TrapKind kind);
  const python::ExceptHandler* handler_of(const python::Try& node, std::string_view exception);
  Result<Done> refuse_caught(const python::Try& node, const TrapCount& since, base::Span span);
  bool in_staged_loop() const;
  Result<Flow> return_from_loop(const Value& returned, base::Span span);
  Result<Flow> execute_unless_returned(std::span<const python::StmtId> rest, base::Span span);
  Result<Flow> guard_rest(std::span<const python::StmtId> rest);
  void set_returned();
  bool returns_by_flag(const Branch& branch, std::span<const python::StmtId> rest) const;
  Result<Flow> stage_flagged(const Value& flag, const Branch& branch, base::Span span,
                             std::span<const python::StmtId> rest);
  Result<Flow> execute_break(bool breaks, base::Span span);
  Result<Flow> execute_return(const python::Return& node, base::Span span);
  Result<Flow> return_value(const Value& returned, base::Span span);
  Result<Done> join_result(const Value& returned, base::Span span);
  Result<Flow> execute_for(const python::For& node, base::Span span);
  Result<Flow> stage_for(const python::For& node, const Value& sequence, base::Span span, bool weak = false);
  ir::LocalId declare_broke(const std::vector<python::StmtId>& body,
                            const std::vector<python::StmtId>& orelse);
  Result<Flow> execute_else(ir::LocalId broke, const std::vector<python::StmtId>& orelse, base::Span span);
  Result<Flow> unroll_for(const python::For& node, const std::vector<Value>& items);
  Result<Flow> execute_while(const python::While& node, base::Span span);
  bool is_constant_range(const Value& sequence);
  bool wants_static(std::size_t first_diagnostic) const;
  bool wants_peeling(const python::For& node, const Value& sequence, std::size_t first_diagnostic) const;
  Result<Flow> peel_for(const python::For& node, const Value& sequence, base::Span span);

  // specialise.cc
  struct Demand {
    std::map<std::string, std::int64_t> arguments;
    base::Span span;  // with the rule: of the refusal that it belongs to
    Rule rule = Rule::NumpyStaticNeeded;
  };
  ir::ExtentId argument_size(const std::string& name, ir::LocalId local);
  Value argument_value(const std::string& name, ir::LocalId local, bool weak);
  bool collect_settled(ir::ExprId expr, std::set<ir::ExprId>& seen, Demand& out) const;
  bool collect_settled(ir::LocalId local, std::set<ir::ExprId>& seen, Demand& out) const;
  void note_demand(const Value& value);
  Result<Done> demand_one(ir::ExtentId from, ir::ExtentId to, base::Span span);
  std::optional<std::int64_t> settled_size(ir::ExtentId extent, Demand& out) const;

  const python::Tree& tree_;
  Liveness liveness_;
  const KernelInterface& kernel_;
  const std::map<std::string, std::int64_t> specialised_;
  Demand demand_;  // the last
  const base::Sources& sources_;
  base::Span span_;
  std::string subject_;  // names.h, subject_of
  std::vector<ir::BlockId> blocks_;
  std::vector<ir::LocalId> axes_;
  std::shared_ptr<Scope> scope_;
  std::shared_ptr<Scope> globals_;
  State outlasting_;  // what the file made, not the kernel
  std::unique_ptr<Lists> lists_;
  std::set<std::shared_ptr<Scope>> captured_;  // closures
  std::set<std::string> unavailable_;          // top-level names that staging could not make
  std::vector<Frame*> frames_;
  std::vector<Loop> loops_;
  std::set<std::pair<ir::ExtentId, ir::ExtentId>> assumed_equal_;
  std::set<ir::LocalId> assumed_positive_;  // arguments that a check behind us found to be at least 1
  std::set<ir::BufferId> variable_buffers_;
  std::set<std::pair<ir::BlockId, ir::ExprId>> present_;  // OrNone::present that hold in the block
  std::set<ir::LocalId> widened_;  // they hold numbers of other types too, on some paths
  std::set<ir::ExprId> widened_choices_;
  std::map<std::string, std::string> exception_bases_;  // of the file's own classes
  /// What the last staging of a construct found out, by where it stands and the calls to it.
  std::map<std::vector<std::uint32_t>, std::shared_ptr<Joining>> settled_;
  std::set<std::pair<std::size_t, std::string>> rebound_;  // names that a construct binds to other arrays
  std::unordered_map<ir::ExprId, bool> volatile_;
  std::map<std::string, ir::LocalId> scalar_parameters_;
  std::map<std::string, ir::FunctionId> routines_;
  std::vector<ir::Parameter> parameters_;
  std::vector<AbiArgument> abi_;
  std::vector<std::pair<AbiArgument, ir::LocalId>> unknown_extents_;  // of array arguments
  std::set<ir::BufferId> sparse_buffers_;                             // checked once, and so never stored to
  std::vector<Returned> returned_;
  bool returned_once_ = false;
  std::size_t traps_emitted_ = 0;
  int peeled_ = 0;           // loops around whose first round stands alone
  int unrollable_ = 0;       // loops around that can be unrolled if an index must be known
  int depth_ = 0;            // of nested expressions
  python::ExprId consumed_;  // an iterator that the expression around it uses up at once
  /// New axes for a shape, with their indices; names i, j, k, ... by nesting.
  std::vector<ir::Axis> make_axes(std::span<const ir::ExtentId> shape, Indices& indices);

  // indexing.cc
  struct SliceExtents;  // indexing.h
  struct Indexed;
  struct GatherPlan;
  /// a // b for a divisor known to be positive.
  ir::ExtentId floor_divide(ir::ExtentId a, ir::ExtentId b);
  bool is_checked(ir::ExtentId index, ir::ExtentId extent);
  /// An index into a dimension, wrapped where negative, with a trap where it is out of range.
  ir::ExtentId element_index(ir::ExtentId index, ir::ExtentId extent);
  Result<SliceExtents> slice_extents(const Slice& slice, ir::ExtentId extent, base::Span span);
  Result<Indexed> index_basic(const Array& array, const Value& index, base::Span span);
  Result<GatherPlan> plan_gather(const Indexed& indexed, base::Span span);
  void check_gathers(const Indexed& indexed);
  ir::LocalId wrap(ir::ExprId index, ir::ExtentId extent);
  Indices gather_indices(const Indexed& indexed, const GatherPlan& plan, const Indices& indices);
  Result<Value> subscript_sequence(const Value& base, const std::vector<Value>& items, const Value& index,
                                   base::Span span);
  // masks.cc
  ir::ExtentId count_true(const Array& mask);
  void for_true(const Array& mask, ir::ExtentId counted,
                const std::function<void(const Indices&, ir::ExtentId)>& body);
  Result<Done> require_mask(const Array& mask, std::span<const ir::ExtentId> shape, base::Span span);
  Result<Done> store_masked(const Array& array, const Array& mask, const Value& stored, base::Span span);
  Result<Done> store_selected(const Array& array, const Array& mask, const Value& stored, base::Span span);
  struct MaskCount {
    std::vector<ir::ExtentId> shape;
    std::vector<ir::ExtentId> map;
    ir::ExtentId count;
  };
  using MaskCounts = std::map<std::pair<ir::BufferId, ir::BlockId>, MaskCount>;
  MaskCounts mask_counts_;  // that hold in their block as long as nothing is stored into the mask
  Result<Done> store_gathered(Indexed indexed, const Value& stored, base::Span span);
  void copy_indices_of_own(Indexed& indexed);
  Result<Value> scattered(const Value& stored, const Array& array, const std::vector<ir::ExtentId>& shape,
                          base::Span span);
  std::set<std::tuple<ir::BlockId, ir::ExtentId, ir::ExtentId>> checked_;

  // reshape.cc
  void note_overwritten(ir::BufferId buffer);
  void note_read(ir::BufferId buffer);
  Result<Done> require_storable(ir::BufferId buffer, base::Span span);
  void note_store(ir::BufferId buffer, base::Span span);
  Result<Sharing::Outcome> check_sharing(ir::BlockId body);
  Sharing sharing_;
  std::size_t axis_names_ = 0;
  Catching* catching_ = nullptr;
  int map_depth_ = 0, control_depth_ = 0;  // Maps, and dynamic branches and loops, around the current block
};

}  // namespace pw::numpy
