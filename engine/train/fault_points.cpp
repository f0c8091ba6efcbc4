// SPDX-License-Identifier: Apache-2.0
#include "engine/train/fault_points.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"

namespace syncline {
namespace {

constexpr std::array<std::string_view, 8> phases = {"start",      "data",       "forward",    "backward",
                                                    "collective", "evaluation", "checkpoint", "shutdown"};
constexpr std::array<std::string_view, 8> actions = {"throw", "exit", "abort", "kill", "stop", "sleep", "until", "nan"};

template <std::size_t N>
int index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t k = 0; k < N; ++k)
    if (names[k] == name) return static_cast<int>(k);
  return -1;
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_late(TrainPhase phase) {
  return phase == TrainPhase::evaluation || phase == TrainPhase::checkpoint || phase == TrainPhase::shutdown;
}

}  // namespace

std::string_view train_phase_name(TrainPhase phase) { return phases[static_cast<std::size_t>(phase)]; }

std::optional<FaultPlan> parse_fault(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    const std::size_t colon = rest.find(':');
    parts.push_back(rest.substr(0, colon));
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  FaultPlan plan;
  const auto wrong = [&] {
    return ConfigError(fmt::format("SYNCLINE_FAULT is '{}'; it would be RANK:STEP:PHASE:ACTION, for instance 1:3:forward:kill", text));
  };
  if (parts.size() != 4 || !read_number(parts[0], plan.rank) || !read_number(parts[1], plan.step)) throw wrong();
  std::string_view action = parts[3];
  if (const std::size_t equals = action.find('='); equals != std::string_view::npos) {
    const std::string_view value = action.substr(equals + 1);
    action = action.substr(0, equals);
    if (action == "until")
      plan.file = value;
    else if (!read_number(value, plan.seconds))
      throw wrong();
  }
  const int phase = index_of(phases, parts[2]), what = index_of(actions, action);
  if (phase < 0 || what < 0 || (what == FaultPlan::until && plan.file.empty())) throw wrong();
  plan.phase = static_cast<TrainPhase>(phase);
  plan.action = static_cast<FaultPlan::Action>(what);
  return plan;
}

FaultPoints::FaultPoints(std::optional<FaultPlan> plan, int rank) {
  if (plan && plan->rank == rank) plan_ = plan;
}

FaultPoints FaultPoints::from_environment(int rank) {
  const char* text = std::getenv("SYNCLINE_FAULT");
  return {parse_fault(text != nullptr ? text : ""), rank};
}

bool FaultPoints::reach(TrainPhase phase, std::int64_t step) {
  if (!plan_ || phase != plan_->phase || step < plan_->step || (step != plan_->step && !is_late(phase))) return false;
  const FaultPlan plan = *plan_;
  plan_.reset();
  switch (plan.action) {
    case FaultPlan::fail:
      throw TrainingError(fmt::format("a fault was asked for in {}, step {}", train_phase_name(phase), step));
    case FaultPlan::exit:
      ::_exit(1);
    case FaultPlan::abort:
      std::abort();
    case FaultPlan::kill:
      ::kill(::getpid(), SIGKILL);
      break;
    case FaultPlan::stop:
      ::kill(::getpid(), SIGSTOP);
      break;
    case FaultPlan::sleep: {
      RealClock clock;
      if (plan.seconds >= 0)
        clock.sleep_until(clock.now_s() + plan.seconds);
      else
        for (;;) ::pause();
      break;
    }
    case FaultPlan::until:
      while (::access(plan.file.c_str(), F_OK) != 0) ::usleep(2000);
      break;
    case FaultPlan::nan:
      return true;
  }
  return false;
}

std::function<void(std::int64_t)> acknowledged_log() {
  const char* path = std::getenv("SYNCLINE_ACKNOWLEDGED");
  if (path == nullptr) return {};
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);  // open until the process ends
  if (file < 0) throw WorkspaceError(fmt::format("SYNCLINE_ACKNOWLEDGED: {} cannot be written", path));
  return [file](std::int64_t sequence) {
    if (::write(file, &sequence, sizeof sequence) != sizeof sequence) std::abort();
  };
}

void abort_point(std::string_view name, int rank) {
  const char* text = std::getenv("SYNCLINE_ABORT_AT");
  if (text == nullptr) return;
  std::string_view wanted = text;
  if (const std::size_t at = wanted.find('@'); at != std::string_view::npos) {
    int only = -1;
    if (!read_number(wanted.substr(at + 1), only) || only != rank) return;
    wanted = wanted.substr(0, at);
  }
  if (wanted == name) ::kill(::getpid(), SIGKILL);
}

}  // namespace syncline
