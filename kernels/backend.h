// SPDX-License-Identifier: Apache-2.0
// What a device can compute. Operations are prepared once from a spec and run many times; `rows` (samples in this pass) may change from
// call to call: the first call with a new number of rows may allocate, later ones never do. Layout is channels last (NHWC), convolution
// weights are [out][kernel_h][kernel_w][in / groups], linear weights [out][in], all fp32 and dense. Scratch memory is one arena per
// backend, shared by all operations: one context at a time calls a backend. Results do not depend on what ran before.
// Gradients of parameters: `accumulate` false overwrites, true adds. Gradients of inputs overwrite; an empty View is not computed.
// Errors: std::invalid_argument for a spec or view that does not fit (our mistake), std::runtime_error from the library below.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/view.h"

namespace syncline {

struct ConvSpec {
  std::int64_t height = 0, width = 0, in_channels = 0, out_channels = 0;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;  // both sides
  std::int64_t groups = 1;
  bool bias = false, relu = false;  // relu: y = max(0, conv + bias), fused
  bool input_gradient = true;       // false: backward_input is never called (first layer)
  std::int64_t out_height() const { return (height + 2 * pad_h - kernel_h) / stride_h + 1; }
  std::int64_t out_width() const { return (width + 2 * pad_w - kernel_w) / stride_w + 1; }
};
// With relu, dy is the gradient of the fused output and y must be given to both backward calls; backward_weights comes first and may
// overwrite dy with the gradient before the ReLU, which backward_input then reads.
class ConvOp {
 public:
  virtual ~ConvOp() = default;
  virtual void forward(std::int64_t rows, const View& x, const View& weights, const View& bias, const View& y) = 0;
  virtual void backward_weights(std::int64_t rows, const View& x, const View& y, const View& dy, const View& dweights, const View& dbias,
                                bool accumulate) = 0;
  virtual void backward_input(std::int64_t rows, const View& y, const View& dy, const View& weights, const View& dx) = 0;
};

struct LinearSpec {
  std::int64_t in = 0, out = 0;
  bool bias = true, relu = false, input_gradient = true;
};
class LinearOp {  // y[rows][out] = x[rows][in] * W^T + b; same rules as ConvOp
 public:
  virtual ~LinearOp() = default;
  virtual void forward(std::int64_t rows, const View& x, const View& weights, const View& bias, const View& y) = 0;
  virtual void backward_weights(std::int64_t rows, const View& x, const View& y, const View& dy, const View& dweights, const View& dbias,
                                bool accumulate) = 0;
  virtual void backward_input(std::int64_t rows, const View& y, const View& dy, const View& weights, const View& dx) = 0;
};

struct BatchNormSpec {
  std::int64_t positions = 1, channels = 0;  // positions per sample: height * width
  double epsilon = 1e-5;
  bool relu = false;  // y = max(0, bn(x)), fused
};
class BatchNormOp {  // statistics over rows * positions
 public:
  virtual ~BatchNormOp() = default;
  // mean and variance: outputs, the biased (population) variance of this batch, kept by the caller until backward.
  virtual void forward_training(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& y, const View& mean,
                                const View& variance) = 0;
  virtual void forward_inference(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& y, const View& mean,
                                 const View& variance) = 0;  // mean and variance are inputs: the running values
  // y: the output of forward_training (needed with relu, may be empty otherwise). dx may be the same range as dy.
  virtual void backward(std::int64_t rows, const View& x, const View& y, const View& dy, const View& scale, const View& shift,
                        const View& mean, const View& variance, const View& dscale, const View& dshift, const View& dx,
                        bool accumulate) = 0;
  // running = (1 - momentum) * running + momentum * batch, the variance corrected by n/(n-1), n = rows * positions (n = 1: as it is).
  virtual void update_running(std::int64_t rows, const View& mean, const View& variance, const View& running_mean,
                              const View& running_variance, double momentum) = 0;
};

struct LayerNormSpec {
  std::int64_t positions = 1, channels = 0;
  double epsilon = 1e-5;
};  // over the last dimension
class LayerNormOp {
 public:
  virtual ~LayerNormOp() = default;
  // mean and variance (biased): one value per rows * positions, outputs kept by the caller until backward; may be empty for inference.
  virtual void forward(std::int64_t rows, const View& x, const View& scale, const View& shift, const View& y, const View& mean,
                       const View& variance) = 0;
  virtual void backward(std::int64_t rows, const View& x, const View& dy, const View& scale, const View& mean, const View& variance,
                        const View& dscale, const View& dshift, const View& dx, bool accumulate) = 0;
};

struct PoolSpec {
  enum Kind { max, average } kind = max;
  std::int64_t height = 0, width = 0, channels = 0, kernel_h = 2, kernel_w = 2, stride_h = 2, stride_w = 2, pad_h = 0, pad_w = 0;
  bool count_padding = false;  // average: divide by the full kernel at the border too
  std::int64_t out_height() const { return (height + 2 * pad_h - kernel_h) / stride_h + 1; }
  std::int64_t out_width() const { return (width + 2 * pad_w - kernel_w) / stride_w + 1; }
};
class PoolOp {  // first maximum wins on ties
 public:
  virtual ~PoolOp() = default;
  virtual std::int64_t workspace_count(std::int64_t rows) = 0;  // elements the caller keeps from forward to backward (0 for average)
  virtual void forward(std::int64_t rows, const View& x, const View& y, const View& workspace) = 0;  // empty workspace: inference
  virtual void backward(std::int64_t rows, const View& dy, const View& workspace, const View& dx) = 0;
};

enum class Activation { relu, gelu, tanh, sigmoid };  // gelu: the exact form with erf
// dx may be the same range as dy. relu, tanh, sigmoid read y; gelu reads x; the other may be empty.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;                         // "cpu"
  virtual std::string description() const = 0;                       // library, version, instruction set, threads: stored with the run
  virtual View allocate(std::int64_t count) = 0;                     // zeroed
  virtual void copy_in(const View& to, std::span<const float>) = 0;  // host memory to this device, and back
  virtual void copy_in_ints(const View& to, std::span<const std::int32_t>) = 0;
  virtual void copy_out(const View& from, std::span<float>) = 0;

