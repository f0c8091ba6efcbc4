// SPDX-License-Identifier: Apache-2.0
// The pure parts: resume rules, due times, fault plans, records, placement, traces of several ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/sim/schema.h"
#include "engine/train/rank/clock_sync.h"
#include "engine/train/rank/peer_issues.h"
#include "engine/train/rank/placement.h"
#include "engine/train/rank/progress.h"
#include "engine/train/rank/record_channel.h"
#include "engine/train/rank/resume_rules.h"
#include "engine/train/rank/watchdog.h"
#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

TEST(ResumeRules, LengthTargetNameAndCheckpointsMakeAnotherAttempt) {
  const std::string before = "name = \"a\"\nseed = 1\n[train]\nepochs = 2\ntarget_accuracy = 0.9\n[checkpoint]\nkeep = 2\n";
  const std::string now = "name = \"b\"\nseed = 1\n[train]\nsteps = 20\n[checkpoint]\nkeep = 3\nevery = \"1 epoch\"\n";
  EXPECT_EQ(judge_resume(before, now).kind, ResumeVerdict::same_run);
}

TEST(ResumeRules, OtherTrajectoriesAreRefusedWithTheirKeys) {
  const std::string before =
      "seed = 1\n[model]\nzoo = \"lenet\"\n[train.optimizer]\nname = \"sgd\"\nlr = 0.1\n[strategy]\nname = \"sync\"\n[data]\nsource = "
      "\"a\"\n";
  for (const auto& [from, to, key] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"seed = 1", "seed = 2", "seed"},
                                                                      {"\"lenet\"", "\"mlp\"", "model.zoo"},
                                                                      {"lr = 0.1", "lr = 0.2", "train.optimizer.lr"},
                                                                      {"\"sync\"", "\"none\"", "strategy.name"},
                                                                      {"source = \"a\"", "source = \"b\"", "data.source"}}) {
    std::string now = before;
    now.replace(now.find(from), from.size(), to);
    const ResumeVerdict verdict = judge_resume(before, now);
    EXPECT_EQ(verdict.kind, ResumeVerdict::refused) << key;
    EXPECT_NE(verdict.sentence.find(": " + key + " ("), std::string::npos) << verdict.sentence;
  }
}

TEST(ResumeRules, TheWayOfSendingAndTheClusterMakeANewRun) {
  const std::string before =
      "[strategy]\nname = \"sync\"\nplan = \"single\"\noverlap = true\norchestration = \"bitvector\"\nsubmit_order = \"random\"\n"
      "hook_jitter = 0.1\n[strategy.orchestration_options]\ncycle_time = 0.5\n[cluster]\nworkers = 2\n[fault]\nlimit_s = 60\n";
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"single\"", "\"wfbp\""},
                                                                                 {"overlap = true", "overlap = false"},
                                                                                 {"\"bitvector\"", "\"coordinator\""},
                                                                                 {"\"random\"", "\"backward\""},
                                                                                 {"jitter = 0.1", "jitter = 0.2"},
                                                                                 {"cycle_time = 0.5", "cycle_time = 0.6"},
                                                                                 {"workers = 2", "workers = 3"},
                                                                                 {"limit_s = 60", "limit_s = 5"}}) {
    std::string now = before;
    now.replace(now.find(from), from.size(), to);
    EXPECT_EQ(judge_resume(before, now).kind, ResumeVerdict::new_run) << to;
  }
}

TEST(ResumeRules, WhatNothingWasComputedWithIsNoStart) {
  const auto with = [](const std::string& compute) { return "[cluster]\ncompute = \"" + compute + "\"\n"; };
  EXPECT_EQ(judge_resume(with("real"), with("paced")).kind, ResumeVerdict::new_run);
  EXPECT_EQ(judge_resume(with("emulate"), with("emulate")).kind, ResumeVerdict::same_run);
  for (const auto& [before, now] : {std::pair("real", "emulate"), std::pair("emulate", "paced")}) {
    const ResumeVerdict verdict = judge_resume(with(before), with(now));
    EXPECT_EQ(verdict.kind, ResumeVerdict::refused);
    EXPECT_NE(verdict.sentence.find("cluster.compute (" + std::string(before) + " there, " + now + " here)"), std::string::npos)
        << verdict.sentence;
  }
}

