#include "passes/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "passes/dependence.h"
#include "passes/rewrite.h"

namespace pw::passes {

using namespace ir;

namespace {

/// More accesses of one buffer in one loop are not compared pair by pair.
constexpr std::size_t kMostAccesses = 128;

/// The reason why a loop is serial, or nothing.
using Obstacle = std::optional<std::string>;

class Scheduler {
 public:
  Scheduler(Module& module, const Options& options) : m_(module), options_(options), effects_of_(module) {}

  void run(BlockId block, bool inside_parallel);

 private:
  bool schedule(StmtId id, bool inside_parallel);
  Obstacle structure(BlockId body, const Effects& effects);
  Obstacle carried(const For& loop, const Effects& effects);
  bool independent_pair(const For& loop, const Access& a, const Access& b, Shadows& shadows);
  bool private_variables(StmtId id, const For& loop, const Effects& effects, std::string& culprit);
  bool worth_it(const std::vector<ExtentId>& trips, const Effects& effects);
  std::optional<std::int64_t> most(ExtentId trips) const;
  std::optional<BufferId> made_at_run_time(BlockId block);

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
  std::vector<BlockId> around_;  // blocks that hold the statement in work, outermost first
};

// ---- what a loop does

Obstacle Scheduler::structure(BlockId body, const Effects& effects) {
  if (effects.leaves) return "its body may leave the loop";
  if (effects.calls) return "its body calls a function";
  const std::optional<BufferId> made = made_at_run_time(body);
  return made ? Obstacle("its body allocates " + m_[*made].name) : std::nullopt;
}

/// The first array that the block, or one inside, makes of a size that is not constant.
std::optional<BufferId> Scheduler::made_at_run_time(BlockId block) {
  for (const StmtId id : m_[block].statements) {
    if (const auto* alloc = std::get_if<Alloc>(&m_[id])) {
      for (const ExtentId extent : m_[alloc->buffer].extents) {
        if (!m_.extents.as_constant(extent)) return alloc->buffer;
      }
    }
    for (const BlockId inner : blocks_of(m_[id])) {
      if (const auto found = made_at_run_time(inner)) return found;
    }
  }
  return std::nullopt;
}

/// Two accesses touch different elements in different iterations: for one dimension, v' > v and v' < v both
/// make the indices differ, or equality forces v' = v.
bool Scheduler::independent_pair(const For& loop, const Access& a, const Access& b, Shadows& shadows) {
  ExtentTable& extents = m_.extents;
  const LocalId v = loop.index;
  const LocalId w = shadows.of(v);
  const ExtentId one = extents.constant(1);
  std::vector<ExtentId> differences;
  for (std::size_t d = 0; d < a.index.size(); ++d) {
    const auto left = m_.as_extent(a.index[d]);
    const auto right = m_.as_extent(b.index[d]);
    if (left && right) differences.push_back(extents.subtract(*left, shadows.rename(*right)));
  }
  // c*v + r = c*w + r, or with |r - r'| < c: then v = w.
  for (const ExtentId difference : differences) {
    const auto in_v = extents.linear_in(difference, v);
    if (!in_v || in_v->coefficient == extents.constant(0)) continue;
    const auto in_w = extents.linear_in(in_v->rest, w);
    if (!in_w || in_w->coefficient != extents.scale(in_v->coefficient, -1)) continue;
    const auto constant = extents.as_constant(in_v->coefficient);
    if (constant && in_w->rest == extents.constant(0)) return true;
    const ExtentId c = constant && *constant < 0 ? in_w->coefficient : in_v->coefficient;
    const ExtentId least = extents.subtract(c, one);
    if (shadows.proves_nonnegative(extents.subtract(least, in_w->rest)) &&
        shadows.proves_nonnegative(extents.add(least, in_w->rest))) {
      return true;
    }
  }
  // w = v + 1 + k, then v = w + 1 + k, k >= 0, within the loop's own bounds.
  const LocalId k = shadows.fresh();
  const ExtentId gap = extents.add(extents.local(k), one);
  const Range whole = m_[v].range;
  for (const bool later : {true, false}) {
    const LocalId moved = later ? w : v;
    const ExtentId base = extents.local(later ? v : w);
    Range room = {extents.constant(0), ExtentId()};
    if (whole.upper.valid() && !extents.mentions(whole.upper, v)) {
      room.upper = extents.subtract(extents.subtract(whole.upper, one), base);
    }
    shadows.constrain(k, room);
    bool apart = false;
    for (const ExtentId difference : differences) {
      const ExtentId placed = extents.substitute(
          difference, [&](LocalId local) { return local == moved ? extents.add(base, gap) : ExtentId(); });
      apart = apart || never_zero(m_, shadows, placed);
    }
    shadows.relax();
    if (!apart) return false;
  }
  return true;
}

Obstacle Scheduler::carried(const For& loop, const Effects& effects) {
  std::vector<Access> accesses;
  std::vector<BufferId> own;
  collect_accesses(m_, loop.body, accesses, own);
  std::map<BufferId, std::vector<const Access*>> by_buffer;
  for (const Access& access : accesses) {
    const bool is_own = std::find(own.begin(), own.end(), access.buffer) != own.end();
    if (!is_own && contains(effects.writes, access.buffer)) by_buffer[access.buffer].push_back(&access);
  }
  Shadows shadows(m_, [&](LocalId local) { return local == loop.index || contains(effects.defines, local); });
  for (const auto& [buffer, all] : by_buffer) {
    if (all.size() > kMostAccesses) return m_[buffer].name + " is accessed in too many places to compare";
    for (const Access* a : all) {
      if (!a->writes) continue;
      for (const Access* b : all) {
        if (!independent_pair(loop, *a, *b, shadows)) {
          return fmt::format("iterations may share elements of {}", m_[buffer].name);
        }
      }
    }
  }
  return std::nullopt;
}

// ---- variables

/// What a block does first with a variable, on every way through it. Maybe: some ways assign it, none reads
/// it before.
enum class First : std::uint8_t { Neither, Maybe, Assigned, Read };

First first_touch(const Module& module, EffectsOf& effects_of, BlockId block, LocalId variable);

First first_touch(const Module& module, EffectsOf& effects_of, StmtId id, LocalId variable) {
  const Stmt& stmt = module[id];
  for (const ExprId expr : exprs_of(stmt)) {
    // A Reduce evaluates its value after its body, which cannot assign what is declared outside.
    if (contains(effects_of(expr).uses, variable)) return First::Read;
  }
  if (const auto* assign = std::get_if<Assign>(&stmt)) {
    return assign->variable == variable ? First::Assigned : First::Neither;
  }
  const std::vector<BlockId> blocks = blocks_of(stmt);
  std::size_t assigned = 0;
  bool touched = false;
  for (const BlockId inner : blocks) {
    const First first = first_touch(module, effects_of, inner, variable);
    if (first == First::Read) return First::Read;
    touched |= first != First::Neither;
    assigned += first == First::Assigned ? 1 : 0;
  }
  if (!touched) return First::Neither;
  return std::holds_alternative<If>(stmt) && assigned == 2 ? First::Assigned : First::Maybe;
}

First first_touch(const Module& module, EffectsOf& effects_of, BlockId block, LocalId variable) {
  First state = First::Neither;
  for (const StmtId id : module[block].statements) {
    const First first = first_touch(module, effects_of, id, variable);
    if (first == First::Read || first == First::Assigned) return first;
    if (first == First::Maybe) state = First::Maybe;
  }
  return state;
}

struct Declaration {
  BlockId block;
  StmtId stmt;
};

/// Where the variable is declared, if nothing but the loop's body touches it; `around`: the blocks that hold
/// the loop, outermost first.
std::optional<Declaration> only_inside(const Module& module, EffectsOf& effects_of,
                                       const std::vector<BlockId>& around, StmtId loop, LocalId variable) {
  const auto touches = [&](const Effects& effects) {
    return contains(effects.uses, variable) || contains(effects.assigns, variable);
  };
  std::optional<Declaration> found;
  for (std::size_t level = around.size(); level-- > 0 && !found;) {
    const BlockId next = level + 1 < around.size() ? around[level + 1] : BlockId();
    for (const StmtId id : module[around[level]].statements) {
      const Stmt& stmt = module[id];
      const auto* declare = std::get_if<Declare>(&stmt);
      if (declare != nullptr && declare->variable == variable) {
        found = Declaration{around[level], id};
        continue;
      }
      const std::vector<BlockId> blocks = blocks_of(stmt);
      const bool on_path = next.valid() && std::find(blocks.begin(), blocks.end(), next) != blocks.end();
      if (id != loop && !on_path) {
        if (touches(effects_of(id))) return std::nullopt;
        continue;
      }
      for (const ExprId expr : exprs_of(stmt)) {
        if (touches(effects_of(expr))) return std::nullopt;
      }
      for (const BlockId other : blocks) {
        if (on_path && other != next && touches(effects_of(other))) return std::nullopt;
      }
    }
  }
  return found;
}

/// Moves the declarations of the loop's private variables into its body; false, and nothing moved, if one is
/// not private: that is the culprit.
bool Scheduler::private_variables(StmtId id, const For& loop, const Effects& effects, std::string& culprit) {
  std::vector<Declaration> sinks;
  for (const LocalId variable : effects.assigns) {
    if (contains(effects.defines, variable)) continue;
    culprit = m_[variable].name;
    if (first_touch(m_, effects_of_, loop.body, variable) == First::Read) return false;
    const std::optional<Declaration> declaration = only_inside(m_, effects_of_, around_, id, variable);
    if (!declaration) return false;
    sinks.push_back(*declaration);
  }
  for (const Declaration& sink : sinks) {
    std::erase(m_[sink.block].statements, sink.stmt);
    std::vector<StmtId>& statements = m_[loop.body].statements;
    std::get<Declare>(m_[sink.stmt]).value = ExprId();
    statements.insert(statements.begin(), sink.stmt);
  }
  return true;
}

// ---- decisions

/// A constant that a number of steps is never above, where one is known.
std::optional<std::int64_t> Scheduler::most(ExtentId trips) const {
  const auto local = m_.extents.as_local(trips);
  const ExtentId bound = local && m_[*local].kind == LocalKind::Bound ? m_[*local].range.upper : trips;
  return bound.valid() ? m_.extents.as_constant(bound) : std::nullopt;
}

bool Scheduler::worth_it(const std::vector<ExtentId>& trips, const Effects& effects) {
  std::int64_t product = 1;
  for (const ExtentId each : trips) {
    const auto constant = each.valid() ? most(each) : std::nullopt;
    if (!constant) return true;
    if (*constant <= 1) return false;
    product *= std::min<std::int64_t>(*constant, 1 << 20);
    if (product >= options_.parallel_minimum) return true;
  }
  return product >= (effects.loops ? options_.parallel_minimum / 16 : options_.parallel_minimum);
}

bool Scheduler::schedule(StmtId id, bool inside_parallel) {
  const base::Span span = m_.span(id);
  if (const auto* found = std::get_if<Map>(&m_[id])) {
    const Map map = *found;
    const Effects effects = effects_of_(map.body);
    const Obstacle obstacle = structure(map.body, effects);
    const bool inner = !effects.loops;
    std::vector<ExtentId> trips;
    for (const Axis& axis : map.axes) trips.push_back(axis.extent);
    if (!obstacle && !inside_parallel && !map.axes.empty() && worth_it(trips, effects)) {
      std::get<Map>(m_[id]).schedule = Schedule::Parallel;
      options_.say(span, "parallel", "elements are independent");
      return true;
    }
    if (!obstacle && inner && !map.axes.empty()) std::get<Map>(m_[id]).schedule = Schedule::Vector;
    if (obstacle) options_.say(span, "serial", *obstacle);
    return false;
  }
  const auto* found = std::get_if<For>(&m_[id]);
  if (found == nullptr) return false;
  const For loop = *found;
  const Effects effects = effects_of_(loop.body);
  const bool inner = !effects.loops;
  if (inside_parallel && !inner) return false;
  const auto step = m_.as_extent(loop.step);
  Obstacle obstacle = structure(loop.body, effects);
  if (!obstacle && !(step && m_.extents.as_constant(*step))) obstacle = "its step is not constant";
  if (!obstacle) obstacle = carried(loop, effects);
  std::string culprit;
  if (!obstacle && !private_variables(id, loop, effects, culprit)) {
    obstacle = fmt::format("{} is carried from one iteration to the next", culprit);
  }
  if (obstacle) {
    options_.say(span, "serial", *obstacle);
    return false;
  }
  const auto lower = m_.as_extent(loop.lower);
  const auto upper = m_.as_extent(loop.upper);
  const ExtentId trips = lower && upper ? m_.extents.subtract(*upper, *lower) : ExtentId();
  if (!inside_parallel && worth_it({trips}, effects)) {
    std::get<For>(m_[id]).schedule = Schedule::Parallel;
    options_.say(span, "parallel", "iterations are proved independent");
    return true;
  }
  if (inner) std::get<For>(m_[id]).schedule = Schedule::Vector;
  options_.say(span, inner ? "vector" : "serial", "iterations are proved independent, but few");
  return false;
}

void Scheduler::run(BlockId block, bool inside_parallel) {
  around_.push_back(block);
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId id : statements) {
    const bool now = schedule(id, inside_parallel);
    const std::vector<BlockId> blocks = blocks_of(m_[id]);
    for (const BlockId inner : blocks) run(inner, inside_parallel || now);
  }
  around_.pop_back();
}

}  // namespace

base::Result<Module> parallel(Module module, const Options& options, diagnostics::Engine&) {
  if (!options.parallel) return module;
  complete_ranges(module);
  Scheduler scheduler(module, options);
  for (std::size_t f = 0; f < module.functions.size(); ++f) scheduler.run(module.functions[f].body, false);
  return module;
}

}  // namespace pw::passes
