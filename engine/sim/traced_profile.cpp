// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/traced_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/experiment/topology.h"
#include "engine/metrics/statistics.h"
#include "engine/plan/link_fit.h"
#include "engine/sim/profiles.h"
#include "engine/sim/schema.h"

namespace syncline {
namespace {

constexpr std::int64_t first_steps = 5;
constexpr std::size_t fewest_steps = 3;

// The layer, as the run's spans count layers, that completes each slice; by arena order.
std::vector<int> recorded_layers(Reader& reader, const RunInfo& run, std::span<const LayerSlice> slices) {
  const nlohmann::json document = nlohmann::json::parse(reader.document(run.id, "slices").value_or(""), nullptr, false);
  if (!document.is_array()) throw ConfigError(fmt::format("run {} has no layer times: it did not record its layers", run.id));
  std::vector<int> layers;
  for (const nlohmann::json& slice : document) {
    const std::size_t index = layers.size();
    if (index >= slices.size() || slice.value("name", "") != slices[index].name ||
        slice.value("count", std::int64_t{0}) != slices[index].count) {
      break;
    }
    layers.push_back(slice.value("layer", -1));
  }
  if (layers.size() != slices.size() || document.size() != slices.size()) {
    throw ConfigError(fmt::format("run {} is of another model than this experiment: a profile needs the same layers", run.id));
  }
  return layers;
}

struct LayerTimes {
  std::vector<double> whole_forward_s, update_s;             // one per step
  std::map<int, std::vector<double>> forward_s, backward_s;  // by layer
  std::vector<LinkSample> exchanges;
  double compute_s() const { return whole_forward_s.empty() ? 0 : median(whole_forward_s); }
};

void add_step(const StepTrace& trace, LayerTimes& times) {
  double whole = 0, update = 0;
  std::map<int, double> forward, backward;
  for (const Span& span : trace.spans) {
    const double duration = span.end_s - span.start_s;
    if (span.kind == SpanKind::update) update += duration;
    if (span.kind == SpanKind::backward) backward[span.id] += duration;
    if (span.kind != SpanKind::forward) continue;
    whole += duration;
    forward[span.id] += duration;
  }
  times.whole_forward_s.push_back(whole);
  times.update_s.push_back(update);
  for (const auto& [layer, duration] : forward) times.forward_s[layer].push_back(duration);
  for (const auto& [layer, duration] : backward) times.backward_s[layer].push_back(duration);
}

// Transfer times of the exchanges of one step: from the last rank's issue to this rank's end.
void add_exchanges(const StepTrace& trace, const LastIssues& issues, LayerTimes& times) {
  for (const ExchangeRecord& exchange : trace.exchanges) {
    const auto last = issues.find(exchange.sequence);
    const double begin = last == issues.end() ? exchange.issued_s : std::max(exchange.issued_s, last->second);
    if (exchange.bytes > 0 && exchange.done_s > begin)
      times.exchanges.push_back({static_cast<double>(exchange.bytes), exchange.done_s - begin});
  }
}

std::map<int, LayerTimes> read_times(Reader& reader, const RunInfo& run) {
  std::map<std::int64_t, std::vector<StepTrace>> steps;
  for (const Reader::TraceInfo& info : reader.traces(run.id)) {
    if (info.step < first_steps) continue;
    if (auto trace = reader.trace(run.id, info.step, info.rank)) steps[info.step].push_back(*std::move(trace));
  }
  std::map<int, LayerTimes> times;
  for (const auto& [step, traces] : steps) {
    const LastIssues issues = last_issues(traces);
    for (const StepTrace& trace : traces) {
      add_step(trace, times[trace.rank]);
      add_exchanges(trace, issues, times[trace.rank]);
    }
  }
  return times;
}

struct Slowest {
  int rank = 0;
  LayerTimes times;
};

Slowest slowest_rank(Reader& reader, const RunInfo& run) {
  std::map<int, LayerTimes> by_rank = read_times(reader, run);
  auto slowest = by_rank.begin();
  for (auto each = by_rank.begin(); each != by_rank.end(); ++each) {
    if (each->second.compute_s() > slowest->second.compute_s()) slowest = each;
  }
  if (by_rank.empty() || slowest->second.whole_forward_s.size() < fewest_steps) {
    throw ConfigError(fmt::format("run {} has fewer than {} traced steps after its first {}: a profile needs a longer run", run.id,
                                  fewest_steps, first_steps));
  }
  return {slowest->first, std::move(slowest->second)};
}

LayerProfile profile_of(const LayerTimes& times) {
  LayerProfile profile;
  const auto put = [](std::vector<double>& list, int layer, double seconds) {
    if (list.size() <= static_cast<std::size_t>(layer)) list.resize(static_cast<std::size_t>(layer) + 1, 0);
    list[static_cast<std::size_t>(layer)] = seconds;
  };
  for (const auto& [layer, seconds] : times.forward_s) put(profile.forward_s, layer, median(seconds));
  for (const auto& [layer, seconds] : times.backward_s) put(profile.backward_s, layer, median(seconds));
  profile.forward_s.resize(profile.backward_s.size(), 0);
  profile.update_s = median(times.update_s);
  return profile;
}

LinkCost fitted_exchange(const LayerTimes& times) {
  std::map<double, std::vector<double>> by_size;
  for (const LinkSample& sample : times.exchanges) by_size[sample.bytes].push_back(sample.seconds);
  std::vector<LinkSample> samples;
  for (auto& [bytes, seconds] : by_size) samples.push_back({bytes, median(seconds)});
  if (samples.empty()) return {};
  if (samples.size() == 1) return {0, samples[0].seconds / samples[0].bytes, 0};
  return fit_link(samples).cost;
}

LinkCost cost_of_exchange(const LayerTimes& times, const ClusterSpec& cluster) {
  return cluster.emulate_link ? emulated_allreduce(cluster) : fitted_exchange(times);
}

}  // namespace

Plan recorded_plan(Reader& reader, const RunInfo& run, std::span<const LayerSlice> slices) {
  const nlohmann::json groups = nlohmann::json::parse(reader.document(run.id, "plan").value_or(""), nullptr, false);
  if (!groups.is_array() || groups.empty()) throw ConfigError(fmt::format("run {} recorded no plan", run.id));
  std::vector<int> first;
  int next = 0;
  for (const nlohmann::json& group : groups) {
    first.push_back(next);
    next += static_cast<int>(group.value("layers", nlohmann::json::array()).size());
  }
  if (next != static_cast<int>(slices.size())) throw ConfigError(fmt::format("run {} is of another model than this experiment", run.id));
  return Plan(slices, first);
}

LinkCost emulated_allreduce(const LinkSpec& link, std::int64_t ranks) {
  if (ranks < 2) return {};
  const double share = 2.0 * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  return {2 * link.latency_s, link.bandwidth_bytes_per_s > 0 ? share / link.bandwidth_bytes_per_s : 0, 0};
}

LinkCost emulated_allreduce(const ClusterSpec& cluster) {
  if (cluster.links.empty()) return {};
  if (cluster.nodes.empty()) return emulated_allreduce(cluster.links.front(), cluster.workers);
  const Topology topology(cluster);
  const auto workers = static_cast<int>(cluster.workers);
  std::map<Topology::Hop::Lane, double> busy_s;  // seconds a byte
  LinkCost cost{};
  for (int from = 0; from < workers; ++from) {
    for (int to = 0; to < workers; ++to) {
      if (from == to) continue;
      cost.latency_s = std::max(cost.latency_s, 2 * topology.latency_s(from, to));
      for (const Topology::Hop& hop : topology.route(from, to)) {
        if (hop.bytes_per_s == 0) continue;
        double& busy = busy_s[hop.lane(from, to)];
        busy += 1 / (workers * hop.bytes_per_s);
        cost.per_byte_s = std::max(cost.per_byte_s, 2 * busy);
      }
    }
  }
  return cost;
}

LayerProfile layer_profile(Reader& reader, const RunInfo& run) {
  if (std::find(run.emulated.begin(), run.emulated.end(), "compute") != run.emulated.end())
    throw ConfigError(fmt::format("run {} was paced or emulated itself: its layer times are those of its own profile", run.id));
  const Slowest slowest = slowest_rank(reader, run);
  LayerProfile profile = profile_of(slowest.times);
  profile.model = run.model;
  profile.source = run.id;
  const Parsed parsed = parse_experiment(run.experiment, run.id, catalogue());
  if (!parsed.experiment) return profile;  // of a version with other keys
  profile.batch = parsed.experiment->batch_of(slowest.rank);
  try {
    profile.layers = timed_layers(*parsed.experiment);
  } catch (const Error&) {  // its data is not here any more: the times are
  }
  if (profile.layers.size() != profile.layer_count()) profile.layers.clear();
  return profile;
}

Profile traced_profile(Reader& reader, const RunInfo& run, std::span<const LayerSlice> slices, const Experiment& experiment) {
  const std::vector<int> layers = recorded_layers(reader, run, slices);
  std::vector<LayerSlice> recorded(slices.begin(), slices.end());
  for (std::size_t slice = 0; slice < recorded.size(); ++slice) recorded[slice].layer = layers[slice];
  const Slowest slowest = slowest_rank(reader, run);
  if (const Parsed of_run = parse_experiment(run.experiment, run.id, catalogue()); of_run.experiment) {
    if (const std::string misfit = misfit_of_batch(of_run.experiment->batch_of(slowest.rank), experiment); !misfit.empty())
      throw ConfigError(fmt::format("run {}: {}", run.id, misfit));
  }
  Profile profile = by_slices(profile_of(slowest.times), recorded);
  profile.forward_s = slowest.times.compute_s();
  profile.allreduce = cost_of_exchange(slowest.times, experiment.cluster);
  return profile;
}

LinkCost traced_exchange(Reader& reader, const RunInfo& run, const Experiment& of_run) {
  return cost_of_exchange(slowest_rank(reader, run).times, of_run.cluster);
}

}  // namespace syncline
