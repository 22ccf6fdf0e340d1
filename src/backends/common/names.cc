#include "backends/common/names.h"

#include <algorithm>

namespace pw::backends {

namespace {

std::string free_name(std::string_view wanted, const std::set<std::string>& reserved,
                      const std::set<std::string>& taken) {
  const auto is_free = [&](const std::string& name) {
    return !reserved.contains(name) && !taken.contains(name);
  };
  std::string name = identifier(wanted);
  if (reserved.contains(name)) name += "_";
  const std::string stem = name;
  for (int n = 2; !is_free(name); ++n) {
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
      reserved_(reserved),
      locals_(module.locals.size()),
      buffers_(module.buffers.size()),
      functions_(module.functions.size()),
      taken_(module.functions.size()) {
  reserved_.insert(entry + "_checked");
  std::set<std::string> global = library;
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
  std::set<std::string>& taken = taken_[function.index()];
  std::string name = free_name(wanted, reserved_, taken);
  taken.insert(name);
  return name;
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
  std::set<std::string> visible = {functions_.back()};
  const auto take = [&](std::string& slot, const std::string& wanted) {
    slot = free_name(wanted, reserved_, visible);
    visible.insert(slot);
  };
  for (const ir::Parameter& parameter : module_[id].parameters) {
    std::visit(ir::Overload{
                   [&](ir::LocalId local) { take(locals_[local.index()], module_[local].name); },
                   [&](ir::BufferId buffer) { take(buffers_[buffer.index()], module_[buffer].name); },
               },
               parameter);
  }
  visible.erase(functions_.back());  // what calls the entry sees its parameters only
  taken_[id.index()] = visible;
  name_block(id, module_[id].body, std::move(visible));
}

void Names::name_block(ir::FunctionId function, ir::BlockId block, std::set<std::string> visible) {
  std::set<std::string>& all = taken_[function.index()];
  const auto name = [&](ir::LocalId id, std::set<std::string>& where) {
    std::string& slot = locals_[id.index()];
    if (!slot.empty()) return;
    const ir::Local& local = module_[id];
    slot = free_name(local.kind == ir::LocalKind::Axis ? stem(local.name) : local.name, reserved_, where);
    where.insert(slot);
    all.insert(slot);
  };
  for (const ir::StmtId id : module_[block].statements) {
    const ir::Stmt& stmt = module_[id];
    std::set<std::string> inside;
    std::visit(ir::Overload{
                   [&](const ir::Let& s) { name(s.local, visible); },
                   [&](const ir::Declare& s) { name(s.variable, visible); },
                   [&](const ir::Alloc& s) {
                     // Its declaration may move up to the top of the function.
                     std::string& slot = buffers_[s.buffer.index()];
                     slot = free_name(module_[s.buffer].name, reserved_, all);
                     visible.insert(slot);
                     all.insert(slot);
                   },
                   [&](const ir::Map& s) {
                     inside = visible;
                     for (const ir::Axis& axis : s.axes) name(axis.index, inside);
                   },
                   [&](const ir::Reduce& s) {
                     name(s.target, visible);
                     inside = visible;
                     for (const ir::Axis& axis : s.axes) name(axis.index, inside);
                   },
                   [&](const ir::For& s) {
                     inside = visible;
                     name(s.index, inside);
                   },
                   [&](const ir::Call& s) {
                     for (const ir::LocalId result : s.results) name(result, visible);
                   },
                   [](const auto&) {},
               },
               stmt);
    for (const ir::BlockId inner : ir::blocks_of(stmt)) {
      name_block(function, inner, inside.empty() ? visible : inside);
    }
  }
}

}  // namespace pw::backends
