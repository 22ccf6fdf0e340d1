#include "backends/common/names.h"

#include <algorithm>

namespace pw::backends {

namespace {

using NameSet = std::unordered_set<std::string>;

/// `wanted`, or with a number from `first` on.
std::string free_name(std::string_view wanted, const NameSet& reserved, const NameSet& taken, int first = 2) {
  const auto is_free = [&](const std::string& name) {
    return !reserved.contains(name) && !taken.contains(name);
  };
  std::string name = identifier(wanted);
  if (reserved.contains(name)) name += "_";
  const std::string stem = name;
  for (int n = first; !is_free(name); ++n) {
    name = stem + (stem.back() == '_' ? "" : "_") + std::to_string(n);
  }
  return name;
}

/// "i" of "i_2": the number that ir::name_uniquely gave the index of a second loop.
std::string_view stem(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const bool numbered = last != std::string_view::npos && last > 0 && last + 1 < name.size() &&
                        (name[last] == '_' || name[last] == '.');
  return numbered ? name.substr(0, last) : name;
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out.push_back(plain ? c : '_');
  }
  // C reserves _X and __x for itself.
  const std::size_t letter = std::min(out.find_first_not_of('_'), out.size());
  if (letter > 0) out = out.substr(letter) + "_";
  if (out == "_" || (out[0] >= '0' && out[0] <= '9')) out.insert(out.begin(), 'v');
  return out;
}

Names::Names(const ir::Module& module, const std::vector<FunctionFacts>& facts, const std::string& entry,
             const std::set<std::string>& reserved, const std::set<std::string>& library)
    : module_(module),
      reserved_(reserved.begin(), reserved.end()),
      locals_(module.locals.size()),
      buffers_(module.buffers.size()),
      functions_(module.functions.size()),
      taken_(module.functions.size()) {
  reserved_.insert(entry + "_checked");
  NameSet global(library.begin(), library.end());
  global.insert(entry);
  for (std::size_t i = 0; i + 1 < functions_.size(); ++i) {
    if (!facts[i].reached) continue;
    functions_[i] = free_name(module.functions[i].name, reserved_, global);
    global.insert(functions_[i]);
  }
  if (!functions_.empty()) functions_.back() = entry;
  // Only NAME_checked calls the entry: a local of its name does no harm.
  for (std::size_t i = 0; i + 1 < functions_.size(); ++i) reserved_.insert(functions_[i]);
  name_configs(facts);
  name_tables(facts);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (facts[i].reached) name_function(ir::FunctionId(i));
  }
}

std::string Names::fresh(ir::FunctionId function, std::string_view wanted) {
  Taken& taken = taken_[function.index()];
  int& next = taken.next.try_emplace(std::string(wanted), 2).first->second;
  std::string name = free_name(wanted, reserved_, taken.names, next);
  if (name != wanted) ++next;
  taken.names.insert(name);
  return name;
}

void Names::Visible::add(const std::string& name) {
  if (names.insert(name).second) order.push_back(name);
}

void Names::Visible::leave(std::size_t count) {
  while (order.size() > count) {
    names.erase(order.back());
    order.pop_back();
  }
}

void Names::name_configs(const std::vector<FunctionFacts>& facts) {
  for (const FunctionFacts& each : facts) {
    if (!each.reached) continue;
    for (const ir::LocalId id : each.configs) {
      if (!locals_[id.index()].empty()) continue;
      const auto same = std::find_if(configs_.begin(), configs_.end(), [&](ir::LocalId other) {
        return module_[other].name == module_[id].name && module_[other].config == module_[id].config;
      });
      if (same != configs_.end()) {
        locals_[id.index()] = locals_[same->index()];
        continue;
      }
      locals_[id.index()] = free_name(module_[id].name, reserved_, {});
      reserved_.insert(locals_[id.index()]);
      configs_.push_back(id);
    }
  }
}

void Names::name_tables(const std::vector<FunctionFacts>& facts) {
  for (const FunctionFacts& each : facts) {
    if (!each.reached) continue;
    for (const ir::BufferId id : each.tables) {
      if (!buffers_[id.index()].empty()) continue;
      buffers_[id.index()] = free_name(module_[id].name, reserved_, {});
      reserved_.insert(buffers_[id.index()]);
      tables_.push_back(id);
    }
  }
}

void Names::name_function(ir::FunctionId id) {
  // What calls the entry sees its parameters: none of them may hide it.
  NameSet names = {functions_.back()};
  Visible visible;
  const auto take = [&](std::string& slot, const std::string& wanted) {
    slot = free_name(wanted, reserved_, names);
    names.insert(slot);
    visible.add(slot);
  };
  for (const ir::Parameter& parameter : module_[id].parameters) {
    std::visit(ir::Overload{
                   [&](ir::LocalId local) { take(locals_[local.index()], module_[local].name); },
                   [&](ir::BufferId buffer) { take(buffers_[buffer.index()], module_[buffer].name); },
               },
               parameter);
  }
  taken_[id.index()].names = visible.names;
  name_block(id, module_[id].body, visible);
}

void Names::name_block(ir::FunctionId function, ir::BlockId block, Visible& visible) {
  NameSet& all = taken_[function.index()].names;
  const std::size_t outside = visible.order.size();
  const auto name = [&](ir::LocalId id) {
    std::string& slot = locals_[id.index()];
    if (!slot.empty()) return;
    const ir::Local& local = module_[id];
    slot = free_name(local.kind == ir::LocalKind::Axis ? stem(local.name) : local.name, reserved_,
                     visible.names);
    visible.add(slot);
    all.insert(slot);
  };
  for (const ir::StmtId id : module_[block].statements) {
    const ir::Stmt& stmt = module_[id];
    if (const auto* reduce = std::get_if<ir::Reduce>(&stmt)) name(reduce->target);
    const std::size_t before_loop = visible.order.size();
    std::visit(ir::Overload{
                   [&](const ir::Let& s) { name(s.local); },
                   [&](const ir::Declare& s) { name(s.variable); },
                   [&](const ir::Alloc& s) {
                     // Its declaration may move up to the top of the function.
                     std::string& slot = buffers_[s.buffer.index()];
                     slot = fresh(function, module_[s.buffer].name);
                     visible.add(slot);
                   },
                   [&](const ir::Map& s) {
                     for (const ir::Axis& axis : s.axes) name(axis.index);
                   },
                   [&](const ir::Reduce& s) {
                     for (const ir::Axis& axis : s.axes) name(axis.index);
                   },
                   [&](const ir::For& s) { name(s.index); },
                   [&](const ir::Call& s) {
                     for (const ir::LocalId result : s.results) name(result);
                   },
                   [](const auto&) {},
               },
               stmt);
    const std::vector<ir::BlockId> inner = ir::blocks_of(stmt);
    for (const ir::BlockId each : inner) name_block(function, each, visible);
    if (!inner.empty()) visible.leave(before_loop);
  }
  visible.leave(outside);
}

}  // namespace pw::backends
