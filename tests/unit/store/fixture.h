// SPDX-License-Identifier: Apache-2.0
// A workspace in a folder of its own, and runs to fill it with.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/metrics/clock.h"
#include "engine/store/reader.h"
#include "engine/store/registry.h"
#include "engine/store/run_writer.h"
#include "engine/store/workspace.h"

namespace syncline {

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // In memory where there is such a file system: what is tested survives the death of a process, not of the machine.
    const bool memory = access("/dev/shm", W_OK) == 0;
    std::string pattern =
        ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "syncline-store-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Workspace workspace(const std::string& name = "workspace.db") { return Workspace::open(folder_ / name); }

  static NewRun new_run(const std::string& name = "a run", const std::string& strategy = "sync") {
    NewRun run;
    run.name = name;
    run.experiment_as_typed = "name = \"" + name + "\"  # as typed\n";
    run.experiment = "name = \"" + name + "\"\nseed = 1\n[cluster]\nworkers = 2\nlink = { bandwidth = 5 }\n[strategy]\nname = \"" +
                     strategy + "\"\n[train]\nepochs = 3\n";
    run.group_key = "group of " + strategy;
    run.state = "running";
    run.version = "0.1.0";
    run.model = "lenet";
    run.dataset = "fashion-mnist";
    run.strategy = strategy;
    run.device = "cpu";
    run.workers = 2;
    run.rank0 = this_process();
    return run;
  }

  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  static Axes axes_at(std::int64_t step) {
    Axes axes;
    axes.step = step;
    axes.samples = 128 * (step + 1);
    axes.epoch = static_cast<double>(axes.samples) / 60000;
    axes.gradients = 2 * (step + 1);
    axes.rounds = step + 1;
    axes.bytes = 1000 * (step + 1);
    axes.active_s = 0.01 * static_cast<double>(step + 1);
    axes.elapsed_s = axes.active_s + 1;
    axes.wall_s = 1.8e9 + axes.elapsed_s;
    return axes;
  }

  static StepSums sums_at(std::int64_t step, int rank = 0) {
    StepSums sums;
    sums.rank = rank;
    sums.axes = axes_at(step);
    sums.step_s = 0.010;
    sums.forward_s = 0.002;
    sums.backward_s = 0.004;
    sums.update_s = 0.001;
    sums.compute_s = 0.007;
    sums.comm_s = 0.004;
    sums.exposed_s = 0.002;
    sums.hidden_s = 0.002;
    sums.other_s = 0.001;
    sums.loss_sum = 64 * (1.0 / static_cast<double>(step + 1));
    sums.samples = 64;
    sums.updates = 1;
    sums.gradients = 1;
    sums.bytes_sent = 500;
    sums.messages = 3;
    return sums;
  }

  std::filesystem::path folder_;
};

}  // namespace syncline
