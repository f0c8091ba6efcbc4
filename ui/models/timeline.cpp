// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace syncline::ui {

namespace {

TimelineKind kind_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::forward:
      return TimelineKind::forward;
    case SpanKind::backward:
      return TimelineKind::backward;
    case SpanKind::update:
      return TimelineKind::update;
    case SpanKind::encode:
    case SpanKind::decode:
      return TimelineKind::codec;
    case SpanKind::exchange:
    case SpanKind::exchange_queued:
      return TimelineKind::exchange;
    case SpanKind::wait:
      return TimelineKind::wait;
    case SpanKind::data_wait:
      return TimelineKind::input;
    case SpanKind::evaluation:
    case SpanKind::checkpoint:
      return TimelineKind::boundary;
    case SpanKind::other:
      break;
  }
  return TimelineKind::other;
}

// Everything of one rank, from as many traces as there are of it.
struct RankEvents {
  std::vector<TimelineEvent> spans, exchanges;
  std::vector<Interval> compute;
  std::set<std::uint64_t> seen;  // exchanges across a border are in the traces of both steps
};

struct Issue {
  double at_s = 0;
  int rank = 0, ranks = 0;
};

TimelineEvent exchange_event(const ExchangeRecord& exchange, int rank, const TimelineIndex& index) {
  TimelineEvent event;
  event.start_s = index.clock.aligned(rank, exchange.issued_s) - index.origin_s;
  event.end_s = event.start_s + (exchange.done_s - exchange.issued_s);
  event.kind = TimelineKind::exchange;
  event.id = exchange.id;
  event.step = exchange.step;
  event.label = QString::fromUtf8(exchange.label);
  event.bytes = exchange.bytes;
  event.sent_bytes = exchange.sent_bytes;
  event.messages = exchange.messages;
  event.sequence = exchange.sequence;
  event.queued_s = exchange.issued_s - exchange.queued_s;
  return event;
}

void take(RankEvents& into, const StepTrace& trace, const TimelineIndex& index) {
  for (const Span& span : trace.spans) {
    TimelineEvent event;
    event.start_s = index.clock.aligned(trace.rank, span.start_s) - index.origin_s;
    event.end_s = event.start_s + (span.end_s - span.start_s);
    event.kind = kind_of(span.kind);
    event.id = span.id;
    event.step = trace.step;
    if (is_compute(span.kind)) into.compute.push_back({event.start_s, event.end_s});
    if (event.kind != TimelineKind::exchange) into.spans.push_back(std::move(event));
  }
  for (const ExchangeRecord& exchange : trace.exchanges) {
    if (into.seen.insert(exchange.sequence).second) into.exchanges.push_back(exchange_event(exchange, trace.rank, index));
  }
}

void by_start(std::vector<TimelineEvent>& events) {
  std::stable_sort(events.begin(), events.end(), [](const TimelineEvent& a, const TimelineEvent& b) { return a.start_s < b.start_s; });
}

// Outer spans (an evaluation around its forward passes) give way to what lies inside them.
void without_overlap(std::vector<TimelineEvent>& events) {
  by_start(events);
  std::vector<TimelineEvent> flat;
  flat.reserve(events.size());
  for (TimelineEvent& event : events) {
    if (!flat.empty() && event.start_s < flat.back().end_s) {
      TimelineEvent& outer = flat.back();
      if (event.end_s < outer.end_s) {  // inside: the rest of the outer one follows
        TimelineEvent rest = outer;
        rest.start_s = event.end_s;
        outer.end_s = event.start_s;
        flat.push_back(std::move(event));
        flat.push_back(std::move(rest));
        continue;
      }
      outer.end_s = std::min(outer.end_s, event.start_s);
    }
    flat.push_back(std::move(event));
  }
  std::erase_if(flat, [](const TimelineEvent& event) { return event.end_s <= event.start_s; });
  events = std::move(flat);
}

void split_exchange(TimelineEvent& event, const IntervalSet& compute) {
  const IntervalSet whole({{event.start_s, event.end_s}});
  // Only what can touch it: the set of a long window is large.
  const auto& parts = compute.parts();
  auto from = std::lower_bound(parts.begin(), parts.end(), event.start_s, [](const Interval& i, double at) { return i.end_s < at; });
  std::vector<Interval> near;
  for (; from != parts.end() && from->start_s < event.end_s; ++from) near.push_back(*from);
  const IntervalSet exposed = subtract(whole, IntervalSet(std::move(near)));
  event.exposed = exposed.parts();
  event.exposed_s = exposed.length();
  event.hidden_s = std::max(0.0, event.duration_s() - event.exposed_s);
}

