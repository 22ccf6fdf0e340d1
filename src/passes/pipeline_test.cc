// Random programs: after each pass the verifier is content, and eval gives the same bits, also when every Map
// and every loop that was proved independent runs backwards.
#include "passes/pipeline.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <random>

#include "ir/eval.h"
#include "ir/verifier.h"
#include "passes/fuse.h"
#include "passes/merge.h"
#include "passes/rewrite.h"
#include "passes/testing.h"

namespace pw::passes {
namespace {

using namespace ir;

/// Writes a program over vectors of n and m, matrices of n x m, in the manner of the NumPy front end: one
/// temporary an operation, right side before the store.
class Programs {
 public:
  explicit Programs(std::uint32_t seed) : random_(seed) {}

  std::string make() {
    text_ =
        "func @f(n: symbol in [2, _], m: symbol in [2, _], a: f64[n], b: f64[n], c: f64[n], p: f64[m], q: "
        "f64[m], "
        "x: f64[n, m], y: f64[n, m], g: i64[n]) {\n";
    text_ += "  var v: f64 = 0.5\n";
    arrays_ = {{"a", "n", ""}, {"b", "n", ""},  {"c", "n", ""}, {"p", "m", ""},
               {"q", "m", ""}, {"x", "n", "m"}, {"y", "n", "m"}};
    scalars_ = {"v"};
    block(1, 4 + pick(8));
    text_ += "}\n";
    return text_;
  }

 private:
  struct Array {
    std::string name;
    std::string rows;
    std::string columns;  // empty: a vector
  };
  struct Axis {
    std::string index;
    std::string of;      // the size it runs along
    std::string extent;  // of, of - 1 or of // 2
  };

  std::size_t pick(std::size_t below) { return random_() % below; }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, ++counter_); }
  void line(int depth, const std::string& text) { text_ += std::string(2 * depth, ' ') + text + "\n"; }

  Axis axis(const std::string& of) {
    const std::string index = fresh("i");
    switch (pick(5)) {
      case 0:
        return {index, of, of + " - 1"};
      case 1:
        return {index, of, "(" + of + " // 2)"};
      default:
        return {index, of, of};
    }
  }

  /// An index along a dimension of size `of`; injective in the axis if asked for.
  std::string index(const Axis& axis, const std::string& of, bool injective) {
    if (axis.of != of || (!injective && chance(8))) return chance(50) ? "0" : of + " - 1";
    const std::string& i = axis.index;
    if (axis.extent == of) return chance(70) ? i : fmt::format("{} - {} - 1", of, i);
    if (axis.extent == of + " - 1")
      return chance(40) ? i : chance(70) ? i + " + 1" : fmt::format("{} - {} - 1", of, i);
    return chance(40) ? "2*" + i : chance(50) ? fmt::format("2*{} + 1", i) : i;
  }

  std::string load(const std::vector<Axis>& axes, const std::string& not_this) {
    for (int tries = 0; tries < 20; ++tries) {
      const Array& array = arrays_[pick(arrays_.size())];
      if (array.name == not_this) continue;
      const auto along = [&](const std::string& of) {
        for (const Axis& each : axes) {
          if (each.of == of) return index(each, of, false);
        }
        return std::string("0");
      };
      if (array.columns.empty()) {
        const bool gather = array.rows == "n" && !axes.empty() && axes[0].of == "n" && chance(10);
        if (gather) return fmt::format("{}[g[{}]]", array.name, axes[0].index);
        return fmt::format("{}[{}]", array.name, along(array.rows));
      }
      return fmt::format("{}[{}, {}]", array.name, along(array.rows), along(array.columns));
    }
    return "1.5";
  }

