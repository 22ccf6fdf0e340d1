#include <gtest/gtest.h>

#include <set>

#include "backends/backend.h"

namespace pw::backends {
namespace {

TEST(Backends, AreFoundByTheirUniqueNames) {
  std::set<std::string_view> seen;
  for (const Backend* each : all()) {
    EXPECT_TRUE(seen.insert(each->name).second);
    EXPECT_EQ(find(each->name), each);
  }
  EXPECT_EQ(find("cobol"), nullptr);
  for (const Backend* each : all()) EXPECT_NE(names().find(each->name), std::string::npos) << names();
}

}  // namespace
}  // namespace pw::backends