// Exchanges that overlap each other go to further rows, since events of one lane must not.
void add_exchange_lanes(std::vector<TimelineLane>& lanes, int rank, std::vector<TimelineEvent>& exchanges) {
  by_start(exchanges);
  const std::size_t first = lanes.size();
  lanes.push_back({rank, 1, {}});
  for (TimelineEvent& event : exchanges) {
    std::size_t lane = first;
    while (lane < lanes.size() && !lanes[lane].events.empty() && lanes[lane].events.back().end_s > event.start_s) ++lane;
    if (lane == lanes.size()) lanes.push_back({rank, static_cast<int>(lane - first) + 1, {}});
    lanes[lane].events.push_back(std::move(event));
  }
}

void match_peers(std::map<int, RankEvents>& ranks, const Timeline& timeline, int all_ranks) {
  std::map<std::uint64_t, Issue> last;
  for (const auto& [rank, events] : ranks) {
    for (const TimelineEvent& event : events.exchanges) {
      Issue& issue = last[event.sequence];
      if (issue.ranks++ == 0 || event.start_s > issue.at_s) {
        issue.at_s = event.start_s;
        issue.rank = rank;
      }
    }
  }
  for (auto& [rank, events] : ranks) {
    for (TimelineEvent& event : events.exchanges) {
      const Issue& issue = last[event.sequence];
      const double wait_s = std::clamp(issue.at_s - event.start_s, 0.0, event.duration_s());
      if (issue.ranks < all_ranks || all_ranks < 2) continue;
      if (wait_s > 0 && wait_s < timeline.clock_bound_s) continue;  // below what the clocks can tell
      event.peer_wait_s = wait_s;
      event.last_peer = issue.rank;
    }
  }
}

}  // namespace

QString name_of(TimelineKind kind) {
  const auto say = [](const char* text) { return QCoreApplication::translate("Timeline", text); };
  switch (kind) {
    case TimelineKind::forward:
      return say("forward");
    case TimelineKind::backward:
      return say("backward");
    case TimelineKind::update:
      return say("update");
    case TimelineKind::codec:
      return say("encode or decode");
    case TimelineKind::exchange:
      return say("exchange");
    case TimelineKind::wait:
      return say("waiting for an exchange");
    case TimelineKind::input:
      return say("input");
    case TimelineKind::boundary:
      return say("evaluation or checkpoint");
    case TimelineKind::other:
      break;
  }
  return say("other");
}

QString TimelineEvent::title() const {
  if (kind == TimelineKind::exchange) return label.isEmpty() ? QString(name_of(kind) + QStringLiteral(" %1").arg(id)) : label;
  if (kind == TimelineKind::forward || kind == TimelineKind::backward || kind == TimelineKind::update)
    return name_of(kind) + QStringLiteral(" %1").arg(id);
  return name_of(kind);
}

TimelineClock::TimelineClock(const std::vector<ClockRecord>& records) {
  for (const ClockRecord& record : records) {
    if (record.rank < 0) continue;
    if (static_cast<std::size_t>(record.rank) >= offsets_.size()) offsets_.resize(static_cast<std::size_t>(record.rank) + 1);
    ClockOffset offset = record.offset;
    offset.at_s += offset.offset_s;  // when it was measured on the rank's own clock, which is what its times are given in
    offsets_[static_cast<std::size_t>(record.rank)].push_back(offset);
    bound_s_ = std::max(bound_s_, record.offset.bound_s);
  }
}

double TimelineClock::aligned(int rank, double time_s) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= offsets_.size() || offsets_[static_cast<std::size_t>(rank)].empty()) return time_s;
  const std::vector<ClockOffset>& offsets = offsets_[static_cast<std::size_t>(rank)];
  std::size_t later = 0;
  while (later < offsets.size() && offsets[later].at_s < time_s) ++later;
  const ClockOffset& before = offsets[later == 0 ? 0 : later - 1];
  const ClockOffset& after = offsets[std::min(later, offsets.size() - 1)];
  return time_s - interpolate(before, after, time_s).offset_s;
}

