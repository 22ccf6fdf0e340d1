#include "ir/verifier_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/printer.h"

namespace pw::ir {

namespace {

using base::Done;
using base::Result;
using diagnostics::Rule;

class TableVerifier {
 public:
  TableVerifier(const Module& module, diagnostics::Engine& engine) : module_(module), engine_(engine) {}

  Result<Done> run();

 private:
  bool good(ExprId id) const { return id.index() < module_.expr_count(); }
  bool good(LocalId id) const { return id.index() < module_.locals.size(); }
  bool good(BufferId id) const { return id.index() < module_.buffers.size(); }
  bool good(BlockId id) const { return id.index() < module_.blocks.size(); }
  bool good(FunctionId id) const { return id.index() < module_.functions.size(); }
  bool good(TrapId id) const { return id.index() < module_.traps.size(); }
  /// An extent table does not tell its size; what can be seen are the locals inside.
  bool good(ExtentId id) const {
    if (!id.valid()) return false;
    for (const LocalId local : module_.extents.locals(id)) {
      if (!good(local)) return false;
    }
    return true;
  }
  bool good(const Range& range) const {
    return (!range.lower.valid() || good(range.lower)) && (!range.upper.valid() || good(range.upper));
  }
  template <typename List>
    requires requires(const List& list) { list.begin(); }
  bool good(const List& all) const {
    return std::all_of(all.begin(), all.end(), [&](const auto& each) { return good(each); });
  }
  bool good(const Axis& axis) const { return good(axis.index) && good(axis.extent); }
  bool good(const Parameter& parameter) const {
    return std::visit([&](auto id) { return good(id); }, parameter);
  }
  bool good(const Const& constant) const;
  bool good(ExprId id, const Expr& expr) const;
  bool good(const Stmt& stmt) const;

  Result<Done> locals();
  Result<Done> buffers();
  Result<Done> exprs();
  Result<Done> tree();

