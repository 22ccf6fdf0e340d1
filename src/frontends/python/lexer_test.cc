#include "frontends/python/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/python/number_scan.h"

namespace pw::python {
namespace {

Lexed lex(const std::string& text) {
  base::Sources sources;
  return tokenize(sources.add("k.py", text), sources);
}

/// Kinds (and for names and numbers their text) of what the grammar sees.
std::string significant(const std::string& text) {
  std::string out;
  for (const Token& token : lex(text).tokens) {
    if (is_trivia(token.kind)) continue;
    if (!out.empty()) out += ' ';
    const bool named = token.kind == TokenKind::Identifier || token.kind == TokenKind::Number ||
                       token.kind == TokenKind::String;
    out += named ? text.substr(token.begin, token.end - token.begin) : std::string(spelling(token.kind));
  }
  return out;
}

TEST(Lexer, TokensJoinToTheFileByteForByte) {
  const std::string sources[] = {
      "",
      "x",
      "\xEF\xBB\xBFx = 1\n",
      "# only a comment",
      "def f(a,\r\n      b): # why\r\n\treturn (a +\\\r\n  b)\r\n\r\n",
      "if x:\n    y\n\n  # deeper comment\n    z\nelse : pass ; \n\f\nx = '''a\n\\'''b'''\n",
      "a = [1,\n  # inside\n\n  2]\n   \n",
      "x = 'unterminated\ny = 2\n",
      "x = ) + 1\n  more\n",
      "if x:\n\ty\n        z\n",
      "x = (1\n",
      "lone\rreturns\r",
      "\\\nx\n",
      "x $ y ? z\n",
  };
  for (const std::string& text : sources) {
    std::string joined;
    std::uint32_t end = 0;
    for (const Token& token : lex(text).tokens) {
      EXPECT_EQ(token.begin, end) << text;
      end = token.end;
      joined += text.substr(token.begin, token.end - token.begin);
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(Lexer, IndentsAndJoinsLines) {
  EXPECT_EQ(
      significant("if x:\n  a\n  if y:\n    b\nc"),
      "if x : Newline Indent a Newline if y : Newline Indent b Newline Dedent Dedent c Newline EndMarker");
  EXPECT_EQ(significant("a = (1,\n  2)\n"), "a = ( 1 , 2 ) Newline EndMarker");
  EXPECT_EQ(significant("a = 1 + \\\n  2\n"), "a = 1 + 2 Newline EndMarker");
  EXPECT_EQ(significant("\n  # c\n\n\x0c\nx\n   \n"), "x Newline EndMarker");
  EXPECT_EQ(significant("  \\\n      x\n  y\n"), "Indent x Newline y Newline Dedent EndMarker");
  EXPECT_EQ(significant("if x:\n\ta\n\tb\n"), "if x : Newline Indent a Newline b Newline Dedent EndMarker");
  EXPECT_EQ(significant("a\rb\r"), "a Newline b Newline EndMarker");
}

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_EQ(significant("a//=b**c->d:=e...f<>g>>=h!=i@=j"),
            "a //= b ** c -> d := e ... f <> g >>= h != i @= j Newline EndMarker");
  EXPECT_EQ(significant("x.5 ..6"), "x .5 . .6 Newline EndMarker");
}

TEST(Lexer, KnowsStringPrefixes) {
  EXPECT_EQ(significant("rb'\\x' Rb\"a\" f'' U'x' fR'''a'b''' bu'x'"),
            "rb'\\x' Rb\"a\" f'' U'x' fR'''a'b''' bu 'x' Newline EndMarker");
}

TEST(Lexer, KnowsNamesBeyondAscii) {
  EXPECT_EQ(significant("größe = naïve_1 + 变量"), "größe = naïve_1 + 变量 Newline EndMarker");
  EXPECT_TRUE(lex("x = 1€\n").error.has_value());
  EXPECT_TRUE(lex("€ = 1\n").error.has_value());
}

TEST(NumberScan, ReadsAllFormsAndValues) {
  struct Row {
    std::string text;
    std::size_t size;
  };
  const Row good[] = {{"0", 1},       {"00_0", 4},  {"1_000+", 5},  {"0x_fF", 5}, {"0b1_0", 5},
                      {"0O17", 4},    {"1.", 2},    {".5e-3j", 6},  {"1e10", 4},  {"1E+5.", 4},
                      {"1_0.0_1", 7}, {"1j", 2},    {"09.5", 4},    {"09j", 3},   {"1if x", 1},
                      {"0xfor", 3},   {"1or 2", 1}, {"1..real", 2}, {"1else", 1}};
  for (const Row& row : good) {
    const NumberScan scan = scan_number(row.text);
    EXPECT_EQ(scan.problem, "") << row.text;
    EXPECT_EQ(scan.size, row.size) << row.text;
  }
  for (const std::string bad :
       {"1_", "1__0", "0x", "0xg", "0b2", "0b12", "0o8", "017", "1e+", "1.5_", "1a", "1jx", "0_7", "1._5"}) {
    EXPECT_NE(scan_number(bad).problem, "") << bad;
  }
}

TEST(NumberScan, ComputesValues) {
  const auto integer = [](std::string_view text) { return std::get<IntValue>(*number_value(text)); };
  EXPECT_EQ(integer("1_000").value, 1000);
  EXPECT_EQ(integer("0xff").digits, "255");
  EXPECT_EQ(integer("0o17").value, 15);
  EXPECT_EQ(integer("0b101").value, 5);
  EXPECT_EQ(integer("00").digits, "0");
  EXPECT_EQ(integer("9223372036854775807").value, 9223372036854775807);
  EXPECT_EQ(integer("9223372036854775808").value, std::nullopt);
  EXPECT_EQ(integer("0x1_0000_0000_0000_0000_0000_0000").digits, "79228162514264337593543950336");
  EXPECT_EQ(std::get<double>(*number_value("1_0.5e-1")), 1.05);
  EXPECT_EQ(std::get<double>(*number_value("1e400")), std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<double>(*number_value("1e-400")), 0.0);
  EXPECT_EQ(std::get<double>(*number_value("0.0e999")), 0.0);
  EXPECT_EQ(std::get<double>(*number_value("5e-324")), 5e-324);
  EXPECT_EQ(std::get<ImaginaryValue>(*number_value("2.5J")).imaginary, 2.5);
  EXPECT_FALSE(number_value(std::string(4301, '9')).has_value());
  EXPECT_TRUE(number_value(std::string(4300, '9')).has_value());
  EXPECT_FALSE(number_value("0x" + std::string(4000, 'f')).has_value());
}

}  // namespace
}  // namespace pw::python
