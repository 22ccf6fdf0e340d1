// np.reshape: splits of a dimension are views; merges copy, and a copy that NumPy would have as a view is
// watched (sharing.h).
#include <algorithm>

#include "frontends/numpy/grown_lists.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

namespace {

/// a / b where b is one product that divides every term of a.
std::optional<ir::ExtentId> exact_quotient(ir::ExtentTable& table, ir::ExtentId a, ir::ExtentId b) {
  const ir::Extent divisor = table[b];
  if (divisor.terms.size() != 1) return std::nullopt;
  const ir::ExtentTerm& d = divisor.terms[0];
  const ir::Extent dividend = table[a];
  ir::ExtentId sum = table.constant(0);
  for (const ir::ExtentTerm& term : dividend.terms) {
    if (term.coefficient % d.coefficient != 0) return std::nullopt;
    if (!std::includes(term.factors.begin(), term.factors.end(), d.factors.begin(), d.factors.end())) {
      return std::nullopt;
    }
    std::vector<ir::AtomId> left;
    std::set_difference(term.factors.begin(), term.factors.end(), d.factors.begin(), d.factors.end(),
                        std::back_inserter(left));
    ir::ExtentId product = table.constant(term.coefficient / d.coefficient);
    for (const ir::AtomId factor : left) product = table.multiply(product, table.of(factor));
    sum = table.add(sum, product);
  }
  return sum;
}

/// Consecutive old dimensions that hold the same elements as consecutive new ones.
struct Group {
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
};

std::vector<Group> match(Stager& stager, std::span<const ir::ExtentId> from,
                         std::span<const ir::ExtentId> to) {
  ir::ExtentTable& table = stager.extents();
  const auto is_one = [&](ir::ExtentId extent) { return table.as_constant(extent) == 1; };
  std::vector<std::size_t> old_dims;
  std::vector<std::size_t> new_dims;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!is_one(from[i])) old_dims.push_back(i);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!is_one(to[i])) new_dims.push_back(i);
  }
  std::vector<Group> tail;
  while (!old_dims.empty() && !new_dims.empty() && from[old_dims.back()] == to[new_dims.back()]) {
    tail.push_back({{old_dims.back()}, {new_dims.back()}});
    old_dims.pop_back();
    new_dims.pop_back();
  }
  std::vector<Group> groups;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < old_dims.size() || j < new_dims.size()) {
    Group group;
    ir::ExtentId left = table.constant(1);
    ir::ExtentId right = table.constant(1);
    const auto take_old = [&] {
      left = table.multiply(left, from[old_dims[i]]);
      group.from.push_back(old_dims[i++]);
    };
    const auto take_new = [&] {
      right = table.multiply(right, to[new_dims[j]]);
      group.to.push_back(new_dims[j++]);
    };
    if (i < old_dims.size()) take_old();
    if (j < new_dims.size()) take_new();
    while (left != right && (i < old_dims.size() || j < new_dims.size())) {
      const bool more_new = exact_quotient(table, left, right).has_value() && j < new_dims.size();
      const bool more_old = exact_quotient(table, right, left).has_value() && i < old_dims.size();
      if (more_new) {
        take_new();
      } else if (more_old) {
        take_old();
      } else {
        while (i < old_dims.size()) take_old();
        while (j < new_dims.size()) take_new();
      }
    }
    groups.push_back(std::move(group));
  }
  groups.insert(groups.end(), tail.rbegin(), tail.rend());
  return groups;
}

}  // namespace

