// SPDX-License-Identifier: Apache-2.0
// Honest overlap: the shipped quickstart, sent in one message and layer by layer, against each other and against the recurrence of
// wait-free backpropagation fed with the layer times that the runs themselves measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "engine/data/dataset.h"
#include "engine/metrics/accounting.h"
#include "engine/model/graph.h"
#include "engine/sim/schema.h"
#include "engine/sim/traced_profile.h"
#include "engine/store/reader.h"
#include "engine/store/summary.h"
#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

// Other work on the machine spoils a measurement; the bounds themselves stay.
constexpr int tries = 10;

struct Measured {
  RunInfo run;
  Summary summary;
  Timeline predicted;
  double predicted_step_s = 0;
};

std::string shipped(const std::string& name) {
  std::ifstream stream(std::string(SYNCLINE_SOURCE_DIR) + "/resources/experiments/" + name);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Overlap : public testing::Test {
 protected:
  // Runs a shipped quickstart for some steps instead of epochs.
  Measured measure(const std::string& file, int steps, const std::string& more = {}) {
    std::string text = shipped(file);
    const std::size_t at = text.find("epochs = 3");
    EXPECT_NE(at, std::string::npos) << file;
    text.replace(at, 10, "steps = " + std::to_string(steps) + "\nevaluate_every = \"never\"");
    std::ofstream(engine_.folder() / file) << text;
    const Ended ended = engine_.run("train " + file + " " + more, {}, 120);
    EXPECT_EQ(ended.code, 0) << ended.output;
    Measured measured;
    measured.run = engine_.last();
    Reader reader(Workspace::open_read_only(engine_.workspace()));
    measured.summary = summarise(reader, measured.run);
    predict(reader, measured);
    return measured;
  }

  static void predict(Reader& reader, Measured& measured) {
    const Parsed parsed = parse_experiment(measured.run.experiment, "stored", catalogue());
    ASSERT_TRUE(parsed.experiment);
    const Experiment& experiment = *parsed.experiment;
    const DataShape data = data_shape(experiment.data);
    const ModelDescription model = describe_model(expand_model(experiment.model, data.shape, data.classes), data.shape, data.classes);
    const Profile profile = traced_profile(reader, measured.run, model.slices, experiment);
    // The plan as it ran: made from the run's own slices, which know what travels together.
    const Plan plan = recorded_plan(reader, measured.run, model.slices);
    measured.predicted = timeline(plan, model.slices, profile);
    measured.predicted_step_s = measured.predicted.step_s;  // with the update
  }

  // |T - (K + E + O)| over every traced step, from the stored spans; and the stored sums say the same.
  void check_identity(const RunInfo& run) {
    Reader reader(Workspace::open_read_only(engine_.workspace()));
    int checked = 0;
    for (const Reader::TraceInfo& info : reader.traces(run.id)) {
      const auto trace = reader.trace(run.id, info.step, info.rank);
      ASSERT_TRUE(trace);
      const StepSums again = account_step(*trace);
      EXPECT_NEAR(again.step_s, again.compute_s + again.exposed_s + again.other_s, 1e-9);
      const auto stored = reader.steps(run.id, info.rank, info.step, info.step);
      ASSERT_EQ(stored.size(), 1u);
      EXPECT_NEAR(stored[0].step_s, stored[0].compute_s + stored[0].exposed_s + stored[0].other_s, 1e-9);
      EXPECT_NEAR(stored[0].compute_s, again.compute_s, 1e-9);
      EXPECT_NEAR(stored[0].exposed_s, again.exposed_s, 1e-9);
      ++checked;
    }
    EXPECT_GE(checked, 40) << "20 first steps of 2 ranks are traced";
  }

  Engine engine_;
};

// What does not hold of one pair of runs, in words; empty: everything does.
std::string doubts(const Measured& single, const Measured& layered) {
  std::string text;
  const auto check = [&text](bool holds, const std::string& what) {
    if (!holds) text += (text.empty() ? "" : "; ") + what;
  };
  const double exposed_single = *single.summary.exposed_comm_s, exposed_layered = *layered.summary.exposed_comm_s;
  const double gain = *single.summary.step_s - *layered.summary.step_s, exposed_gain = exposed_single - exposed_layered;
  const auto number = [](double value) { return std::to_string(value * 1e3) + " ms"; };
  check(exposed_layered <= 0.6 * exposed_single, "exposed " + number(exposed_layered) + " against " + number(exposed_single));
  check(std::abs(gain - exposed_gain) <= 0.15 * exposed_gain, "step gain " + number(gain) + ", exposed gain " + number(exposed_gain));
  for (const Measured* each : {&single, &layered}) {
    check(std::abs(*each->summary.step_s - each->predicted_step_s) <= 0.15 * each->predicted_step_s,
          each->run.plan + ": step " + number(*each->summary.step_s) + ", recurrence " + number(each->predicted_step_s));
  }
  return text;
}

TEST_F(Overlap, LayerByLayerHidesWhatTheRecurrenceSays) {
  std::string last;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const Measured single = measure("quickstart.toml", 150), layered = measure("quickstart-wfbp.toml", 150);
    if (HasFailure()) return;
    if (attempt == 0) {
      check_identity(single.run);
      check_identity(layered.run);
      // The same arithmetic, whatever the plan: the same bits.
      EXPECT_EQ(*single.summary.final_train_loss, *layered.summary.final_train_loss);
      EXPECT_EQ(engine_.state(single.run.id), engine_.state(layered.run.id));
    }
    last = doubts(single, layered);
    std::printf("try %d: %s\n", attempt + 1, last.empty() ? "everything holds" : last.c_str());
    if (last.empty()) break;
  }
  EXPECT_EQ(last, "");
}

}  // namespace
}  // namespace syncline::test
