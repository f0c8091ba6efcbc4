// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/experiment/topology.h"
#include "engine/launch/leftovers.h"
#include "engine/store/process.h"
#include "engine/train/rank/clock_sync.h"
#include "engine/train/rank/rank_process.h"

namespace syncline {
namespace {

Phase status_phase(TrainPhase phase) {
  switch (phase) {
    case TrainPhase::start:
      return Phase::starting;
    case TrainPhase::data:
      return Phase::data;
    case TrainPhase::forward:
      return Phase::forward;
    case TrainPhase::backward:
      return Phase::backward;
    case TrainPhase::collective:
      return Phase::exchange;
    case TrainPhase::evaluation:
      return Phase::evaluation;
    case TrainPhase::checkpoint:
      return Phase::checkpoint;
    case TrainPhase::shutdown:
      return Phase::exchange;  // "finishing" only when nothing is left to do
  }
  return Phase::starting;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

void RankProcess::begin() {
  launcher_watch_.emplace(environment(scratch_variable));
  hold_scratch(environment(scratch_variable));
  ::signal(SIGPIPE, SIG_IGN);  // a reader that left must not end the run
  input_.take_signals();
  faults_ = FaultPoints::from_environment(rank_);
  if (!options_.dry_run && supervised()) {
    run_id_ = environment(run_variable);
    run_folder_ = std::filesystem::path(environment(experiment_variable)).parent_path();
    std::error_code error;
    if (std::filesystem::is_directory(run_folder_, error))
      status_ = std::make_unique<RankStatus>(run_folder_, rank_);  // not on another host
    launcher_watch_->set_run(run_folder_, ranks_);
  }
  if (status_) {
    if (experiment_.train.optimizer.name.starts_with("plugin:")) status_->set_plugin(experiment_.train.optimizer.name.c_str() + 7);
    activity_.on_change([this](TrainPhase phase, std::int64_t step) { status_->set(step, status_phase(phase)); });
  }
  activity_.enter(TrainPhase::start, 0, clock_.now_s());
  watchdog_.emplace(
      activity_,
      WatchdogOptions{.limit_s = experiment_.fault.limit_s + 1,  // the queue's own limit, which knows more, comes first
                      .named_limit_s = experiment_.fault.limit_s,
                      .last_operation = [this] { return world_ ? world_->queue().last_operation() : std::string(); },
                      .also = [this] { look_after_supervisor(); },
                      .expired = [this](const std::string& sentence,
                                        std::int64_t step) { leave(sentence, {.blamed = true, .lost = true, .step = step}); }});
}

void RankProcess::look_after_supervisor() {
  if (!first() || !supervised() || supervisor_gone_) return;
  if (process_exists(supervisor_).value_or(true)) return;
  supervisor_gone_ = true;
  input_.want(stop_after_checkpoint);
}

MpiWorldOptions RankProcess::world_options() const {
  MpiWorldOptions options;
  options.queue.limit_s = experiment_.fault.limit_s;
  options.queue.start_limit_s = std::max(options.queue.start_limit_s, experiment_.fault.limit_s);
  options.group.allreduce = experiment_.strategy.allreduce;
  options.group.allreduce_options = experiment_.strategy.allreduce_options;
  options.group = with_environment(options.group);
  const ClusterSpec& cluster = experiment_.cluster;
  if (!cluster.nodes.empty()) options.group.machines = Topology(cluster).machine_of_ranks();
  if (ranks_ > 1) options.links = emulated_links(cluster);
  return options;
}

void RankProcess::connect() {
  if (experiment_.cluster.workers != ranks_)
    throw ConfigError(
        fmt::format("the experiment asks for {} workers and {} started; start as many ranks (mpirun -n {}) or set cluster.workers = {}",
                    experiment_.cluster.workers, ranks_ == 1 ? "one rank was" : fmt::format("{} ranks were", ranks_),
                    experiment_.cluster.workers, ranks_),
        {.file = {}, .key = "cluster.workers"});
  world_ = make_mpi_world(world_options());
  control_ = world_->communicator().duplicate("control");
  records_ = world_->communicator().duplicate("records");
  Placement mine{.host = host_name(), .boot_id = boot_id(), .threads = 1, .cores = process_cores()};
  int here = 0;
  for (const Placement& each : gather_placements(*control_, mine)) here += each.boot_id == mine.boot_id ? 1 : 0;
  threads_ = mine.threads =
      threads_of(experiment_.cluster.threads_per_worker, std::getenv("OMP_NUM_THREADS"), here, static_cast<int>(mine.cores.size()));
  placements_ = gather_placements(*control_, mine);
  if (!first() || options_.quiet) return;
  for (const std::string& line : placement_lines(placements_)) progress_->line(line);
  for (const std::string& warning : placement_warnings(placements_)) progress_->line(warning);
}

void RankProcess::make_run() {
  if (options_.dry_run) return;
  std::string folder = run_folder_.string(), failed;
  if (first()) {
    const std::string id = run_id_.empty() ? make_run_id() : run_id_;
    const RecordingPlace place = recording_place(options_.workspace, id);
    const Workspace workspace = Workspace::open(place.path);
    if (!place.notice.empty()) progress_->line(place.notice);
    if (!supervised()) {
      sweep_leftovers(workspace);
      registry_ = std::make_unique<RunRegistry>(workspace);
      NewRun row = new_run(experiment_, options_.origin);
      row.id = id;
      row.rank0 = this_process();
      registry_->create(row);
      registry_->set_running(id);
      folder = workspace.run_folder(id).string();
    } else {
      RunRegistry(workspace).set_rank0(id, this_process());
    }
    run_id_ = id;
    input_.set_acknowledge([this](std::int64_t request, std::string stage) {
      if (writer_) writer_->acknowledge(request, std::move(stage));
    });
    writer_ = std::make_unique<RunWriter>(workspace, id,
                                          RunWriterOptions{.copy_to = place.copy_to,
                                                           .on_request = [this](const Request& request) { input_.request(request); },
                                                           .on_flush = acknowledged_log()});
  }
  run_id_ = text_told_by(*control_, run_id_);
  run_folder_ = text_told_by(*control_, folder);
  launcher_watch_->set_run(run_folder_, ranks_);
  if (!status_ && std::filesystem::is_directory(run_folder_)) status_ = std::make_unique<RankStatus>(run_folder_, rank_);
}

void RankProcess::open_checkpoints() {
  const auto complain = [this](const std::string& sentence) {
    progress_->warning(sentence);
    if (writer_) writer_->event("checkpoint-damaged", sentence);
  };
  std::filesystem::path from = options_.resume_folder;
  if (from.empty()) from = environment(resume_variable);
  const auto open = [&](const std::filesystem::path& folder) {  // of a run, or of one checkpoint
    const std::filesystem::path checkpoints = checkpoint_step(folder) >= 0 ? folder : folder / "checkpoints";
    auto opened = open_newest(*control_, checkpoints, complain);
    if (!opened) throw AgreedError(fmt::format("{} holds no checkpoint that can be used", checkpoints.string()));
    if (first()) progress_->line(fmt::format("from the checkpoint of step {}", opened->step()));
    return opened;
  };
  if (!from.empty()) resume_ = open(from);
  if (!options_.init_from_folder.empty() && !resume_) parameters_ = open(options_.init_from_folder);
  if (options_.dry_run) return;
  CheckpointOptions options{.folder = checkpoints_folder(),
                            .keep = experiment_.checkpoint.keep,
                            .run_id = run_id_,
                            .experiment_hash = group_key(experiment_),
                            .alive = [this] { activity_.enter(TrainPhase::checkpoint, activity_.now().step, clock_.now_s()); },
                            .committed = {}};
  if (writer_) {
    options.committed = [this](std::int64_t step, const std::filesystem::path& folder, std::uint64_t bytes) {
      writer_->checkpoint({.sequence = 0,
                           .step = step,
                           .wall_s = utc_s(),
                           .path = "checkpoints/" + folder.filename().string(),
                           .bytes = static_cast<std::int64_t>(bytes),
                           .verified = true});
    };
  }
  checkpoints_ = std::make_unique<Checkpoints>(std::move(options), *control_);
}

}  // namespace syncline