Result<Array> Stager::reshape(const Array& array, std::vector<ir::ExtentId> shape, base::Span span) {
  std::optional<std::size_t> unknown;
  ir::ExtentId known = size(1);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (extents().as_constant(shape[k]) == -1) {
      unknown = k;
    } else {
      known = extents().multiply(known, shape[k]);
    }
  }
  const ir::ExtentId total = count(array.shape);
  if (unknown) {
    const auto quotient = exact_quotient(extents(), total, known);
    shape[*unknown] = quotient ? *quotient : extents().apply(ir::ExtentOp::FloorDiv, total, known);
  }
  PW_CHECK_OK(require_equal(total, count(shape), span));
  const std::vector<Group> groups = match(*this, array.shape, shape);
  Array source = array;
  std::vector<ir::ExtentId> merged;  // one extent a group
  const bool merges =
      std::any_of(groups.begin(), groups.end(), [](const Group& g) { return g.from.size() > 1; });
  for (const Group& group : groups) {
    ir::ExtentId product = size(1);
    for (const std::size_t d : group.from) product = extents().multiply(product, array.shape[d]);
    merged.push_back(product);
  }
  const auto flat = [&](const std::vector<std::size_t>& dims, std::span<const ir::ExtentId> dim_shape,
                        const Indices& indices) {
    ir::ExtentId at = size(0);
    for (const std::size_t d : dims) at = extents().add(extents().multiply(at, dim_shape[d]), indices[d]);
    return at;
  };
  if (merges) {
    source = allocate(merged, type_of(array));
    map_over(array.shape, [&](const Indices& indices) {
      Indices to;
      for (const Group& group : groups) to.push_back(flat(group.from, array.shape, indices));
      store(source, to, load(array, indices));
    });
    note_shared(array.buffer, source.buffer);
  } else {
    // Each group has at most one old dimension: substitute it by the flattened new ones.
    source.shape = merged;
    for (ir::ExtentId& position : source.map) {
      position = extents().substitute(position, [&](ir::LocalId local) {
        for (std::size_t d = 0; d < array.shape.size(); ++d) {
          if (local != axis(d)) continue;
          for (std::size_t g = 0; g < groups.size(); ++g) {
            if (!groups[g].from.empty() && groups[g].from[0] == d) return extents().local(axis(g));
          }
          return size(0);
        }
        return ir::ExtentId();
      });
    }
  }
  Array out = source;
  out.shape = shape;
  Indices formal;
  for (std::size_t k = 0; k < shape.size(); ++k) formal.push_back(extents().local(axis(k)));
  std::vector<ir::ExtentId> at;
  for (const Group& group : groups) at.push_back(flat(group.to, shape, formal));
  for (ir::ExtentId& position : out.map) {
    position = extents().substitute(position, [&](ir::LocalId local) {
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (local == axis(g)) return at[g];
      }
      return ir::ExtentId();
    });
  }
  return out;
}

/// Whether the elements of a view of one dimension are seen to lie side by side.
bool Stager::is_contiguous(const Array& view) {
  if (view.map.empty()) return true;
  for (std::size_t d = 0; d + 1 < view.map.size(); ++d) {
    if (extents().mentions(view.map[d], axis(0))) return false;
  }
  const auto linear = extents().linear_in(view.map.back(), axis(0));
  return linear && extents().as_constant(linear->coefficient) == 1;
}

void Stager::note_shared(ir::BufferId base, ir::BufferId copy) {
  sharing_.note(blocks_.back(), Sharing::Rebind{copy, base});
}

Value Stager::part_of(const Array& whole, Value part) {
  if (const auto* array = part.as<Array>()) note_shared(whole.buffer, array->buffer);
  return part;
}

/// What is known of the buffer's contents holds no longer.
void Stager::note_overwritten(ir::BufferId buffer) {
  std::erase_if(mask_counts_, [&](const auto& each) { return each.first.first == buffer; });
}

void Stager::note_read(ir::BufferId buffer) { sharing_.note(blocks_.back(), Sharing::Read{buffer, span_}); }

Result<Done> Stager::require_storable(ir::BufferId buffer, base::Span span) {
  if (catching_ != nullptr) catching_->stores = true;
  if (outlasting_.buffers.contains(buffer))
    return engine.report(Rule::NumpyConstruct, span, "a store to an array that outlasts the call");
  if (lists_->holds_arrays(buffer))
    return lists_->unsupported("a store to an array", "append a copy, and store to the array before", span);
  if (sparse_buffers_.contains(buffer)) return engine.report(Rule::NumpySparseStore, span);
  return Done{};
}

/// Behind a store, whose value was read before it.
void Stager::note_store(ir::BufferId buffer, base::Span span) {
  note_overwritten(buffer);
  sharing_.note(blocks_.back(), Sharing::Store{buffer, span});
}

/// Refuses what stores to one of two buffers that NumPy has as one array, and reads the other.
Result<Sharing::Outcome> Stager::check_sharing(ir::BlockId body) {
  Sharing::Outcome outcome =
      sharing_.follow(body, [&](ir::BufferId id) { return module[id].kind == ir::BufferKind::Parameter; });
  if (!outcome.missed) return outcome;
  const ir::BufferId stored = outcome.missed->stored;
  const ir::BufferId named = module[stored].invented ? outcome.missed->other : stored;
  return engine.report(Rule::NumpyDetachedView, outcome.missed->span, module[named].name);
}

}  // namespace pw::numpy
