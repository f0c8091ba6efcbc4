// SPDX-License-Identifier: Apache-2.0
// Part files and manifests of checkpoints: any bytes give a part, a manifest or a TrainingError. Checksums would keep random bytes out of
// everything behind them, so the input is also wrapped into a file whose checksums hold.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/error.h"
#include "engine/train/checkpoint_format.h"

namespace {

using namespace syncline;

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A part of one block with this payload, right in everything but perhaps the payload itself.
std::vector<std::byte> wrapped(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(64 + size + (size > 0 ? 8 : 0));
  std::memcpy(bytes.data(), "SYNCCKPT", 8);
  put(bytes, 8, checkpoint_format);
  put(bytes, 16, std::uint32_t{1});
  put(bytes, 20, static_cast<std::uint32_t>(checkpoint_block_bytes));
  put(bytes, 32, static_cast<std::uint64_t>(size));
  put(bytes, 56, XXH64(bytes.data(), 56, 0));
  if (size == 0) return bytes;
  std::memcpy(bytes.data() + 64, data, size);
  put(bytes, 64 + size, XXH64(data, size, 0));
  return bytes;
}

void parse(std::span<const std::byte> bytes) {
  try {
    const CheckpointPart part = parse_part(bytes, "fuzz.bin");
    std::size_t held = 0;
    for (const auto& [name, value] : part.values) held += name.size() + value.size();
    for (const auto& [name, value] : part.blocks) held += name.size() + value.size();
    if (held > bytes.size()) std::abort();
  } catch (const TrainingError&) {
  }
}

void parse_text(const std::string& text) {
  try {
    const Manifest manifest = parse_manifest(text, "manifest.toml");
    const Manifest again = parse_manifest(to_text(manifest), "manifest.toml");
    if (again.files.size() != manifest.files.size() || again.step != manifest.step || again.run_id != manifest.run_id) std::abort();
  } catch (const TrainingError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < checkpoint_block_bytes) parse(wrapped(data, size));
  parse(std::as_bytes(std::span(data, size)));
  const std::string text(reinterpret_cast<const char*>(data), size);
  parse_text(text);
  char line[32];
  std::snprintf(line, sizeof line, "# xxh64 %016llx\n", static_cast<unsigned long long>(XXH64(text.data(), text.size(), 0)));
  parse_text(line + text);
  return 0;
}
