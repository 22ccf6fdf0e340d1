// Sizes and index arithmetic: polynomials over integer locals, kept canonical so that equal ones have equal
// ids.
//
// Atoms of a polynomial are immutable i64 locals (symbols, integer arguments, loop indices, run-time integers
// bound by Let) and floor-div, mod, min and max of polynomials. Arithmetic is over the integers: whoever
// builds an extent sees to it that no int64 overflow can happen at run time (ir/node.h, Index).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/hash_index.h"
#include "base/id.h"
#include "base/small_vector.h"

namespace pw::ir {

struct Local;
using LocalId = base::Id<Local>;
struct Extent;
using ExtentId = base::Id<Extent>;
struct ExtentAtom;
using AtomId = base::Id<ExtentAtom>;

enum class ExtentOp : std::uint8_t { FloorDiv, Mod, Min, Max };

/// Python's meaning: floor division and the divisor's sign for mod; division by zero must have been excluded.
struct ExtentApply {
  ExtentOp op;
  ExtentId left;
  ExtentId right;
  friend bool operator==(const ExtentApply&, const ExtentApply&) = default;
};

struct ExtentAtom {
  std::variant<LocalId, ExtentApply> node;
  friend bool operator==(const ExtentAtom&, const ExtentAtom&) = default;
};

/// coefficient * product of factors; factors ascending, a power is a repeated factor.
struct ExtentTerm {
  std::int64_t coefficient = 0;
  base::SmallVector<AtomId> factors;
  friend bool operator==(const ExtentTerm&, const ExtentTerm&) = default;
};

/// A sum of terms: by falling degree, then by factors; no zero coefficient. Zero is the empty sum.
struct Extent {
  std::vector<ExtentTerm> terms;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Known bounds of a local, both inclusive; an invalid id is "not known".
struct Range {
  ExtentId lower;
  ExtentId upper;
};

/// Interns extents. Ids are equal exactly if the canonical forms are. Values are copied with the table.
class ExtentTable {
 public:
  ExtentId constant(std::int64_t value);
  ExtentId local(LocalId id);
  ExtentId of(AtomId atom) { return from_atom(atom); }
  ExtentId add(ExtentId a, ExtentId b);
  ExtentId subtract(ExtentId a, ExtentId b);
  ExtentId multiply(ExtentId a, ExtentId b);
  ExtentId scale(ExtentId a, std::int64_t factor);
  /// FloorDiv and Mod fold where the division is exact or both are constant; Min and Max fold constants and
  /// equals.
  ExtentId apply(ExtentOp op, ExtentId a, ExtentId b);

  const Extent& operator[](ExtentId id) const { return extents_[id.index()]; }
  const ExtentAtom& operator[](AtomId id) const { return atoms_[id.index()]; }
  std::optional<std::int64_t> as_constant(ExtentId id) const;
  std::optional<LocalId> as_local(ExtentId id) const;

  /// Replaces locals; `replacement` returns an invalid id for "keep".
  ExtentId substitute(ExtentId id, const std::function<ExtentId(LocalId)>& replacement);
  /// All locals inside, each once, ascending.
  std::vector<LocalId> locals(ExtentId id) const;
  bool mentions(ExtentId id, LocalId local) const;
  /// The number of factors of the longest term, floor-div and kin counting as the degree of their left side.
  int degree(ExtentId id) const;
  /// a = coefficient * local + rest, neither containing the local; nullopt if a is not linear in it.
  struct Linear {
    ExtentId coefficient;
    ExtentId rest;
  };
  std::optional<Linear> linear_in(ExtentId a, LocalId local);

  std::int64_t evaluate(ExtentId id, const std::function<std::int64_t(LocalId)>& value) const;
  /// Infix text: "2*n*m + i - 1", "n//2", "n%4", "min(n, m)".
  std::string text(ExtentId id, const std::function<std::string(LocalId)>& name) const;

 private:
  ExtentId intern(Extent extent);
  AtomId intern(ExtentAtom atom);
  ExtentId from_atom(AtomId atom);
  void append_text(std::string& out, AtomId atom, const std::function<std::string(LocalId)>& name) const;

  std::vector<Extent> extents_;
  std::vector<ExtentAtom> atoms_;
  base::HashIndex extent_index_;
  base::HashIndex atom_index_;
  // Of what is asked for most, the answers.
  std::unordered_map<std::int64_t, ExtentId> constants_;
  std::unordered_map<LocalId, ExtentId> locals_;
};

/// Proves e >= 0 for all values of its locals within their ranges; false is "not proved".
/// Method: eliminate locals from the latest defined to the first, each by the bound that makes e least; a
/// floor-div by a positive constant c is bounded by c*(e//c) <= e <= c*(e//c) + c - 1.
bool proves_nonnegative(ExtentTable& table, ExtentId e, const std::function<Range(LocalId)>& range);

}  // namespace pw::ir
