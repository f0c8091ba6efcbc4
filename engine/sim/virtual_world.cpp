// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/virtual_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace syncline {
namespace {

constexpr std::size_t most_told = 12;  // ranks in the report of a dead-lock

}  // namespace

void RankContext::compute(double seconds) {
  if (!(seconds >= 0) || !std::isfinite(seconds))
    throw UsageError(fmt::format("internal error: rank {} computes for {} s", rank_, seconds));
  now_s_ += seconds;
  charged_s_ += seconds;
}

void RankContext::give_way() {
  world_.contexts_->yield();
  if (world_.ended_by_) throw PeerLost(*world_.ended_by_);
}

void RankContext::sleep_until(double time_s) {
  if (world_.ended_by_) throw PeerLost(*world_.ended_by_);
  if (time_s <= now_s_) return;
  now_s_ = time_s;
  world_.events_.foresee(now_s_, rank_, index_, "slept", [this] { world_.run_context(*this); });
  give_way();
}

void RankContext::let_earlier_happen() {
  if (world_.ended_by_) return;
  const EventQueue& events = world_.events_;
  if (events.empty() || std::tie(now_s_, rank_, index_) < std::tie(events.next().time_s, events.next().rank, events.next().context)) {
    return;
  }
  world_.events_.foresee(now_s_, rank_, index_, "looks", [this] { world_.run_context(*this); });
  give_way();
}

bool RankContext::block(const std::function<std::string()>& what, double until_s) {
  if (world_.ended_by_) throw PeerLost(*world_.ended_by_);
  blocked_ = true;
  waking_ = timed_out_ = false;
  waits_for_ = what;
  const std::uint64_t wait = ++waits_;
  if (until_s < forever_s) {
    world_.events_.foresee(std::max(until_s, now_s_), rank_, index_, "time over", [this, wait, until_s] {
      if (!blocked_ || waking_ || waits_ != wait) return;
      timed_out_ = true;
      now_s_ = std::max(now_s_, until_s);
      world_.run_context(*this);
    });
  }
  struct Unblocked {
    RankContext& context;
    ~Unblocked() { context.blocked_ = false, context.waits_for_ = {}; }
  } const unblocked{*this};
  give_way();
  return !timed_out_;
}

void RankContext::wake(double time_s) {
  if (!blocked_ || waking_ || timed_out_) return;
  waking_ = true;
  const double at_s = std::max({time_s, now_s_, world_.events_.now_s()});
  world_.events_.foresee(at_s, rank_, index_, "woken", [this, at_s] {
    now_s_ = std::max(now_s_, at_s);
    world_.run_context(*this);
  });
}

void RankContext::asked(std::string_view what) {
  if (asked_at_s_ != now_s_) questions_ = 0;
  asked_at_s_ = now_s_;
  if (++questions_ < most_questions) return;
  const std::string& name = world_.options_.name;
  const UsageError error(
      fmt::format("rank {} asked {} times at one moment of virtual time about {}{}: in a loop of questions no time passes, "
                  "so it would never end; wait() or wait_for() would be right",
                  rank_, questions_, what, name.empty() ? "" : " (" + name + ")"));
  // The world ends here, so that what this context drops on its way out is not asked about again.
  world_.error_ = std::make_exception_ptr(error);
  world_.ended_by_ = error.what();
  world_.events_.clear();
  throw error;
}

VirtualWorld::VirtualWorld(VirtualWorldOptions options) : options_(std::move(options)), contexts_(make_contexts(options_.kind)) {
  if (options_.keep_list) events_.keep_list();
}

VirtualWorld::~VirtualWorld() {
  if (!ended_by_) finish_contexts("the simulation was given up");
}

