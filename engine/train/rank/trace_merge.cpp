// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/trace_merge.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr std::size_t most_open_steps = 64;  // a rank whose records were dropped may not hold up the others for ever

StepTrace shifted(const StepTrace& trace, double by_s) {
  StepTrace result = trace;
  for (ExchangeRecord& exchange : result.exchanges) {
    exchange.issued_s += by_s;
    exchange.done_s += by_s;
  }
  return result;
}

// The times of `measured`, everything else of `known`.
StepSums with_times_of(const StepSums& known, const StepSums& measured) {
  StepSums sums = known;
  for (const StepField& field : step_fields)
    if (field.name != "start_s" && field.name != "loss_sum" && field.name != "late_s") sums.*field.member = measured.*field.member;
  sums.flags |= measured.flags;
  return sums;
}

}  // namespace

void TraceMerge::add_sums(const StepSums& sums) { open_[sums.axes.step].sums[sums.rank] = sums; }

void TraceMerge::add_trace(StepTrace trace) {
  const std::int64_t step = trace.step;
  Step& open = open_[step];
  open.traces[trace.rank] = std::move(trace);
  if (static_cast<int>(open.traces.size()) == ranks_ && static_cast<int>(open.sums.size()) == ranks_) {
    complete(open);
    open_.erase(step);
  }
  if (open_.size() > most_open_steps) {
    complete(open_.begin()->second);
    open_.erase(open_.begin());
  }
}

void TraceMerge::complete(Step& step) {
  const bool all = static_cast<int>(step.traces.size()) == ranks_ && ranks_ > 1;
  std::vector<StepTrace> common;  // issue times on rank 0's clock
  double bound_s = 0, longest_wait_s = 0;
  LastIssues last;
  if (all) {
    for (const auto& [rank, trace] : step.traces) {
      common.push_back(shifted(trace, -offsets_[static_cast<std::size_t>(rank)].offset_s));
      bound_s = std::max(bound_s, offsets_[static_cast<std::size_t>(rank)].bound_s);
    }
    last = last_issues(common);
    for (const StepTrace& trace : common)
      for (const ExchangeRecord& exchange : trace.exchanges)
        if (const auto found = last.find(exchange.sequence); found != last.end())
          longest_wait_s = std::max(longest_wait_s, found->second - exchange.issued_s);
  }
  const bool estimated = bound_s > longest_wait_s;
  for (auto& [rank, sums] : step.sums) {
    const auto trace = step.traces.find(rank);
    if (trace == step.traces.end()) continue;
    if (all) {
      LastIssues mine = estimated ? estimate_last_issues(common, rank) : last;
      for (auto& [sequence, issued_s] : mine) issued_s += offsets_[static_cast<std::size_t>(rank)].offset_s;  // back on this rank's clock
      sums = with_times_of(sums, account_step(trace->second, &mine));
      if (estimated) sums.flags |= step_peer_wait_estimated;
    }
    emit_(sums, trace->second);
  }
}

void TraceMerge::finish() {
  for (auto& [step, open] : open_) complete(open);
  open_.clear();
}

}  // namespace syncline
