#include "frontends/manifest/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "frontends/manifest/yaml_scalar.h"

namespace pw::manifest {

using diagnostics::Rule;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxNodes = 200'000;
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

/// Keys of one Python dict that are equal have the same text here: 1, 1.0 and True are one key.
std::string key_text(const Yaml& key) {
  switch (key.kind) {
    case YamlKind::Bool:
      return key.boolean ? "1" : "0";
    case YamlKind::Int:
      return fmt::format("{}", key.integer);
    case YamlKind::Float: {
      const bool whole = key.real == std::trunc(key.real) && std::abs(key.real) < 0x1p63;
      return whole ? fmt::format("{}", static_cast<std::int64_t>(key.real)) : fmt::format("{}", key.real);
    }
    case YamlKind::Null:
      return "null";
    default:
      return "'" + key.text;
  }
}

using KeyIndex = std::unordered_map<std::string, std::size_t>;  // key_text to position in the members

std::size_t count_nodes(const Yaml& node) {
  std::size_t count = 1;
  for (const Yaml& item : node.items) count += count_nodes(item);
  for (const YamlMember& member : node.members) count += 1 + count_nodes(member.value);
  return count;
}

/// libyaml counts characters; spans count bytes.
class ByteOffsets {
 public:
  explicit ByteOffsets(std::string_view text) : size_(text.size()) {
    bool ascii = true;
    for (const char c : text) ascii = ascii && (static_cast<unsigned char>(c) & 0x80) == 0;
    if (ascii) return;
    const std::size_t start = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    for (std::size_t i = start; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
        starts_.push_back(static_cast<std::uint32_t>(i));
    }
    starts_.push_back(static_cast<std::uint32_t>(text.size()));
  }
  std::uint32_t at(std::size_t character) const {
    if (starts_.empty()) return static_cast<std::uint32_t>(std::min(character, size_));
    return starts_[std::min(character, starts_.size() - 1)];
  }

 private:
  std::size_t size_;
  std::vector<std::uint32_t> starts_;
};

struct EventGuard {
  yaml_event_t event{};
  EventGuard() = default;
  EventGuard(const EventGuard&) = delete;
  EventGuard& operator=(const EventGuard&) = delete;
  ~EventGuard() { yaml_event_delete(&event); }
};

class Composer {
 public:
  Composer(base::FileId file, std::string_view text, diagnostics::Engine& engine)
      : file_(file), engine_(engine), offsets_(text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Composer() { yaml_parser_delete(&parser_); }
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;

  base::Result<Yaml> document() {
    Yaml root;
    for (bool seen = false;;) {
      EventGuard guard;
      PW_CHECK_OK(next(guard.event));
      switch (guard.event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
          break;
        case YAML_DOCUMENT_START_EVENT:
          if (seen)
            return engine_.report(Rule::ManifestYamlSyntax, span(guard.event),
                                  "a second document starts here");
          seen = true;
          break;
        case YAML_STREAM_END_EVENT:
        case YAML_NO_EVENT:
          return root;
        default: {
          PW_TRY(root, plain_value(guard.event, 0));
        }
      }
    }
  }

 private:
  base::Span span(const yaml_event_t& event) const {
    return {file_, offsets_.at(event.start_mark.index), offsets_.at(event.end_mark.index)};
  }

  base::Result<base::Done> next(yaml_event_t& event) {
    if (yaml_parser_parse(&parser_, &event) != 0) return base::Done{};
    std::uint32_t begin = offsets_.at(parser_.problem_mark.index);
    if (parser_.error == YAML_READER_ERROR) begin = static_cast<std::uint32_t>(parser_.problem_offset);
    const char* problem = parser_.problem != nullptr ? parser_.problem : "out of memory";
    return engine_.report(Rule::ManifestYamlSyntax, base::Span{file_, begin, begin}, problem);
  }

  base::Result<Yaml> node(const yaml_event_t& event, std::size_t depth) {
    if (depth >= kMaxDepth || ++nodes_ > kMaxNodes) {
      return engine_.report(Rule::ManifestYamlTooLarge, span(event),
                            depth >= kMaxDepth ? "more than 100 levels deep" : "more than 200000 values");
    }
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return alias(event);
      case YAML_SCALAR_EVENT:
        return anchored(event.data.scalar.anchor, event, scalar(event));
      case YAML_SEQUENCE_START_EVENT:
        return anchored(event.data.sequence_start.anchor, event, list(event, depth));
      case YAML_MAPPING_START_EVENT:
        return anchored(event.data.mapping_start.anchor, event, map(event, depth));
      default:
        return engine_.report(Rule::ManifestYamlSyntax, span(event), "a value is expected here");
    }
  }

