// Where control leaves a block.
#include <algorithm>

#include "frontends/numpy/names.h"

namespace pw::numpy {

using python::StmtId;
using python::Tree;

bool contains_break(const Tree& tree, const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    const bool found = python::visit(
        tree[id], [](const python::Break&) { return true; },
        [&](const python::For& n) { return contains_break(tree, n.orelse); },
        [&](const python::While& n) { return contains_break(tree, n.orelse); },
        [&](const python::If& n) { return contains_break(tree, n.body) || contains_break(tree, n.orelse); },
        [&](const python::With& n) { return contains_break(tree, n.body); },
        [&](const python::Try& n) {
          return contains_break(tree, n.body) || contains_break(tree, n.orelse) ||
                 contains_break(tree, n.finalbody) ||
                 std::any_of(n.handlers.begin(), n.handlers.end(),
                             [&](const auto& each) { return contains_break(tree, each.body); });
        },
        [](const auto&) { return false; });
    if (found) return true;
  }
  return false;
}

bool always_leaves(const Tree& tree, const std::vector<StmtId>& body) {
  return std::any_of(body.begin(), body.end(), [&](StmtId id) {
    return python::visit(
        tree[id], [](const python::Return&) { return true; }, [](const python::Raise&) { return true; },
        [](const python::Break&) { return true; }, [](const python::Continue&) { return true; },
        [&](const python::If& n) { return always_leaves(tree, n.body) && always_leaves(tree, n.orelse); },
        [](const auto&) { return false; });
  });
}

}  // namespace pw::numpy
