// SPDX-License-Identifier: Apache-2.0
// Source "synthetic": a smooth pattern per class, at a contrast of its own in every sample, under noise. A pixel is a pure function of
// (seed, half, sample): any size costs no memory, and every rank sees the same set.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/random.h"
#include "engine/data/source.h"

namespace syncline {

namespace {

constexpr Parameter parameters[] = {
    {.key = "classes",
     .symbol = "",
     .help = "Number of classes.",
     .kind = Parameter::integer,
     .initial = std::int64_t{10},
     .least = 2,
     .most = 10000},
    {.key = "height",
     .symbol = "",
     .help = "Height of an image in pixels.",
     .kind = Parameter::integer,
     .initial = std::int64_t{28},
     .least = 1,
     .most = 4096},
    {.key = "width",
     .symbol = "",
     .help = "Width of an image in pixels.",
     .kind = Parameter::integer,
     .initial = std::int64_t{28},
     .least = 1,
     .most = 4096},
    {.key = "channels",
     .symbol = "",
     .help = "Channels of an image.",
     .kind = Parameter::integer,
     .initial = std::int64_t{1},
     .least = 1,
     .most = 64},
    {.key = "train_size",
     .symbol = "",
     .help = "Number of training samples.",
     .kind = Parameter::integer,
     .initial = std::int64_t{10000},
     .least = 1,
     .most = 2147483647},
    {.key = "test_size",
     .symbol = "",
     .help = "Number of test samples.",
     .kind = Parameter::integer,
     .initial = std::int64_t{2000},
     .least = 1,
     .most = 2147483647},
    {.key = "noise",
     .symbol = "",
     .help = "Amplitude of the noise in every pixel, relative to that of the pattern: 0 is trivial, above 4 hard.",
     .kind = Parameter::real,
     .initial = 1.0,
     .least = 0,
     .most = 16},
};

constexpr int cells = 4;       // the pattern is drawn on a grid of 5x5 points and interpolated between them
constexpr int amplitude = 48;  // of the pattern, in grey levels around 128

// Patterns of all classes, one after the other, as signed grey levels.
std::vector<std::int16_t> draw_patterns(const Shape& shape, std::int64_t classes, std::uint64_t seed) {
  std::vector<std::int16_t> patterns;
  patterns.reserve(static_cast<std::size_t>(classes * shape.elements()));
  const std::int64_t height = shape[0], width = shape[1], channels = shape[2];
  std::vector<double> grid(static_cast<std::size_t>((cells + 1) * (cells + 1) * channels));
  for (std::int64_t label = 0; label < classes; ++label) {
    RandomStream random(seed, "synthetic pattern", static_cast<std::uint64_t>(label));
    for (double& point : grid) point = random.uniform() * 2 - 1;
    const auto at = [&](std::int64_t y, std::int64_t x, std::int64_t c) {
      return grid[static_cast<std::size_t>((y * (cells + 1) + x) * channels + c)];
    };
    for (std::int64_t y = 0; y < height; ++y) {
      const double v = (static_cast<double>(y) + 0.5) * cells / static_cast<double>(height);
      const auto y0 = static_cast<std::int64_t>(v);
      for (std::int64_t x = 0; x < width; ++x) {
        const double u = (static_cast<double>(x) + 0.5) * cells / static_cast<double>(width);
        const auto x0 = static_cast<std::int64_t>(u);
        const double fy = v - static_cast<double>(y0), fx = u - static_cast<double>(x0);
        for (std::int64_t c = 0; c < channels; ++c) {
          const double value = (1 - fy) * ((1 - fx) * at(y0, x0, c) + fx * at(y0, x0 + 1, c)) +
                               fy * ((1 - fx) * at(y0 + 1, x0, c) + fx * at(y0 + 1, x0 + 1, c));
          patterns.push_back(static_cast<std::int16_t>(std::lround(value * amplitude)));
        }
      }
    }
  }
  return patterns;
}

void mix(const std::int16_t* __restrict pattern, const std::uint8_t* __restrict noise, int contrast, int strength,
         std::uint8_t* __restrict out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const int uniform = noise[i] * 2 - 255;  // odd numbers from -255 to 255
    out[i] = static_cast<std::uint8_t>(std::clamp(128 + (pattern[i] * contrast >> 8) + (uniform * strength >> 8), 0, 255));
  }
}

class SyntheticSet final : public Dataset {
 public:
  SyntheticSet(const Params& options, std::int64_t size, std::uint64_t seed, std::uint64_t half,
               std::shared_ptr<const std::vector<std::int16_t>> patterns)
      : shape_{options.integer("height"), options.integer("width"), options.integer("channels")},
        classes_(options.integer("classes")),
        size_(size),
        seed_(seed),
        half_(half),
        noise_(static_cast<int>(std::lround(options.real("noise") * amplitude))),
        patterns_(std::move(patterns)),
        names_(numbered_classes(classes_)) {}

