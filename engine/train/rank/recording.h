// SPDX-License-Identifier: Apache-2.0
// What one rank records: the sums of every step, full traces of sampled ones, scalars and events. The other ranks' records travel to rank
// 0, which writes them. Everything here runs on the training thread between two steps and costs some microseconds.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "engine/metrics/accounting.h"
#include "engine/metrics/clock.h"
#include "engine/store/run_writer.h"
#include "engine/train/observer.h"
#include "engine/train/rank/peer_issues.h"
#include "engine/train/rank/progress.h"
#include "engine/train/rank/rate_window.h"
#include "engine/train/rank/record_channel.h"
#include "engine/train/rank/resources.h"

namespace syncline {

struct RecordingOptions {
  int rank = 0, ranks = 1;
  Communicator* records = nullptr;  // purpose "records"; null: nothing is recorded
  RunWriter* writer = nullptr;      // rank 0
  // Of each rank's clock to rank 0's, the same on all; collective. Called at the start, at each evaluation and at the end.
  std::function<std::vector<ClockOffset>()> measure_clocks;
  std::int64_t trace_first = 20, trace_every = 50;  // traced: the first steps after a start, then every so many
  double send_every_s = 0.2, limit_s = 60;
  int cores = 1;              // the rank's share of its host's
  bool reports_host = false;  // the first rank of its host: records the host's network
  bool has_losses = true;     // false: nothing is computed, so what the words say of losses and accuracies is no measurement
  double resources_first_s = 1, resources_every_s = 5;
  std::function<void(std::int64_t)> set_step;      // of the communication queue
  std::string checkpoints_folder = "checkpoints";  // relative to the run's folder, in rows
};

class RankRecording final : public TrainObserver {
 public:
  RankRecording(RecordingOptions, SpanRing&, Progress&, Clock&);
  void started(std::span<const LayerSlice>, const Plan&, std::int64_t total_steps, const Axes&) override;
  void step_begins(std::int64_t step) override;
  void step_done(const StepDone&) override;
  std::size_t extra_bytes(std::size_t buckets) const override;
  void fill_extra(std::span<std::byte>) override;
  void read_extra(std::span<const std::span<const std::byte>>) override;
  void meeting(const ControlWord&, double lr, const Axes&) override;
  void evaluated(const Evaluation&, const Axes&) override;
  void checkpointed(std::int64_t step, bool saved, const std::string& why, double seconds, const Axes&) override;
  void event(std::string_view kind, const std::string& text) override;
  void save(StateWriter&) const override;
  void load(StateReader&) override;

  void finish();  // collective: every record reaches the writer
  std::int64_t last_step() const { return step_; }

 private:
  bool traced(std::int64_t step) const;
  void look_at_clocks();
  void account(std::int64_t up_to, const PeerIssues* peers);  // steps that are final; `peers` belong to the last of them
  void write_step(const StepSums&, const StepTrace* trace);
  void take(int rank, RecordKind, std::span<const std::byte>);
  void memory(double now_s, bool at_end);
  void resources(bool at_end);
  void write_resources(int rank, std::int64_t step, const ResourceSample&);
  void throughput(std::int64_t step, const Axes&);
  void show(const StepSums&);
  bool recording() const { return options_.records != nullptr; }
  void position(const Axes&);

  RecordingOptions options_;
  Progress& progress_;
  Clock& clock_;
  StepAccountant accountant_;
  std::optional<RecordSender> sender_;
  std::optional<RecordReceiver> receiver_;
  StepTrace trace_;
  double offset_s_ = 0, clock_bound_s_ = 0;  // as last measured
  std::int64_t step_ = 0, first_step_ = 0, trace_until_ = 0, bytes_ = 0, rounds_ = 0, clocks_step_ = -1;
  double memory_s_ = 0;
  std::optional<ResourceSampler> sampler_;
  RateWindow active_rate_, end_to_end_rate_;
  ProgressState shown_;
  double mean_step_s_ = 0, mean_exposed_s_ = 0, mean_samples_ = 0;  // exponential means over about 20 steps
};

double peak_memory_bytes();  // of this process so far (VmHWM)

}  // namespace syncline
