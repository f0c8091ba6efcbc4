// SPDX-License-Identifier: Apache-2.0
// Keeps a rank to the layer times of another machine: after a layer's arithmetic (or none) it waits until the layer's time is over. The
// waits lie on one schedule from the batch's arrival on, so that what a timer is late is made up by the next layer and does not add up.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/data/dataset.h"
#include "engine/experiment/layer_profile.h"
#include "engine/metrics/clock.h"
#include "engine/model/graph.h"

namespace syncline {

struct PaceOptions {
  LayerProfile profile;
  std::function<double(std::int64_t step)> factor;  // on all of its times; see pace_factor()
  std::int64_t batch = 1;                           // this rank's rows in a full step, which the profile's times are of
  std::int64_t micro_batches = 1;                   // a layer is passed so often in a step
  std::int64_t parameters = 1;                      // elements that update_s is of
};

class Pace {
 public:
  Pace(PaceOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}
  // The batch is there; what follows is the first layer's. A smaller last batch takes its share of the time.
  void begin_passes(std::int64_t step, std::int64_t rows);
  void forward(int layer);  // each returns when the layer's time is over
  void backward(int layer);
  void leave_out(double seconds) { due_s_ += seconds; }  // that passed in the passes and are no layer's: waiting for parameters
  void end_passes();
  void update_begins();  // since the last call it was waiting for an exchange
  void update(std::int64_t elements);
  // Whether since begin_passes() a wait was over before it began, or the passes or the last update ended late, by more than tolerance_s():
  // the times of the step are not those of the profile. A wait that ends late for which the next one makes up is none. To be asked at the
  // end of a step.
  bool take_overrun();
  // What the later waits of a step make up for: 1 % of the step's time, at least 100 us, which a timer may be late.
  double tolerance_s() const { return tolerance_s_; }
  Clock& clock() { return clock_; }

 private:
  void spend(double seconds);
  void look();  // whether it is late
  PaceOptions options_;
  Clock& clock_;
  double factor_ = 1, share_ = 1, tolerance_s_ = 0;
  double due_s_ = 0, returned_s_ = 0;  // when everything so far should be over; when the last wait was
  bool passing_ = false, overrun_ = false;
};

// Hooks between a task's passes and the strategy: each layer is over when its time is.
class PacedHooks final : public Hooks {
 public:
  PacedHooks(Hooks& inner, Pace& pace) : inner_(inner), pace_(pace) {}
  void before_forward(int slice) override;
  void gradient_ready(int slice) override { inner_.gradient_ready(slice); }
  void forward_done(int layer) override;
  void backward_done(int layer) override;

 private:
  Hooks& inner_;
  Pace& pace_;
};

}  // namespace syncline
