// if under conditions known while staging and at run time; break and continue.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/names.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

using python::StmtId;

Result<Stager::Flow> Stager::execute_if(const python::If& node, base::Span span, std::span<const StmtId> rest,
                                        bool& took_rest) {
  PW_TRY(const Value flag, evaluate_condition(node.test));
  if (const auto* known = flag.as<bool>()) {
    std::vector<StmtId> statements = *known ? node.body : node.orelse;
    // A return in it may leave what follows to one of its paths.
    took_rest = contains_return(tree_, statements) && !frames_.back()->entry;
    if (took_rest) statements.insert(statements.end(), rest.begin(), rest.end());
    return execute(std::span(statements));
  }
  at(span);
  return stage_branch(flag, {&node.body, &node.orelse}, span, rest, took_rest);
}

namespace {

bool is_identical(const Value& a, const Value& b);

bool are_identical(const std::vector<Value>& a, const std::vector<Value>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_identical);
}

bool is_identical(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two values are made of the same expressions and buffers: where neither side of a branch binds a
/// name, it means behind the branch what it meant before, though what it reads may have changed.
bool is_identical(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  return std::visit(
      [&]<typename T>(const T& here) {
        const T& there = std::get<T>(b.data);
        if constexpr (std::is_same_v<T, double>) {
          return is_identical(here, there);
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          return is_identical(here.real(), there.real()) && is_identical(here.imag(), there.imag());
        } else if constexpr (std::is_same_v<T, Scalar>) {
          return here.expr == there.expr && here.weak == there.weak && here.zero_dim == there.zero_dim;
        } else if constexpr (std::is_same_v<T, Mixed>) {
          return here.expr == there.expr;
        } else if constexpr (std::is_same_v<T, Array>) {
          return is_same_view(here, there);
        } else if constexpr (std::is_same_v<T, OrNone>) {
          return here.present == there.present && is_identical(*here.value, *there.value);
        } else if constexpr (std::is_same_v<T, OneOf>) {
          return here.position == there.position && here.texts == there.texts;
        } else if constexpr (std::is_same_v<T, Tuple>) {
          return are_identical(here.items, there.items);
        } else if constexpr (std::is_same_v<T, List> || std::is_same_v<T, Dict>) {
          return here.items == there.items;
        } else if constexpr (std::is_same_v<T, Slice> || std::is_same_v<T, Range>) {
          return here.parts == there.parts || are_identical(*here.parts, *there.parts);
        } else if constexpr (std::is_same_v<T, DTypeObject>) {
          return here.type == there.type;
        } else if constexpr (std::is_same_v<T, ClassObject> || std::is_same_v<T, ModuleObject>) {
          return here.name == there.name;
        } else if constexpr (std::is_same_v<T, Unknown>) {
          return here.what == there.what;
        } else if constexpr (std::is_same_v<T, UserFunction>) {
          return here.definition == there.definition && here.lambda == there.lambda &&
                 here.closure == there.closure && here.defaults == there.defaults;
        } else if constexpr (std::is_same_v<T, LibraryFunction>) {
          return here.row == there.row && here.self == there.self;
        } else if constexpr (std::is_same_v<T, Sparse>) {
          return here.matrix == there.matrix;
        } else if constexpr (std::is_same_v<T, DenseMatrix>) {
          return is_same_view(here.array, there.array);
        } else if constexpr (std::is_same_v<T, None> || std::is_same_v<T, EllipsisObject>) {
          return true;
        } else {
          return here == there;
        }
      },
      a.data);
}

}  // namespace

