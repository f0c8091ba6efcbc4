// SPDX-License-Identifier: Apache-2.0
// Linear layers by oneDNN with plain weights: at a batch of 64 copying megabytes of weights into a blocked format costs more than the
// blocked kernels win (measured by ops_bench). The weight gradient is a matrix product, which can add to what is there by itself.
#include <stdexcept>
#include <unordered_map>

#include "kernels/cpu/call.h"
#include "kernels/cpu/ops.h"

namespace syncline::cpu {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;

memory::desc describe(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

class Linear final : public LinearOp {
 public:
  Linear(Context& context, const LinearSpec& spec) : context_(context), spec_(spec) {
    if (spec.in < 1 || spec.out < 1) throw std::invalid_argument("a linear layer has at least 1 input and 1 output");
  }
  void forward(std::int64_t rows, const View& x, const View& weights, const View& bias, const View& y) override;
  void backward_weights(std::int64_t rows, const View& x, const View& y, const View& dy, const View& dweights, const View& dbias,
                        bool accumulate) override;
  void backward_input(std::int64_t rows, const View& y, const View& dy, const View& weights, const View& dx) override;

 private:
  struct Prepared {
    dnnl::inner_product_forward::primitive_desc hint;
    Call forward, overwrite_weights, add_weights, backward_input;
  };
  Prepared& prepared(std::int64_t rows);
  Call weight_gradient(std::int64_t rows, bool add);
  Call input_gradient(std::int64_t rows, const Prepared&);

  Context& context_;
  const LinearSpec spec_;
  std::unordered_map<std::int64_t, std::unique_ptr<Prepared>> prepared_;
};

Linear::Prepared& Linear::prepared(std::int64_t rows) {
  std::unique_ptr<Prepared>& entry = prepared_[rows];
  if (entry) return *entry;
  auto made = std::make_unique<Prepared>();
  checked("a linear layer", [&] {
    const memory::desc x = describe({rows, spec_.in}, Tag::nc), w = describe({spec_.out, spec_.in}, Tag::oi),
                       b = describe({spec_.out}, Tag::x), y = describe({rows, spec_.out}, Tag::nc);
    dnnl::primitive_attr attributes = user_scratchpad();
    if (spec_.relu) {
      dnnl::post_ops after;
      after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(after);
    }
    const auto kind = dnnl::prop_kind::forward_training;
    const auto description =
        spec_.bias ? dnnl::inner_product_forward::desc(kind, x, w, b, y) : dnnl::inner_product_forward::desc(kind, x, w, y);
    const dnnl::inner_product_forward::primitive_desc chosen(description, attributes, context_.engine());
    made->hint = dnnl::inner_product_forward::primitive_desc(description, user_scratchpad(), context_.engine());
    const Operand source{DNNL_ARG_SRC, Operand::input, x, x}, weights{DNNL_ARG_WEIGHTS, Operand::input, w, w},
        to{DNNL_ARG_DST, Operand::output, y, y}, bias{DNNL_ARG_BIAS, Operand::input, b, b};
    const dnnl::inner_product_forward primitive(chosen);
    made->forward = spec_.bias ? Call(context_, primitive, chosen.scratchpad_desc(), {source, weights, to, bias})
                               : Call(context_, primitive, chosen.scratchpad_desc(), {source, weights, to});
    return 0;
  });
  entry = std::move(made);
  return *entry;
}

// dW[out][in] = dy^T[out][rows] x[rows][in]
Call Linear::weight_gradient(std::int64_t rows, bool add) {
  return checked("the weight gradient of a linear layer", [&] {
    const memory::desc dy = describe({spec_.out, rows}, Tag::ba), x = describe({rows, spec_.in}, Tag::ab),
                       dw = describe({spec_.out, spec_.in}, Tag::ab);
    dnnl::primitive_attr attributes = user_scratchpad();
    if (add) {
      dnnl::post_ops sum;
      sum.append_sum(1.0f);
      attributes.set_post_ops(sum);
    }
    const dnnl::matmul::primitive_desc chosen({dy, x, dw}, attributes, context_.engine());
    return Call(
        context_, dnnl::matmul(chosen), chosen.scratchpad_desc(),
        {{DNNL_ARG_SRC, Operand::input, dy, dy}, {DNNL_ARG_WEIGHTS, Operand::input, x, x}, {DNNL_ARG_DST, Operand::output, dw, dw}});
  });
}

Call Linear::input_gradient(std::int64_t rows, const Prepared& made) {
  return checked("the input gradient of a linear layer", [&] {
    const memory::desc x = describe({rows, spec_.in}, Tag::nc), w = describe({spec_.out, spec_.in}, Tag::oi),
                       y = describe({rows, spec_.out}, Tag::nc);
    const dnnl::inner_product_backward_data::primitive_desc chosen({x, w, y}, user_scratchpad(), context_.engine(), made.hint);
    return Call(
        context_, dnnl::inner_product_backward_data(chosen), chosen.scratchpad_desc(),
        {{DNNL_ARG_DIFF_SRC, Operand::output, x, x}, {DNNL_ARG_WEIGHTS, Operand::input, w, w}, {DNNL_ARG_DIFF_DST, Operand::input, y, y}});
  });
}

void Linear::forward(std::int64_t rows, const View& x, const View& weights, const View& bias, const View& y) {
  require_rows(rows, "a linear layer");
  require(x, rows * spec_.in, "a linear layer's input");
  require(weights, spec_.out * spec_.in, "a linear layer's weights");
  require(bias, spec_.bias ? spec_.out : 0, "a linear layer's bias");
  require(y, rows * spec_.out, "a linear layer's output");
  if (rows == 0) return;
  context_.enter();
  Prepared& ready = prepared(rows);
  if (spec_.bias) {
    ready.forward.run(context_, {x.data(), weights.data(), y.data(), bias.data()});
  } else {
    ready.forward.run(context_, {x.data(), weights.data(), y.data()});
  }
}

void Linear::backward_weights(std::int64_t rows, const View& x, const View& y, const View& dy, const View& dweights, const View& dbias,
                              bool accumulate) {
  require_rows(rows, "a linear layer");
  require(x, rows * spec_.in, "a linear layer's input");
  require(dy, rows * spec_.out, "a linear layer's output gradient");
  require(dweights, spec_.out * spec_.in, "a linear layer's weight gradient");
  require(dbias, spec_.bias ? spec_.out : 0, "a linear layer's bias gradient");
  if (spec_.relu) require(y, rows * spec_.out, "a linear layer's output");
  context_.enter();
  if (rows == 0) {
    if (accumulate) return;
    context_.simd().fill(dweights.data(), 0.0f, spec_.out * spec_.in);
    if (spec_.bias) context_.simd().fill(dbias.data(), 0.0f, spec_.out);
    return;
  }
  if (spec_.relu) {
    const View gradient = dy.part(0, rows * spec_.out);
    activation_backward(context_, Activation::relu, {}, y.part(0, rows * spec_.out), gradient, gradient);
  }
  Prepared& ready = prepared(rows);
  Call& product = accumulate ? ready.add_weights : ready.overwrite_weights;
  if (!product) product = weight_gradient(rows, accumulate);
  product.run(context_, {dy.data(), x.data(), dweights.data()});
  if (spec_.bias) context_.simd().column_sums(dy.data(), rows, spec_.out, spec_.out, dbias.data(), accumulate);
}

void Linear::backward_input(std::int64_t rows, const View&, const View& dy, const View& weights, const View& dx) {
  require_rows(rows, "a linear layer");
  if (dx.empty() || rows == 0) return;
  if (!spec_.input_gradient) throw std::invalid_argument("a linear layer without an input gradient was asked for it");
  require(dy, rows * spec_.out, "a linear layer's output gradient");
  require(weights, spec_.out * spec_.in, "a linear layer's weights");
  require(dx, rows * spec_.in, "a linear layer's input gradient");
  context_.enter();
  Prepared& ready = prepared(rows);
  if (!ready.backward_input) ready.backward_input = input_gradient(rows, ready);
  ready.backward_input.run(context_, {dx.data(), weights.data(), dy.data()});
}

}  // namespace

std::unique_ptr<LinearOp> make_linear(Context& context, const LinearSpec& spec) { return std::make_unique<Linear>(context, spec); }

}  // namespace syncline::cpu
