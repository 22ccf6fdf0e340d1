// Products of arrays: dot and its kin, einsum, trace, kron, cross.
// Source: https://numpy.org/doc/stable/reference/routines.linalg.html, numpy.einsum
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.h"
#include "frontends/numpy/functions/functions.h"

namespace pw::numpy::functions {

namespace {

Result<Array> array_at(Stager& stager, const Arguments& arguments, std::size_t position,
                       std::string_view keyword) {
  return stager.to_array(required(arguments, position, keyword), std::nullopt, arguments.span);
}

std::vector<int> labels(int first, std::size_t count) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

ir::DType common_type(Stager& stager, std::span<const Labelled> operands) {
  ir::DType type = stager.type_of(operands[0].array);
  for (const Labelled& each : operands) type = ir::promote(type, stager.type_of(each.array));
  return type;
}

Result<Value> contract_common(Stager& stager, const Labelled& a, const Labelled& b,
                              std::span<const int> output, base::Span span) {
  const std::vector<Labelled> both = {a, b};
  return contract(stager, both, output, common_type(stager, both), span);
}

/// One operand's or the output's subscripts; kDots stands for "...".
constexpr int kDots = -1000;

Result<std::vector<int>> parse_term(Stager& stager, const Arguments& arguments, std::string_view text) {
  std::vector<int> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (text.substr(i).starts_with("...")) {
      out.push_back(kDots);
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out.push_back(c);
    } else {
      return bad_call(stager, arguments, fmt::format("with '{}' in its subscripts", c));
    }
  }
  if (std::count(out.begin(), out.end(), kDots) > 1)
    return bad_call(stager, arguments, "with two ellipses in a term");
  return out;
}

/// "..." as labels -1, -2, ... counted from the last axis, so that they broadcast.
void expand_dots(std::vector<int>& term, std::size_t count) {
  const auto at = std::find(term.begin(), term.end(), kDots);
  if (at == term.end()) return;
  const auto place = term.erase(at) - term.begin();
  for (std::size_t k = 0; k < count; ++k) {
    term.insert(term.begin() + place + static_cast<std::ptrdiff_t>(k), -static_cast<int>(count - k));
  }
}

/// Without "->": the ellipsis, then the labels that occur once, in alphabetical order.
std::vector<int> implied_output(std::span<const Labelled> operands, std::size_t dots) {
  std::map<int, int> uses;
  for (const Labelled& each : operands) {
    for (const int label : each.labels) ++uses[label];
  }
  std::vector<int> out = {kDots};
  for (const auto& [label, count] : uses) {
    if (label > 0 && count == 1) out.push_back(label);
  }
  expand_dots(out, dots);
  return out;
}

/// Extents of all labels; sizes that share one must be equal, or one.
Result<std::map<int, ir::ExtentId>> label_extents(Stager& stager, std::span<const Labelled> operands,
                                                  base::Span span) {
  std::map<int, ir::ExtentId> out;
  for (const Labelled& each : operands) {
    for (std::size_t k = 0; k < each.labels.size(); ++k) {
      const auto [at, added] = out.emplace(each.labels[k], each.array.shape[k]);
      if (added || stager.extents().as_constant(each.array.shape[k]) == 1) continue;
      if (stager.extents().as_constant(at->second) != 1) {
        PW_CHECK_OK(stager.require_equal(at->second, each.array.shape[k], span));
      }
      if (!stager.extents().as_constant(at->second) || stager.extents().as_constant(at->second) == 1) {
        at->second = each.array.shape[k];
      }
    }
  }
  return out;
}

}  // namespace

