#include "backends/common/facts.h"

#include <algorithm>
#include <unordered_set>

namespace pw::backends {

namespace {

constexpr std::int64_t kStackArrayBytes = 64 * 1024;
constexpr std::int64_t kStackBytesPerFunction = 256 * 1024;

class Collector {
 public:
  Collector(const ir::Module& module, FunctionFacts& facts) : module_(module), facts_(facts) {}

  void function(const ir::Function& function) {
    for (const ir::Parameter& parameter : function.parameters) {
      if (const auto* id = std::get_if<ir::BufferId>(&parameter)) buffer(*id);
    }
    block(function.body);
  }

 private:
  void block(ir::BlockId id) {
    for (const ir::StmtId statement : module_[id].statements) {
      const ir::Stmt& stmt = module_[statement];
      for (const ir::ExprId each : ir::exprs_of(stmt)) expr(each);
      std::visit(ir::Overload{
                     [&](const ir::Alloc& s) { alloc(s.buffer); },
                     [&](const ir::Store& s) {
                       facts_.stored.insert(s.buffer);
                       buffer(s.buffer);
                     },
                     [&](const ir::Map& s) { axes(s.axes); },
                     [&](const ir::Reduce& s) { axes(s.axes); },
                     [&](const ir::Trap&) { facts_.can_fail = true; },
                     [&](const ir::Call& s) { call(s); },
                     [](const auto&) {},
                 },
                 stmt);
      for (const ir::BlockId inner : ir::blocks_of(stmt)) block(inner);
    }
  }

  void axes(const std::vector<ir::Axis>& axes) {
    for (const ir::Axis& axis : axes) extent(axis.extent);
  }

  void alloc(ir::BufferId id) {
    buffer(id);
    const ir::Buffer& made = module_[id];
    const std::optional<std::int64_t> size = known_size(module_, made);
    const auto bytes = static_cast<std::int64_t>(ir::row(made.type).bytes);
    const bool small = size && *size <= kStackArrayBytes / bytes;
    const bool tiny = size && *size <= 8;
    if (tiny || (small && stack_bytes_ + *size * bytes <= kStackBytesPerFunction)) {
      stack_bytes_ += *size * bytes;
      return;
    }
    facts_.heap.insert(id);
    facts_.can_fail = true;
  }

  void call(const ir::Call& call) {
    if (std::find(facts_.calls.begin(), facts_.calls.end(), call.callee) == facts_.calls.end()) {
      facts_.calls.push_back(call.callee);
    }
    for (const ir::Argument& argument : call.arguments) {
      if (const auto* id = std::get_if<ir::BufferId>(&argument)) {
        facts_.passed.insert(*id);
        buffer(*id);
      }
    }
  }

  void buffer(ir::BufferId id) {
    if (!seen_buffers_.insert(id).second) return;
    if (module_[id].kind == ir::BufferKind::Table) facts_.tables.push_back(id);
    for (const ir::ExtentId each : module_[id].extents) extent(each);
  }

  void local(ir::LocalId id) {
    if (module_[id].kind == ir::LocalKind::Config && seen_locals_.insert(id).second) {
      facts_.configs.push_back(id);
    }
  }

  void extent(ir::ExtentId id) {
    if (!seen_extents_.insert(id).second) return;
    for (const ir::LocalId each : module_.extents.locals(id)) local(each);
  }

  void expr(ir::ExprId id) {
    if (!seen_exprs_.insert(id).second) return;
    const ir::Expr& node = module_[id];
    if (const auto* read = std::get_if<ir::Read>(&node)) local(read->local);
    if (const auto* index = std::get_if<ir::Index>(&node)) extent(index->extent);
    if (const auto* load = std::get_if<ir::Load>(&node)) buffer(load->buffer);
    for (const ir::ExprId operand : ir::operands_of(node)) expr(operand);
  }

