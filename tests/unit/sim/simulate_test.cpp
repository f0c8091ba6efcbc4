// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/simulate.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/strategy/entries.h"
#include "tests/support/resnet50_card.h"
#include "tests/support/slow_build.h"

namespace syncline {
namespace {

constexpr Wire card_wire{45e-6, 8 / 10e9, 0};

// w <- w - 0.1 g
Params plain_sgd() {
  const auto entries = optimizer_entries();
  const auto sgd = std::find_if(entries.begin(), entries.end(), [](const Entry& entry) { return entry.name == "sgd"; });
  return with_defaults(sgd->parameters, {{"lr", Value{0.1}}, {"momentum", Value{0.0}}});
}

Experiment experiment_of(int workers, const std::string& plan, const std::string& allreduce) {
  Experiment experiment;
  experiment.name = "simulated";
  experiment.train.batch_per_worker = {32};
  experiment.train.steps = 100;
  experiment.train.optimizer.options = plain_sgd();
  experiment.cluster.workers = workers;
  experiment.strategy.name = "sync";
  experiment.strategy.plan = plan;
  experiment.strategy.plan_options = defaults_of(planner(plan).parameters);
  experiment.strategy.allreduce = allreduce;
  experiment.strategy.options = defaults_of(sync_entry.parameters);
  return experiment;
}

SimulationRequest request_of(const ModelledStep& step, int workers, const std::string& plan, const std::string& allreduce = "ring") {
  SimulationRequest request{.experiment = experiment_of(workers, plan, allreduce), .strategy = &sync_entry, .step = &step};
  request.wire = card_wire;
  request.most_by_messages = 0;
  return request;
}

ModelledStep card_step() {
  const test::CardModel card = test::resnet50_of_the_card();
  return modelled_step(card.elements, card.backward_s, card.forward_s);
}

struct Row {
  int workers;
  double wfbp, single, greedy, exact;
  std::size_t greedy_groups, exact_groups;
};
constexpr Row card_rows[] = {{8, 0.304698, 0.323749, 0.206296, 0.205988, 4, 4},
                             {32, 0.667793, 0.341244, 0.233853, 0.229962, 4, 4},
                             {64, 1.134028, 0.346679, 0.346679, 0.240090, 1, 3}};

TEST(Simulate, GivesTheTableOfTheCardToItsDigits) {
  const ModelledStep step = card_step();
  ASSERT_EQ(step.slices.size(), 161u);
  ASSERT_EQ(step.parameters(), 25'557'032);
  constexpr double digits = 0.6e-6;
  for (const Row& row : card_rows) {
    if (!test::speed_counts && row.workers > 8) continue;
    EXPECT_NEAR(simulate(request_of(step, row.workers, "wfbp")).step_s, row.wfbp, digits) << row.workers;
    EXPECT_NEAR(simulate(request_of(step, row.workers, "single")).step_s, row.single, digits) << row.workers;
    const SimulationResult greedy = simulate(request_of(step, row.workers, "mg-wfbp"));
    EXPECT_NEAR(greedy.step_s, row.greedy, digits) << row.workers;
    EXPECT_EQ(greedy.groups.size(), row.greedy_groups) << row.workers;
    const SimulationResult exact = simulate(request_of(step, row.workers, "optimal"));
    EXPECT_NEAR(exact.step_s, row.exact, digits) << row.workers;
    EXPECT_EQ(exact.groups.size(), row.exact_groups) << row.workers;
    // What is exposed is what the step takes beyond its passes, by the same accounting as real runs'.
    EXPECT_NEAR(exact.exposed_s, exact.step_s - 0.18, 1e-9);
    EXPECT_NEAR(exact.compute_s, 0.18, 1e-9);
    EXPECT_NEAR(exact.samples_per_s, 32 * row.workers / exact.step_s, 1e-6 * exact.samples_per_s);
    EXPECT_NEAR(exact.efficiency, 0.18 / exact.step_s, 1e-9);
  }
}

// Of one plan: those from measured times fit the exchanges of a message of one element too, which moves do faster than the form says.
TEST(Simulate, MovesAndClosedFormGiveTheSameStepWithinTwoPercent) {
  const ModelledStep step = card_step();
  for (const char* plan : {"single", "wfbp"}) {
    for (const int workers : {2, 8}) {
      if (!test::speed_counts && workers > 2) continue;
      for (const char* allreduce : {"direct", "ring"}) {
        SimulationRequest request = request_of(step, workers, plan, allreduce);
        request.experiment.strategy.allreduce_options.set("chunk_bytes", Value{64.0 * 1024 * 1024});
        const double as_events = simulate(request).step_s;
        request.most_by_messages = 32;
        EXPECT_NEAR(simulate(request).step_s, as_events, 0.02 * as_events) << plan << ' ' << allreduce << ' ' << workers;
      }
    }
  }
}

TEST(Simulate, OneWorkerTakesItsPassesAndItsUpdate) {
  ModelledStep step = card_step();
  step.update_s = 0.01;
  const SimulationResult result = simulate(request_of(step, 1, "wfbp"));
  EXPECT_NEAR(result.step_s, 0.19, 1e-9);
  EXPECT_EQ(result.exposed_s, 0);
  EXPECT_NEAR(result.efficiency, 1, 1e-9);
}

TEST(Simulate, ASlowWorkerHoldsTheOthersUp) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 4, "single");
  const SimulationResult even = simulate(request);
  request.experiment.cluster.slowdown = {1, 1, 1.5, 1};
  const SimulationResult slowed = simulate(request);
  EXPECT_NEAR(slowed.step_s, even.step_s + 0.09, 1e-9);
  EXPECT_EQ(slowed.reported_rank, 2);
  EXPECT_NEAR(slowed.exposed_s, even.exposed_s, 1e-9) << "waiting for it is not its own";
  request.experiment.cluster.workers = 8;  // the others are undisturbed
  EXPECT_GT(simulate(request).step_s, slowed.step_s);
}

