// SPDX-License-Identifier: Apache-2.0
// Every layer type, one line each: the name of the constant at the end of its file, without "_layer".
#include <fmt/format.h>

#include "engine/model/layer.h"

#define SYNCLINE_LAYERS(ENTRY) \
  ENTRY(conv)                  \
  ENTRY(linear)                \
  ENTRY(batch_norm)            \
  ENTRY(layer_norm)            \
  ENTRY(relu)                  \
  ENTRY(gelu)                  \
  ENTRY(tanh)                  \
  ENTRY(sigmoid)               \
  ENTRY(max_pool)              \
  ENTRY(average_pool)          \
  ENTRY(global_pool)           \
  ENTRY(dropout)               \
  ENTRY(add)                   \
  ENTRY(concat)                \
  ENTRY(flatten)               \
  ENTRY(embedding)

namespace syncline {

#define SYNCLINE_DECLARE(name) extern const LayerEntry name##_layer;
#define SYNCLINE_POINTER(name) &name##_layer,
SYNCLINE_LAYERS(SYNCLINE_DECLARE)

namespace {
constexpr const LayerEntry* entries[] = {SYNCLINE_LAYERS(SYNCLINE_POINTER)};
}  // namespace

std::span<const LayerEntry* const> layer_entries() { return entries; }

const LayerEntry& layer_entry(std::string_view type) {
  std::string known;
  for (const LayerEntry* entry : entries) {
    if (entry->type == type) return *entry;
    known += (known.empty() ? "" : ", ") + std::string(entry->type);
  }
  throw ConfigError(fmt::format("there is no layer type \"{}\"; there are {}", type, known));
}

}  // namespace syncline
