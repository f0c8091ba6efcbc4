// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_table.h"

#include <algorithm>

#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr std::size_t most_rows = 5000;

}  // namespace

void TimelineTable::show(std::shared_ptr<const Timeline> timeline, double from_s, double to_s) {
  beginResetModel();
  timeline_ = std::move(timeline);
  rows_.clear();
  complete_ = true;
  if (timeline_) {
    for (std::size_t lane = 0; lane < timeline_->lanes.size(); ++lane) {
      const auto& events = timeline_->lanes[lane].events;
      for (std::size_t event = 0; event < events.size(); ++event) {
        if (events[event].end_s < from_s || events[event].start_s > to_s) continue;
        rows_.push_back({static_cast<int>(lane), static_cast<int>(event)});
      }
    }
    const auto start_of = [&](const Place& place) {
      return timeline_->lanes[static_cast<std::size_t>(place.lane)].events[static_cast<std::size_t>(place.event)].start_s;
    };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const Place& a, const Place& b) { return start_of(a) < start_of(b); });
    complete_ = rows_.size() <= most_rows;
    if (!complete_) rows_.resize(most_rows);
  }
  endResetModel();
}

TimelineTable::Place TimelineTable::placeOf(int row) const {
  return row >= 0 && static_cast<std::size_t>(row) < rows_.size() ? rows_[static_cast<std::size_t>(row)] : Place{};
}

int TimelineTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int TimelineTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant TimelineTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || static_cast<std::size_t>(index.row()) >= rows_.size()) return {};
  if (role == Qt::TextAlignmentRole)
    return int(index.column() == event_column ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
  const Place place = placeOf(index.row());
  const TimelineLane& lane = timeline_->lanes[static_cast<std::size_t>(place.lane)];
  const TimelineEvent& event = lane.events[static_cast<std::size_t>(place.event)];
  const bool exchange = event.kind == TimelineKind::exchange, raw = role == Qt::UserRole;
  const auto time = [&](double seconds) -> QVariant { return raw ? QVariant(seconds) : QVariant(format::duration(seconds)); };
  switch (index.column()) {
    case start_column:
      return time(event.start_s);
    case rank_column:
      return lane.rank;
    case step_column:
      return raw ? QVariant(qint64(event.step)) : QVariant(format::count(event.step));
    case event_column:
      return event.title();
    case duration_column:
      return time(event.duration_s());
    case bytes_column:
      if (!exchange) return raw ? QVariant() : QVariant(format::missing);
      return raw ? QVariant(qint64(event.bytes)) : QVariant(format::traffic(static_cast<double>(event.bytes)));
    case rate_column: {
      if (!exchange || event.duration_s() <= 0) return raw ? QVariant() : QVariant(format::missing);
      const double rate = static_cast<double>(event.bytes) / event.duration_s();
      return raw ? QVariant(rate) : QVariant(format::trafficRate(rate));
    }
    case hidden_column:
      return exchange ? time(event.hidden_s) : raw ? QVariant() : QVariant(format::missing);
    case exposed_column:
      return exchange ? time(event.exposed_s) : raw ? QVariant() : QVariant(format::missing);
    case waiting_column:
      return event.peer_wait_s ? time(*event.peer_wait_s) : raw ? QVariant() : QVariant(format::missing);
    default:
      return {};
  }
}

QVariant TimelineTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case start_column:
      return tr("Start");
    case rank_column:
      return tr("Rank");
    case step_column:
      return tr("Step");
    case event_column:
      return tr("Event");
    case duration_column:
      return tr("Duration");
    case bytes_column:
      return tr("Bytes");
    case rate_column:
      return tr("Rate");
    case hidden_column:
      return tr("Hidden");
    case exposed_column:
      return tr("Exposed");
    case waiting_column:
      return tr("Waiting");
    default:
      return {};
  }
}

}  // namespace syncline::ui
