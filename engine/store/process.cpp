// SPDX-License-Identifier: Apache-2.0
#include "engine/store/process.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

namespace syncline {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

namespace {

struct StatusLine {
  char state = 0;
  std::int64_t start_ticks = 0;
};

// /proc/PID/stat: the name in parentheses may itself hold spaces and parentheses, so fields count from the last ')'.
std::optional<StatusLine> status_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream text;
  text << file.rdbuf();
  const std::string line = text.str();
  const std::size_t end = line.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(end + 1));
  StatusLine status;
  fields >> status.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> status.start_ticks;
  if (!fields) return std::nullopt;
  return status;
}

}  // namespace

ProcessIdentity this_process() { return process_of(getpid()).value_or(ProcessIdentity{host_name(), boot_id(), getpid(), 0}); }

std::optional<ProcessIdentity> process_of(std::int64_t pid) {
  const auto status = status_of(pid);
  if (!status) return std::nullopt;
  return ProcessIdentity{host_name(), boot_id(), pid, status->start_ticks};
}

std::optional<bool> process_exists(const ProcessIdentity& process) {
  if (!process.known() || process.host != host_name() || process.boot_id.empty() || process.boot_id != boot_id()) return std::nullopt;
  const auto status = status_of(process.pid);
  return status && status->start_ticks == process.start_ticks && status->state != 'Z' && status->state != 'X';
}

}  // namespace syncline
