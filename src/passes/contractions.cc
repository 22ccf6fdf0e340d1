#include "passes/contractions.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "passes/rewrite.h"

namespace pw::passes {

using namespace ir;

namespace {

/// An axis, or some that are walked as one, and how far each operand moves with it: a, b, c.
struct Line {
  std::vector<Axis> axes;
  ExtentId extent;
  ExtentId strides[3];
};

/// A load or a store as a place in a row of elements: offset + sum of axis * stride.
struct Place {
  ExtentId offset;
  std::vector<ExtentId> strides;  // one an axis
};

std::optional<Place> place_of(Module& m, BufferId buffer, const std::vector<ExprId>& index,
                              const std::vector<Axis>& axes) {
  ExtentTable& table = m.extents;
  ExtentId flat = table.constant(0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    const auto at = m.as_extent(index[d]);
    if (!at) return std::nullopt;
    flat = table.add(table.multiply(flat, m[buffer].extents[d]), *at);
  }
  Place out;
  for (const Axis& axis : axes) {
    const auto linear = table.linear_in(flat, axis.index);
    if (!linear) return std::nullopt;
    out.strides.push_back(linear->coefficient);
    flat = linear->rest;
  }
  const auto mentions_axis = [&](ExtentId extent) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const Axis& axis) { return table.mentions(extent, axis.index); });
  };
  if (std::any_of(out.strides.begin(), out.strides.end(), mentions_axis) || mentions_axis(flat))
    return std::nullopt;
  out.offset = flat;
  return out;
}

bool has_gemm(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::C64 || type == DType::C128;
}

/// The load behind casts that only widen.
const Load* load_of(const Module& m, ExprId id) {
  while (const auto* cast = std::get_if<Cast>(&m[id])) {
    if (m.type(cast->argument) != DType::F32 || cast->type != DType::F64) return nullptr;
    id = cast->argument;
  }
  return std::get_if<Load>(&m[id]);
}

struct Factors {
  Load a, b;
  DType type;
};

/// The two loads whose products are summed.
std::optional<Factors> factors_of(const Module& m, const Reduce& reduce) {
  if (reduce.op != ReduceOp::Sum || reduce.order != ReduceOrder::Any || reduce.axes.empty())
    return std::nullopt;
  if (!m[reduce.body].statements.empty()) return std::nullopt;
  const auto* product = std::get_if<Apply>(&m[reduce.value]);
  if (product == nullptr || product->op != Op::Mul) return std::nullopt;
  const Load* a = load_of(m, product->arguments[0]);
  const Load* b = load_of(m, product->arguments[1]);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const DType type = m[a->buffer].type;
  if (m[b->buffer].type != type || !has_gemm(type)) return std::nullopt;
  return Factors{*a, *b, type};
}

/// Axes, outermost first, as one line where the places lie so, else the innermost ones that do; `used` says
/// how many.
Line line_of(Module& m, const std::vector<Axis>& axes, const std::vector<std::vector<ExtentId>>& strides,
             std::size_t& used) {
  ExtentTable& table = m.extents;
  Line out;
  out.extent = table.constant(1);
  for (used = 0; used < axes.size(); ++used) {
    const std::size_t k = axes.size() - 1 - used;
    const bool first = used == 0;
    for (std::size_t operand = 0; operand < 3; ++operand) {
      if (first) out.strides[operand] = strides[k][operand];
      if (table.multiply(out.strides[operand], out.extent) != strides[k][operand]) return out;
    }
    out.extent = table.multiply(out.extent, axes[k].extent);
    out.axes.insert(out.axes.begin(), axes[k]);
  }
  return out;
}

/// The axes of a Map by what moves with them.
struct Roles {
  std::vector<Axis> batch, rows, columns;
};

Roles roles_of(Module& m, const std::vector<Axis>& axes, const Place& a, const Place& b) {
  const ExtentId zero = m.extents.constant(0);
  Roles out;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool in_a = a.strides[k] != zero;
    const bool in_b = b.strides[k] != zero;
    (in_a == in_b ? out.batch : in_a ? out.rows : out.columns).push_back(axes[k]);
  }
  return out;
}

bool fixed_sizes(const Module& m, const std::vector<Axis>& axes, const Reduce& reduce) {
  const auto depends = [&](const Axis& each) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const Axis& axis) { return m.extents.mentions(each.extent, axis.index); });
  };
  return std::none_of(axes.begin(), axes.end(), depends) &&
         std::none_of(reduce.axes.begin(), reduce.axes.end(), depends);
}

