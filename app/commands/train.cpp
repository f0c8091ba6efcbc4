// SPDX-License-Identifier: Apache-2.0
// train and launch: this process is one of the ranks, or the supervisor that starts them.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "app/commands.h"
#include "app/commands/resume_point.h"
#include "app/version.h"
#include "engine/base/units.h"
#include "engine/launch/command.h"
#include "engine/launch/new_run.h"
#include "engine/launch/process.h"
#include "engine/launch/protocol.h"
#include "engine/launch/supervisor.h"
#include "engine/sim/profiles.h"
#include "engine/sim/schema.h"
#include "engine/store/emulation.h"
#include "engine/store/reader.h"
#include "engine/store/registry.h"
#include "engine/store/summary.h"
#include "engine/train/rank/checkpoint.h"
#include "engine/train/rank/rank_main.h"
#include "engine/train/rank/resume_rules.h"

namespace syncline::app {
namespace {

// Set for the supervisor that `launch --detach` starts: the row and the run's folder exist already.
constexpr char adopt_variable[] = "SYNCLINE_ADOPT";

struct TrainArguments {
  ExperimentArguments experiment;
  std::string name, resume, init_from, on = "local";
  std::optional<std::int64_t> from_step;
  std::string id;  // of a detached run; empty: a new one
  bool dry_run = false, quiet = false, detach = false, print = false;
};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw ConfigError("cannot read " + path.string());
  return text.str();
}

Experiment parse(const std::string& text, const std::string& file, const Overrides& overrides) {
  Parsed parsed = parse_experiment(text, file, catalogue(), overrides);
  if (parsed.experiment) parsed.problems = check_model(*parsed.experiment, file);
  if (!parsed.problems.empty()) throw ProblemsError(std::move(parsed.problems));
  return *std::move(parsed.experiment);
}

// What a start needs to know beyond the experiment itself.
struct Start {
  Experiment experiment;
  RunOrigin origin;
  std::filesystem::path resume_folder, workspace;
  std::string file;  // what stands in the ranks' argument list
};

void prepare_resume(const TrainArguments& arguments, Start& start) {
  const Workspace workspace = Workspace::open_read_only(start.workspace);
  Reader reader(workspace);
  const RunInfo before = reader.resolve(arguments.resume);
  if (before.state == "running" || before.state == "queued" || before.state == "stopping") {
    throw ConfigError(fmt::format("run {} is {}: a run can be resumed when it has ended", before.id, before.state));
  }
  const std::string stored = (workspace.run_folder(before.id) / "experiment.toml").string();
  start.experiment = arguments.experiment.file.empty() ? parse(before.experiment_as_typed, stored, arguments.experiment.overrides())
                                                       : load(arguments.experiment);
  if (start.file.empty()) start.file = stored;
  const ResumeVerdict verdict = judge_resume(before.experiment, start.experiment.complete);
  if (verdict.kind == ResumeVerdict::refused) throw ConfigError(verdict.sentence);
  if (verdict.kind == ResumeVerdict::same_run) start.origin.attempt_of = before.attempt_of.empty() ? before.id : before.attempt_of;
  const ResumePoint from = resume_point(workspace, reader, before, arguments.from_step);
  start.origin.resumed_from = from.run;
  start.resume_folder = from.folder;
  // A resumed run keeps the name that it was given, unless the file or --name says another.
  if (arguments.name.empty() && arguments.experiment.file.empty()) start.origin.name = before.given_name;
}

// A profile that is wrong is said before anything starts; and one that names a run means the run of this moment: "last" would be another
// one as soon as this job has its row.
void settle_profile(Start& start) {
  const ClusterSpec& cluster = start.experiment.cluster;
  if (cluster.real_compute()) return;
  std::string id;
  try {
    id = experiment_profile(start.experiment, start.workspace).source;
  } catch (const ConfigError& error) {
    throw ProblemsError({{{.file = start.file, .key = error.origin().key}, error.what()}});
  }
  if (cluster.profile_from.empty() || names_profile_file(cluster.profile_from)) return;
  start.experiment = parse(start.experiment.as_typed, start.file, {{"cluster.profile", fmt::format("\"{}\"", id)}});
}

Start prepare(const TrainArguments& arguments, const Global& global) {
  Start start;
  start.workspace = workspace_path(global.workspace);
  start.file = arguments.experiment.file;
  start.origin.version = version;
  start.origin.command = global.arguments;
  start.origin.command.insert(start.origin.command.begin(), "syncline-engine");
  start.origin.name = arguments.name;
  if (const std::string problem = problem_with_name(arguments.name); !arguments.name.empty() && !problem.empty())
    throw ConfigError("--name " + problem);
  if (arguments.from_step && arguments.resume.empty())
    throw ConfigError("--from-step is for --resume RUN: it chooses among its checkpoints");
  if (const char* copy = std::getenv(experiment_variable)) {
    start.experiment = parse(read_text(copy), copy, {});
  } else if (!arguments.resume.empty()) {
    prepare_resume(arguments, start);
  } else if (arguments.experiment.file.empty()) {
    throw ConfigError("train needs an experiment file; it may be absent only with --resume RUN");
  } else {
    start.experiment = load(arguments.experiment);
  }
  if (!is_rank()) settle_profile(start);  // ranks may be on machines without the workspace; rank 0 reads it for all
  return start;
}

// The id, so that "last" or a name means the same run for whoever resolves it later.
std::string init_run(const TrainArguments& arguments, const std::filesystem::path& path) {
  return Reader(Workspace::open_read_only(path)).resolve(arguments.init_from).id;
}

std::filesystem::path init_folder(const TrainArguments& arguments, const std::filesystem::path& path) {
  if (arguments.init_from.empty()) return {};
  const Workspace workspace = Workspace::open_read_only(path);
  return workspace.run_folder(init_run(arguments, path));
}

int as_rank(const TrainArguments& arguments, const Global& global) {
  Start start = prepare(arguments, global);
  RankOptions options;
  options.experiment = std::move(start.experiment);
  options.workspace = start.workspace;
  options.origin = std::move(start.origin);
  options.resume_folder = std::move(start.resume_folder);
  options.init_from_folder = init_folder(arguments, options.workspace);
  options.dry_run = arguments.dry_run;
  options.quiet = arguments.quiet || (arguments.dry_run && global.json);
  options.json = global.json;
  options.version = version;
  return run_rank(options);
}

SupervisorOptions supervisor_options(const TrainArguments& arguments, const Global& global, const Start& start) {
  SupervisorOptions options;
  options.engine = global.program;
  options.rank_arguments = {"train", start.file, "--workspace", std::filesystem::absolute(start.workspace).string()};
  if (!arguments.init_from.empty())
    options.rank_arguments.insert(options.rank_arguments.end(), {"--init-from", init_run(arguments, start.workspace)});
  if (arguments.quiet) options.rank_arguments.emplace_back("--quiet");
  options.experiment = start.experiment;
  options.run = new_run(start.experiment, start.origin);
  options.run.threads_per_worker = resolve_threads(static_cast<int>(start.experiment.cluster.threads_per_worker),
                                                   static_cast<int>(start.experiment.cluster.workers), core_count());
  options.resume_folder = start.resume_folder;
  options.workspace = start.workspace;
  options.shown = arguments.quiet || global.json ? nullptr : stdout;
  options.terminal = ::isatty(STDOUT_FILENO) == 1;
  return options;
}

std::string closing_line(Reader& reader, const RunInfo& run) {
  const Summary summary = summarise(reader, run);
  std::string line = fmt::format("{} {}: {}", run.state, run.id, run.name);
  if (summary.final_test_accuracy) line += fmt::format(", test accuracy {:.4f}", *summary.final_test_accuracy);
  if (summary.samples_per_s) line += fmt::format(", {:.0f} samples/s", *summary.samples_per_s);
  if (summary.step_s) line += fmt::format(", step {}", format_duration(*summary.step_s));
  if (summary.exposed_comm_s && summary.comm_s) {
    line +=
        fmt::format(", communication {} of which {} exposed", format_duration(*summary.comm_s), format_duration(*summary.exposed_comm_s));
  }
  if (const std::string emulated = emulation_text(run); !emulated.empty()) line += fmt::format(" ({})", emulated);
  if (const auto why = times_withheld(summary)) line += "\n" + *why;
  return line;
}

// The run as it is recorded. A run that ended because its workspace went has no row any more: its reason is all there is to say.
RunInfo recorded(Reader& reader, const SupervisedRun& run) {
  try {
    return reader.run(run.id);
  } catch (const Error&) {
    if (run.record.exit_code == static_cast<int>(ExitCode::workspace)) throw WorkspaceError(run.record.reason);
    throw;
  }
}

// What a person (or with --json a script) reads at the end; returns the exit code.
int report(const Global& global, const std::filesystem::path& path, const SupervisedRun& run) {
  std::error_code ignored;
  if (run.record.exit_code == static_cast<int>(ExitCode::workspace) && !std::filesystem::exists(path, ignored))
    throw WorkspaceError(run.record.reason);
  const Workspace workspace = Workspace::open_read_only(path);
  Reader reader(workspace);
  const RunInfo info = recorded(reader, run);
  if (global.json) {
    nlohmann::ordered_json document = show_json(reader, info);
    print_json(document);
  } else if (run.record.state == "failed") {
    std::fprintf(stderr, "failed: %s\n", run.record.reason.c_str());
  } else {
    std::printf("%s\n", closing_line(reader, info).c_str());
    if (!run.record.reason.empty()) std::printf("%s\n", run.record.reason.c_str());
  }
  return run.record.exit_code;
}

int dry_run(SupervisorOptions& options, const Global& global) {
  options.shown = global.json ? nullptr : stdout;
  if (!global.json) return supervise_unrecorded(options);
  options.rank_arguments.emplace_back("--json");
  std::string last_line;
  const int code = supervise_unrecorded(options, &last_line);
  if (code == 0) {
    std::printf("%s\n", last_line.c_str());
    return code;
  }
  if (last_line.starts_with("error: ")) last_line.erase(0, 7);
  print_json({{"error", {{"code", code}, {"file", nullptr}, {"line", nullptr}, {"key", nullptr}, {"message", last_line}}}});
  return code;
}

int as_supervisor(const TrainArguments& arguments, const Global& global) {
  if (const char* adopted = std::getenv(adopt_variable)) {
    const std::string id = adopted;
    ::unsetenv(adopt_variable);
    Start start;
    start.workspace = workspace_path(global.workspace);
    const Workspace workspace = Workspace::open(start.workspace);
    Reader reader(workspace);
    const RunInfo row = reader.run(id);
    start.file = arguments.experiment.file;
    start.experiment = parse(read_text(workspace.run_folder(id) / "experiment.toml"), start.file, {});
    if (!row.resumed_from.empty())
      start.resume_folder = resume_point(workspace, reader, reader.run(row.resumed_from), arguments.from_step).folder;
    start.origin = {
        .version = version, .command = row.command, .name = row.given_name, .attempt_of = row.attempt_of, .resumed_from = row.resumed_from};
    SupervisorOptions options = supervisor_options(arguments, global, start);
    options.existing_run = id;
    options.shown = nullptr;
    return supervise(options).record.exit_code;
  }
  const Start start = prepare(arguments, global);
  SupervisorOptions options = supervisor_options(arguments, global, start);
  if (arguments.dry_run) {
    options.rank_arguments.emplace_back("--dry-run");
    for (const std::string& set : arguments.experiment.sets) options.rank_arguments.insert(options.rank_arguments.end(), {"--set", set});
    return dry_run(options, global);
  }
  const SupervisedRun run = supervise(options);
  return report(global, start.workspace, run);
}

int train(const TrainArguments& arguments, const Global& global) {
  return is_rank() ? as_rank(arguments, global) : as_supervisor(arguments, global);
}

// Until the row has its supervisor: a launch that is told to end in between would leave a run that nobody drives.
class NotToBeInterrupted {
 public:
  NotToBeInterrupted() {
    sigset_t asked;
    sigemptyset(&asked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&asked, signal);
    ::pthread_sigmask(SIG_BLOCK, &asked, &before_);
  }
  ~NotToBeInterrupted() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NotToBeInterrupted(const NotToBeInterrupted&) = delete;
  NotToBeInterrupted& operator=(const NotToBeInterrupted&) = delete;

