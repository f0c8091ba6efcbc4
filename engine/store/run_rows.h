// SPDX-License-Identifier: Apache-2.0
// Everything recorded of one run, with its sequence number, as rows. Used by the run's writer and by import, so that both store alike. All
// calls inside the caller's transaction; after a rollback call forget().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/metrics/accounting.h"
#include "engine/store/records.h"
#include "engine/store/series_rows.h"
#include "engine/store/step_rows.h"

namespace syncline {

std::vector<std::byte> encode_trace(const StepTrace&);  // compressed
StepTrace decode_trace(std::span<const std::byte>);     // WorkspaceError when damaged

class RunRows {
 public:
  RunRows(Database&, std::int64_t run_key);
  SeriesRows& series() { return series_; }
  StepRows& steps() { return steps_; }
  void trace(std::int64_t sequence, const StepTrace&);
  void event(const EventRecord&);
  void checkpoint(const CheckpointRecord&);
  void clock(const ClockRecord&);
  void document(std::int64_t sequence, std::string_view name, std::string_view text);
  // Before the commit: the last sequence number of what was appended, and how many records were dropped so far.
  void finish_batch(std::int64_t sequence, std::int64_t dropped);
  void forget();
  std::int64_t stored_sequence();  // of the last committed batch; 0: nothing yet

 private:
  Database& database_;
  std::int64_t run_key_;
  SeriesRows series_;
  StepRows steps_;
};

// The key of a run in this database. WorkspaceError when there is none.
std::int64_t run_key_of(Database&, std::string_view run_id);

}  // namespace syncline
