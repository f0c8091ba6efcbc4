// SPDX-License-Identifier: Apache-2.0
// Small models that together contain every layer, odd and round sizes, and values with one, two and three readers.
#pragma once

#include <gtest/gtest.h>

#include "tests/unit/model/support.h"

namespace syncline::test {

struct Case {
  std::string name;
  std::vector<LayerSpec> layers;
  Shape input;
  std::int64_t tokens = 0;
  bool per_sample = true;  // rows do not influence each other: no batch normalisation
};

inline constexpr std::int64_t case_classes = 3;

inline std::vector<Case> image_cases() {
  std::vector<Case> cases;
  cases.push_back(
      {"conv_stride_padding",
       {conv(4, 3, 2, 1),
        layer("conv", {{"channels", number(5)}, {"kernel", numbers({3, 2})}, {"stride", numbers({1, 2})}, {"padding", numbers({0, 1})}}),
        layer("flatten"), linear(3)},
       {7, 9, 3}});
  cases.push_back(
      {"conv_groups_depthwise",
       {layer(
            "conv",
            {{"channels", number(8)}, {"kernel", numbers({3})}, {"padding", numbers({1})}, {"groups", number(2)}, {"bias", Value{false}}}),
        layer("conv", {{"channels", number(8)}, {"kernel", numbers({3})}, {"groups", number(8)}}), layer("flatten"), linear(3)},
       {6, 6, 4}});
  cases.push_back(
      {"conv_relu_round", {conv(16, 3, 1, 1), layer("relu"), conv(16, 3, 1, 1), layer("relu"), layer("flatten"), linear(3)}, {8, 8, 16}});
  cases.push_back(
      {"batch_norm", {conv(5, 3, 1, 1), layer("batch_norm"), conv(4, 1, 1, 0), layer("flatten"), linear(3)}, {5, 3, 2}, 0, false});
  cases.push_back({"batch_norm_relu",
                   {conv(5, 3, 1, 1), layer("batch_norm"), layer("relu"), conv(4, 1, 1, 0), layer("batch_norm"), layer("relu"),
                    layer("flatten"), linear(3)},
                   {5, 3, 2},
                   0,
                   false});
  cases.push_back({"max_pool",
                   {conv(6, 3, 1, 1), layer("max_pool", {{"kernel", numbers({3})}, {"stride", numbers({2})}, {"padding", numbers({1})}}),
                    conv(4, 3, 1, 1), layer("max_pool"), layer("flatten"), linear(3)},
                   {9, 7, 2}});
  cases.push_back(
      {"average_pool",
       {conv(4, 3, 1, 1), layer("average_pool", {{"kernel", numbers({3})}, {"stride", numbers({2})}, {"padding", numbers({1})}}),
        conv(4, 3, 1, 1),
        layer("average_pool", {{"kernel", numbers({2, 1})}, {"padding", numbers({1, 0})}, {"count_padding", Value{true}}}),
        layer("flatten"), linear(3)},
       {7, 9, 2}});
  cases.push_back({"global_pool", {conv(7, 3, 1, 1), layer("tanh"), layer("global_pool"), linear(3)}, {5, 4, 2}});
  return cases;
}

inline std::vector<Case> flat_cases() {
  std::vector<Case> cases;
  cases.push_back(
      {"linear_relu",
       {linear(11), layer("relu"), layer("linear", {{"features", number(16)}, {"bias", Value{false}}}), layer("relu"), linear(3)},
       {13}});
  cases.push_back(
      {"batch_norm_flat", {linear(7), layer("batch_norm"), linear(5), layer("batch_norm"), layer("relu"), linear(3)}, {6}, 0, false});
  cases.push_back({"layer_norm", {linear(9), layer("layer_norm"), linear(8), layer("layer_norm"), layer("relu"), linear(3)}, {6}});
  cases.push_back({"gelu", {linear(9), layer("gelu"), linear(8), layer("gelu"), linear(3)}, {6}});
  cases.push_back({"tanh_sigmoid", {linear(9), layer("tanh"), linear(8), layer("sigmoid"), linear(3)}, {6}});
  cases.push_back(
      {"dropout",
       {linear(32), layer("dropout", {{"rate", Value{0.4}}}), layer("relu"), linear(16), layer("tanh"), layer("dropout"), linear(3)},
       {6}});
  cases.push_back({"embedding",
                   {layer("embedding", {{"vocabulary", number(11)}, {"width", number(6)}}), linear(5), layer("gelu"), layer("layer_norm"),
                    layer("global_pool"), linear(3)},
                   {7},
                   11});
  return cases;
}

// Values with several readers.
inline std::vector<Case> shared_cases() {
  std::vector<Case> cases;
  cases.push_back({"residual",
                   {conv(4, 3, 1, 1, "stem"), conv(4, 3, 1, 1, "a", {"stem"}), layer("relu", {}, "a_relu"), conv(4, 3, 1, 1, "b"),
                    layer("add", {}, "sum", {"b", "stem"}), layer("relu", {}, "sum_relu"), layer("flatten", {}, "flat"), linear(3, "fc")},
                   {5, 6, 2}});
  cases.push_back({"residual_bn",
                   {conv(4, 3, 1, 1, "stem"), layer("batch_norm", {}, "bn0"), layer("relu", {}, "r0"), conv(6, 3, 2, 1, "a"),
                    layer("batch_norm", {}, "bn1"), layer("relu", {}, "r1"), conv(6, 3, 1, 1, "b"), layer("batch_norm", {}, "bn2"),
                    conv(6, 1, 2, 0, "short", {"r0"}), layer("batch_norm", {}, "bn3"), layer("add", {}, "sum", {"bn2", "bn3"}),
                    layer("relu", {}, "r2"), layer("global_pool", {}, "pool"), linear(3, "fc")},
                   {7, 5, 2},
                   0,
                   false});
  cases.push_back({"three_readers",
                   {linear(6, "stem"), linear(6, "a", {"stem"}), linear(6, "b", {"stem"}), layer("add", {}, "sum", {"a", "stem", "b"}),
                    layer("tanh", {}, "t"), linear(3, "fc")},
                   {5}});
  cases.push_back(
      {"added_to_itself", {linear(6, "stem"), layer("add", {}, "twice", {"stem", "stem"}), layer("tanh", {}, "t"), linear(3, "fc")}, {5}});
  cases.push_back({"concatenated_with_itself",
                   {linear(6, "stem"), layer("concat", {}, "twice", {"stem", "stem"}), layer("tanh", {}, "t"), linear(3, "fc")},
                   {5}});
  // The gradient of r is passed on to the stem unchanged, so the fused layer may not use it as scratch.
  cases.push_back({"relu_into_residual",
                   {linear(6, "stem"), linear(6, "a"), layer("relu", {}, "r"), layer("add", {}, "sum", {"r", "stem"}), linear(3, "fc")},
                   {5}});
  cases.push_back(
      {"sums_of_sums",
       {linear(6, "stem"), linear(6, "a"), layer("add", {}, "s1", {"a", "stem"}), layer("relu", {}, "r1"), linear(6, "b"),
        layer("add", {}, "s2", {"b", "s1"}), layer("relu", {}, "r2"), layer("add", {}, "s3", {"r2", "r1", "stem"}), linear(3, "fc")},
       {5}});
  cases.push_back({"concat",
                   {conv(3, 3, 1, 1, "stem"), conv(4, 1, 1, 0, "a", {"stem"}), layer("tanh", {}, "ra"), conv(5, 3, 1, 1, "b", {"stem"}),
                    layer("sigmoid", {}, "rb"), layer("concat", {}, "cat", {"ra", "stem", "rb"}), conv(4, 3, 2, 1, "c"),
                    layer("flatten", {}, "flat"), linear(3, "fc")},
                   {5, 7, 2}});
  cases.push_back({"input_read_twice",
                   {layer("flatten", {}, "flat", {"input"}), linear(6, "a"), conv(2, 3, 1, 0, "c", {"input"}), layer("relu", {}, "rc"),
                    layer("flatten", {}, "flat2"), layer("concat", {}, "cat", {"a", "flat2"}), linear(3, "fc")},
                   {4, 5, 2}});
  return cases;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases = image_cases();
  for (auto list : {flat_cases(), shared_cases()}) {
    for (Case& it : list) cases.push_back(std::move(it));
  }
  return cases;
}

inline std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }
inline std::ostream& operator<<(std::ostream& out, const Case& it) { return out << it.name; }

}  // namespace syncline::test
