#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <numeric>

#include "base/source.h"
#include "runtime/native.h"
#include "runtime/process.h"
#include "runtime/scratch.h"
#include "runtime/shared_array.h"

namespace pw::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Child shell(const std::string& script, Limits limits = {}, std::string input = {}) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.input = std::move(input);
  return run(command, limits);
}

struct Caged {
  ScratchFolder scratch;
  Limits limits;
  Caged() { limits.scratch = scratch.path(); }
};

TEST(Process, ReturnsOutputAndExitCode) {
  const Child child = shell("cat; echo problem >&2; exit 3", {}, "hello");
  EXPECT_EQ(child.outcome, Outcome(Exited{3}));
  EXPECT_EQ(child.out, "hello");
  EXPECT_EQ(child.err, "problem\n");
  EXPECT_TRUE(child.held.rlimits);
  EXPECT_TRUE(child.held.seccomp);
}

TEST(Process, FeedsMoreInputThanAPipeHolds) {
  const std::string input(1 << 20, 'x');
  const Child child = shell("wc -c", {}, input);
  EXPECT_EQ(child.out, "1048576\n");
}

TEST(Process, LooksUpPathAndSaysWhyItCouldNotStart) {
  Command command;
  command.argv = {"true"};
  EXPECT_EQ(run(command, {}).outcome, Outcome(Exited{0}));
  command.argv = {"no-such-program-here"};
  EXPECT_EQ(run(command, {}).outcome, Outcome(NotStarted{ENOENT}));
}

TEST(Process, CrashIsASignal) {
  const Child child = shell("kill -SEGV $$");
  EXPECT_EQ(child.outcome, Outcome(Signalled{SIGSEGV}));
  EXPECT_EQ(to_string(child.outcome), "killed by SIGSEGV");
}

TEST(Process, HangUsesUpItsCpuTime) {
  Limits limits;
  limits.cpu_seconds = 0.3;
  const Child child = shell("while :; do :; done", limits);
  ASSERT_TRUE(std::holds_alternative<TimedOut>(child.outcome)) << to_string(child.outcome);
  EXPECT_FALSE(std::get<TimedOut>(child.outcome).wall);
  EXPECT_GE(child.cpu_seconds, 0.3);
}

TEST(Process, HangInDescendantsCountsToo) {
  Limits limits;
  limits.cpu_seconds = 0.4;
  const Child child = shell("(while :; do :; done) & (while :; do :; done) & wait", limits);
  EXPECT_TRUE(std::holds_alternative<TimedOut>(child.outcome)) << to_string(child.outcome);
}

TEST(Process, SleeperMeetsTheWallBackstopOnly) {
  Limits limits;
  limits.cpu_seconds = 0.2;
  limits.wall_seconds = 0.5;
  const Child child = shell("sleep 60", limits);
  ASSERT_TRUE(std::holds_alternative<TimedOut>(child.outcome)) << to_string(child.outcome);
  EXPECT_TRUE(std::get<TimedOut>(child.outcome).wall);
  EXPECT_LT(child.cpu_seconds, 0.2);
}

TEST(Process, WaitingIsNoTimeout) {
  Limits limits;
  limits.cpu_seconds = 0.2;
  EXPECT_EQ(shell("sleep 0.5", limits).outcome, Outcome(Exited{0}));
}

TEST(Process, FloodedOutputIsCutAndNamed) {
  Limits limits;
  limits.output_bytes = 100000;
  const Child child = shell("yes", limits);
  EXPECT_TRUE(std::holds_alternative<FloodedOutput>(child.outcome)) << to_string(child.outcome);
  EXPECT_EQ(child.out.size(), 100000u);
}

TEST(Process, EatingMemoryIsNamed) {
  Limits limits;
  limits.memory_bytes = 100u << 20;
  Command command;
  command.argv = {"python3", "-c", "x=[]\nwhile True: x.append(bytearray(1<<20))"};
  const Child child = run(command, limits);
  ASSERT_TRUE(std::holds_alternative<OverMemory>(child.outcome)) << to_string(child.outcome);
  EXPECT_GT(child.peak_bytes, 100u << 20);
}

TEST(Process, ForkingWithoutEndIsStoppedAndNothingIsLeft) {
  Limits limits;
  limits.processes = 20;
  Command command;
  command.argv = {
      "python3", "-c",
      "import os,time\nwhile True:\n  try:\n    os.fork()\n  except OSError:\n    time.sleep(0.01)"};
  const Child child = run(command, limits);
  EXPECT_TRUE(std::holds_alternative<TooManyProcesses>(child.outcome)) << to_string(child.outcome);
}

