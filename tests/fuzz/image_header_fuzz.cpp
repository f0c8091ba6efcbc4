// SPDX-License-Identifier: Apache-2.0
// A JPEG or PNG file: its header, and where the image is small enough for a quick run, its pixels at their own size and scaled.
#include <vector>

#include "engine/base/error.h"
#include "engine/data/image_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const syncline::ImageHeader header = syncline::image_header({data, size}, "fuzz");
    if (header.height < 1 || header.width < 1) __builtin_trap();
    if (header.height * header.width > 4096) return 0;
    for (const std::int64_t channels : {1, 3}) {
      std::vector<std::uint8_t> out(static_cast<std::size_t>(header.height * header.width * channels));
      syncline::decode_image({data, size}, {header.height, header.width, channels}, false, out, "fuzz");
    }
    std::vector<std::uint8_t> out(8 * 6 * 3);
    syncline::decode_image({data, size}, {8, 6, 3}, true, out, "fuzz");
  } catch (const syncline::DataError&) {
  }
  return 0;
}
