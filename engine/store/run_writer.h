// SPDX-License-Identifier: Apache-2.0
// Rank 0's recorder: takes what ranks measured and writes it from a thread of its own. The calls below copy into a preallocated buffer
// under a lock held for some tens of nanoseconds; in the steady state (known series, no events) they allocate nothing and never wait for
// the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/metrics/accounting.h"
#include "engine/metrics/recorder.h"
#include "engine/store/records.h"
#include "engine/store/workspace.h"

namespace syncline {

struct RunWriterOptions {
  double flush_s = 0.25;                      // at least so often everything recorded is committed, and requests are read
  double unavailable_s = 5;                   // so long one flush waits for other writers; then the buffer goes on filling
  std::size_t scalars = 65536, steps = 8192;  // what the buffer holds while the workspace is unavailable; more is dropped and counted
  std::size_t others = 4096;
  std::filesystem::path copy_to;  // of RecordingPlace; a copy goes there every copy_every_s and at the end
  double copy_every_s = 30;
  // Readers whose snapshots follow one another without a gap keep the log from starting anew; above this it is made to.
  std::int64_t log_limit_bytes = 32 << 20;
  double log_restart_every_s = 2;                       // at most so often: other writers wait meanwhile
  std::function<void(const Request&)> on_request;       // each new unfinished request of the run, once, on the writer's thread
  std::function<void(std::int64_t sequence)> on_flush;  // after each commit, on the writer's thread
};

class RunWriter final : public Recorder {
 public:
  // The run must exist (RunRegistry::create). Throws WorkspaceError when the workspace cannot be used.
  RunWriter(const Workspace&, std::string run_id, RunWriterOptions = {});
  ~RunWriter() override;  // close(), errors ignored

  // Any thread.
  void position(const Axes&);                                                      // the x values for the scalars that follow
  void scalar(std::string_view series, std::int64_t step, double value) override;  // of the whole run; axes.step is replaced by `step`
  void rank_scalar(std::string_view series, int rank, std::int64_t step, double value);
  void step(const StepSums&);
  void trace(const StepTrace&);                                  // a sampled step of one rank in full
  void event(std::string_view kind, std::string text) override;  // at the position
  void event(const EventRecord&);                                // sequence is assigned here; wall_s 0: now
  void checkpoint(const CheckpointRecord&);
  void clock(int rank, const ClockOffset&);
  // A text kept with the run by name: "layers", "plan" (JSON), ... The last one of a name counts.
  void document(std::string_view name, std::string text);
  void unit(std::string_view series, std::string_view unit);     // of a series, before or after its first value
  void acknowledge(std::int64_t request_id, std::string stage);  // "accepted", "announced for step 120", "done", "refused", ...
  void span(const Span&) override {}                             // spans reach the store through trace()
  void exchange(const Exchange&) override {}

  // Everything recorded before this call is committed on return (true), or cannot be now (false).
  bool flush();
  std::int64_t acknowledged() const;  // the last committed sequence number
  std::uint64_t dropped() const;      // records that found the buffer full
  // One sentence when the workspace cannot be used any more (no space, read-only, damaged, removed); nothing is recorded after that. The
  // trainer polls this once a step and ends with exit code 6.
  std::optional<std::string> error() const;
  // Flushes, stores the summary, checkpoints the log, makes the last copy. Throws WorkspaceError when that fails. Idempotent.
  void close();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace syncline