TEST(Process, WhatAChildLeavesRunningIsEnded) {
  Caged caged;
  const Child child = shell("sleep 100 & echo $!", caged.limits);
  EXPECT_EQ(child.outcome, Outcome(Exited{0}));
  ASSERT_FALSE(child.out.empty());
  EXPECT_EQ(kill(std::stoi(child.out), 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(Process, AChildCannotLeaveItsGroup) {
  Command command;
  command.argv = {"python3", "-c",
                  "import os\nif os.fork() == 0:\n  os.setsid()\nelse:\n  print(os.wait()[1])"};
  const Child child = run(command, {});
  EXPECT_EQ(child.out, "256\n");
  EXPECT_THAT(child.err, HasSubstr("PermissionError"));
}

TEST(Process, ASingleProcessCannotFork) {
  Limits limits;
  limits.processes = 1;
  const Child child = shell("/bin/true; echo survived", limits);
  EXPECT_NE(child.outcome, Outcome(Exited{0}));
}

TEST(Process, DeletingItsFolderHurtsNobody) {
  Caged caged;
  const Child child =
      shell("rm -rf \"$PWD\"/* && touch made && rm made && rmdir \"$PWD\"; exit 5", caged.limits);
  EXPECT_EQ(child.outcome, Outcome(Exited{5}));
}

void expect_writes_contained(const Limits& limits) {
  ScratchFolder other;
  const std::string target = other.path() + "/stray";
  const Child child = shell("echo x > inside && cat inside && echo x > " + target, limits);
  EXPECT_NE(child.outcome, Outcome(Exited{0}));
  EXPECT_EQ(child.out, "x\n");
  EXPECT_NE(access(target.c_str(), F_OK), 0);
  const Child removal = shell("rm -rf " + other.path(), limits);
  EXPECT_NE(removal.outcome, Outcome(Exited{0}));
  EXPECT_EQ(access(other.path().c_str(), F_OK), 0);
  EXPECT_EQ(shell("echo x > /dev/null", limits).outcome, Outcome(Exited{0}));
}

TEST(Process, WritesOutsideScratchFail) {
  const Held held = machine_holds();
  if (!held.landlock && !held.namespaces)
    GTEST_SKIP() << "this machine has neither Landlock nor user namespaces";
  const Caged caged;
  expect_writes_contained(caged.limits);
}

TEST(Process, WritesOutsideScratchFailWithoutLandlock) {
  Caged caged;
  caged.limits.use_landlock = false;
  if (!shell("true", caged.limits).held.namespaces) GTEST_SKIP() << "this machine has no user namespaces";
  expect_writes_contained(caged.limits);
  EXPECT_NE(shell("mount -o remount,rw /", caged.limits).outcome, Outcome(Exited{0}));
}

TEST(Process, ThereIsNoNetwork) {
  Command command;
  command.argv = {"python3", "-c", "import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM)"};
  const Child child = run(command, {});
  EXPECT_EQ(child.outcome, Outcome(Exited{1}));
  EXPECT_THAT(child.err, HasSubstr("PermissionError"));
}

TEST(Process, EnvironmentIsFixed) {
  setenv("PW_TEST_LEAK", "leaked", 1);
  Command command;
  command.argv = {"env"};
  command.environment = {{"OMP_NUM_THREADS", "7"}};
  const Child child = run(command, {});
  EXPECT_THAT(child.out, HasSubstr("OMP_NUM_THREADS=7\n"));
  EXPECT_THAT(child.out, HasSubstr("OMP_WAIT_POLICY=passive\n"));
  EXPECT_THAT(child.out, HasSubstr("LC_ALL=C.UTF-8\n"));
  EXPECT_THAT(child.out, ::testing::Not(HasSubstr("PW_TEST_LEAK")));
}

TEST(Process, InheritsOnlyTheDescriptorsItIsGiven) {
  const int fd = open("/dev/null", O_RDONLY);
  Command command;
  command.argv = {"/bin/sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"};
  command.descriptors = {{fd, 5}};
  const Child child = run(command, {});
  EXPECT_THAT(child.out, HasSubstr("0 1 2 "));
  EXPECT_THAT(child.out, HasSubstr("5 "));
  EXPECT_THAT(child.out, ::testing::Not(HasSubstr("256")));
  close(fd);
}

TEST(Held, Prints) {
  RecordProperty("this_machine", to_string(machine_holds()));
  EXPECT_EQ(to_string(Held{}), "none");
  EXPECT_EQ(to_string(Held{true, true, false, true}), "rlimits seccomp namespaces");
}

ArraySpec doubles(std::string name, std::int64_t count) {
  return {std::move(name), "float64", {count}, static_cast<std::uint64_t>(count) * 8};
}

TEST(SharedArrays, EveryPlacementFindsStrayWritesOnBothSides) {
  for (const Placement placement : {Placement::RedZones, Placement::PageEnd, Placement::PageStart}) {
    auto arrays = SharedArrays::create({doubles("a", 5), doubles("empty", 0), doubles("b", 700)}, placement);
    ASSERT_TRUE(arrays);
    std::span<double> b = arrays->as<double>(2);
    ASSERT_EQ(b.size(), 700u);
    EXPECT_EQ(b[699], 0);
    std::iota(b.begin(), b.end(), 1.0);
    EXPECT_THAT(arrays->violations(), IsEmpty());
    if (placement != Placement::PageEnd) {
      b.data()[700] = 1;
      const auto found = arrays->violations();
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].name, "b");
      EXPECT_GE(found[0].offset, 5600);
      EXPECT_LT(found[0].offset, 5608);
    }
    if (placement != Placement::PageStart) {
      auto fresh = copy(*arrays, placement);
      fresh->as<double>(0).data()[-1] = 1;
      const auto found = fresh->violations();
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].name, "a");
      EXPECT_LT(found[0].offset, 0);
      EXPECT_GE(found[0].offset, -8);
    }
  }
}