TEST(Simulate, ASlowerMachineHoldsTheOthersUp) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 4, "single");
  const double fast_s = step.compute_s();
  request.experiment.cluster.nodes = {{.name = "new", .count = 1, .cores = 2}, {.name = "old", .count = 1, .cores = 2}};
  const SimulationResult even = simulate(request);
  request.experiment.cluster.nodes[1].speed = 0.5;
  const SimulationResult mixed = simulate(request);
  EXPECT_NEAR(mixed.step_s, even.step_s + fast_s, 1e-9) << "its times are twice as long";
  EXPECT_EQ(mixed.reported_rank, 2);
  EXPECT_NEAR(mixed.efficiency, 4 / mixed.step_s * fast_s / 3, 1e-9) << "of two whole workers and two halves";
}

TEST(Simulate, JitterIsAFunctionOfItsSeed) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 16, "single");
  request.experiment.cluster.jitter_std = 0.2;
  const double once = simulate(request).step_s;
  EXPECT_EQ(simulate(request).step_s, once);
  request.experiment.cluster.jitter_seed = 2;
  EXPECT_NE(simulate(request).step_s, once);
  request.experiment.cluster.jitter_std = 0;
  EXPECT_GT(once, simulate(request).step_s) << "the slowest of sixteen decides";
}

TEST(Simulate, FibersAndThreadsGiveTheSameListOfEvents) {
  const ModelledStep step = card_step();
  for (const int most : {0, 32}) {
    SimulationRequest request = request_of(step, 4, "mg-wfbp");
    request.most_by_messages = most;
    request.keep_events = true;
    request.experiment.cluster.jitter_std = 0.1;
    request.steps = 3;
    const SimulationResult fibers = simulate(request);
    request.contexts = Contexts::Kind::threads;
    const SimulationResult threads = simulate(request);
    ASSERT_GT(fibers.events.size(), 100u);
    EXPECT_EQ(fibers.events, threads.events);
    EXPECT_EQ(fibers.step_s, threads.step_s);
  }
}