TEST(DueTest, EveryFewStepsEpochsAndSeconds) {
  Due steps({Every::steps, 5});
  std::vector<int> due;
  for (int step = 1; step <= 16; ++step)
    if (steps.at(step, 0)) due.push_back(step), steps.done(step, 0, 0);
  EXPECT_EQ(due, (std::vector<int>{5, 10, 15}));
  Due epochs({Every::epochs, 1});
  epochs.done(10, 1.4, 0);  // resumed in the middle
  EXPECT_FALSE(epochs.at(12, 1.9999));
  EXPECT_TRUE(epochs.at(13, 2.0));
  Due seconds({Every::seconds, 60});
  seconds.done(0, 0, 100);
  EXPECT_FALSE(seconds.by_time(159));
  EXPECT_TRUE(seconds.by_time(160));
  EXPECT_FALSE(seconds.at(1000, 10));
}

TEST(FaultPlanTest, ReadsItsText) {
  EXPECT_FALSE(parse_fault(""));
  const auto plan = parse_fault("1:3:evaluation:sleep=0.5");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rank, 1);
  EXPECT_EQ(plan->step, 3);
  EXPECT_EQ(plan->phase, TrainPhase::evaluation);
  EXPECT_EQ(plan->action, FaultPlan::sleep);
  EXPECT_EQ(plan->seconds, 0.5);
  EXPECT_EQ(parse_fault("0:1:data:until=/tmp/go")->file, "/tmp/go");
  for (const char* wrong : {"1:3:forward", "x:3:forward:kill", "1:3:sideways:kill", "1:3:forward:dance", "1:3:forward:sleep=x",
                            "1:3:forward:until", "1:3:forward:until="})
    EXPECT_THROW(parse_fault(wrong), ConfigError) << wrong;
}

TEST(FaultPointsTest, ActOnceAtTheirPlace) {
  FaultPoints points(FaultPlan{.rank = 2, .step = 4, .phase = TrainPhase::data, .action = FaultPlan::fail}, 2);
  EXPECT_FALSE(points.reach(TrainPhase::data, 3));
  EXPECT_FALSE(points.reach(TrainPhase::forward, 4));
  EXPECT_THROW(points.reach(TrainPhase::data, 4), TrainingError);
  EXPECT_FALSE(points.reach(TrainPhase::data, 4));
  FaultPoints elsewhere(FaultPlan{.rank = 2, .step = 4, .phase = TrainPhase::data, .action = FaultPlan::fail}, 1);
  EXPECT_FALSE(elsewhere.reach(TrainPhase::data, 4));
}

TEST(FaultPointsTest, WaitsUntilAFileIsThere) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("syncline-until-{}", ::getpid());
  std::atomic<bool> over{false};
  std::thread waiting([&] {
    FaultPoints points(FaultPlan{.rank = 0, .step = 1, .phase = TrainPhase::data, .action = FaultPlan::until, .file = file.string()}, 0);
    EXPECT_FALSE(points.reach(TrainPhase::data, 1));
    EXPECT_TRUE(std::filesystem::exists(file)) << "it went on too soon";
    over = true;
  });
  EXPECT_FALSE(over);
  std::ofstream(file) << "go";
  waiting.join();
  EXPECT_TRUE(over);
  std::filesystem::remove(file);
}