  std::string value(const std::vector<Axis>& axes, const std::string& not_this, int depth = 2) {
    if (depth == 0 || chance(25)) {
      if (chance(15)) return scalars_[pick(scalars_.size())];
      return chance(10) ? fmt::format("{}.25", pick(3)) : load(axes, not_this);
    }
    static const char* const kOps[] = {"add", "sub", "mul", "div", "minimum", "add"};
    if (chance(10)) return "exp(" + value(axes, not_this, depth - 1) + ")";
    return fmt::format("{}({}, {})", kOps[pick(6)], value(axes, not_this, depth - 1),
                       value(axes, not_this, depth - 1));
  }

  static std::string head(const std::vector<Axis>& axes) {
    std::string out = "map (";
    for (const Axis& each : axes)
      out += (&each == axes.data() ? "" : ", ") + each.index + " < " + each.extent;
    return out + ") {";
  }

  std::vector<Axis> axes_of(const Array& array) {
    if (array.columns.empty()) return {axis(array.rows)};
    return {axis(array.rows), axis(array.columns)};
  }

  void temporary(int depth) {
    Array made{fresh("t"), chance(70) ? "n" : "m", ""};
    if (made.rows == "n" && chance(40)) made.columns = "m";
    line(depth, fmt::format("alloc {}: f64[{}{}]{}", made.name, made.rows, made.columns.empty() ? "" : ", m",
                            chance(70) ? " invented" : ""));
    std::vector<Axis> axes = {{fresh("i"), made.rows, made.rows}};
    if (!made.columns.empty()) axes.push_back({fresh("i"), "m", "m"});
    line(depth, head(axes));
    if (made.columns.empty() && made.rows == "n" && chance(25)) {
      const Axis inner{fresh("k"), "m", "m"};
      std::vector<Axis> both = {axes[0], inner};
      line(depth + 1, fmt::format("reduce {}: f64 = sum any ({} < m) {{", fresh("r"), inner.index));
      const std::string result = fmt::format("r{}", counter_);
      line(depth + 2, "yield " + value(both, made.name));
      line(depth + 1, "}");
      line(depth + 1, fmt::format("store {}[{}] = {}", made.name, axes[0].index, result));
    } else {
      const std::string at = made.columns.empty() ? axes[0].index : axes[0].index + ", " + axes[1].index;
      line(depth + 1,
           fmt::format("store {}[{}] = {}", made.name, at, value(axes, made.name, chance(30) ? 0 : 2)));
    }
    line(depth, "}");
    arrays_.push_back(made);
  }

  std::string target(const Array& array, const std::vector<Axis>& axes) {
    if (array.columns.empty()) return fmt::format("{}[{}]", array.name, index(axes[0], array.rows, true));
    return fmt::format("{}[{}, {}]", array.name, index(axes[0], "n", true), index(axes[1], "m", true));
  }

  /// A[slice] = expression: the right side first, into a temporary.
  void update(int depth) {
    const Array array = arrays_[pick(arrays_.size())];
    const std::vector<Axis> axes = axes_of(array);
    const std::string made = fresh("t");
    std::string sizes;
    std::string at;
    for (const Axis& each : axes) {
      sizes += (sizes.empty() ? "" : ", ") + each.extent;
      at += (at.empty() ? "" : ", ") + each.index;
    }
    line(depth, fmt::format("alloc {}: f64[{}] invented", made, sizes));
    line(depth, head(axes));
    line(depth + 1, fmt::format("store {}[{}] = {}", made, at, value(axes, made)));
    line(depth, "}");
    line(depth, head(axes));
    line(depth + 1, fmt::format("store {} = {}[{}]", target(array, axes), made, at));
    line(depth, "}");
  }

  void direct(int depth) {
    const Array array = arrays_[pick(arrays_.size())];
    const std::vector<Axis> axes = axes_of(array);
    const std::string to = target(array, axes);
    line(depth, head(axes));
    const std::string other = value(axes, array.name);
    line(depth + 1,
         fmt::format("store {} = {}", to, chance(40) ? fmt::format("add({}, {})", to, other) : other));
    line(depth, "}");
  }

