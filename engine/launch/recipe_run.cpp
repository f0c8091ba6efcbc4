// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/recipe_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>

#include "engine/base/units.h"
#include "engine/experiment/document.h"
#include "engine/experiment/overrides.h"
#include "engine/launch/new_run.h"
#include "engine/launch/process.h"
#include "engine/launch/protocol.h"
#include "engine/launch/signal_tap.h"
#include "engine/metrics/clock.h"
#include "engine/store/private_files.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr char file_word[] = "FILE";
constexpr int tick_ms = 50;

class PrivateFile {  // open to write, mode 0600; flags: O_TRUNC, O_APPEND
 public:
  PrivateFile(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600)) {
    if (descriptor_ < 0) throw WorkspaceError("cannot write " + path.string());
  }
  ~PrivateFile() { ::close(descriptor_); }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string replaced(std::string value, std::string_view prefix, const std::function<std::string(const std::string&)>& meaning) {
  for (std::size_t at = 0; (at = value.find(prefix, at)) != std::string::npos;) {
    const std::size_t begin = at + prefix.size(), end = std::min(value.find_first_of("\"' ,", begin), value.size());
    const std::string now = meaning(value.substr(begin, end - begin));
    value.replace(at, end - at, now);
    at += now.size();
  }
  return value;
}

// What a command said of itself: its document, or the sentence of its error.
struct Answer {
  Json document;
  std::string error;
};

Answer answer_of(const fs::path& output, const ProcessExit& end) {
  Answer answer;
  answer.document = Json::parse(read_file(output), nullptr, false);
  if (end.signal != 0) {
    answer.error = "its process ended by " + signal_text(end.signal);
  } else if (answer.document.is_object() && answer.document.contains("error")) {
    answer.error = answer.document["error"].value("message", "");
  } else if (answer.document.is_object() && answer.document.contains("run") && end.code != 0) {
    answer.error = answer.document["run"].value("reason", "");
  } else if (end.code != 0 || !answer.document.is_object()) {
    answer.error = fmt::format("it ended with code {} and without a result", end.code);
  }
  return answer;
}

// The number that tells most about a step, for its line of progress.
std::string outcome_of(const RecipeStep& step, const Json& document) {
  const auto seconds = [](const Json& from, const char* key) {
    const auto found = from.find(key);
    return found != from.end() && found->is_number() ? format_duration(found->get<double>()) : std::string("-");
  };
  switch (step.kind) {
    case RecipeStep::train:
      return document.contains("summary") ? "step " + seconds(document["summary"], "step_s") : std::string();
    case RecipeStep::plan:
      return "predicted step " + seconds(document, "step_s");
    case RecipeStep::simulate:
      return fmt::format("{} predictions", document.value("results", Json::array()).size());
    case RecipeStep::bench:
      return fmt::format("{} rows", document.value("rows", Json::array()).size());
  }
  return {};
}

class RecipeRunner {
 public:
  RecipeRunner(const Recipe& recipe, const RecipeRunOptions& options)
      : recipe_(recipe), options_(options), workspace_(Workspace::open(options.workspace)), reader_(workspace_) {}

  RecipeRecord run() {
    begin();
    std::vector<const RecipeStep*> todo;
    for (const RecipeStep& step : recipe_.steps)
      if (step.needs.empty() && (!options_.quick || step.in_quick)) todo.push_back(&step);
    record_.step_count = todo.size();
    save(workspace_, record_);
    for (std::size_t k = 0; k < todo.size() && !stopped_; ++k) one(*todo[k], k + 1, todo.size());
    record_.at.clear();
    record_.state = stopped_ ? "stopped" : "finished";
    record_.ended = utc_s();
    if (!stopped_) record_.claims = evaluate_claims(recipe_, record_, &reader_, options_.parameters_of);
    save(workspace_, record_);
    return std::move(record_);
  }

