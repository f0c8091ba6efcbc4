// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/timeline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr double least_span_s = 1e-6, wheel_zoom = 1.25;
constexpr int hit_pixels = 4;

}  // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
    layoutRows();
    viewport()->update();
  });
}

int TimelineView::labels_width() const { return fontMetrics().horizontalAdvance(QStringLiteral("▾ ⇧ rank 000  compute")) + 14; }
int TimelineView::plot_width() const { return std::max(1, viewport()->width() - labels_width()); }
int TimelineView::overview_height() const { return 2 * fontMetrics().height() + 6; }
int TimelineView::ruler_height() const { return 2 * fontMetrics().height() + 4; }

double TimelineView::time_at(double x) const { return from_s_ + (x - labels_width()) * (to_s_ - from_s_) / plot_width(); }
// Far outside is cut: painters lose their way beyond some thousand widths.
double TimelineView::x_of(double time_s) const {
  const double x = labels_width() + (time_s - from_s_) * plot_width() / (to_s_ - from_s_);
  return std::clamp(x, -1e5, 1e5);
}

void TimelineView::setIndex(std::shared_ptr<const TimelineIndex> index) {
  index_ = std::move(index);
  viewport()->update();
}

void TimelineView::setTimeline(std::shared_ptr<const Timeline> timeline) {
  const TimelineEvent* before = event(selected_);
  const std::optional<TimelineEvent> kept = before != nullptr ? std::optional(*before) : std::nullopt;
  const int rank = before != nullptr ? timeline_->lanes[static_cast<std::size_t>(selected_.lane)].rank : 0;
  timeline_ = std::move(timeline);
  selected_ = {};
  if (kept && timeline_) {  // the same event among those that were read now
    for (std::size_t lane = 0; lane < timeline_->lanes.size(); ++lane) {
      const TimelineLane& candidate = timeline_->lanes[lane];
      if (candidate.rank != rank) continue;
      const int found = event_at(candidate, (kept->start_s + kept->end_s) / 2, 0);
      if (found >= 0 && candidate.events[static_cast<std::size_t>(found)].kind == kept->kind &&
          candidate.events[static_cast<std::size_t>(found)].id == kept->id)
        selected_ = {static_cast<int>(lane), found};
    }
  }
  layoutRows();
  describe();
  viewport()->update();
  Q_EMIT selectionChanged();
}

void TimelineView::setRange(double from_s, double to_s) {
  double least = 0, most = 1;
  if (index_ && !index_->steps.empty()) most = std::max(index_->steps.back().end_s, least_span_s);
  const double span = std::clamp(to_s - from_s, least_span_s, most - least);
  from_s = std::clamp(from_s, least, most - span);
  if (from_s == from_s_ && from_s + span == to_s_) return;
  from_s_ = from_s;
  to_s_ = from_s + span;
  describe();
  viewport()->update();
  Q_EMIT rangeChanged(from_s_, to_s_);
}

void TimelineView::setLaneHeight(Height height) {
  height_ = height;
  layoutRows();
  viewport()->update();
}

void TimelineView::setRankOrder(std::vector<int> ranks) {
  rank_order_ = std::move(ranks);
  layoutRows();
  viewport()->update();
}

int TimelineView::rowsTop() const { return overview_height() + ruler_height() + pinned_height_; }