  void reduction(int depth) {
    const std::vector<Axis> axes = {axis(chance(50) ? "n" : "m")};
    const std::string made = fresh("s");
    line(depth, fmt::format("reduce {}: f64 = sum any ({} < {}) {{", made, axes[0].index, axes[0].extent));
    line(depth + 1, "yield " + value(axes, ""));
    line(depth, "}");
    scalars_.push_back(made);
  }

  void loop(int depth) {
    const std::string k = fresh("k");
    line(depth, fmt::format("for {} = range(1, n, 1) {{", k));
    const std::size_t arrays = arrays_.size();
    const std::size_t scalars = scalars_.size();
    if (chance(50)) {
      const std::vector<Axis> axes = {{k, "n", "n"}};
      static const char* const kVectors[] = {"a", "b", "c"};
      for (std::size_t count = 1 + pick(2); count > 0; --count) {
        const char* const to = kVectors[pick(3)];
        const char* const from = kVectors[pick(3)];
        line(depth + 1, chance(30) ? fmt::format("set v = {}", value(axes, ""))
                                   : fmt::format("store {}[{}] = {}", to, k, value(axes, "")));
        if (chance(30)) line(depth + 1, fmt::format("store {}[{} - 1] = mul({}[{}], v)", to, k, from, k));
      }
    } else {
      block(depth + 1, 1 + pick(4));
    }
    line(depth, "}");
    arrays_.resize(arrays);
    scalars_.resize(scalars);
  }

  void branch(int depth) {
    line(depth, fmt::format("if lt({}, 1.0) {{", load({}, "")));
    const std::size_t arrays = arrays_.size();
    const std::size_t scalars = scalars_.size();
    block(depth + 1, 1 + pick(3));
    line(depth, "}");
    arrays_.resize(arrays);
    scalars_.resize(scalars);
  }

  void block(int depth, std::size_t count) {
    for (; count > 0; --count) {
      const std::size_t what = pick(100);
      if (what < 45) {
        temporary(depth);
      } else if (what < 65) {
        update(depth);
      } else if (what < 77) {
        direct(depth);
      } else if (what < 85) {
        reduction(depth);
      } else if (what < 90) {
        line(depth, "set v = " + value({}, ""));
      } else if (depth < 3 && what < 96) {
        loop(depth);
      } else if (depth < 3) {
        branch(depth);
      }
    }
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<Array> arrays_;
  std::vector<std::string> scalars_;
  int counter_ = 0;
};

/// The same module with every Map, and every loop that is not serial, run backwards.
Module backwards(const Module& module) {
  Module out = module;
  ExtentTable& extents = out.extents;
  const std::size_t count = out.stmt_count();
  for (std::size_t i = 0; i < count; ++i) {
    const StmtId id(i);
    const base::Span span = out.span(id);
    if (const auto* found = std::get_if<Map>(&out[id])) {
      const Map map = *found;
      Rewriter rewriter(out);
      for (const ir::Axis& axis : map.axes) {
        const ExtentId last = extents.subtract(axis.extent, extents.constant(1));
        rewriter.replace(axis.index, out.index(extents.subtract(last, extents.local(axis.index)), span));
      }
      rewriter.rewrite(map.body);
    }
    if (const auto* found = std::get_if<For>(&out[id]);
        found != nullptr && found->schedule != Schedule::Serial) {
      For loop = *found;
      const auto lower = out.as_extent(loop.lower);
      const auto upper = out.as_extent(loop.upper);
      if (!lower || !upper || out.as_extent(loop.step) != extents.constant(1)) continue;
      const ExtentId one = extents.constant(1);
      loop.lower = out.index(extents.subtract(*upper, one), span);
      loop.upper = out.index(extents.subtract(*lower, one), span);
      loop.step = out.index(extents.constant(-1), span);
      out[id] = loop;
    }
  }
  return out;
}

struct Outcome {
  EvalResult result;
  std::vector<std::vector<double>> arrays;
};

/// The arguments are functions of their position only.
Outcome run(const Module& module, std::int64_t n, std::int64_t m) {
  Outcome out;
  std::vector<std::int64_t> gather(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < gather.size(); ++i)
    gather[i] = static_cast<std::int64_t>((i * 7 + 3) % gather.size());
  const std::vector<std::vector<std::int64_t>> shapes = {{n}, {n}, {n}, {m}, {m}, {n, m}, {n, m}};
  for (const std::vector<std::int64_t>& shape : shapes) {
    std::size_t size = 1;
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = static_cast<double>((i * 37 + out.arrays.size() * 11) % 23) / 8.0 - 1.0;
    }
    out.arrays.push_back(values);
  }
  std::vector<EvalArgument> arguments = {const_int(DType::I64, n), const_int(DType::I64, m)};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    arguments.push_back(ArrayRef{out.arrays[i].data(), DType::F64, shapes[i]});
  }
  arguments.push_back(ArrayRef{gather.data(), DType::I64, {n}});
  out.result = eval(module, FunctionId(module.functions.size() - 1), arguments);
  return out;
}