 private:
  void begin() {
    folder_ = recipe_folder(workspace_, recipe_.name, options_.quick);
    make_private_folders(folder_);
    // Held to the end: of two that begin at the same moment neither has written anything yet that the other could see.
    lock_.emplace(folder_ / "lock", 0);
    if (::flock(lock_->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw ConfigError(fmt::format("recipe {} is running already; 'recipes stop {}' would stop it", recipe_.name, recipe_.name));
    const std::optional<RecipeRecord> before = recipe_record(reader_.database(), recipe_.name, options_.quick);
    if (before && before->going_on())
      throw ConfigError(fmt::format("recipe {} is running already (process {} on {}); 'recipes stop {}' would stop it", recipe_.name,
                                    before->process.pid, before->process.host, recipe_.name));
    for (const RunInfo& run : reader_.run_headers()) {
      const bool of_this = std::find(run.tags.begin(), run.tags.end(), recipe_tag(recipe_.name)) != run.tags.end();
      if (of_this && (run.state == "running" || run.state == "queued" || run.state == "stopping"))
        throw ConfigError(
            fmt::format("run {} of recipe {} is still {}; wait for it, or 'stop {}'", run.id, recipe_.name, run.state, run.id));
    }
    if (before) {
      record_.saved_id = before->saved_id;
      record_.claims = before->claims;
      // What has come to its end is run again as a whole.
      if (before->state != "finished" && !options_.restart) record_.steps = before->steps;
    }
    record_.recipe = recipe_.name;
    record_.version = options_.version;
    record_.quick = options_.quick;
    record_.process = this_process();
    record_.started = utc_s();
  }

  void one(const RecipeStep& step, std::size_t number, std::size_t of) {
    const StepCommand command = step_command(recipe_, step, options_.quick, options_.folder, [&](const std::string& id) {
      const auto found = record_.steps.find(id);
      return found == record_.steps.end() || found->second.runs.empty() ? "step:" + id : found->second.runs.front();
    });
    const std::string made_from = fmt::format("{}\n{}\n{}", options_.version, fmt::join(command.arguments, " "), command.experiment);
    const auto before = record_.steps.find(step.id);
    const std::string what = fmt::format("[{}/{}] {} {}", number, of, name_of(step.kind), step.id);
    if (before != record_.steps.end() && before->second.state == "finished" && before->second.made_from == made_from) {
      say(what + ": finished before");
      return;
    }
    StepRecord record{.state = "finished", .reason = {}, .made_from = made_from, .runs = {}, .result = {}, .seconds = 0};
    record_.steps.erase(step.id);
    record_.at = step.id;
    save(workspace_, record_);
    for (const std::string& id : step.uses) {
      const auto used = record_.steps.find(id);
      if (used != record_.steps.end() && used->second.state == "finished") continue;
      record.state = "failed";
      record.reason = fmt::format("it needs the run of step {}, which has not finished", id);
    }
    const double start_s = monotonic_s();
    std::string outcome;
    if (record.state == "finished") outcome = execute(step, command, record);
    record.seconds = monotonic_s() - start_s;
    if (stopped_) return say(what + ": stopped");
    say(fmt::format("{}: {} ({})", what, record.state == "failed" ? "failed: " + record.reason : outcome, format_duration(record.seconds)));
    record_.steps[step.id] = std::move(record);
    save(workspace_, record_);
  }

  // All runs of a step.
  std::string execute(const RecipeStep& step, const StepCommand& command, StepRecord& record) {
    const fs::path file = folder_ / (step.id + ".toml");
    write_private_file(file, command.experiment);
    const std::vector<std::uint64_t>& seeds = step.settings(options_.quick).seeds;
    std::string outcome;
    for (std::size_t k = 0; k < std::max<std::size_t>(seeds.size(), 1) && !stopped_ && record.state == "finished"; ++k) {
      std::vector<std::string> argv = {options_.engine};
      for (const std::string& word : command.arguments) argv.push_back(word == file_word ? file.string() : word);
      argv.insert(argv.end(), {"--workspace", fs::absolute(options_.workspace).string(), "--json"});
      if (step.kind == RecipeStep::train) {
        std::string name = recipe_.name + ": " + step.id;
        if (!seeds.empty()) {
          name += fmt::format(" seed {}", seeds[k]);
          argv.insert(argv.end(), {"--set", fmt::format("seed={}", seeds[k])});
        }
        argv.insert(argv.end(), {"--quiet", "--name", name});
      }
      const Answer answer = call(step, argv);
      if (stopped_) break;
      if (!answer.error.empty()) {
        record.state = "failed";
        record.reason = answer.error;
      } else if (step.kind == RecipeStep::train) {
        record.runs.push_back(answer.document.at("run").at("id"));
      } else {
        record.result = answer.document;
      }
      outcome = outcome_of(step, answer.document);
    }
    return outcome;
  }

  Answer call(const RecipeStep& step, const std::vector<std::string>& argv) {
    const fs::path output = folder_ / (step.id + ".json");
    const PrivateFile answer(output, O_TRUNC), log(folder_ / "log.txt", O_APPEND);
    ChildProcess child({.argv = argv,
                        .environment = {{recipe_variable, recipe_.name}},
                        .group = SpawnOptions::own_group,
                        .output_fd = answer.descriptor(),
                        .error_fd = log.descriptor()});
    while (!child.poll()) {
      pollfd waits{signals_.descriptor(), POLLIN, 0};
      ::poll(&waits, 1, tick_ms);
      while (const int signal = signals_.next()) {
        stopped_ = true;
        say(fmt::format("stopping {}", step.id));
        child.signal_group(signal == SIGUSR1 ? SIGUSR1 : SIGTERM);
      }
    }
    const ProcessExit end = *child.poll();
    stopped_ = stopped_ || end.code == static_cast<int>(ExitCode::stopped);
    return answer_of(output, end);
  }

  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }

  const Recipe& recipe_;
  const RecipeRunOptions& options_;
  Workspace workspace_;
  Reader reader_;
  RecipeRecord record_;
  SignalTap signals_;
  fs::path folder_;
  std::optional<PrivateFile> lock_;
  bool stopped_ = false;
};

}  // namespace