/// Whether a name need not become a variable for holding either.
bool Stager::same_static(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (const auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const auto* tuple = a.as<Tuple>()) {
    const auto& other = b.as<Tuple>()->items;
    return std::equal(tuple->items.begin(), tuple->items.end(), other.begin(), other.end(),
                      [&](const Value& x, const Value& y) { return same_static(x, y); });
  }
  if (const auto* array = a.as<Array>()) return is_same_view(*array, *b.as<Array>());
  if (const auto* scalar = a.as<Scalar>())
    return scalar->expr == b.as<Scalar>()->expr && !is_volatile(scalar->expr);
  if (const auto* number = a.as<std::int64_t>()) return *number == *b.as<std::int64_t>();
  if (const auto* number = a.as<double>())
    return std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(*b.as<double>());
  if (const auto* flag = a.as<bool>()) return *flag == *b.as<bool>();
  if (const auto* list = a.as<List>()) return list->items == b.as<List>()->items;
  if (const auto* grown = a.as<Grown>()) return *grown == *b.as<Grown>();
  if (const auto* either = a.as<OrNone>())
    return either->present == b.as<OrNone>()->present && either->value == b.as<OrNone>()->value;
  if (const auto* one = a.as<OneOf>())
    return one->position == b.as<OneOf>()->position && one->texts == b.as<OneOf>()->texts;
  if (const auto* object = a.as<DTypeObject>()) return object->type == b.as<DTypeObject>()->type;
  if (const auto* function = a.as<UserFunction>()) {
    const UserFunction& other = *b.as<UserFunction>();
    return function->definition == other.definition && function->lambda == other.lambda &&
           function->closure == other.closure && function->defaults == other.defaults;
  }
  return a.is<None>() || a.is<EllipsisObject>();
}

/// What the names are behind both sides of a branch.
void Stager::merge_names(const BranchEnd& then, const BranchEnd& otherwise) {
  Frame* frame = frames_.back();
  // A side that left says nothing about the names behind the construct.
  const BranchEnd& last = otherwise.flow == Flow::Left && then.flow != Flow::Left ? then : otherwise;
  scope_->names = last.names;
  frame->unset = last.unset;
  if (then.flow == Flow::Left || otherwise.flow == Flow::Left) return;
  frame->unset = either(then.unset, otherwise.unset);
  for (const auto& [name, bound] : then.names) {
    if (frame->variables.contains(name)) continue;  // which is read anew wherever it is read
    const auto other = otherwise.names.find(name);
    if (other == otherwise.names.end()) {
      scope_->names.emplace(name, bound);
      continue;
    }
    if (is_identical(bound, other->second) || same_static(bound, other->second)) continue;
    // Neither side's value holds behind the branch: stage_joined refuses a name that is missing.
    scope_->names.erase(name);
    const std::optional<Form> joined = join(form_of(bound), form_of(other->second));
    const bool wanted = frame->probes.contains(name) || frame->watched.contains(name);
    if (joined && wanted) request(name, *joined);
    if (!joined) frame->unjoined[name] = describe(bound, module);
  }
}

/// Stages the sides of a branch; `rest`: what each runs behind its own statements.
Result<Done> Stager::stage_sides(const Branch& branch, ir::ExprId condition, base::Span span,
                                 std::span<const StmtId> rest, bool to_the_end, BranchEnd (&ends)[2]) {
  Frame* frame = frames_.back();
  const std::map<std::string, Value> names = scope_->names;
  const Unset unset = frame->unset;
  const std::vector<StmtId>* sides[2] = {branch.then, branch.otherwise};
  for (std::size_t k = 0; k < 2; ++k) {
    scope_->names = names;
    frame->unset = unset;
    Flow& flow = ends[k].flow;
    flow = Flow::Next;
    Result<ir::BlockId> block = try_block([&]() -> Result<Done> {
      note_condition(condition, k == 0);
      if (k == 1 && branch.ahead_of_otherwise) {
        PW_TRY(flow, branch.ahead_of_otherwise());
        if (flow == Flow::Left) return Done{};
      }
      std::vector<StmtId> statements = *sides[k];
      statements.insert(statements.end(), rest.begin(), rest.end());
      PW_TRY(flow, execute(std::span(statements)));
      if (!to_the_end || flow == Flow::Left || !frame->at_tail) return Done{};
      flow = Flow::Left;  // falling off the end of a helper gives None
      return join_result(value(None{}), span);
    });
    if (!block) return tl::unexpected(block.error());
    ends[k].block = *block;
    ends[k].names = scope_->names;
    ends[k].unset = frame->unset;
  }
  merge_names(ends[0], ends[1]);
  return Done{};
}

