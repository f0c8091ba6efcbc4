// SPDX-License-Identifier: Apache-2.0
// Loops written here rather than taken from oneDNN, compiled for several instruction sets and chosen at run time. Every function is plain
// arithmetic on its range, each element (or column) on its own and in index order: all instruction sets give the same bits.
#pragma once

#include <cstdint>
#include <span>

namespace syncline::cpu {

struct PoolShape {  // one sample, channels last
  std::int64_t height, width, channels, out_height, out_width, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  bool count_padding;
};

struct ColumnConstants {  // per column of a normalisation; slope and offset only backward
  const float *mean, *factor, *shift, *slope, *offset;
};

struct Kernels {
  const char* name;
  void (*fill)(float* out, float value, std::int64_t count);
  void (*add)(const float* a, const float* b, float* out, std::int64_t count, bool relu);
  void (*set)(float* out, const float* const* terms, const float* factors, int term_count, std::int64_t count);
  double (*dot)(const float* a, const float* b, std::int64_t count);
  bool (*all_finite)(const float* x, std::int64_t count);
  void (*relu)(const float* x, float* y, std::int64_t count);
  void (*relu_mask)(const float* y, const float* dy, float* dx, std::int64_t count);  // dx = y > 0 ? dy : 0
  void (*column_sums)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t stride, float* sums, bool accumulate);

  // Lines of 16 elements, strides in elements: `count` of them moved; 16 of them transposed.
  void (*copy_lines)(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride, std::int64_t count);
  void (*transpose)(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride);

  void (*max_pool)(const PoolShape& shape, const float* x, float* y, std::int32_t* taps);  // taps may be null; one sample
  void (*max_pool_backward)(const PoolShape& shape, const float* dy, const std::int32_t* taps, float* dx);
  void (*average_pool)(const PoolShape& shape, const float* x, float* y);
  void (*average_pool_backward)(const PoolShape& shape, const float* dy, float* dx);

  void (*moments)(const float* x, std::int64_t rows, std::int64_t columns, float* mean, float* squares);
  void (*normalize)(const float* x, std::int64_t rows, std::int64_t columns, const ColumnConstants& k, float* y, bool relu);
  void (*backward_sums)(const float* x, const float* dy, std::int64_t rows, std::int64_t columns, const ColumnConstants& k, float* sum,
                        float* product, bool relu);
  void (*backward_apply)(const float* x, const float* dy, std::int64_t rows, std::int64_t columns, const ColumnConstants& k, float* dx,
                         bool relu);
  void (*layer_norm_row)(const float* x, std::int64_t columns, const float* scale, const float* shift, float epsilon, float* y, float* mean,
                         float* variance);
  void (*layer_norm_backward_row)(const float* x, const float* dy, std::int64_t columns, const float* scale, float mean, float inverse,
                                  float* dscale, float* dshift, float* dx);
  // Keeps (times scale) the elements whose Philox word is at least the threshold; counter and word are explained at the definition.
  void (*dropout)(const float* x, float* y, std::int64_t count, std::uint64_t key, std::uint64_t position, std::uint32_t threshold,
                  float scale);
};

std::span<const Kernels> usable_kernels();  // those that this processor runs, the plainest first
inline const Kernels& kernels() { return usable_kernels().back(); }

}  // namespace syncline::cpu
