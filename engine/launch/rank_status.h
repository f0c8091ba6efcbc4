// SPDX-License-Identifier: Apache-2.0
// What a rank was doing, readable after it is gone: one small memory-mapped file a rank in the run's folder (launch/rank_0003.status).
// A store to mapped memory survives any death of the process and costs a step nothing.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace syncline {

enum class Phase : std::uint32_t { starting, data, forward, backward, exchange, update, evaluation, checkpoint, finishing };
std::string_view phase_name(Phase);

class RankStatus {
 public:
  // Creates (or replaces) this rank's file. Throws TrainingError when the folder cannot be written.
  RankStatus(const std::filesystem::path& run_folder, int rank);
  ~RankStatus();
  RankStatus(const RankStatus&) = delete;
  RankStatus& operator=(const RankStatus&) = delete;
  void set(std::int64_t step, Phase phase) {
    page_->step.store(step, std::memory_order_relaxed);
    page_->phase.store(static_cast<std::uint32_t>(phase), std::memory_order_relaxed);
  }
  // The plugin that runs now, so that a crash can be told by name; nullptr: none. `name` is copied once, at creation.
  void set_plugin(const char* name);
  void in_plugin(bool inside) { page_->in_plugin.store(inside ? 1 : 0, std::memory_order_relaxed); }

  struct Page {
    std::uint64_t magic;
    std::int32_t rank, pid;
    std::uint64_t start_ticks;
    char host[64], plugin[64];
    std::atomic<std::int64_t> step;
    std::atomic<std::uint32_t> phase, in_plugin;
  };

 private:
  Page* page_ = nullptr;
};

struct RankSnapshot {
  int rank = 0;
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::string host, plugin;
  std::int64_t step = 0;
  Phase phase = Phase::starting;
  bool in_plugin = false;
};
std::optional<RankSnapshot> read_rank_status(const std::filesystem::path& run_folder, int rank);
std::optional<RankSnapshot> read_rank_status(const std::filesystem::path& file);
void remove_rank_status(const std::filesystem::path& run_folder, int ranks);

}  // namespace syncline
