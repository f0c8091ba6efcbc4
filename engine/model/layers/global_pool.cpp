// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class GlobalPool final : public NamedLayer {
 public:
  explicit GlobalPool(const LayerSpec& spec) : NamedLayer(spec) {}

  Shape shape(std::span<const Shape> inputs) const override {
    if (inputs[0].rank() < 2) {
      fail(fmt::format("the input has shape {}; this layer needs height x width x channels or length x channels", inputs[0].text()));
    }
    return {inputs[0].channels()};
  }
  LayerCost cost(std::span<const Shape> inputs) const override {
    const double work = static_cast<double>(inputs[0].elements());
    return {work, 0, work};
  }
  LayerTraits traits() const override { return {}; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool>, std::int64_t) override {
    backend_ = &backend;
    positions_ = positions_of(inputs[0]);
    channels_ = inputs[0].channels();
  }
  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    backend_->global_average_forward(pass.rows, positions_, channels_, in[0].view, out.view);
  }
  void backward(const Pass& pass, std::span<const Tensor>, const Tensor&, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    if (in_gradients[0]) {
      backend_->global_average_backward(pass.rows, positions_, channels_, out_gradient.view, in_gradients[0].view);
    }
  }

 private:
  Backend* backend_ = nullptr;
  std::int64_t positions_ = 1, channels_ = 1;
};

}  // namespace

extern const LayerEntry global_pool_layer;
constexpr LayerEntry global_pool_layer = {
    .type = "global_pool",
    .title = "Global average pooling",
    .summary = "The mean of each channel over all positions.",
    .parameters = {},
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<GlobalPool>(spec); }};

}  // namespace syncline
