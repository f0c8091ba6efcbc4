// SPDX-License-Identifier: Apache-2.0
// What a checkpoint of a run holds and how it is taken up again: everything that the trajectory depends on, by names that do not change
// with buckets, plans or the way of sending. A plan made from measured times is kept: measured again it might group otherwise, and not
// every allreduce adds in an order that does not depend on the groups.
#include <fmt/format.h>

#include <cstring>

#include "engine/train/trainer.h"

namespace syncline {
namespace {

constexpr std::string_view own_statistics = "statistics", merged = "merged_statistics";

std::string block_name(const std::string& vector, const LayerSlice& slice) { return vector + "/" + slice.name; }

void write_optional(StateWriter& state, std::string_view name, const std::optional<double>& value) {
  if (value) state.real(name, *value);
}
std::optional<double> read_optional(const StateReader& state, std::string_view name) {
  return state.has(name) ? std::optional(state.real(name)) : std::nullopt;
}

constexpr std::string_view plan_by = "plan/name", plan_ranks = "plan/ranks", plan_groups = "plan/groups";

std::string text_of(const std::vector<std::byte>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
std::vector<std::byte> text_bytes(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

StateMap Trainer::shared_values() const {
  StateMap values;
  StateWriter state(values);
  state.integer("step", step_);
  state.integer("samples", samples_);
  state.integer("gradients", gradients_);
  state.integer("position/epoch", epoch_);
  state.integer("position/batch", loader_.next_index());
  std::int64_t global_batch = 0;
  for (const std::int64_t batch : loader_.batch_per_rank()) global_batch += batch;
  state.integer("position/global_batch", global_batch);
  if (planner(planner_name()).needs_profile) {
    const std::vector<int> firsts = replica_.plan().first_slices();
    state.bytes(plan_by, text_bytes(planner_name()));
    state.integer(plan_ranks, parts_.data.size());
    std::vector<std::byte> bytes(firsts.size() * sizeof(int));
    if (!firsts.empty()) std::memcpy(bytes.data(), firsts.data(), bytes.size());
    state.bytes(plan_groups, std::move(bytes));
  }
  state.real("clock/active_s", parts_.clock.training_s());
  state.real("clock/elapsed_s", axes().elapsed_s);
  write_optional(state, "loss", loss_);
  write_optional(state, "test_loss", test_loss_);
  write_optional(state, "accuracy", accuracy_);
  write_optional(state, "best_accuracy", best_accuracy_);
  write_optional(state, "time_to_target_s", time_to_target_s_);
  StateWriter of_replica(values, "replica/");
  replica_.save(of_replica);
  return values;
}

StateMap Trainer::own_values() const {
  StateMap values;
  StateWriter of_strategy(values, "strategy/"), of_task(values, "task/"), of_observer(values, "observer/");
  strategy_->save(of_strategy);
  parts_.task.save(of_task);
  parts_.observer.save(of_observer);
  return values;
}

Snapshot Trainer::snapshot() {
  Snapshot all{.step = step_, .epoch = epochs_done(), .shared = {{}, shared_values()}, .own = {{}, own_values()}};
  std::string per_rank;  // what stands in the way of another number of workers
  for (const auto& saved : replica_.saved_vectors()) {
    const bool shared = traits_.replicas_identical && saved.alike;
    if (!shared) per_rank += saved.name + ' ';
    for (const LayerSlice& slice : replica_.slices())
      (shared ? all.shared : all.own).blocks.push_back({block_name(saved.name, slice), saved.vector[slice]});
  }
  if (!statistics_.empty()) {
    all.own.blocks.push_back({std::string(own_statistics), statistics_});
    all.shared.blocks.push_back({std::string(merged), merged_statistics_});
    per_rank += "batch-norm-statistics ";
  }
  for (const auto& [name, value] : all.own.values)
    if (!name.starts_with("observer/")) per_rank += name + ' ';
  all.shared.values["per_rank"] = text_bytes(per_rank);
  return all;
}

// The groups of the run that goes on, where it planned by measured times, with as many ranks and over the same slices.
std::optional<std::vector<int>> Trainer::groups_before() const {
  if (parts_.resume == nullptr) return std::nullopt;
  const StateReader state(parts_.resume->values());
  if (!state.has(plan_groups) || text_of(state.bytes(plan_by)) != planner_name() || state.integer(plan_ranks) != parts_.data.size())
    return std::nullopt;
  const std::vector<std::byte>& bytes = state.bytes(plan_groups);
  std::vector<int> firsts(bytes.size() / sizeof(int));
  if (!firsts.empty()) std::memcpy(firsts.data(), bytes.data(), firsts.size() * sizeof(int));
  return firsts;
}

void Trainer::read_parameters(const CheckpointSource& source) {
  const Vector params = replica_.params();
  for (const LayerSlice& slice : replica_.slices()) source.read_block(block_name("params", slice), params[slice]);
  if (!statistics_.empty() && source.has_block(std::string(merged))) source.read_block(std::string(merged), statistics_);
}

void Trainer::restore(const CheckpointSource& source) {
  const StateMap& values = source.values();
  restore_position(values, source.ranks());
  const bool same_ranks = source.ranks() == parts_.data.size();
  for (const auto& saved : replica_.saved_vectors())
    for (const LayerSlice& slice : replica_.slices()) source.read_block(block_name(saved.name, slice), saved.vector[slice]);
  if (!statistics_.empty()) source.read_block(std::string(own_statistics), statistics_);

  StateReader state(values), of_replica(values, "replica/"), of_strategy(values, "strategy/"), of_task(values, "task/"),
      of_observer(values, "observer/");
  step_ = state.integer("step");
  samples_ = state.integer("samples");
  gradients_ = state.integer("gradients");
  loss_ = read_optional(state, "loss");
  test_loss_ = read_optional(state, "test_loss");
  accuracy_ = read_optional(state, "accuracy");
  best_accuracy_ = read_optional(state, "best_accuracy");
  time_to_target_s_ = read_optional(state, "time_to_target_s");
  const auto target = parts_.experiment.train.target_accuracy;
  target_reached_ = target && best_accuracy_ && *best_accuracy_ >= *target;
  elapsed_before_s_ = state.real("clock/elapsed_s");
  active_before_s_ = state.real("clock/active_s");
  replica_.begin_step(step_);
  replica_.load(of_replica);
  if (same_ranks) {
    strategy_->load(of_strategy);
    parts_.task.load(of_task);
    parts_.observer.load(of_observer);
  }
}

// Another number of workers is fine where nothing is kept per rank and the epoch can be cut at the same sample.
void Trainer::restore_position(const StateMap& values, int ranks_before) {
  const StateReader state(values);
  const int ranks = parts_.data.size();
  if (ranks_before != ranks) {
    std::string kept = text_of(state.bytes("per_rank"));
    if (!kept.empty()) {
      kept.pop_back();
      throw ConfigError(
          fmt::format("the checkpoint was made by {} workers and this run has {}: it keeps state of each worker ({}), so it goes on "
                      "with {} workers only",
                      ranks_before, ranks, kept, ranks_before),
          {.file = {}, .key = "cluster.workers"});
    }
  }
  std::int64_t global_batch = 0;
  for (const std::int64_t batch : loader_.batch_per_rank()) global_batch += batch;
  const std::int64_t batch_before = state.integer("position/global_batch"), position = state.integer("position/batch") * batch_before;
  if (position % global_batch != 0)
    throw ConfigError(
        fmt::format("the checkpoint was made after {} samples of an epoch, which is no multiple of this run's global batch of {} samples; "
                    "a global batch of {} goes on exactly",
                    position, global_batch, batch_before),
        {.file = {}, .key = "train.batch_per_worker"});
  epoch_ = state.integer("position/epoch");
  loader_.seek(epoch_, position / global_batch);
}

}  // namespace syncline
