// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: a layer's name for errors, and options that are one number or [height, width].
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "engine/model/layer.h"

namespace syncline {

struct Extent {  // of a kernel, a stride or a padding
  std::int64_t h = 0, w = 0;
  bool operator==(const Extent&) const = default;
  std::string text() const { return fmt::format("{}x{}", h, w); }
};

class NamedLayer : public Layer {
 protected:
  explicit NamedLayer(const LayerSpec& spec) : name_(spec.name), type_(spec.type), origin_(spec.origin) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(fmt::format("layer \"{}\" ({}): {}", name_, type_, what), origin_);
  }
  void need_image(const Shape& input) const {
    if (input.rank() != 3) {
      fail(fmt::format("the input has shape {}; this layer needs height x width x channels, such as 28x28x1", input.text()));
    }
  }
  // An option that is one number for both directions, or [height, width].
  Extent extent(const Params& options, std::string_view key) const {
    const Value& value = options.all().find(key)->second;
    if (const auto* one = std::get_if<std::int64_t>(&value.data)) return {*one, *one};
    const std::vector<double> both = options.reals(key);
    for (const double number : both) {
      if (number != std::floor(number)) fail(fmt::format("`{}` has the element {}; whole numbers would be right", key, number));
    }
    const auto element = [&](std::size_t i) { return static_cast<std::int64_t>(both[i]); };
    if (both.size() == 1) return {element(0), element(0)};
    if (both.size() == 2) return {element(0), element(1)};
    fail(fmt::format("`{}` has {} numbers; one number or [height, width] would be right", key, both.size()));
  }
  // A window that slides over an image: out = (in + 2 padding - kernel) / stride + 1 in both directions, rounded down.
  Shape slide(const Shape& input, Extent kernel, Extent stride, Extent padding, std::int64_t channels) const {
    need_image(input);
    const std::int64_t h = input[0] + 2 * padding.h, w = input[1] + 2 * padding.w;
    if (h < kernel.h || w < kernel.w) {
      fail(fmt::format("the input {} with padding {} is smaller than the kernel {}; a kernel of at most {}x{} would fit", input.text(),
                       padding.text(), kernel.text(), h, w));
    }
    return {(h - kernel.h) / stride.h + 1, (w - kernel.w) / stride.w + 1, channels};
  }

 private:
  std::string name_, type_;
  Origin origin_;
};

// A layer of one input whose output has the same shape.
class ElementwiseLayer : public NamedLayer {
 public:
  Shape shape(std::span<const Shape> inputs) const override { return inputs[0]; }

 protected:
  using NamedLayer::NamedLayer;
};

inline std::int64_t positions_of(const Shape& shape) { return shape.elements() / shape.channels(); }

}  // namespace syncline