void TimelineView::layoutRows() {
  rows_.clear();
  pinned_height_ = 0;
  const int line = fontMetrics().height();
  const int height = height_ == Height::compact ? std::max(10, line * 2 / 3) : height_ == Height::normal ? line + 8 : 2 * line + 8;
  int content = 0;
  if (timeline_) {
    std::vector<int> order(timeline_->lanes.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    const auto rank_of = [this](int lane) { return timeline_->lanes[static_cast<std::size_t>(lane)].rank; };
    const auto place_of = [&](int lane) {
      const int rank = rank_of(lane);
      const auto found = std::find(rank_order_.begin(), rank_order_.end(), rank);
      return found == rank_order_.end() ? static_cast<std::ptrdiff_t>(rank_order_.size()) + rank : found - rank_order_.begin();
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return place_of(a) < place_of(b); });
    std::stable_partition(order.begin(), order.end(), [&](int lane) { return pinned(rank_of(lane)); });
    std::erase_if(order, [&](int lane) { return timeline_->lanes[static_cast<std::size_t>(lane)].row > 0 && collapsed(rank_of(lane)); });
    int y = overview_height() + ruler_height();
    bool before_pinned = false;
    for (const int lane : order) {
      const bool is_pinned = pinned(rank_of(lane));
      if (before_pinned && !is_pinned) {
        pinned_height_ = y + 4 - overview_height() - ruler_height();
        y = rowsTop();
      } else if (timeline_->lanes[static_cast<std::size_t>(lane)].row == 0 && !rows_.empty()) {
        y += 4;
      }
      before_pinned = is_pinned;
      rows_.push_back({lane, y, height, is_pinned});
      y += height;
    }
    if (before_pinned) pinned_height_ = y - overview_height() - ruler_height();
    content = y - rowsTop();
  }
  const int room = viewport()->height() - rowsTop();
  verticalScrollBar()->setRange(0, std::max(0, content - room));
  verticalScrollBar()->setPageStep(std::max(1, room));
  verticalScrollBar()->setSingleStep(height);
  for (Row& row : rows_) {
    if (!row.pinned) row.top -= verticalScrollBar()->value();
  }
}

const TimelineView::Row* TimelineView::rowAt(QPoint point) const {
  if (point.y() < overview_height() + ruler_height()) return nullptr;
  for (const Row& row : rows_) {
    if (!row.pinned && point.y() < rowsTop()) continue;  // scrolled below the pinned ones
    if (point.y() >= row.top && point.y() < row.top + row.height) return &row;
  }
  return nullptr;
}

int TimelineView::selectedRank() const {
  return event(selected_) == nullptr ? -1 : timeline_->lanes[static_cast<std::size_t>(selected_.lane)].rank;
}

void TimelineView::setPinned(int rank, bool on) {
  if (on)
    pinned_.insert(rank);
  else
    pinned_.erase(rank);
  layoutRows();
  describe();
  viewport()->update();
}

void TimelineView::setCollapsed(int rank, bool on) {
  if (on)
    collapsed_.insert(rank);
  else
    collapsed_.erase(rank);
  layoutRows();
  describe();
  viewport()->update();
}

void TimelineView::setAllCollapsed(bool on) {
  collapsed_.clear();
  if (on && timeline_) {
    for (const TimelineLane& lane : timeline_->lanes) collapsed_.insert(lane.rank);
  }
  layoutRows();
  describe();
  viewport()->update();
}

void TimelineView::setMark(std::optional<std::pair<double, double>> from_to_s) {
  if (from_to_s && from_to_s->first > from_to_s->second) std::swap(from_to_s->first, from_to_s->second);
  if (from_to_s == mark_) return;
  mark_ = from_to_s;
  viewport()->update();
  Q_EMIT markChanged();
}

const TimelineEvent* TimelineView::event(Place place) const {
  if (!timeline_ || !place.valid() || static_cast<std::size_t>(place.lane) >= timeline_->lanes.size()) return nullptr;
  const auto& events = timeline_->lanes[static_cast<std::size_t>(place.lane)].events;
  return static_cast<std::size_t>(place.event) < events.size() ? &events[static_cast<std::size_t>(place.event)] : nullptr;
}