/// The store's value as the sum itself, rounded to the dtype of the operands.
bool stores_sum(const Module& m, const Store& store, LocalId sum, DType type) {
  ExprId value = store.value;
  const auto* cast = std::get_if<Cast>(&m[value]);
  if (cast != nullptr && type == DType::F32 && cast->type == type) value = cast->argument;
  const auto* read = std::get_if<Read>(&m[value]);
  return read != nullptr && read->local == sum && m[store.buffer].type == type;
}

/// Makes a matrix of an operand that moves by these strides from row to row and from column to column.
bool set_strides(Module& m, Contraction::Operand& out, ExtentId by_row, ExtentId by_column, ExtentId rows,
                 ExtentId columns, Contraction& whole) {
  const ExtentId one = m.extents.constant(1);
  out.transposed = by_column != one;
  if (out.transposed && by_row != one) return false;
  out.leading = out.transposed ? by_column : by_row;
  const ExtentId width = out.transposed ? rows : columns;
  if (out.leading == width) return true;
  const auto known = m.extents.as_constant(out.leading);
  const auto least = m.extents.as_constant(width);
  if (known && least && *known <= INT32_MAX) return *known >= *least;
  whole.at_least.emplace_back(out.leading, width);
  return true;
}

bool known_small(const Module& m, ExtentId extent, std::int64_t least) {
  const auto constant = m.extents.as_constant(extent);
  return constant && *constant < least;
}

bool worth_it(const Module& m, const Contraction& c) {
  if (known_small(m, c.m, kLeastRows) || known_small(m, c.n, kLeastRows)) return false;
  if (known_small(m, c.depth, kLeastDepth)) return false;
  std::int64_t products = 1;
  for (const ExtentId each : {c.m, c.n, c.depth}) {
    const auto constant = m.extents.as_constant(each);
    if (!constant) return true;
    products *= std::min<std::int64_t>(*constant, 1 << 20);
  }
  return products >= kLeastProducts;
}

}  // namespace

std::optional<Contraction> contraction_of(Module& m, const Map& map) {
  const std::vector<StmtId>& body = m[map.body].statements;
  if (body.size() != 2) return std::nullopt;
  const auto* fold = std::get_if<Reduce>(&m[body[0]]);
  const auto* end = std::get_if<Store>(&m[body[1]]);
  if (fold == nullptr || end == nullptr) return std::nullopt;
  const Reduce reduce = *fold;
  const Store store = *end;
  const auto factors = factors_of(m, reduce);
  if (!factors || !fixed_sizes(m, map.axes, reduce)) return std::nullopt;
  if (!stores_sum(m, store, reduce.target, factors->type)) return std::nullopt;
  if (store.buffer == factors->a.buffer || store.buffer == factors->b.buffer) return std::nullopt;
  std::vector<Axis> axes = map.axes;
  axes.insert(axes.end(), reduce.axes.begin(), reduce.axes.end());
  const auto a = place_of(m, factors->a.buffer, factors->a.index, axes);
  const auto b = place_of(m, factors->b.buffer, factors->b.index, axes);
  const auto c = place_of(m, store.buffer, store.index, axes);
  if (!a || !b || !c) return std::nullopt;
  const auto strides_of_axes = [&](const std::vector<Axis>& some) {
    std::vector<std::vector<ExtentId>> out;
    for (const Axis& axis : some) {
      const auto is_it = [&](const Axis& each) { return each.index == axis.index; };
      const auto k = static_cast<std::size_t>(std::find_if(axes.begin(), axes.end(), is_it) - axes.begin());
      out.push_back({a->strides[k], b->strides[k], c->strides[k]});
    }
    return out;
  };
  Roles roles = roles_of(m, map.axes, *a, *b);
  if (roles.rows.empty() || roles.columns.empty()) return std::nullopt;
  std::size_t used = 0;
  Line rows = line_of(m, roles.rows, strides_of_axes(roles.rows), used);
  roles.batch.insert(roles.batch.end(), roles.rows.begin(),
                     roles.rows.end() - static_cast<std::ptrdiff_t>(used));
  Line columns = line_of(m, roles.columns, strides_of_axes(roles.columns), used);
  roles.batch.insert(roles.batch.end(), roles.columns.begin(),
                     roles.columns.end() - static_cast<std::ptrdiff_t>(used));
  const Line depth = line_of(m, reduce.axes, strides_of_axes(reduce.axes), used);
  if (used != reduce.axes.size()) return std::nullopt;
  ExtentTable& table = m.extents;
  const auto offset = [&](const Place& place) {
    ExtentId out = place.offset;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const bool outer = std::any_of(roles.batch.begin(), roles.batch.end(),
                                     [&](const Axis& axis) { return axis.index == axes[k].index; });
      if (outer) out = table.add(out, table.multiply(place.strides[k], table.local(axes[k].index)));
    }
    return out;
  };
  Contraction out;
  out.type = factors->type;
  out.batch = roles.batch;
  out.a = {factors->a.buffer, offset(*a), {}, false};
  out.b = {factors->b.buffer, offset(*b), {}, false};
  out.c = {store.buffer, offset(*c), {}, false};
  std::size_t left = 0;
  std::size_t right = 1;
  if (columns.strides[2] !=
      table.constant(1)) {  // the transposed product, of the operands in the other order
    std::swap(rows, columns);
    std::swap(out.a, out.b);
    std::swap(left, right);
  }
  if (columns.strides[2] != table.constant(1)) return std::nullopt;
  out.m = rows.extent;
  out.n = columns.extent;
  out.depth = depth.extent;
  const bool matrices =
      set_strides(m, out.a, rows.strides[left], depth.strides[left], out.m, out.depth, out) &&
      set_strides(m, out.b, depth.strides[right], columns.strides[right], out.depth, out.n, out) &&
      set_strides(m, out.c, rows.strides[2], columns.strides[2], out.m, out.n, out);
  return matrices ? std::optional(out) : std::nullopt;
}

