// SPDX-License-Identifier: Apache-2.0
// Times of one training step of one worker, layer by layer: what paced and emulated workers keep to, and what predictions start from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

struct ClusterSpec;

// Layers are those that a step times: in the order of forward, an activation that the layer before applies itself not counted
// (timed_layers() in engine/sim/profiles.h names them). Seconds.
struct LayerProfile {
  std::string model;                // as rows of runs name it; empty: not said
  std::string source;               // the run whose traces were read; empty: not said
  std::int64_t batch = 0;           // samples of the step that was timed; 0: not said
  std::vector<std::string> layers;  // names; empty: not said
  std::vector<double> forward_s;    // one per layer, or a single one for the whole pass
  std::vector<double> backward_s;   // one per layer; what comes before the last layer's backward (the loss) is that layer's
  double update_s = 0;
  // Of the gradient of each layer, where the times are those of a model of their own, which only predictions take; empty: of the
  // experiment's model.
  std::vector<std::int64_t> elements = {};

  std::size_t layer_count() const { return backward_s.size(); }
  double forward_of(std::size_t layer) const;  // a single time is shared equally
  double whole_forward_s() const;
  double whole_backward_s() const;
  double compute_s() const { return whole_forward_s() + whole_backward_s() + update_s; }
  bool operator==(const LayerProfile&) const = default;
};

// What is wrong with the numbers, as "forward_s has ..."; empty: nothing.
std::string problem_with_profile(const LayerProfile&);

// The file: {"syncline": "profile", "model", "source", "batch", "layers", "elements", "forward_s", "backward_s", "update_s"}; the two lists
// of times are required. Reading throws ConfigError with one sentence.
nlohmann::ordered_json to_json(const LayerProfile&);
LayerProfile profile_from_json(std::string_view text, const std::string& name);
LayerProfile read_profile_file(const std::filesystem::path&);
// Of a text in cluster.profile: a file, not a run.
bool names_profile_file(std::string_view);

// What the times of worker `worker` in step `step` are multiplied with: time_scale x slowdown x jitter. Jitter is lognormal with mean 1 and
// the relative standard deviation asked for, a pure function of (jitter seed, worker, step).
double pace_factor(const ClusterSpec&, std::int64_t worker, std::int64_t step);
// Multiplies the times of all links with time_scale: latencies with it, bandwidths with its inverse.
void scale_links(ClusterSpec&);

}  // namespace syncline
