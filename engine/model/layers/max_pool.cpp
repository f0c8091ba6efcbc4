// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/pool.h"

namespace syncline {
namespace {

constexpr Parameter parameters[] = {pool_kernel, pool_stride, pool_padding};

}  // namespace

extern const LayerEntry max_pool_layer;
constexpr LayerEntry max_pool_layer = {
    .type = "max_pool",
    .title = "Max pooling",
    .summary = "Keeps the largest value of each window.",
    .parameters = parameters,
    .inputs = 1,
    .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<PoolLayer>(spec, PoolSpec::max, false); }};

}  // namespace syncline
