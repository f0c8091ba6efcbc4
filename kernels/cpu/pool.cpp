// SPDX-License-Identifier: Apache-2.0
// Pooling by our own loops: oneDNN's maximum does not promise which of equal values wins, and the loops are memory-bound anyway.
#include <stdexcept>

#include "kernels/cpu/ops.h"

namespace syncline::cpu {
namespace {

class Pool final : public PoolOp {
 public:
  Pool(Context& context, const PoolSpec& s)
      : context_(context),
        max_(s.kind == PoolSpec::max),
        shape_{s.height,   s.width,    s.channels, s.out_height(), s.out_width(), s.kernel_h,
               s.kernel_w, s.stride_h, s.stride_w, s.pad_h,        s.pad_w,       s.count_padding},
        in_count_(s.height * s.width * s.channels),
        out_count_(s.out_height() * s.out_width() * s.channels) {
    if (s.height < 1 || s.width < 1 || s.channels < 1 || s.kernel_h < 1 || s.kernel_w < 1 || s.stride_h < 1 || s.stride_w < 1) {
      throw std::invalid_argument("a pooling's sizes and strides are at least 1");
    }
    if (s.pad_h < 0 || s.pad_w < 0 || s.pad_h >= s.kernel_h || s.pad_w >= s.kernel_w) {
      throw std::invalid_argument("a pooling's padding is at least 0 and smaller than its kernel");
    }
    if (s.height + 2 * s.pad_h < s.kernel_h || s.width + 2 * s.pad_w < s.kernel_w) {
      throw std::invalid_argument("a pooling's kernel must fit on the padded input");
    }
    // With stride > 1 and rounding down no window lies outside the image: the last one starts at most at height + pad - kernel < height.
  }
  std::int64_t workspace_count(std::int64_t rows) override { return max_ ? rows * out_count_ : 0; }

  void forward(std::int64_t rows, const View& x, const View& y, const View& workspace) override {
    require_rows(rows, "a pooling");
    require(x, rows * in_count_, "a pooling's input");
    require(y, rows * out_count_, "a pooling's output");
    if (!workspace.empty()) require(workspace, workspace_count(rows), "a pooling's workspace");
    context_.enter();
    std::int32_t* taps = workspace.empty() ? nullptr : workspace.ints();
    const float* from = x.data();
    float* to = y.data();
    context_.ranges(rows, 1, [&](std::int64_t row, std::int64_t) {
      if (max_) {
        context_.simd().max_pool(shape_, from + row * in_count_, to + row * out_count_,
                                 taps == nullptr ? nullptr : taps + row * out_count_);
      } else {
        context_.simd().average_pool(shape_, from + row * in_count_, to + row * out_count_);
      }
    });
  }

  void backward(std::int64_t rows, const View& dy, const View& workspace, const View& dx) override {
    require_rows(rows, "a pooling");
    if (dx.empty()) return;
    require(dy, rows * out_count_, "a pooling's output gradient");
    require(dx, rows * in_count_, "a pooling's input gradient");
    require(workspace, workspace_count(rows), "a pooling's workspace");
    context_.enter();
    const std::int32_t* taps = workspace.ints();
    const float* from = dy.data();
    float* to = dx.data();
    context_.ranges(rows, 1, [&](std::int64_t row, std::int64_t) {
      if (max_) {
        context_.simd().max_pool_backward(shape_, from + row * out_count_, taps + row * out_count_, to + row * in_count_);
      } else {
        context_.simd().average_pool_backward(shape_, from + row * out_count_, to + row * in_count_);
      }
    });
  }

 private:
  Context& context_;
  const bool max_;
  const PoolShape shape_;
  const std::int64_t in_count_, out_count_;
};

}  // namespace

std::unique_ptr<PoolOp> make_pool(Context& context, const PoolSpec& spec) { return std::make_unique<Pool>(context, spec); }

}  // namespace syncline::cpu