Result<Value> contract(Stager& stager, std::span<const Labelled> operands, std::span<const int> output,
                       ir::DType type, base::Span span) {
  PW_TRY(const auto extents, label_extents(stager, operands, span));
  std::vector<int> summed;
  std::vector<ir::ExtentId> depth;
  std::vector<ir::ExtentId> shape;
  for (const auto& [label, extent] : extents) {
    if (std::find(output.begin(), output.end(), label) != output.end()) continue;
    summed.push_back(label);
    depth.push_back(extent);
  }
  for (const int label : output) shape.push_back(extents.at(label));
  const auto product_at = [&](const Indices& outer, const Indices& inner) {
    const auto index_of = [&](int label) {
      const auto kept = std::find(output.begin(), output.end(), label);
      if (kept != output.end()) return outer[static_cast<std::size_t>(kept - output.begin())];
      return inner[static_cast<std::size_t>(std::find(summed.begin(), summed.end(), label) - summed.begin())];
    };
    ir::ExprId product;
    for (const Labelled& each : operands) {
      Indices at;
      for (std::size_t k = 0; k < each.labels.size(); ++k) {
        const bool one = stager.extents().as_constant(each.array.shape[k]) == 1;
        at.push_back(one ? stager.size(0) : index_of(each.labels[k]));
      }
      const ir::ExprId factor = stager.cast(stager.load(each.array, at), type);
      product = product.valid() ? stager.apply(ir::Op::Mul, {product, factor}) : factor;
    }
    return product;
  };
  const ir::ReduceOp op = type == ir::DType::Bool ? ir::ReduceOp::Any : ir::ReduceOp::Sum;
  const auto element = [&](const Indices& outer) {
    if (summed.empty()) return product_at(outer, {});
    return stager.fold(depth, op, type, ir::ReduceOrder::Any,
                       [&](const Indices& inner) { return product_at(outer, inner); });
  };
  if (shape.empty()) {
    return stager.strong(stager.module.add(ir::Read{stager.let(element({}))}, stager.here()));
  }
  return value(stager.define(std::move(shape), type, element));
}

/// Scalars multiply; vectors and matrices as @; else the last axis of a with the last but one of b.
Result<Value> dot(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Value left, array_like(stager, required(arguments, 0, "a"), arguments.span));
  PW_TRY(const Value right, array_like(stager, required(arguments, 1, "b"), arguments.span));
  const auto* a = left.as<Array>();
  const auto* b = right.as<Array>();
  if (a == nullptr || b == nullptr) {
    return deliver(stager, arguments, 2,
                   stager.ufunc(ir::Op::Mul, strengthened(stager, {left, right}), arguments.span));
  }
  if (a->shape.size() <= 2 && b->shape.size() <= 2) {
    return deliver(stager, arguments, 2, stager.matmul(left, right, arguments.span));
  }
  std::vector<int> of_a = labels(1, a->shape.size());
  std::vector<int> of_b = labels(100, b->shape.size());
  const std::size_t folded = of_b.size() == 1 ? 0 : of_b.size() - 2;
  of_b[folded] = of_a.back();
  std::vector<int> output(of_a.begin(), of_a.end() - 1);
  for (std::size_t k = 0; k < of_b.size(); ++k) {
    if (k != folded) output.push_back(of_b[k]);
  }
  return deliver(stager, arguments, 2,
                 contract_common(stager, {*a, of_a}, {*b, of_b}, output, arguments.span));
}

Result<Value> matmul(Stager& stager, const Arguments& arguments) {
  return deliver(stager, arguments, 2,
                 stager.matmul(required(arguments, 0, "x1"), required(arguments, 1, "x2"), arguments.span));
}

/// Over the last axis of both.
Result<Value> inner(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, array_at(stager, arguments, 0, "a"));
  PW_TRY(const Array b, array_at(stager, arguments, 1, "b"));
  if (a.shape.empty() || b.shape.empty()) {
    return stager.ufunc(ir::Op::Mul, std::vector{value(a), value(b)}, arguments.span);
  }
  std::vector<int> of_a = labels(1, a.shape.size());
  std::vector<int> of_b = labels(100, b.shape.size());
  of_b.back() = of_a.back();
  std::vector<int> output(of_a.begin(), of_a.end() - 1);
  output.insert(output.end(), of_b.begin(), of_b.end() - 1);
  return contract_common(stager, {a, of_a}, {b, of_b}, output, arguments.span);
}