  base::Result<Yaml> alias(const yaml_event_t& event) {
    const std::string name = reinterpret_cast<const char*>(event.data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return engine_.report(Rule::ManifestYamlSyntax, span(event),
                            fmt::format("*{} names no anchor that is complete here", name));
    }
    nodes_ += count_nodes(found->second);
    if (nodes_ > kMaxNodes) {
      return engine_.report(Rule::ManifestYamlTooLarge, span(event), "more than 200000 values");
    }
    Yaml copy = found->second;
    copy.span = span(event);
    return copy;
  }

  base::Result<Yaml> anchored(const yaml_char_t* anchor, const yaml_event_t& event,
                              base::Result<Yaml> value) {
    if (anchor == nullptr || !value) return value;
    const std::string name = reinterpret_cast<const char*>(anchor);
    nodes_ += count_nodes(*value);
    if (nodes_ > kMaxNodes)
      return engine_.report(Rule::ManifestYamlTooLarge, span(event), "more than 200000 values");
    if (!anchors_.emplace(name, *value).second) {
      return engine_.report(Rule::ManifestYamlSyntax, span(event),
                            fmt::format("the anchor &{} is defined twice", name));
    }
    return value;
  }

  base::Result<Yaml> scalar(const yaml_event_t& event) {
    const auto& data = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(data.value), data.length);
    ScalarTag tag = ScalarTag::String;
    const bool non_specific =
        data.tag != nullptr && std::string_view(reinterpret_cast<const char*>(data.tag)) == "!";
    if (data.plain_implicit != 0 || non_specific) {
      tag = resolve_plain(text);
    } else if (data.tag != nullptr) {
      PW_TRY(tag, explicit_tag(reinterpret_cast<const char*>(data.tag), event));
    }
    Yaml out;
    out.span = span(event);
    if (tag == ScalarTag::Merge || tag == ScalarTag::Value) {
      out.kind = YamlKind::String;  // Both mean something as a key only; `map` looks at the mark.
      out.text = text;
      special_ = tag;
      return out;
    }
    if (construct_scalar(tag, text, out)) return out;
    static constexpr std::string_view kKinds[] = {"null",    "a bool", "an integer of 64 bits",
                                                  "a float", "",       "a timestamp"};
    return engine_.report(Rule::ManifestYamlScalar, out.span, text, kKinds[static_cast<std::size_t>(tag)]);
  }

  base::Result<ScalarTag> explicit_tag(std::string_view tag, const yaml_event_t& event) {
    static constexpr std::pair<std::string_view, ScalarTag> kTags[] = {
        {"str", ScalarTag::String}, {"int", ScalarTag::Int},   {"float", ScalarTag::Float},
        {"bool", ScalarTag::Bool},  {"null", ScalarTag::Null}, {"timestamp", ScalarTag::Timestamp}};
    if (tag.substr(0, kCoreTag.size()) == kCoreTag) {
      for (const auto& [name, scalar_tag] : kTags) {
        if (tag.substr(kCoreTag.size()) == name) return scalar_tag;
      }
    }
    return engine_.report(Rule::ManifestYamlTag, span(event), tag);
  }

  base::Result<base::Done> check_collection_tag(const yaml_char_t* tag, std::string_view expected,
                                                const yaml_event_t& event) {
    if (tag == nullptr) return base::Done{};
    const std::string_view text = reinterpret_cast<const char*>(tag);
    if (text == "!" || text == fmt::format("{}{}", kCoreTag, expected)) return base::Done{};
    return engine_.report(Rule::ManifestYamlTag, span(event), text);
  }

  /// A value that is no merge or `=` mark: those are refused as PyYAML refuses them.
  base::Result<Yaml> plain_value(const yaml_event_t& event, std::size_t depth) {
    special_.reset();
    PW_TRY(Yaml value, node(event, depth));
    if (event.type == YAML_SCALAR_EVENT && special_) {
      return engine_.report(Rule::ManifestYamlScalar, value.span, value.text,
                            "a value (quote it if it is a string)");
    }
    return value;
  }

  base::Result<Yaml> list(const yaml_event_t& event, std::size_t depth) {
    PW_CHECK_OK(check_collection_tag(event.data.sequence_start.tag, "seq", event));
    Yaml out;
    out.kind = YamlKind::List;
    out.span = span(event);
    for (;;) {
      EventGuard guard;
      PW_CHECK_OK(next(guard.event));
      if (guard.event.type == YAML_SEQUENCE_END_EVENT) {
        if (event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE) out.span.end = span(guard.event).end;
        return out;
      }
      PW_TRY(Yaml item, plain_value(guard.event, depth + 1));
      out.span.end = std::max(out.span.end, item.span.end);
      out.items.push_back(std::move(item));
    }
  }

