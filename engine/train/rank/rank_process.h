// SPDX-License-Identifier: Apache-2.0
// The parts of one rank in the order in which they come to life, and its two ways out: an agreed end, or leaving with a reason.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "engine/comm/mpi/mpi_world.h"
#include "engine/data/dataset.h"
#include "engine/launch/protocol.h"
#include "engine/launch/rank_status.h"
#include "engine/store/registry.h"
#include "engine/store/run_writer.h"
#include "engine/train/pace.h"
#include "engine/train/rank/checkpoint.h"
#include "engine/train/rank/launcher_watch.h"
#include "engine/train/rank/placement.h"
#include "engine/train/rank/rank_input.h"
#include "engine/train/rank/rank_main.h"
#include "engine/train/rank/recording.h"
#include "engine/train/rank/watchdog.h"
#include "engine/train/trainer.h"

namespace syncline {

class RankProcess {
 public:
  explicit RankProcess(const RankOptions& options);
  int run();
  struct Failure {
    ExitCode code = ExitCode::training;
    bool blamed = false;  // the sentence names this rank as the one that failed
    bool lost = false;    // a rank is gone or silent: what Outcome::lost says
    std::int64_t step = 0;
  };
  // Says why, writes the outcome, ends the process without any destructor: other ranks may be gone, and nothing may wait for them.
  [[noreturn]] void leave(const std::string& sentence, const Failure&);
  [[noreturn]] void leave(const std::exception&);

 private:
  // rank_start.cpp
  void begin();     // status file, signals, watchdog: before anything can hang
  void connect();   // world, communicators, placement
  void make_run();  // the run's row and folder, the writer of rank 0
  // rank_task.cpp
  void make_profile();  // of paced and emulated compute: before the run has a row
  void make_task();     // data, model, backend
  void make_emulated_task();
  void make_supervised_task();
  void make_pace(std::int64_t parameters);
  LoaderOptions loader_options() const;
  void hold_in_memory(Residency&);
  // rank_start.cpp
  void open_checkpoints();
  void look_after_supervisor();
  MpiWorldOptions world_options() const;

  // rank_process.cpp
  Trainer make_trainer();
  void report_dry_run(const Trainer&, double seconds) const;
  int end(const TrainResult&);
  void clean_up() const;
  bool first() const { return rank_ == 0; }
  bool supervised() const { return supervisor_.known(); }
  std::filesystem::path checkpoints_folder() const { return run_folder_ / "checkpoints"; }
  Progress::Style progress_style() const;

  const RankOptions& options_;
  const Experiment& experiment_;
  int rank_ = 0, ranks_ = 1;
  ProcessIdentity supervisor_;
  std::atomic<bool> supervisor_gone_{false}, leaving_{false};
  std::string run_id_;
  std::filesystem::path run_folder_;  // empty: nothing is recorded
  RealClock clock_;
  TrainingClockOf<RealClock> training_clock_{clock_};
  Activity activity_;
  RankInput input_;
  FaultPoints faults_;
  ComputeGate gate_;
  std::unique_ptr<RankStatus> status_;
  std::optional<LauncherWatch> launcher_watch_;
  std::optional<Watchdog> watchdog_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Communicator> control_, records_, samples_;
  std::vector<Placement> placements_;
  int threads_ = 1;
  std::unique_ptr<RunRegistry> registry_;  // rank 0 where there is no supervisor
  std::unique_ptr<RunWriter> writer_;      // rank 0
  std::unique_ptr<Backend> backend_;
  Split data_;
  std::vector<std::int64_t> batches_;
  std::unique_ptr<Loader> train_, test_;
  LayerProfile profile_;
  std::optional<Pace> pace_;  // paced and emulated compute
  std::int64_t train_samples_ = 0, test_samples_ = 0;
  std::unique_ptr<Task> task_;
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<SpanRing> ring_;
  std::unique_ptr<RankRecording> recording_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::unique_ptr<OpenedCheckpoint> resume_, parameters_;
};

}  // namespace syncline
