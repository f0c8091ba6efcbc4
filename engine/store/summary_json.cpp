// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engine/store/emulation.h"
#include "engine/store/summary.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

// UTC with milliseconds, RFC 3339.
std::string utc_text(double when) {
  const auto milliseconds = static_cast<std::int64_t>(std::llround(when * 1000));
  const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text, milliseconds % 1000);
}

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_floating_point_v<Value>) {
    if (!std::isfinite(*value)) return nullptr;
  }
  return *value;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Calls visit(name, member of the summary) for every key, in the contract's order; used to write and to read.
template <typename AnySummary, typename Visit>
void each_key(AnySummary& s, Visit&& visit) {
  visit("steps", s.steps), visit("epochs", s.epochs), visit("samples", s.samples);
  visit("final_train_loss", s.final_train_loss), visit("final_test_accuracy", s.final_test_accuracy);
  visit("best_test_accuracy", s.best_test_accuracy), visit("time_to_target_s", s.time_to_target_s);
  visit("wall_s", s.wall_s), visit("samples_per_s", s.samples_per_s), visit("step_s", s.step_s);
  visit("forward_s", s.forward_s), visit("backward_s", s.backward_s), visit("update_s", s.update_s);
  visit("data_wait_s", s.data_wait_s), visit("comm_s", s.comm_s), visit("exposed_comm_s", s.exposed_comm_s);
  visit("hidden_comm_fraction", s.hidden_comm_fraction), visit("hidden_transfer_fraction", s.hidden_transfer_fraction);
  visit("blocked_s", s.blocked_s), visit("peer_wait_s", s.peer_wait_s), visit("transfer_s", s.transfer_s);
  visit("compute_inflation", s.compute_inflation), visit("step_without_comm_s", s.step_without_comm_s);
  visit("emulation_overrun", s.emulation_overrun), visit("bytes_sent_per_step_per_worker", s.bytes_sent_per_step_per_worker);
  visit("messages_per_step_per_worker", s.messages_per_step_per_worker), visit("peak_memory_bytes", s.peak_memory_bytes);
  visit("gradients", s.gradients), visit("updates", s.updates), visit("skipped_steps", s.skipped_steps);
  visit("staleness_mean", s.staleness_mean), visit("staleness_max", s.staleness_max);
  visit("compute_s", s.compute_s), visit("other_s", s.other_s), visit("waiting_s", s.waiting_s);
  visit("step_sum_error_s", s.step_sum_error_s), visit("slowest_rank", s.slowest_rank);
  visit("cpu_share", s.cpu_share), visit("network_sent_bytes_per_s", s.network_sent_bytes_per_s);
  visit("network_received_bytes_per_s", s.network_received_bytes_per_s);
  visit("goodput_samples_per_s", s.goodput_samples_per_s);
}

}  // namespace

Json to_json(const Summary& summary) {
  Json json = Json::object();
  each_key(summary, [&](const char* name, const auto& value) { json[name] = json_of(value); });
  json["warm_up_steps"] = summary.warm_up_steps;
  json["times_withheld"] = text_or_null(times_withheld(summary).value_or(""));
  return json;
}

Summary summary_from_json(const Json& json) {
  Summary summary;
  each_key(summary, [&](const char* name, auto& value) {
    using Value = typename std::decay_t<decltype(value)>::value_type;
    if (const auto found = json.find(name); found != json.end() && found->is_number()) value = found->template get<Value>();
  });
  if (const auto found = json.find("warm_up_steps"); found != json.end() && found->is_number_integer()) {
    summary.warm_up_steps = found->get<std::int64_t>();
  }
  return summary;
}

std::span<const SummaryMetric> compared_metrics() {
  using M = SummaryMetric;
  static constexpr M metrics[] = {
      {"final_train_loss", "train loss", M::lower, M::plain},
      {"final_test_accuracy", "test accuracy", M::higher, M::accuracy},
      {"best_test_accuracy", "best test accuracy", M::higher, M::accuracy},
      {"time_to_target_s", "time to target", M::lower, M::duration},
      {"samples_per_s", "samples/s", M::higher, M::count},
      {"goodput_samples_per_s", "goodput, samples/s", M::higher, M::count},
      {"step_s", "step", M::lower, M::duration},
      {"compute_s", "compute", M::lower, M::duration},
      {"comm_s", "communication", M::neither, M::duration},
      {"exposed_comm_s", "exposed communication", M::lower, M::duration},
      {"hidden_transfer_fraction", "hidden transfer", M::higher, M::share},
      {"blocked_s", "blocked", M::lower, M::duration},
      {"compute_inflation", "compute inflation", M::lower, M::share},
      {"bytes_sent_per_step_per_worker", "sent per step", M::neither, M::bytes},
      {"wall_s", "wall time", M::lower, M::duration},
  };
  return metrics;
}

