// SPDX-License-Identifier: Apache-2.0
#include "engine/data/normalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace syncline {

namespace {

// At least this many values a line: short lines would spend their time in the loop's head and tail.
constexpr std::size_t least_line = 512;

void check_count(const std::vector<float>& values, std::int64_t channels, const char* key) {
  if (values.size() != 1 && values.size() != static_cast<std::size_t>(channels)) {
    throw ConfigError(
        fmt::format("data.{}: {} values for {} channels; one per channel, or one for all, are needed", key, values.size(), channels));
  }
}

void convert_line(const std::uint8_t* __restrict in, const float* __restrict scale, const float* __restrict shift, float* __restrict out,
                  std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]) * scale[i] + shift[i];
}

}  // namespace

Normaliser::Normaliser(const Shape& shape, const std::vector<float>& mean, const std::vector<float>& stddev) {
  const std::int64_t channels = shape.channels();
  check_count(mean, channels, "mean");
  check_count(stddev, channels, "stddev");
  const auto period = static_cast<std::size_t>(channels);
  const std::size_t line = std::min(static_cast<std::size_t>(shape.elements()), (least_line + period - 1) / period * period);
  for (std::size_t i = 0; i < line; ++i) {
    const double m = mean[mean.size() == 1 ? 0 : i % period], s = stddev[stddev.size() == 1 ? 0 : i % period];
    if (!(s > 0) || !std::isfinite(s) || !std::isfinite(m))
      throw ConfigError(fmt::format("data.stddev: {} with mean {} is not possible; it must be above 0", s, m));
    scale_.push_back(static_cast<float>(1 / (255 * s)));
    shift_.push_back(static_cast<float>(-m / s));
  }
}

void Normaliser::apply(std::span<const std::uint8_t> in, std::span<float> out) const {
  for (std::size_t at = 0; at < in.size(); at += scale_.size()) {
    convert_line(in.data() + at, scale_.data(), shift_.data(), out.data() + at, std::min(scale_.size(), in.size() - at));
  }
}

}  // namespace syncline
