// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/data/image_file.h"

namespace syncline::detail {

namespace {

// For one axis: which source pixels an output pixel mixes, and how.
struct Taps {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> begin;  // into weights; one more than outputs
  std::vector<float> weights;       // sum to 1 for each output
};

Taps taps_of(std::int64_t from, std::int64_t to, double scale) {
  Taps taps;
  taps.begin.push_back(0);
  const double reach = std::max(1.0, 1.0 / scale);
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5 - static_cast<double>(to) / 2) / scale + static_cast<double>(from) / 2 - 0.5;
    const auto low = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(centre - reach)), 0, from - 1);
    const auto high = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(centre + reach)), low, from - 1);
    double sum = 0;
    for (std::int64_t j = low; j <= high; ++j) sum += std::max(0.0, 1 - std::abs(static_cast<double>(j) - centre) / reach);
    taps.first.push_back(low);
    for (std::int64_t j = low; j <= high; ++j) {
      const double weight = std::max(0.0, 1 - std::abs(static_cast<double>(j) - centre) / reach);
      taps.weights.push_back(static_cast<float>(sum > 0 ? weight / sum : 1.0 / static_cast<double>(high - low + 1)));
    }
    taps.begin.push_back(static_cast<std::int64_t>(taps.weights.size()));
  }
  return taps;
}

// One axis of `length` pixels, `stride` values apart from each other, for one value of the pixel.
template <class In>
float mix(const In* in, const Taps& taps, std::int64_t output, std::int64_t stride) {
  const auto at = static_cast<std::size_t>(output);
  float sum = 0;
  const In* source = in + taps.first[at] * stride;
  for (std::int64_t k = taps.begin[at]; k < taps.begin[at + 1]; ++k, source += stride)
    sum += taps.weights[static_cast<std::size_t>(k)] * static_cast<float>(*source);
  return sum;
}

}  // namespace

void resize_to_cover(Bytes in, ImageHeader from, const Shape& to, std::span<std::uint8_t> out) {
  const std::int64_t height = to[0], width = to[1], channels = to[2];
  const double scale = std::max(static_cast<double>(height) / static_cast<double>(from.height),
                                static_cast<double>(width) / static_cast<double>(from.width));
  const Taps across = taps_of(from.width, width, scale), down = taps_of(from.height, height, scale);
  std::vector<float> rows(static_cast<std::size_t>(from.height * width * channels));
  for (std::int64_t y = 0; y < from.height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) {
        rows[static_cast<std::size_t>((y * width + x) * channels + c)] =
            mix(in.data() + y * from.width * channels + c, across, x, channels);
      }
    }
  }
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t i = 0; i < width * channels; ++i) {
      const float value = mix(rows.data() + i, down, y, width * channels);
      out[static_cast<std::size_t>(y * width * channels + i)] = static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
    }
  }
}

}  // namespace syncline::detail
