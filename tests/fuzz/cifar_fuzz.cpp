// SPDX-License-Identifier: Apache-2.0
// The first byte chooses the layout (CIFAR-10, CIFAR-100 fine or coarse); the rest is a file of records.
#include "engine/base/error.h"
#include "engine/data/cifar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr syncline::CifarLayout layouts[] = {{.label_bytes = 1, .label_at = 0, .classes = 10},
                                               {.label_bytes = 2, .label_at = 1, .classes = 100},
                                               {.label_bytes = 2, .label_at = 0, .classes = 20}};
  const syncline::CifarLayout& layout = layouts[data[0] % 3];
  syncline::CifarContent content;
  try {
    syncline::parse_cifar({data + 1, size - 1}, layout, "fuzz", content);
  } catch (const syncline::DataError&) {
    return 0;
  }
  if (content.pixels.size() != content.labels.size() * 3072 || content.labels.empty()) __builtin_trap();
  for (const std::int32_t label : content.labels) {
    if (label < 0 || label >= layout.classes) __builtin_trap();
  }
  return 0;
}
