// SPDX-License-Identifier: Apache-2.0
// A window that slides over an image and keeps the largest value or the mean: max_pool and average_pool are this class with a name.
#pragma once

#include "engine/model/layers/common.h"

namespace syncline {

class PoolLayer final : public NamedLayer {
 public:
  PoolLayer(const LayerSpec& spec, PoolSpec::Kind kind, bool count_padding)
      : NamedLayer(spec),
        kind_(kind),
        count_padding_(count_padding),
        kernel_(extent(spec.options, "kernel")),
        stride_(spec.options.has("stride") ? extent(spec.options, "stride") : kernel_),
        padding_(extent(spec.options, "padding")) {
    // A larger padding would let a window see nothing but padding.
    if (2 * padding_.h > kernel_.h || 2 * padding_.w > kernel_.w) {
      fail(fmt::format("the padding {} is more than half the kernel {}; at most {}x{} would be right", padding_.text(), kernel_.text(),
                       kernel_.h / 2, kernel_.w / 2));
    }
  }

  Shape shape(std::span<const Shape> inputs) const override { return slide(inputs[0], kernel_, stride_, padding_, inputs[0].channels()); }
  LayerCost cost(std::span<const Shape> inputs) const override {
    const double work = static_cast<double>(shape(inputs).elements() * kernel_.h * kernel_.w);
    return {work, 0, work};
  }
  LayerTraits traits() const override { return {}; }
  bool transparent_to_initialisation() const override { return true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool> wanted, std::int64_t max_rows) override {
    op_ = backend.pool({.kind = kind_,
                        .height = inputs[0][0],
                        .width = inputs[0][1],
                        .channels = inputs[0][2],
                        .kernel_h = kernel_.h,
                        .kernel_w = kernel_.w,
                        .stride_h = stride_.h,
                        .stride_w = stride_.w,
                        .pad_h = padding_.h,
                        .pad_w = padding_.w,
                        .count_padding = count_padding_});
    wanted_ = wanted[0];
    if (wanted_) workspace_ = backend.allocate(op_->workspace_count(max_rows));
  }

  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    op_->forward(pass.rows, in[0].view, out.view, pass.training ? workspace(pass.rows) : View{});
  }
  void backward(const Pass& pass, std::span<const Tensor>, const Tensor&, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    if (in_gradients[0]) op_->backward(pass.rows, out_gradient.view, workspace(pass.rows), in_gradients[0].view);
  }

 private:
  View workspace(std::int64_t rows) const { return wanted_ ? workspace_.part(0, op_->workspace_count(rows)) : View{}; }

  PoolSpec::Kind kind_;
  bool count_padding_, wanted_ = false;
  Extent kernel_, stride_, padding_;
  std::unique_ptr<PoolOp> op_;
  View workspace_;  // which input won, from forward to backward
};

inline constexpr Parameter pool_kernel = {.key = "kernel",
                                          .help = "Size of the window: one number, or [height, width].",
                                          .kind = Parameter::list,
                                          .initial = "[2]",
                                          .least = 1,
                                          .most = 1024};
inline constexpr Parameter pool_stride = {
    .key = "stride",
    .help = "Distance between two windows: one number, or [height, width]; as large as the kernel when absent.",
    .kind = Parameter::list,
    .least = 1,
    .most = 1024,
    .optional = true};
inline constexpr Parameter pool_padding = {.key = "padding",
                                           .help = "Border added on both sides, at most half the kernel: one number, or [height, width].",
                                           .kind = Parameter::list,
                                           .initial = "[0]",
                                           .least = 0,
                                           .most = 512};

}  // namespace syncline