namespace {

class Contractor {
 public:
  Contractor(Module& module, const Options& options) : m_(module), options_(options), effects_of_(module) {}

  void run(BlockId block) {
    std::vector<StmtId> out;
    const std::vector<StmtId> statements = m_[block].statements;
    for (const StmtId id : statements) {
      const auto* loop = std::get_if<For>(&m_[id]);
      const bool shared = loop != nullptr && loop->schedule == Schedule::Parallel;
      if (std::holds_alternative<Map>(m_[id])) {
        if (!mark(id)) split(id, out);
      } else if (!shared && !std::holds_alternative<Reduce>(m_[id])) {
        for (const BlockId inner : blocks_of(m_[id])) run(inner);
      }
      out.push_back(id);
    }
    m_[block].statements = std::move(out);
  }

 private:
  bool mark(StmtId id) {
    const auto product = contraction_of(m_, std::get<Map>(m_[id]));
    if (!product || !worth_it(m_, *product)) return false;
    std::get<Map>(m_[id]).library = true;
    options_.say(m_.span(id), "library", "it is a product of matrices");
    return true;
  }

  /// Gives sums of a Map that are products of matrices Maps of their own before it.
  void split(StmtId id, std::vector<StmtId>& before) {
    const Map map = std::get<Map>(m_[id]);
    const std::vector<StmtId> body = m_[map.body].statements;
    const Effects inside = effects_of_(map.body);
    if (inside.leaves) return;
    std::vector<StmtId> rest;
    Rewriter replaced(m_);
    for (const StmtId each : body) {
      const LocalId sum = split_one(map, each, inside, before);
      if (!sum.valid()) {
        rest.push_back(each);
        continue;
      }
      const Store store = std::get<Store>(m_[m_[std::get<Map>(m_[before.back()]).body].statements.back()]);
      rest.push_back(m_.add(Let{sum, element(store, m_[sum].type, m_.span(each))}, m_.span(each)));
      replaced.replace(std::get<Reduce>(m_[each]).target, m_.add(Read{sum}, m_.span(each)));
    }
    if (rest == body) return;
    m_[map.body].statements = std::move(rest);
    replaced.rewrite(map.body);
  }

  /// The element that the new Map stores at the point that the old one is at.
  ExprId element(const Store& store, DType type, base::Span span) {
    std::vector<ExprId> index;
    for (const ExprId at : store.index) {
      const LocalId local = std::get<Read>(m_[at]).local;
      for (const auto& [fresh, old] : renamed_) {
        if (fresh == local) index.push_back(m_.add(Read{old}, span));
      }
    }
    const ExprId load = m_.add(Load{store.buffer, index}, span);
    return m_.type(load) == type ? load : m_.add(Cast{type, load}, span);
  }

