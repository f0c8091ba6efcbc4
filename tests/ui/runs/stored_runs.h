// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace in a folder of its own with runs as the trainer records them.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "engine/store/registry.h"
#include "engine/store/run_writer.h"
#include "engine/store/saved.h"
#include "ui/models/settings.h"

namespace syncline::ui {

class StoredRunsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_.isValid());
    path_ = folder_.path() + QStringLiteral("/workspace.db");
    Settings settings;
    for (const QString& key : settings.keys(QString())) settings.remove(key);
  }
  void TearDown() override { writers_.clear(); }

  Workspace workspace() { return Workspace::open(path_.toStdString()); }

  // What a run of the trainer leaves: 40 steps of two ranks, losses, an evaluation, and its end. `quality` scales loss and accuracy.
  struct Made {
    std::string name = "a run", strategy = "sync", state = "finished", group = {}, attempt_of = {}, dataset = "fashion-mnist";
    int workers = 2;
    double step_s = 0.010, quality = 1;
    std::uint64_t seed = 1;
    std::vector<std::string> emulated = {};
  };
  std::string make(const Made& made) {
    const Workspace store = workspace();
    NewRun run;
    run.name = made.name;
    run.experiment = "name = \"" + made.name + "\"\nseed = " + std::to_string(made.seed) +
                     "\n[train]\nepochs = 3\nbatch_per_worker = [64]\n" + "[cluster]\nworkers = " + std::to_string(made.workers) +
                     "\n[strategy]\nname = \"" + made.strategy + "\"\n";
    run.experiment_as_typed = run.experiment + "# as typed\n";
    run.group_key = made.group.empty() ? "group of " + made.name : made.group;
    run.attempt_of = made.attempt_of;
    run.state = "running";
    run.model = "lenet";
    run.dataset = made.dataset;
    run.strategy = made.strategy;
    run.plan = made.strategy == "none" ? "" : "wfbp";
    run.workers = made.workers;
    run.seed = made.seed;
    run.emulated = made.emulated;
    run.rank0 = this_process();
    RunRegistry registry(store);
    const std::string id = registry.create(run);
    auto writer = std::make_unique<RunWriter>(store, id);
    for (std::int64_t step = 0; step < 40; ++step) {
      StepSums sums;
      sums.axes.step = step;
      sums.axes.samples = 64 * made.workers * (step + 1);
      sums.axes.epoch = 0.1 * static_cast<double>(step + 1);
      sums.axes.gradients = made.workers * (step + 1);
      sums.axes.rounds = step + 1;
      sums.axes.bytes = 1000 * (step + 1);
      sums.axes.active_s = made.step_s * static_cast<double>(step + 1);
      sums.axes.elapsed_s = sums.axes.active_s + 1;
      sums.axes.wall_s = 1.8e9 + sums.axes.elapsed_s;
      writer->position(sums.axes);
      writer->scalar("train_loss", step, made.quality / static_cast<double>(step + 1));
      if (step % 10 == 9) writer->scalar("test_accuracy", step, std::min(1.0, (0.5 + 0.01 * static_cast<double>(step)) / made.quality));
      sums.step_s = made.step_s;
      sums.compute_s = 0.6 * made.step_s;
      sums.forward_s = sums.backward_s = 0.3 * made.step_s;
      sums.comm_s = 0.4 * made.step_s;
      sums.hidden_s = 0.1 * made.step_s;
      sums.exposed_s = sums.exposed_transfer_s = 0.3 * made.step_s;
      sums.other_s = sums.idle_s = 0.1 * made.step_s;
      sums.samples = 64;
      sums.loss_sum = 64 * made.quality / static_cast<double>(step + 1);
      sums.updates = sums.gradients = 1;
      sums.bytes_sent = 500;
      sums.messages = 3;
      for (int rank = 0; rank < made.workers; ++rank) {
        sums.rank = rank;
        writer->step(sums);
      }
    }
    writer->flush();
    if (made.state == "running") {
      writers_.push_back(std::move(writer));
      return id;
    }
    writer->close();
    registry.finish(id, {made.state, made.state == "failed" ? "out of memory on rank 1" : "", made.state == "failed" ? 4 : 0, 0});
    return id;
  }

  // Handles events until it holds.
  static bool until(const std::function<bool()>& holds, int most_ms = 10000) {
    QElapsedTimer timer;
    timer.start();
    while (!holds()) {
      if (timer.elapsed() > most_ms) return false;
      QTest::qWait(5);
    }
    return true;
  }

  QTemporaryDir folder_;
  QString path_;
  std::vector<std::unique_ptr<RunWriter>> writers_;
};

}  // namespace syncline::ui
