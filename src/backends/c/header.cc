#include "backends/c/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/c/lapack.h"
#include "backends/c/libraries.h"
#include "backends/c/spell.h"
#include "backends/c/toolchain.h"

namespace pw::backends::c {

namespace {

constexpr std::size_t kColumns = 110;

const ir::Function& entry(const Port& port) { return port.module.functions.back(); }

std::string file_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// "" where there is no place, else " (softmax_numpy.py:12)".
std::string place(base::Span span, const base::Sources& sources) {
  if (!span.file.valid()) return "";
  const base::SourceFile& file = sources[span.file];
  return fmt::format(" ({}:{})", file_of(file.path), file.line_column(span.begin).line);
}

/// One line, whatever the text holds.
std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
  return text;
}

void describe_parameters(Port& port, Expressions& expr, Code& code) {
  const FunctionFacts& facts = port.facts.back();
  const auto array = [&](ir::BufferId id) {
    const ir::Buffer& buffer = port.module[id];
    std::string shape;
    for (const ir::ExtentId extent : buffer.extents) shape += "[" + expr.print(extent).text + "]";
    code.line(fmt::format("//   {} {}{}{}", c_type(buffer.type), port.names.of(id), shape,
                          facts.stored.contains(id) ? ", written" : ""));
  };
  const auto scalar = [&](ir::LocalId id) {
    const ir::Local& local = port.module[id];
    code.line(fmt::format("//   {} {}{}", c_type(local.type), port.names.of(id),
                          local.kind == ir::LocalKind::Symbol ? ", a size" : ""));
  };
  code.line("// Arguments (arrays are row-major and do not overlap; integers lie in [-2^31, 2^31]):");
  for (const ir::Parameter& parameter : entry(port).parameters) {
    std::visit(ir::Overload{[&](ir::LocalId id) { scalar(id); }, [&](ir::BufferId id) { array(id); }},
               parameter);
  }
  for (std::size_t i = 0; i < entry(port).results.size(); ++i) {
    code.line(fmt::format("//   {} {}, written: what the kernel returns", c_type(entry(port).results[i]),
                          port.signatures.back().results[i]));
  }
}

void describe_status(const Port& port, const base::Sources& sources, Code& code) {
  code.line("//");
  code.line("// Status:");
  code.line("//   0 done");
  for (std::size_t i = 0; i < port.module.traps.size(); ++i) {
    const ir::TrapRow& row = port.module.traps[i];
    code.line(
        fmt::format("//   {} {}: {}{}", i + 1, row.name(), one_line(row.message), place(row.span, sources)));
  }
  const bool allocates = std::any_of(port.facts.begin(), port.facts.end(), [](const FunctionFacts& each) {
    return each.reached && !each.heap.empty();
  });
  if (allocates || port.libraries.contains(fftw().header) || port.libraries.contains(lapack().header))
    code.line("//   -1 out of memory");
}

/// Sizes and integers that are out of their range.
void check_scalars(Port& port, Code& code) {
  std::vector<std::string> sizes;
  std::vector<std::string> integers;
  for (const ir::Parameter& parameter : entry(port).parameters) {
    const auto* id = std::get_if<ir::LocalId>(&parameter);
    if (!id || !ir::is_integer(port.module[*id].type)) continue;
    const ir::Local& local = port.module[*id];
    const std::string& name = port.names.of(*id);
    if (local.kind == ir::LocalKind::Symbol) {
      sizes.push_back(fmt::format("!{}({})", port.prelude.use("is_size"), name));
    } else if (local.type == ir::DType::I64) {
      integers.push_back(fmt::format("!{}({})", port.prelude.use("is_small"), name));
    } else if (local.type == ir::DType::U64) {
      integers.push_back(fmt::format("{} > UINT64_C(1) << 31", name));
    }
  }
  if (!sizes.empty()) code.line(fmt::format("if ({}) return -4;", fmt::join(sizes, " || ")));
  if (!integers.empty()) code.line(fmt::format("if ({}) return -5;", fmt::join(integers, " || ")));
}

std::string bytes_of(Port& port, Expressions& expr, const ir::Buffer& buffer) {
  std::string text;
  for (const ir::ExtentId extent : buffer.extents) {
    const Formula size = expr.print(extent);
    const bool plain = port.module.extents.as_local(extent) || port.module.extents.as_constant(extent);
    text += plain ? fmt::format("(size_t){} * ", size.text)
                  : fmt::format("(size_t){}({}, 0) * ", port.prelude.use("max", ir::DType::I64), size.text);
  }
  return fmt::format("{}sizeof({})", text, c_type(buffer.type));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The prototype of NAME_checked: its pointers promise nothing.
std::string checked_head(const Port& port) {
  std::string head = replaced(port.signatures.back().head, "* restrict ", "* ");
  const std::string& name = port.names.of(ir::FunctionId(port.module.functions.size() - 1));
  return head.insert(head.find(name + "(") + name.size(), "_checked");
}

/// A declaration that C++ reads too: it has no `restrict`, and its `complex` is a class.
std::string shared_declaration(std::string head) {
  head = replaced(std::move(head), "* restrict ", "* ");
  for (const char* real : {"double", "float"}) {
    head = replaced(std::move(head), fmt::format("{} complex", real), fmt::format("{} _Complex", real));
  }
  return wrapped(head, 1) + ";";
}

}  // namespace

std::string wrapped(const std::string& head, std::size_t tail) {
  if (head.size() + tail <= kColumns) return head;
  const std::size_t column = head.find('(') + 1;
  std::string out;
  std::string line = head.substr(0, column);
  for (std::size_t begin = column; begin < head.size();) {
    const std::size_t comma = head.find(", ", begin);
    const std::size_t end = comma == std::string::npos ? head.size() : comma + 1;
    const std::string piece = head.substr(begin, end - begin);
    const bool first = line.size() == column;
    const std::size_t room = end == head.size() ? kColumns - tail : kColumns;
    if (!first && line.size() + 1 + piece.size() > room) {
      out += line + "\n";
      line = std::string(column, ' ') + piece;
    } else {
      line += (first ? "" : " ") + piece;
    }
    begin = end + (comma == std::string::npos ? 0 : 1);
  }
  return out + line;
}

std::string guard_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name + "_H";
}