/// a[i] * b[j] of both flattened.
Result<Value> outer(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, array_at(stager, arguments, 0, "a"));
  PW_TRY(const Array b, array_at(stager, arguments, 1, "b"));
  PW_TRY(const Array left, flattened(stager, at_least_rank(stager, a, 1), arguments.span));
  PW_TRY(const Array right, flattened(stager, at_least_rank(stager, b, 1), arguments.span));
  const std::vector<int> output = {1, 2};
  return deliver(stager, arguments, 2,
                 contract_common(stager, {left, {1}}, {right, {2}}, output, arguments.span));
}

/// sum(conj(a) * b) of both flattened.
Result<Value> vdot(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, array_at(stager, arguments, 0, "a"));
  PW_TRY(const Array b, array_at(stager, arguments, 1, "b"));
  PW_TRY(Array left, flattened(stager, at_least_rank(stager, a, 1), arguments.span));
  PW_TRY(const Array right, flattened(stager, at_least_rank(stager, b, 1), arguments.span));
  if (ir::is_complex(stager.type_of(left))) {
    PW_TRY(const Value turned, stager.ufunc(ir::Op::Conj, std::vector{value(left)}, arguments.span));
    left = *turned.as<Array>();
  }
  return contract_common(stager, {left, {1}}, {right, {1}}, {}, arguments.span);
}

/// sum(conj(x1) * x2) over the last axis, the others broadcast.
Result<Value> vecdot(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array a, array_at(stager, arguments, 0, "x1"));
  PW_TRY(const Array b, array_at(stager, arguments, 1, "x2"));
  if (a.shape.empty() || b.shape.empty()) return bad_call(stager, arguments, "with a scalar");
  if (ir::is_complex(stager.type_of(a))) {
    PW_TRY(const Value turned, stager.ufunc(ir::Op::Conj, std::vector{value(a)}, arguments.span));
    a = *turned.as<Array>();
  }
  const auto from_the_end = [](const Array& array) {
    return labels(-static_cast<int>(array.shape.size()), array.shape.size());
  };
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  const std::vector<int> output = labels(-static_cast<int>(rank), rank - 1);
  return contract_common(stager, {a, from_the_end(a)}, {b, from_the_end(b)}, output, arguments.span);
}

/// axes: the last n of a with the first n of b, or two lists.
Result<Value> tensordot(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, array_at(stager, arguments, 0, "a"));
  PW_TRY(const Array b, array_at(stager, arguments, 1, "b"));
  const Value* axes = given(arguments, 2, "axes");
  const Value two = value(std::int64_t{2});
  const Value& wanted = axes == nullptr ? two : *axes;
  std::vector<std::size_t> from_a;
  std::vector<std::size_t> from_b;
  const std::vector<Value>* lists = sequence_items(wanted);
  if (lists == nullptr) {
    PW_TRY(const std::int64_t raw, stager.to_static_int(wanted, arguments.span));
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(raw, 0));
    if (count > a.shape.size() || count > b.shape.size())
      return bad_call(stager, arguments, "with this many axes");
    for (std::size_t k = 0; k < count; ++k) {
      from_a.push_back(a.shape.size() - count + k);
      from_b.push_back(k);
    }
  } else {
    if (lists->size() != 2) return bad_call(stager, arguments, "with axes other than a pair");
    for (std::size_t side = 0; side < 2; ++side) {
      const Value& each = (*lists)[side];
      const std::vector<Value>* many = sequence_items(each);
      const std::vector<Value> items = many == nullptr ? std::vector{each} : *many;
      for (const Value& item : items) {
        PW_TRY(const std::int64_t raw, stager.to_static_int(item, arguments.span));
        const std::size_t rank = side == 0 ? a.shape.size() : b.shape.size();
        PW_TRY(const std::size_t axis, normal_axis(stager, raw, rank, arguments.span));
        (side == 0 ? from_a : from_b).push_back(axis);
      }
    }
    if (from_a.size() != from_b.size()) return bad_call(stager, arguments, "with lists of different lengths");
  }
  const std::vector<int> of_a = labels(1, a.shape.size());
  std::vector<int> of_b = labels(100, b.shape.size());
  std::vector<int> output;
  for (std::size_t k = 0; k < from_a.size(); ++k) of_b[from_b[k]] = of_a[from_a[k]];
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    if (std::find(from_a.begin(), from_a.end(), k) == from_a.end()) output.push_back(of_a[k]);
  }
  for (std::size_t k = 0; k < of_b.size(); ++k) {
    if (std::find(from_b.begin(), from_b.end(), k) == from_b.end()) output.push_back(of_b[k]);
  }
  return contract_common(stager, {a, of_a}, {b, of_b}, output, arguments.span);
}

