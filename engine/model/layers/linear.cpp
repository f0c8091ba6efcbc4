// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Linear final : public NamedLayer {
 public:
  explicit Linear(const LayerSpec& spec)
      : NamedLayer(spec), features_(spec.options.integer("features")), bias_(spec.options.flag("bias")) {}

  Shape shape(std::span<const Shape> inputs) const override {
    if (inputs[0].rank() == 1) return {features_};
    if (inputs[0].rank() == 2) return {inputs[0][0], features_};
    fail(fmt::format("the input has shape {}; this layer needs {} features in one row: a flatten layer before it would be right",
                     inputs[0].text(), inputs[0].elements()));
  }

  std::vector<ParameterSpec> parameters(std::span<const Shape> inputs) const override {
    const std::int64_t in = inputs[0].channels();
    std::vector<ParameterSpec> specs = {
        {.name = "weight", .dims = {features_, in}, .init = ParameterSpec::he_normal, .fan_in = in, .fan_out = features_, .dense = true}};
    if (bias_) specs.push_back({.name = "bias", .dims = {features_}, .decay = false});
    return specs;
  }

  LayerCost cost(std::span<const Shape> inputs) const override {
    const double work = 2.0 * static_cast<double>(inputs[0].elements()) * static_cast<double>(features_);
    const double bias = bias_ ? static_cast<double>(positions_of(inputs[0]) * features_) : 0;
    return {work + bias, work + bias, work};
  }

  LayerTraits traits() const override { return {.reads_inputs = true, .reads_output = relu_, .overwrites_out_gradient = relu_}; }
  bool fuse_relu() override { return relu_ = true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool> wanted, std::int64_t) override {
    positions_ = positions_of(inputs[0]);
    op_ = backend.linear({.in = inputs[0].channels(), .out = features_, .bias = bias_, .relu = relu_, .input_gradient = wanted[0]});
  }

  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    op_->forward(pass.rows * positions_, in[0].view, pass.params[0], bias_ ? pass.params[1] : View{}, out.view);
  }

  void backward(const Pass& pass, std::span<const Tensor> in, const Tensor& out, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    const std::int64_t rows = pass.rows * positions_;
    op_->backward_weights(rows, in[0].view, out.view, out_gradient.view, pass.grads[0], bias_ ? pass.grads[1] : View{}, pass.accumulate);
    if (in_gradients[0]) op_->backward_input(rows, out.view, out_gradient.view, pass.params[0], in_gradients[0].view);
  }

 private:
  std::int64_t features_, positions_ = 1;
  bool bias_, relu_ = false;
  std::unique_ptr<LinearOp> op_;
};

constexpr Parameter parameters[] = {
    {.key = "features", .help = "Number of outputs.", .kind = Parameter::integer, .least = 1, .most = 16777216},
    {.key = "bias", .help = "Whether a learned offset is added to each output.", .kind = Parameter::flag, .initial = true},
};

}  // namespace

extern const LayerEntry linear_layer;
constexpr LayerEntry linear_layer = {
    .type = "linear",
    .title = "Fully connected",
    .summary = "Multiplies by a learned matrix; on length x features it acts on each position.",
    .parameters = parameters,
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Linear>(spec); }};

}  // namespace syncline
