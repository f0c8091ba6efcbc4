// SPDX-License-Identifier: GPL-3.0-or-later
// Traced steps as lanes of events on rank 0's clock: what the timeline draws, its table lists and its export writes. Values only; made off
// the GUI thread.
#pragma once

#include <QByteArray>
#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/metrics/intervals.h"
#include "engine/store/reader.h"

namespace syncline::ui {

enum class TimelineKind { forward, backward, update, codec, exchange, wait, input, boundary, other };
inline constexpr int timeline_kind_count = 9;
QString name_of(TimelineKind);

struct TimelineEvent {
  double start_s = 0, end_s = 0;  // since the timeline's origin
  TimelineKind kind = TimelineKind::other;
  int id = 0;  // layer, or bucket of an exchange
  std::int64_t step = 0;
  // Of an exchange:
  QString label;
  std::int64_t bytes = 0, sent_bytes = 0;
  int messages = 0;
  std::uint64_t sequence = 0;
  double queued_s = 0;                 // asked for so long before it was issued
  double hidden_s = 0, exposed_s = 0;  // in flight while this rank computed, and while it did not
  std::optional<double> peer_wait_s;   // before the last peer issued it; unknown where that peer is not traced or the clocks are too unsure
  int last_peer = -1;                  // who that was
  std::vector<Interval> exposed;       // parts of [start_s, end_s], sorted and disjoint
  double duration_s() const { return end_s - start_s; }
  QString title() const;  // "bucket 3 (conv1 to fc2)", "forward 4"
};

struct TimelineLane {
  int rank = 0, row = 0;              // row 0: what the training thread does; 1, 2, ...: exchanges (further rows where they overlap)
  std::vector<TimelineEvent> events;  // by start; they do not overlap
};

struct TimelineStep {
  std::int64_t step = 0;
  int rank = 0;
  double start_s = 0, end_s = 0;
};

struct TimelineBlock {
  double start_s = 0, end_s = 0;
  int event = -1;  // in the lane; -1: several events merged
  int first = 0, last = 0;
  TimelineKind kind = TimelineKind::other;  // of most of its time
  double occupied = 1;                      // share of the block's time that has an event
  double exposed = 0;                       // share of its exchange time that is exposed
};

// Which traces there are: for the strip over the whole run and for finding slow steps.
struct TracedStep {
  std::int64_t step = 0;
  double start_s = 0, end_s = 0;     // earliest and latest over the ranks, since the origin
  double step_s = 0, exposed_s = 0;  // of the worst rank
};

// Rank clocks against rank 0's.
class TimelineClock {
 public:
  TimelineClock() = default;
  explicit TimelineClock(const std::vector<ClockRecord>&);
  double aligned(int rank, double time_s) const;
  double bound_s() const { return bound_s_; }

 private:
  std::vector<std::vector<ClockOffset>> offsets_;  // by rank
  double bound_s_ = 0;
};

struct TimelineIndex {
  double origin_s = 0;  // rank 0's clock
  TimelineClock clock;
  std::vector<TracedStep> steps;
  std::vector<Reader::TraceInfo> traces;
};
// exposed_s of a step costs a read each; it is given for the newest `with_exposed` steps at most.
TimelineIndex read_timeline_index(Reader&, const std::string& run_id, int with_exposed = 400);

struct Timeline {
  double clock_bound_s = 0;
  int ranks = 0;
  std::vector<TimelineLane> lanes;  // by rank, then row
  std::vector<TimelineStep> steps;  // by rank and start
  double from_s = 0, to_s = 0;      // of what is loaded
};
Timeline make_timeline(std::span<const StepTrace>, const TimelineIndex&);
// The traces between two moments, at most `most` of them (those in the middle first).
Timeline read_timeline(Reader&, const std::string& run_id, const TimelineIndex&, double from_s, double to_s, int most = 512);

// Events of a lane that touch [from, to], merged below one pixel: at most two blocks a pixel.
std::vector<TimelineBlock> visible_blocks(const TimelineLane&, double from_s, double to_s, int pixels);
// The event at a moment, or the nearest within `slack_s`; -1: none.
int event_at(const TimelineLane&, double at_s, double slack_s);

// What lies between two moments of what is loaded. Times are unions, cut at the two moments.
struct RangeMeasure {
  struct Rank {
    int rank = 0;
    double compute_s = 0, communication_s = 0, exposed_s = 0;  // forward, backward, update, codec; exchanges in flight; those not hidden
    int exchanges = 0;                                         // that end in the range
    std::int64_t bytes = 0;                                    // of these
  };
  double length_s = 0;
  std::vector<Rank> ranks;  // by number
};
RangeMeasure measure(const Timeline&, double from_s, double to_s);
// "range 3.1 ms · rank 1: compute 2.1 ms, communication 1.4 ms of which 0.9 ms exposed, 3 exchanges of 1.05 MB": of the rank with the most
// exposed time, or of each in a line of its own.
QString text_of(const RangeMeasure&, bool each_rank);

// "traceEvents" of what touches [from, to], as chrome://tracing and Perfetto read them.
QByteArray chrome_trace(const Timeline&, double from_s, double to_s, const QString& run_name);
// One line about an event, with bytes, bandwidth, hidden, exposed and waiting time.
QString details_of(const TimelineEvent&, int rank);

}  // namespace syncline::ui
