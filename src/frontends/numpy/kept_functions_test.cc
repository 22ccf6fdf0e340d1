// Which functions of the file stay functions, and that calls of them mean what runs in place do.
#include "frontends/numpy/stage_testing.h"

namespace pw::numpy {
namespace {

using Names = std::vector<std::string>;

/// A function that is worth a call: running sums of an array, in order.
const std::string kRunning = R"(
def running(v):
    out = np.zeros(v.shape[0])
    total = 0.0
    for i in range(v.shape[0]):
        total += v[i]
        out[i] = total
    return out
)";

TEST(KeptFunctions, OneFunctionServesCallsOfOneShape) {
  const CaseOutcome outcome = run_source(kRunning + R"(
def f(x, k, s, a):
    b = running(x)
    return b + running(b)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"running"}));
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{2, -1, 4, 7}));
}

TEST(KeptFunctions, OneFunctionServesArraysOfOtherSizes) {
  const CaseOutcome outcome = run_source(kRunning + R"(
def f(x, k, s, a):
    b = np.concatenate((x, x))
    return running(b)[:4] + running(x)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"running"}));
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{2, -2, 4, 5}));
}

TEST(KeptFunctions, WhatIsKnownBelongsToTheFunction) {
  const CaseOutcome outcome = run_source(R"(
def scaled(v, mode, step=1):
    out = np.zeros(v.shape[0])
    for i in range(0, v.shape[0], step):
        out[i] = v[i] * 2 if mode == "twice" else v[i] * 3
    return out
def f(x, k, s, a):
    return scaled(x, "twice") + scaled(x, "thrice") + scaled(x, "twice", step=2)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"scaled", "scaled_2", "scaled_3"}));
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{7, -10, 21, 2.5}));
}

TEST(KeptFunctions, AStoreReachesTheCallersArray) {
  const CaseOutcome outcome = run_source(R"(
def shift(v):
    for i in range(1, v.shape[0]):
        v[i] = v[i - 1] + 1
    v += 1
def f(x, k, s, a):
    shift(x)
    shift(x)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"shift"}));
  EXPECT_EQ(values(outcome.arguments[0]), (std::vector<double>{3, 4, 5, 6}));
}

TEST(KeptFunctions, AnArrayPassedTwiceIsOneArray) {
  const CaseOutcome outcome = run_source(R"(
def add_before(v, w):
    for i in range(1, v.shape[0]):
        v[i] += w[i - 1]
def f(x, k, s, a):
    b = x.copy()
    add_before(x, x)
    add_before(x, b)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"add_before", "add_before_2"}));
  EXPECT_EQ(values(outcome.arguments[0]), (std::vector<double>{1, 0, 0, 5.5}));
}

TEST(KeptFunctions, WhatComesBackIsTheArgument) {
  const CaseOutcome outcome = run_source(R"(
def bumped(v):
    for i in range(v.shape[0] - 1):
        v[i] += v[i + 1]
    return v[1:]
def f(x, k, s, a):
    tail = bumped(x)
    tail[0] = 50
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"bumped"}));
  EXPECT_EQ(values(outcome.arguments[0]), (std::vector<double>{-1, 50, 3.5, 0.5}));
}

TEST(KeptFunctions, NumbersAndArraysComeBackTogether) {
  const CaseOutcome outcome = run_source(R"(
def extent(v, scale):
    low = v[0]
    high = v[0]
    for i in range(v.shape[0]):
        if v[i] < low:
            low = v[i]
        if v[i] > high:
            high = v[i]
    return low * scale, high, v.shape[0] + 1, v / 2
def f(x, k, s, a):
    low, high, count, half = extent(x, s)
    again = extent(half, s * 2)
    return low, high, count, again[0] + again[2]
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"extent"}));
  EXPECT_EQ(values(outcome.results[0]), std::vector<double>{-1});
  EXPECT_EQ(values(outcome.results[1]), std::vector<double>{3});
  EXPECT_EQ(values(outcome.results[2]), std::vector<double>{5});
  EXPECT_EQ(values(outcome.results[3]), std::vector<double>{4});
}