std::vector<std::string> summary_keys() {
  std::vector<std::string> keys;
  const Summary any;
  each_key(any, [&](const char* name, const auto&) { keys.emplace_back(name); });
  keys.emplace_back("warm_up_steps");
  return keys;
}

std::optional<SummaryMetric> summary_metric(std::string_view key) {
  for (const SummaryMetric& metric : compared_metrics()) {
    if (metric.key == key) return metric;
  }
  static const std::vector<std::string> keys = summary_keys();
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found == keys.end()) return std::nullopt;
  using M = SummaryMetric;
  const M::Quantity quantity = key.ends_with("_fraction") || key.ends_with("_share") || key == "emulation_overrun" ? M::share
                               : key.ends_with("_per_s")                                                           ? M::rate
                               : key.ends_with("_s")                                                               ? M::duration
                               : key.find("bytes") != std::string_view::npos                                       ? M::bytes
                                                                                                                   : M::plain;
  return SummaryMetric{*found, *found, M::neither, quantity};
}

std::optional<double> value_of(const Summary& summary, std::string_view key) {
  if (key == "warm_up_steps") return static_cast<double>(summary.warm_up_steps);
  std::optional<double> result;
  each_key(summary, [&](std::string_view name, const auto& value) {
    if (name == key && value && std::isfinite(static_cast<double>(*value))) result = static_cast<double>(*value);
  });
  return result;
}

Json run_json(const RunInfo& run, bool with_experiment) {
  Json json = Json::object();
  json["id"] = run.id;
  json["name"] = run.name;
  json["state"] = run.state;
  json["reason"] = text_or_null(run.reason);
  json["started"] = run.started ? Json(utc_text(*run.started)) : Json(nullptr);
  json["ended"] = run.ended ? Json(utc_text(*run.ended)) : Json(nullptr);
  json["resumed_from"] = text_or_null(run.resumed_from);
  json["kind"] = run.kind;
  json["workers"] = run.workers;
  json["servers"] = run.servers;
  json["device"] = run.device;
  json["strategy"] = run.strategy;
  json["model"] = run.model;
  json["dataset"] = run.dataset;
  if (with_experiment) json["experiment"] = run.experiment;
  json["host"] = run.host;
  json["version"] = run.version;
  json["seed"] = run.seed;
  json["threads_per_worker"] = run.threads_per_worker;
  json["emulated"] = run.emulated;
  json["plan"] = text_or_null(run.plan);
  json["attempt"] = run.attempt;
  json["attempt_of"] = text_or_null(run.attempt_of);
  json["group_key"] = run.group_key;
  json["created"] = utc_text(run.created);
  json["heartbeat"] = run.heartbeat ? Json(utc_text(*run.heartbeat)) : Json(nullptr);
  json["exit_code"] = json_of(run.exit_code);
  json["backend"] = text_or_null(run.backend);
  json["tags"] = run.tags;
  json["notes"] = text_or_null(run.notes);
  json["starred"] = run.starred;
  json["trashed"] = run.trashed;
  if (with_experiment) {
    json["environment"] = run.environment;
    json["command"] = run.command;
  }
  return json;
}

Json show_json(Reader& reader, const RunInfo& run) {
  Json json = Json::object();
  json["run"] = run_json(run, true);
  json["summary"] = to_json(summarise(reader, run));
  return json;
}

Json runs_json(Reader& reader, const std::vector<RunInfo>& runs) {
  Json list = Json::array();
  for (const RunInfo& run : runs) {
    Json one = run_json(run, false);
    one["summary"] = to_json(summarise(reader, run));
    list.push_back(std::move(one));
  }
  Json json = Json::object();
  json["runs"] = std::move(list);
  return json;
}

}  // namespace syncline
