#include "ir/extent.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace pw::ir {

namespace {

using base::mix;

std::uint64_t hash_of(const Extent& extent) {
  std::uint64_t seed = extent.terms.size();
  for (const ExtentTerm& term : extent.terms) {
    seed = mix(seed, static_cast<std::uint64_t>(term.coefficient));
    for (const AtomId factor : term.factors) seed = mix(seed, factor.index());
  }
  return seed;
}

std::uint64_t hash_of(const ExtentAtom& atom) {
  if (const auto* local = std::get_if<LocalId>(&atom.node)) return mix(1, local->index());
  const auto& apply = std::get<ExtentApply>(atom.node);
  return mix(mix(static_cast<std::uint64_t>(apply.op) + 2, apply.left.index()), apply.right.index());
}

bool before(const ExtentTerm& a, const ExtentTerm& b) {
  if (a.factors.size() != b.factors.size()) return a.factors.size() > b.factors.size();
  return a.factors < b.factors;
}

/// Sorts, merges equal products and drops zeros.
Extent canonical(std::vector<ExtentTerm> terms) {
  std::sort(terms.begin(), terms.end(), before);
  Extent out;
  for (ExtentTerm& term : terms) {
    if (!out.terms.empty() && out.terms.back().factors == term.factors) {
      out.terms.back().coefficient += term.coefficient;
      if (out.terms.back().coefficient == 0) out.terms.pop_back();
    } else if (term.coefficient != 0) {
      out.terms.push_back(std::move(term));
    }
  }
  return out;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

std::int64_t evaluate_op(ExtentOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ExtentOp::FloorDiv:
      return b == 0 ? 0 : floor_divide(a, b);
    case ExtentOp::Mod:
      return b == 0 ? 0 : a - floor_divide(a, b) * b;
    case ExtentOp::Min:
      return std::min(a, b);
    case ExtentOp::Max:
      return std::max(a, b);
  }
  return 0;
}

}  // namespace

ExtentId ExtentTable::intern(Extent extent) {
  const std::uint64_t hash = hash_of(extent);
  const auto equal = [&](std::uint32_t row) { return extents_[row] == extent; };
  if (const std::uint32_t same = extent_index_.find(hash, equal); same != base::HashIndex::kNone) {
    return ExtentId(same);
  }
  const ExtentId id(extents_.size());
  extents_.push_back(std::move(extent));
  extent_index_.insert(hash, id.value);
  return id;
}

AtomId ExtentTable::intern(ExtentAtom atom) {
  const std::uint64_t hash = hash_of(atom);
  const auto equal = [&](std::uint32_t row) { return atoms_[row] == atom; };
  if (const std::uint32_t same = atom_index_.find(hash, equal); same != base::HashIndex::kNone) {
    return AtomId(same);
  }
  const AtomId id(atoms_.size());
  atoms_.push_back(atom);
  atom_index_.insert(hash, id.value);
  return id;
}

ExtentId ExtentTable::from_atom(AtomId atom) { return intern(Extent{{ExtentTerm{1, {atom}}}}); }

ExtentId ExtentTable::constant(std::int64_t value) {
  const auto [known, missing] = constants_.try_emplace(value);
  if (missing) known->second = intern(value == 0 ? Extent{} : Extent{{ExtentTerm{value, {}}}});
  return known->second;
}

ExtentId ExtentTable::local(LocalId id) {
  const auto [known, missing] = locals_.try_emplace(id);
  if (missing) known->second = from_atom(intern(ExtentAtom{id}));
  return known->second;
}

ExtentId ExtentTable::add(ExtentId a, ExtentId b) {
  if ((*this)[a].terms.empty()) return b;
  if ((*this)[b].terms.empty()) return a;
  std::vector<ExtentTerm> terms = (*this)[a].terms;
  const std::vector<ExtentTerm>& more = (*this)[b].terms;
  terms.insert(terms.end(), more.begin(), more.end());
  return intern(canonical(std::move(terms)));
}