TEST(KeptFunctions, ASmallOneRunsInPlace) {
  const CaseOutcome outcome = run_source(R"(
def relu(v):
    return np.maximum(v, 0)
def f(x, k, s, a):
    return relu(x) + relu(-x)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, Names{});
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{1, 2, 3, 0.5}));
}

TEST(KeptFunctions, AChangeOfAPassedListIsMadeAtEachCall) {
  const CaseOutcome outcome = run_source(kRunning + R"(
def note(v, log):
    log.append(2.0)
    return running(v) + running(v)
def f(x, k, s, a):
    log = []
    b = note(x, log) + note(x, log)
    return b * len(log)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, (Names{"running"}));
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{8, -8, 16, 20}));
}

TEST(KeptFunctions, AClosureSeesWhatItsNamesAreNow) {
  const CaseOutcome outcome = run_source(R"(
def f(x, k, s, a):
    t = 1.0
    def g(v):
        out = np.zeros(v.shape[0])
        for i in range(v.shape[0]):
            out[i] = v[i] * t
        return out
    b = g(x)
    t = 10.0
    return b + g(x)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{11, -22, 33, 5.5}));
}

TEST(KeptFunctions, ATrapInsideLeavesTheKernel) {
  const CaseOutcome outcome = run_source(R"(
def checked(v):
    total = 0.0
    for i in range(v.shape[0]):
        total += v[i]
    if total < 10.0:
        raise ValueError("too little")
    return v * total
def f(x, k, s, a):
    b = checked(x * 10)
    return checked(x) + b
)");
  ASSERT_EQ(outcome.end, End::Trapped) << outcome.text;
  EXPECT_EQ(outcome.trap, ir::TrapKind::ValueError);
  EXPECT_EQ(outcome.functions, (Names{"checked"}));
}

TEST(KeptFunctions, WhereTheCallerKnowsMoreItRunsInPlace) {
  // In place no index can leave the array; a function of `i` alone would have to check.
  const CaseOutcome outcome = run_source(R"(
def relax(v, i):
    for j in range(3):
        v[i] = (v[i - 1] + v[i + 1]) * 0.5
def f(x, k, s, a):
    for i in range(1, x.shape[0] - 1):
        relax(x, i)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, Names{});
  EXPECT_TRUE(outcome.traps.empty());
}

TEST(KeptFunctions, AViewRunsInPlace) {
  const CaseOutcome outcome = run_source(kRunning + R"(
def f(x, k, s, a):
    return running(x[::-1])
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(outcome.functions, Names{});
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{0.5, 3.5, 1.5, 2.5}));
}

TEST(KeptFunctions, ACopyThatMayBeAViewIsWatchedBehindTheCall) {
  const CaseOutcome outcome = run_source(R"(
def flat(v):
    total = 0.0
    for i in range(v.shape[0]):
        total += v[i, 0]
    return v.T.reshape(-1), total
def f(x, k, s, a):
    b, total = flat(a.reshape(4, 3)[:, :])
    a[0, 0] = 7
    return b
)");
  EXPECT_TRUE(outcome.end == End::Refused || values(outcome.results[0])[0] == 0) << outcome.text;
}

TEST(KeptFunctions, RecursionThatStagingEndsIsKept) {
  const CaseOutcome outcome = run_source(kRunning + R"(
def power(v, times):
    if times == 0:
        return v
    return running(power(v, times - 1))
def f(x, k, s, a):
    return power(x, 3)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(values(outcome.results[0]), (std::vector<double>{1, 1, 3, 7.5}));
}

TEST(KeptFunctions, AListThatComesBackIsTheCallersOwn) {
  const CaseOutcome outcome = run_source(kRunning + R"(
def grown(v, log):
    b = running(v) + running(v)
    v[:] = b
    return log
def f(x, k, s, a):
    log = [1.0]
    same = grown(x, log)
    same.append(2.0)
    x[0] = len(log)
)");
  ASSERT_EQ(outcome.end, End::Returned) << outcome.text;
  EXPECT_EQ(values(outcome.arguments[0])[0], 2);
}

}  // namespace
}  // namespace pw::numpy
