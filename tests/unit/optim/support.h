// SPDX-License-Identifier: Apache-2.0
// A small model with odd sizes, and an optimizer over it whose pieces the test keeps.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/optim/optimizer.h"

namespace syncline::testing {

struct FixedRate final : Schedule {
  double rate = 0.1;
  double lr(std::int64_t) const override { return rate; }
};

// Layers of 7 x 5 + 7, 1, 33 (no decay), 3 x 3 + 3 and 20,001 elements: pieces end inside layers, and layers inside pieces.
inline std::vector<LayerSlice> odd_slices() {
  std::vector<LayerSlice> slices(5);
  const std::int64_t counts[] = {42, 1, 33, 12, 20'001};
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i] = {.index = static_cast<int>(i), .name = "layer" + std::to_string(i), .offset = offset, .count = counts[i], .decay = i != 2};
    offset += counts[i];
  }
  slices[0].dense = slices[3].dense = true;
  slices[0].rows = 7, slices[0].cols = 5, slices[3].rows = slices[3].cols = 3;
  return slices;
}

inline Params options(std::map<std::string, Value, std::less<>> given) {
  Params params;
  for (auto& [key, value] : given) params.set(key, value);
  return params;
}

// Parameters, gradients and an optimizer for one list of slices.
struct Bench {
  std::vector<LayerSlice> slices;
  std::int64_t count = 0;
  Vector params, grads;
  FixedRate schedule;
  std::vector<std::string> vector_names, log;
  std::unique_ptr<Optimizer> optimizer;

  explicit Bench(const std::string& name, Params given = {}, int threads = 1, std::vector<LayerSlice> of = odd_slices())
      : slices(std::move(of)) {
    for (const LayerSlice& slice : slices) count += slice.count;
    params = Vector(View::host(count));
    grads = Vector(View::host(count));
    fill(params, 7);
    OptimizerContext context;
    context.slices = slices;
    context.make_vector = [this](std::string_view vector) {
      vector_names.emplace_back(vector);
      return Vector(View::host(count));
    };
    context.schedule = &schedule;
    context.threads = threads;
    context.seed = 11;
    context.log = [this](int, const char* text) { log.emplace_back(text); };
    optimizer = make_optimizer({.name = name, .options = std::move(given)}, std::move(context));
  }

  void fill_gradients(std::uint64_t step) { fill(grads, 100 + step); }
  static void fill(const Vector& vector, std::uint64_t key) {  // uniform in -2..2
    RandomStream random(key, "test");
    for (float& x : vector.all().floats()) x = static_cast<float>(static_cast<std::int32_t>(random.bits())) * 0x1p-30f;
  }
  void run(int steps, double scale = 1) {
    for (int i = 0; i < steps; ++i) {
      fill_gradients(static_cast<std::uint64_t>(optimizer->updates()));
      optimizer->step(params, grads, scale);
    }
  }
};

inline bool same_bits(const View& a, const View& b) {
  return a.count() == b.count() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "syncline-optim-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace syncline::testing
