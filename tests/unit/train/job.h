// SPDX-License-Identifier: Apache-2.0
// Small training jobs with thread ranks: synthetic images, a real graph on the CPU backend, real checkpoints in a folder of the test.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/comm/thread_world.h"
#include "engine/train/rank/checkpoint.h"
#include "engine/train/trainer.h"

namespace syncline::test {

using Options = std::map<std::string, Value, std::less<>>;

Value numbers(const std::vector<std::int64_t>&);  // a list
LayerSpec layer(const std::string& type, const std::string& name, const Options& options = {}, std::vector<std::string> inputs = {});

// A folder of the test's own, removed at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct JobConfig {
  int ranks = 1;
  Experiment experiment;
  const StrategyEntry* strategy = nullptr;
  bool evaluate = true;
  std::filesystem::path save_to, resume_from, parameters_from;  // folders of checkpoints; empty: none
  std::int64_t keep = 2;
  std::vector<std::int64_t> batch_per_rank;
  ThreadWorldOptions world;
  std::function<std::uint32_t(int rank, std::int64_t step)> wanted;  // flags asked for at a meeting
  std::function<void(int rank, std::int64_t step)> at_step;
  std::map<int, FaultPlan> faults;
  std::int64_t hash_every = 5;
};

// 60 samples of 6x6 pixels in 3 classes; convolution, batch norm, ReLU, dropout, linear. 7 batches of an epoch at a global batch of 9.
JobConfig small_job(int ranks);
void set_optimizer(Experiment&, const std::string& name, const Options& options);
void set_schedule(Experiment&, const std::string& name, const Options& options);

struct RankOutcome {
  TrainResult result;
  std::vector<float> params, statistics, evaluated_statistics;
  double active_before_s = 0, active_s = 0;  // the training clock at the start and at the end
};
struct JobOutcome {
  std::vector<RankOutcome> ranks;
  std::map<std::int64_t, double> losses;  // by step, over all ranks
  std::map<std::int64_t, std::int64_t> samples;
  std::vector<Evaluation> evaluations;
  std::vector<std::int64_t> checkpoints;
  std::vector<std::string> events;
  std::vector<double> learning_rates;
  std::size_t buckets = 0;
  std::vector<int> plan;      // first slice of each bucket
  int link_measurements = 0;  // exchanges of the profile, on rank 0
};
JobOutcome run_job(const JobConfig&);

extern const StrategyEntry sync_entry;       // gradients summed by the plan, overlapped
extern const StrategyEntry late_sync_entry;  // the same, sent after the backward pass
extern const StrategyEntry broken_entry;     // rank 1 spoils one parameter in step 3

}  // namespace syncline::test
