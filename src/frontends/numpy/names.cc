#include "frontends/numpy/names.h"

#include <algorithm>
#include <functional>

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;
using python::Tree;

/// Direct parts of nodes; patterns of `match` are not entered, since staging refuses the statement.
class Walker {
 public:
  explicit Walker(const Tree& tree) : tree_(tree) {}
  virtual ~Walker() = default;
  virtual void on_name(const python::Name&, base::Span) {}
  virtual bool enter(StmtId) { return true; }
  virtual void on_call(ExprId) {}
  virtual void on_walrus() {}

  void walk(const std::vector<StmtId>& body) {
    for (const StmtId id : body) walk(id);
  }

  void walk(StmtId id) {
    if (!enter(id)) return;
    python::visit(
        tree_[id], [&](const python::FunctionDef& n) { function(n.args, n.body, n.decorator_list); },
        [&](const python::AsyncFunctionDef& n) { function(n.args, n.body, n.decorator_list); },
        [&](const python::ClassDef& n) { walk(n.body); }, [&](const python::Return& n) { walk(n.value); },
        [&](const python::Delete& n) { walk(n.targets); },
        [&](const python::Assign& n) {
          walk(n.value);
          walk(n.targets);
        },
        [&](const python::AugAssign& n) {
          walk(n.value);
          walk(n.target);
        },
        [&](const python::AnnAssign& n) {
          walk(n.value);
          walk(n.target);
        },
        [&](const python::For& n) { loop(n.target, n.iter, n.body, n.orelse); },
        [&](const python::AsyncFor& n) { loop(n.target, n.iter, n.body, n.orelse); },
        [&](const python::While& n) {
          walk(n.test);
          walk(n.body);
          walk(n.orelse);
        },
        [&](const python::If& n) {
          walk(n.test);
          walk(n.body);
          walk(n.orelse);
        },
        [&](const python::With& n) { with(n.items, n.body); },
        [&](const python::AsyncWith& n) { with(n.items, n.body); },
        [&](const python::Match& n) {
          walk(n.subject);
          for (const auto& each : n.cases) walk(each.body);
        },
        [&](const python::Raise& n) { walk(n.exc); }, [&](const python::Try& n) { attempt(n); },
        [&](const python::TryStar& n) { attempt(n); },
        [&](const python::Assert& n) {
          walk(n.test);
          walk(n.msg);
        },
        [&](const python::Expr& n) { walk(n.value); }, [](const auto&) {});
  }

  void walk(ExprId id) {
    if (!id.valid()) return;
    python::visit(
        tree_[id], [&](const python::BoolOp& n) { walk(n.values); },
        [&](const python::NamedExpr& n) {
          on_walrus();
          walk(n.value);
          walk(n.target);
        },
        [&](const python::BinOp& n) {
          walk(n.left);
          walk(n.right);
        },
        [&](const python::UnaryOp& n) { walk(n.operand); }, [&](const python::Lambda& n) { walk(n.body); },
        [&](const python::IfExp& n) {
          walk(n.test);
          walk(n.body);
          walk(n.orelse);
        },
        [&](const python::Dict& n) {
          walk(n.keys);
          walk(n.values);
        },
        [&](const python::Set& n) { walk(n.elts); },
        [&](const python::ListComp& n) { comprehension(n.generators, n.elt); },
        [&](const python::SetComp& n) { comprehension(n.generators, n.elt); },
        [&](const python::DictComp& n) {
          comprehension(n.generators, n.key);
          walk(n.value);
        },
        [&](const python::GeneratorExp& n) { comprehension(n.generators, n.elt); },
        [&](const python::Await& n) { walk(n.value); }, [&](const python::Yield& n) { walk(n.value); },
        [&](const python::YieldFrom& n) { walk(n.value); },
        [&](const python::Compare& n) {
          walk(n.left);
          walk(n.comparators);
        },
        [&](const python::Call& n) {
          on_call(id);
          walk(n.func);
          walk(n.args);
          for (const auto& keyword : n.keywords) walk(keyword.value);
        },
        [&](const python::FormattedValue& n) {
          walk(n.value);
          walk(n.format_spec);
        },
        [&](const python::JoinedStr& n) { walk(n.values); },
        [&](const python::Attribute& n) { walk(n.value); },
        [&](const python::Subscript& n) {
          walk(n.value);
          walk(n.slice);
        },
        [&](const python::Starred& n) { walk(n.value); },
        [&](const python::Name& n) { on_name(n, tree_.span(id)); },
        [&](const python::List& n) { walk(n.elts); }, [&](const python::Tuple& n) { walk(n.elts); },
        [&](const python::Slice& n) {
          walk(n.lower);
          walk(n.upper);
          walk(n.step);
        },
        [](const auto&) {});
  }

