// SPDX-License-Identifier: Apache-2.0
// A backend in virtual time: what strategies do with flat vectors, charged to the rank by the bytes that it moves. Layers are not computed
// here. Vectors are ghosts (a size, no memory), whose operations only take their time, or real.
#pragma once

#include "engine/sim/virtual_world.h"
#include "kernels/backend.h"

namespace syncline {

class SimBackend final : public Backend {
 public:
  SimBackend(RankContext& context, bool ghosts) : context_(context), ghosts_(ghosts) {}
  void set_bandwidth(double bytes_per_s) { bytes_per_s_ = bytes_per_s; }  // of the rank's memory; 0: operations take no time

  std::string_view name() const override { return "sim"; }
  std::string description() const override { return "virtual time"; }
  View allocate(std::int64_t count) override { return ghosts_ ? View::ghost(count) : View::host(count); }
  void copy_in(const View& to, std::span<const float>) override;
  void copy_in_ints(const View& to, std::span<const std::int32_t>) override;
  void copy_out(const View& from, std::span<float>) override;  // of a ghost: zeros
  void set(const View& out, std::initializer_list<Term> sum, bool relaxed) override;
  void fill(const View& out, float value) override;
  double dot(const View& a, const View& b) override;  // NaN on ghosts
  bool all_finite(const View&) override;              // true on ghosts
  void pointwise(std::string_view functor, std::span<const View>, std::span<const double> scalars) override;

  // Layers' operations, whose passes are modelled as a whole: UsageError.
  std::unique_ptr<ConvOp> conv(const ConvSpec&) override;
  std::unique_ptr<LinearOp> linear(const LinearSpec&) override;
  std::unique_ptr<BatchNormOp> batch_norm(const BatchNormSpec&) override;
  std::unique_ptr<LayerNormOp> layer_norm(const LayerNormSpec&) override;
  std::unique_ptr<PoolOp> pool(const PoolSpec&) override;
  void activation_forward(Activation, const View&, const View&) override;
  void activation_backward(Activation, const View&, const View&, const View&, const View&) override;
  void global_average_forward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&) override;
  void global_average_backward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&) override;
  void dropout(std::int64_t, std::int64_t, std::uint64_t, std::int64_t, double, const View&, const View&) override;
  void add(const View&, const View&, const View&, bool) override;
  void copy_channels(std::int64_t, const View&, std::int64_t, std::int64_t, const View&, std::int64_t, std::int64_t, std::int64_t,
                     bool) override;
  void embedding_forward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&, const View&) override;
  void embedding_backward(std::int64_t, std::int64_t, std::int64_t, const View&, const View&, const View&, bool) override;
  LossResult softmax_cross_entropy(std::int64_t, std::int64_t, const View&, const View&, double, const View&) override;

 private:
  void charge(std::int64_t elements_moved) {
    if (bytes_per_s_ > 0) context_.compute(4.0 * static_cast<double>(elements_moved) / bytes_per_s_);
  }
  RankContext& context_;
  bool ghosts_;
  double bytes_per_s_ = 0;
};

}  // namespace syncline
