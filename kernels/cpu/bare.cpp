// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/bare.h"

#include <algorithm>
#include <dnnl.hpp>
#include <unordered_map>
#include <utility>

namespace syncline {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Dims = memory::dims;
using Operands = std::vector<std::pair<int, memory::desc>>;

memory::desc plain(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

}  // namespace

struct BareLibrary::Impl {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};

  // Arguments each in the format of its descriptor, with small values everywhere: zeros and denormals would have times of their own.
  BareOperation operation(const std::string& name, const dnnl::primitive& primitive, const Operands& operands) {
    std::unordered_map<int, memory> arguments;
    for (const auto& [argument, description] : operands) {
      memory m(description, engine);
      std::fill_n(static_cast<float*>(m.get_data_handle()), description.get_size() / sizeof(float), 0.01f);
      arguments.emplace(argument, m);
    }
    return {name, [this, primitive, arguments] { primitive.execute(stream, arguments); }};
  }
};

BareLibrary::BareLibrary() : impl_(std::make_unique<Impl>()) {}
BareLibrary::~BareLibrary() = default;

BareOperations BareLibrary::conv(std::int64_t rows, const ConvSpec& s) {
  BareOperations result;
  const Dims strides{s.stride_h, s.stride_w}, padding{s.pad_h, s.pad_w};
  const Dims weights = s.groups == 1 ? Dims{s.out_channels, s.in_channels, s.kernel_h, s.kernel_w}
                                     : Dims{s.groups, s.out_channels / s.groups, s.in_channels / s.groups, s.kernel_h, s.kernel_w};
  for (const Tag tag : {Tag::nhwc, Tag::any}) {
    for (const auto algorithm : {dnnl::algorithm::convolution_direct, dnnl::algorithm::convolution_auto}) {
      const auto x = plain({rows, s.in_channels, s.height, s.width}, s.in_channels < 4 ? Tag::nhwc : tag);
      const auto w = plain(weights, Tag::any), b = plain({s.out_channels}, Tag::x);
      const auto y = plain({rows, s.out_channels, s.out_height(), s.out_width()}, tag);
      const dnnl::convolution_forward::primitive_desc f(
          {dnnl::prop_kind::forward_training, algorithm, x, w, b, y, strides, padding, padding}, impl_->engine);
      result.forward.push_back(impl_->operation(
          f.impl_info_str(), dnnl::convolution_forward(f),
          {{DNNL_ARG_SRC, f.src_desc()}, {DNNL_ARG_WEIGHTS, f.weights_desc()}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, f.dst_desc()}}));
      const dnnl::convolution_backward_weights::primitive_desc bw({algorithm, x, w, b, y, strides, padding, padding}, impl_->engine, f);
      result.backward_weights.push_back(impl_->operation(bw.impl_info_str(), dnnl::convolution_backward_weights(bw),
                                                         {{DNNL_ARG_SRC, bw.src_desc()},
                                                          {DNNL_ARG_DIFF_WEIGHTS, bw.diff_weights_desc()},
                                                          {DNNL_ARG_DIFF_BIAS, b},
                                                          {DNNL_ARG_DIFF_DST, bw.diff_dst_desc()}}));
      if (!s.input_gradient) continue;
      const dnnl::convolution_backward_data::primitive_desc bd({algorithm, x, w, y, strides, padding, padding}, impl_->engine, f);
      result.backward_input.push_back(impl_->operation(
          bd.impl_info_str(), dnnl::convolution_backward_data(bd),
          {{DNNL_ARG_DIFF_SRC, bd.diff_src_desc()}, {DNNL_ARG_WEIGHTS, bd.weights_desc()}, {DNNL_ARG_DIFF_DST, bd.diff_dst_desc()}}));
    }
  }
  return result;
}