 protected:
  const Tree& tree_;

 private:
  void walk(const std::vector<ExprId>& ids) {
    for (const ExprId id : ids) walk(id);
  }
  void function(python::ArgumentsId args, const std::vector<StmtId>& body,
                const std::vector<ExprId>& decorators) {
    walk(decorators);
    walk(tree_[args].defaults);
    walk(tree_[args].kw_defaults);
    walk(body);
  }
  void loop(ExprId target, ExprId iter, const std::vector<StmtId>& body, const std::vector<StmtId>& orelse) {
    walk(iter);
    walk(target);
    walk(body);
    walk(orelse);
  }
  void with(const std::vector<python::WithItem>& items, const std::vector<StmtId>& body) {
    for (const auto& item : items) {
      walk(item.context_expr);
      walk(item.optional_vars);
    }
    walk(body);
  }
  template <typename Node>
  void attempt(const Node& node) {
    walk(node.body);
    for (const auto& handler : node.handlers) walk(handler.body);
    walk(node.orelse);
    walk(node.finalbody);
  }
  void comprehension(const std::vector<python::Comprehension>& generators, ExprId element) {
    for (const auto& each : generators) {
      walk(each.iter);
      walk(each.target);
      walk(each.ifs);
    }
    walk(element);
  }
};

bool is_function(const Tree& tree, StmtId id) {
  return tree.get_if<python::FunctionDef>(id) != nullptr ||
         tree.get_if<python::AsyncFunctionDef>(id) != nullptr || tree.get_if<python::ClassDef>(id) != nullptr;
}

class Assigned : public Walker {
 public:
  using Walker::Walker;
  std::map<std::string, AssignedName> names;
  bool enter(StmtId id) override {
    if (const auto* def = tree_.get_if<python::FunctionDef>(id)) names[def->name].plain = true;
    if (const auto* augmented = tree_.get_if<python::AugAssign>(id)) {
      if (const auto* name = tree_.get_if<python::Name>(augmented->target)) {
        names[name->id];
        walk(augmented->value);
        return false;
      }
    }
    return !is_function(tree_, id);
  }
  void on_name(const python::Name& name, base::Span) override {
    if (name.ctx == python::ExprContext::Store) names[name.id].plain = true;
  }
};

/// Whether one name is read.
class Reads : public Walker {
 public:
  Reads(const Tree& tree, const std::string& name) : Walker(tree), name_(name) {}
  bool found = false;
  bool enter(StmtId id) override {
    if (const auto* augmented = tree_.get_if<python::AugAssign>(id)) {
      if (const auto* name = tree_.get_if<python::Name>(augmented->target)) found |= name->id == name_;
    }
    return !found;
  }
  void on_name(const python::Name& name, base::Span) override {
    if (name.ctx == python::ExprContext::Load) found |= name.id == name_;
  }

 private:
  const std::string& name_;
};

/// From the first read of each name to the last.
class ReadSpans : public Walker {
 public:
  using Walker::Walker;
  std::map<std::string, base::Span> spans;
  bool enter(StmtId id) override {
    if (const auto* augmented = tree_.get_if<python::AugAssign>(id)) {
      if (const auto* name = tree_.get_if<python::Name>(augmented->target))
        read(*name, tree_.span(augmented->target));
    }
    return true;
  }
  void on_name(const python::Name& name, base::Span span) override {
    if (name.ctx == python::ExprContext::Load) read(name, span);
  }

 private:
  void read(const python::Name& name, base::Span span) {
    base::Span& all = spans.try_emplace(name.id, span).first->second;
    all.begin = std::min(all.begin, span.begin);
    all.end = std::max(all.end, span.end);
  }
};

/// Whether there is a return or, where asked for, any other jump.
class Jumps : public Walker {
 public:
  Jumps(const Tree& tree, bool any) : Walker(tree), any_(any) {}
  bool found = false;
  bool enter(StmtId id) override {
    found = found || tree_.get_if<python::Return>(id) || (any_ && tree_.get_if<python::Break>(id)) ||
            (any_ && tree_.get_if<python::Continue>(id));
    return !is_function(tree_, id);
  }

 private:
  const bool any_;
};

