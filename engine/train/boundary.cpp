// SPDX-License-Identifier: Apache-2.0
// Boundaries: the training clock stands while all ranks evaluate, compare and save. Nothing here changes what later steps compute.
#include <fmt/format.h>

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/train/trainer.h"

namespace syncline {
namespace {

constexpr std::uint32_t stop_flags = stop_after_step | stop_after_checkpoint;

class BoundaryTime {  // the training clock stands while this lives
 public:
  explicit BoundaryTime(TrainingClock& clock) : clock_(clock) { clock_.enter_boundary(); }
  ~BoundaryTime() { clock_.leave_boundary(); }
  BoundaryTime(const BoundaryTime&) = delete;
  BoundaryTime& operator=(const BoundaryTime&) = delete;

 private:
  TrainingClock& clock_;
};

}  // namespace

Trainer::Wanted Trainer::wanted() const {
  const bool at_end = over() || (target_reached_ && parts_.experiment.train.stop_at_target), stopped = (pending_ & stop_flags) != 0;
  Wanted now;
  now.leave = at_end || stopped;
  if (options_.only_steps) return now;
  now.evaluate = parts_.test != nullptr && last_evaluated_ != step_ && (at_end || evaluation_due_.at(step_, epochs_done()));
  now.checkpoint = parts_.sink != nullptr && last_saved_ != step_ &&
                   (at_end || checkpoint_due_.at(step_, epochs_done()) || (pending_ & (checkpoint_now | stop_after_checkpoint)) != 0);
  return now;
}

void Trainer::boundary() {
  BoundaryTime standing(parts_.training_clock);
  parts_.observer.boundary_begins(axes());
  settle();
  if (pending_ != 0) parts_.input.announced(pending_, step_);
  strategy_->drain(replica_);
  if (traits_.replicas_identical && options_.hash_every > 0) compare_parameters();
  if (wanted().evaluate) evaluate();
  if (wanted().checkpoint) save_checkpoint();  // asked again: an evaluation that reached the target ends the run
  pending_ &= stop_flags;
  parts_.observer.boundary_ends(axes());
}

// At a boundary everybody is here, so the word is waited for, and what was not yet in a word is sent: the loss of every step before a
// checkpoint is recorded before it.
void Trainer::settle() {
  if (const auto word = control_->read()) take(*word);
  if (sums_.steps > 0) {
    send({});
    take(*control_->read());
  }
}

void Trainer::evaluate() {
  const double start_s = parts_.clock.now_s();
  parts_.activity.enter(TrainPhase::evaluation, step_, start_s);
  parts_.faults.reach(TrainPhase::evaluation, step_);
  strategy_->evaluated_parameters(replica_, evaluated_);
  const LossSums sums = sum_over_ranks(parts_.task.evaluate({evaluated_.all(), {}, merged_statistics()}, *test_));
  last_evaluated_ = step_;
  evaluation_due_.done(step_, epochs_done(), parts_.clock.now_s());
  if (sums.samples == 0) return;
  Evaluation result{.step = step_, .epoch = epochs_done(), .samples = sums.samples};
  result.loss = sums.loss_sum / static_cast<double>(sums.samples);
  result.accuracy = static_cast<double>(sums.correct) / static_cast<double>(sums.samples);
  result.seconds = parts_.clock.now_s() - start_s;
  result.best = !best_accuracy_ || result.accuracy > *best_accuracy_;
  test_loss_ = result.loss;
  accuracy_ = result.accuracy;
  if (result.best) best_accuracy_ = result.accuracy;
  const auto target = parts_.experiment.train.target_accuracy;
  if (target && !target_reached_ && result.accuracy >= *target) {
    target_reached_ = true;
    time_to_target_s_ = parts_.clock.training_s();
  }
  parts_.observer.evaluated(result, axes());
}

LossSums Trainer::sum_over_ranks(const LossSums& mine) {
  ByteBuffer bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  LossSums all;
  for (const ByteBuffer& part : gather_bytes(parts_.control, std::move(bytes))) {  // added in rank order: alike everywhere
    LossSums sums;
    std::memcpy(&sums, part.data(), sizeof sums);
    all.loss_sum += sums.loss_sum;
    all.correct += sums.correct;
    all.samples += sums.samples;
  }
  return all;
}

// A copy by the rule of model.buffers; every rank's own running values stay as they are.
View Trainer::merged_statistics() {
  if (statistics_.empty()) return statistics_;
  parts_.backend.set(merged_statistics_, {{1, statistics_}}, false);
  const int ranks = parts_.control.size();
  if (ranks == 1) return merged_statistics_;
  if (parts_.experiment.model.buffers == "rank0") {
    parts_.control.broadcast(merged_statistics_, 0).wait();
  } else {
    parts_.control.allreduce(merged_statistics_, merged_statistics_, {.label = "batch normalisation values"}).wait();
    parts_.backend.set(merged_statistics_, {{1.0 / ranks, merged_statistics_}}, false);
  }
  return merged_statistics_;
}

void Trainer::save_checkpoint() {
  const double start_s = parts_.clock.now_s();
  parts_.activity.enter(TrainPhase::checkpoint, step_, start_s);
  parts_.faults.reach(TrainPhase::checkpoint, step_);
  std::string why;
  merged_statistics();
  const bool saved = parts_.sink->save(snapshot(), why);
  if (saved) last_saved_ = step_;
  checkpoint_due_.done(step_, epochs_done(), parts_.clock.now_s());
  parts_.observer.checkpointed(step_, saved, why, parts_.clock.now_s() - start_s, axes());
  parts_.input.done(pending_ & (checkpoint_now | stop_after_checkpoint), saved, why);
  if (!saved && wanted().leave) throw WorkspaceError(fmt::format("the last checkpoint, of step {}, could not be saved: {}", step_, why));
}

std::uint64_t Trainer::hash_of(const View& values) const {
  constexpr std::int64_t chunk = 1 << 16;
  hash_buffer_.resize(chunk);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (std::int64_t at = 0; at < values.count(); at += chunk) {
    const std::int64_t count = std::min(chunk, values.count() - at);
    parts_.backend.copy_out(values.part(at, count), std::span<float>(hash_buffer_).first(static_cast<std::size_t>(count)));
    XXH3_64bits_update(&state, hash_buffer_.data(), static_cast<std::size_t>(count) * sizeof(float));
  }
  return XXH3_64bits_digest(&state);
}

std::uint64_t Trainer::hash_parameters() const {
  const std::uint64_t hash = hash_of(const_cast<ReplicaImpl&>(replica_).params());
  return hash == 0 ? 1 : hash;  // 0 means "not looked at"
}

void Trainer::compare_parameters() {
  if (parts_.control.size() == 1) return;
  const auto slices = replica_.slices();
  ByteBuffer mine(slices.size() * sizeof(std::uint64_t));
  for (std::size_t k = 0; k < slices.size(); ++k) {
    const std::uint64_t hash = hash_of(replica_.params()[slices[k]]);
    std::memcpy(mine.data() + k * sizeof hash, &hash, sizeof hash);
  }
  const auto all = gather_bytes(parts_.control, std::move(mine));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    for (std::size_t k = 0; k < slices.size(); ++k) {
      if (std::memcmp(all[rank].data() + k * sizeof(std::uint64_t), all[0].data() + k * sizeof(std::uint64_t), sizeof(std::uint64_t)) == 0)
        continue;
      throw AgreedError(
          fmt::format("after {} steps the parameters of layer {} on rank {} differ from rank 0's; with strategy \"{}\" they are equal on "
                      "all ranks at any time",
                      step_, slices[k].name, rank, parts_.strategy.name));
    }
  }
}

}  // namespace syncline