RankContext& VirtualWorld::add(int rank, std::function<void(RankContext&)> body) {
  int index = 0;
  for (const auto& other : ranks_) index += other->rank_ == rank ? 1 : 0;
  ranks_.emplace_back(new RankContext(*this, rank, index));
  RankContext& context = *ranks_.back();
  context.flow_ = contexts_->add([this, &context, body = std::move(body)] {
    try {
      body(context);
    } catch (const std::exception& error) {
      if (!error_ && !ended_by_) {
        error_ = std::current_exception();
        events_.clear();  // nothing else happens; run() ends the others
        ended_by_ = fmt::format("rank {}: {}", context.rank_, error.what());
      }
    }
    context.over_ = true;
  });
  events_.foresee(0, rank, index, "begins", [this, &context] { run_context(context); });
  return context;
}

void VirtualWorld::run_context(RankContext& context) {
  context.begun_ = true;
  contexts_->resume(context.flow_);
}

void VirtualWorld::run() {
  try {
    while (!events_.empty()) events_.happen();
  } catch (const std::exception& error) {  // of an event that is no context's
    finish_contexts(error.what());
    throw;
  }
  if (error_) {
    finish_contexts(*ended_by_);
    std::rethrow_exception(error_);
  }
  const bool all_over = std::all_of(ranks_.begin(), ranks_.end(), [](const auto& context) { return context->over_; });
  if (!all_over) {
    const std::string report = dead_lock();
    finish_contexts(report);
    throw TrainingError(report);
  }
  check_end();
}

// What a context still holds is given back by the exception that each of its waits throws from now on.
void VirtualWorld::finish_contexts(const std::string& why) {
  ended_by_ = why;
  for (const auto& context : ranks_) {
    while (context->begun_ && !context->over_) run_context(*context);
  }
  events_.clear();
}

std::string VirtualWorld::dead_lock() const {
  std::string report = fmt::format("dead-lock{} at {:.6g} s: nothing is left to happen, and",
                                   options_.name.empty() ? "" : " of " + options_.name, events_.now_s());
  std::size_t waiting = 0;
  for (const auto& context : ranks_) {
    if (context->over_) continue;
    if (++waiting > most_told) continue;
    report +=
        fmt::format("{} rank {}{}{} waits for {}", waiting == 1 ? "" : ";", context->rank_,
                    context->index_ > 0 ? fmt::format(" (context {})", context->index_) : "",
                    context->where ? fmt::format(" ({})", context->where()) : "", context->waits_for_ ? context->waits_for_() : "nothing");
  }
  if (waiting > most_told) report += fmt::format("; and {} further ranks", waiting - most_told);
  return report;
}

double VirtualWorld::makespan_s() const {
  double last_s = events_.now_s();
  for (const auto& context : ranks_) last_s = std::max(last_s, context->now_s_);
  return last_s;
}

void VirtualWorld::check_end() const {
  const double makespan = makespan_s();
  for (const auto& context : ranks_) {
    if (context->charged_s_ <= makespan * (1 + 1e-9)) continue;
    throw UsageError(
        fmt::format("internal error: rank {} computed for {} s of a simulation of {} s", context->rank_, context->charged_s_, makespan));
  }
  for (const auto& check : checks_) {
    const std::string problem = check();
    if (!problem.empty()) throw UsageError("internal error at the end of a simulation: " + problem);
  }
}

double VirtualClock::training_s() const {
  if (started_s_ < 0) return restored_s_;
  const double until = stopped_at_s_ >= 0 ? stopped_at_s_ : context_.now_s();
  return restored_s_ + until - started_s_ - stood_s_;
}

void VirtualClock::enter_boundary() {
  if (stopped_at_s_ >= 0) throw UsageError("internal error: the training clock is stopped already");
  stopped_at_s_ = context_.now_s();
  if (started_s_ < 0) started_s_ = stopped_at_s_;
}

void VirtualClock::leave_boundary() {
  if (stopped_at_s_ < 0) throw UsageError("internal error: the training clock is not stopped");
  stood_s_ += context_.now_s() - stopped_at_s_;
  stopped_at_s_ = -1;
}

void VirtualClock::restore_training(double seconds) {
  restored_s_ = seconds;
  stood_s_ = 0;
  started_s_ = context_.now_s();
  if (stopped_at_s_ >= 0) stopped_at_s_ = started_s_;
}

}  // namespace syncline
