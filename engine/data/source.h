// SPDX-License-Identifier: Apache-2.0
// What one data source gives to the registry (registry.cpp), and the sets that sources are made of. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/data/dataset.h"

namespace syncline {

// One source: its schema and how to open it. A new source is a file with one of these and a line in registry.cpp.
struct Source {
  Entry entry;
  Split (*open)(const Params&, std::uint64_t seed);
  DataShape (*shape)(const Params&);  // reads headers only
};

// What a set says about itself, apart from its samples.
struct SetInfo {
  Shape shape;  // height x width x channels
  std::int64_t classes = 0;
  std::vector<std::string> class_names;  // one per class
  std::vector<float> mean, stddev;       // per channel, of values scaled to 0..1
};

// Holds what every set of labelled images shares; sources add where the pixels come from.
class ImageSet : public Dataset {
 public:
  ImageSet(SetInfo info, std::vector<std::int32_t> labels) : info_(std::move(info)), labels_(std::move(labels)) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  Shape shape() const override { return info_.shape; }
  std::int64_t classes() const override { return info_.classes; }
  const std::vector<std::string>& class_names() const override { return info_.class_names; }
  std::int32_t label(std::int64_t id) const override { return labels_[static_cast<std::size_t>(id)]; }
  std::vector<float> default_mean() const override { return info_.mean; }
  std::vector<float> default_stddev() const override { return info_.stddev; }

 private:
  SetInfo info_;
  std::vector<std::int32_t> labels_;
};

// A whole set as bytes in memory, samples one after the other, channels last.
class MemorySet final : public ImageSet {
 public:
  // `pixels` has labels.size() * info.shape.elements() bytes; anything else is a UsageError.
  MemorySet(SetInfo info, std::vector<std::uint8_t> pixels, std::vector<std::int32_t> labels);
  void read(std::int64_t id, std::span<std::uint8_t> out) const override;

 private:
  std::vector<std::uint8_t> pixels_;
  std::size_t sample_bytes_;
};

// "0", "1", ...: the names of classes that have none.
std::vector<std::string> numbered_classes(std::int64_t classes);

}  // namespace syncline