TEST(SharedArrays, CopyKeepsContents) {
  auto arrays = SharedArrays::create({doubles("a", 3)});
  arrays->as<double>(0)[2] = 7;
  auto other = copy(*arrays, Placement::PageEnd);
  EXPECT_EQ(other->as<double>(0)[2], 7);
  EXPECT_EQ(other->find("a"), 0u);
  EXPECT_EQ(other->find("b"), std::nullopt);
}

TEST(SharedArrays, AdoptRefusesWhatDoesNotFit) {
  auto arrays = SharedArrays::create({doubles("a", 3)});
  const auto adopt = [&](ArraySpec spec, std::uint64_t offset) {
    return SharedArrays::adopt(dup(arrays->fd()), {{std::move(spec), offset}}).has_value();
  };
  EXPECT_TRUE(adopt(doubles("a", 3), arrays->slot(0).offset));
  EXPECT_FALSE(adopt(doubles("a", 3), arrays->total_bytes() - 8));
  EXPECT_FALSE(adopt({"a", "float64", {3}, 16}, 0));
  EXPECT_FALSE(adopt({"a", "float64", {-3}, 24}, 0));
}

/// Compiles C to a shared object in its own folder.
class Port {
 public:
  explicit Port(const std::string& source) {
    const std::string c = folder_.path() + "/port.c";
    library_ = folder_.path() + "/port.so";
    std::ofstream(c) << source;
    Command command;
    command.argv = {"cc", "-O1", "-shared", "-fPIC", "-o", library_, c};
    Limits limits;
    limits.scratch = folder_.path();
    const Child child = run(command, limits);
    EXPECT_TRUE(succeeded(child.outcome)) << to_string(child.outcome) << child.err;
  }
  NativeOutcome call(SharedArrays& arrays, std::vector<NativeArgument> arguments, Limits limits = {}) const {
    NativeCall native;
    native.library = library_;
    native.symbol = "port";
    native.arguments = std::move(arguments);
    native.runner = PW_BINARY_DIR "/bin/portwright-native-runner";
    limits.scratch = folder_.path();
    return run_native(native, arrays, limits);
  }

 private:
  ScratchFolder folder_;
  std::string library_;
};

TEST(Native, PassesEveryKindOfArgument) {
  const Port port(
      "#include <stdint.h>\n#include <stdbool.h>\n"
      "int port(double* a, int64_t n, double x, float y, int32_t i, bool b, int64_t m, double z) {\n"
      "  a[0] = (double)n; a[1] = x; a[2] = y; a[3] = i; a[4] = b; a[5] = (double)m; a[6] = z; return 42; "
      "}\n");
  auto arrays = SharedArrays::create({doubles("a", 7)});
  const NativeOutcome out = port.call(*arrays, {ArrayArgument{0}, std::int64_t{-5}, 0.5, 0.25f,
                                                std::int32_t{-7}, true, std::int64_t{1} << 40, 1e300});
  EXPECT_EQ(out.status, 42) << to_string(out.child.outcome) << out.child.err;
  EXPECT_TRUE(out.computing_only);
  EXPECT_THAT(out.violations, IsEmpty());
  EXPECT_THAT(
      arrays->as<double>(0),
      ::testing::ElementsAre(-5, 0.5, 0.25, -7, 1, static_cast<double>(std::int64_t{1} << 40), 1e300));
}

TEST(Native, NewMemoryIsNotZero) {
  const Port port(
      "#include <stdlib.h>\n"
      "int port(void) {\n"
      "  const double* small = malloc(64);\n"
      "  const double* large = aligned_alloc(64, 1 << 24);\n"
      "  return small[7] > 1e300 && large[1000000] > 1e300;\n"
      "}\n");
  auto arrays = SharedArrays::create({doubles("a", 7)});
  EXPECT_EQ(port.call(*arrays, {}).status, 1);
}

