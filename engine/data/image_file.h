// SPDX-License-Identifier: Apache-2.0
// JPEG and PNG files in memory, told apart by content.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/data/input_file.h"
#include "kernels/view.h"

namespace syncline {

struct ImageHeader {
  std::int64_t height = 0, width = 0;
  bool operator==(const ImageHeader&) const = default;
};

// Reads the header only. DataError naming the file when it is neither JPEG nor PNG, or broken.
ImageHeader image_header(Bytes, const std::string& file);

// Decodes into `out` (shape.elements() bytes, channels last; 1 channel is grey, 3 are RGB; transparent parts become black). An image
// of another size is a DataError, or with `resize` scaled to cover the wanted size and cut at the middle (triangle filter, widened
// where it shrinks). DataError too for damaged or truncated data, four-component JPEGs, and more than 2^26 pixels.
void decode_image(Bytes, const Shape& shape, bool resize, std::span<std::uint8_t> out, const std::string& file);

namespace detail {
// Scales by the larger of the two ratios and cuts the rest off evenly at both sides.
void resize_to_cover(Bytes in, ImageHeader from, const Shape& to, std::span<std::uint8_t> out);
}  // namespace detail

}  // namespace syncline
