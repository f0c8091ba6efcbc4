// SPDX-License-Identifier: Apache-2.0
#include "engine/train/pace.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

constexpr double shortest_sleep_s = 20e-6;  // what is left of it is the next wait's
constexpr double least_tolerance_s = 100e-6, tolerated_share = 0.01;

}  // namespace

void Pace::begin_passes(std::int64_t step, std::int64_t rows) {
  factor_ = options_.factor ? options_.factor(step) : 1;
  share_ = static_cast<double>(rows) / static_cast<double>(options_.batch) / static_cast<double>(options_.micro_batches);
  tolerance_s_ = std::max(least_tolerance_s, tolerated_share * factor_ * options_.profile.compute_s());
  due_s_ = returned_s_ = clock_.now_s();
  passing_ = true;
  overrun_ = false;
}

void Pace::forward(int layer) { spend(share_ * options_.profile.forward_of(static_cast<std::size_t>(layer))); }
void Pace::backward(int layer) { spend(share_ * options_.profile.backward_s.at(static_cast<std::size_t>(layer))); }

void Pace::end_passes() {
  look();
  passing_ = false;
  returned_s_ = clock_.now_s();
}

// Inside the passes an update belongs to the layer at whose gradient it is made; after them the time until it begins is nobody's.
void Pace::update_begins() {
  if (!passing_) due_s_ += clock_.now_s() - returned_s_;
}

void Pace::update(std::int64_t elements) {
  spend(options_.profile.update_s * static_cast<double>(elements) / static_cast<double>(options_.parameters));
}

void Pace::spend(double seconds) {
  due_s_ += factor_ * seconds;
  returned_s_ = clock_.now_s();
  look();
  if (due_s_ - returned_s_ < shortest_sleep_s) return;
  clock_.sleep_until(due_s_);
  returned_s_ = clock_.now_s();
}

void Pace::look() {
  if (returned_s_ - due_s_ > tolerance_s_) overrun_ = true;
}

bool Pace::take_overrun() {
  look();
  return std::exchange(overrun_, false);
}

void PacedHooks::before_forward(int slice) {
  const double start_s = pace_.clock().now_s();
  inner_.before_forward(slice);
  pace_.leave_out(pace_.clock().now_s() - start_s);
}

void PacedHooks::forward_done(int layer) {
  pace_.forward(layer);
  inner_.forward_done(layer);
}

void PacedHooks::backward_done(int layer) {
  pace_.backward(layer);
  inner_.backward_done(layer);
}

}  // namespace syncline