TEST(Placement, ThreadsComeFromTheExperimentTheEnvironmentOrAnEqualShare) {
  EXPECT_EQ(threads_of(3, "2", 4, 8), 3);
  EXPECT_EQ(threads_of(0, "2", 4, 8), 2);
  EXPECT_EQ(threads_of(0, nullptr, 4, 8), 2);
  EXPECT_EQ(threads_of(0, "nonsense", 4, 8), 2);
  EXPECT_EQ(threads_of(0, nullptr, 4, 2), 1);
}

TEST(Placement, SaysWhoSharesWhat) {
  EXPECT_EQ(core_list({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  const std::vector<Placement> two = {{"a", "boot", 1, {0, 1}}, {"a", "boot", 1, {0, 1}}};
  EXPECT_EQ(placement_lines(two), std::vector<std::string>{"2 ranks on a, 1 thread each, cores 0-1"});
  EXPECT_TRUE(placement_warnings(two).empty());
  const std::vector<Placement> bound = {{"a", "boot", 1, {0}}, {"a", "boot", 1, {0}}, {"b", "other", 2, {0, 1, 2}}};  // LB4
  ASSERT_EQ(placement_warnings(bound).size(), 1u);
  EXPECT_EQ(placement_warnings(bound)[0],
            "warning: 2 ranks on a with 1 thread each may use only core 0 together, so they take turns and steps get longer; fewer workers "
            "or threads, or "
            "another binding (mpirun --bind-to none) would help");
}

TEST(Records, TravelToRankZeroInOrderAndEnd) {
  constexpr int steps = 900;  // more than one message
  std::map<int, std::vector<std::int64_t>> got;
  int traces = 0;
  ThreadWorld world(3);
  run_ranks(world, [&](World& mine) {
    const auto records = mine.communicator().duplicate("records");
    if (mine.rank() == 0) {
      RecordReceiver receiver(*records, [&](int rank, RecordKind kind, std::span<const std::byte> content) {
        if (kind == RecordKind::step) got[rank].push_back(unpack_step(content).axes.step);
        if (kind != RecordKind::trace) return;
        const StepTrace trace = unpack_trace(content);
        EXPECT_EQ(trace.spans.size(), 3u);
        EXPECT_EQ(trace.exchanges.at(0).bytes, 77);
        EXPECT_STREQ(trace.exchanges.at(0).label, "bucket 1");
        ++traces;
      });
      receiver.poll();
      receiver.finish(20);
      return;
    }
    RecordSender sender(*records, 0);
    for (std::int64_t step = 0; step < steps; ++step) {
      StepSums sums;
      sums.rank = mine.rank();
      sums.axes.step = step;
      sender.step(sums);
      if (step == 5) {
        StepTrace trace{.rank = mine.rank(), .step = step, .start_s = 1, .end_s = 2, .spans = {{}, {}, {}}, .exchanges = {}};
        trace.exchanges.push_back(ExchangeRecord::of({.queued_s = 0, .bytes = 77, .label = "bucket 1"}));
        sender.trace(trace);
      }
      sender.pump(static_cast<double>(step));
    }
    sender.finish();
  });
  for (const int rank : {1, 2}) {
    ASSERT_EQ(got[rank].size(), static_cast<std::size_t>(steps));
    EXPECT_TRUE(std::is_sorted(got[rank].begin(), got[rank].end()));
  }
  EXPECT_EQ(traces, 2);
}

TEST(Records, RefuseWhatIsShorterThanItSays) {
  ByteBuffer message;
  append_record(message, RecordKind::step, pack_step({}));
  message.resize(message.size() - 4);
  EXPECT_THROW(for_each_record(message, [](RecordKind, std::span<const std::byte>) {}), UsageError);
  ByteBuffer trace = pack_trace({});
  trace[trace.size() - 16] = std::byte{9};  // claims spans that are not there
  EXPECT_THROW(unpack_trace(trace), UsageError);
}

// Rank 1, whose clock is 100 s ahead, issues its exchange 3 s later: on rank 0 these are waiting, the rest is transfer.
TEST(PeerIssuesTest, SeparateWaitingForALatePeer) {
  std::vector<StepTrace> traces;
  std::vector<ByteBuffer> words;
  for (int rank = 0; rank < 2; ++rank) {
    const double zero = rank * 100.0, issued = zero + 1 + 3 * rank;
    StepTrace trace{
        .rank = rank, .step = 4, .start_s = zero, .end_s = zero + 10, .spans = {{zero, issued, SpanKind::backward, 0, 4}}, .exchanges = {}};
    trace.exchanges.push_back(
        ExchangeRecord::of({.issued_s = issued, .done_s = zero + 6, .step = 4, .sequence = 9, .bytes = 8, .label = "b"}));
    trace.exchanges.push_back(
        ExchangeRecord::of({.issued_s = zero + 6, .done_s = zero + 7, .step = 4, .sequence = 10, .bytes = 8, .label = "c"}));
    words.emplace_back(peer_issue_bytes(4));
    pack_issues(&trace, zero, words.back());
    traces.push_back(trace);
  }
  const std::vector<std::span<const std::byte>> parts(words.begin(), words.end());
  for (int rank = 0; rank < 2; ++rank) {
    const auto peers = combine_issues(parts, rank, rank * 100.0, 0.01);
    ASSERT_TRUE(peers);
    EXPECT_EQ(peers->step, 4);
    EXPECT_FALSE(peers->estimated);
    const StepSums sums = account_step(traces[static_cast<std::size_t>(rank)], &peers->last);
    EXPECT_NEAR(sums.peer_wait_s, rank == 0 ? 3 : 0, 1e-9);
    EXPECT_NEAR(sums.transfer_s, 3, 1e-9);
    EXPECT_TRUE(sums.is(step_peer_wait_known));
    const auto unsure = combine_issues(parts, rank, rank * 100.0, 5);  // the clocks may be 5 s wrong: by durations, to the same end here
    ASSERT_TRUE(unsure);
    EXPECT_TRUE(unsure->estimated);
    EXPECT_NEAR(account_step(traces[static_cast<std::size_t>(rank)], &unsure->last).peer_wait_s, rank == 0 ? 3 : 0, 1e-9);
  }
}

TEST(PeerIssuesTest, NothingIsSaidWhereSomebodyDoesNotKnow) {
  StepTrace trace{.rank = 0, .step = 4, .start_s = 0, .end_s = 1, .spans = {}, .exchanges = {}};
  for (std::uint64_t k = 0; k < 5; ++k) trace.exchanges.push_back(ExchangeRecord::of({.sequence = k, .label = "b"}));
  std::vector<ByteBuffer> words(2, ByteBuffer(peer_issue_bytes(5)));
  const auto both = [&] { return std::vector<std::span<const std::byte>>(words.begin(), words.end()); };
  pack_issues(&trace, 0, words[0]);
  pack_issues(&trace, 0, words[1]);
  EXPECT_TRUE(combine_issues(both(), 0, 0, 0));
  pack_issues(nullptr, 0, words[1]);
  EXPECT_FALSE(combine_issues(both(), 0, 0, 0));
  trace.step = 5;
  pack_issues(&trace, 0, words[1]);
  EXPECT_FALSE(combine_issues(both(), 0, 0, 0));
  words = std::vector<ByteBuffer>(2, ByteBuffer(peer_issue_bytes(4)));  // no room for five
  for (ByteBuffer& word : words) pack_issues(&trace, 0, word);
  EXPECT_FALSE(combine_issues(both(), 0, 0, 0));
}

// One clock for all threads of a process: the estimate must contain 0 in its bound.
TEST(ClockSync, FindsNoOffsetWhereThereIsNone) {
  ThreadWorld world(2);
  run_ranks(world, [&](World& mine) {
    const auto control = mine.communicator().duplicate("control");
    const auto measured = measure_clocks(*control, {"boot", "boot"}, 20, true), assumed = measure_clocks(*control, {"boot", "boot"});
    if (mine.rank() != 0) return;
    ASSERT_EQ(measured.size(), 2u);
    EXPECT_LE(std::fabs(measured[1].offset_s), measured[1].bound_s);
    EXPECT_LT(measured[1].bound_s, 1);
    EXPECT_EQ(assumed[1].offset_s, 0);
  });
}

TEST(ProgressText, SaysWhereTheRunStands) {
  EXPECT_EQ(progress_text({.epoch = 1.25,
                           .step = 50,
                           .total_steps = 120,
                           .loss = 0.5,
                           .accuracy = 0.81,
                           .samples_per_s = 1234,
                           .exposed_s = 0.002,
                           .step_s = 0.05,
                           .left_s = 3.5}),
            "epoch 1.25  step 50/120  loss 0.5000  accuracy 0.8100  1.23 k samples/s  exposed communication 2 ms  3.5 s left");
}

TEST(WatchdogTest, NamesWhatDoesNotMove) {
  Activity activity;
  activity.enter(TrainPhase::collective, 12, monotonic_s() - 100);
  std::mutex mutex;
  std::condition_variable told;
  std::string sentence;
  Watchdog watchdog(activity, {.limit_s = 5,
                               .every_s = 0.01,
                               .last_operation = [] { return std::string("allreduce 'bucket 3'"); },
                               .also = {},
                               .expired =
                                   [&](const std::string& text, std::int64_t step) {
                                     const std::lock_guard lock(mutex);
                                     EXPECT_EQ(step, 12);
                                     sentence = text;
                                     told.notify_all();
                                   }});
  std::unique_lock lock(mutex);
  ASSERT_TRUE(told.wait_for(lock, std::chrono::seconds(10), [&] { return !sentence.empty(); }));
  EXPECT_EQ(sentence,
            "exchanging and updating in step 12 for 100 s without a move (fault.limit_s = 5 s); last exchange: allreduce 'bucket 3'");
}

TEST(Schema, HasEveryRegistry) {
  const Catalogue& all = catalogue();
  for (const auto& entries : {all.plans, all.allreduces, all.codecs, all.optimizers, all.schedules, all.layers, all.zoo, all.sources,
                              all.augmentations, all.orchestrations})
    EXPECT_FALSE(entries.empty());
  EXPECT_FALSE(all.strategies.empty());
}

TEST(Schema, FindsALinkThatOutlastsTheLimit) {
  Experiment experiment = small_job(2).experiment;
  experiment.strategy.name = "sync";
  experiment.strategy.allreduce_options = defaults_of(allreduce_schedule("direct").parameters);
  experiment.cluster.workers = 2;
  experiment.cluster.emulate_link = true;
  experiment.cluster.links = {LinkSpec{.from = {}, .to = {}, .bandwidth_bytes_per_s = 1e6}};
  EXPECT_TRUE(check_model(experiment, "file.toml").empty());
  experiment.cluster.links[0].bandwidth_bytes_per_s = 1;
  const auto problems = check_model(experiment, "file.toml");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].origin.key, "cluster.link.bandwidth");
  EXPECT_NE(problems[0].message.find("longer than fault.limit_s"), std::string::npos) << problems[0].message;
}

TEST(Schema, FindsAModelThatDoesNotFitItsData) {
  Experiment experiment = small_job(1).experiment;
  experiment.strategy.name = "sync";
  EXPECT_TRUE(check_model(experiment, "file.toml").empty());
  experiment.model.layers[0].options =
      with_defaults(layer_entry("conv").parameters, {{"channels", {std::int64_t{4}}}, {"kernel", numbers({9})}});
  const auto problems = check_model(experiment, "file.toml");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].origin.file, "file.toml");
  EXPECT_NE(problems[0].message.find("conv1"), std::string::npos) << problems[0].message;
}

}  // namespace
}  // namespace syncline::test
