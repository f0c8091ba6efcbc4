// SPDX-License-Identifier: Apache-2.0
// The same weights and batches as PyTorch give the same losses over 20 steps of SGD with momentum (make_torch_reference.py).
#include <gtest/gtest.h>

#include "engine/model/arena.h"
#include "tests/unit/model/support.h"
#include "tests/unit/model/torch_losses.h"

namespace syncline::test {
namespace {

// Parameters are numbered in the order of the layers, and each takes its values from its own stream.
void set_weights(const Model& model, const std::vector<LayerSpec>& layers, const Shape& input) {
  const Structure structure = resolve(layers, input, 10);
  const Arena arena = lay_out(structure);
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < structure.nodes.size(); ++i) {
    for (std::size_t p = 0; p < structure.nodes[i].parameters.size(); ++p, ++number) {
      const ParameterSpec& parameter = structure.nodes[i].parameters[p];
      const Range range = arena.nodes[i].parameters[p];
      const bool weight = parameter.name == "weight";
      const double size = weight ? std::sqrt(6.0 / static_cast<double>(parameter.fan_in)) : 0.1;
      const double centre = parameter.name == "scale" ? 0.5 : parameter.name == "shift" ? 1.0 : 0.0;
      for (std::int64_t k = 0; k < range.count; ++k) {
        const double u = 2.0 * uniform(1000 + number, static_cast<std::uint32_t>(k)) - 1;
        model.params.data()[range.offset + k] = static_cast<float>(centre + size * u);
      }
    }
  }
}

void compare(const std::string& name, int rows, double lr, std::span<const double> expected) {
  const Shape input = {28, 28, 1};
  const auto layers = zoo(name, input, 10);
  Model model(layers, input, 10, rows);
  set_weights(model, layers, input);
  const View velocity = View::host(model.params.count());
  std::vector<Batch> batches;
  for (std::uint32_t i = 0; i < 4; ++i) batches.emplace_back(input, 10, rows, 10 * (i + 1));
  for (std::size_t step = 0; step < expected.size(); ++step) {
    const LossSums sums = model.train(batches[step % 4].input(rows), {.scale = 1.0 / rows, .step = static_cast<std::int64_t>(step)});
    EXPECT_NEAR(sums.loss_sum / rows, expected[step], 2e-5) << name << ", step " << step;
    model.backend.set(velocity, {{torch_momentum, velocity}, {1.0, model.grads}}, false);
    model.backend.set(model.params, {{1.0, model.params}, {-lr, velocity}}, false);
  }
}

TEST(Torch, Lenet) { compare("lenet", torch_lenet_rows, torch_lenet_lr, torch_lenet); }
TEST(Torch, Resnet20) { compare("resnet20", torch_resnet20_rows, torch_resnet20_lr, torch_resnet20); }

}  // namespace
}  // namespace syncline::test