void TimelineView::select(Place place, bool bring_into_view) {
  if (event(place) == nullptr) place = {};
  const bool other = !(place == selected_);
  selected_ = place;
  if (const TimelineEvent* chosen = event(place); chosen != nullptr && bring_into_view) {
    const double span = to_s_ - from_s_;
    if (chosen->end_s < from_s_ || chosen->start_s > to_s_) setRange(chosen->start_s - span / 3, chosen->start_s + span * 2 / 3);
    const TimelineLane& lane = timeline_->lanes[static_cast<std::size_t>(place.lane)];
    if (lane.row > 0 && collapsed(lane.rank)) setCollapsed(lane.rank, false);
    for (const Row& row : rows_) {
      if (row.lane != place.lane || row.pinned) continue;
      const int top = rowsTop();
      if (row.top < top) verticalScrollBar()->setValue(verticalScrollBar()->value() + row.top - top);
      if (row.top + row.height > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + row.top + row.height - viewport()->height());
      break;
    }
  }
  viewport()->update();
  if (!other) return;
  describe();
  Q_EMIT selectionChanged();
}

void TimelineView::describe() {
  QString text;
  if (timeline_ && !timeline_->lanes.empty())
    text = tr("%1, %2 of time from %3 on")
               .arg(format::counted(timeline_->ranks, tr("%1 rank"), tr("%1 ranks")), format::duration(to_s_ - from_s_),
                    format::duration(from_s_));
  QStringList names;
  for (const int rank : pinned_) names << tr("rank %1 pinned").arg(rank);
  for (const int rank : collapsed_) names << tr("rank %1 collapsed").arg(rank);
  if (!names.isEmpty()) text += QStringLiteral("; ") + names.join(QStringLiteral(", "));
  if (const TimelineEvent* chosen = event(selected_))
    text += QStringLiteral("; ") + details_of(*chosen, timeline_->lanes[static_cast<std::size_t>(selected_.lane)].rank);
  setAccessibleDescription(text);
}

void TimelineView::zoom(double factor, double around_s) {
  const double share = (around_s - from_s_) / (to_s_ - from_s_), span = (to_s_ - from_s_) / factor;
  setRange(around_s - share * span, around_s + (1 - share) * span);
}

void TimelineView::pan(double share) {
  const double by = share * (to_s_ - from_s_);
  setRange(from_s_ + by, to_s_ + by);
}

void TimelineView::moveSelection(int events, int lanes) {
  if (!timeline_ || timeline_->lanes.empty()) return;
  if (event(selected_) == nullptr) {
    for (const Row& row : rows_) {
      const int found = event_at(timeline_->lanes[static_cast<std::size_t>(row.lane)], (from_s_ + to_s_) / 2, (to_s_ - from_s_) / 2);
      if (found >= 0) return select({row.lane, found}, true);
    }
    return;
  }
  Place next = selected_;
  if (lanes != 0) {
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.lane == selected_.lane; });
    auto at = row - rows_.begin() + lanes;
    const TimelineEvent* from = event(selected_);
    while (at >= 0 && at < static_cast<std::ptrdiff_t>(rows_.size())) {
      const int lane = rows_[static_cast<std::size_t>(at)].lane;
      const int found = event_at(timeline_->lanes[static_cast<std::size_t>(lane)], (from->start_s + from->end_s) / 2, to_s_ - from_s_);
      if (found >= 0) return select({lane, found}, true);
      at += lanes;
    }
    return;
  }
  const auto count = static_cast<int>(timeline_->lanes[static_cast<std::size_t>(next.lane)].events.size());
  next.event = std::clamp(next.event + events, 0, count - 1);
  select(next, true);
}

void TimelineView::zoomToSelection() {
  const TimelineEvent* chosen = event(selected_);
  if (chosen == nullptr) return;
  const double margin = std::max(chosen->duration_s(), least_span_s) * 0.5;
  setRange(chosen->start_s - margin, chosen->end_s + margin);
}

