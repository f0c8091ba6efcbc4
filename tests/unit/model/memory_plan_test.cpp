// SPDX-License-Identifier: Apache-2.0
#include "engine/model/memory_plan.h"

#include <gtest/gtest.h>

#include "tests/unit/model/models.h"

namespace syncline::test {
namespace {

struct Planned {
  Structure model;
  MemoryPlan plan;
  Planned(const std::vector<LayerSpec>& layers, const Shape& input, std::int64_t classes, std::int64_t rows)
      : model(resolve(layers, input, classes)) {
    fuse(model);
    plan = plan_memory(model, rows);
  }
  int node(const std::string& name) const {
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      if (model.nodes[i].spec.name == name) return static_cast<int>(i);
    }
    ADD_FAILURE() << name;
    return 0;
  }
  int storage(const std::string& name) const { return plan.storage[static_cast<std::size_t>(node(name)) + 1]; }
  const MemoryPlan::Backward& backward(const std::string& name) const { return plan.backward[static_cast<std::size_t>(node(name))]; }
};

// No two buffers that live at the same time share memory; the pool is not much larger than what lives at the worst moment.
void check_places(const Planned& it, std::int64_t rows, double slack) {
  const auto& buffers = it.plan.buffers;
  std::vector<std::int64_t> live(2 * it.model.nodes.size() + 1, 0);
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    EXPECT_EQ(buffers[a].offset % 16, 0);
    EXPECT_LE(buffers[a].offset + buffers[a].elements * rows, it.plan.pool);
    for (int t = buffers[a].start; t <= buffers[a].end; ++t) live[static_cast<std::size_t>(t)] += buffers[a].elements * rows;
    for (std::size_t b = 0; b < a; ++b) {
      const bool together = buffers[a].start <= buffers[b].end && buffers[b].start <= buffers[a].end;
      const bool apart = buffers[a].offset + buffers[a].elements * rows <= buffers[b].offset ||
                         buffers[b].offset + buffers[b].elements * rows <= buffers[a].offset;
      EXPECT_TRUE(!together || apart) << a << " and " << b;
    }
  }
  const std::int64_t worst = *std::max_element(live.begin(), live.end());
  EXPECT_LE(static_cast<double>(it.plan.pool), static_cast<double>(worst) * slack + 16.0 * static_cast<double>(buffers.size()));
}

TEST(MemoryPlan, BuffersThatLiveTogetherAreApart) {
  for (const Case& it : all_cases()) {
    SCOPED_TRACE(it.name);
    check_places(Planned(it.layers, it.input, case_classes, 3), 3, 1.5);
  }
  for (const char* name : {"mlp", "lenet", "resnet20", "resnet50", "vgg11"}) {
    SCOPED_TRACE(name);
    check_places(Planned(zoo(name, {32, 32, 3}, 10), {32, 32, 3}, 10, 8), 8, 1.25);
  }
}

TEST(MemoryPlan, AdditionPassesItsGradientOn) {
  const Planned it({linear(6, "stem"), linear(6, "a"), layer("add", {}, "sum", {"a", "stem"}), layer("tanh", {}, "t"), linear(10, "fc")},
                   {5}, 10, 4);
  EXPECT_FALSE(it.backward("sum").run);
  EXPECT_EQ(it.backward("a").out_gradient, it.backward("sum").out_gradient);
  ASSERT_EQ(it.backward("a").sums.size(), 1u);  // of the stem: what the addition passed on, and what came through a
  EXPECT_EQ(it.backward("a").sums[0].a, it.backward("sum").out_gradient);
  EXPECT_EQ(it.backward("stem").out_gradient, it.backward("a").sums[0].out);
}

TEST(MemoryPlan, AFusedReluDoesNotSpoilASharedGradient) {
  const Planned it({linear(6, "stem"), linear(6, "a"), layer("relu", {}, "r"), layer("add", {}, "sum", {"r", "stem"}), linear(10, "fc")},
                   {5}, 10, 4);
  EXPECT_EQ(it.backward("a").copy_from, it.backward("sum").out_gradient);
  EXPECT_NE(it.backward("a").out_gradient, it.backward("a").copy_from);
}

TEST(MemoryPlan, ViewsAndLayersInPlaceTakeNoMemory) {
  const Planned it({conv(4, 3, 1, 1, "c"), layer("max_pool", {}, "p"), layer("relu", {}, "r"), layer("dropout", {}, "d"),
                    layer("flatten", {}, "f"), linear(10, "fc")},
                   {8, 8, 1}, 10, 4);
  EXPECT_EQ(it.storage("r"), it.storage("p"));
  EXPECT_NE(it.storage("d"), it.storage("r"));  // the ReLU's backward reads its output
  EXPECT_EQ(it.storage("f"), it.storage("d"));
  EXPECT_EQ(it.backward("d").in_gradients[0], it.backward("d").out_gradient);
  EXPECT_EQ(it.backward("r").in_gradients[0], it.backward("r").out_gradient);
  EXPECT_EQ(it.backward("c").in_gradients[0], -1);  // nobody asks for the gradient of the data
}

TEST(MemoryPlan, NothingOverwritesTheData) {
  const Planned it({layer("dropout", {}, "d"), layer("flatten", {}, "f"), linear(10, "fc")}, {8, 8, 1}, 10, 4);
  EXPECT_GE(it.storage("d"), 0);
  EXPECT_FALSE(it.backward("d").run);
  const Planned view({layer("flatten", {}, "f"), layer("relu", {}, "r"), linear(10, "fc")}, {8, 8, 1}, 10, 4);
  EXPECT_EQ(view.storage("f"), -1);
  EXPECT_GE(view.storage("r"), 0);
}

}  // namespace
}  // namespace syncline::test
