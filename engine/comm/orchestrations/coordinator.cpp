// SPDX-License-Identifier: Apache-2.0
// The baseline (Sergeev and Del Balso 2018, as the card of the bit vector has it): in every cycle each rank tells rank 0 which buckets have
// become ready, and rank 0 answers each with the list of those that are ready everywhere. Its messages grow with the number of ranks.
#include <algorithm>

#include "engine/base/error.h"
#include "engine/comm/orchestrations/entries.h"
#include "engine/comm/orchestrations/report_table.h"

namespace syncline {

namespace {

class Coordinator final : public ReleasePolicy {
 public:
  explicit Coordinator(const ReleaseSetup& setup) : ReleasePolicy(setup), table_(setup.ranks) {}

  Round begin(double) override {
    ReportWriter writer(report, stop_asked_ ? Report::stop : 0);
    for (Pending& each : pending_) {
      if (each.told) continue;
      if (!writer.add({each.request.name, each.request.count, each.request.op})) break;
      each.told = true;
    }
    writer.close({});
    requests_told = writer.requests();
    ++slow_paths_;
    return Round::to_root;
  }

  void answer(std::span<const ByteBuffer> reports, double now_s) override {
    Reply all;
    for (std::size_t rank = 0; rank < reports.size(); ++rank) {
      const Report report_of = read_report(reports[rank]);
      all.flags |= report_of.flags & Report::stop;
      table_.take(static_cast<int>(rank), report_of, now_s);
    }
    all.error = table_.error();
    table_.answer(all);
    const double every_s = setup_.stall_warning_s;
    if (now_s - warned_s_ >= every_s) {
      all.stalled = table_.missing(now_s - every_s);
      if (!all.stalled.empty()) warned_s_ = now_s;
    }
    write(all, reply);
  }

  Round next(double) override {
    const Reply all = read_reply(reply);
    if (!all.error.empty()) throw TrainingError(all.error);
    names_.clear();
    for (const Told& told : all.released) names_.push_back(told.name);
    release(names_);
    note_stall(all.stalled);
    stopped_ = stopped_ || (all.flags & Report::stop) != 0;
    return Round::over;
  }

 private:
  ReportTable table_;
  std::vector<std::string_view> names_;
  double warned_s_ = -1e300;
};

constexpr Parameter parameters[] = {cycle_time_key, control_message_cost_key, stall_warning_key, separate_groups_key, fusion_threshold_key};

}  // namespace

constexpr OrchestrationEntry coordinator_entry = {
    .name = "coordinator",
    .title = "Coordinator",
    .paper = "bitvector-allreduce",
    .summary =
        "Every rank tells rank 0 what has become ready, and rank 0 answers with what all may send: right for any order, slow with "
        "many ranks.",
    .parameters = parameters,
    .make = [](const ReleaseSetup& setup) -> std::unique_ptr<ReleasePolicy> { return std::make_unique<Coordinator>(setup); },
    .cycle_cost_s = [](const ControlCost& cost, std::int64_t,
                       double requests) { return root_cost_s(cost, requests, requests * request_bytes); }};

}  // namespace syncline