BareOperations BareLibrary::linear(std::int64_t rows, const LinearSpec& s) {
  BareOperations result;
  for (const Tag tag : {Tag::oi, Tag::any}) {
    const auto x = plain({rows, s.in}, Tag::nc), w = plain({s.out, s.in}, tag), b = plain({s.out}, Tag::x),
               y = plain({rows, s.out}, Tag::nc);
    const dnnl::inner_product_forward::primitive_desc f({dnnl::prop_kind::forward_training, x, w, b, y}, impl_->engine);
    const dnnl::inner_product_backward_weights::primitive_desc bw({x, w, b, y}, impl_->engine, f);
    result.forward.push_back(
        impl_->operation(f.impl_info_str(), dnnl::inner_product_forward(f),
                         {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, f.weights_desc()}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}}));
    result.backward_weights.push_back(impl_->operation(
        bw.impl_info_str(), dnnl::inner_product_backward_weights(bw),
        {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_WEIGHTS, bw.diff_weights_desc()}, {DNNL_ARG_DIFF_BIAS, b}, {DNNL_ARG_DIFF_DST, y}}));
    if (!s.input_gradient) continue;
    const dnnl::inner_product_backward_data::primitive_desc bd({x, w, y}, impl_->engine, f);
    result.backward_input.push_back(
        impl_->operation(bd.impl_info_str(), dnnl::inner_product_backward_data(bd),
                         {{DNNL_ARG_DIFF_SRC, x}, {DNNL_ARG_WEIGHTS, bd.weights_desc()}, {DNNL_ARG_DIFF_DST, y}}));
  }
  return result;
}

BareOperations BareLibrary::batch_norm(std::int64_t rows, const BatchNormSpec& s) {
  const auto x = plain({rows, s.channels, s.positions, 1}, Tag::nhwc), c = plain({s.channels}, Tag::x);
  auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  if (s.relu) flags |= dnnl::normalization_flags::fuse_norm_relu;
  const auto epsilon = static_cast<float>(s.epsilon);
  const dnnl::batch_normalization_forward::primitive_desc f({dnnl::prop_kind::forward_training, x, epsilon, flags}, impl_->engine);
  const dnnl::batch_normalization_backward::primitive_desc b({dnnl::prop_kind::backward, x, x, epsilon, flags}, impl_->engine, f);
  Operands forward = {{DNNL_ARG_SRC, x},   {DNNL_ARG_MEAN, c},  {DNNL_ARG_VARIANCE, c},
                      {DNNL_ARG_SCALE, c}, {DNNL_ARG_SHIFT, c}, {DNNL_ARG_DST, x}};
  Operands backward = {{DNNL_ARG_SRC, x},      {DNNL_ARG_MEAN, c},       {DNNL_ARG_VARIANCE, c},
                       {DNNL_ARG_SCALE, c},    {DNNL_ARG_SHIFT, c},      {DNNL_ARG_DIFF_DST, x},
                       {DNNL_ARG_DIFF_SRC, x}, {DNNL_ARG_DIFF_SCALE, c}, {DNNL_ARG_DIFF_SHIFT, c}};
  if (s.relu) {
    forward.emplace_back(DNNL_ARG_WORKSPACE, f.workspace_desc());
    backward.emplace_back(DNNL_ARG_WORKSPACE, f.workspace_desc());
  }
  return {.forward = {impl_->operation(f.impl_info_str(), dnnl::batch_normalization_forward(f), forward)},
          .backward_weights = {},
          .backward_input = {impl_->operation(b.impl_info_str(), dnnl::batch_normalization_backward(b), backward)}};
}

BareOperations BareLibrary::pool(std::int64_t rows, const PoolSpec& s) {
  const auto x = plain({rows, s.channels, s.height, s.width}, Tag::nhwc),
             y = plain({rows, s.channels, s.out_height(), s.out_width()}, Tag::nhwc);
  const Dims strides{s.stride_h, s.stride_w}, kernel{s.kernel_h, s.kernel_w}, padding{s.pad_h, s.pad_w};
  const auto algorithm = s.kind == PoolSpec::max ? dnnl::algorithm::pooling_max
                         : s.count_padding       ? dnnl::algorithm::pooling_avg_include_padding
                                                 : dnnl::algorithm::pooling_avg_exclude_padding;
  const dnnl::pooling_forward::primitive_desc f({dnnl::prop_kind::forward_training, algorithm, x, y, strides, kernel, padding, padding},
                                                impl_->engine);
  const dnnl::pooling_backward::primitive_desc b({algorithm, x, y, strides, kernel, padding, padding}, impl_->engine, f);
  Operands forward = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}}, backward = {{DNNL_ARG_DIFF_DST, y}, {DNNL_ARG_DIFF_SRC, x}};
  if (s.kind == PoolSpec::max) {
    forward.emplace_back(DNNL_ARG_WORKSPACE, f.workspace_desc());
    backward.emplace_back(DNNL_ARG_WORKSPACE, f.workspace_desc());
  }
  return {.forward = {impl_->operation(f.impl_info_str(), dnnl::pooling_forward(f), forward)},
          .backward_weights = {},
          .backward_input = {impl_->operation(b.impl_info_str(), dnnl::pooling_backward(b), backward)}};
}

}  // namespace syncline
