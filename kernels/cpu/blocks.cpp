// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/blocks.h"

#include "kernels/cpu/call.h"

namespace syncline::cpu {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr std::int64_t line = 16, tile = line * line;

bool has(const dnnl::memory::desc& format, Tag tag) {
  return format == dnnl::memory::desc(format.dims(), dnnl::memory::data_type::f32, tag);
}

}  // namespace

Conversion::Conversion(Context& context, const dnnl::memory::desc& from, const dnnl::memory::desc& to, bool add) {
  const dnnl::memory::dims dims = from.dims();
  if (!add && dims.size() == 4 && dims[1] % line == 0) {
    outer_ = dims[0];
    channels_ = dims[1];
    positions_ = dims[2] * dims[3];
    const bool tiles = outer_ % line == 0, plain_from = has(from, Tag::acdb), plain_to = has(to, Tag::acdb);
    // A shape of one position or channel block can match two names for the same order of bytes: any of them is right.
    if (plain_from && has(to, Tag::aBcd16b)) {
      move_ = Move::to_blocks;
    } else if (plain_to && has(from, Tag::aBcd16b)) {
      move_ = Move::from_blocks;
    } else if (tiles && plain_from && has(to, Tag::ABcd16a16b)) {
      move_ = Move::to_lines;
    } else if (tiles && plain_from && has(to, Tag::ABcd16b16a)) {
      move_ = Move::to_columns;
    } else if (tiles && plain_to && has(from, Tag::ABcd16b16a)) {
      move_ = Move::from_columns;
    }
  }
  if (move_ == Move::library) make(context, from, to, add);
}

void Conversion::make(Context& context, const dnnl::memory::desc& from, const dnnl::memory::desc& to, bool add) {
  dnnl::primitive_attr attributes = user_scratchpad();
  if (add) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  const dnnl::reorder::primitive_desc description(context.engine(), from, context.engine(), to, attributes);
  scratchpad_ = description.scratchpad_desc();
  reorder_ = dnnl::reorder(description);
  from_ = detached(from, context.engine());
  to_ = detached(to, context.engine());
  scratchpad_memory_ = detached(scratchpad_, context.engine());
}

void Conversion::run(Context& context, const float* from, float* to) {
  if (move_ == Move::to_blocks || move_ == Move::from_blocks) return move_activations(context, from, to);
  if (move_ != Move::library) return move_weights(context, from, to);
  attach(from_, from);
  attach(to_, to);
  attach(scratchpad_memory_, context.scratchpad.data());
  const std::array<dnnl_exec_arg_t, 3> arguments{
      {{DNNL_ARG_FROM, from_.get()}, {DNNL_ARG_TO, to_.get()}, {DNNL_ARG_SCRATCHPAD, scratchpad_memory_.get()}}};
  check(dnnl_primitive_execute(reorder_.get(), context.stream().get(), 3, arguments.data()), "to change a format");
}

void Conversion::move_activations(Context& context, const float* from, float* to) const {
  context.ranges(outer_, 1, [&](std::int64_t sample, std::int64_t) {
    const std::int64_t start = sample * channels_ * positions_;
    for (std::int64_t c = 0; c < channels_; c += line) {
      const std::int64_t plain = start + c, block = start + c * positions_;
      if (move_ == Move::to_blocks) {
        context.simd().copy_lines(from + plain, channels_, to + block, line, positions_);
      } else {
        context.simd().copy_lines(from + block, line, to + plain, channels_, positions_);
      }
    }
  });
}

void Conversion::move_weights(Context& context, const float* from, float* to) const {
  const std::int64_t row = positions_ * channels_;  // of one output channel
  context.ranges(outer_ / line, 1, [&](std::int64_t block, std::int64_t) {
    for (std::int64_t c = 0; c < channels_; c += line) {
      const std::int64_t plain = block * line * row + c, tiles = block * line * row + c * positions_ * line;
      if (move_ == Move::to_lines) {
        for (std::int64_t o = 0; o < line; ++o)
          context.simd().copy_lines(from + plain + o * row, channels_, to + tiles + o * line, tile, positions_);
        continue;
      }
      for (std::int64_t p = 0; p < positions_; ++p) {
        if (move_ == Move::to_columns) {
          context.simd().transpose(from + plain + p * channels_, row, to + tiles + p * tile, line);
        } else {
          context.simd().transpose(from + tiles + p * tile, line, to + plain + p * channels_, row);
        }
      }
    }
  });
}

}  // namespace syncline::cpu
