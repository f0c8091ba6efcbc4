// SPDX-License-Identifier: Apache-2.0
#include "engine/store/summary.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/store/emulation.h"
#include "tests/support/contract.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

using SummaryTest = StoreTest;

// 40 steps of 2 ranks; the first 10 are slow; rank 1 is the slower one.
StepSums sample_step(int step, int rank) {
  StepSums sums;
  sums.rank = rank;
  sums.axes.step = step;
  sums.axes.samples = 128 * (step + 1);
  sums.axes.epoch = 0.25 * (step + 1);
  sums.axes.gradients = 2 * (step + 1);
  const double slow = step < 10 ? 4 : 1;
  sums.step_s = slow * (rank == 1 ? 0.012 : 0.010);
  sums.axes.active_s = step < 10 ? 0.05 * (step + 1) : 0.5 + 0.0125 * (step - 9);
  sums.axes.wall_s = 1.8e9 + sums.axes.active_s;
  sums.forward_s = 0.002;
  sums.backward_s = 0.003;
  sums.update_s = 0.001;
  sums.data_wait_s = 0.0005;
  sums.compute_s = 0.006;
  sums.comm_s = 0.004;
  sums.exposed_s = rank == 1 ? 0.003 : 0.001;
  sums.hidden_s = sums.comm_s - sums.exposed_s;
  sums.blocked_s = 0.0031;
  sums.other_s = sums.step_s - sums.compute_s - sums.exposed_s;
  sums.samples = 64;
  sums.updates = step == 20 ? 0 : 1;
  if (step == 20) sums.flags |= step_skipped;
  sums.bytes_sent = rank == 1 ? 3000 : 1000;
  sums.messages = 4;
  sums.loss_sum = 64 * (rank + 1) * 0.125;
  return sums;
}

void record(const Workspace& made, const std::string& id, const std::function<void(StepSums&)>& change = {}) {
  RunWriter writer(made, id);
  for (int step = 0; step < 40; ++step) {
    for (int rank = 0; rank < 2; ++rank) {
      StepSums sums = sample_step(step, rank);
      if (change) change(sums);
      writer.position(sums.axes);
      writer.step(sums);
    }
    if (step % 10 == 9) writer.scalar("test_accuracy", step, step == 29 ? 0.95 : 0.8 + 0.003 * step);
  }
  writer.rank_scalar("peak_memory_bytes", 0, 0, 1e9);
  writer.rank_scalar("peak_memory_bytes", 1, 0, 2e9);
  writer.close();
}

TEST_F(SummaryTest, FollowsTheDefinitions) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  NewRun run = new_run();
  run.target_accuracy = 0.9;
  const std::string id = registry.create(run);
  record(made, id);
  registry.finish(id, {"finished", "", 0, 0});
  Reader reader(made);
  const Summary summary = summarise(reader, reader.run(id));
  EXPECT_EQ(summary.steps, 40);
  EXPECT_EQ(summary.samples, 128 * 40);
  EXPECT_EQ(summary.epochs, 10);
  EXPECT_EQ(summary.gradients, 80);
  EXPECT_EQ(summary.updates, 39);
  EXPECT_EQ(summary.skipped_steps, 1);
  EXPECT_EQ(summary.warm_up_steps, 10);
  EXPECT_EQ(summary.slowest_rank, 1);
  EXPECT_DOUBLE_EQ(*summary.step_s, 0.012);
  EXPECT_DOUBLE_EQ(*summary.forward_s, 0.002);
  EXPECT_DOUBLE_EQ(*summary.backward_s, 0.003);
  EXPECT_DOUBLE_EQ(*summary.update_s, 0.001);
  EXPECT_DOUBLE_EQ(*summary.data_wait_s, 0.0005);
  EXPECT_DOUBLE_EQ(*summary.comm_s, 0.004);
  EXPECT_DOUBLE_EQ(*summary.exposed_comm_s, 0.003);
  EXPECT_DOUBLE_EQ(*summary.blocked_s, 0.0031);
  EXPECT_DOUBLE_EQ(*summary.hidden_comm_fraction, 0.25);
  EXPECT_NEAR(*summary.step_sum_error_s, 0, 1e-12);
  EXPECT_FALSE(summary.peer_wait_s.has_value());  // issue times of the peers were not known
  EXPECT_FALSE(summary.hidden_transfer_fraction.has_value());
  EXPECT_DOUBLE_EQ(*summary.samples_per_s, 128 * 30 / 0.375);
  EXPECT_DOUBLE_EQ(*summary.bytes_sent_per_step_per_worker, 2000);
  EXPECT_DOUBLE_EQ(*summary.messages_per_step_per_worker, 4);
  EXPECT_DOUBLE_EQ(*summary.final_train_loss, (0.125 + 0.25) / 2);
  EXPECT_DOUBLE_EQ(*summary.final_test_accuracy, 0.8 + 0.003 * 39);
  EXPECT_DOUBLE_EQ(*summary.best_test_accuracy, 0.95);
  EXPECT_DOUBLE_EQ(*summary.time_to_target_s, 0.75);  // the third evaluation, step 29
  EXPECT_EQ(summary.peak_memory_bytes, 2000000000);
  EXPECT_FALSE(summary.staleness_mean.has_value());
  EXPECT_FALSE(summary.compute_inflation.has_value());
  EXPECT_FALSE(summary.emulation_overrun.has_value());
  EXPECT_TRUE(summary.wall_s.has_value());
}

