// SPDX-License-Identifier: Apache-2.0
// One operation in virtual time, as its rank sees it: it ends at a time, and its effects are there once the rank has reached that time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/comm/work_state.h"
#include "engine/metrics/recorder.h"
#include "engine/sim/virtual_world.h"

namespace syncline {

struct SimPending {  // operations asked for whose end nobody knows yet
  std::int64_t count = 0;
};

class SimWork final : public WorkState {
 public:
  SimWork(RankContext& context, SimPending& pending, std::string_view kind, std::string_view purpose, std::string_view label);

  bool ended() override;
  void wait() override;
  bool wait_for(double limit_s) override;
  void request_cancel() override;
  void describe_to(std::string&) const override;

  bool settled() const { return settled_; }
  // Its end is known: at `done_s`, not before the present of the one who settles. Wakes whoever waits for it. Once.
  void settle(double done_s);
  void settle_failed(double done_s, Failure failure);

  RankContext& context() const { return context_; }
  std::function<void()> deliver;                  // puts the results where they belong, when its rank sees the end
  std::function<bool()> take_back;                // cancel: true when it will never happen
  std::function<void(double done_s)> on_settled;  // told when its end becomes known
  std::function<void()> ended_at_rank;            // told when its rank sees the end; records

 private:
  void see();  // its rank has reached the end

  RankContext& context_;
  SimPending& pending_;
  std::string_view kind_, purpose_, label_;
  bool settled_ = false, waited_ = false;
  std::unique_ptr<Failure> failure_;
};

}  // namespace syncline
