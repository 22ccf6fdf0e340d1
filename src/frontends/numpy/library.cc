// The table of functions.def and ops.def, the names that are no functions, and the check of a call against
// its row.
#include "frontends/numpy/library.h"

#include <fmt/format.h>

#include <deque>
#include <limits>
#include <map>
#include <numbers>
#include <unordered_map>

#include "frontends/numpy/functions/functions.h"

namespace pw::numpy {

namespace {

struct Parameter {
  std::string_view name;
  std::string_view fallback;  // empty: required
  bool only_default = false;
  bool keyword_only = false;
  bool rest = false;
};

std::vector<Parameter> parse(std::string_view text) {
  std::vector<Parameter> out;
  bool keyword_only = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word == "/") {
      keyword_only = true;
      continue;
    }
    Parameter each;
    each.keyword_only = keyword_only;
    each.only_default = word.starts_with('~');
    each.rest = word.starts_with('*');
    if (each.only_default || each.rest) word.remove_prefix(1);
    const std::size_t equals = word.find('=');
    each.name = word.substr(0, equals);
    if (equals != std::string_view::npos) each.fallback = word.substr(equals + 1);
    keyword_only = keyword_only || each.rest;
    out.push_back(each);
  }
  return out;
}

/// The parameters as a user would write them.
std::string signature(const std::vector<Parameter>& parameters) {
  std::string out;
  for (const Parameter& each : parameters) {
    if (each.only_default) continue;
    if (!out.empty()) out += ", ";
    if (each.rest) out += "*";
    out += each.name;
    if (!each.fallback.empty()) out += fmt::format("={}", each.fallback);
  }
  return out;
}

bool is_default(const Value& value, std::string_view fallback) {
  if (value.is<None>()) return fallback == "None";
  if (const auto* flag = value.as<bool>()) return fallback == (*flag ? "True" : "False");
  if (const auto* number = value.as<std::int64_t>()) return fallback == fmt::format("{}", *number);
  // Memory order is not seen in values: C, K and A give the same, and a new array has no other order to lose.
  if (const auto* text = value.as<std::string>()) {
    const bool orders = fallback == "C" || fallback == "K";
    return *text == fallback || (orders && (*text == "C" || *text == "K" || *text == "A" || *text == "F"));
  }
  return false;
}

std::string_view ufunc_parameters(std::size_t arity) {
  return arity == 1 ? "x out=None / dtype=None ~where=True ~casting=same_kind ~order=K"
                    : "x1 x2 out=None / dtype=None ~where=True ~casting=same_kind ~order=K";
}

std::vector<FunctionRow> make_rows() {
  std::vector<FunctionRow> rows = {
#define FUNCTION(name, body, parameters) {name, functions::body, parameters},
#define UFUNC(name, op) {name, functions::ufunc_call, ufunc_parameters(ir::row(ir::Op::op).arity)},
#include "frontends/numpy/functions/functions.def"
  };
  static std::deque<std::string> names;
  const auto add = [&](std::string name, FunctionBody body, std::string_view parameters) {
    for (const FunctionRow& row : rows) {
      if (row.name == name) return;
    }
    rows.push_back({names.emplace_back(std::move(name)), body, parameters});
  };
  const auto add_methods = [&](const std::string& name) {
    add(name + ".at", functions::ufunc_at, "a indices b");
    add(name + ".reduce", functions::ufunc_reduce, "array axis=0 dtype=None out=None keepdims=False");
    add(name + ".accumulate", functions::ufunc_accumulate, "array axis=0 dtype=None out=None");
    add(name + ".outer", functions::ufunc_outer, "A B");
  };
  for (const ir::OpRow& op : ir::op_rows()) {
    if (op.numpy.empty() || op.arity > 2) continue;
    const std::string name = "numpy." + std::string(op.numpy);
    add(name, functions::ufunc_call, ufunc_parameters(op.arity));
    if (op.arity == 2) add_methods(name);
  }
#define FUNCTION(name, body, parameters)
#define UFUNC(name, op) \
  if (ir::row(ir::Op::op).arity == 2) add_methods(name);
#include "frontends/numpy/functions/functions.def"
  return rows;
}

