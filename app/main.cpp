// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "app/cli.h"
#include "app/version.h"
#include "engine/train/rank/common_error.h"

namespace syncline::app {
namespace {

nlohmann::json to_json(const Problem& problem) {
  return {{"file", problem.origin.file}, {"line", problem.origin.line}, {"key", problem.origin.key}, {"message", problem.message}};
}

// The error as a sentence on standard error, or with --json as a document on standard output; of several ranks by one of them.
int report(const std::exception& error, bool json) {
  const int code = static_cast<int>(exit_code_of(error));
  if (!must_report_common_error()) return code;
  if (!json) {
    std::fprintf(stderr, "syncline-engine: %s\n", error.what());
    return code;
  }
  nlohmann::json body = {{"code", code}, {"file", nullptr}, {"line", nullptr}, {"key", nullptr}, {"message", error.what()}};
  if (const auto* config = dynamic_cast<const ConfigError*>(&error)) {
    const Origin& origin = config->origin();
    if (!origin.file.empty()) body["file"] = origin.file;
    if (origin.line > 0) body["line"] = origin.line;
    if (!origin.key.empty()) body["key"] = origin.key;
  }
  if (const auto* problems = dynamic_cast<const ProblemsError*>(&error)) {
    for (const Problem& problem : problems->problems()) body["problems"].push_back(to_json(problem));
  }
  print_json({{"error", body}});
  return code;
}

std::string own_path(const char* argv0) {
  char buffer[4096];
  const ssize_t length = ::readlink("/proc/self/exe", buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string(argv0);
}

int run(int argc, char** argv) {
  Global global;
  global.program = own_path(argv[0]);
  global.arguments.assign(argv + 1, argv + argc);
  CLI::App app("Syncline's engine: trains, records and compares distributed deep-learning experiments.", "syncline-engine");
  app.set_version_flag("--version", std::string("syncline-engine ") + version);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Action chosen;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    if (command.hidden) sub->group("");
    sub->add_option("--workspace", global.workspace, "the workspace's database file")->type_name("DB");
    sub->add_flag("--json", global.json, "print one JSON document");
    auto action = std::make_shared<Action>(command.define(*sub, global));
    sub->callback([&chosen, action] { chosen = *action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);  // --help, --version
  } catch (const CLI::ParseError& error) {
    for (const std::string& argument : global.arguments) global.json = global.json || argument == "--json";
    return report(ConfigError(std::string(error.what()) + " (syncline-engine --help lists the commands)"), global.json);
  }
  try {
    return chosen();
  } catch (const std::exception& error) {
    return report(error, global.json);
  }
}

}  // namespace
}  // namespace syncline::app

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return syncline::app::run(argc, argv);
}
