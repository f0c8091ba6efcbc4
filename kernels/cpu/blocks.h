// SPDX-License-Identifier: Apache-2.0
// A copy of one tensor between two oneDNN formats. Between channels last and the library's blocks of 16 channels it is made by our own
// loops, which move whole cache lines: two to three times as fast as the library's general reorder, and convolutions of many channels
// need one per operand. Every other pair of formats, and adding instead of overwriting, is the library's.
#pragma once

#include "kernels/cpu/context.h"

namespace syncline::cpu {

class Conversion {
 public:
  Conversion() = default;
  Conversion(Context& context, const dnnl::memory::desc& from, const dnnl::memory::desc& to, bool add);

  std::size_t scratchpad_bytes() const { return scratchpad_.get_size(); }
  // The context's scratchpad has at least scratchpad_bytes.
  void run(Context& context, const float* from, float* to);

 private:
  enum class Move : std::uint8_t {
    library,
    to_blocks,    // activations: channels last to 16-channel blocks
    from_blocks,  // and back
    to_lines,     // weights: out, h, w, in to blocks of 16 outputs of 16 inputs
    to_columns,   // weights: out, h, w, in to blocks of 16 inputs of 16 outputs
    from_columns  // and back
  };
  void make(Context& context, const dnnl::memory::desc& from, const dnnl::memory::desc& to, bool add);
  void move_activations(Context& context, const float* from, float* to) const;
  void move_weights(Context& context, const float* from, float* to) const;

  Move move_ = Move::library;
  std::int64_t outer_ = 0, channels_ = 0, positions_ = 0;  // samples or output channels; of the plain format
  dnnl::reorder reorder_;
  dnnl::memory from_, to_, scratchpad_memory_;
  dnnl::memory::desc scratchpad_;
};

}  // namespace syncline::cpu
