#include "frontends/numpy/names.h"

#include <algorithm>
#include <functional>

#include "frontends/numpy/walker.h"

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;
using python::Tree;

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
  void on_name(const python::Name& name, base::Span) override {
    if (name.ctx == python::ExprContext::Load) found |= name.id == name_;
  }

 private:
  const std::string& name_;
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
  CallsOf(const Tree& tree, const std::set<std::string>& wanted) : Walker(tree), wanted_(wanted) {}
  std::vector<ExprId> found;
  void on_call(ExprId id) override {
    const ExprId callee = tree_.get_if<python::Call>(id)->func;
    const auto* attribute = tree_.get_if<python::Attribute>(callee);
    const auto* name = tree_.get_if<python::Name>(callee);
    if ((attribute != nullptr && wanted_.contains(attribute->attr)) ||
        (name != nullptr && wanted_.contains(name->id))) {
      found.push_back(id);
    }
  }

 private:
  const std::set<std::string>& wanted_;
};

}  // namespace

std::map<std::string, AssignedName> assigned_names(const Tree& tree, const std::vector<StmtId>& body) {
  Assigned walker(tree);
  walker.walk(body);
  return walker.names;
}

bool reads_name(const Tree& tree, ExprId expr, const std::string& name) {
  Reads walker(tree, name);
  walker.walk(expr);
  return walker.found;
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

std::vector<ExprId> calls_of(const Tree& tree, const std::vector<StmtId>& body,
                             const std::set<std::string>& names) {
  CallsOf walker(tree, names);
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

void collect_targets(const Tree& tree, ExprId target, std::map<std::string, AssignedName>& out) {
  if (const auto* name = tree.get_if<python::Name>(target)) out[name->id].plain = true;
  if (const auto* tuple = tree.get_if<python::Tuple>(target)) {
    for (const ExprId item : tuple->elts) collect_targets(tree, item, out);
  }
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
