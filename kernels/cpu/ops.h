// SPDX-License-Identifier: Apache-2.0
// The operations of the CPU backend, each in its own file. They keep a reference to the context, which the backend owns.
#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cpu/context.h"

namespace syncline::cpu {

std::unique_ptr<ConvOp> make_conv(Context& context, const ConvSpec& spec);
std::unique_ptr<LinearOp> make_linear(Context& context, const LinearSpec& spec);
std::unique_ptr<BatchNormOp> make_batch_norm(Context& context, const BatchNormSpec& spec);
std::unique_ptr<LayerNormOp> make_layer_norm(Context& context, const LayerNormSpec& spec);
std::unique_ptr<PoolOp> make_pool(Context& context, const PoolSpec& spec);

void activation_forward(Context& context, Activation kind, const View& x, const View& y);
void activation_backward(Context& context, Activation kind, const View& x, const View& y, const View& dy, const View& dx);
Backend::LossResult softmax_cross_entropy(Context& context, std::int64_t rows, std::int64_t classes, const View& logits, const View& labels,
                                          double scale, const View& dlogits);

}  // namespace syncline::cpu