/// One sum of products over all labels that the output lacks; the order of contraction is not searched.
Result<Value> einsum(Stager& stager, const Arguments& arguments) {
  const auto* spec = required(arguments, 0, "subscripts").as<std::string>();
  if (spec == nullptr) {
    return unsupported(stager, arguments, "with subscripts that are no string", "write them as 'ij,jk->ik'");
  }
  const std::size_t arrow = spec->find("->");
  std::vector<Labelled> operands;
  std::string_view left = std::string_view(*spec).substr(0, arrow);
  std::size_t dots = 0;
  for (std::size_t k = 1; k < arguments.positional.size(); ++k) {
    const std::size_t comma = left.find(',');
    if ((comma == std::string_view::npos) != (k + 1 == arguments.positional.size())) {
      return bad_call(stager, arguments, "with another number of operands than terms");
    }
    PW_TRY(Array array, stager.to_array(arguments.positional[k], std::nullopt, arguments.span));
    PW_TRY(std::vector<int> term, parse_term(stager, arguments, left.substr(0, comma)));
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
    const bool has_dots = std::find(term.begin(), term.end(), kDots) != term.end();
    const std::size_t named = term.size() - (has_dots ? 1 : 0);
    const std::size_t rank = array.shape.size();
    if (named > rank || (!has_dots && named != rank)) {
      return bad_call(stager, arguments, fmt::format("with {} labels for an array of rank {}", named, rank));
    }
    dots = std::max(dots, rank - named);
    expand_dots(term, rank - named);
    operands.push_back({std::move(array), std::move(term)});
  }
  if (operands.empty()) return bad_call(stager, arguments, "without operands");
  std::vector<int> output = implied_output(operands, dots);
  if (arrow != std::string::npos) {
    PW_TRY(output, parse_term(stager, arguments, std::string_view(*spec).substr(arrow + 2)));
    if (dots > 0 && std::find(output.begin(), output.end(), kDots) == output.end()) {
      return bad_call(stager, arguments, "with an ellipsis that the output lacks");
    }
    expand_dots(output, dots);
  }
  for (std::size_t k = 0; k < output.size(); ++k) {
    const bool known = std::any_of(operands.begin(), operands.end(), [&](const Labelled& each) {
      return std::find(each.labels.begin(), each.labels.end(), output[k]) != each.labels.end();
    });
    const bool twice = std::count(output.begin(), output.end(), output[k]) > 1;
    if (!known || twice)
      return bad_call(stager, arguments, "with an output label that is unknown or repeated");
  }
  PW_TRY(const auto asked, dtype_argument(stager, arguments, 99));
  const ir::DType type = asked.value_or(common_type(stager, operands));
  return deliver(stager, arguments, 99, contract(stager, operands, output, type, arguments.span));
}

