// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "engine/launch/command.h"
#include "engine/launch/conclusion.h"
#include "engine/launch/job_output.h"
#include "engine/launch/leftovers.h"
#include "engine/launch/process.h"
#include "engine/launch/protocol.h"
#include "engine/launch/rank_watch.h"
#include "engine/launch/signal_tap.h"
#include "engine/metrics/clock.h"
#include "engine/store/registry.h"

namespace syncline {
namespace {

// launcher_grace_s: longer than mpirun's sleep between SIGTERM and SIGKILL, after which it says which signal ended the first rank.
constexpr double tick_s = 0.05, heartbeat_s = 1, lost_grace_s = 1.5, end_grace_s = 5, launcher_grace_s = 6, at_once_grace_s = 0.5;

// mpirun holds some pipes for each rank; without them it hangs instead of giving up.
void provide_open_files(std::int64_t ranks) {
  constexpr std::int64_t each = 6, beside = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto needed = static_cast<rlim_t>(beside + each * ranks);
  if (needed <= limit.rlim_cur) return;
  if (needed > limit.rlim_max) {
    throw ConfigError(fmt::format("{} workers need about {} open files here and {} are allowed (ulimit -Hn): at most {} would be right",
                                  ranks, needed, limit.rlim_max, (static_cast<std::int64_t>(limit.rlim_max) - beside) / each),
                      {.file = "", .key = "cluster.workers"});
  }
  limit.rlim_cur = needed;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

LaunchCommand job_command(const SupervisorOptions& options, const std::string& scratch, int* threads) {
  JobShape shape;
  shape.ranks = static_cast<int>(options.experiment.cluster.workers);
  shape.cores = core_count();
  shape.threads_per_rank = resolve_threads(static_cast<int>(options.experiment.cluster.threads_per_worker), shape.ranks, shape.cores);
  shape.as_root = ::geteuid() == 0;
  shape.copy_once = peer_memory_readable();
  shape.scratch = scratch;
  *threads = shape.threads_per_rank;
  return local_command(options.engine, options.rank_arguments, shape);
}

// One start of the ranks under one row.
class Job {
 public:
  Job(const SupervisorOptions& options, const Workspace& workspace, RunRegistry& registry, SignalTap& signals, std::string run_id,
      const std::filesystem::path& resume_folder)
      : workspace_(workspace),
        registry_(registry),
        signals_(signals),
        run_id_(std::move(run_id)),
        folder_(workspace.run_folder(run_id_)),
        ranks_(static_cast<int>(options.experiment.cluster.workers)),
        scratch_(ranks_ > 1),
        command_(job_command(options, scratch_.path(), &threads_)),
        watch_(folder_, ranks_),
        output_(folder_ / "log.txt", options.shown, options.terminal) {
    command_.environment.emplace_back(run_variable, run_id_);
    command_.environment.emplace_back(supervisor_variable, supervisor_text(this_process()));
    command_.environment.emplace_back(experiment_variable, (folder_ / "experiment.toml").string());
    if (!scratch_.path().empty()) command_.environment.emplace_back(scratch_variable, scratch_.path());
    if (!resume_folder.empty()) command_.environment.emplace_back(resume_variable, resume_folder.string());
    remove_outcome(folder_);
  }

  Conclusion run() {
    registry_.set_launch_command(run_id_, command_.argv);
    registry_.set_running(run_id_);
    try {
      // The read end too: else the first line after the supervisor's death would end mpirun, before the ranks have saved a checkpoint.
      child_ = std::make_unique<ChildProcess>(SpawnOptions{.argv = command_.argv,
                                                           .environment = command_.environment,
                                                           .group = SpawnOptions::own_group,
                                                           .output_fd = output_.write_end(),
                                                           .keep_fd = output_.read_end()});
    } catch (const TrainingError& error) {
      return {{.state = "failed", .reason = error.what(), .exit_code = static_cast<int>(ExitCode::training), .ended = 0}};
    }
    output_.close_write_end();
    while (!over()) tick();
    drain_output();
    return conclude(end_);
  }
  bool stop_asked() const { return stop_asked_; }

 private:
  void tick() {
    pollfd waits[] = {{output_.read_end(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
    const nfds_t first = output_open_ ? 0 : 1;  // a closed pipe is always readable
    ::poll(waits + first, 2 - first, static_cast<int>(tick_s * 1000));
    if (output_open_) output_open_ = output_.pump();
    while (const int signal = signals_.next()) on_signal(signal);
    watch_.update();
    const double now = monotonic_s();
    if (now - last_heartbeat_s_ > heartbeat_s) {
      last_heartbeat_s_ = now;
      try {
        registry_.heartbeat(run_id_);
      } catch (const WorkspaceError&) {
        // Training goes on while the workspace is busy or full; the next heartbeat tries again.
      }
    }
    end_hopeless_job(now);
  }

  // A job that lost a rank, or that has ended but does not leave, is ended from here.
  void end_hopeless_job(double now) {
    if (!end_.outcome) end_.outcome = read_outcome(folder_);
    if (end_.outcome && outcome_seen_s_ < 0) outcome_seen_s_ = now;
    if (watch_.first_lost() && lost_seen_s_ < 0) lost_seen_s_ = now;
    if (child_->poll() && watch_.any_alive() && launcher_gone_s_ < 0) launcher_gone_s_ = now;
    const bool lost = lost_seen_s_ >= 0 && now - lost_seen_s_ > lost_grace_s;
    const bool hung = outcome_seen_s_ >= 0 && now - outcome_seen_s_ > end_grace_s;
    const bool orphaned = launcher_gone_s_ >= 0 && now - launcher_gone_s_ > lost_grace_s;
    if (!lost && !hung && !orphaned) return;
    if (hung && watch_.all_finishing()) end_.hung_after_end = true;
    end_now(now);
  }

  void end_now(double now) {
    watch_.kill_all();
    if (first_kill_s_ < 0) first_kill_s_ = now;
    const double grace_s = end_.ended_at_once ? at_once_grace_s : launcher_grace_s;
    if (now - first_kill_s_ <= grace_s) return;
    end_.launcher_killed = end_.launcher_killed || !child_->poll();
    child_->signal_group(SIGKILL);
  }

  void on_signal(int signal) {
    if (signal == SIGUSR1 || stop_asked_) {
      end_.ended_at_once = true;
      output_.say("ending at once");
      return;
    }
    stop_asked_ = true;
    output_.say("stopping after a checkpoint; ask again to end at once");
    try {
      Requests(workspace_).ask(run_id_, "stop-after-checkpoint", signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP");
    } catch (const WorkspaceError& error) {
      output_.say(error.what());
    }
  }

  bool over() {
    if (end_.ended_at_once) end_now(monotonic_s());
    const auto exit = child_->poll();
    if (!exit || watch_.any_alive()) return false;
    end_.launcher = *exit;
    return true;
  }

  void drain_output() {
    const double limit = monotonic_s() + 1;  // a stray process may hold the pipe open
    while (output_open_ && monotonic_s() < limit) {
      pollfd wait{output_.read_end(), POLLIN, 0};
      ::poll(&wait, 1, 50);
      output_open_ = output_.pump();
    }
    output_.finish_progress();
    watch_.update();
    end_.outcome = read_outcome(folder_);
    end_.through_mpirun = ranks_ > 1;
    end_.first_lost = watch_.first_lost();
    end_.ranks = ranks_;
    end_.ranks_seen = watch_.seen();
    end_.newest_step = watch_.newest_step();
    end_.last_line = output_.last_error_line();
  }

  const Workspace& workspace_;
  RunRegistry& registry_;
  SignalTap& signals_;
  std::string run_id_;
  std::filesystem::path folder_;
  int threads_ = 1, ranks_;
  JobScratch scratch_;
  LaunchCommand command_;
  RankWatch watch_;
  JobOutput output_;
  std::unique_ptr<ChildProcess> child_;
  JobEnd end_;
  bool output_open_ = true, stop_asked_ = false;
  double last_heartbeat_s_ = 0, outcome_seen_s_ = -1, lost_seen_s_ = -1, launcher_gone_s_ = -1, first_kill_s_ = -1;
};

// The run that a folder to start from belongs to: the folder is the run's, or that of one of its checkpoints.
std::string run_of(const std::filesystem::path& resume_folder) {
  const std::filesystem::path above = resume_folder.parent_path();
  return (above.filename() == "checkpoints" ? above.parent_path() : resume_folder).filename().string();
}

bool has_checkpoint(const std::filesystem::path& run_folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run_folder / "checkpoints", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step_") && entry.path().extension().empty()) return true;
  }
  return false;
}

struct JobResult {
  Conclusion record;
  bool stop_asked = false;  // by a person: such a job is not started again
};

// One attempt with its exit record; one that could not be started has a record too.
JobResult run_once(const SupervisorOptions& options, const Workspace& workspace, RunRegistry& registry, SignalTap& signals,
                   const std::string& id, const std::filesystem::path& resume_folder) {
  JobResult result;
  try {
    Job job(options, workspace, registry, signals, id, resume_folder);
    result.record = job.run();
    result.stop_asked = job.stop_asked();
  } catch (const std::exception& error) {
    registry.finish(id, {.state = "failed", .reason = error.what(), .exit_code = static_cast<int>(exit_code_of(error)), .ended = 0});
    throw;
  }
  registry.finish(id, result.record, true);
  remove_rank_status(workspace.run_folder(id), static_cast<int>(options.experiment.cluster.workers));
  return result;
}

}  // namespace

SupervisedRun supervise(const SupervisorOptions& options) {
  provide_open_files(options.experiment.cluster.workers);
  const Workspace workspace = Workspace::open(options.workspace);
  sweep_leftovers(workspace);
  RunRegistry registry(workspace);
  SignalTap signals;
  NewRun row = options.run;
  row.supervisor = this_process();
  std::string id = options.existing_run;
  if (id.empty()) {
    id = registry.create(row);
  } else {
    registry.set_supervisor(id, row.supervisor);
  }
  const std::string first = row.attempt_of.empty() ? id : row.attempt_of;
  std::filesystem::path resume_folder = options.resume_folder;
  for (std::int64_t restarts = 0;; ++restarts) {
    const auto [record, stop_asked] = run_once(options, workspace, registry, signals, id, resume_folder);
    // An attempt that died before its first checkpoint is followed by one from where it had started itself.
    if (has_checkpoint(workspace.run_folder(id))) resume_folder = workspace.run_folder(id);
    const bool again = record.state == "failed" && record.lost && !stop_asked && restarts < options.experiment.fault.max_restarts &&
                       !resume_folder.empty();
    if (!again) return {id, record};
    if (options.shown != nullptr) {
      std::fprintf(options.shown, "failed: %s\nrestart %lld of %lld from the newest checkpoint\n", record.reason.c_str(),
                   static_cast<long long>(restarts + 1), static_cast<long long>(options.experiment.fault.max_restarts));
      std::fflush(options.shown);
    }
    row.attempt_of = first;
    row.resumed_from = run_of(resume_folder);
    row.id.clear();
    id = registry.create(row);
  }
}

int supervise_unrecorded(const SupervisorOptions& options, std::string* last_line) {
  provide_open_files(options.experiment.cluster.workers);
  int threads = 1;
  const JobScratch scratch(options.experiment.cluster.workers > 1);
  LaunchCommand command = job_command(options, scratch.path(), &threads);
  // Without it a single rank, which no launcher has started, would take itself for a supervisor and start a rank.
  command.environment.emplace_back(supervisor_variable, supervisor_text(this_process()));
  if (!scratch.path().empty()) command.environment.emplace_back(scratch_variable, scratch.path());
  SignalTap signals;
  JobOutput output({}, options.shown, options.terminal);
  ChildProcess child(
      {.argv = command.argv, .environment = command.environment, .group = SpawnOptions::own_group, .output_fd = output.write_end()});
  output.close_write_end();
  bool open = true;
  while (!child.poll()) {
    pollfd waits[] = {{output.read_end(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    const nfds_t first = open ? 0 : 1;  // a closed pipe is always readable
    ::poll(waits + first, 2 - first, static_cast<int>(tick_s * 1000));
    if (open) open = output.pump();
    while (signals.next() != 0) child.signal_group(SIGKILL);
  }
  if (open) output.pump();
  if (last_line != nullptr) *last_line = output.last_error_line();
  const ProcessExit exit = child.wait();
  return exit.signal != 0 ? static_cast<int>(ExitCode::training) : exit.code;
}

}  // namespace syncline
