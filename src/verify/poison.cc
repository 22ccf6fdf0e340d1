#include "verify/poison.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "runtime/shared_array.h"

namespace pw::verify {

namespace {

constexpr std::byte kNaN{0xFF};
constexpr std::byte kPattern{0xA5};

bool has_nan(std::string_view dtype) {
  return dtype.find("float") != std::string_view::npos || dtype.starts_with("complex");
}

using Place = std::pair<ir::BufferId, std::vector<ir::ExprId>>;

/// What is certainly stored to where a statement begins.
struct Known {
  std::set<ir::BufferId> whole;
  std::set<Place> places;  // index expressions that keep their value until the block ends
};

/// Which buffers of a function are read before they are known to be stored to.
class Reads {
 public:
  explicit Reads(const ir::Module& module) : module_(module) {}

  std::set<ir::BufferId> early, stored;

  void run(ir::BlockId block, Known known) {
    for (const ir::StmtId id : module_[block].statements) {
      const ir::Stmt& stmt = module_[id];
      std::unordered_set<ir::ExprId> seen;
      for (const ir::ExprId expr : ir::exprs_of(stmt)) read(expr, known, seen);
      if (const auto* call = std::get_if<ir::Call>(&stmt)) pass_on(*call);
      for (const ir::BlockId inner : ir::blocks_of(stmt)) run(inner, known);
      if (const auto* store = std::get_if<ir::Store>(&stmt)) note(*store, known);
      if (const auto* map = std::get_if<ir::Map>(&stmt)) note(*map, known);
    }
  }

 private:
  void read(ir::ExprId expr, const Known& known, std::unordered_set<ir::ExprId>& seen) {
    if (!seen.insert(expr).second) return;
    if (const auto* load = std::get_if<ir::Load>(&module_[expr])) {
      const bool safe =
          known.whole.contains(load->buffer) || known.places.contains({load->buffer, load->index});
      if (!safe) early.insert(load->buffer);
    }
    for (const ir::ExprId operand : ir::operands_of(module_[expr])) read(operand, known, seen);
  }

  /// A called function may do anything with a buffer.
  void pass_on(const ir::Call& call) {
    for (const ir::Argument& argument : call.arguments) {
      if (const auto* buffer = std::get_if<ir::BufferId>(&argument)) early.insert(*buffer);
    }
  }

  void note(const ir::Store& store, Known& known) {
    stored.insert(store.buffer);
    const bool stays =
        std::all_of(store.index.begin(), store.index.end(), [&](auto i) { return is_fixed(i); });
    if (stays) known.places.insert({store.buffer, store.index});
  }

  bool is_fixed(ir::ExprId expr) const {
    if (std::holds_alternative<ir::Load>(module_[expr])) return false;
    const auto* local = std::get_if<ir::Read>(&module_[expr]);
    if (local && module_[local->local].kind == ir::LocalKind::Variable) return false;
    const std::vector<ir::ExprId> operands = ir::operands_of(module_[expr]);
    return std::all_of(operands.begin(), operands.end(), [&](auto each) { return is_fixed(each); });
  }

  void note(const ir::Map& map, Known& known) const {
    for (const ir::StmtId id : module_[map.body].statements) {
      const auto* store = std::get_if<ir::Store>(&module_[id]);
      if (store && fills(map, *store)) known.whole.insert(store->buffer);
    }
  }

  /// Whether the map's axes are the buffer's dimensions, each once.
  bool fills(const ir::Map& map, const ir::Store& store) const {
    const std::vector<ir::ExtentId>& extents = module_[store.buffer].extents;
    std::set<ir::LocalId> used;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (module_.extents.as_constant(extents[d]) == 1) continue;
      const auto* at = std::get_if<ir::Read>(&module_[store.index[d]]);
      const auto is_axis = [&](const ir::Axis& axis) {
        return at && axis.index == at->local && axis.extent == extents[d];
      };
      if (std::none_of(map.axes.begin(), map.axes.end(), is_axis) || !used.insert(at->local).second)
        return false;
    }
    return std::all_of(map.axes.begin(), map.axes.end(), [&](const ir::Axis& axis) {
      return used.contains(axis.index) || module_.extents.as_constant(axis.extent) == 1;
    });
  }

  const ir::Module& module_;
};

}  // namespace

void poison(std::string_view dtype, std::span<std::byte> bytes) {
  std::fill(bytes.begin(), bytes.end(), has_nan(dtype) ? kNaN : kPattern);
}

std::optional<std::size_t> first_unwritten(std::string_view dtype, std::span<const std::byte> bytes) {
  const std::size_t width = runtime::element_bytes(dtype);
  if (!has_nan(dtype) || width == 0) return std::nullopt;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    const auto element = bytes.subspan(at, width);
    if (std::all_of(element.begin(), element.end(), [](std::byte each) { return each == kNaN; })) {
      return at / width;
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> overwritten(const ir::Module& module) {
  const ir::Function& entry = module.functions.back();
  Reads reads(module);
  reads.run(entry.body, {});
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k + entry.promoted < entry.parameters.size(); ++k) {
    const auto* buffer = std::get_if<ir::BufferId>(&entry.parameters[k]);
    if (buffer && reads.stored.contains(*buffer) && !reads.early.contains(*buffer)) out.push_back(k);
  }
  return out;
}

}  // namespace pw::verify
