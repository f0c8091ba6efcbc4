// SPDX-License-Identifier: GPL-3.0-or-later
// What of a timeline is to be seen, found and written out.
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ui/models/format.h"
#include "ui/models/timeline.h"

namespace syncline::ui {

std::vector<TimelineBlock> visible_blocks(const TimelineLane& lane, double from_s, double to_s, int pixels) {
  std::vector<TimelineBlock> blocks;
  if (pixels <= 0 || to_s <= from_s) return blocks;
  const double pixel_s = (to_s - from_s) / pixels;
  const auto& events = lane.events;
  auto at = static_cast<std::size_t>(
      std::lower_bound(events.begin(), events.end(), from_s, [](const TimelineEvent& e, double t) { return e.end_s < t; }) -
      events.begin());
  while (at < events.size() && events[at].start_s <= to_s) {
    const TimelineEvent& event = events[at];
    if (event.duration_s() >= pixel_s) {
      const double exposed = event.duration_s() > 0 ? event.exposed_s / event.duration_s() : 0;
      blocks.push_back(
          {event.start_s, event.end_s, static_cast<int>(at), static_cast<int>(at), static_cast<int>(at), event.kind, 1, exposed});
      ++at;
      continue;
    }
    // All small events that begin in this pixel become one block, coloured by what takes most of its time.
    const double pixel_end = from_s + (std::floor((event.start_s - from_s) / pixel_s) + 1) * pixel_s;
    const std::size_t first = at;
    std::array<double, timeline_kind_count> time_of{};
    double occupied = 0, exposed = 0, exchange = 0, end = event.end_s;
    for (; at < events.size() && events[at].start_s < pixel_end && events[at].duration_s() < pixel_s; ++at) {
      const TimelineEvent& small = events[at];
      time_of[static_cast<std::size_t>(small.kind)] += small.duration_s();
      occupied += small.duration_s();
      end = small.end_s;
      if (small.kind == TimelineKind::exchange) {
        exposed += small.exposed_s;
        exchange += small.duration_s();
      }
    }
    if (at == first) ++at;  // an event of no length exactly on a border
    const auto most = static_cast<TimelineKind>(std::max_element(time_of.begin(), time_of.end()) - time_of.begin());
    const bool single = at - first == 1;
    const double length = std::max(end - event.start_s, pixel_s);
    blocks.push_back({event.start_s, end, single ? static_cast<int>(first) : -1, static_cast<int>(first), static_cast<int>(at) - 1,
                      single ? event.kind : most, single ? 1 : std::min(1.0, occupied / length), exchange > 0 ? exposed / exchange : 0});
  }
  return blocks;
}

int event_at(const TimelineLane& lane, double at_s, double slack_s) {
  const auto& events = lane.events;
  const auto next = std::lower_bound(events.begin(), events.end(), at_s, [](const TimelineEvent& e, double t) { return e.end_s < t; });
  int best = -1;
  double distance = slack_s;
  for (auto it = next == events.begin() ? next : next - 1; it != events.end() && it <= next; ++it) {
    const double away = at_s < it->start_s ? it->start_s - at_s : at_s > it->end_s ? at_s - it->end_s : 0;
    if (away <= distance) {
      distance = away;
      best = static_cast<int>(it - events.begin());
    }
  }
  return best;
}

RangeMeasure measure(const Timeline& timeline, double from_s, double to_s) {
  RangeMeasure found;
  found.length_s = to_s - from_s;
  struct Parts {
    std::vector<Interval> compute, flight, exposed;
  };
  std::map<int, Parts> parts;
  std::map<int, RangeMeasure::Rank> ranks;
  const auto cut = [&](std::vector<Interval>& into, double start_s, double end_s) {
    if (end_s > from_s && start_s < to_s) into.push_back({std::max(start_s, from_s), std::min(end_s, to_s)});
  };
  for (const TimelineLane& lane : timeline.lanes) {
    Parts& of = parts[lane.rank];
    RangeMeasure::Rank& rank = ranks[lane.rank];
    rank.rank = lane.rank;
    for (const TimelineEvent& event : lane.events) {
      const bool computes = event.kind == TimelineKind::forward || event.kind == TimelineKind::backward ||
                            event.kind == TimelineKind::update || event.kind == TimelineKind::codec;
      if (computes) cut(of.compute, event.start_s, event.end_s);
      if (event.kind != TimelineKind::exchange) continue;
      cut(of.flight, event.start_s, event.end_s);
      for (const Interval& part : event.exposed) cut(of.exposed, part.start_s, part.end_s);
      if (event.end_s < from_s || event.end_s > to_s) continue;
      ++rank.exchanges;
      rank.bytes += event.bytes;
    }
  }
  for (auto& [number, rank] : ranks) {
    rank.compute_s = IntervalSet(parts[number].compute).length();
    rank.communication_s = IntervalSet(parts[number].flight).length();
    rank.exposed_s = IntervalSet(parts[number].exposed).length();
    found.ranks.push_back(rank);
  }
  return found;
}

QString text_of(const RangeMeasure& measured, bool each_rank) {
  const auto say = [](const char* text) { return QCoreApplication::translate("Timeline", text); };
  const auto line = [&](const RangeMeasure::Rank& rank) {
    return say("rank %1: compute %2, communication %3 of which %4 exposed, %5 exchanges of %6")
        .arg(QString::number(rank.rank), format::duration(rank.compute_s), format::duration(rank.communication_s),
             format::duration(rank.exposed_s), QString::number(rank.exchanges), format::traffic(static_cast<double>(rank.bytes)));
  };
  QStringList texts{say("range %1").arg(format::duration(measured.length_s))};
  if (each_rank) {
    for (const RangeMeasure::Rank& rank : measured.ranks) texts << line(rank);
    return texts.join(u'\n');
  }
  const auto most = std::max_element(measured.ranks.begin(), measured.ranks.end(),
                                     [](const auto& a, const auto& b) { return a.exposed_s < b.exposed_s; });
  if (most != measured.ranks.end()) texts << line(*most);
  return texts.join(QStringLiteral(" · "));
}

QByteArray chrome_trace(const Timeline& timeline, double from_s, double to_s, const QString& run_name) {
  QJsonArray events;
  const auto name_row = [&](const char* what, int rank, int row, const QString& name) {
    events.append(QJsonObject{{QStringLiteral("ph"), QStringLiteral("M")},
                              {QStringLiteral("name"), QString::fromLatin1(what)},
                              {QStringLiteral("pid"), rank},
                              {QStringLiteral("tid"), row},
                              {QStringLiteral("args"), QJsonObject{{QStringLiteral("name"), name}}}});
  };
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.row == 0) name_row("process_name", lane.rank, 0, QStringLiteral("rank %1").arg(lane.rank));
    const QString communication = lane.row < 2 ? QStringLiteral("communication") : QStringLiteral("communication %1").arg(lane.row);
    name_row("thread_name", lane.rank, lane.row, lane.row == 0 ? QStringLiteral("compute") : communication);
    for (const TimelineEvent& event : lane.events) {
      if (event.end_s < from_s || event.start_s > to_s) continue;
      QJsonObject arguments{{QStringLiteral("step"), qint64(event.step)}};
      if (event.kind == TimelineKind::exchange) {
        arguments.insert(QStringLiteral("bucket"), event.id);
        arguments.insert(QStringLiteral("sequence"), qint64(event.sequence));
        arguments.insert(QStringLiteral("bytes"), qint64(event.bytes));
        arguments.insert(QStringLiteral("sent_bytes"), qint64(event.sent_bytes));
        arguments.insert(QStringLiteral("hidden_s"), event.hidden_s);
        arguments.insert(QStringLiteral("exposed_s"), event.exposed_s);
        if (event.peer_wait_s) arguments.insert(QStringLiteral("peer_wait_s"), *event.peer_wait_s);
      }
      events.append(QJsonObject{{QStringLiteral("ph"), QStringLiteral("X")},
                                {QStringLiteral("name"), event.title()},
                                {QStringLiteral("cat"), lane.row == 0 ? QStringLiteral("compute") : QStringLiteral("communication")},
                                {QStringLiteral("pid"), lane.rank},
                                {QStringLiteral("tid"), lane.row},
                                {QStringLiteral("ts"), event.start_s * 1e6},
                                {QStringLiteral("dur"), event.duration_s() * 1e6},
                                {QStringLiteral("args"), arguments}});
    }
  }
  const QJsonObject about{{QStringLiteral("name"), run_name}, {QStringLiteral("clock_bound_s"), timeline.clock_bound_s}};
  return QJsonDocument(QJsonObject{{QStringLiteral("traceEvents"), events},
                                   {QStringLiteral("displayTimeUnit"), QStringLiteral("ms")},
                                   {QStringLiteral("otherData"), about}})
      .toJson(QJsonDocument::Compact);
}

QString details_of(const TimelineEvent& event, int rank) {
  const auto say = [](const char* text) { return QCoreApplication::translate("Timeline", text); };
  QStringList parts{event.title(), say("rank %1").arg(rank), say("step %1").arg(format::count(event.step)),
                    format::duration(event.duration_s())};
  if (event.kind == TimelineKind::exchange) {
    parts << format::traffic(static_cast<double>(event.bytes));
    if (event.duration_s() > 0) parts << format::trafficRate(static_cast<double>(event.bytes) / event.duration_s());
    parts << say("hidden %1, exposed %2").arg(format::duration(event.hidden_s), format::duration(event.exposed_s));
    if (!event.peer_wait_s)
      parts << say("waiting not separated");
    else if (*event.peer_wait_s > 0)
      parts << say("waiting for rank %1: %2").arg(event.last_peer).arg(format::duration(*event.peer_wait_s));
    if (event.queued_s > 0) parts << say("queued for %1").arg(format::duration(event.queued_s));
  }
  return parts.join(QStringLiteral(" · "));
}

}  // namespace syncline::ui
