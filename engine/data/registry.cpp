// SPDX-License-Identifier: Apache-2.0
// The data sources. A new one is a file of this folder that defines sources::NAME, and its name in the two lists here.
#include <algorithm>

#include "engine/base/error.h"
#include "engine/data/source.h"

namespace syncline {

namespace sources {
extern const Source fashion_mnist, idx, cifar10, cifar100, images, synthetic;
}

namespace {

constexpr const Source* table[] = {
    &sources::fashion_mnist,  //
    &sources::idx,            //
    &sources::cifar10,        //
    &sources::cifar100,       //
    &sources::images,         //
    &sources::synthetic,      //
};

const Source& find(const std::string& name) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const Source* source) { return source->entry.name == name; });
  if (found != std::end(table)) return **found;
  std::string names;
  for (const Source* source : table) names += (names.empty() ? "" : ", ") + std::string(source->entry.name);
  throw ConfigError("data.source: there is no source \"" + name + "\"; possible are " + names);
}

}  // namespace

std::span<const Entry> source_entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for (const Source* source : table) {
      const bool twice = std::any_of(all.begin(), all.end(), [&](const Entry& entry) { return entry.name == source->entry.name; });
      if (twice) throw UsageError("two data sources are called \"" + std::string(source->entry.name) + "\"");
      all.push_back(source->entry);
    }
    return all;
  }();
  return entries;
}

Split open_data(const DataSpec& spec, std::uint64_t seed) { return find(spec.source).open(spec.options, seed); }

DataShape data_shape(const DataSpec& spec) { return find(spec.source).shape(spec.options); }

}  // namespace syncline