TEST_F(SummaryTest, AStretchOfStepsHasItsOwnMedians) {
  const std::string id = RunRegistry(workspace()).create(new_run("stretch"));
  record(workspace(), id, [](StepSums& sums) {
    if (sums.axes.step >= 30) sums.exposed_s = 0.002;
  });
  Reader reader(workspace());
  const Summary whole = summarise(reader, reader.run(id));
  EXPECT_DOUBLE_EQ(*summarise_steps(reader, id, 1, 10, 29).exposed_comm_s, 0.003);
  const Summary last = summarise_steps(reader, id, 1, 30, 39);
  EXPECT_DOUBLE_EQ(*last.exposed_comm_s, 0.002);
  EXPECT_DOUBLE_EQ(*last.hidden_comm_fraction, 0.5);
  EXPECT_DOUBLE_EQ(*last.step_s, 0.012);
  EXPECT_EQ(last.slowest_rank, 1);
  // Over everything after warm-up it says what the run's summary says.
  const Summary all = summarise_steps(reader, id, *whole.slowest_rank, whole.warm_up_steps, 39);
  EXPECT_EQ(all.exposed_comm_s, whole.exposed_comm_s);
  EXPECT_EQ(all.blocked_s, whole.blocked_s);
  EXPECT_FALSE(summarise_steps(reader, id, 1, 50, 60).step_s.has_value());
}

// Steps that are ended by the same exchange are equally long: noise must not choose whose communication is told.
TEST_F(SummaryTest, OfWorkersThatStepTogetherTheOneThatComputesLongestCounts) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  for (const double noise : {0.00001, -0.00001}) {
    const std::string id = registry.create(new_run());
    record(made, id, [noise](StepSums& sums) {
      sums.step_s = 0.012 + (sums.rank == 0 ? noise : 0);
      sums.compute_s = sums.rank == 0 ? 0.011 : 0.003;
    });
    Reader reader(made);
    EXPECT_EQ(summarise(reader, reader.run(id)).slowest_rank, 0) << noise;
  }
}

TEST_F(SummaryTest, ComputeOnlyRunGivesInflation) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  const std::string id = registry.create(new_run("with"));
  record(made, id);
  const std::string alone = registry.create(new_run("without", "none"));
  record(made, alone, [](StepSums& sums) {
    sums.comm_s = sums.exposed_s = sums.hidden_s = 0;
    sums.compute_s = 0.005;
    sums.step_s = 0.007;
  });
  Reader reader(made);
  EXPECT_FALSE(summarise(reader, reader.run(id)).compute_inflation.has_value());  // the other has not finished
  registry.finish(alone, {"finished", "", 0, 0});
  const Summary summary = summarise(reader, reader.run(id));
  EXPECT_NEAR(*summary.compute_inflation, 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(*summary.step_without_comm_s, 0.007);
  const Summary other = summarise(reader, reader.run(alone));
  EXPECT_FALSE(other.hidden_comm_fraction.has_value());  // no communication: null, never 100 %
  EXPECT_FALSE(other.compute_inflation.has_value());
}

