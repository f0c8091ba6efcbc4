// SPDX-License-Identifier: Apache-2.0
// What one rank's step comes to: a fixed-size record that ranks ship to rank 0 as bytes and that is stored for every step.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace syncline {

// Every x axis on which a point can be drawn. All of them grow (or stand still) with time within an attempt; they count from the
// beginning of the run, also after a resume. 0 where a run has no such thing.
struct Axes {
  std::int64_t step = 0;       // the step that the value belongs to, from 0
  std::int64_t samples = 0;    // trained so far over all workers
  double epoch = 0;            // samples / size of the training set
  std::int64_t gradients = 0;  // gradient evaluations over all workers
  std::int64_t rounds = 0;     // communication rounds
  std::int64_t bytes = 0;      // sent so far by this rank (rank 0 for scalars of the whole run)
  double active_s = 0;         // training clock: stands still in evaluation and checkpoints
  double elapsed_s = 0;        // since the first start of the run, everything included
  double wall_s = 0;           // UTC seconds since 1970
};

enum StepFlag : std::uint32_t {
  step_traced = 1,                // spans of this step are stored: its times carry the cost of that
  step_skipped = 2,               // gradient not usable: no update
  step_overrun = 4,               // paced compute: a wait was over before it began
  step_peer_wait_known = 8,       // issue times of the peers were known: peer_wait_s and transfer_s are separated
  step_peer_wait_estimated = 16,  // ... from durations, because the clocks are less certain than the waits
  step_incomplete = 32,           // a ring was full: spans are missing, sums are too small
};

// Times in seconds. K: union of the intervals in which this rank computes; C: in which an exchange is in progress (issued to done);
// X: in which one is being transferred (after its last peer issued it); W: in which the training thread waits for a Work.
struct StepSums {
  std::int32_t rank = 0;
  std::uint32_t flags = 0;
  Axes axes;                                                        // at the end of the step; axes.step identifies it
  double start_s = 0;                                               // this rank's monotonic clock
  double step_s = 0;                                                // T, start to start
  double forward_s = 0, backward_s = 0, update_s = 0, codec_s = 0;  // unions per kind; codec: encode and decode
  double compute_s = 0;                                             // |K|
  double comm_s = 0;                                                // |C|
  double hidden_s = 0;                                              // |C n K|
  double exposed_s = 0;                                             // |C \ K|; T = K + E + O
  double other_s = 0;                                               // |T \ (C u K)| = O
  double blocked_s = 0;                                             // |W|
  double transfer_s = 0;                                            // |X|, equal to comm_s while peers are unknown
  double peer_wait_s = 0;                                           // |C \ X|
  double hidden_transfer_s = 0;                                     // |X n K|
  double data_wait_s = 0;                                           // union of data_wait spans
  // The split of T without overlap: (compute_s - hidden_s) + hidden_s + waiting_s + exposed_transfer_s + input_s + boundary_s + idle_s = T.
  double waiting_s = 0;           // (C \ K) \ X: exposed, and waiting for a late peer
  double exposed_transfer_s = 0;  // the rest of C \ K
  double input_s = 0;             // data wait outside K u C
  double boundary_s = 0;          // evaluation and checkpoint outside the above
  double idle_s = 0;              // what is left
  double late_s = 0;              // time of exchanges of earlier steps that arrived after those steps were accounted
  double loss_sum = 0;            // over this rank's samples of the step
  std::int64_t correct = 0, samples = 0, gradients = 0, updates = 0;  // of this rank in this step
  std::int64_t bytes_sent = 0, messages = 0, exchanges = 0;           // of exchanges done in this step

  double compute_only_s() const { return compute_s - hidden_s; }
  bool is(StepFlag flag) const { return (flags & flag) != 0; }
};
static_assert(std::is_trivially_copyable_v<StepSums>);

