// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Embedding final : public NamedLayer {
 public:
  explicit Embedding(const LayerSpec& spec)
      : NamedLayer(spec), vocabulary_(spec.options.integer("vocabulary")), width_(spec.options.integer("width")) {}

  Shape shape(std::span<const Shape> inputs) const override {
    if (inputs[0].rank() != 1) {
      fail(fmt::format("the input has shape {}; this layer needs a row of tokens, one number for the length", inputs[0].text()));
    }
    return {inputs[0][0], width_};
  }
  std::vector<ParameterSpec> parameters(std::span<const Shape>) const override {
    return {{.name = "weight", .dims = {vocabulary_, width_}, .init = ParameterSpec::normal_002, .fan_in = vocabulary_, .fan_out = width_}};
  }
  LayerCost cost(std::span<const Shape> inputs) const override { return {0, static_cast<double>(inputs[0].elements() * width_), 0}; }
  LayerTraits traits() const override { return {.reads_inputs = true, .reads_tokens = true}; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool>, std::int64_t) override {
    backend_ = &backend;
    length_ = inputs[0].elements();
  }
  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    backend_->embedding_forward(pass.rows * length_, vocabulary_, width_, in[0].view, pass.params[0], out.view);
  }
  void backward(const Pass& pass, std::span<const Tensor> in, const Tensor&, const Tensor& out_gradient, std::span<const Tensor>) override {
    backend_->embedding_backward(pass.rows * length_, vocabulary_, width_, in[0].view, out_gradient.view, pass.grads[0], pass.accumulate);
  }

 private:
  std::int64_t vocabulary_, width_, length_ = 1;
  Backend* backend_ = nullptr;
};

constexpr Parameter parameters[] = {
    {.key = "vocabulary",
     .help = "Number of different tokens; they are 0 to this minus one.",
     .kind = Parameter::integer,
     .least = 1,
     .most = 16777216},
    {.key = "width", .help = "Length of each token's vector.", .kind = Parameter::integer, .least = 1, .most = 65536},
};

}  // namespace

extern const LayerEntry embedding_layer;
constexpr LayerEntry embedding_layer = {
    .type = "embedding",
    .title = "Embedding",
    .summary = "A learned vector for each token.",
    .parameters = parameters,
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Embedding>(spec); }};

}  // namespace syncline