TEST_F(SummaryTest, WaitingForPeersWhereKnown) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  record(made, id, [](StepSums& sums) {
    sums.flags |= step_peer_wait_known;
    sums.peer_wait_s = 0.001;
    sums.transfer_s = 0.003;
    sums.hidden_transfer_s = 0.0006;
  });
  Reader reader(made);
  const Summary summary = summarise(reader, reader.run(id));
  EXPECT_DOUBLE_EQ(*summary.peer_wait_s, 0.001);
  EXPECT_DOUBLE_EQ(*summary.transfer_s, 0.003);
  EXPECT_NEAR(*summary.hidden_transfer_fraction, 0.2, 1e-12);
}

TEST_F(SummaryTest, OverrunTakesTheTimesBack) {
  const Workspace made = workspace();
  NewRun run = new_run();
  run.emulated = {"compute"};
  RunRegistry registry(made);
  const std::string few = registry.create(run), many = registry.create(run);
  record(made, few, [](StepSums& sums) { sums.flags |= sums.axes.step == 20 && sums.rank == 0 ? std::uint32_t{step_overrun} : 0u; });
  record(made, many, [](StepSums& sums) { sums.flags |= sums.axes.step == 20 ? std::uint32_t{step_overrun} : 0u; });
  Reader reader(made);
  EXPECT_DOUBLE_EQ(*summarise(reader, reader.run(few)).emulation_overrun, 1.0 / 60);  // of two ranks, 10 of 40 steps warm up
  EXPECT_TRUE(summarise(reader, reader.run(few)).step_s.has_value());
  EXPECT_DOUBLE_EQ(*summarise(reader, reader.run(many)).emulation_overrun, 2.0 / 60);
  EXPECT_FALSE(summarise(reader, reader.run(many)).step_s.has_value());
  EXPECT_TRUE(summarise(reader, reader.run(many)).steps.has_value());
  EXPECT_TRUE(to_json(summarise(reader, reader.run(few))).at("times_withheld").is_null());
  EXPECT_EQ(to_json(summarise(reader, reader.run(many))).at("times_withheld"),
            "no times are given: in 3.3 % of the steps a wait was over before it began, so they would be this machine's and not the "
            "profile's; a larger cluster.time_scale or fewer workers would be right");
}

TEST_F(SummaryTest, WhatIsEmulatedWithoutArithmeticHasNoLoss) {
  const Workspace made = workspace();
  NewRun run = new_run();
  RunRegistry registry(made);
  run.emulated = {"compute", "paced"};
  const std::string paced = registry.create(run);
  run.emulated = {"link", "compute"};
  const std::string emulated = registry.create(run);
  const auto nothing = [](StepSums& sums) { sums.loss_sum = 0; };
  record(made, paced);
  record(made, emulated, nothing);
  Reader reader(made);
  EXPECT_TRUE(summarise(reader, reader.run(paced)).final_train_loss.has_value());
  EXPECT_TRUE(summarise(reader, reader.run(emulated)).step_s.has_value());
  EXPECT_EQ(emulation_text(reader.run(paced)), "paced compute");
  EXPECT_EQ(emulation_text(reader.run(emulated)), "emulated compute, emulated link");
}

TEST_F(SummaryTest, StepsDoneAgainCountOnce) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  record(made, id, [](StepSums& sums) { sums.step_s = 9; });
  record(made, id);  // restarted from the beginning
  Reader reader(made);
  const Summary summary = summarise(reader, reader.run(id));
  EXPECT_EQ(summary.steps, 40);
  EXPECT_EQ(summary.updates, 39);
  EXPECT_DOUBLE_EQ(*summary.step_s, 0.012);
}

