// SPDX-License-Identifier: Apache-2.0
#include "engine/model/layers/common.h"

namespace syncline {
namespace {

class Conv final : public NamedLayer {
 public:
  explicit Conv(const LayerSpec& spec)
      : NamedLayer(spec),
        channels_(spec.options.integer("channels")),
        groups_(spec.options.integer("groups")),
        kernel_(extent(spec.options, "kernel")),
        stride_(extent(spec.options, "stride")),
        padding_(extent(spec.options, "padding")),
        bias_(spec.options.flag("bias")) {}

  Shape shape(std::span<const Shape> inputs) const override {
    const Shape out = slide(inputs[0], kernel_, stride_, padding_, channels_);
    if (inputs[0].channels() % groups_ != 0 || channels_ % groups_ != 0) {
      fail(fmt::format("`groups` is {}; it must divide both the input's {} channels ({}) and the layer's own {}", groups_,
                       inputs[0].channels(), inputs[0].text(), channels_));
    }
    return out;
  }

  std::vector<ParameterSpec> parameters(std::span<const Shape> inputs) const override {
    const std::int64_t in = inputs[0].channels() / groups_, area = kernel_.h * kernel_.w;
    std::vector<ParameterSpec> specs = {{.name = "weight",
                                         .dims = {channels_, kernel_.h, kernel_.w, in},
                                         .init = ParameterSpec::he_normal,
                                         .fan_in = in * area,
                                         .fan_out = channels_ / groups_ * area}};
    if (bias_) specs.push_back({.name = "bias", .dims = {channels_}, .decay = false});
    return specs;
  }

  LayerCost cost(std::span<const Shape> inputs) const override {
    const double outputs = static_cast<double>(shape(inputs).elements());
    const double work = 2.0 * outputs * static_cast<double>(kernel_.h * kernel_.w * inputs[0].channels() / groups_);
    const double bias = bias_ ? outputs : 0;
    return {work + bias, work + bias, work};
  }

  LayerTraits traits() const override { return {.reads_inputs = true, .reads_output = relu_, .overwrites_out_gradient = relu_}; }
  bool fuse_relu() override { return relu_ = true; }

  void prepare(Backend& backend, std::span<const Shape> inputs, std::span<const bool> wanted, std::int64_t) override {
    op_ = backend.conv({.height = inputs[0][0],
                        .width = inputs[0][1],
                        .in_channels = inputs[0][2],
                        .out_channels = channels_,
                        .kernel_h = kernel_.h,
                        .kernel_w = kernel_.w,
                        .stride_h = stride_.h,
                        .stride_w = stride_.w,
                        .pad_h = padding_.h,
                        .pad_w = padding_.w,
                        .groups = groups_,
                        .bias = bias_,
                        .relu = relu_,
                        .input_gradient = wanted[0]});
  }

  void forward(const Pass& pass, std::span<const Tensor> in, const Tensor& out) override {
    op_->forward(pass.rows, in[0].view, pass.params[0], bias_ ? pass.params[1] : View{}, out.view);
  }

  void backward(const Pass& pass, std::span<const Tensor> in, const Tensor& out, const Tensor& out_gradient,
                std::span<const Tensor> in_gradients) override {
    op_->backward_weights(pass.rows, in[0].view, out.view, out_gradient.view, pass.grads[0], bias_ ? pass.grads[1] : View{},
                          pass.accumulate);
    if (in_gradients[0]) op_->backward_input(pass.rows, out.view, out_gradient.view, pass.params[0], in_gradients[0].view);
  }

 private:
  std::int64_t channels_, groups_;
  Extent kernel_, stride_, padding_;
  bool bias_, relu_ = false;
  std::unique_ptr<ConvOp> op_;
};

constexpr Parameter parameters[] = {
    {.key = "channels", .help = "Number of output channels.", .kind = Parameter::integer, .least = 1, .most = 65536},
    {.key = "kernel",
     .help = "Size of the filter: one number, or [height, width].",
     .kind = Parameter::list,
     .initial = "[3]",
     .least = 1,
     .most = 1024},
    {.key = "stride",
     .help = "Distance between two positions of the filter: one number, or [height, width].",
     .kind = Parameter::list,
     .initial = "[1]",
     .least = 1,
     .most = 1024},
    {.key = "padding",
     .help = "Zeros added on both sides: one number, or [height, width].",
     .kind = Parameter::list,
     .initial = "[0]",
     .least = 0,
     .most = 1024},
    {.key = "groups",
     .help = "Number of groups of channels that do not mix; the number of input channels makes it depthwise.",
     .kind = Parameter::integer,
     .initial = std::int64_t{1},
     .least = 1,
     .most = 65536,
     .advanced = true},
    {.key = "bias", .help = "Whether a learned offset is added to each channel.", .kind = Parameter::flag, .initial = true},
};

}  // namespace

extern const LayerEntry conv_layer;
constexpr LayerEntry conv_layer = {.type = "conv",
                                   .title = "Convolution",
                                   .summary = "Slides learned filters over an image.",
                                   .parameters = parameters,
                                   .inputs = 1,
                                   .make = [](const LayerSpec& spec) -> std::unique_ptr<Layer> { return std::make_unique<Conv>(spec); }};

}  // namespace syncline