std::unordered_map<std::string_view, Value> make_constants() {
  std::unordered_map<std::string_view, Value> out;
  const auto number = [&](std::string_view name, double what) { out.emplace(name, value(what)); };
  number("numpy.pi", std::numbers::pi);
  number("numpy.e", std::numbers::e);
  number("numpy.euler_gamma", std::numbers::egamma);
  number("numpy.inf", std::numeric_limits<double>::infinity());
  number("numpy.nan", std::numeric_limits<double>::quiet_NaN());
  number("math.pi", std::numbers::pi);
  number("math.e", std::numbers::e);
  number("math.tau", 2 * std::numbers::pi);
  number("math.inf", std::numeric_limits<double>::infinity());
  number("math.nan", std::numeric_limits<double>::quiet_NaN());
  out.emplace("numpy.newaxis", value(None{}));
  // Objects that are subscripted, np.mgrid[0:n, 0:m]; their rows make the grid.
  for (const std::string_view name :
       {"numpy.mgrid", "numpy.ogrid", "numpy.s_", "numpy.index_exp", "numpy.r_", "numpy.c_"}) {
    out.emplace(name, value(ModuleObject{std::string(name)}));
  }
  static constexpr std::pair<std::string_view, ir::DType> kDTypes[] = {
      {"numpy.bool", ir::DType::Bool},     {"numpy.bool_", ir::DType::Bool},
      {"numpy.int8", ir::DType::I8},       {"numpy.int16", ir::DType::I16},
      {"numpy.int32", ir::DType::I32},     {"numpy.int64", ir::DType::I64},
      {"numpy.uint8", ir::DType::U8},      {"numpy.uint16", ir::DType::U16},
      {"numpy.uint32", ir::DType::U32},    {"numpy.uint64", ir::DType::U64},
      {"numpy.float32", ir::DType::F32},   {"numpy.float64", ir::DType::F64},
      {"numpy.complex64", ir::DType::C64}, {"numpy.complex128", ir::DType::C128},
      {"numpy.intp", ir::DType::I64},      {"numpy.int_", ir::DType::I64},
      {"numpy.uintp", ir::DType::U64},     {"numpy.uint", ir::DType::U64},
      {"numpy.longlong", ir::DType::I64},  {"numpy.ulonglong", ir::DType::U64},
      {"numpy.intc", ir::DType::I32},      {"numpy.uintc", ir::DType::U32},
      {"numpy.short", ir::DType::I16},     {"numpy.ushort", ir::DType::U16},
      {"numpy.byte", ir::DType::I8},       {"numpy.ubyte", ir::DType::U8},
      {"numpy.single", ir::DType::F32},    {"numpy.double", ir::DType::F64},
      {"numpy.csingle", ir::DType::C64},   {"numpy.cdouble", ir::DType::C128},
  };
  for (const auto& [name, type] : kDTypes) out.emplace(name, value(DTypeObject{type}));
  static constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
      {"numpy.ndarray", "ndarray"},
      {"numpy.generic", "generic"},
      {"numpy.number", "number"},
      {"numpy.integer", "integer"},
      {"numpy.signedinteger", "signedinteger"},
      {"numpy.unsignedinteger", "unsignedinteger"},
      {"numpy.inexact", "inexact"},
      {"numpy.floating", "floating"},
      {"numpy.complexfloating", "complexfloating"},
      {"numpy.linalg.LinAlgError", "LinAlgError"},
      {"int", "int"},
      {"float", "float"},
      {"bool", "bool"},
      {"complex", "complex"},
      {"str", "str"},
      {"tuple", "tuple"},
      {"list", "list"},
      {"dict", "dict"},
      {"slice", "slice"},
      {"range", "range"},
  };
  for (const auto& [name, text] : kClasses) out.emplace(name, value(ClassObject{std::string(text)}));
  return out;
}

}  // namespace

