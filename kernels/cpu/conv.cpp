// SPDX-License-Identifier: Apache-2.0
// Convolution by oneDNN on channels-last activations. Weights are plain in the parameter arena; the library's fast kernels want them
// blocked, so they are packed at each forward pass (the parameters have changed since) and once more for backward_input where that
// primitive wants another blocking. 3x3 convolutions of many channels are the exception to channels last: their activations are copied
// into the library's blocked format, for which it has Winograd's algorithm (F(4x4, 3x3); about twice as fast, copies included) and, on
// images of a few pixels, direct kernels that skip the padding.
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "kernels/cpu/call.h"
#include "kernels/cpu/ops.h"

namespace syncline::cpu {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
using dnnl::algorithm;
using dnnl::convolution_backward_data;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;

memory::desc describe(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

// Weights in the format one primitive wants. Plain weights are used where they lie.
struct Packed {
  memory::desc format;
  std::optional<Conversion> copy;  // empty: the primitive takes plain weights
  Arena memory_of_copy;
  const float* source = nullptr;

  void prepare(Context& context, const memory::desc& plain, const memory::desc& wanted) {
    format = wanted;
    if (plain == wanted) return;
    copy = checked("a change of format", [&] { return Conversion(context, plain, wanted, false); });
    context.scratchpad.reserve(copy->scratchpad_bytes());
    memory_of_copy.reserve(wanted.get_size());
  }
  const float* pack(Context& context, const float* weights) {
    source = weights;
    if (!copy) return weights;
    float* to = reinterpret_cast<float*>(memory_of_copy.data());
    copy->run(context, weights, to);
    return to;
  }
  const float* packed() const { return copy ? reinterpret_cast<const float*>(memory_of_copy.data()) : source; }
};

class Conv final : public ConvOp {
 public:
  Conv(Context& context, const ConvSpec& spec);
  void forward(std::int64_t rows, const View& x, const View& weights, const View& bias, const View& y) override;
  void backward_weights(std::int64_t rows, const View& x, const View& y, const View& dy, const View& dweights, const View& dbias,
                        bool accumulate) override;
  void backward_input(std::int64_t rows, const View& y, const View& dy, const View& weights, const View& dx) override;

 private:
  struct Way {  // how one pass is computed
    Tag activations = Tag::nhwc;
    algorithm method = algorithm::convolution_direct;
  };
  Way way(bool weight_gradient) const;
  struct Prepared {     // for one number of rows
    memory::desc x, y;  // as the caller has them
    Call forward, backward_weights, backward_input;
    Packed forward_weights, backward_weights_copy;
    bool shares_weights = false;
  };
  Prepared& prepared(std::int64_t rows);
  convolution_forward::primitive_desc describe_forward(const Prepared&, const Way&, const dnnl::primitive_attr&) const;
  void prepare_backward_weights(Prepared&);
  void prepare_backward_input(Prepared&);

  Context& context_;
  const ConvSpec spec_;
  Dims strides_, padding_;
  memory::desc plain_weights_, any_weights_, bias_;
  std::int64_t in_count_, out_count_, weight_count_;
  std::unordered_map<std::int64_t, std::unique_ptr<Prepared>> prepared_;
};

Conv::Conv(Context& context, const ConvSpec& spec)
    : context_(context), spec_(spec), strides_{spec.stride_h, spec.stride_w}, padding_{spec.pad_h, spec.pad_w} {
  const ConvSpec& s = spec_;
  if (s.height < 1 || s.width < 1 || s.in_channels < 1 || s.out_channels < 1 || s.kernel_h < 1 || s.kernel_w < 1 || s.stride_h < 1 ||
      s.stride_w < 1 || s.pad_h < 0 || s.pad_w < 0 || s.groups < 1) {
    throw std::invalid_argument("a convolution's sizes, strides and groups are at least 1 and its padding at least 0");
  }
  if (s.in_channels % s.groups != 0 || s.out_channels % s.groups != 0) {
    throw std::invalid_argument("the groups of a convolution must divide its input and output channels");
  }
  if (s.height + 2 * s.pad_h < s.kernel_h || s.width + 2 * s.pad_w < s.kernel_w) {
    throw std::invalid_argument("a convolution's kernel must fit on the padded input");
  }
  const std::int64_t in = s.in_channels / s.groups, out = s.out_channels / s.groups;
  const Dims weights = s.groups == 1 ? Dims{out, in, s.kernel_h, s.kernel_w} : Dims{s.groups, out, in, s.kernel_h, s.kernel_w};
  plain_weights_ = describe(weights, s.groups == 1 ? Tag::ohwi : Tag::gohwi);
  any_weights_ = describe(weights, Tag::any);
  bias_ = describe({s.out_channels}, Tag::x);
  in_count_ = s.height * s.width * s.in_channels;
  out_count_ = s.out_height() * s.out_width() * s.out_channels;
  weight_count_ = s.out_channels * s.kernel_h * s.kernel_w * in;
}

// Fixed rules, not measurements at run time: equal experiments must take equal roundings. Chosen with ops_bench.
Conv::Way Conv::way(bool weight_gradient) const {
  const ConvSpec& s = spec_;
  const bool square = s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 && s.groups == 1;
  if (!square || s.in_channels < 64 || s.out_channels < 64 || s.in_channels * s.out_channels < 64 * 128) return {};
  const bool tiny = s.out_height() * s.out_width() <= 16;
  return {Tag::any, tiny && !weight_gradient ? algorithm::convolution_direct : algorithm::convolution_auto};
}

convolution_forward::primitive_desc Conv::describe_forward(const Prepared& made, const Way& way,
                                                           const dnnl::primitive_attr& attributes) const {
  const memory::desc x = describe(made.x.dims(), way.activations), y = describe(made.y.dims(), way.activations);
  const auto kind = dnnl::prop_kind::forward_training;
  const auto description = spec_.bias ? convolution_forward::desc(kind, way.method, x, any_weights_, bias_, y, strides_, padding_, padding_)
                                      : convolution_forward::desc(kind, way.method, x, any_weights_, y, strides_, padding_, padding_);
  return {description, attributes, context_.engine()};
}

Conv::Prepared& Conv::prepared(std::int64_t rows) {
  std::unique_ptr<Prepared>& entry = prepared_[rows];
  if (entry) return *entry;
  const ConvSpec& s = spec_;
  auto made = std::make_unique<Prepared>();
  made->x = describe({rows, s.in_channels, s.height, s.width}, Tag::nhwc);
  made->y = describe({rows, s.out_channels, s.out_height(), s.out_width()}, Tag::nhwc);
  checked("a convolution", [&] {
    dnnl::primitive_attr attributes = user_scratchpad();
    if (s.relu) {
      dnnl::post_ops after;
      after.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(after);
    }
    const convolution_forward::primitive_desc chosen = describe_forward(*made, way(false), attributes);
    made->forward_weights.prepare(context_, plain_weights_, chosen.weights_desc());
    const memory::desc weights = chosen.weights_desc();
    const Operand x{DNNL_ARG_SRC, Operand::input, made->x, chosen.src_desc()}, w{DNNL_ARG_WEIGHTS, Operand::input, weights, weights},
        b{DNNL_ARG_BIAS, Operand::input, bias_, bias_}, y{DNNL_ARG_DST, Operand::output, made->y, chosen.dst_desc()};
    const convolution_forward primitive(chosen);
    made->forward = s.bias ? Call(context_, primitive, chosen.scratchpad_desc(), {x, w, y, b})
                           : Call(context_, primitive, chosen.scratchpad_desc(), {x, w, y});
    return 0;
  });
  entry = std::move(made);
  return *entry;
}

void Conv::prepare_backward_weights(Prepared& made) {
  checked("the weight gradient of a convolution", [&] {
    const Way how = way(true);
    const memory::desc x_format = describe(made.x.dims(), how.activations), y_format = describe(made.y.dims(), how.activations);
    const auto description =
        spec_.bias ? convolution_backward_weights::desc(how.method, x_format, any_weights_, bias_, y_format, strides_, padding_, padding_)
                   : convolution_backward_weights::desc(how.method, x_format, any_weights_, y_format, strides_, padding_, padding_);
    const convolution_backward_weights::primitive_desc chosen(description, user_scratchpad(), context_.engine(),
                                                              describe_forward(made, how, user_scratchpad()));
    const Operand x{DNNL_ARG_SRC, Operand::input, made.x, chosen.src_desc()},
        dw{DNNL_ARG_DIFF_WEIGHTS, Operand::result, plain_weights_, chosen.diff_weights_desc()},
        dy{DNNL_ARG_DIFF_DST, Operand::input, made.y, chosen.diff_dst_desc()}, db{DNNL_ARG_DIFF_BIAS, Operand::result, bias_, bias_};
    const convolution_backward_weights primitive(chosen);
    made.backward_weights = spec_.bias ? Call(context_, primitive, chosen.scratchpad_desc(), {x, dw, dy, db})
                                       : Call(context_, primitive, chosen.scratchpad_desc(), {x, dw, dy});
    return 0;
  });
}

void Conv::prepare_backward_input(Prepared& made) {
  checked("the input gradient of a convolution", [&] {
    const Way how = way(false);
    const memory::desc x_format = describe(made.x.dims(), how.activations), y_format = describe(made.y.dims(), how.activations);
    const auto description = convolution_backward_data::desc(how.method, x_format, any_weights_, y_format, strides_, padding_, padding_);
    const convolution_backward_data::primitive_desc chosen(description, user_scratchpad(), context_.engine(),
                                                           describe_forward(made, how, user_scratchpad()));
    const memory::desc weights = chosen.weights_desc();
    made.shares_weights = weights == made.forward_weights.format;
    if (!made.shares_weights) made.backward_weights_copy.prepare(context_, plain_weights_, weights);
    made.backward_input = Call(context_, convolution_backward_data(chosen), chosen.scratchpad_desc(),
                               {{DNNL_ARG_DIFF_SRC, Operand::output, made.x, chosen.diff_src_desc()},
                                {DNNL_ARG_WEIGHTS, Operand::input, weights, weights},
                                {DNNL_ARG_DIFF_DST, Operand::input, made.y, chosen.diff_dst_desc()}});
    return 0;
  });
}

void Conv::forward(std::int64_t rows, const View& x, const View& weights, const View& bias, const View& y) {
  require_rows(rows, "a convolution");
  require(x, rows * in_count_, "a convolution's input");
  require(weights, weight_count_, "a convolution's weights");
  require(bias, spec_.bias ? spec_.out_channels : 0, "a convolution's bias");
  require(y, rows * out_count_, "a convolution's output");
  if (rows == 0) return;
  context_.enter();
  Prepared& ready = prepared(rows);
  const float* packed = ready.forward_weights.pack(context_, weights.data());
  if (spec_.bias) {
    ready.forward.run(context_, {x.data(), packed, y.data(), bias.data()});
  } else {
    ready.forward.run(context_, {x.data(), packed, y.data()});
  }
}

void Conv::backward_weights(std::int64_t rows, const View& x, const View& y, const View& dy, const View& dweights, const View& dbias,
                            bool accumulate) {
  require_rows(rows, "a convolution");
  require(x, rows * in_count_, "a convolution's input");
  require(dy, rows * out_count_, "a convolution's output gradient");
  require(dweights, weight_count_, "a convolution's weight gradient");
  require(dbias, spec_.bias ? spec_.out_channels : 0, "a convolution's bias gradient");
  if (spec_.relu) require(y, rows * out_count_, "a convolution's output");
  context_.enter();
  if (rows == 0) {
    if (accumulate) return;
    context_.simd().fill(dweights.data(), 0.0f, weight_count_);
    if (spec_.bias) context_.simd().fill(dbias.data(), 0.0f, spec_.out_channels);
    return;
  }
  Prepared& ready = prepared(rows);
  if (!ready.backward_weights) prepare_backward_weights(ready);
  if (spec_.relu)
    activation_backward(context_, Activation::relu, {}, y.part(0, rows * out_count_), dy.part(0, rows * out_count_),
                        dy.part(0, rows * out_count_));
  if (spec_.bias) {
    ready.backward_weights.run(context_, {x.data(), dweights.data(), dy.data(), dbias.data()}, accumulate);
  } else {
    ready.backward_weights.run(context_, {x.data(), dweights.data(), dy.data()}, accumulate);
  }
}

void Conv::backward_input(std::int64_t rows, const View&, const View& dy, const View& weights, const View& dx) {
  require_rows(rows, "a convolution");
  if (dx.empty() || rows == 0) return;
  if (!spec_.input_gradient) throw std::invalid_argument("a convolution without an input gradient was asked for it");
  require(dy, rows * out_count_, "a convolution's output gradient");
  require(weights, weight_count_, "a convolution's weights");
  require(dx, rows * in_count_, "a convolution's input gradient");
  context_.enter();
  Prepared& ready = prepared(rows);
  if (!ready.backward_input) prepare_backward_input(ready);
  const float* packed = nullptr;
  if (ready.shares_weights && ready.forward_weights.source == weights.data()) {
    packed = ready.forward_weights.packed();
  } else {
    packed = (ready.shares_weights ? ready.forward_weights : ready.backward_weights_copy).pack(context_, weights.data());
  }
  ready.backward_input.run(context_, {dx.data(), packed, dy.data()});
}

}  // namespace

std::unique_ptr<ConvOp> make_conv(Context& context, const ConvSpec& spec) { return std::make_unique<Conv>(context, spec); }

}  // namespace syncline::cpu
