// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/rank_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "engine/store/process.h"

namespace syncline {
namespace {

// A descriptor of the process becomes readable when it ends; unlike its number it never means another process.
int open_process(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

bool ended(int descriptor) {
  pollfd query{descriptor, POLLIN, 0};
  return ::poll(&query, 1, 0) == 1;
}

bool same_process(const RankSnapshot& snapshot) {
  const auto now = process_of(snapshot.pid);
  return now && static_cast<std::uint64_t>(now->start_ticks) == snapshot.start_ticks;
}

}  // namespace

RankWatch::RankWatch(std::filesystem::path run_folder, int ranks)
    : run_folder_(std::move(run_folder)), ranks_(static_cast<std::size_t>(ranks)) {
  remove_rank_status(run_folder_, ranks);
}

RankWatch::~RankWatch() {
  for (const Watched& rank : ranks_) {
    if (rank.descriptor >= 0) ::close(rank.descriptor);
  }
}

void RankWatch::update() {
  for (std::size_t index = 0; index < ranks_.size(); ++index) {
    Watched& rank = ranks_[index];
    if (rank.gone) continue;
    if (!rank.snapshot) {
      rank.snapshot = read_rank_status(run_folder_, static_cast<int>(index));
      if (!rank.snapshot) continue;
      rank.descriptor = open_process(rank.snapshot->pid);
    }
    const bool gone = rank.descriptor >= 0 ? ended(rank.descriptor) : !same_process(*rank.snapshot);
    if (auto latest = read_rank_status(run_folder_, static_cast<int>(index))) rank.snapshot = std::move(latest);
    rank.gone = gone;
    if (gone && !first_lost_ && rank.snapshot->phase != Phase::finishing) first_lost_ = rank.snapshot;
  }
}

int RankWatch::seen() const {
  return static_cast<int>(std::count_if(ranks_.begin(), ranks_.end(), [](const Watched& rank) { return rank.snapshot.has_value(); }));
}

bool RankWatch::any_alive() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const Watched& rank) { return rank.snapshot && !rank.gone; });
}

bool RankWatch::all_finishing() const {
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [](const Watched& rank) { return rank.snapshot && rank.snapshot->phase == Phase::finishing; });
}

void RankWatch::kill_all() const {
  for (const Watched& rank : ranks_) {
    if (rank.snapshot && !rank.gone && same_process(*rank.snapshot)) ::kill(rank.snapshot->pid, SIGKILL);
  }
}

std::int64_t RankWatch::newest_step() const {
  std::int64_t step = 0;
  for (const Watched& rank : ranks_) step = std::max(step, rank.snapshot ? rank.snapshot->step : 0);
  return step;
}

}  // namespace syncline
