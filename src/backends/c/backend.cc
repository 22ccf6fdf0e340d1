#include "backends/c/backend.h"

#include <fmt/format.h>

#include <set>

#include "backends/c/function.h"
#include "backends/c/header.h"
#include "backends/c/lapack.h"
#include "backends/c/libraries.h"
#include "backends/c/spell.h"
#include "backends/c/toolchain.h"
#include "base/check.h"

namespace pw::backends::c {

namespace {

bool orders(ir::ReduceOp op) {
  return op == ir::ReduceOp::Max || op == ir::ReduceOp::Min || op == ir::ReduceOp::ArgMax ||
         op == ir::ReduceOp::ArgMin;
}

std::vector<Refusal> can_generate(const ir::Module& module) {
  std::vector<Refusal> refusals;
  for (const ir::Block& block : module.blocks) {
    for (const ir::StmtId id : block.statements) {
      const auto* reduce = std::get_if<ir::Reduce>(&module[id]);
      if (!reduce || !orders(reduce->op) || !ir::is_complex(module.type(reduce->value))) continue;
      refusals.push_back(
          {"an extreme of complex numbers", module.span(id), "C has no order of complex numbers"});
    }
  }
  return refusals;
}

/// The kernel's named constants and tables.
std::string constants_text(const Port& port) {
  std::string out;
  for (const ir::LocalId id : port.names.configs()) {
    const ir::Local& config = port.module[id];
    const std::string value = literal(config.config).text;
    out += is_enumerator(config) ? fmt::format("enum {{ {} = {} }};\n", port.names.of(id), value)
                                 : fmt::format("static const {} {} = {};\n", c_type(config.config.type),
                                               port.names.of(id), value);
  }
  for (const ir::BufferId id : port.names.tables()) {
    const ir::Buffer& table = port.module[id];
    std::vector<std::string> values;
    for (const ir::Const& each : table.table) values.push_back(literal(each).text);
    if (values.empty()) values.emplace_back("0");
    out += fmt::format("static const {} {}[{}] = {{{}}};\n", c_type(table.type), port.names.of(id),
                       values.size(), fmt::join(values, ", "));
  }
  return out.empty() ? out : "\n" + out;
}

/// Callees before callers, the entry last; prototypes only where functions call each other in a circle.
std::vector<ir::FunctionId> order_of(const Port& port, std::string& prototypes) {
  std::vector<ir::FunctionId> order;
  std::vector<char> state(port.facts.size(), 0);  // 1 open, 2 done
  std::vector<std::pair<ir::FunctionId, std::size_t>> open = {{ir::FunctionId(port.facts.size() - 1), 0}};
  state.back() = 1;
  while (!open.empty()) {
    auto& [id, next] = open.back();
    const auto& calls = port.facts[id.index()].calls;
    if (next == calls.size()) {
      state[id.index()] = 2;
      order.push_back(id);
      open.pop_back();
      continue;
    }
    const ir::FunctionId callee = calls[next++];
    if (state[callee.index()] == 1) {
      prototypes += "\n" + wrapped(port.signatures[callee.index()].head, 1) + ";\n";
    } else if (state[callee.index()] == 0) {
      state[callee.index()] = 1;
      open.emplace_back(callee, 0);
    }
  }
  return order;
}

/// Library routines, and what they call.
std::set<ir::FunctionId> routines_of(const Port& port) {
  std::set<ir::FunctionId> out;
  std::vector<ir::FunctionId> open;
  for (std::size_t i = 0; i < port.facts.size(); ++i) {
    if (port.module.functions[i].routine != ir::Routine::None) open.emplace_back(i);
  }
  while (!open.empty()) {
    const ir::FunctionId id = open.back();
    open.pop_back();
    if (!out.insert(id).second) continue;
    const auto& calls = port.facts[id.index()].calls;
    open.insert(open.end(), calls.begin(), calls.end());
  }
  return out;
}

/// What a text includes, the shared header last.
std::string includes_text(const std::string& text, bool shares) {
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  const auto include = [&](const runtime::Library& library, const char* prefix) {
    return says(prefix) ? fmt::format("#include <{}>\n", library.header) : std::string();
  };
  std::string out = include(blas(), "cblas_") + include(lapack(), "LAPACKE_");
  if (says("float complex") || says("double complex") || says("CMPLX")) out += "#include <complex.h>\n";
  out += include(fftw(), "fftw_");
  const std::string rest = includes_for(text);
  const std::size_t middle = rest.find("#include <stddef.h>");
  out += rest.substr(0, middle);
  if (says("bool ")) out += "#include <stdbool.h>\n";
  out += rest.substr(middle);
  if (shares) out += "\n#include \"portwright.h\"\n";
  return out;
}

struct Texts {
  std::string source;
  std::string routines;  // a header that the source includes; empty: there are none
};

Texts texts(Port& port, const std::string& name) {
  std::string functions;
  std::string routines;
  const std::vector<ir::FunctionId> order = order_of(port, functions);
  const std::set<ir::FunctionId> library = routines_of(port);
  for (const ir::FunctionId id : order) {
    (library.contains(id) ? routines : functions) += "\n" + FunctionPrinter(port, id).print();
  }
  functions += "\n" + checked_text(port);
  const bool shares = port.prelude.used() || port.shares_loops;
  std::string body = constants_text(port);
  if (!routines.empty()) body += fmt::format("\n#include \"{}_routines.h\"\n", name);
  body += functions;
  Texts out;
  out.source = fmt::format("#include \"{}.h\"\n\n", name) + includes_text(body, shares) + body;
  if (!routines.empty()) {
    const std::string guard = guard_of(port.names.of(ir::FunctionId(port.facts.size() - 1)) + "_routines");
    out.routines =
        fmt::format("// The library routines that {0}.c calls; nothing else includes them.\n", name) +
        fmt::format("#ifndef {0}\n#define {0}\n\n", guard) + includes_text(routines, shares) + routines +
        "\n#endif\n";
  }
  return out;
}

/// Maps that a pass has found to be products of matrices.
std::vector<ir::StmtId> product_maps(const ir::Module& module) {
  std::vector<ir::StmtId> out;
  for (std::size_t i = 0; i < module.stmt_count(); ++i) {
    const auto* map = std::get_if<ir::Map>(&module[ir::StmtId(i)]);
    if (map != nullptr && map->library) out.emplace_back(i);
  }
  return out;
}

std::unordered_map<ir::StmtId, passes::Contraction> products_of(ir::Module& module,
                                                                const std::vector<ir::StmtId>& maps) {
  std::unordered_map<ir::StmtId, passes::Contraction> out;
  for (const ir::StmtId id : maps) {
    const ir::Map map = std::get<ir::Map>(module[id]);
    if (auto product = passes::contraction_of(module, map)) out.emplace(id, std::move(*product));
  }
  return out;
}

base::Result<Emitted> emit(const ir::Module& given, const EmitOptions& options, diagnostics::Engine& engine) {
  PW_CHECK(!given.functions.empty(), "a module without an entry");
  PW_CHECK_OK(report_refusals(can_generate(given), "C", engine));
  const std::string name = port_name(options);
  std::set<ir::FunctionId> replaced;
  for (std::size_t i = 0; i < given.functions.size(); ++i) {
    if (options.libraries.fftw && given.functions[i].routine == ir::Routine::Fft) replaced.emplace(i);
  }
  // What a product is of are expressions of their own; without one nothing is added.
  const std::vector<ir::StmtId> maps = product_maps(given);
  std::optional<ir::Module> extended;
  if (!maps.empty()) extended = given;
  const ir::Module& module = extended ? *extended : given;
  const auto products =
      extended ? products_of(*extended, maps) : std::unordered_map<ir::StmtId, passes::Contraction>();
  const std::set<ir::FunctionId> helped =
      options.libraries.lapack ? lapack_functions(module) : std::set<ir::FunctionId>();
  const std::vector<FunctionFacts> facts = function_facts(module, replaced, helped);
  std::string symbol = identifier(name);
  while (reserved_names().contains(symbol) || library_names().contains(symbol)) symbol += "_";
  Names names(module, facts, symbol, reserved_names(), library_names());
  Prelude prelude;
  Port port{module, facts, names, prelude, options.openmp, {}, options.libraries.fftw, products, helped};
  port.signatures.resize(facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].reached) port.signatures[i] = make_signature(port, ir::FunctionId(i));
  }
  Texts text = texts(port, name);
  Emitted out;
  out.files.push_back({name + ".c", std::move(text.source)});
  out.files.push_back({name + ".h", header_text(port, options, engine.sources())});
  out.files.push_back({"portwright.h", support_text()});
  if (!text.routines.empty()) out.files.push_back({name + "_routines.h", std::move(text.routines)});
  out.symbol = symbol;
  out.checked = symbol + "_checked";
  out.recipe = recipe();
  for (const auto& [header, library] : port.libraries) out.recipe.libraries.push_back(*library);
  if (port.shares_loops) out.threaded_flags = {"-O1", "-DPARALLEL_FROM=0"};
  return out;
}

}  // namespace

const Backend kBackend = {"c", "C11", &can_generate, &emit};

}  // namespace pw::backends::c
