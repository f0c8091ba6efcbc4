// SPDX-License-Identifier: Apache-2.0
#include "engine/store/filter.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

class FilterTest : public ::testing::Test {
 protected:
  FilterTest() {
    run_.name = "EASGD p8 tau 10";
    run_.notes = "baseline for fig 3";
    run_.tags = {"paper", "fig 3"};
    run_.state = "finished";
    run_.strategy = "easgd";
    run_.workers = 8;
    run_.seed = 3;
    run_.created = 1767225600;  // 2026-01-01 00:00 UTC
    run_.starred = true;
    summary_.final_train_loss = 0.4;
    summary_.best_test_accuracy = 0.91;
    summary_.step_s = 0.02;
    summary_.exposed_comm_s = 0.005;
    summary_.samples_per_s = 12400;
  }
  bool matches(const char* expression) const { return RunFilter(expression).matches(run_, summary_); }
  static std::string error_at(const char* expression) {
    try {
      RunFilter filter(expression);
    } catch (const FilterError& error) {
      EXPECT_NE(std::string(error.what()).find("--filter: at"), std::string::npos);
      return std::string(expression).substr(error.position(), error.length());
    }
    return "no error";
  }
  RunInfo run_;
  Summary summary_;
};

TEST_F(FilterTest, WordsLookIntoNameNotesAndTags) {
  EXPECT_TRUE(matches(""));
  EXPECT_TRUE(matches("easgd"));
  EXPECT_TRUE(matches("BASELINE"));
  EXPECT_TRUE(matches("\"fig 3\" paper"));
  EXPECT_FALSE(matches("easgd missing"));
  EXPECT_TRUE(matches("easgd or missing"));
  EXPECT_TRUE(matches("not missing"));
  EXPECT_TRUE(matches("\"or\" or easgd"));
}

TEST_F(FilterTest, TextsNumbersAndDays) {
  EXPECT_TRUE(matches("state:fin"));
  EXPECT_FALSE(matches("state=fin"));
  EXPECT_TRUE(matches("state=Finished"));
  EXPECT_TRUE(matches("strategy!=sync"));
  EXPECT_TRUE(matches("tag=\"fig 3\""));
  EXPECT_FALSE(matches("tag!=paper"));
  EXPECT_TRUE(matches("workers>=8 workers<=8 seed=3"));
  EXPECT_TRUE(matches("loss<0.5 accuracy>90%"));
  EXPECT_TRUE(matches("exposed>20% exposed<30%"));
  EXPECT_TRUE(matches("samples_per_s>12k"));
  EXPECT_TRUE(matches("step_s>10ms step_s<30ms"));
  EXPECT_TRUE(matches("created>2025-12-31 created<2026-01-01T00:01"));
  EXPECT_TRUE(matches("is:starred not is:locked"));
  EXPECT_FALSE(matches("time_to_target_s<1e9"));  // not measured: no comparison holds
  EXPECT_FALSE(matches("time_to_target_s!=1"));
}

TEST_F(FilterTest, Grouping) {
  EXPECT_TRUE(matches("(state:running or state:finished) workers=8"));
  EXPECT_FALSE(matches("not (state:finished workers=8)"));
  EXPECT_TRUE(matches("missing or (easgd and not (missing or state:lost))"));
  EXPECT_FALSE(matches("state:lost or missing or (easgd state:lost)"));
}

TEST_F(FilterTest, ErrorsPointAtTheWord) {
  EXPECT_EQ(error_at("workers=many"), "many");
  EXPECT_EQ(error_at("easgd colour:red"), "colour");
  EXPECT_EQ(error_at("state<running"), "state<running");
  EXPECT_EQ(error_at("created>yesterday"), "yesterday");
  EXPECT_EQ(error_at("(easgd"), "(");
  EXPECT_EQ(error_at("easgd)"), ")");
  EXPECT_EQ(error_at("\"easgd"), "\"easgd");
  EXPECT_EQ(error_at("is:pretty"), "pretty");
  EXPECT_EQ(error_at("loss=!3"), "=!");
  EXPECT_EQ(error_at("loss<"), "loss<");
  EXPECT_NE(error_at("easgd or"), "no error");
  EXPECT_NE(error_at("not"), "no error");
  EXPECT_NE(error_at(std::string(200, '(').c_str()), "no error");
  std::string nots;
  for (int i = 0; i < 200; ++i) nots += "not ";
  EXPECT_NE(error_at((nots + "x").c_str()), "no error");
}

TEST_F(FilterTest, KnowsWhetherTheSummaryIsNeeded) {
  EXPECT_FALSE(RunFilter("state:running easgd workers>1").needs_summary());
  EXPECT_TRUE(RunFilter("state:running or not (loss<1)").needs_summary());
  const auto keys = RunFilter::keys();
  for (const char* key : {"loss", "state", "tag", "exposed_comm_s"}) EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
}

}  // namespace
}  // namespace syncline