StepCommand step_command(const Recipe& recipe, const RecipeStep& step, bool quick, const fs::path& folder,
                         const std::function<std::string(const std::string&)>& run_of_step) {
  const StepSettings& settings = step.settings(quick);
  const auto meant = [&](const std::string& value) {
    return replaced(replaced(value, step_prefix, run_of_step), file_prefix,
                    [&](const std::string& name) { return (folder / name).string(); });
  };
  Overrides set;
  for (const auto& [key, value] : settings.set) set.emplace_back(key, meant(value));
  StepCommand command{.arguments = {}, .experiment = apply_overrides(recipe.base, set).text};
  const auto option = [&](const char* name, const std::string& value) {
    if (!value.empty()) command.arguments.insert(command.arguments.end(), {name, value});
  };
  switch (step.kind) {
    case RecipeStep::train:
      command.arguments = {"train", file_word};
      break;
    case RecipeStep::plan:
      command.arguments = {"plan", file_word};
      option("--profile", meant(settings.profile));
      break;
    case RecipeStep::simulate:
      command.arguments = {"simulate", file_word};
      option("--workers", settings.workers);
      option("--plans", settings.plans);
      option("--strategies", settings.strategies);
      option("--level", settings.level);
      option("--profile", meant(settings.profile));
      break;
    case RecipeStep::bench:
      command.arguments = {"bench", settings.what, file_word};
      if (!settings.sizes.empty()) option("--sizes", fmt::format("{}", fmt::join(settings.sizes, ",")));
      for (const std::string& allreduce : settings.allreduces) option("--allreduce", allreduce);
      break;
  }
  return command;
}

RecipeRecord run_recipe(const Recipe& recipe, const RecipeRunOptions& options) { return RecipeRunner(recipe, options).run(); }

}  // namespace syncline