  base::Result<Yaml> map(const yaml_event_t& event, std::size_t depth) {
    PW_CHECK_OK(check_collection_tag(event.data.mapping_start.tag, "map", event));
    Yaml out;
    out.kind = YamlKind::Map;
    out.span = span(event);
    std::vector<YamlMember> own;
    KeyIndex index;
    for (;;) {
      EventGuard guard;
      PW_CHECK_OK(next(guard.event));
      if (guard.event.type == YAML_MAPPING_END_EVENT) {
        if (event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE) out.span.end = span(guard.event).end;
        break;
      }
      special_.reset();
      PW_TRY(Yaml key, node(guard.event, depth + 1));
      const bool merge = guard.event.type == YAML_SCALAR_EVENT && special_ == ScalarTag::Merge;
      if (key.kind == YamlKind::List || key.kind == YamlKind::Map) {
        return engine_.report(Rule::ManifestYamlKey, key.span, describe(key.kind));
      }
      EventGuard value_guard;
      PW_CHECK_OK(next(value_guard.event));
      PW_TRY(Yaml value, plain_value(value_guard.event, depth + 1));
      out.span.end = std::max(out.span.end, value.span.end);
      if (merge) {
        PW_CHECK_OK(merge_into(out.members, index, value));
      } else {
        own.push_back({std::move(key), std::move(value)});
      }
    }
    add_own(out, index, std::move(own));
    return out;
  }

  base::Result<base::Done> merge_into(std::vector<YamlMember>& members, KeyIndex& index, const Yaml& value) {
    if (value.kind == YamlKind::List) {
      for (const Yaml& item : value.items) {
        if (item.kind != YamlKind::Map)
          return engine_.report(Rule::ManifestYamlMerge, item.span, describe(item.kind));
        PW_CHECK_OK(merge_into(members, index, item));
      }
      return base::Done{};
    }
    if (value.kind != YamlKind::Map)
      return engine_.report(Rule::ManifestYamlMerge, value.span, describe(value.kind));
    for (const YamlMember& member : value.members) {
      if (!index.emplace(key_text(member.key), members.size()).second) {
        return engine_.report(Rule::ManifestYamlMergeTwice, value.span, member.key.text, member.key.text);
      }
      members.push_back(member);
    }
    return base::Done{};
  }

  /// Own keys come after the merged ones and override them in place, as in Python's dict(merged + own).
  static void add_own(Yaml& out, KeyIndex& index, std::vector<YamlMember> own) {
    const std::size_t merged = out.members.size();
    std::vector<bool> overridden(merged, false);
    for (YamlMember& member : own) {
      const auto [place, fresh] = index.emplace(key_text(member.key), out.members.size());
      if (fresh) {
        out.members.push_back(std::move(member));
        continue;
      }
      const std::size_t at = place->second;
      if (at >= merged || overridden[at])
        out.duplicates.push_back({out.members[at].key.span, member.key.span});
      if (at < merged) overridden[at] = true;
      // Python keeps the first of equal keys and the last value.
      out.members[at].key.span = member.key.span;
      out.members[at].value = std::move(member.value);
    }
  }

  base::FileId file_;
  diagnostics::Engine& engine_;
  ByteOffsets offsets_;
  yaml_parser_t parser_{};
  std::map<std::string, Yaml, std::less<>> anchors_;
  std::size_t nodes_ = 0;
  std::optional<ScalarTag> special_;  // of the last scalar: Merge or Value
};

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  for (const YamlMember& member : members) {
    if (member.key.kind == YamlKind::String && member.key.text == key) return &member.value;
  }
  return nullptr;
}

std::string_view describe(YamlKind kind) {
  static constexpr std::string_view kWords[] = {"nothing",  "a bool",      "an integer", "a float",
                                                "a string", "a timestamp", "a list",     "a map"};
  return kWords[static_cast<std::size_t>(kind)];
}

base::Result<Yaml> parse_yaml(base::FileId file, const base::Sources& sources, diagnostics::Engine& engine) {
  const std::string& text = sources[file].text;
  if (text.size() > kMaxBytes) {
    return engine.report(Rule::ManifestYamlTooLarge, base::Span{file, 0, 0}, "more than 1 MiB");
  }
  return Composer(file, text, engine).document();
}

}  // namespace pw::manifest
