// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace syncline {
namespace {

class TableOfEvidence final : public Evidence {
 public:
  std::map<std::string, std::vector<double>> known;  // by Lookup::text()
  std::map<std::string, NumberList> lists;           // "step name"
  std::map<std::string, std::string> states;
  int asked = 0;

  std::vector<double> numbers(const Lookup& lookup) override {
    ++asked;
    const auto found = known.find(lookup.text());
    if (found == known.end()) throw NoEvidence(lookup.text() + " is not there");
    return found->second;
  }
  NumberList series(const std::string& step, const std::string& name) override { return lists.at(step + " " + name); }
  NumberList counter(const std::string& step, const std::string& name) override { return lists.at(step + " " + name); }
  std::string parameters(const std::string& step) override { return states.at(step); }
};

class ExpressionTest : public testing::Test {
 protected:
  void SetUp() override {
    evidence_.known = {{"a.step_s", {2}},
                       {"b.step_s", {5, 1, 3}},
                       {"sim.step_s[workers=8, plan=\"mg-wfbp\"]", {0.25}},
                       {"zero.step_s", {0}},
                       {"odd.step_s", {std::nan("")}}};
    evidence_.lists = {{"a train_loss", {{3, 2, 1}, {0, 10, 20}}},
                       {"b train_loss", {{3, 2, 1}, {0, 10, 20}}},
                       {"c train_loss", {{3, 2.2, 1}, {0, 10, 20}}},
                       {"d train_loss", {{0.0, -0.0}, {0, 1}}},
                       {"a exchanges", {{4, 4, 4}, {}}}};
    evidence_.states = {{"a", "x"}, {"b", "x"}, {"c", "y"}};
  }
  double number(const std::string& text) { return std::get<double>(Expression(text).evaluate(evidence_)); }
  bool holds(const std::string& text) { return std::get<bool>(Expression(text).evaluate(evidence_)); }
  std::string untested(const std::string& text) {
    try {
      Expression(text).evaluate(evidence_);
    } catch (const NoEvidence& missing) {
      return missing.what();
    }
    return "tested";
  }
  static std::string wrong(const std::string& text) {
    try {
      Expression expression(text);
    } catch (const ExpressionError& error) {
      return error.what();
    }
    return "right";
  }
  TableOfEvidence evidence_;
};

TEST_F(ExpressionTest, OperatorsBindAsInArithmetic) {
  EXPECT_EQ(number("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_EQ(number("8 / 2 / 2"), 2);
  EXPECT_EQ(number("1 - 2 - 3"), -4);
  EXPECT_EQ(number("-2 * -3"), 6);
  EXPECT_EQ(number("- -1.5e-1"), 0.15);
}

TEST_F(ExpressionTest, ComparisonsAndWordsSayWhatHolds) {
  EXPECT_TRUE(holds("1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3 and 1 != 2 and 2 = 2"));
  EXPECT_TRUE(holds("1 > 2 or 2 > 1"));
  EXPECT_TRUE(holds("not 1 > 2 and not (1 > 2 or 2 > 3)"));
  EXPECT_TRUE(holds("1 > 2 and 1 > 2 or 1 < 2")) << "and binds closer than or";
  EXPECT_FALSE(holds("1 + 1 = 3"));
}

TEST_F(ExpressionTest, StepsGiveTheMedianOverTheirSeeds) {
  EXPECT_EQ(number("a.step_s"), 2);
  EXPECT_EQ(number("b.step_s"), 3);
  EXPECT_EQ(number("max(seeds(b.step_s)) - min(seeds(b.step_s))"), 4);
  EXPECT_EQ(number("sim.step_s[workers=8,plan=\"mg-wfbp\"] * 4"), 1);
}

TEST_F(ExpressionTest, FunctionsTakeNumbersAndLists) {
  EXPECT_EQ(number("max(1, series(a, \"train_loss\"), 7)"), 7);
  EXPECT_EQ(number("min(series(a, \"train_loss\"))"), 1);
  EXPECT_EQ(number("median(1, 2, 3, 10)"), 2.5);
  EXPECT_EQ(number("mean(1, 2, 6)"), 3);
  EXPECT_EQ(number("sum(counter(a, \"exchanges\"))"), 12);
  EXPECT_EQ(number("count(counter(a, \"exchanges\"))"), 3);
  EXPECT_EQ(number("abs(-2) + sqrt(9) + log2(8)"), 8);
  EXPECT_EQ(number("at(series(a, \"train_loss\"), 10)"), 2);
  EXPECT_EQ(number("at(counter(a, \"exchanges\"), 2)"), 4);
  EXPECT_EQ(number("first(series(a, \"train_loss\")) - last(series(a, \"train_loss\"))"), 2);
  EXPECT_NEAR(number("apart(series(a, \"train_loss\"), series(c, \"train_loss\"))"), 0.2 / 2.2, 1e-12);
  EXPECT_EQ(number("apart(series(a, \"train_loss\"), series(b, \"train_loss\"))"), 0);
}

TEST_F(ExpressionTest, SameIsToTheLastBit) {
  EXPECT_TRUE(holds("same(series(a, \"train_loss\"), series(b, \"train_loss\"))"));
  EXPECT_FALSE(holds("same(series(a, \"train_loss\"), series(b, \"train_loss\"), series(c, \"train_loss\"))"));
  EXPECT_TRUE(holds("same(parameters(a), parameters(b))"));
  EXPECT_FALSE(holds("same(parameters(a), parameters(c))"));
  EXPECT_TRUE(holds("first(series(d, \"train_loss\")) = last(series(d, \"train_loss\"))"));
  EXPECT_FALSE(holds("same(first(series(d, \"train_loss\")), last(series(d, \"train_loss\")))")) << "0 and -0";
}

TEST_F(ExpressionTest, WhatIsMissingIsNotTestedAndSaysWhy) {
  EXPECT_EQ(untested("nobody.step_s"), "nobody.step_s is not there");
  EXPECT_EQ(untested("a.step_s / zero.step_s"), "a divisor is 0");
  EXPECT_EQ(untested("odd.step_s"), "odd.step_s is no finite number");
  EXPECT_EQ(untested("at(series(a, \"train_loss\"), 5)"), "the series has no value at step 5");
  EXPECT_EQ(untested("apart(series(a, \"train_loss\"), counter(d, \"train_loss\"))"), "apart() has 3 and 2 numbers to compare");
  EXPECT_EQ(untested("1 < 2 or nobody.step_s > 1"), "nobody.step_s is not there") << "half of the evidence is missing";
  EXPECT_EQ(untested("1 > 2 and nobody.step_s > 1"), "nobody.step_s is not there");
  EXPECT_EQ(untested("sqrt(-1)"), "a square root is no finite number");
}

TEST_F(ExpressionTest, MistakesAreSaidWithTheirPlace) {
  EXPECT_EQ(wrong(""), "at character 1: the expression ends where a number, a step or a function would be right");
  EXPECT_EQ(wrong("1 +"), "at character 4: the expression ends where a number, a step or a function would be right");
  EXPECT_EQ(wrong("(1 + 2"), "at character 7: ')' is missing after this");
  EXPECT_EQ(wrong("1 2"), "at character 3: '2' does not belong here; an operator or the end would be right");
  EXPECT_EQ(wrong("maxi(1)"), "at character 1: the function 'maxi' is not known; did you mean 'max'?");
  EXPECT_EQ(wrong("abs(1, 2)"), "at character 1: abs() takes 1 argument, not 2");
  EXPECT_EQ(wrong("same(1)"), "at character 1: same() takes at least 2 arguments, not 1");
  EXPECT_EQ(wrong("a"), "at character 1: 'a' is a step; a number of it would be a.step_s");
  EXPECT_EQ(wrong("a + 1"), "at character 1: 'a' is a step; a number would be right, as a.step_s");
  EXPECT_EQ(wrong("1 and 2 > 1"), "at character 1: 'and' needs something that holds or not, and this is a number");
  EXPECT_EQ(wrong("(1 < 2) + 1"), "at character 2: '+' needs a number, and this is something that holds or not");
  EXPECT_EQ(wrong("series(a, \"x\")"), "at character 1: this is a list; a number or a comparison would be right");
  EXPECT_EQ(wrong("max(parameters(a))"), "at character 5: max() needs a number, and this is a text");
  EXPECT_EQ(wrong("same(1, parameters(a))"), "at character 9: same() compares a number with a text");
  EXPECT_EQ(wrong("seeds(1)"), "at character 7: seeds() needs a number of a step, as STEP.step_s");
  EXPECT_EQ(wrong("series(1, \"x\")"), "at character 8: series() needs the name of a step here");
  EXPECT_EQ(wrong("a.step_s[workers]"), "at character 17: '=' is missing in the brackets");
  EXPECT_EQ(wrong("a.step_s[plan=wfbp]"), "at character 15: a number or a \"text\" would be right here");
  EXPECT_EQ(wrong("\"text"), "at character 1: the text has no end; a '\"' would be right");
  EXPECT_EQ(wrong("1 < 2 < 3"), "at character 7: '< 3' does not belong here; an operator or the end would be right");
  EXPECT_EQ(wrong("1e999"), "at character 1: '1e999' is no number");
  EXPECT_NE(wrong(std::string(1000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(wrong(std::string(1000, '-') + "1").find("nested too deeply"), std::string::npos);
  std::string negations;
  for (int k = 0; k < 500; ++k) negations += "not ";
  EXPECT_NE(wrong(negations + "1 < 2").find("nested too deeply"), std::string::npos);
}

TEST_F(ExpressionTest, NamesTheStepsThatItSpeaksOf) {
  const Expression expression("max(a.step_s, b.comm_s[workers=2]) < count(series(c, \"train_loss\")) and a.step_s > 0");
  EXPECT_EQ(expression.steps(), (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(expression.lookups().size(), 3u);
  EXPECT_EQ(expression.lookups()[1].text(), "b.comm_s[workers=2]");
  EXPECT_FALSE(expression.is_number());
  EXPECT_TRUE(Expression("1").is_number());
}

}  // namespace
}  // namespace syncline