ExtentId ExtentTable::scale(ExtentId a, std::int64_t factor) {
  std::vector<ExtentTerm> terms = (*this)[a].terms;
  for (ExtentTerm& term : terms) term.coefficient *= factor;
  return intern(canonical(std::move(terms)));
}

ExtentId ExtentTable::subtract(ExtentId a, ExtentId b) { return a == b ? constant(0) : add(a, scale(b, -1)); }

ExtentId ExtentTable::multiply(ExtentId a, ExtentId b) {
  if (const auto factor = as_constant(a)) return *factor == 1 ? b : scale(b, *factor);
  if (const auto factor = as_constant(b)) return *factor == 1 ? a : scale(a, *factor);
  std::vector<ExtentTerm> terms;
  for (const ExtentTerm& left : (*this)[a].terms) {
    for (const ExtentTerm& right : (*this)[b].terms) {
      ExtentTerm product{left.coefficient * right.coefficient, left.factors};
      product.factors.append(right.factors.begin(), right.factors.end());
      std::sort(product.factors.begin(), product.factors.end());
      terms.push_back(std::move(product));
    }
  }
  return intern(canonical(std::move(terms)));
}

ExtentId ExtentTable::apply(ExtentOp op, ExtentId a, ExtentId b) {
  const auto left = as_constant(a);
  const auto right = as_constant(b);
  const bool divides = op == ExtentOp::FloorDiv || op == ExtentOp::Mod;
  if (left && right && !(divides && *right == 0)) return constant(evaluate_op(op, *left, *right));
  if (!divides) {
    if (a == b) return a;
    const ExtentId difference = subtract(a, b);
    if (const auto gap = as_constant(difference)) return ((*gap < 0) == (op == ExtentOp::Min)) ? a : b;
    if (b < a) std::swap(a, b);
    return from_atom(intern(ExtentAtom{ExtentApply{op, a, b}}));
  }
  if (right && *right == 1) return op == ExtentOp::FloorDiv ? a : constant(0);
  if (left && *left == 0 && right && *right != 0) return a;
  // Split a into b*quotient + rest, where the quotient is exact: (b*q + r) // b == q + r // b.
  std::vector<ExtentTerm> exact;
  std::vector<ExtentTerm> rest;
  const Extent& divisor = (*this)[b];
  if (divisor.terms.size() == 1 && divisor.terms[0].coefficient != 0) {
    const ExtentTerm& d = divisor.terms[0];
    for (const ExtentTerm& term : (*this)[a].terms) {
      const bool contains =
          std::includes(term.factors.begin(), term.factors.end(), d.factors.begin(), d.factors.end());
      if (term.coefficient % d.coefficient != 0 || !contains) {
        rest.push_back(term);
        continue;
      }
      ExtentTerm quotient{term.coefficient / d.coefficient, {}};
      std::set_difference(term.factors.begin(), term.factors.end(), d.factors.begin(), d.factors.end(),
                          std::back_inserter(quotient.factors));
      exact.push_back(std::move(quotient));
    }
  } else {
    rest = (*this)[a].terms;
  }
  // A symbolic divisor may be zero at run time; then only the whole expression traps, so it must stay whole.
  if (!right && !exact.empty()) {
    exact.clear();
    rest = (*this)[a].terms;
  }
  const ExtentId remainder = intern(canonical(std::move(rest)));
  const ExtentId quotient = intern(canonical(std::move(exact)));
  if (as_constant(remainder) && right) {
    const std::int64_t value = *as_constant(remainder);
    if (op == ExtentOp::Mod) return constant(evaluate_op(op, value, *right));
    return add(quotient, constant(evaluate_op(op, value, *right)));
  }
  const ExtentId atom = from_atom(intern(ExtentAtom{ExtentApply{op, remainder, b}}));
  return op == ExtentOp::Mod ? atom : add(quotient, atom);
}