const Value* Arguments::find(std::size_t position, std::string_view keyword) const {
  if (position < positional.size()) return &positional[position];
  for (const auto& [name, value] : keywords) {
    if (name == keyword) return &value;
  }
  return nullptr;
}

const std::vector<FunctionRow>& function_rows() {
  static const std::vector<FunctionRow> rows = make_rows();
  return rows;
}

const FunctionRow* find_function(std::string_view dotted_name) {
  static const std::unordered_map<std::string_view, const FunctionRow*> by_name = [] {
    std::unordered_map<std::string_view, const FunctionRow*> out;
    for (const FunctionRow& row : function_rows()) out.emplace(row.name, &row);
    return out;
  }();
  const auto found = by_name.find(dotted_name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string function_page() {
  std::string out =
      "# NumPy functions\n\n"
      "What staging knows, with the arguments that it takes; anything else is refused where it is called "
      "(numpy-unknown-function,\nnumpy-argument). Made from `src/frontends/numpy/functions/functions.def` "
      "and "
      "`src/ir/ops.def` by `stage_eval --page`. Meanings\nare NumPy 2's. Elementwise functions of two "
      "arguments "
      "have the methods `at`, `outer`, `reduce` and `accumulate` (the last two\nfor add, multiply, maximum, "
      "minimum; `reduce` also for logical_and and logical_or). The dtypes are those that the cases of\n"
      "`tests/numpy/compare_functions.py` call a function with and compare with NumPy's results; its "
      "`--page` "
      "adds them.\n\n`argsort` keeps equal keys in their order for every kind. NumPy promises that for "
      "`kind='stable'` only: its other kinds give them\nin an order that differs between machines.\n\n| "
      "function | "
      "arguments |\n|---|---|\n";
  std::map<std::string_view, std::string_view> sorted;
  for (const FunctionRow& row : function_rows()) {
    const std::size_t method = row.name.rfind('.');
    const bool of_ufunc = method != std::string_view::npos && functions::ufunc_op(row.name.substr(0, method));
    if (!of_ufunc) sorted.emplace(row.name, row.parameters);
  }
  for (const auto& [name, parameters] : sorted) {
    out += fmt::format("| `{}` | `{}` |\n", name, signature(parse(parameters)));
  }
  return out;
}

std::optional<Value> find_constant(std::string_view dotted_name) {
  static const std::unordered_map<std::string_view, Value> constants = make_constants();
  const auto found = constants.find(dotted_name);
  return found == constants.end() ? std::nullopt : std::optional(found->second);
}

base::Result<base::Done> check_arguments(Stager& stager, const FunctionRow& row, const Arguments& arguments) {
  const std::vector<Parameter> parameters = parse(row.parameters);
  const auto fail = [&](const std::string& what) {
    return stager.engine.report(Rule::NumpyArgument, arguments.span, row.name, what, signature(parameters));
  };
  std::size_t positions = 0;
  bool rest = false;
  for (const Parameter& each : parameters) {
    rest = rest || each.rest;
    if (!each.rest && !each.keyword_only) ++positions;
  }
  const std::size_t count = arguments.positional.size();
  if (count > positions && !rest) return fail(fmt::format("with {} positional arguments", count));
  for (const auto& [name, value] : arguments.keywords) {
    std::size_t k = 0;
    while (k < parameters.size() && (parameters[k].name != name || parameters[k].rest)) ++k;
    if (k == parameters.size()) return fail(fmt::format("with the keyword {}", name));
    if (k < count && k < positions) return fail(fmt::format("with {} twice", name));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& each = parameters[k];
    if (each.rest) continue;
    const Value* value = arguments.find(each.keyword_only ? count : k, each.name);
    if (value == nullptr && each.fallback.empty()) return fail(fmt::format("without {}", each.name));
    if (value != nullptr && each.only_default && !is_default(*value, each.fallback)) {
      return fail(fmt::format("with {} other than {}", each.name, each.fallback));
    }
  }
  return base::Done{};
}

}  // namespace pw::numpy
