// SPDX-License-Identifier: Apache-2.0
// stop and checkpoint: rows that the run reads at its next flush.
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/metrics/clock.h"
#include "engine/sim/schema.h"
#include "engine/store/reader.h"
#include "engine/store/registry.h"

namespace syncline::app {
namespace {

constexpr auto look_every = std::chrono::milliseconds(100);

bool active(const std::string& state) { return state == "queued" || state == "running" || state == "stopping" || state == "unknown"; }

RunInfo active_run(const Workspace& workspace, const std::string& what, const char* purpose) {
  RunInfo run = Reader(workspace).resolve(what);
  if (!active(run.state)) throw ConfigError(fmt::format("{} is {}: there is nothing to {}", run.name, run.state, purpose));
  return run;
}

double grace_s(const RunInfo& run) {
  const Parsed parsed = parse_experiment(run.experiment, "the stored experiment", catalogue());
  return parsed.experiment ? parsed.experiment->fault.grace_s : FaultSpec{}.grace_s;
}

struct StopArguments {
  std::string run;
  bool after_step = false, after_checkpoint = false, now = false;
  double wait_s = 0;
  std::string kind() const { return now ? "stop-now" : after_step ? "stop-after-step" : "stop-after-checkpoint"; }
};

// The supervisor ends the job at once; rank 0 where there is none stops when it can. Only a process that is certainly this run's.
bool signal_run(const RunInfo& run) {
  for (const auto& [process, signal] : {std::pair(&run.supervisor, SIGUSR1), std::pair(&run.rank0, SIGTERM)}) {
    if (process->known() && process_exists(*process) == true) return ::kill(static_cast<pid_t>(process->pid), signal) == 0;
  }
  return false;
}

// Looks again and again until `done` or until the time is over; true: done.
bool wait_until(double limit_s, const std::function<bool()>& done) {
  const double end = monotonic_s() + limit_s;
  for (;;) {
    if (done()) return true;
    if (monotonic_s() >= end) return false;
    std::this_thread::sleep_for(look_every);
  }
}

void say(const Global& global, const RunInfo& run, std::int64_t request, const std::string& stage, const std::string& sentence) {
  if (global.json) {
    print_document({{"run", run.id}, {"request", request}, {"stage", stage}, {"state", run.state}});
  } else {
    std::printf("%s\n", sentence.c_str());
  }
}

int stop(const StopArguments& arguments, const Global& global) {
  const Workspace workspace = Workspace::open_existing(workspace_path(global.workspace));
  const RunInfo run = active_run(workspace, arguments.run, "stop");
  Requests requests(workspace);
  const std::int64_t id = requests.ask(run.id, arguments.kind(), "command line");
  const auto acknowledged = [&] { return requests.get(id)->acknowledged_at.has_value(); };
  bool signalled = false;
  if (arguments.now && !wait_until(grace_s(run), acknowledged)) signalled = signal_run(run);
  Reader reader(workspace);
  const bool ended = wait_until(arguments.wait_s, [&] { return !active(reader.run(run.id).state); });
  const RunInfo after = reader.run(run.id);
  const std::string stage = requests.get(id)->stage;
  std::string sentence = ended ? fmt::format("{} is {}{}{}", run.name, after.state, after.reason.empty() ? "" : ": ", after.reason)
                               : fmt::format("{}: asked to stop ({})", run.name, stage);
  if (signalled) sentence += "; its supervisor did not answer and was sent a signal";
  say(global, after, id, stage, sentence);
  return ended || arguments.wait_s <= 0 ? 0 : static_cast<int>(ExitCode::not_held);
}

struct CheckpointArguments {
  std::string run;
  double wait_s = 0;
};

int checkpoint(const CheckpointArguments& arguments, const Global& global) {
  const Workspace workspace = Workspace::open_existing(workspace_path(global.workspace));
  const RunInfo run = active_run(workspace, arguments.run, "save");
  Requests requests(workspace);
  const std::int64_t id = requests.ask(run.id, "checkpoint", "command line");
  const bool done = wait_until(arguments.wait_s, [&] { return requests.get(id)->finished(); });
  const std::string stage = requests.get(id)->stage;
  say(global, run, id, stage, fmt::format("{}: asked for a checkpoint ({})", run.name, stage));
  return done || arguments.wait_s <= 0 ? 0 : static_cast<int>(ExitCode::not_held);
}

}  // namespace

Action define_stop(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<StopArguments>();
  sub.add_option("RUN", arguments->run, "an id, a name, the beginning of either, or last")->required();
  auto* after_step = sub.add_flag("--after-step", arguments->after_step, "stop at the next step that all ranks agree on");
  auto* after_checkpoint = sub.add_flag("--after-checkpoint", arguments->after_checkpoint, "save a checkpoint, then stop (the default)");
  auto* now = sub.add_flag("--now", arguments->now, "stop at once; without an answer in fault.grace_s the supervisor gets a signal");
  after_step->excludes(after_checkpoint)->excludes(now);
  after_checkpoint->excludes(now);
  sub.add_option("--wait", arguments->wait_s, "seconds to wait for the end; exit code 1 when it has not come by then")->type_name("S");
  return [arguments, &global] { return stop(*arguments, global); };
}

Action define_checkpoint(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<CheckpointArguments>();
  sub.add_option("RUN", arguments->run, "an id, a name, the beginning of either, or last")->required();
  sub.add_option("--wait", arguments->wait_s, "seconds to wait until it is written")->type_name("S");
  return [arguments, &global] { return checkpoint(*arguments, global); };
}

}  // namespace syncline::app