  const Module& module_;
  diagnostics::Engine& engine_;
};

/// The one bit pattern that each value has.
bool TableVerifier::good(const Const& constant) const {
  if (!is_complex(constant.type) && constant.imag_bits != 0) return false;
  const bool narrow = row(real_of(constant.type)).bytes == 4;
  switch (kind(constant.type)) {
    case DTypeKind::Bool:
      return constant.bits <= 1;
    case DTypeKind::Int:
    case DTypeKind::UInt:
      return const_int(constant.type, as_int(constant)) == constant;
    case DTypeKind::Float:
    case DTypeKind::Complex:
      return !narrow || (constant.bits >> 32U == 0 && constant.imag_bits >> 32U == 0);
  }
  return false;
}

bool TableVerifier::good(ExprId id, const Expr& expr) const {
  for (const ExprId operand : operands_of(expr)) {
    if (operand.index() >= id.index()) return false;
  }
  return std::visit(Overload{
                        [&](const Const& c) { return good(c); },
                        [&](const Read& r) { return good(r.local); },
                        [&](const Index& i) { return good(i.extent); },
                        [&](const Load& l) { return good(l.buffer); },
                        [&](const Apply& a) {
                          std::vector<DType> types;
                          for (const ExprId each : a.arguments) types.push_back(module_.type(each));
                          return op_result(a.op, types) == module_.type(id);
                        },
                        [](const Cast&) { return true; },
                    },
                    expr);
}

bool TableVerifier::good(const Stmt& stmt) const {
  const bool operands = std::visit(
      Overload{
          [&](const Let& s) { return good(s.local) && good(s.value); },
          [&](const Declare& s) { return good(s.variable) && (!s.value.valid() || good(s.value)); },
          [&](const Assign& s) { return good(s.variable) && good(s.value); },
          [&](const Alloc& s) { return good(s.buffer); },
          [&](const Store& s) { return good(s.buffer) && good(s.index) && good(s.value); },
          [&](const Map& s) { return good(s.axes); },
          [&](const Reduce& s) { return good(s.target) && good(s.axes) && good(s.value); },
          [&](const For& s) { return good(s.index) && good(s.lower) && good(s.upper) && good(s.step); },
          [&](const While& s) { return good(s.condition); },
          [&](const If& s) { return good(s.condition); },
          [&](const Return& s) { return good(s.values); },
          [&](const Trap& s) { return good(s.trap) && (!s.condition.valid() || good(s.condition)); },
          [&](const Call& s) {
            for (const Argument& each : s.arguments) {
              if (!std::visit([&](auto id) { return good(id); }, each)) return false;
            }
            return good(s.callee) && good(s.results);
          },
          [](const auto&) { return true; },
      },
      stmt);
  return operands && good(blocks_of(stmt));
}

Result<Done> TableVerifier::locals() {
  for (const Local& local : module_.locals) {
    const bool has_range = local.range.lower.valid() || local.range.upper.valid();
    if (!good(local.range)) {
      return engine_.report(Rule::IrBadId, local.span, local.name, "its range reads what is no local");
    }
    if (has_range && (local.type != DType::I64 || local.kind == LocalKind::Variable)) {
      return engine_.report(Rule::IrDefinition, local.span, local.name, "only an immutable i64 has a range");
    }
    if (local.kind == LocalKind::Config && (local.config.type != local.type || !good(local.config))) {
      return engine_.report(Rule::IrDefinition, local.span, local.name, "its constant is none of its dtype");
    }
    const bool integer = local.kind == LocalKind::Symbol || local.kind == LocalKind::Axis;
    if (integer && local.type != DType::I64) {
      return engine_.report(Rule::IrDefinition, local.span, local.name, "a symbol or axis is i64");
    }
  }
  return Done();
}

Result<Done> TableVerifier::buffers() {
  for (const Buffer& buffer : module_.buffers) {
    if (!good(buffer.extents)) {
      return engine_.report(Rule::IrBadId, buffer.span, buffer.name, "an extent reads what is no local");
    }
    if (buffer.kind != BufferKind::Table) continue;
    std::size_t elements = 1;
    for (const ExtentId extent : buffer.extents) {
      const auto size = module_.extents.as_constant(extent);
      if (!size || *size < 0) {
        return engine_.report(Rule::IrDefinition, buffer.span, buffer.name,
                              "a table's extents are constants");
      }
      elements *= static_cast<std::size_t>(*size);
    }
    if (buffer.table.size() != elements) {
      return engine_.report(Rule::IrDefinition, buffer.span, buffer.name,
                            fmt::format("{} elements for a table of {}", buffer.table.size(), elements));
    }
    for (const Const& each : buffer.table) {
      if (each.type != buffer.type || !good(each)) {
        return engine_.report(Rule::IrDefinition, buffer.span, buffer.name,
                              "an element is none of its dtype");
      }
    }
  }
  return Done();
}

Result<Done> TableVerifier::exprs() {
  for (std::size_t i = 0; i < module_.expr_count(); ++i) {
    if (!good(ExprId(i), module_[ExprId(i)])) {
      return engine_.report(Rule::IrBadId, module_.span(ExprId(i)), fmt::format("expression {}", i),
                            "it names what is not there, or its operands do not fit");
    }
  }
  return Done();
}

/// Functions, and below them statements and blocks, each in one place.
Result<Done> TableVerifier::tree() {
  std::unordered_set<std::uint32_t> seen_blocks;
  std::unordered_set<std::uint32_t> seen_stmts;
  std::unordered_set<std::string> names;
  for (const Function& function : module_.functions) {
    const std::string at = "@" + function.name;
    if (!good(function.body) || !good(function.parameters)) {
      return engine_.report(Rule::IrBadId, function.span, at, "its body or a parameter is not there");
    }
    if (!names.insert(function.name).second) {
      return engine_.report(Rule::IrDefinition, function.span, at, "another function has this name");
    }
    struct Pending {
      BlockId block;
      int depth;
    };
    std::vector<Pending> pending = {{function.body, 1}};
    while (!pending.empty()) {
      const auto [block, depth] = pending.back();
      pending.pop_back();
      if (!seen_blocks.insert(block.value).second) {
        return engine_.report(Rule::IrBadId, function.span, at,
                              fmt::format("block {} is used twice", block.value));
      }
      if (depth > 256) return engine_.report(Rule::IrTooDeep, function.span, 256);
      for (const StmtId id : module_[block].statements) {
        if (id.index() >= module_.stmt_count() || !good(module_[id])) {
          return engine_.report(Rule::IrBadId, function.span, at,
                                fmt::format("statement {} names what is not there", id.value));
        }
        if (!seen_stmts.insert(id.value).second) {
          return engine_.report(Rule::IrBadId, module_.span(id), at,
                                fmt::format("statement {} is used twice", id.value));
        }
        for (const BlockId inner : blocks_of(module_[id])) pending.push_back({inner, depth + 1});
      }
    }
  }
  return Done();
}

Result<Done> TableVerifier::run() {
  PW_CHECK_OK(locals());
  PW_CHECK_OK(buffers());
  PW_CHECK_OK(exprs());
  return tree();
}

}  // namespace

Result<Done> verify_tables(const Module& module, diagnostics::Engine& engine) {
  return TableVerifier(module, engine).run();
}

}  // namespace pw::ir
