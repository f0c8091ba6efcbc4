// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/rank_input.h"

#include <fmt/format.h>
#include <signal.h>

#include <optional>

namespace syncline {
namespace {

std::atomic<bool> signalled{false};  // set by the handler, which may touch nothing else

void on_signal(int) { signalled.store(true); }

std::optional<ControlFlag> flag_of(std::string_view kind) {
  if (kind == "stop-after-step" || kind == "stop-now") return stop_after_step;
  if (kind == "stop-after-checkpoint") return stop_after_checkpoint;
  if (kind == "checkpoint") return checkpoint_now;
  if (kind == "trace") return trace_now;
  return std::nullopt;
}

}  // namespace

void RankInput::take_signals() {
  static_assert(std::atomic<bool>::is_always_lock_free);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    ::sigaction(signal, &action, nullptr);
    sigaddset(&set, signal);
  }
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // a launcher may have left them blocked
}

void RankInput::set_acknowledge(Acknowledge acknowledge) {
  const std::lock_guard lock(mutex_);
  acknowledge_ = std::move(acknowledge);
}

void RankInput::request(const Request& request) {
  const std::lock_guard lock(mutex_);
  const auto flag = flag_of(request.kind);
  if (!flag) {
    if (acknowledge_) acknowledge_(request.id, "refused");
    return;
  }
  open_.push_back({request.id, *flag});
  if (acknowledge_) acknowledge_(request.id, "accepted");
  want(*flag);
}

std::uint32_t RankInput::wanted() {
  if (signalled.exchange(false)) want(stop_after_checkpoint);
  const std::uint32_t flags = flags_.load();
  if ((flags & trace_now) != 0) {  // goes out with this word and needs no boundary
    flags_.fetch_and(~static_cast<std::uint32_t>(trace_now));
    tell(trace_now, "done", true);
  }
  return flags;
}

void RankInput::announced(std::uint32_t flags, std::int64_t step) { tell(flags, fmt::format("announced for step {}", step), false); }

void RankInput::done(std::uint32_t flags, bool saved, const std::string& why) {
  flags_.fetch_and(~(flags & static_cast<std::uint32_t>(checkpoint_now)));
  tell(flags & checkpoint_now, saved ? "done" : "refused: " + why, true);
  if ((flags & stop_after_checkpoint) != 0 && saved) tell(stop_after_checkpoint, "checkpoint saved, ending", false);
}

void RankInput::run_ends() { tell(stop_after_step | stop_after_checkpoint | checkpoint_now, "done", true); }

void RankInput::tell(std::uint32_t flags, const std::string& stage, bool over) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < open_.size();) {
    if ((open_[k].flag & flags) == 0) {
      ++k;
      continue;
    }
    if (acknowledge_) acknowledge_(open_[k].id, stage);
    if (over)
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
    else
      ++k;
  }
}

}  // namespace syncline
