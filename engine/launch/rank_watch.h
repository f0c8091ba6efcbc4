// SPDX-License-Identifier: Apache-2.0
// Watches the ranks of a job on this machine from outside: which one ended first, and what it was doing.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/launch/rank_status.h"

namespace syncline {

class RankWatch {
 public:
  RankWatch(std::filesystem::path run_folder, int ranks);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // Looks for ranks that have come up since, and for ranks that have gone. Cheap; call it every 50 ms or so.
  void update();
  int seen() const;  // ranks that have reported so far
  // The first rank that ended without having announced its end (phase `finishing`), as it was last seen.
  const std::optional<RankSnapshot>& first_lost() const { return first_lost_; }
  bool any_alive() const;
  bool all_finishing() const;  // every rank has announced its end, or is gone after doing so
  void kill_all() const;       // SIGKILL to the ranks that are still the processes they were
  std::int64_t newest_step() const;

 private:
  struct Watched {
    int descriptor = -1;
    bool gone = false;
    std::optional<RankSnapshot> snapshot;
  };
  std::filesystem::path run_folder_;
  std::vector<Watched> ranks_;
  std::optional<RankSnapshot> first_lost_;
};

}  // namespace syncline