class AttributeTargets : public Walker {
 public:
  using Walker::Walker;
  ExprId found;
  bool enter(StmtId id) override {
    if (const auto* assign = tree_.get_if<python::Assign>(id)) {
      for (const ExprId target : assign->targets) note(target);
    }
    if (const auto* assign = tree_.get_if<python::AugAssign>(id)) note(assign->target);
    if (const auto* assign = tree_.get_if<python::AnnAssign>(id)) note(assign->target);
    if (const auto* gone = tree_.get_if<python::Delete>(id)) {
      for (const ExprId target : gone->targets) note(target);
    }
    return !is_function(tree_, id);
  }

 private:
  void note(ExprId target) {
    if (!found.valid() && tree_.get_if<python::Attribute>(target) != nullptr) found = target;
  }
};

class Finder : public Walker {
 public:
  using Walker::Walker;
  bool calls = false;
  bool walruses = false;
  void on_call(ExprId) override { calls = true; }
  void on_walrus() override { walruses = true; }
};

class Mentions : public Walker {
 public:
  using Walker::Walker;
  std::set<std::string> names;
  void on_name(const python::Name& name, base::Span) override { names.insert(name.id); }
};

class CallsOf : public Walker {
 public:
  CallsOf(const Tree& tree, std::string_view name) : Walker(tree), name_(name) {}
  std::vector<ExprId> found;
  void on_call(ExprId id) override {
    const ExprId callee = tree_.get_if<python::Call>(id)->func;
    const auto* attribute = tree_.get_if<python::Attribute>(callee);
    const auto* name = tree_.get_if<python::Name>(callee);
    if ((attribute != nullptr && attribute->attr == name_) || (name != nullptr && name->id == name_)) {
      found.push_back(id);
    }
  }

 private:
  std::string_view name_;
};

bool assigns_plainly(const Tree& tree, ExprId target, const std::string& name) {
  if (const auto* single = tree.get_if<python::Name>(target)) return single->id == name;
  const auto any = [&](const std::vector<ExprId>& items) {
    for (const ExprId item : items) {
      if (assigns_plainly(tree, item, name)) return true;
    }
    return false;
  };
  if (const auto* tuple = tree.get_if<python::Tuple>(target)) return any(tuple->elts);
  if (const auto* list = tree.get_if<python::List>(target)) return any(list->elts);
  return false;
}

}  // namespace

std::map<std::string, AssignedName> assigned_names(const Tree& tree, const std::vector<StmtId>& body) {
  Assigned walker(tree);
  walker.walk(body);
  return walker.names;
}

bool reads_name(const Tree& tree, StmtId stmt, const std::string& name) {
  Reads walker(tree, name);
  walker.walk(stmt);
  return walker.found;
}

bool reads_name(const Tree& tree, ExprId expr, const std::string& name) {
  Reads walker(tree, name);
  walker.walk(expr);
  return walker.found;
}

bool NameUses::is_read_outside(const std::vector<StmtId>& body, const std::string& name, base::Span span) {
  const auto [it, missing] = reads_.try_emplace(&body);
  if (missing) {
    ReadSpans walker(tree_);
    walker.walk(body);
    it->second = std::move(walker.spans);
  }
  const auto found = it->second.find(name);
  if (found == it->second.end()) return false;
  return !span.file.valid() || found->second.begin < span.begin || found->second.end > span.end;
}

const std::map<std::string, AssignedName>& NameUses::assigned_in(const std::vector<StmtId>& body) {
  const auto [it, missing] = assigned_.try_emplace(&body);
  if (missing) it->second = assigned_names(tree_, body);
  return it->second;
}

FirstUse NameUses::first_use(const std::vector<StmtId>& body, const std::string& name) {
  const auto [it, missing] = first_uses_.try_emplace({&body, name}, FirstUse::None);
  if (missing) it->second = find_first_use(body, name);
  return it->second;
}

/// The position of the first statement that mentions the name, or their number.
std::size_t NameUses::first_mention(const std::vector<StmtId>& body, const std::string& name) {
  const auto [it, missing] = first_mentions_.try_emplace(&body);
  for (std::size_t at = 0; missing && at < body.size(); ++at) {
    for (const std::string& each : mentioned_names(tree_, body[at])) it->second.try_emplace(each, at);
  }
  const auto found = it->second.find(name);
  return found == it->second.end() ? body.size() : found->second;
}

