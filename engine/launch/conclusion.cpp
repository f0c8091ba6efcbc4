// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/conclusion.h"

#include <fmt/format.h>
#include <signal.h>

#include "engine/base/error.h"

namespace syncline {
namespace {

Conclusion failed(std::string reason, int code) {
  return {{.state = "failed", .reason = std::move(reason), .exit_code = code, .ended = 0}};
}
Conclusion lost(std::string reason) { return {failed(std::move(reason), static_cast<int>(ExitCode::training)), true}; }

// The signal that ended the first rank to go; mpirun gives it as 128 + signal. SIGTERM is what mpirun sends to the others.
int signal_of(const JobEnd& end) {
  if (!end.through_mpirun) return end.launcher.signal;
  const int signal = end.launcher.code > 128 ? end.launcher.code - 128 : 0;
  return signal == SIGTERM ? 0 : signal;
}

std::string lost_reason(const RankSnapshot& rank, int signal, std::optional<int> code) {
  const std::string who = fmt::format("rank {} (pid {}, host {})", rank.rank, rank.pid, rank.host);
  const std::string how = signal != 0 ? fmt::format("ended by {}", signal_text(signal))
                          : code      ? fmt::format("exited with code {} without a word", *code)
                                      : "ended without a word";
  const std::string plugin = rank.in_plugin && !rank.plugin.empty() ? fmt::format(", inside the optimizer plugin '{}'", rank.plugin) : "";
  if (rank.phase == Phase::starting) return fmt::format("{} {} while starting{}", who, how, plugin);
  return fmt::format("{} {} in step {}{}", who, how, rank.step, plugin);
}

}  // namespace

Conclusion conclude(const JobEnd& end) {
  const int signal = signal_of(end);
  const bool outcome_failed = end.outcome && end.outcome->state == "failed";
  if (end.outcome && !outcome_failed && (end.launcher.code == 0 || end.hung_after_end || !end.first_lost)) {
    return {{.state = end.outcome->state, .reason = end.outcome->reason, .exit_code = end.outcome->exit_code, .ended = 0}};
  }
  if (end.ended_at_once) {
    return {{.state = "stopped",
             .reason = fmt::format("stopped at once on request in step {}, without a further checkpoint", end.newest_step),
             .exit_code = static_cast<int>(ExitCode::stopped),
             .ended = 0}};
  }
  // A rank that died says nothing; the others may have written that they lost it, so its death is the better reason.
  if (end.first_lost && signal != 0) return lost(lost_reason(*end.first_lost, signal, 0));
  if (outcome_failed) {
    Conclusion conclusion = failed(end.outcome->reason, end.outcome->exit_code);
    conclusion.lost = end.outcome->lost;
    return conclusion;
  }
  if (end.through_mpirun && end.launcher.signal != 0 && !end.launcher_killed) {
    return lost(fmt::format("mpirun ended by {} in step {}", signal_text(end.launcher.signal), end.newest_step));
  }
  // Where a full disk left no room for the outcome, the sentence is in the output.
  constexpr std::string_view error_mark = "error: ";
  if (end.first_lost && end.last_line.starts_with(error_mark)) {
    const int code = end.launcher.code;
    return failed(end.last_line.substr(error_mark.size()), code > 0 && code <= 6 ? code : static_cast<int>(ExitCode::training));
  }
  if (end.first_lost) return lost(lost_reason(*end.first_lost, 0, end.launcher_killed ? std::nullopt : std::optional(end.launcher.code)));
  std::string reason;
  if (end.ranks_seen < end.ranks) {
    reason =
        fmt::format("{} of {} ranks started: {} ended {}{}", end.ranks_seen, end.ranks, end.through_mpirun ? "mpirun" : "the engine",
                    end.launcher.signal != 0 ? "by " + signal_text(end.launcher.signal) : fmt::format("with code {}", end.launcher.code),
                    end.last_line.empty() ? "" : "; its last line: " + end.last_line);
  } else {
    reason = fmt::format("the ranks ended with code {} in step {} without saying why{}", end.launcher.code, end.newest_step,
                         end.last_line.empty() ? "" : "; the last line: " + end.last_line);
  }
  return signal != 0 ? lost(std::move(reason)) : failed(std::move(reason), static_cast<int>(ExitCode::training));
}

}  // namespace syncline
