// Visits the parts of Python statements and expressions in the order in which they stand.
#pragma once

#include <vector>

#include "frontends/python/ast.h"

namespace pw::numpy {

/// Direct parts of nodes; patterns of `match` are not entered, since staging refuses the statement.
class Walker {
 public:
  explicit Walker(const python::Tree& tree) : tree_(tree) {}
  virtual ~Walker() = default;
  virtual void on_name(const python::Name&, base::Span) {}
  virtual bool enter(python::StmtId) { return true; }
  virtual void on_call(python::ExprId) {}
  virtual void on_lambda(python::ExprId) {}
  virtual void on_walrus() {}

  void walk(const std::vector<python::StmtId>& body) {
    for (const python::StmtId id : body) walk(id);
  }

  void walk(python::StmtId id) {
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

  void walk(python::ExprId id) {
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
        [&](const python::UnaryOp& n) { walk(n.operand); },
        [&](const python::Lambda& n) {
          on_lambda(id);
          walk(n.body);
        },
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
  const python::Tree& tree_;

 private:
  void walk(const std::vector<python::ExprId>& ids) {
    for (const python::ExprId id : ids) walk(id);
  }
  void function(python::ArgumentsId args, const std::vector<python::StmtId>& body,
                const std::vector<python::ExprId>& decorators) {
    walk(decorators);
    walk(tree_[args].defaults);
    walk(tree_[args].kw_defaults);
    walk(body);
  }
  void loop(python::ExprId target, python::ExprId iter, const std::vector<python::StmtId>& body,
            const std::vector<python::StmtId>& orelse) {
    walk(iter);
    walk(target);
    walk(body);
    walk(orelse);
  }
  void with(const std::vector<python::WithItem>& items, const std::vector<python::StmtId>& body) {
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
  void comprehension(const std::vector<python::Comprehension>& generators, python::ExprId element) {
    for (const auto& each : generators) {
      walk(each.iter);
      walk(each.target);
      walk(each.ifs);
    }
    walk(element);
  }
};

/// Whether a statement defines a function or class.
inline bool is_function(const python::Tree& tree, python::StmtId id) {
  return tree.get_if<python::FunctionDef>(id) != nullptr ||
         tree.get_if<python::AsyncFunctionDef>(id) != nullptr || tree.get_if<python::ClassDef>(id) != nullptr;
}

}  // namespace pw::numpy
