// SPDX-License-Identifier: Apache-2.0
// The first byte chooses images or labels; the rest is an IDX file, plain or gzip.
#include "engine/base/error.h"
#include "engine/data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto kind = data[0] % 2 == 0 ? syncline::IdxKind::images : syncline::IdxKind::labels;
  try {
    const syncline::IdxContent content = syncline::parse_idx({data + 1, size - 1}, kind, "fuzz");
    if (static_cast<std::int64_t>(content.values.size()) != content.header.values()) __builtin_trap();
  } catch (const syncline::DataError&) {
  }
  return 0;
}
