// pw_filetest [--update] FILE...: tests that are files of IR text.
//
//   ; test verify print eval        the first line: what the file tests
//   func @f(...) { ... }
//   ; run: @f([1.0, nan], 2, n=3) == [2.0, nan], 7, x=[0.0]
//
// verify: the verifier (or the parser) reports an error exactly on the lines that end in `; error: text`,
// each containing the text. print: the text is as the printer writes it. eval: each `run` line holds;
// arguments stand for the parameters that are neither symbols nor promoted returns; symbols follow from
// shapes or are given by name; results are the promoted returns, then the scalar ones, then parameters by
// name as the call left them, or `trap 2`, `violation`, `out of steps`. NaNs are equal, -0.0 and 0.0 differ.
// --update rewrites the text of print tests and the results of run lines.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <set>

#include "diagnostics/engine.h"
#include "ir/eval.h"
#include "ir/lexer.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/scalar.h"
#include "ir/verifier.h"

namespace {

using namespace pw;
using ir::Const;
using ir::DType;

/// A number, a pair (complex) or nested lists, of which the shape follows.
struct Literal {
  std::vector<std::string> numbers;  // two an element for pairs
  std::vector<std::int64_t> shape;
};

struct Item {
  std::string name;  // empty: by position
  Literal value;
};

class RunLine {
 public:
  explicit RunLine(std::string_view text) : tokens_(ir::lex(text)) {}

  bool parse() {
    if (peek().kind != ir::TokenKind::Function) return false;
    function = std::string(next().text);
    if (!take("(") || !items(arguments, ")") || !take(")")) return false;
    if (!take("=") || !take("=")) return false;
    return true;
  }
  bool parse_results() { return items(results, "") && peek().kind == ir::TokenKind::Newline; }
  std::size_t results_begin() const { return peek().begin; }

  std::string function;
  std::vector<Item> arguments;
  std::vector<Item> results;

 private:
  const ir::Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const ir::Token& next() { return tokens_[at_++]; }
  bool take(std::string_view mark) {
    if (peek().kind != ir::TokenKind::Mark || peek().text != mark) return false;
    ++at_;
    return true;
  }

  bool items(std::vector<Item>& out, std::string_view close) {
    while (peek().kind != ir::TokenKind::Newline && peek().text != close) {
      if (!out.empty() && !take(",")) return false;
      Item item;
      if (peek().kind == ir::TokenKind::Name && peek(1).text == "=") {
        item.name = std::string(next().text);
        ++at_;
      }
      if (!value(item.value, 0)) return false;
      out.push_back(std::move(item));
    }
    return true;
  }

  bool number(Literal& out) {
    std::string text = take("-") ? "-" : "";
    const bool fits = peek().kind == ir::TokenKind::Integer || peek().kind == ir::TokenKind::Float ||
                      peek().kind == ir::TokenKind::Name;
    if (!fits) return false;
    out.numbers.push_back(text + std::string(next().text));
    return true;
  }

  bool value(Literal& out, std::size_t depth) {
    if (take("(")) return number(out) && take(",") && number(out) && take(")");
    if (!take("[")) return number(out);
    if (out.shape.size() <= depth) out.shape.push_back(-1);
    std::int64_t count = 0;
    for (; !take("]"); ++count) {
      if (count > 0 && !take(",")) return false;
      if (!value(out, depth + 1)) return false;
    }
    if (out.shape[depth] != -1 && out.shape[depth] != count) return false;
    out.shape[depth] = count;
    return true;
  }