TEST_F(SummaryTest, GoodputCountsSamplesOnceAndAllOfTheTime) {
  const std::string id = RunRegistry(workspace()).create(new_run());
  record(workspace(), id, [](StepSums& sums) { sums.axes.elapsed_s = 10 + sums.axes.active_s; });  // ten seconds before the first step
  Reader reader(workspace());
  const Summary summary = summarise(reader, reader.run(id));
  EXPECT_DOUBLE_EQ(*summary.goodput_samples_per_s, 128 * 40 / (10 + 0.5 + 0.0125 * 30));
  EXPECT_LT(*summary.goodput_samples_per_s, *summary.samples_per_s);
}

TEST_F(SummaryTest, AnEmptyRunIsAllNull) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  Reader reader(made);
  const auto json = to_json(summarise(reader, reader.run(id)));
  for (const char* key : {"steps", "step_s", "final_train_loss", "samples_per_s", "hidden_comm_fraction"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
}

TEST_F(SummaryTest, JsonHasTheContractsKeysInOrder) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  record(made, id);
  Reader reader(made);
  const auto json = show_json(reader, reader.run(id));
  const std::vector<std::string>& summary_keys = test::summary_keys;
  std::size_t place = 0;
  for (const auto& [key, value] : json.at("summary").items()) {
    if (place < summary_keys.size()) {
      EXPECT_EQ(key, summary_keys[place]);
    }
    ++place;
  }
  EXPECT_GE(place, summary_keys.size());
  for (const char* key : {"id",
                          "name",
                          "state",
                          "reason",
                          "started",
                          "ended",
                          "resumed_from",
                          "kind",
                          "workers",
                          "servers",
                          "device",
                          "strategy",
                          "model",
                          "dataset",
                          "experiment",
                          "host",
                          "version",
                          "seed",
                          "threads_per_worker",
                          "emulated"}) {
    EXPECT_TRUE(json.at("run").contains(key)) << key;
  }
  const auto runs = runs_json(reader, reader.runs());
  ASSERT_EQ(runs.at("runs").size(), 1u);
  EXPECT_FALSE(runs.at("runs")[0].contains("experiment"));
  EXPECT_EQ(runs.at("runs")[0].at("summary").at("steps"), 40);
  // Stored at close, read back, and the same as computed anew.
  EXPECT_EQ(reader.database().integer("SELECT count(*) FROM summary"), 1);
  const Summary anew = summarise_alone(reader, reader.run(id));
  EXPECT_EQ(to_json(summary_from_json(to_json(anew))), to_json(anew));
}

TEST_F(SummaryTest, CoresAreAMeanOverTheRanksAndTrafficASumOverTheHosts) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  {
    RunWriter writer(made, id);
    for (const int rank : {0, 1}) {
      writer.rank_scalar("cpu_share", rank, 0, rank == 0 ? 0.5 : 0.9);
      writer.rank_scalar("cpu_share", rank, 1, 0.7);
      writer.rank_scalar("network_sent_bytes_per_s", rank, 0, 100 * (rank + 1));
    }
  }
  Reader reader(made);
  const Summary summary = summarise(reader, reader.run(id));
  EXPECT_NEAR(*summary.cpu_share, 0.7, 1e-12);
  EXPECT_NEAR(*summary.network_sent_bytes_per_s, 300, 1e-9);
  EXPECT_FALSE(summary.network_received_bytes_per_s.has_value());
  EXPECT_EQ(to_json(summary_from_json(to_json(summary))), to_json(summary));
}

TEST_F(SummaryTest, TheLossKeepsEveryDigit) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  const double loss = 0.1 + 0.2;
  {
    RunWriter writer(made, id);
    writer.scalar("train_loss", 0, 1);
    writer.scalar("train_loss", 1, loss);
    writer.close();
  }
  Reader reader(made);
  const auto text = show_json(reader, reader.run(id)).dump();
  const double back = nlohmann::json::parse(text).at("summary").at("final_train_loss").get<double>();
  EXPECT_EQ(back, loss);
}

}  // namespace
}  // namespace syncline
