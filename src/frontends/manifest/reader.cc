#include "frontends/manifest/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/manifest/nearest.h"

namespace pw::manifest {

using diagnostics::Rule;

std::string join(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates,
                    std::string_view otherwise) {
  const std::optional<std::string_view> near = nearest(word, candidates);
  return near ? fmt::format("did you mean {}?", *near) : std::string(otherwise);
}

namespace {

/// What most people take for a number but YAML 1.1 for a string: 1e-10, 1.5e3, 0o17, 08.
bool looks_numeric(const Yaml& node) {
  const std::string_view text = node.text;
  const std::size_t digit = text.find_first_not_of("+-.");
  if (digit == std::string_view::npos || digit > 2 || text[digit] < '0' || text[digit] > '9') return false;
  return text.find_first_not_of("0123456789abcdefABCDEFxo+-._") == std::string_view::npos;
}

}  // namespace

tl::unexpected<base::Reported> Reader::wrong_type(const Yaml& node, std::string_view where,
                                                  std::string_view wanted) {
  // Scalars that YAML 1.1 reads unlike most people: show the text, so that 1e-10 and NO explain themselves.
  const bool scalar = node.kind != YamlKind::List && node.kind != YamlKind::Map && !node.text.empty();
  const std::string shown =
      scalar ? fmt::format("{} {}", describe(node.kind), node.text) : std::string(describe(node.kind));
  return engine.report(Rule::ManifestWrongType, node.span, where, shown, wanted, wanted);
}

base::Result<base::Done> Reader::expect(const Yaml& node, YamlKind kind, std::string_view where) {
  if (node.kind == kind) return base::Done{};
  return wrong_type(node, where, describe(kind));
}

base::Result<base::Done> Reader::map_of(const Yaml& node, std::string_view where,
                                        const std::vector<std::string_view>& allowed) {
  PW_CHECK_OK(expect(node, YamlKind::Map, where));
  for (const YamlMember& member : node.members) {
    PW_TRY(const Name name, key(member, where));
    if (std::find(allowed.begin(), allowed.end(), name.text) != allowed.end()) continue;
    return engine.report(
        Rule::ManifestUnknownKey, name.span, name.text, where,
        suggest(name.text, allowed, fmt::format("remove it, or use one of {}", join(allowed))));
  }
  return base::Done{};
}

base::Result<const Yaml*> Reader::required(const Yaml& map, std::string_view key, std::string_view where) {
  if (const Yaml* found = map.find(key)) return found;
  return engine.report(Rule::ManifestMissingKey, map.span, where, key, key);
}

base::Result<Name> Reader::key(const YamlMember& member, std::string_view where) {
  if (member.key.kind == YamlKind::String) return Name{member.key.text, member.key.span};
  return wrong_type(member.key, fmt::format("a key of {}", where), "a string (in quotes)");
}

base::Result<Name> Reader::name(const Yaml& node, std::string_view where) {
  PW_CHECK_OK(expect(node, YamlKind::String, where));
  return Name{node.text, node.span};
}

base::Result<Name> Reader::one_of(const Yaml& node, std::string_view where,
                                  const std::vector<std::string_view>& allowed) {
  PW_TRY(Name out, name(node, where));
  if (std::find(allowed.begin(), allowed.end(), out.text) != allowed.end()) return out;
  return engine.report(Rule::ManifestUnknownWord, node.span, where, out.text,
                       suggest(out.text, allowed, fmt::format("use one of {}", join(allowed))));
}

base::Result<std::vector<Name>> Reader::names(const Yaml& node, std::string_view where) {
  PW_CHECK_OK(expect(node, YamlKind::List, where));
  std::vector<Name> out;
  for (const Yaml& item : node.items) {
    PW_TRY(Name one, name(item, fmt::format("an entry of {}", where)));
    out.push_back(std::move(one));
  }
  return out;
}

base::Result<std::int64_t> Reader::integer(const Yaml& node, std::string_view where) {
  PW_CHECK_OK(expect(node, YamlKind::Int, where));
  return node.integer;
}

base::Result<double> Reader::number(const Yaml& node, std::string_view where) {
  if (node.kind == YamlKind::Float) return node.real;
  if (node.kind == YamlKind::Int) return static_cast<double>(node.integer);
  return wrong_type(node, where, "a number");
}

base::Result<Value> Reader::value(const Yaml& node, std::string_view where, bool lists) {
  switch (node.kind) {
    case YamlKind::Int:
      return Value{node.integer, node.span};
    case YamlKind::Bool:
      return Value{node.boolean, node.span};
    case YamlKind::Float:
      return Value{node.real, node.span};
    case YamlKind::String:
      if (looks_numeric(node)) return engine.report(Rule::ManifestTextNumber, node.span, where, node.text);
      return Value{node.text, node.span};
    case YamlKind::List:
      if (lists) {
        std::vector<std::int64_t> items;
        for (const Yaml& item : node.items) {
          PW_TRY(const std::int64_t one, integer(item, fmt::format("an entry of {}", where)));
          items.push_back(one);
        }
        return Value{std::move(items), node.span};
      }
      break;
    default:
      break;
  }
  return wrong_type(node, where, lists ? "a scalar or a list of integers" : "a scalar");
}

base::Result<std::vector<Setting>> Reader::settings(const Yaml& node, std::string_view where, bool lists) {
  PW_CHECK_OK(expect(node, YamlKind::Map, where));
  std::vector<Setting> out;
  for (const YamlMember& member : node.members) {
    PW_TRY(Name name, key(member, where));
    PW_TRY(Value read, value(member.value, fmt::format("{}.{}", where, name.text), lists));
    out.push_back({std::move(name), std::move(read)});
  }
  return out;
}

base::Result<Shape> Reader::shape(const Yaml& node, std::string_view where) {
  PW_CHECK_OK(expect(node, YamlKind::String, where));
  Shape out{node.text, node.span, {}};
  PW_TRY(out.extents, parse_shape({out.text, node.span}, engine));
  return out;
}

base::Result<ElementType> Reader::element_type(const Yaml& node, std::string_view where) {
  PW_TRY(Name declared, name(node, where));
  std::optional<ir::DType> type = ir::dtype_from_numpy(declared.text);
  if (declared.text == "int4") type = ir::DType::I8;
  if (declared.text == "uint4") type = ir::DType::U8;
  if (!type) return engine.report(Rule::ManifestElementType, node.span, where, declared.text);
  return ElementType{std::move(declared), *type};
}

base::Result<std::vector<Constraint>> Reader::constraints(const Yaml& node, std::string_view where) {
  PW_TRY(const std::vector<Name> texts, names(node, where));
  std::vector<Constraint> out;
  for (const Name& text : texts) {
    PW_TRY(Expression expression, parse_constraint({text.text, text.span}, engine));
    out.push_back({text.text, std::move(expression)});
  }
  return out;
}

}  // namespace pw::manifest
