// SPDX-License-Identifier: Apache-2.0
// All that a strategy may touch: vectors, slices, optimizer, communicator, random streams, clock. It never sees a device, MPI or a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/comm/communicator.h"
#include "engine/data/dataset.h"
#include "engine/metrics/clock.h"
#include "engine/metrics/recorder.h"
#include "engine/model/vector.h"
#include "engine/optim/optimizer.h"
#include "engine/plan/plan.h"

namespace syncline {

class Replica : public VectorSpace {
 public:
  virtual Vector params() = 0;  // the parameters that the task binds by default
  virtual Vector grads() = 0;   // MEAN over this rank's samples of the step, times the loss scale until usable()
  virtual std::span<const LayerSlice> slices() const = 0;
  virtual void bind(Vector params, Vector grads) = 0;  // from the next pass on; begin_step or end_step only
  virtual Communicator& comm() = 0;                    // the workers of this data-parallel group, purpose "data"
  virtual int workers() const = 0;                     // = comm().size()
  virtual const Plan& plan() const = 0;
  virtual const Profile& profile() const = 0;    // needs Traits::needs_profile
  virtual Work sum_gradients(const Group&) = 0;  // plan x schedule x codec of the experiment, in place in grads()
  // 1 and 1/P in full batches; carries unequal shares: sum_gradients applies `before`, the caller `after`. before * after summed over the
  // ranks' mean gradients gives the mean over the samples really used.
  struct MeanScale {
    double before, after;
  };
  virtual MeanScale mean_scale() const = 0;
  virtual double weight() const = 0;              // p_i: my configured batch / all; sums to 1, changes only with set_batch()
  virtual bool usable(View grads) = 0;            // unscale by 1/S and test. fp32: true, no pass. After false: change nothing, return
  virtual bool needs_whole_gradient() const = 0;  // loss scaling or clipping by global norm: no update before all groups are there
  virtual Optimizer& optimizer() = 0;
  virtual Optimizer& make_optimizer(std::string_view name, const OptimizerSpec&) = 0;  // second rule (outer, local); start() only
  virtual double lr() const = 0;                                                       // of this step
  virtual void schedule_by(std::int64_t position) = 0;   // what the schedule counts from now on, e.g. the server's version
  virtual std::int64_t step() const = 0;                 // steps begun, from 0, pulls and idle included
  virtual std::int64_t updates() const = 0;              // optimizer updates applied
  virtual double uniform(std::string_view purpose) = 0;  // in [0,1), keyed by (seed, purpose, rank, step): nothing to save
  virtual Clock& clock() = 0;
  virtual Recorder& record() = 0;
  virtual Loader& data() = 0;  // set_batch() in start() or at a boundary
};

}  // namespace syncline