TEST(Native, SetUpCostsMilliseconds) {
  const Port port("int port(void) { return 0; }");
  auto arrays = SharedArrays::create({doubles("a", 7)});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(port.call(*arrays, {}).status, 0);
  const double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 20;
  RecordProperty("milliseconds_a_run", std::to_string(each * 1e3));
}

TEST(Native, CpuTimeIsFinerThanATick) {
  const Port port("int port(void) { for (volatile int i = 0; i < 300000; ++i) {} return 0; }");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  const NativeOutcome out = port.call(*arrays, {});
  EXPECT_GT(out.cpu_seconds, 0);
  EXPECT_LE(out.cpu_seconds, out.wall_seconds + 0.001);
}

TEST(Native, CrashKeepsNoStatus) {
  const Port port("int port(void) { *(volatile int*)0 = 1; return 0; }");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  const NativeOutcome out = port.call(*arrays, {});
  EXPECT_EQ(out.child.outcome, Outcome(Signalled{SIGSEGV}));
  EXPECT_EQ(out.status, std::nullopt);
}

TEST(Native, AbortIsSeen) {
  const Port port("#include <stdlib.h>\nint port(void) { abort(); }");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  EXPECT_EQ(port.call(*arrays, {}).child.outcome, Outcome(Signalled{SIGABRT}));
}

TEST(Native, OverrunIsSeenInRedZonesAndAtGuards) {
  const Port port("int port(double* a) { a[3] = 1; return 0; }");
  auto red = SharedArrays::create({doubles("a", 3)});
  const NativeOutcome written = port.call(*red, {ArrayArgument{0}});
  EXPECT_EQ(written.status, 0);
  ASSERT_EQ(written.violations.size(), 1u);
  EXPECT_EQ(written.violations[0].name, "a");
  auto guarded = SharedArrays::create({doubles("a", 3)}, Placement::PageEnd);
  const NativeOutcome stopped = port.call(*guarded, {ArrayArgument{0}});
  EXPECT_EQ(stopped.child.outcome, Outcome(Signalled{SIGSEGV}));
  EXPECT_THAT(stopped.violations, ::testing::ElementsAre(RedZoneViolation{"a", 24}));
}

TEST(Native, OverreadIsSeenAtGuards) {
  const Port port("int port(double* a) { return (int)((volatile double*)a)[-1]; }");
  auto arrays = SharedArrays::create({doubles("a", 3)}, Placement::PageStart);
  const NativeOutcome out = port.call(*arrays, {ArrayArgument{0}});
  EXPECT_EQ(out.child.outcome, Outcome(Signalled{SIGSEGV}));
  EXPECT_THAT(out.violations, ::testing::ElementsAre(RedZoneViolation{"a", -8}));
}

TEST(Native, HangIsOutOfCpuTime) {
  const Port port("int port(void) { for (;;) __asm__ volatile(\"\"); }");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  Limits limits;
  limits.cpu_seconds = 0.2;
  const NativeOutcome out = port.call(*arrays, {}, limits);
  EXPECT_TRUE(std::holds_alternative<TimedOut>(out.child.outcome)) << to_string(out.child.outcome);
}

TEST(Native, ThreadsWorkAndMoreProcessesDoNot) {
  const Port port(
      "#include <pthread.h>\n#include <unistd.h>\n"
      "static void* work(void* p) { *(double*)p = 3; return 0; }\n"
      "int port(double* a) { pthread_t t; if (pthread_create(&t, 0, work, a)) return 1; pthread_join(t, 0);\n"
      "  return fork() == -1 && execl(\"/bin/true\", \"true\", (char*)0) == -1 ? 0 : 2; }\n");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  EXPECT_EQ(port.call(*arrays, {ArrayArgument{0}}).status, 0);
  EXPECT_EQ(arrays->as<double>(0)[0], 3);
}

TEST(Native, WritesNoFileAnywhere) {
  ScratchFolder other;
  const Port port(
      "#include <stdio.h>\n#include <unistd.h>\n"
      "int port(void) { int made = fopen(\"" +
      other.path() +
      "/x\", \"w\") != 0;\n"
      "  return made + 2 * (fopen(\"y\", \"w\") != 0) + 4 * (unlink(\"port.so\") == 0); }\n");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  EXPECT_EQ(port.call(*arrays, {}).status, 0);
}

TEST(Native, LoadErrorsAreTold) {
  const Port port("int other(void) { return 0; }");
  auto arrays = SharedArrays::create({doubles("a", 1)});
  const NativeOutcome out = port.call(*arrays, {});
  EXPECT_EQ(out.status, std::nullopt);
  EXPECT_THAT(out.load_error, HasSubstr("port"));
}

}  // namespace
}  // namespace pw::runtime
