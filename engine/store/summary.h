// SPDX-License-Identifier: Apache-2.0
// The summary of a run (README, "show RUN --json"): medians after warm-up of the worker with the largest median step, from the stored sums.
// An empty optional is null: not measured, or not defined for this run.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/reader.h"

namespace syncline {

// Of the definitions below: a stored summary of another version is computed anew.
inline constexpr std::string_view summary_version = "4";

struct Summary {
  std::optional<std::int64_t> steps, samples;
  std::optional<double> epochs, final_train_loss, final_test_accuracy, best_test_accuracy, time_to_target_s, wall_s, samples_per_s;
  std::optional<double> step_s, forward_s, backward_s, update_s, data_wait_s, comm_s, exposed_comm_s, hidden_comm_fraction,
      hidden_transfer_fraction, blocked_s, peer_wait_s, transfer_s, compute_inflation, step_without_comm_s, emulation_overrun;
  std::optional<double> bytes_sent_per_step_per_worker, messages_per_step_per_worker;
  std::optional<std::int64_t> peak_memory_bytes, gradients, updates, skipped_steps;
  std::optional<double> staleness_mean, staleness_max;
  // Beside the contract's keys: what the report needs to explain them.
  std::optional<double> compute_s, other_s, waiting_s, step_sum_error_s;  // error: step_s minus the sum of its parts' medians
  std::optional<int> slowest_rank;
  // Means over the run of what was sampled: busy share of the ranks' cores; traffic of all hosts together.
  std::optional<double> cpu_share, network_sent_bytes_per_s, network_received_bytes_per_s;
  // Samples that count over the time since the run began, pauses between attempts and everything else included. What a resume did again
  // counts once.
  std::optional<double> goodput_samples_per_s;
  std::int64_t warm_up_steps = 0;
};

Summary summarise(Reader&, const RunInfo&);
// Only the parts that come from the run itself: without compute_inflation and step_without_comm_s. What RunWriter::close stores.
Summary summarise_alone(Reader&, const RunInfo&);

// The times of one rank over a stretch of its steps, medians as summarise() takes them; who asks leaves the warm-up out. Losses, counts,
// rates and what belongs to the whole run stay empty.
Summary summarise_steps(Reader&, std::string_view run_id, int rank, std::int64_t from_step, std::int64_t to_step);

// For lists of thousands of runs: summarise() for those whose stored summary is up to date, in well under a millisecond each.
class StoredSummaries {
 public:
  explicit StoredSummaries(Reader&);  // which must outlive it
  // nullopt: the run has none (it is going on, or was cut short): its steps would have to be read.
  std::optional<Summary> of(const RunInfo&);

 private:
  Statement select_, counterpart_;
};

// exposed_comm_s / step_s; empty where either is missing.
std::optional<double> exposed_share(const Summary&);

// What the numbers of a summary mean to whoever compares runs. `key`: as in `show --json`.
struct SummaryMetric {
  enum Better { lower, higher, neither };
  enum Quantity { plain, share, accuracy, duration, count, bytes, rate };
  std::string_view key, name;
  Better better = neither;
  Quantity quantity = plain;
};
// Those that `compare` prints, in its order.
std::span<const SummaryMetric> compared_metrics();
// Of any key of the summary; nullopt for a word that is none. Those not compared have their key for a name and no better direction.
std::optional<SummaryMetric> summary_metric(std::string_view key);
std::vector<std::string> summary_keys();
// The number under a key of the summary; empty: not measured, or there is no such key.
std::optional<double> value_of(const Summary&, std::string_view key);

nlohmann::ordered_json to_json(const Summary&);  // the contract's keys in its order, then the further ones
Summary summary_from_json(const nlohmann::ordered_json&);
nlohmann::ordered_json run_json(const RunInfo&, bool with_experiment);   // the keys of `run`
nlohmann::ordered_json show_json(Reader&, const RunInfo&);               // {"run": .., "summary": ..}
nlohmann::ordered_json runs_json(Reader&, const std::vector<RunInfo>&);  // {"runs": [..]}

}  // namespace syncline
