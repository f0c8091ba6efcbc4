// SPDX-License-Identifier: Apache-2.0
#include "engine/train/replica_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/random.h"
#include "engine/train/emulated_update.h"

namespace syncline {
namespace {

constexpr std::uint16_t no_group = 0xffff;

std::string group_label(const Group& group, int number, std::span<const LayerSlice> slices) {
  const std::string& first = slices[static_cast<std::size_t>(group.first)].name;
  if (group.first == group.last) return fmt::format("bucket {} ({})", number, first);
  return fmt::format("bucket {} ({} to {})", number, first, slices[static_cast<std::size_t>(group.last)].name);
}

double learning_rate_of(const OptimizerSpec& spec) { return spec.options.real("lr"); }

}  // namespace

ReplicaImpl::ReplicaImpl(ReplicaContext context) : context_(std::move(context)) {
  params_ = bound_params_ = add_vector("params", Keep::saved, true);
  grads_ = bound_grads_ = make_vector("grads", Keep::scratch);
  const TrainSpec& train = context_.experiment.train;
  schedule_ = make_schedule(train.schedule, learning_rate_of(train.optimizer), workers(), context_.total_steps);
  add_optimizer(train.optimizer.name, train.optimizer, *schedule_);
}

Vector ReplicaImpl::make_vector(std::string_view name, Keep keep) { return add_vector(name, keep, false); }

Vector ReplicaImpl::add_vector(std::string_view name, Keep keep, bool alike) {
  if (!starting_) throw UsageError(fmt::format("vector '{}' was asked for after the start; a step allocates nothing", name));
  for (const NamedVector& other : vectors_)
    if (other.name == name) throw UsageError(fmt::format("vector '{}' was made twice", name));
  const std::int64_t count = context_.slices.empty() ? 0 : context_.slices.back().offset + context_.slices.back().count;
  vectors_.push_back({std::string(name), Vector(context_.backend.allocate(count)), keep, alike});
  return vectors_.back().vector;
}

void ReplicaImpl::set(View out, std::initializer_list<Term> sum, Sharing sharing) {
  const bool relaxed = sharing == Sharing::relaxed;
  const auto term = [&](std::size_t k) { return Backend::Term{(sum.begin() + k)->factor, (sum.begin() + k)->x}; };
  const double start_s = context_.clock.now_s();
  switch (sum.size()) {  // the backend's term is another type of the same content
    case 1:
      context_.backend.set(out, {term(0)}, relaxed);
      break;
    case 2:
      context_.backend.set(out, {term(0), term(1)}, relaxed);
      break;
    case 3:
      context_.backend.set(out, {term(0), term(1), term(2)}, relaxed);
      break;
    case 4:
      context_.backend.set(out, {term(0), term(1), term(2), term(3)}, relaxed);
      break;
    default:
      throw UsageError(fmt::format("set() takes one to four terms, not {}", sum.size()));
  }
  record_update(out, start_s);
}

void ReplicaImpl::pointwise(std::string_view functor, std::initializer_list<View> views, std::initializer_list<double> scalars) {
  const double start_s = context_.clock.now_s();
  context_.backend.pointwise(functor, std::span<const View>(views.begin(), views.size()),
                             std::span<const double>(scalars.begin(), scalars.size()));
  record_update(views.size() > 0 ? *views.begin() : View(), start_s);
}

void ReplicaImpl::bind(Vector params, Vector grads) {
  if (params.count() != params_.count() || grads.count() != params_.count())
    throw UsageError("bind: a vector does not have the arena's length");
  bound_params_ = std::move(params);
  bound_grads_ = std::move(grads);
}

const Profile& ReplicaImpl::profile() const {
  if (!profile_) throw UsageError("the profile was not measured: the strategy's traits do not say needs_profile");
  return *profile_;
}

Work ReplicaImpl::sum_gradients(const Group& group) {
  const View gradients = bound_grads_[group];
  const int id = plan_.group_of(context_.slices[static_cast<std::size_t>(group.first)]);
  // Negotiated where the orchestration does so; with a fixed order one that is early waits for those before it.
  return context_.data.allreduce(gradients, gradients,
                                 {.op = Op::sum,
                                  .scale_before = mean_scale().before,
                                  .order = context_.experiment.strategy.keeps_plan_order() ? id : -1,
                                  .id = id,
                                  .negotiated = true,
                                  .label = labels_[static_cast<std::size_t>(id)]});
}

// The mean over the samples really used is sum_r n_r g_r / N, g_r rank r's own mean. Every factor is 1 in a full even batch, so no
// multiplication happens there.
Replica::MeanScale ReplicaImpl::mean_scale() const {
  const double ranks = workers(), mine = static_cast<double>(context_.loader.rows()),
               all = static_cast<double>(context_.loader.global_rows());
  return {all > 0 ? mine * ranks / all : 0, 1 / ranks};
}

double ReplicaImpl::weight() const {
  const auto& batches = context_.loader.batch_per_rank();
  const double all = static_cast<double>(std::accumulate(batches.begin(), batches.end(), std::int64_t{0}));
  return static_cast<double>(batches[static_cast<std::size_t>(context_.data.rank())]) / all;
}

Optimizer& ReplicaImpl::make_optimizer(std::string_view name, const OptimizerSpec& spec) {
  if (!starting_) throw UsageError(fmt::format("optimizer '{}' was asked for after the start", name));
  other_schedules_.push_back(make_schedule(ScheduleSpec{}, learning_rate_of(spec), workers(), context_.total_steps));
  return add_optimizer(std::string(name), spec, *other_schedules_.back());
}

Optimizer& ReplicaImpl::add_optimizer(const std::string& name, const OptimizerSpec& spec, const Schedule& schedule) {
  const bool first = optimizers_.empty();
  OptimizerContext made{.slices = context_.slices,
                        .make_vector =
                            [&, first](std::string_view state) {
                              return add_vector(first ? std::string(state) : fmt::format("{}:{}", name, state), Keep::saved, true);
                            },
                        .schedule = &schedule,
                        .position = [this] { return schedule_position(); },
                        .threads = context_.threads};
  const auto lr = [this, &schedule] { return schedule.lr(schedule_position()); };
  auto rule = std::make_unique<TracedOptimizer>(
      context_.emulate_updates ? std::make_unique<EmulatedUpdate>(context_.backend, lr) : syncline::make_optimizer(spec, std::move(made)),
      context_.clock, [this](const View& range, double start_s) { record_update(range, start_s); }, context_.in_optimizer,
      context_.charge_update);
  optimizers_.push_back({name, std::move(rule)});
  return *optimizers_.back().rule;
}

void ReplicaImpl::record_update(const View& range, double start_s) {
  const std::uint16_t group = group_id(range);
  record_wait(start_s, group);
  const double end_s = context_.clock.now_s();
  context_.recorder.span({start_s, end_s, SpanKind::update, group, static_cast<std::uint32_t>(step_)});
  if (idle_since_s_ >= 0) idle_since_s_ = end_s;
}

void ReplicaImpl::record_wait(double until_s, std::uint16_t group) {
  constexpr double bookkeeping_s = 2e-6;  // shorter gaps are the code between two updates
  if (idle_since_s_ < 0 || until_s - idle_since_s_ < bookkeeping_s) return;
  context_.recorder.span({idle_since_s_, until_s, SpanKind::wait, group, static_cast<std::uint32_t>(step_)});
}

void ReplicaImpl::end_combining() {
  record_wait(context_.clock.now_s(), no_group);
  idle_since_s_ = -1;
}

std::uint16_t ReplicaImpl::group_id(const View& range) const {
  for (std::size_t k = 0; k < plan_.groups().size(); ++k)
    if (plan_.groups()[k].offset == range.offset() && plan_.groups()[k].count == range.count()) return static_cast<std::uint16_t>(k);
  return no_group;
}

double ReplicaImpl::uniform(std::string_view purpose) {
  return RandomStream(context_.experiment.seed, purpose, static_cast<std::uint64_t>(context_.data.rank()),
                      static_cast<std::uint64_t>(step_))
      .uniform();
}

void ReplicaImpl::set_plan(Plan plan) {
  plan_ = std::move(plan);
  labels_.clear();
  for (std::size_t k = 0; k < plan_.groups().size(); ++k)
    labels_.push_back(group_label(plan_.groups()[k], static_cast<int>(k), context_.slices));
}

std::vector<ReplicaImpl::SavedVector> ReplicaImpl::saved_vectors() const {
  std::vector<SavedVector> saved;
  for (const NamedVector& each : vectors_)
    if (each.keep == Keep::saved) saved.push_back({each.name, each.vector, each.alike});
  return saved;
}

void ReplicaImpl::save(StateWriter& state) const {
  for (const NamedRule& each : optimizers_) state.bytes("optimizer/" + each.name, each.rule->save());
  state.integer("schedule_position", position_);
}

void ReplicaImpl::load(StateReader& state) {
  for (NamedRule& each : optimizers_) each.rule->load(state.bytes("optimizer/" + each.name));
  position_ = state.integer("schedule_position");
}

}  // namespace syncline
