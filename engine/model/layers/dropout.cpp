// SPDX-License-Identifier: Apache-2.0
// Dropout, Srivastava et al. 2014, scaled while training. The mask is a function of (seed, layer, step, global position of the sample), so
// it needs no memory: backward draws it again.
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Dropout final : public ElementwiseLayer {
 public:
  explicit Dropout(const LayerSpec& spec) : ElementwiseLayer(spec), rate_(spec.options.real("rate")) {}

  LayerCost cost(std::span<const Shape> inputs) const override {
    const double work = 2 * static_cast<double>(inputs[0].elements());
    return {work, 0, work};
  }
  LayerTraits traits() const override { return {.forward_in_place = true, .backward_in_place = true, .random = true}; }
  bool transparent_to_initialisation() const override { return true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool>, std::int64_t) override {
    backend_ = &backend;
    per_row_ = inputs[0].elements();
  }
  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    if (pass.training) {
      backend_->dropout(pass.rows, per_row_, pass.key, pass.first_position, rate_, in[0].view, out.view);
    } else if (!in[0].view.same_range(out.view)) {
      backend_->set(out.view, {{1.0, in[0].view}}, false);
    }
  }
  void backward(const Pass& pass, std::span<const Tensor>, const Tensor&, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    if (in_gradients[0]) {
      backend_->dropout(pass.rows, per_row_, pass.key, pass.first_position, rate_, out_gradient.view, in_gradients[0].view);
    }
  }

 private:
  double rate_;
  std::int64_t per_row_ = 1;
  Backend* backend_ = nullptr;
};

constexpr Parameter parameters[] = {
    {.key = "rate",
     .help = "Probability that a value is set to zero while training.",
     .kind = Parameter::real,
     .initial = 0.5,
     .least = 0,
     .most = 0.99},
};

}  // namespace

extern const LayerEntry dropout_layer;
constexpr LayerEntry dropout_layer = {
    .type = "dropout",
    .title = "Dropout",
    .summary = "Sets random values to zero while training, and scales the rest.",
    .parameters = parameters,
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Dropout>(spec); }};

}  // namespace syncline
