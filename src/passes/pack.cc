#include "passes/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "passes/dependence.h"
#include "passes/rewrite.h"
#include "passes/stride.h"

namespace pw::passes {

using namespace ir;

namespace {

/// Rows that read a copied element before the copy has paid for itself.
constexpr std::int64_t kLeastReuse = 16;
/// A row of fewer results is not worth a vector.
constexpr std::int64_t kLeastRow = 8;

struct Copy {
  ExprId load;
  std::vector<Axis> axes;  // the order of the copy's dimensions
};

class Packer {
 public:
  Packer(Module& module, const Options& options) : m_(module), options_(options), effects_of_(module) {}

  void run(BlockId block);

 private:
  void pack(StmtId map, std::vector<StmtId>& before);
  bool is_row_fold(const Map& map, const Reduce& reduce);
  std::vector<ExprId> loads_of(const Reduce& reduce);
  std::optional<Copy> copy_of(const Map& map, const Reduce& reduce, ExprId load);
  bool in_bounds(const Load& load);
  bool many(const std::vector<Axis>& axes);
  ExprId emit(const Copy& copy, base::Span span, std::vector<StmtId>& before);

  Module& m_;
  const Options& options_;
  EffectsOf effects_of_;
};

void Packer::run(BlockId block) {
  std::vector<StmtId> out;
  const std::vector<StmtId> statements = m_[block].statements;
  for (const StmtId id : statements) {
    const auto* loop = std::get_if<For>(&m_[id]);
    const bool shared = loop != nullptr && loop->schedule == Schedule::Parallel;
    if (std::holds_alternative<Map>(m_[id])) {
      pack(id, out);
    } else if (!shared && !std::holds_alternative<Reduce>(m_[id])) {
      for (const BlockId inner : blocks_of(m_[id])) run(inner);
    }
    out.push_back(id);
  }
  m_[block].statements = std::move(out);
}

/// A fold of which a row of results can be made side by side.
bool Packer::is_row_fold(const Map& map, const Reduce& reduce) {
  const bool folds = reduce.op == ReduceOp::Sum || reduce.op == ReduceOp::Product ||
                     reduce.op == ReduceOp::Max || reduce.op == ReduceOp::Min;
  if (!folds || reduce.axes.empty()) return false;
  for (const Axis& axis : reduce.axes) {
    for (const Axis& outer : map.axes) {
      if (m_.extents.mentions(axis.extent, outer.index)) return false;
    }
  }
  const std::vector<StmtId>& body = m_[reduce.body].statements;
  return std::all_of(body.begin(), body.end(),
                     [&](StmtId each) { return std::holds_alternative<Let>(m_[each]); });
}

std::vector<ExprId> Packer::loads_of(const Reduce& reduce) {
  std::vector<ExprId> open = {reduce.value};
  for (const StmtId id : m_[reduce.body].statements) open.push_back(std::get<Let>(m_[id]).value);
  std::vector<ExprId> out;
  std::unordered_set<ExprId> seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    if (std::holds_alternative<Load>(m_[id])) out.push_back(id);
    for (const ExprId operand : operands_of(m_[id])) open.push_back(operand);
  }
  return out;
}

bool Packer::in_bounds(const Load& load) {
  const std::vector<ExtentId> extents = m_[load.buffer].extents;
  for (std::size_t d = 0; d < load.index.size(); ++d) {
    const ExtentId index = *m_.as_extent(load.index[d]);
    const ExtentId room = m_.extents.subtract(m_.extents.subtract(extents[d], index), m_.extents.constant(1));
    if (!proves_nonnegative(m_.extents, index, m_.ranges())) return false;
    if (!proves_nonnegative(m_.extents, room, m_.ranges())) return false;
  }
  return true;
}

/// Whether the axes have many points in all: so many where no size is 0, or as many as two sizes give.
bool Packer::many(const std::vector<Axis>& axes) {
  ExtentTable& extents = m_.extents;
  const ExtentId one = extents.constant(1);
  ExtentId points = one;
  for (const Axis& axis : axes) points = extents.multiply(points, axis.extent);
  if (extents.degree(points) > 1) return true;
  const auto range = [&](LocalId local) {
    Range known = m_[local].range;
    if (m_[local].kind == LocalKind::Symbol) known.lower = one;
    return known;
  };
  return proves_nonnegative(extents, extents.subtract(points, extents.constant(kLeastReuse)), range);
}

std::optional<Copy> Packer::copy_of(const Map& map, const Reduce& reduce, ExprId id) {
  const Load load = std::get<Load>(m_[id]);
  const Effects inside = effects_of_(map.body);
  if (contains(inside.writes, load.buffer)) return std::nullopt;
  std::vector<LocalId> locals;
  for (const ExprId index : load.index) {
    const auto extent = m_.as_extent(index);
    if (!extent) return std::nullopt;
    for (const LocalId local : m_.extents.locals(*extent)) locals.push_back(local);
  }
  const auto depends = [&](LocalId local) {
    return std::find(locals.begin(), locals.end(), local) != locals.end();
  };
  Copy copy{id, {}};
  std::vector<Axis> reuse;
  std::vector<LocalId> axes;
  const Axis& column = map.axes.back();
  for (const Axis& axis : map.axes) {
    axes.push_back(axis.index);
    if (axis.index != column.index) (depends(axis.index) ? copy.axes : reuse).push_back(axis);
  }
  for (const Axis& axis : reduce.axes) {
    axes.push_back(axis.index);
    if (depends(axis.index)) copy.axes.push_back(axis);
  }
  copy.axes.push_back(column);
  for (const LocalId local : locals) {
    const bool is_axis = std::find(axes.begin(), axes.end(), local) != axes.end();
    if (!is_axis && contains(inside.defines, local)) return std::nullopt;
  }
  if (reuse.empty() || !many(reuse) || !in_bounds(load) || !is_injective(m_, load.index, copy.axes)) {
    return std::nullopt;
  }
  return copy;
}

/// The array and the Map that fills it; gives the load that takes the place of the original one.
ExprId Packer::emit(const Copy& copy, base::Span span, std::vector<StmtId>& before) {
  const Load load = std::get<Load>(m_[copy.load]);
  Buffer buffer;
  buffer.name = m_[load.buffer].name + "_packed";
  buffer.type = m_[load.buffer].type;
  buffer.invented = true;
  buffer.span = span;
  for (const Axis& axis : copy.axes) buffer.extents.push_back(axis.extent);
  const BufferId packed = m_.add(std::move(buffer));
  Map fill;
  Rewriter rewriter(m_);
  std::vector<ExprId> here;
  std::vector<ExprId> there;
  for (const Axis& axis : copy.axes) {
    Local index = m_[axis.index];
    index.span = span;
    const LocalId fresh = m_.add(std::move(index));
    fill.axes.push_back({fresh, axis.extent});
    here.push_back(m_.add(Read{fresh}, span));
    there.push_back(m_.add(Read{axis.index}, span));
    rewriter.replace(axis.index, here.back());
  }
  const ExprId value = rewriter(copy.load);
  fill.body = m_.add(Block{{m_.add(Store{packed, here, value}, span)}});
  if (options_.parallel) fill.schedule = Schedule::Parallel;
  before.push_back(m_.add(Alloc{packed}, span));
  before.push_back(m_.add(std::move(fill), span));
  return m_.add(Load{packed, there}, span);
}

void Packer::pack(StmtId id, std::vector<StmtId>& before) {
  const Map map = std::get<Map>(m_[id]);
  if (map.axes.size() < 2 || map.library) return;
  const auto width = m_.extents.as_constant(map.axes.back().extent);
  if (width && *width < kLeastRow) return;
  const std::vector<StmtId> body = m_[map.body].statements;
  for (const StmtId each : body) {
    const auto* found = std::get_if<Reduce>(&m_[each]);
    if (found == nullptr || !is_row_fold(map, *found)) return;
    const Reduce reduce = *found;
    std::vector<Copy> copies;
    for (const ExprId load : loads_of(reduce)) {
      if (stride_of(m_, std::get<Load>(m_[load]), map.axes.back().index) != Stride::Many) continue;
      const std::optional<Copy> copy = copy_of(map, reduce, load);
      if (!copy) return;
      copies.push_back(*copy);
    }
    if (copies.empty()) continue;
    std::map<ExprId, ExprId> packed;
    for (const Copy& copy : copies) {
      packed[copy.load] = emit(copy, m_.span(each), before);
      options_.say(
          m_.span(each), "packed",
          fmt::format("{} is copied to be walked by rows", m_[std::get<Load>(m_[copy.load]).buffer].name));
    }
    Rewriter rewriter(m_);
    rewriter.on_load([&](ExprId load, const Load&) {
      const auto copy = packed.find(load);
      return copy == packed.end() ? ExprId() : copy->second;
    });
    rewriter.rewrite(each);
  }
}

}  // namespace

base::Result<Module> pack(Module module, const Options& options, diagnostics::Engine&) {
  complete_ranges(module);
  Packer packer(module, options);
  for (std::size_t f = 0; f < module.functions.size(); ++f) packer.run(module.functions[f].body);
  return module;
}

}  // namespace pw::passes
