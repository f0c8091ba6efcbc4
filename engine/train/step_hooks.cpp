// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step_hooks.h"

namespace syncline {

void StepHooks::before_forward(int slice) {
  strategy_.before_forward(replica_, replica_.slices()[static_cast<std::size_t>(slice)]);
  mark();  // waiting for a slice is not the layer's time
}

// The layer's time goes on through this call: enqueueing a message costs a microsecond, and the layer may not be closed yet.
void StepHooks::gradient_ready(int slice) {
  handover_.ready(slice, [this](int ready) { strategy_.gradient_ready(replica_, replica_.slices()[static_cast<std::size_t>(ready)]); });
}

void StepHooks::forward_done(int layer) { layer_done(SpanKind::forward, TrainPhase::forward, layer, forward_begun_); }
void StepHooks::backward_done(int layer) { layer_done(SpanKind::backward, TrainPhase::backward, layer, backward_begun_); }

void StepHooks::layer_done(SpanKind kind, TrainPhase phase, int layer, bool& begun) {
  const double now_s = replica_.clock().now_s();
  replica_.record().span({mark_s_, now_s, kind, static_cast<std::uint16_t>(layer), static_cast<std::uint32_t>(step_)});
  mark_s_ = now_s;
  activity_.enter(phase, step_, now_s);
  if (begun) return;
  begun = true;
  spoilt_ |= faults_.reach(phase, step_);
}

}  // namespace syncline
