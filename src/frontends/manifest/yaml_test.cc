// Bulk comparison with PyYAML is tests/manifest/compare_yaml.py; here is what it cannot see: places,
// duplicates, limits.
#include "frontends/manifest/yaml.h"

#include <gtest/gtest.h>

#include "frontends/manifest/yaml_scalar.h"

namespace pw::manifest {
namespace {

struct Parsed {
  base::Sources sources;
  diagnostics::Engine engine{sources};
  base::FileId file;
  base::Result<Yaml> yaml;

  explicit Parsed(std::string text)
      : file(sources.add("t.yaml", std::move(text))), yaml(parse_yaml(file, sources, engine)) {}
  std::string rule() const { return engine.all().empty() ? "" : std::string(row(engine.all()[0].rule).rule); }
  std::string_view text(const Yaml& node) const { return sources.text(node.span); }
};

TEST(YamlScalar, FollowsYaml11) {
  EXPECT_EQ(resolve_plain("1e-10"), ScalarTag::String);
  EXPECT_EQ(resolve_plain("1.0e-05"), ScalarTag::Float);
  EXPECT_EQ(resolve_plain("1.5e5"), ScalarTag::String);
  EXPECT_EQ(resolve_plain("on"), ScalarTag::Bool);
  EXPECT_EQ(resolve_plain("y"), ScalarTag::String);
  EXPECT_EQ(resolve_plain("1:60"), ScalarTag::String);
  EXPECT_EQ(resolve_plain("2001-12-14"), ScalarTag::Timestamp);
  const auto integer = [](std::string_view text) {
    Yaml out;
    EXPECT_EQ(resolve_plain(text), ScalarTag::Int) << text;
    EXPECT_TRUE(construct_scalar(ScalarTag::Int, text, out)) << text;
    return out.integer;
  };
  EXPECT_EQ(integer("010"), 8);
  EXPECT_EQ(integer("0x1F"), 31);
  EXPECT_EQ(integer("-0b101"), -5);
  EXPECT_EQ(integer("1_000"), 1000);
  EXPECT_EQ(integer("190:20:30"), 685230);
  EXPECT_EQ(integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  Yaml out;
  EXPECT_FALSE(construct_scalar(ScalarTag::Int, "9223372036854775808", out));
  EXPECT_FALSE(construct_scalar(ScalarTag::Int, "153722867280912930:8", out));
  ASSERT_TRUE(construct_scalar(ScalarTag::Float, "1:30.5", out));
  EXPECT_EQ(out.real, 90.5);
}

TEST(Yaml, SpansCountBytesWhereLibyamlCountsCharacters) {
  const Parsed parsed("\xEF\xBB\xBF# \xC3\xA9\na: '\xE6\x97\xA5'\nb: {c: [1, 22]}\n");
  ASSERT_TRUE(parsed.yaml);
  EXPECT_EQ(parsed.text(*parsed.yaml->find("a")), "'\xE6\x97\xA5'");
  EXPECT_EQ(parsed.text(*parsed.yaml->find("b")), "{c: [1, 22]}");
  EXPECT_EQ(parsed.text(parsed.yaml->find("b")->find("c")->items[1]), "22");
}

TEST(Yaml, KeepsTheLastOfEqualKeysAndSaysSo) {
  const Parsed parsed("a: 1\nb: 2\na: 3\n");
  ASSERT_TRUE(parsed.yaml);
  ASSERT_EQ(parsed.yaml->members.size(), 2U);
  EXPECT_EQ(parsed.yaml->members[0].value.integer, 3);
  ASSERT_EQ(parsed.yaml->duplicates.size(), 1U);
  EXPECT_EQ(parsed.yaml->duplicates[0].second.begin, 10U);
}

TEST(Yaml, AnOverriddenMergedKeyIsNoDuplicate) {
  const Parsed parsed("s: &s {n: 1, m: 2}\nt:\n  <<: *s\n  m: 3\n");
  ASSERT_TRUE(parsed.yaml);
  const Yaml& t = *parsed.yaml->find("t");
  EXPECT_TRUE(t.duplicates.empty());
  ASSERT_EQ(t.members.size(), 2U);
  EXPECT_EQ(t.find("n")->integer, 1);
  EXPECT_EQ(t.find("m")->integer, 3);
}

TEST(Yaml, ManyLaughsEndInADiagnostic) {
  std::string text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 8; ++j) text += ", " + before;
    text += "]\n";
  }
  const Parsed parsed(text);
  EXPECT_FALSE(parsed.yaml);
  EXPECT_EQ(parsed.rule(), "manifest-yaml-too-large");
}

TEST(Yaml, OversizedTextsEndInADiagnostic) {
  EXPECT_EQ(Parsed(std::string((1U << 20) + 1, '#')).rule(), "manifest-yaml-too-large");
  std::string many;
  for (int i = 0; i < 110'000; ++i) many += "- 1\n";
  EXPECT_TRUE(Parsed(many).yaml);
  for (int i = 0; i < 100'000; ++i) many += "- 1\n";
  EXPECT_EQ(Parsed(many).rule(), "manifest-yaml-too-large");
}

TEST(Yaml, ForeignEncodingsEndInADiagnostic) {
  EXPECT_EQ(Parsed("a: \xFF\n").rule(), "manifest-yaml-syntax");
  EXPECT_EQ(Parsed(std::string("a: \0b\n", 6)).rule(), "manifest-yaml-syntax");
}

}  // namespace
}  // namespace pw::manifest