Result<Stager::Flow> Stager::stage_branch(const Value& flag, const Branch& branch, base::Span span,
                                          std::span<const StmtId> rest, bool& took_rest) {
  const ir::ExprId condition = flag.as<Scalar>()->expr;
  const std::size_t diagnostics = engine.all().size();
  Frame* frame = frames_.back();
  const bool returns =
      branch.returns || contains_return(tree_, *branch.then) || contains_return(tree_, *branch.otherwise);
  took_rest = returns && !frame->entry && !in_staged_loop();
  if (took_rest && returns_by_flag(branch, rest)) return stage_flagged(flag, branch, span, rest);
  BranchEnd ends[2];
  if (took_rest) {
    // A helper's early return: what follows runs only on the paths that did not return.
    const Saved saved = save();
    const bool twice = !always_leaves(tree_, *branch.then) && !always_leaves(tree_, *branch.otherwise);
    frame->copies += twice ? 1 : 0;
    ++control_depth_;
    const Result<Done> done = stage_sides(branch, condition, span, rest, true, ends);
    --control_depth_;
    frame->copies -= twice ? 1 : 0;
    if (!done) ask_for(flag, diagnostics);
    PW_CHECK_OK(done);
    forget_names_since(saved);
  } else {
    PW_CHECK_OK(stage_joined_sides(flag, branch, span, {}, ends));
  }
  at(span);
  emit(ir::If{condition, ends[0].block, ends[1].block});
  const bool left[2] = {ends[0].flow == Flow::Left, ends[1].flow == Flow::Left};
  if (took_rest) {
    if (!(left[0] && left[1]) && frame->result)
      return engine.report(Rule::NumpyReturnJoin, span, "the function");
    return Flow::Left;
  }
  if (left[0]) note_condition(condition, false);
  if (left[1]) note_condition(condition, true);
  return left[0] && left[1] ? Flow::Left : Flow::Next;
}

/// The sides of a branch whose names live on behind it.
Result<Done> Stager::stage_joined_sides(const Value& flag, const Branch& branch, base::Span span,
                                        std::span<const StmtId> rest, BranchEnd (&ends)[2]) {
  const ir::ExprId condition = flag.as<Scalar>()->expr;
  const std::size_t diagnostics = engine.all().size();
  std::map<std::string, AssignedName> assigned = branch.assigned;
  const std::vector<StmtId> behind(rest.begin(), rest.end());
  for (const std::vector<StmtId>* some : {branch.then, branch.otherwise, &behind}) {
    for (const auto& [name, how] : assigned_names(tree_, *some)) assigned[name].plain |= how.plain;
  }
  base::Span whole = span;
  if (!rest.empty()) whole.end = std::max(whole.end, tree_.span(rest.back()).end);
  const std::vector<StmtId>* block = branch.then->empty() ? branch.otherwise : branch.then;
  const Construct construct{whole, block, false, assigned};
  const Result<Done> done =
      stage_joined(construct, [&] { return stage_sides(branch, condition, span, rest, false, ends); });
  if (!done) ask_for(flag, diagnostics);
  return done;
}

Result<Stager::Flow> Stager::execute_break(bool breaks, base::Span span) {
  if (loops_.empty()) return engine.report(Rule::NumpyConstruct, span, "this break");
  Loop& loop = loops_.back();
  if (!loop.unrolled) {
    if (breaks && loop.broke_flag.valid()) emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});
    (breaks ? loop.breaks : loop.continues).push_back(frames_.back()->unset);
    loop.names_left.push_back(scope_->names);
    emit(breaks ? ir::Stmt(ir::Break{}) : ir::Stmt(ir::Continue{}));
    return Flow::Left;
  }
  if (control_depth_ != loop.control_depth) return engine.report(Rule::NumpyBreakUnrolled, span);
  (breaks ? loop.broke : loop.continued) = true;
  return Flow::Left;
}

}  // namespace pw::numpy