TimelineView::Place TimelineView::place_at(QPoint point) const {
  const Row* row = timeline_ && point.x() >= labels_width() ? rowAt(point) : nullptr;
  if (row == nullptr) return {};
  const double slack = hit_pixels * (to_s_ - from_s_) / plot_width();
  return {row->lane, event_at(timeline_->lanes[static_cast<std::size_t>(row->lane)], time_at(point.x()), slack)};
}

void TimelineView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  layoutRows();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressed_ = event->pos();
  pressed_from_s_ = from_s_;
  dragging_ = false;
  on_overview_ = event->pos().y() < overview_height();
  if (on_overview_ && index_ && !index_->steps.empty()) {
    const double at = (event->pos().x() - labels_width()) * index_->steps.back().end_s / plot_width(), span = to_s_ - from_s_;
    setRange(at - span / 2, at + span / 2);
    return;
  }
  marking_ = (event->modifiers() & Qt::ShiftModifier) != 0 && event->pos().x() >= labels_width();
  if (marking_) return setMark(std::pair(time_at(event->pos().x()), time_at(event->pos().x())));
  if (event->pos().x() < labels_width()) {
    const Row* row = rowAt(event->pos());
    if (row == nullptr) return;
    const int rank = timeline_->lanes[static_cast<std::size_t>(row->lane)].rank;
    return setCollapsed(rank, !collapsed(rank));
  }
  if (const Place place = place_at(event->pos()); place.event >= 0) select(place, false);
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) == 0) return;
  if (on_overview_) {
    if (!index_ || index_->steps.empty()) return;
    const double at = (event->pos().x() - labels_width()) * index_->steps.back().end_s / plot_width(), span = to_s_ - from_s_;
    setRange(at - span / 2, at + span / 2);
    return;
  }
  if (marking_) return setMark(std::pair(time_at(pressed_.x()), time_at(event->pos().x())));
  if (pressed_.x() < labels_width()) return;
  if (!dragging_ && (event->pos() - pressed_).manhattanLength() < 6) return;
  dragging_ = true;
  const double span = to_s_ - from_s_, by = (pressed_.x() - event->pos().x()) * span / plot_width();
  setRange(pressed_from_s_ + by, pressed_from_s_ + by + span);
}

void TimelineView::mouseReleaseEvent(QMouseEvent*) {
  dragging_ = on_overview_ = false;
  if (std::exchange(marking_, false) && mark_ && mark_->first == mark_->second) setMark(std::nullopt);  // a click marks nothing
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const Place place = place_at(event->pos()); place.event >= 0) {
    select(place, false);
    zoomToSelection();
  }
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) != 0 && event->angleDelta().y() != 0) {
    zoom(event->angleDelta().y() > 0 ? wheel_zoom : 1 / wheel_zoom, time_at(event->position().x()));
    event->accept();
  } else if ((event->modifiers() & Qt::ShiftModifier) != 0 || event->angleDelta().x() != 0) {
    pan((event->angleDelta().x() + event->angleDelta().y()) > 0 ? -0.1 : 0.1);
    event->accept();
  } else {
    QAbstractScrollArea::wheelEvent(event);
  }
}

// Letters (zoom, pan, find, mark) are actions of the tab, so that they can be changed and switched off.
void TimelineView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return moveSelection(-1, 0);
    case Qt::Key_Right:
      return moveSelection(1, 0);
    case Qt::Key_Up:
      return moveSelection(0, -1);
    case Qt::Key_Down:
      return moveSelection(0, 1);
    case Qt::Key_Escape:
      if (mark_) return setMark(std::nullopt);
      [[fallthrough]];
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

bool TimelineView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const Place place = place_at(help->pos());
    const TimelineEvent* under = this->event(place);
    if (under != nullptr)
      QToolTip::showText(help->globalPos(), details_of(*under, timeline_->lanes[static_cast<std::size_t>(place.lane)].rank), viewport());
    else
      QToolTip::hideText();
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    layoutRows();
    viewport()->update();
  }
  QAbstractScrollArea::changeEvent(event);
}

}  // namespace syncline::ui