  /// An invalid id where the statement is no such sum; else what the sum is called in the old Map from now
  /// on.
  LocalId split_one(const Map& map, StmtId id, const Effects& inside, std::vector<StmtId>& before) {
    const auto* found = std::get_if<Reduce>(&m_[id]);
    if (found == nullptr) return {};
    const Reduce reduce = *found;
    const auto factors = factors_of(m_, reduce);
    if (!factors || !fixed_sizes(m_, map.axes, reduce)) return {};
    if (m_.type(reduce.value) != factors->type && !is_rounded(map.body, reduce.target, factors->type))
      return {};
    if (contains(inside.writes, factors->a.buffer) || contains(inside.writes, factors->b.buffer)) return {};
    std::vector<Axis> axes = map.axes;
    axes.insert(axes.end(), reduce.axes.begin(), reduce.axes.end());
    const auto a = place_of(m_, factors->a.buffer, factors->a.index, axes);
    const auto b = place_of(m_, factors->b.buffer, factors->b.index, axes);
    if (!a || !b || uses_own(inside, *a) || uses_own(inside, *b)) return {};
    const Roles roles = roles_of(m_, map.axes, *a, *b);
    std::vector<Axis> order = roles.batch;
    order.insert(order.end(), roles.rows.begin(), roles.rows.end());
    order.insert(order.end(), roles.columns.begin(), roles.columns.end());
    const base::Span span = m_.span(id);
    Buffer buffer;
    buffer.name = m_[reduce.target].name;
    buffer.type = factors->type;
    buffer.invented = true;
    buffer.span = span;
    Map own;
    own.schedule = map.schedule;
    own.library = true;
    Rewriter rewriter(m_);
    std::vector<std::pair<LocalId, LocalId>> renamed;
    std::vector<ExprId> index;
    for (const Axis& axis : order) {
      Local local = m_[axis.index];
      const LocalId fresh = m_.add(std::move(local));
      renamed.emplace_back(fresh, axis.index);
      own.axes.push_back({fresh, axis.extent});
      buffer.extents.push_back(axis.extent);
      index.push_back(m_.add(Read{fresh}, span));
      rewriter.replace(axis.index, index.back());
    }
    Reduce moved = reduce;
    moved.body = m_.add(Block{});
    const LocalId target = m_.add(Local(m_[reduce.target]));
    moved.target = target;
    for (Axis& axis : moved.axes) {
      const LocalId fresh = m_.add(Local(m_[axis.index]));
      rewriter.replace(axis.index, m_.add(Read{fresh}, span));
      axis.index = fresh;
    }
    moved.value = rewriter(moved.value);
    const BufferId product = m_.add(std::move(buffer));
    ExprId sum = m_.add(Read{target}, span);
    if (m_.type(sum) != factors->type) sum = m_.add(Cast{factors->type, sum}, span);
    own.body = m_.add(Block{{m_.add(std::move(moved), span), m_.add(Store{product, index, sum}, span)}});
    const auto contraction = contraction_of(m_, own);
    if (!contraction || !worth_it(m_, *contraction)) return {};
    renamed_.insert(renamed_.end(), renamed.begin(), renamed.end());
    options_.say(span, "library", "it is a product of matrices, in a loop of its own");
    before.push_back(m_.add(Alloc{product}, span));
    before.push_back(m_.add(std::move(own), span));
    return m_.add(Local(m_[reduce.target]));
  }

  /// Whether a block reads a local only to cast it to the dtype.
  bool is_rounded(BlockId block, LocalId local, DType type) {
    for (const StmtId id : m_[block].statements) {
      std::vector<ExprId> open = exprs_of(m_[id]);
      std::unordered_set<ExprId> seen;
      while (!open.empty()) {
        const ExprId each = open.back();
        open.pop_back();
        if (!each.valid() || !seen.insert(each).second) continue;
        const Expr& node = m_[each];
        const auto* read = std::get_if<Read>(&node);
        if (read != nullptr && read->local == local) return false;
        const auto* cast = std::get_if<Cast>(&node);
        const auto* rounded = cast != nullptr ? std::get_if<Read>(&m_[cast->argument]) : nullptr;
        if (rounded != nullptr && rounded->local == local && cast->type == type) continue;
        for (const ExprId operand : operands_of(node)) open.push_back(operand);
      }
      for (const BlockId inner : blocks_of(m_[id])) {
        if (!is_rounded(inner, local, type)) return false;
      }
    }
    return true;
  }

  bool uses_own(const Effects& inside, const Place& place) {
    const auto own = [&](LocalId local) { return contains(inside.defines, local); };
    std::vector<ExtentId> all = place.strides;
    all.push_back(place.offset);
    return std::any_of(all.begin(), all.end(), [&](ExtentId each) {
      const std::vector<LocalId> locals = m_.extents.locals(each);
      return std::any_of(locals.begin(), locals.end(), own);
    });
  }

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
  std::vector<std::pair<LocalId, LocalId>>
      renamed_;  // axes of new Maps, and of the old one that each stands for
};

}  // namespace

base::Result<Module> contractions(Module module, const Options& options, diagnostics::Engine&) {
  if (!options.libraries) return module;
  Contractor contractor(module, options);
  for (const Function& function : module.functions) contractor.run(function.body);
  return module;
}

}  // namespace pw::passes
