// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/pool.h"

namespace syncline {
namespace {

constexpr Parameter parameters[] = {
    pool_kernel,
    pool_stride,
    pool_padding,
    {.key = "count_padding",
     .help = "Whether the border's zeros count in the mean.",
     .kind = Parameter::flag,
     .initial = false,
     .advanced = true},
};

}  // namespace

extern const LayerEntry average_pool_layer;
constexpr LayerEntry average_pool_layer = {.type = "average_pool",
                                           .title = "Average pooling",
                                           .summary = "Keeps the mean of each window.",
                                           .parameters = parameters,
                                           .inputs = 1,
                                           .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> {
                                             return std::make_unique<PoolLayer>(spec, PoolSpec::average,
                                                                                spec.options.flag("count_padding"));
                                           }};

}  // namespace syncline
