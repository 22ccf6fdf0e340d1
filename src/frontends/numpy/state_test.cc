// What Python keeps while staging: containers, text, and (top_level.cc) the file that a kernel stands in.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/numpy/stage_testing.h"

namespace pw::numpy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(State, AContainerKeepsTheValueThatItWasGiven) {
  const std::string later = "x[0] = 9.0\nx[1] = ";
  for (const std::string& body : std::vector<std::string>{
           "e = [x[0]]\n" + later + "e[0]", "e = []\ne.append(x[0])\n" + later + "e[0]",
           "e = []\ne.extend([x[0]])\n" + later + "e[0]", "e = []\ne += [x[0]]\n" + later + "e[0]",
           "e = [0.0]\ne[0] = x[0]\n" + later + "e[0]", "e = [x[0]] * 2\n" + later + "e[1]",
           "e = {'a': x[0]}\n" + later + "e['a']", "e = {}\ne['a'] = x[0]\n" + later + "e['a']",
           "def g(c=x[0]):\n    return c\n" + later + "g()", "g = lambda c=x[0]: c\n" + later + "g()",
           "def g(**w):\n    x[0] = 9.0\n    return w['c']\nx[1] = g(c=x[0])",
           "for v in (x[0], 1.0):\n    x[0] = 9.0\n    x[1] = v",
           "def h():\n    x[0] = 9.0\n    return 0.0\ndef g(a, b=0):\n    return a\nx[1] = g(x[0], b=h())",
           "def h():\n    x[0] = 9.0\n    return 0.0\ndef g(a, b=0):\n    return a\nx[1] = g(a=x[0], b=h())",
           "s = x[0]\ne = [s]\ns += 5.0\n" + later + "e[0]"}) {
    EXPECT_THAT(x_after(body), ElementsAre(9.0, 1.0, 3.0, 0.5)) << body;
  }
  EXPECT_THAT(x_after("r = slice(0, k[2] + 1)\nk[2] = 3\nx[r] = 7.0"), ElementsAre(7.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("r = range(k[2] + 1)\nk[2] = 3\nfor i in r:\n    x[i] = 7.0"),
              ElementsAre(7.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("x[0], x[1] = (x[i] * 2.0 for i in (2, 3))"), ElementsAre(6.0, 1.0, 3.0, 0.5));
  EXPECT_THAT(x_after("h = [x[:1], x[1:]]\nh[0] += 2.0"), ElementsAre(3.0, -2.0, 3.0, 0.5));
  EXPECT_THAT(x_after("h = {'a': x[1:]}\nh['a'] *= 2.0"), ElementsAre(1.0, -4.0, 6.0, 1.0));
}

TEST(State, AContainerOfTheFileMayOnlyBeRead) {
  const std::string file =
      "A = np.zeros(3)\nA[1] = 5.0\nD = {'a': 1}\nT = [1.0]\nT.append(2.0)\ndef g(l=[]):\n    "
      "l.append(1.0)\n    return len(l)\n";
  const auto with = [&](const std::string& body) { return run_source(file + "def f(x, k, s, a):\n" + body); };
  EXPECT_THAT(values(with("    return T[1] + len(T) + A[1]\n").results.at(0)), ElementsAre(9.0));
  EXPECT_EQ(run_source("L = []\nL.append(json.loads('1'))\ndef f(x, k, s, a):\n    x[0] = 1.0\n").end,
            End::Returned);
  EXPECT_EQ(run_source("L = []\nL.append(json.loads('1'))\ndef f(x, k, s, a):\n    x[0] = len(L)\n").end,
            End::Refused);
  EXPECT_THAT(run_source("def f(x, k, s, a, l=[0]):\n    l[0] += 1\n    x[0] = l[0]\n").rules,
              Contains("numpy-construct"));
  EXPECT_THAT(run_source("def f(x, k, s, a, l=np.zeros(2)):\n    l[0] += 1\n    x[0] = l[0]\n").rules,
              Contains("numpy-construct"));
  for (const std::string body : {"    T.append(x[0])\n", "    T[0] = x[0]\n", "    x[0] = g()\n",
                                 "    A[0] = 2.0\n", "    D['a'] += 1\n"}) {
    EXPECT_THAT(with(body).rules, Contains("numpy-construct")) << body;
  }
  EXPECT_THAT(with("    A += x[0]\n").rules, Contains("numpy-unknown-name"));  // a name of f's own
}

TEST(State, StateThatAClosureKeepsOutlastsTheCall) {
  for (const std::string state : {"[0.0]", "np.zeros(2)", "{0: 0.0}"}) {
    const std::string file = "def make():\n    c = " + state +
                             "\n    def h(v):\n        c[0] = c[0] + v\n        return c[0]\n    return h\n";
    const std::string kernel = "def f(x, k, s, a):\n    x[0] = {}(1.0)\n";
    for (const auto& [made, use] : {std::pair("H = make()\n", "H"), std::pair("H = [make()]\n", "H[0]")}) {
      const CaseOutcome outcome = run_source(file + made + fmt::format(fmt::runtime(kernel), use));
      EXPECT_THAT(outcome.rules, Contains("numpy-construct")) << state << made;
    }
    const std::string own = "def f(x, k, s, a):\n    h = make()\n    h(1.0)\n    x[0] = h(1.0)\n";
    EXPECT_THAT(values(run_source(file + own).arguments.at(0)), ElementsAre(2.0, -2.0, 3.0, 0.5)) << state;
  }
}

TEST(State, WhatTheFileDoesToItsStateCounts) {
  const std::string state =
      "A = [[1.0], 2.0]\nB = A\nD = {'a': [1.0]}\nZ = np.zeros(2)\n"
      "def add(l, v):\n    l.append(v)\ndef more():\n    A.append(7.0)\n"
      "def fill(z):\n    z[:] = 5.0\n";
  const std::string kernel =
      "def f(x, k, s, a):\n    x[0] = len(A)\n    x[1] = len(D['a'])\n    x[2] = Z[1]\n";
  const auto after = [&](const std::string& statement) {
    const CaseOutcome outcome = run_source(state + statement + kernel);
    EXPECT_EQ(outcome.end, End::Returned) << statement << outcome.text;
    return outcome.arguments.empty() ? std::vector<double>() : values(outcome.arguments[0]);
  };
  EXPECT_THAT(after("B.append(3.0)\n"), ElementsAre(3.0, 1.0, 0.0, 0.5));
  EXPECT_THAT(after("D['a'].append(3.0)\nadd(A, 2.0)\nmore()\n"), ElementsAre(4.0, 2.0, 0.0, 0.5));
  EXPECT_THAT(after("[B.append(v) for v in (1, 2)]\nfill(Z)\n"), ElementsAre(4.0, 1.0, 5.0, 0.5));
  EXPECT_THAT(after("Z.fill(4.0)\nfor i in range(2):\n    A.append(i)\n"), ElementsAre(4.0, 1.0, 4.0, 0.5));
  EXPECT_THAT(after("if __name__ == '__main__':\n    A.append(json.loads('1'))\n"),
              ElementsAre(2.0, 1.0, 0.0, 0.5));
  for (const std::string statement :
       {"B.extend(json.loads('1'))\n", "for i in range(2):\n    A.append(2.0)\n    b = json.loads('1')\n",
        "A[0], A[1] = 3.0, json.loads('1')\n", "Q = B.pop(json.loads('0'))\n",
        "with open('x'):\n    more()\n", "D['a'].append(json.loads('1'))\n", "Z[0] = json.loads('1')\n",
        "C = (Z, 1)\nC[0][:] = json.loads('1')\n"}) {
    EXPECT_EQ(run_source(state + statement + kernel).end, End::Refused) << statement;
  }
}

TEST(State, TextIsKnownOrRefused) {
  EXPECT_THAT(result("n = 3\nreturn len(f'a{n}') + len(str(12))"), ElementsAre(4.0));
  EXPECT_THAT(result("return len('h\u00e9')"), ElementsAre(2.0));
  EXPECT_THAT(result("return {'v_1': 5.0}[f'v_{1}']"), ElementsAre(5.0));
  for (const std::string body : {"return len(f'{k[0]}')", "return len(str(s))", "return f'{s}' == '...'",
                                 "return len('{}'.format(12345))", "return len(f'{3:5d}')"}) {
    EXPECT_EQ(run(body).end, End::Refused) << body;
  }
  EXPECT_EQ(run("if x[1] < 0:\n    raise ValueError('at ' + str(x[1]) + f'{len(x)}')").trap,
            ir::TrapKind::ValueError);
}

TEST(State, ADictHasKeys) {
  EXPECT_THAT(result("d = {'a': 1, 2: 3}\nreturn ('a' in d) + 10 * (2 in d) + 100 * ('b' not in d)"),
              ElementsAre(111.0));
}

TEST(State, ErrorStatesMayOnlyBeQuiet) {
  EXPECT_THAT(result("with np.errstate(divide='ignore', all='warn'):\n    x[0] = 1.0\nreturn x[0]"),
              ElementsAre(1.0));
  EXPECT_THAT(run("with np.errstate(over='raise'):\n    x[0] = 1.0").rules, Contains("numpy-construct"));
  const std::string kernel = "def f(x, k, s, a):\n    x[0] = 1.0\n";
  EXPECT_THAT(run_source("np.seterr(all='raise')\n" + kernel).rules, Contains("numpy-construct"));
  for (const std::string file :
       {"old = np.seterr(over='raise')\n", "from numpy import seterr\nseterr(over='raise')\n",
        "def setup():\n    np.seterr(over='raise')\nsetup()\n", "if True:\n    np.seterr(all='raise')\n",
        "import warnings\nwarnings.simplefilter('error')\n"}) {
    EXPECT_THAT(run_source(file + kernel).rules, Contains("numpy-construct")) << file;
  }
  EXPECT_EQ(run_source("import warnings\nwarnings.filterwarnings('ignore')\n" + kernel).end, End::Returned);
  EXPECT_EQ(run_source("np.seterr(divide='ignore')\n" + kernel).end, End::Returned);
}

}  // namespace
}  // namespace pw::numpy
