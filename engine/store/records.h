// SPDX-License-Identifier: Apache-2.0
// The rows of a workspace as values. Times of day are UTC seconds since 1970.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/metrics/clock_offset.h"
#include "engine/metrics/step_sums.h"
#include "engine/store/process.h"

namespace syncline {

std::string make_run_id();         // UUIDv7: sorts by time of creation, also within one millisecond of one process
bool is_run_id(std::string_view);  // of the form that make_run_id() gives

// What is known when a run is created. Its owner is the supervisor, or rank 0 where there is none.
struct NewRun {
  std::string id;  // empty: made here
  std::string name;
  std::string kind = "measured";                // measured | prediction
  std::string attempt_of;                       // id of the first attempt of the same run; empty: this is the first
  std::string resumed_from;                     // id of the run whose checkpoint is the start; empty: none
  std::string experiment_as_typed, experiment;  // experiment: complete text
  std::string group_key;                        // group_key(experiment)
  std::string state = "queued";                 // queued | running
  std::string version, model, dataset, strategy, plan, device;
  std::string backend;                             // description of what computes: library, version, ISA, processor
  std::string tracing;                             // which steps are traced, in words; empty: none
  std::vector<std::string> emulated;               // "link", "compute"
  std::vector<std::string> tags;                   // that it has from the beginning
  std::vector<std::string> command;                // argv as launched
  std::map<std::string, std::string> environment;  // variables and versions needed to repeat the run (notes, "What a run must store")
  std::optional<double> target_accuracy;
  std::uint64_t seed = 1;
  int workers = 1, servers = 0, threads_per_worker = 1;
  ProcessIdentity supervisor, rank0;  // those known so far
};

// How a run ended. state: finished | stopped | failed.
struct ExitRecord {
  std::string state, reason;  // reason: one sentence, empty for finished
  int exit_code = 0;
  double ended = 0;  // 0: now
};

// A run's row as read. `state` is concluded from evidence (contracts: queued running stopping finished stopped failed lost unknown);
// `stored_state` is what its owner wrote.
struct RunInfo {
  std::int64_t key = 0;              // inside this database only
  std::string id, name, given_name;  // name: the user's, when renamed; given_name: the experiment's
  std::string kind, state, stored_state, reason;
  std::string attempt_of, resumed_from, group_key, baseline_key;
  std::string version, model, dataset, strategy, plan, device, backend, tracing, host;
  std::string experiment_as_typed, experiment;
  std::vector<std::string> emulated, command, tags;
  std::map<std::string, std::string> environment;
  std::optional<double> target_accuracy;
  std::uint64_t seed = 1;
  int workers = 1, servers = 0, threads_per_worker = 1, attempt = 1, palette = 0;
  double created = 0;
  std::optional<double> started, ended;
  std::optional<int> exit_code;
  ProcessIdentity supervisor, rank0;
  std::optional<double> heartbeat;  // the newest of the supervisor's and rank 0's
  std::int64_t last_sequence = 0;
  // The user's annotations.
  std::string notes, colour;
  bool starred = false, trashed = false, locked = false;
  bool operator==(const RunInfo&) const = default;
};

// kind of a request: stop-after-step | stop-after-checkpoint | stop-now | checkpoint | trace. Its stage: asked, then what the run says of
// it (accepted, announced, ...), at last done or refused.
struct Request {
  std::int64_t id = 0;
  std::string run_id, kind, by, stage = "asked", note;
  double asked_at = 0;
  std::optional<double> acknowledged_at;
  bool finished() const { return stage == "done" || stage == "refused"; }
};

struct EventRecord {
  std::int64_t sequence = 0;
  double wall_s = 0, active_s = 0;
  std::int64_t step = 0;
  int rank = -1;           // -1: the run
  std::string kind, text;  // kind: checkpoint, evaluation, learning-rate, attempt, warm-up, rank-lost, dropped, ...
};

struct CheckpointRecord {
  std::int64_t sequence = 0;
  std::int64_t step = 0;
  double wall_s = 0;
  std::string path;  // relative to the run's folder
  std::int64_t bytes = 0;
  bool verified = false;
};

struct ClockRecord {
  std::int64_t sequence = 0;
  int rank = 0;
  ClockOffset offset;  // to rank 0's clock
};

// One point of a series. The value may be NaN or infinite: it comes back as what it was (NaN without its payload).
struct Point {
  std::int64_t sequence = 0;
  Axes axes;
  double value = 0;
};

enum class XAxis : std::uint8_t { step, samples, epoch, gradients, rounds, bytes, active_s, elapsed_s, wall_s };
inline constexpr int x_axis_count = 9;
double value_of(const Axes&, XAxis);
std::string_view name_of(XAxis);
std::optional<XAxis> x_axis_named(std::string_view);

struct SeriesInfo {
  std::int64_t key = 0;
  std::string name, unit;
  int rank = -1;  // -1: the whole run
  std::int64_t count = 0;
};

}  // namespace syncline
