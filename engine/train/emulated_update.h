// SPDX-License-Identifier: Apache-2.0
// The update of a rank that computes nothing: so little arithmetic that many ranks on few cores keep to the profile's update time, and
// enough that parameters are a function of what was exchanged, so that comparing them over ranks means something.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>

#include "engine/optim/optimizer.h"
#include "kernels/backend.h"

namespace syncline {

class EmulatedUpdate final : public Optimizer {
 public:
  static constexpr std::int64_t touched = 4096;  // elements at the beginning of each range: x -= lr * scale * g; the others stay

  // `lr`: of the present step.
  EmulatedUpdate(Backend& backend, std::function<double()> lr) : backend_(backend), lr_(std::move(lr)) {}
  Update begin(double lr_factor) override { return make_update(++updates_, lr_() * lr_factor); }
  std::string_view name() const override { return "emulated"; }
  std::int64_t updates() const override { return updates_; }
  std::span<const Vector> state() const override { return {}; }
  std::vector<std::byte> save() const override {
    std::vector<std::byte> bytes(sizeof updates_);
    std::memcpy(bytes.data(), &updates_, sizeof updates_);
    return bytes;
  }
  void load(std::span<const std::byte> bytes) override {
    if (bytes.size() != sizeof updates_) throw UsageError("the state of an emulated update has another length");
    std::memcpy(&updates_, bytes.data(), sizeof updates_);
  }

 private:
  void apply(const View& params, const View& grads, double scale, std::int64_t, double lr) override {
    const std::int64_t count = std::min(params.count(), touched);
    const View x = params.part(0, count);
    backend_.set(x, {{1, x}, {-lr * scale, grads.part(0, count)}}, false);
  }
  Backend& backend_;
  std::function<double()> lr_;
  std::int64_t updates_ = 0;
};

}  // namespace syncline