FirstUse NameUses::find_first_use(const std::vector<StmtId>& body, const std::string& name) {
  const Tree& tree = tree_;
  const auto reads = [&](ExprId expr) { return reads_name(tree, expr, name); };
  for (std::size_t at = first_mention(body, name); at < body.size(); ++at) {
    const StmtId id = body[at];
    if (const auto* assign = tree.get_if<python::Assign>(id)) {
      if (reads(assign->value)) return FirstUse::Read;
      for (const ExprId target : assign->targets) {
        if (assigns_plainly(tree, target, name)) return FirstUse::Assigned;
      }
    }
    if (const auto* branch = tree.get_if<python::If>(id)) {
      if (reads(branch->test)) return FirstUse::Read;
      const FirstUse sides[2] = {first_use(branch->body, name), first_use(branch->orelse, name)};
      if (sides[0] == FirstUse::Read || sides[1] == FirstUse::Read) return FirstUse::Read;
      if (sides[0] == FirstUse::Assigned && sides[1] == FirstUse::Assigned) return FirstUse::Assigned;
      continue;
    }
    // A loop may run no round: what it assigns may be unassigned behind it.
    const auto* counted = tree.get_if<python::For>(id);
    const auto* endless = tree.get_if<python::While>(id);
    if (counted != nullptr || endless != nullptr) {
      if (reads(counted != nullptr ? counted->iter : endless->test)) return FirstUse::Read;
      const bool target = counted != nullptr && assigns_plainly(tree, counted->target, name);
      const std::vector<StmtId>& inner = counted != nullptr ? counted->body : endless->body;
      if (!target && first_use(inner, name) == FirstUse::Read) return FirstUse::Read;
      const std::vector<StmtId>& orelse = counted != nullptr ? counted->orelse : endless->orelse;
      if (first_use(orelse, name) == FirstUse::Read) return FirstUse::Read;
      continue;
    }
    if (reads_name(tree, id, name)) return FirstUse::Read;
  }
  return FirstUse::None;
}

namespace {

bool binds_index(const Tree& tree, const python::For& loop, const std::string& name) {
  const auto is_name = [&](ExprId target) {
    const auto* single = tree.get_if<python::Name>(target);
    return single != nullptr && single->id == name;
  };
  const std::function<bool(ExprId)> binds = [&](ExprId target) {
    const auto* tuple = tree.get_if<python::Tuple>(target);
    return is_name(target) ||
           (tuple != nullptr && std::any_of(tuple->elts.begin(), tuple->elts.end(), binds));
  };
  return binds(loop.target);
}

}  // namespace

/// Of a statement that the loop in question does not stand in.
bool NameUses::reads_index(StmtId stmt, const std::string& name) {
  if (const auto* loop = tree_.get_if<python::For>(stmt)) {
    return !binds_index(tree_, *loop, name) && !index_reads(loop->body, name).empty();
  }
  if (const auto* assign = tree_.get_if<python::Assign>(stmt)) {
    const auto* target = tree_.get_if<python::Name>(assign->targets[0]);
    if (target != nullptr && target->id == name && !reads_name(tree_, stmt, name)) return false;
  }
  if (const auto* branch = tree_.get_if<python::If>(stmt)) {
    return !index_reads(branch->body, name).empty() || !index_reads(branch->orelse, name).empty();
  }
  if (const auto* loop = tree_.get_if<python::While>(stmt)) return !index_reads(loop->body, name).empty();
  return reads_name(tree_, stmt, name);
}

/// Positions in the body of statements that read it; two of them are enough to know that one is another.
const std::vector<std::size_t>& NameUses::index_reads(const std::vector<StmtId>& body,
                                                      const std::string& name) {
  const auto [it, missing] = index_reads_.try_emplace({&body, name});
  for (std::size_t at = 0; missing && at < body.size() && it->second.size() < 2; ++at) {
    if (reads_index(body[at], name)) it->second.push_back(at);
  }
  return it->second;
}

bool NameUses::index_lives_on(const std::vector<StmtId>& body, const std::string& name, base::Span span) {
  const auto behind =
      std::upper_bound(body.begin(), body.end(), span.begin,
                       [&](std::uint32_t place, StmtId id) { return place < tree_.span(id).begin; });
  const auto holder = behind == body.begin() ? body.end() : behind - 1;
  const bool holds = holder != body.end() && tree_.span(*holder).end >= span.end;
  const auto* loop = holds ? tree_.get_if<python::For>(*holder) : nullptr;
  const auto* endless = holds ? tree_.get_if<python::While>(*holder) : nullptr;
  const auto* branch = holds ? tree_.get_if<python::If>(*holder) : nullptr;
  const bool entered = loop != nullptr || endless != nullptr || branch != nullptr;
  const auto own = entered ? static_cast<std::size_t>(holder - body.begin()) : body.size();
  const std::vector<std::size_t>& reads = index_reads(body, name);
  if (std::any_of(reads.begin(), reads.end(), [&](std::size_t at) { return at != own; })) return true;
  if (!entered || tree_.span(*holder) == span) return false;
  if (loop != nullptr) return binds_index(tree_, *loop, name) || index_lives_on(loop->body, name, span);
  if (endless != nullptr) return index_lives_on(endless->body, name, span);
  return index_lives_on(branch->body, name, span) || index_lives_on(branch->orelse, name, span);
}

