// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/rank_status.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine/base/error.h"
#include "engine/store/process.h"

namespace syncline {
namespace {

constexpr std::uint64_t magic = 0x53796e634c696e31ull;

std::filesystem::path status_path(const std::filesystem::path& run_folder, int rank) {
  return run_folder / "launch" / fmt::format("rank_{:04}.status", rank);
}

}  // namespace

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::starting:
      return "starting";
    case Phase::data:
      return "reading data";
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::exchange:
      return "exchange";
    case Phase::update:
      return "update";
    case Phase::evaluation:
      return "evaluation";
    case Phase::checkpoint:
      return "checkpoint";
    case Phase::finishing:
      return "finishing";
  }
  return "unknown";
}

RankStatus::RankStatus(const std::filesystem::path& run_folder, int rank) {
  const std::filesystem::path path = status_path(run_folder, rank);
  std::filesystem::create_directories(path.parent_path());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) throw TrainingError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  void* memory = MAP_FAILED;
  // posix_fallocate, not ftruncate: on a full disk a store to the mapping would end the process with SIGBUS.
  const int error = ::posix_fallocate(file, 0, sizeof(Page));
  if (error == 0) memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED)
    throw TrainingError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error != 0 ? error : errno)));
  page_ = new (memory) Page{};
  page_->rank = rank;
  page_->pid = ::getpid();
  page_->start_ticks = static_cast<std::uint64_t>(this_process().start_ticks);
  ::gethostname(page_->host, sizeof page_->host - 1);
  page_->magic = magic;
}

RankStatus::~RankStatus() {
  if (page_ != nullptr) ::munmap(page_, sizeof(Page));
}

void RankStatus::set_plugin(const char* name) {
  std::memset(page_->plugin, 0, sizeof page_->plugin);
  if (name != nullptr) std::strncpy(page_->plugin, name, sizeof page_->plugin - 1);
}

std::optional<RankSnapshot> read_rank_status(const std::filesystem::path& run_folder, int rank) {
  return read_rank_status(status_path(run_folder, rank));
}

std::optional<RankSnapshot> read_rank_status(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  alignas(RankStatus::Page) char bytes[sizeof(RankStatus::Page)] = {};
  if (!stream.read(bytes, sizeof bytes)) return std::nullopt;
  const auto* page = reinterpret_cast<const RankStatus::Page*>(bytes);
  if (page->magic != magic) return std::nullopt;
  RankSnapshot snapshot;
  snapshot.rank = page->rank;
  snapshot.pid = page->pid;
  snapshot.start_ticks = page->start_ticks;
  snapshot.host.assign(page->host, strnlen(page->host, sizeof page->host));
  snapshot.plugin.assign(page->plugin, strnlen(page->plugin, sizeof page->plugin));
  snapshot.step = page->step.load(std::memory_order_relaxed);
  snapshot.phase = static_cast<Phase>(page->phase.load(std::memory_order_relaxed));
  snapshot.in_plugin = page->in_plugin.load(std::memory_order_relaxed) != 0;
  return snapshot;
}

void remove_rank_status(const std::filesystem::path& run_folder, int ranks) {
  std::error_code ignored;
  for (int rank = 0; rank < ranks; ++rank) std::filesystem::remove(status_path(run_folder, rank), ignored);
}

}  // namespace syncline