  virtual std::unique_ptr<ConvOp> conv(const ConvSpec&) = 0;
  virtual std::unique_ptr<LinearOp> linear(const LinearSpec&) = 0;
  virtual std::unique_ptr<BatchNormOp> batch_norm(const BatchNormSpec&) = 0;
  virtual std::unique_ptr<LayerNormOp> layer_norm(const LayerNormSpec&) = 0;
  virtual std::unique_ptr<PoolOp> pool(const PoolSpec&) = 0;

  virtual void activation_forward(Activation, const View& x, const View& y) = 0;  // y may be x except for gelu in training
  virtual void activation_backward(Activation, const View& x, const View& y, const View& dy, const View& dx) = 0;
  virtual void global_average_forward(std::int64_t rows, std::int64_t positions, std::int64_t channels, const View& x, const View& y) = 0;
  virtual void global_average_backward(std::int64_t rows, std::int64_t positions, std::int64_t channels, const View& dy,
                                       const View& dx) = 0;
  // Dropout keyed by (key, first_position + row, element): no state, and independent of threads and of how rows are split over ranks.
  // y = x * mask / (1 - rate); backward is the same call on the gradient. y may be x.
  virtual void dropout(std::int64_t rows, std::int64_t per_row, std::uint64_t key, std::int64_t first_position, double rate, const View& x,
                       const View& y) = 0;
  // out = a + b, optionally max(0, a + b). out may be a or b.
  virtual void add(const View& a, const View& b, const View& out, bool relu) = 0;
  // Copies `channels` columns between row-major matrices: concat and its gradient. positions = rows * height * width.
  virtual void copy_channels(std::int64_t positions, const View& from, std::int64_t from_width, std::int64_t from_first, const View& to,
                             std::int64_t to_width, std::int64_t to_first, std::int64_t channels, bool accumulate) = 0;
  // tokens: int32, `positions` of them, each in 0..vocabulary-1 (else std::out_of_range with the value and its place).
  virtual void embedding_forward(std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens, const View& table,
                                 const View& y) = 0;
  virtual void embedding_backward(std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens, const View& dy,
                                  const View& dtable, bool accumulate) = 0;  // deterministic: rows added in order of position
  // Mean-free softmax cross-entropy: loss_sum = sum over rows of -weight * log p[label], correct = rows whose largest logit (first on
  // ties) is the label; dlogits = scale * (p - onehot); empty dlogits: evaluation. labels int32. Sums in double, fixed order.
  struct LossResult {
    double loss_sum = 0;
    std::int64_t correct = 0;
  };
  virtual LossResult softmax_cross_entropy(std::int64_t rows, std::int64_t classes, const View& logits, const View& labels, double scale,
                                           const View& dlogits) = 0;

  // Flat vectors: what strategies and optimizers need. Fixed order of addition, results independent of the number of threads.
  struct Term {
    double factor;
    View x;
  };
  virtual void set(const View& out, std::initializer_list<Term> sum, bool relaxed) = 0;  // at most 4 terms, one pass
  virtual void fill(const View& out, float value) = 0;
  virtual double dot(const View& a, const View& b) = 0;
  virtual bool all_finite(const View&) = 0;
  // A named functor of kernels/pointwise/: std::invalid_argument when there is none of that name or the counts differ.
  virtual void pointwise(std::string_view functor, std::span<const View>, std::span<const double> scalars) = 0;
};

// oneDNN on `threads` OpenMP threads (0: what OMP_NUM_THREADS or the machine says). The calling thread of any operation gets that thread
// count and flushes denormals to zero from then on. Equal bits are promised within one build, on one kind of processor, with one version of
// oneDNN and of the C library, and no further: convolutions and linear layers for an equal thread count, rows and shapes; everything else
// whatever the thread count. Sums, normalisation, pooling and ReLU give the same bits on every processor besides; the loss, GELU, sigmoid
// and tanh do not, as the C library takes other code for exp, log, erf and tanh where there are fused multiply-adds. Another backend owes
// results within rounding, never the same bits. 3x3 convolutions of many channels use Winograd's algorithm: errors of about 1e-5 of the
// largest value.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace syncline
