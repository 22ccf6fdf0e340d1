// Which names a piece of Python assigns and reads: what joins in control flow are decided by.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
bool reads_name(const python::Tree& tree, python::StmtId stmt, const std::string& name);
bool reads_name(const python::Tree& tree, python::ExprId expr, const std::string& name);
/// What running statements from the top does first with a name. Read: some path may read it where no
/// statement has assigned it in this run.
enum class FirstUse : std::uint8_t { None, Assigned, Read };

/// Answers about the names of a tree, each found once: staging asks again at every attempt at a construct.
class NameUses {
 public:
  explicit NameUses(const python::Tree& tree) : tree_(tree) {}
  /// Whether `name` is read anywhere in `body`, a block of the tree, outside the byte range of `span`.
  bool is_read_outside(const std::vector<python::StmtId>& body, const std::string& name, base::Span span);
  const std::map<std::string, AssignedName>& assigned_in(const std::vector<python::StmtId>& body);
  FirstUse first_use(const std::vector<python::StmtId>& body, const std::string& name);
  /// Whether a loop's index, `span` being the loop's, may be read behind the loop before another loop or
  /// assignment gives the name a new value. Only the simplest proof is tried: every read outside stands
  /// inside a `for` over the same name.
  bool index_lives_on(const std::vector<python::StmtId>& body, const std::string& name, base::Span span);

 private:
  using Block = const std::vector<python::StmtId>*;
  bool reads_index(python::StmtId stmt, const std::string& name);
  const std::vector<std::size_t>& index_reads(const std::vector<python::StmtId>& body,
                                              const std::string& name);
  FirstUse find_first_use(const std::vector<python::StmtId>& body, const std::string& name);
  std::size_t first_mention(const std::vector<python::StmtId>& body, const std::string& name);

  const python::Tree& tree_;
  std::map<Block, std::map<std::string, base::Span>> reads_;  // of each name, from the first to the last
  std::map<Block, std::map<std::string, AssignedName>> assigned_;
  std::map<Block, std::map<std::string, std::size_t>> first_mentions_;
  std::map<std::pair<Block, std::string>, FirstUse> first_uses_;
  std::map<std::pair<Block, std::string>, std::vector<std::size_t>> index_reads_;
};

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
/// The calls, in functions too, of what has this name or is an attribute of it (`np.seterr(...)`).
std::vector<python::ExprId> calls_of(const python::Tree& tree, const std::vector<python::StmtId>& body,
                                     std::string_view name);
/// The name that a statement is about: of what it assigns to, else the first that it reads; empty: none. A
/// return is about `function`.
std::string subject_of(const python::Tree& tree, python::StmtId stmt, const std::string& function);
/// Whether an expression calls something (and so may store).
bool contains_call(const python::Tree& tree, python::ExprId expr);
/// Whether an expression binds a name by :=.
bool contains_walrus(const python::Tree& tree, python::ExprId expr);

}  // namespace pw::numpy