TEST(Simulate, TracesShowEachRanksStepsInFull) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 4, "mg-wfbp");
  request.keep_traces = true;
  const SimulationResult result = simulate(request);
  ASSERT_EQ(result.traces.size(), 4u * 4u);
  for (const StepTrace& trace : result.traces) {
    EXPECT_EQ(trace.exchanges.size(), result.groups.size());
    const auto of = [&](SpanKind kind) {
      return std::count_if(trace.spans.begin(), trace.spans.end(), [kind](const Span& span) { return span.kind == kind; });
    };
    EXPECT_EQ(of(SpanKind::forward), 161);
    EXPECT_EQ(of(SpanKind::backward), 161);
    const StepSums sums = account_step(trace);
    EXPECT_NEAR(sums.compute_s + sums.exposed_s + sums.other_s, sums.step_s, 1e-12);
  }
}

TEST(Simulate, SaysWhatItNeedsToKnow) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 4, "single");
  request.wire.reset();
  try {
    simulate(request);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.origin().key, "cluster.link.bandwidth");
  }
  LinkSpec link;
  link.bandwidth_bytes_per_s = 1.25e9;
  link.latency_s = 45e-6;
  request.experiment.cluster.links = {link};
  const double by_experiment = simulate(request).step_s;
  request.wire = card_wire;
  EXPECT_NEAR(simulate(request).step_s, by_experiment, 1e-9);
}

TEST(Simulate, MachinesWithoutRoomAreSaid) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 5, "single", "direct");
  request.wire.reset();
  request.experiment.cluster.nodes = {{.name = "node", .count = 2, .cores = 2}};
  LinkSpec link;
  link.bandwidth_bytes_per_s = 1e9;
  request.experiment.cluster.links = {link};
  try {
    simulate(request);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.origin().key, "cluster.nodes");
  }
  request.experiment.cluster.workers = 4;
  EXPECT_GT(simulate(request).step_s, 0.18);
}

// ---- a strategy that only this file knows: averages the parameters every third step, in two exchanges of which the second waits for
// nothing, and passes a token round the ring in between

class EveryThird final : public Strategy {
 public:
  void start(Replica& r) override {
    r.comm().broadcast(r.params(), 0).wait();
    average_ = r.make_vector("average");
  }
  void after_backward(Replica& r) override {
    if (r.usable(r.grads())) r.optimizer().step(r.params(), r.grads());
  }
  void end_step(Replica& r) override {
    if ((r.step() + 1) % 3 != 0) return;
    r.set(average_, {{1.0 / r.workers(), r.params()}});
    Work sum = r.comm().allreduce(average_, average_, {.label = "average"});
    if (r.workers() > 1) {
      const int next = (r.comm().rank() + 1) % r.workers(), before = (r.comm().rank() + r.workers() - 1) % r.workers();
      Work sent = r.comm().send(average_.all().part(0, 1), next, 1);
      Vector& token = average_;
      Work received = r.comm().receive(r.grads().all().part(0, 1), before, 1);
      sent.wait();
      received.wait();
      static_cast<void>(token);
    }
    sum.wait();
    r.set(r.params(), {{1, average_}});
  }

 private:
  Vector average_;
};

constexpr StrategyEntry every_third{.name = "every-third",
                                    .title = "",
                                    .paper = "",
                                    .summary = "",
                                    .parameters = {},
                                    .traits =
                                        [](const Params&) {
                                          Traits traits;
                                          traits.meeting_every = 3;
                                          traits.replicas_identical = false;
                                          traits.exchanges_gradients = false;
                                          return traits;
                                        },
                                    .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<EveryThird>(); }};

TEST(Simulate, AStrategyThatOnlyATestKnowsIsSimulated) {
  const ModelledStep step = card_step();
  SimulationRequest request = request_of(step, 8, "single");
  request.strategy = &every_third;
  const SimulationResult result = simulate(request);
  EXPECT_EQ(result.step_s, result.compute_s) << "two of three steps exchange nothing, so the median is one of those";
  const double exchange_s = 2 * 7 * (45e-6 + 25'557'032.0 * 4 / 8 * 8e-10);
  EXPECT_NEAR(result.samples_per_s, 8 * 32 * 3 / (3 * 0.18 + exchange_s), 0.1);
}

