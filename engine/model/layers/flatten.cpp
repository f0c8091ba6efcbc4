// SPDX-License-Identifier: Apache-2.0
// The order of the features is that of the memory: height, then width, then channel.
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Flatten final : public NamedLayer {
 public:
  explicit Flatten(const LayerSpec& spec) : NamedLayer(spec) {}
  Shape shape(std::span<const Shape> inputs) const override { return {inputs[0].elements()}; }
  LayerCost cost(std::span<const Shape>) const override { return {}; }
  LayerTraits traits() const override { return {.view = true, .passes_gradient = true}; }
  bool transparent_to_initialisation() const override { return true; }
  void prepare(Backend&, std::span<const Shape>, std::span<const bool>, std::int64_t) override {}
  void forward(const Pass&, std::span<const Tensor>, const Tensor&) override { unused(); }
  void backward(const Pass&, std::span<const Tensor>, const Tensor&, const Tensor&, std::span<const Tensor>) override { unused(); }

 private:
  [[noreturn]] static void unused() { throw UsageError("a flatten layer is a view of its input: there is nothing to run"); }
};

}  // namespace

extern const LayerEntry flatten_layer;
constexpr LayerEntry flatten_layer = {
    .type = "flatten",
    .title = "Flatten",
    .summary = "Turns height x width x channels into one row of features, in this order.",
    .parameters = {},
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Flatten>(spec); }};

}  // namespace syncline
