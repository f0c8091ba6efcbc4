// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/rank_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"
#include "engine/train/rank/clock_sync.h"
#include "engine/train/rank/common_error.h"
#include "engine/train/rank/launcher_watch.h"

namespace syncline {
namespace {

constexpr double stranded_after_s = 5;  // longer than a launcher that still hears its daemons takes to end a job

}  // namespace

RankProcess::RankProcess(const RankOptions& options)
    : options_(options), experiment_(options.experiment), supervisor_(supervisor_from_environment()) {
  if (const auto place = launcher_place()) rank_ = place->rank, ranks_ = place->size;
  progress_ = std::make_unique<Progress>(progress_style(), stdout);
}

Progress::Style RankProcess::progress_style() const {
  if (!first() || options_.quiet) return Progress::Style::silent;
  if (supervised()) return Progress::Style::supervised;
  return ::isatty(STDOUT_FILENO) != 0 ? Progress::Style::terminal : Progress::Style::plain;
}

Trainer RankProcess::make_trainer() {
  std::vector<std::string> boots;
  for (const Placement& placement : placements_) boots.push_back(placement.boot_id);
  RecordingOptions recording{.rank = rank_,
                             .ranks = ranks_,
                             .records = options_.dry_run ? nullptr : records_.get(),
                             .writer = writer_.get(),
                             .measure_clocks = [this, boots] { return measure_clocks(*control_, boots); },
                             .limit_s = experiment_.fault.limit_s,
                             .cores = threads_,
                             .reports_host = first_of_host(placements_, rank_),
                             .has_losses = experiment_.cluster.compute != "emulate",
                             .set_step = [this](std::int64_t step) { world_->set_step(step); }};
  ring_ = std::make_unique<SpanRing>(8192, 2048, writer_.get());
  if (ranks_ > 1) world_->communicator().trace(ring_.get());  // alone nothing travels
  recording_ = std::make_unique<RankRecording>(std::move(recording), *ring_, *progress_, clock_);
  TrainerOptions options{.only_steps = options_.dry_run ? std::optional<std::int64_t>(1) : std::nullopt, .threads = threads_, .facts = {}};
  options.facts = {{"version of the program", options_.version},
                   {"training samples", std::to_string(train_samples_)},
                   {"test samples", std::to_string(test_samples_)}};
  std::function<void(bool)> in_optimizer;
  if (status_ && experiment_.train.optimizer.name.starts_with("plugin:"))
    in_optimizer = [this](bool inside) { status_->in_plugin(inside); };
  TracedOptimizer::Charge charge_update;
  if (pace_) {
    in_optimizer = [this, tell = std::move(in_optimizer)](bool inside) {
      if (inside) pace_->update_begins();
      if (tell) tell(inside);
    };
    charge_update = [this](const View& range) { pace_->update(range.count()); };
  }
  return Trainer({.experiment = experiment_,
                  .strategy = strategy_entry(experiment_.strategy.name),
                  .task = *task_,
                  .backend = *backend_,
                  .data = world_->communicator(),
                  .control = *control_,
                  .train = *train_,
                  .test = test_.get(),
                  .batch_per_rank = batches_,
                  .clock = clock_,
                  .training_clock = training_clock_,
                  .recorder = *ring_,
                  .observer = *recording_,
                  .input = input_,
                  .activity = activity_,
                  .faults = faults_,
                  .gate = gate_,
                  .sink = checkpoints_.get(),
                  .resume = resume_.get(),
                  .in_optimizer = std::move(in_optimizer),
                  .parameters_from = parameters_.get(),
                  .charge_update = std::move(charge_update),
                  .emulate_updates = experiment_.cluster.compute == "emulate",
                  .pace = pace_ ? &*pace_ : nullptr},
                 std::move(options));
}

int RankProcess::run() {
  begin();
  connect();
  make_profile();
  make_run();
  make_task();
  open_checkpoints();
  Trainer trainer = make_trainer();
  trainer.start();
  const double start_s = clock_.now_s();
  const TrainResult result = trainer.run();
  if (options_.dry_run) report_dry_run(trainer, clock_.now_s() - start_s);
  return end(result);
}

void RankProcess::report_dry_run(const Trainer& trainer, double seconds) const {
  if (!first()) return;
  std::int64_t parameters = 0, batch = 0;
  for (const Group& group : trainer.plan().groups()) parameters += group.count;
  for (const std::int64_t each : batches_) batch += each;
  if (options_.json) {
    const nlohmann::ordered_json document = {{"ranks", ranks_},
                                             {"communicator", ranks_ == 1 ? "none" : "mpi"},
                                             {"allreduce", experiment_.strategy.allreduce},
                                             {"emulated_link", experiment_.cluster.emulate_link && ranks_ > 1},
                                             {"threads_per_worker", threads_},
                                             {"parameters", parameters},
                                             {"buckets", trainer.plan().groups().size()},
                                             {"samples", batch},
                                             {"step_s", seconds}};
    fmt::print("{}\n", document.dump());
    std::fflush(stdout);
    return;
  }
  const std::string link =
      !experiment_.cluster.emulate_link || ranks_ == 1 ? ""
      : experiment_.cluster.links.size() > 1
          ? fmt::format(" over {} emulated {}", experiment_.cluster.links.size() - 1,
                        experiment_.cluster.links.size() == 2 ? "link" : "links")
          : fmt::format(" over an emulated link of {}", format_bit_rate(experiment_.cluster.links.front().bandwidth_bytes_per_s));
  fmt::print("dry run: {} {}, {}{}; {} parameters in {} {}; one step of {} samples took {}; nothing was recorded\n", ranks_,
             ranks_ == 1 ? "rank" : "ranks",
             ranks_ == 1 ? "no communication" : fmt::format("{} allreduce over MPI", experiment_.strategy.allreduce), link, parameters,
             trainer.plan().groups().size(), trainer.plan().groups().size() == 1 ? "bucket" : "buckets", batch, format_duration(seconds));
  std::fflush(stdout);
}

int RankProcess::end(const TrainResult& result) {
  if (supervisor_gone_) progress_->mute();
  recording_->finish();
  input_.run_ends();
  std::string reason = result.reason;
  if (supervisor_gone_ && result.ended == TrainResult::stopped)
    reason = fmt::format("stopped after step {} because the supervisor ended; a checkpoint was saved", result.steps);
  const bool stopped = result.ended == TrainResult::stopped || result.ended == TrainResult::diverged;
  const ExitCode code = stopped ? ExitCode::stopped : ExitCode::done;
  control_->barrier().wait();  // everybody has everything; from here on nobody waits for a step
  watchdog_.reset();
  if (writer_) {
    writer_->close();
    const ExitRecord record{.state = stopped ? "stopped" : "finished", .reason = reason, .exit_code = static_cast<int>(code), .ended = 0};
    if (registry_)
      registry_->finish(run_id_, record);
    else if (supervisor_gone_)
      RunRegistry(Workspace::open_existing(options_.workspace)).finish(run_id_, record);
    write_outcome(run_folder_,
                  {.state = record.state, .reason = record.reason, .exit_code = record.exit_code, .rank = 0, .step = result.steps});
  }
  if (first() && !reason.empty()) progress_->line(reason);
  if (status_) status_->set(result.steps, Phase::finishing);
  recording_.reset();
  world_->communicator().trace(nullptr);
  records_.reset();
  samples_.reset();
  control_.reset();
  world_.reset();  // MPI_Finalize: together
  clean_up();
  return supervised() || ranks_ > 1 ? 0 : static_cast<int>(code);
}

// Where there is no supervisor (any more) to do it.
void RankProcess::clean_up() const {
  if (!first() || (supervised() && !supervisor_gone_)) return;
  if (!run_folder_.empty()) remove_rank_status(run_folder_, ranks_);
  std::error_code ignored;
  if (const char* scratch = std::getenv(scratch_variable)) std::filesystem::remove_all(scratch, ignored);
}

void RankProcess::leave(const std::string& sentence, const Failure& failure) {
  if (leaving_.exchange(true))
    for (;;) ::pause();  // another thread is on its way out
  const std::string reason = failure.blamed && !sentence.starts_with("rank ")
                                 ? fmt::format("rank {} failed in step {}: {}", rank_, failure.step, sentence)
                                 : sentence;
  if (first()) progress_->end();
  const int number = static_cast<int>(failure.code);
  const auto speak = [&](const std::string& who) {
    if (supervisor_gone_) return;
    fmt::print(stderr, "error: {}{}\n", who, reason);
    std::fflush(stderr);
  };
  const auto try_to = [&failure](const auto& record) {
    try {
      record();
    } catch (const std::exception& error) {             // the sentence stands; this only explains what is missing in the record
      if (failure.code == ExitCode::workspace) return;  // which the sentence says
      fmt::print(stderr, "error: the end of the run could not be recorded: {}\n", error.what());
    }
  };
  const bool first_word = failure.blamed || first();  // of the others each has probably found what rank 0 found
  if (first_word) speak("");
  bool heard = false;  // the supervisor reads the outcome
  try_to([&] {
    if (run_folder_.empty()) return;
    write_outcome(run_folder_,
                  {.state = "failed", .reason = reason, .exit_code = number, .rank = rank_, .step = failure.step, .lost = failure.lost});
    heard = supervised();
  });
  if (!first_word && !heard && must_report_common_error()) speak(fmt::format("rank {}: ", rank_));
  try_to([&] {
    const std::optional<Outcome> outcome = run_folder_.empty() ? std::nullopt : read_outcome(run_folder_);
    const ExitRecord record{
        .state = "failed", .reason = outcome ? outcome->reason : reason, .exit_code = outcome ? outcome->exit_code : number, .ended = 0};
    if (writer_) {
      writer_->event("failed", record.reason);
      writer_->flush();
    }
    if (!run_id_.empty() && (!supervised() || supervisor_gone_))
      RunRegistry(Workspace::open_existing(options_.workspace)).finish(run_id_, record);
  });
  clean_up();
  std::fflush(nullptr);
  if (failure.lost && !supervised()) end_stranded_launcher(stranded_after_s);
  ::_exit(number);
}

void RankProcess::leave(const std::exception& error) {
  Failure failure{.code = exit_code_of(error), .step = activity_.now().step};
  const bool peer_lost = dynamic_cast<const PeerLost*>(&error) != nullptr;
  failure.lost = peer_lost || dynamic_cast<const TimeLimit*>(&error) != nullptr;
  // A rank that lost another gives that one the time to say why it went: its reason is the better one.
  if (peer_lost) ::usleep(1000000);
  failure.blamed = failure.code == ExitCode::training && ranks_ > 1 && dynamic_cast<const AgreedError*>(&error) == nullptr;
  std::string sentence = error.what();
  if (const auto* config = dynamic_cast<const ConfigError*>(&error); config != nullptr && !config->origin().key.empty())
    sentence = config->origin().key + ": " + sentence;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    sentence =
        "out of memory: 'syncline-engine describe' says what a worker needs; a smaller model, train.batch_per_worker or "
        "cluster.workers would be right";
  leave(sentence, failure);
}

bool is_rank() { return launcher_place().has_value() || supervisor_from_environment().known(); }

int run_rank(const RankOptions& options) {
  process_cores();  // before OpenMP can pin this thread
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  RankProcess* process = nullptr;
  try {
    process = new RankProcess(options);
    const int code = process->run();
    delete process;
    return code;
  } catch (const std::exception& error) {
    if (process == nullptr) throw;
    process->leave(error);
  }
}

}  // namespace syncline
