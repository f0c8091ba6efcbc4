// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the last dimension, Ba, Kiros and Hinton 2016, equation 4.
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class LayerNorm final : public ElementwiseLayer {
 public:
  explicit LayerNorm(const LayerSpec& spec) : ElementwiseLayer(spec), epsilon_(spec.options.real("epsilon")) {}

  std::vector<ParameterSpec> parameters(std::span<const Shape> inputs) const override {
    const std::int64_t channels = inputs[0].channels();
    return {{.name = "scale", .dims = {channels}, .init = ParameterSpec::one, .decay = false},
            {.name = "shift", .dims = {channels}, .decay = false}};
  }
  LayerCost cost(std::span<const Shape> inputs) const override {
    const double elements = static_cast<double>(inputs[0].elements());
    return {8 * elements, 4 * elements, 6 * elements};
  }
  LayerTraits traits() const override { return {.reads_inputs = true}; }
  bool transparent_to_initialisation() const override { return true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool>, std::int64_t max_rows) override {
    positions_ = positions_of(inputs[0]);
    op_ = backend.layer_norm({.positions = positions_, .channels = inputs[0].channels(), .epsilon = epsilon_});
    mean_ = backend.allocate(max_rows * positions_);
    variance_ = backend.allocate(max_rows * positions_);
  }

  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    const std::int64_t n = pass.rows * positions_;
    op_->forward(pass.rows, in[0].view, pass.params[0], pass.params[1], out.view, mean_.part(0, n), variance_.part(0, n));
  }

  void backward(const Pass& pass, std::span<const Tensor> in, const Tensor&, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    const std::int64_t n = pass.rows * positions_;
    op_->backward(pass.rows, in[0].view, out_gradient.view, pass.params[0], mean_.part(0, n), variance_.part(0, n), pass.grads[0],
                  pass.grads[1], in_gradients[0].view, pass.accumulate);
  }

 private:
  double epsilon_;
  std::int64_t positions_ = 1;
  std::unique_ptr<LayerNormOp> op_;
  View mean_, variance_;  // one per row and position, from forward to backward
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
};

}  // namespace

extern const LayerEntry layer_norm_layer;
constexpr LayerEntry layer_norm_layer = {
    .type = "layer_norm",
    .title = "Layer normalisation",
    .summary = "Brings each position's channels to mean 0 and variance 1, then scales and shifts them.",
    .parameters = parameters,
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<LayerNorm>(spec); }};

}  // namespace syncline
