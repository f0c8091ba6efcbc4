// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Concat final : public NamedLayer {
 public:
  explicit Concat(const LayerSpec& spec) : NamedLayer(spec) {}

  Shape shape(std::span<const Shape> inputs) const override {
    std::vector<std::int64_t> dims;
    for (int axis = 0; axis < inputs[0].rank(); ++axis) dims.push_back(inputs[0][axis]);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      bool fits = inputs[i].rank() == inputs[0].rank();
      for (int axis = 0; fits && axis + 1 < inputs[0].rank(); ++axis) fits = inputs[i][axis] == inputs[0][axis];
      if (!fits) {
        fail(fmt::format("its inputs have the shapes {} and {}; shapes that differ in nothing but the last number would be right",
                         inputs[0].text(), inputs[i].text()));
      }
      dims.back() += inputs[i].channels();
    }
    return Shape(std::span<const std::int64_t>(dims));
  }
  LayerCost cost(std::span<const Shape>) const override { return {}; }
  LayerTraits traits() const override { return {}; }
  bool transparent_to_initialisation() const override { return true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool>, std::int64_t) override {
    backend_ = &backend;
    positions_ = positions_of(inputs[0]);
    width_ = shape(inputs).channels();
  }
  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    std::int64_t first = 0;
    for (const Tensor& part : in) {
      const std::int64_t channels = part.shape.channels();
      backend_->copy_channels(pass.rows * positions_, part.view, channels, 0, out.view, width_, first, channels, false);
      first += channels;
    }
  }
  void backward(const Pass& pass, std::span<const Tensor> in, const Tensor&, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::int64_t channels = in[i].shape.channels();
      if (in_gradients[i]) {
        backend_->copy_channels(pass.rows * positions_, out_gradient.view, width_, first, in_gradients[i].view, channels, 0, channels,
                                false);
      }
      first += channels;
    }
  }

 private:
  Backend* backend_ = nullptr;
  std::int64_t positions_ = 1, width_ = 1;
};

}  // namespace

extern const LayerEntry concat_layer;
constexpr LayerEntry concat_layer = {
    .type = "concat",
    .title = "Concatenation",
    .summary = "Puts the channels of two or more inputs side by side.",
    .parameters = {},
    .inputs = -1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Concat>(spec); }};

}  // namespace syncline
