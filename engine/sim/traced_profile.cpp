// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/traced_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/metrics/statistics.h"
#include "engine/plan/link_fit.h"

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
  std::vector<double> forward_s, update_s;        // one per step
  std::map<int, std::vector<double>> backward_s;  // by layer
  std::vector<LinkSample> exchanges;
  double compute_s() const { return forward_s.empty() ? 0 : median(forward_s); }
};

void add_step(const StepTrace& trace, LayerTimes& times) {
  double forward = 0, update = 0;
  std::map<int, double> backward;
  for (const Span& span : trace.spans) {
    const double duration = span.end_s - span.start_s;
    if (span.kind == SpanKind::forward) forward += duration;
    if (span.kind == SpanKind::update) update += duration;
    if (span.kind == SpanKind::backward) backward[span.id] += duration;
  }
  times.forward_s.push_back(forward);
  times.update_s.push_back(update);
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

LinkCost fitted_exchange(const LayerTimes& times) {
  std::map<double, std::vector<double>> by_size;
  for (const LinkSample& sample : times.exchanges) by_size[sample.bytes].push_back(sample.seconds);
  std::vector<LinkSample> samples;
  for (auto& [bytes, seconds] : by_size) samples.push_back({bytes, median(seconds)});
  if (samples.empty()) return {};
  if (samples.size() == 1) return {0, samples[0].seconds / samples[0].bytes, 0};
  return fit_link(samples).cost;
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

Profile traced_profile(Reader& reader, const RunInfo& run, std::span<const LayerSlice> slices, const Experiment& experiment) {
  const std::vector<int> layers = recorded_layers(reader, run, slices);
  const std::map<int, LayerTimes> by_rank = read_times(reader, run);
  const LayerTimes* slowest = nullptr;
  for (const auto& [rank, times] : by_rank) {
    if (slowest == nullptr || times.compute_s() > slowest->compute_s()) slowest = &times;
  }
  if (slowest == nullptr || slowest->forward_s.size() < fewest_steps) {
    throw ConfigError(fmt::format("run {} has fewer than {} traced steps after its first {}: a profile needs a longer run", run.id,
                                  fewest_steps, first_steps));
  }
  Profile profile;
  profile.forward_s = median(slowest->forward_s);
  profile.update_s = median(slowest->update_s);
  profile.backward_s.assign(slices.size(), 0);
  // Backward runs from the highest layer down; a layer without parameters is charged to the next slice to become final.
  for (const auto& [layer, times] : slowest->backward_s) {
    std::size_t charged = slices.size() - 1;  // below the last slice: nothing waits for it, but the step does
    for (std::size_t slice = slices.size(); slice-- > 0;) {
      if (layers[slice] <= layer) charged = slice;
    }
    profile.backward_s[charged] += median(times);
  }
  const ClusterSpec& cluster = experiment.cluster;
  profile.allreduce = cluster.emulate_link && cluster.links.size() == 1 ? emulated_allreduce(cluster.links.front(), cluster.workers)
                                                                        : fitted_exchange(*slowest);
  return profile;
}

}  // namespace syncline
