#include "service/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace pw::service {
namespace {

using testing::HasSubstr;

/// Answers of a shell program that reads lines into $l.
std::map<std::size_t, PoolAnswer> ask(const std::string& body, const std::vector<std::string>& lines,
                                      PoolLimits limits = {}) {
  std::map<std::size_t, PoolAnswer> out;
  run_pool({"sh", "-c", "while read -r l; do " + body + "; done"}, limits, lines,
           [&](std::size_t i, const PoolAnswer& answer) { out[i] = answer; });
  return out;
}

TEST(Pool, AnswersEachLine) {
  PoolLimits limits;
  limits.workers = 3;
  std::vector<std::string> lines;
  for (int i = 0; i < 20; ++i) lines.push_back("line " + std::to_string(i));
  const auto answers = ask("echo \"got $l\"", lines, limits);
  ASSERT_EQ(answers.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(answers.at(i).line, "got " + lines[i]);
}

TEST(Pool, ReplacesAWorkerThatDies) {
  const auto answers = ask("[ $l = b ] && { echo last words >&2; exit 70; }; echo $l", {"a", "b", "c"});
  EXPECT_EQ(answers.at(0).line, "a");
  EXPECT_THAT(answers.at(1).problem, HasSubstr("exited 70: last words"));
  EXPECT_EQ(answers.at(2).line, "c");
}

TEST(Pool, SaysTheSignal) {
  EXPECT_THAT(ask("kill -SEGV $$", {"a"}).at(0).problem, HasSubstr("killed by signal 11"));
}

TEST(Pool, EndsAWorkerThatSpins) {
  PoolLimits limits;
  limits.cpu_seconds = 0.3;
  const auto answers = ask("[ $l = b ] && while :; do :; done; echo $l", {"a", "b", "c"}, limits);
  EXPECT_THAT(answers.at(1).problem, HasSubstr("CPU time"));
  EXPECT_EQ(answers.at(2).line, "c");
}

TEST(Pool, EndsAWorkerThatSleeps) {
  PoolLimits limits;
  limits.wall_seconds = 0.3;
  EXPECT_THAT(ask("sleep 100", {"a"}, limits).at(0).problem, HasSubstr("no answer"));
}

TEST(Pool, TakesLongAnswers) {
  EXPECT_EQ(ask("head -c 1000000 /dev/zero | tr '\\0' x; echo", {"a"}).at(0).line.size(), 1000000u);
}

TEST(Pool, SaysThatAProgramIsAbsent) {
  std::string problem;
  run_pool({"/nowhere/at/all"}, {}, {"a"},
           [&](std::size_t, const PoolAnswer& answer) { problem = answer.problem; });
  EXPECT_FALSE(problem.empty());
}

}  // namespace
}  // namespace pw::service
