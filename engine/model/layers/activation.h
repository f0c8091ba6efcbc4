// SPDX-License-Identifier: Apache-2.0
// A function applied to each element: relu, gelu, tanh and sigmoid are this class with a name.
#pragma once

#include "engine/model/layers/common.h"

namespace syncline {

class ActivationLayer : public ElementwiseLayer {
 public:
  // flop: estimate per element, forward and backward.
  ActivationLayer(const LayerSpec& spec, Activation kind, double flop) : ElementwiseLayer(spec), kind_(kind), flop_(flop) {}

  LayerCost cost(std::span<const Shape> inputs) const override {
    const double work = flop_ * static_cast<double>(inputs[0].elements());
    return {work, 0, work};
  }
  LayerTraits traits() const override {
    const bool gelu = kind_ == Activation::gelu;  // the one whose derivative needs the input
    return {.reads_inputs = gelu, .reads_output = !gelu, .forward_in_place = !gelu, .backward_in_place = true};
  }
  bool is_relu() const override { return kind_ == Activation::relu; }

  void prepare(Backend& backend, std::span<const Shape>, std::span<const bool>, std::int64_t) override { backend_ = &backend; }
  void forward(const Pass&, std::span<const Tensor> in, const Tensor& out) override {
    backend_->activation_forward(kind_, in[0].view, out.view);
  }
  void backward(const Pass&, std::span<const Tensor> in, const Tensor& out, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    const bool gelu = kind_ == Activation::gelu;
    if (in_gradients[0]) {
      backend_->activation_backward(kind_, gelu ? in[0].view : View{}, gelu ? View{} : out.view, out_gradient.view, in_gradients[0].view);
    }
  }

 private:
  Activation kind_;
  double flop_;
  Backend* backend_ = nullptr;
};

}  // namespace syncline
