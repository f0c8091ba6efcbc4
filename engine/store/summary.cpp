// SPDX-License-Identifier: Apache-2.0
#include "engine/store/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/metrics/statistics.h"
#include "engine/store/attempts.h"
#include "engine/store/emulation.h"
#include "engine/store/level_of_detail.h"

namespace syncline {
namespace {

// One rank's steps without those that a restart did again.
std::vector<StepSums> effective_steps(Reader& reader, std::string_view run_id, int rank, std::int64_t from = 0,
                                      std::int64_t to = INT64_MAX) {
  std::vector<StepSums> kept;
  for (const StepSums& sums : reader.steps(run_id, rank, from, to)) {
    while (!kept.empty() && kept.back().axes.step >= sums.axes.step) kept.pop_back();
    kept.push_back(sums);
  }
  return kept;
}

struct Lane {
  int rank = 0;
  std::vector<StepSums> steps;
  std::size_t warm_up = 0;
  double median_step_s = 0;
};

std::vector<double> after_warm_up(const Lane& lane, double StepSums::*member) {
  std::vector<double> values;
  for (std::size_t i = lane.warm_up; i < lane.steps.size(); ++i) values.push_back(lane.steps[i].*member);
  return values;
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

std::optional<double> median_of(const Lane& lane, double StepSums::*member) { return finite(median(after_warm_up(lane, member))); }

std::vector<Lane> lanes_of(Reader& reader, const RunInfo& run) {
  std::vector<Lane> lanes;
  for (const int rank : reader.ranks(run.id)) {
    Lane lane;
    lane.rank = rank;
    lane.steps = effective_steps(reader, run.id, rank);
    std::vector<double> times;
    for (const StepSums& sums : lane.steps) times.push_back(sums.step_s);
    lane.warm_up = warm_up_steps(times);
    lane.median_step_s = median(after_warm_up(lane, &StepSums::step_s));
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

void add_times(Summary& summary, const Lane& lane) {
  summary.slowest_rank = lane.rank;
  summary.warm_up_steps = static_cast<std::int64_t>(lane.warm_up);
  summary.step_s = median_of(lane, &StepSums::step_s);
  summary.forward_s = median_of(lane, &StepSums::forward_s);
  summary.backward_s = median_of(lane, &StepSums::backward_s);
  summary.update_s = median_of(lane, &StepSums::update_s);
  summary.data_wait_s = median_of(lane, &StepSums::data_wait_s);
  summary.comm_s = median_of(lane, &StepSums::comm_s);
  summary.exposed_comm_s = median_of(lane, &StepSums::exposed_s);
  summary.blocked_s = median_of(lane, &StepSums::blocked_s);
  summary.compute_s = median_of(lane, &StepSums::compute_s);
  summary.other_s = median_of(lane, &StepSums::other_s);
  if (summary.step_s && summary.compute_s && summary.exposed_comm_s && summary.other_s) {
    summary.step_sum_error_s = *summary.step_s - (*summary.compute_s + *summary.exposed_comm_s + *summary.other_s);
  }
  if (summary.comm_s.value_or(0) > 0) summary.hidden_comm_fraction = 1 - *summary.exposed_comm_s / *summary.comm_s;

  // Waiting for peers: only over the steps in which their issue times were known, and only when those are most of them.
  Lane separated;
  for (std::size_t i = lane.warm_up; i < lane.steps.size(); ++i) {
    const StepSums& sums = lane.steps[i];
    if (sums.is(step_peer_wait_known) || sums.is(step_peer_wait_estimated)) separated.steps.push_back(sums);
  }
  if (separated.steps.empty() || 2 * separated.steps.size() < lane.steps.size() - lane.warm_up) return;
  summary.peer_wait_s = median_of(separated, &StepSums::peer_wait_s);
  summary.transfer_s = median_of(separated, &StepSums::transfer_s);
  summary.waiting_s = median_of(separated, &StepSums::waiting_s);
  const std::optional<double> hidden = median_of(separated, &StepSums::hidden_transfer_s);
  if (summary.transfer_s.value_or(0) > 0) summary.hidden_transfer_fraction = *hidden / *summary.transfer_s;
}

void add_rates(Summary& summary, const std::vector<Lane>& lanes, const Lane& slowest) {
  if (slowest.warm_up >= slowest.steps.size()) return;
  // By time, not by step number: in asynchronous runs the workers' steps do not go together.
  const double from_s = slowest.warm_up > 0 ? slowest.steps[slowest.warm_up - 1].axes.active_s
                                            : slowest.steps.front().axes.active_s - slowest.steps.front().step_s;
  double samples = 0, bytes = 0, messages = 0, steps = 0, until_s = from_s;
  for (const Lane& lane : lanes) {
    for (const StepSums& sums : lane.steps) {
      if (sums.axes.active_s <= from_s) continue;
      samples += static_cast<double>(sums.samples);
      bytes += static_cast<double>(sums.bytes_sent);
      messages += static_cast<double>(sums.messages);
      ++steps;
      until_s = std::max(until_s, sums.axes.active_s);
    }
  }
  if (steps == 0) return;
  if (until_s > from_s && samples > 0) summary.samples_per_s = samples / (until_s - from_s);
  summary.bytes_sent_per_step_per_worker = bytes / steps;
  summary.messages_per_step_per_worker = messages / steps;
}

void add_counts(Summary& summary, const std::vector<Lane>& lanes) {
  std::int64_t steps = 0, samples = 0, gradients = 0, updates = 0, skipped = 0;
  double epochs = 0, elapsed_s = 0;
  for (const Lane& lane : lanes) {
    std::int64_t lane_updates = 0, lane_skipped = 0;
    for (const StepSums& sums : lane.steps) {
      steps = std::max(steps, sums.axes.step + 1);
      samples = std::max(samples, sums.axes.samples);
      elapsed_s = std::max(elapsed_s, sums.axes.elapsed_s);
      epochs = std::max(epochs, sums.axes.epoch);
      gradients = std::max(gradients, sums.axes.gradients);
      lane_updates += sums.updates;
      lane_skipped += sums.is(step_skipped) ? 1 : 0;
    }
    updates = std::max(updates, lane_updates);
    skipped = std::max(skipped, lane_skipped);
  }
  summary.steps = steps;
  summary.samples = samples;
  summary.epochs = epochs;
  if (elapsed_s > 0) summary.goodput_samples_per_s = static_cast<double>(samples) / elapsed_s;
  summary.gradients = gradients;
  summary.updates = updates;
  summary.skipped_steps = skipped;
}

void add_loss(Summary& summary, Reader& reader, const RunInfo& run, const std::vector<Lane>& lanes) {
  if (const auto series = reader.find_series(run.id, series::train_loss)) {
    reader.each_point(series->key, [&](const Point& point) { summary.final_train_loss = point.value; });
    return;
  }
  // Not recorded as a series: from the sums of the last step that every rank has.
  double loss = 0;
  std::int64_t samples = 0;
  for (const Lane& lane : lanes) {
    if (lane.steps.empty() || lane.steps.back().axes.step + 1 != summary.steps) continue;
    loss += lane.steps.back().loss_sum;
    samples += lane.steps.back().samples;
  }
  if (samples > 0) summary.final_train_loss = loss / static_cast<double>(samples);
}

// Over the attempts of one run, up to the step from which each was followed: what an attempt goes on with has been evaluated before.
void add_accuracy(Summary& summary, Reader& reader, const RunInfo& run) {
  const auto first_of = [](const RunInfo& attempt) { return attempt.attempt_of.empty() ? attempt.id : attempt.attempt_of; };
  std::vector<ResumeSource> attempts = {{.run = run}};
  if (!run.attempt_of.empty()) attempts = resume_sources(reader, run);
  std::erase_if(attempts, [&](const ResumeSource& source) { return first_of(source.run) != first_of(run); });
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {  // oldest first
    const auto series = reader.find_series(attempt->run.id, series::test_accuracy);
    if (!series) continue;
    reader.each_point(series->key, [&](const Point& point) {
      if (point.axes.step > attempt->last_step) return;  // an evaluation has the number of steps that have been done
      summary.final_test_accuracy = finite(point.value);
      if (!std::isfinite(point.value)) return;
      summary.best_test_accuracy = std::max(summary.best_test_accuracy.value_or(point.value), point.value);
      if (run.target_accuracy && !summary.time_to_target_s && point.value >= *run.target_accuracy) {
        summary.time_to_target_s = point.axes.active_s;
      }
    });
  }
}

std::optional<double> mean_of(Reader& reader, const SeriesInfo& series) {
  SeriesBucket all;
  reader.each_point(series.key, [&](const Point& point) { add_to_bucket(all, point.axes, point.value); });
  return all.count > all.nonfinite ? std::optional(all.mean) : std::nullopt;
}

// Samples of the machine: the mean over the ranks for their cores, the sum over the hosts for their traffic.
void add_resources(Summary& summary, Reader& reader, const std::vector<SeriesInfo>& all) {
  double cpu = 0;
  int ranks = 0;
  const auto add = [](std::optional<double>& sum, double value) { sum = sum.value_or(0) + value; };
  for (const SeriesInfo& series : all) {
    const bool of_cpu = series.name == series::cpu_share, sent = series.name == series::network_sent_bytes_per_s;
    if (!of_cpu && !sent && series.name != series::network_received_bytes_per_s) continue;
    const std::optional<double> mean = mean_of(reader, series);
    if (!mean) continue;
    if (of_cpu) {
      cpu += *mean;
      ++ranks;
    } else {
      add(sent ? summary.network_sent_bytes_per_s : summary.network_received_bytes_per_s, *mean);
    }
  }
  if (ranks > 0) summary.cpu_share = cpu / ranks;
}

void add_series(Summary& summary, Reader& reader, const RunInfo& run) {
  SeriesBucket staleness;
  double peak = 0;
  const std::vector<SeriesInfo> all = reader.series(run.id);
  add_resources(summary, reader, all);
  for (const SeriesInfo& series : all) {
    if (series.name == series::staleness) {
      reader.each_point(series.key, [&](const Point& point) { add_to_bucket(staleness, point.axes, point.value); });
    } else if (series.name == series::peak_memory_bytes) {
      reader.each_point(series.key, [&](const Point& point) { peak = std::max(peak, point.value); });
    }
  }
  if (staleness.count > staleness.nonfinite) {
    summary.staleness_mean = staleness.mean;
    summary.staleness_max = staleness.max;
  }
  if (peak > 0 && peak < 1e18) summary.peak_memory_bytes = static_cast<std::int64_t>(peak);
}

void forget_times(Summary& summary) {
  for (auto* value : {&summary.step_s, &summary.forward_s, &summary.backward_s, &summary.update_s, &summary.data_wait_s, &summary.comm_s,
                      &summary.exposed_comm_s, &summary.hidden_comm_fraction, &summary.hidden_transfer_fraction, &summary.blocked_s,
                      &summary.peer_wait_s, &summary.transfer_s, &summary.samples_per_s, &summary.compute_s, &summary.other_s,
                      &summary.waiting_s, &summary.step_sum_error_s, &summary.time_to_target_s}) {
    value->reset();
  }
}

void add_overrun(Summary& summary, const RunInfo& run, const std::vector<Lane>& lanes) {
  if (std::find(run.emulated.begin(), run.emulated.end(), emulated_compute) == run.emulated.end()) return;
  double overrun = 0, steps = 0;
  for (const Lane& lane : lanes) {
    for (std::size_t i = lane.warm_up; i < lane.steps.size(); ++i) {  // those whose times are given
      overrun += lane.steps[i].is(step_overrun) ? 1 : 0;
      ++steps;
    }
  }
  if (steps == 0) return;
  summary.emulation_overrun = overrun / steps;
  if (*summary.emulation_overrun > overrun_limit) forget_times(summary);
}

constexpr std::string_view stored_sql = "SELECT json FROM summary WHERE run = ? AND sequence = ? AND version = ?";
// The newest finished compute-only counterpart of a run.
constexpr std::string_view counterpart_sql =
    "SELECT id, run.key, coalesce(sequence, 0) FROM run LEFT JOIN progress ON progress.run = run.key "
    "WHERE baseline_key = ? AND strategy = 'none' AND state = 'finished' AND kind = ? ORDER BY created_at DESC, run.key DESC LIMIT 1";

bool may_have_counterpart(const RunInfo& run) { return run.strategy != "none" && !run.baseline_key.empty(); }

std::optional<Summary> stored_summary(Statement& select, std::int64_t run_key, std::int64_t sequence) {
  select.reset();
  select.bind_all(run_key, sequence, summary_version);
  if (!select.step()) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(select.text(0), nullptr, false);
  select.reset();
  return json.is_object() ? std::optional(summary_from_json(json)) : std::nullopt;
}

// The worker with the largest median step. Where workers step together all medians are about the same and noise would choose: then it is
// the one that computes longest, for which the others wait.
const Lane* slowest_of(const std::vector<Lane>& lanes) {
  constexpr double together = 0.02;
  double longest_s = 0;
  for (const Lane& lane : lanes) longest_s = std::max(longest_s, lane.median_step_s);
  const Lane* slowest = nullptr;
  double most_s = -1;
  for (const Lane& lane : lanes) {
    if (lane.median_step_s < (1 - together) * longest_s) continue;
    const double compute_s = median_of(lane, &StepSums::compute_s).value_or(0);
    if (compute_s <= most_s) continue;
    slowest = &lane;
    most_s = compute_s;
  }
  return slowest;
}

void add_wall(Summary& summary, const RunInfo& run) {
  const std::optional<double> until = run.ended ? run.ended : run.heartbeat;
  if (run.started && until) summary.wall_s = std::max(0.0, *until - *run.started);
}

void add_counterpart(Summary& summary, const Summary& other) {
  summary.step_without_comm_s = other.step_s;
  if (summary.compute_s && other.compute_s.value_or(0) > 0) summary.compute_inflation = *summary.compute_s / *other.compute_s - 1;
}

}  // namespace

Summary summarise_alone(Reader& reader, const RunInfo& run) {
  Summary summary;
  const std::vector<Lane> lanes = lanes_of(reader, run);
  if (const Lane* slowest = slowest_of(lanes)) {
    add_times(summary, *slowest);
    add_rates(summary, lanes, *slowest);
    add_counts(summary, lanes);
  }
  if (!has_no_arithmetic(run)) add_loss(summary, reader, run, lanes);
  add_accuracy(summary, reader, run);
  add_series(summary, reader, run);
  add_overrun(summary, run, lanes);
  return summary;
}

Summary summarise_steps(Reader& reader, std::string_view run_id, int rank, std::int64_t from_step, std::int64_t to_step) {
  Summary summary;
  const Lane lane{rank, effective_steps(reader, run_id, rank, from_step, to_step), 0, 0};
  add_times(summary, lane);
  return summary;
}

Summary summarise(Reader& reader, const RunInfo& run) {
  Statement select = reader.database().prepare(stored_sql);
  std::optional<Summary> stored = stored_summary(select, run.key, run.last_sequence);
  Summary summary = stored ? *stored : summarise_alone(reader, run);
  add_wall(summary, run);
  if (!may_have_counterpart(run)) return summary;
  std::string other_id;
  std::optional<Summary> other;
  {
    Statement counterpart = reader.database().prepare(counterpart_sql);
    counterpart.bind_all(run.baseline_key, run.kind);
    if (!counterpart.step()) return summary;
    other_id = counterpart.text(0);
    other = stored_summary(select, counterpart.integer(1), counterpart.integer(2));
  }
  add_counterpart(summary, other ? *other : summarise_alone(reader, reader.run(other_id)));
  return summary;
}

StoredSummaries::StoredSummaries(Reader& reader)
    : select_(reader.database().prepare(stored_sql)), counterpart_(reader.database().prepare(counterpart_sql)) {}

std::optional<Summary> StoredSummaries::of(const RunInfo& run) {
  std::optional<Summary> summary = stored_summary(select_, run.key, run.last_sequence);
  if (!summary) return std::nullopt;
  add_wall(*summary, run);
  if (!may_have_counterpart(run)) return summary;
  counterpart_.reset();
  counterpart_.bind_all(run.baseline_key, run.kind);
  const bool found = counterpart_.step();
  const std::int64_t key = found ? counterpart_.integer(1) : 0, sequence = found ? counterpart_.integer(2) : 0;
  counterpart_.reset();
  if (!found) return summary;
  const std::optional<Summary> other = stored_summary(select_, key, sequence);
  if (!other) return std::nullopt;
  add_counterpart(*summary, *other);
  return summary;
}

std::optional<double> exposed_share(const Summary& summary) {
  if (!summary.exposed_comm_s || summary.step_s.value_or(0) <= 0) return std::nullopt;
  return *summary.exposed_comm_s / *summary.step_s;
}

}  // namespace syncline
