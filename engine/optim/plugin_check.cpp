// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/plugin_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/optim/check_items.h"
#include "engine/optim/child_process.h"
#include "engine/optim/loader.h"

namespace syncline {
namespace {

using nlohmann::json;

// Standard output belongs to the answer; what the plugin prints goes to standard error.
class Answer {
 public:
  Answer() : real_(::dup(STDOUT_FILENO)) {
    ::fcntl(real_, F_SETFD, FD_CLOEXEC);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  int send(const json& document) {
    std::fflush(stdout);
    ::dup2(real_, STDOUT_FILENO);
    const std::string line = document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    std::size_t sent = 0;
    while (sent < line.size()) {
      const ssize_t written = ::write(STDOUT_FILENO, line.data() + sent, line.size() - sent);
      if (written <= 0) return 1;
      sent += static_cast<std::size_t>(written);
    }
    return 0;
  }
  // For the fault handler of the bounds check, which writes to standard output itself.
  void open() { ::dup2(real_, STDOUT_FILENO); }

 private:
  int real_;
};

std::string without_stop(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// The start of the error's sentence names the plugin, as the caller does.
std::string without_label(const Rule& rule, const std::string& text) {
  return text.starts_with(rule.label() + " ") ? "it " + text.substr(rule.label().size() + 1) : text;
}

json answer_for(const Check& check, const std::string& file) {
  std::shared_ptr<const Rule> rule;
  try {
    rule = open_plugin(file);
    return {{"reason", check.run(rule)}};
  } catch (const std::exception& error) {
    return {{"reason", without_stop(rule ? without_label(*rule, error.what()) : error.what())}};
  }
}

std::string describe_end(const ChildResult& child, double limit_s) {
  if (child.timed_out) return fmt::format("it did not end within {:g} s", limit_s);
  if (child.signal != 0) return fmt::format("it crashed with signal {} ({})", child.signal, ::strsignal(child.signal));
  if (child.exit_code != 0) return fmt::format("it ended its process with code {}", child.exit_code);
  return "it ended its process without an answer";
}

ChildResult run(const ChildProgram& program, std::initializer_list<std::string> arguments) {
  std::vector<std::string> command = program.command;
  command.insert(command.end(), arguments);
  return run_child(command, program.limit_s);
}

// The last line that the child printed: nothing else of ours prints.
std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t start = text.rfind('\n');
  return start == std::string_view::npos ? text : text.substr(start + 1);
}

CheckItem run_item(const Check& check, const std::string& file, const ChildProgram& program, bool& timed_out) {
  CheckItem item{.name = std::string(check.name), .text = std::string(check.text), .ok = false, .reason = {}};
  const ChildResult child = run(program, {"check", file, item.name});
  timed_out = child.timed_out;
  const json answer = json::parse(last_line(child.output), nullptr, false);
  const bool answered = answer.is_object() && answer.contains("reason") && answer["reason"].is_string();
  if (child.timed_out || child.signal != 0 || child.exit_code != 0 || !answered) {
    item.reason = describe_end(child, program.limit_s);
  } else {
    item.reason = answer["reason"].get<std::string>();
    item.ok = item.reason.empty();
  }
  return item;
}

}  // namespace

bool CheckReport::passed() const {
  return examined.description && !items.empty() && std::all_of(items.begin(), items.end(), [](const CheckItem& item) { return item.ok; });
}

Examined examine_plugin(const std::filesystem::path& path, const ChildProgram& program) {
  const std::string file = std::filesystem::absolute(path).lexically_normal().string();
  const ChildResult child = run(program, {"describe", file});
  Examined examined;
  const json answer = json::parse(last_line(child.output), nullptr, false);
  if (!child.timed_out && child.signal == 0 && child.exit_code == 0 && answer.is_object()) {
    if (answer.contains("problem") && answer["problem"].is_string())
      examined.problem = answer["problem"].get<std::string>();
    else
      examined.description = parse_description(last_line(child.output));
  }
  if (!examined.description && examined.problem.empty())
    examined.problem = fmt::format("{}: {} when it was looked into.", file, describe_end(child, program.limit_s));
  return examined;
}

CheckReport check_plugin(const std::filesystem::path& path, const ChildProgram& program) {
  CheckReport report{.examined = examine_plugin(path, program), .items = {}};
  if (!report.examined.description) return report;
  for (const Check& check : plugin_checks()) {
    bool timed_out = false;
    report.items.push_back(run_item(check, report.examined.description->file, program, timed_out));
    if (timed_out) break;  // the others would most likely wait as long
  }
  return report;
}

int plugin_child(std::span<const std::string> arguments) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // a plugin that crashes is an answer, not a file to clean up
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(crash, SIG_DFL);  // a sanitizer's handler would turn them into exits
  Answer answer;
  if (arguments.size() == 2 && arguments[0] == "describe") {
    try {
      return answer.send(json::parse(to_json(describe(*open_plugin(arguments[1])))));
    } catch (const std::exception& error) {
      return answer.send({{"problem", error.what()}});
    }
  }
  if (arguments.size() == 3 && arguments[0] == "check") {
    for (const Check& check : plugin_checks()) {
      if (check.name != arguments[2]) continue;
      if (check.name == "bounds") answer.open();
      return answer.send(answer_for(check, arguments[1]));
    }
  }
  return static_cast<int>(ExitCode::config);
}

}  // namespace syncline