  std::int64_t size() const override { return size_; }
  Shape shape() const override { return shape_; }
  std::int64_t classes() const override { return classes_; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::int32_t label(std::int64_t id) const override { return static_cast<std::int32_t>(id % classes_); }
  std::vector<float> default_mean() const override { return std::vector<float>(static_cast<std::size_t>(shape_.channels()), 0.5f); }
  std::vector<float> default_stddev() const override { return std::vector<float>(static_cast<std::size_t>(shape_.channels()), 0.25f); }

  void read(std::int64_t id, std::span<std::uint8_t> out) const override {
    const std::uint64_t key = stream_key(seed_, "synthetic sample", half_, static_cast<std::uint64_t>(id));
    const std::int16_t* pattern = patterns_->data() + static_cast<std::int64_t>(label(id)) * shape_.elements();
    const int contrast = 128 + static_cast<int>(philox({0, 0, 1, 0}, key)[0] >> 25);  // 0.5 to 1, in 256ths
    // First random bytes, 16 from each Philox block, then the pixels: apart, the second loop becomes vector code.
    std::array<std::uint8_t, 256> noise;
    for (std::size_t begin = 0; begin < out.size(); begin += noise.size()) {
      const std::size_t count = std::min(noise.size(), out.size() - begin);
      for (std::size_t at = 0; at < count; at += 16) {
        const auto block = philox({static_cast<std::uint32_t>((begin + at) / 16), 0, 0, 0}, key);
        for (std::size_t i = 0; i < 16; ++i) noise[at + i] = static_cast<std::uint8_t>(block[i / 4] >> (8 * (i % 4)));
      }
      mix(pattern + begin, noise.data(), contrast, noise_, out.data() + begin, count);
    }
  }

 private:
  Shape shape_;
  std::int64_t classes_, size_;
  std::uint64_t seed_, half_;
  int noise_;
  std::shared_ptr<const std::vector<std::int16_t>> patterns_;
  std::vector<std::string> names_;
};

DataShape shape(const Params& options) {
  return {{options.integer("height"), options.integer("width"), options.integer("channels")},
          options.integer("classes"),
          options.integer("train_size"),
          options.integer("test_size")};
}

Split open(const Params& options, std::uint64_t seed) {
  const DataShape all = shape(options);
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (all.classes * all.shape.elements() > most) {
    throw ConfigError("data: " + std::to_string(all.classes) + " classes of " + all.shape.text() +
                      " values are too many for the synthetic source; classes x height x width x channels is at most " +
                      std::to_string(most));
  }
  const auto patterns = std::make_shared<const std::vector<std::int16_t>>(draw_patterns(all.shape, all.classes, seed));
  return {std::make_shared<SyntheticSet>(options, all.train_size, seed, 0, patterns),
          std::make_shared<SyntheticSet>(options, all.test_size, seed, 1, patterns)};
}

}  // namespace

namespace sources {
extern const Source synthetic;
constinit const Source synthetic = {
    {"synthetic", "Synthetic images", "", "A learnable set of any size, drawn from the run's seed: one pattern a class, under noise.",
     parameters},
    &open,
    &shape};
}  // namespace sources

}  // namespace syncline
