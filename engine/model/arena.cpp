// SPDX-License-Identifier: Apache-2.0
#include "engine/model/arena.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/random.h"

namespace syncline {
namespace {

// Slices of one layer: a new one where the decay flag changes.
void add_slices(const Node& node, int layer, Arena& arena) {
  NodeArena& own = arena.nodes[static_cast<std::size_t>(layer)];
  own.first_slice = static_cast<int>(arena.slices.size());
  for (const ParameterSpec& parameter : node.parameters) {
    own.parameters.push_back({arena.parameters, parameter.count()});
    const bool first = own.slice_count == 0;
    if (first || arena.slices.back().decay != parameter.decay) {
      arena.slices.push_back({.index = static_cast<int>(arena.slices.size()),
                              .name = first ? node.spec.name : fmt::format("{}.{}", node.spec.name, parameter.name),
                              .offset = arena.parameters,
                              .count = 0,
                              .decay = parameter.decay,
                              .dense = parameter.dense,
                              .rows = parameter.dense ? parameter.dims[0] : 0,
                              .cols = parameter.dense ? parameter.dims[1] : 0,
                              .layer = layer});
      ++own.slice_count;
    }
    arena.slices.back().count += parameter.count();
    arena.parameters += parameter.count();
  }
}

// Box-Muller on pairs of 32-bit uniforms: half the work of RandomStream::normal, for models with 10^8 weights.
void fill_normal(RandomStream& stream, double deviation, std::vector<float>& out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const double u = (static_cast<double>(stream.bits()) + 1) * 0x1p-32, v = static_cast<double>(stream.bits()) * 0x1p-32;
    const double radius = deviation * std::sqrt(-2 * std::log(u)), angle = 6.283185307179586476925 * v;
    out[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < out.size()) out[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

void fill(const ParameterSpec& parameter, ParameterSpec::Init init, RandomStream& stream, std::vector<float>& out) {
  const auto in = static_cast<double>(parameter.fan_in), both = static_cast<double>(parameter.fan_in + parameter.fan_out);
  switch (init) {
    case ParameterSpec::zero:
      std::fill(out.begin(), out.end(), 0.0f);
      break;
    case ParameterSpec::one:
      std::fill(out.begin(), out.end(), 1.0f);
      break;
    case ParameterSpec::he_normal:
      fill_normal(stream, std::sqrt(2 / in), out);
      break;
    case ParameterSpec::normal_002:
      fill_normal(stream, 0.02, out);
      break;
    case ParameterSpec::glorot_uniform:
      for (float& x : out) x = static_cast<float>(std::sqrt(6 / both) * (static_cast<double>(stream.bits()) * 0x1p-31 - 1));
      break;
  }
}

}  // namespace

Arena lay_out(const Structure& model) {
  Arena arena;
  arena.nodes.resize(model.nodes.size());
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const StatisticSpec& statistic : model.nodes[i].statistics) {
      arena.nodes[i].statistics.push_back({arena.statistics, statistic.count});
      arena.statistics += statistic.count;
    }
  }
  for (std::size_t i = model.nodes.size(); i-- > 0;) add_slices(model.nodes[i], static_cast<int>(i), arena);
  return arena;
}

void initialise(const Structure& model, const Arena& arena, Backend& backend, const View& params, const View& statistics,
                std::uint64_t seed) {
  constexpr std::int64_t chunk = 1 << 16;  // even, so that pairs of normals do not straddle two chunks
  std::vector<float> values;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    for (std::size_t p = 0; p < node.parameters.size(); ++p) {
      const ParameterSpec& parameter = node.parameters[p];
      const Range range = arena.nodes[i].parameters[p];
      auto init = parameter.init;
      if (init == ParameterSpec::he_normal && !node.before_relu) init = ParameterSpec::glorot_uniform;
      RandomStream stream(seed, fmt::format("initial {}.{}", node.spec.name, parameter.name));
      for (std::int64_t done = 0; done < range.count; done += chunk) {
        values.resize(static_cast<std::size_t>(std::min(chunk, range.count - done)));
        fill(parameter, init, stream, values);
        backend.copy_in(params.part(range.offset + done, static_cast<std::int64_t>(values.size())), values);
      }
    }
    for (std::size_t s = 0; s < node.statistics.size(); ++s) {
      const Range range = arena.nodes[i].statistics[s];
      backend.fill(statistics.part(range.offset, range.count), node.statistics[s].initial);
    }
  }
}

}  // namespace syncline