 private:
  sigset_t before_{};
};

int print_id(const std::string& id, const Global& global) {
  if (global.json) {
    print_json({{"id", id}});
  } else {
    std::printf("%s\n", id.c_str());
  }
  return 0;
}

// Makes the row, then leaves a supervisor in a session of its own behind.
int detach(const TrainArguments& arguments, const Global& global) {
  if (!arguments.id.empty() && !is_run_id(arguments.id))
    throw ConfigError(fmt::format("--id {}: an id looks like 019ace5c-7a3e-7cc1-8a6e-0242ac120002", arguments.id));
  const Start start = prepare(arguments, global);
  SupervisorOptions options = supervisor_options(arguments, global, start);
  const Workspace workspace = Workspace::open(start.workspace);
  // Who launches under an id of its own may do so again after a crash: the run is there once.
  if (!arguments.id.empty() && Reader(workspace).has_run(arguments.id)) return print_id(arguments.id, global);
  const NotToBeInterrupted guard;
  RunRegistry registry(workspace);
  options.run.id = arguments.id;
  const std::string id = registry.create(options.run);
  const std::filesystem::path log = workspace.run_folder(id) / "launch" / "supervisor.txt";
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::vector<std::string> argv = {global.program};
  argv.insert(argv.end(), options.rank_arguments.begin(), options.rank_arguments.end());
  // The supervisor's affair alone: one checkpoint, where it is not the newest of its run.
  if (const std::int64_t step = checkpoint_step(start.resume_folder); step >= 0)
    argv.insert(argv.end(), {"--from-step", std::to_string(step)});
  if (file < 0) throw WorkspaceError("cannot write " + log.string());
  try {
    const ChildProcess supervisor(
        {.argv = argv, .environment = {{adopt_variable, id}}, .group = SpawnOptions::own_session, .output_fd = file});
    registry.set_supervisor(id, process_of(supervisor.pid()).value_or(ProcessIdentity{}));
  } catch (const TrainingError& error) {
    registry.finish(id, {.state = "failed", .reason = error.what(), .exit_code = static_cast<int>(ExitCode::training), .ended = 0});
    throw;
  }
  return print_id(id, global);
}

int launch(const TrainArguments& arguments, const Global& global) {
  if (arguments.print) {
    const Start start = prepare(arguments, global);
    const SupervisorOptions options = supervisor_options(arguments, global, start);
    const std::string text = local_command(options.engine, options.rank_arguments,
                                           {.ranks = static_cast<int>(start.experiment.cluster.workers),
                                            .threads_per_rank = options.run.threads_per_worker,
                                            .cores = core_count(),
                                            .as_root = ::geteuid() == 0,
                                            .copy_once = peer_memory_readable()})
                                 .text();
    if (global.json) {
      print_json({{"command", text}});
    } else {
      std::printf("%s\n", text.c_str());
    }
    return 0;
  }
  return arguments.detach ? detach(arguments, global) : as_supervisor(arguments, global);
}

void add_common(CLI::App& sub, TrainArguments& arguments) {
  sub.add_option("--name", arguments.name, "the run's name instead of the experiment's");
  sub.add_option("--resume", arguments.resume, "go on from the newest checkpoint of this run")->type_name("RUN");
  sub.add_option("--from-step", arguments.from_step, "with --resume: from the checkpoint of this step instead of the newest")
      ->type_name("STEP");
  sub.add_option("--init-from", arguments.init_from, "start with the parameters of this run's newest checkpoint")->type_name("RUN");
}

}  // namespace

Action define_train(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<TrainArguments>();
  add_experiment_options(sub, arguments->experiment, false);
  add_common(sub, *arguments);
  sub.add_flag("--dry-run", arguments->dry_run, "start all ranks, do one step, report, record nothing");
  sub.add_flag("--quiet", arguments->quiet, "no progress");
  return [arguments, &global] { return train(*arguments, global); };
}

Action define_launch(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<TrainArguments>();
  add_experiment_options(sub, arguments->experiment, false);
  add_common(sub, *arguments);
  sub.add_option("--on", arguments->on, "where: local")->check(CLI::IsMember({"local"}))->required();
  CLI::Option* detach = sub.add_flag("--detach", arguments->detach, "leave it running on its own and print its id");
  sub.add_option("--id", arguments->id, "with --detach: the new run's id, chosen by the caller; a second launch with it starts nothing")
      ->type_name("ID")
      ->needs(detach);
  sub.add_flag("--print", arguments->print, "print the command and start nothing");
  return [arguments, &global] { return launch(*arguments, global); };
}

}  // namespace syncline::app