std::optional<std::int64_t> ExtentTable::as_constant(ExtentId id) const {
  const Extent& extent = (*this)[id];
  if (extent.terms.empty()) return 0;
  if (extent.terms.size() == 1 && extent.terms[0].factors.empty()) return extent.terms[0].coefficient;
  return std::nullopt;
}

std::optional<LocalId> ExtentTable::as_local(ExtentId id) const {
  const Extent& extent = (*this)[id];
  if (extent.terms.size() != 1 || extent.terms[0].coefficient != 1 || extent.terms[0].factors.size() != 1) {
    return std::nullopt;
  }
  const auto* local = std::get_if<LocalId>(&(*this)[extent.terms[0].factors[0]].node);
  return local == nullptr ? std::nullopt : std::optional(*local);
}

ExtentId ExtentTable::substitute(ExtentId id, const std::function<ExtentId(LocalId)>& replacement) {
  const Extent extent = (*this)[id];  // a copy: the tables grow below
  ExtentId sum = constant(0);
  for (const ExtentTerm& term : extent.terms) {
    ExtentId product = constant(term.coefficient);
    for (const AtomId factor : term.factors) {
      const ExtentAtom atom = (*this)[factor];
      ExtentId value;
      if (const auto* local = std::get_if<LocalId>(&atom.node)) {
        value = replacement(*local);
        if (!value.valid()) value = from_atom(factor);
      } else {
        const auto& node = std::get<ExtentApply>(atom.node);
        value = apply(node.op, substitute(node.left, replacement), substitute(node.right, replacement));
      }
      product = multiply(product, value);
    }
    sum = add(sum, product);
  }
  return sum;
}

