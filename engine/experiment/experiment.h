// SPDX-License-Identifier: Apache-2.0
// What a run is: the validated content of an experiment file (README, "The experiment file").
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/experiment/layer_profile.h"
#include "engine/experiment/parameter.h"

namespace syncline {

struct LayerSpec {                  // one entry of model.layers, or of a zoo model after expansion
  std::string type, name;           // name: given, or type + number ("conv1"); unique in the model
  std::vector<std::string> inputs;  // names; empty: the previous layer (or the model's input)
  Params options;                   // by the layer's table
  Origin origin;
};

struct ModelSpec {
  std::string zoo;  // empty when `layers` are given
  Params options;   // the zoo entry's own keys
  std::vector<LayerSpec> layers;
  std::string buffers = "average";  // average | rank0
  bool sync_bn = false;
};

struct DataSpec {
  std::string source;
  Params options;                   // the source's own keys, `path` among them
  std::string shards = "shuffled";  // shuffled | by-label
  std::string last_batch = "keep";  // keep | drop
  std::vector<std::string> augment;
  std::vector<double> mean, stddev;  // per channel; empty: the source's own
  std::string residency = "file";    // file | memory
  std::int64_t shuffle_every_epochs = 1, dimd_groups = 1;
  std::int64_t prefetch = 2;  // batches read ahead
  double read_delay_s = 0;    // of every batch read from the source
};

struct OptimizerSpec {
  std::string name = "sgd";  // "plugin:NAME" for a plugin
  Params options;            // `lr` among them
};

struct ScheduleSpec {
  std::string name = "constant";
  Params options;  // warmup_steps, scale_lr_with_workers, ... by the schedule's table
};

struct TrainSpec {
  std::string task = "supervised";
  std::optional<std::int64_t> epochs, steps;  // exactly one is set
  std::int64_t micro_batches = 1;
  std::vector<std::int64_t> batch_per_worker = {64};  // one for all, or one per worker
  std::optional<double> target_accuracy;
  bool stop_at_target = false;
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  std::string precision = "fp32";
  std::string on_divergence = "fail";      // fail | stop | continue
  std::string evaluate_every = "1 epoch";  // "N steps" | "N epochs" | "never"; always once at the end
};

struct NodeSpec {
  std::string name;
  std::int64_t count = 1, cores = 0, devices = 0;
  double speed = 1;
};
struct LinkSpec {
  std::string from, to;                   // empty: every pair of ranks ([cluster.link])
  double bandwidth_bytes_per_s = 0;       // 0: unlimited
  double bandwidth_back_bytes_per_s = 0;  // 0: same as bandwidth
  double latency_s = 0;
  bool shared = false;
};

struct ClusterSpec {
  std::int64_t workers = 1, servers = 0;
  bool colocate = false;
  std::string device = "auto";  // cpu | cuda | auto
  std::int64_t threads_per_worker = 0;
  std::string compute = "real";  // real | paced | emulate
  // Paced and emulated compute: layer times and what they are multiplied with (pace_factor()).
  std::string profile_from;      // a run, or a file of JSON; empty: `profile` holds the times
  LayerProfile profile;          // as the experiment gives it; engine/sim/profiles.h reads the others
  double time_scale = 1;         // of layer times and emulated links
  std::vector<double> slowdown;  // one factor per worker, or one for all; empty: 1
  double jitter_std = 0;         // relative, of a factor on each worker's steps
  std::uint64_t jitter_seed = 1;
  bool real_compute() const { return compute == "real"; }
  double slowdown_of(std::int64_t worker) const;
  std::vector<NodeSpec> nodes;  // empty: one node
  std::vector<LinkSpec> links;  // [cluster.link] is one LinkSpec with empty from and to
  bool emulate_link = false;
};

struct StrategySpec {
  std::string name, plan = "threshold", allreduce = "direct", orchestration = "static", codec = "none";
  Params plan_options, allreduce_options, orchestration_options, codec_options, options;  // options: the algorithm's own keys
  std::string submit_order = "backward";                                                  // backward | random
  double hook_jitter_s = 0;
  bool any_order() const { return submit_order != "backward"; }  // ranks may hand their gradients over in different orders
  bool keeps_plan_order() const { return orchestration == "static" && any_order(); }
};

struct FaultSpec {
  double limit_s = 60, grace_s = 30;
  std::int64_t max_restarts = 0;
  std::string on_worker_loss = "fail";
};

struct Every {  // "5 min", "500 steps", "1 epoch", "never"
  enum Unit { never, seconds, steps, epochs } unit = never;
  double amount = 0;
};
struct CheckpointSpec {
  Every every;
  std::int64_t keep = 2;
};

struct Experiment {
  std::string name;
  std::uint64_t seed = 1;
  ModelSpec model;
  DataSpec data;
  TrainSpec train;
  ClusterSpec cluster;
  StrategySpec strategy;
  FaultSpec fault;
  CheckpointSpec checkpoint;

  std::string as_typed;                              // the file's text after --set, comments and order kept
  std::string complete;                              // every key that applies with its value; valid input that prints itself again
  std::int64_t batch_of(std::int64_t worker) const;  // batch_per_worker of one worker
  std::int64_t global_batch() const;
};

struct Problem {
  Origin origin;
  std::string message;
};  // message includes what would be right

struct Parsed {
  std::optional<Experiment> experiment;  // set when there is no problem
  std::vector<Problem> problems;         // a syntax error alone, or every error of meaning, in order of line
};

using Overrides = std::vector<std::pair<std::string, std::string>>;  // --set KEY=VALUE, in order

// Never throws for the user's mistakes. `file` is used in messages only.
Parsed parse_experiment(std::string_view toml, const std::string& file, const Catalogue&, const Overrides& = {});
// Reads the file, throws ConfigError with all problems joined by newlines ("FILE:LINE: KEY: message").
Experiment load_experiment(const std::filesystem::path&, const Catalogue&, const Overrides& = {});
std::string to_string(const Problem&);

// What is wrong with the name of a run, as "must ..."; empty: nothing. Names are lines of at most 200 bytes without control characters and
// without those that change the direction of writing, and never 'last'.
std::string problem_with_name(std::string_view name);

// 128-bit hash (hex) of the complete experiment without name, seed and [checkpoint]: runs that differ only in these form a group.
std::string group_key(const Experiment&);

// The same of a complete experiment without name, [strategy], [cluster.link], [[cluster.links]], cluster.servers and [checkpoint]: what a
// run and its compute-only counterpart (strategy "none") share. Empty when the text is not TOML.
std::string baseline_key(std::string_view complete);

// Keys whose values differ between two complete experiments ("train.epochs"), in order.
struct Difference {
  std::string key, before, after;
};
std::vector<Difference> differences(std::string_view complete_a, std::string_view complete_b);

// Every key of a complete experiment with its value, in order. ConfigError when the text is not TOML.
std::vector<std::pair<std::string, std::string>> settings_of(std::string_view complete);

}  // namespace syncline