// Gradient of 1/2 (w - target)^2 with another target on each rank: the average of the ranks goes to the mean of the targets.
TEST(Simulate, RealVectorsAreComputedWith) {
  const std::vector<std::int64_t> elements{2, 1};
  const std::vector<double> backward{1e-3, 1e-3};
  const ModelledStep step = modelled_step(elements, backward, 1e-3);
  for (const StrategyEntry* strategy : {&sync_entry, &every_third}) {
    SimulationRequest request = request_of(step, 4, "wfbp", "direct");
    request.strategy = strategy;
    request.steps = 298;
    request.gradient = [](int rank, const Task::Bound& bound, std::int64_t) {
      for (std::int64_t i = 0; i < bound.params.count(); ++i)
        bound.grads.data()[i] = bound.params.data()[i] - static_cast<float>(rank * (i + 1));
    };
    const SimulationResult result = simulate(request);
    ASSERT_EQ(result.params.size(), 4u);
    for (const auto& params : result.params) {
      ASSERT_EQ(params.size(), 3u);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(params[i], 1.5 * static_cast<double>(i + 1), 1e-4) << strategy->name;
    }
  }
}

// Looks at the numbers of its gradient.
class ByLength final : public Strategy {
 public:
  void start(Replica& r) override { r.comm().broadcast(r.params(), 0).wait(); }
  void after_backward(Replica& r) override {
    const double length = r.dot(r.grads(), r.grads());
    EXPECT_GT(length, 0);
    r.comm().allreduce(r.grads(), r.grads()).wait();
  }
};

TEST(Simulate, AStrategyThatDecidesByValuesHasThem) {
  static constexpr StrategyEntry by_length{.name = "by-length",
                                           .title = "",
                                           .paper = "",
                                           .summary = "",
                                           .parameters = {},
                                           .traits =
                                               [](const Params&) {
                                                 Traits traits;
                                                 traits.value_dependent = true;
                                                 return traits;
                                               },
                                           .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<ByLength>(); }};
  const std::vector<std::int64_t> elements{200, 100};
  const std::vector<double> backward{1e-3, 1e-3};
  const ModelledStep small = modelled_step(elements, backward, 1e-3), large = card_step();
  SimulationRequest request = request_of(small, 3, "single");
  request.strategy = &by_length;
  EXPECT_GT(simulate(request).step_s, 3e-3);
  request.step = &large;
  request.experiment.cluster.workers = 512;
  EXPECT_THROW(simulate(request), ConfigError);
}

class Impatient final : public Strategy {
 public:
  void start(Replica& r) override { r.comm().barrier().wait(); }
  void after_backward(Replica& r) override {
    Work sum = r.comm().allreduce(r.grads(), r.grads(), {.label = "gradients"});
    while (!sum.done()) {
    }
  }
};
class Lonely final : public Strategy {
 public:
  void start(Replica& r) override { r.comm().barrier().wait(); }
  void after_backward(Replica& r) override {
    if (r.comm().rank() != 1 || r.step() < 2) r.comm().allreduce(r.grads(), r.grads(), {.label = "gradients"}).wait();
  }
};
template <class T>
constexpr StrategyEntry entry_of(std::string_view name) {
  return {.name = name,
          .title = "",
          .paper = "",
          .summary = "",
          .parameters = {},
          .traits = [](const Params&) { return Traits{}; },
          .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<T>(); }};
}

TEST(Simulate, NamesTheStrategyThatAsksInALoop) {
  const ModelledStep step = card_step();
  static constexpr StrategyEntry impatient = entry_of<Impatient>("impatient");
  SimulationRequest request = request_of(step, 3, "single");
  request.strategy = &impatient;
  try {
    simulate(request);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("strategy 'impatient'"), std::string::npos) << error.what();
  }
}

TEST(Simulate, ADeadLockSaysStepPhaseAndOperationOfEachRank) {
  const ModelledStep step = card_step();
  static constexpr StrategyEntry lonely = entry_of<Lonely>("lonely");
  SimulationRequest request = request_of(step, 3, "single");
  request.strategy = &lonely;
  try {
    simulate(request);
    FAIL();
  } catch (const TrainingError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("dead-lock of strategy 'lonely'"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 0 (step 2, collective) waits for allreduce 'gradients' in 'data'"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace syncline
