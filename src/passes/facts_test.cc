#include "passes/facts.h"

#include <gtest/gtest.h>

namespace pw::passes {
namespace {

using namespace ir;

struct Known {
  ExtentTable table;
  ExtentId n = table.local(LocalId(0)), m = table.local(LocalId(1)), i = table.local(LocalId(2));
  Facts facts{table};

  ExtentId plus(ExtentId e, std::int64_t by) { return table.add(e, table.constant(by)); }
  bool implied(ExtentId goal) {
    const Range natural{table.constant(0), {}};
    return facts.imply(goal, [&](LocalId local) { return local == LocalId(1) ? natural : Range{}; });
  }
};

TEST(Facts, ImplyWhatIsGreaterByAConstant) {
  Known known;
  EXPECT_FALSE(known.implied(known.plus(known.n, -1)));
  EXPECT_TRUE(known.facts.push(known.plus(known.n, -1)));
  EXPECT_TRUE(known.implied(known.plus(known.n, -1)));
  EXPECT_TRUE(known.implied(known.plus(known.n, 3)));
  EXPECT_FALSE(known.implied(known.plus(known.n, -2)));
}

TEST(Facts, ImplyWhatTheyMakeSimpler) {
  Known known;
  const ExtentId room = known.plus(known.table.subtract(known.n, known.i), -1);
  const ExtentId goal = known.table.add(room, known.m);
  EXPECT_FALSE(known.implied(goal));
  EXPECT_TRUE(known.facts.push(room));
  EXPECT_TRUE(known.implied(goal));
  EXPECT_FALSE(known.implied(known.table.subtract(room, known.m)));
}

TEST(Facts, AreKnownOnceAndUntilTheyAreDropped) {
  Known known;
  EXPECT_TRUE(known.facts.push(known.plus(known.n, -4)));
  EXPECT_FALSE(known.facts.push(known.plus(known.n, -3)));
  EXPECT_TRUE(known.facts.push(known.plus(known.n, -5)));
  EXPECT_EQ(known.facts.size(), 2U);
  known.facts.drop(1);
  EXPECT_FALSE(known.implied(known.plus(known.n, -5)));
  EXPECT_TRUE(known.implied(known.plus(known.n, -4)));
  known.facts.drop(0);
  EXPECT_FALSE(known.implied(known.plus(known.n, -4)));
}

}  // namespace
}  // namespace pw::passes
