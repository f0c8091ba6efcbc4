// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/layer_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/experiment/experiment.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

// The numbers of a list; ConfigError for anything else.
std::vector<double> times(const Json& document, const char* key, const std::string& name) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array())
    throw ConfigError(fmt::format("the profile {} has no list {}: it needs forward_s and backward_s, in seconds by layer", name, key));
  std::vector<double> values;
  for (const Json& each : *found) {
    if (!each.is_number())
      throw ConfigError(fmt::format("the profile {}: {} must hold numbers of seconds, not {}", name, key, each.dump()));
    values.push_back(each.get<double>());
  }
  return values;
}

}  // namespace

double LayerProfile::forward_of(std::size_t layer) const {
  return forward_s.size() == layer_count() ? forward_s.at(layer) : sum(forward_s) / static_cast<double>(layer_count());
}
double LayerProfile::whole_forward_s() const { return sum(forward_s); }
double LayerProfile::whole_backward_s() const { return sum(backward_s); }

std::string problem_with_profile(const LayerProfile& profile) {
  if (profile.backward_s.empty()) return "backward_s is empty; it needs one time for each layer";
  if (profile.forward_s.size() != 1 && profile.forward_s.size() != profile.backward_s.size())
    return fmt::format("forward_s has {} values and backward_s {}; both need one for each layer (forward_s may have a single one for all)",
                       profile.forward_s.size(), profile.backward_s.size());
  if (!profile.layers.empty() && profile.layers.size() != profile.backward_s.size())
    return fmt::format("layers has {} names and backward_s {} values", profile.layers.size(), profile.backward_s.size());
  if (!profile.elements.empty() && profile.elements.size() != profile.backward_s.size())
    return fmt::format("elements has {} values and backward_s {}; both need one for each layer", profile.elements.size(),
                       profile.backward_s.size());
  if (std::any_of(profile.elements.begin(), profile.elements.end(), [](std::int64_t count) { return count < 1; }))
    return "its elements must be at least 1";
  const bool all = std::all_of(profile.forward_s.begin(), profile.forward_s.end(), is_time) &&
                   std::all_of(profile.backward_s.begin(), profile.backward_s.end(), is_time) && is_time(profile.update_s);
  if (!all) return "its times must be at least 0 seconds";
  if (profile.compute_s() <= 0) return "all of its times are 0, so there is nothing to keep to";
  if (profile.batch < 0) return "its batch must be at least 1 sample";
  return {};
}

Json to_json(const LayerProfile& profile) {
  Json document = {{"syncline", "profile"}};
  if (!profile.model.empty()) document["model"] = profile.model;
  if (!profile.source.empty()) document["source"] = profile.source;
  if (profile.batch > 0) document["batch"] = profile.batch;
  if (!profile.layers.empty()) document["layers"] = profile.layers;
  if (!profile.elements.empty()) document["elements"] = profile.elements;
  document["forward_s"] = profile.forward_s;
  document["backward_s"] = profile.backward_s;
  document["update_s"] = profile.update_s;
  return document;
}

LayerProfile profile_from_json(std::string_view text, const std::string& name) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object())
    throw ConfigError(fmt::format("the profile {} is no JSON object; 'export RUN --format profile' writes one from a traced run", name));
  LayerProfile profile;
  profile.forward_s = times(document, "forward_s", name);
  profile.backward_s = times(document, "backward_s", name);
  const auto misfit = [&](const char* key, const char* right) {
    throw ConfigError(fmt::format("the profile {}: {} must be {}, not {}", name, key, right, document.at(key).dump()));
  };
  if (document.contains("update_s")) {
    if (!document["update_s"].is_number()) misfit("update_s", "a number of seconds");
    profile.update_s = document["update_s"].get<double>();
  }
  if (document.contains("elements")) {
    const Json& elements = document["elements"];
    if (!elements.is_array() || !std::all_of(elements.begin(), elements.end(), [](const Json& each) { return each.is_number_integer(); }))
      misfit("elements", "a list of whole numbers");
    profile.elements = elements.get<std::vector<std::int64_t>>();
  }
  if (document.contains("batch")) {
    if (!document["batch"].is_number_integer()) misfit("batch", "a whole number of samples");
    profile.batch = document["batch"].get<std::int64_t>();
  }
  for (auto [key, member] : {std::pair{"model", &LayerProfile::model}, {"source", &LayerProfile::source}}) {
    if (!document.contains(key)) continue;
    if (!document[key].is_string()) misfit(key, "a text");
    profile.*member = document[key].get<std::string>();
  }
  if (document.contains("layers")) {
    const Json& layers = document["layers"];
    if (!layers.is_array() || !std::all_of(layers.begin(), layers.end(), [](const Json& each) { return each.is_string(); }))
      misfit("layers", "a list of names");
    profile.layers = layers.get<std::vector<std::string>>();
  }
  if (const std::string problem = problem_with_profile(profile); !problem.empty())
    throw ConfigError(fmt::format("the profile {}: {}", name, problem));
  return profile;
}

LayerProfile read_profile_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || text.fail())
    throw ConfigError(fmt::format("cannot read the profile {}; 'export RUN --format profile --output {}' writes one from a traced run",
                                  path.string(), path.string()));
  return profile_from_json(text.str(), path.string());
}

bool names_profile_file(std::string_view text) { return text.ends_with(".json") || text.find('/') != std::string_view::npos; }

double pace_factor(const ClusterSpec& cluster, std::int64_t worker, std::int64_t step) {
  double factor = cluster.time_scale * cluster.slowdown_of(worker);
  if (cluster.jitter_std <= 0) return factor;
  const double variance = std::log1p(cluster.jitter_std * cluster.jitter_std);
  RandomStream stream(cluster.jitter_seed, "jitter", static_cast<std::uint64_t>(worker), static_cast<std::uint64_t>(step));
  return factor * std::exp(std::sqrt(variance) * stream.normal() - variance / 2);
}

void scale_links(ClusterSpec& cluster) {
  for (LinkSpec& link : cluster.links) {
    link.bandwidth_bytes_per_s /= cluster.time_scale;
    link.bandwidth_back_bytes_per_s /= cluster.time_scale;
    link.latency_s *= cluster.time_scale;
  }
}

}  // namespace syncline
