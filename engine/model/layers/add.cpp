// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Add final : public NamedLayer {
 public:
  explicit Add(const LayerSpec& spec) : NamedLayer(spec) {}

  Shape shape(std::span<const Shape> inputs) const override {
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (inputs[i] == inputs[0]) continue;
      std::string right = "equal shapes would be right";
      if (inputs[0].rank() == 3 && inputs[i].rank() == 3) {
        right += fmt::format(" (a 1x1 convolution with {} channels, and a stride where the sizes differ, brings one to the other)",
                             inputs[i].channels());
      }
      fail(fmt::format("its inputs have the shapes {} and {}; {}", inputs[0].text(), inputs[i].text(), right));
    }
    return inputs[0];
  }
  LayerCost cost(std::span<const Shape> inputs) const override {
    return {static_cast<double>(inputs[0].elements()) * static_cast<double>(inputs.size() - 1), 0, 0};
  }
  LayerTraits traits() const override { return {.reads_output = relu_, .forward_in_place = true, .passes_gradient = true}; }
  bool fuse_relu() override { return relu_ = true; }
  bool transparent_to_initialisation() const override { return true; }

  void prepare(Backend& backend, std::span<const Shape>, std::span<const bool>, std::int64_t) override { backend_ = &backend; }

  // In place, `out` is one of the inputs: addition starts with it, or it would be lost before it is read.
  void forward(const Pass&, std::span<const Tensor> in, const Tensor& out) override {
    std::size_t first = 0;
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (in[i].view.same_range(out.view)) first = i;
    }
    const View* sum = &in[first].view;
    for (std::size_t i = 0, left = in.size() - 1; i < in.size(); ++i) {
      if (i == first) continue;
      backend_->add(*sum, in[i].view, out.view, relu_ && --left == 0);
      sum = &out.view;
    }
  }
  // Called only with a fused ReLU.
  void backward(const Pass&, std::span<const Tensor>, const Tensor& out, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    if (in_gradients[0]) backend_->activation_backward(Activation::relu, View{}, out.view, out_gradient.view, in_gradients[0].view);
  }

 private:
  Backend* backend_ = nullptr;
  bool relu_ = false;
};

}  // namespace

extern const LayerEntry add_layer;
constexpr LayerEntry add_layer = {.type = "add",
                                  .title = "Addition",
                                  .summary = "The sum of two or more inputs of one shape: a residual connection.",
                                  .parameters = {},
                                  .inputs = -1,
                                  .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Add>(spec); }};

}  // namespace syncline
