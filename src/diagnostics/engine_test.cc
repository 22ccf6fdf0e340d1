#include "diagnostics/engine.h"

#include <gtest/gtest.h>

#include <set>

namespace pw::diagnostics {
namespace {

TEST(Engine, PrintsPlaceRuleMessageAndFix) {
  base::Sources sources;
  const base::FileId file = sources.add("k.py", "a\nb = open(x)\n");
  Engine engine(sources);
  (void)engine.report(Rule::FileUnreadable, base::Span{file, 6, 13}, "x.bin");
  ASSERT_EQ(engine.all().size(), 1U);
  EXPECT_TRUE(engine.has_errors());
  EXPECT_EQ(to_text_with_source(engine.all()[0], sources),
            "k.py:2:5: file-unreadable: cannot read x.bin. Fix: check the path and its permissions\n"
            "  2 | b = open(x)\n"
            "    |     ^^^^^^^");
  EXPECT_EQ(to_json(engine.all()[0], sources),
            R"({"file":"k.py","line":2,"column":5,"rule":"file-unreadable","severity":"error",)"
            R"("message":"cannot read x.bin","fix":"check the path and its permissions"})");
}

TEST(Engine, RulesAreUniqueAndHaveAFix) {
  std::set<std::string_view> seen;
  for (const RuleRow& each : rows()) {
    EXPECT_TRUE(seen.insert(each.rule).second) << each.rule;
    EXPECT_FALSE(each.fix.empty()) << each.rule;
  }
}

}  // namespace
}  // namespace pw::diagnostics
