// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/sim_work.h"

#include <fmt/core.h>

#include <utility>

#include "engine/base/error.h"

namespace syncline {

SimWork::SimWork(RankContext& context, SimPending& pending, std::string_view kind, std::string_view purpose, std::string_view label)
    : context_(context), pending_(pending), kind_(kind), purpose_(purpose), label_(label) {
  reopen();
  times.queued_s = times.issued_s = times.first_byte_s = context.now_s();
  ++pending_.count;
}

void SimWork::describe_to(std::string& text) const {
  text += label_.empty() ? fmt::format("{} in '{}'", kind_, purpose_) : fmt::format("{} '{}' in '{}'", kind_, label_, purpose_);
}

void SimWork::settle(double done_s) {
  if (settled_) throw UsageError("internal error: " + describe() + " was settled twice");
  settled_ = true;
  times.done_s = done_s;
  --pending_.count;
  if (waited_) context_.wake(done_s);
  if (on_settled) std::exchange(on_settled, {})(done_s);
}

void SimWork::settle_failed(double done_s, Failure failure) {
  failure_ = std::make_unique<Failure>(std::move(failure));
  settle(done_s);
}

void SimWork::see() {
  context_.reach(times.done_s);
  if (failure_) return fail(std::move(*failure_));
  if (deliver) deliver();
  deliver = {};
  finish();
  if (ended_at_rank) std::exchange(ended_at_rank, {})();
}

bool SimWork::ended() {
  if (finished() || context_.world().ended_by()) return true;
  context_.let_earlier_happen();
  if (settled_ && times.done_s <= context_.now_s()) {
    see();
    return true;
  }
  context_.asked(describe());
  return false;
}

void SimWork::wait() {
  if (finished()) return raise_if_failed();
  if (context_.world().ended_by()) throw PeerLost(*context_.world().ended_by());
  waited_ = true;
  while (!settled_) context_.block([this] { return describe(); });
  waited_ = false;
  see();
  raise_if_failed();
}

bool SimWork::wait_for(double most_s) {
  if (!finished()) {
    const double until_s = context_.now_s() + most_s;
    waited_ = true;
    bool in_time = true;
    while (!settled_ && in_time) in_time = context_.block([this] { return describe(); }, until_s);
    waited_ = false;
    if (!settled_ || times.done_s > until_s) {
      context_.reach(until_s);
      return false;
    }
    see();
  }
  raise_if_failed();
  return true;
}

void SimWork::request_cancel() {
  if (ended()) return;
  if (!settled_ && take_back && take_back()) {
    settle(context_.now_s());
    deliver = {};
    see();
    return;
  }
  wait();
}

}  // namespace syncline