std::vector<LocalId> ExtentTable::locals(ExtentId id) const {
  std::vector<LocalId> out;
  std::vector<ExtentId> pending = {id};
  while (!pending.empty()) {
    const ExtentId next = pending.back();
    pending.pop_back();
    for (const ExtentTerm& term : (*this)[next].terms) {
      for (const AtomId factor : term.factors) {
        const ExtentAtom& atom = (*this)[factor];
        if (const auto* local = std::get_if<LocalId>(&atom.node)) {
          out.push_back(*local);
        } else {
          pending.push_back(std::get<ExtentApply>(atom.node).left);
          pending.push_back(std::get<ExtentApply>(atom.node).right);
        }
      }
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool ExtentTable::mentions(ExtentId id, LocalId local) const {
  const std::vector<LocalId> all = locals(id);
  return std::binary_search(all.begin(), all.end(), local);
}

int ExtentTable::degree(ExtentId id) const {
  int longest = 0;
  for (const ExtentTerm& term : (*this)[id].terms) {
    int sum = 0;
    for (const AtomId factor : term.factors) {
      const auto* node = std::get_if<ExtentApply>(&(*this)[factor].node);
      sum += node == nullptr ? 1 : std::max(1, degree(node->left));
    }
    longest = std::max(longest, sum);
  }
  return longest;
}

std::optional<ExtentTable::Linear> ExtentTable::linear_in(ExtentId a, LocalId local) {
  const AtomId wanted = intern(ExtentAtom{local});
  std::vector<ExtentTerm> coefficient;
  std::vector<ExtentTerm> rest;
  for (const ExtentTerm& term : (*this)[a].terms) {
    const auto count = std::count(term.factors.begin(), term.factors.end(), wanted);
    if (count > 1) return std::nullopt;
    ExtentTerm left = term;
    if (count == 1) left.factors.erase(std::find(left.factors.begin(), left.factors.end(), wanted));
    for (const AtomId factor : left.factors) {
      const auto* node = std::get_if<ExtentApply>(&(*this)[factor].node);
      if (node != nullptr && (mentions(node->left, local) || mentions(node->right, local)))
        return std::nullopt;
    }
    (count == 1 ? coefficient : rest).push_back(std::move(left));
  }
  return Linear{intern(canonical(std::move(coefficient))), intern(canonical(std::move(rest)))};
}

std::int64_t ExtentTable::evaluate(ExtentId id, const std::function<std::int64_t(LocalId)>& value) const {
  std::int64_t sum = 0;
  for (const ExtentTerm& term : (*this)[id].terms) {
    std::int64_t product = term.coefficient;
    for (const AtomId factor : term.factors) {
      const ExtentAtom& atom = (*this)[factor];
      if (const auto* local = std::get_if<LocalId>(&atom.node)) {
        product *= value(*local);
      } else {
        const auto& node = std::get<ExtentApply>(atom.node);
        product *= evaluate_op(node.op, evaluate(node.left, value), evaluate(node.right, value));
      }
    }
    sum += product;
  }
  return sum;
}

void ExtentTable::append_text(std::string& out, AtomId atom,
                              const std::function<std::string(LocalId)>& name) const {
  if (const auto* local = std::get_if<LocalId>(&(*this)[atom].node)) {
    out += name(*local);
    return;
  }
  const auto& node = std::get<ExtentApply>((*this)[atom].node);
  if (node.op == ExtentOp::Min || node.op == ExtentOp::Max) {
    out += node.op == ExtentOp::Min ? "min(" : "max(";
    out += text(node.left, name) + ", " + text(node.right, name) + ")";
    return;
  }
  const auto operand = [&](ExtentId id) {
    const bool simple = as_local(id).has_value() || as_constant(id).value_or(-1) >= 0;
    return simple ? text(id, name) : "(" + text(id, name) + ")";
  };
  out +=
      "(" + operand(node.left) + (node.op == ExtentOp::FloorDiv ? " // " : " % ") + operand(node.right) + ")";
}

std::string ExtentTable::text(ExtentId id, const std::function<std::string(LocalId)>& name) const {
  const Extent& extent = (*this)[id];
  if (extent.terms.empty()) return "0";
  std::string out;
  for (const ExtentTerm& term : extent.terms) {
    const std::uint64_t magnitude = term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                         : static_cast<std::uint64_t>(term.coefficient);
    if (out.empty()) {
      if (term.coefficient < 0) out += "-";
    } else {
      out += term.coefficient < 0 ? " - " : " + ";
    }
    bool first = true;
    if (magnitude != 1 || term.factors.empty()) {
      out += std::to_string(magnitude);
      first = false;
    }
    for (const AtomId factor : term.factors) {
      if (!first) out += "*";
      append_text(out, factor, name);
      first = false;
    }
  }
  return out;
}

namespace {

/// Searches a proof by elimination; bounded, so that a hard question is "not proved" and not a long wait.
class Prover {
 public:
  Prover(ExtentTable& table, const std::function<Range(LocalId)>& range) : table_(table), range_(range) {}

  bool nonnegative(ExtentId e, int depth) {
    if (const auto value = table_.as_constant(e)) return *value >= 0;
    // Eliminations in another order come to the same question again.
    const auto [failed, first] = failed_.try_emplace(e, 0);
    if (!first && failed->second >= depth) return false;
    if (depth == 0 || --budget_ < 0) return false;
    if (plainly_nonnegative(e) || eliminate_division(e, depth) || eliminate_local(e, depth)) return true;
    failed_[e] = depth;
    return false;
  }

 private:
  /// Every term is a positive multiple of factors that are known not to be negative.
  bool plainly_nonnegative(ExtentId e) {
    for (const ExtentTerm& term : table_[e].terms) {
      if (term.coefficient < 0) return false;
      for (const AtomId factor : term.factors) {
        const auto* local = std::get_if<LocalId>(&table_[factor].node);
        if (local == nullptr) return false;
        const Range known = range_(*local);
        if (!known.lower.valid() || table_.as_constant(known.lower).value_or(-1) < 0) return false;
      }
    }
    return true;
  }

  /// Bounds one floor-div, mod, min or max that occurs alone in a linear term.
  bool eliminate_division(ExtentId e, int depth) {
    const Extent extent = table_[e];
    for (std::size_t i = 0; i < extent.terms.size(); ++i) {
      const ExtentTerm& term = extent.terms[i];
      if (term.factors.size() != 1) continue;
      const ExtentAtom atom = table_[term.factors[0]];
      const auto* node = std::get_if<ExtentApply>(&atom.node);
      if (node == nullptr) continue;
      ExtentId rest = table_.constant(0);
      {
        const ExtentId whole = e;
        ExtentId alone = table_.apply(node->op, node->left, node->right);
        rest = table_.subtract(whole, table_.scale(alone, term.coefficient));
      }
      if (bounded(rest, term.coefficient, *node, depth)) return true;
    }
    return false;
  }

  bool bounded(ExtentId rest, std::int64_t coefficient, const ExtentApply& node, int depth) {
    const auto with = [&](ExtentId value) {
      return nonnegative(table_.add(rest, table_.scale(value, coefficient)), depth - 1);
    };
    const auto divisor = table_.as_constant(node.right);
    switch (node.op) {
      case ExtentOp::FloorDiv: {
        if (!divisor || *divisor <= 0) return false;
        // divisor * (rest + coefficient * (left // divisor)) with divisor * (left // divisor) in [left -
        // divisor + 1, left]; a multiple of divisor is >= 0 where it is > -divisor.
        const ExtentId bound =
            coefficient > 0 ? table_.add(node.left, table_.constant(1 - *divisor)) : node.left;
        const ExtentId least = table_.add(table_.scale(rest, *divisor), table_.scale(bound, coefficient));
        return nonnegative(table_.add(least, table_.constant(*divisor - 1)), depth - 1);
      }
      case ExtentOp::Mod: {
        if (divisor && *divisor <= 0) return false;
        if (coefficient > 0) return with(table_.constant(0));
        return with(table_.add(node.right, table_.constant(-1)));
      }
      case ExtentOp::Min:
        if (coefficient < 0) return with(node.left) || with(node.right);
        return with(node.left) && with(node.right);
      case ExtentOp::Max:
        if (coefficient > 0) return with(node.left) || with(node.right);
        return with(node.left) && with(node.right);
    }
    return false;
  }

  /// Replaces the local defined last by its least favourable bound.
  bool eliminate_local(ExtentId e, int depth) {
    std::vector<LocalId> all = table_.locals(e);
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      const Range known = range_(*it);
      if (!known.lower.valid() && !known.upper.valid()) continue;
      const auto linear = table_.linear_in(e, *it);
      if (!linear) continue;
      const auto try_bound = [&](ExtentId bound) {
        if (!bound.valid() || table_.mentions(bound, *it)) return false;
        return nonnegative(table_.add(linear->rest, table_.multiply(linear->coefficient, bound)), depth - 1);
      };
      const auto sign = table_.as_constant(linear->coefficient);
      const bool up = sign ? *sign >= 0 : nonnegative(linear->coefficient, depth - 1);
      if (up && try_bound(known.lower)) return true;
      const bool down = sign ? *sign <= 0 : nonnegative(table_.scale(linear->coefficient, -1), depth - 1);
      if (down && try_bound(known.upper)) return true;
      if (sign && (known.lower.valid() || known.upper.valid())) continue;
    }
    return false;
  }

  ExtentTable& table_;
  const std::function<Range(LocalId)>& range_;
  std::unordered_map<ExtentId, int> failed_;  // and at which depth
  int budget_ = 400;
};

}  // namespace

bool proves_nonnegative(ExtentTable& table, ExtentId e, const std::function<Range(LocalId)>& range) {
  return Prover(table, range).nonnegative(e, 12);
}

}  // namespace pw::ir