TimelineIndex read_timeline_index(Reader& reader, const std::string& run_id, int with_exposed) {
  TimelineIndex index;
  index.clock = TimelineClock(reader.clocks(run_id));
  index.traces = reader.traces(run_id);
  if (index.traces.empty()) return index;
  index.origin_s = index.clock.aligned(index.traces.front().rank, index.traces.front().start_s);
  for (const auto& trace : index.traces) index.origin_s = std::min(index.origin_s, index.clock.aligned(trace.rank, trace.start_s));
  std::map<std::int64_t, TracedStep> steps;
  std::map<std::int64_t, int> slowest;
  for (const auto& trace : index.traces) {
    const double start = index.clock.aligned(trace.rank, trace.start_s) - index.origin_s, end = start + trace.end_s - trace.start_s;
    const auto [found, added] = steps.try_emplace(trace.step, TracedStep{trace.step, start, end, 0, 0});
    TracedStep& step = found->second;
    step.start_s = std::min(step.start_s, start);
    step.end_s = std::max(step.end_s, end);
    if (trace.end_s - trace.start_s >= step.step_s) {
      step.step_s = trace.end_s - trace.start_s;
      slowest[trace.step] = trace.rank;
    }
  }
  int left = with_exposed;
  for (auto step = steps.rbegin(); step != steps.rend() && left > 0; ++step, --left) {
    const std::vector<StepSums> sums = reader.steps(run_id, slowest[step->first], step->first, step->first);
    if (!sums.empty()) step->second.exposed_s = sums.back().exposed_s;
  }
  index.steps.reserve(steps.size());
  for (const auto& [number, step] : steps) index.steps.push_back(step);
  return index;
}

Timeline make_timeline(std::span<const StepTrace> traces, const TimelineIndex& index) {
  Timeline timeline;
  timeline.clock_bound_s = index.clock.bound_s();
  std::map<int, RankEvents> ranks;
  for (const StepTrace& trace : traces) {
    take(ranks[trace.rank], trace, index);
    const double start = index.clock.aligned(trace.rank, trace.start_s) - index.origin_s;
    timeline.steps.push_back({trace.step, trace.rank, start, start + trace.end_s - trace.start_s});
  }
  std::sort(timeline.steps.begin(), timeline.steps.end(),
            [](const TimelineStep& a, const TimelineStep& b) { return a.rank != b.rank ? a.rank < b.rank : a.start_s < b.start_s; });
  if (!timeline.steps.empty()) {
    timeline.from_s = timeline.to_s = timeline.steps.front().start_s;
    for (const TimelineStep& step : timeline.steps) {
      timeline.from_s = std::min(timeline.from_s, step.start_s);
      timeline.to_s = std::max(timeline.to_s, step.end_s);
    }
  }
  timeline.ranks = static_cast<int>(ranks.size());
  match_peers(ranks, timeline, timeline.ranks);
  for (auto& [rank, events] : ranks) {
    const IntervalSet compute(std::move(events.compute));
    for (TimelineEvent& event : events.exchanges) split_exchange(event, compute);
    without_overlap(events.spans);
    timeline.lanes.push_back({rank, 0, std::move(events.spans)});
    add_exchange_lanes(timeline.lanes, rank, events.exchanges);
  }
  return timeline;
}

Timeline read_timeline(Reader& reader, const std::string& run_id, const TimelineIndex& index, double from_s, double to_s, int most) {
  std::vector<const Reader::TraceInfo*> wanted;
  const double middle = (from_s + to_s) / 2;
  const auto start_of = [&](const Reader::TraceInfo& trace) { return index.clock.aligned(trace.rank, trace.start_s) - index.origin_s; };
  for (const auto& trace : index.traces) {
    const double start = start_of(trace);
    if (start <= to_s && start + trace.end_s - trace.start_s >= from_s) wanted.push_back(&trace);
  }
  if (static_cast<int>(wanted.size()) > most) {
    const auto distance = [&](const Reader::TraceInfo* trace) { return std::abs(start_of(*trace) - middle); };
    std::nth_element(wanted.begin(), wanted.begin() + most, wanted.end(),
                     [&](const auto* a, const auto* b) { return distance(a) < distance(b); });
    wanted.resize(static_cast<std::size_t>(most));
  }
  std::vector<StepTrace> traces;
  traces.reserve(wanted.size());
  for (const auto* info : wanted) {
    if (auto trace = reader.trace(run_id, info->step, info->rank)) traces.push_back(std::move(*trace));
  }
  return make_timeline(traces, index);
}

}  // namespace syncline::ui
