// SPDX-License-Identifier: Apache-2.0
// What happens around each layer in a step: the strategy is told, the layer's time is recorded, faults of the tests are planted.
#pragma once

#include "engine/model/graph.h"
#include "engine/strategy/strategy.h"
#include "engine/train/activity.h"
#include "engine/train/fault_points.h"
#include "engine/train/handover.h"

namespace syncline {

class StepHooks final : public Hooks {
 public:
  StepHooks(Strategy& strategy, Replica& replica, Activity& activity, FaultPoints& faults, HandoverOptions handover)
      : strategy_(strategy), replica_(replica), activity_(activity), faults_(faults), handover_(std::move(handover), replica.clock()) {}

  void begin(std::int64_t step) {
    step_ = step;
    handover_.begin(step);
    backward_begun_ = forward_begun_ = false;
    mark();
  }
  void mark() { mark_s_ = replica_.clock().now_s(); }  // what follows is the first layer's
  void reached_data() {                                // the loader is asked for the batch
    activity_.enter(TrainPhase::data, step_, replica_.clock().now_s());
    spoilt_ |= faults_.reach(TrainPhase::data, step_);
  }
  // A fault asked for a loss that is not a number.
  bool take_spoilt() { return std::exchange(spoilt_, false); }
  void reached_collective() {
    activity_.enter(TrainPhase::collective, step_, replica_.clock().now_s());
    spoilt_ |= faults_.reach(TrainPhase::collective, step_);
  }

  void before_forward(int slice) override;
  void gradient_ready(int slice) override;
  void forward_done(int layer) override;
  void backward_done(int layer) override;

 private:
  void layer_done(SpanKind, TrainPhase, int layer, bool& begun);
  Strategy& strategy_;
  Replica& replica_;
  Activity& activity_;
  FaultPoints& faults_;
  Handover handover_;
  std::int64_t step_ = 0;
  double mark_s_ = 0;
  bool forward_begun_ = false, backward_begun_ = false, spoilt_ = false;
};

}  // namespace syncline