  const ir::Module& module_;
  FunctionFacts& facts_;
  std::int64_t stack_bytes_ = 0;
  std::unordered_set<ir::ExprId> seen_exprs_;
  std::unordered_set<ir::ExtentId> seen_extents_;
  std::unordered_set<ir::BufferId> seen_buffers_;
  std::unordered_set<ir::LocalId> seen_locals_;
};

/// Takes what each call of the block does to the caller's buffers over; true if that is news.
bool absorb_calls(const ir::Module& module, const std::vector<FunctionFacts>& all, FunctionFacts& mine,
                  ir::BlockId block) {
  bool news = false;
  for (const ir::StmtId id : module[block].statements) {
    if (const auto* call = std::get_if<ir::Call>(&module[id])) {
      const FunctionFacts& callee = all[call->callee.index()];
      if (callee.can_fail && !mine.can_fail) news = mine.can_fail = true;
      const auto& parameters = module[call->callee].parameters;
      for (std::size_t i = 0; i < call->arguments.size() && i < parameters.size(); ++i) {
        const auto* given = std::get_if<ir::BufferId>(&call->arguments[i]);
        const auto* taken = std::get_if<ir::BufferId>(&parameters[i]);
        if (given && taken && callee.stored.contains(*taken)) news |= mine.stored.insert(*given).second;
      }
    }
    for (const ir::BlockId inner : ir::blocks_of(module[id])) news |= absorb_calls(module, all, mine, inner);
  }
  return news;
}

}  // namespace

std::vector<FunctionFacts> function_facts(const ir::Module& module, const std::set<ir::FunctionId>& replaced,
                                          const std::set<ir::FunctionId>& helped) {
  std::vector<FunctionFacts> all(module.functions.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Collector(module, all[i]).function(module.functions[i]);
    if (helped.contains(ir::FunctionId(i))) all[i].can_fail = true;
    if (!replaced.contains(ir::FunctionId(i))) continue;
    FunctionFacts outside;
    outside.can_fail = true;
    outside.stored = all[i].stored;
    all[i] = std::move(outside);
  }
  for (bool news = true; news;) {
    news = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].calls.empty()) news |= absorb_calls(module, all, all[i], module.functions[i].body);
    }
  }
  std::vector<ir::FunctionId> open;
  if (!all.empty()) open.emplace_back(all.size() - 1);
  while (!open.empty()) {
    FunctionFacts& facts = all[open.back().index()];
    open.pop_back();
    if (facts.reached) continue;
    facts.reached = true;
    open.insert(open.end(), facts.calls.begin(), facts.calls.end());
  }
  return all;
}

std::optional<std::int64_t> known_size(const ir::Module& module, const ir::Buffer& buffer) {
  std::int64_t size = 1;
  for (const ir::ExtentId extent : buffer.extents) {
    for (const ir::LocalId local : module.extents.locals(extent)) {
      if (module[local].kind != ir::LocalKind::Config) return std::nullopt;
    }
    const std::int64_t value =
        module.extents.evaluate(extent, [&](ir::LocalId local) { return ir::as_int(module[local].config); });
    if (__builtin_mul_overflow(size, std::max<std::int64_t>(value, 0), &size)) return std::nullopt;
  }
  return size;
}

std::set<ir::LocalId> locals_made_in(const ir::Module& module, ir::BlockId block) {
  std::set<ir::LocalId> made;
  for (const ir::StmtId id : module[block].statements) {
    const ir::Stmt& stmt = module[id];
    std::visit(ir::Overload{
                   [&](const ir::Let& s) { made.insert(s.local); },
                   [&](const ir::Declare& s) { made.insert(s.variable); },
                   [&](const ir::Map& s) {
                     for (const ir::Axis& axis : s.axes) made.insert(axis.index);
                   },
                   [&](const ir::Reduce& s) {
                     made.insert(s.target);
                     for (const ir::Axis& axis : s.axes) made.insert(axis.index);
                   },
                   [&](const ir::For& s) { made.insert(s.index); },
                   [&](const ir::Call& s) { made.insert(s.results.begin(), s.results.end()); },
                   [](const auto&) {},
               },
               stmt);
    for (const ir::BlockId inner : ir::blocks_of(stmt)) made.merge(locals_made_in(module, inner));
  }
  return made;
}

bool may_leave(const ir::Module& module, const std::vector<FunctionFacts>& facts, ir::FunctionId function,
               ir::BlockId block) {
  const auto leaves = [&](ir::StmtId id) {
    const ir::Stmt& stmt = module[id];
    if (std::holds_alternative<ir::Trap>(stmt) || std::holds_alternative<ir::Return>(stmt)) return true;
    if (const auto* alloc = std::get_if<ir::Alloc>(&stmt)) {
      return facts[function.index()].heap.contains(alloc->buffer);
    }
    if (const auto* call = std::get_if<ir::Call>(&stmt)) return facts[call->callee.index()].can_fail;
    const std::vector<ir::BlockId> inner = ir::blocks_of(stmt);
    return std::any_of(inner.begin(), inner.end(),
                       [&](ir::BlockId each) { return may_leave(module, facts, function, each); });
  };
  const auto& statements = module[block].statements;
  return std::any_of(statements.begin(), statements.end(), leaves);
}

}  // namespace pw::backends
