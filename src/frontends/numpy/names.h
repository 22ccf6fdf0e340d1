// Which names a piece of Python assigns and reads: what joins in control flow are decided by.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/python/ast.h"

namespace pw::numpy {

/// How a name is assigned: `plain` rebinds (=, for, :=, unpacking), otherwise only by augmented assignment.
struct AssignedName {
  bool plain = false;
};

/// Names that statements assign, nested blocks included, nested functions excluded; in alphabetical order.
std::map<std::string, AssignedName> assigned_names(const python::Tree& tree,
                                                   const std::vector<python::StmtId>& body);

/// Whether a name is read, nested functions included.
bool reads_name(const python::Tree& tree, python::ExprId expr, const std::string& name);

/// Whether the statements hold a `return` of their own function.
bool contains_return(const python::Tree& tree, const std::vector<python::StmtId>& body);
/// Whether a return, break or continue stands in it, of inner loops too.
bool contains_jump(const python::Tree& tree, const std::vector<python::StmtId>& body);
/// Whether the statements hold a `break` of the loop that they are the body of.
bool contains_break(const python::Tree& tree, const std::vector<python::StmtId>& body);
/// Whether control never goes on behind the statements; false where that is not plain to see.
bool always_leaves(const python::Tree& tree, const std::vector<python::StmtId>& body);
/// The target of the first assignment to an attribute (`np.sqrt = f`) that the statement makes; invalid:
/// none.
python::ExprId assigned_attribute(const python::Tree& tree, python::StmtId stmt);
/// Every name that a statement or expression reads or binds, bodies of functions defined in it among them.
std::set<std::string> mentioned_names(const python::Tree& tree, python::StmtId stmt);
std::set<std::string> mentioned_names(const python::Tree& tree, python::ExprId expr);
/// The calls, in functions too, of what has one of these names or is an attribute of such a name
/// (`np.seterr(...)`).
std::vector<python::ExprId> calls_of(const python::Tree& tree, const std::vector<python::StmtId>& body,
                                     const std::set<std::string>& names);
/// The name that a statement is about: of what it assigns to, else the first that it reads; empty: none. A
/// return is about `function`.
std::string subject_of(const python::Tree& tree, python::StmtId stmt, const std::string& function);
/// Whether an expression calls something (and so may store).
bool contains_call(const python::Tree& tree, python::ExprId expr);
/// Whether an expression binds a name by :=.
bool contains_walrus(const python::Tree& tree, python::ExprId expr);
/// Adds the names that an assignment to `target` binds.
void collect_targets(const python::Tree& tree, python::ExprId target,
                     std::map<std::string, AssignedName>& out);

}  // namespace pw::numpy
