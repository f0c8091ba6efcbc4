// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/protocol.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/error.h"

namespace syncline {
namespace {

std::filesystem::path outcome_path(const std::filesystem::path& run_folder) { return run_folder / "outcome.json"; }

}  // namespace

bool write_outcome(const std::filesystem::path& run_folder, const Outcome& outcome) {
  const nlohmann::json document = {{"state", outcome.state}, {"reason", outcome.reason}, {"exit_code", outcome.exit_code},
                                   {"rank", outcome.rank},   {"step", outcome.step},     {"lost", outcome.lost}};
  const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const std::filesystem::path path = outcome_path(run_folder);
  const std::string temporary = fmt::format("{}.{}", path.string(), ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  int error = errno;
  if (file >= 0) ::close(file);
  bool first = false;
  if (written) {
    // link() is atomic and refuses an existing name: of several failing ranks the first one's sentence stays.
    first = ::link(temporary.c_str(), path.c_str()) == 0;
    written = first || errno == EEXIST;
    error = errno;
  }
  ::unlink(temporary.c_str());
  if (!written) throw TrainingError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
  return first;
}

std::optional<Outcome> read_outcome(const std::filesystem::path& run_folder) {
  std::ifstream stream(outcome_path(run_folder));
  const nlohmann::json document = nlohmann::json::parse(stream, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  return Outcome{document.value("state", ""),
                 document.value("reason", ""),
                 document.value("exit_code", 0),
                 document.value("rank", 0),
                 document.value("step", std::int64_t{0}),
                 document.value("lost", false)};
}

void remove_outcome(const std::filesystem::path& run_folder) {
  std::error_code ignored;
  std::filesystem::remove(outcome_path(run_folder), ignored);
}

ProcessIdentity supervisor_from_environment() {
  ProcessIdentity identity;
  const char* text = std::getenv(supervisor_variable);
  if (text == nullptr) return identity;
  std::istringstream stream(text);
  char colon = 0;
  if (stream >> identity.pid >> colon >> identity.start_ticks && colon == ':') {
    identity.host = host_name();
    identity.boot_id = boot_id();
  } else {
    identity.pid = 0;
  }
  return identity;
}

std::string supervisor_text(const ProcessIdentity& identity) { return fmt::format("{}:{}", identity.pid, identity.start_ticks); }

}  // namespace syncline
