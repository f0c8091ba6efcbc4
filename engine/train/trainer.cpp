// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/comm/orchestrations/policy.h"
#include "engine/experiment/every.h"
#include "engine/train/pace.h"
#include "engine/train/profile.h"

namespace syncline {
namespace {

std::int64_t steps_of(const TrainerParts& parts, const TrainerOptions& options) {
  if (options.only_steps) return *options.only_steps;
  const TrainSpec& train = parts.experiment.train;
  return train.steps ? *train.steps : *train.epochs * parts.train.batches_per_epoch();
}

HandoverOptions handover_of(const TrainerParts& parts) {
  const StrategySpec& strategy = parts.experiment.strategy;
  HandoverOptions options{.random_order = strategy.any_order(),
                          .jitter_s = strategy.hook_jitter_s,
                          .seed = parts.experiment.seed,
                          .rank = parts.data.rank(),
                          .slices = static_cast<int>(parts.task.slices().size())};
  if (parts.pace != nullptr) options.delayed = [pace = parts.pace](double seconds) { pace->leave_out(seconds); };
  return options;
}

// The schedule's length is that of the experiment, also in a dry run.
std::int64_t schedule_steps(const TrainerParts& parts) { return steps_of(parts, {}); }

std::vector<LayerSlice> slices_of(const Task& task) { return {task.slices().begin(), task.slices().end()}; }

}  // namespace

Trainer::Trainer(TrainerParts parts, TrainerOptions options)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      traits_(parts_.strategy.traits(parts_.experiment.strategy.options)),
      total_steps_(steps_of(parts_, options_)),
      loader_(parts_.train, parts_.batch_per_rank, parts_.clock, parts_.recorder),
      replica_({.experiment = parts_.experiment,
                .backend = parts_.backend,
                .data = parts_.data,
                .clock = parts_.clock,
                .recorder = parts_.recorder,
                .loader = loader_,
                .slices = slices_of(parts_.task),
                .total_steps = schedule_steps(parts_),
                .threads = options_.threads,
                .in_optimizer = parts_.in_optimizer,
                .charge_update = parts_.charge_update,
                .emulate_updates = parts_.emulate_updates}),
      strategy_(parts_.strategy.make(parts_.experiment.strategy.options)),
      hooks_(*strategy_, replica_, parts_.activity, parts_.faults, handover_of(parts_)),
      statistics_(parts_.backend.allocate(parts_.task.statistic_count())),
      merged_statistics_(parts_.backend.allocate(parts_.task.statistic_count())),
      evaluated_(replica_.make_vector("evaluated", Keep::scratch)),
      evaluation_due_(parse_every(parts_.experiment.train.evaluate_every).value_or(Every{Every::epochs, 1})),
      checkpoint_due_(parts_.experiment.checkpoint.every) {
  loader_.on_next([this] { hooks_.reached_data(); }, [this] { hooks_.mark(); });
  if (parts_.test != nullptr) {
    test_.emplace(*parts_.test, parts_.batch_per_rank, parts_.clock, no_spans_);
    test_->on_next([this] { parts_.activity.enter(TrainPhase::evaluation, step_, parts_.clock.now_s()); }, {});
  }
}

Trainer::~Trainer() = default;

void Trainer::start() {
  parts_.activity.enter(TrainPhase::start, 0, parts_.clock.now_s());
  parts_.faults.reach(TrainPhase::start, 0);
  started_s_ = parts_.clock.now_s();
  compare_facts(parts_.control, start_facts());
  parts_.task.initialise({replica_.params(), replica_.grads(), statistics_}, parts_.experiment.seed);
  make_plan();
  if (traits_.exchanges_gradients) {
    const StrategySpec& strategy = parts_.experiment.strategy;
    const OrchestrationEntry& entry = orchestration(strategy.orchestration);
    parts_.data.orchestrate(release_options(entry, strategy.orchestration_options));
    negotiates_ = entry.make != nullptr;
  }
  control_.emplace(parts_.control, parts_.observer.extra_bytes(replica_.plan().groups().size()));
  strategy_->start(replica_);
  replica_.close_start();
  if (parts_.parameters_from != nullptr) {
    read_parameters(*parts_.parameters_from);
    // The run they are from may have kept parameters of each worker; where replicas are alike they all start from the first one's.
    if (traits_.replicas_identical) parts_.data.broadcast(replica_.params(), 0).wait();
  }
  if (parts_.resume != nullptr) restore(*parts_.resume);
  if (traits_.replicas_identical && options_.hash_every > 0) compare_parameters();
  evaluation_due_.done(step_, epochs_done(), parts_.clock.now_s());
  checkpoint_due_.done(step_, epochs_done(), parts_.clock.now_s());
  parts_.observer.started(replica_.slices(), replica_.plan(), total_steps_, axes());
}

std::string_view Trainer::planner_name() const {
  return traits_.exchanges_gradients ? std::string_view(parts_.experiment.strategy.plan) : std::string_view("single");
}

// Made on rank 0 and told to the others, so that a planner fed with measured times gives every rank the same groups.
void Trainer::make_plan() {
  const StrategySpec& strategy = parts_.experiment.strategy;
  const PlannerEntry& entry = planner(planner_name());
  const std::optional<std::vector<int>> before = groups_before();
  Profile profile;
  if ((entry.needs_profile && !before) || traits_.needs_profile) {
    profile = measure_profile({.task = parts_.task,
                               .bound = {replica_.params(), replica_.grads(), statistics_},
                               .loader = loader_,
                               .data = parts_.data,
                               .control = parts_.control,
                               .backend = parts_.backend,
                               .clock = parts_.clock});
    replica_.set_profile(profile);
  }
  const Params params = traits_.exchanges_gradients ? strategy.plan_options : defaults_of(entry.parameters);
  std::vector<int> firsts;
  if (parts_.control.rank() == 0) firsts = before ? *before : entry.make(replica_.slices(), profile, params).first_slices();
  ByteBuffer bytes(firsts.size() * sizeof(int));
  if (!firsts.empty()) std::memcpy(bytes.data(), firsts.data(), bytes.size());
  bytes = told_by(parts_.control, std::move(bytes));
  firsts.resize(bytes.size() / sizeof(int));
  if (!bytes.empty()) std::memcpy(firsts.data(), bytes.data(), bytes.size());
  replica_.set_plan(Plan(replica_.slices(), firsts));
  compare_facts(parts_.control, {{"plan", fmt::format("{:016x}, {} buckets", replica_.plan().hash(), replica_.plan().groups().size())}});
}

Facts Trainer::start_facts() const {
  Facts facts = options_.facts;
  std::string_view complete = parts_.experiment.complete;
  for (int line = 1; !complete.empty(); ++line) {
    const std::size_t end = complete.find('\n');
    facts.push_back({fmt::format("line {} of the complete experiment", line), std::string(complete.substr(0, end))});
    complete.remove_prefix(end == std::string_view::npos ? complete.size() : end + 1);
  }
  for (const LayerSlice& slice : replica_.slices())
    facts.push_back(
        {fmt::format("slice {}", slice.index), fmt::format("{}, offset {}, {} elements", slice.name, slice.offset, slice.count)});
  facts.push_back({"batch normalisation values", fmt::format("{} elements", parts_.task.statistic_count())});
  facts.push_back(
      {"batches of an epoch", fmt::format("{} of {} samples", parts_.train.batches_per_epoch(), parts_.train.samples_per_epoch())});
  facts.push_back({"steps to train", fmt::format("{}", total_steps_)});
  return facts;
}

bool Trainer::over() const {
  if (finished_by_strategy_ || step_ >= total_steps_) return true;
  return !options_.only_steps && parts_.experiment.train.epochs && epoch_ >= *parts_.experiment.train.epochs;
}

TrainResult Trainer::run() {
  parts_.training_clock.restore_training(active_before_s_);  // it starts to run here
  next_start_s_ = parts_.clock.now_s();
  bool leave = over();  // a finished run taken up again: evaluated and saved once more, in its own folder
  if (leave) boundary();
  while (!leave) {
    try {
      one_step();
    } catch (...) {
      parts_.data.stop_releases();  // the others may be waiting for a bucket that will not come
      throw;
    }
    if (!finished_by_strategy_ && step_ % traits_.meeting_every == 0) meeting();
    const Wanted now = wanted();
    if (now.evaluate || now.checkpoint || now.leave) {
      boundary();
      leave = wanted().leave;
      next_start_s_ = parts_.clock.now_s();
    }
    if (!leave && loader_.exchange_due()) {
      exchange_samples();
      next_start_s_ = parts_.clock.now_s();
    }
  }
  parts_.activity.enter(TrainPhase::shutdown, step_, parts_.clock.now_s());
  parts_.faults.reach(TrainPhase::shutdown, step_);
  parts_.control.barrier().wait();
  TrainResult result{.steps = step_,
                     .samples = samples_,
                     .epochs = epochs_done(),
                     .train_loss = loss_,
                     .test_loss = test_loss_,
                     .test_accuracy = accuracy_,
                     .best_accuracy = best_accuracy_,
                     .time_to_target_s = time_to_target_s_,
                     .checkpoint = last_saved_ == step_,
                     .reason = {}};
  if (diverged_ && parts_.experiment.train.on_divergence == "stop") {
    result.ended = TrainResult::diverged;
    result.reason =
        fmt::format("the loss was not finite in step {} on rank {}; on_divergence = \"stop\" ended the run", diverged_at_, diverged_rank_);
  } else if (target_reached_ && parts_.experiment.train.stop_at_target) {
    result.ended = TrainResult::target_reached;
  } else if (!over()) {
    result.ended = TrainResult::stopped;
    result.reason = result.checkpoint ? fmt::format("stopped on request after step {}; a checkpoint was saved", step_)
                                      : fmt::format("stopped on request after step {}", step_);
  }
  return result;
}

// Part of training, not of a step: the training clock runs.
void Trainer::exchange_samples() {
  const double start_s = parts_.clock.now_s();
  parts_.activity.enter(TrainPhase::data, step_, start_s);
  const Loader::Exchanged sent = loader_.exchange();
  const double seconds = parts_.clock.now_s() - start_s;
  parts_.observer.event("samples exchanged", fmt::format("{} samples, {} bytes sent by rank {} before epoch {}, in {:.3f} s", sent.samples,
                                                         sent.bytes, parts_.control.rank(), loader_.epoch(), seconds));
  parts_.recorder.scalar(series::data_exchange_s, step_ - 1, seconds);
  parts_.recorder.scalar(series::data_exchange_bytes, step_ - 1, static_cast<double>(sent.bytes));
}

void Trainer::one_step() {
  replica_.begin_step(step_);
  loader_.begin_step(step_);
  parts_.observer.step_begins(step_);
  hooks_.begin(step_);
  const std::int64_t updates_before = replica_.updates(), epoch_before = loader_.epoch();

  StepDone done;
  Task::StepResult result;
  const Step kind = strategy_->begin_step(replica_);
  if (kind == Step::finished) {
    finished_by_strategy_ = true;
    return;
  }
  if (kind == Step::compute) {
    if (negotiates_) parts_.data.expect(static_cast<int>(replica_.plan().groups().size()));
    parts_.gate.take();
    result = parts_.task.compute({replica_.bound_params(), replica_.bound_grads(), statistics_}, loader_, step_, hooks_);
    hooks_.reached_collective();
    if (hooks_.take_spoilt()) result.loss_sum = std::numeric_limits<double>::quiet_NaN();
    parts_.gate.give();
    replica_.begin_combining();
    strategy_->after_backward(replica_);
    replica_.end_combining();
    done.known.gradients = result.samples > 0 ? 1 : 0;
    gradients_ += gradient_ranks();
  }
  strategy_->end_step(replica_);

  ++step_;
  samples_ += result.global_samples;
  epoch_ += loader_.epoch() - epoch_before;
  sums_.steps += 1;
  sums_.loss += result.loss_sum;
  sums_.correct += result.correct;
  sums_.samples += result.samples;
  done.known.loss_sum = result.loss_sum;
  done.known.correct = result.correct;
  done.known.samples = result.samples;
  done.known.updates = replica_.updates() - updates_before;
  done.known.axes = axes();
  done.known.axes.step = step_ - 1;
  if (parts_.pace != nullptr && parts_.pace->take_overrun()) done.known.flags |= step_overrun;
  done.start_s = next_start_s_;
  next_start_s_ = done.end_s = parts_.clock.now_s();
  if (negotiates_) record_releases();
  parts_.observer.step_done(done);
}

void Trainer::record_releases() {
  const ReleaseCounters now = parts_.data.release_counters(), before = std::exchange(counted_, now);
  const std::int64_t step = step_ - 1;
  const auto record = [&](std::string_view name, std::int64_t count) { parts_.recorder.scalar(name, step, static_cast<double>(count)); };
  record(series::control_cycles, now.cycles - before.cycles);
  record(series::control_bytes, now.control_bytes - before.control_bytes);
  record(series::control_messages, now.control_messages - before.control_messages);
  record(series::slow_path_runs, now.slow_paths - before.slow_paths);
  record(series::data_allreduces, now.messages - before.messages);
  parts_.recorder.scalar(series::control_s, step, now.control_s - before.control_s);
}

// How many ranks had samples in this step: the last batch of an epoch, cut by cumulative shares, can leave some without.
std::int64_t Trainer::gradient_ranks() const {
  const auto& batches = loader_.batch_per_rank();
  std::int64_t all = 0, before = 0, with_samples = 0;
  for (const std::int64_t batch : batches) all += batch;
  for (const std::int64_t batch : batches) {
    const std::int64_t first = before * loader_.global_rows() / all, last = (before + batch) * loader_.global_rows() / all;
    with_samples += last > first ? 1 : 0;
    before += batch;
  }
  return with_samples;
}

void Trainer::meeting() {
  if (const auto word = control_->read()) take(*word);
  ControlPart mine;
  if (parts_.control.rank() == 0 && checkpoint_due_.by_time(parts_.clock.now_s())) mine.flags |= checkpoint_now;
  mine.flags |= parts_.input.wanted();
  if (traits_.replicas_identical && options_.hash_every > 0 && parts_.data.size() > 1 && step_ % options_.hash_every == 0)
    mine.parameters_hash = hash_parameters();
  send(mine);
}

void Trainer::send(ControlPart mine) {
  mine.steps = sums_.steps;
  mine.step = step_;
  mine.loss_sum = sums_.loss;
  mine.correct = sums_.correct;
  mine.samples = sums_.samples;
  sums_ = {};
  word_axes_ = axes();
  word_lr_ = replica_.lr();
  parts_.observer.fill_extra(control_->extra());
  control_->start(mine);
}

void Trainer::take(const ControlWord& word) {
  pending_ |= word.flags & ~static_cast<std::uint32_t>(trace_now);  // which is no boundary
  if (word.samples > 0) loss_ = word.loss();
  extras_.clear();
  for (int rank = 0; rank < parts_.control.size(); ++rank) extras_.push_back(control_->extra_of(rank));
  parts_.observer.read_extra(extras_);
  parts_.observer.meeting(word, word_lr_, word_axes_);
  for (std::size_t rank = 1; rank < word.hashes.size(); ++rank)
    if (word.hashes[rank] != word.hashes[0]) compare_parameters();
  if (word.first_not_finite < 0) return;
  diverged_ = true;
  diverged_at_ = word.step - 1;
  diverged_rank_ = word.first_not_finite;
  const std::string sentence = fmt::format("the loss is not finite in step {} on rank {}", diverged_at_, diverged_rank_);
  const std::string& rule = parts_.experiment.train.on_divergence;
  if (rule == "fail")
    throw AgreedError(sentence + "; a smaller learning rate may help, or on_divergence = \"continue\" to go on regardless");
  if (rule == "stop") pending_ |= stop_after_step;
  if (!std::exchange(divergence_told_, true)) parts_.observer.event("divergence", sentence);
}

double Trainer::epochs_done() const {
  return static_cast<double>(epoch_) + static_cast<double>(loader_.next_index()) / static_cast<double>(parts_.train.batches_per_epoch());
}

Axes Trainer::axes() const {
  Axes axes;
  axes.step = step_;
  axes.samples = samples_;
  axes.epoch = epochs_done();
  axes.gradients = gradients_;
  axes.active_s = parts_.clock.training_s();
  axes.elapsed_s = elapsed_before_s_ + parts_.clock.now_s() - started_s_;
  return axes;
}

}  // namespace syncline