  std::vector<ir::Token> tokens_;
  std::size_t at_ = 0;
};

double real_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

Const element(DType type, const Literal& literal, std::size_t index) {
  if (is_complex(type)) {
    return ir::const_complex(
        type, {real_number(literal.numbers[2 * index]), real_number(literal.numbers[2 * index + 1])});
  }
  const std::string& text = literal.numbers[index];
  if (is_float(type)) return ir::const_float(type, real_number(text));
  if (text == "true") return ir::const_bool(true);
  if (text == "false") return ir::const_bool(false);
  std::uint64_t magnitude = 0;
  const bool negative = text[0] == '-';
  std::from_chars(text.data() + (negative ? 1 : 0), text.data() + text.size(), magnitude);
  return ir::const_int(type, static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
}

std::string text_of(const Const& constant) {
  if (is_complex(constant.type)) {
    const DType part = real_of(constant.type);
    return fmt::format("({}, {})", text_of(Const{part, constant.bits, 0}),
                       text_of(Const{part, constant.imag_bits, 0}));
  }
  if (is_float(constant.type) && ir::as_float(constant) != ir::as_float(constant)) return "nan";
  const std::string text = ir::print(constant);
  return text.substr(0, text.find(':'));
}

/// An array of a call, in memory of its own.
struct Held {
  DType type;
  std::vector<std::int64_t> shape;
  std::vector<unsigned char> bytes;

  static Held make(DType type, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    return {type, std::move(shape), std::vector<unsigned char>(count * row(type).bytes, 0xFF)};
  }
  std::string text(std::size_t dimension, std::int64_t& at) const {
    if (dimension == shape.size())
      return text_of(ir::const_of(type, ir::load_scalar(type, bytes.data(), at++)));
    std::vector<std::string> parts;
    for (std::int64_t i = 0; i < shape[dimension]; ++i) parts.push_back(text(dimension + 1, at));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  std::string text() const {
    std::int64_t at = 0;
    return text(0, at);
  }
};

class FileTest {
 public:
  FileTest(std::string path, bool update) : path_(std::move(path)), update_(update) {}

  bool run() {
    const auto file = sources_.load(path_);
    if (!file) return fail(1, "cannot be read");
    file_ = *file;
    const std::string& text = sources_[file_].text;
    if (text.rfind("; test ", 0) != 0) return fail(1, "the first line must be `; test verify print eval`");
    const std::string head = text.substr(0, text.find('\n')) + " ";
    auto module = ir::parse(file_, sources_, engine_);
    if (module) (void)ir::verify(*module, engine_);
    if (head.find(" verify ") != std::string::npos || !module) check_errors();
    if (!module) return passed_;
    module_ = &*module;
    std::string updated = text;
    if (head.find(" print ") != std::string::npos) updated = check_print(updated);
    if (head.find(" eval ") != std::string::npos) updated = check_runs(updated);
    if (update_ && updated != text) base::write_file_whole(path_, updated);
    return passed_;
  }

 private:
  bool fail(std::size_t line, const std::string& what) {
    fmt::print("{}:{}: {}\n", path_, line, what);
    passed_ = false;
    return false;
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  void check_errors() {
    std::multimap<std::size_t, std::string> found;
    for (const auto& each : engine_.all()) {
      found.emplace(sources_[file_].line_column(each.span.begin).line,
                    fmt::format("{}: {}", diagnostics::row(each.rule).rule, each.message));
    }
    const std::vector<std::string> lines = lines_of(sources_[file_].text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t mark = lines[i].find("; error: ");
      const auto [first, last] = found.equal_range(i + 1);
      if (mark == std::string::npos) {
        for (auto it = first; it != last; ++it) fail(i + 1, "unexpected " + it->second);
        continue;
      }
      const std::string wanted = lines[i].substr(mark + 9);
      bool matched = false;
      for (auto it = first; it != last; ++it) {
        const bool same = it->second.find(wanted) != std::string::npos;
        if (!same) fail(i + 1, "unexpected " + it->second);
        matched = matched || same;
      }
      if (!matched) fail(i + 1, "no error has `" + wanted + "`");
    }
  }

  std::string check_print(const std::string& text) {
    const std::string printed = ir::print(*module_, ir::PrintOptions{.spans = false});
    std::vector<std::string> head;
    std::vector<std::string> body;
    std::vector<std::string> tail;
    for (const std::string& line : lines_of(text)) {
      const bool comment = line.empty() || line[0] == ';';
      (comment ? (body.empty() ? head : tail) : body).push_back(line);
    }
    std::vector<std::string> wanted;
    for (const std::string& line : lines_of(printed)) {
      if (!line.empty()) wanted.push_back(line);
    }
    if (wanted == body) {
      base::Sources again;
      diagnostics::Engine engine(again);
      const std::string with_places = ir::print(*module_);
      const auto second = ir::parse(again.add("again", with_places), again, engine);
      if (!second || ir::print(*second) != with_places)
        fail(1, "the printed text reads back as another module");
      return text;
    }
    if (update_) {
      return fmt::format("{}\n{}{}\n", fmt::join(head, "\n"), printed, fmt::join(tail, "\n"));
    }
    for (std::size_t i = 0; i < std::max(wanted.size(), body.size()); ++i) {
      const std::string is = i < body.size() ? body[i] : "";
      const std::string should = i < wanted.size() ? wanted[i] : "";
      if (is != should) {
        fail(i + 1 + head.size(), "printed as `" + should + "`");
        break;
      }
    }
    return text;
  }

  std::string check_runs(const std::string& text) {
    std::string out;
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string line = lines[i];
      if (line.rfind("; run: ", 0) == 0) {
        RunLine run(std::string_view(line).substr(7));
        if (!run.parse()) {
          fail(i + 1, "the run line cannot be read");
        } else {
          const std::size_t results = 7 + run.results_begin();
          const std::string wanted = line.substr(results);
          std::string names;
          const std::string got = call(run, wanted);
          if (got != wanted) {
            if (update_) {
              line = line.substr(0, results) + got;
            } else {
              fail(i + 1, "gives " + got);
            }
          }
        }
      }
      out += line + "\n";
    }
    return out;
  }

  /// The function's results as a run line has them; `wanted` names the parameters to show.
  std::string call(RunLine& run, const std::string& wanted) {
    ir::FunctionId id;
    for (std::size_t i = 0; i < module_->functions.size(); ++i) {
      if (module_->functions[i].name == run.function) id = ir::FunctionId(i);
    }
    if (!id.valid()) return "no such function";
    const ir::Function& function = (*module_)[id];
    const std::size_t given = function.parameters.size() - function.promoted;
    std::vector<ir::EvalArgument> arguments(function.parameters.size());
    std::vector<Held> held(function.parameters.size());
    std::map<std::string, std::size_t> by_name;
    std::map<std::uint32_t, std::int64_t> symbols;
    std::size_t next = 0;
    std::vector<const Item*> positional;
    for (const Item& item : run.arguments) {
      if (item.name.empty()) positional.push_back(&item);
    }
    for (std::size_t i = 0; i < given; ++i) {
      const auto* local = std::get_if<ir::LocalId>(&function.parameters[i]);
      if (local != nullptr && (*module_)[*local].kind == ir::LocalKind::Symbol) {
        for (const Item& item : run.arguments) {
          if (item.name == (*module_)[*local].name)
            symbols[local->value] = std::stoll(item.value.numbers.at(0));
        }
        continue;
      }
      if (next == positional.size()) return "too few arguments";
      const Literal& literal = positional[next++]->value;
      if (local != nullptr) {
        arguments[i] = element((*module_)[*local].type, literal, 0);
        continue;
      }
      const ir::Buffer& buffer = (*module_)[std::get<ir::BufferId>(function.parameters[i])];
      std::vector<std::int64_t> shape = literal.shape;
      shape.resize(buffer.extents.size(), 0);
      held[i] = Held::make(buffer.type, shape);
      const std::size_t count = literal.numbers.size() / (is_complex(buffer.type) ? 2 : 1);
      if (held[i].bytes.size() != count * row(buffer.type).bytes) return "a ragged list";
      for (std::size_t k = 0; k < count; ++k) {
        ir::store_scalar(buffer.type, held[i].bytes.data(), static_cast<std::int64_t>(k),
                         ir::scalar_of(element(buffer.type, literal, k)));
      }
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (const auto symbol = module_->extents.as_local(buffer.extents[d]))
          symbols.try_emplace(symbol->value, shape[d]);
      }
    }
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const auto* local = std::get_if<ir::LocalId>(&function.parameters[i]);
      if (local != nullptr && (*module_)[*local].kind == ir::LocalKind::Symbol) {
        arguments[i] = ir::const_int(DType::I64, symbols[local->value]);
      }
    }
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const auto* buffer = std::get_if<ir::BufferId>(&function.parameters[i]);
      if (buffer == nullptr) continue;
      const auto shape = ir::parameter_shape(*module_, id, i, arguments);
      if (!shape) return "an impossible shape";
      if (i >= given) held[i] = Held::make((*module_)[*buffer].type, *shape);
      if (held[i].bytes.empty()) held[i].shape = *shape;
      arguments[i] = ir::ArrayRef{held[i].bytes.data(), held[i].type, held[i].shape};
    }
    ir::EvalOptions options;
    options.max_steps = 10'000'000;
    options.max_bytes = 1U << 26U;
    const ir::EvalResult result = ir::eval(*module_, id, arguments, options);
    switch (result.end) {
      case ir::EvalEnd::Returned:
        break;
      case ir::EvalEnd::Trapped:
        return fmt::format("trap {}", result.status);
      case ir::EvalEnd::Violation:
        return "violation: " + result.detail;
      case ir::EvalEnd::OutOfSteps:
        return "out of steps";
      case ir::EvalEnd::OutOfMemory:
        return "out of memory";
      case ir::EvalEnd::BadArgument:
        return "bad argument: " + result.detail;
    }
    std::vector<std::string> out;
    for (std::size_t i = given; i < held.size(); ++i) out.push_back(held[i].text());
    for (const Const& each : result.results) out.push_back(text_of(each));
    for (std::size_t i = 0; i < given; ++i) {
      const auto* buffer = std::get_if<ir::BufferId>(&function.parameters[i]);
      if (buffer == nullptr) continue;
      const std::string name = (*module_)[*buffer].name + "=";
      const bool shown = wanted.rfind(name, 0) == 0 || wanted.find(" " + name) != std::string::npos;
      if (shown) out.push_back(name + held[i].text());
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  std::string path_;
  bool update_;
  base::Sources sources_;
  diagnostics::Engine engine_{sources_};
  base::FileId file_;
  const ir::Module* module_ = nullptr;
  bool passed_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  bool update = false;
  bool passed = true;
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--update") {
      update = true;
      continue;
    }
    ++files;
    passed = FileTest(argument, update).run() && passed;
  }
  fmt::print("{} files: {}\n", files, passed ? "passed" : "FAILED");
  return passed && files > 0 ? 0 : 1;
}
