// SPDX-License-Identifier: Apache-2.0
#include "engine/store/filter.h"

#include <gtest/gtest.h>

#include "engine/sim/schema.h"

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
  static std::vector<FilterKey> keys() { return experiment_filter_keys(catalogue()); }
  bool matches(const char* expression) const { return RunFilter(expression, keys()).matches(run_, summary_); }
  static std::string message_of(const char* expression) {
    try {
      RunFilter filter(expression, keys());
    } catch (const FilterError& error) {
      return error.what();
    }
    return "no error";
  }
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

TEST_F(FilterTest, KeysOfTheExperimentAreKeys) {
  run_.experiment =
      "name = \"a = 1\" # lr = 9\nseed = 3\n\n[model]\nlayers = [\n  { type = \"conv\", kernel = 3, bias = true },\n"
      "  { type = \"conv\", kernel = 5, bias = false },\n]\n\n[train]\nbatch_per_worker = [64, 32]\nevaluate_every = \"1 epoch\"\n"
      "optimizer = { name = \"sgd\", lr = 0.05, momentum = 0.9 }\n\n[cluster.link]\nbandwidth = 1250000000.0\nlatency = 0.0001\n";
  EXPECT_TRUE(matches("train.optimizer.lr>0.03"));
  EXPECT_FALSE(matches("train.optimizer.lr>0.05"));
  EXPECT_TRUE(matches("lr>0.03 LR=5e-2 lr!=0.5"));
  EXPECT_FALSE(matches("lr=9"));
  EXPECT_TRUE(matches("batch_per_worker:64 batch_per_worker=32 batch_per_worker!=16"));
  EXPECT_FALSE(matches("batch_per_worker!=64"));
  EXPECT_FALSE(matches("batch_per_worker:6"));  // a number, no part of one
  EXPECT_TRUE(matches("kernel=5 kernel>=3 model.layers.type:conv"));
  EXPECT_TRUE(matches("evaluate_every:epoch optimizer.name=SGD"));
  EXPECT_TRUE(matches("cluster.link.bandwidth=10Gbit/s cluster.link.latency<1ms"));
  EXPECT_FALSE(matches("micro_batches=1"));  // the text has no such key: no comparison holds
  EXPECT_FALSE(matches("micro_batches!=1"));
  EXPECT_TRUE(matches("strategy:easgd seed=3"));  // built-in keys come first
  EXPECT_FALSE(RunFilter("lr>0.03", keys()).needs_summary());
}

TEST_F(FilterTest, TextsOfExperimentsThatAreNoTomlMatchNothing) {
  for (const char* text : {"lr", "lr =", "[train]\noptimizer = { lr", "\"lr", "[[[lr", "a = [[[[{lr=", "lr = 'x\n= lr", "}]lr,,", "\\"}) {
    run_.experiment = text;
    EXPECT_FALSE(matches("train.optimizer.lr>0.03")) << text;
  }
  run_.experiment = "a = " + std::string(100000, '[') + " lr";
  EXPECT_FALSE(matches("lr>0.03"));
}

TEST_F(FilterTest, MistakesAboutKeysAndChoicesNameThem) {
  const std::string message = message_of("colour:red");
  for (const std::string& key : RunFilter::keys()) EXPECT_NE(message.find(key), std::string::npos) << key;
  EXPECT_NE(message.find("every key of the experiment, such as train.optimizer.lr"), std::string::npos) << message;
  EXPECT_NE(message_of("state:banana").find("expected one of queued, running, stopping, finished, stopped, failed, lost, unknown"),
            std::string::npos);
  EXPECT_EQ(error_at("state:banana"), "banana");
  EXPECT_NE(message_of("momentum>0").find("is the end of several keys: model.layers.momentum, train.optimizer.momentum"), std::string::npos)
      << message_of("momentum>0");
  EXPECT_NE(message_of("optimizer.name:sdg").find("expected one of sgd"), std::string::npos);
  EXPECT_NE(message_of("lr>fast").find("expected a number"), std::string::npos);
  EXPECT_NE(message_of("lr=fast").find("expected a number"), std::string::npos);
  EXPECT_NE(message_of("evaluate_every>2").find("is a text"), std::string::npos);
}

TEST_F(FilterTest, KnowsWhetherTheSummaryIsNeeded) {
  EXPECT_FALSE(RunFilter("state:running easgd workers>1").needs_summary());
  EXPECT_TRUE(RunFilter("state:running or not (loss<1)").needs_summary());
  const auto keys = RunFilter::keys();
  for (const char* key : {"loss", "state", "tag", "exposed_comm_s"}) EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
}

}  // namespace
}  // namespace syncline
