#include "cli/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pw::cli {
namespace {

using service::Request;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Request ok(const std::vector<std::string>& arguments) {
  const auto parsed = parse(arguments);
  if (const auto* message = std::get_if<Message>(&parsed)) {
    ADD_FAILURE() << message->text;
    return {};
  }
  return std::get<Request>(parsed);
}
Message message(const std::vector<std::string>& arguments) {
  const auto parsed = parse(arguments);
  return std::holds_alternative<Message>(parsed) ? std::get<Message>(parsed) : Message{"none", -1};
}

TEST(Cli, OneGrammarForAllVerbs) {
  const Request r = ok({"port",      "a.yaml", "--to",        "c,null",  "b.yaml",
                        "-o",        "out",    "--no-format", "--dtype", "float32",
                        "--preset",  "M",      "--jobs",      "3",       "--seed=7",
                        "--explain", "--hash", "--fft",       "fftw",    "--no-libraries"});
  EXPECT_EQ(r.verb, "port");
  EXPECT_THAT(r.kernels, ElementsAre("a.yaml", "b.yaml"));
  EXPECT_THAT(r.backends, ElementsAre("c", "null"));
  EXPECT_EQ(r.out_folder, "out");
  EXPECT_TRUE(r.no_format && r.explain && r.hash && r.no_libraries);
  EXPECT_EQ(r.fft, "fftw");
  EXPECT_EQ(r.dtype, "float32");
  EXPECT_EQ(r.preset, "M");
  EXPECT_EQ(r.jobs, 3);
  EXPECT_EQ(r.seed, 7);
}

TEST(Cli, KernelportsNames) {
  const Request r = ok({"verify", "--kernel", "a.yaml", "--backend", "c", "--backend", "null"});
  EXPECT_THAT(r.kernels, ElementsAre("a.yaml"));
  EXPECT_THAT(r.backends, ElementsAre("c", "null"));
}

TEST(Cli, JsonIsAFlagOrAFile) {
  EXPECT_EQ(ok({"verify", "a.yaml"}).json, "");
  const Request flag = ok({"verify", "--json", "a.yaml"});
  EXPECT_EQ(flag.json, "-");
  EXPECT_THAT(flag.kernels, ElementsAre("a.yaml"));
  EXPECT_EQ(ok({"verify", "--json=out.json", "a.yaml"}).json, "out.json");
}

TEST(Cli, WrongUsageIsTwo) {
  EXPECT_EQ(message({}).exit_code, 2);
  EXPECT_EQ(message({"frobnicate"}).exit_code, 2);
  EXPECT_EQ(message({"verify", "--frobnicate", "a.yaml"}).exit_code, 2);
  EXPECT_EQ(message({"verify", "--jobs", "many"}).exit_code, 2);
  EXPECT_EQ(message({"verify", "--jobs=-1"}).exit_code, 2);
  EXPECT_THAT(message({"verify", "--seed", "abc", "a.yaml"}).text,
              HasSubstr("--seed: abc is no whole number from 0\n"));
  EXPECT_EQ(message({"verify", "--seed", "99999999999999999999", "a.yaml"}).exit_code, 2);
}

TEST(Cli, HelpNamesEveryVerbAndOption) {
  const std::string overview = message({"help"}).text;
  for (const service::Verb& verb : service::verbs()) EXPECT_THAT(overview, HasSubstr(std::string(verb.name)));
  const Message help = message({"help", "verify"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option : {"--to", "--preset", "--dtype", "--json", "--explain", "--seed"}) {
    EXPECT_THAT(help.text, HasSubstr(option));
  }
  EXPECT_EQ(message({"verify", "--help"}).text, help.text);
}

TEST(Cli, HelpOfAVerbLeavesOutWhatItDoesNotRead) {
  for (const char* option : {"--out", "--no-format", "--hash", "--passes", "--jobs"}) {
    EXPECT_THAT(message({"help", "verify"}).text, Not(HasSubstr(option)));
  }
  const std::string version = message({"version", "--help"}).text;
  EXPECT_THAT(version, Not(HasSubstr("--json")));
  EXPECT_THAT(version, Not(HasSubstr("arguments")));
}

TEST(Cli, EveryOptionOfAVerbIsARowOfOptionsDef) {
  const std::set<std::string_view> rows = {
#define OPTION(field, names, kind, value, meaning) #field,
#include "service/options.def"
  };
  std::set<std::string_view> read;
  for (const service::Verb& verb : service::verbs()) read.insert(verb.options.begin(), verb.options.end());
  EXPECT_EQ(read, rows);
}

}  // namespace
}  // namespace pw::cli