bool contains_return(const Tree& tree, const std::vector<StmtId>& body) {
  Jumps walker(tree, false);
  walker.walk(body);
  return walker.found;
}

bool contains_jump(const Tree& tree, const std::vector<StmtId>& body) {
  Jumps walker(tree, true);
  walker.walk(body);
  return walker.found;
}

ExprId assigned_attribute(const Tree& tree, StmtId stmt) {
  AttributeTargets walker(tree);
  walker.walk(stmt);
  return walker.found;
}

std::set<std::string> mentioned_names(const Tree& tree, StmtId stmt) {
  Mentions walker(tree);
  walker.walk(stmt);
  return walker.names;
}

std::set<std::string> mentioned_names(const Tree& tree, ExprId expr) {
  Mentions walker(tree);
  walker.walk(expr);
  return walker.names;
}

std::vector<ExprId> calls_of(const Tree& tree, const std::vector<StmtId>& body, std::string_view name) {
  CallsOf walker(tree, name);
  walker.walk(body);
  return walker.found;
}

namespace {

/// The first name that is read from left to right, libraries' excluded.
std::string leading_name(const Tree& tree, ExprId expr) {
  if (!expr.valid()) return {};
  const auto first = [&](const std::vector<ExprId>& items) {
    for (const ExprId item : items) {
      if (std::string name = leading_name(tree, item); !name.empty()) return name;
    }
    return std::string();
  };
  return python::visit(
      tree[expr],
      [](const python::Name& n) {
        const bool library = n.id == "np" || n.id == "numpy" || n.id == "math" || n.id == "scipy";
        return library ? std::string() : n.id;
      },
      [&](const python::Attribute& n) { return leading_name(tree, n.value); },
      [&](const python::Subscript& n) { return leading_name(tree, n.value); },
      [&](const python::Starred& n) { return leading_name(tree, n.value); },
      [&](const python::UnaryOp& n) { return leading_name(tree, n.operand); },
      [&](const python::BinOp& n) { return first({n.left, n.right}); },
      [&](const python::BoolOp& n) { return first(n.values); },
      [&](const python::IfExp& n) { return first({n.body, n.test, n.orelse}); },
      [&](const python::Tuple& n) { return first(n.elts); },
      [&](const python::List& n) { return first(n.elts); },
      [&](const python::Compare& n) {
        std::string name = leading_name(tree, n.left);
        return name.empty() ? first(n.comparators) : name;
      },
      [&](const python::Call& n) {
        const bool method = tree.get_if<python::Attribute>(n.func) != nullptr;
        std::string name = method ? leading_name(tree, n.func) : std::string();
        return name.empty() ? first(n.args) : name;
      },
      [](const auto&) { return std::string(); });
}

}  // namespace

std::string subject_of(const Tree& tree, StmtId stmt, const std::string& function) {
  return python::visit(
      tree[stmt], [&](const python::Assign& n) { return leading_name(tree, n.targets[0]); },
      [&](const python::AugAssign& n) { return leading_name(tree, n.target); },
      [&](const python::AnnAssign& n) { return leading_name(tree, n.target); },
      [&](const python::For& n) { return leading_name(tree, n.iter); },
      [&](const python::While& n) { return leading_name(tree, n.test); },
      [&](const python::If& n) { return leading_name(tree, n.test); },
      [&](const python::Assert& n) { return leading_name(tree, n.test); },
      [&](const python::Expr& n) { return leading_name(tree, n.value); },
      [&](const python::Return& n) { return function.empty() ? leading_name(tree, n.value) : function; },
      [](const auto&) { return std::string(); });
}

bool contains_call(const Tree& tree, ExprId expr) {
  Finder walker(tree);
  walker.walk(expr);
  return walker.calls;
}

bool contains_walrus(const Tree& tree, ExprId expr) {
  Finder walker(tree);
  walker.walk(expr);
  return walker.walruses;
}

}  // namespace pw::numpy