// The double-valued members by name, for storage, charts and exports; order is fixed by the stored format, new ones go to the end.
struct StepField {
  std::string_view name, unit;
  double StepSums::*member;
};
inline constexpr std::array<StepField, 23> step_fields = {{
    {"step_s", "s", &StepSums::step_s},
    {"forward_s", "s", &StepSums::forward_s},
    {"backward_s", "s", &StepSums::backward_s},
    {"update_s", "s", &StepSums::update_s},
    {"codec_s", "s", &StepSums::codec_s},
    {"compute_s", "s", &StepSums::compute_s},
    {"comm_s", "s", &StepSums::comm_s},
    {"hidden_s", "s", &StepSums::hidden_s},
    {"exposed_s", "s", &StepSums::exposed_s},
    {"other_s", "s", &StepSums::other_s},
    {"blocked_s", "s", &StepSums::blocked_s},
    {"transfer_s", "s", &StepSums::transfer_s},
    {"peer_wait_s", "s", &StepSums::peer_wait_s},
    {"hidden_transfer_s", "s", &StepSums::hidden_transfer_s},
    {"data_wait_s", "s", &StepSums::data_wait_s},
    {"waiting_s", "s", &StepSums::waiting_s},
    {"exposed_transfer_s", "s", &StepSums::exposed_transfer_s},
    {"input_s", "s", &StepSums::input_s},
    {"boundary_s", "s", &StepSums::boundary_s},
    {"idle_s", "s", &StepSums::idle_s},
    {"late_s", "s", &StepSums::late_s},
    {"start_s", "s", &StepSums::start_s},
    {"loss_sum", "", &StepSums::loss_sum},
}};

// The whole-number members likewise.
struct StepCount {
  std::string_view name, unit;
  std::int64_t StepSums::*member;
};
inline constexpr std::array<StepCount, 7> step_counts = {{
    {"correct", "", &StepSums::correct},
    {"samples", "", &StepSums::samples},
    {"gradients", "", &StepSums::gradients},
    {"updates", "", &StepSums::updates},
    {"bytes_sent", "B", &StepSums::bytes_sent},
    {"messages", "", &StepSums::messages},
    {"exchanges", "", &StepSums::exchanges},
}};

// Names of the scalar series that summaries, the window and exports know. A strategy may record any other name beside them.
namespace series {
inline constexpr std::string_view train_loss = "train_loss";  // mean over the samples of one step, all workers
inline constexpr std::string_view train_accuracy = "train_accuracy";
inline constexpr std::string_view test_loss = "test_loss";
inline constexpr std::string_view test_accuracy = "test_accuracy";  // of the evaluated parameters, 0..1
inline constexpr std::string_view learning_rate = "learning_rate";
inline constexpr std::string_view peak_memory_bytes = "peak_memory_bytes";  // one series per rank
// Samples in memory that changed places before an epoch: how long that took, and what rank 0 sent.
inline constexpr std::string_view data_exchange_s = "data_exchange_s", data_exchange_bytes = "data_exchange_bytes";
inline constexpr std::string_view staleness = "staleness";  // of each gradient applied
// Samples finished per second over a moving window of 5 s or 20 steps: of the training clock, and of the time that passed.
inline constexpr std::string_view samples_per_s = "samples_per_s";
inline constexpr std::string_view end_to_end_samples_per_s = "end_to_end_samples_per_s";
// One series per rank: busy time of its share of the cores (1: all of them), memory in use.
inline constexpr std::string_view cpu_share = "cpu_share";
inline constexpr std::string_view resident_memory_bytes = "resident_memory_bytes";
// One series per host, under its first rank: all interfaces beside the loopback.
inline constexpr std::string_view network_sent_bytes_per_s = "network_sent_bytes_per_s";
inline constexpr std::string_view network_received_bytes_per_s = "network_received_bytes_per_s";
// With a negotiated orchestration, of rank 0 in each step: turns of the control plane, bytes that it contributed to them, control messages
// that it sent and got, turns that went by rank 0, data allreduces started, seconds in turns.
inline constexpr std::string_view control_cycles = "control_cycles";
inline constexpr std::string_view control_bytes = "control_bytes";
inline constexpr std::string_view control_messages = "control_messages";
inline constexpr std::string_view slow_path_runs = "slow_path_runs";
inline constexpr std::string_view data_allreduces = "data_allreduces";
inline constexpr std::string_view control_s = "control_s";
}  // namespace series

}  // namespace syncline
