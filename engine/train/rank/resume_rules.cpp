// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/resume_rules.h"

#include <fmt/format.h>

#include <array>

namespace syncline {
namespace {

// A key itself or everything below it.
template <std::size_t N>
bool under(const std::array<std::string_view, N>& keys, std::string_view key) {
  for (const std::string_view each : keys)
    if (key == each || (key.starts_with(each) && (key[each.size()] == '.' || key[each.size()] == '['))) return true;
  return false;
}

constexpr std::array<std::string_view, 6> same_run_keys = {
    "name", "train.epochs", "train.steps", "train.target_accuracy", "train.stop_at_target", "checkpoint"};
constexpr std::array<std::string_view, 9> sending_keys = {
    "strategy.plan",          "strategy.plan_options",          "strategy.allreduce",    "strategy.allreduce_options",
    "strategy.orchestration", "strategy.orchestration_options", "strategy.submit_order", "strategy.hook_jitter",
    "strategy.overlap"};
constexpr std::array<std::string_view, 6> trajectory_keys = {"model", "data", "seed", "train.task", "train.optimizer", "strategy"};

std::string shown(const std::string& value) { return value.empty() ? "absent" : value; }

}  // namespace

ResumeVerdict judge_resume(std::string_view complete_before, std::string_view complete_now) {
  ResumeVerdict verdict;
  std::vector<Difference> other;
  for (Difference& each : differences(complete_before, complete_now)) {
    if (under(same_run_keys, each.key)) continue;
    // Parameters that nothing was computed with are none to go on from, nor the other way round.
    const bool emulated = each.key == "cluster.compute" && (each.before == "emulate" || each.after == "emulate");
    const bool decides = emulated || (under(trajectory_keys, each.key) && !under(sending_keys, each.key));
    (decides ? verdict.differences : other).push_back(std::move(each));
  }
  if (!verdict.differences.empty()) {
    verdict.kind = ResumeVerdict::refused;
    std::string list;
    for (const Difference& each : verdict.differences)
      list += fmt::format("{}{} ({} there, {} here)", list.empty() ? "" : ", ", each.key, shown(each.before), shown(each.after));
    verdict.sentence = fmt::format(
        "the checkpoint belongs to another experiment: {}; a run goes on only with the same model, data, seed, optimizer and "
        "strategy, --init-from takes the parameters alone",
        list);
  } else if (!other.empty()) {
    verdict.kind = ResumeVerdict::new_run;
    verdict.differences = std::move(other);
  }
  return verdict;
}

}  // namespace syncline
