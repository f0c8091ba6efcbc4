// SPDX-License-Identifier: Apache-2.0
// What a rank computes: its data, model and backend, or the times of another machine in their place.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <nlohmann/json.hpp>

#include "engine/data/counting_loader.h"
#include "engine/sim/profiles.h"
#include "engine/train/emulated_task.h"
#include "engine/train/paced_task.h"
#include "engine/train/rank/rank_process.h"
#include "engine/train/rank/supervised_task.h"

namespace syncline {

// Rank 0 reads it, before its run has a row that "last" could mean; the others may be on machines without the workspace.
void RankProcess::make_profile() {
  const ClusterSpec& cluster = experiment_.cluster;
  if (cluster.real_compute()) return;
  constexpr char read = '+', failed = '-';
  std::string told;
  if (first()) {
    try {
      told = read + to_json(experiment_profile(experiment_, options_.workspace)).dump();
    } catch (const ConfigError& error) {
      told = failed + std::string(error.what());
    }
  }
  told = text_told_by(*control_, told);
  if (told.front() == failed) throw ConfigError(told.substr(1), {.file = {}, .key = "cluster.profile"});
  profile_ = profile_from_json(std::string_view(told).substr(1), "of rank 0");
}

void RankProcess::make_pace(std::int64_t parameters) {
  ::prctl(PR_SET_TIMERSLACK, 1000UL);  // else every wait of this thread is up to 50 us too long
  pace_.emplace(PaceOptions{.profile = profile_,
                            .factor = [this, speed = worker_speeds(Topology(experiment_.cluster))[static_cast<std::size_t>(rank_)]](
                                          std::int64_t step) { return pace_factor(experiment_.cluster, rank_, step) / speed; },
                            .batch = batches_[static_cast<std::size_t>(rank_)],
                            .micro_batches = experiment_.train.micro_batches,
                            .parameters = parameters},
                clock_);
}

LoaderOptions RankProcess::loader_options() const {
  LoaderOptions options;
  options.seed = experiment_.seed;
  options.rank = rank_;
  options.ranks = ranks_;
  options.batch_per_rank = batches_;
  options.shards = experiment_.data.shards;
  options.last_batch = experiment_.data.last_batch;
  options.augment = experiment_.data.augment;
  options.mean.assign(experiment_.data.mean.begin(), experiment_.data.mean.end());
  options.stddev.assign(experiment_.data.stddev.begin(), experiment_.data.stddev.end());
  options.prefetch = static_cast<int>(experiment_.data.prefetch);
  options.read_delay_s = experiment_.data.read_delay_s;
  return options;
}

void RankProcess::make_emulated_task() {
  const DataShape data = data_shape(experiment_.data);
  const std::vector<LayerSpec> layers = expand_model(experiment_.model, data.shape, data.classes);
  train_samples_ = data.train_size;
  test_samples_ = data.test_size;
  train_ = make_counting_loader(data.train_size, loader_options());
  make_pace(describe_model(layers, data.shape, data.classes).parameters);
  task_ = std::make_unique<EmulatedTask>(EmulatedOptions{.layers = layers,
                                                         .input = data.shape,
                                                         .classes = data.classes,
                                                         .micro_batches = experiment_.train.micro_batches,
                                                         .seed = experiment_.seed,
                                                         .rank = rank_},
                                         *backend_, *pace_);
}

void RankProcess::make_supervised_task() {
  data_ = open_data(experiment_.data, experiment_.seed);
  train_samples_ = data_.train->size();
  test_samples_ = data_.test ? data_.test->size() : 0;
  LoaderOptions options = loader_options();
  const Shape shape = data_.train->shape();
  const std::int64_t classes = data_.train->classes();
  if (experiment_.data.residency == "memory") hold_in_memory(options.residency);
  train_ = make_loader(std::move(data_.train), options);
  options.train = false;
  if (test_samples_ > 0) test_ = make_loader(data_.test, options);
  task_ = std::make_unique<SupervisedTask>(SupervisedOptions{.layers = expand_model(experiment_.model, shape, classes),
                                                             .input = shape,
                                                             .classes = classes,
                                                             .batch = batches_[static_cast<std::size_t>(rank_)],
                                                             .micro_batches = experiment_.train.micro_batches,
                                                             .seed = experiment_.seed},
                                           *backend_);
  if (experiment_.cluster.real_compute()) return;
  std::int64_t parameters = 0;
  for (const LayerSlice& slice : task_->slices()) parameters += slice.count;
  make_pace(parameters);
  task_ = std::make_unique<PacedTask>(std::move(task_), *pace_);
}

void RankProcess::hold_in_memory(Residency& residency) {
  residency.memory = true;
  residency.shuffle_every = experiment_.data.shuffle_every_epochs;
  residency.groups = static_cast<int>(experiment_.data.dimd_groups);
  residency.open = [this] { return open_data(experiment_.data, experiment_.seed).train; };
  const int members = ranks_ / residency.groups;
  samples_ = control_->split(rank_ / members, rank_, "samples");
  residency.members = samples_.get();
}

void RankProcess::make_task() {
  backend_ = make_cpu_backend(threads_);
  for (int rank = 0; rank < ranks_; ++rank) batches_.push_back(experiment_.batch_of(rank));
  if (experiment_.cluster.compute == "emulate")
    make_emulated_task();
  else
    make_supervised_task();
  if (!writer_) return;
  if (pace_) writer_->document("profile", to_json(profile_).dump());
  const std::string description = backend_->description();
  if (registry_)
    registry_->set_resolved(run_id_, "cpu", description, threads_);
  else
    RunRegistry(Workspace::open(options_.workspace)).set_resolved(run_id_, "cpu", description, threads_);
}

}  // namespace syncline
