// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, Ioffe and Szegedy 2015, algorithm 1. Statistics are those of this rank's micro-batch; the running ones are used
// when evaluating.
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class BatchNorm final : public ElementwiseLayer {
 public:
  explicit BatchNorm(const LayerSpec& spec)
      : ElementwiseLayer(spec), epsilon_(spec.options.real("epsilon")), momentum_(spec.options.real("momentum")) {}

  std::vector<ParameterSpec> parameters(std::span<const Shape> inputs) const override {
    const std::int64_t channels = inputs[0].channels();
    return {{.name = "scale", .dims = {channels}, .init = ParameterSpec::one, .decay = false},
            {.name = "shift", .dims = {channels}, .decay = false}};
  }
  std::vector<StatisticSpec> statistics(std::span<const Shape> inputs) const override {
    const std::int64_t channels = inputs[0].channels();
    return {{"running_mean", channels, 0.0f}, {"running_variance", channels, 1.0f}};
  }

  // Per element: sum, squared deviation (3), normalise (2), scale and shift (2); backward two sums (4) and the combination (6).
  LayerCost cost(std::span<const Shape> inputs) const override {
    const double elements = static_cast<double>(inputs[0].elements());
    return {8 * elements, 4 * elements, 6 * elements};
  }

  LayerTraits traits() const override { return {.reads_inputs = true, .reads_output = relu_, .backward_in_place = true}; }
  bool fuse_relu() override { return relu_ = true; }
  bool transparent_to_initialisation() const override { return true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool>, std::int64_t) override {
    const std::int64_t channels = inputs[0].channels();
    op_ = backend.batch_norm({.positions = positions_of(inputs[0]), .channels = channels, .epsilon = epsilon_, .relu = relu_});
    mean_ = backend.allocate(channels);
    variance_ = backend.allocate(channels);
  }

  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    const auto &p = pass.params, &s = pass.statistics;
    if (!pass.training) {
      op_->forward_inference(pass.rows, in[0].view, p[0], p[1], out.view, s[0], s[1]);
      return;
    }
    op_->forward_training(pass.rows, in[0].view, p[0], p[1], out.view, mean_, variance_);
    op_->update_running(pass.rows, mean_, variance_, s[0], s[1], momentum_);
  }

  void backward(const Pass& pass, std::span<const Tensor> in, const Tensor& out, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    op_->backward(pass.rows, in[0].view, relu_ ? out.view : View{}, out_gradient.view, pass.params[0], pass.params[1], mean_, variance_,
                  pass.grads[0], pass.grads[1], in_gradients[0].view, pass.accumulate);
  }

 private:
  double epsilon_, momentum_;
  bool relu_ = false;
  std::unique_ptr<BatchNormOp> op_;
  View mean_, variance_;  // of the current micro-batch, from forward to backward
};

constexpr Parameter parameters[] = {
    {.key = "epsilon",
     .symbol = "ε",
     .help = "Added to the variance before the square root.",
     .kind = Parameter::real,
     .initial = 1e-5,
     .least = 1e-12,
     .most = 1,
     .advanced = true},
    {.key = "momentum",
     .help = "Weight of the newest batch in the running mean and variance.",
     .kind = Parameter::real,
     .initial = 0.1,
     .least = 0,
     .most = 1,
     .advanced = true},
};

}  // namespace

extern const LayerEntry batch_norm_layer;
constexpr LayerEntry batch_norm_layer = {
    .type = "batch_norm",
    .title = "Batch normalisation",
    .summary = "Brings each channel to mean 0 and variance 1 over the batch, then scales and shifts it.",
    .parameters = parameters,
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<BatchNorm>(spec); }};

}  // namespace syncline
