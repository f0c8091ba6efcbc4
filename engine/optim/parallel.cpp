// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/parallel.h"

#include <algorithm>
#include <cfenv>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/optim/running.h"

namespace syncline {
namespace {

struct Job {
  std::int64_t count = 0, grain = 1;
  ParallelFor::Body body = nullptr;
  void* data = nullptr;
  const char* running = nullptr;  // for the crash handler of a helping thread
  std::fenv_t environment{};      // rounding and flush-to-zero as in the calling thread, so that every piece rounds alike
};

thread_local bool inside_body = false;

}  // namespace

struct ParallelFor::Team {
  std::mutex mutex;
  std::condition_variable start, finished;
  Job job;
  std::int64_t generation = 0;
  int busy = 0;
  bool ending = false;
  std::string failure;
  std::vector<std::thread> helpers;

  void keep_failure(const std::string& text) {
    const std::lock_guard lock(mutex);
    if (failure.empty()) failure = text.empty() ? "an exception without a text" : text;
  }

  // Thread `who` of `helpers + 1` runs one block of adjacent pieces, the same in every call of equal size: its part stays in its core's
  // cache.
  void work(const Job& j, std::int64_t who) {
    inside_body = true;
    const std::int64_t pieces = (j.count + j.grain - 1) / j.grain, team = static_cast<std::int64_t>(helpers.size()) + 1;
    for (std::int64_t k = pieces * who / team; k < pieces * (who + 1) / team; ++k) {
      try {
        j.body(j.data, k * j.grain, std::min((k + 1) * j.grain, j.count));
      } catch (const std::exception& error) {
        keep_failure(error.what());
      } catch (...) {
        keep_failure("an exception that is not a std::exception");
      }
    }
    inside_body = false;
  }

  void help(std::int64_t who) {
    std::int64_t seen = 0;
    while (true) {
      Job j;
      {
        std::unique_lock lock(mutex);
        start.wait(lock, [&] { return ending || generation != seen; });
        if (ending) return;
        seen = generation;
        j = job;
      }
      std::fesetenv(&j.environment);
      const Running marker(j.running);
      work(j, who);
      const std::lock_guard lock(mutex);
      if (--busy == 0) finished.notify_one();
    }
  }
};

ParallelFor::ParallelFor(int threads) : team_(std::make_unique<Team>()) {
  for (int i = 1; i < threads; ++i) team_->helpers.emplace_back([team = team_.get(), i] { team->help(i); });
}

ParallelFor::~ParallelFor() {
  {
    const std::lock_guard lock(team_->mutex);
    team_->ending = true;
  }
  team_->start.notify_all();
  for (std::thread& helper : team_->helpers) helper.join();
}

void ParallelFor::run(std::int64_t count, std::int64_t grain, Body body, void* data) {
  if (count <= 0) return;
  Job job{count, std::max<std::int64_t>(grain, 1), body, data, Running::current(), {}};
  if (team_->helpers.empty() || inside_body || count <= job.grain) {
    for (std::int64_t begin = 0; begin < count; begin += job.grain) body(data, begin, std::min(begin + job.grain, count));
    return;
  }
  std::fegetenv(&job.environment);
  {
    const std::lock_guard lock(team_->mutex);
    team_->job = job;
    team_->busy = static_cast<int>(team_->helpers.size());
    ++team_->generation;
  }
  team_->start.notify_all();
  team_->work(job, 0);
  std::unique_lock lock(team_->mutex);
  team_->finished.wait(lock, [&] { return team_->busy == 0; });
}

std::string ParallelFor::take_failure() {
  const std::lock_guard lock(team_->mutex);
  return std::exchange(team_->failure, {});
}

}  // namespace syncline