/// The sum of a diagonal of the first two axes.
Result<Value> trace(Stager& stager, const Arguments& arguments) {
  Arguments call = arguments;
  if (arguments.name == "numpy.linalg.trace") {
    const auto* array = required(arguments, 0, "x").as<Array>();
    if (array != nullptr && array->shape.size() != 2) {
      return unsupported(stager, arguments, "of a stack", "use np.einsum('...ii->...', x)");
    }
  }
  call.keywords.clear();
  call.positional.resize(1);
  if (const Value* offset = given(arguments, 1, "offset")) call.keywords.emplace_back("offset", *offset);
  PW_TRY(const Value line, diagonal(stager, call));
  call.positional = {line};
  call.keywords = {{"axis", value(std::int64_t{-1})}};
  for (const auto& [position, keyword] : {std::pair<std::size_t, std::string_view>{4, "dtype"}, {5, "out"}}) {
    if (const Value* found = given(arguments, position, keyword)) call.keywords.emplace_back(keyword, *found);
  }
  return sum(stager, call);
}

/// Blocks of b, each scaled by an element of a.
Result<Value> kron(Stager& stager, const Arguments& arguments) {
  PW_TRY(Array a, array_at(stager, arguments, 0, "a"));
  PW_TRY(Array b, array_at(stager, arguments, 1, "b"));
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  a = at_least_rank(stager, std::move(a), rank);
  b = at_least_rank(stager, std::move(b), rank);
  const std::vector<Value> both = {value(a), value(b)};
  PW_TRY(const ir::DType type, stager.result_type(both, arguments.span));
  ir::ExtentTable& table = stager.extents();
  std::vector<ir::ExtentId> shape;
  std::vector<ir::ExtentId> space = a.shape;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(table.multiply(stager.clamped(a.shape[k]), stager.clamped(b.shape[k])));
  }
  space.insert(space.end(), b.shape.begin(), b.shape.end());
  const Array out = stager.allocate(std::move(shape), type);
  stager.map_over(space, [&](const Indices& at) {
    const auto middle = at.begin() + static_cast<std::ptrdiff_t>(rank);
    const Indices block(at.begin(), middle);
    const Indices within(middle, at.end());
    Indices to;
    for (std::size_t k = 0; k < rank; ++k) {
      to.push_back(table.add(table.multiply(block[k], b.shape[k]), within[k]));
    }
    stager.store(out, to,
                 stager.apply(ir::Op::Mul, {stager.cast(stager.load(a, block), type),
                                            stager.cast(stager.load(b, within), type)}));
  });
  return value(out);
}

/// Of vectors of three along the last axis, the others broadcast.
Result<Value> cross(Stager& stager, const Arguments& arguments) {
  PW_TRY(const Array a, array_at(stager, arguments, 0, "a"));
  PW_TRY(const Array b, array_at(stager, arguments, 1, "b"));
  for (const Array* each : {&a, &b}) {
    if (each->shape.empty() || stager.extents().as_constant(each->shape.back()) == 2) {
      return unsupported(stager, arguments, "of vectors of two", "write a[0]*b[1] - a[1]*b[0]");
    }
    PW_CHECK_OK(stager.require_equal(each->shape.back(), stager.size(3), arguments.span));
  }
  const auto part = [&](const Array& array, std::int64_t k) {
    const std::size_t last = array.shape.size() - 1;
    return value(stager.drop_axis(window(stager, array, last, stager.size(k), stager.size(1)), last));
  };
  std::vector<Value> parts;
  for (std::int64_t k = 0; k < 3; ++k) {
    const std::int64_t next = (k + 1) % 3;
    const std::int64_t after = (k + 2) % 3;
    const std::vector<Value> first = {part(a, next), part(b, after)};
    const std::vector<Value> second = {part(a, after), part(b, next)};
    PW_TRY(const Value plus, stager.ufunc(ir::Op::Mul, first, arguments.span));
    PW_TRY(const Value minus, stager.ufunc(ir::Op::Mul, second, arguments.span));
    PW_TRY(Value component, stager.ufunc(ir::Op::Sub, std::vector{plus, minus}, arguments.span));
    parts.push_back(std::move(component));
  }
  Arguments call;
  call.name = "numpy.stack";
  call.span = arguments.span;
  call.positional = {value(Tuple{std::move(parts)}), value(std::int64_t{-1})};
  return stack(stager, call);
}

}  // namespace pw::numpy::functions