bool same_bits(const Outcome& a, const Outcome& b) {
  if (a.result.end != b.result.end) return false;
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    for (std::size_t k = 0; k < a.arrays[i].size(); ++k) {
      const double x = a.arrays[i][k];
      const double y = b.arrays[i][k];
      const bool both_nan = x != x && y != y;  // which NaN an addition keeps is not promised
      if (!both_nan && std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y)) return false;
    }
  }
  return true;
}

/// Checks every pass on one program; false after the first failure, whose place `EXPECT` has printed.
bool check(const std::string& text, std::uint32_t seed, std::size_t& fused) {
  base::Sources sources;
  diagnostics::Engine engine(sources);
  const auto complaint = [&] {
    return engine.all().empty() ? std::string() : diagnostics::to_text(engine.all().back(), sources);
  };
  const auto parsed = parse(sources.add("program.ir", text), sources, engine);
  EXPECT_TRUE(parsed) << complaint() << "\n" << text;
  if (!parsed) return false;
  Module module = *parsed;
  std::vector<Decision> decisions;
  Options options;
  options.explain = &decisions;
  options.parallel_minimum = 1;
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{5, 4}, {2, 2}, {4, 5}};
  for (const NamedPass& pass : passes()) {
    const Module before = module;
    const auto after = pass.function(module, options, engine);
    EXPECT_TRUE(after && verify(*after, engine)) << pass.name << ", seed " << seed << ": " << complaint();
    if (engine.has_errors()) {
      ADD_FAILURE() << print(before, {.spans = false});
      return false;
    }
    module = *after;
    for (const auto& [n, m] : sizes) {
      const Outcome expected = run(*parsed, n, m);
      EXPECT_EQ(expected.result.end, EvalEnd::Returned) << expected.result.detail << "\n" << text;
      for (const Module& each : {module, backwards(module)}) {
        const Outcome got = run(each, n, m);
        if (same_bits(expected, got)) continue;
        ADD_FAILURE() << pass.name << ", seed " << seed << ", n = " << n << ", m = " << m << " "
                      << got.result.detail << "\nbefore:\n"
                      << print(before, {.spans = false}) << "after:\n"
                      << print(each, {.spans = false});
        return false;
      }
    }
  }
  for (const Decision& each : decisions) fused += each.decision == "fused" ? 1 : 0;
  return true;
}

TEST(Pipeline, RandomProgramsKeepTheirMeaning) {
  const char* const from = std::getenv("PW_SEED");
  const char* const many = std::getenv("PW_PROGRAMS");
  const std::uint32_t first = from == nullptr ? 1 : static_cast<std::uint32_t>(std::stoul(from));
  const std::uint32_t count = many == nullptr ? 40 : static_cast<std::uint32_t>(std::stoul(many));
  std::size_t fused = 0;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    if (!check(Programs(seed).make(), seed, fused)) break;
  }
  EXPECT_GT(fused, count);  // else the programs test nothing
}

}  // namespace
}  // namespace pw::passes