std::string header_text(Port& port, const EmitOptions& options, const base::Sources& sources) {
  const ir::FunctionId id(port.module.functions.size() - 1);
  const std::string name = port_name(options);
  Expressions expr(port.module, port.names, port.prelude);
  Code code;
  const std::string by = options.portwright_version.empty() ? "" : " " + options.portwright_version;
  code.line(fmt::format("// {}: the kernel {} in C11 ({}), made by portwright{}.", name, options.name,
                        ir::row(options.run_dtype).numpy, by));
  if (!options.source_path.empty()) code.line(fmt::format("// Source: {}", options.source_path));
  if (!options.source_sha256.empty()) code.line(fmt::format("// sha256: {}", options.source_sha256));
  code.line("//");
  std::string_view indent = "  ";
  for (const std::string& line : build_lines(name + ".c")) {
    code.line(fmt::format("// {}{}", indent, line));
    indent = "      ";
  }
  for (const auto& [header, library] : port.libraries) {
    code.line(
        fmt::format("// Link it with {} ({}, Debian's {}).", library->flag, library->name, library->package));
  }
  code.line("//");
  describe_parameters(port, expr, code);
  if (!port.module.assumptions.empty()) {
    code.line("//");
    code.line("// Assumptions:");
    for (const std::string& each : port.module.assumptions) code.line("//   " + one_line(each));
  }
  describe_status(port, sources, code);
  const std::string guard = guard_of(port.names.of(id));
  const std::string& head = port.signatures.back().head;
  const std::string checked = checked_head(port);
  const bool boolean = checked.find("bool") != std::string::npos;
  code.line(fmt::format("#ifndef {}", guard));
  code.line(fmt::format("#define {}", guard));
  code.blank();
  if (boolean) code.line("#include <stdbool.h>");
  code.line("#include <stdint.h>");
  code.blank();
  code.line("#ifdef __cplusplus");
  code.line("extern \"C\" {");
  code.line("#endif");
  code.blank();
  code.line(shared_declaration(head));
  code.blank();
  code.line(
      fmt::format("// {}, after a check of its arguments. Status besides: -2 an array is NULL, -3 two arrays",
                  port.names.of(id)));
  code.line("// overlap, -4 a size and -5 an integer is out of range.");
  code.line(shared_declaration(checked));
  code.blank();
  code.line("#ifdef __cplusplus");
  code.line("}");
  code.line("#endif");
  code.blank();
  code.line("#endif");
  return code.text();
}

std::string checked_text(Port& port) {
  const Signature& signature = port.signatures.back();
  const ir::FunctionId id(port.module.functions.size() - 1);
  Expressions expr(port.module, port.names, port.prelude);
  Code code;
  code.open(wrapped(checked_head(port), 2));
  check_scalars(port, code);
  std::vector<std::string> rows;
  for (const ir::Parameter& parameter : entry(port).parameters) {
    const auto* buffer = std::get_if<ir::BufferId>(&parameter);
    if (!buffer) continue;
    rows.push_back(fmt::format("{{{}, {}, {}}}", port.names.of(*buffer),
                               bytes_of(port, expr, port.module[*buffer]),
                               port.facts.back().stored.contains(*buffer)));
  }
  for (std::size_t i = 0; i < signature.results.size(); ++i) {
    rows.push_back(
        fmt::format("{{{}, sizeof({}), true}}", signature.results[i], c_type(entry(port).results[i])));
  }
  const std::string call = fmt::format("{}({})", port.names.of(id), fmt::join(signature.arguments, ", "));
  if (rows.empty()) {
    code.line(fmt::format("return {};", call));
  } else {
    const std::string arrays = port.names.fresh(id, "arrays");
    const std::string line = fmt::format("const struct array {}[] = {{{}}};", arrays, fmt::join(rows, ", "));
    if (line.size() + 2 <= kColumns) {
      code.line(line);
    } else {
      code.line(fmt::format("const struct array {}[] = {{", arrays));
      for (const std::string& row : rows) code.line("    " + row + ",");
      code.line("};");
    }
    code.line(
        fmt::format("const int status = {}({}, {});", port.prelude.use("check_arrays"), arrays, rows.size()));
    code.line(wrapped(fmt::format("  return status != 0 ? status : {}", call), 1).substr(2) + ";");
  }
  code.close();
  return code.text();
}

}  // namespace pw::backends::c
