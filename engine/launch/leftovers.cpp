// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/leftovers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

#include "engine/launch/rank_status.h"
#include "engine/store/process.h"

namespace syncline {
namespace {

constexpr std::string_view scratch_mark = "syncline-job-";

int open_folder(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

// Takes "NUMBER-" off the front.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

bool gone(std::int64_t pid, std::int64_t start_ticks) {
  return !process_exists({.host = host_name(), .boot_id = boot_id(), .pid = pid, .start_ticks = start_ticks}).value_or(true);
}

bool maker_gone(std::string_view name) {
  name.remove_prefix(scratch_mark.size());
  const auto pid = take_number(name), start_ticks = pid ? take_number(name) : std::nullopt;
  return pid && start_ticks && gone(*pid, *start_ticks);
}

void sweep_scratch(const std::filesystem::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return;
  if (!maker_gone(folder.filename().string())) return;
  const int lock = open_folder(folder.string());
  if (lock < 0) return;
  std::error_code ignored;
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(folder, ignored);
  ::close(lock);
}

void sweep_status(const std::filesystem::path& run_folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run_folder / "launch", ignored)) {
    if (entry.path().extension() != ".status") continue;
    const auto rank = read_rank_status(entry.path());
    if (!rank || rank->host != host_name()) continue;
    if (gone(rank->pid, static_cast<std::int64_t>(rank->start_ticks))) std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

JobScratch::JobScratch(bool wanted, const std::filesystem::path& parent) {
  const ProcessIdentity maker = this_process();
  std::string path = (parent / fmt::format("{}{}-{}-XXXXXX", scratch_mark, maker.pid, maker.start_ticks)).string();
  if (!wanted || ::mkdtemp(path.data()) == nullptr) return;
  path_ = path;
  lock_ = open_folder(path_);
  if (lock_ >= 0) ::flock(lock_, LOCK_SH);
}

JobScratch::~JobScratch() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void hold_scratch(const std::string& path) {
  if (path.empty()) return;
  const int lock = open_folder(path);  // open until the process ends
  if (lock >= 0) ::flock(lock, LOCK_SH | LOCK_NB);
}

void sweep_leftovers(const Workspace& workspace, const std::filesystem::path& shared) noexcept {
  try {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(shared, ignored)) {
      if (entry.path().filename().string().starts_with(scratch_mark)) sweep_scratch(entry.path());
    }
    for (const auto& run : std::filesystem::directory_iterator(workspace.run_folder(""), ignored)) sweep_status(run.path());
  } catch (const std::exception&) {
    // Another sweep removed the same at the same time, or memory is short: the next one tries again.
  }
}

}  // namespace syncline
